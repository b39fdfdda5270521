//! Batches whose images and labels are mixed with those of their neighbours.

use feedline_data::block::Column;
use feedline_data::{DType, Native};
use feedline_plan::expr::Call;

use super::super::Arguments;
use super::super::cast::{as_float32, cast_column};
use super::super::rows::RowsOf;
use super::random::Draws;
use super::{Dims, Failure, each_row};

/// How much of an image stays its own, before a box is cut to the image.
pub(super) fn own_share(call: &Call, id: u64) -> f64 {
    let alpha = call.float("alpha");
    Draws::new(call, id).beta(alpha)
}

fn as_dtype(column: Column, dtype: DType) -> Column {
    if column.dtype() == dtype { column } else { cast_column(&column, dtype) }
}

/// Whether channels stand before height and width. Where they stand does not matter to `mixup`, which does not ask.
pub(super) fn has_channels_first(call: &Call) -> bool {
    call.operation.attributes().any(|argument| argument.name == "layout") && call.text("layout") == "NCHW"
}

pub(super) fn batch_of(call: &Call, images: &RowsOf<'_>, row: usize) -> Result<Dims, Failure> {
    match *images.shape(row) {
        [count, channels, height, width] if has_channels_first(call) => {
            Ok(Dims { count, height, width, channels })
        }
        [count, height, width, channels] => Ok(Dims { count, height, width, channels }),
        _ => Err(format!("takes a batch of images, not shape {:?}", images.shape(row)).into()),
    }
}

/// The labels of each row, mixed by the share of their own that `share` says.
pub(super) fn mixed_labels(
    arguments: &mut Arguments<'_>,
    images: &RowsOf<'_>,
    share: impl Fn(usize, &Dims) -> f64,
) -> Column {
    let call = arguments.call;
    let labels = RowsOf::new(arguments.inputs[1]);
    mixed(arguments, &labels, |row| {
        let image = batch_of(call, images, row)?;
        let shape = labels.shape(row);
        if shape.len() != 2 || shape[0] != image.count {
            let message = format!("there are {} images, and labels of shape {shape:?}", image.count);
            return Err(message.into());
        }
        Ok((image.count, share(row, &image)))
    })
}

/// Each row mixed as `parts` says: how many equal parts it has, and the share of itself that each keeps. Doubles stay doubles, all
/// else is computed in single precision.
pub(super) fn mixed(
    arguments: &mut Arguments<'_>,
    source: &RowsOf<'_>,
    parts: impl Fn(usize) -> Result<(usize, f64), Failure>,
) -> Column {
    let dtype = source.column().dtype();
    if dtype == DType::Float64 {
        let values = source.column().as_slice::<f64>();
        return each_row(arguments, |row, out| {
            let (count, share) = parts(row)?;
            mix(&values[source.range(row)], count, |own, other| other * (1.0 - share) + own * share, out);
            Ok(source.shape(row).to_vec())
        });
    }
    let floats = as_float32(source.column());
    let values = floats.as_slice::<f32>();
    let column = each_row(arguments, |row, out| {
        let (count, share) = parts(row)?;
        let share = share as f32;
        mix(&values[source.range(row)], count, |own, other| other * (1.0 - share) + own * share, out);
        Ok(source.shape(row).to_vec())
    });
    as_dtype(column, dtype)
}

/// What `mixed` makes of each of `count` equal parts and the one before it; the first's is the last.
fn mix<T: Native>(values: &[T], count: usize, mixed: impl Fn(T, T) -> T, out: &mut Vec<T>) {
    if values.is_empty() {
        return;
    }
    let len = values.len() / count;
    for index in 0..count {
        let (own, other) = (&values[index * len..][..len], &values[before(index, count) * len..][..len]);
        out.extend(own.iter().zip(other).map(|(&own, &other)| mixed(own, other)));
    }
}

pub(super) fn before(index: usize, count: usize) -> usize {
    (index + count - 1) % count
}
