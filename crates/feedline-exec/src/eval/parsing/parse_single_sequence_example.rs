//! `tf.train.SequenceExample` records, one a row. Bytes stay views on the records.

use feedline_data::Column as ParsedColumn;
use feedline_data::block::{Column, Strings};
use feedline_plan::expr::Features;

use super::super::examples::{empty_row, reason, to_column};
use super::super::rows::{RowsOf, once_for_constants};
use super::super::walk::with_outer;
use super::super::{Arguments, Value};
use super::sequence::{features, parser_of};

pub(super) fn parse_single_sequence_example(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (context, lists) =
            (features(arguments, "context_features"), features(arguments, "sequence_features"));
        let source = RowsOf::new(arguments.inputs[0]);
        let strings = source.column().strings().expect("records are strings");
        let mut parser = arguments.scratch.take(|| parser_of(context, lists));
        // A record each: how many values a step has is a part of the record, so that nothing is gained by many at a time.
        let mut rows: Vec<Vec<Column>> = Vec::with_capacity(arguments.rows);
        let (mut context_columns, mut list_columns) = (Vec::new(), Vec::new());
        for row in 0..arguments.rows {
            let is_one = source.shape(row).is_empty();
            if !is_one {
                arguments
                    .fail(row, &format!("takes one record, not records of shape {:?}", source.shape(row)));
            }
            let place = source.range(row).start;
            let record: Vec<&[u8]> = if is_one { vec![strings.get(place)] } else { Vec::new() };
            let bad = parser.parse_or_skip(&record, &mut context_columns, &mut list_columns);
            if let Some((_, error)) = bad.first() {
                arguments.fail_with_hint(row, &reason(error), Some(error.hint()));
            }
            if !is_one || !bad.is_empty() {
                rows.push(nothing(context, lists));
                continue;
            }
            let mut columns: Vec<Column> = Vec::new();
            for parsed in context_columns.drain(..) {
                columns.push(to_column(parsed, strings, &[place], 1));
            }
            for parsed in list_columns.drain(..) {
                columns.extend(list_parts(parsed, strings, place));
            }
            rows.push(columns);
        }
        arguments.scratch.put(parser);
        if rows.is_empty() {
            rows.push(nothing(context, lists));
        }
        let num_outputs = rows[0].len();
        (0..num_outputs)
            .map(|output| Column::concat(&rows.iter().map(|row| row[output].clone()).collect::<Vec<_>>()))
            .collect()
    })
}

/// The tensors a list of one record is: its steps, or the values of all steps and where each begins.
fn list_parts(parsed: ParsedColumn, strings: &Strings, place: usize) -> Vec<Column> {
    let inner_shape = parsed.inner_shape.clone();
    let levels: Vec<Vec<u64>> = parsed.splits.clone();
    let num_values = parsed.values.len();
    let parsed = ParsedColumn { splits: vec![], inner_shape: vec![], ..parsed };
    let flat = to_column(parsed, strings, &[place], num_values);
    match &levels[..] {
        [steps] => {
            let count = steps.last().map_or(0, |&last| last as usize);
            vec![flat.with_rows_of(1, with_outer(count, &inner_shape))]
        }
        [_, values] => {
            let splits: Vec<i64> = values.iter().map(|&split| split as i64).collect();
            let count = flat.num_values();
            vec![flat.with_rows_of(1, vec![count]), Column::from_vec(vec![splits.len()], 1, splits)]
        }
        _ => unreachable!("a list has one level or two"),
    }
}

/// What stands where a record is bad.
fn nothing(context: &Features, lists: &Features) -> Vec<Column> {
    let mut columns: Vec<Column> = context.iter().map(|(_, feature)| empty_row(feature)).collect();
    for (_, feature) in lists.iter() {
        columns.push(empty_row(feature));
        if feature.has_any_length() {
            columns.push(Column::from_vec(vec![1], 1, vec![0_i64]));
        }
    }
    columns
}
