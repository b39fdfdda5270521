//! Several inputs side by side.
//!
//! Out comes, for each row of all inputs, one element with the tensors of all; it ends with the first input that ends. An
//! error in one input is an error of the whole row, and the other inputs go on behind it. Order is kept. Holds at most one
//! block of each input, charged to the budget; a row of more than all of that is an error. The input that is needed is the first that
//! has no rows here, the others run ahead ([`crate::turn`]). Saves the position of each. Skipping passes on to all.

use std::sync::Arc;
use std::task::{Context, Poll};

use feedline_data::block::{Block, Column, ErrorRow, Position, Row, Token};
use serde::{Deserialize, Serialize};

use crate::budget::Charge;
use crate::error::ExecError;
use crate::fits::too_large;
use crate::keeping::{counted_bytes, held_bytes};
use crate::operator::Operator;
use crate::origin::Passing;
use crate::runtime::Runtime;
use crate::template::{Scope, Template, load_state};
use crate::turn::Turn;

#[derive(Debug)]
pub(crate) struct ZipTemplate {
    pub(crate) inputs: Vec<Arc<dyn Template>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ZipState {
    inputs: Vec<Position>,
}

impl Template for ZipTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let positions: Option<Vec<Position>> = match at {
            None => None,
            Some(at) => Some(load_state::<ZipState>(at, "zip")?.inputs),
        };
        if positions.as_ref().is_some_and(|positions| positions.len() != self.inputs.len()) {
            return Err(ExecError::state("zip: the state has another number of inputs"));
        }
        let inputs = self.inputs.iter().enumerate().map(|(index, input)| {
            let at = positions.as_ref().map(|positions| &positions[index]);
            let scope = scope.of_input(self.inputs.len());
            Ok(Side { input: input.start(&scope, at)?, turn: scope.turn, staged: None })
        });
        Ok(Box::new(Zip {
            inputs: inputs.collect::<Result<_, ExecError>>()?,
            runtime: Arc::clone(&scope.runtime),
            has_ended: false,
        }))
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.inputs.iter().all(|input| input.never_fails(scope))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.inputs[0], Passing::Each))
    }
}

struct Zip {
    inputs: Vec<Side>,
    runtime: Arc<Runtime>,
    has_ended: bool,
}

struct Side {
    input: Box<dyn Operator>,
    turn: Arc<Turn>,
    /// Rows pulled and not yet handed on, and what they are charged as.
    staged: Option<(Block, Charge)>,
}

impl Side {
    /// Lets go of the first `rows` rows, no more than there are.
    fn pass(&mut self, rows: usize) {
        let Some((block, mut charge)) = self.staged.take() else { return };
        let all = block.rows();
        if rows < all {
            let rest = block.slice(rows..all);
            charge.resize(held_bytes(&rest));
            self.staged = Some((rest, charge));
        }
    }
}

impl Zip {
    /// The rows of blocks of the same length, side by side.
    fn join(blocks: &[Block]) -> Block {
        let starts: Vec<Position> = blocks.iter().map(|block| block.position().clone()).collect();
        let state = move |rows| ZipState { inputs: starts.iter().map(|start| start.plus(rows)).collect() };
        let position = Position::at(Token::new(state));
        if blocks.iter().all(|block| block.errors().is_empty()) {
            let columns = blocks.iter().flat_map(|block| block.columns().iter().cloned()).collect();
            return Block::new(columns, blocks[0].ids().clone(), position);
        }
        let mut errors = Vec::new();
        let mut elements = vec![Vec::new(); blocks.len()];
        for row in 0..blocks[0].rows() {
            let cells: Vec<Row<'_>> = blocks.iter().map(|block| block.row(row)).collect();
            let error = cells.iter().find_map(|cell| match cell {
                Row::Error(error) => Some(ErrorRow { row, ..(*error).clone() }),
                Row::Element(_) => None,
            });
            match error {
                Some(error) => errors.push(error),
                None => {
                    for (own, cell) in elements.iter_mut().zip(cells) {
                        if let Row::Element(element) = cell {
                            own.push(element);
                        }
                    }
                }
            }
        }
        let columns: Vec<Column> = blocks
            .iter()
            .zip(&elements)
            .filter(|(_, elements)| !elements.is_empty())
            .flat_map(|(block, elements)| block.columns().iter().map(|column| column.gather(elements)))
            .collect();
        Block::with_errors(columns, blocks[0].ids().gather(&elements[0]), errors, position)
    }
}

/// Bytes of all of them, as far as nobody else has their memory anyway.
fn num_bytes(blocks: &[Block]) -> u64 {
    blocks.iter().map(counted_bytes).sum()
}

impl Operator for Zip {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let mut is_pending = false;
        // What the shortest block of the others leaves is held until they have more.
        let is_room = self.runtime.budget.has_room(self.runtime.block_bytes as u64);
        let wanted = if is_room { limit } else { 1 };
        for side in &mut self.inputs {
            if self.has_ended {
                break;
            }
            if side.staged.is_some() {
                continue;
            }
            // All are asked, so that all work at the same time and whichever is ready calls again.
            if is_pending {
                side.turn.end();
            } else {
                side.turn.begin();
            }
            match side.input.poll_block(cx, wanted) {
                Poll::Pending => is_pending = true,
                Poll::Ready(None) => self.has_ended = true,
                Poll::Ready(Some(block)) => {
                    side.turn.end();
                    let charge = self.runtime.budget.charge(held_bytes(&block));
                    side.staged = Some((block, charge));
                }
            }
        }
        if self.has_ended {
            return Poll::Ready(None);
        }
        if is_pending {
            return Poll::Pending;
        }
        let staged = || self.inputs.iter().filter_map(|side| side.staged.as_ref().map(|(block, _)| block));
        let rows = staged().map(Block::rows).min().unwrap_or(0).min(limit);
        let mut blocks: Vec<Block> = staged().map(|block| block.slice(0..rows)).collect();
        let mut error = None;
        let limit_bytes = self.runtime.budget.limit_bytes();
        if rows > 0 && num_bytes(&blocks) > limit_bytes {
            blocks.iter_mut().for_each(|block| *block = block.slice(0..1));
            let bytes = num_bytes(&blocks);
            error = (bytes > limit_bytes).then(|| too_large("zip", bytes, limit_bytes));
        }
        let rows = blocks.first().map_or(0, Block::rows);
        self.inputs.iter_mut().for_each(|side| side.pass(rows));
        let joined = Zip::join(&blocks);
        Poll::Ready(Some(match error {
            Some(error) if joined.errors().is_empty() => joined.fail(&[(0, error.into_row_error())]),
            _ => joined,
        }))
    }

    fn skip(&mut self, rows: u64) {
        for side in &mut self.inputs {
            let staged = side.staged.as_ref().map_or(0, |(block, _)| block.rows());
            let here = rows.min(staged as u64);
            side.pass(here as usize);
            side.input.skip(rows - here);
        }
    }

    fn bound(&mut self, rows: u64) {
        for side in &mut self.inputs {
            let here = side.staged.as_ref().map_or(0, |(block, _)| block.rows());
            side.input.bound(rows.saturating_sub(here as u64));
        }
    }
}
