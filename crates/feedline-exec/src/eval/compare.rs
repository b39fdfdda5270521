//! Comparisons, which give bools.

use feedline_data::DType;
use feedline_data::block::Column;

use super::elementwise::{Aligned, as_bools, binary, dispatch};
use super::{Arguments, Value};

macro_rules! comparisons {
    ($($name:ident $operator:tt),*) => {$(
        pub(super) fn $name(arguments: &mut Arguments<'_>) -> Vec<Value> {
            vec![as_bools(dispatch!(numbers arguments.inputs[0].dtype(), T =>
                binary::<T, u8>(arguments, |a, b| u8::from(a $operator b))))]
        }
    )*};
}

comparisons!(less <, less_equal <=, greater >, greater_equal >=);

pub(super) fn equal(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![equality(arguments, true)]
}

pub(super) fn not_equal(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![equality(arguments, false)]
}

#[allow(clippy::float_cmp, reason = "equal means equal")]
fn equality(arguments: &mut Arguments<'_>, is_wanted: bool) -> Value {
    match arguments.inputs[0].dtype() {
        DType::String => strings(arguments, is_wanted),
        DType::Bool => as_bools(binary::<u8, u8>(arguments, |a, b| u8::from((a == b) == is_wanted))),
        number => as_bools(dispatch!(numbers number, T =>
            binary::<T, u8>(arguments, |a, b| u8::from((a == b) == is_wanted)))),
    }
}

/// Strings are no fixed-size values, but stretch like all others.
fn strings(arguments: &mut Arguments<'_>, is_wanted: bool) -> Value {
    let aligned = Aligned::new(arguments);
    let (left, right) = aligned.columns();
    let (left, right) = (left.strings().expect("strings"), right.strings().expect("strings"));
    let other = |index: usize| right.get(if right.len() == 1 { 0 } else { index });
    let bools: Vec<u8> = left
        .iter()
        .enumerate()
        .map(|(index, string)| u8::from((string == other(index)) == is_wanted))
        .collect();
    aligned.with_values(Column::from_bools(vec![], bools.len(), bools))
}
