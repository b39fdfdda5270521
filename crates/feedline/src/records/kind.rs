//! What the records of a file are, decided by a vote: bad ones must not hide what the others are.

use std::path::Path;

use feedline_formats::example::{self, RecordKind, SchemaBuilder};

use super::RecordReader;
use crate::error::{Error, Result};

/// Records, and bytes of file, after which the vote is closed. A few are enough, and `verify` of a thousand files
/// should not begin with reading a gigabyte twice.
const ENOUGH_RECORDS: u64 = 64;
const ENOUGH_BYTES: u64 = 512 << 10;

/// What single records look like, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindVotes {
    examples: u64,
    sequences: u64,
    others: u64,
    silent: u64,
}

impl KindVotes {
    /// Counts one record and says what it is, taken alone.
    ///
    /// A record that reads as an Example and has no feature has no say: short texts read so by chance.
    pub fn add(&mut self, record: &[u8]) -> RecordKind {
        let kind = kind_of(record);
        *match kind {
            None => &mut self.silent,
            Some(RecordKind::Example) => &mut self.examples,
            Some(RecordKind::SequenceExample) => &mut self.sequences,
            Some(RecordKind::Bytes) => &mut self.others,
        } += 1;
        kind.unwrap_or(RecordKind::Example)
    }

    /// Whether `record` could be an Example or a `SequenceExample`; counts nothing, and is faster.
    pub fn parses(record: &[u8]) -> bool {
        example::is_valid_example(record).is_ok() || example::is_valid_sequence_example(record).is_ok()
    }

    /// Records counted.
    pub fn num_records(&self) -> u64 {
        self.examples + self.sequences + self.others + self.silent
    }

    /// What they are, the bad ones among them aside. A single record with feature lists makes `SequenceExample`s of all Examples: one without
    /// lists reads as either.
    pub fn winner(&self) -> RecordKind {
        let num_protos = self.examples + self.sequences;
        // A good part of them is enough: records that look like Examples do so by chance only where they are empty, and
        // those have no say.
        if num_protos == 0 || num_protos * 4 < self.others {
            RecordKind::Bytes
        } else if self.sequences > 0 {
            RecordKind::SequenceExample
        } else {
            RecordKind::Example
        }
    }
}

/// What `record` is; `None` for one that reads as an Example and holds nothing.
fn kind_of(record: &[u8]) -> Option<RecordKind> {
    if !KindVotes::parses(record) {
        return Some(RecordKind::Bytes);
    }
    // The builder knows how to tell the two apart, and it is asked about few records only.
    let mut builder = SchemaBuilder::default();
    builder.observe(record);
    let schema = builder.finish();
    (!schema.features.is_empty() || !schema.lists.is_empty()).then_some(schema.kind)
}

/// What the records of the file at `path` are, going by the first of them.
///
/// Damage is passed over. A file without a whole record near its beginning is [`RecordKind::Bytes`].
pub fn guess_kind(path: &Path) -> Result<RecordKind> {
    let mut reader = RecordReader::open(path)?;
    let mut votes = KindVotes::default();
    while votes.num_records() < ENOUGH_RECORDS && reader.offset() < ENOUGH_BYTES {
        match reader.next_chunk() {
            Ok(Some(chunk)) => chunk.records.iter().take(ENOUGH_RECORDS as usize).for_each(|record| {
                votes.add(record);
            }),
            Ok(None) => break,
            Err(Error::Data { .. }) => {
                if !reader.skip_damaged(ENOUGH_BYTES).unwrap_or(false) {
                    break;
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(votes.winner())
}

#[cfg(test)]
mod tests {
    use feedline_formats::example::{ExampleWriter, FeatureValues, SequenceWriter};

    use super::*;

    #[test]
    fn bad_ones_do_not_decide_and_the_silent_have_no_say() {
        let example = ExampleWriter::new().int64("label", &[1]).to_bytes();
        let sequence = SequenceWriter::new().list("words", &[FeatureValues::Int64(&[1])]).to_bytes();
        let (text, empty) = (b"\xffsome text".to_vec(), Vec::new());
        let cases: [(&str, &[&Vec<u8>], RecordKind); 9] = [
            ("nothing", &[], RecordKind::Bytes),
            ("examples", &[&example, &example], RecordKind::Example),
            ("one bad", &[&text, &example, &example], RecordKind::Example),
            ("empty ones are no Examples", &[&empty, &empty], RecordKind::Bytes),
            ("empty ones do not outvote", &[&empty, &empty, &example], RecordKind::Example),
            ("sequences", &[&sequence, &example, &example], RecordKind::SequenceExample),
            ("texts", &[&text, &text, &empty], RecordKind::Bytes),
            ("more bad ones than good", &[&text, &text, &example], RecordKind::Example),
            ("mostly texts", &[&text, &text, &text, &text, &text, &example], RecordKind::Bytes),
        ];
        for (name, records, kind) in cases {
            let mut votes = KindVotes::default();
            records.iter().for_each(|record| _ = votes.add(record));
            assert_eq!(votes.winner(), kind, "{name}");
            assert_eq!(votes.num_records(), records.len() as u64);
        }
    }
}
