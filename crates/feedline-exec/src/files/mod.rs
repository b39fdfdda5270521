//! Files as streams of rows: records, lines, records of one size, records of CSV.
//!
//! What is handed on are *pieces*: runs of whole rows that lie in one buffer; the rows are views into it. Reading blocks, so
//! it happens on the I/O threads (`ReadAhead`; how they work together is in `README.md`), or, for the reference, where it is
//! asked for (`ReadInline`). Both give the same.

mod at_once;
mod buffers;
mod compression;
mod cursor;
mod inline;
mod open;
mod pace;
mod piece;
mod plain_file;
mod range;
mod read_ahead;
mod sidecar;
mod split;
mod split_error;
mod taker;
#[cfg(test)]
mod tests;
mod touched;
mod window;

pub(crate) use buffers::Buffers;
pub use compression::{detect_compression, detect_compression_of_text};
pub(crate) use inline::ReadInline;
pub(crate) use pace::ReadSizes;
pub(crate) use piece::{Event, FilePlace, Piece, RowPlaces};
pub(crate) use read_ahead::{FileList, ReadAhead};
pub(crate) use sidecar::build_index;
pub use sidecar::{INDEX_SUFFIX, SidecarError, content_check, index_path, load_index, misplaced};
pub(crate) use split::RowKind;
pub(crate) use touched::{Change, FileCheck, TouchedFiles};
