//! The first elements.
//!
//! Out come the first `count` rows of the input, errors counted as rows: an error takes the place of an element. Holds
//! nothing. Saves how many are left. Skipping passes on, and counts.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::Passing;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct TakeTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) count: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TakeState {
    left: u64,
    input: Position,
}

impl Template for TakeTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let (mut input, left) = match at {
            None => (self.input.start(scope, None)?, self.count),
            Some(at) => {
                let state: TakeState = load_state(at, "take")?;
                (self.input.start(scope, Some(&state.input))?, state.left)
            }
        };
        input.bound(left);
        Ok(Box::new(Take { input, left }))
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.input.never_fails(scope)
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Each))
    }
}

struct Take {
    input: Box<dyn Operator>,
    left: u64,
}

impl Operator for Take {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        // Never asks for more than it hands on: what is behind is not even computed.
        let wanted = limit.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Poll::Ready(None);
        }
        let Some(block) = ready!(self.input.poll_block(cx, wanted)) else { return Poll::Ready(None) };
        let (start, left) = (block.position().clone(), self.left);
        self.left -= block.rows() as u64;
        let state = move |rows| TakeState { left: left - rows, input: start.plus(rows) };
        Poll::Ready(Some(block.at(Position::at(Token::new(state)))))
    }

    fn skip(&mut self, rows: u64) {
        let rows = rows.min(self.left);
        self.left -= rows;
        self.input.skip(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.input.bound(rows.min(self.left));
    }
}
