//! Values found by keys.

mod find;
mod find_or_hash;
mod index;

use super::Kernel;

/// The kernel of each operation of tables.
pub(super) const KERNELS: &[(&str, Kernel)] =
    &[("lookup.find", find::find), ("lookup.find_or_hash", find_or_hash::find_or_hash)];
