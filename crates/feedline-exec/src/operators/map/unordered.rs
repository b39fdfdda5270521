//! A map whose results come as they are ready.
//!
//! Out comes what a [`Map`] gives, whole tasks at a time, the first that is done first: every row exactly once, in an order
//! that differs from run to run. Holds what the map holds. Saves where its oldest row that has not come out is in the
//! input, and which rows behind that one have: restored, it goes on from there and leaves those out, uncomputed. Skipping
//! drops rows as they come: which ones come next nobody knows before.
//!
//! Where the input is no map (any more), or there are no workers, or a step behind it needs the order, rows come in the order
//! of the input, and what is saved has the same form.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token};
use serde::{Deserialize, Serialize};

use super::Map;
use super::task::{Computed, Work};
use crate::error::ExecError;
use crate::eval::Part;
use crate::metrics::Measured;
use crate::operator::{Operator, SkipDebt, cut};
use crate::origin::Passing;
use crate::state::EDITED;
use crate::template::{Scope, Template, load_state};
use crate::tune::{Taken, now_ns};

#[derive(Debug)]
pub(crate) struct UnorderedTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// Whether rows come in the order of the input all the same.
    pub(crate) is_in_order: bool,
}

/// What is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnorderedState {
    /// The first row of the input that may not have come out.
    input: Position,
    /// Rows from there on that have: where each run begins, and its length.
    passed: Vec<(u64, u64)>,
}

impl Template for UnorderedTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state = at.map(|at| load_state::<UnorderedState>(at, "deterministic(false)")).transpose()?;
        let (at, passed) = match state {
            Some(state) => (Some(state.input), state.passed),
            None => (None, Vec::new()),
        };
        // Sums fit: no number is larger than half of what does.
        let are_apart = |pair: &[(u64, u64)]| pair[0].0 + pair[0].1 <= pair[1].0;
        if !passed.windows(2).all(are_apart) {
            return Err(ExecError::state("deterministic(false): the saved state has rows that came twice")
                .with_hint(EDITED));
        }
        let count = Arc::new(Mutex::new(Count { next: 0, passed: passed.into(), starts: VecDeque::new() }));
        let counted = |input: Box<dyn Operator>| -> Box<dyn Operator> {
            Box::new(Counted { input, count: Arc::clone(&count) })
        };
        let map = self.input.as_map().filter(|_| scope.runtime.pool.is_some() && !self.is_in_order);
        let source = match map {
            Some(template) => {
                let scope = Scope { step: template.step, ..scope.clone() };
                let mut map = template.start_map(&scope, counted(template.input.start(&scope, at.as_ref())?));
                // A task is one block of the input, so that its rows lie side by side there.
                map.intake.joins_blocks = false;
                Source::Tasks(Box::new(map))
            }
            None => Source::InOrder(counted(self.input.start(scope, at.as_ref())?)),
        };
        let debt = SkipDebt::default();
        let unordered = Box::new(Unordered { source, count, runs: VecDeque::new(), rest: None, debt });
        Ok(match map {
            // The map's rows are taken out of its tasks, not asked of it: what comes out here is also what came out of it.
            Some(template) => Box::new(Measured::new(
                unordered,
                Arc::clone(&scope.runtime.metrics),
                template.step,
                true,
                template.locator(),
            )),
            None => unordered,
        })
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }
}

/// An input whose rows are counted, without those that came out before the state was saved.
struct Counted {
    input: Box<dyn Operator>,
    count: Arc<Mutex<Count>>,
}

/// How far the input has come.
struct Count {
    /// The number of the next row.
    next: u64,
    /// Rows behind it that came out before the state was saved.
    passed: VecDeque<(u64, u64)>,
    /// Where each block began that was pulled and not yet asked about.
    starts: VecDeque<u64>,
}

impl Operator for Counted {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        // Nobody else wants it while rows are pulled: one thread asks for them and about them.
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((start, len)) = count.passed.front().copied()
            && start <= count.next
        {
            count.passed.pop_front();
            self.input.skip(len);
            count.next += len;
        }
        let before_passed = count.passed.front().map_or(u64::MAX, |(start, _)| start - count.next);
        let limit = limit.min(usize::try_from(before_passed).unwrap_or(usize::MAX));
        let block = ready!(self.input.poll_block(cx, limit));
        if let Some(block) = &block {
            let start = count.next;
            count.starts.push_back(start);
            count.next += block.rows() as u64;
        }
        Poll::Ready(block)
    }

    fn skip(&mut self, _: u64) {
        unreachable!("rows are dropped behind the map");
    }

    fn bound(&mut self, rows: u64) {
        let passed: u64 = {
            let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
            count.passed.iter().map(|(_, len)| len).sum()
        };
        self.input.bound(rows.saturating_add(passed));
    }
}

struct Unordered {
    source: Source,
    count: Arc<Mutex<Count>>,
    /// Blocks of the input that have not come out, in their order there: those of the map's window.
    runs: VecDeque<Run>,
    /// What was left of a block when fewer rows were asked for.
    rest: Option<Block>,
    debt: SkipDebt,
}

enum Source {
    Tasks(Box<Map>),
    InOrder(Box<dyn Operator>),
}

/// A block of the input.
struct Run {
    start: u64,
    rows: u64,
    position: Position,
}

impl Unordered {
    /// The next block that is ready, with the number of its first row in the input.
    fn poll_any(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<(u64, Block)>> {
        if let Source::InOrder(input) = &mut self.source {
            let Some(block) = ready!(input.poll_block(cx, limit)) else { return Poll::Ready(None) };
            let run = self.note_run(block.rows() as u64, block.position().clone());
            return Poll::Ready(Some((run, block)));
        }
        loop {
            if let Source::Tasks(map) = &mut self.source
                && map.window.is_empty()
            {
                map.intake.want();
            }
            self.fill_window(cx);
            let Source::Tasks(map) = &mut self.source else { unreachable!("looked at above") };
            if map.window.is_empty() {
                return if map.intake.has_ended() { Poll::Ready(None) } else { Poll::Pending };
            }
            if let Some(ready) = self.take_ready(cx) {
                return Poll::Ready(Some(ready));
            }
            let Source::Tasks(map) = &mut self.source else { unreachable!("looked at above") };
            // Given back just now: as the first it is begun again, whatever memory there is, if it is this stream's turn.
            if matches!(map.window[0].work, Work::Waiting(_)) {
                if map.is_needed(cx, 0) {
                    continue;
                }
                return Poll::Pending;
            }
            map.note_waiting();
            return Poll::Pending;
        }
    }

    /// Has the map begin what it can, and notes what it has begun.
    fn fill_window(&mut self, cx: &mut Context<'_>) {
        let Source::Tasks(map) = &mut self.source else { unreachable!("only where there are tasks") };
        let known = map.window.len();
        map.fill_window(cx);
        let begun: Vec<(u64, Position)> =
            map.window.iter().skip(known).map(|task| (task.rows as u64, task.position.clone())).collect();
        for (rows, position) in begun {
            self.note_run(rows, position);
        }
    }

    /// The first task of the window that has something, and what it has.
    fn take_ready(&mut self, cx: &mut Context<'_>) -> Option<(u64, Block)> {
        let Source::Tasks(map) = &mut self.source else { unreachable!("only where there are tasks") };
        for index in 0..map.window.len() {
            let task = &mut map.window[index];
            if let Work::Running(running) = &mut task.work {
                match Pin::new(running).poll(cx) {
                    Poll::Pending => continue,
                    Poll::Ready(Ok(computed)) => task.work = Work::Done(computed),
                    Poll::Ready(Err(panic)) => {
                        self.runs.clear();
                        return Some((u64::MAX, map.end_with_panic(&panic)));
                    }
                }
            }
            if matches!(task.work, Work::Waiting(_)) {
                continue;
            }
            let task = map.window.remove(index).expect("looked at above");
            let is_half_ready =
                map.window.iter().filter(|task| task.is_done()).count() > map.window.len() / 2;
            let Work::Done(Computed { part: Part { done, rest }, charge, .. }) = task.work else {
                unreachable!("made so above")
            };
            let rest_position = rest.as_ref().map(|rest| rest.position().clone());
            if let Some(rest) = rest {
                map.put_waiting(index, rest, done.is_none());
            }
            let Some(block) = done else { continue };
            let (rows, bytes) = (block.rows(), charge.bytes());
            map.depth.taken(Taken { now_ns: now_ns(), rows, bytes, is_half_ready });
            let start = self.runs[index].start;
            if let Some(position) = rest_position {
                let run = &mut self.runs[index];
                let rest_rows = run.rows - rows as u64;
                run.rows = rows as u64;
                self.runs.insert(index + 1, Run { start: start + rows as u64, rows: rest_rows, position });
            }
            return Some((start, block));
        }
        None
    }

    /// Notes a block of the input; the number of its first row.
    fn note_run(&mut self, rows: u64, position: Position) -> u64 {
        let start = self.count.lock().unwrap_or_else(PoisonError::into_inner).starts.pop_front();
        let start = start.expect("each block was counted as it was pulled");
        self.runs.push_back(Run { start, rows, position });
        start
    }

    /// The place before the block that begins at row `start`, which comes out now.
    fn position_of(&mut self, start: u64) -> Position {
        let Some(oldest) = self.runs.front() else {
            // A panic ended it all.
            return Position::at(Token::lost());
        };
        let (base, input) = (oldest.start, oldest.position.clone());
        // What was pulled and is in no run has come out, now or before the state was saved that this one was restored from.
        let (mut passed, mut next) = (Vec::new(), base);
        for run in &self.runs {
            if run.start > next {
                passed.push((next - base, run.start - next));
            }
            next = run.start + run.rows;
        }
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if count.next > next {
            passed.push((next - base, count.next - next));
        }
        passed.extend(count.passed.iter().map(|(start, len)| (start - base, *len)));
        drop(count);
        self.runs.retain(|run| run.start != start);
        Position::at(Token::new(move |rows| {
            let mut passed = passed.clone();
            if rows > 0 {
                let place = passed.partition_point(|(other, _)| *other < start - base);
                passed.insert(place, (start - base, rows));
            }
            UnorderedState { input: input.clone(), passed }
        }))
    }
}

impl Operator for Unordered {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            let block = if let Some(block) = self.rest.take() {
                block
            } else {
                let Some((start, block)) = ready!(self.poll_any(cx, limit)) else { return Poll::Ready(None) };
                let position = self.position_of(start);
                block.at(position)
            };
            let Some(block) = self.debt.pay(block) else { continue };
            return Poll::Ready(Some(cut(block, limit, &mut self.rest)));
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        let here = self.rest.as_ref().map_or(0, Block::rows) as u64;
        let rows = rows.saturating_add(self.debt.rows()).saturating_sub(here);
        match &mut self.source {
            Source::Tasks(map) => map.bound(rows),
            Source::InOrder(input) => input.bound(rows),
        }
    }
}
