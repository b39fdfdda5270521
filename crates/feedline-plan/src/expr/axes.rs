//! Dimensions by number, as users write them: negative ones count from the end.
//!
//! Plans use these rules on what is known of a shape, kernels on the shape a row has: one rule, one message.

/// The dimension `axis` of `rank` means.
///
/// # Errors
/// If there is no such dimension.
pub fn axis_index(axis: i64, rank: usize) -> Result<usize, String> {
    let signed = i64::try_from(rank).unwrap_or(i64::MAX);
    if (-signed..signed).contains(&axis) {
        return Ok((if axis < 0 { axis + signed } else { axis }) as usize);
    }
    let dimensions = if rank == 1 { "dimension" } else { "dimensions" };
    Err(format!("there is no axis {axis}: the tensor has {rank} {dimensions}"))
}

/// Which dimensions `axes` mean; all where there are none given.
///
/// # Errors
/// If one does not exist, or one is named twice.
pub fn axes_mask(axes: Option<&[i64]>, rank: usize) -> Result<Vec<bool>, String> {
    let Some(axes) = axes else { return Ok(vec![true; rank]) };
    let mut mask = vec![false; rank];
    for &axis in axes {
        let index = axis_index(axis, rank)?;
        if mask[index] {
            return Err(format!("axis {index} is named twice in {axes:?}"));
        }
        mask[index] = true;
    }
    Ok(mask)
}

/// Which dimensions go when those of size 1 go: the ones `axes` name, or all of them where it names none.
///
/// # Errors
/// If one that is named has another size; `None` is one that may have any.
pub fn squeezed_mask(axes: Option<&[i64]>, dims: &[Option<usize>]) -> Result<Vec<bool>, String> {
    let Some(axes) = axes.filter(|axes| !axes.is_empty()) else {
        return Ok(dims.iter().map(|dim| *dim == Some(1)).collect());
    };
    let mut mask = vec![false; dims.len()];
    for &axis in axes {
        let index = axis_index(axis, dims.len())?;
        if let Some(dim) = dims[index].filter(|&dim| dim != 1) {
            return Err(format!("axis {axis} has {dim} entries, only one with 1 can be squeezed"));
        }
        mask[index] = true;
    }
    Ok(mask)
}

/// The order of dimensions that `perm` means; the reverse where none is given.
///
/// # Errors
/// If it does not name every dimension once.
pub fn permutation(perm: Option<&[i64]>, rank: usize) -> Result<Vec<usize>, String> {
    let Some(perm) = perm else { return Ok((0..rank).rev().collect()) };
    let order: Vec<usize> = perm.iter().map(|&axis| axis_index(axis, rank)).collect::<Result<_, _>>()?;
    let is_each_named = (0..rank).all(|axis| order.contains(&axis));
    if order.len() != rank || !is_each_named {
        return Err(format!("perm {perm:?} does not name each of the {rank} dimensions once"));
    }
    Ok(order)
}

/// Where the new dimension of `one_hot` stands: of the negative ones, TensorFlow takes −1 alone.
///
/// # Errors
/// If it cannot stand there.
pub fn one_hot_axis(axis: i64, rank: usize) -> Result<usize, String> {
    match usize::try_from(axis) {
        Ok(axis) if axis <= rank => Ok(axis),
        Err(_) if axis == -1 => Ok(rank),
        _ => Err(format!("axis is -1 or 0 to {rank}, not {axis}")),
    }
}

/// The axis that is gathered along, and how many dimensions before it belong to the same ones of the indices.
///
/// # Errors
/// If there is no such axis, or it lies in the batch.
pub fn gathered_dims(
    axis: Option<i64>,
    batch_dims: i64,
    rank: usize,
    indices_rank: usize,
) -> Result<(usize, usize), String> {
    let counted = if batch_dims < 0 { batch_dims.checked_add(indices_rank as i64) } else { Some(batch_dims) };
    let batch = counted.and_then(|dims| usize::try_from(dims).ok()).filter(|dims| *dims <= indices_rank);
    let Some(batch) = batch else {
        return Err(format!("batch_dims is {batch_dims}, and the indices have {indices_rank} dimensions"));
    };
    // As it is written: below 0 it counts from the end of params, though batch_dims does from that of indices.
    let axis = axis_index(axis.unwrap_or(batch_dims), rank)?;
    if batch > axis {
        return Err(format!("batch_dims ({batch}) must be less than or equal to axis ({axis})"));
    }
    Ok((axis, batch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_count_from_either_end() {
        assert_eq!(axis_index(-1, 3), Ok(2));
        assert_eq!(axis_index(0, 0), Err("there is no axis 0: the tensor has 0 dimensions".into()));
        assert!(axis_index(3, 3).is_err() && axis_index(-4, 3).is_err());
        assert_eq!(axes_mask(None, 2), Ok(vec![true, true]));
        assert_eq!(axes_mask(Some(&[]), 2), Ok(vec![false, false]));
        assert_eq!(axes_mask(Some(&[-1]), 2), Ok(vec![false, true]));
        assert!(axes_mask(Some(&[0, -2]), 2).is_err());
        assert_eq!(permutation(None, 3), Ok(vec![2, 1, 0]));
        assert_eq!(permutation(Some(&[1, -1, 0]), 3), Ok(vec![1, 2, 0]));
        assert!(permutation(Some(&[1, 0]), 3).is_err() && permutation(Some(&[0, 0]), 2).is_err());
        let dims = [Some(1), None, Some(2)];
        assert_eq!(squeezed_mask(None, &dims), Ok(vec![true, false, false]));
        assert_eq!(squeezed_mask(Some(&[1, 1, 0]), &dims), Ok(vec![true, true, false]));
        assert!(squeezed_mask(Some(&[2]), &dims).is_err());
        assert_eq!((one_hot_axis(-1, 2), one_hot_axis(2, 2)), (Ok(2), Ok(2)));
        assert!(one_hot_axis(-2, 2).is_err() && one_hot_axis(3, 2).is_err());
    }
}
