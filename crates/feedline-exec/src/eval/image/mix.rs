//! Batches whose images and labels are mixed with those of their neighbours.

use feedline_data::DType;
use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::Call;

use super::super::cast::{as_float32, cast_column};
use super::super::elementwise::dispatch;
use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::random::{Draws, below};
use super::{Dims, Failure, each_row};

/// Where in the words of an element the middle of a box is: behind any that `λ` may take.
const BOX: u32 = 1 << 20;

pub(in super::super) fn mixup(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let images = RowsOf::new(arguments.inputs[0]);
    let share = |row: usize, _: &Dims| own_share(call, ids.get(row));
    let mixed = mixed(arguments, &images, |row| {
        let image = batch_of(call, &images, row)?;
        Ok((image.count, share(row, &image)))
    });
    let labels = mixed_labels(arguments, &images, share);
    vec![Value::Rows(mixed), Value::Rows(labels)]
}

pub(in super::super) fn cutmix(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let images = RowsOf::new(arguments.inputs[0]);
    let (call, ids) = (arguments.call, arguments.ids);
    let cut = |row: usize, image: &Dims| Cut::drawn(call, ids.get(row), image);
    let dtype = images.column().dtype();
    // Pixels are taken as they are, of whatever type.
    let mixed = dispatch!(widths dtype, Word => {
        let values = images.column().buffer().expect("numbers lie in a buffer").as_slice::<Word>();
        cut_each(arguments, &images, values, cut).with_dtype(dtype)
    });
    let labels = mixed_labels(arguments, &images, |row, image| cut(row, image).own_share(image));
    vec![Value::Rows(mixed), Value::Rows(labels)]
}

/// How much of an image stays its own, before a box is cut to the image.
fn own_share(call: &Call, id: u64) -> f64 {
    let alpha = call.float("alpha");
    Draws::new(call, id).beta(alpha)
}

fn as_dtype(column: Column, dtype: DType) -> Column {
    if column.dtype() == dtype { column } else { cast_column(&column, dtype) }
}

/// Whether channels stand before height and width. Where they stand does not matter to `mixup`, which does not ask.
fn has_channels_first(call: &Call) -> bool {
    call.operation.attributes().any(|argument| argument.name == "layout") && call.text("layout") == "NCHW"
}

fn batch_of(call: &Call, images: &RowsOf<'_>, row: usize) -> Result<Dims, Failure> {
    match *images.shape(row) {
        [count, channels, height, width] if has_channels_first(call) => {
            Ok(Dims { count, height, width, channels })
        }
        [count, height, width, channels] => Ok(Dims { count, height, width, channels }),
        _ => Err(format!("takes a batch of images, not shape {:?}", images.shape(row)).into()),
    }
}

/// The labels of each row, mixed by the share of their own that `share` says.
fn mixed_labels(
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
fn mixed(
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

fn before(index: usize, count: usize) -> usize {
    (index + count - 1) % count
}

/// The box that images take from their neighbours.
struct Cut {
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

impl Cut {
    fn drawn(call: &Call, id: u64, image: &Dims) -> Cut {
        let half = 0.5 * (1.0 - own_share(call, id)).sqrt();
        let [x, y, ..] = Draws::new(call, id).words(BOX);
        let part = |word: u32, size: usize| {
            let (middle, reach) = (below(word, size), (half * size as f64) as usize);
            middle.saturating_sub(reach)..(middle + reach).min(size)
        };
        Cut { rows: part(y, image.height), columns: part(x, image.width) }
    }

    /// How much of an image stays its own.
    fn own_share(&self, image: &Dims) -> f64 {
        let (taken, all) = (self.rows.len() * self.columns.len(), image.height * image.width);
        1.0 - taken as f64 / all.max(1) as f64
    }
}

fn cut_each<T: Native>(
    arguments: &mut Arguments<'_>,
    images: &RowsOf<'_>,
    values: &[T],
    cut: impl Fn(usize, &Dims) -> Cut,
) -> Column {
    let call = arguments.call;
    each_row(arguments, |row, out| {
        let image = batch_of(call, images, row)?;
        // Planes of an image, and values of a pixel in each.
        let (planes, depth) =
            if has_channels_first(call) { (image.channels, 1) } else { (1, image.channels) };
        let (batch, begin) = (&values[images.range(row)], out.len());
        out.extend_from_slice(batch);
        let Cut { rows, columns } = cut(row, &image);
        for index in 0..image.count {
            let from = before(index, image.count) * image.len();
            for y in (0..planes).flat_map(|plane| rows.clone().map(move |y| plane * image.height + y)) {
                let line = |x: usize| (y * image.width + x) * depth;
                let (first, last) = (line(columns.start), line(columns.end));
                out[begin + index * image.len()..][first..last].copy_from_slice(&batch[from..][first..last]);
            }
        }
        Ok(images.shape(row).to_vec())
    })
}
