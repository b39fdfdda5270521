//! A batch of Examples into columns.
//!
//! There are two ways through a record. The *careful* one defines the result: list the record's features, go through
//! them from the last to the first, as TensorFlow does, and say exactly what is wrong. The *fast* one handles the
//! records that files are made of: known keys, each once, packed values. It gives up on anything else, and the careful
//! one starts over; tests hold the two equal.

use feedline_data::{Column, DType, Values};

use super::bad_records::{BadRecords, OnBad, each_row, first_error};
use super::entries;
use super::feature::Feature;
use super::nearest::nearest;
use super::predict::{Cursor, Guess, KeyOrder, UNWANTED, ValueForm};
use super::slot::{self, Fault};
use super::spec::{self, FeatureSpec, Length};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::{Reader, delimited_tag};

/// Parses batches of `tf.train.Example` records into one column a feature.
///
/// A parser remembers the order of keys from record to record, so keep it for many batches; it is cheap to move
/// between threads and meant to be used by one at a time.
///
/// ```
/// use feedline_data::{DType, Values};
/// use feedline_formats::example::{ExampleParser, ExampleWriter, FeatureSpec};
///
/// let record = |label| ExampleWriter::new().int64("label", &[label]).float("unused", &[0.5]).to_bytes();
/// let (first, second) = (record(3), record(4));
///
/// let mut parser = ExampleParser::new(vec![FeatureSpec::fixed("label", DType::Int64, &[])])?;
/// let mut columns = Vec::new();
/// parser.parse(&[&first, &second], &mut columns)?;
/// assert_eq!(columns[0].values, Values::Int64(vec![3, 4]));
/// # Ok::<(), feedline_formats::Error>(())
/// ```
pub struct ExampleParser {
    specs: Vec<FeatureSpec>,
    order: KeyOrder,
    /// Per feature, the number of the last record that had it.
    last_seen: Vec<u64>,
    record_number: u64,
}

impl ExampleParser {
    /// A parser of `specs`; an error if they ask for a feature twice or have defaults that do not fit.
    pub fn new(specs: Vec<FeatureSpec>) -> Result<ExampleParser> {
        spec::check(&specs)?;
        for spec in &specs {
            if matches!(spec.length, Length::Sequence { allow_missing: false, .. }) {
                let reason =
                    format!("feature `{}`: in an Example a sequence may always be missing", spec.name);
                return Err(Error::argument(reason));
            }
        }
        let order = KeyOrder::new(specs.iter().map(|spec| (spec.name.as_str(), usual_form(spec))));
        Ok(ExampleParser { order, last_seen: vec![0; specs.len()], record_number: 0, specs })
    }

    /// The features asked for, in the order of the columns.
    pub fn specs(&self) -> &[FeatureSpec] {
        &self.specs
    }

    /// Parses `records` into one column a spec, reusing the memory of `columns`.
    ///
    /// At the first bad record this stops with its error, [`Error::record`] being the index in `records`; the
    /// columns then hold the rows before it.
    pub fn parse(&mut self, records: &[&[u8]], columns: &mut Vec<Column>) -> Result<()> {
        first_error(self.parse_rows(records, columns, OnBad::Stop))
    }

    /// Parses `records`, leaving out the bad ones: those are returned with their index in `records`.
    pub fn parse_or_skip(&mut self, records: &[&[u8]], columns: &mut Vec<Column>) -> Vec<(usize, Error)> {
        self.parse_rows(records, columns, OnBad::Skip)
    }

    fn parse_rows(&mut self, records: &[&[u8]], columns: &mut Vec<Column>, on_bad: OnBad) -> BadRecords {
        columns.resize_with(self.specs.len(), || Column::empty(DType::Int64, Vec::new(), 0));
        for (column, spec) in columns.iter_mut().zip(&self.specs) {
            slot::prepare(column, spec, records.len());
        }
        let (num_rows, bad) = each_row(records, on_bad, |record, source, row| {
            self.record_number += 1;
            if self.fast(record, row, source, columns) {
                return Ok(());
            }
            columns.iter_mut().for_each(|column| slot::roll_back(column, row));
            let parsed = self.careful(record, row, source, columns);
            if parsed.is_err() {
                columns.iter_mut().for_each(|column| slot::roll_back(column, row));
            }
            parsed
        });
        columns.iter_mut().for_each(|column| slot::finish(column, num_rows));
        bad
    }

    /// Parses a record that looks as expected; `false` if it does not, with the columns in between.
    fn fast(&mut self, record: &[u8], row: usize, source: u32, columns: &mut [Column]) -> bool {
        let Some(start) = whole_features(record) else { return false };
        let mut walk = Walk { at: start, cursor: self.order.start(), num_found: 0 };
        loop {
            let seen = (&mut self.last_seen[..], self.record_number);
            walk_numbers(&self.order, seen, record, &mut walk, row, columns);
            if walk.at >= record.len() {
                break;
            }
            // Not a number by itself, or not where it was expected.
            let Some(entry) = self.order.next(walk.cursor, record, walk.at) else { return false };
            (walk.cursor, walk.at) = (entry.cursor, entry.end);
            if entry.slot == UNWANTED {
                continue;
            }
            let slot = entry.slot as usize;
            if entry.form != ValueForm::Feature || self.last_seen[slot] == self.record_number {
                return false; // several numbers for one, or a key twice in one record: for the careful path
            }
            self.last_seen[slot] = self.record_number;
            walk.num_found += 1;
            let Some(message) = record.get(entry.value..entry.end) else { return false };
            let Ok(feature) = Feature::read(Reader::at(message, entry.value)) else { return false };
            if slot::put(&mut columns[slot], &self.specs[slot], row, source, feature).is_err() {
                return false;
            }
        }
        if walk.at != record.len() {
            return false; // the last entry says it is longer than the record
        }
        walk.num_found == self.specs.len() || self.put_missing(row, columns).is_ok()
    }

    /// Fills in the features the current record lacks; the index of the first that must not be lacking otherwise.
    fn put_missing(&self, row: usize, columns: &mut [Column]) -> Result<(), (usize, Fault)> {
        for (index, (column, spec)) in columns.iter_mut().zip(&self.specs).enumerate() {
            if self.last_seen[index] != self.record_number {
                slot::put_missing(column, spec, row).map_err(|fault| (index, fault))?;
            }
        }
        Ok(())
    }

    /// Parses any record, as TensorFlow would.
    #[cold]
    fn careful(&mut self, record: &[u8], row: usize, source: u32, columns: &mut [Column]) -> Result<()> {
        if u32::try_from(record.len()).is_err() {
            // Views of byte strings count in 32 bits, and no protobuf library writes more than 2 GiB.
            let limit = u64::from(u32::MAX);
            return Err(Error::new(ErrorKind::TooLong { length: record.len() as u64, limit }));
        }
        let mut entries: Vec<entries::Entry<'_>> = Vec::new();
        entries::example(record, |entry| entries.push(entry))
            .map_err(|error| entries::wire_error("Example", error))?;
        // Another number than the fast path used for this record, so that nothing counts as seen yet.
        self.record_number += 1;
        for &(key, value) in entries.iter().rev() {
            let Some(slot) = self.order.slot(key) else { continue };
            let slot = slot as usize;
            let spec = &self.specs[slot];
            let wrong = |fault: Fault| fault.into_error("Example", &spec.name);
            let feature = Feature::read(value).map_err(|error| wrong(Fault::Wire(error)))?;
            // A feature without a list counts as missing, so that an earlier one of that name may stand in for it;
            // but not for variable lengths, where it is simply empty.
            if self.last_seen[slot] == self.record_number
                || (feature.dtype.is_none() && spec.length != Length::Variable)
            {
                continue;
            }
            self.last_seen[slot] = self.record_number;
            slot::put(&mut columns[slot], spec, row, source, feature).map_err(wrong)?;
        }
        self.put_missing(row, columns).map_err(|(slot, fault)| {
            let spec = &self.specs[slot];
            match fault {
                Fault::Kind(ErrorKind::MissingFeature { .. }) => {
                    missing(&spec.name, entries.iter().map(|(key, _)| *key))
                }
                fault => fault.into_error("Example", &spec.name),
            }
        })
    }
}

/// How far the fast path has come in a record.
struct Walk {
    at: usize,
    cursor: Cursor,
    num_found: usize,
}

/// Walks on over features that are not asked for and over single packed numbers, which it writes to row `row`; stops before
/// the first entry that is neither, or is not the one expected.
///
/// A function of its own, and never inlined, so that what it works with stays in registers: as a part of the loop
/// around it, it took a twentieth longer.
#[inline(never)]
fn walk_numbers(
    order: &KeyOrder,
    (last_seen, record_number): (&mut [u64], u64),
    record: &[u8],
    walk: &mut Walk,
    row: usize,
    columns: &mut [Column],
) {
    let (mut at, mut cursor, mut num_found) = (walk.at, walk.cursor, walk.num_found);
    while let Some(Guess { entry, value }) = order.guess(cursor, record, at) {
        if entry.slot != UNWANTED {
            let (Some(seen), Some(column)) =
                (last_seen.get_mut(entry.slot as usize), columns.get_mut(entry.slot as usize))
            else {
                break;
            };
            match (entry.form, &mut column.values) {
                (ValueForm::PackedInt64, Values::Int64(values)) if *seen != record_number => {
                    let Some(number) = packed_int64(value, entry.end - entry.value) else { break };
                    values[row] = number;
                }
                (ValueForm::PackedFloat, Values::Float32(values)) if *seen != record_number => {
                    values[row] = f32::from_bits(value as u32);
                }
                _ => break,
            }
            *seen = record_number;
            num_found += 1;
        }
        (cursor, at) = (entry.cursor, entry.end);
    }
    *walk = Walk { at, cursor, num_found };
}

/// The error for a feature that is not among `present`.
pub(super) fn missing<'a>(name: &str, present: impl Iterator<Item = &'a [u8]>) -> Error {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = present.map(|key| String::from_utf8_lossy(key).into_owned()).collect();
    names.sort_unstable();
    names.dedup();
    let num_present = names.len();
    let nearest = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
    names.truncate(SHOWN);
    Error::new(ErrorKind::MissingFeature { nearest, present: names, num_present }).in_feature(name.as_bytes())
}

/// The form in which writers write the values of a feature.
fn usual_form(spec: &FeatureSpec) -> ValueForm {
    let is_single =
        matches!(&spec.length, Length::Fixed { shape, .. } if shape.iter().product::<usize>() == 1);
    match spec.dtype {
        DType::Int64 if is_single => ValueForm::PackedInt64,
        DType::Float32 if is_single => ValueForm::PackedFloat,
        _ => ValueForm::Feature,
    }
}

/// Where the features begin in an Example that is one `Features` message and nothing else, and no longer than views of it
/// can count.
fn whole_features(record: &[u8]) -> Option<usize> {
    u32::try_from(record.len()).ok()?;
    let mut message = Reader::new(record);
    if !message.take(delimited_tag(1)) {
        return None;
    }
    let features = message.delimited().ok()?;
    message.is_at_end().then_some(features.place())
}

/// The bit of each byte of a varint that says whether another byte follows.
const CONTINUED: u64 = 0x8080_8080_8080_8080;

/// The number in the first `number_bytes` (1 to 8) of `eight` bytes, unless they are several numbers, or a part of one.
#[inline]
fn packed_int64(eight: u64, number_bytes: usize) -> Option<i64> {
    let bits = 8 * number_bytes as u32;
    // Every byte but the last says that another follows.
    if number_bytes <= 4 {
        // Most numbers: half the work, and constants that fit into an instruction.
        let number = eight as u32 & u32::MAX >> (32 - bits);
        let whole = number & CONTINUED as u32 == CONTINUED as u32 >> 8 >> (32 - bits);
        return whole.then_some(i64::from(join_four_sevens(number)));
    }
    let number = eight & u64::MAX >> (64 - bits);
    let whole = number & CONTINUED == CONTINUED >> 8 >> (64 - bits);
    whole.then_some(join_sevens(number) as i64)
}

/// Joins the low seven bits of four bytes into one number, in two steps of pairs.
#[inline]
fn join_four_sevens(bytes: u32) -> u32 {
    let pairs = bytes & 0x007f_007f | (bytes & 0x7f00_7f00) >> 1;
    pairs & 0x0000_3fff | (pairs & 0x3fff_0000) >> 2
}

/// Joins the low seven bits of eight bytes into one number, in three steps of pairs.
#[inline]
fn join_sevens(bytes: u64) -> u64 {
    let pairs = bytes & 0x007f_007f_007f_007f | (bytes & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    fours & 0x0000_0000_0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::spec::Default;
    use super::super::write::{ExampleWriter, FeatureValues};
    use super::*;

    /// Parses every record on the careful path alone.
    fn parse_carefully(parser: &mut ExampleParser, records: &[&[u8]]) -> (Vec<Column>, Vec<(usize, Error)>) {
        let mut columns: Vec<Column> =
            parser.specs.iter().map(|_| Column::empty(DType::Int64, Vec::new(), 0)).collect();
        for (column, spec) in columns.iter_mut().zip(&parser.specs) {
            slot::prepare(column, spec, records.len());
        }
        let (mut row, mut bad) = (0, Vec::new());
        for (index, record) in records.iter().enumerate() {
            match parser.careful(record, row, index as u32, &mut columns) {
                Ok(()) => row += 1,
                Err(error) => {
                    columns.iter_mut().for_each(|column| slot::roll_back(column, row));
                    bad.push((index, error.in_record(index as u64)));
                }
            }
        }
        columns.iter_mut().for_each(|column| slot::finish(column, row));
        (columns, bad)
    }

    fn specs() -> Vec<FeatureSpec> {
        vec![
            FeatureSpec::fixed("int", DType::Int64, &[]),
            FeatureSpec::fixed("float", DType::Float32, &[1]).with_default(Default::Float32(vec![0.5])),
            FeatureSpec::fixed("pair", DType::Int64, &[2]).with_default(Default::Int64(vec![1, 2])),
            FeatureSpec::fixed("a_longer_name/text", DType::String, &[])
                .with_default(Default::Bytes(vec![b"none".to_vec()])),
            FeatureSpec::var_len("list", DType::Int64),
            FeatureSpec::sequence("steps", DType::Float32, &[2]),
        ]
    }

    /// A map of features as bytes, in the order given; one name may come twice.
    fn record_of(entries: &[(usize, Vec<i64>)]) -> Vec<u8> {
        const NAMES: [&str; 8] =
            ["int", "float", "pair", "a_longer_name/text", "list", "steps", "x", "unknown_feature"];
        let mut record = Vec::new();
        for (name, values) in entries {
            let floats: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            let texts: Vec<Vec<u8>> = values.iter().map(|value| value.to_string().into_bytes()).collect();
            let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            let name = NAMES[name % NAMES.len()];
            let values = match name {
                "float" | "steps" => FeatureValues::Float(&floats),
                "a_longer_name/text" => FeatureValues::Bytes(&texts),
                _ => FeatureValues::Int64(values),
            };
            // Each alone is an Example; the maps of Examples written one behind the other are one map.
            let example = ExampleWriter::new().feature(name, values).to_bytes();
            let mut message = Reader::new(&example);
            message.take(delimited_tag(1));
            let map = message.delimited().unwrap();
            record.extend_from_slice(map.rest());
        }
        let mut example = vec![delimited_tag(1)];
        crate::wire::write_varint(&mut example, record.len() as u64);
        example.extend(record);
        example
    }

    fn entries() -> impl Strategy<Value = Vec<(usize, Vec<i64>)>> {
        let value = prop_oneof![0i64..5, any::<i64>(), (0u32..63).prop_map(|bits| 1 << bits)];
        let values = prop_oneof![
            4 => prop::collection::vec(value.clone(), 1),
            2 => prop::collection::vec(value, 0..5),
        ];
        // Names in order with gaps, as records have them, and in any order.
        let entries = prop::collection::vec((0usize..8, values), 0..10);
        (entries, any::<bool>()).prop_map(|(mut entries, sorted)| {
            if sorted {
                entries.sort_by_key(|(name, _)| *name);
            }
            entries
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn the_fast_path_changes_nothing(
            batch in prop::collection::vec(entries(), 1..8),
            damage in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>())),
        ) {
            let mut records: Vec<Vec<u8>> = batch.iter().map(|entries| record_of(entries)).collect();
            if let Some((record, at, byte)) = damage {
                let index = record.index(records.len());
                let record = &mut records[index];
                let at = at.index(record.len());
                record[at] = byte;
            }
            let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
            let mut parser = ExampleParser::new(specs()).unwrap();
            let mut columns = Vec::new();
            let bad = parser.parse_or_skip(&records, &mut columns);
            let (expected, expected_bad) = parse_carefully(&mut ExampleParser::new(specs()).unwrap(), &records);
            prop_assert_eq!(bad, expected_bad);
            // By their text, so that NaN equals itself.
            prop_assert_eq!(format!("{columns:?}"), format!("{expected:?}"));
        }
    }

    #[test]
    fn the_fast_path_takes_plain_records() {
        let record = record_of(&[
            (0, vec![300]),
            (1, vec![2]),
            (2, vec![1, -1]),
            (3, vec![7]),
            (4, vec![1, 2, 3]),
            (7, vec![]),
        ]);
        let mut parser = ExampleParser::new(specs()).unwrap();
        let mut columns: Vec<Column> =
            parser.specs.iter().map(|_| Column::empty(DType::Int64, Vec::new(), 0)).collect();
        for (column, spec) in columns.iter_mut().zip(&parser.specs) {
            slot::prepare(column, spec, 1);
        }
        parser.record_number = 1;
        assert!(parser.fast(&record, 0, 0, &mut columns));
        assert_eq!(columns[0].values, Values::Int64(vec![300]));
        assert_eq!(columns[4].values, Values::Int64(vec![1, 2, 3]));
    }

    #[test]
    fn packed_numbers_of_every_length() {
        for bits in 0..64 {
            for value in [1u64 << bits, (1u64 << bits) - 1, u64::MAX >> bits] {
                let record = record_of(&[(0, vec![value as i64])]);
                let number_bytes = crate::wire::varint_bytes(value);
                if number_bytes > 8 {
                    continue;
                }
                let mut eight = [0x55; 8];
                eight[..number_bytes].copy_from_slice(&record[record.len() - number_bytes..]);
                let found = packed_int64(u64::from_le_bytes(eight), number_bytes);
                let expected = Some(value as i64);
                assert_eq!(found, expected, "{value}");
            }
        }
    }
}
