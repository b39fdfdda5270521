//! Random pipelines: every mode gives the same, and every state resumes.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "engine_support/images.rs"]
mod engine_images;
mod engine_soak;
mod engine_support;

use std::path::{Path, PathBuf};

use engine_support::{ENOUGH, check, check_of, folder_for_caches, modes, remove_cache, show};
use feedline::data::block::Tensor;
use feedline::data::{DType, Shape, Structure};
use feedline::formats::Compression;
use feedline::formats::example::ExampleWriter;
use feedline::plan::expr::Feature;
use feedline::records::RecordWriter;
use feedline::{Dataset, Elements, Functions, State, Symbolic, ops};
use proptest::prelude::*;

/// A step of a random pipeline over elements of any rank, so that steps can follow each other in any order.
#[derive(Clone, Debug)]
enum Step {
    Add(i64),
    Fail(i64),
    /// What fails is not used: the row is an error all the same.
    FailUnused(i64),
    /// The same element again.
    Same,
    Random,
    Shuffle {
        buffer_size: usize,
        seed: i64,
        reshuffle: bool,
    },
    Batch {
        size: usize,
        drop_remainder: bool,
    },
    Repeat(u64),
    RepeatForever,
    Prefetch(Option<usize>),
    Take(u64),
    Skip(u64),
    Shard {
        num_shards: u64,
        index: u64,
    },
    Filter(i64),
    /// A filter of what a map before it passes through, which can go first; what the map computes fails for some.
    FilterOfMapped(i64),
    /// An image for each element, some of them broken, decoded, cropped and scaled; in one map or in two.
    Image {
        is_split: bool,
    },
    IgnoreErrors,
    Rebatch(usize),
    ConcatenateItself,
    ZipItself,
    FlatMap {
        count: i64,
        inner: Box<Step>,
    },
    Cache,
    CacheInFiles,
    /// A dataset for each element, of what all of them have in common.
    CacheInside(i64),
    Interleave {
        count: i64,
        cycle_length: usize,
        block_length: u64,
        inner: Box<Step>,
    },
}

/// Steps, some of them with a step inside.
fn step() -> impl Strategy<Value = Step> {
    let inner = || flat_step().prop_map(Box::new);
    prop_oneof![
        18 => flat_step(),
        1 => Just(Step::Cache),
        1 => Just(Step::CacheInFiles),
        1 => (0..4_i64).prop_map(Step::CacheInside),
        1 => (0..4_i64, inner()).prop_map(|(count, inner)| Step::FlatMap { count, inner }),
        2 => (0..6_i64, 1..5_usize, 1..4_u64, inner()).prop_map(|(count, cycle_length, block_length, inner)| {
            Step::Interleave { count, cycle_length, block_length, inner }
        }),
    ]
}

fn flat_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (-5..5_i64).prop_map(Step::Add),
        (0..7_i64).prop_map(Step::Fail),
        (0..7_i64).prop_map(Step::FailUnused),
        Just(Step::Same),
        Just(Step::Random),
        (1..12_usize, 0..9_i64, any::<bool>()).prop_map(|(buffer_size, seed, reshuffle)| Step::Shuffle {
            buffer_size,
            seed,
            reshuffle
        }),
        (1..5_usize, any::<bool>()).prop_map(|(size, drop_remainder)| Step::Batch { size, drop_remainder }),
        (0..4_u64).prop_map(Step::Repeat),
        Just(Step::RepeatForever),
        proptest::option::of(0..4_usize).prop_map(Step::Prefetch),
        (0..30_u64).prop_map(Step::Take),
        (0..30_u64).prop_map(Step::Skip),
        (1..4_u64, 0..4_u64)
            .prop_map(|(num_shards, index)| Step::Shard { num_shards, index: index % num_shards }),
        (0..5_i64).prop_map(Step::Filter),
        (0..7_i64).prop_map(Step::FilterOfMapped),
        any::<bool>().prop_map(|is_split| Step::Image { is_split }),
        Just(Step::IgnoreErrors),
        (1..5_usize).prop_map(Step::Rebatch),
        Just(Step::ConcatenateItself),
        Just(Step::ZipItself),
    ]
}

/// `folder` is where a cache in files may be.
fn apply(dataset: &Dataset, step: &Step, folder: &Path) -> Dataset {
    match step {
        Step::Cache => dataset.cache(),
        Step::CacheInFiles => dataset.cache_to(folder),
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
        Step::Image { is_split } => {
            let decoded = |x: Symbolic| {
                let number = ops::reduce_sum(&x, None::<i64>, false) % engine_images::FILES.len() as i64;
                let bytes = ops::gather(Symbolic::from(engine_images::files()), number, 0);
                Symbolic::from((ops::image::decode_jpeg(bytes, 3, 1, ""), x))
            };
            let scaled = |pair: Symbolic| {
                let (scale, ratio) = ([0.1, 1.0], [0.5, 2.0]);
                let image =
                    ops::image::random_resized_crop(pair.at(0), [3, 4], scale, ratio, "bilinear", false, 4);
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
        Step::ConcatenateItself => dataset.concatenate(dataset),
        Step::ZipItself => {
            let pair = Structure::Tuple(vec![dataset.clone().into(), dataset.clone().into()]);
            Dataset::zip(&pair).map(|pair| pair.at(0) + pair.at(1))
        }
        Step::FlatMap { count, inner } => dataset.flat_map(|x| nested(&x, *count, inner, folder)),
        Step::Interleave { count, cycle_length, block_length, inner } => dataset
            .interleave(|x| nested(&x, *count, inner, folder))
            .cycle_length(*cycle_length)
            .block_length(*block_length),
    }
}

/// `count` elements made of `x`, and a step over them. What has another rank then becomes one number again.
fn nested(x: &Symbolic, count: i64, inner: &Step, folder: &Path) -> Dataset {
    let dataset = Dataset::range(count).map(|y| y * 100 + ops::reduce_sum(x.clone(), None::<i64>, false));
    apply(&dataset, inner, folder).map(|y| ops::reduce_sum(y, None::<i64>, false))
}

/// Where the elements of a random pipeline come from: the same kind of numbers each time.
#[derive(Clone, Copy, Debug)]
enum Source {
    Range,
    Memory,
    /// Records of two files, one of them compressed, parsed; some do not parse.
    Records,
    /// The same, with a record of each file in turn.
    RecordsInTurn,
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        3 => Just(Source::Range),
        3 => Just(Source::Memory),
        1 => Just(Source::Records),
        1 => Just(Source::RecordsInTurn),
    ]
}

impl Source {
    /// `count` elements; files go to `folder`.
    fn dataset(self, count: i64, folder: &Path) -> Dataset {
        match self {
            Source::Range => Dataset::range(count),
            Source::Memory => {
                // Values that are not the numbers of their rows.
                let values: Vec<i64> = (0..count).map(|row| row * 3 + 100).collect();
                Dataset::from_tensor_slices(Tensor::from_vec(vec![count as usize], values))
            }
            Source::Records | Source::RecordsInTurn => {
                let compressions = [None, Some(Compression::Gzip)];
                let files = compressions.iter().zip([0..count / 2, count / 2..count]);
                for (file, (compression, numbers)) in files.enumerate() {
                    let path = folder.join(format!("{file}.tfrecord"));
                    let mut writer = RecordWriter::create(path, *compression).unwrap();
                    for number in numbers {
                        // Every ninth lacks the number.
                        let key = if number % 9 == 8 { "none" } else { "number" };
                        writer.write(&ExampleWriter::new().int64(key, &[number]).to_bytes()).unwrap();
                    }
                    writer.finish().unwrap();
                }
                let files = [folder.join("*.tfrecord")];
                let records = match self {
                    Source::Records => Dataset::tf_record(&files).unwrap(),
                    _ => Dataset::list_files_sorted(&files).unwrap().interleave(Dataset::tf_record_file),
                };
                let features = [("number", Feature::fixed_len(&[], DType::Int64))];
                records.map(|record| ops::parse_single_example(record, features).get("number"))
            }
        }
    }
}

/// An eighth of the usual number: each case runs in eighteen modes and resumes everywhere. `PROPTEST_CASES=5000` for a night.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 8, max_shrink_iters: 200, ..usual }
}

/// It, written as text and read back.
fn read_back(dataset: &Dataset) -> Dataset {
    let text = dataset.to_text().unwrap();
    let again =
        Dataset::from_text(&text, &Functions::new()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (plan, read) = (dataset.plan().unwrap(), again.plan().unwrap());
    assert_eq!(read.lines(), plan.lines());
    assert_eq!((read.spec(), read.cardinality()), (plan.spec(), plan.cardinality()));
    assert_eq!(read.fingerprint(), plan.fingerprint());
    assert_eq!(again.to_text().unwrap(), text);
    again
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_pipeline_is_the_same_in_every_mode_and_resumes_everywhere(
        count in 0..40_i64,
        source in source(),
        steps in prop::collection::vec(step(), 0..6),
        is_made_anew in any::<bool>(),
    ) {
        let folder = folder_for_caches();
        let folders: Vec<PathBuf> = (0..steps.len()).map(|step| folder.path().join(step.to_string())).collect();
        let source = source.dataset(count, folder.path());
        let make = || {
            let steps = steps.iter().zip(&folders);
            steps.fold(source.clone(), |dataset, (step, folder)| apply(&dataset, step, folder))
        };
        let dataset = make();
        // One dataset for all, so that caches are filled by the first, or one each, as in processes of their own.
        let items = if is_made_anew {
            check_of(&|| {
                folders.iter().for_each(|folder| remove_cache(folder));
                make()
            })
        } else {
            check(&dataset)
        };
        let again = read_back(&dataset).with_options(modes().remove(0).1);
        let read: Vec<String> = again.iterator_of(0).unwrap().take(ENOUGH).map(|item| show(&item)).collect();
        prop_assert_eq!(&read, &items);
        // What the plan says about the number of elements is true where no error takes a place, not even one nobody sees.
        let known = dataset.cardinality().unwrap();
        let can_fail = ["Fail", "Mapped"].iter().any(|name| format!("{steps:?}").contains(name));
        if known >= 0 && items.len() < ENOUGH && !can_fail {
            prop_assert_eq!(items.len() as i64, known);
        }
    }
}

/// Steps that give the same elements, in another order, if their input comes in another order: random values and what filters
/// let through belong to an element, wherever it is.
fn orderless_step() -> impl Strategy<Value = Step> {
    let is_orderless = |step: &Step| {
        !matches!(
            step,
            Step::Take(_) | Step::Skip(_) | Step::Shard { .. } | Step::RepeatForever | Step::ZipItself
        ) && !matches!(step, Step::Batch { .. } | Step::Rebatch(_))
    };
    let inner = || flat_step().prop_filter("order would show", is_orderless).prop_map(Box::new);
    prop_oneof![
        8 => flat_step().prop_filter("order would show", is_orderless),
        1 => Just(Step::Cache),
        1 => (0..4_i64, inner()).prop_map(|(count, inner)| Step::FlatMap { count, inner }),
        1 => (0..4_i64, 1..5_usize, 1..4_u64, inner()).prop_map(|(count, cycle_length, block_length, inner)| {
            Step::Interleave { count, cycle_length, block_length, inner }
        }),
    ]
}

/// The numbers in batches.
fn numbers_in(batches: impl Iterator<Item = <Elements as Iterator>::Item>) -> impl Iterator<Item = i64> {
    batches.flat_map(|batch| batch.unwrap().leaves()[0].as_slice::<i64>().to_vec())
}

/// It, with some elements that take longer than others.
fn slowly(dataset: &Dataset) -> Dataset {
    dataset.map_native("slowly", dataset.element_spec().unwrap().clone(), |element| {
        let is_slow = element.leaves()[0].as_slice::<i64>()[0] % 3 == 0;
        (0..if is_slow { 2000 } else { 0 }).for_each(|_| std::hint::spin_loop());
        Ok(element)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn where_order_is_given_up_every_element_comes_exactly_once_whenever_it_is_interrupted(
        count in 0..40_i64,
        before in prop::collection::vec(step(), 0..3),
        is_map in any::<bool>(),
        behind in prop::collection::vec(orderless_step(), 0..4),
        batch_size in 1..4_usize,
        stops in prop::collection::vec(0..40_usize, 2),
    ) {
        let folder = folder_for_caches();
        let folders: Vec<PathBuf> = (0..before.len()).map(|step| folder.path().join(step.to_string())).collect();
        let steps = before.iter().zip(&folders);
        let source = steps.fold(Dataset::range(count), |dataset, (step, folder)| apply(&dataset, step, folder));
        let source = source.take(60).map(|x| ops::reduce_sum(x, None::<i64>, false));
        let make = |is_deterministic: bool| {
            let dataset = if is_map {
                slowly(&source)
            } else {
                source.interleave(|x| slowly(&nested(&x, 3, &Step::Same, folder.path())))
            };
            let steps = behind.iter();
            let dataset = steps.fold(dataset.deterministic(is_deterministic), |dataset, step| {
                apply(&dataset, step, folder.path())
            });
            // Sorted items are all that can be compared, and batches of errors cannot be.
            dataset.ignore_errors().batch(batch_size)
        };
        let mut expected: Vec<i64> = numbers_in(make(true).iterator_of(0).unwrap()).collect();
        expected.sort_unstable();
        let (dataset, modes) = (make(false), modes());
        for (index, (name, options)) in modes.iter().enumerate() {
            let mut elements = dataset.with_options(options.clone()).iterator_of(0).unwrap();
            let mut found: Vec<i64> = Vec::new();
            for (stop, &count) in stops.iter().enumerate() {
                found.extend(numbers_in(elements.by_ref().take(count)));
                let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
                let (_, options) = &modes[(index * 5 + 3 * stop + 3) % modes.len()];
                elements = dataset.with_options(options.clone()).resume(&state).unwrap();
            }
            found.extend(numbers_in(elements));
            found.sort_unstable();
            prop_assert_eq!(&found, &expected, "begun {}", name);
        }
    }
}

/// As above over tuples, where what belongs together must stay together.
#[test]
fn columns_of_an_element_stay_together() {
    let dataset = Dataset::range(60)
        .map(|x| Symbolic::from((x.clone(), ops::cast(x * 3, DType::Float32))))
        .shuffle(13)
        .seed(1)
        .repeat(2)
        .shuffle(7)
        .seed(2)
        .map(|pair| ops::cast(pair.at(0) * 3, DType::Float32) - pair.at(1))
        .batch(9);
    for item in check(&dataset) {
        assert!(item.trim_matches(['[', ']']).split(", ").all(|value| value == "0.0"), "{item}");
    }
}
