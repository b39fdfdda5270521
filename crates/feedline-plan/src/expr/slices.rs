//! Indexing and slicing with Python's rules.

use std::fmt;
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

use serde::{Deserialize, Serialize};

/// What to take of one dimension: one entry of `x[1:3, ..., 0, None]`.
///
/// Rust's ranges and numbers become slices by `into`; [`Slice::by`] gives them a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slice {
    /// One place; the dimension goes. Negative ones count from the end.
    At(i64),
    /// From `begin` to before `end` by `step`, cut to what there is. Negative ones count from the end.
    Range {
        /// First place; `None`: where the dimension begins (ends, where the step is negative).
        begin: Option<i64>,
        /// The place not reached; `None`: through to the other end.
        end: Option<i64>,
        /// From one place to the next; never 0.
        step: i64,
    },
    /// As many whole dimensions as the other entries leave.
    Ellipsis,
    /// A dimension of size 1 that was not there.
    NewAxis,
}

impl Slice {
    /// The whole dimension.
    pub const ALL: Slice = Slice::Range { begin: None, end: None, step: 1 };

    /// A range with another step: `Slice::ALL.by(-1)` is the dimension backwards. Anything else stays what it is.
    #[must_use]
    pub fn by(self, step: i64) -> Slice {
        match self {
            Slice::Range { begin, end, .. } => Slice::Range { begin, end, step },
            other => other,
        }
    }
}

impl fmt::Display for Slice {
    /// As Python writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slice::At(index) => write!(f, "{index}"),
            Slice::Range { begin, end, step } => {
                let text = |bound: &Option<i64>| bound.map_or_else(String::new, |bound| bound.to_string());
                write!(f, "{}:{}", text(begin), text(end))?;
                if *step == 1 { Ok(()) } else { write!(f, ":{step}") }
            }
            Slice::Ellipsis => f.write_str("..."),
            Slice::NewAxis => f.write_str("None"),
        }
    }
}

/// What a slice takes of a dimension whose size is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The first place.
    pub start: usize,
    /// How many.
    pub count: usize,
    /// From one to the next.
    pub step: i64,
}

/// What the range takes of a dimension of size `dim`: Python's `slice.indices`.
pub fn taken_of_range(begin: Option<i64>, end: Option<i64>, step: i64, dim: usize) -> Taken {
    let size = i64::try_from(dim).unwrap_or(i64::MAX);
    // Backwards, the place not reached lies one before the first.
    let (low, high) = if step < 0 { (-1, size - 1) } else { (0, size) };
    let bound = |given: Option<i64>, open: i64| {
        given.map_or(open, |at| (if at < 0 { at.saturating_add(size) } else { at }).clamp(low, high))
    };
    let (open_begin, open_end) = if step < 0 { (high, low) } else { (low, high) };
    let (start, stop) = (bound(begin, open_begin), bound(end, open_end));
    let distance = if step < 0 { start - stop } else { stop - start };
    let count = if distance <= 0 { 0 } else { (distance as u64 - 1) / step.unsigned_abs() + 1 };
    Taken { start: start.max(0) as usize, count: count as usize, step }
}

/// The place `index` means in a dimension of size `dim`.
///
/// # Errors
/// If it lies outside.
pub fn place_of_index(index: i64, dim: usize) -> Result<usize, String> {
    let size = i64::try_from(dim).unwrap_or(i64::MAX);
    if (-size..size).contains(&index) {
        return Ok((if index < 0 { index + size } else { index }) as usize);
    }
    Err(format!("index {index} is out of bounds for a dimension of size {dim}"))
}

/// `slices` with an entry for each of `rank` dimensions (and for each new one): no ellipsis is left.
///
/// # Errors
/// If there are more entries than dimensions, two ellipses, or a step of 0.
pub fn expand_slices(slices: &[Slice], rank: usize) -> Result<Vec<Slice>, String> {
    if slices.iter().any(|slice| matches!(slice, Slice::Range { step: 0, .. })) {
        return Err("the step of a slice must not be 0".into());
    }
    if slices.iter().filter(|slice| **slice == Slice::Ellipsis).count() > 1 {
        return Err("only one ellipsis can stand in an index".into());
    }
    let consumed = slices.iter().filter(|slice| matches!(slice, Slice::At(_) | Slice::Range { .. })).count();
    let Some(open) = rank.checked_sub(consumed) else {
        return Err(format!("{consumed} indices for a tensor of {rank} dimensions"));
    };
    let mut expanded = Vec::with_capacity(slices.len() + open);
    let mut has_ellipsis = false;
    for &slice in slices {
        if slice == Slice::Ellipsis {
            has_ellipsis = true;
            expanded.extend(std::iter::repeat_n(Slice::ALL, open));
        } else {
            expanded.push(slice);
        }
    }
    if !has_ellipsis {
        expanded.extend(std::iter::repeat_n(Slice::ALL, open));
    }
    Ok(expanded)
}

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Slice {
        Slice::ALL
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Slice {
            fn from(index: $integer) -> Slice {
                Slice::At(index.into())
            }
        }

        impl From<Range<$integer>> for Slice {
            fn from(range: Range<$integer>) -> Slice {
                Slice::Range { begin: Some(range.start.into()), end: Some(range.end.into()), step: 1 }
            }
        }

        impl From<RangeFrom<$integer>> for Slice {
            fn from(range: RangeFrom<$integer>) -> Slice {
                Slice::Range { begin: Some(range.start.into()), end: None, step: 1 }
            }
        }

        impl From<RangeTo<$integer>> for Slice {
            fn from(range: RangeTo<$integer>) -> Slice {
                Slice::Range { begin: None, end: Some(range.end.into()), step: 1 }
            }
        }

        into_slices!($integer, Range<$integer>, RangeFrom<$integer>, RangeTo<$integer>);
    )*};
}

/// What can be written between the brackets of `x[…]`: one entry, a tuple of entries, or a list of slices.
pub trait IntoSlices {
    /// The entries in order.
    fn into_slices(self) -> Vec<Slice>;
}

macro_rules! into_slices {
    ($($single:ty),*) => {$(
        impl IntoSlices for $single {
            fn into_slices(self) -> Vec<Slice> {
                vec![self.into()]
            }
        }
    )*};
}

macro_rules! tuples_into_slices {
    ($(($($name:ident)*)),*) => {$(
        impl<$($name: Into<Slice>),*> IntoSlices for ($($name,)*) {
            #[allow(non_snake_case, reason = "the parts are called what their types are called")]
            fn into_slices(self) -> Vec<Slice> {
                let ($($name,)*) = self;
                vec![$($name.into()),*]
            }
        }
    )*};
}

from_integers!(i32, i64);
into_slices!(Slice, RangeFull);
tuples_into_slices!((A), (A B), (A B C), (A B C D), (A B C D E));

impl IntoSlices for Vec<Slice> {
    fn into_slices(self) -> Vec<Slice> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python's `range(dim)[begin:end:step]`, by trying every place.
    fn reference(begin: Option<i64>, end: Option<i64>, step: i64, dim: i64) -> Vec<i64> {
        let resolve = |at: i64| if at < 0 { at + dim } else { at };
        let (mut at, stop) = if step > 0 {
            (begin.map_or(0, |b| resolve(b).max(0)), end.map_or(dim, |e| resolve(e).min(dim)))
        } else {
            (begin.map_or(dim - 1, |b| resolve(b).min(dim - 1)), end.map_or(-1, |e| resolve(e).max(-1)))
        };
        let mut places = Vec::new();
        while (step > 0 && at < stop) || (step < 0 && at > stop) {
            places.push(at);
            at += step;
        }
        places
    }

    #[test]
    fn ranges_take_what_python_takes() {
        let bounds = || std::iter::once(None).chain((-6..=6).map(Some));
        for dim in 0..4 {
            for (begin, end) in bounds().flat_map(|begin| bounds().map(move |end| (begin, end))) {
                for step in [-3, -2, -1, 1, 2, 5] {
                    let taken = taken_of_range(begin, end, step, dim);
                    let places: Vec<i64> =
                        (0..taken.count as i64).map(|i| taken.start as i64 + i * step).collect();
                    let expected = reference(begin, end, step, dim as i64);
                    assert_eq!(places, expected, "range({dim})[{begin:?}:{end:?}:{step}]");
                }
            }
        }
        assert_eq!(taken_of_range(Some(i64::MIN), Some(i64::MAX), i64::MAX, 3).count, 1);
        assert_eq!(taken_of_range(Some(i64::MAX), Some(i64::MIN), i64::MIN, 3).count, 1);
    }

    #[test]
    fn entries_are_written_as_rust_has_them() {
        let shown =
            |slices: Vec<Slice>| slices.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        assert_eq!(shown((1..3, .., -1, ..2_i64, 4..).into_slices()), "1:3, :, -1, :2, 4:");
        assert_eq!(
            shown((Slice::ALL.by(-2), Slice::Ellipsis, Slice::NewAxis).into_slices()),
            "::-2, ..., None"
        );
        assert_eq!(shown(expand_slices(&[Slice::At(0), Slice::Ellipsis], 3).expect("fits")), "0, :, :");
        assert_eq!(shown(expand_slices(&[Slice::Ellipsis, Slice::NewAxis], 1).expect("fits")), ":, None");
        assert!(expand_slices(&[Slice::At(0); 2], 1).is_err());
        assert!(expand_slices(&[Slice::Ellipsis; 2], 4).is_err());
        assert!(expand_slices(&[Slice::ALL.by(0)], 1).is_err());
    }
}
