//! Arguments that are values of the plan, or tensors computed for each element: sizes, factors.

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_plan::expr::{Attribute, Call, within_limit};

use super::super::Arguments;
use super::super::cast::cast_column;
use super::super::rows::RowsOf;
use super::Failure;
use super::decode::integers;

/// Integers.
pub(super) struct GivenInts<'a> {
    name: &'static str,
    fixed: Vec<i64>,
    rows: Option<RowsOf<'a>>,
}

impl<'a> GivenInts<'a> {
    /// The argument called `name`.
    pub(super) fn of(arguments: &Arguments<'a>, name: &'static str) -> GivenInts<'a> {
        match rows_of(arguments, name) {
            Some(rows) => GivenInts { name, fixed: Vec::new(), rows: Some(rows) },
            None => GivenInts { name, fixed: arguments.call.ints(name).unwrap_or_default(), rows: None },
        }
    }

    /// All of row `row`.
    pub(super) fn all(&self, row: usize) -> Vec<i64> {
        self.rows.as_ref().map_or_else(|| self.fixed.clone(), |rows| integers(rows, row))
    }

    /// That of row `row`.
    pub(super) fn one(&self, row: usize) -> Result<i64, Failure> {
        match self.all(row)[..] {
            [one] => Ok(one),
            ref other => Err(format!("{} is {other:?}, it must be one number", self.name).into()),
        }
    }

    /// What `checked` says to that of row `row`.
    pub(super) fn checked<T>(
        &self,
        row: usize,
        checked: impl Fn(&str, i64) -> Result<T, String>,
    ) -> Result<T, Failure> {
        Ok(checked(self.name, self.one(row)?)?)
    }
}

/// A float.
pub(super) struct GivenFloat<'a> {
    name: &'static str,
    fixed: f64,
    rows: Option<(RowsOf<'a>, Column)>,
}

impl<'a> GivenFloat<'a> {
    /// The argument called `name`.
    pub(super) fn of(arguments: &Arguments<'a>, name: &'static str) -> GivenFloat<'a> {
        match rows_of(arguments, name) {
            Some(rows) => {
                let doubles = cast_column(rows.column(), DType::Float64);
                GivenFloat { name, fixed: 0.0, rows: Some((rows, doubles)) }
            }
            None => GivenFloat { name, fixed: arguments.call.float(name), rows: None },
        }
    }

    /// That of row `row`.
    pub(super) fn one(&self, row: usize) -> Result<f64, Failure> {
        let Some((rows, doubles)) = &self.rows else { return Ok(self.fixed) };
        match doubles.as_slice::<f64>()[rows.range(row)] {
            [one] => Ok(one),
            ref other => Err(format!("{} is {other:?}, it must be one number", self.name).into()),
        }
    }
}

fn rows_of<'a>(arguments: &Arguments<'a>, name: &str) -> Option<RowsOf<'a>> {
    match arguments.call.attribute(name) {
        Attribute::Input(index) => Some(RowsOf::new(arguments.inputs[*index])),
        _ => None,
    }
}

/// What results may come to.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// Whether tensors say how large they are: those of the plan are for its author to know.
    is_given: bool,
    limit_bytes: Option<u64>,
}

impl Bounds {
    pub(super) fn of(arguments: &Arguments<'_>) -> Bounds {
        let call: &Call = arguments.call;
        Bounds { is_given: call.has_given_tensors(), limit_bytes: arguments.allowance.limit_bytes() }
    }

    /// Refuses results of `shape`, of values of `width` bytes, that no memory can hold: asked before they are made.
    pub(super) fn check(&self, shape: &[usize], width: usize) -> Result<(), Failure> {
        if !self.is_given {
            return Ok(());
        }
        within_limit(shape)?;
        Failure::if_too_large((shape.iter().product::<usize>() * width) as u64, self.limit_bytes)
    }
}
