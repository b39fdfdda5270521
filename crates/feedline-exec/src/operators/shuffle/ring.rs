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

    /// The items from the first to the last.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.len).map(|offset| self.items[self.wrapped(self.start + offset)])
    }

    fn wrapped(&self, index: usize) -> usize {
        if index >= self.capacity { index - self.capacity } else { index }
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
