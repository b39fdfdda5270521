//! Random numbers without end, and random choices by weights: tf.data's for the same seeds.
//!
//! `random`: out come words of the generator. `random_choice`: out comes, for every two words, a number drawn by weights that never change, or
//! by those of an element of the input; an error among these passes. Holds nothing. Saves how many came, and where the input is. Skipping
//! is an addition, and passes on.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::DType;
use feedline_data::block::{Block, Column, Ids, Position, Row, RowError, Token};
use feedline_plan::SeedPair;
use serde::{Deserialize, Serialize};

use super::range::{Ordinal, next_ordinal};
use crate::error::ExecError;
use crate::operator::Operator;
use crate::seed::{PhiloxWords, halves, philox, seeds_of_iteration};
use crate::template::{Scope, Template, load_state};

/// Where random numbers come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Randomness {
    pub(crate) seeds: SeedPair,
    pub(crate) rerandomize_each_iteration: bool,
}

impl Randomness {
    fn words(self, scope: &Scope) -> PhiloxWords {
        let SeedPair { seed, seed2, .. } = self.seeds;
        if !self.rerandomize_each_iteration {
            return PhiloxWords::new(seed, seed2);
        }
        let (seed, seed2) = seeds_of_iteration(seed, seed2, scope.iteration);
        PhiloxWords::new(seed, seed2)
    }
}

#[derive(Debug)]
pub(crate) struct RandomTemplate {
    pub(crate) randomness: Randomness,
    /// What makes numbers of words; `None`: they are numbers.
    pub(crate) weights: Option<Weights>,
}

impl Template for RandomTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        Ok(Box::new(Random {
            words: self.randomness.words(scope),
            weights: self.weights.clone(),
            next: next_ordinal(at, "random")?,
            first_id: scope.first_id(),
            block_rows: scope.runtime.block_rows(size_of::<i64>()),
        }))
    }

    fn never_fails(&self, _: &Scope) -> bool {
        true
    }
}

struct Random {
    words: PhiloxWords,
    weights: Option<Weights>,
    next: u64,
    first_id: u64,
    block_rows: usize,
}

impl Operator for Random {
    fn poll_block(&mut self, _: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let rows = limit.min(self.block_rows);
        let values: Vec<i64> = match &self.weights {
            None => {
                let mut words = self.words.clone().starting_at(self.next);
                (0..rows).map(|_| i64::from(words.next_word())).collect()
            }
            Some(weights) => {
                let mut words = self.words.clone().starting_at(self.next.wrapping_mul(2));
                (0..rows).map(|_| weights.draw(&mut words)).collect()
            }
        };
        let ids = Ids::run(self.first_id.wrapping_add(self.next), rows);
        let block =
            Block::new(vec![Column::from_vec(vec![], rows, values)], ids, Ordinal::position(self.next));
        self.next = self.next.wrapping_add(rows as u64);
        Poll::Ready(Some(block))
    }

    fn skip(&mut self, rows: u64) {
        self.next = self.next.wrapping_add(rows);
    }
}

/// How likely numbers are: the sums of their weights up to each, beside the largest.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    sums: Vec<f64>,
}

impl Weights {
    /// By logarithms, as TensorFlow's kernel has them: a weight of nothing has none.
    fn of_logarithms(logarithms: impl Iterator<Item = f64> + Clone) -> Weights {
        let largest = logarithms.clone().filter(|log| log.is_finite()).fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        let sums = logarithms.map(|log| {
            if log.is_finite() {
                sum += (log - largest).exp();
            }
            sum
        });
        Weights { sums: sums.collect() }
    }

    /// tf.data takes weights that are written as numbers as float32; those that are none, too small or too large, are taken as they are.
    pub(crate) fn new(weights: &[f64]) -> Weights {
        let is_narrow = |&weight: &f64| weight == 0.0 || f64::from(weight as f32).ln().is_finite();
        if weights.iter().all(is_narrow) {
            return Weights::of_logarithms(weights.iter().map(|&weight| f64::from((weight as f32).ln())));
        }
        Weights::of_logarithms(weights.iter().map(|weight| weight.ln()))
    }

    /// Those of one row, if they can be weights.
    fn of_row(column: &Column, row: usize, num_datasets: usize) -> Result<Weights, RowError> {
        let range = column.value_range(row..row + 1);
        if column.dtype() == DType::Float32 {
            let values = &column.as_slice::<f32>()[range];
            check_weights(values.iter().copied().map(f64::from), num_datasets)?;
            return Ok(Weights::of_logarithms(values.iter().map(|weight| f64::from(weight.ln()))));
        }
        let values = &column.as_slice::<f64>()[range];
        check_weights(values.iter().copied(), num_datasets)?;
        Ok(Weights::of_logarithms(values.iter().map(|weight| weight.ln())))
    }

    /// The number that two words stand for.
    fn draw(&self, words: &mut PhiloxWords) -> i64 {
        let (seed, seed2) = (words.next_word(), words.next_word());
        let total = self.sums.last().copied().unwrap_or(0.0);
        let place = stateless_uniform(u64::from(seed), u64::from(seed2)) * total;
        self.sums.partition_point(|&sum| sum <= place).min(self.sums.len().saturating_sub(1)) as i64
    }
}

/// What weights must be.
const WEIGHTS: &str =
    "give each dataset a number from 0 on, and one of them more than 0; `maximum(w, 0)` cuts others off";

/// Refuses what cannot be weights.
pub(super) fn check_weights(
    mut weights: impl ExactSizeIterator<Item = f64> + Clone,
    num_datasets: usize,
) -> Result<(), RowError> {
    if weights.len() != num_datasets {
        let message = format!("{} weights for {num_datasets} datasets", weights.len());
        return Err(ExecError::value(message, WEIGHTS).into_row_error());
    }
    let total: f64 = weights.clone().sum();
    if let Some(weight) = weights.find(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        let message = format!("a weight of {weight}: weights are numbers from 0");
        return Err(ExecError::value(message, WEIGHTS).into_row_error());
    }
    if total <= 0.0 {
        return Err(
            ExecError::value("weights that are all 0: nothing can be chosen", WEIGHTS).into_row_error()
        );
    }
    Ok(())
}

/// TensorFlow's number from 0 to before 1 for a pair of seeds: these are scrambled to a key and a counter first.
fn stateless_uniform(seed: u64, seed2: u64) -> f64 {
    let ([low, high], [low2, high2]) = (halves(seed), halves(seed2));
    let [key0, key1, counter2, counter3] = philox([low, high, low2, high2], [0x3ec8_f720, 0x0246_1e29]);
    let [word0, word1, ..] = philox([0, 0, counter2, counter3], [key0, key1]);
    let mantissa = (u64::from(word0 & 0xf_ffff) << 32) | u64::from(word1);
    f64::from_bits((1023 << 52) | mantissa) - 1.0
}

/// Choices by the weights that elements of another dataset are.
#[derive(Debug)]
pub(crate) struct RandomChoiceTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) randomness: Randomness,
    pub(crate) num_datasets: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceState {
    next: u64,
    input: Position,
}

impl Template for RandomChoiceTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let (input, next) = match at {
            None => (self.input.start(scope, None)?, 0),
            Some(at) => {
                let state: ChoiceState = load_state(at, "random_choice")?;
                (self.input.start(scope, Some(&state.input))?, state.next)
            }
        };
        let (words, num_datasets) = (self.randomness.words(scope), self.num_datasets);
        Ok(Box::new(RandomChoice { input, words, next, num_datasets }))
    }
}

struct RandomChoice {
    input: Box<dyn Operator>,
    words: PhiloxWords,
    next: u64,
    num_datasets: usize,
}

impl Operator for RandomChoice {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let Some(block) = ready!(self.input.poll_block(cx, limit)) else { return Poll::Ready(None) };
        let (start, first) = (block.position().clone(), self.next);
        self.next += block.rows() as u64;
        let (mut failed, mut values) = (Vec::new(), Vec::new());
        for row in 0..block.rows() {
            let Row::Element(element) = block.row(row) else { continue };
            match Weights::of_row(&block.columns()[0], element, self.num_datasets) {
                Err(error) => failed.push((element, error)),
                Ok(weights) => {
                    let ordinal = first.wrapping_add(row as u64);
                    let mut words = self.words.clone().starting_at(ordinal.wrapping_mul(2));
                    values.push(weights.draw(&mut words));
                }
            }
        }
        let columns =
            if values.is_empty() { Vec::new() } else { vec![Column::from_vec(vec![], values.len(), values)] };
        let state = move |rows: u64| ChoiceState { next: first.wrapping_add(rows), input: start.plus(rows) };
        let block = block.fail(&failed).with_columns(columns);
        Poll::Ready(Some(block.at(Position::at(Token::new(state)))))
    }

    fn skip(&mut self, rows: u64) {
        self.next = self.next.wrapping_add(rows);
        self.input.skip(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.input.bound(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_tf_datas() {
        // Recorded from TensorFlow 2.21: sample_from_datasets of three, seed 42, weights 0.2, 0.3 and 0.5.
        let recorded = [2, 2, 2, 2, 1, 2, 1, 0, 0, 2, 2, 2, 1, 0, 1, 2, 2, 2, 2, 1];
        let weights = Weights::new(&[0.2, 0.3, 0.5]);
        let mut words = PhiloxWords::new(87_654_321, 42).starting_at(0);
        assert_eq!(recorded.map(|_| weights.draw(&mut words)), recorded);
    }

    #[test]
    fn weights_that_are_no_float32_count() {
        for weights in [[1e-300, 1e-300], [1e300, 1e300]] {
            let weights = Weights::new(&weights);
            let mut words = PhiloxWords::new(1, 2).starting_at(0);
            let ones: i64 = (0..1000).map(|_| weights.draw(&mut words)).sum();
            assert!((400..600).contains(&ones), "{ones}");
        }
    }

    #[test]
    fn what_weighs_nothing_is_never_chosen() {
        let weights = Weights::new(&[0.0, 1.0, 0.0]);
        let mut words = PhiloxWords::new(1, 2).starting_at(0);
        assert!((0..1000).all(|_| weights.draw(&mut words) == 1));
    }
}
