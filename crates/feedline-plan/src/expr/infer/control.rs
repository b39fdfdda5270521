//! Choices and loops: what their functions give.

use feedline_data::{DType, Shape, TensorSpec};

use super::wants;
use crate::expr::{Body, Call, Expr};
use crate::{PlanError, Result};

/// One of two.
pub(in crate::expr) fn cond(call: &Call) -> Result<Vec<TensorSpec>> {
    let pred = call.inputs[0].spec();
    wants(pred.dtype == DType::Bool, pred.dtype, "a condition of bool")?;
    if call.bodies().len() != 2 {
        return Err(PlanError::argument(format!("takes two functions, not {}", call.bodies().len())));
    }
    chosen(call)
}

/// One of several.
pub(in crate::expr) fn switch_case(call: &Call) -> Result<Vec<TensorSpec>> {
    let index = call.inputs[0].spec();
    wants(matches!(index.dtype, DType::Int32 | DType::Int64), index.dtype, "an index of int32 or int64")?;
    chosen(call)
}

fn chosen(call: &Call) -> Result<Vec<TensorSpec>> {
    let by = call.inputs[0].spec();
    if by.shape.rank().is_some_and(|rank| rank > 0) {
        return Err(PlanError::spec(format!("what is chosen by is a scalar, not {by}"))
            .with_hint("where chooses value by value; reduce_any and reduce_all make one bool of many"));
    }
    let mut bodies = call.bodies().iter();
    let first = bodies.next().ok_or_else(|| PlanError::argument("there is no function"))?;
    fits(first, &call.inputs[1..])?;
    let mut specs = first.specs();
    for body in bodies {
        fits(body, &call.inputs[1..])?;
        specs = together(&specs, &body.specs())?;
    }
    Ok(specs)
}

/// Values made of themselves.
pub(in crate::expr) fn while_loop(call: &Call) -> Result<Vec<TensorSpec>> {
    let num_vars = count(call, "num_vars")?;
    if call.int("maximum_iterations") < 0 {
        return Err(PlanError::argument("maximum_iterations is below 0"));
    }
    let [condition, body] = call.bodies() else {
        return Err(PlanError::argument(format!("takes two functions, not {}", call.bodies().len())));
    };
    fits(condition, &call.inputs)?;
    let holds = condition.specs();
    if holds.len() != 1
        || !holds[0].shape.is_compatible_with(&Shape::scalar())
        || holds[0].dtype != DType::Bool
    {
        return Err(PlanError::spec("the condition gives one bool"));
    }
    fits(body, &call.inputs)?;
    recurring(body, num_vars)
}

/// A function of each entry.
pub(in crate::expr) fn map_fn(call: &Call) -> Result<Vec<TensorSpec>> {
    let (body, num_entries) = over_entries(call, 0)?;
    Ok(body.specs().iter().map(|spec| stacked(spec, num_entries)).collect())
}

/// States, the last.
pub(in crate::expr) fn foldl(call: &Call) -> Result<Vec<TensorSpec>> {
    let num_states = count(call, "num_states")?;
    let (body, _) = over_entries(call, num_states)?;
    recurring(body, num_states)
}

/// States, all of them.
pub(in crate::expr) fn scan(call: &Call) -> Result<Vec<TensorSpec>> {
    let num_states = count(call, "num_states")?;
    let (body, num_entries) = over_entries(call, num_states)?;
    Ok(recurring(body, num_states)?.iter().map(|spec| stacked(spec, num_entries)).collect())
}

fn stacked(spec: &TensorSpec, num_entries: Option<usize>) -> TensorSpec {
    TensorSpec::new(spec.dtype, spec.shape.with_outer(num_entries))
}

/// The only function of a call that gets `num_states` values and the entries of others; and how many entries there are.
fn over_entries(call: &Call, num_states: usize) -> Result<(&Body, Option<usize>)> {
    let num_elems = count(call, "num_elems")?;
    let [body] = call.bodies() else {
        return Err(PlanError::argument(format!("takes one function, not {}", call.bodies().len())));
    };
    let elems = call.inputs.get(num_states..num_states + num_elems).filter(|elems| !elems.is_empty());
    let elems = elems.ok_or_else(|| PlanError::argument("num_elems are more than there are values"))?;
    let mut entries = Vec::new();
    let mut dims: Vec<usize> = Vec::new();
    for elem in elems {
        let spec = elem.spec();
        let shape = spec.shape.without_outer();
        let shape = shape.ok_or_else(|| PlanError::spec(format!("{spec} has no first dimension")))?;
        dims.extend(spec.shape.dims().and_then(|dims| dims[0]));
        entries.push(TensorSpec::new(spec.dtype, shape));
    }
    if dims.iter().any(|dim| *dim != dims[0]) {
        return Err(PlanError::spec(format!("elems have different numbers of entries: {dims:?}")));
    }
    let specs = |exprs: &[Expr]| exprs.iter().map(|expr| expr.spec().clone()).collect::<Vec<_>>();
    let (states, rest) = (specs(&call.inputs[..num_states]), specs(&call.inputs[num_states + num_elems..]));
    admits(body, &[states, entries, rest].concat())?;
    Ok((body, dims.first().copied()))
}

/// Values of which the function makes such values again.
fn recurring(body: &Body, num_values: usize) -> Result<Vec<TensorSpec>> {
    let (gets, gives) = (&body.inputs()[..num_values], body.specs());
    let is_same = gives.len() == num_values
        && gets
            .iter()
            .zip(&gives)
            .all(|(get, give)| get.dtype == give.dtype && get.shape.union(&give.shape) == get.shape);
    if !is_same {
        return Err(PlanError::spec("the function does not give what it gets"));
    }
    Ok(gets.to_vec())
}

fn count(call: &Call, name: &str) -> Result<usize> {
    let count = usize::try_from(call.int(name)).ok().filter(|&count| count > 0 && count <= call.inputs.len());
    count.ok_or_else(|| {
        PlanError::argument(format!("{name} is {}, not 1 to {}", call.int(name), call.inputs.len()))
    })
}

fn fits(body: &Body, inputs: &[Expr]) -> Result<()> {
    admits(body, &inputs.iter().map(|input| input.spec().clone()).collect::<Vec<_>>())
}

fn admits(body: &Body, specs: &[TensorSpec]) -> Result<()> {
    let own = body.inputs();
    let fits = own.len() == specs.len()
        && own
            .iter()
            .zip(specs)
            .all(|(own, given)| own.dtype == given.dtype && own.shape.union(&given.shape) == own.shape);
    if fits { Ok(()) } else { Err(PlanError::spec("a function gets other values than it was made for")) }
}

fn together(one: &[TensorSpec], two: &[TensorSpec]) -> Result<Vec<TensorSpec>> {
    let fits = one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.dtype == two.dtype);
    if !fits {
        return Err(PlanError::spec("the functions give values of different types"));
    }
    let union =
        |(one, two): (&TensorSpec, &TensorSpec)| TensorSpec::new(one.dtype, one.shape.union(&two.shape));
    Ok(one.iter().zip(two).map(union).collect())
}
