//! One input after the other.
//!
//! Out comes all of the first input, then all of the second. Order is kept, nothing held. Ids are salted by input, so that
//! random values of the two have nothing to do with each other. Saves which input it is and its position. Skipping
//! has to look: where an input ends is not known before.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token, mix};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::{Operator, SkipDebt};
use crate::origin::{KnownStarts, Origin, Sought};
use crate::sparing::RowsAsked;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct ConcatenateTemplate {
    pub(crate) inputs: Vec<Arc<dyn Template>>,
    /// How many steps like it lie one before the other up to this one.
    pub(crate) join: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConcatenateState {
    index: usize,
    input: Position,
}

impl Template for ConcatenateTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let (index, input_at) = match at {
            None => (0, None),
            Some(at) => {
                let state: ConcatenateState = load_state(at, "concatenate")?;
                (state.index, Some(state.input))
            }
        };
        let Some(current) = self.inputs.get(index) else {
            return Err(ExecError::state(format!(
                "concatenate: the state is in input {index} of {}",
                self.inputs.len()
            )));
        };
        let mut inputs = vec![current.start(scope, input_at.as_ref())?];
        for later in &self.inputs[index + 1..] {
            inputs.push(later.start(scope, None)?);
        }
        // Taken from the end.
        inputs.reverse();
        Ok(Box::new(Concatenate {
            inputs,
            index,
            join: self.join,
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
        }))
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        self.inputs.iter().for_each(|input| input.add_starts(starts));
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        let mut inputs = self.inputs.iter().enumerate();
        inputs.find_map(|(index, input)| {
            input.origin(sought.before_salt(salt_of_input(index, SALT, self.join))?)
        })
    }
}

struct Concatenate {
    /// The current one and those to come, last first.
    inputs: Vec<Box<dyn Operator>>,
    index: usize,
    join: u32,
    /// Rows of all of them, those that are owed included.
    asked: RowsAsked,
    debt: SkipDebt,
}

/// What the ids of rows of its inputs are salted with. A small number would be that of a row: the first row of input 1 had the id of row
/// 0xc0c0 of the dataset made of element 1.
const SALT: u64 = 0xc0c0_93d7_65a1_4e2b;

/// What is added to the ids of the rows of input `index`, of steps of a kind, the `join`th of those one before the other. In `(a + b) + c` the rows of `b` and
/// those of `c` come through one second input each: not the same one.
pub(super) fn salt_of_input(index: usize, kind: u64, join: u32) -> u64 {
    match (index, join) {
        (0, _) => 0,
        (_, join) => mix(index as u64, kind.wrapping_add(u64::from(join.max(1)))),
    }
}

impl Operator for Concatenate {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while let Some(input) = self.inputs.last_mut() {
            let Some(block) = ready!(input.poll_block(cx, limit)) else {
                self.inputs.pop();
                self.index += 1;
                if let Some(next) = self.inputs.last_mut()
                    && self.asked.rows() < u64::MAX
                {
                    next.bound(self.asked.rows());
                }
                continue;
            };
            self.asked.pass(block.rows());
            let Some(block) = self.debt.pay(block) else { continue };
            let (start, index) = (block.position().clone(), self.index);
            let state = move |rows| ConcatenateState { index, input: start.plus(rows) };
            let ids = block.ids().salted(salt_of_input(index, SALT, self.join));
            return Poll::Ready(Some(block.with_ids(ids).at(Position::at(Token::new(state)))));
        }
        Poll::Ready(None)
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        let rows = rows.saturating_add(self.debt.rows());
        self.asked.set(rows);
        if let Some(current) = self.inputs.last_mut() {
            current.bound(rows);
        }
    }
}
