//! Which input row stands at which output position.

/// A permutation of the rows.
pub(super) enum Order {
    /// As they come.
    Input,
    /// Shuffled: the row at each position.
    ///
    /// Eight bytes a row, as much as the table of where rows begin. A Feistel network would need none, but is not a
    /// uniform shuffle of few rows; this one is, whatever their number.
    Shuffled(Vec<u64>),
}

impl Order {
    pub(super) fn new(num_rows: u64, shuffle_seed: Option<u64>) -> Order {
        match shuffle_seed {
            None => Order::Input,
            Some(seed) => Order::Shuffled(shuffled(num_rows, seed)),
        }
    }

    pub(super) fn row_at(&self, position: u64) -> u64 {
        match self {
            Order::Input => position,
            Order::Shuffled(rows) => rows[position as usize],
        }
    }
}

/// Fisher and Yates's shuffle, its k-th draw a function of (seed, k) and of nothing else.
fn shuffled(num_rows: u64, seed: u64) -> Vec<u64> {
    let mut rows: Vec<u64> = (0..num_rows).collect();
    let key = mix(seed);
    for last in (1..rows.len()).rev() {
        // The high half of a 128-bit product: below `last + 1`, and biased by less than one part in 2^64 / rows.
        let drawn = (u128::from(mix(key ^ last as u64)) * (last as u128 + 1)) >> 64;
        rows.swap(last, drawn as usize);
    }
    rows
}

/// A bijection of 64 bits in which every bit of the input moves every bit of the output: `SplitMix64`'s output function.
fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_one_place() {
        for num_rows in [0, 1, 2, 3, 10, 1000, 65_537] {
            for seed in [0, 1, u64::MAX] {
                let mut rows = shuffled(num_rows, seed);
                rows.sort_unstable();
                assert!(rows.into_iter().eq(0..num_rows), "{num_rows} rows, seed {seed}");
            }
        }
    }

    #[test]
    fn the_order_follows_from_the_seed() {
        assert_eq!(shuffled(1000, 7), shuffled(1000, 7));
        assert_ne!(shuffled(1000, 7), shuffled(1000, 8));
        assert_ne!(shuffled(1000, 0), (0..1000).collect::<Vec<_>>());
        // Written down, because a data set made today must come out the same after any change of this code.
        assert_eq!(shuffled(8, 42), PINNED);
    }

    const PINNED: [u64; 8] = [7, 2, 4, 3, 1, 6, 5, 0];

    #[test]
    fn all_orders_are_about_equally_frequent() {
        let mut counts = std::collections::HashMap::new();
        for seed in 0..24_000 {
            *counts.entry(shuffled(4, seed)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        // 1000 expected; six standard deviations are 186.
        assert!(counts.values().all(|count| (814..1186).contains(count)), "{counts:?}");
    }
}
