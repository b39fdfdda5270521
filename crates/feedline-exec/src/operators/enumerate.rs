//! Each element with its number.
//!
//! Out come `(number, element)`; an error has a number too, which nobody sees. Order is kept, nothing held. Saves the next
//! number. Skipping counts on.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Column, Position, Row, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::Passing;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct EnumerateTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) start: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnumerateState {
    next: i64,
    input: Position,
}

impl Template for EnumerateTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let Some(at) = at else {
            return Ok(Box::new(Enumerate { input: self.input.start(scope, None)?, next: self.start }));
        };
        let state: EnumerateState = load_state(at, "enumerate")?;
        Ok(Box::new(Enumerate { input: self.input.start(scope, Some(&state.input))?, next: state.next }))
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.input.never_fails(scope)
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Each))
    }
}

struct Enumerate {
    input: Box<dyn Operator>,
    next: i64,
}

impl Operator for Enumerate {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let Some(block) = ready!(self.input.poll_block(cx, limit)) else { return Poll::Ready(None) };
        let (start, first) = (block.position().clone(), self.next);
        self.next = first.wrapping_add(block.rows() as i64);
        let elements = (0..block.rows()).filter(|&row| matches!(block.row(row), Row::Element(_)));
        let numbers: Vec<i64> = elements.map(|row| first.wrapping_add(row as i64)).collect();
        let mut columns = vec![Column::from_vec(vec![], numbers.len(), numbers)];
        // A block of errors alone may come without columns, and goes so.
        if block.num_elements() == 0 {
            columns.clear();
        }
        columns.extend_from_slice(block.columns());
        let state = move |rows: u64| EnumerateState {
            next: first.wrapping_add(rows as i64),
            input: start.plus(rows),
        };
        Poll::Ready(Some(block.with_columns(columns).at(Position::at(Token::new(state)))))
    }

    fn skip(&mut self, rows: u64) {
        self.next = self.next.wrapping_add(rows as i64);
        self.input.skip(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.input.bound(rows);
    }
}
