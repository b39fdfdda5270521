//! How far a save is: `save.json` in its folder, written anew behind every chunk.
//!
//! It is there from the beginning, so that a folder without it and without `dataset.json` holds nothing that was saved. What it names is
//! complete: a file appears under its name when all of it is written, and is named here after that. Files it does not name are what a killed save
//! left, and go when the next one begins. The lock of a save goes with its process, however that ends.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use feedline_exec::{ExecError, State};
use feedline_io::{AtomicFile, Error as IoError, ErrorKind as IoErrorKind, remove_stale_temporaries, shown};
use feedline_plan::base64;
use serde::{Deserialize, Serialize};

use crate::Result;

const JOURNAL: &str = "save.json";
const LOCK: &str = "save.lock";
const VERSION: u64 = 1;

/// What must be the same for a save to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Arguments {
    pub(super) shards: u64,
    /// `GZIP`, `ZLIB`, or nothing.
    pub(super) compression: String,
    pub(super) fingerprint: u64,
}

/// The chunks of a dataset that are written, and where the next begins.
#[derive(Debug)]
pub(super) struct Journal {
    folder: PathBuf,
    text: Text,
    /// Locked as long as it is open.
    _lock: File,
}

#[derive(Debug, Serialize, Deserialize)]
struct Text {
    feedline_save: u64,
    arguments: Arguments,
    elements: u64,
    chunks: u64,
    /// The files of each shard.
    files: BTreeMap<i64, Vec<String>>,
    /// The iterator's, behind the last chunk.
    state: Option<String>,
}

impl Journal {
    /// Begins a save to `folder`, which is made if it is not there, or goes on with one that was stopped.
    pub(super) fn open(folder: &Path, arguments: Arguments) -> Result<Journal> {
        let io = |what: &str, error| IoError::io(folder, what, error);
        fs::create_dir_all(folder).map_err(|error| io("make the folder", error))?;
        let lock = folder.join(LOCK);
        let lock = File::options().create(true).truncate(false).write(true).open(lock);
        let lock = lock.map_err(|error| io("lock the folder", error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(io("lock the folder", error).into()),
            Err(TryLockError::WouldBlock) => {
                let found = "another process saves to it";
                let error = IoError::new(IoErrorKind::AlreadyExists, folder, "save", found);
                return Err(error.with_hint("wait for it, or save to another folder").into());
            }
        }
        let new = Text {
            feedline_save: VERSION,
            arguments,
            elements: 0,
            chunks: 0,
            files: BTreeMap::new(),
            state: None,
        };
        // What a process left that was killed while it wrote the journal, or the description.
        remove_stale_temporaries(folder, "")?;
        let mut journal = Journal { folder: folder.to_owned(), text: new, _lock: lock };
        match fs::read_to_string(folder.join(JOURNAL)) {
            Err(error) if error.kind() == ErrorKind::NotFound => journal.write()?,
            Err(error) => return Err(IoError::io(folder.join(JOURNAL), "read", error).into()),
            Ok(text) => {
                journal.text = journal.checked(&text)?;
                journal.remove_others()?;
            }
        }
        Ok(journal)
    }

    /// The elements that are written.
    pub(super) fn num_elements(&self) -> u64 {
        self.text.elements
    }

    pub(super) fn num_chunks(&self) -> u64 {
        self.text.chunks
    }

    /// The files of all shards that have any, in the order of the shards.
    pub(super) fn files(&self) -> impl Iterator<Item = &Vec<String>> {
        self.text.files.values()
    }

    /// Where to go on; `None` at the beginning.
    pub(super) fn state(&self) -> Result<Option<State>> {
        let Some(text) = &self.text.state else { return Ok(None) };
        let bytes = base64::decode(text).ok_or_else(|| self.damaged("its state is no base64"))?;
        Ok(Some(State::from_bytes(&bytes)?))
    }

    /// Adds the files of a chunk, which are complete: `elements` more, behind which the iterator has this state.
    pub(super) fn add(&mut self, files: BTreeMap<i64, String>, elements: u64, state: &State) -> Result<()> {
        for (shard, name) in files {
            self.text.files.entry(shard).or_default().push(name);
        }
        self.text.elements += elements;
        self.text.chunks += 1;
        self.text.state = Some(base64::encode(&state.to_bytes()));
        self.write()
    }

    /// The save has come to its end: nothing is left to go on with.
    pub(super) fn close(self) -> Result<()> {
        let path = self.folder.join(JOURNAL);
        Ok(fs::remove_file(&path).map_err(|error| IoError::io(path, "remove", error))?)
    }

    /// What to say about a folder whose save has not ended; `None` if none has begun there.
    pub(super) fn how_far(folder: &Path) -> Option<String> {
        let text: Text = serde_json::from_str(&fs::read_to_string(folder.join(JOURNAL)).ok()?).ok()?;
        Some(format!("it is not saved to the end: {} elements are there", text.elements))
    }

    /// What an earlier save wrote here, if it was this one.
    fn checked(&self, text: &str) -> Result<Text> {
        #[derive(Deserialize)]
        struct Versioned {
            feedline_save: u64,
        }
        let damaged = |error: serde_json::Error| self.damaged(&error.to_string());
        let other = |what: String| {
            let folder = shown(&self.folder);
            let error = ExecError::state(format!("save: {folder} holds part of a save {what}"));
            error.with_hint(format!("remove the folder {folder}, or save to another one"))
        };
        let Versioned { feedline_save: version } = serde_json::from_str(text).map_err(damaged)?;
        if version != VERSION {
            return Err(other(format!("of version {version}, not {VERSION}")).into());
        }
        let found: Text = serde_json::from_str(text).map_err(damaged)?;
        let (then, now) = (&found.arguments, &self.text.arguments);
        if then.shards != now.shards {
            return Err(other(format!("with shards={}, not {}", then.shards, now.shards)).into());
        }
        if then.compression != now.compression {
            let what = format!("with compression={:?}, not {:?}", then.compression, now.compression);
            return Err(other(what).into());
        }
        if then.fingerprint != now.fingerprint {
            return Err(other("of another dataset".into()).into());
        }
        Ok(found)
    }

    fn damaged(&self, reason: &str) -> ExecError {
        let path = self.folder.join(JOURNAL);
        let error = ExecError::data(format!("save: {} is damaged: {reason}", shown(&path)));
        error.with_hint(format!("remove the folder {}, or save to another one", shown(&self.folder)))
    }

    fn remove_others(&self) -> Result<()> {
        let kept: HashSet<&str> = self.text.files.values().flatten().map(String::as_str).collect();
        let listed = |error| IoError::io(&self.folder, "list", error);
        for entry in fs::read_dir(&self.folder).map_err(listed)? {
            let entry = entry.map_err(listed)?;
            let name = entry.file_name();
            // Also those that had not come to have their names.
            if name.to_str().is_some_and(|name| name.contains("elements-") && !kept.contains(name)) {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(IoError::io(entry.path(), "remove", error).into());
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn write(&self) -> Result<()> {
        let mut file = AtomicFile::create(self.folder.join(JOURNAL))?;
        file.write_all(serde_json::to_string(&self.text).expect("numbers and strings").as_bytes())?;
        Ok(file.commit()?)
    }
}
