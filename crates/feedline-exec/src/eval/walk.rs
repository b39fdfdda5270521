//! Walking over several tensors at once, each with its own steps: what broadcasting, slicing and transposing are made of.

/// The places of `N` tensors that belong together, in row-major order of one shape.
pub(super) struct Walk<const N: usize> {
    /// Size of each dimension and the step of each tensor in it, outermost first; neighbours that can be are merged.
    dims: Vec<(usize, [isize; N])>,
}

impl<const N: usize> Walk<N> {
    /// Over `shape`, tensor `i` going `strides[i][dim]` values further with each step in `dim`.
    pub(super) fn new(shape: &[usize], strides: [&[isize]; N]) -> Walk<N> {
        let mut dims: Vec<(usize, [isize; N])> = Vec::with_capacity(shape.len());
        for (dim, &count) in shape.iter().enumerate() {
            let steps = strides.map(|strides| strides[dim]);
            match dims.last_mut() {
                _ if count == 1 => {}
                // A step outside is a whole walk inside: both together are one dimension.
                Some((outer_count, outer_steps))
                    if (0..N).all(|i| outer_steps[i] == steps[i] * count as isize) =>
                {
                    *outer_count *= count;
                    *outer_steps = steps;
                }
                _ => dims.push((count, steps)),
            }
        }
        Walk { dims }
    }

    /// The dimensions that are left after merging.
    pub(super) fn dims(&self) -> &[(usize, [isize; N])] {
        &self.dims
    }

    /// Calls `visit` with the places, beginning at `start`.
    pub(super) fn for_each(&self, start: [usize; N], visit: &mut impl FnMut([usize; N])) {
        visit_dims(&self.dims, start, visit);
    }
}

fn visit_dims<const N: usize>(
    dims: &[(usize, [isize; N])],
    start: [usize; N],
    visit: &mut impl FnMut([usize; N]),
) {
    let Some(((count, steps), inner)) = dims.split_first() else { return visit(start) };
    let mut at = start;
    for _ in 0..*count {
        if inner.is_empty() {
            visit(at);
        } else {
            visit_dims(inner, at, visit);
        }
        // Past the last step a place may lie outside, even before the first value; it is not visited.
        at = std::array::from_fn(|i| at[i].wrapping_add_signed(steps[i]));
    }
}

/// The steps of a tensor of `shape` that is stretched to `rank` dimensions: 0 where it is stretched or has none.
pub(super) fn broadcast_strides(shape: &[usize], rank: usize) -> Vec<isize> {
    let mut strides = vec![0; rank];
    let mut step = 1;
    for (index, &dim) in shape.iter().enumerate().rev() {
        strides[rank - shape.len() + index] = if dim == 1 { 0 } else { step };
        step *= dim as isize;
    }
    strides
}

/// `first` before `others`: rows as one more dimension.
pub(super) fn with_outer<T: Copy>(first: T, others: &[T]) -> Vec<T> {
    std::iter::once(first).chain(others.iter().copied()).collect()
}
