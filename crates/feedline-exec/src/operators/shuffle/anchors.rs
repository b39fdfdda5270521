//! Places in the input to start from when a shuffle is restored.

use std::sync::Arc;

use feedline_data::block::Position;
use serde::{Deserialize, Serialize};

/// Anchors whose texts are longer together are not all saved. Of an input that reads 16 streams in turn they take half of that; of one
/// that reads 300 each took 40 KB, and a state 26 KB when it was compressed, where it takes 4 now.
const MAX_TEXT_BYTES: usize = 64 << 10;

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
/// An anchor goes when the one before it is at most twice as old as the one behind it. So a row is read for from an anchor at most twice its age
/// (neighbours only become more alike in age), of three neighbours the first is more than twice as old as the last, and the very first
/// anchor never goes. Nothing else counts than how old they are: restored, they go on as they would have.
#[derive(Clone, Debug)]
pub(super) struct Anchors {
    /// Oldest first.
    kept: Vec<Anchor>,
    /// Elements between two of them, at least.
    spacing: u64,
}

impl Anchors {
    /// Those that were `saved`, oldest first, and more to come. For a buffer of `capacity` elements: it never needs a row younger than that from an
    /// anchor alone, so there is no use in placing them closer than a fraction of it.
    pub(super) fn new(capacity: usize, saved: &[Anchor]) -> Anchors {
        Anchors { kept: saved.to_vec(), spacing: (capacity / 4).max(1) as u64 }
    }

    /// Offers the place behind `elements`; taken if it is far enough from the last.
    pub(super) fn offer(&mut self, anchor: impl FnOnce() -> Anchor, elements: u64) {
        if self.kept.last().is_some_and(|youngest| elements - youngest.elements < self.spacing) {
            return;
        }
        self.kept.push(anchor());
        let age = |anchor: &Anchor| elements - anchor.elements;
        for middle in (1..self.kept.len() - 1).rev() {
            if age(&self.kept[middle - 1]) <= 2 * age(&self.kept[middle + 1]) + self.spacing {
                self.kept.remove(middle);
            }
        }
    }

    /// All of them, oldest first.
    pub(super) fn to_vec(&self) -> Vec<Anchor> {
        self.kept.clone()
    }
}

/// Those of `anchors`, oldest first, that a state has which is saved after `received` elements. All, but where they are long: then the youngest
/// that is old enough for any element a buffer of `capacity` may still hold, and the very first for one of which that is not true.
pub(super) fn short_enough(anchors: &Arc<Vec<Anchor>>, capacity: usize, received: u64) -> Arc<Vec<Anchor>> {
    let [first, .., youngest] = anchors.as_slice() else { return Arc::clone(anchors) };
    // They are much alike, and the youngest has as many streams as any.
    if youngest.position.text_bytes().saturating_mul(anchors.len()) <= MAX_TEXT_BYTES {
        return Arc::clone(anchors);
    }
    // An element is still there after `n` picks with a chance of at most e^(-n / capacity): any of `capacity` after ln(capacity) + 20 times as
    // many with one of e^-20. While the buffer filled nothing was picked.
    let oldest_held = (capacity as f64 * ((capacity as f64).ln() + 21.0)) as u64;
    let is_old_enough = |anchor: &&Anchor| anchor.elements.saturating_add(oldest_held) <= received;
    let sure = anchors[1..].iter().rev().find(is_old_enough);
    Arc::new([Some(first), sure].into_iter().flatten().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::block::Token;

    fn anchor(elements: u64, num_streams: usize) -> Anchor {
        let offsets = vec![elements; num_streams];
        Anchor { elements, errors: 0, position: Position::at(Token::new(move |_| offsets.clone())) }
    }

    /// Few are kept, the first of them among them, and from any row of some age the next before it is not much older.
    fn check(kept: &[Anchor], elements: u64) {
        assert!(kept.len() <= 2 * 14, "{} of {elements}", kept.len());
        assert_eq!(kept[0].elements, 0);
        assert!(kept.is_sorted_by_key(|anchor| anchor.elements));
        for age in [1, 7, 100, 3000] {
            let Some(row) = elements.checked_sub(age) else { continue };
            let from = kept.iter().rev().find(|anchor| anchor.elements <= row).expect("0 is kept").elements;
            assert!(elements - from <= 2 * age + 1, "age {age}: {from} at {elements}");
        }
    }

    #[test]
    fn few_are_kept_and_none_is_far_however_often_they_are_restored() {
        for restored_every in [u64::MAX, 1, 3, 100, 777] {
            let mut anchors = Anchors::new(4, &[]);
            for elements in 0..10_000 {
                anchors.offer(|| anchor(elements, 1), elements);
                if elements % restored_every == 0 {
                    anchors = Anchors::new(4, &anchors.to_vec());
                }
                check(&anchors.to_vec(), elements);
            }
        }
    }

    #[test]
    fn long_ones_are_saved_as_the_first_and_one_that_is_old_enough() {
        const CAPACITY: usize = 100;
        let mut anchors = Anchors::new(CAPACITY, &[]);
        for elements in 0..100_000 {
            anchors.offer(|| anchor(elements, 10_000), elements);
        }
        let all = Arc::new(anchors.to_vec());
        let saved = short_enough(&all, CAPACITY, 100_000);
        assert!(matches!(saved.as_slice(), [first, _] if first.elements == 0));
        let age = 100_000 - saved[1].elements;
        // 100 times (ln 100 + 21), and the next anchor behind that.
        assert!((2560..=2 * 2560 + 25).contains(&age), "{age}");
        // Where nothing is that old yet, the first has to do.
        assert_eq!(short_enough(&all, 100_000, 100_000).len(), 1);
        let short = Arc::new(all.iter().map(|kept| anchor(kept.elements, 1)).collect::<Vec<_>>());
        assert!(Arc::ptr_eq(&short_enough(&short, CAPACITY, 100_000), &short));
    }
}
