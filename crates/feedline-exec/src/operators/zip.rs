//! Several inputs side by side.
//!
//! Out comes, for each row of all inputs, one element with the tensors of all; it ends with the first input that ends. An
//! error in one input is an error of the whole row, and the other inputs go on behind it. Order is kept. Holds at most one
//! block of each input. Saves the position of each. Skipping passes on to all.

use std::sync::Arc;
use std::task::{Context, Poll};

use feedline_data::block::{Block, Column, ErrorRow, Position, Row, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::Passing;
use crate::template::{Scope, Template, load_state};

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
            Ok(Side { input: input.start(scope, at)?, staged: None })
        });
        Ok(Box::new(Zip { inputs: inputs.collect::<Result<_, ExecError>>()?, has_ended: false }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.inputs[0], Passing::Each))
    }
}

struct Zip {
    inputs: Vec<Side>,
    has_ended: bool,
}

struct Side {
    input: Box<dyn Operator>,
    /// Rows pulled and not yet handed on.
    staged: Option<Block>,
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

impl Operator for Zip {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let mut is_pending = false;
        for side in &mut self.inputs {
            if self.has_ended {
                break;
            }
            if side.staged.is_none() {
                // All are asked, so that all work at the same time and whichever is ready calls again.
                match side.input.poll_block(cx, limit) {
                    Poll::Pending => is_pending = true,
                    Poll::Ready(None) => self.has_ended = true,
                    Poll::Ready(Some(block)) => side.staged = Some(block),
                }
            }
        }
        if self.has_ended {
            return Poll::Ready(None);
        }
        if is_pending {
            return Poll::Pending;
        }
        let staged = || self.inputs.iter().filter_map(|side| side.staged.as_ref());
        let rows = staged().map(Block::rows).min().unwrap_or(0).min(limit);
        let blocks: Vec<Block> = staged().map(|block| block.slice(0..rows)).collect();
        for side in &mut self.inputs {
            side.staged = side.staged.take().filter(|block| block.rows() > rows).map(|block| {
                let all = block.rows();
                block.slice(rows..all)
            });
        }
        Poll::Ready(Some(Zip::join(&blocks)))
    }

    fn skip(&mut self, rows: u64) {
        for side in &mut self.inputs {
            let staged = side.staged.as_ref().map_or(0, Block::rows);
            let here = rows.min(staged as u64);
            side.staged = side
                .staged
                .take()
                .filter(|_| here < staged as u64)
                .map(|block| block.slice(here as usize..staged));
            side.input.skip(rows - here);
        }
    }

    fn bound(&mut self, rows: u64) {
        self.inputs.iter_mut().for_each(|side| side.input.bound(rows));
    }
}
