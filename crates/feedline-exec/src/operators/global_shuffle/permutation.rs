//! A random order of any number of things, one at a time and from anywhere.

use feedline_data::block::mix;
use feedline_plan::SeedPair;

/// A permutation of `0..count`. Of few things it is drawn, and all orders are equally likely. Of many it is computed, not stored: a Feistel
/// network over the next even power of two, walked until it lands inside. Luby and Rackoff (1988) ask for four rounds, of functions that are
/// random over large numbers; over small ones four show: of a thousand things neighbours stayed neighbours 2.6 times an
/// order instead of twice. With eight no count tells them from drawn orders (the test below, which four fail). At most four
/// times as many numbers as things, so the walk is a handful of steps in the worst case and fewer than four on average.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    count: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
    /// All of it, if there are no more than [`FEW`].
    drawn: Vec<u32>,
}

const ROUNDS: usize = 8;

/// So many things are drawn in microseconds, and kept in a few kilobytes.
const FEW: u64 = 1024;

impl Permutation {
    /// The permutation for these seeds and this iteration.
    pub(crate) fn new(count: u64, seeds: SeedPair, iteration: u64) -> Permutation {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let key = mix(mix(seeds.seed as u64, seeds.seed2 as u64), iteration);
        Permutation {
            count,
            half_bits: bits.div_ceil(2).max(1),
            keys: std::array::from_fn(|round| mix(key, round as u64 + 1)),
            drawn: if count <= FEW { drawn(count as u32, key) } else { Vec::new() },
        }
    }

    /// Where thing number `index` of the new order stood in the old.
    pub(crate) fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.count, "{index} of {}", self.count);
        if let Some(&place) = self.drawn.get(index as usize) {
            return place.into();
        }
        let mut place = index;
        loop {
            place = self.scramble(place);
            if place < self.count {
                return place;
            }
        }
    }

    fn scramble(&self, value: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(key, right) & mask));
        }
        (left << self.half_bits) | right
    }
}

/// The numbers below `count` in an order drawn with `key`: from the last place to the first, each gets one of those that are left (Fisher and
/// Yates).
fn drawn(count: u32, key: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count).collect();
    for last in (1..order.len()).rev() {
        // The high half of a product: a number below `last + 1`, none more likely than another by 2^-54.
        let chosen = (u128::from(mix(key, last as u64)) * (last as u128 + 1)) >> 64;
        order.swap(last, chosen as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permutation(count: u64, iteration: u64) -> Permutation {
        Permutation::new(count, SeedPair { seed: 1, seed2: 2, is_given: true }, iteration)
    }

    #[test]
    fn everything_comes_exactly_once() {
        for count in [1, 2, 3, 4, 5, 16, 17, 100, 1000, 4097, 65_536] {
            let permutation = permutation(count, 0);
            let mut seen = vec![false; count as usize];
            for index in 0..count {
                assert!(!std::mem::replace(&mut seen[permutation.at(index) as usize], true), "{count}");
            }
        }
        let huge = permutation(u64::MAX / 3, 0);
        assert!((0..1000).all(|index| huge.at(index) < u64::MAX / 3));
    }

    #[test]
    fn orders_differ_and_look_random() {
        let count = 10_000;
        let (one, two) = (permutation(count, 0), permutation(count, 1));
        let same = (0..count).filter(|&index| one.at(index) == two.at(index)).count();
        assert!(same < 20, "{same} of {count} things at the same place in two orders");
        // Neighbours do not stay neighbours, and the place says nothing about where a thing came from.
        let neighbours = (1..count).filter(|&index| one.at(index).abs_diff(one.at(index - 1)) == 1).count();
        assert!(neighbours < 20, "{neighbours}");
        let mean_distance = (0..count).map(|index| one.at(index).abs_diff(index)).sum::<u64>() / count;
        assert!((3_200..3_470).contains(&mean_distance), "{mean_distance}, a third of {count} in the mean");
    }

    /// What counts tell of the orders of `num_keys` keys, in standard deviations from what is expected of random ones: how often neighbours stay
    /// neighbours, and how far the order is like the old one.
    fn furthest_from_random(count: u64, num_keys: u64) -> (f64, f64) {
        let (mut neighbours, mut likeness) = (0_u64, 0.0);
        let middle = (count - 1) as f64 / 2.0;
        let spread: f64 = (0..count).map(|index| (index as f64 - middle).powi(2)).sum();
        for iteration in 0..num_keys {
            let order: Vec<u64> = {
                let permutation = permutation(count, iteration);
                (0..count).map(|index| permutation.at(index)).collect()
            };
            neighbours += order.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count() as u64;
            let product = (0_u32..)
                .zip(&order)
                .map(|(index, &place)| (f64::from(index) - middle) * (place as f64 - middle));
            // The square of the correlation is 1 / (count - 1) in the mean.
            likeness += (product.sum::<f64>() / spread).powi(2) * (count - 1) as f64;
        }
        let keys = num_keys as f64;
        let expected = 2.0 * (count - 1) as f64 / count as f64;
        let by_neighbours = (neighbours as f64 / keys - expected) / (expected / keys).sqrt();
        // Its distribution is that of the square of a normal number, whose variance is 2.
        let by_likeness = (likeness / keys - 1.0) / (2.0 / keys).sqrt();
        (by_neighbours, by_likeness)
    }

    #[test]
    fn counts_do_not_tell_them_from_drawn_orders() {
        for (count, num_keys) in [(20, 4000), (1000, 600), (1025, 600), (1500, 600), (4096, 300), (5000, 300)]
        {
            let (by_neighbours, by_likeness) = furthest_from_random(count, num_keys);
            assert!(by_neighbours.abs() < 4.0, "{count}: neighbours, {by_neighbours:.1} deviations");
            assert!(by_likeness.abs() < 4.0, "{count}: likeness, {by_likeness:.1} deviations");
        }
    }

    #[test]
    fn all_orders_of_a_few_things_are_as_likely() {
        let mut counts = std::collections::BTreeMap::new();
        for iteration in 0..12_000 {
            let permutation = permutation(4, iteration);
            let order = [0, 1, 2, 3].map(|index| permutation.at(index));
            *counts.entry(order).or_insert(0_u32) += 1;
        }
        // 500 each, and 22 are a standard deviation.
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (400..600).contains(count)), "{counts:?}");
    }
}
