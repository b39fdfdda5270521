//! Groups of rows, encoded on all threads and written in order. `README.md` has the protocol and why it ends.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use feedline_formats::{CompressedStream, Compression, deflate_piece};
use feedline_io::AtomicFile;

use super::bad_row::BadRow;
use super::finished::Checksum;
use super::image_change::ImageCounts;
use super::journal::{Journal, Plan, ShardDone};
use super::options::OnError;
use super::order::Order;
use super::outputs::Outputs;
use super::source::{Sink, Source};
use crate::error::{Error, Result};
use crate::parallel::start_more;

/// Input bytes of a group: large enough that a piece of a compressed stream loses little by starting afresh, small
/// enough that threads share one shard evenly. Part of what decides the bytes of compressed output: not to be tuned.
const GROUP_BYTES: u64 = 1 << 20;
const GROUP_ROWS: u64 = 1 << 16;

/// Groups in flight per thread: one being encoded, the others waiting for their turn to be written.
const WINDOW_PER_THREAD: u64 = 4;

/// The usual trade of speed for size, and TensorFlow's default.
const COMPRESSION_LEVEL: u32 = 6;

/// What a run needs to know.
pub(super) struct Run<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) order: &'a Order,
    pub(super) plan: Plan,
    /// The shards to write, in increasing order.
    pub(super) shards: &'a [u32],
    pub(super) outputs: &'a Outputs,
    pub(super) compression: Option<Compression>,
    pub(super) on_error: OnError,
    pub(super) journal: &'a Journal,
    pub(super) num_threads: usize,
    /// Told of positions that are through, from any thread.
    pub(super) progress: &'a (dyn Fn(u64) + Sync),
}

/// Consecutive positions of one shard.
struct Group {
    /// Place in the order of writing.
    sequence: u64,
    shard: u32,
    positions: Range<u64>,
    is_last_of_shard: bool,
}

/// A group ready to be written.
struct Encoded {
    group: Group,
    sink: Sink,
    /// The frames, deflated.
    piece: Vec<u8>,
}

/// A shard that is being written.
struct OpenShard {
    file: AtomicFile,
    checksum: Checksum,
    stream: Option<CompressedStream>,
    rows: u64,
    skipped: Vec<BadRow>,
    images: ImageCounts,
}

impl OpenShard {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum.add(bytes);
        Ok(self.file.write_all(bytes)?)
    }
}

/// All that threads share; one lock, held only to look and to move things.
struct State {
    /// The next group to hand out: its sequence number, and where in `shards` and in the shard it begins.
    next_group: u64,
    next_shard: usize,
    next_position: Option<u64>,
    /// No more groups are handed out: one has failed.
    closed: bool,
    /// The group to be written next.
    next_write: u64,
    ready: BTreeMap<u64, Result<Encoded>>,
    /// The shard whose groups are being written; away while a thread writes.
    open: Option<OpenShard>,
    writing: bool,
    failure: Option<Error>,
    done: Vec<ShardDone>,
    /// Buffers to use again.
    spare: Vec<(Sink, Vec<u8>)>,
}

/// Writes the shards; returns what is in each, in order.
pub(super) fn run(run: &Run<'_>) -> Result<Vec<ShardDone>> {
    let shared = Shared {
        run,
        state: Mutex::new(State {
            next_group: 0,
            next_shard: 0,
            next_position: None,
            closed: false,
            next_write: 0,
            ready: BTreeMap::new(),
            open: None,
            writing: false,
            failure: None,
            done: Vec::new(),
            spare: Vec::new(),
        }),
        changed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        start_more(scope, run.num_threads.saturating_sub(1), || shared.work());
        shared.work();
    });
    let mut state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = state.failure.take() {
        return Err(error);
    }
    state.done.sort_by_key(|done| done.shard);
    Ok(state.done)
}

struct Shared<'a> {
    run: &'a Run<'a>,
    state: Mutex<State>,
    changed: Condvar,
}

/// What a thread does next.
enum Task {
    Write(Box<Encoded>, Option<Box<OpenShard>>),
    Encode(Group, (Sink, Vec<u8>)),
    Wait,
    End,
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One thread, until nothing is left to do.
    fn work(&self) {
        let _guard = StopOnPanic(self);
        let mut state = self.lock();
        loop {
            match self.next_task(&mut state) {
                Task::End => break,
                Task::Wait => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Task::Encode(group, buffers) => {
                    drop(state);
                    let sequence = group.sequence;
                    let encoded = self.encode(group, buffers);
                    state = self.lock();
                    state.closed |= encoded.is_err();
                    state.ready.insert(sequence, encoded);
                    self.changed.notify_all();
                }
                Task::Write(encoded, open) => {
                    drop(state);
                    state = self.write(*encoded, open.map(|open| *open));
                }
            }
        }
        // Whoever waits must look again: this thread has seen the end, and they will.
        self.changed.notify_all();
    }

    /// What to do now.
    fn next_task(&self, state: &mut State) -> Task {
        if state.failure.is_some() {
            return Task::End;
        }
        // Writing first: it is what frees buffers and lets others go on.
        if !state.writing
            && let Some(encoded) = state.ready.remove(&state.next_write)
        {
            match encoded {
                Ok(encoded) => {
                    state.writing = true;
                    return Task::Write(Box::new(encoded), state.open.take().map(Box::new));
                }
                // All groups before it are written, so this is the first error in order, whatever the timing.
                Err(error) => {
                    state.failure = Some(error);
                    return Task::End;
                }
            }
        }
        let window = WINDOW_PER_THREAD * self.run.num_threads as u64;
        if state.next_group - state.next_write < window
            && let Some(group) = self.next_group(state)
        {
            let buffers = state.spare.pop().unwrap_or_default();
            return Task::Encode(group, buffers);
        }
        // A group that is being written still counts as not written.
        if state.next_write == state.next_group { Task::End } else { Task::Wait }
    }

    /// Cuts the next group. A function of the input and the plan alone: the sizes of rows, never the time.
    fn next_group(&self, state: &mut State) -> Option<Group> {
        let Run { source, order, plan, shards, .. } = self.run;
        if state.closed {
            return None;
        }
        let shard = *shards.get(state.next_shard)?;
        let whole = plan.positions(shard);
        let start = state.next_position.unwrap_or(whole.start);
        let (mut end, mut bytes) = (start, 0);
        while end < whole.end && end - start < GROUP_ROWS && bytes < GROUP_BYTES {
            bytes += source.row_bytes(order.row_at(end));
            end += 1;
        }
        let is_last_of_shard = end == whole.end;
        state.next_position = if is_last_of_shard { None } else { Some(end) };
        state.next_shard += usize::from(is_last_of_shard);
        let sequence = state.next_group;
        state.next_group += 1;
        Some(Group { sequence, shard, positions: start..end, is_last_of_shard })
    }

    fn encode(&self, group: Group, (mut sink, mut piece): (Sink, Vec<u8>)) -> Result<Encoded> {
        let rows: Vec<u64> =
            group.positions.clone().map(|position| self.run.order.row_at(position)).collect();
        sink.reset(self.run.on_error);
        piece.clear();
        self.run.source.encode(&rows, &mut sink)?;
        // An empty piece would be a block of its own; it says nothing.
        if self.run.compression.is_some() && !sink.frames.is_empty() {
            deflate_piece(&sink.frames, COMPRESSION_LEVEL, &mut piece);
        }
        Ok(Encoded { group, sink, piece })
    }

    /// Appends a group to its shard and, if it is the last of it, finishes the shard: after letting the next thread
    /// write, because making a file durable takes as long as the disk takes.
    fn write(&self, encoded: Encoded, open: Option<OpenShard>) -> MutexGuard<'_, State> {
        let Encoded { group, mut sink, piece } = encoded;
        let written = self.append(&group, open, &mut sink, &piece);
        let mut state = self.lock();
        state.writing = false;
        state.next_write += 1;
        state.spare.push((sink, piece));
        let finished = match written {
            Ok(open) if group.is_last_of_shard => Some(open),
            Ok(open) => {
                state.open = Some(open);
                None
            }
            Err(error) => {
                state.failure.get_or_insert(error);
                None
            }
        };
        self.changed.notify_all();
        let Some(finished) = finished else {
            drop(state);
            (self.run.progress)(group.positions.end - group.positions.start);
            return self.lock();
        };
        drop(state);
        let committed = self.finish(group.shard, finished);
        (self.run.progress)(group.positions.end - group.positions.start);
        let mut state = self.lock();
        match committed {
            Ok(done) => state.done.push(done),
            Err(error) => {
                state.failure.get_or_insert(error);
                self.changed.notify_all();
            }
        }
        state
    }

    fn append(
        &self,
        group: &Group,
        open: Option<OpenShard>,
        sink: &mut Sink,
        piece: &[u8],
    ) -> Result<OpenShard> {
        let mut open = match open {
            Some(open) => open,
            None => self.open_shard(group.shard)?,
        };
        match &mut open.stream {
            Some(stream) => {
                stream.add(&sink.frames);
                open.write_all(piece)?;
            }
            None => open.write_all(&sink.frames)?,
        }
        open.rows += sink.num_rows;
        open.skipped.append(&mut sink.skipped);
        open.images.add(&sink.images);
        Ok(open)
    }

    fn open_shard(&self, shard: u32) -> Result<OpenShard> {
        let file = AtomicFile::create(self.run.outputs.shard(shard, self.run.plan.shards)?)?;
        let stream = self.run.compression.map(CompressedStream::new);
        let header = stream.as_ref().map_or(&[][..], CompressedStream::header);
        let (checksum, images) = (Checksum::default(), ImageCounts::default());
        let mut open = OpenShard { file, checksum, stream, rows: 0, skipped: Vec::new(), images };
        open.write_all(header)?;
        Ok(open)
    }

    fn finish(&self, shard: u32, mut open: OpenShard) -> Result<ShardDone> {
        if let Some(trailer) = open.stream.as_ref().map(CompressedStream::trailer) {
            open.write_all(&trailer)?;
        }
        let done = ShardDone {
            shard,
            rows: open.rows,
            bytes: open.file.written(),
            modified_ns: open.file.modified_ns()?,
            checksum: open.checksum.finish(),
            skipped: open.skipped,
            images: open.images,
        };
        // Before the shard takes its name, see `journal`.
        self.run.journal.shard(done.clone())?;
        open.file.commit()?;
        Ok(done)
    }
}

/// Lets the other threads end when one has panicked: the group it held will never be ready.
struct StopOnPanic<'a, 'b>(&'a Shared<'b>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let message = "a thread panicked while it converted rows".to_owned();
            let hint = "this is a bug in feedline, please report it".to_owned();
            self.0.lock().failure.get_or_insert(Error::Argument { message, hint });
            self.0.changed.notify_all();
        }
    }
}
