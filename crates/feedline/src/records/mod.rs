//! Files of records: reading, writing, and the k-th record alone.

mod byte_stream;
mod index;
mod kind;
mod list;
mod open;
mod reader;
mod writer;

pub use byte_stream::ByteStream;
pub(crate) use feedline_exec::files::detect_compression_of_text;
pub(crate) use index::read_place;
pub use index::{INDEX_SUFFIX, IndexedFile, content_check, index_path, load_index};
pub use kind::{KindVotes, guess_kind};
pub use list::list_record_files;
pub(crate) use list::without_indexes;
pub use open::detect_compression;
pub use reader::{Chunk, OnDamage, RecordReader};
pub use writer::RecordWriter;
