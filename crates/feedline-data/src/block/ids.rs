//! Where rows come from: a number for each that stays with it wherever it goes.

use std::ops::Range;
use std::sync::Arc;

/// The provenance ids of a run of rows.
///
/// A source numbers its rows; everything downstream passes the numbers on. Random values are a function of the id, so
/// that moving, dropping or regrouping rows changes nobody's.
#[derive(Clone, Debug)]
pub enum Ids {
    /// Row `i` has id `first + i`: how sources number, at no cost a row.
    Run {
        /// Id of the first row.
        first: u64,
        /// Number of rows.
        len: usize,
    },
    /// Each row its own.
    List {
        /// Ids; only `range` is meant.
        ids: Arc<Vec<u64>>,
        /// The part of `ids` that is meant.
        range: Range<usize>,
    },
}

impl Ids {
    /// `len` consecutive ids from `first`.
    pub fn run(first: u64, len: usize) -> Ids {
        Ids::Run { first, len }
    }

    /// These ids.
    pub fn list(ids: Vec<u64>) -> Ids {
        Ids::List { range: 0..ids.len(), ids: Arc::new(ids) }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Ids::Run { len, .. } => *len,
            Ids::List { range, .. } => range.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of row `row`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> u64 {
        match self {
            Ids::Run { first, len } => {
                assert!(row < *len, "row {row} of {len}");
                first.wrapping_add(row as u64)
            }
            Ids::List { ids, range } => ids[range.clone()][row],
        }
    }

    /// All ids in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// Those of a run of rows.
    ///
    /// # Panics
    /// If `rows` are not within it.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Ids {
        assert!(rows.start <= rows.end && rows.end <= self.len(), "rows {rows:?} of {}", self.len());
        match self {
            Ids::Run { first, .. } => Ids::run(first.wrapping_add(rows.start as u64), rows.len()),
            Ids::List { ids, range } => {
                Ids::List { ids: Arc::clone(ids), range: range.start + rows.start..range.start + rows.end }
            }
        }
    }

    /// Those of the rows at `rows`.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn gather(&self, rows: &[usize]) -> Ids {
        Ids::list(rows.iter().map(|&row| self.get(row)).collect())
    }

    /// Each id plus `salt`, to keep apart rows that come from different inputs.
    #[must_use]
    pub fn salted(&self, salt: u64) -> Ids {
        match self {
            Ids::Run { first, len } => Ids::run(first.wrapping_add(salt), *len),
            Ids::List { .. } => Ids::list(self.iter().map(|id| id.wrapping_add(salt)).collect()),
        }
    }

    /// All of `parts`, one behind the other.
    pub fn concat(parts: &[Ids]) -> Ids {
        if let [only] = parts {
            return only.clone();
        }
        if let Some(&Ids::Run { first, .. }) = parts.first() {
            let mut next = first;
            let is_one_run = parts.iter().all(|part| match part {
                Ids::Run { first, len } if *first == next => {
                    next = next.wrapping_add(*len as u64);
                    true
                }
                _ => false,
            });
            if is_one_run {
                return Ids::run(first, parts.iter().map(Ids::len).sum());
            }
        }
        Ids::list(parts.iter().flat_map(Ids::iter).collect())
    }
}

impl PartialEq for Ids {
    fn eq(&self, other: &Ids) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// A number that depends on all bits of both: for rows made from a row (`flat_map`), for iterations of a source.
pub fn mix(a: u64, b: u64) -> u64 {
    scramble(
        scramble(a.wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_add(b).wrapping_add(0x9e37_79b9_7f4a_7c15),
    )
}

/// The `b` of which [`mix`] makes `mixed` together with `a`.
pub fn unmix(a: u64, mixed: u64) -> u64 {
    unscramble(mixed)
        .wrapping_sub(0x9e37_79b9_7f4a_7c15)
        .wrapping_sub(scramble(a.wrapping_add(0x9e37_79b9_7f4a_7c15)))
}

/// The finalizer of `SplitMix64`: every bit that goes in changes every bit that comes out with probability near one half.
fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// What [`scramble`] made `bits` of: each of its steps back, with the inverses of its factors.
fn unscramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 31) ^ (bits >> 62)).wrapping_mul(0x3196_42b2_d24d_8ec3);
    bits = (bits ^ (bits >> 27) ^ (bits >> 54)).wrapping_mul(0x96de_1b17_3f11_9089);
    bits ^ (bits >> 30) ^ (bits >> 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_numbers_come_apart() {
        for a in [0, 1, 77, u64::MAX, mix(3, 4)] {
            for b in [0, 1, 5113, u64::MAX, mix(5, 6)] {
                assert_eq!(unmix(a, mix(a, b)), b, "{a} {b}");
            }
        }
    }

    #[test]
    fn mixed_numbers_differ() {
        let mixed: std::collections::BTreeSet<u64> =
            (0..100).flat_map(|a| (0..100).map(move |b| mix(a, b))).collect();
        assert_eq!(mixed.len(), 10_000);
        assert!(!mixed.contains(&0));
    }

    #[test]
    fn runs_stay_runs_where_they_can() {
        let run = Ids::run(u64::MAX, 4);
        assert_eq!(run.iter().collect::<Vec<_>>(), [u64::MAX, 0, 1, 2]);
        let joined = Ids::concat(&[run.slice(0..1), run.slice(1..4)]);
        assert!(matches!(joined, Ids::Run { .. }) && joined == run);
        let apart = Ids::concat(&[run.slice(2..4), run.slice(0..1)]);
        assert_eq!(apart, Ids::list(vec![1, 2, u64::MAX]));
        assert_eq!(apart.slice(1..3).salted(5).gather(&[1, 0]), Ids::list(vec![4, 7]));
    }
}
