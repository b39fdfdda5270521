//! The only element there is.
//!
//! Out comes the row of the input, if it has one and no more, also where that is an error; else an error. Holds that row until it is known
//! that no other follows. Saves whether it came; before that, the input begins anew. Skipping it skips the input.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::Operator;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct SingleTemplate {
    pub(crate) input: Arc<dyn Template>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SingleState {
    has_come: bool,
}

impl Template for SingleTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let has_come = match at {
            None => false,
            Some(at) => load_state::<SingleState>(at, "get_single_element")?.has_come,
        };
        if has_come {
            return Ok(Box::new(Single { input: None, row: None }));
        }
        let mut input = self.input.start(scope, None)?;
        // The second one is asked for to know that there is none.
        input.bound(2);
        Ok(Box::new(Single { input: Some(input), row: None }))
    }
}

struct Single {
    /// `None`: the row has come.
    input: Option<Box<dyn Operator>>,
    row: Option<Block>,
}

impl Operator for Single {
    fn poll_block(&mut self, cx: &mut Context<'_>, _: usize) -> Poll<Option<Block>> {
        let Some(input) = &mut self.input else { return Poll::Ready(None) };
        let found = loop {
            let limit = if self.row.is_none() { 2 } else { 1 };
            match (ready!(input.poll_block(cx, limit)), self.row.take()) {
                (None, row) => break row.ok_or("no element"),
                (Some(_), Some(_)) => break Err("more than one element"),
                (Some(block), None) if matches!(block.row(0), Row::Error(_)) => break Ok(block.slice(0..1)),
                (Some(block), None) if block.rows() > 1 => break Err("more than one element"),
                (Some(block), None) => self.row = Some(block),
            }
        };
        self.input = None;
        let position = Position::at(Token::new(|rows: u64| SingleState { has_come: rows > 0 }));
        Poll::Ready(Some(match found {
            Ok(row) => row.at(position),
            Err(how) => {
                let hint = "`take(1)` leaves the first of several, `batch` makes one of them; `reduce` gives a value also of none";
                let error = ExecError::value(format!("get_single_element: the dataset has {how}"), hint);
                Block::of_error(0, error.into_row_error(), position)
            }
        }))
    }

    fn skip(&mut self, rows: u64) {
        if rows > 0 {
            self.input = None;
        }
    }
}
