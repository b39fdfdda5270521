//! Sizes of results that follow from numbers the user gives: rules that plans and kernels share.

/// A tensor is taken apart into so many at most: each is a value of the plan.
pub(super) const MAX_PARTS: usize = 1 << 16;

/// The parts `value` is split into along a dimension of `dim` entries: so many of equal size, or of these sizes.
///
/// # Errors
/// If they do not make up the dimension. `None` is a dimension that may have any size: then only those parts are known that are given.
pub fn split_sizes(
    is_number: bool,
    splits: &[i64],
    dim: Option<usize>,
) -> Result<Vec<Option<usize>>, String> {
    if is_number {
        let count = usize::try_from(splits[0]).ok().filter(|&count| count > 0);
        let count = count.ok_or_else(|| format!("num_or_size_splits is {}, not 1 or more", splits[0]))?;
        if count > MAX_PARTS {
            return Err(format!("num_or_size_splits is {count}, of {MAX_PARTS} parts at most"));
        }
        return match dim {
            Some(dim) if !dim.is_multiple_of(count) => Err(format!(
                "num_or_size_splits is {count}: {dim} entries are not so many parts of equal size"
            )),
            dim => Ok(vec![dim.map(|dim| dim / count); count]),
        };
    }
    if splits.is_empty() {
        return Err("num_or_size_splits is empty".to_owned());
    }
    if splits.iter().any(|&size| size < -1) || splits.iter().filter(|&&size| size == -1).count() > 1 {
        return Err(format!(
            "num_or_size_splits {splits:?} has sizes below 0, other than one −1 for the rest"
        ));
    }
    let sizes = splits.iter().filter_map(|&size| usize::try_from(size).ok());
    let given = sizes.fold(0, usize::saturating_add);
    let has_rest = splits.contains(&-1);
    if let Some(dim) = dim
        && (given > dim || (given < dim && !has_rest))
    {
        return Err(format!("num_or_size_splits {splits:?} does not make up {dim} entries"));
    }
    Ok(splits.iter().map(|&size| usize::try_from(size).ok().or_else(|| dim.map(|dim| dim - given))).collect())
}

/// A shape given as integers, of which one may be −1: what the `count` values leave.
///
/// # Errors
/// If so many values do not have such a shape.
pub fn shape_of_ints(ints: &[i64], count: usize) -> Result<Vec<usize>, String> {
    let misfit = || format!("{count} values cannot have shape {ints:?}");
    if ints.iter().any(|&dim| dim < -1) || ints.iter().filter(|&&dim| dim == -1).count() > 1 {
        return Err(format!("shape {ints:?} has sizes below 0, other than one −1"));
    }
    let mut known = ints.iter().filter_map(|&dim| usize::try_from(dim).ok());
    let known = known.try_fold(1_usize, usize::checked_mul).ok_or_else(misfit)?;
    let rest = if ints.contains(&-1) {
        if known == 0 || !count.is_multiple_of(known) {
            return Err(misfit());
        }
        count / known
    } else if known == count {
        1
    } else {
        return Err(misfit());
    };
    Ok(ints.iter().map(|&dim| usize::try_from(dim).unwrap_or(rest)).collect())
}

/// How many numbers there are from `start` to before `limit`.
///
/// # Errors
/// If `delta` never gets there.
pub fn range_size(start: i64, limit: i64, delta: i64) -> Result<usize, String> {
    if delta == 0 {
        return Err("delta is 0".to_owned());
    }
    let distance =
        if delta > 0 { i128::from(limit) - i128::from(start) } else { i128::from(start) - i128::from(limit) };
    if distance < 0 {
        return Err(format!("delta {delta} does not lead from start {start} to limit {limit}"));
    }
    let step = i128::from(delta).abs();
    let size = usize::try_from((distance + step - 1) / step).unwrap_or(usize::MAX);
    within_limit(&[size])?;
    Ok(size)
}

/// How many floats there are from `start` to before `limit`.
///
/// # Errors
/// As of [`range_size`].
pub fn range_size_of_floats(start: f64, limit: f64, delta: f64) -> Result<usize, String> {
    if delta == 0.0 {
        return Err("delta is 0".to_owned());
    }
    let steps = (limit - start) / delta;
    if !steps.is_finite() || steps < 0.0 {
        return Err(format!("delta {delta} does not lead from start {start} to limit {limit}"));
    }
    let size = steps.ceil() as usize;
    within_limit(&[size])?;
    Ok(size)
}

/// The size of a part of a dimension of `dim` entries that begins at `begin`; −1 is all that is left.
///
/// # Errors
/// If it is not within the dimension.
pub fn slice_size(begin: i64, size: i64, dim: usize) -> Result<usize, String> {
    let start = usize::try_from(begin).ok().filter(|&start| start <= dim);
    let start = start.ok_or_else(|| format!("begin is {begin} in a dimension of {dim}"))?;
    let left = dim - start;
    match usize::try_from(size) {
        Ok(size) if size <= left => Ok(size),
        Err(_) if size == -1 => Ok(left),
        _ => Err(format!("size is {size} from {begin} on in a dimension of {dim}")),
    }
}

/// Integers as sizes of dimensions, together no more than a tensor can have.
///
/// # Errors
/// If one is negative, or they are too many.
pub fn dims_of_ints(what: &str, ints: &[i64]) -> Result<Vec<usize>, String> {
    let dims: Option<Vec<usize>> = ints.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let dims = dims.ok_or_else(|| format!("{what} {ints:?} has a size below 0"))?;
    within_limit(&dims)?;
    Ok(dims)
}

/// Values of one tensor at most. What is computed from data may be any number, and memory that is not there ends the process.
const MAX_VALUES: usize = 1 << 32;

/// Whether a tensor can have that shape.
///
/// # Errors
/// If it would have more values than any.
pub fn within_limit(dims: &[usize]) -> Result<(), String> {
    let count = dims.iter().filter(|&&dim| dim > 0).try_fold(1_usize, |count, &dim| count.checked_mul(dim));
    match count {
        Some(count) if count <= MAX_VALUES => Ok(()),
        _ => Err(format!("a tensor of shape {dims:?} has more than {MAX_VALUES} values")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_whole() {
        assert_eq!(split_sizes(true, &[3], Some(6)), Ok(vec![Some(2); 3]));
        assert_eq!(split_sizes(true, &[3], None), Ok(vec![None; 3]));
        assert_eq!(split_sizes(false, &[1, -1, 2], Some(6)), Ok(vec![Some(1), Some(3), Some(2)]));
        assert_eq!(split_sizes(false, &[1, -1], None), Ok(vec![Some(1), None]));
        for (is_number, splits, dim) in [
            (true, &[4][..], 6),
            (true, &[0], 6),
            (false, &[], 0),
            (false, &[1, 2], 6),
            (false, &[7, -1], 6),
            (false, &[-1, -1], 6),
            (false, &[-2, 8], 6),
        ] {
            assert!(split_sizes(is_number, splits, Some(dim)).is_err(), "{splits:?} of {dim}");
        }
    }

    #[test]
    fn shapes_have_as_many_values_as_there_are() {
        assert_eq!(shape_of_ints(&[2, -1], 6), Ok(vec![2, 3]));
        assert_eq!(shape_of_ints(&[], 1), Ok(vec![]));
        for (ints, count) in [
            (&[4, -1][..], 6),
            (&[0, -1], 0),
            (&[-1, -1], 6),
            (&[2, 2], 6),
            (&[-2, 3], 6),
            (&[i64::MAX, 4], 0),
        ] {
            assert!(shape_of_ints(ints, count).is_err(), "{ints:?} of {count}");
        }
        assert_eq!(range_size(0, 10, 3), Ok(4));
        assert_eq!(range_size(5, -1, -2), Ok(3));
        assert_eq!(range_size(3, 3, 1), Ok(0));
        assert!(range_size(0, 1, 0).is_err() && range_size(0, 1, -1).is_err());
        assert!(range_size(i64::MIN, i64::MAX, 1).is_err());
        assert_eq!((slice_size(1, -1, 3), slice_size(3, 0, 3)), (Ok(2), Ok(0)));
        assert!(
            slice_size(4, -1, 3).is_err() && slice_size(2, 2, 3).is_err() && slice_size(-1, 1, 3).is_err()
        );
        assert_eq!(dims_of_ints("dims", &[2, 0]), Ok(vec![2, 0]));
        assert!(dims_of_ints("dims", &[-1]).is_err());
        // Nothing of something huge is nothing, but there is no telling it apart from a mistake.
        assert!(dims_of_ints("dims", &[0, i64::MAX, i64::MAX]).is_err());
    }
}
