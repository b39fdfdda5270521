//! Random numbers as functions: Philox4x32-10, the counter-based generator TensorFlow uses.

/// Ten rounds over a counter with a key: four 32-bit words that look random and depend on nothing else.
pub(crate) fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let product0 = u64::from(counter[0]) * 0xd251_1f53;
        let product1 = u64::from(counter[2]) * 0xcd9e_8d57;
        counter = [
            (product1 >> 32) as u32 ^ counter[1] ^ key[0],
            product1 as u32,
            (product0 >> 32) as u32 ^ counter[3] ^ key[1],
            product0 as u32,
        ];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    counter
}

/// The two halves of a number, low first.
pub(crate) fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The words TensorFlow's kernels draw, one after the other, for a pair of seeds.
#[derive(Clone, Debug)]
pub(crate) struct PhiloxWords {
    key: [u32; 2],
    seed2: [u32; 2],
    /// Next word to hand out.
    next: u64,
    block: [u32; 4],
}

impl PhiloxWords {
    /// The words of `(seed, seed2)` from the first on.
    pub(crate) fn new(seed: i64, seed2: i64) -> PhiloxWords {
        PhiloxWords { key: halves(seed as u64), seed2: halves(seed2 as u64), next: 0, block: [0; 4] }
    }

    /// The same words from number `index` on.
    pub(crate) fn starting_at(mut self, index: u64) -> PhiloxWords {
        self.next = index;
        self.load_block();
        self
    }

    /// The next word.
    pub(crate) fn next_word(&mut self) -> u32 {
        if self.next.is_multiple_of(4) {
            self.load_block();
        }
        let word = self.block[(self.next % 4) as usize];
        // There is no last word: behind the largest number comes the first again.
        self.next = self.next.wrapping_add(1);
        word
    }

    /// The next words, as many as `words` has room for: [`next_word`](PhiloxWords::next_word) for each, several times as fast.
    pub(crate) fn fill(&mut self, words: &mut [u32]) {
        let num_before = (self.next.wrapping_neg() % 4).min(words.len() as u64) as usize;
        let (before, whole) = words.split_at_mut(num_before);
        before.iter_mut().for_each(|word| *word = self.next_word());
        let (groups, rest) = whole.as_chunks_mut::<{ 4 * LANES }>();
        self.fill_groups(groups);
        rest.iter_mut().for_each(|word| *word = self.next_word());
    }

    /// The words of the next counters, [`LANES`] of them a group.
    fn fill_groups(&mut self, groups: &mut [[u32; 4 * LANES]]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 was detected just now.
            unsafe { self.fill_groups_with_avx2(groups) };
            return;
        }
        self.fill_lanes(groups);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_groups_with_avx2(&mut self, groups: &mut [[u32; 4 * LANES]]) {
        self.fill_lanes(groups);
    }

    /// The counters of a group side by side: a round of one waits for the round before it, several keep the multipliers
    /// busy. Inlined, so that it is compiled for the processor of whoever calls it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled as part of its callers")]
    #[allow(clippy::needless_range_loop, reason = "a lane in each of four words")]
    fn fill_lanes(&mut self, groups: &mut [[u32; 4 * LANES]]) {
        for words in groups {
            let first = self.next / 4;
            // Words of 64 bits of which the lower half is used: what the processor multiplies.
            let mut lanes = [[0_u64; LANES]; 4];
            for lane in 0..LANES {
                let counter = first.wrapping_add(lane as u64);
                let (low, high) = (counter & LOW, counter >> 32);
                [lanes[0][lane], lanes[1][lane]] = [low, high];
                [lanes[2][lane], lanes[3][lane]] = self.seed2.map(u64::from);
            }
            let mut key = self.key;
            for _ in 0..10 {
                for lane in 0..LANES {
                    let product0 = (lanes[0][lane] & LOW) * 0xd251_1f53;
                    let product1 = (lanes[2][lane] & LOW) * 0xcd9e_8d57;
                    lanes[0][lane] = (product1 >> 32) ^ lanes[1][lane] ^ u64::from(key[0]);
                    lanes[1][lane] = product1 & LOW;
                    lanes[2][lane] = (product0 >> 32) ^ lanes[3][lane] ^ u64::from(key[1]);
                    lanes[3][lane] = product0 & LOW;
                }
                key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
            }
            for (lane, block) in words.chunks_exact_mut(4).enumerate() {
                block.copy_from_slice(&[0, 1, 2, 3].map(|part: usize| lanes[part][lane] as u32));
            }
            self.next = self.next.wrapping_add((4 * LANES) as u64);
        }
    }

    fn load_block(&mut self) {
        let [low, high] = halves(self.next / 4);
        self.block = philox([low, high, self.seed2[0], self.seed2[1]], self.key);
    }
}

/// Counters computed at a time.
const LANES: usize = 8;
/// The lower half of a number.
const LOW: u64 = 0xffff_ffff;

/// The seeds of a shuffle's iteration number `iteration`: two words of its own pair, as tf.data draws them.
pub(crate) fn seeds_of_iteration(seed: i64, seed2: i64, iteration: u64) -> (i64, i64) {
    let mut words = PhiloxWords::new(seed, seed2).starting_at(iteration.wrapping_mul(2));
    (i64::from(words.next_word()), i64::from(words.next_word()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_reference() {
        // Known answers published with Random123 (philox4x32-10): counter and key zero, all ones, digits of pi.
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn a_stream_continues_anywhere() {
        let mut words = PhiloxWords::new(3, 4);
        let all: Vec<u32> = (0..20).map(|_| words.next_word()).collect();
        for start in 0..20 {
            let mut words = PhiloxWords::new(3, 4).starting_at(start as u64);
            assert!(all[start..].iter().all(|&word| word == words.next_word()), "from {start}");
        }
    }

    #[test]
    fn many_words_at_a_time_are_those_one_by_one() {
        // The counter's upper half comes in between, too.
        for first in [0, 4 * (u64::from(u32::MAX) - 3)] {
            let mut one_by_one = PhiloxWords::new(5, 6).starting_at(first);
            let all: Vec<u32> = (0..300).map(|_| one_by_one.next_word()).collect();
            for (start, len) in [(0, 300), (1, 2), (3, 1), (2, 290), (0, 0), (5, 64), (4, 33), (7, 3)] {
                let mut words = PhiloxWords::new(5, 6).starting_at(first + start as u64);
                let mut filled = vec![0; len];
                words.fill(&mut filled);
                assert_eq!(filled, all[start..start + len], "{len} words from {start}");
                assert_eq!(
                    words.next_word(),
                    *all.get(start + len).unwrap_or(&one_by_one.clone().next_word())
                );
            }
        }
    }
}
