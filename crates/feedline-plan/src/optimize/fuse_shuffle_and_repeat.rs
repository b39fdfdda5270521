//! Joins a shuffle and the repeat of it, so that the next epoch's buffer fills while this one's drains: without it every
//! epoch begins with a wait for a full buffer. (30,000 rows of 1 KiB computed by a map, a buffer of 10,000, a consumer that
//! takes 200 µs for a batch of 50, 2 cores: each new epoch made it wait mostly 8 to 13 ms, now mostly 1 to 3.)
//!
//! The order is the same, epoch by epoch, and so are the states: the joined operator writes what `repeat` over `shuffle`
//! would, and knows nothing a state does not hold but rows received early.

use super::Rule;
use crate::{NodeKind, Plan, Result};

/// Joins a shuffle and the repeat of it.
#[derive(Debug)]
pub struct FuseShuffleAndRepeat;

impl Rule for FuseShuffleAndRepeat {
    fn name(&self) -> &'static str {
        "fuse_shuffle_and_repeat"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let NodeKind::Repeat { count } = plan.node().kind else { return Ok(None) };
        // Without a second epoch there is nothing to fill ahead.
        if count.is_some_and(|count| count < 2) {
            return Ok(None);
        }
        let shuffle = &plan.node().inputs[0];
        let NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration } = shuffle.node().kind else {
            return Ok(None);
        };
        // `shuffle(1)` has no buffer, and no state.
        if shuffle.is_pass() {
            return Ok(None);
        }
        let kind = NodeKind::ShuffleAndRepeat { buffer_size, seeds, reshuffle_each_iteration, count };
        Ok(Some(plan.with_kind(kind, shuffle.node().inputs.clone()).joined_with(shuffle)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{declines, fires, seeds, ten};
    use super::*;

    fn shuffled() -> Plan {
        ten().shuffle(5, seeds(1), true).expect("valid")
    }

    #[test]
    fn a_shuffle_and_its_repeat_become_one() {
        let source = "range(0, 10, 1)";
        let fused = "shuffle_and_repeat(5, seeds=(0, 1), count=3)";
        assert_eq!(fires(&FuseShuffleAndRepeat, &shuffled().repeat(Some(3))), [source, fused]);
        let endless = shuffled().with_reshuffle(false).expect("valid").repeat(None).take(Some(7));
        assert_eq!(
            fires(&FuseShuffleAndRepeat, &endless),
            [source, "shuffle_and_repeat(5, seeds=(0, 1), reshuffle_each_iteration=false)", "take(7)"]
        );
    }

    #[test]
    fn what_has_no_second_epoch_or_no_buffer_stays() {
        for count in [0, 1] {
            declines(&FuseShuffleAndRepeat, &shuffled().repeat(Some(count)));
        }
        declines(&FuseShuffleAndRepeat, &shuffled());
        declines(&FuseShuffleAndRepeat, &ten().shuffle(1, seeds(1), true).expect("valid").repeat(None));
        declines(&FuseShuffleAndRepeat, &ten().repeat(Some(2)).shuffle(5, seeds(1), true).expect("valid"));
        declines(&FuseShuffleAndRepeat, &shuffled().prefetch(Some(1)).repeat(Some(2)));
    }
}
