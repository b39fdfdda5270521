//! The stream of one element.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row, RowError, Token, mix};

use super::assemble::{Assembly, PartKey};
use super::log::{Event, Log, StreamState};
use super::{Nesting, outer_rows};
use crate::budget::{Budget, Charge};
use crate::error::ExecError;
use crate::keeping::{counted_bytes_of, held_bytes};
use crate::operator::Operator;
use crate::sparing::SparingInput;
use crate::template::{Outer, Scope};
use crate::turn::Turn;

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
    front: Option<Front>,
    /// What it was started with, and what that is charged as: its rows may be views of it, so both stay as long as there are rows.
    outer: Option<Arc<Outer>>,
    /// Bytes of those values, as far as nobody else has them anyway.
    values_bytes: usize,
    budget: Arc<Budget>,
    turn: Arc<Turn>,
}

/// The block at the front of a stream, as long as it has rows.
struct Front {
    block: Block,
    /// Rows taken of it.
    taken: usize,
    part: PartKey,
    _charge: Charge,
}

enum Source {
    /// The element is being read again, to go on with its stream where it was.
    Restoring {
        elements: Box<dyn Operator>,
        nesting: Arc<Nesting>,
        scope: Scope,
    },
    Running(SparingInput),
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
        nesting.starts.add(scope, id);
        let scope = Scope { turn: Turn::within(&scope.turn), ..scope.clone() };
        let nested = nested_scope(&scope, Arc::clone(&outer));
        let operator = nesting.nested.start(&nested, None)?;
        let source = Source::Running(SparingInput::new(operator, &*nesting.nested));
        let mut stream = Stream::new(source, id, element, &scope);
        stream.hold(outer);
        Ok(stream)
    }

    /// One at its beginning, with a turn of its own.
    fn new(source: Source, id: u64, element: Position, scope: &Scope) -> Stream {
        Stream {
            source,
            id,
            element,
            nested: None,
            skipped: 0,
            next_row: 0,
            front: None,
            outer: None,
            values_bytes: 0,
            budget: Arc::clone(&scope.runtime.budget),
            turn: Arc::clone(&scope.turn),
        }
    }

    /// Keeps what it is started with.
    fn hold(&mut self, outer: Arc<Outer>) {
        self.values_bytes = outer.values.iter().map(|value| counted_bytes_of(value.as_column())).sum();
        self.outer = Some(outer);
    }

    /// A stream that was saved; `elements` begins with its element.
    pub(super) fn restore(
        state: &StreamState,
        elements: Box<dyn Operator>,
        nesting: &Arc<Nesting>,
        scope: &Scope,
    ) -> Stream {
        let scope = Scope { turn: Turn::within(&scope.turn), ..scope.clone() };
        let source = Source::Restoring { elements, nesting: Arc::clone(nesting), scope: scope.clone() };
        Stream {
            nested: state.nested.clone(),
            skipped: state.skipped,
            next_row: state.next_row,
            ..Stream::new(source, 0, state.element.clone(), &scope)
        }
    }

    /// Whether it is the one that everybody waits for.
    pub(super) fn turn(&self) -> &Turn {
        &self.turn
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

    /// Whether code of the user's makes its rows.
    pub(super) fn runs_user_code(&self) -> bool {
        match &self.source {
            Source::Running(input) => input.runs_user_code(),
            Source::Restoring { nesting, .. } => nesting.nested.runs_user_code(),
            Source::Ended => false,
        }
    }

    /// Bytes of the values it was started with.
    pub(super) fn values_bytes(&self) -> usize {
        self.values_bytes
    }

    /// The number of the next row.
    pub(super) fn next_row(&self) -> u64 {
        self.next_row
    }

    /// Skips rows, all of which it has.
    pub(super) fn skip(&mut self, rows: u64) {
        self.next_row += rows;
        let mut left = rows;
        if let Some(front) = &mut self.front {
            let dropped = left.min((front.block.rows() - front.taken) as u64);
            left -= dropped;
            front.taken += dropped as usize;
            (self.nested, self.skipped) = (Some(front.position()), 0);
            self.front.take_if(|front| front.is_empty());
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
        self.front.is_some() || matches!(self.source, Source::Ended)
    }

    /// Whether there is a row to take; no means the end. So many rows are `needed` of it.
    pub(super) fn poll_rows(&mut self, cx: &mut Context<'_>, limit: usize, needed: u64) -> Poll<bool> {
        loop {
            if self.front.is_some() {
                return Poll::Ready(true);
            }
            match &mut self.source {
                Source::Ended => return Poll::Ready(false),
                Source::Running(operator) => {
                    if let Some(block) = ready!(operator.poll_block(cx, limit, needed)) {
                        self.front = Some(Front::new(block, &self.budget));
                    } else {
                        self.source = Source::Ended;
                        self.outer = None;
                    }
                }
                Source::Restoring { .. } => {
                    if let Err(error) = ready!(self.poll_restore(cx)) {
                        self.source = Source::Ended;
                        let position = Position::at(Token::lost());
                        self.front =
                            Some(Front::new(Block::of_error(self.id, error, position), &self.budget));
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
                .that_ends_stream()
                .into_row_error()
        };
        let Some(block) = ready!(elements.poll_block(cx, 1)) else { return Poll::Ready(Err(changed())) };
        let row = outer_rows::values_of(&nesting.prelude, block, &scope.runtime.budget).0.remove(0);
        let Ok(outer) = row.outer else { return Poll::Ready(Err(changed())) };
        self.id = outer.id;
        nesting.starts.add(scope, outer.id);
        let scope = nested_scope(scope, Arc::clone(&outer));
        let started = nesting.nested.start(&scope, self.nested.as_ref());
        let started = started.map(|operator| SparingInput::new(operator, &*nesting.nested));
        self.hold(outer);
        Poll::Ready(match started {
            Ok(mut operator) => {
                if self.skipped > 0 {
                    operator.skip(self.skipped);
                }
                self.source = Source::Running(operator);
                Ok(())
            }
            Err(error) => Err(error.that_ends_stream().into_row_error()),
        })
    }

    /// Takes elements, at most `limit`, or one error. There is a row to take.
    pub(super) fn take_rows(&mut self, limit: usize, log: &mut Log, assembly: &mut Assembly) {
        let Front { block, taken, part, .. } = self.front.as_mut().expect("there is a row to take");
        if *taken == 0 {
            log.push(Event::Block(block.position().clone()));
        }
        let rows = match block.row(*taken) {
            Row::Error(error) => {
                assembly.push_error(mix(self.id, self.next_row), Arc::clone(&error.error));
                log.push(Event::Errors(1));
                1
            }
            Row::Element(element) => {
                let errors = block.errors();
                let next_error = errors.get(errors.partition_point(|error| error.row < *taken));
                let end = next_error.map_or(block.rows(), |error| error.row);
                let rows = (end - *taken).min(limit);
                let ids = (self.next_row..).take(rows).map(|row| mix(self.id, row));
                assembly.push_elements(block, part, element..element + rows, ids);
                log.push(Event::Elements(rows as u64));
                rows
            }
        };
        *taken += rows;
        self.next_row += rows as u64;
        (self.nested, self.skipped) = (self.front.as_ref().map(Front::position), 0);
        // What has been taken is in nobody's way any more: one element of each of many streams may be more than there is.
        self.front.take_if(|front| front.is_empty());
    }
}

impl Front {
    fn new(block: Block, budget: &Arc<Budget>) -> Front {
        let charge = budget.charge(held_bytes(&block));
        Front { block, taken: 0, part: PartKey::default(), _charge: charge }
    }

    fn is_empty(&self) -> bool {
        self.taken == self.block.rows()
    }

    /// Behind what was taken.
    fn position(&self) -> Position {
        self.block.position().plus(self.taken as u64)
    }
}

/// Where a nested plan runs: it counts its iterations from 0, each time anew.
fn nested_scope(scope: &Scope, outer: Arc<Outer>) -> Scope {
    Scope { iteration: 0, outer: Some(outer), ..scope.clone() }
}
