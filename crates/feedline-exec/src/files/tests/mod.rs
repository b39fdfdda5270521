//! What is read ahead in pieces of any size is what is read front to back.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod contents;
mod threads;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use feedline_formats::tfrecord::HEADER_BYTES;
use feedline_io::{
    Access, Blob, Error, ErrorKind, IoThreads, Listing, ListingWatch, PendingBlob, Result, Store,
};

use super::{Buffers, Event, FileList, FilePlace, ReadAhead, ReadInline, ReadSizes, RowKind};
use crate::budget::Budget;
use crate::error::ExecError;
use crate::metrics::Probe;

/// Files in memory, which can be made to wait or fail.
#[derive(Default)]
struct Memory {
    files: BTreeMap<PathBuf, Arc<Vec<u8>>>,
    gate: Arc<Gate>,
}

/// What happens to reads.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    /// Whether reads have to wait.
    is_closed: bool,
    /// Those that do.
    num_waiting: usize,
    /// Bytes from here on cannot be read.
    bad_from: Option<u64>,
    panics: bool,
    /// Of the reads that must not wait, one in so many has to; 0: all of them.
    waits_one_in: usize,
    /// Reads that must not wait, and those that were answered.
    num_at_once: usize,
    num_answered: usize,
}

impl Gate {
    fn change(&self, change: impl FnOnce(&mut GateState)) {
        change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
    }

    fn wait_until(&self, condition: impl Fn(&GateState) -> bool) {
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |state| !condition(state)).unwrap());
    }
}

struct MemoryBlob {
    path: PathBuf,
    bytes: Arc<Vec<u8>>,
    gate: Arc<Gate>,
}

impl Blob for MemoryBlob {
    fn location(&self) -> &Path {
        &self.path
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        // Small reads pass: those that tell how a file is compressed.
        if buffer.len() > HEADER_BYTES {
            self.gate.change(|state| state.num_waiting += 1);
            self.gate.wait_until(|state| !state.is_closed);
            self.gate.change(|state| state.num_waiting -= 1);
        }
        let (bad_from, panics) = {
            let state = self.gate.state.lock().unwrap();
            (state.bad_from, state.panics)
        };
        assert!(!panics, "on purpose");
        if bad_from.is_some_and(|bad| offset + buffer.len() as u64 > bad) {
            return Err(Error::new(ErrorKind::Other, &self.path, "read", "the disk is broken"));
        }
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn read_at_once(&self, buffer: &mut [u8], offset: u64) -> Option<usize> {
        let mut is_answered = false;
        self.gate.change(|state| {
            state.num_at_once += 1;
            is_answered = state.waits_one_in > 0 && state.num_at_once % state.waits_one_in != 0;
            state.num_answered += usize::from(is_answered);
        });
        is_answered.then(|| self.read_at(buffer, offset).ok()).flatten()
    }

    fn access(&self) -> Access {
        Access::LOCAL
    }
}

impl Store for Memory {
    fn open(&self, location: &Path) -> Result<Arc<dyn Blob>> {
        let missing = || Error::new(ErrorKind::NotFound, location, "open", "no such file");
        let bytes = Arc::clone(self.files.get(location).ok_or_else(missing)?);
        Ok(Arc::new(MemoryBlob { path: location.to_owned(), bytes, gate: Arc::clone(&self.gate) }))
    }

    fn survey(&self, _: &OsStr, _: &ListingWatch) -> Result<Listing> {
        unreachable!("only read")
    }

    fn create(&self, _: &Path) -> Result<Box<dyn PendingBlob>> {
        unreachable!("only read")
    }

    fn exists(&self, _: &Path) -> Result<bool> {
        unreachable!("only read")
    }

    fn remove(&self, _: &Path) -> Result<()> {
        unreachable!("only read")
    }
}

/// Files of rows of one kind.
struct Files {
    store: Arc<Memory>,
    paths: Arc<Vec<PathBuf>>,
    kind: RowKind,
}

/// Where something is: number of the file, and the place in it.
type At = (usize, FilePlace);

impl Files {
    /// `contents` one after the other; those that are `None` are missing.
    fn new(kind: RowKind, contents: Vec<Option<Vec<u8>>>) -> Files {
        let paths: Vec<PathBuf> = (0..contents.len()).map(|file| format!("file-{file}").into()).collect();
        let files = paths.iter().zip(contents);
        let files = files.filter_map(|(path, bytes)| Some((path.clone(), Arc::new(bytes?)))).collect();
        Files { store: Arc::new(Memory { files, gate: Arc::default() }), paths: Arc::new(paths), kind }
    }

    fn list(&self, sizes: ReadSizes) -> FileList {
        let store: Arc<dyn Store> = Arc::clone(&self.store) as Arc<dyn Store>;
        let paths = Arc::clone(&self.paths);
        let (kind, buffers, probe) = (self.kind, Buffers::default(), Probe::unread());
        let turn = crate::turn::Turn::always();
        FileList { store, paths, kind, is_stream: true, buffers, sizes, turn, probe }
    }

    /// All rows and errors with their places, front to back on one thread.
    fn reference(&self, from: At) -> Vec<(At, String)> {
        let mut reader = ReadInline::new(self.list(sizes(1 << 10, 1 << 10)), from.0, from.1);
        std::iter::from_fn(|| reader.next()).flat_map(show).collect()
    }

    fn ahead(&self, sizes: ReadSizes, from: At, budget: &Arc<Budget>) -> ReadAhead {
        ReadAhead::new(self.list(sizes), from.0, from.1, budget, 2, threads())
    }

    /// The same read ahead, in pieces of these sizes.
    fn read(&self, sizes: ReadSizes, from: At) -> Vec<(At, String)> {
        let mut reader = self.ahead(sizes, from, &Budget::new(1 << 30));
        std::iter::from_fn(|| wait_for(&mut reader)).flat_map(|event| show(event.unwrap())).collect()
    }

    /// The same, one piece after the other.
    fn read_one_by_one(&self, sizes: ReadSizes) -> Vec<(At, String)> {
        let list = FileList { is_stream: false, ..self.list(sizes) };
        let mut reader = ReadAhead::new(list, START.0, START.1, &Budget::new(1 << 30), 2, threads());
        std::iter::from_fn(|| wait_for(&mut reader)).flat_map(|event| show(event.unwrap())).collect()
    }

    /// Compares them, in pieces of every size given.
    fn check(&self, piece_sizes: &[usize]) {
        let expected = self.reference(START);
        for &piece_bytes in piece_sizes {
            for read_bytes in [piece_bytes.div_ceil(3), piece_bytes * 2] {
                let found = self.read(sizes(piece_bytes, read_bytes), START);
                assert_eq!(found, expected, "pieces of {piece_bytes}, reads of {read_bytes}");
                let found = self.read_one_by_one(sizes(piece_bytes, read_bytes));
                assert_eq!(found, expected, "one by one, pieces of {piece_bytes}, reads of {read_bytes}");
            }
        }
    }
}

const START: At = (0, FilePlace { offset: 0, row: 0 });

fn sizes(piece_bytes: usize, read_bytes: usize) -> ReadSizes {
    ReadSizes { piece_bytes, read_bytes, ..ReadSizes::default() }
}

fn threads() -> &'static IoThreads {
    static THREADS: OnceLock<IoThreads> = OnceLock::new();
    THREADS.get_or_init(IoThreads::default)
}

fn show(event: Event) -> Vec<(At, String)> {
    match event {
        Event::Rows { file, piece } => {
            assert!(!piece.rows.is_empty());
            let row = |(index, row): (usize, &[u8])| {
                let damage = piece.damaged.iter().find(|(row, _)| *row == index);
                let text = damage.map_or_else(
                    || String::from_utf8_lossy(row).into_owned(),
                    |(_, error)| format!("error: {error}"),
                );
                ((file, piece.places.at(index as u64)), text)
            };
            piece.rows.iter().enumerate().map(row).collect()
        }
        Event::Error { file, at, error } => vec![((file, at), format!("error: {error}"))],
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Unpark>) {
        self.0.unpark();
    }
}

/// The next thing, waiting for it.
fn wait_for(reader: &mut ReadAhead) -> Option<std::result::Result<Event, ExecError>> {
    loop {
        match poll(reader) {
            Poll::Ready(event) => return event,
            Poll::Pending => thread::park(),
        }
    }
}

fn poll(reader: &mut ReadAhead) -> Poll<Option<std::result::Result<Event, ExecError>>> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    reader.poll_next(&mut Context::from_waker(&waker))
}
