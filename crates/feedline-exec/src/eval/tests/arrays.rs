//! Arrays and checks: sizes that are computed, what the plan knows of them, and errors of rows.

use feedline_data::block::{Column, Tensor};
use feedline_data::{DType, Shape};
use feedline_plan::{Symbolic, ops};

use super::{run, scalars, try_run, values};

/// The shape and values of a row.
type Shown = (Vec<usize>, Vec<i64>);

fn shown(results: &[Result<Tensor, String>]) -> Vec<Result<Shown, String>> {
    let row = |tensor: &Tensor| (tensor.shape().to_vec(), tensor.as_slice::<i64>().to_vec());
    results.iter().map(|result| result.as_ref().map(row).map_err(Clone::clone)).collect()
}

#[test]
fn sizes_may_be_each_rows_own() {
    let counts = || scalars(&[2_i64, 0, -1, 3]);
    let filled =
        run(vec![counts()], |x| ops::fill(ops::stack([x.at(0), 2.into()], 0), Tensor::scalar(7_i64)));
    assert_eq!(shown(&filled)[0], Ok((vec![2, 2], vec![7; 4])));
    assert_eq!(shown(&filled)[1], Ok((vec![0, 2], vec![])));
    assert_eq!(filled[2].as_ref().expect_err("−1"), "fill: dims [-1, 2] has a size below 0");
    assert_eq!(shown(&filled)[3], Ok((vec![3, 2], vec![7; 6])));
    let counted = run(vec![counts()], |x| ops::range(0, x.at(0), 1));
    assert_eq!(shown(&counted)[3], Ok((vec![3], vec![0, 1, 2])));
    assert_eq!(
        counted[2].as_ref().expect_err("backwards"),
        "range: delta 1 does not lead from start 0 to limit -1"
    );
    let huge = run(vec![scalars(&[1_i64 << 40])], |x| ops::range(0, x.at(0), 1));
    assert!(huge[0].as_ref().is_err_and(|error| error.contains("more than")), "{huge:?}");
}

#[test]
fn the_plan_knows_sizes_that_are_written_and_those_of_known_shapes() {
    let spec = |function: &dyn Fn(Symbolic) -> Symbolic| {
        let column = Column::from_vec(vec![2, 3], 1, vec![0_i64; 6]);
        try_run(vec![column], |x| function(x.at(0))).expect("fits").0.to_string()
    };
    let ints = |values: &[i32]| Symbolic::from(Tensor::from_vec(vec![values.len()], values.to_vec()));
    assert_eq!(spec(&|_| ops::fill(ints(&[4, 5]), 1.0)), "float32[4, 5]");
    assert_eq!(spec(&|x| ops::fill(ops::shape(&x, DType::Int32), 1.0)), "float32[2, 3]");
    let first = |x: &Symbolic| ops::cast(x.slice((0, 0)), DType::Int32);
    assert_eq!(spec(&|x| ops::fill(ops::stack([first(&x), 3.into()], 0), 1.0)), "float32[?, 3]");
    assert_eq!(spec(&|x| ops::tile(x, ints(&[2, 2]))), "int64[4, 6]");
    assert_eq!(spec(&|x| ops::reshape_to(x, ints(&[-1, 2]))), "int64[3, 2]");
    assert_eq!(spec(&|x| ops::range(0, 10, 3) + ops::cast(x.slice((0, 0)), DType::Int32)), "int32[4]");
    assert_eq!(spec(&|x| ops::slice(x, ints(&[0, 1]), ints(&[-1, 2]))), "int64[2, 2]");
    assert_eq!(spec(&|x| ops::unstack(x, feedline_plan::expr::Attribute::None, 1).at(2)), "int64[2]");
    assert_eq!(
        spec(&|x| ops::pad(x, Symbolic::from(Tensor::from_vec(vec![2, 2], vec![1, 0, 0, 2])), 0, "CONSTANT")),
        "int64[3, 5]"
    );
}

#[test]
fn mistakes_are_told_before_anything_runs() {
    let ints = |values: &[i32]| Symbolic::from(Tensor::from_vec(vec![values.len()], values.to_vec()));
    let cases: [(&dyn Fn(Symbolic) -> Symbolic, &str); 12] = [
        (&|x| ops::tile(x, ints(&[2])), "multiples has 1 numbers"),
        (&|x| ops::tile(x, ints(&[2, -1])), "multiples has the size -1"),
        (&|x| ops::sort(x, -1, "UP"), "direction is ASCENDING or DESCENDING, not 'UP'"),
        (
            &|x| ops::pad(&x, Symbolic::from(Tensor::from_vec(vec![2, 2], vec![0; 4])), 0, "EDGE"),
            "mode is CONSTANT",
        ),
        (&|x| ops::split(x, 4_i64, 1), "num_or_size_splits is 4: 3 entries are not so many parts"),
        (&|x| ops::top_k(x, 4, true), "k is 4, but the last dimension has 3"),
        (&|x| ops::einsum([x], "ijk->i"), "2 dimensions, its part of the equation 3"),
        (&|x| ops::matmul(&x, &x, false, false), "the first has 3 columns, the second 2 rows"),
        (&|x| ops::bitwise::bitwise_and(ops::cast(x, DType::Float32), 1.0), "takes integers"),
        (&|x| ops::assert_rank(x, 3, "pictures"), "pictures: int64[2, 3] has 2 dimensions, not 3"),
        (&|x| ops::ensure_shape(x, Shape::fixed(&[2, 4])), "never has shape [2, 4]"),
        (
            &|x| {
                ops::random_normal(Shape::UNKNOWN, 0.0, 1.0, DType::Float32, 1) + ops::cast(x, DType::Float32)
            },
            "must be known",
        ),
    ];
    for (function, expected) in cases {
        let column = Column::from_vec(vec![2, 3], 1, vec![0_i64; 6]);
        let error = try_run(vec![column], |x| function(x.at(0))).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}, not {expected}");
    }
}

#[test]
fn checks_let_through_what_is_as_said() {
    let results = run(vec![scalars(&[1_i64, 5, 3])], |x| ops::assert_less(x.at(0), 4, "too many"));
    assert_eq!(values::<i64>(&results[..1]), [1]);
    assert_eq!(
        results[1].as_ref().expect_err("5"),
        "assert_less: too many: x is not below y: 5 and 4, value 0 of shape []"
    );
    let words = Column::from_strings(vec![2], 1, ["a", "b"].iter().collect());
    let results = run(vec![words], |x| ops::assert_equal(x.at(0), "a", ""));
    assert_eq!(
        results[0].as_ref().expect_err("b"),
        "assert_equal: x is not equal to y: 'b' and 'a', value 1 of shape [2]"
    );
    let varying = Column::from_vec(vec![], 3, vec![1_i64, 2, 3]).with_shapes(vec![vec![2], vec![]]);
    let results = run(vec![varying], |x| ops::assert_rank_at_least(x.at(0), 1, ""));
    assert!(results[0].is_ok());
    assert_eq!(
        results[1].as_ref().expect_err("a scalar"),
        "assert_rank_at_least: shape [] has not 1 dimensions or more"
    );
}

#[test]
fn sizes_of_one_name_are_the_same_in_every_row() {
    // Lists of 2 and of 3, each beside one of 2.
    let lists = Column::from_vec(vec![], 5, vec![1_i64; 5]).with_shapes(vec![vec![2], vec![3]]);
    let pairs = Column::from_vec(vec![2], 2, vec![5_i64; 4]);
    for used in [0, 1] {
        let results = run(vec![lists.clone(), pairs.clone()], |x| {
            let rows = ops::ensure_shape(x.at(0), Shape::new(vec![None]));
            let checked = ops::assert_shapes([(rows, &["size"][..]), (x.at(1), &["*", "size"])], "");
            checked[used].clone()
        });
        assert!(results[0].is_ok(), "{results:?}");
        let error = results[1].as_ref().expect_err("three are not two");
        assert!(error.contains("dimension 0 of tensor 1 is not size"), "{error}");
    }
}
