//! What the records looked at hold.

use feedline_formats::example::{RecordKind, Sample, Schema, SchemaBuilder};

use crate::records::KindVotes;

/// What the records looked at hold.
#[derive(Clone, Debug)]
pub struct RecordSample {
    /// What the features are, of the records that parse. Its `num_records` counts those alone.
    pub schema: Schema,
    /// Records looked at.
    pub num_records: u64,
    /// Whether those are all records there are.
    pub is_whole: bool,
    /// Records that are not of the kind that most are.
    pub num_unparsed: u64,
    /// Bytes of the shortest and of the longest record.
    pub record_bytes: Option<(u64, u64)>,
    /// The beginnings of the first few records, for records that are no Examples.
    pub heads: Vec<Sample>,
}

const MAX_HEADS: usize = 4;
const HEAD_BYTES: usize = 64 << 10;
/// Records that vote on what all of them are: to tell apart what a record is costs more than to see whether it parses.
const MAX_VOTES: u64 = 1000;

/// Collects a [`RecordSample`] record by record.
#[derive(Default)]
pub(super) struct Collector {
    builder: SchemaBuilder,
    votes: KindVotes,
    num_records: u64,
    num_parsed: u64,
    record_bytes: Option<(u64, u64)>,
    heads: Vec<Sample>,
}

impl Collector {
    pub(super) fn num_records(&self) -> u64 {
        self.num_records
    }

    pub(super) fn observe(&mut self, record: &[u8]) {
        let len = record.len() as u64;
        let (least, greatest) = self.record_bytes.unwrap_or((len, len));
        self.record_bytes = Some((least.min(len), greatest.max(len)));
        if self.heads.len() < MAX_HEADS {
            let head = record[..record.len().min(HEAD_BYTES)].to_vec();
            self.heads.push(Sample::Bytes { head, len: record.len() });
        }
        // A record that does not parse is kept from the builder, for which one such record makes bytes of all.
        let parses = if self.num_records < MAX_VOTES {
            self.votes.add(record) != RecordKind::Bytes
        } else {
            KindVotes::parses(record)
        };
        self.num_records += 1;
        if parses {
            self.builder.observe(record);
            self.num_parsed += 1;
        }
    }

    pub(super) fn finish(self, is_whole: bool) -> RecordSample {
        let num_records = self.num_records;
        let is_bytes = self.votes.winner() == RecordKind::Bytes;
        let schema = match self.builder.finish() {
            schema if !is_bytes => schema,
            _ => Schema { kind: RecordKind::Bytes, num_records, features: Vec::new(), lists: Vec::new() },
        };
        RecordSample {
            num_unparsed: if is_bytes { 0 } else { num_records - self.num_parsed },
            schema,
            num_records,
            is_whole,
            record_bytes: self.record_bytes,
            heads: self.heads,
        }
    }
}
