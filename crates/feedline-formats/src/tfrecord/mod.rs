//! TFRecord framing: a file is records one behind the other, each
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | length of the data, little endian |
//! | 4 | masked CRC32C of those 8 bytes |
//! | length | the data |
//! | 4 | masked CRC32C of the data |
//!
//! [`FrameReader`] splits bytes into records, [`write_frame`] makes them, [`Resync`] is what happens after damage,
//! and [`RecordIndex`] finds the k-th record without reading those before it.

mod damage;
mod index;
mod read;
mod resync;
mod spans;
mod write;

pub use damage::{Damage, LostRecords};
pub use index::{ContentCheck, IndexBuilder, RecordIndex};
pub use read::{FrameReader, ReadOptions};
pub use resync::Resync;
pub use write::{write_frame, write_frame_with};

/// Bytes before a record's data: the length and its checksum.
pub const HEADER_BYTES: usize = 12;
/// Bytes after a record's data: its checksum.
pub const FOOTER_BYTES: usize = 4;

/// The longest record that is written, and that is read unless [`ReadOptions::max_record_bytes`] says otherwise: 2 GiB less
/// one byte, the longest message of protocol buffers. The format itself has no limit, but whoever wrote more would
/// make a file that most readers of Examples, this one among them, refuse.
pub const MAX_RECORD_BYTES: u64 = i32::MAX as u64;

/// Bytes a record of `length` takes in a file.
pub const fn frame_bytes(length: u64) -> u64 {
    length.saturating_add((HEADER_BYTES + FOOTER_BYTES) as u64)
}
