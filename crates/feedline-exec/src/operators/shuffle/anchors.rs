//! Places in the input to start from when a shuffle is restored.

use feedline_data::block::Position;
use serde::{Deserialize, Serialize};

/// A place in the input, and how much of it lies before.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Anchor {
    /// Elements before it.
    pub(super) elements: u64,
    /// Errors before it.
    pub(super) errors: u64,
    pub(super) position: Position,
}

/// A few anchors, the closer together the younger: a row that has been in the buffer for long lies far back, and there
/// it does not matter much whether reading starts a little before it.
///
/// Two anchors a level; a third makes the oldest move up a level and drops the one behind it. So level `k` holds places
/// about `2^k` pushes apart, there are at most two for each doubling of the stream, and the very first never goes.
#[derive(Clone, Debug, Default)]
pub(super) struct Anchors {
    /// Oldest first within a level.
    levels: Vec<Vec<Anchor>>,
    /// Elements between two pushes.
    spacing: u64,
}

impl Anchors {
    /// For a buffer of `capacity` elements: it never needs a row younger than that from an anchor alone, so there is no
    /// use in placing them closer than a fraction of it.
    pub(super) fn new(capacity: usize) -> Anchors {
        Anchors { levels: Vec::new(), spacing: (capacity / 4) as u64 }
    }

    /// Offers a place; taken if it is far enough from the last.
    pub(super) fn offer(&mut self, anchor: impl FnOnce() -> Anchor, elements: u64) {
        let youngest = self.levels.iter().find_map(|level| level.last());
        if youngest.is_some_and(|youngest| elements - youngest.elements < self.spacing.max(1)) {
            return;
        }
        let mut moving = anchor();
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let here = &mut self.levels[level];
            here.push(moving);
            if here.len() < 3 {
                return;
            }
            moving = here.remove(0);
            here.remove(0);
        }
    }

    /// All of them, oldest first.
    pub(super) fn to_vec(&self) -> Vec<Anchor> {
        self.levels.iter().rev().flatten().cloned().collect()
    }

    /// Anchors that were saved, oldest first, as the beginning of new ones.
    pub(super) fn restored(capacity: usize, saved: &[Anchor]) -> Anchors {
        let mut anchors = Anchors::new(capacity);
        for anchor in saved {
            anchors.offer(|| anchor.clone(), anchor.elements);
        }
        anchors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::block::Token;

    #[test]
    fn few_are_kept_and_none_is_far() {
        let mut anchors = Anchors::new(4);
        for elements in 0..10_000_u64 {
            let anchor =
                || Anchor { elements, errors: 0, position: Position::at(Token::new(move |_| elements)) };
            anchors.offer(anchor, elements);
            let kept = anchors.to_vec();
            assert!(kept.len() <= 2 * 15, "{} of {elements}", kept.len());
            assert_eq!(kept[0].elements, 0);
            assert!(kept.is_sorted_by_key(|anchor| anchor.elements));
            // From any row of age `age`, the next anchor before it is at most three times as old.
            for age in [1, 7, 100, 3000] {
                let Some(row) = elements.checked_sub(age) else { continue };
                let from = kept.iter().rev().find(|anchor| anchor.elements <= row).expect("0 is kept");
                assert!(elements - from.elements <= 4 * age + 4, "age {age}: {from:?} at {elements}");
            }
        }
    }
}
