//! What the consumer holds: elements, one after the other, and the state after any of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use feedline_data::block::{Block, ElementRef, ErrorRow, Position, Row, RowError, Tensor, Token};
use feedline_data::{ElementSpec, Structure};
use feedline_io::IoThreads;
use feedline_plan::Plan;
use feedline_plan::optimize::leaves_work_to_consumer;

use crate::budget::Budget;
use crate::error::{ExecError, ExecErrorKind, panic_message};
use crate::fits::check_elements;
use crate::iterating::Iterating;
use crate::lower::lower;
use crate::metrics::{HeldByCaller, Metrics, Snapshot, back_at, take_panicked};
use crate::operator::Operator;
use crate::operators::cache::{check_caches, with_seeds_of_caches};
use crate::operators::on_error::QuarantineFiles;
use crate::options::Options;
use crate::runtime::Runtime;
use crate::stall::{Patience, StallWatch};
use crate::state::{EDITED, State};
use crate::template::Scope;
use crate::turn::Turn;
use crate::winding_down::{LONGEST_WAIT, WindingDown};

/// A running plan. Dropping it stops everything that runs for it.
///
/// An error takes the place of an element and is returned once; the next call goes on behind it.
pub struct Elements {
    /// The first to be dropped: before what runs for it stops.
    #[allow(dead_code, reason = "others see whether it is there")]
    consumer: Arc<()>,
    root: Box<dyn Operator>,
    spec: ElementSpec,
    /// As written: what states are of.
    plan: Plan,
    iteration: u64,
    /// What is being handed out, and how many of its rows have been.
    current: Option<Block>,
    passed: usize,
    /// Where the stream was when `current` was used up, before there is a next block.
    position: Option<Position>,
    /// Whether a step gave up and has no place any more: `position` is the last that was known then.
    is_lost: bool,
    has_ended: bool,
    /// A panic that ended it and was not told yet.
    failure: Option<RowError>,
    /// Whether asking for an element may mean to compute it.
    computes_when_asked: bool,
    runtime: Arc<Runtime>,
    /// What was handed out and is still there.
    held: HeldByCaller,
    stall: StallWatch,
    /// The last to be dropped: behind what memory there was for it.
    #[allow(dead_code, reason = "dropped")]
    iterating: Iterating,
}

impl Drop for Elements {
    fn drop(&mut self) {
        // Steps go after this, and some of what runs for them a moment later.
        _ = self.runtime.leaving.set(WindingDown::of_process().begin());
    }
}

impl Elements {
    /// Runs `plan` from its beginning as iteration number `iteration`.
    ///
    /// # Errors
    /// If the plan cannot run with the memory there is.
    pub fn start(plan: &Plan, options: &Options, iteration: u64) -> Result<Elements, ExecError> {
        let plan = with_seeds_of_caches(&options.decided(plan))?;
        Elements::start_at(&plan, options, iteration, None, None)
    }

    /// Goes on where `state` was saved.
    ///
    /// # Errors
    /// If the state is of another plan, naming the first difference, or a file was replaced since, naming the file, or the plan cannot run with the memory there is.
    pub fn resume(plan: &Plan, options: &Options, state: &State) -> Result<Elements, ExecError> {
        let plan = state.apply_to(&options.decided(plan))?;
        let position = state.position()?;
        let start = || Elements::start_at(&plan, options, state.iteration(), position, Some(state));
        // Numbers that do not go together show where they meet, deep in an operator: to a saved state that is damage.
        catch_unwind(AssertUnwindSafe(start)).unwrap_or_else(|panic| {
            let reason = panic_message(&*panic);
            Err(ExecError::state(format!("the saved state cannot be used: {reason}")).with_hint(EDITED))
        })
    }

    fn start_at(
        plan: &Plan,
        options: &Options,
        iteration: u64,
        at: Option<&Position>,
        saved: Option<&State>,
    ) -> Result<Elements, ExecError> {
        let (dropped, end) = (WindingDown::of_process(), Instant::now() + LONGEST_WAIT);
        loop {
            let num_gone = dropped.num_gone();
            let started = Elements::start_now(plan, options, iteration, at, saved);
            let is_refused = started.as_ref().is_err_and(|error| error.kind() == ExecErrorKind::Resource);
            // Memory of one that was dropped may be back in a moment.
            if !(is_refused && dropped.wait(num_gone, end)) {
                return started;
            }
        }
    }

    fn start_now(
        plan: &Plan,
        options: &Options,
        iteration: u64,
        at: Option<&Position>,
        saved: Option<&State>,
    ) -> Result<Elements, ExecError> {
        let saved_files = saved.map(State::checked_files).transpose()?;
        // What runs. States stay those of `plan`: rules leave what operators save as it is.
        let running = options.optimize(plan)?;
        let budget = options.budget()?;
        check_caches(&running, &budget)?;
        check_elements(&running, budget.limit_bytes())?;
        let template = lower(&running)?;
        let stall = options.stall_watch()?;
        let pool = options.pool()?;
        // Each step may hold a block, and each worker the one it computes.
        let num_workers = pool.as_ref().map_or(0, |pool| pool.threads());
        budget.expect_holders(running.num_steps().saturating_add(num_workers as u64));
        let block_bytes = options.block_bytes().min(budget.block_bytes());
        let consumer = Arc::new(());
        let runtime = Arc::new(Runtime {
            pool,
            budget,
            spill: options.spill_folder()?,
            metrics: Metrics::of_plan(plan, &running),
            quarantines: QuarantineFiles::new(saved_files.is_some()),
            files: Arc::new(saved_files.unwrap_or_default()),
            notices: options.notices(),
            block_bytes,
            commit_after: options.commit_interval(),
            consumer: Arc::downgrade(&consumer),
            leaving: OnceLock::new(),
        });
        let scope = Scope {
            runtime: Arc::clone(&runtime),
            iteration,
            outer: None,
            step: 0,
            num_streams: 1,
            turn: Turn::always(),
            files: Arc::clone(&runtime.files),
        };
        let root = template.start(&scope, at)?;
        Ok(Elements {
            consumer,
            root,
            spec: plan.spec().clone(),
            plan: plan.clone(),
            iteration,
            current: None,
            passed: 0,
            position: at.cloned(),
            is_lost: false,
            has_ended: false,
            failure: None,
            computes_when_asked: runtime.pool.is_none() || leaves_work_to_consumer(&running),
            runtime,
            held: HeldByCaller::default(),
            stall,
            iterating: Iterating::begin(),
        })
    }

    /// The state after the last element returned: what [`Elements::resume`] goes on from. The first time after a file was
    /// read, this looks at the file, so that the state is not restored over another one.
    pub fn state(&self) -> State {
        self.state_later()()
    }

    /// What makes the [`state`](Self::state) of now, at any time and on any thread: the first time it may take long, since it goes over the data of
    /// the plan and looks at files.
    pub fn state_later(&self) -> impl Fn() -> State + Send + Sync + use<> {
        let position = match &self.current {
            Some(block) => Some(block.position().plus(self.passed as u64)),
            None => self.position.clone(),
        };
        let (plan, iteration) = (self.plan.clone(), self.iteration);
        let files = Arc::clone(&self.runtime.files);
        move || State::new(&plan, iteration, position.clone(), files.checks())
    }

    /// What is known about every element.
    pub fn spec(&self) -> &ElementSpec {
        &self.spec
    }

    /// What every step has done so far, what it holds and waits for, and the memory and threads of all of them.
    pub fn metrics(&self) -> Snapshot {
        let Runtime { pool, budget, metrics, .. } = &*self.runtime;
        let process = budget.process().unwrap_or(budget);
        Snapshot {
            steps: metrics.snapshot(),
            elapsed_ns: metrics.now_ns(),
            budget_used_bytes: budget.used_bytes(),
            budget_peak_bytes: budget.peak_bytes(),
            budget_limit_bytes: budget.limit_bytes(),
            process_budget_used_bytes: process.used_bytes(),
            process_budget_peak_bytes: process.peak_bytes(),
            process_budget_limit_bytes: process.limit_bytes(),
            held_by_caller_bytes: self.held.bytes(),
            workers: self.runtime.threads(),
            tasks_ready: pool.as_ref().map_or(0, |pool| pool.num_ready()),
            io_threads: self.runtime.io().map_or(0, IoThreads::num_threads),
        }
    }

    /// The memory budget it runs in.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.runtime.budget
    }

    /// Whether [`Iterator::next`] has an answer without waiting: an element that is there already, or the end.
    pub fn is_ready(&self) -> bool {
        self.has_rows() || self.failure.is_some() || self.has_ended
    }

    fn has_rows(&self) -> bool {
        self.current.as_ref().is_some_and(|block| self.passed < block.rows())
    }

    /// Whether the thread that asks for an element may have to compute it, or part of it: without workers it does all the work, and with
    /// them what nobody does ahead. A single operation is not left in its middle then, whatever [`ready_unless`](Self::ready_unless)
    /// is told: who must not be kept from other things has a thread of its own ask.
    pub fn computes_when_asked(&self) -> bool {
        self.computes_when_asked
    }

    /// The next element, or [`Interrupted`] if `is_interrupted` says so while it is waited for, as [`ready_unless`](Self::ready_unless) does.
    #[allow(clippy::type_complexity, reason = "an iterator's item that may not be there yet")]
    pub fn next_unless(
        &mut self,
        mut is_interrupted: impl FnMut() -> bool,
    ) -> Result<Option<Result<Structure<Tensor>, RowError>>, Interrupted> {
        self.find_rows(Some(INTERRUPT_TICK), &mut is_interrupted)?;
        Ok(self.next())
    }

    /// Waits until the next element, or the end, [is there](Self::is_ready), or until `is_interrupted` says so: it is asked ten times a second,
    /// on the thread that waits. Nothing is lost then; the next call goes on waiting. Where this thread does the work itself, it asks between
    /// blocks.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn ready_unless(&mut self, mut is_interrupted: impl FnMut() -> bool) -> Result<(), Interrupted> {
        self.find_rows(Some(INTERRUPT_TICK), &mut is_interrupted)
    }

    /// Gives up the memory of elements that were all handed out, which is then theirs alone: it goes when they do, not when the next element
    /// is asked for.
    fn let_go(&mut self) {
        if self.has_rows() {
            return;
        }
        // The place is kept, the data goes.
        if let Some(block) = self.current.take() {
            self.position = Some(block.position().plus(self.passed as u64));
            self.passed = 0;
        }
    }

    /// The rows that come next, as the block they lie in; `None` behind the last. It waits for them as [`next_unless`](Self::next_unless) does. For
    /// callers that take many at a time: nothing is made for each row, and an error among them is where it is. They stay the next ones until
    /// [`pass`](Self::pass) says how many of them were taken.
    #[allow(clippy::type_complexity, reason = "a block that may not be there yet, or never")]
    pub fn block_unless(
        &mut self,
        mut is_interrupted: impl FnMut() -> bool,
    ) -> Result<Option<Result<Block, RowError>>, Interrupted> {
        self.find_rows(Some(INTERRUPT_TICK), &mut is_interrupted)?;
        if let Some(error) = self.failure.take() {
            return Ok(Some(Err(error)));
        }
        Ok(self.current.as_ref().map(|block| Ok(block.slice(self.passed..block.rows()))))
    }

    /// Counts the next `rows` rows, which [`block_unless`](Self::block_unless) gave, as taken: [`state`](Self::state) is behind them.
    ///
    /// # Panics
    /// If it gave fewer.
    pub fn pass(&mut self, rows: usize) {
        let left = self.current.as_ref().map_or(0, |block| block.rows() - self.passed);
        assert!(rows <= left, "{rows} rows of {left}");
        self.passed += rows;
    }

    /// The next element where it lies, to be looked at and not kept: what [`Iterator::next`] would give, and nothing is made for it. Small elements, as
    /// records are, take longer to share each by itself than to read: those of 200 bytes come at 0.84 of the bare reader's speed here, and at 0.40 of it
    /// from `next` (`feedline-bench engine`). The memory of those looked at last stays until the next call.
    #[inline]
    pub fn next_ref(&mut self) -> Option<Result<ElementRef<'_>, RowError>> {
        if !self.has_rows()
            && let Some(error) = self.find_next()
        {
            return Some(Err(error));
        }
        let block = self.current.as_ref()?;
        let row = block.row(self.passed);
        self.passed += 1;
        Some(match row {
            Row::Element(element) => Ok(ElementRef::new(&self.spec, block.columns(), element)),
            Row::Error(error) => Err(Arc::clone(&error.error)),
        })
    }

    /// Sees to it that it is ready, and tells of a failure that was not told yet.
    #[inline(never)]
    fn find_next(&mut self) -> Option<RowError> {
        // Nobody interrupts it.
        let _ = self.find_rows(None, &mut || false);
        self.failure.take()
    }

    /// The next element, or the end, whatever it is and wherever it lies; it is waited for if need be.
    #[inline(never)]
    fn next_of_any_kind(&mut self) -> Option<Result<Structure<Tensor>, RowError>> {
        let next = self.next_ref()?.map(ElementRef::to_element);
        self.let_go();
        Some(next)
    }

    /// Sees to it that it is ready.
    fn find_rows(
        &mut self,
        longest: Option<Duration>,
        is_interrupted: &mut impl FnMut() -> bool,
    ) -> Result<(), Interrupted> {
        while !self.is_ready() {
            self.let_go();
            match catch_unwind(AssertUnwindSafe(|| self.wait_for_block(longest, is_interrupted))) {
                Ok(Ok(Some(block))) => {
                    let block = self.at_known_place(block);
                    self.current = Some(self.held.count(block));
                }
                Ok(Ok(None)) => self.has_ended = true,
                Ok(Err(interrupted)) => return Err(interrupted),
                Err(panic) => {
                    self.has_ended = true;
                    let message = format!("a step panicked: {}", panic_message(&*panic));
                    let error = ExecError::internal(message);
                    let error = match take_panicked() {
                        Some(step) => self.runtime.metrics.named_error(error, step),
                        None => error,
                    };
                    self.failure = Some(error.into_row_error());
                }
            }
        }
        Ok(())
    }

    /// `block`, or, where a step had to give up in it and has no place any more, the same at the last place that was known: what is restored from there tries again,
    /// and nothing that was not handed out is lost.
    fn at_known_place(&mut self, block: Block) -> Block {
        // Errors of data and of functions take the place of a row; only these need looking at.
        let can_end_it =
            |kind| matches!(kind, ExecErrorKind::Resource | ExecErrorKind::State | ExecErrorKind::Internal);
        let is_end = |error: &ErrorRow| {
            error.error.downcast_ref::<ExecError>().is_some_and(|error| can_end_it(error.kind()))
        };
        self.is_lost |=
            block.errors().iter().any(is_end) && block.position().plus(block.rows() as u64).is_lost();
        if !self.is_lost {
            return block;
        }
        let known = self.position.clone();
        block.at(Position::at(match known {
            Some(known) => Token::of_input(move |_| known.clone()),
            None => Token::new(|_| ()),
        }))
    }

    /// The one place where anybody waits: the consumer's own thread, for the next block. After `longest`, and whenever
    /// somebody wakes it for nothing, it asks whether to go on.
    fn wait_for_block(
        &mut self,
        longest: Option<Duration>,
        is_interrupted: &mut impl FnMut() -> bool,
    ) -> Result<Option<Block>, Interrupted> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut cx = Context::from_waker(&waker);
        let mut patience: Option<Patience> = None;
        loop {
            let mut poll = || self.root.poll_block(&mut cx, usize::MAX);
            let polled = match longest {
                None => poll(),
                Some(longest) => back_at(Instant::now() + longest, poll),
            };
            if let Poll::Ready(block) = polled {
                return Ok(block);
            }
            if is_interrupted() {
                return Err(Interrupted);
            }
            let progress = || self.runtime.metrics.progress();
            let patience = patience.get_or_insert_with(|| self.stall.patience(progress()));
            // Unparked without reason it asks again, which does no harm.
            patience.park(longest, progress, |idle| self.stall.tell(idle, &self.metrics()));
        }
    }
}

/// Whoever waits for an element asks this often whether to stop waiting: soon enough for a person at a keyboard.
/// (Where tests look at what that does, often.)
const INTERRUPT_TICK: Duration =
    if cfg!(debug_assertions) { Duration::from_micros(100) } else { Duration::from_millis(100) };

/// A wait for an element ended because the caller wanted it to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Wakes a thread that waits for a block.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Unpark>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Unpark>) {
        self.0.unpark();
    }
}

impl Iterator for Elements {
    type Item = Result<Structure<Tensor>, RowError>;

    /// Small elements by themselves, records and numbers, are what is worth being quick about: what one costs is what is done here. It is written to
    /// become a part of the caller's loop, where the tensor is put together in registers: records of 200 bytes take 17 ns of a core more than handed out by
    /// hand (`feedline-bench engine`), where they took 27 through memory.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // All rows of a block but its last, behind which the block is let go of.
        if let Some(block) = &self.current
            && let (Structure::Leaf(_), [column]) = (&self.spec, block.columns())
            && self.passed + 1 < column.rows()
            && block.errors().is_empty()
        {
            let element = Tensor::of_row(column, self.passed);
            self.passed += 1;
            return Some(Ok(Structure::Leaf(element)));
        }
        self.next_of_any_kind()
    }
}

impl std::fmt::Debug for Elements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Elements")
            .field("spec", &self.spec)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}
