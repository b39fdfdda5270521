//! Checks: rows that are not as said fail, the others go through.

use feedline_data::DType;
use feedline_data::block::Column;

use super::elementwise::dispatch;
use super::rows::RowsOf;
use super::{Arguments, Kernel, Value, compare};

/// The kernel of each check.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("assert_equal", |arguments| compared(arguments, compare::equal, "equal to")),
    ("assert_none_equal", |arguments| compared(arguments, compare::not_equal, "different from")),
    ("assert_less", |arguments| compared(arguments, compare::less, "below")),
    ("assert_less_equal", |arguments| compared(arguments, compare::less_equal, "below or equal to")),
    ("assert_greater", |arguments| compared(arguments, compare::greater, "above")),
    ("assert_greater_equal", |arguments| compared(arguments, compare::greater_equal, "above or equal to")),
    ("assert_rank", |arguments| of_rank(arguments, |own, wanted| own == wanted, "")),
    ("assert_rank_at_least", |arguments| of_rank(arguments, |own, wanted| own >= wanted, " or more")),
];

/// The first input, where `compare` holds for all of it and the second.
fn compared(arguments: &mut Arguments<'_>, compare: Kernel, words: &str) -> Vec<Value> {
    let holds = compare(arguments).remove(0);
    let holds = RowsOf::new(&holds);
    for row in 0..arguments.rows {
        let own = &holds.column().as_slice::<u8>()[holds.range(row)];
        let Some(at) = own.iter().position(|&holds| holds == 0) else { continue };
        let shape = holds.shape(row);
        let values = [0, 1].map(|input| value_at(RowsOf::new(arguments.inputs[input]), row, shape, at));
        let reason = match values {
            [Some(x), Some(y)] => format!("x is not {words} y: {x} and {y}, value {at} of shape {shape:?}"),
            _ => format!("x is not {words} y at value {at} of shape {shape:?}"),
        };
        fail(arguments, row, &reason);
    }
    vec![arguments.inputs[0].clone()]
}

/// The value that stands at `at` of `shape`, where it is not stretched to it but by being alone.
fn value_at(of: RowsOf<'_>, row: usize, shape: &[usize], at: usize) -> Option<String> {
    let range = of.range(row);
    let place = match range.len() {
        1 => range.start,
        _ if of.shape(row) == shape => range.start + at,
        _ => return None,
    };
    Some(shown(of.column(), place))
}

fn shown(column: &Column, place: usize) -> String {
    if let Some(strings) = column.strings() {
        return format!("'{}'", strings.get(place).escape_ascii());
    }
    match column.dtype() {
        DType::Bool => (column.as_slice::<u8>()[place] != 0).to_string(),
        number => dispatch!(numbers number, T => column.as_slice::<T>()[place].to_string()),
    }
}

fn of_rank(arguments: &mut Arguments<'_>, fits: fn(usize, usize) -> bool, more: &str) -> Vec<Value> {
    let wanted = arguments.call.int("rank") as usize;
    let of = RowsOf::new(arguments.inputs[0]);
    for row in 0..arguments.rows {
        let shape = of.shape(row);
        if !fits(shape.len(), wanted) {
            fail(arguments, row, &format!("shape {shape:?} has not {wanted} dimensions{more}"));
        }
    }
    vec![arguments.inputs[0].clone()]
}

fn fail(arguments: &mut Arguments<'_>, row: usize, reason: &str) {
    match arguments.call.text("message") {
        "" => arguments.fail(row, reason),
        message => {
            let message = format!("{message}: {reason}");
            arguments.fail(row, &message);
        }
    }
}
