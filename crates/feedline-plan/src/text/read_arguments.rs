//! The arguments of steps, from JSON.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use feedline_data::block::Tensor;
use feedline_data::rows::parts_of;
use feedline_data::{DType, Structure, TensorSpec};
use serde_json::Value;

use super::fields::{Fields, flag, list, needs, text, whole};
use super::read_exprs::Scope;
use super::specs::{read_shape, read_spec, read_structure};
use super::tensors::{read_string, read_tensor};
use crate::expr::Expr;
use crate::{CountedStep, ErrorPolicy, Plan, PlanError, Result, SeedPair, Symbolic};

/// What an argument can refer to: only what the plan is started with.
pub(super) fn arguments_of(outer: &[TensorSpec]) -> Scope<'_> {
    Scope { inputs: Vec::new(), outer, depth: 0 }
}

pub(super) fn read_range(fields: &mut Fields<'_>, outer: &[TensorSpec]) -> Result<Plan> {
    let scope = arguments_of(outer);
    let bounds = [fields.need("start")?, fields.need("stop")?, fields.need("step")?];
    if bounds.iter().all(|bound| bound.is_number()) {
        let [start, stop, step] = bounds.map(whole);
        return Plan::range(start?, stop?, step?);
    }
    let [start, stop, step] = bounds.map(|bound| scope.read_argument(bound));
    Plan::range_of(&start?, &stop?, &step?)
}

pub(super) fn read_counter(fields: &mut Fields<'_>) -> Result<Plan> {
    Ok(Plan::counter(fields.read("start", whole)?, fields.read("step", whole)?))
}

pub(super) fn read_random(fields: &mut Fields<'_>) -> Result<Plan> {
    Ok(Plan::random(read_seed_pair(fields)?, fields.read("rerandomize_each_iteration", flag)?))
}

/// By weights of its own, or by those of a dataset.
pub(super) fn read_random_choice(fields: &mut Fields<'_>, weights: Option<&Plan>) -> Result<Plan> {
    let (seeds, anew) = (read_seed_pair(fields)?, fields.read("rerandomize_each_iteration", flag)?);
    if let Some(weights) = weights {
        return weights.random_choice_by(seeds, anew, fields.read("num_datasets", whole)?);
    }
    let weights = fields.read("weights", |value| {
        let tensor = read_tensor(value)?;
        if tensor.dtype() == DType::Float64 { Ok(tensor) } else { Err(needs("weights of float64", value)) }
    })?;
    Plan::random_choice(weights.as_slice::<f64>().to_vec(), seeds, anew)
}

pub(super) fn read_expected(fields: &mut Fields<'_>) -> Result<Option<u64>> {
    fields.read("expected_cardinality", |value| match value.as_i64() {
        Some(-1) => Ok(None),
        _ => whole(value).map(Some),
    })
}

pub(super) fn read_padded_batch(fields: &mut Fields<'_>, input: &Plan, outer: &[TensorSpec]) -> Result<Plan> {
    let spec = input.spec();
    let all = |found: usize, value: &Value| {
        if found == spec.num_leaves() { Ok(()) } else { Err(needs("one for each tensor", value)) }
    };
    let shapes = fields.read("padded_shapes", |value| {
        let shapes = list(value)?.iter().map(|shape| read_shape(text(shape)?)).collect::<Result<Vec<_>>>()?;
        all(shapes.len(), value)?;
        Ok(spec.with_leaves(shapes))
    })?;
    let values = fields.read("padding_values", |value| {
        let values = list(value)?.iter().map(read_tensor).collect::<Result<Vec<_>>>()?;
        all(values.len(), value)?;
        Ok(spec.with_leaves(values.into_iter().map(Some)))
    })?;
    let (size, dropped) = (fields.read("batch_size", whole)?, fields.read("drop_remainder", flag)?);
    let padded = input.padded_batch(size, Some(&shapes), Some(&values), dropped)?;
    match fields.read_if("fill_to", |value| arguments_of(outer).read_argument(value))? {
        Some(size) => padded.filled_to(&size),
        None => Ok(padded),
    }
}

/// The elements of a dataset that is a value of the element around.
pub(super) fn read_rows(fields: &mut Fields<'_>, outer: &[TensorSpec]) -> Result<Plan> {
    let element = fields.read("element", read_spec)?;
    let mut parts = Vec::new();
    for part in fields.read("parts", list)? {
        let part = arguments_of(outer).read_argument(part).map_err(|error| error.in_step("parts"))?;
        parts.extend(part.to_structure()?.leaves().into_iter().cloned());
    }
    let expected = parts_of(&element);
    let fits = |(part, spec): (&Expr, &TensorSpec)| {
        part.spec().dtype == spec.dtype && part.spec().shape.is_compatible_with(&spec.shape)
    };
    if parts.len() != expected.len() || !parts.iter().zip(&expected).all(fits) {
        return Err(PlanError::format(format!("parts: not the tensors that hold elements of {element}")));
    }
    Plan::rows_of(&Symbolic::from(Structure::Dataset(Box::new(element), parts)))
}

/// The state a `scan` or `reduce` begins with.
pub(super) fn read_initial_state(fields: &mut Fields<'_>, outer: &[TensorSpec]) -> Result<Symbolic> {
    let scope = arguments_of(outer);
    let mut leaves = Vec::new();
    for leaf in fields.read("initial_state", list)? {
        let leaf = scope.read_argument(leaf).map_err(|error| error.in_step("initial_state"))?;
        leaves.extend(leaf.to_structure()?.leaves().into_iter().cloned());
    }
    let structure = fields.read_if("structure", |value| read_structure(value, &mut blank))?;
    let structure = structure.unwrap_or(Structure::Leaf(()));
    if structure.num_leaves() != leaves.len() {
        return Err(PlanError::format(format!(
            "{} tensors for the {} places of the structure",
            leaves.len(),
            structure.num_leaves()
        )));
    }
    Ok(Symbolic::from(structure.with_leaves(leaves)))
}

pub(super) fn read_tensors(fields: &mut Fields<'_>, outer: &[TensorSpec], is_sliced: bool) -> Result<Plan> {
    let scope = arguments_of(outer);
    let leaves = fields.read("tensors", list)?;
    let structure = fields.read_if("structure", |value| read_structure(value, &mut blank))?;
    let structure = structure.unwrap_or(Structure::Leaf(()));
    if structure.num_leaves() != leaves.len() {
        return Err(PlanError::format(format!(
            "{} tensors for the {} places of the structure",
            leaves.len(),
            structure.num_leaves()
        )));
    }
    let is_argument = |leaf: &Value| leaf.is_string() || leaf.get("constant").is_some();
    if leaves.iter().any(is_argument) {
        let mut exprs = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            exprs.extend(scope.read_argument(leaf)?.to_structure()?.leaves().into_iter().cloned());
        }
        return Plan::tensors_of(&Symbolic::from(structure.with_leaves(exprs)), is_sliced);
    }
    let tensors = leaves.iter().map(read_tensor).collect::<Result<Vec<Tensor>>>()?;
    let tensors = structure.with_leaves(tensors);
    if is_sliced { Plan::from_tensor_slices(&tensors) } else { Plan::from_tensors(&tensors) }
}

pub(super) fn read_count(
    fields: &mut Fields<'_>,
    input: &Plan,
    outer: &[TensorSpec],
    step: CountedStep,
    add: impl Fn(&Plan, Option<u64>) -> Plan,
) -> Result<Plan> {
    let count = fields.need("count")?;
    match count {
        Value::Number(_) if count.as_i64() == Some(-1) => Ok(add(input, None)),
        Value::Number(_) => Ok(add(input, Some(whole(count).map_err(|error| error.in_step("count"))?))),
        argument => input.counted_by(step, &arguments_of(outer).read_argument(argument)?),
    }
}

pub(super) fn read_seed_pair(fields: &mut Fields<'_>) -> Result<SeedPair> {
    let pair = |is_given| move |value: &Value| read_seeds(value, is_given);
    let given = fields.read_if("seeds", pair(true))?;
    let drawn = fields.read_if("drawn_seeds", pair(false))?;
    given.xor(drawn).ok_or_else(|| {
        PlanError::format("needs either seeds or drawn_seeds")
            .with_hint("`seeds` are those a user gave, `drawn_seeds` those drawn because there were none")
    })
}

fn read_seeds(value: &Value, is_given: bool) -> Result<SeedPair> {
    match list(value)? {
        [seed, seed2] => Ok(SeedPair { seed: whole(seed)?, seed2: whole(seed2)?, is_given }),
        _ => Err(needs("two numbers", value)),
    }
}

pub(super) fn read_path(value: &Value) -> Result<PathBuf> {
    Ok(PathBuf::from(OsString::from_vec(read_string(value)?)))
}

pub(super) fn read_policy(fields: &mut Fields<'_>, input: &Plan) -> Result<ErrorPolicy> {
    let replacement = fields.read_if("replacement", |value| {
        let tensors = list(value)?.iter().map(read_tensor).collect::<Result<Vec<Tensor>>>()?;
        if tensors.len() != input.spec().num_leaves() {
            return Err(needs("a tensor for each leaf of an element", value));
        }
        Ok(input.spec().with_leaves(tensors))
    })?;
    let limit = fields.read_if("limit", whole)?;
    let quarantine = fields.read_if("quarantine", read_path)?;
    let tells = fields.read_if("tells", flag)?.unwrap_or(false);
    Ok(ErrorPolicy { replacement, limit, quarantine, tells })
}

/// The place of a leaf.
pub(super) fn blank(leaf: &str) -> Result<()> {
    if leaf == "_" { Ok(()) } else { Err(needs("\"_\" for a place", &leaf.into())) }
}
