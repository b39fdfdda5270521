//! What was lost to damage, and how well that is known.

use std::fmt;
use std::ops::{AddAssign, Sub};

/// What was lost to damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Damaged places. Each lost at least one record.
    pub regions: u64,
    /// Those among them that may have lost more than one: a length was damaged, and the next record searched for.
    pub unknown_regions: u64,
    /// Bytes skipped.
    pub bytes: u64,
}

impl Damage {
    /// How many records were lost, as far as that can be known.
    ///
    /// ```
    /// use feedline_formats::tfrecord::{Damage, LostRecords};
    ///
    /// let data = Damage { regions: 3, unknown_regions: 0, bytes: 300 };
    /// assert_eq!(data.lost_records(), LostRecords::Exactly(3));
    /// let length = Damage { unknown_regions: 1, ..data };
    /// assert_eq!(length.lost_records().to_string(), "at least 3");
    /// ```
    pub fn lost_records(&self) -> LostRecords {
        match self.unknown_regions {
            0 => LostRecords::Exactly(self.regions),
            _ => LostRecords::AtLeast(self.regions),
        }
    }
}

impl AddAssign for Damage {
    fn add_assign(&mut self, other: Damage) {
        self.regions += other.regions;
        self.unknown_regions += other.unknown_regions;
        self.bytes += other.bytes;
    }
}

impl Sub for Damage {
    type Output = Damage;

    /// The damage since `earlier`, an earlier state of the same reader.
    fn sub(self, earlier: Damage) -> Damage {
        Damage {
            regions: self.regions - earlier.regions,
            unknown_regions: self.unknown_regions - earlier.unknown_regions,
            bytes: self.bytes - earlier.bytes,
        }
    }
}

/// A number of lost records. Prints as `3` or `at least 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostRecords {
    /// Every length survived.
    Exactly(u64),
    /// Where a length was damaged, nothing says how many records stood in the bytes behind it.
    AtLeast(u64),
}

impl LostRecords {
    /// The number itself.
    pub fn count(self) -> u64 {
        let (LostRecords::Exactly(count) | LostRecords::AtLeast(count)) = self;
        count
    }

    /// Whether no more than that were lost.
    pub fn is_exact(self) -> bool {
        matches!(self, LostRecords::Exactly(_))
    }
}

impl fmt::Display for LostRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LostRecords::Exactly(count) => count.fmt(f),
            LostRecords::AtLeast(count) => write!(f, "at least {count}"),
        }
    }
}
