//! Parts of images, and images within larger ones of zeros.

use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::image::{central_fraction, central_part, offset, target_side};

use super::super::elementwise::dispatch;
use super::super::moves::View;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::decode::integers;
use super::given::{Bounds, GivenFloat, GivenInts};
use super::views::each_view;
use super::{Dims, Failure, each_row, random};

/// The part of `shape` of that height and width at that row and column.
fn part(shape: &[usize], y: usize, x: usize, height: usize, width: usize) -> Result<View, Failure> {
    let image = Dims::of(shape)?;
    let fits = |from: usize, len: usize, limit: usize| {
        len > 0 && from.checked_add(len).is_some_and(|end| end <= limit)
    };
    if !fits(y, height, image.height) || !fits(x, width, image.width) {
        let message = format!(
            "the part is {height} x {width} at row {y}, column {x}, expected one within {} x {}",
            image.height, image.width
        );
        return Err(message.into());
    }
    let mut view = View::whole(shape);
    let rank = shape.len();
    view.offset = y * view.strides[rank - 3] as usize + x * view.strides[rank - 2] as usize;
    (view.shape[rank - 3], view.shape[rank - 2]) = (height, width);
    Ok(view)
}

pub(in super::super) fn central_crop(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let fractions = GivenFloat::of(arguments, "central_fraction");
        vec![each_view(arguments, |row, shape| {
            let fraction = central_fraction(fractions.one(row)?)?;
            if fraction >= 1.0 {
                return Ok(vec![View::whole(shape)]);
            }
            let image = Dims::of(shape)?;
            let ((y, height), (x, width)) =
                (central_part(image.height, fraction), central_part(image.width, fraction));
            Ok(vec![part(shape, y, x, height, width)?])
        })]
    })
}

pub(in super::super) fn crop_to_bounding_box(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let numbers: Vec<RowsOf<'_>> =
            arguments.inputs[1..].iter().map(|&value| RowsOf::new(value)).collect();
        vec![each_view(arguments, |row, shape| {
            let mut places = [0; 4];
            for (place, numbers) in places.iter_mut().zip(&numbers) {
                let number = integers(numbers, row).first().copied().unwrap_or(-1);
                *place = usize::try_from(number)
                    .map_err(|_| format!("{number} is no row, column, height or width of a part"))?;
            }
            let [y, x, height, width] = places;
            Ok(vec![part(shape, y, x, height, width)?])
        })]
    })
}

pub(in super::super) fn random_crop(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let sizes = GivenInts::of(arguments, "size");
    let column = each_view(arguments, |row, shape| {
        let part = random::random_part(call, ids.get(row), shape, &sizes.all(row))?;
        let mut view = View::whole(shape);
        view.offset =
            part.starts.iter().zip(&view.strides).map(|(start, stride)| start * *stride as usize).sum();
        view.shape = part.sizes;
        Ok(vec![view])
    });
    vec![Value::Rows(column)]
}

pub(in super::super) fn pad_to_bounding_box(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let [ys, xs, heights, widths] = ["offset_height", "offset_width", "target_height", "target_width"]
            .map(|name| GivenInts::of(arguments, name));
        vec![padded(arguments, &source, |row| {
            let image = Dims::of(source.shape(row))?;
            let (y, x) = (ys.checked(row, offset)?, xs.checked(row, offset)?);
            let (height, width) = (heights.checked(row, target_side)?, widths.checked(row, target_side)?);
            let fits =
                |from: usize, len: usize, limit: usize| from.checked_add(len).is_some_and(|end| end <= limit);
            if !fits(y, image.height, height) || !fits(x, image.width, width) {
                let message = format!(
                    "an image of {} x {} at row {y}, column {x} does not fit into {height} x {width}",
                    image.height, image.width
                );
                return Err(message.into());
            }
            Ok((y, x, height, width))
        })]
    })
}

pub(in super::super) fn resize_with_crop_or_pad(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let [heights, widths] = ["target_height", "target_width"].map(|name| GivenInts::of(arguments, name));
        let target = |row: usize| {
            Ok::<_, Failure>((heights.checked(row, target_side)?, widths.checked(row, target_side)?))
        };
        let cropped = each_view(arguments, |row, shape| {
            let image = Dims::of(shape)?;
            let (height, width) = target(row)?;
            let (rows, columns) = (image.height.min(height), image.width.min(width));
            let (y, x) = ((image.height - rows) / 2, (image.width - columns) / 2);
            Ok(vec![part(shape, y, x, rows, columns)?])
        });
        let source = RowsOf::of_column(&cropped);
        vec![padded(arguments, &source, |row| {
            let image = Dims::of(source.shape(row))?;
            let (height, width) = target(row)?;
            Ok(((height - image.height) / 2, (width - image.width) / 2, height, width))
        })]
    })
}

/// The images of each row within zeros: at the row and column `place` says, of the height and width.
pub(super) fn padded(
    arguments: &mut Arguments<'_>,
    source: &RowsOf<'_>,
    place: impl Fn(usize) -> Result<(usize, usize, usize, usize), Failure>,
) -> Column {
    let dtype = source.column().dtype();
    dispatch!(widths dtype, Word => {
        let values = source.column().buffer().expect("numbers lie in a buffer").as_slice::<Word>();
        padded_words(arguments, source, values, place).with_dtype(dtype)
    })
}

fn padded_words<W: Native>(
    arguments: &mut Arguments<'_>,
    source: &RowsOf<'_>,
    words: &[W],
    place: impl Fn(usize) -> Result<(usize, usize, usize, usize), Failure>,
) -> Column {
    let bounds = Bounds::of(arguments);
    each_row(arguments, |row, values| {
        let (y, x, height, width) = place(row)?;
        let image = Dims::of(source.shape(row))?;
        let mut shape = source.shape(row).to_vec();
        let rank = shape.len();
        (shape[rank - 3], shape[rank - 2]) = (height, width);
        bounds.check(&shape, size_of::<W>())?;
        let mut begin = values.len();
        values.resize(begin + shape.iter().product::<usize>(), W::zeroed());
        let row_len = image.width * image.channels;
        for one in words[source.range(row)].chunks_exact(image.len().max(1)) {
            for (index, line) in one.chunks_exact(row_len.max(1)).enumerate() {
                let at = begin + ((y + index) * width + x) * image.channels;
                values[at..at + row_len].copy_from_slice(line);
            }
            begin += height * width * image.channels;
        }
        Ok(shape)
    })
}
