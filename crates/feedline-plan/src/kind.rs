//! What a step of a plan does.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use feedline_data::block::Column;
use feedline_data::{ElementSpec, Structure};
use serde::{Deserialize, Serialize};

use crate::expr::{Expr, ExprKind, ExprNode};
use crate::native::{NativeFunction, NativeSource};
use crate::plan::Plan;
use crate::steps::ErrorPolicy;

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
    /// What the map before it has ready, whatever its place: `deterministic(false)`.
    Unordered,
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
    /// Several elements become one, with one more dimension in front.
    Batch {
        /// How many.
        batch_size: usize,
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
    /// Each element with its number.
    Enumerate {
        /// The number of the first.
        start: i64,
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

/// Where a cache keeps its elements.
#[derive(Clone, Debug)]
pub enum CachePlace {
    /// In memory, as long as there is a plan with this step.
    Memory(CacheCell),
    /// In a folder of files.
    Folder {
        /// The folder.
        path: PathBuf,
        /// The steps whose elements they are, as written: what a folder that is there already is compared with.
        upstream: Arc<Vec<String>>,
    },
}

/// Where whoever runs a plan keeps what a cache in memory holds. It belongs to the step: copies of the step, also those
/// the optimizer makes, are copies of the handle, and so all iterators of a dataset have one cache together. Empty as long
/// as nothing runs; a plan never looks inside.
#[derive(Clone, Debug, Default)]
pub struct CacheCell(Arc<OnceLock<Arc<dyn Any + Send + Sync>>>);

impl CacheCell {
    /// What is kept here, made by the first who asks; `None` if that was something of another type.
    pub fn get_or_init<T: Any + Send + Sync + Default>(&self) -> Option<Arc<T>> {
        Arc::clone(self.0.get_or_init(|| Arc::new(T::default()))).downcast().ok()
    }

    /// Whether both are the same cache.
    pub(crate) fn is_same(&self, other: &CacheCell) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What the rows of files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Records of TFRecord files, compressed or not.
    TfRecord,
    /// Lines of text, without their ends.
    TextLine,
}

/// A dataset made of an element: a plan, and what it is started with.
#[derive(Clone, Debug)]
pub struct Nested {
    /// Values of the element, which steps of the plan refer to by number ([`ExprKind::Outer`]).
    pub captures: Vec<Expr>,
    /// The plan.
    pub plan: Plan,
}

/// How datasets take turns in an `interleave`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    /// How many take turns.
    pub cycle_length: usize,
    /// Elements a turn has.
    pub block_length: u64,
    /// At most so many work at a time; `None`: as many as serve.
    pub num_parallel_calls: Option<usize>,
    /// Whether one that has nothing ready is waited for.
    pub is_deterministic: bool,
}

/// The steps that count to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedStep {
    /// Everything again and again.
    Repeat,
    /// The first elements.
    Take,
    /// All but the first elements.
    Skip,
}

/// The two seeds of a shuffle, as TensorFlow's kernels take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedPair {
    /// First seed.
    pub seed: i64,
    /// Second seed.
    pub seed2: i64,
    /// Whether the user gave them; seeds drawn for the user are no part of what the plan is.
    pub is_given: bool,
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
            },
            NodeKind::FlatMap { .. } => "flat_map",
            NodeKind::Interleave { .. } => "interleave",
            NodeKind::FromIter { .. } => "from_iter",
            NodeKind::Map { .. } => "map",
            NodeKind::Unordered => "deterministic",
            NodeKind::Take { .. } | NodeKind::CountedBy { step: CountedStep::Take, .. } => "take",
            NodeKind::Skip { .. } | NodeKind::CountedBy { step: CountedStep::Skip, .. } => "skip",
            NodeKind::Shard { .. } => "shard",
            NodeKind::Filter { .. } => "filter",
            NodeKind::Enumerate { .. } => "enumerate",
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
