//! What the records of a file are, decided by a vote: a few bad ones must not hide what the others are.

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
    num_examples: u64,
    num_sequences: u64,
    num_others: u64,
    num_silent: u64,
}

impl KindVotes {
    /// Counts one record and says what it is, taken alone.
    ///
    /// A record that reads as an Example and has no feature has no say: short texts read so by chance.
    pub fn add(&mut self, record: &[u8]) -> RecordKind {
        let kind = kind_of(record);
        let (has_say, kind) = match kind {
            Some(kind) => (true, kind),
            None => (false, RecordKind::Example),
        };
        *match kind {
            _ if !has_say => &mut self.num_silent,
            RecordKind::Example => &mut self.num_examples,
            RecordKind::SequenceExample => &mut self.num_sequences,
            RecordKind::Bytes => &mut self.num_others,
        } += 1;
        kind
    }

    /// Records counted.
    pub fn num_records(&self) -> u64 {
        self.num_examples + self.num_sequences + self.num_others + self.num_silent
    }

    /// What most of them are. A single record with feature lists makes `SequenceExample`s of all Examples: one without
    /// lists reads as either.
    pub fn winner(&self) -> RecordKind {
        let num_protos = self.num_examples + self.num_sequences;
        if num_protos == 0 || num_protos < self.num_others {
            RecordKind::Bytes
        } else if self.num_sequences > 0 {
            RecordKind::SequenceExample
        } else {
            RecordKind::Example
        }
    }
}

/// What `record` is; `None` for one that reads as an Example and holds nothing.
fn kind_of(record: &[u8]) -> Option<RecordKind> {
    if example::is_valid_example(record).is_err() && example::is_valid_sequence_example(record).is_err() {
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
    fn the_majority_decides_and_the_silent_have_no_say() {
        let example = ExampleWriter::new().int64("label", &[1]).to_bytes();
        let sequence = SequenceWriter::new().list("words", &[FeatureValues::Int64(&[1])]).to_bytes();
        let (text, empty) = (b"\xffsome text".to_vec(), Vec::new());
        let cases: [(&str, &[&Vec<u8>], RecordKind); 8] = [
            ("nothing", &[], RecordKind::Bytes),
            ("examples", &[&example, &example], RecordKind::Example),
            ("one bad", &[&text, &example, &example], RecordKind::Example),
            ("empty ones are no Examples", &[&empty, &empty], RecordKind::Bytes),
            ("empty ones do not outvote", &[&empty, &empty, &example], RecordKind::Example),
            ("sequences", &[&sequence, &example, &example], RecordKind::SequenceExample),
            ("texts", &[&text, &text, &empty], RecordKind::Bytes),
            ("mostly texts", &[&text, &text, &example], RecordKind::Bytes),
        ];
        for (name, records, kind) in cases {
            let mut votes = KindVotes::default();
            records.iter().for_each(|record| _ = votes.add(record));
            assert_eq!(votes.winner(), kind, "{name}");
            assert_eq!(votes.num_records(), records.len() as u64);
        }
    }
}
