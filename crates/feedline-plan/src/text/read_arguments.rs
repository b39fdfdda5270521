//! The arguments of steps, from JSON.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use feedline_data::block::Tensor;
use feedline_data::{Structure, TensorSpec};
use serde_json::Value;

use super::fields::{Fields, list, needs, whole};
use super::read_exprs::Scope;
use super::specs::read_structure;
use super::tensors::{read_string, read_tensor};
use crate::{CountedStep, ErrorPolicy, FileFormat, Plan, PlanError, Result, SeedPair, Symbolic};

/// What an argument can refer to: only what the plan is started with.
fn arguments_of(outer: &[TensorSpec]) -> Scope<'_> {
    Scope { inputs: Vec::new(), outer }
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

pub(super) fn read_files(fields: &mut Fields<'_>, outer: &[TensorSpec], format: FileFormat) -> Result<Plan> {
    fields.read("paths", |paths| match paths {
        Value::Array(paths) => Plan::files(paths.iter().map(read_path).collect::<Result<_>>()?, format),
        argument => Plan::files_of(&arguments_of(outer).read_argument(argument)?, format),
    })
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
    Ok(ErrorPolicy { replacement, limit, quarantine })
}

/// The place of a leaf.
pub(super) fn blank(leaf: &str) -> Result<()> {
    if leaf == "_" { Ok(()) } else { Err(needs("\"_\" for a place", &leaf.into())) }
}
