//! The stream of one element.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row, RowError, Token, mix};

use super::assemble::{Assembly, PartKey};
use super::log::{Event, Log, StreamState};
use super::{Nesting, outer_rows};
use crate::error::ExecError;
use crate::operator::Operator;
use crate::template::{Outer, Scope};

/// The stream of one element, with the block at its front.
pub(super) struct Stream {
    source: Source,
    /// The element's id; known once its source runs.
    id: u64,
    element: Position,
    /// Where it is, as far as rows were taken, and how many were skipped behind that.
    nested: Option<Position>,
    skipped: u64,
    /// The number of the next row.
    next_row: u64,
    block: Option<Block>,
    /// Rows taken of the block.
    taken: usize,
    part: PartKey,
}

enum Source {
    /// The element is being read again, to go on with its stream where it was.
    Restoring {
        elements: Box<dyn Operator>,
        nesting: Arc<Nesting>,
        scope: Scope,
    },
    Running(Box<dyn Operator>),
    Ended,
}

impl Stream {
    /// The stream of the element at `element`.
    pub(super) fn open(
        outer: Arc<Outer>,
        element: Position,
        nesting: &Nesting,
        scope: &Scope,
    ) -> Result<Stream, ExecError> {
        let id = outer.id;
        let scope = nested_scope(scope, outer);
        Ok(Stream {
            source: Source::Running(nesting.nested.start(&scope, None)?),
            id,
            element,
            nested: None,
            skipped: 0,
            next_row: 0,
            block: None,
            taken: 0,
            part: PartKey::default(),
        })
    }

    /// A stream that was saved; `elements` begins with its element.
    pub(super) fn restore(
        state: &StreamState,
        elements: Box<dyn Operator>,
        nesting: &Arc<Nesting>,
        scope: &Scope,
    ) -> Stream {
        Stream {
            source: Source::Restoring { elements, nesting: Arc::clone(nesting), scope: scope.clone() },
            id: 0,
            element: state.element.clone(),
            nested: state.nested.clone(),
            skipped: state.skipped,
            next_row: state.next_row,
            block: None,
            taken: 0,
            part: PartKey::default(),
        }
    }

    pub(super) fn state(&self, place: usize) -> StreamState {
        StreamState {
            place,
            element: self.element.clone(),
            nested: self.nested.clone(),
            next_row: self.next_row,
            skipped: self.skipped,
        }
    }

    /// The number of the next row.
    pub(super) fn next_row(&self) -> u64 {
        self.next_row
    }

    /// Skips rows, all of which it has.
    pub(super) fn skip(&mut self, rows: u64) {
        self.next_row += rows;
        let mut left = rows;
        if let Some(block) = &self.block {
            let dropped = left.min((block.rows() - self.taken) as u64);
            self.taken += dropped as usize;
            left -= dropped;
            if dropped > 0 {
                (self.nested, self.skipped) = (Some(block.position().plus(self.taken as u64)), 0);
            }
        }
        self.skipped += left;
        // One that is being restored skips when it is.
        if let Source::Running(operator) = &mut self.source
            && left > 0
        {
            operator.skip(left);
        }
    }

    /// Whether nothing was taken of it yet, since it was opened.
    pub(super) fn is_new(&self) -> bool {
        self.nested.is_none()
    }

    /// Whether asking it gives an answer, for all that is known without asking.
    pub(super) fn is_ready(&self) -> bool {
        self.block.is_some() || matches!(self.source, Source::Ended)
    }

    /// Whether there is a row to take; no means the end.
    pub(super) fn poll_rows(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<bool> {
        loop {
            if self.block.as_ref().is_some_and(|block| self.taken < block.rows()) {
                return Poll::Ready(true);
            }
            match &mut self.source {
                Source::Ended => return Poll::Ready(false),
                Source::Running(operator) => {
                    self.block = ready!(operator.poll_block(cx, limit));
                    (self.taken, self.part) = (0, PartKey::default());
                    if self.block.is_none() {
                        self.source = Source::Ended;
                    }
                }
                Source::Restoring { .. } => {
                    if let Err(error) = ready!(self.poll_restore(cx)) {
                        self.source = Source::Ended;
                        let position = Position::at(Token::new(|_| ()));
                        self.block = Some(Block::of_error(self.id, error, position));
                        (self.taken, self.part) = (0, PartKey::default());
                    }
                }
            }
        }
    }

    /// Reads the element again and goes on with its stream.
    fn poll_restore(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), RowError>> {
        let Source::Restoring { elements, nesting, scope } = &mut self.source else {
            return Poll::Ready(Ok(()));
        };
        let changed = || {
            ExecError::state("the element that a nested dataset was made of is not there any more")
                .with_hint("the data must not change between saving and restoring")
                .into_row_error()
        };
        let Some(block) = ready!(elements.poll_block(cx, 1)) else { return Poll::Ready(Err(changed())) };
        let row = outer_rows::values_of(&nesting.prelude, block).remove(0);
        let Ok(outer) = row.outer else { return Poll::Ready(Err(changed())) };
        self.id = outer.id;
        let scope = nested_scope(scope, outer);
        let started = nesting.nested.start(&scope, self.nested.as_ref());
        Poll::Ready(match started {
            Ok(mut operator) => {
                if self.skipped > 0 {
                    operator.skip(self.skipped);
                }
                self.source = Source::Running(operator);
                Ok(())
            }
            Err(error) => Err(error.into_row_error()),
        })
    }

    /// Takes elements, at most `limit`, or one error. There is a row to take.
    pub(super) fn take_rows(&mut self, limit: usize, log: &mut Log, assembly: &mut Assembly) {
        let block = self.block.as_ref().expect("there is a row to take");
        if self.taken == 0 {
            log.push(Event::Block(block.position().clone()));
        }
        let rows = match block.row(self.taken) {
            Row::Error(error) => {
                assembly.push_error(mix(self.id, self.next_row), Arc::clone(&error.error));
                log.push(Event::Errors(1));
                1
            }
            Row::Element(element) => {
                let errors = block.errors();
                let next_error = errors.get(errors.partition_point(|error| error.row < self.taken));
                let end = next_error.map_or(block.rows(), |error| error.row);
                let rows = (end - self.taken).min(limit);
                let ids = (self.next_row..).take(rows).map(|row| mix(self.id, row));
                assembly.push_elements(block, &mut self.part, element..element + rows, ids);
                log.push(Event::Elements(rows as u64));
                rows
            }
        };
        self.taken += rows;
        self.next_row += rows as u64;
        (self.nested, self.skipped) = (Some(block.position().plus(self.taken as u64)), 0);
    }
}

/// Where a nested plan runs: it counts its iterations from 0, each time anew.
fn nested_scope(scope: &Scope, outer: Arc<Outer>) -> Scope {
    Scope { iteration: 0, outer: Some(outer), ..scope.clone() }
}
