//! Tensors that are kept as several plain ones.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of tensor that is made of several plain ones, its *parts*. Only who joins elements, or takes them apart, has to know:
/// for everything else the parts are leaves as others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Composite {
    /// Rows of different lengths. First the values of all rows, one behind the other, of any shape with one dimension at
    /// least; then, for each ragged dimension from the outermost, where its rows begin and the last one ends: `row_splits`,
    /// int64, of which the first is 0, none is smaller than the one before, and the last is the number of what they are rows of.
    ///
    /// A row of one with a single ragged dimension has values alone: it is a plain tensor, and functions see it as one, but a batch of
    /// such rows is ragged again.
    Ragged,
    /// A tensor of which few values are kept: where they are (`indices`, int64, a row of one index a dimension each), the
    /// values, and its shape (`dense_shape`, int64).
    Sparse,
}

impl Composite {
    /// Its name, as texts of plans have it.
    pub fn name(self) -> &'static str {
        match self {
            Composite::Ragged => "ragged",
            Composite::Sparse => "sparse",
        }
    }

    /// What part number `index` is called.
    pub fn part_name(self, index: usize) -> String {
        match (self, index) {
            (Composite::Ragged, 0) => "flat_values".into(),
            (Composite::Ragged, level) => format!("nested_row_splits[{}]", level - 1),
            (Composite::Sparse, 0) => "indices".into(),
            (Composite::Sparse, 1) => "values".into(),
            (Composite::Sparse, _) => "dense_shape".into(),
        }
    }

    /// Which part has the values.
    pub fn values_part(self) -> usize {
        match self {
            Composite::Ragged => 0,
            Composite::Sparse => 1,
        }
    }

    /// Whether it can have that many parts.
    pub fn has_parts(self, count: usize) -> bool {
        match self {
            Composite::Ragged => count >= 1,
            Composite::Sparse => count == 3,
        }
    }
}

/// Whether `splits` say where the rows of `count` things begin and the last one ends; an error says why not.
pub fn check_splits(splits: &[i64], count: usize) -> Result<(), String> {
    match (splits.first(), splits.last()) {
        (Some(0), Some(&last)) if last == count as i64 => {}
        (Some(0), Some(last)) => {
            return Err(format!("row_splits end with {last}, there are {count} to be in rows"));
        }
        (Some(first), _) => return Err(format!("row_splits begin with {first}, not with 0")),
        (None, _) => return Err("row_splits are empty; those of no rows are [0]".into()),
    }
    match splits.windows(2).position(|pair| pair[1] < pair[0]) {
        Some(at) => Err(format!("row_splits fall from {} to {} at {at}", splits[at], splits[at + 1])),
        None => Ok(()),
    }
}

impl fmt::Display for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
