//! A function of each element, computed for many elements at a time on many threads.
//!
//! Out comes the function of each row, in the order of the input; error rows pass. Holds a window of blocks being
//! computed: running ahead is charged to the budget, one block is always allowed. Saves nothing of its own: a position
//! after it is one before it. Skipping passes on to the input without computing anything.
//!
//! # How it runs
//! The thread that polls pulls blocks from the input and hands each to the workers as a task; results are taken from the
//! front of the window, so order is that of the input whatever finishes first. The size of a task follows the measured
//! cost of a row ([`Grain`]). Work so small that handing it over would cost more than doing it is done on the spot.
//! Blocks of strings that are smaller than a task are joined, as views: a parser then gets a batch of records a call, not
//! as many as were read or shuffled at a time.
//! Where a batch is made right behind it, tasks are whole batches, or parts of one that write into the batch's memory
//! ([`gathering`]).
//! How many tasks there are at a time follows from whether more of them help ([`Depth`]). Tasks that wait, for storage or
//! because the user's code does, run on threads of their own, where there may be many more of them than cores; whether code
//! of the user's waits is measured. User code that computes runs beside the workers, too, as many calls as there are workers ([`Lane`]).

mod function;
mod gathering;
mod grain;
mod intake;
mod lane;
mod memory;
mod task;
mod unordered;
mod window;

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use feedline_data::ElementSpec;
use feedline_data::block::{Block, Column, Position, Token};

use crate::budget::Charge;
use crate::error::{ExecError, panic_message};
use crate::eval::{Allowance, Part, Program};
use crate::metrics::{self, Probe};
use crate::operator::{Gap, Operator, cut};
use crate::origin::{KnownStarts, Locator, Origin, Sought};
use crate::runtime::Runtime;
use crate::template::{Scope, Template};
use crate::tune::{Depth, Learned, Taken, now_ns};
use crate::turn::Turn;
use crate::wanted::Wanted;
use crate::workers::Level;

use self::function::MapFunction;
use self::gathering::{BatchAim, Gathering, Landings};
pub(crate) use self::grain::Grain;
use self::grain::{max_task_bytes, max_task_rows};
use self::intake::{Intake, TaskRows};
use self::lane::Lane;
use self::memory::BatchMemory;
use self::task::{Computed, InFlight, Job, Work};
pub(crate) use self::unordered::UnorderedTemplate;
use self::window::{capacity, window_depth};

/// The part of the budget that the memory of one batch may be before there are rows for it.
const BATCH_PART_OF_BUDGET: u64 = 4;

#[derive(Debug)]
pub(crate) struct MapTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) program: Arc<Program>,
    /// Where the input gives row numbers: the tensors they are of.
    pub(crate) tensors: Option<Arc<Vec<Column>>>,
    /// Bytes of an incoming or outgoing element, whichever is more, if the specs say.
    pub(crate) row_bytes: Option<usize>,
    /// At most so many rows at a time; `None`: as many as serve.
    pub(crate) num_parallel_calls: Option<usize>,
    /// The size of the batches made right behind it, and the spec of what comes out: where that is fixed, results of
    /// several tasks are put side by side as they are computed.
    pub(crate) batches: Option<(usize, ElementSpec)>,
    pub(crate) level: Level,
    /// Its number among the plan's steps.
    pub(crate) step: usize,
    /// What is known about the cost of a row; kept here so that a new epoch does not start from nothing.
    pub(crate) grain: Arc<Grain>,
    /// The same for the number of tasks in flight.
    pub(crate) learned: Arc<Learned>,
    /// Inside datasets: where code of the user's runs in all streams of the step.
    pub(crate) shared_lane: SharedLane,
}

impl Template for MapTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        Ok(Box::new(self.start_map(scope, self.input.start(scope, at)?)))
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.program.never_fails() && self.input.never_fails(scope)
    }

    fn as_map(&self) -> Option<&MapTemplate> {
        Some(self)
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        let origin = self.input.origin(sought)?;
        Some(match &self.tensors {
            Some(tensors) => origin.described_by(tensors),
            None => origin,
        })
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        self.input.add_starts(starts);
    }

    fn locator(&self) -> Option<Locator> {
        Some(Locator::new(&self.input, self.tensors.as_ref()))
    }
}

impl MapTemplate {
    fn start_map(&self, scope: &Scope, input: Box<dyn Operator>) -> Map {
        let runtime = Arc::clone(&scope.runtime);
        let waits = self.grain.waits(self.program.waits());
        let block_rows = runtime.block_rows(self.row_bytes.unwrap_or_else(|| self.grain.row_bytes()));
        // So many calls at a time as were asked for, whichever stream they are for.
        let calls = self.num_parallel_calls.filter(|_| scope.outer.is_some() && self.program.is_user_code());
        let shared_lane = calls.map(|calls| self.shared_lane.of(calls));
        let memory = BatchMemory::of(&runtime.budget);
        let aim = |(size, spec): &(usize, ElementSpec)| {
            let home: Arc<BatchMemory> = Arc::clone(&memory);
            let max_bytes = runtime.budget.limit_bytes() / BATCH_PART_OF_BUDGET;
            BatchAim::new(*size, spec, home, max_bytes, self.program.is_sure())
        };
        Map {
            intake: Intake::new(input),
            function: Arc::new(MapFunction::new(self.program.bind(scope), self.tensors.clone(), block_rows)),
            row_bytes: self.row_bytes,
            block_rows,
            depth: window_depth(self.num_parallel_calls, waits, &runtime, &self.learned),
            num_parallel_calls: self.num_parallel_calls,
            waits,
            aim: self.batches.as_ref().map(aim),
            memory,
            gathering: Gathering::new(runtime.budget.limit_bytes() / BATCH_PART_OF_BUDGET),
            window: VecDeque::new(),
            left: None,
            rest: None,
            level: self.level,
            step: self.step,
            probe: scope.probe(),
            grain: Arc::clone(&self.grain),
            learned: Arc::clone(&self.learned),
            num_streams: scope.num_streams,
            turn: Arc::clone(&scope.turn),
            lane: shared_lane.clone().unwrap_or_else(|| lane(waits, &runtime)),
            has_shared_lane: shared_lane.is_some(),
            runtime,
            wanted: Wanted::new(),
        }
    }
}

struct Map {
    intake: Intake,
    function: Arc<MapFunction>,
    runtime: Arc<Runtime>,
    row_bytes: Option<usize>,
    block_rows: usize,
    depth: Depth,
    num_parallel_calls: Option<usize>,
    /// Whether tasks wait, for storage or in the user's code.
    waits: bool,
    aim: Option<BatchAim>,
    memory: Arc<BatchMemory>,
    gathering: Gathering,
    window: VecDeque<InFlight>,
    /// Without workers: rows of the input that were left to be computed.
    left: Option<Block>,
    /// What was left of a block when fewer rows were asked for, and what it is charged for.
    rest: Option<(Block, Vec<Charge>)>,
    level: Level,
    step: usize,
    probe: Probe,
    grain: Arc<Grain>,
    learned: Arc<Learned>,
    num_streams: usize,
    turn: Arc<Turn>,
    /// Where tasks run that wait, and code of the user's.
    lane: Arc<Lane>,
    /// Whether other streams of the step use it, too.
    has_shared_lane: bool,
    /// Tells those under way when this is dropped.
    wanted: Wanted,
}

impl Map {
    /// Bytes of a row, by the specs or as far as rows were seen.
    fn row_bytes(&self) -> usize {
        self.row_bytes.unwrap_or_else(|| self.grain.row_bytes())
    }

    /// Rows of a task.
    fn rows_of_task(&self) -> usize {
        let max_rows = max_task_rows(&self.runtime, self.row_bytes(), self.num_streams);
        self.grain.rows(max_rows, self.aim.as_ref().map(BatchAim::size))
    }

    /// Tasks at a time now. Nobody knows what the code of the user's returns before some of it was seen; then its size is asked for first.
    fn depth_now(&self) -> usize {
        let is_anything =
            self.row_bytes.is_none() && self.function.is_user_code() && !self.grain.knows_bytes();
        let depth = self.depth.get();
        if is_anything { depth.min(self.runtime.threads()) } else { depth }
    }

    /// Whether what is at place `index` of the window is what everybody waits for.
    fn is_needed(&self, cx: &Context<'_>, index: usize) -> bool {
        index == 0 && self.turn.has_come(cx)
    }

    /// Starts as much work as the window and the budget allow.
    fn fill_window(&mut self, cx: &mut Context<'_>) {
        self.move_if_it_waits();
        // Nothing runs any more: it could have, had there been more of it.
        if self.window.len() + 1 >= self.depth.get() && self.window.back().is_some_and(InFlight::is_done) {
            self.depth.parked();
        }
        // What was given back comes before rows that nobody has looked at.
        if !self.begin_waiting(cx) {
            return;
        }
        while self.intake.is_open() && self.window.len() < self.depth_now() {
            let rows = self.rows_of_task();
            let rows = self.aim.as_ref().map_or(rows, |aim| aim.rows_of_task(rows));
            // Asked before the rows are pulled: what is refused stays where it is.
            let is_needed = self.is_needed(cx, self.window.len());
            let Some((rows, mut charge)) = self.charge_for(rows, is_needed) else { return };
            match self.intake.poll_rows(cx, rows, max_task_bytes(&self.runtime)) {
                Poll::Pending => return,
                Poll::Ready(None) => {}
                Poll::Ready(Some(input)) => {
                    let (rows, position) = (input.len(), input.position().clone());
                    if self.row_bytes.is_none() {
                        // They are here, however much larger than those before them they are.
                        charge.resize(charge.bytes().max(input.byte_size() as u64));
                    }
                    let landings =
                        self.aim.as_mut().and_then(|aim| aim.begin_task(rows, &mut self.gathering));
                    let work = self.begin(input, landings, Allowance::new(charge, is_needed));
                    let depth = self.probe.hold("tasks", 1);
                    let task =
                        InFlight { work, rows, position, skipped: 0, is_refused: false, _depth: depth };
                    self.window.push_back(task);
                }
            }
        }
    }

    /// Memory for the results of `rows` rows, or, where they are needed now, of as many of them as there is some for: of one
    /// in any case.
    fn charge_for(&mut self, rows: usize, is_needed: bool) -> Option<(usize, Charge)> {
        let (budget, row_bytes) = (&self.runtime.budget, self.row_bytes() as u64);
        if let Some(charge) = budget.try_charge(row_bytes * rows as u64) {
            return Some((rows, charge));
        }
        self.depth.refused();
        if !is_needed {
            return None;
        }
        let mut rows = rows;
        while rows > 1 {
            rows /= 2;
            if let Some(charge) = budget.try_charge(row_bytes * rows as u64) {
                return Some((rows, charge));
            }
        }
        // What rows before it took says nothing sure about this one, which is charged for what it takes when that is known.
        let own_bytes = if self.row_bytes.is_some() { row_bytes } else { row_bytes.min(budget.room_bytes()) };
        Some((1, budget.charge(own_bytes)))
    }

    /// Begins what was given back, in order, as far as there is memory; whether there was for all.
    fn begin_waiting(&mut self, cx: &Context<'_>) -> bool {
        let is_waiting = |task: &InFlight| matches!(task.work, Work::Waiting(_));
        while let Some(index) = self.window.iter().position(is_waiting) {
            let num_running = self.window.iter().filter(|task| matches!(task.work, Work::Running(_))).count();
            if index > 0 && num_running >= self.depth.get() {
                return false;
            }
            let is_needed = self.is_needed(cx, index);
            if self.window[index].is_refused && !is_needed {
                return false;
            }
            let rows = self.window[index].rows.min(self.rows_of_task());
            let Some((rows, charge)) = self.charge_for(rows, is_needed) else { return false };
            let allowance = Allowance::new(charge, is_needed);
            let InFlight { work, skipped, _depth: depth, .. } =
                self.window.remove(index).expect("found above");
            let Work::Waiting(block) = work else { unreachable!("found to wait") };
            let (mut block, mut behind) = (block.slice(skipped..block.rows()), None);
            // Where tasks are runs of the input, they stay whole.
            if self.intake.joins_blocks {
                block = cut(block, rows, &mut behind);
            }
            if let Some(block) = behind {
                self.put_waiting(index, block, false);
            }
            let (rows, position) = (block.rows(), block.position().clone());
            let work = self.begin(block.into(), None, allowance);
            let task = InFlight { work, rows, position, skipped: 0, is_refused: false, _depth: depth };
            self.window.insert(index, task);
        }
        true
    }

    /// Puts rows that are to be computed at place `index` of the window; `is_refused`: again, and none of them was.
    fn put_waiting(&mut self, index: usize, block: Block, is_refused: bool) {
        let (rows, position) = (block.rows(), block.position().clone());
        let depth = self.probe.hold("tasks", 1);
        let work = Work::Waiting(block);
        self.window.insert(index, InFlight { work, rows, position, skipped: 0, is_refused, _depth: depth });
    }

    /// Chooses the threads for the next tasks by what those before them did.
    fn move_if_it_waits(&mut self) {
        if self.function.may_wait() && self.grain.waits(self.waits) != self.waits {
            self.waits = !self.waits;
            if !self.has_shared_lane {
                self.lane = lane(self.waits, &self.runtime);
            }
            let nothing = Learned::default();
            self.depth = window_depth(self.num_parallel_calls, self.waits, &self.runtime, &nothing);
        }
    }

    /// The first task is not done, and whoever asks waits for it.
    fn note_waiting(&mut self) {
        let is_full = self.window.len() >= self.depth.get();
        let capacity = capacity(self.waits, &self.runtime);
        let running = || self.window.iter().filter(|task| !task.is_done()).take(capacity).count();
        if is_full && running() < capacity {
            self.depth.parked();
        }
        self.depth.waits(now_ns());
    }

    fn begin(&self, input: TaskRows, landings: Option<Landings>, allowance: Allowance) -> Work {
        let rows = input.len();
        // User code never runs on the thread that asks: that may be the consumer's own.
        let is_user_code = self.function.is_user_code();
        let is_inline = self.grain.is_small(rows) && !is_user_code && !self.waits;
        let job = Job {
            function: Arc::clone(&self.function),
            grain: Arc::clone(&self.grain),
            input,
            landings,
            allowance,
            is_size_known: self.row_bytes.is_some(),
            wanted: self.wanted.mark(),
        };
        let Some(pool) = self.runtime.pool.as_ref().filter(|_| !is_inline) else {
            return Work::Done(job.run().0);
        };
        let (metrics, step) = (Arc::clone(&self.runtime.metrics), self.step);
        let probe = self.probe.clone();
        let work = async move {
            let _under_way = probe.begin(metrics::Work::Compute { rows });
            let computed = catch_unwind(AssertUnwindSafe(|| job.run()));
            let (computed, elapsed_ns) = computed.map_err(|panic| panic_message(&*panic))?;
            metrics.add_busy(step, elapsed_ns);
            Ok(computed)
        };
        Work::Running(if self.waits || is_user_code {
            self.lane.spawn(work)
        } else {
            pool.spawn(self.level, work)
        })
    }

    /// The next rows, computed on the spot: there are no workers.
    fn poll_here(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let rows = limit.min(self.block_rows);
        let block = match self.left.take() {
            Some(block) => block,
            None => match ready!(self.intake.input.poll_block(cx, rows)) {
                Some(block) => block,
                None => return Poll::Ready(None),
            },
        };
        let mut allowance = Allowance::new(self.runtime.budget.charge(0), true);
        let part = self.function.run(block.slice(0..block.rows().min(rows)), &mut allowance);
        let done = part.done.expect("the first row is needed");
        self.left = (done.rows() < block.rows()).then(|| block.slice(done.rows()..block.rows()));
        Poll::Ready(Some(done))
    }

    /// A panic in a kernel is a bug; it surfaces once, as an error, and ends the stream.
    fn end_with_panic(&mut self, message: &str) -> Block {
        self.window.clear();
        self.intake.end();
        let error = ExecError::internal(format!("map panicked: {message}")).that_ends_stream();
        Block::of_error(0, error.into_row_error(), Position::at(Token::lost()))
    }
}

/// Where tasks run beside the workers: as many at a time as there are workers, or as may wait.
fn lane(waits: bool, runtime: &Runtime) -> Arc<Lane> {
    lane_of(capacity(waits, runtime))
}

fn lane_of(limit: usize) -> Arc<Lane> {
    // Where no thread can be started the task is dropped, and whoever waits for it is told by a panic that says so.
    Lane::new(limit, |work| drop(Runtime::waiting_tasks().spawn(work)))
}

/// The lane of a step inside datasets, for all its streams: who asked for one call at a time gets one, also where many streams are read ahead.
#[derive(Default)]
pub(crate) struct SharedLane(OnceLock<Arc<Lane>>);

impl SharedLane {
    fn of(&self, limit: usize) -> Arc<Lane> {
        Arc::clone(self.0.get_or_init(|| lane_of(limit)))
    }
}

impl fmt::Debug for SharedLane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedLane").finish_non_exhaustive()
    }
}

impl Operator for Map {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if let Some((block, charges)) = self.rest.take() {
                let mut behind = None;
                let block = cut(block, limit, &mut behind);
                self.rest = behind.map(|behind| (behind, charges));
                return Poll::Ready(Some(block));
            }
            if self.runtime.pool.is_none() {
                return self.poll_here(cx, limit);
            }
            if let Some(ready) = self.gathering.pop() {
                self.rest = Some(ready);
                continue;
            }
            if self.window.is_empty() {
                self.intake.want();
            }
            self.fill_window(cx);
            let Some(head) = self.window.front_mut() else {
                if !self.intake.has_ended() {
                    return Poll::Pending;
                }
                // The last batch is not full: what there is of it goes on as it is.
                if self.gathering.give_up() {
                    continue;
                }
                self.memory.close();
                return Poll::Ready(None);
            };
            match &mut head.work {
                // There is no memory to run ahead with, and it is not this stream's turn.
                Work::Waiting(_) => return Poll::Pending,
                Work::Running(task) => match Pin::new(task).poll(cx) {
                    Poll::Pending => {
                        self.note_waiting();
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok(computed)) => head.work = Work::Done(computed),
                    Poll::Ready(Err(panic)) => return Poll::Ready(Some(self.end_with_panic(&panic))),
                },
                Work::Done(_) => {}
            }
            let head = self.window.pop_front().expect("looked at above");
            let is_half_ready = self.window.get(self.window.len() / 2).is_some_and(InFlight::is_done);
            let Work::Done(Computed { part: Part { done, rest }, landings, charge }) = head.work else {
                unreachable!("made so above")
            };
            let num_done = done.as_ref().map_or(0, Block::rows);
            if let Some(rest) = rest {
                let skipped = head.skipped.saturating_sub(num_done);
                if skipped < rest.rows() {
                    self.put_waiting(0, rest.slice(skipped..rest.rows()), num_done == 0);
                }
            }
            let Some(block) = done else { continue };
            let (rows, bytes) = (num_done, charge.bytes());
            self.depth.taken(Taken { now_ns: now_ns(), rows, bytes, is_half_ready });
            if let Some(aim) = &mut self.aim {
                aim.note_errors(block.errors().len());
            }
            let (block, landings) = match (head.skipped, landings) {
                (0, landings) => (block, landings),
                (_, Some(landings)) => (landings.into_block(block), None),
                (_, None) => (block, None),
            };
            let block = (head.skipped < num_done).then(|| block.slice(head.skipped..num_done));
            self.gathering.push(block, landings, charge);
        }
    }

    fn skip(&mut self, mut rows: u64) {
        self.gathering.give_up();
        while rows > 0 {
            let Some((block, charges)) = self.rest.take().or_else(|| self.gathering.pop()) else { break };
            let dropped = rows.min(block.rows() as u64);
            rows -= dropped;
            let count = block.rows();
            self.rest = (dropped < count as u64).then(|| (block.slice(dropped as usize..count), charges));
        }
        while rows > 0 {
            let Some(head) = self.window.iter_mut().find(|head| head.skipped < head.rows) else { break };
            let dropped = rows.min((head.rows - head.skipped) as u64);
            head.skipped += dropped as usize;
            rows -= dropped;
        }
        self.window.retain(|in_flight| in_flight.skipped < in_flight.rows);
        if let Some(block) = self.left.take() {
            let (dropped, count) = (rows.min(block.rows() as u64), block.rows());
            rows -= dropped;
            self.left = (dropped < count as u64).then(|| block.slice(dropped as usize..count));
        }
        self.intake.skip(rows);
    }

    fn bound(&mut self, rows: u64) {
        let here = self.rest.iter().map(|(block, _)| block.rows()).sum::<usize>()
            + self.window.iter().map(|task| task.rows - task.skipped).sum::<usize>()
            + self.left.as_ref().map_or(0, Block::rows)
            + self.gathering.rows();
        self.intake.bound(rows.saturating_sub(here as u64));
    }

    fn leave_out(&mut self, gaps: &[Gap]) -> bool {
        // Without workers nothing is computed that was not asked for.
        let runs_ahead = self.runtime.pool.is_some();
        if runs_ahead {
            self.intake.leave_out(gaps);
        }
        runs_ahead
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        self.memory.close();
        if self.num_parallel_calls.is_none() {
            self.learned.set(self.depth.settled());
        }
    }
}
