//! Steps of nested plans that take their arguments from the element around: see [`crate::expr::capture`].

use feedline_data::{DType, ElementSpec, Shape, TensorSpec};

use crate::{Cardinality, CountedStep, Expr, FileFormat, NodeKind, Plan, PlanError, Result, Symbolic, ops};

impl Plan {
    /// The numbers from `start` to before `stop` by `step`, as int64.
    pub fn range_of(start: &Symbolic, stop: &Symbolic, step: &Symbolic) -> Result<Plan> {
        let number = |value: &Symbolic, name: &str| integer(value, &format!("range: {name}"));
        let bounds = [number(start, "start")?, number(stop, "stop")?, number(step, "step")?];
        let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
        Ok(Plan::source(NodeKind::RangeOf { bounds }, spec, Cardinality::Unknown))
    }

    /// `tensors` as the one element there is, or their slices along the first dimension.
    pub fn tensors_of(tensors: &Symbolic, is_sliced: bool) -> Result<Plan> {
        let word = if is_sliced { "from_tensor_slices" } else { "from_tensors" };
        let exprs = tensors.to_structure().map_err(|error| error.in_step(word))?;
        if is_sliced && exprs.has_composite() {
            let whole = Plan::tensors_of(tensors, false)?;
            return whole.unbatch().map_err(|error| error.in_step(word));
        }
        let leaves: Vec<Expr> = exprs.leaves().into_iter().cloned().collect();
        if leaves.is_empty() {
            return Err(PlanError::argument(format!("{word}: no tensors")));
        }
        let mut specs = Vec::with_capacity(leaves.len());
        for (leaf, name) in leaves.iter().zip(exprs.leaf_names()) {
            let spec = leaf.spec();
            specs.push(match spec.shape.without_outer() {
                _ if !is_sliced => spec.clone(),
                Some(rest) => TensorSpec::new(spec.dtype, rest),
                None => {
                    return Err(PlanError::spec(format!(
                        "{word}: the tensor{name} is a scalar, which has no slices"
                    ))
                    .with_hint("from_tensors makes one element of it"));
                }
            });
        }
        let cardinality = if is_sliced { Cardinality::Unknown } else { Cardinality::Known(1) };
        let kind = NodeKind::TensorsOf { tensors: leaves, is_sliced };
        Ok(Plan::source(kind, exprs.with_leaves(specs), cardinality))
    }

    /// The rows of the files at `paths`: one path, or a list of them.
    pub fn files_of(paths: &Symbolic, format: FileFormat) -> Result<Plan> {
        format.check()?;
        let paths = paths.to_tensor_of(DType::String, "a file's path")?;
        let rank = paths.spec().shape.rank();
        if paths.spec().dtype != DType::String || rank.is_some_and(|rank| rank > 1) {
            return Err(PlanError::spec(format!(
                "a file's path must be a string, or a list of strings, not {}",
                paths.spec()
            )));
        }
        let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::String));
        let kind = NodeKind::FilesOf { paths, format, is_stream: false };
        Ok(Plan::source(kind, spec, Cardinality::Unknown))
    }

    /// `repeat`, `take` or `skip` by `count`; negative: without end, all.
    pub fn counted_by(&self, step: CountedStep, count: &Symbolic) -> Result<Plan> {
        let what = match step {
            CountedStep::Repeat => "repeat: count",
            CountedStep::Take => "take: count",
            CountedStep::Skip => "skip: count",
        };
        let kind = NodeKind::CountedBy { step, count: integer(count, what)? };
        Ok(self.same_elements(kind, Cardinality::Unknown))
    }
}

/// An int64 scalar.
pub(super) fn integer(value: &Symbolic, what: &str) -> Result<Expr> {
    let expr = value.to_tensor_of(DType::Int64, what)?;
    let spec = expr.spec();
    if !spec.dtype.is_integer() || !spec.shape.is_compatible_with(&Shape::scalar()) {
        return Err(PlanError::spec(format!("{what} must be one integer, not {spec}")));
    }
    match spec.dtype {
        DType::Int64 => Ok(expr),
        _ => ops::cast(value, DType::Int64).to_tensor_of(DType::Int64, what),
    }
}
