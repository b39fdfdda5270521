//! Running the real command on files made for tests.

#![allow(dead_code)] // each test file uses some of it
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use feedline::formats::Compression;
use feedline::formats::example::ExampleWriter;
use feedline::records::{RecordReader, RecordWriter};
use serde_json::Value;
use tempfile::TempDir;

/// A folder that goes with the test, and in which the command runs.
pub(crate) struct Folder(TempDir);

/// What the command did.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Standard output, which must be one JSON object on one line.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "{}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Writes a file, folders and all.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Changes one byte of a file.
    pub(crate) fn damage(&self, name: &str, byte: usize) {
        let mut bytes = self.read(name);
        bytes[byte] ^= 1;
        self.write(name, &bytes);
    }

    /// A file of Examples with a `label` of 0 to 3 and a `name`; every record takes the same 53 bytes.
    pub(crate) fn examples(&self, name: &str, count: i64, compression: Option<Compression>) {
        let records = (0..count).map(|number| {
            let text = format!("n{number:04}");
            ExampleWriter::new().int64("label", &[number % 4]).bytes("name", &[text.as_bytes()]).to_bytes()
        });
        self.records(name, records, compression);
    }

    pub(crate) fn records<R: AsRef<[u8]>>(
        &self,
        name: &str,
        records: impl IntoIterator<Item = R>,
        compression: Option<Compression>,
    ) {
        let mut writer = RecordWriter::create(self.path(name), compression).unwrap();
        for record in records {
            writer.write(record.as_ref()).unwrap();
        }
        writer.finish().unwrap();
    }

    /// Names of the files in the folder, hidden ones included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The files of a folder with their contents, hidden ones too.
    pub(crate) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.path().is_file());
        files
            .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
            .collect()
    }

    /// The shards of a folder with their contents.
    pub(crate) fn shards(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        self.files(folder).into_iter().filter(|(name, _)| name.contains("-of-")).collect()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_program(Command::new(env!("CARGO_BIN_EXE_feedline")).args(arguments))
    }

    /// Runs it with arguments that need not be text.
    pub(crate) fn run_with(&self, arguments: &[&OsStr]) -> Run {
        self.run_program(Command::new(env!("CARGO_BIN_EXE_feedline")).args(arguments))
    }

    /// Runs it as a user who may not read what is closed; `None` if that user cannot run it at all.
    pub(crate) fn run_as_nobody(&self, arguments: &[&str]) -> Option<Run> {
        let command = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_feedline"));
            if std::fs::read_dir("/proc/1/fd").is_ok() {
                command.uid(65_534).gid(65_534);
            }
            command
        };
        command().arg("--version").current_dir(self.0.path()).output().ok()?;
        Some(self.run_program(command().args(arguments)))
    }

    /// Runs a line of shell, in which `$FEEDLINE` is the command.
    pub(crate) fn shell(&self, line: &str) -> Run {
        self.run_program(
            Command::new("sh").arg("-c").arg(line).env("FEEDLINE", env!("CARGO_BIN_EXE_feedline")),
        )
    }

    fn run_program(&self, command: &mut Command) -> Run {
        let output = command.current_dir(self.0.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let stderr = text(output.stderr);
        assert!(!stderr.contains("panicked"), "{stderr}");
        Run { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr }
    }
}

/// Bytes a record of [`Folder::examples`] takes in its file.
pub(crate) const RECORD_BYTES: usize = 53;

/// The number of records in each shard of a folder.
pub(crate) fn record_counts(folder: &Path) -> Vec<u64> {
    let shards = feedline::io::list_files(&[folder.join("*-of-*")]).unwrap();
    let count = |path: &Path| {
        let mut reader = RecordReader::open(path).unwrap();
        while reader.next_chunk().unwrap().is_some() {}
        reader.record_index()
    };
    shards.iter().map(|shard| count(&shard.location)).collect()
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
