//! Where the records of a file begin, as one number: to compare a file of any size with its index without keeping either.

/// A sum over the first bytes of records. It does not depend on the order, so that the pieces of a scan can be added up, and
/// two sets of places that differ have the same sum about once in 2^64 times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlaceSum(u64);

impl PlaceSum {
    /// Adds a record that begins at byte `offset`.
    pub(crate) fn add(&mut self, offset: u64) {
        // Each bit of the offset must reach all of the sum: as they are, 1 and 4 would add up to what 2 and 3 do.
        let mut mixed = (offset ^ offset >> 32).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 29).wrapping_mul(0xd6e8_feb8_6659_fd93);
        self.0 = self.0.wrapping_add(mixed ^ mixed >> 32);
    }

    /// Adds the records of `other`.
    pub(crate) fn join(&mut self, other: PlaceSum) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl FromIterator<u64> for PlaceSum {
    fn from_iter<I: IntoIterator<Item = u64>>(offsets: I) -> PlaceSum {
        let mut sum = PlaceSum::default();
        offsets.into_iter().for_each(|offset| sum.add(offset));
        sum
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn order_and_pieces_do_not_matter_and_places_do() {
        let sum = |offsets: &[u64]| offsets.iter().copied().collect::<PlaceSum>();
        assert_eq!(sum(&[0, 20, 70]), sum(&[70, 0, 20]));
        let mut joined = sum(&[0, 20]);
        joined.join(sum(&[70]));
        assert_eq!(joined, sum(&[0, 20, 70]));

        // Every set of three of the first places: as many sums as sets.
        let mut sums = HashSet::new();
        let mut num_sets = 0;
        for a in 0..60 {
            for b in 0..a {
                for c in 0..b {
                    sums.insert(sum(&[a, b, c]).0);
                    num_sets += 1;
                }
            }
        }
        assert_eq!(sums.len(), num_sets);
    }
}
