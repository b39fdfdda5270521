//! Which entries of a dimension are taken, in which order: told by a rule where there is one, so that nothing of the result's size is made
//! before there is memory for it.

use std::ops::Range;

/// Entries of a dimension by their numbers.
pub(in crate::eval) enum Entries {
    /// Neighbours.
    Range(Range<usize>),
    /// All of `dim`, from the last to the first.
    Reversed { dim: usize },
    /// All of `dim`, the last `turn` of them first.
    Rolled { dim: usize, turn: usize },
    /// All of `dim`, `times` times.
    Cycled { dim: usize, times: usize },
    /// All of `dim`, each `times` times in a row.
    Repeated { dim: usize, times: usize },
    /// Entry after entry, each so many times in a row.
    Runs(Vec<usize>),
    /// All of `dim`, with so many before and behind them.
    Padded { dim: usize, before: usize, behind: usize, padding: Padding },
    /// These.
    List(Vec<usize>),
}

/// What stands before and behind the entries of a padded dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::eval) enum Padding {
    /// Something that the tensor does not have.
    Fill,
    /// Its entries mirrored, but for as many at the edge: 0 or 1.
    Mirrored { skipped: usize },
}

impl Entries {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Entries::Range(range) => range.len(),
            Entries::Reversed { dim } | Entries::Rolled { dim, .. } => *dim,
            Entries::Cycled { dim, times } | Entries::Repeated { dim, times } => dim * times,
            Entries::Runs(times) => times.iter().sum(),
            Entries::Padded { dim, before, behind, .. } => before + dim + behind,
            Entries::List(list) => list.len(),
        }
    }

    /// Whether they are all of `dim`, in their order.
    pub(super) fn is_whole(&self, dim: usize) -> bool {
        match self {
            Entries::Range(range) => *range == (0..dim),
            Entries::Cycled { times: 1, .. }
            | Entries::Repeated { times: 1, .. }
            | Entries::Rolled { turn: 0, .. }
            | Entries::Padded { before: 0, behind: 0, .. } => true,
            Entries::List(list) => list.iter().copied().eq(0..dim),
            _ => false,
        }
    }

    /// Visits their numbers; `None` stands for one that the tensor does not have.
    pub(super) fn visit(&self, mut visit: impl FnMut(Option<usize>)) {
        let mut each = |entry: usize| visit(Some(entry));
        match self {
            Entries::Range(range) => range.clone().for_each(each),
            Entries::Reversed { dim } => (0..*dim).rev().for_each(each),
            Entries::Rolled { dim, turn } => (dim - turn..*dim).chain(0..dim - turn).for_each(each),
            Entries::Cycled { dim, times } => (0..*times).for_each(|_| (0..*dim).for_each(&mut each)),
            Entries::Repeated { dim, times } => {
                (0..*dim).for_each(|entry| (0..*times).for_each(|_| each(entry)));
            }
            Entries::Runs(times) => {
                times.iter().enumerate().for_each(|(entry, &times)| (0..times).for_each(|_| each(entry)));
            }
            Entries::List(list) => list.iter().copied().for_each(each),
            Entries::Padded { dim, before, behind, padding: Padding::Fill } => {
                (0..*before).for_each(|_| visit(None));
                (0..*dim).for_each(|entry| visit(Some(entry)));
                (0..*behind).for_each(|_| visit(None));
            }
            Entries::Padded { dim, before, behind, padding: Padding::Mirrored { skipped } } => {
                (*skipped..before + skipped).rev().for_each(&mut each);
                (0..*dim).for_each(&mut each);
                (0..*behind).for_each(|place| each(dim - 1 - skipped - place));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rule against the list it stands for, with `None` for what the tensor does not have.
    #[test]
    fn rules_are_the_lists_they_stand_for() {
        let mirrored = |skipped| Entries::Padded {
            dim: 3,
            before: 2,
            behind: 1,
            padding: Padding::Mirrored { skipped },
        };
        let filled = Entries::Padded { dim: 2, before: 1, behind: 2, padding: Padding::Fill };
        let some = |list: &[usize]| list.iter().copied().map(Some).collect::<Vec<_>>();
        let cases = [
            ("range", Entries::Range(1..3), some(&[1, 2])),
            ("reversed", Entries::Reversed { dim: 3 }, some(&[2, 1, 0])),
            ("rolled", Entries::Rolled { dim: 4, turn: 1 }, some(&[3, 0, 1, 2])),
            ("rolled by nothing", Entries::Rolled { dim: 3, turn: 0 }, some(&[0, 1, 2])),
            ("nothing rolled", Entries::Rolled { dim: 0, turn: 0 }, vec![]),
            ("cycled", Entries::Cycled { dim: 2, times: 3 }, some(&[0, 1, 0, 1, 0, 1])),
            ("repeated", Entries::Repeated { dim: 2, times: 2 }, some(&[0, 0, 1, 1])),
            ("runs", Entries::Runs(vec![2, 0, 1]), some(&[0, 0, 2])),
            ("symmetric", mirrored(0), some(&[1, 0, 0, 1, 2, 2])),
            ("reflect", mirrored(1), some(&[2, 1, 0, 1, 2, 1])),
            ("filled", filled, vec![None, Some(0), Some(1), None, None]),
            ("list", Entries::List(vec![4, 4, 0]), some(&[4, 4, 0])),
        ];
        for (name, entries, expected) in cases {
            let mut visited = Vec::new();
            entries.visit(|entry| visited.push(entry));
            assert_eq!((visited.len(), &visited), (entries.count(), &expected), "{name}");
            let dim = visited.iter().flatten().max().map_or(0, |last| last + 1);
            assert_eq!(entries.is_whole(dim), expected == (0..dim).map(Some).collect::<Vec<_>>(), "{name}");
        }
    }
}
