//! What every operator counts, under the same names.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use feedline_data::block::Block;

use crate::operator::Operator;

/// The counters of all operators of an iterator, in the order of the plan's lines.
#[derive(Debug)]
pub(crate) struct Metrics {
    steps: Vec<StepMetrics>,
}

/// The counters of one step. Relaxed everywhere: they are counts, read for display and tuning.
#[derive(Debug)]
struct StepMetrics {
    name: String,
    elements: AtomicU64,
    errors: AtomicU64,
    bytes: AtomicU64,
    busy_ns: AtomicU64,
    blocks: AtomicU64,
    not_ready: AtomicU64,
}

/// What one step has done so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepSnapshot {
    /// The step as the plan prints it.
    pub name: String,
    /// Elements that came out.
    pub elements: u64,
    /// Errors that came out.
    pub errors: u64,
    /// Bytes of the elements that came out.
    pub bytes: u64,
    /// Time spent in it, its inputs not counted, all threads together.
    pub busy_ns: u64,
    /// Blocks that came out.
    pub blocks: u64,
    /// How often it was asked and had nothing yet.
    pub not_ready: u64,
}

impl Metrics {
    /// Counters for steps of these names.
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Arc<Metrics> {
        let steps = names.into_iter().map(|name| StepMetrics {
            name,
            elements: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            busy_ns: AtomicU64::new(0),
            blocks: AtomicU64::new(0),
            not_ready: AtomicU64::new(0),
        });
        Arc::new(Metrics { steps: steps.collect() })
    }

    /// All counters now, sources first.
    pub(crate) fn snapshot(&self) -> Vec<StepSnapshot> {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        self.steps
            .iter()
            .map(|step| StepSnapshot {
                name: step.name.clone(),
                elements: read(&step.elements),
                errors: read(&step.errors),
                bytes: read(&step.bytes),
                busy_ns: read(&step.busy_ns),
                blocks: read(&step.blocks),
                not_ready: read(&step.not_ready),
            })
            .collect()
    }

    /// Adds time spent for `step` outside its own turn, on a worker.
    pub(crate) fn add_busy(&self, step: usize, busy_ns: u64) {
        self.steps[step].busy_ns.fetch_add(busy_ns, Ordering::Relaxed);
    }
}

thread_local! {
    /// Time spent in measured operators below the one at hand, on this thread.
    static INNER_NS: Cell<u64> = const { Cell::new(0) };
}

/// An operator that counts what comes out of it and how long that took.
pub(crate) struct Measured {
    operator: Box<dyn Operator>,
    metrics: Arc<Metrics>,
    step: usize,
}

impl Measured {
    pub(crate) fn new(operator: Box<dyn Operator>, metrics: Arc<Metrics>, step: usize) -> Measured {
        Measured { operator, metrics, step }
    }
}

impl Operator for Measured {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let outer_ns = INNER_NS.replace(0);
        let start = Instant::now();
        let answer = self.operator.poll_block(cx, limit);
        let total_ns = start.elapsed().as_nanos() as u64;
        let own_ns = total_ns.saturating_sub(INNER_NS.get());
        INNER_NS.set(outer_ns + total_ns);

        let counters = &self.metrics.steps[self.step];
        counters.busy_ns.fetch_add(own_ns, Ordering::Relaxed);
        match &answer {
            Poll::Ready(Some(block)) => {
                debug_assert!(
                    (1..=limit).contains(&block.rows()),
                    "{}: {} rows",
                    counters.name,
                    block.rows()
                );
                counters.blocks.fetch_add(1, Ordering::Relaxed);
                counters.elements.fetch_add(block.num_elements() as u64, Ordering::Relaxed);
                counters.errors.fetch_add(block.errors().len() as u64, Ordering::Relaxed);
                counters.bytes.fetch_add(block.byte_size() as u64, Ordering::Relaxed);
            }
            Poll::Pending => {
                counters.not_ready.fetch_add(1, Ordering::Relaxed);
            }
            Poll::Ready(None) => {}
        }
        answer
    }

    fn skip(&mut self, rows: u64) {
        self.operator.skip(rows);
    }
}
