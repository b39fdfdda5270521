//! What records hold, found by looking at a sample of them.

use std::collections::BTreeMap;

use feedline_data::DType;

use super::entries::{self, Entry};
use super::feature::Feature;
use super::spec::FeatureSpec;
use crate::wire::WireError;

/// What a sample of records holds: data for `inspect`, for converters, and for whoever writes a spec.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// What the records are.
    pub kind: RecordKind,
    /// Records looked at.
    pub num_records: u64,
    /// Features of each record (the context, in a `SequenceExample`), by name.
    pub features: Vec<FeatureSummary>,
    /// Feature lists, by name; lengths are those of single steps.
    pub lists: Vec<FeatureSummary>,
}

/// What records are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// Every record is a `tf.train.Example`.
    Example,
    /// Every record is a `tf.train.SequenceExample`, and at least one is no Example.
    SequenceExample,
    /// Anything else.
    Bytes,
}

impl RecordKind {
    /// `Example`, `SequenceExample` or `bytes`.
    pub const fn name(self) -> &'static str {
        match self {
            RecordKind::Example => "Example",
            RecordKind::SequenceExample => "SequenceExample",
            RecordKind::Bytes => "bytes",
        }
    }
}

/// What is known of one feature.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSummary {
    /// Its name; bytes that are no UTF-8 are written as `\\xNN`.
    pub name: String,
    /// Whether the name is UTF-8, as protocol buffers want it. One that is not cannot be asked for.
    pub name_is_utf8: bool,
    /// Its type; `None` if it never held a value list.
    pub dtype: Option<DType>,
    /// A second type it was met with, if the records disagree.
    pub conflicting_dtype: Option<DType>,
    /// Records that have it.
    pub present: u64,
    /// Fewest values in a record that has it (for a list: in a step).
    pub min_len: usize,
    /// Most values.
    pub max_len: usize,
    /// Fewest and most steps, for a feature list.
    pub steps: Option<(usize, usize)>,
    /// Least and greatest number, for numeric features; of integers beyond 2^53 the nearest.
    pub range: Option<(f64, f64)>,
    /// Least and greatest integer, exactly, for features that are int64 in all records.
    pub int_range: Option<(i64, i64)>,
    /// The first few values.
    pub samples: Vec<Sample>,
    /// How often each value occurs, for integer features with few different values.
    pub histogram: Option<Histogram>,
}

/// A value shown as an example.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// A float.
    Float(f32),
    /// An integer.
    Int64(i64),
    /// The beginning of a byte string.
    Bytes {
        /// Up to 64 KiB, enough to recognize what it is.
        head: Vec<u8>,
        /// How many there are.
        len: usize,
    },
}

/// Counts of integer values, in increasing order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Each value and how often it occurs.
    pub counts: Vec<(i64, u64)>,
}

impl FeatureSummary {
    /// Whether every record of the sample has the feature, with the same number of values.
    pub fn is_fixed(&self, num_records: u64) -> bool {
        self.present == num_records && self.min_len == self.max_len && self.conflicting_dtype.is_none()
    }

    /// The spec that reads this feature: fixed length where the sample had no other, else variable. `None` if it has no
    /// values or no proper name.
    pub fn to_spec(&self, num_records: u64) -> Option<FeatureSpec> {
        let dtype = self.dtype.filter(|_| self.name_is_utf8)?;
        Some(match self.max_len {
            1 if self.is_fixed(num_records) => FeatureSpec::fixed(&self.name, dtype, &[]),
            len if self.is_fixed(num_records) => FeatureSpec::fixed(&self.name, dtype, &[len]),
            _ => FeatureSpec::var_len(&self.name, dtype),
        })
    }
}

impl Schema {
    /// The specs that read every feature of an Example (or the context of a `SequenceExample`).
    pub fn to_specs(&self) -> Vec<FeatureSpec> {
        self.features.iter().filter_map(|feature| feature.to_spec(self.num_records)).collect()
    }
}

/// Collects a [`Schema`] record by record.
#[derive(Default)]
pub struct SchemaBuilder {
    num_records: u64,
    /// Whether all records so far could be Examples, and whether all could be `SequenceExample`s.
    not_example: bool,
    not_sequence: bool,
    features: BTreeMap<Vec<u8>, Collected>,
    lists: BTreeMap<Vec<u8>, Collected>,
}

/// Different values counted before a feature stops being one with few different values.
const MAX_DISTINCT: usize = 1000;
const MAX_SAMPLES: usize = 4;
/// Cameras put a thumbnail of some 20 KB in front of a JPEG's size.
const SAMPLE_BYTES: usize = 64 << 10;

#[derive(Default)]
struct Collected {
    dtype: Option<DType>,
    conflicting_dtype: Option<DType>,
    /// Records that have it, and the number of the last of them: a record may have it twice.
    present: u64,
    last_record: u64,
    len: Option<(usize, usize)>,
    steps: Option<(usize, usize)>,
    range: Option<(f64, f64)>,
    int_range: Option<(i64, i64)>,
    samples: Vec<Sample>,
    counts: BTreeMap<i64, u64>,
    too_many_values: bool,
}

impl SchemaBuilder {
    /// Looks at one more record.
    pub fn observe(&mut self, record: &[u8]) {
        self.num_records += 1;
        let is_example = !self.not_example && entries::is_valid_example(record).is_ok();
        let is_sequence = !self.not_sequence && entries::is_valid_sequence_example(record).is_ok();
        // Unknown fields are legal, so that a SequenceExample passes for an Example with an unknown field 2; what
        // reads as feature lists is taken for them.
        let has_lists = is_sequence && has_feature_lists(record);
        self.not_example |= !is_example || has_lists;
        self.not_sequence |= !is_sequence;
        if !is_example && !is_sequence {
            return;
        }
        let number = self.num_records;
        let feature = |(key, value): Entry<'_>| {
            collect(&mut self.features, number, key, |collected| collected.feature(record, value));
        };
        let walked = if is_sequence {
            entries::sequence_example(record, feature, |(key, list)| {
                collect(&mut self.lists, number, key, |collected| collected.list(record, list));
            })
        } else {
            entries::example(record, feature)
        };
        debug_assert!(walked.is_ok());
    }

    /// What was found.
    pub fn finish(self) -> Schema {
        let kind = match (self.not_example, self.not_sequence) {
            _ if self.num_records == 0 => RecordKind::Bytes,
            (false, _) => RecordKind::Example,
            (true, false) => RecordKind::SequenceExample,
            (true, true) => RecordKind::Bytes,
        };
        let summaries = |collected: BTreeMap<Vec<u8>, Collected>| match kind {
            RecordKind::Bytes => Vec::new(),
            _ => collected.into_iter().map(|(name, collected)| collected.summary(&name)).collect(),
        };
        Schema {
            kind,
            num_records: self.num_records,
            features: summaries(self.features),
            lists: if kind == RecordKind::SequenceExample { summaries(self.lists) } else { Vec::new() },
        }
    }
}

fn has_feature_lists(record: &[u8]) -> bool {
    let mut found = false;
    entries::sequence_example(record, |_: Entry<'_>| {}, |_| found = true).is_ok() && found
}

fn collect(
    features: &mut BTreeMap<Vec<u8>, Collected>,
    record: u64,
    key: &[u8],
    add: impl FnOnce(&mut Collected) -> Result<(), WireError>,
) {
    if !features.contains_key(key) {
        features.insert(key.to_vec(), Collected::default());
    }
    let collected = features.get_mut(key).expect("inserted above");
    if collected.last_record != record {
        collected.last_record = record;
        collected.present += 1;
    }
    // The record was found valid as a whole before.
    let added = add(collected);
    debug_assert!(added.is_ok());
}

impl Collected {
    fn feature(&mut self, record: &[u8], value: crate::wire::Reader<'_>) -> Result<(), WireError> {
        let feature = Feature::read(value)?;
        if let Some(dtype) = feature.dtype {
            match self.dtype {
                None => self.dtype = Some(dtype),
                Some(known) if known != dtype => self.conflicting_dtype = Some(dtype),
                Some(_) => {}
            }
        }
        let mut len = 0;
        match feature.dtype {
            Some(DType::Int64) => feature.int64(|value| {
                len += 1;
                self.number(value as f64, || Sample::Int64(value));
                self.int_range = Some(widen(self.int_range, value));
                self.count(value);
            })?,
            Some(DType::Float32) => feature.float(|value| {
                len += 1;
                self.number(f64::from(value), || Sample::Float(value));
            })?,
            Some(_) => feature.bytes(0, |view| {
                len += 1;
                let bytes = &record[view.start as usize..][..view.len as usize];
                let head = || bytes[..bytes.len().min(SAMPLE_BYTES)].to_vec();
                self.sample(|| Sample::Bytes { head: head(), len: bytes.len() });
            })?,
            None => {}
        }
        self.len = Some(widen(self.len, len));
        Ok(())
    }

    fn list(&mut self, record: &[u8], mut list: crate::wire::Reader<'_>) -> Result<(), WireError> {
        let mut num_steps = 0;
        while !list.is_at_end() {
            self.feature(record, entries::step(&mut list)?)?;
            num_steps += 1;
        }
        self.steps = Some(widen(self.steps, num_steps));
        Ok(())
    }

    fn number(&mut self, value: f64, sample: impl FnOnce() -> Sample) {
        if !value.is_nan() {
            let (least, greatest) = self.range.unwrap_or((value, value));
            self.range = Some((least.min(value), greatest.max(value)));
        }
        self.sample(sample);
    }

    fn sample(&mut self, sample: impl FnOnce() -> Sample) {
        if self.samples.len() < MAX_SAMPLES {
            self.samples.push(sample());
        }
    }

    fn count(&mut self, value: i64) {
        if self.too_many_values {
            return;
        }
        *self.counts.entry(value).or_default() += 1;
        if self.counts.len() > MAX_DISTINCT {
            self.too_many_values = true;
            self.counts.clear();
        }
    }

    fn summary(self, name: &[u8]) -> FeatureSummary {
        let (min_len, max_len) = self.len.unwrap_or_default();
        FeatureSummary {
            name: std::str::from_utf8(name).map_or_else(|_| name.escape_ascii().to_string(), str::to_owned),
            name_is_utf8: std::str::from_utf8(name).is_ok(),
            dtype: self.dtype,
            conflicting_dtype: self.conflicting_dtype,
            present: self.present,
            min_len,
            max_len,
            steps: self.steps,
            range: self.range,
            int_range: self.int_range.filter(|_| self.conflicting_dtype.is_none()),
            samples: self.samples,
            histogram: (!self.counts.is_empty())
                .then(|| Histogram { counts: self.counts.into_iter().collect() }),
        }
    }
}

fn widen<T: Copy + Ord>(range: Option<(T, T)>, value: T) -> (T, T) {
    range.map_or((value, value), |(least, greatest)| (least.min(value), greatest.max(value)))
}

#[cfg(test)]
mod tests;
