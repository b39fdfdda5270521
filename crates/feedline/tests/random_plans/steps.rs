//! The steps of random pipelines, and how they are drawn.

use proptest::prelude::*;

use super::operations;

/// A step of a random pipeline over elements of any rank, so that steps can follow each other in any order.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Add(i64),
    Fail(i64),
    /// What fails is not used: the row is an error all the same.
    FailUnused(i64),
    /// A choice: one branch draws, and fails for some; the other goes round a few times.
    Branch(i64),
    /// The same element again.
    Same,
    Random,
    Shuffle {
        buffer_size: usize,
        seed: i64,
        reshuffle: bool,
    },
    /// In an order that nobody gave.
    ShuffleAnyhow {
        buffer_size: usize,
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
    RebatchInTurn(Vec<usize>, bool),
    PaddedBatch(usize),
    TakeWhile(i64),
    Scan,
    Reduce,
    Unique,
    Sample {
        seed: i64,
        stops: bool,
    },
    SampleExactly,
    Window {
        size: usize,
        shift: usize,
        stride: usize,
    },
    GroupByWindow(usize),
    ConcatenateItself,
    ZipItself,
    /// An operation of the catalogue, by its number: what it makes of values that follow from the element is added to it.
    Operation(usize),
    Enumerate(i64),
    RaggedBatch {
        size: usize,
        drop_remainder: bool,
    },
    Buckets(usize),
    Pack(usize),
    OnError {
        replaces: bool,
        limit: Option<u64>,
    },
    Choose {
        stops: bool,
    },
    SampleByDataset(i64),
    Resample {
        seed: i64,
        is_known: bool,
    },
    CollectAll,
    FlatMap {
        count: i64,
        inner: Box<Step>,
    },
    Cache,
    CacheInFiles,
    /// Whether its files are all compressed, or those that become smaller.
    Snapshot {
        is_compressed: bool,
    },
    /// Code of the user's, called `next`.
    Native,
    /// Too many or too few elements are an error.
    AssertCardinality(u64),
    /// Ragged tensors, in batches or one by one, taken apart.
    RaggedRows {
        size: usize,
        are_batches: bool,
    },
    /// Sparse tensors in batches, and as many of them taken apart.
    SparseRows {
        size: usize,
        are_batches: bool,
    },
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
pub(crate) fn step() -> impl Strategy<Value = Step> {
    let inner = || flat_step().prop_map(Box::new);
    prop_oneof![
        18 => flat_step(),
        6 => (0..operations::num_calls()).prop_map(Step::Operation),
        1 => Just(Step::Cache),
        1 => Just(Step::CacheInFiles),
        1 => any::<bool>().prop_map(|is_compressed| Step::Snapshot { is_compressed }),
        1 => (0..4_i64).prop_map(Step::CacheInside),
        1 => (0..4_i64, inner()).prop_map(|(count, inner)| Step::FlatMap { count, inner }),
        2 => (0..6_i64, 1..5_usize, 1..4_u64, inner()).prop_map(|(count, cycle_length, block_length, inner)| {
            Step::Interleave { count, cycle_length, block_length, inner }
        }),
    ]
}

/// Steps, many of which have an order or keep one, which nobody gave.
pub(crate) fn unseeded_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..12_usize, any::<bool>())
            .prop_map(|(buffer_size, reshuffle)| Step::ShuffleAnyhow { buffer_size, reshuffle }),
        1 => Just(Step::Cache),
        2 => Just(Step::CacheInFiles),
        1 => any::<bool>().prop_map(|is_compressed| Step::Snapshot { is_compressed }),
        5 => step(),
    ]
}

fn flat_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (-5..5_i64).prop_map(Step::Add),
        (0..7_i64).prop_map(Step::Fail),
        (0..7_i64).prop_map(Step::FailUnused),
        (0..6_i64).prop_map(Step::Branch),
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
        (prop::collection::vec(0..4_usize, 1..4), any::<bool>())
            .prop_map(|(sizes, dropped)| Step::RebatchInTurn([&sizes[..], &[1]].concat(), dropped)),
        (1..5_usize).prop_map(Step::PaddedBatch),
        (0..5_i64).prop_map(Step::TakeWhile),
        Just(Step::Scan),
        Just(Step::Reduce),
        Just(Step::Unique),
        (0..9_i64, any::<bool>()).prop_map(|(seed, stops)| Step::Sample { seed, stops }),
        Just(Step::SampleExactly),
        (1..5_usize, 1..4_usize, 1..3_usize).prop_map(|(size, shift, stride)| Step::Window {
            size,
            shift,
            stride
        }),
        (1..5_usize).prop_map(Step::GroupByWindow),
        Just(Step::ConcatenateItself),
        Just(Step::ZipItself),
        (-3..3_i64).prop_map(Step::Enumerate),
        (1..5_usize, any::<bool>())
            .prop_map(|(size, drop_remainder)| Step::RaggedBatch { size, drop_remainder }),
        (1..4_usize).prop_map(Step::Buckets),
        (2..7_usize).prop_map(Step::Pack),
        (any::<bool>(), proptest::option::of(0..9_u64))
            .prop_map(|(replaces, limit)| Step::OnError { replaces, limit }),
        any::<bool>().prop_map(|stops| Step::Choose { stops }),
        (0..9_i64).prop_map(Step::SampleByDataset),
        (0..9_i64, any::<bool>()).prop_map(|(seed, is_known)| Step::Resample { seed, is_known }),
        Just(Step::CollectAll),
        Just(Step::Native),
        (0..30_u64).prop_map(Step::AssertCardinality),
        (1..5_usize, any::<bool>()).prop_map(|(size, are_batches)| Step::RaggedRows { size, are_batches }),
        (1..5_usize, any::<bool>()).prop_map(|(size, are_batches)| Step::SparseRows { size, are_batches }),
    ]
}

/// Steps that give the same elements, in another order, if their input comes in another order: random values and what filters
/// let through belong to an element, wherever it is.
pub(crate) fn orderless_step() -> impl Strategy<Value = Step> {
    let is_orderless = |step: &Step| {
        !matches!(
            step,
            Step::Take(_) | Step::Skip(_) | Step::Shard { .. } | Step::RepeatForever | Step::ZipItself
        ) && !matches!(
            step,
            Step::Batch { .. } | Step::Rebatch(_) | Step::RebatchInTurn(..) | Step::PaddedBatch(_)
        ) && !matches!(step, Step::TakeWhile(_) | Step::Scan | Step::Reduce | Step::Unique)
            && !matches!(
                step,
                Step::Sample { .. } | Step::SampleExactly | Step::Window { .. } | Step::GroupByWindow(_)
            )
            && !matches!(
                step,
                Step::Enumerate(_) | Step::RaggedBatch { .. } | Step::Buckets(_) | Step::Pack(_)
            )
            && !matches!(step, Step::OnError { .. } | Step::Choose { .. } | Step::SampleByDataset(_))
            && !matches!(
                step,
                Step::Resample { .. }
                    | Step::AssertCardinality(_)
                    | Step::RaggedRows { .. }
                    | Step::SparseRows { .. }
            )
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
