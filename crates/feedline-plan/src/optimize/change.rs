//! The record of what a rule did.

use std::fmt;

use crate::Plan;
use crate::explain::listing;

/// What one rule did in one place. Prints as the lines it took out and put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The rule.
    pub rule: &'static str,
    /// The number, counted from 1, that the first step concerned had in the plan at that time.
    pub step: usize,
    /// The steps taken out, as a plan prints them.
    pub before: Vec<String>,
    /// The steps put in their place.
    pub after: Vec<String>,
}

impl Change {
    /// What `rule` did when it made `after` of `before`, which began behind `first_step` other steps of the plan.
    pub(super) fn new(rule: &'static str, first_step: usize, before: &Plan, after: &Plan) -> Change {
        let (mut before, mut after) = (listing(before), listing(after));
        let same_tail =
            before.iter().rev().zip(after.iter().rev()).take_while(|(before, after)| before == after).count();
        before.truncate(before.len() - same_tail);
        after.truncate(after.len() - same_tail);
        let same_head = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
        Change {
            rule,
            step: first_step + same_head + 1,
            before: before.split_off(same_head),
            after: after.split_off(same_head),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, ", self.rule)?;
        match self.before.len() {
            0 => write!(f, "after step {}", self.step - 1)?,
            1 => write!(f, "step {}", self.step)?,
            count => write!(f, "steps {} to {}", self.step, self.step + count - 1)?,
        }
        for line in &self.before {
            write!(f, "\n  - {line}")?;
        }
        for line in &self.after {
            write!(f, "\n  + {line}")?;
        }
        Ok(())
    }
}
