//! Comparisons, which give bools.

use feedline_data::DType;
use feedline_data::block::{Column, Tensor};
use feedline_plan::expr::broadcast_shapes;

use super::elementwise::{as_bools, binary, dispatch};
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

/// Strings are compared row by row: they are no fixed-size values.
fn strings(arguments: &mut Arguments<'_>, is_wanted: bool) -> Value {
    let (one, two) = (arguments.inputs[0], arguments.inputs[1]);
    let rows = arguments.rows;
    let (one, two) = (one.to_rows(rows), two.to_rows(rows));
    let mut bools = Vec::new();
    let mut shapes = Vec::with_capacity(rows);
    for row in 0..rows {
        let (a, b) = (Tensor::of_row(&one, row), Tensor::of_row(&two, row));
        let Some(shape) = broadcast_shapes(a.shape(), b.shape()) else {
            arguments.fail(row, &format!("shapes {:?} and {:?} do not fit together", a.shape(), b.shape()));
            shapes.push(vec![0]);
            continue;
        };
        // Positions broadcast as any numbers do; the strings are looked up by them.
        let positions = |tensor: &Tensor| {
            let count = tensor.num_values() as u32;
            Value::Constant(Tensor::from_vec(tensor.shape().to_vec(), (0..count).collect::<Vec<u32>>()))
        };
        let (a_at, b_at) = (positions(&a), positions(&b));
        let mut pair = Arguments {
            call: arguments.call,
            inputs: vec![&a_at, &b_at],
            rows: 1,
            ids: arguments.ids,
            scratch: arguments.scratch,
            failures: arguments.failures,
        };
        let (a, b) = (a.strings().expect("strings"), b.strings().expect("strings"));
        let same = binary::<u32, u8>(&mut pair, |i, j| {
            u8::from((a.get(i as usize) == b.get(j as usize)) == is_wanted)
        });
        bools.extend_from_slice(same.to_rows(1).as_slice::<u8>());
        shapes.push(shape);
    }
    Value::Rows(Column::from_bools(vec![], bools.len(), bools).with_shapes(shapes))
}
