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
        self.next += 1;
        word
    }

    fn load_block(&mut self) {
        let [low, high] = halves(self.next / 4);
        self.block = philox([low, high, self.seed2[0], self.seed2[1]], self.key);
    }
}

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
}
