//! Every n-th element.
//!
//! Out come the rows whose number leaves the rest `index` when divided by `num_shards`; errors are rows, so each error comes
//! out of one shard. Order is kept. Holds nothing. Saves how many rows lie before the next of this shard. What belongs to
//! other shards is skipped where computing it would cost something, and dropped where asking for single rows would cost
//! more.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::Passing;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct ShardTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) num_shards: u64,
    pub(crate) index: u64,
    /// Whether rows of the input cost something to compute.
    pub(crate) skips_singly: bool,
}

/// Rows that are skipped rather than looked at in any case: several blocks of them.
const FAR: u64 = 1 << 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShardState {
    input: Position,
    /// Rows from there to the next of this shard.
    to_skip: u64,
}

impl Template for ShardTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let (input, to_skip) = match at {
            None => (self.input.start(scope, None)?, self.index),
            Some(at) => {
                let state: ShardState = load_state(at, "shard")?;
                (self.input.start(scope, Some(&state.input))?, state.to_skip)
            }
        };
        Ok(Box::new(Shard { input, num_shards: self.num_shards, to_skip, skips_singly: self.skips_singly }))
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.input.never_fails(scope)
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }
}

struct Shard {
    input: Box<dyn Operator>,
    num_shards: u64,
    to_skip: u64,
    skips_singly: bool,
}

impl Operator for Shard {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if self.to_skip > 0 && (self.skips_singly || self.to_skip >= FAR) {
                self.input.skip(std::mem::take(&mut self.to_skip));
            }
            let wanted = if self.skips_singly { 1 } else { limit };
            let Some(block) = ready!(self.input.poll_block(cx, wanted)) else { return Poll::Ready(None) };
            let rows = block.rows() as u64;
            let own: Vec<usize> =
                (self.to_skip..rows).step_by(self.num_shards as usize).map(|row| row as usize).collect();
            let (start, first, num_shards) = (block.position().clone(), self.to_skip, self.num_shards);
            // In this order, as there may be as many shards as numbers; the next of its own lies behind the block.
            self.to_skip = own
                .last()
                .map_or(self.to_skip.saturating_sub(rows), |&last| num_shards - (rows - last as u64));
            if own.is_empty() {
                continue;
            }
            let state = move |passed: u64| match passed {
                0 => ShardState { input: start.clone(), to_skip: first },
                passed => {
                    let behind = first + (passed - 1) * num_shards + 1;
                    ShardState { input: start.plus(behind), to_skip: num_shards - 1 }
                }
            };
            return Poll::Ready(Some(block.select(own).at(Position::at(Token::new(state)))));
        }
    }

    fn skip(&mut self, rows: u64) {
        if rows > 0 {
            self.to_skip = self.to_skip.saturating_add(rows.saturating_mul(self.num_shards));
        }
        if self.to_skip >= self.num_shards {
            self.input.skip(std::mem::take(&mut self.to_skip));
        }
    }

    fn bound(&mut self, rows: u64) {
        // Nothing is asked for behind the last of its own.
        let behind_first = rows.saturating_sub(1).saturating_mul(self.num_shards);
        self.input.bound(behind_first.saturating_add(self.to_skip).saturating_add(rows.min(1)));
    }
}
