//! Writing one record file.

use std::path::Path;

use feedline_formats::tfrecord::{write_frame, write_frame_with};
use feedline_formats::{CompressedStream, Compression, deflate_piece};
use feedline_io::AtomicFile;

use crate::error::Result;

/// Bytes collected before they are compressed or written. Large enough that a piece of a compressed stream loses
/// little by starting afresh, and that writing costs few system calls.
const PIECE_BYTES: usize = 1 << 20;

/// The usual trade of speed for size, and TensorFlow's default.
const COMPRESSION_LEVEL: u32 = 6;

/// Writes records to a file that appears under its name only when complete.
pub struct RecordWriter {
    file: AtomicFile,
    compressed: Option<(CompressedStream, Vec<u8>)>,
    pending: Vec<u8>,
    num_records: u64,
}

impl RecordWriter {
    /// Begins the file at `path`, replacing what is there once it is finished.
    pub fn create(path: impl AsRef<Path>, compression: Option<Compression>) -> Result<RecordWriter> {
        let mut file = AtomicFile::create(path.as_ref())?;
        let compressed = compression.map(|compression| (CompressedStream::new(compression), Vec::new()));
        if let Some((stream, _)) = &compressed {
            file.write_all(stream.header())?;
        }
        Ok(RecordWriter { file, compressed, pending: Vec::with_capacity(2 * PIECE_BYTES), num_records: 0 })
    }

    /// Adds a record.
    pub fn write(&mut self, record: &[u8]) -> Result<()> {
        write_frame(&mut self.pending, record);
        self.end_record()
    }

    /// Adds a record made of what `build` appends, without a copy in between.
    pub fn write_with(&mut self, build: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        write_frame_with(&mut self.pending, build);
        self.end_record()
    }

    /// Records written so far.
    pub fn num_records(&self) -> u64 {
        self.num_records
    }

    fn end_record(&mut self) -> Result<()> {
        self.num_records += 1;
        if self.pending.len() >= PIECE_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        match &mut self.compressed {
            Some((stream, piece)) => {
                stream.add(&self.pending);
                piece.clear();
                deflate_piece(&self.pending, COMPRESSION_LEVEL, piece);
                self.file.write_all(piece)?;
            }
            None => self.file.write_all(&self.pending)?,
        }
        self.pending.clear();
        Ok(())
    }

    /// Completes the file: durable, and visible under its name. Returns its size.
    pub fn finish(mut self) -> Result<u64> {
        self.flush()?;
        if let Some((stream, _)) = &self.compressed {
            self.file.write_all(&stream.trailer())?;
        }
        let size = self.file.written();
        self.file.commit()?;
        Ok(size)
    }
}
