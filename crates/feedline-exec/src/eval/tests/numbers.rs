//! Numbers, comparisons and casts, row by row and broadcast.

use feedline_data::block::{Column, Tensor};
use feedline_data::{DType, Shape};
use feedline_plan::{Symbolic, ops};
use half::{bf16, f16};

use super::{run, scalars, values};

#[test]
fn integer_arithmetic_is_pythons_and_wraps() {
    let samples = [i8::MIN, -100, -7, -3, -1, 0, 1, 2, 3, 7, 100, i8::MAX];
    let pairs: Vec<(i8, i8)> = samples.iter().flat_map(|&a| samples.map(|b| (a, b))).collect();
    let columns = || {
        vec![
            scalars(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>()),
            scalars(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>()),
        ]
    };
    let sum = run(columns(), |x| x.at(0) + x.at(1));
    let difference = run(columns(), |x| x.at(0) - x.at(1));
    let product = run(columns(), |x| x.at(0) * x.at(1));
    let quotient = run(columns(), |x| ops::floordiv(x.at(0), x.at(1)));
    let rest = run(columns(), |x| x.at(0) % x.at(1));
    let smaller = run(columns(), |x| ops::minimum(x.at(0), x.at(1)));
    for (i, &(a, b)) in pairs.iter().enumerate() {
        let (wide_a, wide_b) = (i32::from(a), i32::from(b));
        let one =
            |results: &[Result<Tensor, String>]| results[i].as_ref().map(|t| t.as_slice::<i8>()[0]).ok();
        assert_eq!(one(&sum), Some((wide_a + wide_b) as i8));
        assert_eq!(one(&difference), Some((wide_a - wide_b) as i8));
        assert_eq!(one(&product), Some((wide_a * wide_b) as i8));
        assert_eq!(one(&smaller), Some(a.min(b)));
        let floor = (b != 0).then(|| (f64::from(a) / f64::from(b)).floor() as i32);
        assert_eq!(one(&quotient), floor.map(|floor| floor as i8), "{a} // {b}");
        assert_eq!(one(&rest), floor.map(|floor| (wide_a - floor * wide_b) as i8), "{a} % {b}");
    }
    let failed = quotient.iter().filter_map(|result| result.as_ref().err()).collect::<Vec<_>>();
    assert_eq!(failed.len(), samples.len());
    assert_eq!(failed[0], "floordiv: division by zero");
}

#[test]
fn float_arithmetic_follows_each_types_own() {
    let results = run(vec![scalars(&[f16::from_f32(1.0), f16::from_f32(2048.0)])], |x| x.at(0) + 1);
    assert_eq!(values::<f16>(&results), [f16::from_f32(2.0), f16::from_f32(2048.0)]);
    let results = run(vec![scalars(&[5.5_f32, -5.5, f32::INFINITY])], |x| x.at(0) % 2.0);
    assert_eq!(values::<f32>(&results)[..2], [1.5, 0.5]);
    assert!(values::<f32>(&results)[2].is_nan());
    let results = run(vec![scalars(&[1_i64, -7])], |x| x.at(0) / 2);
    assert_eq!(values::<f64>(&results), [0.5, -3.5]);
    let results = run(vec![scalars(&[1_u8, 255])], |x| x.at(0) / 2);
    assert_eq!(values::<f32>(&results), [0.5, 127.5]);
    let results = run(vec![scalars(&[f32::NAN, 1.0])], |x| ops::maximum(x.at(0), 2.0));
    assert!(values::<f32>(&results)[0].is_nan());
    assert_eq!(
        values::<bf16>(&run(vec![scalars(&[bf16::from_f32(3.0)])], |x| -x.at(0))),
        [bf16::from_f32(-3.0)]
    );
}

type Case = (fn(Symbolic) -> Symbolic, [u8; 3]);

#[test]
fn comparisons_and_logic_give_bools() {
    let column = || vec![scalars(&[1_i32, 2, 3])];
    let cases: [Case; 7] = [
        (|x| x.lt(2), [1, 0, 0]),
        (|x| x.le(2), [1, 1, 0]),
        (|x| x.gt(2), [0, 0, 1]),
        (|x| x.ge(2), [0, 1, 1]),
        (|x| x.eq(2), [0, 1, 0]),
        (|x| x.ne(2), [1, 0, 1]),
        (|x| ops::logical_or(ops::logical_and(x.gt(1), x.lt(3)), !x.lt(3)), [0, 1, 1]),
    ];
    for (index, (function, expected)) in cases.into_iter().enumerate() {
        let results = run(column(), |x| function(x.at(0)));
        assert_eq!(values::<u8>(&results), expected, "case {index}");
        assert_eq!(results[0].as_ref().map(Tensor::dtype), Ok(DType::Bool));
    }
    let words = Column::from_strings(vec![], 3, ["a", "b", ""].iter().collect());
    assert_eq!(values::<u8>(&run(vec![words.clone()], |x| x.at(0).eq("b"))), [0, 1, 0]);
    let pairs = Column::from_strings(vec![2], 1, ["a", "b"].iter().collect());
    let results = run(vec![pairs, words.slice(0..1)], |x| x.at(0).ne(x.at(1)));
    assert_eq!(results[0].as_ref().map(|t| t.as_slice::<u8>().to_vec()), Ok(vec![0, 1]));
}

#[test]
fn rows_and_constants_broadcast() {
    let rows = || vec![Column::from_vec(vec![2, 1], 2, vec![1_i64, 2, 3, 4])];
    let tensor = Tensor::from_vec(vec![3], vec![10_i64, 20, 30]);
    let results = run(rows(), |x| x.at(0) + Symbolic::from(tensor.clone()));
    let shown: Vec<_> = results
        .iter()
        .map(|r| r.as_ref().map(|t| (t.shape().to_vec(), t.as_slice::<i64>().to_vec())))
        .collect();
    assert_eq!(
        shown,
        [Ok((vec![2, 3], vec![11, 21, 31, 12, 22, 32])), Ok((vec![2, 3], vec![13, 23, 33, 14, 24, 34]))]
    );
    // A one-value tensor of higher rank adds dimensions.
    let one = Tensor::from_vec(vec![1, 1], vec![5_i64]);
    let results = run(vec![scalars(&[1_i64])], |x| Symbolic::from(one) - x.at(0));
    assert_eq!(results[0].as_ref().map(Tensor::shape), Ok(&[1, 1][..]));
    assert_eq!(values::<i64>(&results), [4]);
}

#[test]
fn rows_of_different_shapes_broadcast_one_by_one() {
    let varying = || {
        Column::from_vec(vec![], 6, vec![1_i32, 2, 3, 4, 5, 6]).with_shapes(vec![vec![1], vec![3], vec![2]])
    };
    let pairs = Column::from_vec(vec![2], 3, vec![10_i32, 20, 30, 40, 50, 60]);
    let results = run(vec![varying(), pairs], |x| x.at(0) + x.at(1));
    assert_eq!(results[0].as_ref().map(|t| t.as_slice::<i32>().to_vec()), Ok(vec![11, 21]));
    assert_eq!(results[1].as_ref().expect_err("3 and 2"), "add: shapes [3] and [2] do not fit together");
    assert_eq!(results[2].as_ref().map(|t| t.as_slice::<i32>().to_vec()), Ok(vec![55, 66]));
    let doubled = run(vec![varying()], |x| x.at(0) * 2);
    assert_eq!(doubled[1].as_ref().map(|t| t.as_slice::<i32>().to_vec()), Ok(vec![4, 6, 8]));
    let flat = run(vec![varying()], |x| ops::reshape(x.at(0), Shape::new(vec![None, Some(1)])));
    assert_eq!(flat[1].as_ref().map(Tensor::shape), Ok(&[3, 1][..]));
    let fixed = run(vec![varying()], |x| ops::reshape(x.at(0), Shape::fixed(&[3, 1])));
    assert!(fixed[0].is_err() && fixed[1].is_ok() && fixed[2].is_err());
}

#[test]
fn casts_wrap_truncate_and_saturate() {
    let cast = |column: Column, to| run(vec![column], |x| ops::cast(x.at(0), to));
    assert_eq!(values::<u8>(&cast(scalars(&[-1_i64, 256, 257]), DType::UInt8)), [255, 0, 1]);
    assert_eq!(values::<i8>(&cast(scalars(&[1e9_f32, -1.9, f32::NAN]), DType::Int8)), [127, -1, 0]);
    assert_eq!(values::<u8>(&cast(scalars(&[-3.7_f64, 255.9]), DType::UInt8)), [0, 255]);
    assert_eq!(values::<f32>(&cast(scalars(&[0_u8, 255]), DType::Float32)), [0.0, 255.0]);
    assert_eq!(values::<u8>(&cast(scalars(&[0.0_f32, -0.5]), DType::Bool)), [0, 1]);
    let bools = Column::from_bools(vec![], 2, vec![0, 1]);
    assert_eq!(values::<f64>(&cast(bools, DType::Float64)), [0.0, 1.0]);
    assert_eq!(values::<u64>(&cast(scalars(&[u64::MAX]), DType::UInt64)), [u64::MAX]);
    assert_eq!(values::<f32>(&cast(scalars(&[u64::MAX]), DType::Float32)), [u64::MAX as f32]);
}
