//! What a step of a plan does.

use std::path::PathBuf;
use std::sync::Arc;

use feedline_data::block::Column;
use feedline_data::{ElementSpec, Structure};

use crate::expr::{Expr, ExprKind, ExprNode};
use crate::native::{NativeFunction, NativeSource};
use crate::parts::{CachePlace, CountedStep, FileFormat, Fold, Nested, Padding, SeedPair, Turns, Windows};
use crate::plan::Plan;
use crate::steps::{ErrorPolicy, Packing};

/// What a step does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NodeKind {
    /// Counts from `start` to before `stop` by `step`.
    Range {
        /// First number.
        start: i64,
        /// The number not reached.
        stop: i64,
        /// From one to the next.
        step: i64,
    },
    /// Counts from `start` by `step`, without end.
    Counter {
        /// First number.
        start: i64,
        /// From one to the next.
        step: i64,
    },
    /// Random numbers from 0 to before 2³², without end: tf.data's for these seeds.
    Random {
        /// What the numbers follow from.
        seeds: SeedPair,
        /// Whether each iteration has numbers of its own.
        rerandomize_each_iteration: bool,
    },
    /// Numbers from 0 to before the number of weights, drawn at random: tf.data's for these seeds. Over a dataset of weights, one
    /// for each of its elements; else by `weights`, without end.
    RandomChoice {
        /// How likely each number is, beside the others.
        weights: Vec<f64>,
        /// How many numbers there are; as many weights each element of a dataset of weights must have.
        num_datasets: usize,
        /// What the numbers follow from.
        seeds: SeedPair,
        /// Whether each iteration has numbers of its own.
        rerandomize_each_iteration: bool,
    },
    /// Over a dataset of weights: numbers that each come as often as their weights so far say, to within one at every step.
    ExactChoice {
        /// How many numbers there are; as many weights each element must have.
        num_datasets: usize,
    },
    /// The slices of tensors along their first dimension, a column for each leaf.
    TensorSlices {
        /// All of it, in memory.
        columns: Vec<Column>,
    },
    /// One element, in memory.
    Tensors {
        /// Its tensors, a column of one row for each leaf.
        columns: Vec<Column>,
    },
    /// The rows of files, file after file, as strings.
    Files {
        /// The files.
        paths: Arc<Vec<PathBuf>>,
        /// What their rows are.
        format: FileFormat,
        /// Whether they are read as a stream of pieces, several at a time. Made by the optimizer; it shows in nothing but
        /// speed.
        is_stream: bool,
    },
    /// As `Range`, with numbers that come with the element around it: in a nested plan.
    RangeOf {
        /// First number, the number not reached, from one to the next: int64 scalars.
        bounds: [Expr; 3],
    },
    /// As `Tensors` or `TensorSlices`, with tensors that come with the element around it.
    TensorsOf {
        /// The tensors, one for each leaf.
        tensors: Vec<Expr>,
        /// Whether their slices are the elements.
        is_sliced: bool,
    },
    /// As `Files`, with paths that come with the element around it.
    FilesOf {
        /// One path or several.
        paths: Expr,
        /// What their rows are.
        format: FileFormat,
        /// As in `Files`.
        is_stream: bool,
    },
    /// `repeat`, `take` or `skip` by a number that comes with the element around it.
    CountedBy {
        /// Which of them.
        step: CountedStep,
        /// The number; negative: without end, all.
        count: Expr,
    },
    /// The elements of a dataset made of each element, one dataset after the other.
    FlatMap {
        /// The dataset.
        nested: Nested,
    },
    /// The elements of datasets made of elements, several datasets at a time in turn.
    Interleave {
        /// The datasets.
        nested: Nested,
        /// How they take turns.
        turns: Turns,
    },
    /// Elements that Rust code gives.
    FromIter {
        /// The code.
        source: NativeSource,
    },
    /// A function of each element.
    Map {
        /// The function.
        function: Function,
        /// At most so many elements at a time; `None`: as many as serve.
        num_parallel_calls: Option<usize>,
    },
    /// Whether the results of the map before it come in order. Given up, they come as they are ready, whatever their place; kept, it
    /// says only that the options have no say in it, and the step does nothing.
    Deterministic {
        /// Whether order is kept.
        is_deterministic: bool,
    },
    /// A buffer from which elements are drawn at random: tf.data's order for these seeds.
    Shuffle {
        /// Elements held.
        buffer_size: usize,
        /// What the order follows from.
        seeds: SeedPair,
        /// Whether each iteration has an order of its own.
        reshuffle_each_iteration: bool,
    },
    /// All elements of a source in random order, each read where it lies.
    GlobalShuffle {
        /// What the order follows from.
        seeds: SeedPair,
        /// Whether each iteration has an order of its own.
        reshuffle_each_iteration: bool,
    },
    /// As `Tensors` or `TensorSlices`: the elements of a dataset that is a value of the element around.
    RowsOf {
        /// What the elements are.
        element: ElementSpec,
        /// The tensors that hold them.
        parts: Vec<Expr>,
    },
    /// Runs of elements, each as a dataset.
    Window {
        /// Which runs.
        windows: Windows,
    },
    /// All elements as one: a dataset.
    Collect,
    /// Elements of the same key, so many at a time: each time the key and a dataset of them.
    Group {
        /// An int64.
        key: Expr,
        /// How many; an int64 that depends on the key alone.
        window_size: Expr,
        /// Whether those of a key that are fewer at the end are left out.
        drop_remainder: bool,
    },
    /// Several elements become one, with one more dimension in front.
    Batch {
        /// How many.
        batch_size: usize,
        /// Whether a last batch that is not full is left out.
        drop_remainder: bool,
    },
    /// As `Batch`, of elements of different sizes, which are filled up.
    PaddedBatch {
        /// How many.
        batch_size: usize,
        /// Whether a last batch that is not full is left out.
        drop_remainder: bool,
        /// To which size, and with what.
        padding: Arc<Padding>,
        /// The size of dimensions that are unknown, where it comes with the element around; else that of the largest element.
        fill_to: Option<Expr>,
    },
    /// Batches taken apart and put together in other sizes.
    Rebatch {
        /// How many, in turn.
        batch_sizes: Vec<usize>,
        /// Whether a last batch that is not full is left out.
        drop_remainder: bool,
    },
    /// A map and the batch of it in one: results are computed into their place in the batch. Made by the optimizer; it
    /// saves what the batch would.
    MapAndBatch {
        /// The function.
        function: Function,
        /// At most so many elements at a time; `None`: as many as serve.
        num_parallel_calls: Option<usize>,
        /// How many elements become one.
        batch_size: usize,
        /// Whether a last batch that is not full is left out.
        drop_remainder: bool,
    },
    /// Everything again and again.
    Repeat {
        /// How often; `None`: without end.
        count: Option<u64>,
    },
    /// A shuffle and the repeat of it in one: the next epoch's buffer fills while this one's is handed out. Made by the
    /// optimizer; it saves what the two would.
    ShuffleAndRepeat {
        /// Elements held.
        buffer_size: usize,
        /// What the order follows from.
        seeds: SeedPair,
        /// Whether each epoch has an order of its own.
        reshuffle_each_iteration: bool,
        /// How often; `None`: without end.
        count: Option<u64>,
    },
    /// The first elements.
    Take {
        /// How many; `None`: all.
        count: Option<u64>,
    },
    /// All but the first elements.
    Skip {
        /// How many; `None`: all.
        count: Option<u64>,
    },
    /// Of every `num_shards` elements one.
    Shard {
        /// How many shards there are.
        num_shards: u64,
        /// Which one this is.
        index: u64,
    },
    /// Only the elements of which a predicate is true.
    Filter {
        /// One bool.
        predicate: Expr,
    },
    /// The elements before the first of which a predicate is false.
    TakeWhile {
        /// One bool.
        predicate: Expr,
    },
    /// What a function makes of each element and a state, which it hands on to the next.
    Scan {
        /// The function gives the next state and the element that comes out.
        fold: Fold,
    },
    /// The state behind the last element.
    Reduce {
        /// The function gives the next state.
        fold: Fold,
    },
    /// Each element the first time it comes.
    Unique,
    /// The element, if there is one and no more.
    Single,
    /// The elements, if there are so many.
    AssertCardinality {
        /// How many there must be; `None`: no end.
        expected: Option<u64>,
    },
    /// Elements of the second and later inputs: of which one, says the first.
    Choose {
        /// Whether it ends with the first input that has no element when it is chosen; else that choice is passed over.
        stop_on_empty_dataset: bool,
    },
    /// Each element with its number.
    Enumerate {
        /// The number of the first.
        start: i64,
    },
    /// Sequences side by side in rows of one length.
    Pack {
        /// How.
        packing: Packing,
    },
    /// The slices of each element as elements.
    Unbatch,
    /// Elements without the errors among them.
    IgnoreErrors,
    /// Elements, with what is done about the errors among them.
    OnError {
        /// What is done.
        policy: ErrorPolicy,
    },
    /// One input after the other.
    Concatenate,
    /// The inputs side by side.
    Zip {
        /// How the inputs hang together.
        structure: Structure<()>,
    },
    /// Elements kept as they come for the first time, and given again from there.
    Cache {
        /// Where they are kept.
        place: CachePlace,
    },
    /// A place where work runs ahead of the consumer.
    Prefetch {
        /// At most so many elements; `None`: as many as serve.
        buffer_size: Option<usize>,
    },
}

/// A function of an element.
#[derive(Clone, Debug)]
pub enum Function {
    /// Traced: what comes out, as expressions over the leaves that go in.
    Traced(Structure<Expr>),
    /// Rust code that cannot be looked into.
    Native(NativeFunction),
}

impl NodeKind {
    /// The dataset it makes of each element, if it makes one.
    pub fn nested(&self) -> Option<&Nested> {
        match self {
            NodeKind::FlatMap { nested } | NodeKind::Interleave { nested, .. } => Some(nested),
            _ => None,
        }
    }

    /// The same step with another plan for the dataset it makes of each element.
    ///
    /// # Panics
    /// If it makes none.
    #[must_use]
    pub fn with_nested_plan(&self, plan: Plan) -> NodeKind {
        let mut kind = self.clone();
        match &mut kind {
            NodeKind::FlatMap { nested } | NodeKind::Interleave { nested, .. } => nested.plan = plan,
            other => panic!("{other} makes no datasets"),
        }
        kind
    }

    /// What its order or its values follow from, if they are random.
    pub fn seeds(&self) -> Option<SeedPair> {
        match self {
            NodeKind::Shuffle { seeds, .. }
            | NodeKind::GlobalShuffle { seeds, .. }
            | NodeKind::ShuffleAndRepeat { seeds, .. }
            | NodeKind::Random { seeds, .. }
            | NodeKind::RandomChoice { seeds, .. } => Some(*seeds),
            _ => None,
        }
    }

    /// The same step with other seeds, where it has any.
    #[must_use]
    pub fn with_seeds(&self, new: SeedPair) -> NodeKind {
        let mut kind = self.clone();
        if let NodeKind::Shuffle { seeds, .. }
        | NodeKind::GlobalShuffle { seeds, .. }
        | NodeKind::ShuffleAndRepeat { seeds, .. }
        | NodeKind::Random { seeds, .. }
        | NodeKind::RandomChoice { seeds, .. } = &mut kind
        {
            *seeds = new;
        }
        kind
    }

    /// The same step with its files read one after the other, as the user wrote it; `None` where they are, or there are none.
    pub(crate) fn without_stream(&self) -> Option<NodeKind> {
        match self {
            NodeKind::Files { is_stream: true, .. } | NodeKind::FilesOf { is_stream: true, .. } => {
                Some(self.with_stream(false))
            }
            _ => None,
        }
    }

    /// The same step with its files, if it has some, read as a stream or not.
    pub(crate) fn with_stream(&self, is_wanted: bool) -> NodeKind {
        let mut kind = self.clone();
        if let NodeKind::Files { is_stream, .. } | NodeKind::FilesOf { is_stream, .. } = &mut kind {
            *is_stream = is_wanted;
        }
        kind
    }

    /// The step's name, as users type it.
    pub fn name(&self) -> &'static str {
        match self {
            NodeKind::Range { .. } | NodeKind::RangeOf { .. } => "range",
            NodeKind::TensorSlices { .. } | NodeKind::TensorsOf { is_sliced: true, .. } => {
                "from_tensor_slices"
            }
            NodeKind::Tensors { .. } | NodeKind::TensorsOf { is_sliced: false, .. } => "from_tensors",
            NodeKind::Files { format, .. } | NodeKind::FilesOf { format, .. } => match format {
                FileFormat::TfRecord => "tf_record",
                FileFormat::TextLine => "text_line",
                FileFormat::FixedLength(_) => "fixed_length_record",
                FileFormat::Csv(_) => "csv_record",
            },
            NodeKind::Counter { .. } => "counter",
            NodeKind::Random { .. } => "random",
            NodeKind::RandomChoice { .. } => "random_choice",
            NodeKind::ExactChoice { .. } => "exact_choice",
            NodeKind::RowsOf { .. } => "rows",
            NodeKind::Window { .. } => "window",
            NodeKind::Collect => "collect",
            NodeKind::Group { .. } => "group",
            NodeKind::PaddedBatch { .. } => "padded_batch",
            NodeKind::Rebatch { .. } => "rebatch",
            NodeKind::TakeWhile { .. } => "take_while",
            NodeKind::Scan { .. } => "scan",
            NodeKind::Reduce { .. } => "reduce",
            NodeKind::Unique => "unique",
            NodeKind::Single => "single",
            NodeKind::AssertCardinality { .. } => "assert_cardinality",
            NodeKind::Choose { .. } => "choose_from_datasets",
            NodeKind::FlatMap { .. } => "flat_map",
            NodeKind::Interleave { .. } => "interleave",
            NodeKind::FromIter { .. } => "from_iter",
            NodeKind::Map { .. } => "map",
            NodeKind::Deterministic { .. } => "deterministic",
            NodeKind::Take { .. } | NodeKind::CountedBy { step: CountedStep::Take, .. } => "take",
            NodeKind::Skip { .. } | NodeKind::CountedBy { step: CountedStep::Skip, .. } => "skip",
            NodeKind::Shard { .. } => "shard",
            NodeKind::Filter { .. } => "filter",
            NodeKind::Enumerate { .. } => "enumerate",
            NodeKind::Pack { .. } => "pack",
            NodeKind::Unbatch => "unbatch",
            NodeKind::IgnoreErrors => "ignore_errors",
            NodeKind::OnError { .. } => "on_error",
            NodeKind::Concatenate => "concatenate",
            NodeKind::Zip { .. } => "zip",
            NodeKind::Shuffle { .. } => "shuffle",
            NodeKind::GlobalShuffle { .. } => "global_shuffle",
            NodeKind::Batch { .. } => "batch",
            NodeKind::MapAndBatch { .. } => "map_and_batch",
            NodeKind::Repeat { .. } | NodeKind::CountedBy { step: CountedStep::Repeat, .. } => "repeat",
            NodeKind::ShuffleAndRepeat { .. } => "shuffle_and_repeat",
            NodeKind::Cache { .. } => "cache",
            NodeKind::Prefetch { .. } => "prefetch",
        }
    }
}

impl Function {
    /// The spec of what it returns.
    pub fn output_spec(&self) -> ElementSpec {
        match self {
            Function::Traced(result) => result.map(|expr| expr.spec().clone()),
            Function::Native(native) => native.output.clone(),
        }
    }

    /// Whether there are elements that it may fail for.
    pub fn can_fail(&self) -> bool {
        let fails = |node: &ExprNode| matches!(&node.kind, ExprKind::Call(call) if call.operation.can_fail);
        match self {
            Function::Traced(result) => result.leaves().iter().any(|expr| expr.any(&mut |node| fails(node))),
            Function::Native(_) => true,
        }
    }
}
