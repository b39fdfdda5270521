//! The elements of a dataset as tensors, so that a dataset can be an element of another.
//!
//! Each tensor of the elements is one or two of the dataset's: where all elements have it in one shape, these stacked; else all values one
//! behind the other, and for each element the number of its dimensions and their sizes, one behind the other.

use crate::block::{Buffer, Column, Strings, Tensor};
use crate::{DType, ElementSpec, Shape, Structure, TensorSpec};

/// The specs of the tensors that hold elements of `spec`.
pub fn parts_of(spec: &ElementSpec) -> Vec<TensorSpec> {
    let list = |dtype| TensorSpec::new(dtype, Shape::new(vec![None]));
    let mut parts = Vec::new();
    for leaf in spec.leaves() {
        match leaf.shape.to_fixed() {
            Some(_) => parts.push(TensorSpec::new(leaf.dtype, leaf.shape.with_outer(None))),
            None => parts.extend([list(leaf.dtype), list(DType::Int64)]),
        }
    }
    parts
}

/// What is known about an element that is a dataset of elements of `spec`.
pub fn dataset_of(spec: &ElementSpec) -> ElementSpec {
    Structure::Dataset(Box::new(spec.clone()), parts_of(spec))
}

/// Rows of `spec`, a column for each leaf, as the tensors that hold them: columns of one row.
///
/// # Panics
/// If the columns are not of that spec.
pub fn join_rows(spec: &ElementSpec, columns: &[Column]) -> Vec<Column> {
    let mut parts = Vec::new();
    for (leaf, column) in spec.leaves().into_iter().zip(columns) {
        if let Some(dims) = leaf.shape.to_fixed() {
            let shape = std::iter::once(column.rows()).chain(dims).collect();
            parts.push(column.clone().flat().with_rows_of(1, shape));
            continue;
        }
        let mut sizes = Vec::new();
        for row in 0..column.rows() {
            let shape = column.shape(row);
            sizes.push(shape.len() as i64);
            sizes.extend(shape.iter().map(|&dim| dim as i64));
        }
        let values = column.clone().flat();
        let count = values.rows();
        parts.push(values.with_rows_of(1, vec![count]));
        parts.push(Column::from_vec(vec![sizes.len()], 1, sizes));
    }
    parts
}

/// What [`join_rows`] joined; an error says why the tensors hold no such rows.
pub fn split_rows(spec: &ElementSpec, parts: &[Tensor]) -> Result<Vec<Column>, String> {
    let mut parts = parts.iter();
    let mut columns: Vec<Column> = Vec::new();
    for leaf in spec.leaves() {
        let values = parts.next().and_then(Tensor::slices).ok_or("a tensor is missing")?;
        let column = if leaf.shape.to_fixed().is_some() {
            values
        } else {
            let sizes =
                parts.next().filter(|sizes| sizes.dtype() == DType::Int64).ok_or("sizes are missing")?;
            let shapes = shapes_of(sizes.as_slice::<i64>()).ok_or("sizes that are none")?;
            let total: usize = shapes.iter().map(|shape| shape.iter().product::<usize>()).sum();
            if total != values.rows() {
                return Err(format!("{} values for shapes of {total}", values.rows()));
            }
            values.with_shapes(shapes)
        };
        if columns.first().is_some_and(|first| first.rows() != column.rows()) {
            return Err("tensors of different numbers of elements".to_owned());
        }
        columns.push(column);
    }
    Ok(columns)
}

fn shapes_of(mut sizes: &[i64]) -> Option<Vec<Vec<usize>>> {
    let mut shapes = Vec::new();
    while let Some((&rank, rest)) = sizes.split_first() {
        let (dims, rest) = rest.split_at_checked(usize::try_from(rank).ok()?)?;
        shapes.push(dims.iter().map(|&dim| usize::try_from(dim).ok()).collect::<Option<_>>()?);
        sizes = rest;
    }
    Some(shapes)
}

/// No rows of `spec`, a column for each leaf.
pub fn no_rows(spec: &ElementSpec) -> Vec<Column> {
    let column = |leaf: &&TensorSpec| {
        let dims = leaf.shape.dims().unwrap_or_default().iter().map(|dim| dim.unwrap_or(0)).collect();
        match leaf.dtype {
            DType::String => Column::from_strings(dims, 0, Strings::default()),
            dtype => Column::from_buffer(dtype, dims, 0, Buffer::default()),
        }
    };
    spec.leaves().iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> ElementSpec {
        let list = TensorSpec::new(DType::Int32, Shape::new(vec![None]));
        Structure::Tuple(vec![TensorSpec::scalar(DType::Int64).into(), list.into()])
    }

    #[test]
    fn rows_of_any_shape_come_back() {
        let numbers = Column::from_vec(vec![], 3, vec![7_i64, 8, 9]);
        let values = Column::from_vec(vec![], 3, vec![1_i32, 2, 3]);
        let ragged = values.with_shapes(vec![vec![1], vec![0], vec![2]]);
        let parts = join_rows(&lists(), &[numbers.clone(), ragged.clone()]);
        let specs = parts_of(&lists());
        for (part, spec) in parts.iter().zip(&specs) {
            assert!(part.dtype() == spec.dtype && spec.shape.admits(part.shape(0)), "{part:?} {spec}");
        }
        let tensors: Vec<Tensor> = parts.iter().map(|part| Tensor::of_row(part, 0)).collect();
        assert_eq!(split_rows(&lists(), &tensors), Ok(vec![numbers, ragged]));
        let none = join_rows(&lists(), &no_rows(&lists()));
        let tensors: Vec<Tensor> = none.iter().map(|part| Tensor::of_row(part, 0)).collect();
        assert_eq!(split_rows(&lists(), &tensors).map(|columns| columns[1].rows()), Ok(0));
        assert_eq!(
            dataset_of(&lists()).to_string(),
            "dataset of (int64[], int32[?]) in (int64[?], int32[?], int64[?])"
        );
    }

    #[test]
    fn tensors_that_hold_no_rows_are_refused() {
        let numbers = |values: &[i64]| Tensor::from_vec(vec![values.len()], values.to_vec());
        let values = Tensor::from_vec(vec![2], vec![1_i32, 2]);
        for sizes in [&[1, 3][..], &[1], &[-1], &[2, 1, -2], &[1, 1, 1, 1]] {
            let parts = [numbers(&[5]), values.clone(), numbers(sizes)];
            assert!(split_rows(&lists(), &parts).is_err(), "{sizes:?}");
        }
        assert!(split_rows(&lists(), &[numbers(&[5])]).is_err());
    }
}
