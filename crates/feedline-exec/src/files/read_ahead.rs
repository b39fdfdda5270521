//! A list of files, read ahead on the I/O threads. How they work together is in `README.md`.

use std::path::PathBuf;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use feedline_io::{Blob, IoThreads, Store};

use super::at_once::AtOnce;
use super::cursor::FileCursor;
use super::open::open;
use super::pace::Pace;
use super::plain_file::RangeClaim;
use super::range::{RangeReader, RangeRows, look_ahead};
use super::taker::Taker;
use super::window::{Claim, Window};
use super::{Buffers, Event, FilePlace, ReadSizes, RowKind};
use crate::budget::Budget;
use crate::error::ExecError;
use crate::hand_over::HandOver;
use crate::metrics::{Probe, QueuePart, Work};
use crate::turn::Turn;

/// What is to be read, and with what.
#[derive(Clone)]
pub(crate) struct FileList {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) paths: Arc<Vec<PathBuf>>,
    pub(crate) kind: RowKind,
    /// Whether several pieces are read at a time; else one, and the next when it has been taken.
    pub(crate) is_stream: bool,
    pub(crate) buffers: Buffers,
    pub(crate) sizes: ReadSizes,
    /// Whether its stream is the one that everybody waits for.
    pub(crate) turn: Arc<Turn>,
    pub(crate) probe: Probe,
}

impl FileList {
    /// What a thread does that has claimed it.
    fn work_of(&self, claim: &Claim) -> Work {
        let paths = Arc::clone(&self.paths);
        match claim {
            Claim::Open { file } => Work::Open { paths, file: *file },
            Claim::Range(claim) => Work::Read { paths, file: claim.file, range: claim.range.clone() },
            Claim::Next { file, cursor, .. } => {
                Work::Inflate { paths, file: *file, offset: cursor.place().offset }
            }
        }
    }
}

/// The rows of a list of files, in order, read before they are asked for. Dropping it ends the threads that read for it,
/// each at the end of its piece.
pub(crate) struct ReadAhead {
    shared: Arc<Shared>,
    threads: &'static IoThreads,
}

struct Shared {
    files: FileList,
    state: HandOver<State>,
}

struct State {
    window: Window,
    /// Pieces being read or ready, as others see it.
    depth: QueuePart,
    /// Threads at work.
    num_lanes: usize,
    /// How the one who asks takes part.
    taker: Taker,
    /// What ends all of it, to be told once.
    failure: Option<ExecError>,
    /// Nobody is interested any more.
    is_closed: bool,
}

/// Pieces a thread reads before it lets others have a turn: the threads are everybody's.
const PIECES_A_TURN: usize = 64;

impl ReadAhead {
    /// Reads `files` from `start` of file `first_file` on, on `threads`, for a machine of `num_cores`.
    pub(crate) fn new(
        files: FileList,
        first_file: usize,
        start: FilePlace,
        budget: &Arc<Budget>,
        num_cores: usize,
        threads: &'static IoThreads,
    ) -> ReadAhead {
        let pace = if files.is_stream {
            Pace::new(num_cores, files.sizes)
        } else {
            Pace::one_at_a_time(files.sizes)
        };
        let state = State {
            window: Window::new(first_file, files.paths.len(), start, budget, pace, &files.turn),
            depth: files.probe.hold("pieces", 0),
            num_lanes: 0,
            taker: Taker::default(),
            failure: None,
            is_closed: false,
        };
        ReadAhead { shared: Arc::new(Shared { files, state: HandOver::new(state) }), threads }
    }

    /// What comes next; `None` is the end.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Event, ExecError>>> {
        loop {
            // Where there is no memory to run ahead with, this is what happens next. Also if it is this stream's turn now: a thread that
            // reads for it may find that it is over.
            self.shared.files.turn.wake_when_it_comes(cx);
            let (mut own, mut for_lanes) = (None, Vec::new());
            let answer = self.shared.state.poll_take(cx, |state| {
                let event = state.window.take();
                if event.is_none() {
                    if let Some(failure) = state.failure.take() {
                        return Some(Some(Err(failure)));
                    }
                    if state.is_closed || state.window.has_ended() {
                        return Some(None);
                    }
                }
                state.taker.asked(event.is_some());
                // First the one who asks, who needs what comes next; then as many threads as there is work for.
                if event.is_none() && state.does_taker_read() {
                    own = state.window.claim();
                }
                for_lanes.extend(std::iter::from_fn(|| state.claim_for_another()));
                state.note_depth();
                event.map(|event| Some(Ok(event)))
            });
            for claim in for_lanes {
                Shared::spawn(&self.shared, self.threads, claim);
            }
            let Some(claim) = own else { return answer };
            if !self.read_at_once(claim) {
                return Poll::Pending;
            }
        }
    }

    /// Reads what was claimed here, if that needs no waiting; else a lane is started for it.
    fn read_at_once(&self, claim: Claim) -> bool {
        let shared = &self.shared;
        let _under_way = shared.files.probe.begin(shared.files.work_of(&claim));
        let is_range = matches!(claim, Claim::Range(_));
        let claim = match claim {
            Claim::Range(claim) => match shared.read_range(claim, Waiting::Never) {
                Ok((claim, rows)) => {
                    shared.state.with(|state| state.window.read(claim, rows));
                    return true;
                }
                Err(claim) => Claim::Range(claim),
            },
            other => other,
        };
        shared.state.with(|state| {
            if is_range {
                state.taker.would_have_waited();
            }
            state.num_lanes += 1;
        });
        Shared::spawn(shared, self.threads, claim);
        false
    }
}

impl State {
    /// Whether the one who asks reads what is not there.
    fn does_taker_read(&self) -> bool {
        self.window.pace.is_fast() && self.taker.reads()
    }

    /// Threads that should read beside the one who asks.
    fn num_lanes_wanted(&self) -> usize {
        let lanes = self.window.pace.num_lanes();
        if self.does_taker_read() { (lanes - 1).max(1) } else { lanes }
    }

    fn note_depth(&mut self) {
        self.depth.set(self.window.num_outstanding() as u64);
    }

    /// Work for one more thread, which counts as at work from now on; `None` if those at work are enough.
    fn claim_for_another(&mut self) -> Option<Claim> {
        // Those at work find the next piece by themselves. One that stopped because there was no room is started again when
        // there is room for several pieces: starting one costs as much as reading a few hundred KiB.
        let is_room = self.window.num_outstanding() <= self.window.pace.num_pieces() / 2;
        let is_wanted = self.num_lanes < self.num_lanes_wanted() && (is_room || self.num_lanes == 0);
        let claim = if is_wanted && !self.is_closed { self.window.claim() } else { None };
        self.num_lanes += usize::from(claim.is_some());
        claim
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.shared.state.with(|state| state.is_closed = true);
    }
}

impl Shared {
    /// Ends everything with an error.
    fn fail(&self, error: ExecError) {
        self.state.give(|state| {
            state.failure = Some(error);
            state.is_closed = true;
        });
    }

    /// What was claimed; the claim itself if that cannot be read without waiting, and waiting is not allowed.
    fn read_range(
        &self,
        mut claim: RangeClaim,
        waiting: Waiting,
    ) -> Result<(RangeClaim, Option<RangeRows>), RangeClaim> {
        let from_cache = AtOnce::new(Arc::clone(&claim.blob));
        let blob: &dyn Blob = match waiting {
            Waiting::Allowed => &*Arc::clone(&claim.blob),
            Waiting::Never => &from_cache,
        };
        let kind = self.files.kind;
        if claim.looks_ahead
            && let Some(end) = look_ahead(blob, kind, &claim.range, self.files.sizes.max_row_bytes)
        {
            self.state.with(|state| state.window.ends_at(&mut claim, end));
        }
        let (charge, is_needed) = (&mut claim.charge, claim.is_needed);
        let mut may_hold = |bytes: usize| {
            let more = (bytes as u64).saturating_sub(charge.bytes());
            if is_needed {
                charge.grow(more);
                return true;
            }
            charge.try_grow(more)
        };
        let mut reader = RangeReader {
            blob,
            kind,
            buffers: &self.files.buffers,
            read_bytes: claim.read_bytes,
            num_rows: claim.num_rows,
            max_row_bytes: self.files.sizes.max_row_bytes,
            may_hold: &mut may_hold,
        };
        let rows = reader.read(claim.range.clone(), claim.is_start_known);
        if from_cache.has_missed() { Err(claim) } else { Ok((claim, rows)) }
    }

    fn spawn(shared: &Arc<Shared>, threads: &'static IoThreads, claim: Claim) {
        let lane = Lane { shared: Arc::clone(shared), threads, has_finished: false };
        if let Err(error) = threads.spawn(move || lane.run(claim)) {
            shared.fail(ExecError::resource(error.to_string()));
        }
    }
}

/// Whether a read may wait for the storage.
#[derive(Clone, Copy)]
enum Waiting {
    Allowed,
    Never,
}

/// A thread at work. Told by drop if it never runs or panics.
struct Lane {
    shared: Arc<Shared>,
    threads: &'static IoThreads,
    has_finished: bool,
}

impl Drop for Lane {
    fn drop(&mut self) {
        if !self.has_finished {
            self.shared.fail(ExecError::internal("reading a file panicked"));
        }
    }
}

impl Lane {
    fn run(mut self, mut claim: Claim) {
        for _ in 0..PIECES_A_TURN {
            let Some(next) = self.work(claim) else {
                self.has_finished = true;
                return;
            };
            claim = next;
        }
        self.has_finished = true;
        Shared::spawn(&self.shared, self.threads, claim);
    }

    /// Does what was claimed; what to do next.
    fn work(&self, claim: Claim) -> Option<Claim> {
        let files = &self.shared.files;
        let _under_way = files.probe.begin(files.work_of(&claim));
        match claim {
            Claim::Open { file } => {
                let opened = open(&*files.store, &files.paths[file], files.kind);
                self.put(|window| {
                    window.opened(file, opened, |blob, compression, at| {
                        FileCursor::new(blob, Some(compression), files.kind, at, &files.buffers, files.sizes)
                    });
                })
            }
            Claim::Range(claim) => {
                let started = Instant::now();
                let bytes = (claim.range.end - claim.range.start) as usize;
                let (claim, rows) = self
                    .shared
                    .read_range(claim, Waiting::Allowed)
                    .unwrap_or_else(|_| unreachable!("it may wait"));
                let (reading, total) = (rows.as_ref().map(|rows| rows.read_time), started.elapsed());
                self.put(|window| {
                    if let Some(reading) = reading {
                        window.pace.observe(bytes, reading, total);
                    }
                    window.read(claim, rows);
                })
            }
            Claim::Next { file, mut cursor, mut charge } => {
                let piece = cursor.next_piece();
                if let Ok(Some(piece)) = &piece {
                    charge.resize(piece.held_bytes);
                }
                self.put(|window| window.read_next(file, cursor, piece, charge))
            }
        }
    }

    /// Puts something into the window, wakes who waits for it, and finds the next thing to do.
    fn put(&self, put: impl FnOnce(&mut Window)) -> Option<Claim> {
        let (next, for_another) = self.shared.state.give_if(|state| {
            put(&mut state.window);
            let is_too_many = state.num_lanes > state.num_lanes_wanted();
            let next = if state.is_closed || is_too_many { None } else { state.window.claim() };
            if next.is_none() {
                state.num_lanes -= 1;
            }
            // What was put may be work for others: a file that is open now, a pace that wants more threads.
            let for_another = if next.is_some() { state.claim_for_another() } else { None };
            state.note_depth();
            // Whoever reads on looks again when it has; one who stops is the last who could wake.
            let num_ready = state.window.num_ready();
            let is_enough =
                num_ready >= state.window.pace.num_pieces_to_wake() || num_ready > 0 && next.is_none();
            let is_worth_it = is_enough || state.window.has_ended() || state.is_closed;
            ((next, for_another), is_worth_it)
        });
        if let Some(claim) = for_another {
            Shared::spawn(&self.shared, self.threads, claim);
        }
        next
    }
}
