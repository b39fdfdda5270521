//! Random values keyed by the element's id.

mod draws;
mod normal;
mod random_categorical;
mod random_integers;
mod random_shuffle;

use super::Kernel;

/// The kernel of each random operation but `random_uniform`.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("random_normal", |arguments| normal::normals(arguments, f64::INFINITY)),
    // TensorFlow's limit.
    ("random_truncated_normal", |arguments| normal::normals(arguments, 2.0)),
    ("random_integers", random_integers::random_integers),
    ("random_shuffle", random_shuffle::random_shuffle),
    ("random_categorical", random_categorical::random_categorical),
];
