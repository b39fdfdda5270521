//! The elements that streams are made of.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row, RowError, Tensor};

use super::Nesting;
use super::stream::Stream;
use crate::budget::Budget;
use crate::eval::Program;
use crate::keeping::counted_bytes;
use crate::operators::cache::CachesOfInstance;
use crate::sparing::SparingInput;
use crate::template::{Outer, Scope};

/// Elements to come, some of them with their streams opened already.
pub(super) struct OuterRows {
    input: SparingInput,
    nesting: Arc<Nesting>,
    scope: Scope,
    queue: VecDeque<Queued>,
    /// Rows whose values are still to be computed: there was no memory for them.
    left: Option<Block>,
    has_ended: bool,
    /// Behind the last element taken.
    position: Option<Position>,
}

/// An element to come.
struct Queued {
    row: OuterRow,
    stream: Option<Result<Stream, RowError>>,
}

/// An element a stream is made of.
pub(super) struct OuterRow {
    position: Position,
    id: u64,
    pub(super) outer: Result<Arc<Outer>, RowError>,
}

/// An element with its stream, or why it has none.
pub(super) struct Opened {
    pub(super) position: Position,
    pub(super) id: u64,
    pub(super) stream: Result<Stream, RowError>,
}

/// Elements pulled at a time: what streams need of them is computed for all at once.
const ROWS_AT_A_TIME: usize = 16;

impl OuterRows {
    pub(super) fn new(input: SparingInput, nesting: Arc<Nesting>, scope: &Scope) -> OuterRows {
        OuterRows {
            input,
            nesting,
            scope: scope.clone(),
            queue: VecDeque::new(),
            left: None,
            has_ended: false,
            position: None,
        }
    }

    /// Behind the last element taken; `None` if none was since the start.
    pub(super) fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }

    /// Those of the `needed` elements that are not here.
    fn missing(&self, needed: u64) -> u64 {
        let here = self.queue.len() + self.left.as_ref().map_or(0, Block::rows);
        if needed == u64::MAX { u64::MAX } else { needed.saturating_sub(here as u64) }
    }

    /// Whether all of them were taken.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended && self.queue.is_empty()
    }

    /// So many elements are needed, as far as is known.
    pub(super) fn tell(&mut self, needed: u64) {
        self.input.tell(self.missing(needed));
    }

    /// The next element and its stream; `None` at the end. So many elements are `needed`, as far as is known.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>, needed: u64) -> Poll<Option<Opened>> {
        if self.queue.is_empty() {
            ready!(self.poll_pull(cx, needed));
        }
        let Some(mut next) = self.queue.pop_front() else { return Poll::Ready(None) };
        self.open(&mut next);
        self.position = Some(next.row.position.plus(1));
        let Queued { row: OuterRow { position, id, .. }, stream } = next;
        Poll::Ready(Some(Opened { position, id, stream: stream.expect("opened above") }))
    }

    /// The streams of the next `wanted` elements, as far as those are there; what failed to open is told in its turn. Code of the user's is
    /// called for no more elements than are `needed`.
    pub(super) fn open_ahead<'a>(
        &'a mut self,
        cx: &mut Context<'_>,
        wanted: usize,
        needed: u64,
    ) -> impl Iterator<Item = &'a mut Stream> + use<'a> {
        // Ahead only as far as there is memory for what streams are started with.
        let has_room = |rows: &OuterRows| rows.scope.runtime.budget.has_room(0);
        let most = if self.input.runs_user_code() { needed } else { u64::MAX };
        while self.queue.len() < wanted
            && (self.queue.len() as u64) < most
            && !self.has_ended
            && has_room(self)
            && self.poll_pull(cx, needed).is_ready()
        {}
        for index in 0..wanted.min(self.queue.len()) {
            let mut queued = std::mem::take(&mut self.queue);
            self.open(&mut queued[index]);
            self.queue = queued;
        }
        self.queue.iter_mut().take(wanted).filter_map(|queued| queued.stream.as_mut()?.as_mut().ok())
    }

    /// Whether the stream of the element behind so many others is open and has something.
    pub(super) fn is_ready(&self, index: usize) -> bool {
        let stream = self.queue.get(index).and_then(|queued| queued.stream.as_ref());
        stream.is_some_and(|stream| stream.as_ref().map_or(true, Stream::is_ready))
    }

    fn open(&self, queued: &mut Queued) {
        let row = &queued.row;
        queued.stream.get_or_insert_with(|| {
            let outer = Arc::clone(row.outer.as_ref().map_err(Arc::clone)?);
            Stream::open(outer, row.position.clone(), &self.nesting, &self.scope)
                .map_err(crate::error::ExecError::into_row_error)
        });
    }

    fn poll_pull(&mut self, cx: &mut Context<'_>, needed: u64) -> Poll<()> {
        if self.has_ended {
            return Poll::Ready(());
        }
        // One at a time where nothing runs ahead: no element is computed that nobody asked for.
        let rows = if self.scope.runtime.pool.is_some() { ROWS_AT_A_TIME } else { 1 };
        let needed = self.missing(needed);
        let block = match self.left.take() {
            Some(block) => Some(block),
            None => ready!(self.input.poll_block(cx, rows, needed)),
        };
        match block {
            None => self.has_ended = true,
            Some(block) => {
                let (rows, left) = values_of(&self.nesting.prelude, block, &self.scope.runtime.budget);
                self.left = left;
                self.queue.extend(rows.into_iter().map(|row| Queued { row, stream: None }));
            }
        }
        Poll::Ready(())
    }
}

/// What nested plans are started with, of the first rows of `block`, and the rows that there is no memory for as long as these are there.
pub(super) fn values_of(
    prelude: &Program,
    block: Block,
    budget: &Arc<Budget>,
) -> (Vec<OuterRow>, Option<Block>) {
    let (block, left, mut charge) = prelude.run_needed(block, budget);
    charge.resize(counted_bytes(&block));
    let charge = Arc::new(charge);
    let row_of = |row: usize| {
        let (id, outer) = match block.row(row) {
            Row::Error(error) => (error.id, Err(Arc::clone(&error.error))),
            Row::Element(element) => {
                let values = block.columns().iter().map(|column| Tensor::of_row(column, element)).collect();
                let id = block.ids().get(element);
                (
                    id,
                    Ok(Arc::new(Outer {
                        values,
                        id,
                        _charge: Arc::clone(&charge),
                        caches: CachesOfInstance::default(),
                    })),
                )
            }
        };
        OuterRow { position: block.position().plus(row as u64), id, outer }
    };
    ((0..block.rows()).map(row_of).collect(), left)
}
