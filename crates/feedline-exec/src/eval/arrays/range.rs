//! Numbers that are counted.

use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::{range_size, range_size_of_floats};

use crate::eval::elementwise::dispatch;
use crate::eval::rows::{RowsOf, bytes_of, once_for_constants, plan_rows};
use crate::eval::unary::Float;
use crate::eval::{Arguments, Value};

/// Numbers that can be counted with.
trait Counted: Native {
    /// How many there are from one to before another.
    fn count(start: Self, limit: Self, delta: Self) -> Result<usize, String>;
    /// Number `index` of them.
    fn at(start: Self, delta: Self, index: usize) -> Self;
}

macro_rules! counted {
    (integers $($rust:ty),*) => {$(
        impl Counted for $rust {
            fn count(start: $rust, limit: $rust, delta: $rust) -> Result<usize, String> {
                let wide = |value: $rust| i64::try_from(value).map_err(|_| format!("{value} is too large to count with"));
                range_size(wide(start)?, wide(limit)?, wide(delta)?)
            }
            fn at(start: $rust, delta: $rust, index: usize) -> $rust {
                start.wrapping_add(delta.wrapping_mul(index as $rust))
            }
        }
    )*};
    (floats $($rust:ty),*) => {$(
        impl Counted for $rust {
            fn count(start: $rust, limit: $rust, delta: $rust) -> Result<usize, String> {
                range_size_of_floats(start.widen(), limit.widen(), delta.widen())
            }
            // Not one after the other, as TensorFlow does not: errors do not add up.
            fn at(start: $rust, delta: $rust, index: usize) -> $rust {
                start + delta * <$rust>::narrow(index as f64)
            }
        }
    )*};
}

counted!(integers i8, i16, i32, i64, u8, u16, u32, u64);

counted!(floats half::f16, half::bf16, f32, f64);

pub(super) fn range(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let inputs = [0, 1, 2].map(|index| RowsOf::new(arguments.inputs[index]));
        let shapes = plan_rows(arguments, |shapes| {
            let all_are_scalars = shapes.iter().all(|shape| shape.is_empty());
            if all_are_scalars { Ok(()) } else { Err("start, limit and delta are scalars".to_owned()) }
        });
        let dtype = arguments.inputs[0].dtype();
        dispatch!(numbers dtype, T => {
            let columns = inputs.map(|of| of.column().as_slice::<T>());
            let mut values: Vec<T> = Vec::new();
            let mut counts = Vec::with_capacity(arguments.rows);
            for row in 0..arguments.rows {
                let is_open = shapes.get(row).is_some() && !arguments.failures.contains_key(&row);
                counts.push(vec![0]);
                if !is_open {
                    continue;
                }
                let [start, limit, delta] =
                    std::array::from_fn(|index| columns[index][inputs[index].range(row).start]);
                let count = T::count(start, limit, delta).unwrap_or_else(|reason| {
                    arguments.fail(row, &reason);
                    0
                });
                if !arguments.admits(row, bytes_of(dtype, values.len() + count)) {
                    return Vec::new();
                }
                if !arguments.failures.contains_key(&row) {
                    counts[row] = vec![count];
                    values.extend((0..count).map(|index| T::at(start, delta, index)));
                }
            }
            vec![Column::from_vec(vec![], values.len(), values).with_shapes(counts)]
        })
    })
}
