//! The folder of a cache in files.
//!
//! | name | what |
//! | --- | --- |
//! | `plan.json` | whose elements these are: version, steps, spec, and seeds that were drawn |
//! | `rows-000000000000-000000004096.chunk` | rows 0 to 4095, see [`super::chunk`], perhaps compressed, see [`super::packing`] |
//! | `files.json` | what the files look like that the rows were computed from, see [`super::sources`]; none if there were none |
//! | `origins.jsonl` | which elements and files the rows came from, see [`super::origins`]; none if they tell it themselves |
//! | `complete.json` | there are no more rows than these |
//! | `lock` | whoever writes holds a lock on it, which the system takes back when the process ends |
//!
//! Every file but the lock and `origins.jsonl`, which grows, appears whole or not at all, `plan.json` before the first rows and `complete.json` behind the
//! last. So a kill at any moment leaves a cache of the rows committed so far, and the next run goes on behind them. Of rows
//! that do not join, those behind the gap are dropped; all are where a file they were computed from has changed.
//!
//! One iterator writes at a time. Others read what is committed when they begin and compute the rest without keeping it. One that is gone still
//! finishes the file it was at, which the next in its process waits for ([`super::folder_lock`]).

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use feedline_data::block::Buffer;
use feedline_io::{AtomicFile, Blob, LocalStore, Store, remove_stale_temporaries};
use feedline_plan::{CacheCompression, CachePlace, NodeKind, Plan, SeedPair};
use serde::{Deserialize, Serialize};

use super::chunk::Chunk;
use super::folder_lock::{FolderLock, LockOwner};
use super::origins::Origins;
use super::packing::{packed, unpacked};
use super::rows::{RowRun, Rows};
use super::sources::Sources;
use crate::budget::{Budget, Charge};
use crate::error::ExecError;
use crate::files::FileCheck;
use crate::origin::KnownStarts;
use crate::state::collect_drawn_seeds;

/// A folder, and whose elements it should hold.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    header: Header,
    /// Of files to come: those that are there say it themselves.
    compression: CacheCompression,
    /// Whether the files its rows were computed from were looked at, and were as they had been: once an iterator is enough.
    has_seen_sources: AtomicBool,
    /// Where the rows came from.
    origins: Arc<Origins>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    /// The steps upstream, as written.
    plan: Vec<String>,
    /// The elements' spec.
    spec: String,
    /// Seeds of shuffles that were given none: no part of what the pipeline is, but of what its rows are.
    drawn_seeds: Vec<SeedPair>,
}

#[derive(Serialize, Deserialize)]
struct Complete {
    rows: u64,
}

const VERSION: u32 = 1;
const HEADER: &str = "plan.json";
const SOURCES: &str = "files.json";
const ORIGINS: &str = "origins.jsonl";
const COMPLETE: &str = "complete.json";
const LOCK: &str = "lock";

/// The rows of one file: numbers of the first, and of the one behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkPlace {
    pub(super) first: u64,
    pub(super) end: u64,
}

/// What a folder holds, and the right to add to it.
#[derive(Debug)]
pub(super) struct Opened {
    /// Each begins where the one before it ends, the first at row 0.
    pub(super) chunks: Vec<ChunkPlace>,
    pub(super) is_complete: bool,
    /// `None` if it is complete, or somebody else writes.
    pub(super) writer: Option<Arc<Writer>>,
    /// The files the rows were computed from.
    pub(super) sources: Vec<FileCheck>,
    /// Why rows that are there are of no use, if some are not.
    pub(super) trouble: Option<String>,
}

impl Opened {
    /// Rows there are.
    pub(super) fn num_rows(&self) -> u64 {
        num_rows(&self.chunks)
    }
}

fn num_rows(chunks: &[ChunkPlace]) -> u64 {
    chunks.last().map_or(0, |last| last.end)
}

/// What lies in a folder.
#[derive(Default)]
struct Found {
    chunks: Vec<ChunkPlace>,
    /// Files of rows that are of no use.
    unused: Vec<ChunkPlace>,
    is_complete: bool,
    /// Whether it is complete, in the order of other seeds: the rows of somebody else.
    is_of_others: bool,
    /// Whether the header is the one this iterator would write.
    has_header: bool,
    sources: Sources,
    trouble: Option<String>,
}

impl Found {
    fn opened(self, writer: Option<Writer>) -> Opened {
        Opened {
            chunks: self.chunks,
            is_complete: self.is_complete,
            writer: writer.map(Arc::new),
            sources: self.sources.files,
            trouble: self.trouble,
        }
    }
}

impl Folder {
    /// The folder of the cache that `plan` ends in. `starts`: those of what is upstream.
    ///
    /// # Panics
    /// If it ends in something else.
    pub(crate) fn of(plan: &Plan, starts: KnownStarts) -> Folder {
        let NodeKind::Cache { place: CachePlace::Folder { path, upstream, compression } } = &plan.node().kind
        else {
            panic!("{} keeps nothing in a folder", plan.node().kind)
        };
        let mut drawn_seeds = Vec::new();
        collect_drawn_seeds(plan, &mut drawn_seeds);
        let header =
            Header { version: VERSION, plan: upstream.to_vec(), spec: plan.spec().to_string(), drawn_seeds };
        Folder {
            path: path.clone(),
            header,
            compression: *compression,
            has_seen_sources: AtomicBool::new(false),
            origins: Arc::new(Origins::new(path.join(ORIGINS), starts)),
        }
    }

    /// Whether it says that it is complete; whose it is and whether it is intact is not looked at.
    pub(crate) fn is_complete(&self) -> bool {
        self.path.join(COMPLETE).exists()
    }

    /// The drawn seeds its rows were made with, if all are there. What is wrong with it is told by [`check`](Self::check).
    pub(super) fn complete_seeds(&self) -> Option<Vec<SeedPair>> {
        if !self.is_complete() {
            return None;
        }
        Some(self.read_header().ok()??.drawn_seeds)
    }

    /// Refuses a folder that belongs to another pipeline, or to nobody.
    pub(super) fn check(&self) -> Result<(), ExecError> {
        self.read_header().map(|_| ())
    }

    /// Looks at what is there, and takes the right to write if there is more to come, for `owner`.
    pub(super) fn open(&self, owner: &LockOwner) -> Result<Opened, ExecError> {
        let opened = self.open_rows(owner)?;
        // Behind the rows: whoever writes them writes this first.
        if !opened.chunks.is_empty() {
            self.origins.read();
        }
        Ok(opened)
    }

    fn open_rows(&self, owner: &LockOwner) -> Result<Opened, ExecError> {
        let found = self.find()?;
        if found.is_complete || found.is_of_others {
            return Ok(found.opened(None));
        }
        let Some(mut writer) = self.lock(owner)? else { return Ok(found.opened(None)) };
        // Under the lock everything is looked at again: whoever held it before may just have finished.
        let found = self.find()?;
        if found.is_complete || found.is_of_others {
            return Ok(found.opened(None));
        }
        remove_stale_temporaries(&self.path, "").map_err(|error| machine(&error))?;
        // First: rows of which some are missing are not complete. What the files were like goes last, so that rows are known to be of
        // others as long as one is there.
        self.remove(COMPLETE)?;
        for &place in &found.unused {
            self.remove(&chunk_name(place))?;
        }
        if found.chunks.is_empty() {
            self.origins.remove().map_err(|error| io_error(&self.path.join(ORIGINS), "remove", error))?;
            self.remove(SOURCES)?;
        }
        if !found.has_header {
            let text = serde_json::to_vec_pretty(&self.header).expect("numbers and strings");
            write_file(&self.path.join(HEADER), &text)?;
        }
        writer.sources = Mutex::new(found.sources.files.clone());
        Ok(found.opened(Some(writer)))
    }

    /// What is there, and what of it is of use.
    fn find(&self) -> Result<Found, ExecError> {
        let Some(header) = self.read_header()? else {
            let unused = if self.path.exists() {
                let (joined, others) = self.list()?;
                [joined, others].concat()
            } else {
                Vec::new()
            };
            return Ok(Found { unused, ..Found::default() });
        };
        // Before the rows are listed: who writes lists them the other way round.
        let complete = read_file(&self.path.join(COMPLETE))?;
        let sources = self.read_sources()?;
        let (mut chunks, mut unused) = self.list()?;
        let mut is_complete = complete.is_some();
        let has_header = header.drawn_seeds == self.header.drawn_seeds;
        let mut trouble = complete.and_then(|text| self.missing_rows(&text, num_rows(&chunks)));
        is_complete &= trouble.is_none();
        if !chunks.is_empty() && !self.has_seen_sources.load(Ordering::Relaxed) {
            let change = sources.change(&self.path, is_complete);
            // Relaxed: who does not see it looks once more.
            self.has_seen_sources.store(change.is_none(), Ordering::Relaxed);
            if let Some(change) = change {
                trouble = Some(change);
                is_complete = false;
                unused.append(&mut chunks);
            }
        }
        // A cache in the order of other seeds is of no use to one that was restored with its own (who begins takes those of the cache); half a one to nobody.
        let is_of_others = is_complete && !has_header;
        if is_of_others {
            (chunks, is_complete) = (Vec::new(), false);
        } else if !has_header {
            unused.append(&mut chunks);
        }
        let sources = if chunks.is_empty() { Sources::default() } else { sources };
        Ok(Found { chunks, unused, is_complete, is_of_others, has_header, sources, trouble })
    }

    /// What is wrong with a folder that says it is complete, and holds `found` rows.
    fn missing_rows(&self, text: &[u8], found: u64) -> Option<String> {
        match serde_json::from_slice::<Complete>(text) {
            Ok(complete) if complete.rows == found => None,
            Ok(Complete { rows }) => {
                let folder = self.path.display();
                Some(format!("cache: {folder}: of {rows} rows those from {found} on are missing"))
            }
            Err(error) => Some(format!("cache: {}: {error}", self.path.join(COMPLETE).display())),
        }
    }

    /// The files its rows were computed from.
    fn read_sources(&self) -> Result<Sources, ExecError> {
        let path = self.path.join(SOURCES);
        let Some(text) = read_file(&path)? else { return Ok(Sources::default()) };
        serde_json::from_slice(&text).map_err(|error| {
            ExecError::data(format!("cache: {}: {error}", path.display())).with_hint(self.remedy())
        })
    }

    fn remove(&self, name: &str) -> Result<(), ExecError> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error(&path, "remove", error)),
            _ => Ok(()),
        }
    }

    /// The rows of one file, and what they are charged. No file takes more than the budget, whatever it says of itself.
    pub(super) fn read(
        &self,
        place: ChunkPlace,
        budget: &Arc<Budget>,
    ) -> Result<(RowRun, Charge), ExecError> {
        let path = self.path.join(chunk_name(place));
        let mut charge = budget.charge(0);
        let limit_bytes = budget.limit_bytes();
        let words =
            read_words(&path, limit_bytes, &mut charge).map_err(|error| error.with_hint(self.remedy()))?;
        let mut num_bytes = 0;
        let chunk = unpacked(words, limit_bytes, &mut charge).and_then(|words| {
            num_bytes = (words.len() * size_of::<u64>()) as u64;
            // The packed ones are gone.
            charge.shrink(charge.bytes().saturating_sub(num_bytes));
            let chunk = Chunk::decode(&Buffer::from_vec(words))?;
            let found =
                ChunkPlace { first: chunk.first_row, end: chunk.first_row.saturating_add(chunk.num_rows()) };
            let expected = format!("it holds the rows {} to {}", found.first, found.end);
            if found == place { Ok(chunk) } else { Err(expected) }
        });
        match chunk {
            Ok(chunk) => Ok((RowRun::new(place.first, chunk.blocks, num_bytes), charge)),
            Err(reason) => Err(ExecError::data(format!(
                "cache: {}: rows {} to {} are damaged: {reason}",
                path.display(),
                place.first,
                place.end
            ))
            .with_hint(self.remedy())),
        }
    }

    fn remedy(&self) -> String {
        format!("delete the folder {}; the next run makes it again", self.path.display())
    }

    /// The header that is there, if there is one and it is of this pipeline.
    fn read_header(&self) -> Result<Option<Header>, ExecError> {
        let path = self.path.join(HEADER);
        let mut found = read_file(&path)?;
        if found.is_none() {
            if self.check_empty()? {
                return Ok(None);
            }
            // It was not there a moment ago: somebody has just begun to write.
            found = read_file(&path)?;
        }
        let Some(text) = found else {
            let error = io::Error::new(io::ErrorKind::NotFound, "it is in the folder, and no file");
            return Err(io_error(&path, "read", error));
        };
        let header: Header = serde_json::from_slice(&text).map_err(|error| {
            ExecError::data(format!("cache: {} is no header of a cache: {error}", path.display()))
                .with_hint(self.other_folder())
        })?;
        let difference = if header.version == VERSION {
            first_difference(&header, &self.header)
        } else {
            Some(format!("it is of version {}, this feedline reads version {VERSION}", header.version))
        };
        match difference {
            None => Ok(Some(header)),
            Some(difference) => Err(ExecError::state(format!(
                "cache: {} holds the elements of another pipeline: {difference}",
                self.path.display()
            ))
            .with_hint(self.other_folder())),
        }
    }

    fn other_folder(&self) -> String {
        format!("delete the folder {}, or give another path", self.path.display())
    }

    /// Whether there is no header; refuses a folder that holds anything but what a writer leaves. Rows without a header are of
    /// nobody, and are dropped.
    fn check_empty(&self) -> Result<bool, ExecError> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(ExecError::resource(format!(
                    "cache: {} is a file, expected a folder or nothing",
                    self.path.display()
                ))
                .with_hint("give the path of a folder; it need not exist"));
            }
            Err(error) => return Err(io_error(&self.path, "list", error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| io_error(&self.path, "list", error))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name == HEADER {
                return Ok(false);
            }
            if name != LOCK && !name.ends_with(".tmp") && place_of(&name).is_none() {
                return Err(ExecError::resource(format!(
                    "cache: {} holds {name} and other files, and is no cache",
                    self.path.display()
                ))
                .with_hint("give the path of an empty folder, or of one that does not exist"));
            }
        }
        Ok(true)
    }

    /// The right to write, for `owner`; `None` if somebody else has it.
    pub(super) fn lock(&self, owner: &LockOwner) -> Result<Option<Writer>, ExecError> {
        fs::create_dir_all(&self.path).map_err(|error| io_error(&self.path, "create", error))?;
        let path = self.path.join(LOCK);
        let options = File::options().create(true).truncate(false).write(true).open(&path);
        let file = options.map_err(|error| io_error(&path, "open", error))?;
        let lock = FolderLock::take(file, &path, owner).map_err(|error| {
            io_error(&path, "lock", error).with_hint(
                "without locks two writers would mix; give a folder on a file system that has them",
            )
        })?;
        Ok(lock.map(|lock| {
            let (folder, compression) = (self.path.clone(), self.compression);
            let (sources, origins) = (Mutex::default(), Arc::clone(&self.origins));
            // What is there is not written again.
            origins.read();
            Writer { folder, compression, sources, origins, _lock: lock }
        }))
    }

    /// Rows from 0 on without a gap, and files behind the first gap.
    fn list(&self) -> Result<(Vec<ChunkPlace>, Vec<ChunkPlace>), ExecError> {
        let mut places: BTreeMap<u64, Vec<ChunkPlace>> = BTreeMap::new();
        for entry in fs::read_dir(&self.path).map_err(|error| io_error(&self.path, "list", error))? {
            let entry = entry.map_err(|error| io_error(&self.path, "list", error))?;
            if let Some(place) = entry.file_name().to_str().and_then(place_of) {
                places.entry(place.first).or_default().push(place);
            }
        }
        let mut chunks = Vec::new();
        let mut end = 0;
        while let Some(place) = places.get_mut(&end).and_then(Vec::pop) {
            chunks.push(place);
            end = place.end;
        }
        Ok((chunks, places.into_values().flatten().collect()))
    }
}

/// The right to add to a folder.
#[derive(Debug)]
pub(super) struct Writer {
    folder: PathBuf,
    compression: CacheCompression,
    /// The files the rows were computed from, as far as that is written.
    sources: Mutex<Vec<FileCheck>>,
    origins: Arc<Origins>,
    _lock: FolderLock,
}

impl Writer {
    /// Adds rows, the first of which is number `first_row`, for good. `sources`: the files that were read so far.
    pub(super) fn commit(
        &self,
        first_row: u64,
        bytes: &[u8],
        num_rows: u64,
        sources: Vec<FileCheck>,
    ) -> Result<(), ExecError> {
        self.write_sources(sources)?;
        self.write_origins()?;
        let place = ChunkPlace { first: first_row, end: first_row + num_rows };
        write_file(&self.folder.join(chunk_name(place)), &packed(bytes, self.compression))
    }

    fn write_sources(&self, files: Vec<FileCheck>) -> Result<(), ExecError> {
        let mut written = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if *written != files {
            let sources = Sources { files };
            let text = serde_json::to_vec(&sources).expect("numbers and strings");
            write_file(&self.folder.join(SOURCES), &text)?;
            *written = sources.files;
        }
        Ok(())
    }

    fn write_origins(&self) -> Result<(), ExecError> {
        self.origins.write().map_err(|error| io_error(&self.folder.join(ORIGINS), "write", error))
    }

    /// Says that there are no rows but the `num_rows` committed, if the files they were computed from are still what they were.
    pub(super) fn complete(&self, num_rows: u64) -> Result<(), ExecError> {
        let files = self.sources.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(change) = (Sources { files }).change(&self.folder, false) {
            return Err(ExecError::data(change)
                .with_hint("it changed while it was read; the next run computes these rows anew"));
        }
        self.write_origins()?;
        let text = serde_json::to_vec(&Complete { rows: num_rows }).expect("a number");
        write_file(&self.folder.join(COMPLETE), &text)
    }
}

/// Rows as the bytes of a file.
pub(super) fn encode(first_row: u64, blocks: &[Rows]) -> Vec<u8> {
    Chunk::encode(first_row, blocks)
}

fn chunk_name(place: ChunkPlace) -> String {
    format!("rows-{:012}-{:012}.chunk", place.first, place.end)
}

fn place_of(name: &str) -> Option<ChunkPlace> {
    let (first, end) = name.strip_prefix("rows-")?.strip_suffix(".chunk")?.split_once('-')?;
    let place = ChunkPlace { first: first.parse().ok()?, end: end.parse().ok()? };
    (place.first < place.end && chunk_name(place) == name).then_some(place)
}

fn first_difference(found: &Header, expected: &Header) -> Option<String> {
    let (was, is) = (&found.plan, &expected.plan);
    let shown = |line: Option<&String>| line.map_or_else(|| "nothing".into(), |line| format!("`{line}`"));
    let step = (0..was.len().max(is.len())).find(|&step| was.get(step) != is.get(step));
    if let Some(step) = step {
        let (was, is) = (shown(was.get(step)), shown(is.get(step)));
        return Some(format!("step {} was {was} when it was made and is {is} now", step + 1));
    }
    (found.spec != expected.spec)
        .then(|| format!("its elements are {}, those of this pipeline are {}", found.spec, expected.spec))
}

/// All of a file; `None` if there is none.
fn read_file(path: &Path) -> Result<Option<Vec<u8>>, ExecError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        // Also where the folder is a file: what that means is told by who lists it.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(io_error(path, "read", error)),
    }
}

/// All of a file, aligned for any number. What does not fill a word is read as one with zeros, and found out by the length
/// the file says it has.
fn read_words(path: &Path, limit_bytes: u64, charge: &mut Charge) -> Result<Vec<u64>, ExecError> {
    let blob = LocalStore.open(path).map_err(|error| machine(&error))?;
    if blob.size() > limit_bytes {
        return Err(ExecError::resource(format!(
            "cache: {}: it has {} bytes, and the memory budget is {limit_bytes} bytes",
            path.display(),
            blob.size()
        )));
    }
    charge.grow(blob.size());
    let num_bytes = usize::try_from(blob.size()).unwrap_or(usize::MAX);
    let mut words = Vec::new();
    words.try_reserve_exact(num_bytes.div_ceil(size_of::<u64>())).map_err(|_| {
        ExecError::resource(format!("cache: {}: no memory for its {num_bytes} bytes", path.display()))
    })?;
    words.resize(num_bytes.div_ceil(size_of::<u64>()), 0);
    blob.read_exact_at(&mut bytemuck::cast_slice_mut(&mut words)[..num_bytes], 0)
        .map_err(|error| machine(&error))?;
    Ok(words)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ExecError> {
    let written = AtomicFile::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.commit()
    });
    written.map_err(|error| machine(&error))
}

fn io_error(path: &Path, operation: &str, error: io::Error) -> ExecError {
    machine(&feedline_io::Error::io(path, operation, error))
}

fn machine(error: &feedline_io::Error) -> ExecError {
    let text = error.to_string();
    let (message, hint) = text.split_once("\nhint: ").unwrap_or((&text, ""));
    let error = ExecError::resource(format!("cache: {message}"));
    let other = "give the cache another folder";
    error.with_hint(if hint.is_empty() { other.to_owned() } else { format!("{hint}; {other}") })
}
