//! The lines of a file and their numbers, as a table.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use feedline_data::block::{Strings, Tensor};
use feedline_io::{Error as IoError, shown};
use feedline_plan::{Symbolic, ops};

use crate::{Error, Result};

/// A table from the lines of a file to their numbers, from 0 on: what [`ops::lookup`] takes. It is read once and becomes a part of the
/// plans it is used in, which need no file where they run.
///
/// ```
/// use feedline::{Dataset, Vocabulary};
/// use feedline::data::block::{Strings, Tensor};
///
/// # fn main() -> feedline::Result<()> {
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("words.txt");
/// # std::fs::write(&path, "cat\ndog\n").expect("can be written");
/// let words = Vocabulary::from_file(&path)?;
/// let texts = Tensor::from_strings(vec![2], ["dog", "cow"].iter().collect::<Strings>());
/// let numbers = Dataset::from_tensors(texts).map(|x| words.find(x, -1));
/// let element = numbers.iterator()?.next().expect("one")?;
/// assert_eq!(element.leaves()[0].as_slice::<i64>(), [1, -1]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Vocabulary {
    keys: Tensor,
    numbers: Tensor,
}

impl Vocabulary {
    /// The lines of the file `path`. One carriage return at the end of a line is no part of it, as in TensorFlow.
    ///
    /// # Errors
    /// If it cannot be read, or a line is in it twice.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Vocabulary> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| IoError::io(path, "read", error))?;
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let lines: Vec<&[u8]> = lines.filter(|_| !bytes.is_empty()).collect();
        let mut known = HashMap::with_capacity(lines.len());
        for (number, line) in lines.iter().enumerate() {
            if let Some(before) = known.insert(*line, number) {
                return Err(Error::Argument {
                    message: format!(
                        "{}: lines {before} and {number} are both '{}', counted from 0",
                        shown(path),
                        line.escape_ascii()
                    ),
                    hint: "a line has one number; leave the second out".into(),
                });
            }
        }
        let count = lines.len();
        let numbers = Tensor::from_vec(vec![count], (0..count as i64).collect());
        Ok(Vocabulary {
            keys: Tensor::from_strings(vec![count], lines.into_iter().collect::<Strings>()),
            numbers,
        })
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.keys.num_values()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of each of `keys`, which are strings; `default` for those that are no line of the file.
    #[track_caller]
    #[must_use]
    pub fn find(&self, keys: impl Into<Symbolic>, default: i64) -> Symbolic {
        ops::lookup::find(keys, self.keys.clone(), self.numbers.clone(), Tensor::scalar(default))
    }

    /// As [`Vocabulary::find`]; others get one of `num_oov_buckets` numbers behind those of the lines, by a hash.
    #[track_caller]
    #[must_use]
    pub fn find_or_hash(&self, keys: impl Into<Symbolic>, num_oov_buckets: i64) -> Symbolic {
        ops::lookup::find_or_hash(keys, self.keys.clone(), self.numbers.clone(), num_oov_buckets)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::Dataset;

    fn of(text: &[u8]) -> Result<Vocabulary> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.txt");
        fs::write(&path, text).unwrap();
        Vocabulary::from_file(path)
    }

    fn found(words: &Vocabulary, keys: &[&str]) -> Vec<i64> {
        let keys = Tensor::from_strings(vec![keys.len()], keys.iter().collect::<Strings>());
        let dataset = Dataset::from_tensors(keys).map(|keys| words.find(keys, -1));
        let element = dataset.iterator().unwrap().next().unwrap().unwrap();
        element.leaves()[0].as_slice::<i64>().to_vec()
    }

    #[test]
    fn lines_have_their_numbers() {
        // As TensorFlow 2.21: one carriage return at the end of a line is left out.
        let words = of(b"cat\r\r\ndo\rg\r\n\nend\r").unwrap();
        assert_eq!(words.len(), 4);
        assert_eq!(found(&words, &["cat\r", "do\rg", "", "end", "cat"]), [0, 1, 2, 3, -1]);
        assert!(of(b"").unwrap().is_empty());
        // TensorFlow's StaticVocabularyTable of the same keys.
        let words = of(b"cat\ndog\n").unwrap();
        let keys = Tensor::from_strings(vec![4], ["dog", "cow", "", "mouse"].iter().collect::<Strings>());
        let dataset = Dataset::from_tensors(keys).map(|keys| words.find_or_hash(keys, 5));
        let element = dataset.iterator().unwrap().next().unwrap().unwrap();
        assert_eq!(element.leaves()[0].as_slice::<i64>(), [1, 5, 5, 3]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let error = of(b"a\nb\na\n").unwrap_err().to_string();
        assert!(
            error.contains("words.txt: lines 0 and 2 are both 'a'") && error.contains("hint: "),
            "{error}"
        );
        let error = Vocabulary::from_file("nowhere/words.txt").unwrap_err().to_string();
        assert!(error.contains("nowhere/words.txt"), "{error}");
    }
}
