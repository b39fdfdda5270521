//! Code in plans that cannot be looked into: a plan knows its name and the spec of what it gives, and runs nothing.

use std::fmt;
use std::sync::Arc;

use feedline_data::block::Tensor;
use feedline_data::{ElementSpec, Structure};

/// Rust code as a step of a plan: known by name.
#[derive(Clone)]
pub struct NativeFunction {
    /// How errors, `explain` and checkpoints call it.
    pub name: String,
    /// The spec of what it returns.
    pub output: ElementSpec,
    /// The code; an error is one of its element.
    pub call: Arc<NativeCall>,
    /// The language whose runtime runs it, if it is not Rust's. It may then wait for a lock of that runtime at any time, and
    /// so never runs on the threads that compute.
    pub runtime: Option<&'static str>,
}

/// Rust code as a source of a plan: known by name.
#[derive(Clone)]
pub struct NativeSource {
    /// How errors, `explain` and checkpoints call it.
    pub name: String,
    /// The spec of its elements.
    pub spec: ElementSpec,
    /// Makes an iterator over all elements, from the first; the same ones each time.
    pub iterate: Arc<NativeIterate>,
}

/// The code of a [`NativeSource`].
pub type NativeIterate = dyn Fn() -> NativeElements + Send + Sync;

/// The elements of a [`NativeSource`]; an error takes the place of an element.
pub type NativeElements = Box<
    dyn Iterator<Item = std::result::Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>>
        + Send,
>;

impl fmt::Debug for NativeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NativeSource({})", self.name)
    }
}

/// The code of a [`NativeFunction`].
pub type NativeCall = dyn Fn(Structure<Tensor>) -> std::result::Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>
    + Send
    + Sync;

impl fmt::Debug for NativeFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NativeFunction({})", self.name)
    }
}
