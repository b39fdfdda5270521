//! Random pipelines: every mode gives the same, and every state resumes.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use engine_support::{ENOUGH, check};
use feedline::data::block::Tensor;
use feedline::data::{DType, Shape, Structure};
use feedline::{Dataset, Symbolic, ops};
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
    IgnoreErrors,
    Rebatch(usize),
    ConcatenateItself,
    ZipItself,
}

fn step() -> impl Strategy<Value = Step> {
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
        Just(Step::IgnoreErrors),
        (1..5_usize).prop_map(Step::Rebatch),
        Just(Step::ConcatenateItself),
        Just(Step::ZipItself),
    ]
}

fn apply(dataset: &Dataset, step: &Step) -> Dataset {
    match step {
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
        Step::IgnoreErrors => dataset.ignore_errors(),
        Step::Rebatch(size) => dataset.batch(*size).unbatch(),
        Step::ConcatenateItself => dataset.concatenate(dataset),
        Step::ZipItself => {
            let pair = Structure::Tuple(vec![dataset.clone().into(), dataset.clone().into()]);
            Dataset::zip(&pair).map(|pair| pair.at(0) + pair.at(1))
        }
    }
}

proptest! {
    // An eighth of the usual number: each case runs in eighteen modes and resumes everywhere. PROPTEST_CASES=5000 for a night.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases / 8,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_pipeline_is_the_same_in_every_mode_and_resumes_everywhere(
        count in 0..40_i64,
        in_memory in any::<bool>(),
        steps in prop::collection::vec(step(), 0..6),
    ) {
        let source = if in_memory {
            // Values that are not the numbers of their rows.
            let values: Vec<i64> = (0..count).map(|row| row * 3 + 100).collect();
            Dataset::from_tensor_slices(Tensor::from_vec(vec![count as usize], values))
        } else {
            Dataset::range(count)
        };
        let dataset = steps.iter().fold(source, |dataset, step| apply(&dataset, step));
        let items = check(&dataset);
        // What the plan says about the number of elements is true where no error took a place.
        let known = dataset.cardinality().unwrap();
        if known >= 0 && items.len() < ENOUGH && !items.iter().any(|item| item.starts_with("error")) {
            prop_assert_eq!(items.len() as i64, known);
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
