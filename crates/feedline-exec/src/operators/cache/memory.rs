//! A cache in memory.
//!
//! What it gives and saves is told in [the module](super). It belongs to the step of the plan: all iterators of a dataset,
//! and of datasets made from it, share it; where it holds what depends on an element around, it belongs to the dataset that is made of
//! that, for as long as that runs. Each that finds it empty fills one of its own; the first to be complete is kept,
//! the others go. One that was left in its middle is dropped: the next pass begins anew.
//!
//! Rows are copied into blocks of the cache's own. An iterator charges them to its budget while it fills, and from its first
//! use of the complete cache until it ends. The process's budget has a complete cache once, however many iterators use it, for as long as it
//! exists: with the dataset, also between iterators. A cache that outgrows the budget, or what shuffles and other caches leave of it,
//! is given up: what it holds goes, a notice says so, and the rows come as without a cache, in this epoch
//! and the iterator's next ones. No error does: it would be a row, and steps behind that count rows would give other
//! elements than with a larger budget.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position};

use super::collector::Collector;
use super::rows::{RowRun, Rows};
use super::{hand_on, needed_from, passed_at, scope_upstream};
use crate::budget::{Filling, Reservation};
use crate::error::ExecError;
use crate::keeping::held_bytes;
use crate::operator::{Operator, SkipDebt};
use crate::origin::{KnownStarts, Origin, Salts, Sought};
use crate::runtime::Runtime;
use crate::sparing::SparingInput;
use crate::template::{Scope, Template};

/// What a step keeps, once it is complete.
#[derive(Debug, Default)]
pub(crate) struct MemoryCache(OnceLock<Complete>);

#[derive(Debug)]
struct Complete {
    rows: RowRun,
    /// What tells where they came from.
    starts: KnownStarts,
    /// Of the process's budget, if who filled it was within that.
    _counted: Option<Reservation>,
}

/// A cache as an iterator has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) cache: Arc<MemoryCache>,
    /// What this iterator charges for the complete cache; the epochs of a repeat have it together.
    held: Arc<Mutex<Option<Reservation>>>,
}

impl Kept {
    pub(crate) fn of(cache: Arc<MemoryCache>) -> Kept {
        Kept { cache, held: Arc::default() }
    }
}

/// The caches of a dataset that was made of an element, each by the place of its template.
#[derive(Debug, Default)]
pub(crate) struct CachesOfInstance(Mutex<Vec<(usize, Kept)>>);

impl CachesOfInstance {
    fn get(&self, template: &MemoryCacheTemplate) -> Kept {
        let place = std::ptr::from_ref(template) as usize;
        let mut caches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = caches.iter().find(|(other, _)| *other == place) {
            return kept.clone();
        }
        let kept = Kept::default();
        caches.push((place, kept.clone()));
        kept
    }
}

#[derive(Debug)]
pub(crate) struct MemoryCacheTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) kept: Kept,
    /// Whether what it holds depends on the element around.
    pub(crate) uses_outer: bool,
    /// Rows of the input, where that is certain.
    pub(crate) num_rows: Option<u64>,
    /// Whether this iterator's budget was too small for it: the next epoch need not try.
    pub(crate) is_outgrown: Arc<AtomicBool>,
    /// What it added to ids.
    pub(crate) salts: Salts,
    /// Whether it was told where rows came from that another kept: an iterator before this one, or the same step as another input.
    pub(crate) learned_starts: Arc<Once>,
}

impl Template for MemoryCacheTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let passed = passed_at(at)?;
        let own = scope.outer.as_ref().filter(|_| self.uses_outer);
        let Kept { cache, held } = own.map_or_else(|| self.kept.clone(), |outer| outer.caches.get(self));
        let upstream = Scope { outer: own.cloned(), ..scope_upstream(scope) };
        let salt = scope.first_id().wrapping_sub(upstream.first_id());
        self.salts.add(salt);
        // A complete cache needs no input. One that is not yet is looked at again when the first row is asked for.
        let input = match cache.0.get() {
            Some(_) => None,
            None => Some(SparingInput::new(self.input.start(&upstream, None)?, &*self.input)),
        };
        Ok(Box::new(Memory {
            cache,
            starts: KnownStarts::of(&*self.input),
            learned_starts: Arc::clone(&self.learned_starts),
            held,
            is_outgrown: Arc::clone(&self.is_outgrown),
            runtime: Arc::clone(&scope.runtime),
            salt,
            num_rows: self.num_rows,
            is_of_plan: own.is_none(),
            is_one_of_many: scope.turn.is_one_of_many(),
            passed,
            asked_until: u64::MAX,
            source: Source::Unsettled(input),
            debt: SkipDebt::default(),
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

struct Memory {
    cache: Arc<MemoryCache>,
    /// Of what is upstream.
    starts: KnownStarts,
    learned_starts: Arc<Once>,
    held: Arc<Mutex<Option<Reservation>>>,
    is_outgrown: Arc<AtomicBool>,
    runtime: Arc<Runtime>,
    salt: u64,
    num_rows: Option<u64>,
    /// Whether the cache is the plan's, not that of a dataset made of an element.
    is_of_plan: bool,
    /// Whether it fills beside others, in streams that are read in turn: what runs ahead in those does not drain into it.
    is_one_of_many: bool,
    /// The number of the row that comes next out of the source.
    passed: u64,
    /// That of the first row that nobody is going to ask for, as far as is known.
    asked_until: u64,
    source: Source,
    /// Rows still to be dropped.
    debt: SkipDebt,
}

/// Where rows come from.
enum Source {
    /// Nobody has asked yet. The input is there unless the cache was complete.
    Unsettled(Option<SparingInput>),
    /// The complete cache.
    Kept,
    /// The input, from its first row on.
    Filling(SparingInput, Collector<Filling>),
    /// The input, from wherever.
    Passing(SparingInput),
}

impl Memory {
    fn settle(&mut self) {
        let Source::Unsettled(input) = &mut self.source else { return };
        self.source = match (self.cache.0.get(), input.take()) {
            // Relaxed: a hint. Who misses it finds out for itself.
            (None, Some(input)) if self.passed == 0 && !self.is_outgrown.load(Ordering::Relaxed) => {
                Source::Filling(input, Collector::new(&self.runtime.budget))
            }
            (None, Some(mut input)) => {
                if self.passed > 0 {
                    input.skip(self.passed);
                }
                Source::Passing(input)
            }
            // Without an input it was complete before, and stays that.
            (kept, _) => {
                if let Some(kept) = kept {
                    self.learned_starts.call_once(|| self.starts.learn(&kept.starts));
                }
                Source::Kept
            }
        };
    }

    /// Rows of the complete cache.
    fn kept_block(&mut self, limit: usize) -> Option<Block> {
        let kept = &self.cache.0.get().expect("complete, or it would not be the source").rows;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.get_or_insert_with(|| self.runtime.budget.reserve_counted(kept.num_bytes()));
        self.passed = self.passed.saturating_add(std::mem::take(&mut self.debt).rows());
        let block = kept.block_at(self.passed, limit, self.salt, &self.runtime)?;
        self.passed += block.rows() as u64;
        Some(block)
    }

    /// Takes in rows of the input, or that it has ended, if the cache fills.
    fn fill(&mut self, block: Option<&Block>) {
        let Source::Filling(_, collector) = &mut self.source else { return };
        let has_ended = match block {
            None => true,
            Some(block) if !block.errors().is_empty() => {
                return self.stop_filling();
            }
            // Another time, or another stream, may find more.
            Some(block) if self.is_one_of_many && !self.runtime.budget.has_room(held_bytes(block)) => {
                return self.stop_filling();
            }
            Some(block) if !collector.push(block) => return self.give_up(),
            Some(_) => self.num_rows == Some(collector.num_rows()),
        };
        if has_ended {
            let num_rows = collector.num_rows();
            let (blocks, filled) = collector.take(&self.runtime.budget);
            let num_bytes = filled.bytes();
            let Some(reserved) = filled.complete() else { return self.give_up_with(num_bytes, num_rows, 0) };
            let (own, counted) = reserved.split();
            // Who keeps rows of the plan's own cache keeps no memory: it is here as long as anything runs. Those of an element's go with that.
            let blocks =
                if self.is_of_plan { blocks.into_iter().map(Rows::counted_here).collect() } else { blocks };
            let rows = RowRun::new(0, blocks, num_bytes);
            let kept = Complete { rows, starts: self.starts.clone(), _counted: counted };
            // Somebody else may have been first; then this one goes.
            if self.cache.0.set(kept).is_ok() {
                *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(own);
            }
            self.source = Source::Kept;
        }
    }

    /// There is no memory for it.
    fn give_up(&mut self) {
        let Source::Filling(_, collector) = &self.source else { return };
        let reserved = collector.account().reserved_by_others();
        self.give_up_with(collector.num_bytes(), collector.num_rows(), reserved);
    }

    fn give_up_with(&mut self, num_bytes: u64, num_rows: u64, reserved_by_others: u64) {
        self.stop_filling();
        if !self.is_outgrown.swap(true, Ordering::Relaxed) {
            let limit = self.runtime.budget.limit_bytes();
            self.runtime.notices.tell(&too_large(num_bytes, num_rows, limit, reserved_by_others));
        }
    }

    fn stop_filling(&mut self) {
        let source = std::mem::replace(&mut self.source, Source::Unsettled(None));
        self.source = match source {
            Source::Filling(input, _) => Source::Passing(input),
            other => other,
        };
    }
}

impl Operator for Memory {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        self.settle();
        loop {
            let needed = needed_from(self.passed, self.asked_until);
            let block = match &mut self.source {
                Source::Kept | Source::Unsettled(_) => return Poll::Ready(self.kept_block(limit)),
                Source::Filling(input, _) => {
                    // What is skipped is looked at, and in pieces as large as they come.
                    let rows = usize::try_from(self.debt.rows()).unwrap_or(usize::MAX);
                    ready!(input.poll_block(cx, limit.saturating_add(rows), needed))
                }
                Source::Passing(input) => {
                    if self.debt.rows() > 0 {
                        let rows = std::mem::take(&mut self.debt).rows();
                        input.skip(rows);
                        self.passed = self.passed.saturating_add(rows);
                    }
                    let needed = needed_from(self.passed, self.asked_until);
                    ready!(input.poll_block(cx, limit, needed))
                }
            };
            self.fill(block.as_ref());
            let Some(block) = block else { return Poll::Ready(None) };
            let first = self.passed;
            self.passed += block.rows() as u64;
            if let Some(block) = self.debt.pay(hand_on(block, first, self.salt)) {
                return Poll::Ready(Some(block));
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.asked_until = self.passed.saturating_add(self.debt.rows()).saturating_add(rows);
    }
}

fn too_large(num_bytes: u64, num_rows: u64, limit_bytes: u64, reserved_by_others: u64) -> String {
    let others = match reserved_by_others {
        0 => String::new(),
        bytes => format!(", of which shuffles and other caches hold {bytes}"),
    };
    format!(
        "feedline: cache: {num_bytes} bytes are held after {num_rows} elements, and the next do not fit the memory \
         budget of {limit_bytes} bytes{others}; nothing is kept, and every epoch computes the elements anew\n\
         hint: {}",
        super::check::REMEDY
    )
}
