//! Parts of images, and black around them.

use feedline_data::Native;
use feedline_data::block::Column;

use super::super::Arguments;
use super::super::elementwise::dispatch;
use super::super::moves::View;
use super::super::rows::RowsOf;
use super::given::Bounds;
use super::{Dims, Failure, each_row};

/// The part of `shape` of that height and width at that row and column.
pub(super) fn part(
    shape: &[usize],
    y: usize,
    x: usize,
    height: usize,
    width: usize,
) -> Result<View, Failure> {
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
