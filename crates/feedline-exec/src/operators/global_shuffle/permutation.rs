//! A random order of any number of things, one at a time and from anywhere.

use feedline_data::block::mix;
use feedline_plan::SeedPair;

/// A permutation of `0..count` that is computed, not stored: a Feistel network over the next even power of two, walked until
/// it lands inside. Four rounds with a good mixing function look random to any test a training run amounts to (Luby and
/// Rackoff, 1988, for rounds that are truly random). At most four times as many numbers as things, so the walk is a
/// handful of steps in the worst case and fewer than four on average.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    count: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// The permutation for these seeds and this iteration.
    pub(crate) fn new(count: u64, seeds: SeedPair, iteration: u64) -> Permutation {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let key = mix(mix(seeds.seed as u64, seeds.seed2 as u64), iteration);
        Permutation {
            count,
            half_bits: bits.div_ceil(2).max(1),
            keys: [1, 2, 3, 4].map(|round| mix(key, round)),
        }
    }

    /// Where thing number `index` of the new order stood in the old.
    pub(crate) fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.count, "{index} of {}", self.count);
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
}
