//! The entries that places in several dimensions mean.

/// The entries that indices mean.
pub(super) struct Meant {
    /// The shape of all of them together.
    pub(super) shape: Vec<usize>,
    /// Their numbers, and the values of one.
    pub(super) numbers: Vec<usize>,
    pub(super) size: usize,
}

/// What `indices`, of the shape `of`, means in a tensor of `shape`.
pub(super) fn entries(shape: &[usize], of: &[usize], indices: &[i64]) -> Result<Meant, String> {
    let Some((&depth, outer)) = of.split_last() else {
        return Err("indices has one dimension or more".to_owned());
    };
    if depth > shape.len() {
        return Err(format!("indices has places of {depth} numbers in a tensor of shape {shape:?}"));
    }
    let (places, inside) = shape.split_at(depth);
    let count: usize = outer.iter().product();
    let mut numbers = Vec::with_capacity(count);
    for at in 0..count {
        let place = &indices[at * depth..(at + 1) * depth];
        let number = place.iter().zip(places).try_fold(0, |number, (&index, &dim)| {
            let index = usize::try_from(index).ok().filter(|&index| index < dim)?;
            Some(number * dim + index)
        });
        numbers.push(number.ok_or_else(|| format!("indices: {place:?} is not within shape {shape:?}"))?);
    }
    Ok(Meant { shape: [outer, inside].concat(), numbers, size: inside.iter().product() })
}

pub(super) fn fitting(
    shape: &[usize],
    of: &[usize],
    indices: &[i64],
    updates: &[usize],
) -> Result<Meant, String> {
    let entries = entries(shape, of, indices)?;
    if entries.shape != updates {
        return Err(format!("updates has shape {updates:?}, the places together {:?}", entries.shape));
    }
    Ok(entries)
}
