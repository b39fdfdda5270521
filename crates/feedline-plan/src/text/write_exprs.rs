//! Functions as JSON: a list of calls in the order they are computed, each with a name, and what the function gives.
//!
//! ```text
//! {"let": [["v0", "multiply", "x0", 2], ["v1", "add", "v0", "v0"]], "give": "v1"}
//! ```
//!
//! `x0` is the first tensor of the element, `outer0` the first value a nested plan is started with. What is used twice has
//! one entry. Choices and loops carry functions (`"functions": [{"gets": ["int64[]"], "let": …, "give": ["v0"]}]`), in which `x0` is the
//! first tensor they get. A bare number is a constant of the type of the call's first argument that has a name; all other constants
//! say their type.

use std::collections::HashMap;
use std::sync::Arc;

use feedline_data::{DType, Structure};
use serde_json::{Map, Value};

use super::attributes::write_attribute;
use super::specs::write_structure;
use super::tensors::{write_tensor, write_values};
use crate::expr::{Attribute, Body, Call, Expr, ExprKind, ExprNode};
use crate::{PlanError, Result};

/// The fields of a function that gives `result`, under the name `give`.
pub(super) fn write_function(result: &Structure<Expr>, give: &str) -> Result<Map<String, Value>> {
    let mut writer = ExprWriter::default();
    let names = result.leaves().into_iter().map(|expr| writer.name(expr)).collect::<Result<Vec<_>>>()?;
    let mut object = Map::new();
    if !writer.entries.is_empty() {
        object.insert("let".into(), writer.entries.into());
    }
    object.insert(give.into(), write_structure(&result.with_leaves(names), &mut String::clone));
    Ok(object)
}

/// An argument of a step that comes with the element around: `"outer0"`, or `{"constant": …}`.
pub(super) fn write_argument(expr: &Expr) -> Result<Value> {
    match &expr.node().kind {
        ExprKind::Outer { index } => Ok(format!("outer{index}").into()),
        ExprKind::Constant(tensor) => {
            Ok(Value::Object(Map::from_iter([("constant".to_owned(), write_tensor(tensor))])))
        }
        _ => Err(not_closed()),
    }
}

#[derive(Default)]
struct ExprWriter {
    entries: Vec<Value>,
    names: HashMap<*const ExprNode, String>,
}

impl ExprWriter {
    /// What `expr` is called; it and what it depends on have their entries then.
    fn name(&mut self, expr: &Expr) -> Result<String> {
        match &expr.node().kind {
            ExprKind::Input { leaf } => return Ok(format!("x{leaf}")),
            ExprKind::Outer { index } => return Ok(format!("outer{index}")),
            ExprKind::Captured { .. } => return Err(not_closed()),
            ExprKind::Constant(_) | ExprKind::Call(_) | ExprKind::After { .. } => {}
        }
        let key = Arc::as_ptr(expr.node());
        if !self.names.contains_key(&key) {
            let entry = match &expr.node().kind {
                ExprKind::Constant(tensor) => vec![write_tensor(tensor)],
                ExprKind::Call(call) => self.call(call)?,
                ExprKind::After { inputs } => {
                    let mut entry = vec![Value::from("after")];
                    for input in inputs {
                        entry.push(self.name(input)?.into());
                    }
                    entry
                }
                _ => unreachable!("returned above"),
            };
            let name = format!("v{}", self.entries.len());
            self.entries.push(std::iter::once(Value::from(name.as_str())).chain(entry).collect());
            self.names.insert(key, name);
        }
        let name = &self.names[&key];
        Ok(if expr.node().outputs.len() > 1 { format!("{name}.{}", expr.output()) } else { name.clone() })
    }

    fn call(&mut self, call: &Call) -> Result<Vec<Value>> {
        let mut entry = vec![Value::from(call.operation.name)];
        let named = call.inputs.iter().find(|input| scalar(input).is_none());
        let dtype = named.map(|input| input.spec().dtype);
        for input in &call.inputs {
            entry.push(match scalar(input) {
                Some(constant) => write_scalar(constant, dtype),
                None => self.name(input)?.into(),
            });
        }
        let is_optimized = |attribute: &Attribute| matches!(attribute, Attribute::Features(features) if features.is_optimized());
        if call.attributes.iter().any(is_optimized) {
            return Err(PlanError::argument("a function that the optimizer made has no text")
                .with_hint("write the plan as it was before it was optimized"));
        }
        if takes_object(call.operation) {
            let names = call.operation.attributes().map(|argument| argument.name.to_owned());
            let values = call.attributes.iter().map(|attribute| match attribute {
                Attribute::Functions(bodies) => bodies.iter().map(write_body).collect(),
                other => Ok(write_attribute(other)),
            });
            let values = values.collect::<Result<Vec<Value>>>()?;
            let mut object: Map<String, Value> = names.zip(values).collect();
            if call.place != 0 {
                object.insert("place".into(), call.place.into());
            }
            entry.push(object.into());
        }
        Ok(entry)
    }
}

/// A function inside a function: the types and shapes of what it gets, its calls, and what it gives.
fn write_body(body: &Body) -> Result<Value> {
    let results = body.results().iter().cloned().map(Structure::Leaf).collect();
    let mut object = Map::new();
    object.insert("gets".into(), body.inputs().iter().map(ToString::to_string).collect());
    object.extend(write_function(&Structure::Tuple(results), "give")?);
    Ok(object.into())
}

/// Whether the last argument of a call is an object of those that are no tensors.
pub(super) fn takes_object(operation: &crate::expr::Operation) -> bool {
    operation.is_random || operation.attributes().next().is_some()
}

/// The constant, if it is a single value: that is written where it is used.
fn scalar(expr: &Expr) -> Option<&feedline_data::block::Tensor> {
    match &expr.node().kind {
        ExprKind::Constant(tensor) if tensor.shape().is_empty() => Some(tensor),
        _ => None,
    }
}

fn write_scalar(tensor: &feedline_data::block::Tensor, dtype: Option<DType>) -> Value {
    let bare = write_values(tensor).remove(0);
    if dtype == Some(tensor.dtype()) && (bare.is_number() || bare.is_boolean()) {
        bare
    } else {
        write_tensor(tensor)
    }
}

fn not_closed() -> PlanError {
    PlanError::spec("uses a value of an element outside of the function that got the element")
        .with_hint("build the dataset inside the function of flat_map or interleave")
}
