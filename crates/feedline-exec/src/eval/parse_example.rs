//! `tf.train.Example` records into columns, a batch a row.

use std::ops::Range;

use super::examples::{batches, features_of, parse, record_rows};
use super::rows::once_for_constants;
use super::{Arguments, Value};

pub(super) fn parse_example(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let rows = record_rows(arguments, 1);
        let features = features_of(arguments);
        let columns = parse(arguments, features, 0, &rows, false);
        let sizes: Vec<usize> = rows.iter().map(Range::len).collect();
        columns
            .iter()
            .zip(features.iter())
            .flat_map(|(column, (_, feature))| batches(column, feature, &sizes))
            .collect()
    })
}
