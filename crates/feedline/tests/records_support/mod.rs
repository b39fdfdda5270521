//! Files made for tests.

#![allow(dead_code)] // each test file uses some of it
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::path::PathBuf;

use feedline::formats::example::ExampleWriter;
use feedline::formats::tfrecord::write_frame;
use feedline::formats::{CompressedStream, Compression, deflate_piece};
use tempfile::TempDir;

pub(crate) const COMPRESSIONS: [Option<Compression>; 3] =
    [None, Some(Compression::Gzip), Some(Compression::Zlib)];

/// A folder that goes with the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// Examples of different lengths.
pub(crate) fn examples(count: i64) -> Vec<Vec<u8>> {
    let example = |label: i64| {
        let text = vec![b'x'; (label * 7 % 20) as usize];
        ExampleWriter::new().int64("label", &[label]).bytes("text", &[&text]).to_bytes()
    };
    (0..count).map(example).collect()
}

/// Bytes that look like nothing, the same every time.
pub(crate) fn noise(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..len).map(|_| next()).collect()
}

/// A record file.
pub(crate) fn file_of<R: AsRef<[u8]>>(records: &[R]) -> Vec<u8> {
    let mut file = Vec::new();
    for record in records {
        write_frame(&mut file, record.as_ref()).unwrap();
    }
    file
}

/// Where each record of a file begins, and the end.
pub(crate) fn offsets_of<R: AsRef<[u8]>>(records: &[R]) -> Vec<u64> {
    let mut offsets = vec![0];
    for record in records {
        offsets.push(offsets[offsets.len() - 1] + 16 + record.as_ref().len() as u64);
    }
    offsets
}

pub(crate) fn compressed(bytes: &[u8], compression: Option<Compression>) -> Vec<u8> {
    let Some(compression) = compression else { return bytes.to_vec() };
    let mut stream = CompressedStream::new(compression);
    let mut out = stream.header().to_vec();
    stream.add(bytes);
    deflate_piece(bytes, 6, &mut out);
    [out, stream.trailer()].concat()
}
