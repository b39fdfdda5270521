//! Numbers that are counted, a row for each start.

use feedline_data::Native;
use feedline_data::block::Column;

use super::super::elementwise::dispatch;
use super::super::rows::{RowsOf, bytes_of, once_for_constants};
use super::super::{Arguments, Value};

/// Numbers that are counted one after the other, as TensorFlow counts them here.
trait Counted: Native {
    /// How many there are from one to before another: none where they lie the other way.
    fn count(start: Self, limit: Self, delta: Self) -> Result<usize, String>;
    fn after(self, delta: Self) -> Self;
}

macro_rules! counted {
    (integers $($rust:ty),*) => {$(
        impl Counted for $rust {
            fn count(start: $rust, limit: $rust, delta: $rust) -> Result<usize, String> {
                let (reach, step) = (i128::from(limit) - i128::from(start), i128::from(delta));
                match step {
                    0 => Err("a delta is 0".to_owned()),
                    step if reach.signum() != step.signum() => Ok(0),
                    step => sized(reach.unsigned_abs().div_ceil(step.unsigned_abs())),
                }
            }
            fn after(self, delta: $rust) -> $rust {
                self.wrapping_add(delta)
            }
        }
    )*};
    (floats $($rust:ty),*) => {$(
        impl Counted for $rust {
            fn count(start: $rust, limit: $rust, delta: $rust) -> Result<usize, String> {
                if delta == 0.0 {
                    return Err("a delta is 0".to_owned());
                }
                let count = ((limit - start) / delta).ceil();
                if count.is_nan() {
                    return Err(format!("from {start} to {limit} by {delta} is no number of steps"));
                }
                // What is too large for the type is its largest, and more than any memory.
                sized(count.max(0.0) as u128)
            }
            fn after(self, delta: $rust) -> $rust {
                self + delta
            }
        }
    )*};
}

counted!(integers i32, i64);
counted!(floats f32, f64);

fn sized(count: u128) -> Result<usize, String> {
    let count = usize::try_from(count).ok().filter(|&count| count <= isize::MAX as usize / size_of::<f64>());
    count.ok_or_else(|| "a row has more numbers than there is memory for".to_owned())
}

pub(super) fn range(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let dtype = arguments.inputs[0].dtype();
        dispatch!(counted dtype, T => ranges::<T>(arguments))
    })
}

fn ranges<T: Counted>(arguments: &mut Arguments<'_>) -> Vec<Column> {
    let inputs = [0, 1, 2].map(|index| RowsOf::new(arguments.inputs[index]));
    let dtype = arguments.inputs[0].dtype();
    let (mut values, mut splits): (Vec<T>, Vec<i64>) = (Vec::new(), Vec::new());
    let (mut shapes, mut split_shapes) = (Vec::new(), Vec::new());
    for row in 0..arguments.rows {
        let (first, first_split) = (values.len(), splits.len());
        splits.push(0);
        let counted = counts::<T>(&inputs, row).and_then(|counts| {
            let total = counts.iter().try_fold(0_usize, |total, (count, ..)| total.checked_add(*count));
            total
                .map(|total| (counts, total))
                .ok_or_else(|| "more numbers than there is memory for".to_owned())
        });
        match counted {
            Ok((counts, total)) => {
                if !arguments.admits(row, bytes_of(dtype, values.len().saturating_add(total))) {
                    return Vec::new();
                }
                if !arguments.failures.contains_key(&row) {
                    for (count, start, delta) in counts {
                        let numbers = std::iter::successors(Some(start), |number| Some(number.after(delta)));
                        values.extend(numbers.take(count));
                        splits.push((values.len() - first) as i64);
                    }
                }
            }
            Err(reason) => arguments.fail(row, &reason),
        }
        shapes.push(vec![values.len() - first]);
        split_shapes.push(vec![splits.len() - first_split]);
    }
    vec![
        Column::from_vec(vec![], values.len(), values).with_shapes(shapes),
        Column::from_vec(vec![], splits.len(), splits).with_shapes(split_shapes),
    ]
}

/// For each row of the ragged tensor how many numbers it has, the first, and how far the next is.
fn counts<T: Counted>(inputs: &[RowsOf<'_>; 3], row: usize) -> Result<Vec<(usize, T, T)>, String> {
    let shapes = inputs.map(|input| input.shape(row));
    if let Some(shape) = shapes.iter().find(|shape| shape.len() > 1) {
        return Err(format!("starts, limits and deltas are lists or single numbers, not of shape {shape:?}"));
    }
    let mut lists = shapes.iter().filter_map(|shape| shape.first());
    let count = lists.next().copied();
    if lists.any(|&other| Some(other) != count) {
        return Err(format!(
            "starts, limits and deltas are lists of the shapes {shapes:?}, and must have one length"
        ));
    }
    let number = |input: usize, index: usize| {
        let values = &inputs[input].column().as_slice::<T>()[inputs[input].range(row)];
        values[if shapes[input].is_empty() { 0 } else { index }]
    };
    (0..count.unwrap_or(1))
        .map(|index| {
            let [start, limit, delta] = [0, 1, 2].map(|input| number(input, index));
            Ok((T::count(start, limit, delta)?, start, delta))
        })
        .collect()
}
