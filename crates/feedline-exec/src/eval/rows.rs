//! Rows of inputs, and what is worked out for them: once where they have one shape, else row by row.

use std::collections::BTreeMap;
use std::ops::Range;

use feedline_data::DType;
use feedline_data::block::{Column, Tensor};

use super::{Arguments, Value};

/// The rows of a value; the only row of a constant stands for each.
#[derive(Clone, Copy)]
pub(super) struct RowsOf<'a> {
    column: &'a Column,
    is_constant: bool,
}

impl<'a> RowsOf<'a> {
    pub(super) fn new(value: &'a Value) -> RowsOf<'a> {
        match value {
            Value::Rows(column) => RowsOf { column, is_constant: false },
            Value::Constant(tensor) => RowsOf { column: tensor.as_column(), is_constant: true },
        }
    }

    pub(super) fn of_column(column: &'a Column) -> RowsOf<'a> {
        RowsOf { column, is_constant: false }
    }

    pub(super) fn column(&self) -> &'a Column {
        self.column
    }

    /// Row `row` as a column of its own.
    pub(super) fn one_row(&self, row: usize) -> Column {
        let row = if self.is_constant { 0 } else { row };
        self.column.slice(row..row + 1)
    }

    /// The shape of row `row`.
    pub(super) fn shape(&self, row: usize) -> &'a [usize] {
        self.column.shape(if self.is_constant { 0 } else { row })
    }

    /// Which of the column's values are those of row `row`.
    pub(super) fn range(&self, row: usize) -> Range<usize> {
        let row = if self.is_constant { 0 } else { row };
        self.column.value_range(row..row + 1)
    }

    /// How many values further the next row begins, where rows have one shape.
    pub(super) fn step(&self) -> usize {
        if self.is_constant { 0 } else { self.range(0).len() }
    }
}

/// What is worked out from the shapes of rows.
pub(super) enum Plans<P> {
    /// All rows have the same shapes.
    Same(P),
    /// Each row has its own, or has failed.
    Each(Vec<Option<P>>),
}

impl<P> Plans<P> {
    /// What holds for row `row`; `None` if it failed.
    pub(super) fn get(&self, row: usize) -> Option<&P> {
        match self {
            Plans::Same(plan) => Some(plan),
            Plans::Each(plans) => plans[row].as_ref(),
        }
    }

    /// The values of all rows, one behind the other, as `rows` rows of the shapes planned. Rows that failed have none.
    pub(super) fn shaped(&self, values: Column, rows: usize, shape: impl Fn(&P) -> &[usize]) -> Column {
        match self {
            Plans::Same(plan) => values.flat().with_rows_of(rows, shape(plan).to_vec()),
            Plans::Each(plans) => {
                let shapes =
                    plans.iter().map(|plan| plan.as_ref().map_or(vec![0], |plan| shape(plan).to_vec()));
                values.flat().with_shapes(shapes.collect())
            }
        }
    }
}

/// Works out `plan` from the shapes of the inputs. Rows for which that fails become errors.
pub(super) fn plan_rows<P>(
    arguments: &mut Arguments<'_>,
    plan: impl Fn(&[&[usize]]) -> Result<P, String>,
) -> Plans<P> {
    let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&value| RowsOf::new(value)).collect();
    let shapes_of = |row: usize| inputs.iter().map(|input| input.shape(row)).collect::<Vec<_>>();
    if inputs.iter().all(|input| input.column.common_shape().is_some()) {
        return match plan(&shapes_of(0)) {
            Ok(plan) => Plans::Same(plan),
            Err(reason) => {
                (0..arguments.rows).for_each(|row| arguments.fail(row, &reason));
                Plans::Each((0..arguments.rows).map(|_| None).collect())
            }
        };
    }
    let plans = (0..arguments.rows)
        .map(|row| plan(&shapes_of(row)).map_err(|reason| arguments.fail(row, &reason)).ok());
    Plans::Each(plans.collect())
}

/// As [`plan_rows`], where the plan also follows from the integers (or bools) of the inputs `read`: worked out once where shapes and
/// these are the same for all rows. Rows that have failed already are left out: what is in their place may be any number.
pub(super) fn plan_rows_by<P>(
    arguments: &mut Arguments<'_>,
    read: &[usize],
    plan: impl Fn(&[&[usize]], &[&[i64]]) -> Result<P, String>,
) -> Plans<P> {
    let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&value| RowsOf::new(value)).collect();
    let ints: Vec<Vec<i64>> = read.iter().map(|&index| as_ints(inputs[index].column)).collect();
    let work_out = |row: usize| {
        let shapes: Vec<&[usize]> = inputs.iter().map(|input| input.shape(row)).collect();
        let values: Vec<&[i64]> =
            read.iter().zip(&ints).map(|(&index, ints)| &ints[inputs[index].range(row)]).collect();
        plan(&shapes, &values)
    };
    let is_same = inputs.iter().all(|input| input.column.common_shape().is_some())
        && read.iter().all(|&index| inputs[index].is_constant || arguments.rows == 1);
    if is_same && arguments.rows > 0 {
        return match work_out(0) {
            Ok(plan) => Plans::Same(plan),
            Err(reason) => {
                (0..arguments.rows).for_each(|row| arguments.fail(row, &reason));
                Plans::Each((0..arguments.rows).map(|_| None).collect())
            }
        };
    }
    let plans = (0..arguments.rows).map(|row| {
        let has_failed = arguments.failures.contains_key(&row);
        if has_failed { None } else { work_out(row).map_err(|reason| arguments.fail(row, &reason)).ok() }
    });
    Plans::Each(plans.collect())
}

/// Whether results may be held of which each row takes as many bytes as `bytes` says of its plan: asked before they are made. A row that is
/// larger by itself than all the memory there is fails, and has no plan any more.
pub(super) fn admits_planned<P>(
    arguments: &mut Arguments<'_>,
    plans: &mut Plans<P>,
    bytes: impl Fn(&P) -> usize,
) -> bool {
    let mut total = 0_usize;
    for row in 0..arguments.rows {
        total = total.saturating_add(plans.get(row).map_or(0, &bytes));
        if !arguments.admits(row, total) {
            return false;
        }
    }
    if arguments.failures.contains_key(&0) {
        match plans {
            Plans::Same(_) if arguments.rows == 1 => *plans = Plans::Each(vec![None]),
            Plans::Each(plans) => plans[0] = None,
            // As large as all others, which were admitted together.
            Plans::Same(_) => {}
        }
    }
    true
}

/// What may become of rows whose sizes are known before they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// They are made.
    Open,
    /// There is one, and it has failed: nothing is made of it, and anything stands in its place.
    Failed,
    /// The allowance was told to stop: the kernel gives nothing.
    Stopped,
}

/// Asks for the results of each row, which have `bytes(row)` bytes. A row that is more than all the memory there is fails by itself.
pub(super) fn ask_rows(arguments: &mut Arguments<'_>, bytes: impl Fn(usize) -> usize) -> Asked {
    let asked_from = arguments.asked_from_bytes();
    let name = arguments.call.name_as_written();
    let mut total = 0_usize;
    for row in 0..arguments.rows {
        let own = bytes(row);
        total = total.saturating_add(own);
        if total <= asked_from {
            continue;
        }
        if arguments.rows > 1 && arguments.allowance.too_large(&name, own).is_some() {
            arguments.allowance.stop_before(row.max(1), own);
            return Asked::Stopped;
        }
        if !arguments.admits(row, total) {
            return Asked::Stopped;
        }
    }
    if arguments.rows == 1 && arguments.failures.contains_key(&0) { Asked::Failed } else { Asked::Open }
}

/// Bytes of `count` values; strings are told apart by places of so many.
pub(super) fn bytes_of(dtype: DType, count: usize) -> usize {
    count.saturating_mul(dtype.width().unwrap_or(16))
}

/// The integers of a column, or 0 and 1 for its bools.
pub(super) fn as_ints(column: &Column) -> Vec<i64> {
    match column.dtype() {
        DType::Bool => column.as_slice::<u8>().iter().map(|&value| value.into()).collect(),
        DType::Int32 => column.as_slice::<i32>().iter().map(|&value| value.into()).collect(),
        DType::Int64 => column.as_slice::<i64>().to_vec(),
        other => unreachable!("the plan lets no {other} come here"),
    }
}

/// Places as the type asked for.
pub(super) fn places_column(dtype: DType, places: Vec<usize>) -> Column {
    let count = places.len();
    let places = places.into_iter();
    match dtype {
        DType::Int64 => Column::from_vec(vec![], count, places.map(|place| place as i64).collect()),
        DType::Int16 => Column::from_vec(vec![], count, places.map(|place| place as i16).collect()),
        DType::UInt16 => Column::from_vec(vec![], count, places.map(|place| place as u16).collect()),
        _ => Column::from_vec(vec![], count, places.map(|place| place as i32).collect()),
    }
}

/// Runs `kernel`, which makes columns of as many rows as its arguments have: once for all rows where every input is a
/// constant, whose errors are then every row's.
pub(super) fn once_for_constants(
    arguments: &mut Arguments<'_>,
    kernel: impl FnOnce(&mut Arguments<'_>) -> Vec<Column>,
) -> Vec<Value> {
    if !arguments.inputs.iter().all(|input| matches!(input, Value::Constant(_))) {
        return kernel(arguments).into_iter().map(Value::Rows).collect();
    }
    let mut failures = BTreeMap::new();
    let mut once = Arguments {
        call: arguments.call,
        inputs: arguments.inputs.clone(),
        rows: 1,
        ids: arguments.ids,
        scratch: arguments.scratch,
        bodies: arguments.bodies,
        failures: &mut failures,
        allowance: &mut *arguments.allowance,
        weight: arguments.weight,
    };
    let columns = kernel(&mut once);
    if let Some(error) = failures.remove(&0) {
        for row in 0..arguments.rows {
            arguments.failures.entry(row).or_insert_with(|| error.clone());
        }
    }
    columns.iter().map(|column| Value::Constant(Tensor::of_row(column, 0))).collect()
}
