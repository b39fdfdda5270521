//! Native functions by name: what a plan that was read back calls.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use feedline_data::block::Tensor;
use feedline_data::{ElementSpec, Structure};

use crate::NativeFunction;

/// Rust functions by name. A plan's text has no code in it, only names; whoever reads it says what they mean.
///
/// ```
/// use feedline_data::{DType, ElementSpec, TensorSpec};
/// use feedline_plan::Functions;
///
/// let scalar = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
/// let functions = Functions::new().with("same", scalar, |element| Ok(element));
/// assert_eq!(functions.names().collect::<Vec<_>>(), ["same"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Functions(BTreeMap<String, NativeFunction>);

impl Functions {
    /// None.
    pub fn new() -> Functions {
        Functions::default()
    }

    /// With `function` called `name`, which returns elements of the spec `output`; instead of another of that name.
    #[must_use]
    pub fn with<F>(self, name: &str, output: ElementSpec, function: F) -> Functions
    where
        F: Fn(Structure<Tensor>) -> std::result::Result<Structure<Tensor>, Box<dyn Error + Send + Sync>>
            + Send
            + Sync
            + 'static,
    {
        self.with_function(NativeFunction {
            name: name.to_owned(),
            output,
            call: Arc::new(function),
            runtime: None,
        })
    }

    /// With `function`; instead of another of its name.
    #[must_use]
    pub fn with_function(mut self, function: NativeFunction) -> Functions {
        self.0.insert(function.name.clone(), function);
        self
    }

    /// Their names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn get(&self, name: &str) -> Option<&NativeFunction> {
        self.0.get(name)
    }
}
