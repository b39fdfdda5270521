//! `tf.train.SequenceExample` records, a batch a row. Bytes stay views on the records.

use std::ops::Range;

use feedline_data::Column as ParsedColumn;
use feedline_data::block::{Column, Strings};
use feedline_formats::example::SequenceParser;
use feedline_plan::expr::Features;

use super::super::parse_example::{batches, reason, record_rows, to_column};
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::sequence::{features, parser_of};

pub(super) fn parse_sequence_example(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (context, lists) =
            (features(arguments, "context_features"), features(arguments, "sequence_features"));
        let strings = RowsOf::new(arguments.inputs[0]).column().strings().expect("records are strings");
        let rows = record_rows(arguments, 1);
        let mut parser = arguments.scratch.take(|| parser_of(context, lists));
        let mut batches: Vec<Vec<Column>> = Vec::with_capacity(rows.len());
        for (row, places) in rows.into_iter().enumerate() {
            let batch = parse_batch(&mut parser, strings, places, context, lists);
            batches.push(batch.unwrap_or_else(|(message, hint)| {
                arguments.fail_with_hint(row, &message, Some(hint));
                no_records(&mut parser, strings, context, lists)
            }));
        }
        if batches.is_empty() {
            batches.push(no_records(&mut parser, strings, context, lists));
        }
        arguments.scratch.put(parser);
        (0..batches[0].len())
            .map(|output| {
                Column::concat(&batches.iter().map(|batch| batch[output].clone()).collect::<Vec<_>>())
            })
            .collect()
    })
}

/// A row of each output, from the records at `places`; of the first bad one what is wrong, and what to do.
fn parse_batch(
    parser: &mut SequenceParser,
    strings: &Strings,
    places: Range<usize>,
    context: &Features,
    lists: &Features,
) -> Result<Vec<Column>, (String, String)> {
    let places: Vec<usize> = places.collect();
    let records: Vec<&[u8]> = places.iter().map(|&place| strings.get(place)).collect();
    let (mut context_columns, mut list_columns) = (Vec::new(), Vec::new());
    let bad = parser.parse_or_skip(&records, &mut context_columns, &mut list_columns);
    if let Some((record, error)) = bad.first() {
        return Err((format!("record {record} of the batch: {}", reason(error)), error.hint()));
    }
    let size = records.len();
    let mut outputs = Vec::new();
    for (parsed, (_, feature)) in context_columns.into_iter().zip(context.iter()) {
        outputs.extend(batches(&to_column(parsed, strings, &places, size), feature, &[size]));
    }
    let mut lengths = Vec::new();
    for (parsed, (_, feature)) in list_columns.into_iter().zip(lists.iter()) {
        if feature.has_any_length() {
            outputs.extend(ragged_list(parsed, strings, &places));
        } else {
            let steps: Vec<i64> =
                parsed.splits[0].windows(2).map(|pair| (pair[1] - pair[0]) as i64).collect();
            lengths.push(Column::from_vec(vec![size], 1, steps));
            outputs.extend(batches(&to_column(parsed, strings, &places, size), feature, &[size]));
        }
    }
    outputs.extend(lengths);
    Ok(outputs)
}

/// What stands where a batch is bad.
fn no_records(
    parser: &mut SequenceParser,
    strings: &Strings,
    context: &Features,
    lists: &Features,
) -> Vec<Column> {
    parse_batch(parser, strings, 0..0, context, lists).expect("of no records none is bad")
}

/// The values of all steps of all records, where the steps of each record begin, and where the values of each step do.
fn ragged_list(parsed: ParsedColumn, strings: &Strings, places: &[usize]) -> Vec<Column> {
    let num_values = parsed.values.len();
    let splits = parsed.splits.iter().map(|splits| {
        let splits: Vec<i64> = splits.iter().map(|&split| split as i64).collect();
        Column::from_vec(vec![splits.len()], 1, splits)
    });
    let splits: Vec<Column> = splits.collect();
    let flat = ParsedColumn { splits: vec![], inner_shape: vec![], ..parsed };
    let values = to_column(flat, strings, places, num_values).with_rows_of(1, vec![num_values]);
    [vec![values], splits].concat()
}
