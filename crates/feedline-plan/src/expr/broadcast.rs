//! Broadcasting: which shape two shapes have together.

use feedline_data::{Shape, TensorSpec};

use crate::{PlanError, Result};

/// The shape two tensors have together by numpy's rule: aligned at the last dimension, 1 stretches; `None` if they do
/// not fit.
pub fn broadcast_shapes(one: &[usize], two: &[usize]) -> Option<Vec<usize>> {
    let rank = one.len().max(two.len());
    (0..rank)
        .map(|index| {
            let dim = |shape: &[usize]| (index + shape.len()).checked_sub(rank).map_or(1, |i| shape[i]);
            match (dim(one), dim(two)) {
                (one, two) if one == two => Some(one),
                (1, other) | (other, 1) => Some(other),
                _ => None,
            }
        })
        .collect()
}

/// As [`broadcast_shapes`], for shapes of which parts are unknown.
///
/// # Errors
/// If no tensors of these shapes fit together.
pub fn broadcast_specs(one: &TensorSpec, two: &TensorSpec) -> Result<Shape> {
    let (Some(a), Some(b)) = (one.shape.dims(), two.shape.dims()) else { return Ok(Shape::UNKNOWN) };
    let rank = a.len().max(b.len());
    let dims = (0..rank).map(|index| {
        let dim =
            |shape: &[Option<usize>]| (index + shape.len()).checked_sub(rank).map_or(Some(1), |i| shape[i]);
        match (dim(a), dim(b)) {
            (one, two) if one == two => Ok(one),
            (Some(1), other) | (other, Some(1)) => Ok(other),
            // An unknown dimension beside one that is not 1 can only be that one or 1.
            (None, Some(other)) | (Some(other), None) => Ok(Some(other)),
            _ => Err(PlanError::spec(format!("shapes {} and {} do not fit together", one.shape, two.shape))
                .with_hint("shapes are compared from the last dimension; each pair is equal or has a 1")),
        }
    });
    Ok(Shape::new(dims.collect::<Result<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::DType;

    #[test]
    fn shapes_stretch_from_the_right() {
        assert_eq!(broadcast_shapes(&[2, 1, 3], &[4, 1]), Some(vec![2, 4, 3]));
        assert_eq!(broadcast_shapes(&[], &[5]), Some(vec![5]));
        assert_eq!(broadcast_shapes(&[2], &[3]), None);
        assert_eq!(broadcast_shapes(&[0], &[1]), Some(vec![0]));
        let spec = |dims: &[Option<usize>]| TensorSpec::new(DType::Int64, Shape::new(dims.to_vec()));
        let shape = broadcast_specs(&spec(&[None, Some(3)]), &spec(&[Some(2), Some(1)]));
        assert_eq!(shape.map(|s| s.to_string()).as_deref(), Ok("[2, 3]"));
        assert!(broadcast_specs(&spec(&[Some(2)]), &spec(&[Some(3)])).is_err());
    }
}
