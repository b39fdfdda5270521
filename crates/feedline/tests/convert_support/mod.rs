//! What the tests of `convert` share: a folder of input and output, and records read back.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use feedline::convert::{Options, Summary, convert};
use feedline::formats::Compression;
use feedline::formats::tfrecord::write_frame;
use feedline::formats::{CompressedStream, deflate_piece};
use feedline::records::RecordReader;
use tempfile::TempDir;

/// A folder for one test.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Writes a file, folders and all, and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    /// Options from `input` to `out`.
    pub(crate) fn options(&self, input: &str, out: &str) -> Options {
        Options { num_threads: 2, ..Options::new([self.path(input)], self.path(out)) }
    }

    /// Every file in a folder with its contents, hidden ones too.
    pub(crate) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.0.path().join(folder)).unwrap().map(Result::unwrap);
        entries
            .filter(|entry| entry.path().is_file())
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
            .collect()
    }

    /// The shards of a folder, without journals and reports.
    pub(crate) fn shards(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        self.files(folder).into_iter().filter(|(name, _)| name.contains("-of-")).collect()
    }
}

pub(crate) fn run(options: &Options) -> Summary {
    convert(options, &()).unwrap_or_else(|error| panic!("{error}"))
}

/// The error of a conversion that must fail, as a user sees it.
pub(crate) fn failure(options: &Options) -> String {
    match convert(options, &()) {
        Ok(summary) => panic!("it should fail, but {summary:?}"),
        Err(error) => error.to_string(),
    }
}

/// The records of one file.
pub(crate) fn records(path: impl AsRef<Path>) -> Vec<Vec<u8>> {
    let mut reader = RecordReader::open(path).unwrap();
    let mut records = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        records.extend(chunk.records.iter().map(|record| record.to_vec()));
    }
    records
}

/// The records of each file of a set, in order.
pub(crate) fn records_by_shard(pattern: &str) -> Vec<Vec<Vec<u8>>> {
    let files: Vec<PathBuf> =
        feedline::io::list_files(&[pattern]).unwrap().into_iter().map(|entry| entry.location).collect();
    files.iter().map(records).collect()
}

pub(crate) fn record_file(records: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    records.iter().for_each(|record| write_frame(&mut file, record).unwrap());
    file
}

pub(crate) fn compressed(compression: Compression, bytes: &[u8]) -> Vec<u8> {
    let mut stream = CompressedStream::new(compression);
    stream.add(bytes);
    let mut out = stream.header().to_vec();
    deflate_piece(bytes, 6, &mut out);
    out.extend(stream.trailer());
    out
}

/// A whole BMP of the given size.
pub(crate) fn bitmap(width: u32, height: u32) -> Vec<u8> {
    let row_bytes = (width * 3).next_multiple_of(4);
    let pixels = row_bytes * height;
    let mut bytes = b"BM".to_vec();
    for number in [54 + pixels, 0, 54, 40, width, height, 0x0018_0001, 0, pixels, 0, 0, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend((0..pixels).map(|at| (at % 251) as u8));
    bytes
}
