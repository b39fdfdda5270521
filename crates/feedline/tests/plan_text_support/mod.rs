//! Plans that together have every step and every kind of argument, for tests of their texts.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::plan::expr::{Attribute, Feature, Slice};
use feedline::{Dataset, Functions, Symbolic, ops};

fn numbers(values: &[i64]) -> Dataset {
    Dataset::from_tensor_slices(Tensor::from_vec(vec![values.len()], values.to_vec()))
}

pub(crate) fn int64() -> ElementSpec {
    ElementSpec::Leaf(TensorSpec::scalar(DType::Int64))
}

pub(crate) fn functions() -> Functions {
    Functions::new()
        .with("same", int64(), Ok)
        .with("next", int64(), |x| Ok(x.map(|x| Tensor::scalar(x.as_slice::<i64>()[0] + 1))))
}

/// Arguments that are none, and an operation of two results.
fn augmented() -> Dataset {
    let images = Tensor::from_vec(vec![4, 3, 3, 1], (0..36).map(|i| i as f32).collect());
    let moved = |x| {
        let none = || Attribute::None;
        ops::image::random_affine(x, [-9.0, 9.0], none(), [0.9, 1.1], none(), "bilinear", [0.0], none(), 5)
    };
    let mixed = |x: Symbolic| ops::image::mixup(&x, ops::reduce_mean(&x, [1, 2], false), 1.0, 6);
    Dataset::from_tensor_slices(images).map(moved).batch(2).map(mixed)
}

/// Plans that together have every step and every kind of argument.
pub(crate) fn plans() -> Vec<(&'static str, Dataset)> {
    let ten = Dataset::range(10);
    let pair = |one: &Dataset, two: &Dataset| {
        Dataset::zip(&Structure::Tuple(vec![one.clone().into(), two.clone().into()]))
    };
    let image = Tensor::from_vec(vec![4, 2, 3], (0..24).map(|i| i as f32).collect());
    let one_hot = |x| ops::one_hot(x, 12, 1.5, 0, -1, DType::Float64);
    vec![
        ("files", Dataset::text_line(&["Cargo.toml"]).unwrap().take(2)),
        ("no such file", Dataset::tf_record_file("no-such-file.tfrecord")),
        ("range", Dataset::range_step(10, -3, -4)),
        ("map", ten.map(|x| (x.clone() + 1) * (x + 1))),
        (
            "shared",
            ten.map(|x| {
                let y = x + 1;
                Symbolic::from((y.clone() * y.clone(), y))
            }),
        ),
        (
            "constant",
            ten.map(|x| {
                Symbolic::dict([("x", x), ("c", Tensor::from_vec(vec![2], vec![1.5_f32, f32::NAN]).into())])
            }),
        ),
        (
            "steps",
            ten.skip(1)
                .take(8)
                .shard(2, 1)
                .enumerate(5)
                .repeat(3)
                .batch(2)
                .drop_remainder()
                .unbatch()
                .prefetch(3),
        ),
        ("no limits", ten.repeat(None).take(None).take(5).skip(None)),
        ("seeded", ten.shuffle(5).seed(3).reshuffle_each_iteration(false)),
        ("drawn", ten.shuffle(5).repeat(2)),
        ("filter", ten.filter(|x| ops::equal(x % 3, 1)).ignore_errors()),
        ("zip", pair(&ten, &ten.map(|x| x.lt(4)))),
        ("zip of one", Dataset::zip(&Structure::dict([("only", Structure::Leaf(ten.clone()))]))),
        ("concatenate", ten.concatenate(&ten).concatenate(&numbers(&[7, 8]))),
        ("caches", pair(&ten.cache(), &ten.map(|x| x + 1).cache())),
        (
            "random",
            ten.map(|x| (x, ops::random_uniform(Shape::fixed(&[2]), 3)))
                .map(|p| p.at(1) + ops::random_uniform(Shape::scalar(), 4)),
        ),
        (
            "slices",
            Dataset::from_tensor_slices(image.clone())
                .map(|x| x.slice((Slice::ALL.by(-1), Slice::Ellipsis, Slice::NewAxis, 0))),
        ),
        (
            "strings",
            Dataset::from_tensors(Symbolic::from(("a\u{e9}\n", true))).map(|p| ops::equal(p.at(0), "b")),
        ),
        ("one hot", ten.map(one_hot).map(|x| ops::reduce_max(x, [0, -1_i64][1], true))),
        (
            "native",
            ten.map_native("next", int64(), |x| Ok(x.map(|x| Tensor::scalar(x.as_slice::<i64>()[0] + 1))))
                .num_parallel_calls(2),
        ),
        (
            "nested",
            ten.flat_map(|x| {
                Dataset::range_step(0, x.clone() % 3, 1)
                    .repeat(x.clone() % 2 + 1)
                    .interleave(|y| Dataset::from_tensors(Symbolic::from((x.clone(), y))).take(x.clone()))
                    .cycle_length(3)
                    .block_length(2)
                    .num_parallel_calls(2)
                    .deterministic(true)
            }),
        ),
        ("sliced inside", ten.flat_map(|x| Dataset::from_tensor_slices(ops::stack([x.clone(), x], 0)))),
        ("augmented", augmented()),
        (
            "parsed",
            Dataset::from_tensors(Tensor::from_strings(vec![], [""].iter().collect())).map(|record| {
                ops::parse_single_example(
                    record,
                    [
                        ("a", Feature::fixed_len(&[], DType::Int64).with_default(7_i64)),
                        ("b", Feature::var_len(DType::String)),
                    ],
                )
                .get("a")
            }),
        ),
    ]
}
