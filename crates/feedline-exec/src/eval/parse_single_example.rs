//! `tf.train.Example` records into columns, one a row: a call of the parser for each record, or for all of a block where the optimizer
//! says so (`parse_after_batch`), which is several times as fast. Both give the same.

use feedline_data::block::Column;

use super::examples::{features_of, parse, record_rows};
use super::rows::once_for_constants;
use super::{Arguments, Value};

pub(super) fn parse_single_example(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let rows = record_rows(arguments, 0);
        let features = features_of(arguments);
        if features.is_parsed_together() {
            return parse(arguments, features, 0, &rows, true);
        }
        let each = (0..rows.len()).map(|row| parse(arguments, features, row, &rows[row..=row], true));
        let mut records: Vec<Vec<Column>> = each.collect();
        if records.is_empty() {
            records.push(parse(arguments, features, 0, &[], true));
        }
        (0..features.len())
            .map(|place| {
                let values: Vec<Column> = records.iter().map(|columns| columns[place].clone()).collect();
                Column::concat(&values)
            })
            .collect()
    })
}
