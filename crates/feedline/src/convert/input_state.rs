//! Whether the input is still that of an earlier run.

use std::fs;

use feedline_io::{Error as IoError, modified_ns};
use serde::{Deserialize, Serialize};

use super::inputs::{InputFile, Inputs};
use crate::error::{Error, Result};

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
        // Also those without an image: an image's label counts the classes before its own.
        for class in inputs.classes().unwrap_or_default() {
            state.digest = fnv(fnv(state.digest, class.as_bytes()), b"\n");
        }
        for InputFile { path, loss } in inputs.files() {
            let failed = |error| Error::from(IoError::io(path, "look at", error));
            // What cannot be read has no size and no time, and is another state than any that can.
            let (bytes, modified_ns) = if loss.is_some() {
                (0, -1)
            } else {
                let metadata = fs::metadata(path).map_err(failed)?;
                (metadata.len(), modified_ns(&metadata))
            };
            // Absolute, so that the same command in another folder is not taken for the same job.
            let path = std::path::absolute(path).map_err(failed)?;
            state.digest = fnv(state.digest, path.as_os_str().as_encoded_bytes());
            state.digest = fnv(state.digest, &bytes.to_le_bytes());
            state.digest = fnv(state.digest, &modified_ns.to_le_bytes());
            state.num_files += 1;
            state.num_bytes += bytes;
            if state.files.len() <= MAX_LISTED {
                let path = path.display().to_string();
                state.files.push(FileState { path, bytes, modified_ns });
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
