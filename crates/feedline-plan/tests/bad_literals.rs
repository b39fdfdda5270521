//! Literals that no element can make right: an error when the plan is built that names the argument, not one for each element. Beside each stands
//! a literal that is right, or may be.

use feedline_data::block::{Strings, Tensor};
use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
use feedline_plan::{Symbolic, ops};

fn tensor(dtype: DType, dims: &[Option<usize>]) -> Symbolic {
    Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::new(dtype, Shape::new(dims.to_vec()))))
}

fn ints(values: &[i64]) -> Tensor {
    Tensor::from_vec(vec![values.len()], values.to_vec())
}

/// So many rows of so many integers.
fn rows(count: usize, values: &[i64]) -> Tensor {
    Tensor::from_vec(vec![count, values.len() / count], values.to_vec())
}

fn words(values: &[&str]) -> Tensor {
    Tensor::from_strings(vec![values.len()], values.iter().collect::<Strings>())
}

#[test]
#[allow(clippy::too_many_lines, reason = "a list of equals")]
fn literals_that_are_never_right_are_refused_by_name() {
    let number = || tensor(DType::Int64, &[]);
    let float = || tensor(DType::Float32, &[]);
    let three = || tensor(DType::Int64, &[Some(3)]);
    let any = || tensor(DType::Int64, &[None]);
    let matrix = || tensor(DType::Float32, &[Some(2), None]);
    let find = |keys: &[&str], values: &[i64]| {
        ops::lookup::find(tensor(DType::String, &[]), words(keys), ints(values), Tensor::scalar(-1_i64))
    };
    let dense = |indices: &[i64], shape: &[i64]| {
        let values = tensor(DType::Float32, &[Some(2)]);
        ops::sparse::to_dense(rows(2, indices), values, ints(shape), 0.0, true)
    };
    let wrong: Vec<(&str, Symbolic)> = vec![
        ("y", ops::floordiv(number(), 0)),
        ("y", ops::floordiv(any(), ints(&[0]))),
        ("y", ops::floormod(three(), ints(&[1, 0, 2]))),
        ("y", ops::floormod(tensor(DType::UInt8, &[]), Tensor::scalar(0_u8))),
        ("y", ops::pow(number(), -1)),
        ("delta", ops::range(0, number(), 0)),
        ("delta", ops::range(number(), number(), 0)),
        ("delta", ops::range(float(), 1.0, 0.0)),
        ("delta", ops::range(0.0, 1.0, -0.5)),
        ("delta", ops::range(Tensor::scalar(1_u8), Tensor::scalar(5_u8), Tensor::scalar(0_u8))),
        ("indices", ops::gather(three(), 3, 0)),
        ("indices", ops::gather(any(), -1, 0)),
        ("indices", ops::gather(tensor(DType::Int64, &[None, Some(2)]), ints(&[0, 2]), 1)),
        ("indices", ops::gather_nd(matrix(), ints(&[2, 0]))),
        ("indices", ops::gather_nd(matrix(), ints(&[0, -1]))),
        ("indices", ops::scatter_nd(rows(2, &[0, 4]), tensor(DType::Float32, &[Some(2)]), ints(&[4]))),
        ("multiples", ops::tile(three(), ints(&[i64::MAX]))),
        ("repeats", ops::repeat(three(), ints(&[i64::MAX, i64::MAX, 1]), 0)),
        ("repeats", ops::repeat(three(), Tensor::scalar(i64::MAX), 0)),
        ("paddings", ops::pad(three(), rows(1, &[i64::MAX, i64::MAX]), 0, "CONSTANT")),
        ("depth", ops::one_hot(any(), 1 << 40, 1, 0, -1, DType::Float32)),
        ("depth", ops::one_hot(tensor(DType::Int64, &[Some(1 << 20)]), 1 << 20, 1, 0, -1, DType::Float32)),
        ("size", ops::slice(three(), ints(&[0]), ints(&[-2]))),
        ("size", ops::slice(three(), tensor(DType::Int64, &[Some(1)]), ints(&[4]))),
        ("begin", ops::slice(any(), ints(&[-1]), ints(&[1]))),
        ("minval", ops::random_integers(3, 3, Shape::scalar(), 1)),
        ("logits", ops::random_categorical(tensor(DType::Float32, &[None, Some(0)]), 1, DType::Int64, 1)),
        ("row_splits", ops::ragged::from_nested_row_splits(any(), [Symbolic::from(ints(&[0, 3, 2]))])),
        ("row_splits", ops::ragged::from_nested_row_splits(any(), [Symbolic::from(ints(&[1, 3]))])),
        ("row_splits", ops::ragged::from_nested_row_splits(three(), [Symbolic::from(ints(&[0, 2]))])),
        ("row_lengths", ops::ragged::from_row_lengths(any(), ints(&[2, -1]))),
        ("row_lengths", ops::ragged::from_row_lengths(three(), ints(&[2, 2]))),
        ("indices", dense(&[0, 5], &[3])),
        ("indices", dense(&[-1, 1], &[3])),
        ("dense_shape", dense(&[0, 1], &[-3])),
        ("table_keys", find(&["a", "b", "a"], &[1, 2, 3])),
        (
            "box_indices",
            ops::image::crop_and_resize(
                tensor(DType::Float32, &[Some(2), None, None, Some(3)]),
                tensor(DType::Float32, &[Some(1), Some(4)]),
                Tensor::from_vec(vec![1], vec![2_i32]),
                [4, 4],
                "bilinear",
                0.0,
            ),
        ),
    ];
    let right: Vec<Symbolic> = vec![
        ops::floordiv(number(), 2),
        // Nothing is divided.
        ops::floordiv(tensor(DType::Int64, &[Some(0)]), 0),
        ops::floordiv(float(), 0.0),
        ops::pow(float(), -1.0),
        ops::pow(number(), 0),
        ops::range(0, number(), 1),
        ops::range(0.0, 1.0, 0.3),
        ops::gather(three(), 2, 0),
        ops::gather(any(), 99, 0),
        ops::gather_nd(matrix(), ints(&[1, 99])),
        ops::tile(three(), ints(&[0])),
        ops::repeat(three(), ints(&[0, 1, 2]), 0),
        ops::pad(three(), rows(1, &[0, 1]), 0, "CONSTANT"),
        ops::slice(three(), ints(&[3]), ints(&[-1])),
        ops::random_integers(3, 4, Shape::scalar(), 1),
        ops::ragged::from_nested_row_splits(any(), [Symbolic::from(ints(&[0, 3, 3]))]),
        ops::ragged::from_row_lengths(three(), ints(&[2, 0, 1])),
        dense(&[0, 2], &[3]),
        find(&["a", "b", "a"], &[1, 2, 1]),
    ];
    let mut faults = Vec::new();
    for (index, (name, symbolic)) in wrong.iter().enumerate() {
        match symbolic.to_structure() {
            Ok(_) => faults.push(format!("{index}: {name} is taken")),
            Err(error) => {
                let error = error.to_string();
                // The call stands before what is wrong with it.
                let reason = error.rsplit_once("): ").map_or(&error[..], |(_, reason)| reason);
                if !reason.contains(name) {
                    faults.push(format!("{index}: {name} is not named: {error}"));
                }
            }
        }
    }
    for (index, symbolic) in right.iter().enumerate() {
        if let Err(error) = symbolic.to_structure() {
            faults.push(format!("right {index}: {error}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
