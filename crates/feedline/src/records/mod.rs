//! Files of records: reading, writing, and the k-th record alone.

mod byte_stream;
mod index;
mod reader;
mod writer;

pub use byte_stream::{ByteStream, detect_compression};
pub use index::{INDEX_SUFFIX, IndexedFile, content_check, index_path, load_index};
pub use reader::{Chunk, OnDamage, RecordReader};
pub use writer::RecordWriter;
