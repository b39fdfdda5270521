//! What all operators count alike.

use std::cell::Cell;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Instant;

use feedline_data::block::Block;
use feedline_data::on_roomy_stack;

use super::Metrics;
use crate::operator::{Gap, Operator};
use crate::origin::Locator;

thread_local! {
    /// Time spent in measured operators below the one at hand, on this thread.
    static INNER_NS: Cell<u64> = const { Cell::new(0) };
    /// The last of them that said "not yet", plus 1.
    static INNER_WAIT: Cell<usize> = const { Cell::new(0) };
    /// Blocks until the next time that an operator says "not yet" for the sake of others.
    static BLOCKS_LEFT: Cell<u32> = const { Cell::new(BLOCKS_A_TURN) };
    /// The one being asked, plus 1. Behind a panic it is the one that panicked.
    static ASKED: Cell<usize> = const { Cell::new(0) };
    /// When whoever asked wants to be asked whether to go on.
    static COMES_BACK_AT: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Blocks in a row, of all operators of a thread together, before one says "not yet", and "ask again": a filter that finds nothing, or
/// a step that skips, would otherwise never come back to whoever could tell it that nobody wants it any more. Blocks, not
/// polls: who asks many others and gets nothing has to let them work, not to be asked again. Few where tests look at what that
/// does.
const BLOCKS_A_TURN: u32 = if cfg!(debug_assertions) { 100 } else { 1000 };

fn is_turn_over() -> bool {
    let is_over = BLOCKS_LEFT.get() == 0;
    if is_over {
        BLOCKS_LEFT.set(BLOCKS_A_TURN);
    }
    is_over
}

/// Polls operators that say "not yet", and "ask again", from `time` on, so that `poll` comes back soon after it however long
/// an element takes.
pub(crate) fn back_at<R>(time: Instant, poll: impl FnOnce() -> R) -> R {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            COMES_BACK_AT.set(None);
        }
    }
    COMES_BACK_AT.set(Some(time));
    let _reset = Reset;
    poll()
}

/// Whether who asked wants to be asked whether to go on: what takes long and can stop in its middle does.
pub(crate) fn is_back_wanted() -> bool {
    COMES_BACK_AT.get().is_some_and(|time| Instant::now() >= time)
}

/// The step that a panic was in, on this thread, which was caught just now.
pub(crate) fn take_panicked() -> Option<usize> {
    ASKED.replace(0).checked_sub(1)
}

/// An operator that counts what comes out of it, how long that took, and how long others waited for it.
pub(crate) struct Measured {
    operator: Box<dyn Operator>,
    metrics: Arc<Metrics>,
    step: usize,
    /// Since when whoever asks waits, if he does.
    waits_since_ns: Option<u64>,
    /// Whether it takes turns with others. On one thread alone there are none but the caller.
    takes_turns: bool,
    /// Where it may fail for elements: what tells where they came from.
    locator: Option<Locator>,
}

impl Measured {
    pub(crate) fn new(
        operator: Box<dyn Operator>,
        metrics: Arc<Metrics>,
        step: usize,
        takes_turns: bool,
        locator: Option<Locator>,
    ) -> Measured {
        Measured { operator, metrics, step, waits_since_ns: None, takes_turns, locator }
    }

    fn end_wait(&mut self, now_ns: u64) {
        if let Some(since_ns) = self.waits_since_ns.take() {
            self.metrics.steps[self.step].end_wait(since_ns, now_ns);
        }
    }
}

impl Operator for Measured {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let start = Instant::now();
        let is_time = COMES_BACK_AT.get().is_some_and(|time| start >= time);
        if is_time || self.takes_turns && is_turn_over() {
            INNER_WAIT.set(self.step + 1);
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let (outer_ns, outer_wait) = (INNER_NS.replace(0), INNER_WAIT.replace(0));
        let outer_asked = ASKED.replace(self.step + 1);
        let mut answer = on_roomy_stack(|| self.operator.poll_block(cx, limit));
        ASKED.set(outer_asked);
        let total_ns = start.elapsed().as_nanos() as u64;
        let own_ns = total_ns.saturating_sub(INNER_NS.get());
        INNER_NS.set(outer_ns + total_ns);
        let inner_wait = INNER_WAIT.replace(if answer.is_pending() { self.step + 1 } else { outer_wait });

        let now_ns = start.saturating_duration_since(self.metrics.started).as_nanos() as u64 + total_ns;
        let counters = &self.metrics.steps[self.step];
        counters.busy_ns.fetch_add(own_ns, Ordering::Relaxed);
        if let Poll::Ready(Some(block)) = &mut answer
            && !block.errors().is_empty()
        {
            let located = match &self.locator {
                Some(locator) => locator.located(block.clone()),
                None => block.clone(),
            };
            *block = self.metrics.named(located, self.step);
        }
        match &answer {
            Poll::Ready(Some(block)) => {
                BLOCKS_LEFT.set(BLOCKS_LEFT.get().saturating_sub(1));
                #[cfg(debug_assertions)]
                assert!((1..=limit).contains(&block.rows()), "{}: {} rows", counters.name(), block.rows());
                counters.blocks.fetch_add(1, Ordering::Relaxed);
                counters.elements.fetch_add(block.num_elements() as u64, Ordering::Relaxed);
                counters.errors.fetch_add(block.errors().len() as u64, Ordering::Relaxed);
                counters.bytes.fetch_add(block.byte_size() as u64, Ordering::Relaxed);
                counters.last_rows_ns.store(now_ns, Ordering::Relaxed);
                self.end_wait(now_ns);
            }
            Poll::Pending => {
                counters.not_ready.fetch_add(1, Ordering::Relaxed);
                counters.waits_for.store(inner_wait, Ordering::Relaxed);
                if self.waits_since_ns.is_none() {
                    self.waits_since_ns = Some(now_ns);
                    counters.begin_wait(now_ns);
                }
            }
            Poll::Ready(None) => self.end_wait(now_ns),
        }
        answer
    }

    fn skip(&mut self, rows: u64) {
        on_roomy_stack(|| self.operator.skip(rows));
    }

    fn bound(&mut self, rows: u64) {
        on_roomy_stack(|| self.operator.bound(rows));
    }

    fn leave_out(&mut self, gaps: &[Gap]) -> bool {
        on_roomy_stack(|| self.operator.leave_out(gaps))
    }
}

/// In the place of an operator that is being dropped.
struct Over;

impl Operator for Over {
    fn poll_block(&mut self, _: &mut Context<'_>, _: usize) -> Poll<Option<Block>> {
        Poll::Ready(None)
    }

    fn skip(&mut self, _: u64) {}
}

impl Drop for Measured {
    fn drop(&mut self) {
        // Not asked again: whoever waited has given up.
        if self.waits_since_ns.is_some() {
            self.end_wait(self.metrics.now_ns());
        }
        // It drops those before it, and they those before them.
        let operator = mem::replace(&mut self.operator, Box::new(Over));
        on_roomy_stack(|| drop(operator));
    }
}
