//! From expressions to steps: each once, in the order of computation.

use std::collections::HashMap;
use std::sync::Arc;

use feedline_data::block::Tensor;
use feedline_plan::expr::{Expr, ExprKind, ExprNode};

use super::super::{Value, kernel_of};
use super::Columnar;
use super::steps::{Place, Step, StepKind};
use crate::error::ExecError;

/// The steps of a program being made.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) steps: Vec<Step>,
    pub(super) constants: Vec<Value>,
    pub(super) outer: Vec<(usize, usize)>,
    /// The step of each node, so that one used twice runs once.
    pub(super) done: HashMap<*const ExprNode, usize>,
    /// The place of each value that stands behind others.
    behind: HashMap<*const ExprNode, Place>,
}

impl Builder {
    fn constant(&mut self, tensor: Tensor) -> Place {
        self.constants.push(Value::Constant(tensor));
        Place::Constant(self.constants.len() - 1)
    }

    /// Where `expr` is found, adding the steps it needs.
    pub(super) fn place_of(&mut self, expr: &Expr) -> Result<Place, ExecError> {
        match &expr.node().kind {
            ExprKind::Input { leaf } => Ok(Place::Input(*leaf)),
            ExprKind::Constant(tensor) => Ok(self.constant(tensor.clone())),
            ExprKind::Outer { index } => {
                self.outer.push((self.constants.len(), *index));
                // Nothing computes with it before `bind` has put the value there.
                Ok(self.constant(Tensor::scalar(0_i64)))
            }
            ExprKind::Captured { .. } => Err(ExecError::internal("a captured value in a plan that runs")),
            ExprKind::Call(call) => {
                let key = Arc::as_ptr(expr.node());
                if let Some(&step) = self.done.get(&key) {
                    return Ok(Place::Step { step, output: expr.output() });
                }
                let inputs = self.places_of(&call.inputs)?;
                let name = call.operation.name;
                let Some(kernel) = kernel_of(name) else {
                    return Err(ExecError::internal(format!("the operation {name} has no kernel")));
                };
                let bodies = call.bodies().iter().map(|body| Columnar::of_results(body.results()));
                let bodies = bodies.collect::<Result<_, _>>()?;
                let step = Step::new(Arc::clone(expr.node()), StepKind::Kernel(kernel), inputs);
                self.steps.push(Step { bodies, ..step });
                let step = self.steps.len() - 1;
                self.done.insert(key, step);
                Ok(Place::Step { step, output: expr.output() })
            }
            // Kernels run in the order they are placed in, so the first of a row's errors is that of the first here.
            ExprKind::After { inputs } => {
                let key = Arc::as_ptr(expr.node());
                if let Some(&place) = self.behind.get(&key) {
                    return Ok(place);
                }
                let mut places = self.places_of(inputs)?;
                let value = places.pop().expect("the value is the last");
                let asked_for = if places.is_empty() { vec![value] } else { places };
                for place in asked_for {
                    if let Place::Step { step, .. } = place {
                        self.steps[step].is_result = true;
                    }
                }
                self.behind.insert(key, value);
                Ok(value)
            }
        }
    }

    fn places_of(&mut self, exprs: &[Expr]) -> Result<Vec<Place>, ExecError> {
        exprs.iter().map(|expr| self.place_of(expr)).collect()
    }
}
