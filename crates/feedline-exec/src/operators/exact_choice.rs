//! Choices whose counts are exact: at every step each number has come as often as its weights so far say, to within one.
//!
//! Out comes, for each row of weights, the number that has to come first ([`ExactShares`]). An error passes and changes nothing, and weights
//! that are none are one. Order is kept. Weights are read ahead as far as the next choice needs them, and no further than
//! [`look_ahead`] rows: these are held, no more than a few megabytes, and what is owed after each row of the block handed out. Saves
//! what is owed; what was read ahead is read again. Skipping computes: what is owed is needed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::DType;
use feedline_data::block::{Block, Column, Position, Row, RowError, Token};
use serde::{Deserialize, Serialize};

use super::exact_shares::{ExactShares, can_be_owed, shares_of};
use super::random::check_weights;
use crate::error::ExecError;
use crate::operator::{Operator, SkipDebt};
use crate::state::EDITED;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct ExactChoiceTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) num_datasets: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExactState {
    /// To each number, in parts of a choice.
    owed: Vec<i64>,
    input: Position,
}

impl Template for ExactChoiceTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let (input, owed) = match at {
            None => (self.input.start(scope, None)?, vec![0; self.num_datasets]),
            Some(at) => {
                let state: ExactState = load_state(at, "exact_choice")?;
                if state.owed.len() != self.num_datasets {
                    return Err(ExecError::state(format!(
                        "the saved state of exact_choice is of {} datasets, not {}",
                        state.owed.len(),
                        self.num_datasets
                    )));
                }
                if !can_be_owed(&state.owed) {
                    return Err(ExecError::state(
                        "exact_choice: the saved state cannot be used: what is owed does not add up",
                    )
                    .with_hint(EDITED));
                }
                (self.input.start(scope, Some(&state.input))?, state.owed)
            }
        };
        Ok(Box::new(ExactChoice {
            input,
            is_at_end: false,
            num_datasets: self.num_datasets,
            shares: ExactShares::new(owed),
            last: None,
            blocks: VecDeque::new(),
            next_row: 0,
            known: VecDeque::new(),
            debt: SkipDebt::default(),
        }))
    }
}

struct ExactChoice {
    input: Box<dyn Operator>,
    is_at_end: bool,
    num_datasets: usize,
    shares: ExactShares,
    /// The weights known last, and their shares: most do not change.
    last: Option<(Vec<f64>, Arc<[i64]>)>,
    /// What was read and not handed out.
    blocks: VecDeque<Block>,
    /// The first row of the last block that is not known.
    next_row: usize,
    /// Of the rows that are known and not handed out: what they are.
    known: VecDeque<Known>,
    debt: SkipDebt,
}

/// A row of weights that was looked at.
enum Known {
    /// They are.
    Weights,
    /// They are not.
    Wrong(RowError),
    /// It was an error before.
    Error,
}

/// Rows of a block: each keeps what is owed behind it.
const MAX_ROWS: usize = 256;

/// How many rows are read ahead at most, the next among them: 4096 steps, or two megabytes of shares. Weights that change more
/// slowly than that are kept to as if all were known.
fn look_ahead(num_datasets: usize) -> usize {
    ((1 << 18) / num_datasets.max(1)).clamp(16, 4096)
}

/// The values of a row.
fn weights_of(column: &Column, row: usize) -> Vec<f64> {
    let range = column.value_range(row..row + 1);
    match column.dtype() {
        DType::Float32 => column.as_slice::<f32>()[range].iter().copied().map(f64::from).collect(),
        _ => column.as_slice::<f64>()[range].to_vec(),
    }
}

impl ExactChoice {
    /// Makes one more row known. `false`: there is none.
    fn poll_known(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        while self.blocks.back().is_none_or(|block| self.next_row == block.rows()) {
            let read = if self.is_at_end { None } else { ready!(self.input.poll_block(cx, MAX_ROWS)) };
            let Some(block) = read else {
                self.is_at_end = true;
                return Poll::Ready(false);
            };
            self.blocks.push_back(block);
            self.next_row = 0;
        }
        let Some(block) = self.blocks.back() else { return Poll::Ready(false) };
        let known = match block.row(self.next_row) {
            Row::Error(_) => Known::Error,
            Row::Element(element) => {
                let weights = weights_of(&block.columns()[0], element);
                if let Err(error) = check_weights(weights.iter().copied(), self.num_datasets) {
                    Known::Wrong(error)
                } else {
                    let same = self.last.take().filter(|(last, _)| *last == weights);
                    let (_, shares) = self.last.insert(same.unwrap_or_else(|| {
                        let shares = shares_of(&weights);
                        (weights, shares)
                    }));
                    self.shares.add(Arc::clone(shares));
                    Known::Weights
                }
            }
        };
        self.known.push_back(known);
        self.next_row += 1;
        Poll::Ready(true)
    }

    /// What comes of the next row: a number, an error of its own, or nothing, if it was an error. `None` is the end.
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Option<i64>, RowError>>> {
        if self.known.is_empty() && !ready!(self.poll_known(cx)) {
            return Poll::Ready(None);
        }
        if matches!(self.known.front(), Some(Known::Weights)) {
            let mut is_all = false;
            loop {
                is_all |= self.known.len() >= look_ahead(self.num_datasets);
                if let Some(chosen) = self.shares.choose(is_all) {
                    self.known.pop_front();
                    return Poll::Ready(Some(Ok(Some(chosen as i64))));
                }
                is_all |= !ready!(self.poll_known(cx));
            }
        }
        Poll::Ready(Some(match self.known.pop_front() {
            Some(Known::Wrong(error)) => Err(error),
            _ => Ok(None),
        }))
    }

    /// The next rows of the first block that was read, cut off it.
    fn next_rows(&mut self, rows: usize) -> Option<Block> {
        let block = self.blocks.pop_front()?;
        let all = block.rows();
        if rows == all {
            return Some(block);
        }
        if self.blocks.is_empty() {
            self.next_row -= rows;
        }
        self.blocks.push_front(block.slice(rows..all));
        Some(block.slice(0..rows))
    }
}

impl Operator for ExactChoice {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            let mut owed = vec![self.shares.owed().to_vec()];
            let mut rows = Vec::new();
            loop {
                match self.poll_row(cx) {
                    Poll::Ready(Some(row)) => {
                        rows.push(row);
                        owed.push(self.shares.owed().to_vec());
                    }
                    Poll::Ready(None) => return Poll::Ready(None),
                    Poll::Pending if rows.is_empty() => return Poll::Pending,
                    Poll::Pending => break,
                }
                let available = self.blocks.front().map_or(0, Block::rows);
                if rows.len() >= available.min(limit).min(MAX_ROWS) {
                    break;
                }
            }
            let Some(block) = self.next_rows(rows.len()) else { return Poll::Ready(None) };
            let (mut failed, mut values) = (Vec::new(), Vec::new());
            for (row, result) in rows.into_iter().enumerate() {
                let Row::Element(element) = block.row(row) else { continue };
                match result {
                    Err(error) => failed.push((element, error)),
                    Ok(chosen) => values.extend(chosen),
                }
            }
            let columns = if values.is_empty() {
                Vec::new()
            } else {
                vec![Column::from_vec(vec![], values.len(), values)]
            };
            let start = block.position().clone();
            let state =
                move |rows: u64| ExactState { owed: owed[rows as usize].clone(), input: start.plus(rows) };
            let block = block.fail(&failed).with_columns(columns).at(Position::at(Token::new(state)));
            if let Some(block) = self.debt.pay(block) {
                return Poll::Ready(Some(block));
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        let ahead = look_ahead(self.num_datasets) as u64;
        self.input.bound(rows.saturating_add(self.debt.rows()).saturating_add(ahead));
    }
}
