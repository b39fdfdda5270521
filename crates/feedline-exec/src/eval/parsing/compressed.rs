//! Strings that are compressed.

use feedline_data::block::{Column, StringsBuilder};
use feedline_formats::{Compression, Decompressor, StringInflater};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

/// No string becomes longer, whatever memory there is: a string has to fit a record.
const MAX_BYTES: usize = 1 << 31;

/// How much is made at a time, before memory is asked for more.
const STEP_BYTES: usize = 1 << 16;

pub(super) fn decode_compressed(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let compression = match arguments.call.text("compression_type") {
        "GZIP" => Some(Compression::Gzip),
        "ZLIB" => Some(Compression::Zlib),
        _ => None,
    };
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let column = source.column();
        let Some(compression) = compression else { return vec![column.clone()] };
        let strings = column.strings().expect("the plan lets only strings come here");
        let mut inflater = arguments.scratch.take(|| StringInflater::new(compression));
        let mut inflated = StringsBuilder::with_capacity(strings.len(), 0);
        let (mut shapes, mut num_bytes) = (Vec::with_capacity(column.rows()), 0);
        for row in 0..column.rows() {
            for index in source.range(row) {
                let string = strings.get(index);
                let result = inflated.push_with(|bytes| {
                    let start = bytes.len();
                    let mut admits = |made| {
                        let is_admitted = arguments.admits(row, num_bytes + made);
                        is_admitted && !arguments.failures.contains_key(&row)
                    };
                    let room = inflater.room(string);
                    // Most strings are short and sound; who is not goes the careful way, a step at a time.
                    let is_done = room <= STEP_BYTES && admits(room) && inflater.inflate(string, bytes);
                    let result = if is_done { Ok(()) } else { inflate(compression, string, bytes, admits) };
                    num_bytes += bytes.len() - start;
                    result
                });
                // Where there is no memory for it, what is made is thrown away, or the row has failed.
                if let Err(reason) = result {
                    arguments.fail(row, &reason);
                }
            }
            shapes.push(column.shape(row).to_vec());
        }
        arguments.scratch.put(inflater);
        vec![Column::from_strings(vec![], inflated.len(), inflated.finish()).with_shapes(shapes)]
    })
}

/// Adds the contents of a string to `bytes`: all of them, or none if `admits`, which is asked for each step, says no.
fn inflate(
    compression: Compression,
    string: &[u8],
    bytes: &mut Vec<u8>,
    mut admits: impl FnMut(usize) -> bool,
) -> Result<(), String> {
    let start = bytes.len();
    let mut decompressor = Decompressor::new(compression);
    let mut taken = 0;
    loop {
        let before = bytes.len();
        if !admits(before - start + STEP_BYTES) {
            bytes.truncate(start);
            return Ok(());
        }
        let pushed = decompressor.push(&string[taken..], bytes, STEP_BYTES);
        taken += pushed.map_err(|error| error.reason())?;
        if bytes.len() - start > MAX_BYTES {
            bytes.truncate(start);
            return Err(format!("the string inflates to more than {MAX_BYTES} bytes"));
        }
        if taken == string.len() && bytes.len() - before < STEP_BYTES {
            return decompressor.finish().map_err(|error| error.reason());
        }
    }
}
