//! Elements of different sizes put together: each is filled up to the shape of its batch.

use feedline_data::DType;
use feedline_data::block::{Buffer, Column, StringsBuilder, Tensor};
use feedline_data::{ElementSpec, Shape};
use feedline_plan::Padding;

use crate::error::ExecError;
use crate::fits::too_large;

/// The rows of `columns` as one row each, of as many as there are, filled up as `padding` says.
///
/// # Errors
/// If an element is larger than what it is to be filled up to, or the whole is larger than `limit_bytes`.
pub(super) fn stack_padded(
    columns: &[Column],
    padding: &Padding,
    spec: &ElementSpec,
    limit_bytes: u64,
) -> Result<Vec<Column>, ExecError> {
    let leaves = columns.iter().zip(&padding.shapes).zip(&padding.values).zip(spec.leaf_names());
    let stacked = leaves.map(|(((column, shape), value), name)| {
        let dims = padded_dims(column, shape, &name)?;
        if column.common_shape() == Some(&dims) {
            return Ok(column.clone().with_rows_of(1, with_rows(column.rows(), &dims)));
        }
        let size = dims.iter().try_fold(column.rows() as u64, |size, &dim| size.checked_mul(dim as u64));
        let width = column.dtype().width().unwrap_or(size_of::<u64>()) as u64;
        let bytes = size.and_then(|size| size.checked_mul(width)).unwrap_or(u64::MAX);
        if bytes > limit_bytes {
            return Err(too_large("padded_batch", bytes, limit_bytes));
        }
        Ok(filled_up(column, &dims, value))
    });
    stacked.collect()
}

/// The shape all rows of `column` are filled up to.
fn padded_dims(column: &Column, shape: &Shape, name: &str) -> Result<Vec<usize>, ExecError> {
    let shapes = || (0..column.rows()).map(|row| column.shape(row));
    let wanted = shape.dims().unwrap_or_default();
    if let Some(other) = shapes().find(|dims| dims.len() != wanted.len()) {
        return Err(ExecError::value(
            format!(
                "padded_batch: the tensor{name} has shape {other:?}, which cannot be filled up to {shape}"
            ),
            "all elements must have as many dimensions as padded_shapes",
        ));
    }
    let mut dims = Vec::with_capacity(wanted.len());
    for (place, wanted) in wanted.iter().enumerate() {
        let largest = shapes().map(|dims| dims[place]).max().unwrap_or(0);
        match wanted {
            Some(wanted) if largest > *wanted => {
                let message = format!(
                    "padded_batch: a dimension of the tensor{name} is {largest}, which is more than the {wanted} it is to be \
                     filled up to ({shape})"
                );
                let hint = "make padded_shapes larger, or None there, or cut the elements before";
                return Err(ExecError::value(message, hint));
            }
            wanted => dims.push(wanted.unwrap_or(largest)),
        }
    }
    Ok(dims)
}

fn with_rows(rows: usize, dims: &[usize]) -> Vec<usize> {
    std::iter::once(rows).chain(dims.iter().copied()).collect()
}

/// All rows as one, each filled up to `dims`.
fn filled_up(column: &Column, dims: &[usize], value: &Tensor) -> Column {
    let shape = with_rows(column.rows(), dims);
    let places = places(column, dims);
    let total: usize = shape.iter().product();
    let Some(strings) = column.strings() else {
        let buffer = match column.dtype().width() {
            Some(1) => fill::<u8>(column, value, &places, total),
            Some(2) => fill::<u16>(column, value, &places, total),
            Some(4) => fill::<u32>(column, value, &places, total),
            _ => fill::<u64>(column, value, &places, total),
        };
        return Column::from_buffer(column.dtype(), shape, 1, buffer);
    };
    debug_assert_eq!(column.dtype(), DType::String, "what has strings is of strings");
    let filler = value.strings().map_or(&[][..], |strings| strings.get(0));
    let mut all = StringsBuilder::with_capacity(total, strings.num_bytes());
    for (from, to, len) in places {
        (all.len()..to).for_each(|_| all.push(filler));
        (from..from + len).for_each(|index| all.push(strings.get(index)));
    }
    (all.len()..total).for_each(|_| all.push(filler));
    Column::from_strings(shape, 1, all.finish())
}

/// Runs of values that stay together: where each begins in the column, where it goes, and how long it is. In order.
fn places(column: &Column, dims: &[usize]) -> Vec<(usize, usize, usize)> {
    let mut runs = Vec::new();
    let row_values: usize = dims.iter().product();
    for row in 0..column.rows() {
        let own = column.shape(row);
        let from = column.value_range(row..row + 1).start;
        let Some((&run, outer)) = own.split_last() else {
            runs.push((from, row * row_values, 1));
            continue;
        };
        let num_runs: usize = outer.iter().product();
        if run == 0 {
            continue;
        }
        for index in 0..num_runs {
            // The run's place in each dimension but the last, innermost first.
            let (mut left, mut to, mut stride) = (index, 0, dims[outer.len()]);
            for (own, padded) in outer.iter().zip(dims).rev() {
                to += left % own * stride;
                left /= own;
                stride *= padded;
            }
            runs.push((from + index * run, row * row_values + to, run));
        }
    }
    runs
}

/// Numbers need only be moved: code for four widths serves all types.
fn fill<Word: bytemuck::Pod + Send>(
    column: &Column,
    value: &Tensor,
    places: &[(usize, usize, usize)],
    total: usize,
) -> Buffer {
    let words =
        |column: &Column| column.buffer().map_or(Vec::new(), |buffer| buffer.as_slice::<Word>().to_vec());
    let filler = words(value.as_column());
    let mut all = vec![filler[0]; total];
    let values = column.buffer().expect("numbers lie in a buffer").as_slice::<Word>();
    for &(from, to, len) in places {
        all[to..to + len].copy_from_slice(&values[from..from + len]);
    }
    Buffer::from_vec(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::TensorSpec;
    use proptest::prelude::*;

    /// One value after the other, by its place in each dimension: what the runs must come to.
    fn reference(column: &Column, dims: &[usize], value: i32) -> Vec<i32> {
        let strides: Vec<usize> = (0..dims.len()).map(|dim| dims[dim + 1..].iter().product()).collect();
        let row_values: usize = dims.iter().product();
        let mut all = vec![value; row_values * column.rows()];
        for row in 0..column.rows() {
            let (shape, range) = (column.shape(row), column.value_range(row..row + 1));
            for (index, &number) in column.as_slice::<i32>()[range].iter().enumerate() {
                let (mut left, mut place) = (index, row * row_values);
                for dim in (0..shape.len()).rev() {
                    place += left % shape[dim] * strides[dim];
                    left /= shape[dim];
                }
                all[place] = number;
            }
        }
        all
    }

    proptest! {
        #[test]
        fn runs_go_where_single_values_would(
            rank in 0..4_usize,
            sizes in prop::collection::vec(prop::collection::vec(0..4_usize, 3), 1..5),
            more in prop::collection::vec(0..3_usize, 3),
        ) {
            let shapes: Vec<Vec<usize>> = sizes.iter().map(|dims| dims[..rank].to_vec()).collect();
            let total: usize = shapes.iter().map(|dims| dims.iter().product::<usize>()).sum();
            let values = Column::from_vec(vec![], total, (1..=total as i32).collect());
            let column = values.with_shapes(shapes.clone());
            let dims: Vec<usize> =
                (0..rank).map(|dim| shapes.iter().map(|s| s[dim]).max().unwrap_or(0) + more[dim]).collect();
            let padding = Padding { shapes: vec![Shape::fixed(&dims)], values: vec![Tensor::scalar(-1_i32)] };
            let spec = ElementSpec::Leaf(TensorSpec::new(DType::Int32, Shape::UNKNOWN));
            let stacked = stack_padded(std::slice::from_ref(&column), &padding, &spec, u64::MAX).expect("fits");
            prop_assert_eq!(stacked[0].shape(0), with_rows(column.rows(), &dims));
            prop_assert_eq!(stacked[0].as_slice::<i32>(), reference(&column, &dims, -1));
            // Strings go the same way.
            let texts: Vec<String> = (1..=total).map(|number| number.to_string()).collect();
            let texts = Column::from_strings(vec![], total, texts.iter().collect()).with_shapes(shapes);
            let dash = Tensor::from_strings(vec![], ["-1"].iter().collect());
            let padding = Padding { values: vec![dash], ..padding };
            let stacked = stack_padded(std::slice::from_ref(&texts), &padding, &spec, u64::MAX).expect("fits");
            let found: Vec<String> =
                stacked[0].strings().expect("strings").iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect();
            let expected: Vec<String> = reference(&column, &dims, -1).iter().map(ToString::to_string).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
