//! Going through the images of all rows, whether they are made of bytes or of floats.

use feedline_data::block::Column;
use feedline_data::{DType, Native};
use feedline_image::Raster;
use feedline_image::augment::Level;
use feedline_plan::expr::Call;

use super::super::Arguments;
use super::super::cast::{as_float32, cast_column};
use super::super::elementwise::like;
use super::super::rows::RowsOf;
use super::{Dims, Failure, each_row};

/// What is made of an image.
pub(super) trait EachImage {
    /// Puts what becomes of image number `index` of row `row` behind what is in `out`, and says its height and width. The image
    /// has pixels.
    fn run<S: Level + Native>(
        &self,
        row: usize,
        index: usize,
        image: &Raster<'_, S>,
        out: &mut Vec<S>,
    ) -> Result<(usize, usize), Failure>;
}

/// What `what` makes of every image of the first input, in its own type.
pub(super) fn each_image(arguments: &mut Arguments<'_>, what: &impl EachImage) -> Column {
    let source = RowsOf::new(arguments.inputs[0]);
    let dtype = source.column().dtype();
    if dtype == DType::UInt8 {
        return each_image_of(arguments, &source, source.column().as_slice::<u8>(), what);
    }
    let floats = as_float32(source.column());
    let column = each_image_of(arguments, &source, floats.as_slice::<f32>(), what);
    if dtype == DType::Float32 { column } else { cast_column(&column, dtype) }
}

fn each_image_of<S: Level + Native>(
    arguments: &mut Arguments<'_>,
    source: &RowsOf<'_>,
    samples: &[S],
    what: &impl EachImage,
) -> Column {
    each_row(arguments, |row, out| {
        let image = Dims::of(source.shape(row))?;
        let mut shape = source.shape(row).to_vec();
        let rank = shape.len();
        let mut size = None;
        if image.len() > 0 {
            for (index, one) in samples[source.range(row)].chunks_exact(image.len()).enumerate() {
                let raster = Raster::new(one, image.height, image.width, image.channels);
                let made = what.run(row, index, &raster, out)?;
                if *size.get_or_insert(made) != made {
                    return Err("the images of one batch get different sizes".to_owned().into());
                }
            }
        }
        if let Some((height, width)) = size {
            (shape[rank - 3], shape[rank - 2]) = (height, width);
        }
        Ok(shape)
    })
}

/// What `change` makes of every image of the first input, which is made of bytes, in place.
pub(super) fn each_of_bytes(
    arguments: &mut Arguments<'_>,
    mut change: impl FnMut(usize, usize, &Dims, &mut [u8]) -> Result<(), Failure>,
) -> Column {
    // A random change of a constant is another one for each row.
    let rows = arguments.inputs[0].to_rows(arguments.rows);
    let mut values = rows.as_slice::<u8>().to_vec();
    for row in 0..arguments.rows {
        let range = rows.value_range(row..row + 1);
        let changed = Dims::of(rows.shape(row)).and_then(|image| {
            let images = values[range].chunks_exact_mut(image.len().max(1));
            images.enumerate().try_for_each(|(index, one)| change(row, index, &image, one))
        });
        if let Err(failure) = changed {
            failure.tell(arguments, row);
        }
    }
    like(&rows, Column::from_vec(vec![], values.len(), values))
}

/// The numbers `name` of a call as what an image of `channels` channels is made of: one, or one for each channel.
pub(super) fn levels_of<S: Level>(call: &Call, name: &str, channels: usize) -> Result<Vec<S>, Failure> {
    let values = call.floats(name);
    if values.len() > 1 && values.len() != channels {
        return Err(format!("the image has {channels} channels, {name} {} numbers", values.len()).into());
    }
    Ok(values.iter().map(|&value| S::of_rounded(value as f32)).collect())
}
