//! Kernels of tensors that are made, repeated, cut, padded and picked from.

mod entries;
mod made;
mod places;
mod rearrange;
mod shapes;
mod take;
mod unique;

use super::Kernel;
pub(super) use entries::Entries;
pub(super) use take::{Taken, take};

/// The kernel of each operation of arrays.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("zeros", made::zeros),
    ("ones", made::ones),
    ("eye", made::eye),
    ("zeros_like", made::zeros_like),
    ("ones_like", made::ones_like),
    ("fill", made::fill),
    ("range", made::range),
    ("linspace", made::linspace),
    ("tile", rearrange::tile),
    ("repeat", rearrange::repeat),
    ("reverse", rearrange::reverse),
    ("roll", rearrange::roll),
    ("pad", rearrange::pad),
    ("broadcast_to", rearrange::broadcast_to),
    ("reshape_to", shapes::reshape_to),
    ("ensure_shape", shapes::ensure_shape),
    ("slice", rearrange::slice),
    ("split", rearrange::split),
    ("unstack", rearrange::unstack),
    ("gather_nd", places::gather_nd),
    ("scatter_nd", places::scatter_nd),
    ("tensor_scatter_nd_update", places::tensor_scatter_nd_update),
    ("boolean_mask", places::boolean_mask),
    ("true_indices", places::true_indices),
    ("unique", unique::unique),
    ("unique_with_counts", unique::unique_with_counts),
];
