//! The order of a shuffle, apart from what is shuffled: tf.data's rule over numbers.

use crate::seed::PhiloxWords;

/// The buffer of a shuffle as a ring of items: slots of stored rows while it runs, row numbers while it is replayed.
///
/// The rule is tf.data's: an element goes in at the end; a pick takes one of those inside at random and moves the first
/// into its place.
#[derive(Debug)]
pub(super) struct Ring<T> {
    /// Grows up to `capacity`, so that a buffer far larger than its data costs nothing.
    items: Vec<T>,
    capacity: usize,
    start: usize,
    len: usize,
}

impl<T: Copy> Ring<T> {
    pub(super) fn new(capacity: usize) -> Ring<T> {
        Ring { items: Vec::new(), capacity, start: 0, len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_full(&self) -> bool {
        self.len == self.capacity
    }

    /// Adds an item at the end. The ring must not be full.
    pub(super) fn push(&mut self, item: T) {
        debug_assert!(!self.is_full(), "a full ring has no room");
        let end = self.wrapped(self.start + self.len);
        if end == self.items.len() {
            self.items.push(item);
        } else {
            self.items[end] = item;
        }
        self.len += 1;
    }

    /// Takes the item that `word` chooses. The ring must not be empty.
    pub(super) fn pick(&mut self, word: u32) -> T {
        let chosen = self.wrapped(self.start + word as usize % self.len);
        let item = self.items[chosen];
        self.items[chosen] = self.items[self.start];
        self.start = self.wrapped(self.start + 1);
        self.len -= 1;
        item
    }

    /// Picks by the first of `words`, then adds an item and picks, by turns, as long as there are `words`: an item less than
    /// those. Appends what was picked.
    pub(super) fn exchange(&mut self, words: &[u32], items: &[T], picked: &mut Vec<T>) {
        debug_assert_eq!(words.len(), items.len() + 1, "a pick more than items");
        let (&last, words) = words.split_last().expect("a pick at least");
        if self.is_full() {
            self.exchange_full(words, items, picked);
        } else {
            for (&word, &item) in words.iter().zip(items) {
                picked.push(self.pick(word));
                self.push(item);
            }
        }
        picked.push(self.pick(last));
    }

    /// A pick and an addition by turns, of a full ring: its end is the place that the pick before left, and what is left of a
    /// word divided by the number of items takes two multiplications, since that number stays. Twice as fast as the two
    /// one by one.
    fn exchange_full(&mut self, words: &[u32], items: &[T], picked: &mut Vec<T>) {
        let remainder = Remainder::of(self.capacity);
        let (ring, mut start) = (&mut self.items[..self.capacity], self.start);
        picked.extend(words.iter().zip(items).map(|(&word, &item)| {
            let chosen = start + remainder.of_word(word);
            let chosen = if chosen >= ring.len() { chosen - ring.len() } else { chosen };
            let taken = ring[chosen];
            ring[chosen] = ring[start];
            ring[start] = item;
            start = if start + 1 == ring.len() { 0 } else { start + 1 };
            taken
        }));
        self.start = start;
    }

    /// The items from the first to the last.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.len).map(|offset| self.items[self.wrapped(self.start + offset)])
    }

    fn wrapped(&self, index: usize) -> usize {
        if index >= self.capacity { index - self.capacity } else { index }
    }
}

/// Division of words by one number, what is left of it (Lemire, Kaser, Kurz 2019, exact for all words and numbers of 32 bits).
struct Remainder {
    divisor: u64,
    /// 2^64 divided by `divisor`, rounded up, in 64 bits.
    reciprocal: u64,
}

impl Remainder {
    fn of(divisor: usize) -> Remainder {
        let divisor = divisor as u64;
        Remainder { divisor, reciprocal: (u64::MAX / divisor).wrapping_add(1) }
    }

    fn of_word(&self, word: u32) -> usize {
        if self.divisor > u64::from(u32::MAX) {
            return word as usize;
        }
        let fraction = self.reciprocal.wrapping_mul(u64::from(word));
        ((u128::from(fraction) * u128::from(self.divisor)) >> 64) as usize
    }
}

/// What is in the buffer after `picks` picks with `received` elements received, each known by its number: the picks made
/// over, without the data.
pub(super) fn replay(capacity: usize, mut words: PhiloxWords, picks: u64, received: u64) -> Ring<u64> {
    let mut ring = Ring::new(capacity);
    let mut next = 0;
    let mut fill = |ring: &mut Ring<u64>| {
        while !ring.is_full() && next < received {
            ring.push(next);
            next += 1;
        }
    };
    for _ in 0..picks {
        fill(&mut ring);
        ring.pick(words.next_word());
    }
    fill(&mut ring);
    ring
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole order of a shuffle of `count` numbers.
    fn order(count: u64, capacity: usize, seeds: (i64, i64)) -> Vec<u64> {
        let mut words = PhiloxWords::new(seeds.0, seeds.1);
        let mut ring = Ring::new(capacity);
        let mut next = 0;
        let mut order = Vec::new();
        loop {
            while !ring.is_full() && next < count {
                ring.push(next);
                next += 1;
            }
            if ring.len() == 0 {
                return order;
            }
            order.push(ring.pick(words.next_word()));
        }
    }

    #[test]
    fn the_order_is_tf_datas() {
        assert_eq!(order(10, 3, (1, 2)), [2, 3, 0, 5, 6, 4, 7, 8, 9, 1]);
        assert_eq!(order(10, 1, (1, 2)), (0..10).collect::<Vec<_>>());
        assert_eq!(order(10, 10, (87_654_321, 0)), [1, 2, 8, 4, 9, 6, 3, 0, 5, 7]);
        assert_eq!(order(10, 1000, (87_654_321, 42)), [2, 0, 7, 8, 9, 3, 6, 4, 1, 5]);
    }

    #[test]
    fn exchanges_are_picks_and_additions_by_turns() {
        // Full ones, one that has room (behind an error, or what was received ahead), one of one item.
        for (capacity, inside, count) in [(7, 7, 50), (9, 4, 30), (1, 1, 5), (5, 1, 9), (100, 100, 1)] {
            let words: Vec<u32> = {
                let mut words = PhiloxWords::new(8, 9);
                (0..count).map(|_| words.next_word()).collect()
            };
            let mut expected_ring = Ring::new(capacity);
            let mut ring = Ring::new(capacity);
            for item in 0..inside {
                expected_ring.push(item);
                ring.push(item);
            }
            let items: Vec<u64> = (inside..inside + count - 1).collect();
            let mut expected = vec![expected_ring.pick(words[0])];
            for (&word, &item) in words[1..].iter().zip(&items) {
                expected_ring.push(item);
                expected.push(expected_ring.pick(word));
            }
            let mut picked = Vec::new();
            ring.exchange(&words, &items, &mut picked);
            assert_eq!(picked, expected, "{inside} of {capacity}");
            assert!(ring.iter().eq(expected_ring.iter()), "{inside} of {capacity}");
        }
    }

    #[test]
    fn remainders_are_those_of_a_division() {
        let divisors =
            [1, 2, 3, 5, 7, 10_000, 65_536, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff, 1 << 32, 1 << 40];
        for divisor in divisors {
            let remainder = Remainder::of(divisor);
            for word in (0..64)
                .chain((0..1000).map(|i: u32| i.wrapping_mul(0x9e37_79b9)))
                .chain([u32::MAX - 1, u32::MAX])
            {
                assert_eq!(remainder.of_word(word), word as usize % divisor, "{word} of {divisor}");
            }
        }
    }

    #[test]
    fn a_replay_ends_where_the_run_was() {
        let (count, capacity) = (50, 7);
        let whole = order(count, capacity, (3, 4));
        for picks in 0..=count {
            let received = (capacity as u64 + picks).min(count);
            let mut ring = replay(capacity, PhiloxWords::new(3, 4), picks, received);
            let mut words = PhiloxWords::new(3, 4).starting_at(picks);
            let mut next = received;
            let mut rest = Vec::new();
            while ring.len() > 0 {
                rest.push(ring.pick(words.next_word()));
                if next < count {
                    ring.push(next);
                    next += 1;
                }
            }
            assert_eq!(rest, whole[picks as usize..], "after {picks}");
        }
    }
}
