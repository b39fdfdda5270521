//! Records in random order, read by their index.
//!
//! The order is cut into windows of some hundred rows. The records of a window are sorted by where they lie, near ones are
//! read in one go, and the window comes out in its order when all have arrived. Several windows are under way at a time: as
//! many as help ([`Depth`]), as far as the budget has room for them; one always is.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use feedline_data::block::{Block, Column, ErrorRow, Ids, Position};

use super::Order;
use super::permutation::Permutation;
use super::source::{IndexedFiles, ReadJob, Records, Wanted};
use crate::budget::Charge;
use crate::error::ExecError;
use crate::files::{Buffers, RowKind};
use crate::metrics::{Probe, QueuePart, Work};
use crate::operator::{Operator, cut};
use crate::operators::range::{Ordinal, next_ordinal};
use crate::origin::{FileStarts, KnownStarts, Origin, Sought};
use crate::runtime::Runtime;
use crate::template::{Scope, Template};
use crate::tune::{Depth, Learned, Limits, Taken, now_ns};

#[derive(Debug)]
pub(crate) struct GlobalFilesTemplate {
    pub(crate) paths: Arc<Vec<PathBuf>>,
    pub(crate) order: Order,
    pub(crate) buffers: Buffers,
    /// The files with their indexes, opened once for all epochs.
    pub(crate) opened: Arc<Opened>,
    /// What is known about how many windows serve; kept here so that a new epoch does not start from nothing.
    pub(crate) learned: Arc<Learned>,
    pub(crate) starts: FileStarts,
}

/// Files that are opened once, on an I/O thread, by whoever needs them first.
#[derive(Default)]
pub(crate) struct Opened(Mutex<Opening>);

#[derive(Default)]
enum Opening {
    #[default]
    NotBegun,
    Running(Vec<Waker>),
    Done(Result<Arc<IndexedFiles>, ExecError>),
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened")
    }
}

impl Opened {
    fn lock(&self) -> MutexGuard<'_, Opening> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll(
        self: &Arc<Opened>,
        cx: &Context<'_>,
        paths: &Arc<Vec<PathBuf>>,
        runtime: &Runtime,
    ) -> Poll<Result<Arc<IndexedFiles>, ExecError>> {
        let mut opening = self.lock();
        match &mut *opening {
            Opening::Done(files) => return Poll::Ready(files.clone()),
            Opening::Running(wakers) => wakers.push(cx.waker().clone()),
            Opening::NotBegun => {
                *opening = Opening::Running(vec![cx.waker().clone()]);
                drop(opening);
                let (opened, paths) = (Arc::clone(self), Arc::clone(paths));
                let open = move || opened.finish(IndexedFiles::open(&paths).map(Arc::new));
                match runtime.io() {
                    None => open(),
                    Some(io) => {
                        if let Err(error) = io.spawn(open) {
                            self.finish(Err(ExecError::of_io(&error)));
                        }
                    }
                }
                if let Opening::Done(files) = &*self.lock() {
                    return Poll::Ready(files.clone());
                }
            }
        }
        Poll::Pending
    }

    fn finish(&self, files: Result<Arc<IndexedFiles>, ExecError>) {
        let before = std::mem::replace(&mut *self.lock(), Opening::Done(files));
        if let Opening::Running(wakers) = before {
            wakers.into_iter().for_each(Waker::wake);
        }
    }
}

impl Template for GlobalFilesTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let next = next_ordinal(at, "global_shuffle")?;
        self.starts.add(scope, &self.paths);
        Ok(Box::new(GlobalFiles {
            paths: Arc::clone(&self.paths),
            order: self.order,
            scope: scope.clone(),
            buffers: self.buffers.within(scope.runtime.budget.limit_bytes()),
            opened: Arc::clone(&self.opened),
            source: None,
            index_charge: None,
            next_asked: next,
            next_row: next,
            windows: VecDeque::new(),
            depth: Depth::tuned(Limits {
                min: MIN_WINDOWS,
                start: self.learned.depth_or(FIRST_WINDOWS),
                max: MAX_WINDOWS,
                max_bytes: scope.runtime.budget.limit_bytes() / WINDOWS_PART_OF_BUDGET,
            }),
            learned: Arc::clone(&self.learned),
            rest: None,
            rest_charge: None,
            has_failed: false,
        }))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        self.starts.origin(sought, RowKind::Record)
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        starts.push_files(&self.starts);
    }
}

/// Rows of a window, at most: enough that neighbours are found in files of a few ten thousand records.
const WINDOW_ROWS: u64 = 1024;
/// Bytes of a window, about, where the budget has room for many.
const WINDOW_BYTES: u64 = 8 << 20;
/// Else the part of the budget that one may have: two are under way at least, and others want to hold something, too.
const WINDOW_PART_OF_BUDGET: u64 = 8;
/// Windows under way: to begin with, and between what their number moves. One alone would be read and waited for in turns.
const FIRST_WINDOWS: usize = 4;
const MIN_WINDOWS: usize = 2;
const MAX_WINDOWS: usize = 32;
/// The part of the budget that they may fill for the sake of running ahead: others want to as well.
const WINDOWS_PART_OF_BUDGET: u64 = 4;

struct GlobalFiles {
    paths: Arc<Vec<PathBuf>>,
    order: Order,
    scope: Scope,
    buffers: Buffers,
    opened: Arc<Opened>,
    source: Option<(Arc<IndexedFiles>, Permutation)>,
    /// For the indexes, which are needed from the first row to the last.
    index_charge: Option<Charge>,
    /// The next row to be asked for, and to be handed on.
    next_asked: u64,
    next_row: u64,
    windows: VecDeque<InFlight>,
    depth: Depth,
    learned: Arc<Learned>,
    rest: Option<Block>,
    /// For what is left of a window: its records are views of all that was read for it.
    rest_charge: Option<Charge>,
    has_failed: bool,
}

/// A window that is being read.
struct InFlight {
    window: Arc<Window>,
    ids: Vec<u64>,
    charge: Charge,
    _depth: QueuePart,
}

/// What the jobs of a window have read.
struct Window(Mutex<Arrived>);

struct Arrived {
    records: Vec<Records>,
    jobs_left: usize,
    waker: Option<Waker>,
}

impl Window {
    fn lock(&self) -> MutexGuard<'_, Arrived> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arrive(&self, records: Vec<Records>) {
        let mut arrived = self.lock();
        arrived.records.extend(records);
        arrived.jobs_left -= 1;
        let waker = if arrived.jobs_left == 0 { arrived.waker.take() } else { None };
        drop(arrived);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn is_done(&self) -> bool {
        self.lock().jobs_left == 0
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<Vec<Records>> {
        let mut arrived = self.lock();
        if arrived.jobs_left == 0 {
            return Poll::Ready(std::mem::take(&mut arrived.records));
        }
        arrived.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// Tells its window that it is done, also if it panics or is dropped unrun.
struct Job {
    window: Arc<Window>,
    records: Vec<Records>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.window.arrive(std::mem::take(&mut self.records));
    }
}

impl GlobalFiles {
    /// Starts reading as far ahead as serves. One window may be read whatever the budget says, if it is this stream's turn.
    fn ask(&mut self, cx: &Context<'_>, limit: usize) {
        let Some((files, permutation)) = &self.source else { return };
        let runtime = &self.scope.runtime;
        // The reference reads no further than it is asked.
        let (max_windows, max_rows) = match runtime.pool {
            Some(_) => (self.depth.get(), WINDOW_ROWS),
            None => (1, WINDOW_ROWS.min(limit as u64)),
        };
        let max_bytes = WINDOW_BYTES.min(runtime.budget.limit_bytes() / WINDOW_PART_OF_BUDGET);
        let count = files.num_records();
        let probe = self.scope.probe();
        while self.windows.len() < max_windows && self.next_asked < count {
            let mut wanted: Vec<Wanted> = Vec::new();
            let mut bytes = 0;
            for number in self.next_asked..count.min(self.next_asked + max_rows) {
                let next = files.wanted(permutation.at(number), wanted.len());
                bytes += next.byte_size();
                wanted.push(next);
                if bytes >= max_bytes {
                    break;
                }
            }
            let num_wanted = wanted.len() as u64;
            let first_id = self.scope.first_id();
            let ids = wanted.iter().map(|wanted| IndexedFiles::id(wanted, first_id)).collect();
            let jobs = IndexedFiles::jobs(wanted, runtime.budget.limit_bytes());
            // With what lies between the records, where that stays as long as they do.
            let bytes = jobs.iter().map(ReadJob::kept_bytes).sum();
            let charge = match runtime.budget.try_charge(bytes) {
                Some(charge) => charge,
                None if self.windows.is_empty() && self.scope.turn.has_come(cx) => {
                    runtime.budget.charge(bytes)
                }
                None => {
                    self.depth.refused();
                    return;
                }
            };
            self.next_asked += num_wanted;
            let window = start_window(files, jobs, &self.buffers, runtime, &probe);
            let depth = probe.hold("windows", 1);
            self.windows.push_back(InFlight { window, ids, charge, _depth: depth });
        }
    }

    /// What the jobs read, in the order it was wanted in.
    fn block_of(&self, records: &[Records], ids: &[u64]) -> Block {
        let mut places = vec![usize::MAX; ids.len()];
        let mut next = 0;
        for read in records {
            for &row in &read.rows {
                places[row] = next;
                next += 1;
            }
        }
        let strings: Vec<Column> = records
            .iter()
            .filter(|read| !read.rows.is_empty())
            .map(|read| Column::from_strings(vec![], read.rows.len(), read.strings.clone()))
            .collect();
        let elements: Vec<usize> = (0..ids.len()).filter(|&row| places[row] != usize::MAX).collect();
        let mut errors: Vec<ErrorRow> = records
            .iter()
            .flat_map(|read| &read.errors)
            .map(|(row, error)| ErrorRow { row: *row, id: ids[*row], error: error.clone().into_row_error() })
            .collect();
        // A job that did not answer died: its rows are errors, not missing.
        for row in 0..ids.len() {
            if places[row] == usize::MAX && !errors.iter().any(|error| error.row == row) {
                let error = ExecError::internal("global_shuffle: a read did not answer").into_row_error();
                errors.push(ErrorRow { row, id: ids[row], error });
            }
        }
        errors.sort_by_key(|error| error.row);
        let columns = if strings.is_empty() {
            Vec::new()
        } else {
            let order: Vec<usize> = elements.iter().map(|&row| places[row]).collect();
            vec![Column::concat(&strings).gather(&order)]
        };
        let ids = Ids::list(elements.iter().map(|&row| ids[row]).collect());
        Block::with_errors(columns, ids, errors, Ordinal::position(self.next_row))
    }
}

fn start_window(
    files: &Arc<IndexedFiles>,
    jobs: Vec<ReadJob>,
    buffers: &Buffers,
    runtime: &Runtime,
    probe: &Probe,
) -> Arc<Window> {
    let arrived = Arrived { records: Vec::new(), jobs_left: jobs.len(), waker: None };
    let window = Arc::new(Window(Mutex::new(arrived)));
    for job in jobs {
        let (files, buffers) = (Arc::clone(files), buffers.clone());
        let mut answer = Job { window: Arc::clone(&window), records: Vec::new() };
        let (probe, budget) = (probe.clone(), Arc::clone(&runtime.budget));
        let read = move || {
            let _under_way = probe.begin(Work::Files("reading records by their index"));
            answer.records = files.read(&job, &buffers, &budget);
            drop(answer);
        };
        match runtime.io() {
            None => read(),
            // Refused, the job is dropped, and tells so.
            Some(io) => drop(io.spawn(read)),
        }
    }
    window
}

impl Operator for GlobalFiles {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        if self.has_failed {
            return Poll::Ready(None);
        }
        if self.source.is_none() {
            match ready!(self.opened.poll(cx, &self.paths, &self.scope.runtime)) {
                Ok(files) => {
                    let permutation = self.order.permutation(files.num_records(), &self.scope);
                    self.paths.iter().for_each(|path| self.scope.files.add(path));
                    self.index_charge = Some(self.scope.runtime.budget.charge(files.index_bytes()));
                    self.source = Some((files, permutation));
                }
                Err(error) => {
                    self.has_failed = true;
                    let position = Ordinal::position(self.next_row);
                    let error = error.that_ends_stream().into_row_error();
                    return Poll::Ready(Some(Block::of_error(0, error, position)));
                }
            }
        }
        if self.rest.is_none() {
            self.rest_charge = None;
            self.ask(cx, limit);
            let Some(head) = self.windows.front() else {
                let is_end =
                    self.source.as_ref().is_none_or(|(files, _)| self.next_asked >= files.num_records());
                if !is_end {
                    // There is no memory to run ahead with; its turn wakes it.
                    return Poll::Pending;
                }
                self.index_charge = None;
                return Poll::Ready(None);
            };
            let Poll::Ready(records) = head.window.poll(cx) else {
                if self.windows.len() >= self.depth.get() {
                    self.depth.parked();
                }
                self.depth.waits(now_ns());
                return Poll::Pending;
            };
            let head = self.windows.pop_front().expect("looked at above");
            let half = self.windows.get(self.windows.len() / 2);
            self.depth.taken(Taken {
                now_ns: now_ns(),
                rows: head.ids.len(),
                bytes: head.charge.bytes(),
                is_half_ready: half.is_some_and(|half| half.window.is_done()),
            });
            self.rest = Some(self.block_of(&records, &head.ids));
            self.rest_charge = Some(head.charge);
            self.next_row += head.ids.len() as u64;
            self.ask(cx, limit);
        }
        let block = self.rest.take().expect("made above");
        Poll::Ready(Some(cut(block, limit, &mut self.rest)))
    }

    fn skip(&mut self, rows: u64) {
        let held = self.rest.as_ref().map_or(0, Block::rows) as u64;
        if rows < held {
            self.rest = self.rest.take().map(|block| block.slice(rows as usize..block.rows()));
            return;
        }
        self.rest = None;
        // What was asked for and is skipped now is read for nothing; skips come at the start, before anything was.
        self.windows.clear();
        self.next_row = self.next_row.saturating_add(rows - held);
        self.next_asked = self.next_row;
    }
}

impl Drop for GlobalFiles {
    fn drop(&mut self) {
        self.learned.set(self.depth.settled());
    }
}
