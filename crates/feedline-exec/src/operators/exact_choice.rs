//! Choices whose counts are exact: at any time each number has come as often as its weights say, to within one or so.
//!
//! Out comes, for each row of weights, the number that is furthest behind. Each number has a credit, to which its part of the weights is
//! added; the one with the largest, the first of these, is chosen and pays one. An error passes and changes nothing, and weights
//! that are none are one. Order is kept, nothing held but the credits of each row of the block handed out. Saves the credits. Skipping
//! computes: the credits are needed.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::DType;
use feedline_data::block::{Block, Column, Position, Row, Token};
use serde::{Deserialize, Serialize};

use super::random::check_weights;
use crate::error::ExecError;
use crate::operator::{Operator, SkipDebt};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct ExactChoiceTemplate {
    pub(crate) input: Arc<dyn Template>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExactState {
    /// As bits: what is read back must be the same to the last.
    credits: Vec<u64>,
    input: Position,
}

impl Template for ExactChoiceTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let (input, credits) = match at {
            None => (self.input.start(scope, None)?, Vec::new()),
            Some(at) => {
                let state: ExactState = load_state(at, "exact_choice")?;
                let credits = state.credits.into_iter().map(f64::from_bits).collect();
                (self.input.start(scope, Some(&state.input))?, credits)
            }
        };
        Ok(Box::new(ExactChoice { input, credits, debt: SkipDebt::default() }))
    }
}

struct ExactChoice {
    input: Box<dyn Operator>,
    credits: Vec<f64>,
    debt: SkipDebt,
}

/// Rows of a block: each keeps the credits behind it.
const MAX_ROWS: usize = 256;

impl ExactChoice {
    fn choose(&mut self, weights: &[f64]) -> i64 {
        let total: f64 = weights.iter().sum();
        self.credits.resize(weights.len(), 0.0);
        for (credit, weight) in self.credits.iter_mut().zip(weights) {
            *credit += weight / total;
        }
        let mut best = 0;
        for (number, &credit) in self.credits.iter().enumerate() {
            if credit > self.credits[best] {
                best = number;
            }
        }
        self.credits[best] -= 1.0;
        best as i64
    }
}

/// The values of a row.
fn weights_of(column: &Column, row: usize) -> Vec<f64> {
    let range = column.value_range(row..row + 1);
    match column.dtype() {
        DType::Float32 => column.as_slice::<f32>()[range].iter().copied().map(f64::from).collect(),
        _ => column.as_slice::<f64>()[range].to_vec(),
    }
}

impl Operator for ExactChoice {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            let Some(block) = ready!(self.input.poll_block(cx, limit.min(MAX_ROWS))) else {
                return Poll::Ready(None);
            };
            let mut credits = vec![self.credits.clone()];
            let (mut failed, mut values) = (Vec::new(), Vec::new());
            for row in 0..block.rows() {
                if let Row::Element(element) = block.row(row) {
                    let weights = weights_of(&block.columns()[0], element);
                    match check_weights(weights.iter().copied()) {
                        Err(error) => failed.push((element, error)),
                        Ok(()) => values.push(self.choose(&weights)),
                    }
                }
                credits.push(self.credits.clone());
            }
            let columns = if values.is_empty() {
                Vec::new()
            } else {
                vec![Column::from_vec(vec![], values.len(), values)]
            };
            let start = block.position().clone();
            let state = move |rows: u64| ExactState {
                credits: credits[rows as usize].iter().map(|credit| credit.to_bits()).collect(),
                input: start.plus(rows),
            };
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
        self.input.bound(rows.saturating_add(self.debt.rows()));
    }
}
