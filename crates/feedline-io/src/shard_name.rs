//! `train-00003-of-00008.tfrecord`: the name of one file of a set, which says how many there are.
//!
//! The names carry the count, so that a set with a missing file can be told from a smaller set.

use std::fmt;

/// Digits to which numbers are padded, as TensorFlow does; a set of more than 99999 files takes more.
const MIN_DIGITS: usize = 5;

/// One name of a set: `PREFIX-INDEX-of-COUNT.EXTENSION`.
///
/// ```
/// use feedline_io::ShardName;
///
/// let name = ShardName::new("data/train", 3, 8, "tfrecord").unwrap();
/// assert_eq!(name.to_string(), "data/train-00003-of-00008.tfrecord");
/// assert_eq!(ShardName::parse("data/train-00003-of-00008.tfrecord"), Some(name));
/// assert_eq!(ShardName::parse("data/train.tfrecord"), None);
/// assert_eq!(ShardName::set("data/train", 8, "tfrecord").count(), 8);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShardName {
    prefix: String,
    extension: String,
    index: u64,
    count: u64,
    // Kept so that a parsed name prints as it was: some writers pad the index to 5 digits beside a wider count.
    index_digits: usize,
    count_digits: usize,
}

impl ShardName {
    /// The name of file `index` of `count`. `prefix` may contain folders; `extension` is without its dot and
    /// may be empty, and then the name has no dot.
    ///
    /// `None` where there is no such name, or [`parse`](Self::parse) would not give back these parts: an index
    /// not below the count, a prefix without a file name, an extension with a `/` or a set's numbers in it.
    pub fn new(prefix: &str, index: u64, count: u64, extension: &str) -> Option<Self> {
        let digits = num_digits(count).max(MIN_DIGITS);
        let name = Self {
            prefix: prefix.to_owned(),
            extension: extension.to_owned(),
            index,
            count,
            index_digits: digits,
            count_digits: digits,
        };
        (Self::parse(&name.to_string()).as_ref() == Some(&name)).then_some(name)
    }

    /// All names of a set, in order; none where [`new`](Self::new) would refuse them.
    pub fn set(prefix: &str, count: u64, extension: &str) -> impl Iterator<Item = ShardName> + use<> {
        let first = Self::new(prefix, 0, count, extension);
        first.into_iter().flat_map(|first| first.siblings())
    }

    /// All names of the set this one belongs to, itself included, in order.
    pub fn siblings(&self) -> impl Iterator<Item = ShardName> + use<> {
        let this = self.clone();
        (0..self.count).map(move |index| ShardName { index, ..this.clone() })
    }

    /// Reads a name, with or without folders before it; `None` if it is not one of a set.
    ///
    /// Both numbers need at least five digits, and the index must be below the count.
    pub fn parse(name: &str) -> Option<Self> {
        // From the right: the prefix may look like anything, also like another set's name.
        let file_start = name.rfind('/').map_or(0, |slash| slash + 1);
        let (separator, _) = name.rmatch_indices("-of-").find(|(at, _)| *at > file_start)?;
        let (head, tail) = (&name[..separator], &name[separator + "-of-".len()..]);

        let count_digits = tail.bytes().take_while(u8::is_ascii_digit).count();
        let extension = match &tail[count_digits..] {
            "" => "",
            rest => rest.strip_prefix('.').filter(|extension| !extension.is_empty())?,
        };
        let index_digits = head.bytes().rev().take_while(u8::is_ascii_digit).count();
        let prefix = head[..head.len() - index_digits].strip_suffix('-')?;
        if prefix.len() <= file_start || index_digits < MIN_DIGITS || count_digits < MIN_DIGITS {
            return None;
        }
        let index = head[head.len() - index_digits..].parse().ok()?;
        let count = tail[..count_digits].parse().ok()?;
        (index < count).then(|| Self {
            prefix: prefix.to_owned(),
            extension: extension.to_owned(),
            index,
            count,
            index_digits,
            count_digits,
        })
    }

    /// What all names of the set begin with, folders included.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Which file of the set, from 0.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// How many files the set has.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What follows the first dot after the numbers, e.g. `tfrecord` or `tfrecord.gz`; may be empty.
    pub fn extension(&self) -> &str {
        &self.extension
    }
}

impl fmt::Display for ShardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { prefix, extension, index, count, index_digits, count_digits } = self;
        write!(f, "{prefix}-{index:0index_digits$}-of-{count:0count_digits$}")?;
        if extension.is_empty() { Ok(()) } else { write!(f, ".{extension}") }
    }
}

fn num_digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_sets() {
        let cases = [
            ("a-00000-of-00001", "a", 0, 1, ""),
            ("data/train-00003-of-00008.tfrecord", "data/train", 3, 8, "tfrecord"),
            ("train-00003-of-00008.tfrecord.gz", "train", 3, 8, "tfrecord.gz"),
            ("mnist-train.tfrecord-00000-of-00010", "mnist-train.tfrecord", 0, 10, ""),
            ("a-123456-of-200000.rec", "a", 123_456, 200_000, "rec"),
            ("a-00001-of-200000.rec", "a", 1, 200_000, "rec"),
            ("x-00000-of-00002-00001-of-00002.rec", "x-00000-of-00002", 1, 2, "rec"),
            ("d-00000-of-00002/x-00001-of-00002.rec", "d-00000-of-00002/x", 1, 2, "rec"),
            ("--00000-of-00001.r", "-", 0, 1, "r"),
        ];
        for (text, prefix, index, count, extension) in cases {
            let name = ShardName::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((name.prefix(), name.index()), (prefix, index), "{text}");
            assert_eq!((name.count(), name.extension()), (count, extension), "{text}");
            assert_eq!(name.to_string(), text);
        }
    }

    #[test]
    fn other_names() {
        let cases = [
            "",
            "train.tfrecord",
            "train-00000-of-00008-abc.parquet",
            "train-0-of-8.rec",
            "train-00008-of-00008.rec",
            "train-00000-of-00000.rec",
            "train-00000-of-00008.",
            "-00000-of-00008.rec",
            "data/-00000-of-00008.rec",
            "train-00000-of-99999999999999999999999.rec",
            "train-00000-of-.rec",
            "train-00000-of-00008x",
            "train-00000-of-00008/x.rec",
            "train_00000-of-00008.rec",
            "-of-",
        ];
        for text in cases {
            assert_eq!(ShardName::parse(text), None, "{text}");
        }
    }

    #[test]
    fn impossible_parts_make_no_name() {
        assert_eq!(ShardName::new("a", 1, 1, "rec"), None);
        assert_eq!(ShardName::new("a", 0, 0, "rec"), None);
        assert_eq!(ShardName::new("", 0, 1, "rec"), None);
        assert_eq!(ShardName::new("a/", 0, 1, "rec"), None);
        assert_eq!(ShardName::new("a", 0, 1, "b/c"), None);
        assert_eq!(ShardName::new("a", 0, 1, "b-00000-of-00001"), None);
        assert_eq!(ShardName::set("a", 0, "rec").count(), 0);
    }

    #[test]
    fn a_set_of_more_than_five_digits_sorts_by_bytes() {
        let names: Vec<String> = ShardName::set("a", 100_001, "rec").map(|name| name.to_string()).collect();
        assert_eq!(names.len(), 100_001);
        assert_eq!(names[7], "a-000007-of-100001.rec");
        assert!(names.is_sorted());
    }

    proptest! {
        #[test]
        fn what_parses_prints_back(text in "[ab/.]{0,3}-[0-9]{4,7}-of-[0-9]{4,7}(\\.[ab.]{0,3})?|.{0,40}") {
            if let Some(name) = ShardName::parse(&text) {
                prop_assert_eq!(name.to_string(), text);
            }
        }

        #[test]
        fn what_is_made_parses_back(prefix in ".{0,12}", index in 0_u64..9, count: u64, extension in ".{0,8}") {
            if let Some(name) = ShardName::new(&prefix, index, count, &extension) {
                prop_assert_eq!(ShardName::parse(&name.to_string()), Some(name));
            }
        }
    }
}
