//! feedline feeds accelerators: it reads training data from storage, prepares it on every core, and hands over
//! finished batches.
//!
//! - [`Dataset`] is the engine: pipelines with tf.data's names and results, on all cores, that can be saved and resumed at any
//!   element.
//!
//! And what is useful with nothing else, for people with TFRecord files on disk:
//!
//! - [`records`] reads and writes record files, compressed or not, and gets at the k-th record through an index;
//! - [`scan`] walks whole files on all cores; [`verify`], [`index`] and [`inspect`] say whether they are intact, make their
//!   records accessible one by one, and tell what is in them;
//! - [`convert`] makes TFRecord files of images, CSV, JSON lines or other records; [`measure`] says how fast they become batches, and why
//!   not faster;
//! - [`preview`] shows what augmentations make of images;
//! - [`formats`], [`data`], [`io`], [`image`] and [`plan`] are the crates underneath.
//!
//! ```
//! use feedline::formats::example::ExampleWriter;
//! use feedline::records::{RecordReader, RecordWriter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("train.tfrecord");
//!
//! let mut writer = RecordWriter::create(&path, None)?;
//! for label in 0..3 {
//!     writer.write(&ExampleWriter::new().int64("label", &[label]).to_bytes())?;
//! }
//! writer.finish()?;
//!
//! let mut reader = RecordReader::open(&path)?;
//! let mut num_records = 0;
//! while let Some(chunk) = reader.next_chunk()? {
//!     num_records += chunk.records.len();
//! }
//! assert_eq!(num_records, 3);
//! # Ok(())
//! # }
//! ```

pub mod convert;
mod count;
mod dataset;
mod error;
mod image_inputs;
pub mod index;
pub mod inspect;
mod large_memory;
pub mod measure;
mod memory;
mod parallel;
mod place_sum;
pub mod preview;
mod problem;
pub mod records;
mod saving;
pub mod scan;
mod seeds;
pub mod verify;
mod vocabulary;

pub use count::Count;
pub use dataset::{AUTOTUNE, Csv, Dataset, ImageFolder, Sampling};
pub use error::{Error, Result};
pub use large_memory::LargeMemory;
pub use problem::Problem;
pub use saving::{KeyOrder, SavedDataset, Saving};
pub use seeds::{drawn_seed, set_seed};
pub use vocabulary::Vocabulary;

pub use feedline_exec::{
    Elements, ExecError, ExecErrorKind, Interrupted, Options, PlanStep, QueueSnapshot, RecordPlace, Snapshot,
    State, StepSnapshot, WorkSnapshot, is_call_wanted,
};
pub use feedline_plan::{EVERYTHING, ErrorPolicy, Explanation, Fit, Functions, Packing, Symbolic, ops};

pub use feedline_data as data;
pub use feedline_formats as formats;
pub use feedline_image as image;
pub use feedline_io as io;
pub use feedline_plan as plan;

/// The README's pipeline is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
