//! What steps are made of: the arguments that are more than a number.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use feedline_data::block::Tensor;
use feedline_data::{ElementSpec, Shape, Structure};
use serde::{Deserialize, Serialize};

use crate::Plan;
use crate::expr::Expr;
#[cfg(doc)]
use crate::expr::ExprKind;

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
        /// Whether files that are written are compressed. It is no part of what the elements are: each file says it.
        compression: CacheCompression,
    },
}

/// Whether the files of a cache are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheCompression {
    /// They are not.
    #[default]
    None,
    /// Those are that become a good deal smaller.
    Auto,
    /// All are.
    Always,
}

impl CacheCompression {
    /// Every one there is.
    pub const ALL: [CacheCompression; 3] =
        [CacheCompression::None, CacheCompression::Auto, CacheCompression::Always];

    /// Its name, as texts of plans have it.
    pub fn name(self) -> &'static str {
        match self {
            CacheCompression::None => "none",
            CacheCompression::Auto => "auto",
            CacheCompression::Always => "always",
        }
    }
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
    /// Records of one size.
    FixedLength(FixedLength),
    /// Records of CSV files, without their line ends: lines, or several where a quoted field has line ends in it.
    Csv(CsvFormat),
}

/// Where records of one size lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedLength {
    /// Bytes of a record.
    pub record_bytes: u64,
    /// Bytes before the first record.
    pub header_bytes: u64,
    /// Bytes behind the last record.
    pub footer_bytes: u64,
    /// How the files are compressed. Records may be any bytes, so nothing in a file would tell.
    pub compression: FileCompression,
}

/// How files are compressed whose contents do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileCompression {
    /// Not at all.
    #[default]
    None,
    /// By gzip.
    Gzip,
    /// By zlib.
    Zlib,
}

/// How CSV files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsvFormat {
    /// What stands between fields.
    pub field_delim: u8,
    /// Whether fields may be quoted.
    pub use_quote_delim: bool,
    /// Whether the first record of each file is no data.
    pub header: bool,
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
    /// Whether one that has nothing ready is waited for; `None`: as the options say.
    pub deterministic: Option<bool>,
}

impl Turns {
    /// Whether one that has nothing ready is waited for: it is, unless somebody said otherwise.
    pub fn keeps_order(&self) -> bool {
        self.deterministic != Some(false)
    }
}

/// Which elements a window has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// How many.
    pub size: usize,
    /// How far the next window begins behind it.
    pub shift: usize,
    /// How far apart its elements are.
    pub stride: usize,
    /// Whether windows at the end that are not full are left out.
    pub drop_remainder: bool,
}

/// How elements of different sizes become a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Padding {
    /// The shape of each leaf; a dimension that is unknown becomes that of the largest element in the batch.
    pub shapes: Vec<Shape>,
    /// What each leaf is filled up with: a scalar.
    pub values: Vec<Tensor>,
}

/// A function of a state and an element, from which the next state comes.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The state before the first element: constants, or values of the element around.
    pub initial: Structure<Expr>,
    /// What is known about every state.
    pub state: ElementSpec,
    /// Its inputs are the leaves of the state, then those of the element.
    pub result: Structure<Expr>,
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
