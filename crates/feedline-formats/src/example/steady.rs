//! Runs of records that are alike: the same keys in the same order, each with a single packed number or not asked for.
//!
//! That is what tables look like as records, and then most of what the fast path does for an entry is known before: which key
//! comes next, which column it goes to, that no key comes twice and none is missing. What is left is to compare and to store:
//! 106 ns for a record of 40 numbers, where the fast path takes 166 and a bare walk over the lengths 53 (`feedline-bench parse`).

use feedline_data::{Column, Values};

use super::bad_records::prefetch_ahead;
use super::parse::{is_one_int64, packed_int64, whole_features};
use super::predict::{KeyOrder, Pattern, Recognized, UNWANTED, ValueForm};

/// What a record looks like, entry by entry.
pub(super) struct Steady {
    entries: Vec<Pattern>,
}

/// Entries of one kind that follow each other, each with where its numbers go: a loop for each kind, which knows what to do
/// without asking (106 ns a record against 145 with one loop that asks at each entry).
enum Run<'a> {
    Int64(Vec<(Pattern, &'a mut [i64])>),
    Float32(Vec<(Pattern, &'a mut [f32])>),
    /// Numbers that go nowhere, but must be some.
    Checked(Vec<Pattern>),
    /// What nobody asked for may be anything.
    Unwanted(Vec<Pattern>),
}

impl Steady {
    /// What `record`, whose features begin at `start`, looks like, if it has each of `num_specs` features once, as a single packed
    /// number, and its keys come in `order`.
    pub(super) fn of(order: &KeyOrder, num_specs: usize, record: &[u8], start: usize) -> Option<Steady> {
        let (mut at, mut cursor) = (start, order.start());
        let mut entries = Vec::with_capacity(num_specs);
        let mut is_seen = vec![false; num_specs];
        while at < record.len() {
            let pattern = order.expected(cursor)?;
            let entry = order.guess(cursor, record, at)?.entry;
            if entry.slot != UNWANTED {
                let is_seen = is_seen.get_mut(entry.slot as usize)?;
                if entry.form == ValueForm::Feature || std::mem::replace(is_seen, true) {
                    return None;
                }
            }
            entries.push(*pattern);
            (cursor, at) = (entry.cursor, entry.end);
        }
        is_seen.into_iter().all(|is_seen| is_seen).then_some(Steady { entries })
    }

    /// Parses records up to the first that looks otherwise, into rows from `first_row` on; returns how many. Of the one after them
    /// some values may be written.
    pub(super) fn parse(&self, records: &[&[u8]], first_row: usize, columns: &mut [Column]) -> usize {
        let mut runs = self.runs(columns);
        for (index, record) in records.iter().enumerate() {
            prefetch_ahead(records, index);
            if parse_row(record, first_row + index, &mut runs).is_none() {
                return index;
            }
        }
        records.len()
    }

    fn runs<'a>(&self, columns: &'a mut [Column]) -> Vec<Run<'a>> {
        let mut values: Vec<Option<&mut Values>> =
            columns.iter_mut().map(|column| Some(&mut column.values)).collect();
        let mut runs = Vec::new();
        for &entry in &self.entries {
            let values = values.get_mut(entry.slot as usize).and_then(Option::take);
            match (runs.last_mut(), values) {
                (Some(Run::Int64(run)), Some(Values::Int64(values))) => run.push((entry, values)),
                (Some(Run::Float32(run)), Some(Values::Float32(values))) => run.push((entry, values)),
                (_, Some(Values::Int64(values))) => runs.push(Run::Int64(vec![(entry, values)])),
                (_, Some(Values::Float32(values))) => runs.push(Run::Float32(vec![(entry, values)])),
                (Some(Run::Unwanted(run)), _) if entry.slot == UNWANTED => run.push(entry),
                (Some(Run::Checked(run)), _) if entry.slot != UNWANTED => run.push(entry),
                _ if entry.slot == UNWANTED => runs.push(Run::Unwanted(vec![entry])),
                _ => runs.push(Run::Checked(vec![entry])),
            }
        }
        runs
    }
}

/// Writes the numbers of `record` as row `row`; `None` if it looks otherwise.
fn parse_row(record: &[u8], row: usize, runs: &mut [Run<'_>]) -> Option<()> {
    let mut at = whole_features(record)?;
    for run in runs {
        at = match run {
            Run::Int64(run) => parse_int64s(record, at, row, run),
            Run::Float32(run) => parse_floats(record, at, row, run),
            Run::Checked(run) => check_numbers(record, at, run),
            Run::Unwanted(run) => skip_unwanted(record, at, run),
        }?;
    }
    (at == record.len()).then_some(())
}

#[inline(never)]
fn parse_int64s(
    record: &[u8],
    mut at: usize,
    row: usize,
    run: &mut [(Pattern, &mut [i64])],
) -> Option<usize> {
    for (entry, values) in run {
        let Recognized { start, end, value } = entry.recognize_wanted(record, at)?;
        values[row] = packed_int64(value, end - start)?;
        at = end;
    }
    Some(at)
}

#[inline(never)]
fn parse_floats(
    record: &[u8],
    mut at: usize,
    row: usize,
    run: &mut [(Pattern, &mut [f32])],
) -> Option<usize> {
    for (entry, values) in run {
        (values[row], at) = entry.recognize_float(record, at)?;
    }
    Some(at)
}

#[inline(never)]
fn check_numbers(record: &[u8], mut at: usize, run: &[Pattern]) -> Option<usize> {
    for entry in run {
        let Recognized { start, end, value } = entry.recognize_wanted(record, at)?;
        let is_number = entry.form == ValueForm::PackedFloat || is_one_int64(value, end - start);
        at = is_number.then_some(end)?;
    }
    Some(at)
}

#[inline(never)]
fn skip_unwanted(record: &[u8], mut at: usize, run: &[Pattern]) -> Option<usize> {
    for entry in run {
        at = entry.recognize_unwanted(record, at)?.end;
    }
    Some(at)
}
