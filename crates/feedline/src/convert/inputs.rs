//! What there is to convert: the files, what they are, and whether they are still the ones of an earlier run.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use feedline_formats::Decompressor;
use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};
use feedline_io::{Blob, Error as IoError, LocalStore, Store};
use serde::{Deserialize, Serialize};

use super::image_folder::{ImageFile, ImageFolder};
use super::options::{Format, Options, argument};
use crate::error::{Error, Result};
use crate::records::{detect_compression, list_record_files};

/// The input, listed.
pub(super) enum Inputs {
    Images(ImageFolder),
    Files { format: Format, paths: Vec<PathBuf> },
}

impl Inputs {
    pub(super) fn list(options: &Options) -> Result<Inputs> {
        let folders: Vec<bool> = options.inputs.iter().map(|input| Path::new(input).is_dir()).collect();
        let format = match options.format {
            None if folders.iter().all(|&is_folder| is_folder) => Some(Format::Images),
            format => format,
        };
        if format == Some(Format::Images) {
            return Ok(Inputs::Images(ImageFolder::list(&options.inputs)?));
        }
        if format.is_none()
            && let Some(folder) = folders.iter().position(|&is_folder| is_folder)
        {
            let message = format!("{}: a folder among files", options.inputs[folder]);
            return Err(argument(
                message,
                "convert folders of images and files in two runs, to two prefixes",
            ));
        }
        let paths: Vec<PathBuf> =
            list_record_files(&options.inputs)?.into_iter().map(|entry| entry.location).collect();
        let format = match format {
            Some(format) => format,
            None => format_of(&paths)?,
        };
        Ok(Inputs::Files { format, paths })
    }

    pub(super) fn format(&self) -> Format {
        match self {
            Inputs::Images(_) => Format::Images,
            Inputs::Files { format, .. } => *format,
        }
    }

    pub(super) fn paths(&self) -> Box<dyn Iterator<Item = &Path> + '_> {
        match self {
            Inputs::Images(folder) => Box::new(folder.images.iter().map(ImageFile::path)),
            Inputs::Files { paths, .. } => Box::new(paths.iter().map(PathBuf::as_path)),
        }
    }
}

/// What all of the files are, by their names, or by their first bytes where a name does not say.
fn format_of(paths: &[PathBuf]) -> Result<Format> {
    let mut known: Option<(Format, &Path)> = None;
    for path in paths {
        let format = match format_by_name(path) {
            Some(format) => format,
            None if begins_with_record(path)? => Format::TfRecord,
            None => {
                let message =
                    format!("{}: neither its name nor its first bytes say what it is", path.display());
                return Err(argument(message, "say so: `--from csv`, `--from jsonl` or `--from tfrecord`"));
            }
        };
        match known {
            Some((other, first)) if other != format => {
                let message = format!(
                    "{} is {other}, {} is {format}: one run reads one kind",
                    first.display(),
                    path.display()
                );
                return Err(argument(
                    message,
                    "convert them in two runs, or say what all of them are with `--from`",
                ));
            }
            _ => known = known.or(Some((format, path))),
        }
    }
    // A listing without files is an error of its own.
    Ok(known.map_or(Format::TfRecord, |(format, _)| format))
}

fn format_by_name(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    // `train.tfrecord-00000-of-00008` has its ending in the middle.
    if name.contains(".tfrecord") {
        return Some(Format::TfRecord);
    }
    match name.rsplit_once('.')?.1 {
        "csv" | "tsv" => Some(Format::Csv),
        "jsonl" | "ndjson" | "json" => Some(Format::JsonL),
        "tfrec" | "tfrecs" => Some(Format::TfRecord),
        _ => None,
    }
}

fn begins_with_record(path: &Path) -> Result<bool> {
    let blob = LocalStore.open(path)?;
    let mut head = vec![0; 4096];
    let read = blob.read_at(&mut head, 0)?;
    head.truncate(read);
    if let Some(compression) = detect_compression(&*blob)? {
        let mut inflated = Vec::new();
        if Decompressor::new(compression).push(&head, &mut inflated, HEADER_BYTES).is_err() {
            return Ok(false);
        }
        head = inflated;
    }
    Ok(FrameReader::default().bytes_wanted(&head) > HEADER_BYTES as u64)
}

/// A state of the input, for telling whether a run goes on with what another began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InputState {
    pub(super) num_files: u64,
    pub(super) num_bytes: u64,
    /// Over the path, size and time of every file.
    digest: u64,
    /// The files one by one, where they are few; so that a changed one can be named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileState>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileState {
    path: String,
    bytes: u64,
    modified_ns: i64,
}

/// Above this many files the list is not kept: a folder of a million images would make a line of 100 MB.
const MAX_LISTED: usize = 256;

impl InputState {
    pub(super) fn of(inputs: &Inputs) -> Result<InputState> {
        let mut state = InputState { num_files: 0, num_bytes: 0, digest: FNV_OFFSET, files: Vec::new() };
        for path in inputs.paths() {
            let failed = |error| Error::from(IoError::io(path, "look at", error));
            let metadata = fs::metadata(path).map_err(failed)?;
            // Absolute, so that the same command in another folder is not taken for the same job.
            let path = std::path::absolute(path).map_err(failed)?;
            let modified_ns =
                metadata.mtime().wrapping_mul(1_000_000_000).wrapping_add(metadata.mtime_nsec());
            state.digest = fnv(state.digest, path.as_os_str().as_encoded_bytes());
            state.digest = fnv(state.digest, &metadata.len().to_le_bytes());
            state.digest = fnv(state.digest, &modified_ns.to_le_bytes());
            state.num_files += 1;
            state.num_bytes += metadata.len();
            if state.files.len() <= MAX_LISTED {
                let path = path.display().to_string();
                state.files.push(FileState { path, bytes: metadata.len(), modified_ns });
            }
        }
        if state.files.len() > MAX_LISTED {
            state.files.clear();
        }
        Ok(state)
    }

    /// What is different now from `before`, in words; `None` if nothing is.
    pub(super) fn difference(&self, before: &InputState) -> Option<String> {
        if self.digest == before.digest && self.num_files == before.num_files {
            return None;
        }
        if let Some(changed) = self
            .files
            .iter()
            .find(|file| before.files.iter().any(|other| other.path == file.path && other != *file))
        {
            return Some(format!("{} has changed since", changed.path));
        }
        if let Some(added) =
            self.files.iter().find(|file| !before.files.iter().any(|other| other.path == file.path))
            && !before.files.is_empty()
        {
            return Some(format!("{} was not among the inputs then", added.path));
        }
        Some(match (before.num_files, self.num_files) {
            (then, now) if then != now => format!("{then} input files then, {now} now"),
            _ => "the input files have changed since".into(),
        })
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues an FNV-1a hash: it notices changes, it does not withstand an adversary.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_are() {
        for (name, format) in [
            ("a.csv", Some(Format::Csv)),
            ("A.CSV.gz", Some(Format::Csv)),
            ("a.tsv", Some(Format::Csv)),
            ("a.jsonl.gz", Some(Format::JsonL)),
            ("a.ndjson", Some(Format::JsonL)),
            ("train-00000-of-00002.tfrecord", Some(Format::TfRecord)),
            ("mnist-train.tfrecord-00000-of-00001", Some(Format::TfRecord)),
            ("a.tfrecord.gz", Some(Format::TfRecord)),
            ("train-00000-of-00002", None),
            ("a.dat", None),
        ] {
            assert_eq!(format_by_name(Path::new(name)), format, "{name}");
        }
    }
}
