//! How much memory the shuffles of a plan reserve, so that streams are opened ahead only where that takes nothing from what is
//! needed.
//!
//! A nested shuffle reserves its buffer when its stream is opened, and is refused if other shuffles hold the rest of the budget. Those
//! of streams whose turn has not come must not be among them: the plan runs without these. Which shuffles will be there together
//! depends on the data; so the most there could be has to fit, of the whole plan.

use feedline_plan::{EVERYTHING, NodeKind, Plan};

use crate::lower::{known, row_bytes, rows_in_memory};
use crate::operators::interleave::MAX_AHEAD;
use crate::operators::shuffle::buffer_bytes;

/// The most bytes that the shuffles of a plan reserve at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Reserved {
    /// If streams are opened that are in their cycle.
    pub(crate) in_cycles: u64,
    /// If streams are opened beyond that, as many as ever are.
    pub(crate) with_ahead: u64,
}

impl Reserved {
    /// Of the whole of `plan`.
    pub(crate) fn of(plan: &Plan) -> Reserved {
        let node = plan.node();
        let own = match &node.kind {
            NodeKind::Shuffle { buffer_size, .. } | NodeKind::ShuffleAndRepeat { buffer_size, .. }
                if !plan.is_pass() =>
            {
                let input = &node.inputs[0];
                let row_bytes = shuffled_row_bytes(input);
                let is_open = *buffer_size == EVERYTHING && known(input).is_none();
                let row_bytes = row_bytes.filter(|_| !is_open);
                row_bytes.map_or(0, |row_bytes| buffer_bytes(*buffer_size, known(input), row_bytes))
            }
            _ => 0,
        };
        let own = Reserved { in_cycles: own, with_ahead: own };
        let inputs = node.inputs.iter().map(Reserved::of).fold(own, Reserved::and);
        let Some(nested) = node.kind.nested() else { return inputs };
        let places = match &node.kind {
            NodeKind::Interleave { turns, .. } => turns.cycle_length as u64,
            _ => 1,
        };
        // Restored, each open stream starts the input once more, to read its element again.
        let one_more = places.saturating_add(1);
        let with_ahead = places.saturating_add(MAX_AHEAD as u64);
        inputs.times(one_more, one_more).and(Reserved::of(&nested.plan).times(places, with_ahead))
    }

    /// It, if the streams of `nested` reserve anything; else nothing has to be considered when they are opened.
    pub(crate) fn if_any(self, nested: &Plan) -> Reserved {
        if Reserved::of(nested) == Reserved::default() { Reserved::default() } else { self }
    }

    fn and(self, other: Reserved) -> Reserved {
        Reserved {
            in_cycles: self.in_cycles.saturating_add(other.in_cycles),
            with_ahead: self.with_ahead.saturating_add(other.with_ahead),
        }
    }

    fn times(self, in_cycles: u64, with_ahead: u64) -> Reserved {
        Reserved {
            in_cycles: self.in_cycles.saturating_mul(in_cycles),
            with_ahead: self.with_ahead.saturating_mul(with_ahead),
        }
    }
}

/// Bytes of what a shuffle of `plan` holds of each element, where that is known: of tensors in memory, row numbers.
pub(crate) fn shuffled_row_bytes(plan: &Plan) -> Option<usize> {
    match rows_in_memory(plan) {
        Some(_) => Some(size_of::<i64>()),
        None => row_bytes(plan.spec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_plan::{FileFormat, SeedPair};

    const SEEDS: SeedPair = SeedPair { seed: 1, seed2: 2, is_given: true };

    fn shuffled(count: i64, buffer_size: usize) -> Plan {
        let range = Plan::range(0, count, 1).expect("valid");
        range.shuffle(buffer_size, SEEDS, true).expect("valid")
    }

    #[test]
    fn all_that_may_be_open_together_counts() {
        // 8 bytes of an element and 12 to keep it.
        let of = |plan: &Plan| {
            let Reserved { in_cycles, with_ahead } = Reserved::of(plan);
            (in_cycles, with_ahead)
        };
        let outer = Plan::range(0, 9, 1).expect("valid");
        assert_eq!(of(&outer), (0, 0));
        assert_eq!(of(&shuffled(100, 10)), (200, 200));
        assert_eq!(of(&shuffled(5, 10)), (100, 100), "no more than there are");
        let flat = outer.flat_map(|_| Ok(shuffled(100, 10))).expect("valid");
        assert_eq!(of(&flat), (200, 65 * 200));
        let interleaved = outer.interleave(|_| Ok(shuffled(100, 10))).expect("valid");
        assert_eq!(of(&interleaved), (16 * 200, 80 * 200));
        let in_both = shuffled(100, 10).flat_map(|_| Ok(shuffled(100, 10))).expect("valid");
        assert_eq!(of(&in_both), (400 + 200, 400 + 65 * 200));
        let strings = Plan::files(vec!["some".into()], FileFormat::TfRecord).expect("valid");
        assert_eq!(of(&strings.shuffle(10, SEEDS, true).expect("valid")), (0, 0), "counted as they come");
        let endless = shuffled(i64::MAX, usize::MAX).flat_map(|_| Ok(shuffled(100, 10))).expect("valid");
        assert_eq!(of(&endless), (u64::MAX, u64::MAX));
    }

    #[test]
    fn streams_that_reserve_nothing_are_opened_whatever_others_reserve() {
        let all = Reserved { in_cycles: 1, with_ahead: 2 };
        assert_eq!(all.if_any(&shuffled(100, 10)), all);
        assert_eq!(all.if_any(&Plan::range(0, 9, 1).expect("valid")), Reserved::default());
    }
}
