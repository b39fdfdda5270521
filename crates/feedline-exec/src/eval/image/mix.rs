//! Batches whose images and labels are mixed with those of their neighbours.

use feedline_data::DType;
use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::Call;

use super::super::cast::{as_float32, cast_column};
use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::random::{Draws, below};
use super::{Dims, Failure, each_row};

/// Where in the words of an element the middle of a box is: behind any that `λ` may take.
const BOX: u32 = 1 << 20;

pub(in super::super) fn mixup(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let images = RowsOf::new(arguments.inputs[0]);
    let share = |row: usize, _: &Dims| own_share(call, ids.get(row)) as f32;
    let floats = as_float32(images.column());
    let values = floats.as_slice::<f32>();
    let mixed = each_row(arguments, |row, out| {
        let image = batch_of(call, &images, row)?;
        mix(&values[images.range(row)], image.count, share(row, &image), out);
        Ok(images.shape(row).to_vec())
    });
    let labels = mixed_labels(arguments, &images, share);
    vec![Value::Rows(as_dtype(mixed, images.column().dtype())), Value::Rows(labels)]
}

pub(in super::super) fn cutmix(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let images = RowsOf::new(arguments.inputs[0]);
    let (call, ids) = (arguments.call, arguments.ids);
    let cut = |row: usize, image: &Dims| Cut::drawn(call, ids.get(row), image);
    let dtype = images.column().dtype();
    let mixed = if dtype == DType::UInt8 {
        cut_each(arguments, &images, images.column().as_slice::<u8>(), cut)
    } else {
        let floats = as_float32(images.column());
        as_dtype(cut_each(arguments, &images, floats.as_slice::<f32>(), cut), dtype)
    };
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
    share: impl Fn(usize, &Dims) -> f32,
) -> Column {
    let call = arguments.call;
    let labels = RowsOf::new(arguments.inputs[1]);
    let floats = as_float32(labels.column());
    let values = floats.as_slice::<f32>();
    let column = each_row(arguments, |row, out| {
        let image = batch_of(call, images, row)?;
        let shape = labels.shape(row);
        if shape.len() != 2 || shape[0] != image.count {
            let message = format!("there are {} images, and labels of shape {shape:?}", image.count);
            return Err(message.into());
        }
        mix(&values[labels.range(row)], image.count, share(row, &image), out);
        Ok(shape.to_vec())
    });
    as_dtype(column, labels.column().dtype())
}

/// Each of `count` equal parts with `share` of itself, the rest of the one before it; the first's is the last.
fn mix(values: &[f32], count: usize, share: f32, out: &mut Vec<f32>) {
    if values.is_empty() {
        return;
    }
    let len = values.len() / count;
    for index in 0..count {
        let (own, other) = (&values[index * len..][..len], &values[before(index, count) * len..][..len]);
        out.extend(own.iter().zip(other).map(|(own, other)| other * (1.0 - share) + own * share));
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
    fn own_share(&self, image: &Dims) -> f32 {
        let (taken, all) = (self.rows.len() * self.columns.len(), image.height * image.width);
        (1.0 - taken as f64 / all.max(1) as f64) as f32
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
