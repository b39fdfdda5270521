//! Kernels of ragged and sparse tensors.

mod from_dense;
mod from_nested_row_splits;
mod from_row_lengths;
mod range;
mod splits;
mod to_dense;
mod to_sparse;
mod to_tensor;

use super::Kernel;

/// The kernel of each operation of ragged tensors.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("ragged.from_nested_row_splits", from_nested_row_splits::from_nested_row_splits),
    ("ragged.from_row_lengths", from_row_lengths::from_row_lengths),
    ("ragged.range", range::range),
    ("ragged.to_tensor", to_tensor::to_tensor),
    ("ragged.to_sparse", to_sparse::to_sparse),
];

/// The kernel of each operation of sparse tensors.
pub(super) const SPARSE_KERNELS: &[(&str, Kernel)] =
    &[("sparse.to_dense", to_dense::to_dense), ("sparse.from_dense", from_dense::from_dense)];
