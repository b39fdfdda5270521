//! Images as the bytes of a file.

use feedline_data::DType;
use feedline_data::block::{Column, StringsBuilder};
use feedline_image::{JpegDensity, JpegOptions, encode_jpeg as jpeg, encode_png as png};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::{Dims, Failure};

pub(in super::super) fn encode_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let density = |name: &str| call.int(name) as u16;
    let options = JpegOptions {
        quality: call.int("quality") as u8,
        chroma_at_half_size: call.flag("chroma_downsampling"),
        is_progressive: call.flag("progressive"),
        optimizes_size: call.flag("optimize_size"),
        density: JpegDensity {
            is_metric: call.text("density_unit") == "cm",
            x: density("x_density"),
            y: density("y_density"),
        },
        xmp: call.text("xmp_metadata").as_bytes(),
    };
    let format = call.text("format");
    encode(arguments, |image, bytes| {
        let expected = if format == "grayscale" { 1 } else { 3 };
        if !format.is_empty() && image.channels != expected {
            return Err(format!("format is '{format}', and the image has {} channels", image.channels).into());
        }
        Ok(jpeg(bytes, image.height, image.width, image.channels, &options)?)
    })
}

pub(in super::super) fn encode_png(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let level = u8::try_from(arguments.call.int("compression")).ok();
    let is_wide = arguments.inputs[0].dtype() == DType::UInt16;
    encode(arguments, |image, bytes| {
        if image.len() == 0 || image.channels > 4 {
            return Err(format!(
                "an image of {} x {} x {} cannot be written",
                image.height, image.width, image.channels
            )
            .into());
        }
        let mut swapped = Vec::new();
        if is_wide && cfg!(target_endian = "little") {
            swapped.extend(bytes.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]));
        }
        let bytes = if swapped.is_empty() { bytes } else { &swapped };
        Ok(png(bytes, is_wide, image.height, image.width, image.channels, level)?)
    })
}

/// What `bytes` makes of each image of each row.
fn encode(
    arguments: &mut Arguments<'_>,
    bytes: impl Fn(Dims, &[u8]) -> Result<Vec<u8>, Failure>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let width = source.column().dtype().width().expect("images are made of numbers");
        let all = source.column().buffer().expect("numbers lie in a buffer");
        let mut strings = StringsBuilder::default();
        let mut shapes = Vec::with_capacity(arguments.rows);
        for row in 0..arguments.rows {
            let (range, shape) = (source.range(row), source.shape(row));
            let images = &all.as_bytes()[range.start * width..range.end * width];
            let encoded = Dims::of(shape).and_then(|dims| {
                if dims.count == 1 {
                    return Ok(vec![bytes(dims, images)?]);
                }
                // A batch of images without pixels is refused by its first; one of none is none.
                let one = |index: usize| &images[index * dims.len() * width..][..dims.len() * width];
                (0..dims.count).map(|index| bytes(dims, one(index))).collect()
            });
            match encoded {
                Ok(encoded) => {
                    encoded.iter().for_each(|encoded| strings.push(encoded));
                    shapes.push(shape[..shape.len() - 3].to_vec());
                }
                Err(failure) => {
                    failure.tell(arguments, row);
                    shapes.push(vec![0]);
                }
            }
        }
        let strings = strings.finish();
        vec![Column::from_strings(vec![], strings.len(), strings).with_shapes(shapes)]
    })
}
