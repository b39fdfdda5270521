//! The number of each key, or one by its hash.

use std::io::Write as _;

use feedline_data::DType;
use feedline_data::block::Column;

use super::index::{index_of, places};
use crate::eval::elementwise::like;
use crate::eval::rows::{RowsOf, once_for_constants};
use crate::eval::strings::fingerprint64;
use crate::eval::{Arguments, Value};

pub(super) fn find_or_hash(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let num_buckets = arguments.call.int("num_oov_buckets").unsigned_abs();
    once_for_constants(arguments, |arguments| {
        let keys = arguments.inputs[0].to_rows(arguments.rows);
        let values = RowsOf::new(arguments.inputs[2]).column().as_slice::<i64>();
        let index = index_of(arguments);
        let found = places(&index, &keys);
        let mut text = Vec::new();
        let mut hash = |place: usize| {
            if let Some(strings) = keys.strings() {
                return fingerprint64(strings.get(place));
            }
            let key = match keys.dtype() {
                DType::Int32 => i64::from(keys.as_slice::<i32>()[place]),
                _ => keys.as_slice::<i64>()[place],
            };
            text.clear();
            write!(text, "{key}").expect("memory takes all");
            fingerprint64(&text)
        };
        let numbers: Vec<i64> = found
            .iter()
            .enumerate()
            .map(|(place, &found)| match values.get(found as usize) {
                Some(&value) => value,
                None => index.len() as i64 + (hash(place) % num_buckets) as i64,
            })
            .collect();
        vec![like(&keys, Column::from_vec(vec![], numbers.len(), numbers))]
    })
}
