//! Plans that together have every step and every kind of argument, for tests of their texts.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::plan::expr::{Attribute, Feature, Slice};
use feedline::plan::{Buckets, FileCompression, FixedLength};
use feedline::{Csv, Dataset, ErrorPolicy, Fit, Functions, Packing, Sampling, Symbolic, ops};

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

fn weights() -> Dataset {
    Dataset::from_tensor_slices(Tensor::from_vec(vec![3, 2], vec![0.1_f32, 0.9, 0.5, 0.5, 1.0, 0.0]))
        .repeat(5)
}

/// Functions inside functions, with random values in them and sizes that are computed.
fn chosen(x: &Symbolic) -> Symbolic {
    let noise = ops::random_normal(Shape::scalar(), 0.0, 1.0, DType::Float32, 8);
    let halved = ops::while_loop(|x| x.gt(1), |x| ops::floordiv(x, 2), x, 9);
    let list = ops::cond(
        ops::equal(x % 2, 0),
        || ops::map_fn(|i| ops::cast(i, DType::Float32) + &noise, ops::range(0, x, 1)),
        || ops::random_uniform(Shape::fixed(&[1]), 9),
    );
    Symbolic::tuple([halved, ops::pad(list, Tensor::from_vec(vec![1, 2], vec![1, 0]), 0.5, "CONSTANT")])
}

/// Plans that together have every step and every kind of argument.
#[allow(clippy::too_many_lines, reason = "a list of equals")]
pub(crate) fn plans() -> Vec<(&'static str, Dataset)> {
    let ten = Dataset::range(10);
    let pair = |one: &Dataset, two: &Dataset| {
        Dataset::zip(&Structure::Tuple(vec![one.clone().into(), two.clone().into()]))
    };
    let image = Tensor::from_vec(vec![4, 2, 3], (0..24).map(|i| i as f32).collect());
    let one_hot = |x| ops::one_hot(x, 12, 1.5, 0, -1, DType::Float64);
    vec![
        (
            "words",
            Dataset::from_tensors(Symbolic::from("a b")).map(|line| {
                let words = ops::strings::split(ops::reshape(line, Shape::fixed(&[1])), "", -1);
                let known = Tensor::from_strings(vec![1], ["a"].iter().collect());
                let numbers = Tensor::from_vec(vec![1], vec![7_i64]);
                let ids = ops::lookup::find(words.component(0), known, numbers, Tensor::scalar(-1_i64));
                let ids = Symbolic::composite(feedline::data::Composite::Ragged, [ids, words.component(1)]);
                Symbolic::from((words, ids))
            }),
        ),
        ("files", Dataset::text_line(&["Cargo.toml"]).unwrap().take(2)),
        (
            "records of one size",
            Dataset::fixed_length_record(
                &["Cargo.toml"],
                FixedLength { header_bytes: 3, ..FixedLength::new(5) },
            )
            .unwrap(),
        ),
        (
            "packed records of one size",
            Dataset::fixed_length_record_file(
                "no-such-file",
                FixedLength { compression: FileCompression::Zlib, footer_bytes: 1, ..FixedLength::new(5) },
            ),
        ),
        (
            "csv",
            Dataset::csv(
                &["Cargo.toml"],
                &Csv::new([Tensor::from_vec(vec![1], vec![0_i32])]).field_delim(b'\t').header(true),
            )
            .unwrap(),
        ),
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
        (
            "numbers",
            Dataset::random()
                .seed(3)
                .rerandomize_each_iteration(true)
                .take(4)
                .concatenate(&Dataset::counter(5, -2))
                .take(9),
        ),
        (
            "folds",
            ten.scan(
                Symbolic::from((Tensor::scalar(0_i64), Tensor::from_vec(vec![1], vec![1_i64]))),
                |state, x| {
                    let list = ops::concat([state.at(1), ops::expand_dims(&x, 0)], 0);
                    ((state.at(0) + x, list.clone()), (state.at(0), list))
                },
            )
            .map(|pair| pair.at(0))
            .take_while(|x| x.lt(30))
            .unique()
            .assert_cardinality(9),
        ),
        (
            "the one element of a dataset",
            ten.map(|x| Dataset::range(3).reduced(x.clone(), |sum, y| sum + y).single_element() * x),
        ),
        ("reduce", ten.flat_map(|x| Dataset::range(3).reduced(x, |sum, y| sum + y)).assert_cardinality(None)),
        (
            "windows",
            ten.map(|x| (x.clone(), x))
                .window_by(3, 2, 1)
                .drop_remainder()
                .take(3)
                .flat_map(|pair| Dataset::of_window(pair.at(1)).batch(2).collect())
                .flat_map(|batches| Dataset::of_window(batches)),
        ),
        (
            "groups",
            ten.map(|x| {
                ops::decode_raw("abcdef", DType::UInt8, true).slice(Slice::ALL.by(1))
                    + ops::cast(x, DType::UInt8)
            })
            .group_by_window_of(
                |x| ops::cast(x.index(0), DType::Int64) % 2,
                |key| key + 2,
                |key, window| window.map(move |x| ops::cast(x, DType::Int64) + key),
            ),
        ),
        (
            "buckets",
            ten.map(|x| ops::decode_raw("abc", DType::UInt8, true) + ops::cast(x, DType::UInt8))
                .bucket_by_sequence_length(
                    |x| ops::size(x, DType::Int32),
                    &Buckets { pad_to_bucket_boundary: true, ..Buckets::new([2, 5], [1, 2, 3]) },
                ),
        ),
        ("batches", ten.batch(3).rebatch([1, 0, 2]).drop_remainder().padded_batch(2)),
        (
            "choices",
            Dataset::sample_from_datasets(
                &[ten.clone(), ten.map(|x| x + 1)],
                Sampling::by(&[0.1, 0.9]).seed(1).stop_on_empty_dataset(true),
            ),
        ),
        (
            "choices by weights",
            Dataset::choose_from_datasets(
                &[
                    Dataset::sample_from_datasets(
                        &[ten.clone(), ten.clone()],
                        Sampling::by_dataset(&weights()).seed(2),
                    ),
                    Dataset::sample_from_datasets(
                        &[ten.clone(), ten.clone()],
                        Sampling::by_dataset(&weights()).exact(),
                    ),
                ],
                &ten.map(|x| x % 2),
                false,
            ),
        ),
        (
            "pack to lengths",
            ten.batch(3).map(|x| Symbolic::tuple([x.clone(), x])).pack(Packing::of_lengths([4, 5])),
        ),
        ("pack", ten.batch(3).pack(Packing { fit: Fit::Best, padding: -1, truncates: true, ..4.into() })),
        ("no limits", ten.repeat(None).take(None).take(5).skip(None)),
        ("seeded", ten.shuffle(5).seed(3).reshuffle_each_iteration(false)),
        ("drawn", ten.shuffle(5).repeat(2)),
        ("filter", ten.filter(|x| ops::equal(x % 3, 1)).ignore_errors()),
        ("errors told", ten.on_error(ErrorPolicy::skip().limit(3).telling())),
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
            "deterministic",
            ten.map(|x| x + 1)
                .deterministic(true)
                .interleave(|x| Dataset::range(x.clone()).map(|y| y * 2).deterministic(false))
                .deterministic(false)
                .interleave(Dataset::from_tensors),
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
        (
            "rows of ragged tensors",
            ten.map(|x| {
                ops::ragged::from_row_lengths(
                    ops::stack([x.clone(), x], 0),
                    Tensor::from_vec(vec![2], vec![0_i64, 2]),
                )
            })
            .unbatch(),
        ),
        ("augmented", augmented()),
        ("chosen", ten.map(|x| chosen(&x))),
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
        (
            "parsed to sparse tensors",
            Dataset::from_tensors(Tensor::from_strings(vec![], [""].iter().collect())).map(|record| {
                ops::parse_single_example(
                    record,
                    [("a", Feature::var_len(DType::String)), ("b", Feature::ragged(DType::String))],
                )
            }),
        ),
    ]
}
