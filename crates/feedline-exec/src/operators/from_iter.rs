//! Elements that Rust code gives, one after the other.
//!
//! The code may wait, so it runs on a thread for code of the user's ([`Runtime::user_code`]), in turns; each element is handed on
//! as it comes. In the reference it runs where it is asked. A turn that nobody waits for any more does not begin. Order is kept.
//! Holds the elements of one turn, about a block of them, charged to the budget. Saves how many came: restoring asks for them
//! again and drops them. Skipping does the same. A panic is an error in its place, and the end; one when the iterator is
//! dropped is an error behind the last element.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use feedline_data::block::{Block, Column, Ids, Position, RowError, Tensor};
use feedline_plan::{NativeElements, NativeSource};

use super::range::{Ordinal, next_ordinal};
use crate::budget::Charge;
use crate::error::{ExecError, ExecErrorKind, panic_message};
use crate::eval::checked_element;
use crate::fits::too_large;
use crate::hand_over::HandOver;
use crate::metrics::Work;
use crate::operator::{Operator, SkipDebt, cut};
use crate::origin::{KnownStarts, NumberedStarts, Origin, Sought};
use crate::runtime::Runtime;
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct FromIterTemplate {
    pub(crate) source: NativeSource,
    pub(crate) starts: NumberedStarts,
    /// The most that was ever given at a time, in bytes; 0 before anything was.
    pub(crate) given_bytes: Arc<AtomicU64>,
}

impl Template for FromIterTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        self.starts.add(scope);
        Ok(Box::new(self.operator(scope, next_ordinal(at, "from_iter")?)))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        self.starts.origin(sought, u64::MAX)
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        starts.push_numbered(&self.starts);
    }
}

impl FromIterTemplate {
    /// It, from element `next` on.
    fn operator(&self, scope: &Scope, next: u64) -> FromIter {
        FromIter {
            turn: Some(Turn { source: self.source.clone(), elements: None, to_drop: next }),
            under_way: None,
            held: scope.runtime.budget.charge(0),
            given_bytes: Arc::clone(&self.given_bytes),
            next,
            wanted: u64::MAX,
            scope: scope.clone(),
            rest: None,
            has_ended: false,
            debt: SkipDebt::default(),
        }
    }
}

/// A turn is over after so many elements, a block of bytes, or so long: who waits for slow elements gets them one by one, and code
/// that nobody wants any more is not called again.
const TURN_ROWS: usize = 1024;
const TURN_TIME: Duration = Duration::from_micros(500);

struct FromIter {
    /// The code, when it is not running.
    turn: Option<Turn>,
    under_way: Option<Arc<Answer>>,
    /// What a turn may bring, and what is in `rest`.
    held: Charge,
    given_bytes: Arc<AtomicU64>,
    /// The number of the next element handed on.
    next: u64,
    /// Elements to be asked for, as long as nobody wants more.
    wanted: u64,
    scope: Scope,
    rest: Option<Block>,
    has_ended: bool,
    debt: SkipDebt,
}

/// The code, where it stands.
struct Turn {
    source: NativeSource,
    /// `None` before the first element.
    elements: Option<NativeElements>,
    /// Elements to be asked for and dropped.
    to_drop: u64,
}

/// The code, back from its turn, and whether it has ended; `None`: it died.
type TurnOver = Option<(Turn, bool)>;

type GivenRow = Result<Vec<Tensor>, RowError>;

/// Where a turn's elements arrive.
type Answer = HandOver<Arrived>;

#[derive(Default)]
struct Arrived {
    /// Who waited for them is gone.
    is_unwanted: bool,
    rows: Vec<GivenRow>,
    is_over: bool,
    turn: TurnOver,
}

impl Arrived {
    /// The elements that are there, or, when there are none and will be none, how the turn ended.
    fn take(&mut self) -> Option<Result<Vec<GivenRow>, TurnOver>> {
        if !self.rows.is_empty() {
            return Some(Ok(std::mem::take(&mut self.rows)));
        }
        self.is_over.then(|| Err(self.turn.take()))
    }
}

/// Tells the consumer that a turn is over, also if it dies.
struct TurnEnd {
    answer: Arc<Answer>,
    turn: Option<(Turn, bool)>,
}

impl Drop for TurnEnd {
    fn drop(&mut self) {
        let mut turn = self.turn.take();
        self.answer.give(|arrived| {
            if !arrived.is_unwanted {
                arrived.turn = turn.take();
            }
            arrived.is_over = true;
        });
        // Unwanted, it is dropped here, not under the lock.
        drop(turn);
    }
}

impl Turn {
    /// Asks for elements, at most `max_rows` and, but for the last, `max_bytes` of them, and hands each on as it comes; whether that
    /// was the last of all. One of more than `limit_bytes` is an error. May wait as long as the code does.
    fn run(
        &mut self,
        max_rows: usize,
        max_bytes: usize,
        limit_bytes: u64,
        mut give: impl FnMut(GivenRow),
    ) -> bool {
        let start = Instant::now();
        let (mut num_given, mut given_bytes) = (0, 0);
        loop {
            let (row, is_last) = match catch_unwind(AssertUnwindSafe(|| self.next_row())) {
                Ok(Some(row)) => (row, false),
                Ok(None) => match self.drop_elements() {
                    Ok(()) => return true,
                    Err(panic) => (Err(self.panicked("panicked when it was dropped", &*panic)), true),
                },
                Err(panic) => (Err(self.panicked("panicked", &*panic)), true),
            };
            if let Some(left) = self.to_drop.checked_sub(1) {
                self.to_drop = left;
            } else {
                let bytes = row.as_ref().map_or(0, |tensors| bytes_of(tensors));
                given_bytes += bytes;
                let too_large = (bytes as u64 > limit_bytes)
                    .then(|| too_large(&self.source.name, bytes as u64, limit_bytes));
                give(too_large.map_or(row, Err).map_err(ExecError::into_row_error));
                num_given += 1;
            }
            if is_last {
                return true;
            }
            if num_given == max_rows || given_bytes >= max_bytes || start.elapsed() >= TURN_TIME {
                return false;
            }
        }
    }

    /// Drops the code's iterator, which is code of the user's, too.
    fn drop_elements(&mut self) -> std::thread::Result<()> {
        let elements = self.elements.take();
        catch_unwind(AssertUnwindSafe(|| drop(elements)))
    }

    fn panicked(&self, how: &str, panic: &(dyn Any + Send)) -> ExecError {
        let message = format!("{} {how}: {}", self.source.name, panic_message(panic));
        ExecError::new(ExecErrorKind::UserCode, message)
    }

    /// Calls the code.
    fn next_row(&mut self) -> Option<Result<Vec<Tensor>, ExecError>> {
        let source = &self.source;
        let next = self.elements.get_or_insert_with(|| (source.iterate)()).next()?;
        Some(match next {
            Ok(element) => checked_element(&source.name, &element, &source.spec),
            Err(error) => {
                let message = format!("{}: {error}", source.name);
                Err(ExecError::new(ExecErrorKind::UserCode, message).with_source(Arc::from(error)))
            }
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Left before its end there is no row to tell it in, and nobody who waits for one.
        let _ = self.drop_elements();
    }
}

fn bytes_of(tensors: &[Tensor]) -> usize {
    tensors.iter().map(|tensor| tensor.as_column().byte_size()).sum()
}

impl FromIter {
    /// Whether its code may run now: it is what everybody waits for, or there is memory for what it gives, as far as that is known. (Of
    /// hundreds of streams that begin at once nobody knows it before one has given something.)
    fn may_ask(&self, cx: &Context<'_>) -> bool {
        let given_bytes = self.given_bytes.load(Ordering::Relaxed);
        // (In the reference nobody is asked before it is his turn.)
        self.scope.runtime.pool.is_none()
            || self.scope.turn.has_come(cx)
            || (given_bytes > 0 && self.scope.runtime.budget.has_room(given_bytes))
    }

    /// Lets the code run for a turn, unless it does already.
    fn ask(&mut self, limit: usize) {
        let Some(run) = self.next_turn(limit) else { return };
        match self.scope.runtime.pool {
            None => run(),
            // Refused, it is dropped, and tells so.
            Some(_) => drop(Runtime::user_code().spawn(run)),
        }
    }

    /// The code's next turn, unless one is under way.
    fn next_turn(&mut self, limit: usize) -> Option<impl FnOnce() + Send + use<>> {
        let mut turn = self.turn.take()?;
        let runtime = &self.scope.runtime;
        let answer = Arc::new(Answer::default());
        // How large elements are is seen when they are there; a block is what there should be.
        self.held.resize(self.given_bytes.load(Ordering::Relaxed).max(runtime.block_bytes as u64));
        self.under_way = Some(Arc::clone(&answer));
        let max_rows = if runtime.pool.is_some() { TURN_ROWS } else { limit.min(TURN_ROWS) };
        let max_rows = max_rows.min(usize::try_from(self.wanted).unwrap_or(usize::MAX));
        let (max_bytes, limit_bytes) = (runtime.block_bytes, runtime.budget.limit_bytes());
        let mut end = TurnEnd { answer: Arc::clone(&answer), turn: None };
        let probe = self.scope.probe();
        // Where all threads hang in code of the user's, who comes next waits for one of them, and says so.
        let queued = runtime.pool.is_some().then(|| probe.begin(Work::Queue));
        let run = move || {
            drop(queued);
            if answer.with(|arrived| arrived.is_unwanted) {
                return;
            }
            let _under_way = probe.begin(Work::Iterate);
            let is_last = turn
                .run(max_rows, max_bytes, limit_bytes, |row| answer.give(|arrived| arrived.rows.push(row)));
            end.turn = Some((turn, is_last));
            drop(end);
        };
        Some(run)
    }

    fn block_of(&self, rows: Vec<GivenRow>) -> Block {
        let count = rows.len();
        let first_id = self.scope.first_id().wrapping_add(self.next);
        let mut columns: Vec<Vec<Column>> = Vec::new();
        let mut failed = Vec::new();
        for (row, element) in rows.into_iter().enumerate() {
            match element {
                Ok(tensors) => {
                    columns.resize_with(tensors.len(), Vec::new);
                    let pairs = columns.iter_mut().zip(tensors);
                    pairs.for_each(|(column, tensor)| column.push(tensor.as_column().clone()));
                }
                Err(error) => failed.push((row, error)),
            }
        }
        let block = Block::new(Vec::new(), Ids::run(first_id, count), Ordinal::position(self.next));
        let columns = columns.iter().map(|rows| Column::concat(rows)).collect();
        block.fail(&failed).with_columns(columns)
    }
}

impl Drop for FromIter {
    fn drop(&mut self) {
        // A turn that comes back from now on is dropped by the thread it was on.
        let back = self.under_way.take().and_then(|answer| {
            answer.with(|arrived| {
                arrived.is_unwanted = true;
                arrived.turn.take().map(|(turn, _)| turn)
            })
        });
        // To drop an iterator is code of the user's, which may wait, and this may be a worker.
        if let Some(turn) = self.turn.take().or(back)
            && turn.elements.is_some()
            && self.scope.runtime.pool.is_some()
        {
            drop(Runtime::user_code().spawn(move || drop(turn)));
        }
    }
}

impl Operator for FromIter {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if let Some(block) = self.rest.take() {
                let block = cut(block, limit, &mut self.rest);
                // One of hundreds of streams that wait for their turn holds nothing; what its code still gives is charged when it comes.
                if self.rest.is_none() {
                    self.held.resize(0);
                }
                return Poll::Ready(Some(block));
            }
            if self.has_ended {
                return Poll::Ready(None);
            }
            // Who asks wants one, whatever was said before.
            self.wanted = self.wanted.max(1);
            if self.under_way.is_none() && !self.may_ask(cx) {
                return Poll::Pending;
            }
            self.ask(limit);
            let Some(answer) = &self.under_way else { return Poll::Ready(None) };
            match ready!(answer.poll_take(cx, Arrived::take)) {
                Ok(rows) => {
                    let num_rows = rows.len() as u64;
                    let block = self.block_of(rows);
                    let bytes = block.byte_size().max(self.scope.runtime.block_bytes) as u64;
                    self.given_bytes.fetch_max(bytes, Ordering::Relaxed);
                    self.held.resize(bytes);
                    self.rest = self.debt.pay(block);
                    self.next += num_rows;
                    self.wanted = self.wanted.saturating_sub(num_rows);
                }
                Err(Some((turn, is_last))) => {
                    self.under_way = None;
                    self.turn = Some(turn);
                    self.has_ended = is_last;
                }
                Err(None) => {
                    self.has_ended = true;
                    let error = ExecError::resource("from_iter: no thread to run it on").that_ends_stream();
                    let position = Ordinal::position(self.next);
                    return Poll::Ready(Some(Block::of_error(0, error.into_row_error(), position)));
                }
            }
        }
    }

    fn skip(&mut self, mut rows: u64) {
        if let Some(block) = self.rest.take() {
            let count = block.rows() as u64;
            if rows < count {
                self.rest = Some(block.slice(rows as usize..count as usize));
                return;
            }
            rows -= count;
        }
        match &mut self.turn {
            Some(turn) => {
                turn.to_drop = turn.to_drop.saturating_add(rows);
                self.next = self.next.saturating_add(rows);
                self.wanted = self.wanted.saturating_sub(rows);
            }
            // The code is running ahead: dropped as they come.
            None => self.debt.add(rows),
        }
    }

    fn bound(&mut self, rows: u64) {
        let here = self.rest.as_ref().map_or(0, Block::rows) as u64;
        self.wanted = rows.saturating_add(self.debt.rows()).saturating_sub(here);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use feedline_data::{DType, ElementSpec, TensorSpec};

    use super::*;

    #[test]
    fn code_that_had_to_wait_for_a_thread_is_not_begun_for_nobody() {
        let num_begun = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&num_begun);
        let template = FromIterTemplate {
            source: NativeSource {
                name: "counted".to_owned(),
                spec: ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)),
                iterate: Arc::new(move || {
                    counted.fetch_add(1, Ordering::Relaxed);
                    Box::new(std::iter::empty())
                }),
            },
            starts: NumberedStarts::default(),
            given_bytes: Arc::default(),
        };
        let runtime = Runtime::for_tests(1 << 20);
        let scope = Scope {
            runtime,
            iteration: 0,
            outer: None,
            step: 0,
            num_streams: 1,
            turn: crate::turn::Turn::always(),
            files: Arc::default(),
        };
        for (is_dropped, expected) in [(true, 0), (false, 1)] {
            let mut operator = template.operator(&scope, 0);
            let turn = operator.next_turn(10).expect("none is under way");
            let _wanted = (!is_dropped).then_some(operator);
            turn();
            assert_eq!(num_begun.load(Ordering::Relaxed), expected);
        }
    }
}
