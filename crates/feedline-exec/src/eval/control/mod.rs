//! Choices and loops: kernels that run functions of their own, each over those rows that need it.
//!
//! A function runs over columns as every program does, so a loop costs a call of each kernel a turn, not one a row. Rows whose turn it is not
//! are left out; what fails inside fails its row. Random values inside a loop are drawn for the row and the turn: ids are mixed with it.

mod choice;
mod cond;
mod entries;
mod foldl;
mod map_fn;
mod repeated;
mod scan;
mod switch_case;
mod while_loop;

use feedline_data::block::{Column, Ids, mix};

use super::columnar::Columnar;
use super::rows::bytes_of;
use super::{Arguments, Failures, Kernel, Value};

/// The kernel of each choice and loop.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("cond", cond::cond),
    ("switch_case", switch_case::switch_case),
    ("while_loop", while_loop::while_loop),
    ("map_fn", map_fn::map_fn),
    ("foldl", foldl::foldl),
    ("scan", scan::scan),
];

/// Some of the rows, for which a function is run.
struct Part {
    /// Their numbers among all.
    rows: Vec<usize>,
    ids: Ids,
}

impl Part {
    /// These of the rows of `arguments`.
    fn new(arguments: &Arguments<'_>, rows: Vec<usize>) -> Part {
        let ids = arguments.ids.gather(&rows);
        Part { rows, ids }
    }

    /// The same rows, in turn number `turn` of a loop.
    fn in_turn(&self, turn: usize) -> Part {
        let ids = self.ids.iter().map(|id| mix(id, turn as u64 + 1)).collect();
        Part { rows: self.rows.clone(), ids: Ids::list(ids) }
    }

    /// What there is of a value for these rows.
    fn of(&self, value: &Value) -> Value {
        match value {
            Value::Rows(column) if self.is_all(column.rows()) => Value::Rows(column.clone()),
            Value::Rows(column) => Value::Rows(column.gather(&self.rows)),
            Value::Constant(tensor) => Value::Constant(tensor.clone()),
        }
    }

    fn is_all(&self, num_rows: usize) -> bool {
        self.rows.len() == num_rows && self.rows.iter().copied().eq(0..num_rows)
    }

    /// What `function` gives for these rows, a column for each of its results. Rows that fail get their errors, and anything in their place.
    fn run(&self, function: &Columnar, inputs: Vec<Value>, arguments: &mut Arguments<'_>) -> Vec<Column> {
        if function.makes_any_size() && self.rows.len() > 1 {
            return self.run_one_by_one(function, |place, _| one_of(&inputs, place), arguments);
        }
        let mut own = Failures::new();
        let results = function.run_values(
            inputs,
            self.rows.len(),
            &self.ids,
            &mut own,
            arguments.allowance.limit_bytes(),
        );
        for (row, error) in own {
            arguments.failures.entry(self.rows[row]).or_insert(error);
        }
        results.into_iter().map(|value| value.to_rows(self.rows.len())).collect()
    }

    /// As `run`, for a function that makes any number of bytes of a few on its way, or gets them: no more than one row's are held at a time,
    /// and it stops where the results may not be held. What stands in the places from there on is thrown away. `inputs` gives what is there
    /// for a place among these rows, and the row that it is.
    fn run_one_by_one(
        &self,
        function: &Columnar,
        inputs: impl Fn(usize, usize) -> Vec<Value>,
        arguments: &mut Arguments<'_>,
    ) -> Vec<Column> {
        let mut made: Vec<Vec<Column>> = Vec::with_capacity(self.rows.len());
        let mut bytes = 0_usize;
        // Of the row that is being made: where its entries begin, and the bytes of those before.
        let (mut first, mut bytes_before) = (0, 0);
        for (place, &row) in self.rows.iter().enumerate() {
            if row != self.rows[first] {
                (first, bytes_before) = (place, bytes);
            } else if place > first && arguments.failures.contains_key(&row) {
                made.push(nothing(&made[0]));
                continue;
            }
            let one = Part { rows: vec![row], ids: self.ids.slice(place..place + 1) };
            let results = one.run(function, inputs(place, row), arguments);
            let own = results.iter().map(|column| bytes_of(column.dtype(), column.value_range(0..1).len()));
            bytes = own.fold(bytes, usize::saturating_add);
            made.push(results);
            if !arguments.admits(row, bytes) {
                made.resize(self.rows.len(), nothing(&made[0]));
                break;
            }
            if arguments.failures.contains_key(&row) {
                // It is larger than all there is, or an entry of it failed: no more is made of it.
                let blank = nothing(&made[0]);
                made[first..].fill(blank);
                bytes = bytes_before;
            }
        }
        let column = |output: usize| {
            let columns: Vec<Column> = made.iter().map(|results| results[output].clone()).collect();
            Column::concat(&columns)
        };
        (0..made[0].len()).map(column).collect()
    }
}

/// Row number `row` of each of these.
fn one_of(values: &[Value], row: usize) -> Vec<Value> {
    let one = |value: &Value| match value {
        Value::Rows(column) => Value::Rows(column.slice(row..row + 1)),
        Value::Constant(tensor) => Value::Constant(tensor.clone()),
    };
    values.iter().map(one).collect()
}

/// Results of one row without values, in place of those that are thrown away.
fn nothing(results: &[Column]) -> Vec<Column> {
    results.iter().map(|column| column.slice(0..0).with_rows_of(1, vec![0])).collect()
}

/// The results of all rows, if they may be held: a function may make any number of bytes of a few.
fn held(arguments: &mut Arguments<'_>, columns: Vec<Column>) -> Vec<Value> {
    for row in 0..arguments.rows {
        let bytes =
            columns.iter().map(|column| bytes_of(column.dtype(), column.value_range(0..row + 1).len()));
        let bytes = bytes.fold(0, usize::saturating_add);
        if !arguments.admits(row, bytes) {
            break;
        }
    }
    columns.into_iter().map(Value::Rows).collect()
}

/// Columns with the rows of `part` replaced by those of `new`.
fn replaced(columns: &[Column], part: &Part, new: Vec<Column>) -> Vec<Column> {
    let num_rows = columns.first().map_or(0, Column::rows);
    if part.is_all(num_rows) {
        return new;
    }
    let mut picks: Vec<usize> = (0..num_rows).collect();
    part.rows.iter().enumerate().for_each(|(place, &row)| picks[row] = num_rows + place);
    let merged = |(old, new): (&Column, Column)| Column::concat(&[old.clone(), new]).gather(&picks);
    columns.iter().zip(new).map(merged).collect()
}
