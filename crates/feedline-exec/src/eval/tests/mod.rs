//! Each operation against its definition, one value at a time, and against TensorFlow's answers.

mod arrays;
mod augment;
mod chains;
mod control;
mod csv;
mod formats;
mod golden;
mod images;
mod lists;
mod mixing;
mod moves;
mod numbers;
mod parse;
mod ragged;
mod random;
mod reference_page;
mod sequences;

use std::sync::Arc;

use feedline_data::block::{Block, Column, Ids, Position, Row, Tensor, Token};
use feedline_data::{DType, ElementSpec, Native, Shape, Structure, TensorSpec};
use feedline_plan::expr::catalogue::CATALOGUE;
use feedline_plan::{Function, NativeFunction, Symbolic, ops};

use super::remedies::remedy_of;
use super::{KERNEL_LISTS, Program};

#[test]
fn every_operation_of_the_catalogue_has_a_kernel() {
    let mut named: Vec<&str> = KERNEL_LISTS.iter().copied().flatten().map(|(name, _)| *name).collect();
    let mut catalogued: Vec<&str> = CATALOGUE.iter().map(|operation| operation.name).collect();
    named.sort_unstable();
    catalogued.sort_unstable();
    assert_eq!(named, catalogued);
}

fn spec_of(column: &Column) -> TensorSpec {
    let shape = column.common_shape().map_or(Shape::UNKNOWN, Shape::fixed);
    TensorSpec::new(column.dtype(), shape)
}

/// Runs `function` over columns; each row's result or error.
fn run(columns: Vec<Column>, function: impl FnOnce(Symbolic) -> Symbolic) -> Vec<Result<Tensor, String>> {
    let (_, mut leaves) = try_run(columns, function).expect("fits");
    leaves.swap_remove(0)
}

/// Each row's result or error, a leaf of the result at a time.
type Leaves = Vec<Vec<Result<Tensor, String>>>;

/// As [`run`], for functions that may not fit: what was known of the result before it ran, and all its leaves.
fn try_run(
    columns: Vec<Column>,
    function: impl FnOnce(Symbolic) -> Symbolic,
) -> feedline_plan::Result<(ElementSpec, Leaves)> {
    let spec = ElementSpec::Tuple(columns.iter().map(|column| Structure::Leaf(spec_of(column))).collect());
    let result = function(Symbolic::of_spec(&spec)).to_structure()?;
    let result_spec = result.map(|expr| expr.spec().clone());
    let program = Program::new(&Function::Traced(result), &spec).expect("compiles");
    let rows = columns[0].rows();
    let block = Block::new(columns, Ids::run(1000, rows), Position::at(Token::new(|_| 0)));
    let block = program.run(block);
    let leaf = |leaf: usize| {
        let row = |row| match block.row(row) {
            Row::Element(element) => Ok(Tensor::of_row(&block.columns()[leaf], element)),
            Row::Error(error) => Err(told(&error.error.to_string())),
        };
        (0..block.rows()).map(row).collect()
    };
    Ok((result_spec.clone(), (0..result_spec.num_leaves()).map(leaf).collect()))
}

/// An error of an operation, which says what to do; without that where it is what is known of the operation.
fn told(error: &str) -> String {
    let (message, hint) =
        error.split_once("\nhint: ").unwrap_or_else(|| panic!("what to do about it? {error}"));
    // Before the operation there may be the function that is made of it.
    let of_operation = message.split(": ").take(2).any(|name| remedy_of(name).hint == hint);
    if of_operation { message.to_owned() } else { error.to_owned() }
}

/// What each row has of every leaf.
fn rows_of(leaves: &Leaves) -> Vec<Vec<Tensor>> {
    let row = |row: usize| leaves.iter().map(|leaf| leaf[row].clone().expect("no error")).collect();
    (0..leaves[0].len()).map(row).collect()
}

/// A tensor for each row.
fn column_of(rows: &[&Tensor]) -> Column {
    Column::concat(&rows.iter().map(|tensor| tensor.as_column().clone()).collect::<Vec<_>>())
}

fn scalars<T: Native>(values: &[T]) -> Column {
    Column::from_vec(vec![], values.len(), values.to_vec())
}

fn values<T: Native>(results: &[Result<Tensor, String>]) -> Vec<T> {
    results.iter().map(|result| result.as_ref().expect("no error").as_slice::<T>()[0]).collect()
}

#[test]
fn checks_fail_their_rows_alone() {
    let results = run(vec![scalars(&[1.0_f32, f32::NAN, 2.0, f32::INFINITY])], |x| {
        ops::check_numerics(x.at(0) * 2.0, "bad input")
    });
    assert_eq!(results[1].as_ref().expect_err("NaN"), "check_numerics: bad input: the tensor has NaN values");
    assert_eq!(results[3].as_ref().expect_err("Inf"), "check_numerics: bad input: the tensor has Inf values");
    assert_eq!(results[2].as_ref().map(|t| t.as_slice::<f32>()[0]), Ok(4.0));
}

#[test]
fn errors_of_elements_name_the_function_that_was_written() {
    let results = run(vec![scalars(&[1_i32, 0])], |x| ops::assert_positive(x.at(0), "sizes"));
    let error = results[1].as_ref().expect_err("0");
    assert!(error.starts_with("assert_positive: assert_greater: sizes: "), "{error}");
}

#[test]
fn random_values_follow_the_id() {
    let draw = |column| run(column, |_| ops::random_uniform(Shape::fixed(&[5]), 7));
    let all = draw(vec![scalars(&[0_u8; 100])]);
    assert_eq!(draw(vec![scalars(&[0_u8; 100])]), all);
    let numbers: Vec<f32> = all.iter().flatten().flat_map(|t| t.as_slice::<f32>().to_vec()).collect();
    assert_eq!(numbers.len(), 500);
    assert!(numbers.iter().all(|x| (0.0..1.0).contains(x)));
    let mean = numbers.iter().sum::<f32>() / 500.0;
    assert!((0.45..0.55).contains(&mean), "mean {mean}");
    assert_ne!(all[0], all[1]);
}

#[test]
fn native_functions_are_checked_and_their_panics_caught() {
    let scalar = || Structure::Leaf(TensorSpec::scalar(DType::Int64));
    let function = NativeFunction {
        name: "halve".into(),
        output: scalar(),
        runtime: None,
        call: Arc::new(|element: Structure<Tensor>| {
            let value = element.leaves()[0].as_slice::<i64>()[0];
            assert!(value != 4, "four!");
            match value {
                1 => Err("one cannot be halved".into()),
                2 => Ok(Structure::Leaf(Tensor::scalar(1_i32))),
                3 => Ok(Structure::Tuple(vec![])),
                _ => Ok(Structure::Leaf(Tensor::scalar(value / 2))),
            }
        }),
    };
    let program = Program::new(&Function::Native(function), &scalar()).expect("compiles");
    let column = scalars(&[0_i64, 1, 2, 3, 4, 10]);
    let block = program.run(Block::new(vec![column], Ids::run(0, 6), Position::at(Token::new(|_| 0))));
    assert_eq!(block.columns()[0].as_slice::<i64>(), [0, 5]);
    let errors: Vec<String> = block.errors().iter().map(|error| error.error.to_string()).collect();
    assert_eq!(
        errors,
        [
            "halve: one cannot be halved",
            "halve is int32[], its spec says int64[]",
            "halve returned something else than its spec says: a tuple of 0 here and a tensor there",
            "halve panicked: four!",
        ]
    );
}
