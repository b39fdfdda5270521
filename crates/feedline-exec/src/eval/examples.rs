//! What `tf.train.Example` records have of features, as columns.
//!
//! Numbers are the parser's own vectors and bytes are views on the records, so nothing is copied while all records are
//! good. A bad one becomes the error of its row; the others then move up by a copy. Features that are only checked make
//! records bad and no columns.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use feedline_data::block::{Column, Strings};
use feedline_data::{ByteView, Column as ParsedColumn, DType, Native, Values};
use feedline_formats::Error;
use feedline_formats::example::{Default as Missing, ExampleParser, FeatureSpec, Length};
use feedline_plan::expr::{Attribute, Feature, FeatureValues, Features};

use super::Arguments;
use super::moves::{Move, move_values};
use super::parsing::sequence::ragged_batches;
use super::rows::RowsOf;
use super::walk::with_outer;

/// What records have of a feature, as batches of `sizes`.
pub(super) fn batches(column: &Column, feature: &Feature, sizes: &[usize]) -> Vec<Column> {
    match feature {
        Feature::FixedLen { shape, .. } => {
            let shapes = sizes.iter().map(|&size| with_outer(size, shape));
            vec![column.clone().flat().with_shapes(shapes.collect())]
        }
        Feature::FixedLenSequence { shape, default, .. } => {
            vec![pad(column, sizes, shape, default.as_ref())]
        }
        Feature::VarLen { .. } | Feature::Ragged { .. } => ragged_batches(column, sizes).into(),
    }
}

pub(super) fn features_of<'a>(arguments: &Arguments<'a>) -> &'a Features {
    let Attribute::Features(features) = arguments.call.attribute("features") else {
        unreachable!("checked to be features")
    };
    features
}

/// The strings of each row, which must have `rank` dimensions. A row that has not fails, and is no records.
pub(super) fn record_rows(arguments: &mut Arguments<'_>, rank: usize) -> Vec<Range<usize>> {
    let source = RowsOf::new(arguments.inputs[0]);
    let rows = 0..arguments.rows;
    let row_of = |row: usize| {
        let (shape, range) = (source.shape(row), source.range(row));
        if shape.len() == rank {
            return range;
        }
        let wanted = if rank == 0 { "one record" } else { "a batch of records" };
        arguments.fail(row, &format!("takes {wanted}, not records of shape {shape:?}"));
        range.start..range.start
    };
    rows.map(row_of).collect()
}

/// A column for each feature, with a row for each record of `rows`, also the bad ones. Where rows are single records
/// (`is_single`) one that is none has a row too. `rows` are those from `first_row` on.
pub(super) fn parse(
    arguments: &mut Arguments<'_>,
    features: &Features,
    first_row: usize,
    rows: &[Range<usize>],
    is_single: bool,
) -> Vec<Column> {
    let source = RowsOf::new(arguments.inputs[0]).column().strings().expect("records are strings");
    let places: Vec<usize> = rows.iter().flat_map(Clone::clone).collect();
    let records: Vec<&[u8]> = places.iter().map(|&place| source.get(place)).collect();
    let mut parser = arguments.scratch.take(|| {
        // By key, also those only checked: of several missing features the first is the error.
        let all: BTreeMap<&str, &Feature> = features.iter().chain(features.iter_only_checked()).collect();
        let read: BTreeSet<&str> = features.iter().map(|(key, _)| key).collect();
        ExampleParser::with_checks(all.into_iter().map(feature_spec).collect(), |spec| {
            !read.contains(spec.name.as_str())
        })
        .expect("the plan checked the features")
    });
    let mut parsed = Vec::new();
    let bad = parser.parse_or_skip(&records, &mut parsed);
    arguments.scratch.put(parser);

    let num_good = records.len() - bad.len();
    let columns = parsed.into_iter().map(|column| to_column(column, source, &places, num_good));
    if bad.is_empty() && (!is_single || places.len() == rows.len()) {
        return columns.collect();
    }
    let slots = slots(arguments, first_row, rows, &bad, is_single);
    let columns: Vec<Column> = columns.collect();
    let filled = columns.iter().zip(features.iter()).map(|(column, (_, feature))| {
        // The last row is what the bad ones get.
        let with_empty = Column::concat(&[column.clone(), empty_row(feature)]);
        let rows: Vec<usize> = slots.iter().map(|slot| slot.unwrap_or(num_good)).collect();
        with_empty.gather(&rows)
    });
    filled.collect()
}

/// For each record which good one it is, `None` for those of rows with a bad one, which fail.
fn slots(
    arguments: &mut Arguments<'_>,
    first_row: usize,
    rows: &[Range<usize>],
    bad: &[(usize, Error)],
    is_single: bool,
) -> Vec<Option<usize>> {
    let mut bad = bad.iter().peekable();
    let (mut record, mut num_good) = (0, 0);
    let mut slots = Vec::new();
    for (row, range) in (first_row..).zip(rows) {
        let first = slots.len();
        let mut has_failed = is_single && range.is_empty();
        if has_failed {
            slots.push(None);
        }
        for place in 0..range.len() {
            if let Some((_, error)) = bad.next_if(|(index, _)| *index == record) {
                if !has_failed {
                    let which =
                        if is_single { String::new() } else { format!("record {place} of the batch: ") };
                    arguments.fail_with_hint(row, &format!("{which}{}", reason(error)), Some(error.hint()));
                }
                has_failed = true;
                slots.push(None);
            } else {
                slots.push(Some(num_good));
                num_good += 1;
            }
            record += 1;
        }
        if has_failed {
            slots[first..].fill(None);
        }
    }
    slots
}

/// The parser's words, without the number of the record in its call: that depends on the block.
pub(super) fn reason(error: &Error) -> String {
    let feature = error.feature().map_or_else(String::new, |feature| format!("feature `{feature}` "));
    let offset = error.byte_offset().map_or_else(String::new, |offset| format!("byte {offset}: "));
    format!("{offset}{feature}{}", error.reason())
}

pub(super) fn feature_spec((key, feature): (&str, &Feature)) -> FeatureSpec {
    let values = |values: &FeatureValues| match values {
        FeatureValues::Float32(values) => Missing::Float32(values.clone()),
        FeatureValues::Int64(values) => Missing::Int64(values.clone()),
        FeatureValues::Strings(values) => Missing::Bytes(values.clone()),
    };
    let length = match feature {
        Feature::FixedLen { shape, default, .. } => {
            Length::Fixed { shape: shape.clone(), default: default.as_ref().map(values) }
        }
        Feature::VarLen { .. } | Feature::Ragged { .. } => Length::Variable,
        Feature::FixedLenSequence { shape, .. } => {
            Length::Sequence { shape: shape.clone(), allow_missing: true }
        }
    };
    FeatureSpec { name: key.to_owned(), dtype: feature.dtype(), length }
}

/// What the parser made of `rows` good records, without a copy. Record `i` of its call is string `places[i]` of `source`.
pub(super) fn to_column(parsed: ParsedColumn, source: &Strings, places: &[usize], rows: usize) -> Column {
    let count = parsed.values.len();
    let flat = match parsed.values {
        Values::Float32(values) => Column::from_vec(vec![], count, values),
        Values::Int64(values) => Column::from_vec(vec![], count, values),
        Values::Bytes(bytes) => {
            let mut parts = source.parts_beside(count, bytes.owned);
            for view in &bytes.views {
                let start = view.start as usize;
                let range = start..start + view.len as usize;
                match view.source {
                    ByteView::OWNED => parts.push_of_others(range),
                    record => parts.push(places[record as usize], range),
                }
            }
            Column::from_strings(vec![], count, parts.finish())
        }
    };
    match parsed.splits.first() {
        None => flat.with_rows_of(rows, parsed.inner_shape),
        Some(splits) => {
            let shapes =
                splits.windows(2).map(|pair| with_outer((pair[1] - pair[0]) as usize, &parsed.inner_shape));
            flat.with_shapes(shapes.collect())
        }
    }
}

/// One row of a feature that stands where a record is bad.
pub(super) fn empty_row(feature: &Feature) -> Column {
    let shape: Vec<usize> =
        feature.shape().dims().unwrap_or(&[]).iter().map(|dim| dim.unwrap_or(0)).collect();
    let count = shape.iter().product();
    match feature.dtype() {
        DType::Float32 => Column::from_vec(shape, 1, vec![0_f32; count]),
        DType::Int64 => Column::from_vec(shape, 1, vec![0_i64; count]),
        _ => Column::from_strings(shape, 1, std::iter::repeat_n("", count).collect()),
    }
}

/// Sequences of `entry` as batches of `sizes`, each filled up to its longest.
fn pad(column: &Column, sizes: &[usize], entry: &[usize], default: Option<&FeatureValues>) -> Column {
    let filler = filler(default, column.dtype());
    let mut first = 0;
    let mut batches = Vec::with_capacity(sizes.len());
    for &size in sizes {
        let rows = first..first + size;
        let longest = rows.clone().map(|row| column.shape(row)[0]).max().unwrap_or(0);
        batches.push((rows, with_outer(size, &with_outer(longest, entry))));
        first += size;
    }
    let padded = move_values(&[column, &filler], &Pad { column, batches: &batches });
    padded.with_shapes(batches.into_iter().map(|(_, shape)| shape).collect())
}

/// The value that sequences are filled up with.
pub(super) fn filler(default: Option<&FeatureValues>, dtype: DType) -> Column {
    match (default, dtype) {
        (Some(FeatureValues::Float32(values)), _) => Column::from_vec(vec![], 1, values.clone()),
        (Some(FeatureValues::Int64(values)), _) => Column::from_vec(vec![], 1, values.clone()),
        (Some(FeatureValues::Strings(values)), _) => Column::from_strings(vec![], 1, values.iter().collect()),
        (None, DType::Float32) => Column::from_vec(vec![], 1, vec![0_f32]),
        (None, DType::Int64) => Column::from_vec(vec![], 1, vec![0_i64]),
        (None, _) => Column::from_strings(vec![], 1, [""].iter().collect()),
    }
}

struct Pad<'a> {
    column: &'a Column,
    /// The records of each batch and its shape.
    batches: &'a [(Range<usize>, Vec<usize>)],
}

impl Move for Pad<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let (values, filler) = (inputs[0], inputs[1][0]);
        let mut padded = Vec::new();
        for (rows, shape) in self.batches {
            let width: usize = shape[1..].iter().product();
            for row in rows.clone() {
                let end = padded.len() + width;
                padded.extend_from_slice(&values[self.column.value_range(row..row + 1)]);
                padded.resize(end, filler);
            }
        }
        padded
    }
}
