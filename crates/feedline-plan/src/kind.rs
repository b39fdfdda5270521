//! What a step of a plan does.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use feedline_data::block::{Column, Tensor, mix};
use feedline_data::{DType, ElementSpec, Structure};
use serde::{Deserialize, Serialize};

use crate::expr::Expr;
use crate::plan::{Plan, hash_of};
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
    /// Values of the element, which steps of the plan refer to by number ([`ExprKind::Outer`](crate::expr::ExprKind::Outer)).
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

/// Rust code as a step of a plan: known by name.
#[derive(Clone)]
pub struct NativeFunction {
    /// How errors, `explain` and checkpoints call it.
    pub name: String,
    /// The spec of what it returns.
    pub output: ElementSpec,
    /// The code; an error is one of its element.
    pub call: Arc<NativeCall>,
    /// The language whose runtime runs it, if it is not Rust's. It may then wait for a lock of that runtime at any time, and
    /// so never runs on the threads that compute.
    pub runtime: Option<&'static str>,
}

/// Rust code as a source of a plan: known by name.
#[derive(Clone)]
pub struct NativeSource {
    /// How errors, `explain` and checkpoints call it.
    pub name: String,
    /// The spec of its elements.
    pub spec: ElementSpec,
    /// Makes an iterator over all elements, from the first; the same ones each time.
    pub iterate: Arc<NativeIterate>,
}

/// The code of a [`NativeSource`].
pub type NativeIterate = dyn Fn() -> NativeElements + Send + Sync;

/// The elements of a [`NativeSource`]; an error takes the place of an element.
pub type NativeElements = Box<
    dyn Iterator<Item = std::result::Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>>
        + Send,
>;

impl fmt::Debug for NativeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NativeSource({})", self.name)
    }
}

/// The code of a [`NativeFunction`].
pub type NativeCall = dyn Fn(Structure<Tensor>) -> std::result::Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>
    + Send
    + Sync;

impl fmt::Debug for NativeFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NativeFunction({})", self.name)
    }
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

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            NodeKind::Range { start, stop, step } => write!(f, "({start}, {stop}, {step})"),
            NodeKind::TensorSlices { columns } | NodeKind::Tensors { columns } => {
                let columns: Vec<String> = columns.iter().map(text_of_column).collect();
                write!(f, "({})", columns.join(", "))
            }
            NodeKind::RangeOf { bounds: [start, stop, step] } => write!(f, "({start}, {stop}, {step})"),
            NodeKind::TensorsOf { tensors, .. } => write!(f, "({})", text_of_exprs(tensors)),
            NodeKind::FilesOf { paths, is_stream, .. } => {
                write!(f, "({paths}{})", text_of_stream(*is_stream))
            }
            NodeKind::CountedBy { count, .. } => write!(f, "({count})"),
            NodeKind::FlatMap { nested } => write!(f, "({})", text_of_exprs(&nested.captures)),
            NodeKind::Interleave { nested, turns } => {
                let captures = text_of_exprs(&nested.captures);
                let comma = if captures.is_empty() { "" } else { ", " };
                write!(f, "({captures}{comma}{turns})")
            }
            NodeKind::Map { function, num_parallel_calls } => {
                write!(f, "({function}{})", text_of_calls(*num_parallel_calls))
            }
            NodeKind::Unordered => f.write_str("(false)"),
            NodeKind::MapAndBatch { function, num_parallel_calls, batch_size, drop_remainder } => {
                let dropped = if *drop_remainder { ", drop_remainder=true" } else { "" };
                write!(f, "({function}{}, {batch_size}{dropped})", text_of_calls(*num_parallel_calls))
            }
            NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration } => {
                write!(f, "({})", text_of_shuffle(*buffer_size, *seeds, *reshuffle_each_iteration))
            }
            NodeKind::GlobalShuffle { seeds, reshuffle_each_iteration } => {
                let given = seeds.is_given.then(|| format!("seeds=({}, {})", seeds.seed, seeds.seed2));
                let fixed = (!reshuffle_each_iteration).then(|| "reshuffle_each_iteration=false".to_owned());
                write!(f, "({})", given.into_iter().chain(fixed).collect::<Vec<_>>().join(", "))
            }
            NodeKind::ShuffleAndRepeat { buffer_size, seeds, reshuffle_each_iteration, count } => {
                let shuffle = text_of_shuffle(*buffer_size, *seeds, *reshuffle_each_iteration);
                match count {
                    Some(count) => write!(f, "({shuffle}, count={count})"),
                    None => write!(f, "({shuffle})"),
                }
            }
            NodeKind::Batch { batch_size, drop_remainder } => {
                write!(f, "({batch_size}{})", if *drop_remainder { ", drop_remainder=true" } else { "" })
            }
            NodeKind::Repeat { count: Some(count) }
            | NodeKind::Take { count: Some(count) }
            | NodeKind::Skip { count: Some(count) } => write!(f, "({count})"),
            NodeKind::Take { count: None } | NodeKind::Skip { count: None } => f.write_str("(-1)"),
            NodeKind::Shard { num_shards, index } => write!(f, "({num_shards}, {index})"),
            NodeKind::Filter { predicate } => write!(f, "({predicate})"),
            NodeKind::Files { paths, is_stream, .. } => match &paths[..] {
                [] => f.write_str("(no files)"),
                [only] => write!(f, "({}{})", only.display(), text_of_stream(*is_stream)),
                [first, ..] => {
                    let names: Vec<&[u8]> =
                        paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
                    let hash = hash_of(&names.join(&b'\n'));
                    let stream = text_of_stream(*is_stream);
                    write!(f, "({} and {} more#{hash:016x}{stream})", first.display(), paths.len() - 1)
                }
            },
            NodeKind::Enumerate { start } => write!(f, "({start})"),
            NodeKind::OnError { policy } => write!(f, "({policy})"),
            NodeKind::FromIter { source } => write!(f, "({} -> {})", source.name, source.spec),
            NodeKind::Zip { structure } => write!(f, "({})", structure.map(|()| "_")),
            NodeKind::Prefetch { buffer_size: Some(size) } => write!(f, "({size})"),
            NodeKind::Cache { place: CachePlace::Folder { path, .. } } => write!(f, "({})", path.display()),
            NodeKind::Repeat { count: None }
            | NodeKind::Cache { place: CachePlace::Memory(_) }
            | NodeKind::Prefetch { buffer_size: None }
            | NodeKind::Unbatch
            | NodeKind::IgnoreErrors
            | NodeKind::Concatenate => f.write_str("()"),
        }
    }
}

impl fmt::Display for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle_length={}, block_length={}", self.cycle_length, self.block_length)?;
        if let Some(calls) = self.num_parallel_calls {
            write!(f, ", num_parallel_calls={calls}")?;
        }
        f.write_str(if self.is_deterministic { "" } else { ", deterministic=false" })
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
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Traced(result) => write!(f, "{result}"),
            Function::Native(native) => {
                write!(f, "{} {} -> {}", native.runtime.unwrap_or("native"), native.name, native.output)
            }
        }
    }
}

fn text_of_calls(num_parallel_calls: Option<usize>) -> String {
    num_parallel_calls.map_or_else(String::new, |calls| format!(", num_parallel_calls={calls}"))
}

fn text_of_stream(is_stream: bool) -> &'static str {
    if is_stream { ", read as a stream" } else { "" }
}

fn text_of_exprs(exprs: &[Expr]) -> String {
    exprs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn text_of_shuffle(buffer_size: usize, seeds: SeedPair, reshuffle_each_iteration: bool) -> String {
    let given =
        if seeds.is_given { format!(", seeds=({}, {})", seeds.seed, seeds.seed2) } else { String::new() };
    let fixed = if reshuffle_each_iteration { "" } else { ", reshuffle_each_iteration=false" };
    format!("{buffer_size}{given}{fixed}")
}

/// A constant as a reader wants it: its value if it is one, else what it is and a hash of the values.
pub(crate) fn text_of_tensor(tensor: &Tensor) -> String {
    macro_rules! number {
        ($($dtype:ident $rust:ty),*) => {
            match tensor.dtype() {
                $(DType::$dtype if tensor.num_values() == 1 => return tensor.as_slice::<$rust>()[0].to_string(),)*
                _ => {}
            }
        };
    }
    if tensor.shape().is_empty() {
        number!(Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Float32 f32, Float64 f64, Bool u8);
        if let Some(text) = tensor.strings().and_then(|strings| std::str::from_utf8(strings.get(0)).ok()) {
            return format!("{text:?}");
        }
    }
    text_of_column(tensor.as_column())
}

/// What a column is and a hash of its values: the first and last 64 KiB, and the length.
fn text_of_column(column: &Column) -> String {
    let shape = column.common_shape().map_or_else(|| "varying".to_owned(), |shape| format!("{shape:?}"));
    let mut hash = column.rows() as u64;
    if let Some(buffer) = column.buffer() {
        let bytes = buffer.as_bytes();
        let head = &bytes[..bytes.len().min(SAMPLE_BYTES)];
        let tail = &bytes[bytes.len().saturating_sub(SAMPLE_BYTES)..];
        hash = mix(mix(hash, hash_of(head)), hash_of(tail));
    }
    if let Some(strings) = column.strings() {
        let head = strings.iter().take(SAMPLE_STRINGS);
        let tail = strings.slice(strings.len().saturating_sub(SAMPLE_STRINGS)..strings.len());
        for string in head.chain(tail.iter()) {
            hash = mix(hash, hash_of(string));
        }
    }
    format!("{}{shape}×{}#{hash:016x}", column.dtype(), column.rows())
}

/// Enough to notice other data, little enough to be free.
const SAMPLE_BYTES: usize = 64 << 10;
const SAMPLE_STRINGS: usize = 1000;
