//! Files written by name.
//!
//! Writing waits, so what does it runs on threads beside the workers, many at a time: see `Program::waits`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use feedline_io::AtomicFile;

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

pub(super) fn write_file(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (names, contents) = (RowsOf::new(arguments.inputs[0]), RowsOf::new(arguments.inputs[1]));
        let of = |rows: &RowsOf<'_>| {
            rows.column().strings().expect("the plan lets only strings come here").clone()
        };
        let (name_strings, content_strings) = (of(&names), of(&contents));
        for row in 0..arguments.rows {
            if !names.shape(row).is_empty() || !contents.shape(row).is_empty() {
                arguments.fail(row, "takes one file's name and contents");
                continue;
            }
            let path = Path::new(OsStr::from_bytes(name_strings.get(names.range(row).start)));
            if let Err(error) = write(path, content_strings.get(contents.range(row).start)) {
                let text = error.to_string();
                let (message, hint) = text.split_once("\nhint: ").unwrap_or((&text, ""));
                let hint = (!hint.is_empty()).then(|| hint.to_owned());
                arguments.fail_with_hint(row, message, hint);
            }
        }
        vec![arguments.inputs[0].to_rows(arguments.rows)]
    })
}

fn write(path: &Path, contents: &[u8]) -> feedline_io::Result<()> {
    if let Some(folder) = path.parent() {
        // Where that fails, so does what follows, and says why.
        let _ = std::fs::create_dir_all(folder);
    }
    let mut file = AtomicFile::create(path)?;
    file.write_all(contents)?;
    file.commit()
}
