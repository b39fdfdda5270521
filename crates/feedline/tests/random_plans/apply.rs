//! What each step of a random pipeline is.

use std::path::Path;

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::plan::{Buckets, CacheCompression};
use feedline::{Dataset, ErrorPolicy, Functions, Sampling, Symbolic, ops};

use super::operations;
use super::steps::Step;
use crate::engine_images;

/// `folder` is where a cache in files may be.
#[allow(clippy::too_many_lines, reason = "a list of equals: one arm a step")]
pub(crate) fn apply(dataset: &Dataset, step: &Step, folder: &Path) -> Dataset {
    match step {
        Step::Cache => dataset.cache(),
        Step::CacheInFiles => dataset.cache_to(folder),
        Step::Snapshot { is_compressed: false } => dataset.snapshot(folder),
        Step::Snapshot { is_compressed: true } => {
            dataset.snapshot(folder).compression(CacheCompression::Always)
        }
        Step::Native => dataset.map(sum_of).map_native("next", int64(), next),
        Step::AssertCardinality(count) => dataset.assert_cardinality(*count),
        Step::RaggedRows { size, are_batches } => {
            let ragged = dataset.map(|x| {
                let list = list(x);
                let length = ops::size(&list, DType::Int64);
                ops::ragged::from_row_lengths(list, ops::stack([length.clone() - 1, 1.into()], 0))
            });
            let rows = ragged.unbatch();
            if *are_batches {
                let sum = |rows: Symbolic| sum_of(rows.component(0)) * 10 + sum_of(rows.component(1));
                rows.batch(*size).map(sum)
            } else {
                ragged.batch(*size).unbatch().unbatch().map(sum_of)
            }
        }
        Step::SparseRows { size, are_batches } => {
            let sparse = dataset.map(|x| ops::sparse::from_dense(list(x) % 3));
            let sum = |x: Symbolic| {
                sum_of(x.component(0)) * 100 + sum_of(x.component(1)) * 10 + sum_of(x.component(2))
            };
            let batches = sparse.batch(*size);
            if *are_batches { batches.map(sum) } else { batches.unbatch().map(sum) }
        }
        Step::CacheInside(count) => {
            let inner = Dataset::range(*count).cache().repeat(2);
            let drawn = || ops::cast(ops::random_uniform(Shape::scalar(), 5) * 1000.0, DType::Int64);
            dataset.flat_map(|x| inner.map(|y| y * 100 + ops::reduce_sum(x, None::<i64>, false) + drawn()))
        }
        Step::Add(number) => dataset.map(|x| x + *number),
        // Fails where an element has a value that is divisible by 7 after the shift: some, not all.
        Step::Fail(shift) => dataset.map(|x| {
            let rest = (x.clone() + *shift) % 7;
            x + ops::floordiv(rest.clone(), rest)
        }),
        Step::FailUnused(shift) => {
            let rest = |x: Symbolic| ops::floormod(x.clone(), (x + *shift) % 7);
            dataset.map(|x| Symbolic::from((rest(x.clone()) + 1, x))).map(|pair| pair.at(1))
        }
        Step::Branch(shift) => dataset.map(|x| {
            let sum = |x: &Symbolic| ops::reduce_sum(x, None::<i64>, false);
            let by = sum(&x) + *shift;
            let drawn = || {
                ops::random_integers(Tensor::scalar(0_i64), 5, Shape::scalar(), *shift)
                    + ops::floordiv(6, &by % 5)
            };
            let turned = || ops::while_loop(|y| sum(&y).lt(40), |y| y * 2 + 1, &x, 3);
            ops::cond((&by % 2).eq(0), || &x + drawn(), turned)
        }),
        Step::Image { is_split } => {
            let decoded = |x: Symbolic| {
                let number = ops::reduce_sum(&x, None::<i64>, false) % engine_images::FILES.len() as i64;
                let bytes = ops::gather(Symbolic::from(engine_images::files()), number, 0);
                Symbolic::from((ops::image::decode_jpeg(bytes, 3, 1, ""), x))
            };
            let scaled = |pair: Symbolic| {
                let (scale, ratio) = ([0.1, 1.0], [0.5, 2.0]);
                let image = ops::image::random_resized_crop(
                    pair.at(0),
                    [3, 4],
                    scale,
                    ratio,
                    "bilinear",
                    false,
                    false,
                    4,
                );
                let image =
                    ops::image::normalize(ops::image::random_flip_left_right(image, 5), [100.0], [0.5]);
                pair.at(1) + ops::cast(ops::reduce_sum(image, None::<i64>, false), DType::Int64)
            };
            if *is_split { dataset.map(decoded).map(scaled) } else { dataset.map(|x| scaled(decoded(x))) }
        }
        Step::Same => dataset.map(|x| x),
        Step::Random => dataset.map(|x| {
            let drawn = ops::random_uniform(Shape::scalar(), 3) * 1000.0;
            x + ops::cast(drawn, DType::Int64)
        }),
        Step::Shuffle { buffer_size, seed, reshuffle } => {
            dataset.shuffle(*buffer_size).seed(*seed).reshuffle_each_iteration(*reshuffle)
        }
        Step::ShuffleAnyhow { buffer_size, reshuffle } => {
            dataset.shuffle(*buffer_size).reshuffle_each_iteration(*reshuffle)
        }
        Step::Batch { size, drop_remainder: true } => dataset.batch(*size).drop_remainder(),
        Step::Batch { size, drop_remainder: false } => dataset.batch(*size),
        Step::Repeat(count) => dataset.repeat(*count),
        // Cut: a stream of nothing but errors, with the errors ignored, would never say anything.
        Step::RepeatForever => dataset.repeat(None).take(100),
        Step::Prefetch(buffer_size) => dataset.prefetch(*buffer_size),
        Step::Take(count) => dataset.take(*count),
        Step::Skip(count) => dataset.skip(*count),
        Step::Shard { num_shards, index } => dataset.shard(*num_shards, *index),
        // By the element's random number: its values may have any shape.
        Step::Filter(seed) => dataset.filter(|_| ops::random_uniform(Shape::scalar(), *seed).lt(0.6)),
        Step::FilterOfMapped(shift) => {
            let much = |x: Symbolic| (0..20_i64).fold(x, |x, number| x * 3 + number);
            let fails = |x: Symbolic| ops::floormod(x.clone(), (x + *shift) % 7);
            dataset
                .map(|x| Symbolic::from((x.clone(), fails(x.clone()), much(x))))
                .filter(|x| (ops::reduce_sum(x.at(0), None::<i64>, false) % 3).ne(0))
                .map(|x| x.at(2) - x.at(1))
        }
        Step::IgnoreErrors => dataset.ignore_errors(),
        Step::Rebatch(size) => dataset.batch(*size).unbatch(),
        Step::RebatchInTurn(sizes, dropped) => {
            let batches = dataset.batch(3).rebatch(sizes.clone());
            if *dropped { batches.drop_remainder() } else { batches }
        }
        Step::PaddedBatch(size) => dataset.map(list).padded_batch(*size),
        Step::TakeWhile(seed) => dataset.take_while(|_| ops::random_uniform(Shape::scalar(), *seed).lt(0.95)),
        Step::Scan => dataset.scan(Tensor::scalar(1_i64), |state, x| {
            let next = (state.clone() + ops::reduce_sum(&x, None::<i64>, false)) % 1000;
            (next, x + state)
        }),
        Step::Reduce => dataset.reduced(Tensor::scalar(1_i64), |state, x| {
            (state * 3 + ops::reduce_sum(x, None::<i64>, false)) % 1000
        }),
        Step::Unique => dataset.map(|x| x % 5).unique(),
        Step::Sample { seed, stops } => {
            let others = [dataset.clone(), dataset.map(|x| x + 1000), dataset.take(3)];
            let sampling = Sampling::by(&[0.4, 0.4, 0.2]).seed(*seed).stop_on_empty_dataset(*stops);
            Dataset::sample_from_datasets(&others, sampling.rerandomize_each_iteration(*stops))
        }
        Step::Window { size, shift, stride } => {
            let windows = dataset.window_by(*size, *shift, *stride);
            windows
                .flat_map(|window| Dataset::of_window(window).map(|x| ops::reduce_sum(x, None::<i64>, false)))
        }
        Step::GroupByWindow(size) => {
            let key = |x: Symbolic| ops::reduce_sum(x, None::<i64>, false) % 3;
            dataset.group_by_window(key, *size, |key, window| window.map(move |x| x + key))
        }
        Step::SampleExactly => {
            let sampling = Sampling::by(&[0.7, 0.3]).exact();
            Dataset::sample_from_datasets(&[dataset.clone(), dataset.map(|x| x + 1000)], sampling)
        }
        Step::ConcatenateItself => dataset.concatenate(dataset),
        Step::ZipItself => {
            let pair = Structure::Tuple(vec![dataset.clone().into(), dataset.clone().into()]);
            Dataset::zip(&pair).map(|pair| pair.at(0) + pair.at(1))
        }
        Step::Operation(index) => dataset.map(|x| operations::apply(*index, &x)),
        Step::Enumerate(start) => dataset.enumerate(*start).map(|pair| pair.at(0) * 3 + pair.at(1)),
        Step::RaggedBatch { size, drop_remainder } => {
            let lists = dataset.map(list);
            let batches =
                if *drop_remainder { lists.full_ragged_batch(*size) } else { lists.ragged_batch(*size) };
            batches.map(|rows| {
                let leaves = operations::leaves(&rows);
                sum_of(leaves[0].clone()) * 10 + sum_of(leaves[1].clone())
            })
        }
        Step::Buckets(size) => dataset.map(list).bucket_by_sequence_length(
            |x| ops::size(x, DType::Int64),
            &Buckets::new([2, 3], [*size, size + 1, 2]),
        ),
        Step::Pack(length) => {
            let rows = dataset.map(list).pack(*length);
            rows.map(|row| {
                let leaves = operations::leaves(&row);
                let others = leaves[1..].iter().map(|leaf| ops::cast(leaf, DType::Int64));
                others.fold(leaves[0].clone(), |sum, other| sum * 10 + other)
            })
        }
        Step::OnError { replaces, limit } => {
            // What replaces an element has its shape: numbers alone have one that is known.
            let numbers = dataset.map(sum_of);
            let policy =
                if *replaces { ErrorPolicy::replace(Tensor::scalar(-1_i64)) } else { ErrorPolicy::skip() };
            numbers.on_error(limit.map_or(policy.clone(), |limit| policy.limit(limit)))
        }
        Step::Choose { stops } => {
            let others = [dataset.clone(), dataset.map(|x| x + 1000), dataset.skip(2)];
            Dataset::choose_from_datasets(&others, &Dataset::range(20).map(|x| x.clone() * x % 3), *stops)
        }
        Step::SampleByDataset(seed) => {
            let weights = Tensor::from_vec(vec![3, 2], vec![0.9, 0.1, 0.5, 0.5, 0.0, 1.0]);
            let weights = Dataset::from_tensor_slices(weights).repeat(None);
            let sampling = Sampling::by_dataset(&weights).seed(*seed);
            Dataset::sample_from_datasets(&[dataset.clone(), dataset.map(|x| x + 1000)], sampling)
        }
        Step::Resample { seed, is_known } => {
            let initial = is_known.then_some(&[0.5_f32, 0.5][..]);
            let class = |x: Symbolic| sum_of(x) % 2;
            dataset
                .rejection_resample(class, &[0.8, 0.2], initial, Some(*seed))
                .map(|pair| pair.at(0) + pair.at(1))
        }
        Step::CollectAll => {
            let all = dataset.map(sum_of).collect();
            all.flat_map(|all| Dataset::of_window(all).map(|x| x * 2))
        }
        Step::FlatMap { count, inner } => dataset.flat_map(|x| nested(&x, *count, inner, folder)),
        Step::Interleave { count, cycle_length, block_length, inner } => dataset
            .interleave(|x| nested(&x, *count, inner, folder))
            .cycle_length(*cycle_length)
            .block_length(*block_length),
    }
}

/// Code that steps call by name, for plans that are read back.
pub(crate) fn functions() -> Functions {
    Functions::new().with("next", int64(), next)
}

pub(crate) fn int64() -> ElementSpec {
    ElementSpec::Leaf(TensorSpec::scalar(DType::Int64))
}

/// Fails for some.
#[allow(clippy::needless_pass_by_value, reason = "code of the user's gets its element")]
fn next(x: Structure<Tensor>) -> Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>> {
    let number = x.leaves()[0].as_slice::<i64>()[0];
    if number % 13 == 12 {
        Err("no next one".into())
    } else {
        Ok(Tensor::scalar(number.wrapping_add(1)).into())
    }
}

pub(super) fn sum_of(x: Symbolic) -> Symbolic {
    ops::reduce_sum(x, None::<i64>, false)
}

/// Elements of any rank as lists of one to four numbers.
fn list(x: Symbolic) -> Symbolic {
    let sum = ops::reduce_sum(x, None::<i64>, false);
    let digits = Tensor::from_vec(vec![7], vec![3_i64, 1, 4, 1, 5, 9, 2]);
    let texts = Tensor::from_strings(vec![4], ["", "a", "bc", "def"].iter().collect());
    let text = ops::gather(Symbolic::from(texts), sum.clone() % 4, 0);
    let letters = ops::cast(ops::decode_raw(text, DType::UInt8, true), DType::Int64);
    ops::concat([letters, ops::expand_dims(ops::gather(Symbolic::from(digits), sum % 7, 0), 0)], 0)
}

/// `count` elements made of `x`, and a step over them. What has another rank then becomes one number again.
pub(crate) fn nested(x: &Symbolic, count: i64, inner: &Step, folder: &Path) -> Dataset {
    let dataset = Dataset::range(count).map(|y| y * 100 + ops::reduce_sum(x.clone(), None::<i64>, false));
    apply(&dataset, inner, folder).map(|y| ops::reduce_sum(y, None::<i64>, false))
}
