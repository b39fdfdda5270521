//! TFRecord files and `tf.train.Example` records at the speed of memory.
//!
//! Everything here takes slices and gives slices or columns: no I/O, no threads, no async. Whoever reads the bytes
//! (a file, an object store, a socket) decides how.
//!
//! - [`tfrecord`] splits bytes into records and makes them, checksums verified, damage skipped if asked, with an index
//!   for random access.
//! - [`example`] turns records into columns, reading only the features asked for, and columns into records.
//! - [`tensor_proto`] is one tensor as TensorFlow serializes it.
//! - [`csv`] and [`json_lines`] cut text into rows and rows into named values.
//! - [`Decompressor`] and [`CompressedStream`] are for files compressed as a whole.
//!
//! ```
//! use feedline_data::{DType, Values};
//! use feedline_formats::example::{ExampleParser, ExampleWriter, FeatureSpec};
//! use feedline_formats::tfrecord::{FrameReader, write_frame};
//!
//! // Write two records.
//! let mut file = Vec::new();
//! for label in [3, 4] {
//!     write_frame(&mut file, &ExampleWriter::new().int64("label", &[label]).float("x", &[0.5, 1.5]).to_bytes())?;
//! }
//!
//! // Read them back: bytes to records, records to columns.
//! let mut records = Vec::new();
//! let taken = FrameReader::default().read(&file, &mut records)?;
//! assert_eq!(taken, file.len());
//!
//! let mut parser = ExampleParser::new(vec![FeatureSpec::fixed("x", DType::Float32, &[2])])?;
//! let mut columns = Vec::new();
//! parser.parse(&records, &mut columns)?;
//! assert_eq!(columns[0].values, Values::Float32(vec![0.5, 1.5, 0.5, 1.5]));
//! # Ok::<(), feedline_formats::Error>(())
//! ```

mod checksum;
mod compression;
pub mod csv;
mod error;
pub mod example;
pub mod fixed_length;
pub mod json_lines;
mod packing;
mod prefetch;
mod rows;
pub mod tensor_proto;
pub mod tfrecord;
mod wire;

pub use checksum::{crc32c, masked_crc32c};
pub use compression::{CompressedStream, Compression, Decompressor, StringInflater, deflate_piece};
pub use error::{Error, ErrorKind, Result};
pub use packing::Packing;
pub use rows::RowSplitter;
