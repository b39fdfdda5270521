//! Files as streams of rows: records, lines.
//!
//! A `FileCursor` reads one file piece by piece, where a piece is a run of whole rows that lie in one buffer; the rows are
//! views into it. Reading blocks, so cursors move to the I/O threads for each piece and come back (`FileStream`).

mod buffers;
mod compression;
mod cursor;
mod split;
mod stream;

pub(crate) use buffers::Buffers;
pub use compression::detect_compression;
pub(crate) use cursor::{FileCursor, FilePlace, Piece};
pub(crate) use split::RowKind;
pub(crate) use stream::FileStream;
