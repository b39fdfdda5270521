//! How long does an operation of numbers take an element, where elements are scalars: the price of the engine's way of calling kernels, a
//! block of elements at a time?
//!
//! `range → map(op) → batch(1024)` over a million float32, one line an operation; beside it the same without an operation.

use feedline::data::DType;
use feedline::data::block::Tensor;
use feedline::{Dataset, Result, Symbolic, ops};

use crate::measure::{Options, measure};

const COUNT: u64 = 1 << 20;

type Operation = (&'static str, fn(Symbolic) -> Symbolic, fn(f32) -> f32);

/// In single precision what the kernels compute in double and round: near enough to be checked as a sum.
const OPERATIONS: &[Operation] = &[
    ("nothing", |x| x, |x| x),
    ("x + 1", |x| x + 1.0, |x| x + 1.0),
    ("x - x / 2", |x| &x - &x / 2.0, |x| x - x / 2.0),
    ("x * x", |x| &x * &x, |x| x * x),
    ("abs", |x| ops::abs(x - 0.5), |x| (x - 0.5).abs()),
    ("sign", |x| ops::sign(x), |x| if x > 0.0 { 1.0 } else { 0.0 }),
    ("floor", |x| ops::floor(x * 10.0), |x| (x * 10.0).floor()),
    ("ceil", |x| ops::ceil(x * 10.0), |x| (x * 10.0).ceil()),
    ("round", |x| ops::round(x * 10.0), |x| (x * 10.0).round_ties_even()),
    ("sqrt", |x| ops::sqrt(x), f32::sqrt),
    ("rsqrt", |x| ops::rsqrt(x + 1.0), |x| 1.0 / (x + 1.0).sqrt()),
    ("pow", |x| ops::pow(x, 1.5), |x| x.powf(1.5)),
    ("exp", |x| ops::exp(x), f32::exp),
    ("log", |x| ops::log(x + 1.0), |x| (x + 1.0).ln()),
    ("log1p", |x| ops::log1p(x), f32::ln_1p),
    ("sin", |x| ops::sin(x), f32::sin),
    ("cos", |x| ops::cos(x), f32::cos),
    ("tanh", |x| ops::tanh(x), f32::tanh),
    ("sigmoid", |x| ops::sigmoid(x), |x| 1.0 / (1.0 + (-x).exp())),
    ("minimum", |x| ops::minimum(x, 0.5), |x| x.min(0.5)),
    ("maximum", |x| ops::maximum(x, 0.5), |x| x.max(0.5)),
    ("clip", |x| ops::clip_by_value(x, 0.25, 0.75), |x| x.clamp(0.25, 0.75)),
    ("where", |x| ops::where_(x.gt(0.5), &x, 0.0), |x| if x > 0.5 { x } else { 0.0 }),
    ("cond", |x| ops::cond(x.gt(0.5), || &x * 2.0, || x.clone()), |x| if x > 0.5 { x * 2.0 } else { x }),
    ("comparison", |x| ops::cast(x.gt(0.5), DType::Float32), |x| f32::from(u8::from(x > 0.5))),
    (
        "integers",
        |x| ops::cast(ops::cast(x * 1000.0, DType::Int64) * 3 + 1, DType::Float32),
        |x| ((x * 1000.0) as i64 * 3 + 1) as f32,
    ),
    (
        "bitwise",
        |x| ops::cast(ops::bitwise::bitwise_xor(ops::cast(x * 1000.0, DType::Int64), 5), DType::Float32),
        |x| ((x * 1000.0) as i64 ^ 5) as f32,
    ),
    ("cast", |x| ops::cast(ops::cast(x, DType::Float64), DType::Float32), |x| x),
];

/// Prints a line for each operation.
pub(crate) fn run(options: &Options) -> Result<()> {
    let engine = feedline::Options::new().threads(options.num_threads);
    let values: Vec<f32> = (0..COUNT).map(|i| (i % 1000) as f32 / 1000.0).collect();
    let numbers = Dataset::from_tensor_slices(Tensor::from_vec(vec![values.len()], values.clone()));
    for (name, operation, reference) in OPERATIONS {
        let dataset = numbers.map(operation).batch(1024).with_options(engine.clone()).check()?;
        let expected: f64 = values.iter().map(|&value| f64::from(reference(value))).sum();
        let run = || {
            let batches = dataset.iterator().expect("checked when it was made");
            let sum =
                |batch: &Tensor| batch.as_slice::<f32>().iter().map(|&value| f64::from(value)).sum::<f64>();
            let found: f64 = batches.map(|batch| sum(batch.expect("no errors").leaves()[0])).sum();
            assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{name}: {found}, not {expected}");
            COUNT
        };
        measure(&format!("ops {name}"), options, COUNT, COUNT * 4, COUNT, run);
    }
    Ok(())
}
