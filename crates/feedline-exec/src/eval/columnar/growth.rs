//! Results that are larger than what they are made of: how large follows from shapes, so it is known before there is memory for them.
//!
//! Most steps make about as much as the largest tensor they get, and whoever chose the rows of a run knows what these come to. Broadcasting, `one_hot`,
//! `matmul`, `concat`, `gather` or a `cast` to something wider make more. Where the specs say how much, that is found once; where shapes
//! are those of rows, the rule of the catalogue that gives a plan its specs gives the sizes. Operations whose sizes depend on values ask
//! themselves, row by row, while they make them ([`Call::makes_any_size`]).
//!
//! Only what is a good part of the budget is asked for: small elements pay a comparison a step and block.

use feedline_data::block::{Column, Strings};
use feedline_data::{Shape, TensorSpec};
use feedline_plan::expr::Call;

use super::super::elementwise::dispatch;
use super::super::rows::RowsOf;
use super::super::{Allowance, Failures, Value};
use super::{Place, Step, StepKind};

/// How much larger the results of a step are than the largest of its inputs.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) enum Growth {
    /// They are not, or the operation asks itself.
    None,
    /// They have so many bytes a row.
    Known(usize),
    /// That follows from the shapes of the rows; so many bytes for each combination of values of the inputs at most.
    ByShapes(usize),
}

/// Bytes of the results of each row.
enum RowSizes {
    Same(usize),
    Each(Vec<usize>),
}

/// What is to be done with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It runs, unless the allowance was told to stop.
    Open,
    /// All its rows have failed: each is more than there is memory.
    Failed,
}

/// What is this small part of the budget is not asked for,
const LEAST_PART: u64 = 64;
/// nor what is smaller than a block.
const LEAST_BYTES: u64 = 64 << 10;

/// Results of fewer bytes are not asked for where the whole budget is `limit_bytes`.
pub(in crate::eval) fn least_asked_bytes(limit_bytes: u64) -> u64 {
    LEAST_BYTES.max(limit_bytes / LEAST_PART)
}

impl Growth {
    /// How much the results of `step` grow, as far as specs tell.
    pub(super) fn of(step: &Step) -> Growth {
        let call = step.call();
        let outputs = &step.node.outputs;
        let made: Option<usize> = outputs.iter().map(TensorSpec::byte_size).sum();
        let asks_itself = call.makes_any_size() && made.is_none();
        if asks_itself || !step.bodies.is_empty() || matches!(step.kind, StepKind::Pixels(_)) {
            return Growth::None;
        }
        let is_constant = |place: &&Place| matches!(place, Place::Constant(_));
        let is_once = !call.operation.is_random && step.inputs.iter().all(|place| is_constant(&place));
        let given = call.inputs.iter().zip(&step.inputs).filter(|(_, place)| is_once || !is_constant(place));
        let given = given.filter_map(|(input, _)| input.spec().byte_size()).max().unwrap_or(0);
        match made {
            Some(made) if made <= given => Growth::None,
            Some(made) => Growth::Known(made),
            None => {
                // Strings are views, or about as long as what they are made of.
                let bytes = |spec: &TensorSpec| {
                    let known = spec.shape.dims().unwrap_or_default().iter().flatten();
                    known
                        .fold(spec.dtype.width().unwrap_or(0), |bytes, &dim| bytes.saturating_mul(dim.max(1)))
                };
                match outputs.iter().map(bytes).fold(0, usize::saturating_add) {
                    0 => Growth::None,
                    bytes => Growth::ByShapes(bytes),
                }
            }
        }
    }

    /// Whether it may have to be asked for: then a run may end before its last row.
    pub(super) fn may_ask(self) -> bool {
        match self {
            Growth::None => false,
            // Not for rows up to a block's size, of which whoever chose the rows of a run has room for some: asking would take the pass
            // over a few rows at a time away from small images.
            Growth::Known(bytes) => bytes as u64 > LEAST_BYTES,
            Growth::ByShapes(_) => true,
        }
    }

    /// Asks for what `call` makes of `rows` rows of these inputs, with `weight` times as many bytes for what is made of it. Rows that are
    /// larger than all there is fail.
    pub(super) fn ask(
        self,
        call: &Call,
        inputs: &[&Value],
        rows: usize,
        weight: usize,
        failures: &mut Failures,
        allowance: &mut Allowance,
    ) -> Admission {
        let Some(limit_bytes) = allowance.limit_bytes() else { return Admission::Open };
        let least_bytes = least_asked_bytes(limit_bytes);
        // Of constants one is made for all rows.
        let is_once =
            !call.operation.is_random && inputs.iter().all(|input| matches!(input, Value::Constant(_)));
        let made_rows = if is_once { 1 } else { rows };
        let sizes = match self {
            Growth::None => return Admission::Open,
            Growth::Known(bytes) => RowSizes::Same(bytes),
            Growth::ByShapes(bytes) => {
                let most = inputs.iter().map(|input| largest_row(input)).fold(bytes, usize::saturating_mul);
                if (most as u64).saturating_mul(made_rows as u64) <= least_bytes {
                    return Admission::Open;
                }
                sizes_by_shapes(call, inputs, made_rows)
            }
        };
        let name = &call.name_as_written();
        match sizes {
            RowSizes::Same(bytes) => {
                if let Some(error) = allowance.too_large(name, bytes) {
                    let error = error.into_row_error();
                    for row in 0..rows {
                        failures.entry(row).or_insert_with(|| error.clone());
                    }
                    return Admission::Failed;
                }
                if (bytes as u64).saturating_mul(made_rows as u64) > least_bytes {
                    allowance.admits_run(made_rows, bytes, weight);
                }
            }
            RowSizes::Each(sizes) => {
                let mut total = 0_usize;
                for (row, &bytes) in sizes.iter().enumerate() {
                    if let Some(error) = allowance.too_large(name, bytes) {
                        if rows == 1 {
                            failures.entry(row).or_insert_with(|| error.into_row_error());
                            return Admission::Failed;
                        }
                        // By itself it fails, and none of the others.
                        allowance.stop_before(row.max(1), bytes);
                        break;
                    }
                    total = total.saturating_add(bytes);
                    if total as u64 > least_bytes && !allowance.admits(row, total, weight) {
                        break;
                    }
                }
            }
        }
        Admission::Open
    }
}

/// Whether what `call` makes of one row of these inputs is more than all the memory there is, by its shape; then the row has failed.
pub(in crate::eval) fn is_too_large(
    call: &Call,
    inputs: &[&Value],
    failures: &mut Failures,
    allowance: &mut Allowance,
) -> bool {
    Growth::ByShapes(usize::MAX).ask(call, inputs, 1, 1, failures, allowance) == Admission::Failed
}

/// Values of the largest row.
fn largest_row(value: &Value) -> usize {
    let rows = RowsOf::new(value);
    let column = rows.column();
    match column.common_shape() {
        Some(shape) => shape.iter().product::<usize>().max(1),
        None => (0..column.rows()).map(|row| column.shape(row).iter().product()).max().unwrap_or(1).max(1),
    }
}

/// What the rule of the operation makes of the shapes there are; where it cannot tell, 0.
fn sizes_by_shapes(call: &Call, inputs: &[&Value], rows: usize) -> RowSizes {
    let sources: Vec<RowsOf<'_>> = inputs.iter().map(|input| RowsOf::new(input)).collect();
    let size_of = |row: usize| {
        let specs = sources
            .iter()
            .map(|source| TensorSpec::new(source.column().dtype(), Shape::fixed(source.shape(row))));
        let specs: Vec<TensorSpec> = specs.collect();
        let given = specs.iter().filter_map(TensorSpec::byte_size).max().unwrap_or(0);
        let made = call.outputs_of(specs).unwrap_or_default();
        let made = made.iter().filter_map(TensorSpec::byte_size).fold(0, usize::saturating_add);
        // What is no larger than what it is made of was asked for with that.
        if made > given { made } else { 0 }
    };
    if sources.iter().all(|source| source.column().common_shape().is_some()) {
        return RowSizes::Same(size_of(0));
    }
    RowSizes::Each((0..rows).map(size_of).collect())
}

/// What stands in the place of results of which all rows have failed.
pub(super) fn failed_outputs(outputs: &[TensorSpec], rows: usize) -> Vec<Value> {
    let column = |spec: &TensorSpec| match spec.dtype.width() {
        None => Column::from_strings(vec![0], rows, Strings::default()),
        Some(_) => dispatch!(widths spec.dtype, Word => {
            Column::from_vec(vec![0], rows, Vec::<Word>::new()).with_dtype(spec.dtype)
        }),
    };
    outputs.iter().map(|spec| Value::Rows(column(spec))).collect()
}
