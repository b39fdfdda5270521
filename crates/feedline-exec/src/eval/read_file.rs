//! The contents of files.
//!
//! Reading waits, so what computes it runs on threads beside the workers, many at a time: see `Program::waits`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use feedline_data::block::{Buffer, Column, Places, Strings};
use feedline_io::{Blob, LocalStore, Store};

use super::rows::{RowsOf, once_for_constants};
use super::{Arguments, Value};

pub(super) fn read_file(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let names = source.column().strings().expect("the plan lets only strings be names");
        let mut contents = Vec::with_capacity(arguments.rows);
        let mut num_bytes = 0;
        for row in 0..arguments.rows {
            let path = Path::new(OsStr::from_bytes(names.get(source.range(row).start)));
            let bytes = LocalStore.open(path).and_then(|blob| {
                // Asked before it is read: many are read at a time.
                num_bytes += usize::try_from(blob.size()).unwrap_or(usize::MAX);
                if !arguments.admits(row, num_bytes) {
                    return Ok(None);
                }
                // One that does not fit by itself has failed.
                if arguments.failures.contains_key(&row) {
                    Ok(Some(Vec::new()))
                } else {
                    read(&*blob).map(Some)
                }
            });
            let bytes = bytes.unwrap_or_else(|error| {
                let text = error.to_string();
                let (message, hint) = text.split_once("\nhint: ").unwrap_or((&text, ""));
                let hint = (!hint.is_empty()).then(|| hint.to_owned());
                arguments.fail_with_hint(row, message, hint);
                Some(Vec::new())
            });
            let is_last = bytes.is_none();
            contents.push(Column::from_strings(vec![], 1, one_string(bytes.unwrap_or_default())));
            if is_last {
                break;
            }
        }
        vec![Column::concat(&contents)]
    })
}

fn read(blob: &dyn Blob) -> feedline_io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(blob.size()).unwrap_or(usize::MAX)];
    blob.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// A string that is all of `bytes`, not copied.
fn one_string(bytes: Vec<u8>) -> Strings {
    let mut places = Places::with_capacity(1);
    places.push(0..bytes.len());
    Strings::of_places(&Buffer::from_vec(bytes), &std::sync::Arc::new(places))
}
