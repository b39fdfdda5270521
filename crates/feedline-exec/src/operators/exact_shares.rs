//! Which of several numbers comes next, so that each has come as often as its weights so far say, to within one at every step.
//!
//! The chairman's rule of Tijdeman (1980): a number may be chosen once 1/(2k-2) of a choice is owed to it, of k numbers; of those that may be, it is
//! the one that has to be first, lest more than 1 - 1/(2k-2) is owed to it. No number is then ever further off than that, whatever the weights.
//! To know who has to be first, the weights of coming steps must be known: without them no rule keeps within one (three numbers that
//! are owed 1/2 each, and the next step raises two of them). Weights beyond those that are known are taken to be like the last of
//! these, which is right for weights that do not change.
//!
//! All in whole parts of a choice: what is restored goes on with the same sums to the last bit.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;

/// A choice. 2^-56 of one, the error of a share, adds up to anything after 10^14 steps; 2^7 of them fit, and no more than a few are ever owed.
pub(super) const WHOLE: i64 = 1 << 56;

/// What is owed to each number, and when it must be paid.
#[derive(Debug)]
pub(super) struct ExactShares {
    /// Before the next step, less what it has got; together nothing.
    owed: Vec<i64>,
    /// The shares of the steps that are known, from the next one on.
    known: VecDeque<Arc<[i64]>>,
    /// For each number the steps that are known by which it must be chosen once more.
    deadlines: Vec<VecDeque<u64>>,
    /// What is owed to each behind the last known step, if it is chosen by each of its deadlines.
    beyond: Vec<i64>,
    /// The number of the next step, for deadlines.
    step: u64,
}

impl ExactShares {
    /// With what is owed already.
    pub(super) fn new(owed: Vec<i64>) -> ExactShares {
        let deadlines = owed.iter().map(|_| VecDeque::new()).collect();
        ExactShares { beyond: owed.clone(), owed, known: VecDeque::new(), deadlines, step: 0 }
    }

    /// What is owed to each number, to be saved.
    pub(super) fn owed(&self) -> &[i64] {
        &self.owed
    }

    /// The least that is owed to a number that is chosen.
    fn least(&self) -> i64 {
        WHOLE / (2 * self.owed.len() as i64 - 2).max(1)
    }

    /// Makes the shares of one more step known.
    pub(super) fn add(&mut self, shares: Arc<[i64]>) {
        let most = WHOLE - self.least();
        let step = self.step + self.known.len() as u64;
        for (number, share) in shares.iter().enumerate() {
            self.beyond[number] += share;
            while self.beyond[number] > most {
                self.beyond[number] -= WHOLE;
                self.deadlines[number].push_back(step);
            }
        }
        self.known.push_back(shares);
    }

    /// The number for the next step, which must be known. `None`: more steps must be known first, if there are any (`is_all`: there are not).
    pub(super) fn choose(&mut self, is_all: bool) -> Option<usize> {
        let now = self.known.front()?;
        let owed = |number: usize| self.owed[number] + now[number];
        let least = self.least();
        let mut may_come = (0..self.owed.len()).filter(|&number| owed(number) >= least);
        let first = may_come.next()?;
        let chosen = if may_come.next().is_none() {
            first
        } else {
            let may_come = || (first..self.owed.len()).filter(|&number| owed(number) >= least);
            // What should have come before is not distinguished by when: the most that is owed is the worst.
            let due = |number: usize| self.deadlines[number].front().map(|&step| step.max(self.step));
            let known = may_come().filter_map(|number| Some((due(number)?, Reverse(owed(number)), number)));
            match known.min() {
                Some((_, _, number)) => number,
                None if !is_all => return None,
                None => {
                    may_come().min_by_key(|&number| (self.steps_beyond(number), Reverse(owed(number))))?
                }
            }
        };
        self.pay(chosen);
        Some(chosen)
    }

    /// How many steps behind the last known one a number must be chosen, if they are all like that one.
    fn steps_beyond(&self, number: usize) -> i64 {
        let share = self.known.back().map_or(0, |last| last[number]);
        let left = WHOLE - self.least() - self.beyond[number];
        if share == 0 { i64::MAX } else { left / share }
    }

    fn pay(&mut self, chosen: usize) {
        if let Some(now) = self.known.pop_front() {
            for (owed, share) in self.owed.iter_mut().zip(now.iter()) {
                *owed += share;
            }
        }
        self.owed[chosen] -= WHOLE;
        if self.deadlines[chosen].pop_front().is_none() {
            self.beyond[chosen] -= WHOLE;
        }
        self.step += 1;
    }
}

/// Choices that can ever be owed to a number, or to others by it: it is less than one where weights are known, and hardly more where they change beyond what is.
const MOST_OWED: u64 = 16;

/// Whether so much can be owed to each number: together nothing, and to none more than a few choices.
pub(super) fn can_be_owed(owed: &[i64]) -> bool {
    let total: i128 = owed.iter().map(|&owed| i128::from(owed)).sum();
    total == 0 && owed.iter().all(|owed| owed.unsigned_abs() <= MOST_OWED * WHOLE as u64)
}

/// The shares of weights, which are numbers from 0 and not all 0: together exactly one choice, none further than 2^-56 from what it is.
pub(super) fn shares_of(weights: &[f64]) -> Arc<[i64]> {
    // Powers of two change no digit, so these are the weights themselves, in parts of which the largest has 2^62 or more.
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let exponent = 62 + 1023 - ((largest.to_bits() >> 52) & 0x7ff) as i32;
    // In two steps: one alone may be more than any number.
    let (half, rest) = (2.0_f64.powi(exponent / 2), 2.0_f64.powi(exponent - exponent / 2));
    let parts: Vec<u128> = weights.iter().map(|weight| (weight * half * rest) as u128).collect();
    let total: u128 = parts.iter().sum();
    let mut shares: Vec<i64> = parts.iter().map(|part| (part * WHOLE as u128 / total) as i64).collect();
    // What was cut off is less than one unit for each weight that is not 0.
    let mut left = WHOLE - shares.iter().sum::<i64>();
    for (share, _) in shares.iter_mut().zip(&parts).filter(|(_, part)| **part > 0) {
        if left == 0 {
            break;
        }
        (*share, left) = (*share + 1, left - 1);
    }
    shares.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All that small totals divide: shares of whole weights with such totals are whole in these parts.
    const PARTS: i64 = 720_720;

    /// Runs it with all steps known, or as few as it asks for and never more than `window`; the most that a count was off, in `PARTS`.
    fn furthest_off(rows: &[Vec<u32>], window: usize) -> i64 {
        let count = rows[0].len();
        let mut shares = ExactShares::new(vec![0; count]);
        let (mut fed, mut off, mut furthest) = (0, vec![0_i64; count], 0);
        for step in 0..rows.len() {
            let chosen = loop {
                let is_all = fed == rows.len() || fed >= step + window;
                if let Some(chosen) = (fed > step).then(|| shares.choose(is_all)).flatten() {
                    break chosen;
                }
                let weights: Vec<f64> = rows[fed].iter().copied().map(f64::from).collect();
                shares.add(shares_of(&weights));
                fed += 1;
            };
            let total: i64 = rows[step].iter().copied().map(i64::from).sum();
            assert_eq!(PARTS % total, 0, "an exact share");
            for (off, weight) in off.iter_mut().zip(&rows[step]) {
                *off += i64::from(*weight) * PARTS / total;
            }
            off[chosen] -= PARTS;
            furthest = off.iter().map(|off| off.abs()).chain([furthest]).max().unwrap_or(0);
        }
        furthest
    }

    /// Whole weights whose total is one of those whose shares are whole.
    fn weights(count: usize) -> impl Strategy<Value = Vec<u32>> {
        let spread = |total: u32, places: Vec<usize>| {
            let mut weights = vec![0; places.len().max(1)];
            (0..total).for_each(|unit| weights[places[unit as usize % places.len()]] += 1);
            weights
        };
        let totals = prop_oneof![1_u32..=16, Just(30), Just(143), Just(5040), Just(720_720)];
        (totals, prop::collection::vec(0..count, count))
            .prop_map(move |(total, places)| spread(total, places))
    }

    fn most_off(count: usize) -> i64 {
        PARTS - PARTS / (2 * count as i64 - 2)
    }

    proptest! {
        #[test]
        fn counts_are_within_one_of_weights_that_do_not_change(
            row in (2_usize..24).prop_flat_map(weights),
            window in prop_oneof![Just(1_usize), 2_usize..40],
        ) {
            // However little is known beforehand.
            let off = furthest_off(&vec![row.clone(); 800], window);
            prop_assert!(off <= most_off(row.len()), "{off}");
        }

        #[test]
        fn counts_are_within_one_of_weights_that_change(
            rows in (2_usize..12).prop_flat_map(|count| prop::collection::vec(weights(count), 1..200)),
        ) {
            let off = furthest_off(&rows, usize::MAX / 2);
            prop_assert!(off <= most_off(rows[0].len()), "{off}");
        }

        #[test]
        fn what_is_restored_goes_on(
            rows in (2_usize..8).prop_flat_map(|count| prop::collection::vec(weights(count), 2..60)),
            window in 1_usize..20,
        ) {
            let shares: Vec<_> = rows.iter().map(|row| {
                shares_of(&row.iter().copied().map(f64::from).collect::<Vec<_>>())
            }).collect();
            let run = |mut state: ExactShares, from: usize, restored: bool| {
                let (mut fed, mut chosen) = (from, Vec::new());
                for step in from..shares.len() {
                    if restored {
                        (state, fed) = (ExactShares::new(state.owed().to_vec()), step);
                    }
                    chosen.push(loop {
                        let is_all = fed == shares.len() || fed >= step + window;
                        if let Some(chosen) = (fed > step).then(|| state.choose(is_all)).flatten() {
                            break chosen;
                        }
                        state.add(Arc::clone(&shares[fed]));
                        fed += 1;
                    });
                }
                chosen
            };
            let start = || ExactShares::new(vec![0; rows[0].len()]);
            prop_assert_eq!(run(start(), 0, true), run(start(), 0, false));
        }

        #[test]
        fn shares_are_one_together(weights in prop::collection::vec(
            prop_oneof![Just(0.0), 0.0..1.0, Just(1e-310), Just(f64::MIN_POSITIVE), Just(f64::MAX), 1e-9..1e9], 1..40,
        )) {
            prop_assume!(weights.iter().any(|weight| *weight > 0.0));
            let shares = shares_of(&weights);
            prop_assert_eq!(shares.iter().sum::<i64>(), WHOLE);
            prop_assert!(shares.iter().zip(&weights).all(|(share, weight)| *share >= 0 && (*weight > 0.0 || *share == 0)));
        }
    }
}
