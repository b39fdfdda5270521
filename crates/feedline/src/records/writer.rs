//! Writing one record file.

use std::path::Path;

use feedline_formats::tfrecord::{frame_bytes, write_frame, write_frame_with};
use feedline_formats::{CompressedStream, Compression, Error as FormatError, deflate_piece};
use feedline_io::{AtomicFile, shown};

use crate::error::{Error, Result};

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

    /// Adds a record. One that is longer than [`MAX_RECORD_BYTES`](feedline_formats::tfrecord::MAX_RECORD_BYTES), which no
    /// reader would take, is an error; the file is then as before, and others can be added.
    pub fn write(&mut self, record: &[u8]) -> Result<()> {
        let framed = write_frame(&mut self.pending, record);
        self.end_record(framed)
    }

    /// Adds a record made of what `build` appends, without a copy in between; otherwise as [`RecordWriter::write`].
    pub fn write_with(&mut self, build: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let framed = write_frame_with(&mut self.pending, build);
        self.end_record(framed)
    }

    /// Whether a record of so many bytes would only be kept for now, which takes no longer than a copy; others have those before them compressed
    /// and written.
    pub fn has_room_for(&self, record_bytes: usize) -> bool {
        (self.pending.len() as u64).saturating_add(frame_bytes(record_bytes as u64)) < PIECE_BYTES as u64
    }

    /// Records written so far.
    pub fn num_records(&self) -> u64 {
        self.num_records
    }

    fn end_record(&mut self, framed: Result<(), FormatError>) -> Result<()> {
        framed.map_err(|error| Error::Argument {
            message: format!(
                "{}: record {}: {}",
                shown(self.file.location()),
                self.num_records,
                error.reason()
            ),
            hint: error.hint(),
        })?;
        self.num_records += 1;
        if self.pending.len() >= PIECE_BYTES { self.flush() } else { Ok(()) }
    }

    /// Hands what was written so far to the operating system: less memory is held, and a full disk is told now. The file still
    /// appears when it is complete. Often called, it makes compressed files larger.
    pub fn flush(&mut self) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use feedline_formats::tfrecord::MAX_RECORD_BYTES;

    use super::*;
    use crate::records::RecordReader;

    #[test]
    fn a_record_that_no_reader_would_take_is_refused_with_its_place_and_the_file_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tfrecord");
        let mut writer = RecordWriter::create(&path, None).unwrap();
        writer.write(b"first").unwrap();
        // Never touched, so that it takes no memory.
        let error = writer.write(&vec![0; MAX_RECORD_BYTES as usize + 1]).unwrap_err().to_string();
        let place = format!("{}: record 1: the record has 2147483648 bytes", path.display());
        assert!(error.starts_with(&place) && error.contains("\nhint: "), "{error}");
        writer.write(b"second").unwrap();
        assert_eq!(writer.num_records(), 2);
        writer.finish().unwrap();
        let mut reader = RecordReader::open(&path).unwrap();
        assert_eq!(reader.next_batch(10).unwrap().unwrap().records, [&b"first"[..], b"second"]);
    }
}
