//! Choices and loops inside functions: `cond`, `switch_case`, `while_loop`, `map_fn`, `foldl`, `scan`.
//!
//! They take functions, which are traced where they stand. What a function uses that was made before it is computed before the choice;
//! what it makes itself is computed for the rows that take it.

use std::panic::Location;

use feedline_data::{DType, Structure, TensorSpec};

use super::body::{Body, Captures, Traced};
use super::catalogue::{Operation, control::operations};
use super::{Attribute, Expr, Symbolic, of_ragged};
use crate::depth::within_depth;
use crate::{PlanError, Result};

/// What one of two functions gives: `true_fn` for the elements of which the condition holds, `false_fn` for the others. What the
/// other would have computed is not computed, so its errors do not occur. Both give the same structure of the same types.
///
/// ```
/// use feedline_data::{DType, ElementSpec, TensorSpec};
/// use feedline_plan::{Symbolic, ops};
///
/// let x = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)));
/// let y = ops::cond(x.ne(0), || ops::floordiv(100, &x), || &x - 1);
/// assert_eq!(
///     y.to_structure()?.to_string(),
///     "cond(not_equal(x0, 0), x0, functions=[{floordiv(100, x0)}, {subtract(x0, 1)}])"
/// );
/// # Ok::<(), feedline_plan::PlanError>(())
/// ```
#[must_use]
#[track_caller]
pub fn cond(
    pred: impl Into<Symbolic>,
    true_fn: impl FnOnce() -> Symbolic,
    false_fn: impl FnOnce() -> Symbolic,
) -> Symbolic {
    let branches: Vec<Branch<'_>> = vec![Box::new(true_fn), Box::new(false_fn)];
    placed(chosen(&operations::cond, &pred.into(), DType::Bool, branches))
}

/// A function of nothing.
pub type Branch<'a> = Box<dyn FnOnce() -> Symbolic + 'a>;

/// What branch number `branch_index` gives; the last one where there is none of that number. As of [`cond`], the others are not
/// computed.
#[must_use]
#[track_caller]
pub fn switch_case(branch_index: impl Into<Symbolic>, branches: Vec<Branch<'_>>) -> Symbolic {
    placed(chosen(&operations::switch_case, &branch_index.into(), DType::Int32, branches))
}

/// The values of `loop_vars` after `body` was applied to them as long as `condition` holds, `maximum_iterations` times at most. The body gives
/// what it gets: the same structure of the same types.
///
/// ```
/// use feedline_data::{DType, ElementSpec, TensorSpec};
/// use feedline_plan::{Symbolic, ops};
///
/// // How often x can be halved.
/// let x = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)));
/// let halved = ops::while_loop(
///     |both| both.at(1).gt(1),
///     |both| Symbolic::tuple([both.at(0) + 1, ops::floordiv(both.at(1), 2)]),
///     Symbolic::tuple([0.into(), x]),
///     64,
/// );
/// assert_eq!(halved.at(0).to_structure()?.map(|expr| expr.spec().to_string()).to_string(), "int32[]");
/// # Ok::<(), feedline_plan::PlanError>(())
/// ```
#[must_use]
#[track_caller]
pub fn while_loop(
    mut condition: impl FnMut(Symbolic) -> Symbolic,
    mut body: impl FnMut(Symbolic) -> Symbolic,
    loop_vars: impl Into<Symbolic>,
    maximum_iterations: i64,
) -> Symbolic {
    placed(looped(&mut condition, &mut body, &loop_vars.into(), maximum_iterations))
}

/// What `function` gives for each entry of the first dimension of `elems`, stacked. `elems` may be several tensors, with as many entries
/// each; the entries of a ragged one are its rows.
#[must_use]
#[track_caller]
pub fn map_fn(function: impl FnOnce(Symbolic) -> Symbolic, elems: impl Into<Symbolic>) -> Symbolic {
    placed(mapped(function, &elems.into()))
}

/// What `function` gives for a state and the entries of the first dimension of `elems`, one after the other: it gets the state so far and an
/// entry, and gives the next state. The first is `initializer`.
#[must_use]
#[track_caller]
pub fn foldl(
    mut function: impl FnMut(Symbolic, Symbolic) -> Symbolic,
    elems: impl Into<Symbolic>,
    initializer: impl Into<Symbolic>,
) -> Symbolic {
    placed(folded(&operations::foldl, &mut function, &elems.into(), &initializer.into()))
}

/// As [`foldl`], and all states on the way, stacked.
#[must_use]
#[track_caller]
pub fn scan(
    mut function: impl FnMut(Symbolic, Symbolic) -> Symbolic,
    elems: impl Into<Symbolic>,
    initializer: impl Into<Symbolic>,
) -> Symbolic {
    placed(folded(&operations::scan, &mut function, &elems.into(), &initializer.into()))
}

/// A mistake is the caller's line's.
#[track_caller]
fn placed(result: Result<Symbolic>) -> Symbolic {
    let location = Location::caller();
    result.unwrap_or_else(|error| Symbolic::of_error(error.at(location)))
}

fn chosen(
    operation: &'static Operation,
    by: &Symbolic,
    dtype: DType,
    branches: Vec<Branch<'_>>,
) -> Result<Symbolic> {
    let name = operation.name;
    if branches.is_empty() {
        return Err(PlanError::argument(format!("{name}: there is no branch")));
    }
    let by = by.to_tensor_of(dtype, "what is chosen by").map_err(|error| error.in_step(name))?;
    let nothing = Structure::Tuple(Vec::new());
    let traced = branches.into_iter().map(|branch| Traced::new(&nothing, |_| branch()));
    let traced = traced.collect::<Result<Vec<Traced>>>()?;
    for (index, other) in traced.iter().enumerate().skip(1) {
        same_structure(&traced[0].structure, &other.structure, &format!("{name}: branch {index}"))?;
    }
    let mut captures = Captures::default();
    let bodies = captures.bodies(&traced.iter().collect::<Vec<_>>())?;
    let inputs = std::iter::once(by).chain(captures.into_values()).collect();
    called(operation, inputs, vec![Attribute::Functions(bodies)], &traced[0].structure)
}

fn looped(
    condition: &mut dyn FnMut(Symbolic) -> Symbolic,
    body: &mut dyn FnMut(Symbolic) -> Symbolic,
    loop_vars: &Symbolic,
    maximum_iterations: i64,
) -> Result<Symbolic> {
    let vars = loop_vars.to_structure()?;
    let (specs, traced) = settled(&vars, "while_loop: the body", |specs| Traced::new(specs, &mut *body))?;
    let condition = Traced::new(&specs, condition)?;
    let mut captures = Captures::default();
    let bodies = captures.bodies(&[&condition, &traced])?;
    let inputs: Vec<Expr> = vars.leaves().into_iter().cloned().chain(captures.into_values()).collect();
    let attributes = vec![
        Attribute::Int(vars.num_leaves() as i64),
        Attribute::Int(maximum_iterations),
        Attribute::Functions(bodies),
    ];
    called(&operations::while_loop, inputs, attributes, &vars)
}

fn mapped(function: impl FnOnce(Symbolic) -> Symbolic, elems: &Symbolic) -> Result<Symbolic> {
    let elems = elems.to_structure()?;
    if !elems.has_composite() {
        return mapped_entries(function, &elems);
    }
    // Rows differ in length, so the numbers of the rows are mapped.
    let numbers = of_ragged::numbers_of_rows(&elems)?.to_structure()?;
    mapped_entries(|index| function(of_ragged::entry_at(&elems, &index)), &numbers)
}

fn mapped_entries(function: impl FnOnce(Symbolic) -> Symbolic, elems: &Structure<Expr>) -> Result<Symbolic> {
    let traced = Traced::new(&entries(elems, "map_fn")?, function)?;
    let mut captures = Captures::default();
    let bodies = captures.bodies(&[&traced])?;
    let inputs: Vec<Expr> = elems.leaves().into_iter().cloned().chain(captures.into_values()).collect();
    let attributes = vec![Attribute::Int(elems.num_leaves() as i64), Attribute::Functions(bodies)];
    called(&operations::map_fn, inputs, attributes, &traced.structure)
}

fn folded(
    operation: &'static Operation,
    function: &mut dyn FnMut(Symbolic, Symbolic) -> Symbolic,
    elems: &Symbolic,
    initializer: &Symbolic,
) -> Result<Symbolic> {
    let (elems, states) = (elems.to_structure()?, initializer.to_structure()?);
    let entries = entries(&elems, operation.name)?;
    let what = format!("{}: the function", operation.name);
    let (_, traced) = settled(&states, &what, |specs| {
        let parameters = Structure::Tuple(vec![specs.clone(), entries.clone()]);
        Traced::new(&parameters, |both| function(both.at(0), both.at(1)))
    })?;
    let mut captures = Captures::default();
    let bodies = captures.bodies(&[&traced])?;
    let leaves = states.leaves().into_iter().chain(elems.leaves()).cloned();
    let attributes = vec![
        Attribute::Int(states.num_leaves() as i64),
        Attribute::Int(elems.num_leaves() as i64),
        Attribute::Functions(bodies),
    ];
    called(operation, leaves.chain(captures.into_values()).collect(), attributes, &states)
}

/// The specs of values that a function makes again of themselves, and the function traced with them: as narrow as hold however often it
/// is applied.
fn settled(
    values: &Structure<Expr>,
    what: &str,
    mut trace: impl FnMut(&Structure<TensorSpec>) -> Result<Traced>,
) -> Result<(Structure<TensorSpec>, Traced)> {
    let mut specs = values.map(|expr| expr.spec().clone());
    loop {
        let traced = trace(&specs)?;
        same_structure(values, &traced.structure, what)?;
        let wider = specs
            .leaves()
            .into_iter()
            .zip(traced.results())
            .map(|(spec, result)| TensorSpec::new(spec.dtype, spec.shape.union(&result.spec().shape)));
        let wider = specs.with_leaves(wider.collect::<Vec<_>>());
        if wider == specs {
            return Ok((specs, traced));
        }
        // Each time a dimension more is unknown, so this ends.
        specs = wider;
    }
}

fn entries(elems: &Structure<Expr>, name: &str) -> Result<Structure<TensorSpec>> {
    let mut specs = Vec::new();
    for expr in elems.leaves() {
        let spec = expr.spec();
        let shape = spec.shape.without_outer().ok_or_else(|| {
            PlanError::spec(format!("{name}: elems has a scalar, {spec}, which has no first dimension"))
        })?;
        specs.push(TensorSpec::new(spec.dtype, shape));
    }
    if specs.is_empty() {
        return Err(PlanError::argument(format!("{name}: elems has no tensors")));
    }
    Ok(elems.with_leaves(specs))
}

fn same_structure(wanted: &Structure<Expr>, found: &Structure<Expr>, what: &str) -> Result<()> {
    if let Some(difference) = found.first_difference(wanted) {
        return Err(PlanError::spec(format!("{what} gives another structure: {difference}")));
    }
    for ((wanted, found), name) in wanted.leaves().iter().zip(found.leaves()).zip(wanted.leaf_names()) {
        let (wanted, found) = (wanted.spec().dtype, found.spec().dtype);
        if wanted != found {
            return Err(PlanError::spec(format!("{what} gives {found}{name} where {wanted} is expected"))
                .with_hint(format!("write cast(…, {wanted}) around it")));
        }
    }
    Ok(())
}

fn called(
    operation: &'static Operation,
    inputs: Vec<Expr>,
    attributes: Vec<Attribute>,
    structure: &Structure<Expr>,
) -> Result<Symbolic> {
    let outputs = Expr::call(operation, inputs, attributes).and_then(within_depth)?;
    Ok(Symbolic::from(structure.with_leaves(outputs)))
}

/// The bodies of a call of one of these.
pub(super) fn bodies_of(attributes: &[Attribute]) -> &[Body] {
    let functions = attributes.iter().find_map(|attribute| match attribute {
        Attribute::Functions(bodies) => Some(bodies.as_slice()),
        _ => None,
    });
    functions.unwrap_or(&[])
}
