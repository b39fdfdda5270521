//! A list of files, read where it is asked: the reference.

use super::cursor::FileCursor;
use super::open::open;
use super::{Event, FileList, FilePlace};
use crate::error::ExecError;

/// The rows of a list of files, one file after the other, front to back, on the thread that asks.
pub(crate) struct ReadInline {
    files: FileList,
    /// The file being read.
    file: usize,
    /// Where it is entered.
    start: FilePlace,
    cursor: Option<FileCursor>,
}

impl ReadInline {
    /// Reads `files` from `start` of file `file` on.
    pub(crate) fn new(files: FileList, file: usize, start: FilePlace) -> ReadInline {
        ReadInline { files, file, start, cursor: None }
    }

    /// What comes next; `None` is the end.
    pub(crate) fn next(&mut self) -> Option<Event> {
        loop {
            let path = self.files.paths.get(self.file)?;
            let file = self.file;
            if self.cursor.is_none() {
                let FileList { store, kind, buffers, sizes, .. } = &self.files;
                match open(&**store, path, *kind) {
                    Ok((blob, compression)) => {
                        self.cursor =
                            Some(FileCursor::new(blob, compression, *kind, self.start, buffers, *sizes));
                    }
                    Err(error) => return Some(self.end_with(file, self.start, error)),
                }
            }
            let cursor = self.cursor.as_mut().expect("opened above");
            match cursor.next_piece() {
                Ok(Some(piece)) => return Some(Event::Rows { file, piece }),
                Ok(None) => self.next_file(),
                Err(error) => {
                    let at = cursor.place();
                    return Some(self.end_with(file, at, error));
                }
            }
        }
    }

    fn end_with(&mut self, file: usize, at: FilePlace, error: ExecError) -> Event {
        self.next_file();
        Event::Error { file, at, error }
    }

    fn next_file(&mut self) {
        self.file += 1;
        self.start = FilePlace::default();
        self.cursor = None;
    }
}
