//! `tf.train.SequenceExample` records, a batch a row. Bytes stay views on the records.

use std::ops::Range;

use feedline_data::block::{Column, Strings};
use feedline_data::{Column as ParsedColumn, Native};
use feedline_formats::example::SequenceParser;
use feedline_plan::expr::{Feature, FeatureValues, Features};

use super::super::examples::{batches, filler, reason, record_rows, to_column};
use super::super::moves::{Move, move_values};
use super::super::rows::{RowsOf, once_for_constants};
use super::super::walk::with_outer;
use super::super::{Arguments, Value};
use super::sequence::{features, parser_of};

pub(super) fn parse_sequence_example(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (context, lists) =
            (features(arguments, "context_features"), features(arguments, "sequence_features"));
        let strings = RowsOf::new(arguments.inputs[0]).column().strings().expect("records are strings");
        let rows = record_rows(arguments, 1);
        let mut parser = arguments.scratch.take(|| parser_of(context, lists));
        // All rows in one call; if a record is bad, row by row: a bad record fails its row, and no other.
        let parsed = parse_batches(&mut parser, strings, &rows, context, lists);
        let columns = parsed.unwrap_or_else(|_| {
            let each = rows.iter().enumerate().map(|(row, range)| {
                let range = std::slice::from_ref(range);
                parse_batches(&mut parser, strings, range, context, lists).unwrap_or_else(
                    |(message, hint)| {
                        arguments.fail_with_hint(row, &message, Some(hint));
                        let nothing = parse_batches(
                            &mut parser,
                            strings,
                            std::slice::from_ref(&(0..0)),
                            context,
                            lists,
                        );
                        nothing.expect("of no records none is bad")
                    },
                )
            });
            let each: Vec<Vec<Column>> = each.collect();
            (0..each[0].len())
                .map(|output| {
                    Column::concat(&each.iter().map(|columns| columns[output].clone()).collect::<Vec<_>>())
                })
                .collect()
        });
        arguments.scratch.put(parser);
        columns
    })
}

/// The outputs, with a row for each batch of records in `rows`; of the first bad record what is wrong, and what to do.
fn parse_batches(
    parser: &mut SequenceParser,
    strings: &Strings,
    rows: &[Range<usize>],
    context: &Features,
    lists: &Features,
) -> Result<Vec<Column>, (String, String)> {
    let places: Vec<usize> = rows.iter().flat_map(Clone::clone).collect();
    let records: Vec<&[u8]> = places.iter().map(|&place| strings.get(place)).collect();
    let (mut context_columns, mut list_columns) = (Vec::new(), Vec::new());
    let bad = parser.parse_or_skip(&records, &mut context_columns, &mut list_columns);
    if let Some((record, error)) = bad.first() {
        return Err((format!("record {record} of the batch: {}", reason(error)), error.hint()));
    }
    let sizes: Vec<usize> = rows.iter().map(Range::len).collect();
    let mut outputs = Vec::new();
    for (parsed, (_, feature)) in context_columns.into_iter().zip(context.iter()) {
        outputs.extend(batches(&to_column(parsed, strings, &places, records.len()), feature, &sizes));
    }
    let mut lengths = Vec::new();
    for (parsed, (_, feature)) in list_columns.into_iter().zip(lists.iter()) {
        if feature.has_any_length() {
            outputs.extend(ragged_lists(parsed, strings, &places, &sizes));
        } else {
            let steps = parsed.splits[0].windows(2).map(|pair| (pair[1] - pair[0]) as i64);
            let steps = Column::from_vec(vec![], records.len(), steps.collect());
            lengths.push(steps.with_shapes(sizes.iter().map(|&size| vec![size]).collect()));
            outputs.push(padded_lists(parsed, strings, &places, &sizes, feature));
        }
    }
    outputs.extend(lengths);
    Ok(outputs)
}

/// The records of each batch.
fn records_of(sizes: &[usize]) -> impl Iterator<Item = Range<usize>> {
    sizes.iter().scan(0, |end, &size| {
        let first = *end;
        *end += size;
        Some(first..*end)
    })
}

/// Values of a feature without its levels, each a row.
fn flat(parsed: ParsedColumn, strings: &Strings, places: &[usize]) -> Column {
    let count = parsed.values.len();
    to_column(ParsedColumn { splits: vec![], inner_shape: vec![], ..parsed }, strings, places, count)
}

/// Of each batch the values of all steps of all records, where the steps of each record begin, and where the values of each step do.
fn ragged_lists(parsed: ParsedColumn, strings: &Strings, places: &[usize], sizes: &[usize]) -> [Column; 3] {
    let [records, steps] = &parsed.splits[..] else { unreachable!("steps, and the values of each") };
    let (mut shapes, mut outer, mut inner) = (Vec::new(), Splits::default(), Splits::default());
    for batch in records_of(sizes) {
        let own = outer.add(&records[batch.start..=batch.end]);
        let own = inner.add(&steps[own.start as usize..=own.end as usize]);
        shapes.push(vec![(own.end - own.start) as usize]);
    }
    let (outer, inner) = (outer.finish(), inner.finish());
    [flat(parsed, strings, places).with_shapes(shapes), outer, inner]
}

/// Splits of several batches, each counted from its own first.
#[derive(Default)]
struct Splits {
    values: Vec<i64>,
    shapes: Vec<Vec<usize>>,
}

impl Splits {
    /// Adds those of a batch, which are counted from the first batch; returns the first and the last.
    fn add(&mut self, splits: &[u64]) -> Range<u64> {
        let (first, last) = (splits[0], splits[splits.len() - 1]);
        self.values.extend(splits.iter().map(|&split| (split - first) as i64));
        self.shapes.push(vec![splits.len()]);
        first..last
    }

    fn finish(self) -> Column {
        Column::from_vec(vec![], self.values.len(), self.values).with_shapes(self.shapes)
    }
}

/// Batches of lists, each filled up to its longest.
fn padded_lists(
    parsed: ParsedColumn,
    strings: &Strings,
    places: &[usize],
    sizes: &[usize],
    feature: &Feature,
) -> Column {
    let (splits, entry) = (parsed.splits[0].clone(), parsed.inner_shape.clone());
    let values = flat(parsed, strings, places);
    let lengths =
        |batch: &Range<usize>| splits[batch.start..=batch.end].windows(2).map(|pair| pair[1] - pair[0]);
    let longest = |batch: &Range<usize>| lengths(batch).max().unwrap_or(0);
    let shapes: Vec<Vec<usize>> = records_of(sizes)
        .map(|batch| with_outer(batch.len(), &with_outer(longest(&batch) as usize, &entry)))
        .collect();
    // Most often nothing is to be filled: the values lie as they should.
    let is_full = records_of(sizes).all(|batch| {
        let longest = longest(&batch);
        lengths(&batch).all(|length| length == longest)
    });
    if is_full {
        return values.with_shapes(shapes);
    }
    let default = match feature {
        Feature::FixedLenSequence { default, .. } => default.as_ref(),
        _ => None::<&FeatureValues>,
    };
    let filler = filler(default, values.dtype());
    let padding = PadLists { splits: &splits, sizes, shapes: &shapes };
    move_values(&[&values, &filler], &padding).with_shapes(shapes)
}

struct PadLists<'a> {
    /// Where the steps of each record begin.
    splits: &'a [u64],
    /// Records of each batch, and its shape.
    sizes: &'a [usize],
    shapes: &'a [Vec<usize>],
}

impl Move for PadLists<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let (values, filler) = (inputs[0], inputs[1][0]);
        let count = self.shapes.iter().map(|shape| shape.iter().product::<usize>()).sum();
        let mut padded = Vec::with_capacity(count);
        for (batch, shape) in records_of(self.sizes).zip(self.shapes) {
            let (entry, width) = (shape[2..].iter().product::<usize>(), shape[1..].iter().product::<usize>());
            for record in batch {
                let end = padded.len() + width;
                let own = self.splits[record] as usize * entry..self.splits[record + 1] as usize * entry;
                padded.extend_from_slice(&values[own]);
                padded.resize(end, filler);
            }
        }
        padded
    }
}
