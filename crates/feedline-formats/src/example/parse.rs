//! A batch of Examples into columns.
//!
//! There are three ways through a record. The *careful* one defines the result: list the record's features, go through
//! them from the last to the first, as TensorFlow does, and say exactly what is wrong. The *fast* one handles the
//! records that files are made of: known keys, each once, packed values. It gives up on anything else, and the careful
//! one starts over. The *steady* one (`steady.rs`) takes runs of records that hold the same single numbers in the same
//! order, and leaves any other to the fast one; tests hold the three equal.

use feedline_data::{Column, DType, Values};

use super::bad_records::{BadRecords, OnBad, Progress, first_error};
use super::entries;
use super::feature::Feature;
use super::nearest::nearest;
use super::predict::{Cursor, Guess, KeyOrder, UNWANTED, ValueForm};
use super::slot::{self, Fault};
use super::spec::{self, FeatureSpec, Length};
use super::steady::Steady;
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
    /// Those that become columns, then those that are only checked.
    specs: Vec<FeatureSpec>,
    num_columns: usize,
    /// Indices of `specs` in the order they were asked for: of several missing features, the first of these is the error.
    asked: Vec<usize>,
    order: KeyOrder,
    /// What records look like, if the last ones looked alike.
    steady: Option<Steady>,
    /// Per feature, the number of the last record that had it.
    last_seen: Vec<u64>,
    record_number: u64,
}

/// Fewer records than this are not worth a look at what they have in common.
const MIN_RECORDS_ALIKE: usize = 16;

/// Runs of records that are alike in one batch. Each that ends costs a part of a record, and a list of columns for the next: about
/// what a record costs.
const MAX_RUNS: usize = 4;

impl ExampleParser {
    /// A parser of `specs`; an error if they ask for a feature twice or have defaults that do not fit.
    pub fn new(specs: Vec<FeatureSpec>) -> Result<ExampleParser> {
        ExampleParser::with_checks(specs, |_| false)
    }

    /// As [`ExampleParser::new`], without columns for the features `is_only_checked` says so of: a record that would be bad
    /// with them is bad, with the same error, but their values go nowhere.
    pub fn with_checks(
        specs: Vec<FeatureSpec>,
        is_only_checked: impl Fn(&FeatureSpec) -> bool,
    ) -> Result<ExampleParser> {
        spec::check(&specs)?;
        for spec in &specs {
            if matches!(spec.length, Length::Sequence { allow_missing: false, .. }) {
                let reason =
                    format!("feature `{}`: in an Example a sequence may always be missing", spec.name);
                return Err(Error::argument(reason, "ask for it with `allow_missing`"));
            }
        }
        let (checked, read): (Vec<_>, Vec<_>) =
            specs.into_iter().enumerate().partition(|(_, spec)| is_only_checked(spec));
        let num_columns = read.len();
        let (places, specs): (Vec<usize>, Vec<FeatureSpec>) = read.into_iter().chain(checked).unzip();
        let mut asked: Vec<usize> = (0..specs.len()).collect();
        asked.sort_unstable_by_key(|&index| places[index]);
        let order = KeyOrder::new(specs.iter().map(|spec| (spec.name.as_str(), usual_form(spec))));
        Ok(ExampleParser {
            order,
            steady: None,
            last_seen: vec![0; specs.len()],
            record_number: 0,
            specs,
            num_columns,
            asked,
        })
    }

    /// The features that become columns, in the order of the columns.
    pub fn specs(&self) -> &[FeatureSpec] {
        &self.specs[..self.num_columns]
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
        columns.resize_with(self.num_columns, || Column::empty(DType::Int64, Vec::new(), 0));
        for (column, spec) in columns.iter_mut().zip(&self.specs) {
            slot::prepare(column, spec, records.len());
        }
        let mut progress = Progress::default();
        self.parse_alike(records, columns, on_bad, &mut progress);
        self.parse_any(records, records.len(), columns, on_bad, &mut progress);
        let Progress { num_rows, bad, .. } = progress;
        columns.iter_mut().for_each(|column| slot::finish(column, num_rows));
        bad
    }

    /// Parses runs of records that are alike, and the ones between them, until such runs have ended too often.
    fn parse_alike(
        &mut self,
        records: &[&[u8]],
        columns: &mut [Column],
        on_bad: OnBad,
        progress: &mut Progress,
    ) {
        if records.len() < MIN_RECORDS_ALIKE {
            return;
        }
        if self.steady.is_none() {
            self.steady = whole_features(records[0])
                .and_then(|start| Steady::of(&self.order, self.specs.len(), records[0], start));
        }
        for _ in 0..MAX_RUNS {
            let Some(steady) = &self.steady else { return };
            let num_alike = steady.parse(&records[progress.next..], progress.num_rows, columns);
            progress.next += num_alike;
            progress.num_rows += num_alike;
            if progress.next == records.len() {
                return;
            }
            self.parse_any(records, progress.next + 1, columns, on_bad, progress);
        }
        // They look otherwise by now, or are not alike.
        self.steady = None;
    }

    /// Parses the records before `end`, whatever they look like.
    fn parse_any(
        &mut self,
        records: &[&[u8]],
        end: usize,
        columns: &mut [Column],
        on_bad: OnBad,
        progress: &mut Progress,
    ) {
        progress.each_row(records, end, on_bad, |record, source, row| {
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
            if put(columns.get_mut(slot), &self.specs[slot], row, source, feature).is_err() {
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
        for &index in self.asked.iter().filter(|&&index| self.last_seen[index] != self.record_number) {
            let spec = &self.specs[index];
            let put = match columns.get_mut(index) {
                Some(column) => slot::put_missing(column, spec, row),
                None => slot::check_missing(spec),
            };
            put.map_err(|fault| (index, fault))?;
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
            put(columns.get_mut(slot), spec, row, source, feature).map_err(wrong)?;
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

/// Writes the values of `feature` as row `row` of its column; where it has none, checks them.
fn put(
    column: Option<&mut Column>,
    spec: &FeatureSpec,
    row: usize,
    source: u32,
    feature: Feature<'_>,
) -> Result<(), Fault> {
    match column {
        Some(column) => slot::put(column, spec, row, source, feature),
        None => slot::check(spec, feature),
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
            let Some(seen) = last_seen.get_mut(entry.slot as usize) else { break };
            if *seen == record_number {
                break;
            }
            let values = columns.get_mut(entry.slot as usize).map(|column| &mut column.values);
            match (entry.form, values) {
                (ValueForm::PackedInt64, Some(Values::Int64(values))) => {
                    let Some(number) = packed_int64(value, entry.end - entry.value) else { break };
                    values[row] = number;
                }
                (ValueForm::PackedFloat, Some(Values::Float32(values))) => {
                    values[row] = f32::from_bits(value as u32);
                }
                // Only checked.
                (ValueForm::PackedInt64, None) if is_one_int64(value, entry.end - entry.value) => {}
                (ValueForm::PackedFloat, None) => {}
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
pub(super) fn whole_features(record: &[u8]) -> Option<usize> {
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
pub(super) fn packed_int64(eight: u64, number_bytes: usize) -> Option<i64> {
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

/// Whether the first `number_bytes` (1 to 8) of `eight` bytes are one number: every byte but the last says that another
/// follows.
#[inline]
pub(super) fn is_one_int64(eight: u64, number_bytes: usize) -> bool {
    let unused_bits = 64 - 8 * number_bytes as u32;
    eight << unused_bits & CONTINUED == CONTINUED << unused_bits & CONTINUED >> 8
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
mod tests;
