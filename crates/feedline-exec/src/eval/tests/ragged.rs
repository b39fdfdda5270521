//! Operations of ragged tensors, which are put together of others. TensorFlow's answers are those of `python/tests/test_ragged.py`.

use feedline_data::block::{Column, Tensor};
use feedline_data::{Composite, DType, Structure};
use feedline_plan::expr::{Attribute, Slice};
use feedline_plan::{Symbolic, ops};

use super::try_run;

/// `[[1, 2], [], [3]]`.
fn columns() -> Vec<Column> {
    vec![Column::from_vec(vec![3], 1, vec![1_i32, 2, 3]), Column::from_vec(vec![4], 1, vec![0_i64, 2, 2, 3])]
}

fn rows(x: &Symbolic) -> Symbolic {
    Symbolic::composite(Composite::Ragged, [x.at(0), x.at(1)])
}

/// The parts of the result, as lists.
fn computed(function: impl FnOnce(Symbolic) -> Symbolic) -> Vec<Vec<i64>> {
    let (_, leaves) = try_run(columns(), |x| function(rows(&x))).expect("fits");
    leaves.iter().map(|rows| rows[0].as_ref().map(numbers).expect("no error")).collect()
}

fn numbers(tensor: &Tensor) -> Vec<i64> {
    match tensor.dtype() {
        DType::Int64 => tensor.as_slice::<i64>().to_vec(),
        DType::Bool => tensor.as_slice::<u8>().iter().map(|&value| value.into()).collect(),
        _ => tensor.as_slice::<i32>().iter().map(|&value| value.into()).collect(),
    }
}

#[test]
fn what_ragged_tensors_give() {
    type Case = (&'static str, fn(Symbolic) -> Symbolic, &'static [&'static [i64]]);
    let table: [Case; 16] = [
        ("a number", |r| ops::multiply(r, 10), &[&[10, 20, 30], &[0, 2, 2, 3]]),
        ("the same rows", |r| &r + &r, &[&[2, 4, 6], &[0, 2, 2, 3]]),
        ("one a row", |r| ops::add(r, column(&[1, 2, 3])), &[&[2, 3, 6], &[0, 2, 2, 3]]),
        ("compared", |r| r.eq(2), &[&[0, 1, 0], &[0, 2, 2, 3]]),
        ("a row", |r| r.index(-1), &[&[3]]),
        ("rows", |r| r.slice(1..), &[&[3], &[0, 0, 1]]),
        ("backwards", |r| r.slice(Slice::ALL.by(-1)), &[&[3, 1, 2], &[0, 1, 1, 3]]),
        ("parts of rows", |r| r.slice((.., -1..)), &[&[2, 3], &[0, 1, 1, 2]]),
        ("sums of rows", |r| ops::reduce_sum(r, 1_i64, false), &[&[3, 0, 3]]),
        ("sums of places", |r| ops::reduce_sum(r, 0_i64, false), &[&[4, 2]]),
        ("the sum", |r| ops::reduce_sum(r, Attribute::None, false), &[&[6]]),
        ("chosen", |r| ops::gather(r, column(&[2, 0]).slice((.., 0)), 0), &[&[3, 1, 2], &[0, 1, 3]]),
        ("behind each other", |r| ops::concat([r.clone(), r], 1), &[&[1, 2, 1, 2, 3, 3], &[0, 4, 4, 6]]),
        (
            "stacked",
            |r| ops::stack([r.clone(), r], 0),
            &[&[1, 2, 3, 1, 2, 3], &[0, 3, 6], &[0, 2, 2, 3, 5, 5, 6]],
        ),
        ("expanded", |r| ops::expand_dims(r, 1), &[&[1, 2, 3], &[0, 1, 2, 3], &[0, 2, 2, 3]]),
        ("mapped", |r| ops::map_fn(|row| ops::size(row, DType::Int32), r), &[&[2, 0, 1]]),
    ];
    for (name, function, expected) in table {
        assert_eq!(computed(function), expected, "{name}");
    }
}

fn column(values: &[i32]) -> Symbolic {
    Symbolic::from(Tensor::from_vec(vec![values.len(), 1], values.to_vec()))
}

#[test]
fn rows_that_differ_are_an_error_of_the_element() {
    let other = |x: &Symbolic| {
        let splits = Symbolic::from(Tensor::from_vec(vec![4], vec![0_i64, 1, 2, 3]));
        Symbolic::composite(Composite::Ragged, [x.at(0), splits])
    };
    let (_, leaves) = try_run(columns(), |x| rows(&x) + other(&x)).expect("fits");
    let error = leaves[0][0].clone().expect_err("other rows");
    assert!(error.contains("add: the rows of the two ragged tensors differ in length"), "{error}");
}

#[test]
fn what_there_is_no_operation_for_is_told_with_what_there_is() {
    type Case = (fn(Symbolic) -> Symbolic, &'static str);
    let cases: [Case; 4] = [
        (|r| ops::transpose(r, Attribute::None), "transpose cannot take a ragged tensor of int32[3]"),
        (|r| ops::matmul(r, column(&[1]), false, false), "matmul cannot take a ragged tensor"),
        (|r| r.slice((.., 0)), "one place of each row"),
        (|r| ops::reduce_sum(r, 2_i64, false), "axis 2 of a ragged tensor with 2 dimensions"),
    ];
    for (function, expected) in cases {
        let error = try_run(columns(), |x| function(rows(&x))).expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn sparse_tensors_are_scaled_and_no_more() {
    let sparse = |x: &Symbolic| ops::ragged::to_sparse(x.at(0), [x.at(1)]);
    let (_, leaves) = try_run(columns(), |x| ops::multiply(sparse(&x), 10)).expect("fits");
    assert_eq!(leaves[1][0].as_ref().map(numbers), Ok(vec![10, 20, 30]));
    assert!(try_run(columns(), |x| ops::add(sparse(&x), 1)).is_err());
    let (spec, _) = try_run(columns(), |x| sparse(&x)).expect("fits");
    assert!(matches!(spec, Structure::Composite(Composite::Sparse, _)));
}
