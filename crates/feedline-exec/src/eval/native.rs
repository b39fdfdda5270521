//! Rust code as a function of elements: called for each, its results checked and put side by side.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use feedline_data::block::{Block, Column, RowError, Tensor};
use feedline_data::{ElementSpec, Structure};
use feedline_plan::NativeFunction;

use super::{Allowance, Part};
use crate::error::{ExecError, ExecErrorKind, panic_message};
use crate::metrics::is_back_wanted;

/// A native function with the spec of what it gets.
#[derive(Debug)]
pub(crate) struct NativeProgram {
    function: NativeFunction,
    input: ElementSpec,
    /// What its tensors are called.
    names: Arc<[String]>,
    /// The number of its step in the plan as written.
    step: u32,
}

impl NativeProgram {
    pub(super) fn new(function: NativeFunction, input: ElementSpec, step: u32) -> NativeProgram {
        let names = input.leaf_paths().into();
        NativeProgram { function, input, names, step }
    }

    pub(super) fn is_foreign(&self) -> bool {
        self.function.runtime.is_some()
    }

    /// What the function makes of each element; an error or panic of it is an error of its element. Where there is no memory for more
    /// results, the rows behind are left; what was computed stays, as code of the user's is called once for an element.
    pub(super) fn run_within(&self, block: &Block, allowance: &mut Allowance) -> Part {
        let mut failed: Vec<(usize, RowError)> = Vec::new();
        let mut rows: Vec<Vec<Column>> = vec![Vec::new(); self.function.output.num_leaves()];
        let (mut num_kept, mut num_bytes, mut end) = (0, 0, block.rows());
        for element in 0..block.num_elements() {
            // On the caller's own thread, somebody may want to stop it: code of the user's may take long, and what was computed stays.
            if !allowance.is_open(element) || element > 0 && is_back_wanted() {
                end = block.row_of_element(element);
                break;
            }
            let leaves: Vec<Tensor> =
                block.columns().iter().map(|column| Tensor::of_row(column, element)).collect();
            let result = self.call(self.input.with_leaves(leaves.clone())).and_then(|result| {
                let bytes = result.iter().map(|tensor| tensor.as_column().byte_size()).sum();
                allowance.too_large(&self.function.name, bytes).map_or(Ok(result), Err)
            });
            match result {
                Ok(result) => {
                    num_kept += 1;
                    for (column, tensor) in rows.iter_mut().zip(result) {
                        num_bytes += tensor.as_column().byte_size();
                        column.push(tensor.as_column().clone());
                    }
                }
                Err(error) => {
                    let error = error.with_element(leaves, &self.names).of_step(self.step);
                    failed.push((element, error.into_row_error()));
                }
            }
            allowance.hold(num_bytes);
        }
        let rest = (end < block.rows()).then(|| block.slice(end..block.rows()));
        if end == 0 {
            return Part { done: None, rest };
        }
        // First the failed rows leave, then the others get what was computed for them.
        let block = block.slice(0..end).fail(&failed);
        let columns =
            if num_kept == 0 { Vec::new() } else { rows.iter().map(|rows| Column::concat(rows)).collect() };
        Part { done: Some(block.with_columns(columns)), rest }
    }

    fn call(&self, element: Structure<Tensor>) -> Result<Vec<Tensor>, ExecError> {
        let name = &self.function.name;
        // How the error shows itself is code of the user's, too.
        let call = || {
            (self.function.call)(element).map_err(|error| {
                ExecError::new(ExecErrorKind::UserCode, format!("{name}: {error}"))
                    .with_source(Arc::from(error))
            })
        };
        let result = catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
            let message = format!("{name} panicked: {}", panic_message(&*panic));
            ExecError::new(ExecErrorKind::UserCode, message)
        })??;
        checked_element(name, &result, &self.function.output)
    }
}

/// The tensors of an element that code of the user's called `name` gave, if they are what its spec says.
pub(crate) fn checked_element(
    name: &str,
    element: &Structure<Tensor>,
    spec: &ElementSpec,
) -> Result<Vec<Tensor>, ExecError> {
    let user_code = |message: String| ExecError::new(ExecErrorKind::UserCode, message);
    if let Some(difference) = element.first_difference(spec) {
        return Err(user_code(format!("{name} returned something else than its spec says: {difference}")));
    }
    let tensors: Vec<Tensor> = element.leaves().into_iter().cloned().collect();
    for ((tensor, spec), leaf) in tensors.iter().zip(spec.leaves()).zip(spec.leaf_names()) {
        if tensor.dtype() != spec.dtype || !spec.shape.admits(tensor.shape()) {
            let found = format!("{}{:?}", tensor.dtype(), tensor.shape());
            return Err(user_code(format!("{name}{leaf} is {found}, its spec says {spec}")));
        }
    }
    Ok(tensors)
}
