//! What a step of a plan does.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use feedline_data::block::{Column, Tensor, mix};
use feedline_data::{DType, ElementSpec, Structure};
use serde::{Deserialize, Serialize};

use crate::expr::Expr;
use crate::plan::hash_of;

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
    },
    /// A function of each element.
    Map {
        /// The function.
        function: Function,
        /// At most so many elements at a time; `None`: as many as serve.
        num_parallel_calls: Option<usize>,
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
    /// Several elements become one, with one more dimension in front.
    Batch {
        /// How many.
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
    /// One input after the other.
    Concatenate,
    /// The inputs side by side.
    Zip {
        /// How the inputs hang together.
        structure: Structure<()>,
    },
    /// A place where work runs ahead of the consumer.
    Prefetch {
        /// At most so many elements; `None`: as many as serve.
        buffer_size: Option<usize>,
    },
}

/// What the rows of files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Records of TFRecord files, compressed or not.
    TfRecord,
    /// Lines of text, without their ends.
    TextLine,
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
    /// The step's name, as users type it.
    pub fn name(&self) -> &'static str {
        match self {
            NodeKind::Range { .. } => "range",
            NodeKind::TensorSlices { .. } => "from_tensor_slices",
            NodeKind::Tensors { .. } => "from_tensors",
            NodeKind::Files { format: FileFormat::TfRecord, .. } => "tf_record",
            NodeKind::Files { format: FileFormat::TextLine, .. } => "text_line",
            NodeKind::Map { .. } => "map",
            NodeKind::Take { .. } => "take",
            NodeKind::Skip { .. } => "skip",
            NodeKind::Shard { .. } => "shard",
            NodeKind::Filter { .. } => "filter",
            NodeKind::Enumerate { .. } => "enumerate",
            NodeKind::Unbatch => "unbatch",
            NodeKind::IgnoreErrors => "ignore_errors",
            NodeKind::Concatenate => "concatenate",
            NodeKind::Zip { .. } => "zip",
            NodeKind::Shuffle { .. } => "shuffle",
            NodeKind::Batch { .. } => "batch",
            NodeKind::Repeat { .. } => "repeat",
            NodeKind::ShuffleAndRepeat { .. } => "shuffle_and_repeat",
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
            NodeKind::Map { function, num_parallel_calls } => {
                match function {
                    Function::Traced(result) => write!(f, "({result}")?,
                    Function::Native(native) => write!(f, "(native {} -> {}", native.name, native.output)?,
                }
                match num_parallel_calls {
                    Some(calls) => write!(f, ", num_parallel_calls={calls})"),
                    None => f.write_str(")"),
                }
            }
            NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration } => {
                write!(f, "({})", text_of_shuffle(*buffer_size, *seeds, *reshuffle_each_iteration))
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
            NodeKind::Files { paths, .. } => match &paths[..] {
                [] => f.write_str("(no files)"),
                [only] => write!(f, "({})", only.display()),
                [first, ..] => {
                    let names: Vec<&[u8]> =
                        paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
                    let hash = hash_of(&names.join(&b'\n'));
                    write!(f, "({} and {} more#{hash:016x})", first.display(), paths.len() - 1)
                }
            },
            NodeKind::Enumerate { start } => write!(f, "({start})"),
            NodeKind::Zip { structure } => write!(f, "({})", structure.map(|()| "_")),
            NodeKind::Prefetch { buffer_size: Some(size) } => write!(f, "({size})"),
            NodeKind::Repeat { count: None }
            | NodeKind::Prefetch { buffer_size: None }
            | NodeKind::Unbatch
            | NodeKind::IgnoreErrors
            | NodeKind::Concatenate => f.write_str("()"),
        }
    }
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
