//! A cache in a folder of files.
//!
//! What it gives and saves is told in [the module](super), what lies in the folder in [`super::folder`]. The first to come
//! writes; rows that are committed are read, by it as by everybody else, also when the cache is only half there: then the
//! input skips to the place behind them, and the cache goes on filling. An iterator that comes while another writes reads
//! what is committed and computes the rest without keeping it.
//!
//! It holds the rows of the next file to be written and of the one being written, or those of the file being read and the
//! one read ahead, each about 8 MiB, or what came in ten seconds (written then also if nobody asks for more, by [`super::waiting`]), charged to the budget. Reading and writing is done on the I/O threads. Whatever goes
//! wrong with the files (damage, a full disk) is told in a notice, once an iterator, and the rows come from the input, none lost
//! and none twice. No error tells it: that would be a row, and count as one for the steps behind. A file that is damaged is written
//! anew with the rows that should be in it, and the others are read as they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position};

use super::folder::{ChunkPlace, Folder, Opened, Writer, encode};
use super::folder_lock::LockOwner;
use super::job::Job;
use super::rows::RowRun;
use super::waiting::{Collected, ForFile};
use super::{error_before, hand_on, needed_from, passed_at, scope_upstream};
use crate::budget::Charge;
use crate::error::{ExecError, ExecErrorKind};
use crate::files::TouchedFiles;
use crate::metrics::{Probe, Work};
use crate::operator::{Operator, SkipDebt, cut};
use crate::origin::{KnownStarts, Origin, Salts, Sought};
use crate::runtime::Runtime;
use crate::sparing::SparingInput;
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct FileCacheTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) folder: Arc<Folder>,
    /// Rows of the input, where that is certain.
    pub(crate) num_rows: Option<u64>,
    /// Whether the folder was complete when somebody last looked: then the input need not be started.
    pub(crate) is_complete: Arc<AtomicBool>,
    /// Whether this iterator has told that something is wrong with the files.
    pub(crate) has_told: Arc<AtomicBool>,
    /// What it added to ids.
    pub(crate) salts: Salts,
}

impl Template for FileCacheTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let passed = passed_at(at)?;
        self.salts.add(scope.first_id());
        let files = Arc::new(TouchedFiles::part_of(&scope.files));
        let upstream = Scope { files, ..scope_upstream(scope) };
        // Relaxed: a hint. Who is told it is complete and finds it is not starts the input then.
        let is_complete = self.is_complete.load(Ordering::Relaxed);
        let input = if is_complete { None } else { Some(self.input.start(&upstream, None)?) };
        let input = input.map(|input| SparingInput::new(input, &*self.input));
        Ok(Box::new(FileCache {
            template: Arc::clone(&self.input),
            folder: Arc::clone(&self.folder),
            is_complete: Arc::clone(&self.is_complete),
            has_told: Arc::clone(&self.has_told),
            runtime: Arc::clone(&scope.runtime),
            probe: scope.probe(),
            upstream,
            salt: scope.first_id(),
            num_rows: self.num_rows,
            chunk_bytes: (scope.runtime.block_bytes as u64)
                .saturating_mul(CHUNK_BLOCKS)
                .min(scope.runtime.budget.limit_bytes() / BUDGET_SHARE)
                .max(MIN_CHUNK_BYTES),
            passed,
            asked_until: u64::MAX,
            input,
            stage: Stage::Closed,
            rest: None,
            debt: SkipDebt::default(),
            alive: Arc::default(),
        }))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        self.salts.origin(sought, &*self.input)
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        self.input.add_starts(starts);
        starts.push_salts(&self.salts);
    }
}

/// 8 MiB with blocks of 64 KiB: making a file durable takes milliseconds, which 8 MiB take as well; and what a kill loses
/// is computed again in less than a moment.
const CHUNK_BLOCKS: u64 = 128;
/// Three are held at a time, as rows or as bytes; other steps need memory, too.
const BUDGET_SHARE: u64 = 8;
/// However small tests make the blocks.
const MIN_CHUNK_BYTES: u64 = 1024;

struct FileCache {
    template: Arc<dyn Template>,
    folder: Arc<Folder>,
    is_complete: Arc<AtomicBool>,
    has_told: Arc<AtomicBool>,
    runtime: Arc<Runtime>,
    probe: Probe,
    upstream: Scope,
    salt: u64,
    num_rows: Option<u64>,
    chunk_bytes: u64,
    /// The number of the row that comes next, from wherever.
    passed: u64,
    /// That of the first row that nobody is going to ask for, as far as is known.
    asked_until: u64,
    /// At its first row until rows come from it.
    input: Option<SparingInput>,
    stage: Stage,
    /// Rows that came already and wait for the cache to be complete.
    rest: Option<Block>,
    /// Rows still to be dropped.
    debt: SkipDebt,
    /// Gone when this is: what others still do for it ends soon.
    alive: Arc<()>,
}

enum Stage {
    /// Nobody has asked yet.
    Closed,
    Opening(Job<Opened>),
    /// Rows that are committed.
    Serving(Serving),
    /// Rows of the input, which are kept.
    Filling(Filling),
    /// Rows of the input, which are not.
    Passing,
    Ended,
}

struct Serving {
    opened: Opened,
    current: Option<Loaded>,
    /// The file being read, and which it is.
    reading: Option<(ChunkPlace, Job<Read>)>,
}

/// What became of reading a file.
enum Read {
    Rows(Loaded),
    /// What is wrong with it, and the right to write it anew, if it is to be had.
    Damaged(ExecError, Option<Arc<Writer>>),
}

/// The rows of a file, and what they are charged.
struct Loaded(RowRun, #[allow(dead_code, reason = "given back by drop")] Charge);

struct Filling {
    writer: Arc<Writer>,
    /// Rows for the next file.
    collected: Collected,
    /// The file being written, or waiting for its time to be.
    writing: Option<Job<()>>,
    /// Where a file in the middle is written anew: what is served behind it, and the number of the row that is in the next.
    gap: Option<(Serving, u64)>,
    /// Whether the input has given all its rows, and whether that is being written.
    has_ended: bool,
    is_finishing: bool,
}

/// Something to hand on, the end, or "look again".
type Step = Option<Poll<Option<Block>>>;

impl FileCache {
    /// Who takes the lock on the folder.
    fn owner(&self) -> LockOwner {
        LockOwner::new(&self.runtime.consumer, &self.alive)
    }

    /// Goes on without the cache at row `passed`, and says why.
    fn give_up(&mut self, error: &ExecError) -> Step {
        self.tell(&error.to_string());
        let is_untouched = !matches!(self.stage, Stage::Filling(_));
        self.stage = Stage::Passing;
        if is_untouched && let Err(error) = self.skip_input() {
            self.stage = Stage::Ended;
            return Some(Poll::Ready(Some(error_before(self.passed, error))));
        }
        None
    }

    /// Tells that something is wrong with the files.
    fn tell(&self, text: &str) {
        // Relaxed: who is second here has nothing to say that the first has not.
        if !self.has_told.swap(true, Ordering::Relaxed) {
            self.runtime.notices.tell(&format!("feedline: {text}"));
        }
    }

    /// Computes the rows of the damaged file at `place` again, and writes them.
    fn repair(&mut self, place: ChunkPlace, error: &ExecError, writer: Arc<Writer>) -> Step {
        let Stage::Serving(serving) = std::mem::replace(&mut self.stage, Stage::Ended) else { return None };
        let error = error.clone().with_hint("these rows are computed again, and the file is written anew");
        self.tell(&error.to_string());
        // All of them, also those that are not asked for.
        self.debt.add(self.passed - place.first);
        self.passed = place.first;
        self.input = None;
        if let Err(error) = self.skip_input() {
            let error = error_before(self.passed, error);
            return Some(Poll::Ready(Some(error)));
        }
        self.stage = Stage::Filling(Filling {
            gap: Some((serving, place.end)),
            ..Filling::new(writer, place.first, &self.runtime)
        });
        None
    }

    /// Takes the input, which nobody has asked for a row yet, to row `passed`.
    fn skip_input(&mut self) -> Result<(), ExecError> {
        if self.input.is_none() {
            let input = self.template.start(&self.upstream, None)?;
            self.input = Some(SparingInput::new(input, &*self.template));
        }
        if let Some(input) = &mut self.input
            && self.passed > 0
        {
            input.skip(self.passed);
        }
        Ok(())
    }

    /// The next of the committed rows.
    fn serve(&mut self, cx: &mut Context<'_>, limit: usize) -> Step {
        let owner = self.owner();
        let Stage::Serving(serving) = &mut self.stage else { return None };
        let end = serving.opened.num_rows();
        // Up to where rows are committed skipping is a seek.
        let seek = self.debt.rows().min(end.saturating_sub(self.passed));
        self.passed += seek;
        let left = std::mem::take(&mut self.debt).rows() - seek;
        self.debt.add(left);
        if self.passed >= end {
            return self.leave_committed();
        }
        if serving.current.as_ref().is_none_or(|Loaded(rows, _)| !rows.contains(self.passed)) {
            serving.current = None;
            let index = serving.opened.chunks.partition_point(|place| place.end <= self.passed);
            let place = serving.opened.chunks[index];
            let job = match serving.reading.take() {
                Some((reading, job)) if reading == place => job,
                _ => read(&self.folder, place, &serving.opened, &owner, &self.runtime, &self.probe),
            };
            let (_, job) = serving.reading.insert((place, job));
            let loaded = match job.poll(cx) {
                Poll::Pending => return Some(Poll::Pending),
                Poll::Ready(loaded) => loaded,
            };
            serving.reading = None;
            match loaded {
                Ok(Read::Rows(loaded)) => serving.current = Some(loaded),
                Ok(Read::Damaged(error, Some(writer))) => return self.repair(place, &error, writer),
                Ok(Read::Damaged(error, None)) | Err(error) => return self.give_up(&error),
            }
            // The next one is read while this one is used.
            if self.runtime.io().is_some()
                && self.runtime.budget.room_bytes() > 0
                && let Some(&next) = serving.opened.chunks.get(index + 1)
            {
                let job = read(&self.folder, next, &serving.opened, &owner, &self.runtime, &self.probe);
                serving.reading = Some((next, job));
            }
        }
        let Some(Loaded(rows, _)) = &serving.current else { return None };
        let block = rows.block_at(self.passed, limit, self.salt, &self.runtime)?;
        self.passed += block.rows() as u64;
        Some(Poll::Ready(Some(block)))
    }

    /// What comes behind the committed rows.
    fn leave_committed(&mut self) -> Step {
        let Stage::Serving(serving) = std::mem::replace(&mut self.stage, Stage::Ended) else { return None };
        if serving.opened.is_complete {
            self.is_complete.store(true, Ordering::Relaxed);
            return None;
        }
        if let Err(error) = self.skip_input() {
            let error = error_before(self.passed, error);
            return Some(Poll::Ready(Some(error)));
        }
        // Restored further on, there would be a gap.
        let joins = self.passed == serving.opened.num_rows();
        self.stage = match serving.opened.writer {
            Some(writer) if joins => Stage::Filling(Filling::new(writer, self.passed, &self.runtime)),
            _ => Stage::Passing,
        };
        None
    }

    /// The next rows of the input, kept.
    fn fill(&mut self, cx: &mut Context<'_>, limit: usize) -> Step {
        let Stage::Filling(filling) = &mut self.stage else { return None };
        if let Some(job) = &mut filling.writing {
            match job.poll(cx) {
                Poll::Ready(Ok(())) => filling.writing = None,
                Poll::Ready(Err(error)) => return self.give_up(&error),
                Poll::Pending if filling.collected.is_waited_for() => {
                    if filling.has_ended {
                        // It goes into the last file.
                        filling.collected.write_never();
                        return Some(Poll::Pending);
                    }
                }
                Poll::Pending if filling.has_ended || filling.collected.num_bytes() >= self.chunk_bytes => {
                    return Some(Poll::Pending);
                }
                Poll::Pending => {}
            }
        }
        if filling.has_ended {
            if !filling.is_finishing {
                filling.is_finishing = true;
                filling.write(&self.runtime, &self.probe, &self.upstream.files, true);
            } else if let Some((serving, _)) = filling.gap.take() {
                self.input = None;
                self.stage = Stage::Serving(serving);
            } else {
                self.is_complete.store(true, Ordering::Relaxed);
                self.stage = Stage::Ended;
            }
            return None;
        }
        filling.write_in_time(self.chunk_bytes, &self.runtime, &self.probe, &self.upstream.files);
        let input = self.input.as_mut().expect("started before it is asked");
        // What is skipped is looked at, and in pieces as large as they come.
        let rows = usize::try_from(self.debt.rows()).unwrap_or(usize::MAX);
        let in_gap = filling.gap.as_ref().map(|(_, end)| end - self.passed);
        let in_gap = in_gap.map_or(usize::MAX, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let needed = needed_from(self.passed, self.asked_until);
        let polled = match input.poll_block(cx, limit.saturating_add(rows).min(in_gap), needed) {
            Poll::Pending => return Some(Poll::Pending),
            Poll::Ready(polled) => polled,
        };
        let Some(block) = polled else {
            if filling.gap.is_some() {
                // Fewer rows than there were: there is nothing to write, and what lies behind is of another input.
                self.stage = Stage::Ended;
            } else {
                filling.has_ended = true;
            }
            return None;
        };
        let first = self.passed;
        self.passed += block.rows() as u64;
        if block.errors().is_empty() {
            filling.collected.push(&block);
            let end = filling.gap.as_ref().map_or(self.num_rows, |(_, end)| Some(*end));
            filling.has_ended = end == Some(self.passed);
            // Also before it is asked for more: what took long is not lost while the next takes long.
            if !filling.has_ended {
                filling.write_in_time(self.chunk_bytes, &self.runtime, &self.probe, &self.upstream.files);
            }
        } else {
            // What is committed stays, and is of use: it lies before the error.
            self.stage = Stage::Passing;
        }
        let is_last = matches!(&self.stage, Stage::Filling(filling) if filling.has_ended);
        let block = self.debt.pay(hand_on(block, first, self.salt));
        if is_last {
            // Handed on when the cache is complete: whoever has the last row may look for it.
            self.rest = block;
            return None;
        }
        block.map(|block| Poll::Ready(Some(block)))
    }

    /// The next rows of the input.
    fn pass(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let input = self.input.as_mut().expect("started before it is asked");
        let rows = std::mem::take(&mut self.debt).rows();
        if rows > 0 {
            input.skip(rows);
            self.passed = self.passed.saturating_add(rows);
        }
        let needed = needed_from(self.passed, self.asked_until);
        let Some(block) = ready!(input.poll_block(cx, limit, needed)) else { return Poll::Ready(None) };
        let first = self.passed;
        self.passed += block.rows() as u64;
        Poll::Ready(Some(hand_on(block, first, self.salt)))
    }
}

impl Filling {
    /// Nothing collected yet; the next row is number `first_row`.
    fn new(writer: Arc<Writer>, first_row: u64, runtime: &Runtime) -> Filling {
        Filling {
            writer,
            collected: Collected::new(first_row, &runtime.budget),
            writing: None,
            gap: None,
            has_ended: false,
            is_finishing: false,
        }
    }

    /// Has what was collected written: now, if it is a file or its time is over; else when it is, whoever comes until then. (Without I/O
    /// threads nobody is there to do it: when somebody comes.)
    fn write_in_time(
        &mut self,
        chunk_bytes: u64,
        runtime: &Runtime,
        probe: &Probe,
        files: &Arc<TouchedFiles>,
    ) {
        // What is written anew is one file, as it was.
        if self.gap.is_some() || self.collected.num_rows() == 0 {
            return;
        }
        let is_file = self.collected.num_bytes() >= chunk_bytes;
        if self.writing.is_some() {
            if is_file && self.collected.is_waited_for() {
                self.collected.write_now(&runtime.budget, &self.writer);
            }
        } else if is_file || self.collected.elapsed() >= runtime.commit_after {
            self.write(runtime, probe, files, false);
        } else if let Some(threads) = runtime.timers() {
            let (files, probe) = (Arc::clone(files), probe.clone());
            let write = move |rows: ForFile, writer: &Writer| commit(rows, writer, &files, &probe);
            let (time, budget) = (runtime.commit_after, &runtime.budget);
            self.writing = Some(self.collected.write_after(time, threads, budget, &self.writer, write));
        }
    }

    /// Has what was collected written, and if `is_all`, that it is all. `files`: those that were read.
    fn write(&mut self, runtime: &Runtime, probe: &Probe, files: &Arc<TouchedFiles>, is_all: bool) {
        let completes = is_all && self.gap.is_none();
        let rows = self.collected.take(&runtime.budget);
        let end_row = rows.first_row + rows.num_rows;
        let (writer, files, probe) = (Arc::clone(&self.writer), Arc::clone(files), probe.clone());
        self.writing = Some(Job::start(runtime.io(), move || {
            commit(rows, &writer, &files, &probe)?;
            if completes { writer.complete(end_row) } else { Ok(()) }
        }));
    }
}

/// Writes a file of `rows`, if there are any. `files`: those that were read for them.
fn commit(rows: ForFile, writer: &Writer, files: &TouchedFiles, probe: &Probe) -> Result<(), ExecError> {
    let ForFile { first_row, num_rows, blocks, mut charge } = rows;
    let _under_way = probe.begin(Work::Files("writing to the cache"));
    if num_rows == 0 {
        return Ok(());
    }
    let bytes = encode(first_row, &blocks);
    charge.grow(bytes.len() as u64);
    drop(blocks);
    writer.commit(first_row, &bytes, num_rows, files.checks())
}

fn read(
    folder: &Arc<Folder>,
    place: ChunkPlace,
    opened: &Opened,
    owner: &LockOwner,
    runtime: &Runtime,
    probe: &Probe,
) -> Job<Read> {
    let probe = probe.clone();
    let (folder, budget, writer) = (Arc::clone(folder), Arc::clone(&runtime.budget), opened.writer.clone());
    let owner = owner.clone();
    Job::start(runtime.io(), move || {
        let _under_way = probe.begin(Work::Files("reading the cache"));
        match folder.read(place, &budget) {
            Ok((rows, charge)) => Ok(Read::Rows(Loaded(rows, charge))),
            Err(error) if error.kind() == ExecErrorKind::Data => {
                // Without the right to write the damage is told, and stays.
                let writer = writer.or_else(|| folder.lock(&owner).ok().flatten().map(Arc::new));
                Ok(Read::Damaged(error, writer))
            }
            Err(error) => Err(error),
        }
    })
}

impl Operator for FileCache {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            let step = match &mut self.stage {
                Stage::Closed => {
                    let (folder, probe) = (Arc::clone(&self.folder), self.probe.clone());
                    let owner = self.owner();
                    self.stage = Stage::Opening(Job::start(self.runtime.io(), move || {
                        let _under_way = probe.begin(Work::Files("opening the cache"));
                        folder.open(&owner)
                    }));
                    None
                }
                Stage::Opening(job) => match ready!(job.poll(cx)) {
                    Ok(opened) => {
                        if let Some(trouble) = &opened.trouble {
                            self.tell(&format!("{trouble}\nhint: these rows are computed anew"));
                        }
                        self.upstream.files.remember(&opened.sources);
                        self.stage = Stage::Serving(Serving { opened, current: None, reading: None });
                        None
                    }
                    Err(error) => self.give_up(&error),
                },
                Stage::Filling(_) => self.fill(cx, limit),
                Stage::Serving(_) | Stage::Passing | Stage::Ended if self.rest.is_some() => {
                    let block = self.rest.take().and_then(|block| self.debt.pay(block));
                    block.map(|block| Poll::Ready(Some(cut(block, limit, &mut self.rest))))
                }
                Stage::Serving(_) => self.serve(cx, limit),
                Stage::Passing => Some(self.pass(cx, limit)),
                Stage::Ended => Some(Poll::Ready(None)),
            };
            if let Some(answer) = step {
                return answer;
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        let here = self.rest.as_ref().map_or(0, Block::rows) as u64;
        let next = self.passed.saturating_sub(here).saturating_add(self.debt.rows());
        self.asked_until = next.saturating_add(rows);
    }
}
