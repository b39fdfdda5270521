//! Strings that are compressed.

use feedline_data::block::{Column, Strings, StringsBuilder};
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
        let asked_from = arguments.asked_from_bytes();
        let room =
            if compression == Compression::Gzip { gzip_room(&inflater, strings, asked_from) } else { 0 };
        let mut inflated = StringsBuilder::with_capacity(strings.len(), room);
        let (mut shapes, mut num_bytes) = (Vec::with_capacity(column.rows()), 0);
        for row in 0..column.rows() {
            for index in source.range(row) {
                let string = strings.get(index);
                let result = inflated.push_with(|bytes| {
                    let start = bytes.len();
                    let mut admits = |made| {
                        // Asking takes as long as a short string, and two workers who ask wait for each other.
                        let is_admitted =
                            num_bytes + made <= asked_from || arguments.admits(row, num_bytes + made);
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

/// Bytes of all strings, as they say themselves; 0 if those are so many that they are asked for as they are made.
fn gzip_room(inflater: &StringInflater, strings: &Strings, asked_from: usize) -> usize {
    let rooms = strings.iter().map(|string| inflater.room(string));
    let room = rooms.fold(SLACK_BYTES, usize::saturating_add);
    if room <= asked_from { room } else { 0 }
}

/// Room behind the last string, so that an inflater may write more than it makes.
const SLACK_BYTES: usize = 32;

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
