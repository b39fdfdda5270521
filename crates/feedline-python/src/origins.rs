//! Which function a symbolic value belongs to: for what is said when it is used in another one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use feedline::Symbolic;
use feedline::plan::expr::{ExprKind, ExprNode};
use feedline::plan::{Escaped, Expr, Plan};
use pyo3::prelude::*;

use crate::errors::exception;

/// Functions that were traced, the newest last.
static FUNCTIONS: Mutex<VecDeque<Origin>> = Mutex::new(VecDeque::new());

/// So many are remembered: a value is used in a wrong place soon after it was got, or never. What is forgotten is told without its name.
const MAX_FUNCTIONS: usize = 1024;

struct Origin {
    /// The inputs it got. Their memory is kept, so that no other node has their address.
    inputs: Vec<Weak<ExprNode>>,
    label: String,
}

/// Remembers that `function` gets this element.
pub(crate) fn remember(function: &Bound<'_, PyAny>, element: &Symbolic) {
    let (Some(label), Ok(element)) = (label_of(function), element.to_structure()) else { return };
    let inputs = element.leaves().into_iter().map(|leaf| Arc::downgrade(leaf.node())).collect();
    let mut functions = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if functions.len() == MAX_FUNCTIONS {
        functions.pop_front();
    }
    functions.push_back(Origin { inputs, label });
}

/// What `_tracing.py` calls a function: its step, name and line.
pub(crate) fn label_of(function: &Bound<'_, PyAny>) -> Option<String> {
    function.getattr("feedline_label").ok()?.extract().ok()
}

/// Refuses expressions of `function` over other inputs than its own.
pub(crate) fn check_own(function: &Bound<'_, PyAny>, exprs: &[Expr], own: &[Expr]) -> PyResult<()> {
    let is_own = |node: &ExprNode| own.iter().any(|expr| std::ptr::eq(Arc::as_ptr(expr.node()), node));
    match exprs.iter().find_map(|expr| first_input(expr, &|node| !is_own(node))) {
        None => Ok(()),
        Some(foreign) => {
            Err(refused(&label_of(function).unwrap_or_else(|| "a function".to_owned()), foreign))
        }
    }
}

/// Refuses a dataset that is no part of a function and uses what only a function has.
pub(crate) fn check_closed(plan: &Plan) -> PyResult<()> {
    match plan.escaped() {
        None => Ok(()),
        Some(Escaped { step, value }) => match first_input(&value, &|_| true) {
            Some(input) => Err(refused(step, input)),
            None => Err(exception(
                "SchemaError",
                format!(
                    "{step}: an argument is computed by operations of fl, which run inside of functions alone\nhint: compute it with numpy"
                ),
            )),
        },
    }
}

/// An input in it that is wanted, by its address.
fn first_input(expr: &Expr, is_wanted: &impl Fn(&ExprNode) -> bool) -> Option<*const ExprNode> {
    let mut found = None;
    expr.any(&mut |node| {
        if matches!(node.kind, ExprKind::Input { .. }) && is_wanted(node) {
            found = Some(std::ptr::from_ref(node));
        }
        found.is_some()
    });
    found
}

fn refused(user: &str, input: *const ExprNode) -> PyErr {
    let is_its = |origin: &&Origin| origin.inputs.iter().any(|own| std::ptr::eq(own.as_ptr(), input));
    let owner = {
        let functions = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
        functions.iter().rev().find(is_its).map(|origin| origin.label.clone())
    };
    // Behind the lock: who waits for it holds the interpreter, which the exception is made with.
    let owner = owner.as_deref().unwrap_or("another function");
    exception(
        "SchemaError",
        format!(
            "{user}: uses a value of the element that {owner} got, which only that function has\n\
             hint: have that function return the value, so that it is part of the element; or build the dataset that uses it \
             inside of that function, and have flat_map or interleave call it"
        ),
    )
}
