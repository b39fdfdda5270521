//! Kernels of tensors that are made, repeated, cut, padded and picked from.

mod boolean_mask;
mod broadcast_to;
mod ensure_shape;
mod entries;
mod eye;
mod fill;
mod gather_nd;
mod linspace;
mod marked;
mod pad;
mod places;
mod range;
mod rearrange;
mod repeat;
mod reshape_to;
mod reverse;
mod roll;
mod scatter_nd;
mod slice;
mod split;
mod take;
mod tensor_scatter_nd_update;
mod tile;
mod true_indices;
mod unique;
mod unstack;
mod zeros_and_ones;

use super::Kernel;
pub(super) use entries::Entries;
pub(super) use take::{Taken, take};

/// The kernel of each operation of arrays.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("zeros", zeros_and_ones::zeros),
    ("ones", zeros_and_ones::ones),
    ("eye", eye::eye),
    ("zeros_like", zeros_and_ones::zeros_like),
    ("ones_like", zeros_and_ones::ones_like),
    ("fill", fill::fill),
    ("range", range::range),
    ("linspace", linspace::linspace),
    ("tile", tile::tile),
    ("repeat", repeat::repeat),
    ("reverse", reverse::reverse),
    ("roll", roll::roll),
    ("pad", pad::pad),
    ("broadcast_to", broadcast_to::broadcast_to),
    ("reshape_to", reshape_to::reshape_to),
    ("ensure_shape", ensure_shape::ensure_shape),
    ("slice", slice::slice),
    ("split", split::split),
    ("unstack", unstack::unstack),
    ("gather_nd", gather_nd::gather_nd),
    ("scatter_nd", scatter_nd::scatter_nd),
    ("tensor_scatter_nd_update", tensor_scatter_nd_update::tensor_scatter_nd_update),
    ("boolean_mask", boolean_mask::boolean_mask),
    ("true_indices", true_indices::true_indices),
    ("unique", unique::unique),
    ("unique_with_counts", unique::unique_with_counts),
];
