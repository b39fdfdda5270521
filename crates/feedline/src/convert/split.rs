//! Where the rows of text files begin, found on all cores.
//!
//! As in [`crate::scan`]: a file is cut into pieces, and each piece is read as if a row began behind its first line
//! end. That is a guess, because the line end may stand in quotes. So the pieces are stitched in order: one counts only if
//! its first row is where the rows before it end, and otherwise it is read again from there. The result is that of
//! reading from front to back, whatever the number of threads.
//!
//! Where bad rows are skipped, a file that cannot be read on somewhere ends there, and the row that is cut by that end is
//! part of what is lost.

use std::ops::Range;

use feedline_formats::RowSplitter;
use feedline_io::Blob;
use memchr::{memchr, memchr_iter};

use super::loss::{Loss, skippable};
use super::options::{OnError, Options};
use super::parallel::try_map;
use super::places::Places;
use super::row_files::{CELL_BYTES, LineCounts, RowFile};
use super::stage::ReadableFile;
use crate::error::Result;

/// A part of a file for one thread; whole cells.
const PIECE_BYTES: u64 = 32 * CELL_BYTES;

/// Finds the rows of `files`; `progress` is told of bytes read.
pub(super) fn split_files<S: RowSplitter>(
    files: Vec<ReadableFile>,
    splitter: &S,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<RowFile>> {
    let split = Split { splitter, on_error: options.on_error };
    split.files(files, options.num_threads, PIECE_BYTES, progress)
}

/// How to split.
struct Split<'a, S> {
    splitter: &'a S,
    on_error: OnError,
}

impl<S: RowSplitter> Split<'_, S> {
    fn files(
        &self,
        files: Vec<ReadableFile>,
        num_threads: usize,
        piece_bytes: u64,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Vec<RowFile>> {
        let pieces: Vec<(usize, Range<u64>)> = files
            .iter()
            .enumerate()
            .flat_map(|(index, file)| {
                let starts = (0..file.size).step_by(piece_bytes as usize);
                starts.map(move |start| (index, start..file.size.min(start + piece_bytes)))
            })
            .collect();
        let found = try_map(num_threads, &pieces, |(index, range)| {
            let found = self.piece(&files[*index], range, None)?;
            progress(range.end - range.start);
            Ok(found)
        })?;

        let mut found = pieces.iter().zip(found).peekable();
        let mut row_files = Vec::with_capacity(files.len());
        for (index, file) in files.into_iter().enumerate() {
            let (mut starts, mut counts, mut expected) = (Vec::new(), Vec::new(), None);
            let (mut end, mut loss) = (file.size, file.loss.clone());
            while let Some(((_, range), piece)) = found.next_if(|((of, _), _)| *of == index) {
                if end < file.size {
                    continue;
                }
                counts.extend_from_slice(&piece.line_ends);
                let piece = match expected {
                    // A row that began before the piece covers all of it.
                    Some(expected) if expected >= range.end => continue,
                    Some(expected) if piece.first() != Some(expected) => {
                        self.piece(&file, range, Some(expected))?
                    }
                    _ => piece,
                };
                starts.extend_from_slice(&piece.starts);
                expected = Some(piece.next.unwrap_or(file.size));
                if let Some((offset, why)) = piece.broken {
                    (end, loss) = (offset, Some(why));
                }
            }
            let last = starts.last().copied();
            let mut places = Places::new(starts, end);
            match (loss, last) {
                (Some(loss), Some(last)) if !self.is_whole(&file, last..end)? => places.lose_last(loss),
                (Some(loss), _) => places.lose_behind(loss),
                (None, _) => {}
            }
            let lines = LineCounts::new(counts.into_iter());
            row_files.push(RowFile { file, places, lines });
        }
        Ok(row_files)
    }

    /// Finds the rows that begin in a piece of a file, if a row is known to begin at `from` or not.
    fn piece(&self, file: &ReadableFile, range: &Range<u64>, from: Option<u64>) -> Result<Found> {
        let open = || {
            let blob = file.blob()?;
            let from = if range.start == 0 { Some(text_start(&*blob)?) } else { from };
            Ok((blob, from))
        };
        let mut found = Found { starts: Vec::new(), next: None, line_ends: Vec::new(), broken: None };
        match skippable(open(), self.on_error)? {
            Ok((blob, from)) => self.find_rows(&*blob, range, from, &mut found)?,
            Err(loss) => found.broken = Some((range.start, loss)),
        }
        Ok(found)
    }

    /// Whether a row ends within its range, by its own line end. Else it was cut, and what is there of it is not what it
    /// says: `12` of `1234`.
    fn is_whole(&self, file: &ReadableFile, range: Range<u64>) -> Result<bool> {
        let mut splitter = self.splitter.clone();
        feed(&mut splitter, file, range)?;
        let mut is_whole = false;
        splitter.push(b"x", |_| is_whole = true);
        Ok(is_whole)
    }

    /// Reads a piece: from `from` on if a row is known to begin there, else from behind its first line end.
    fn find_rows(
        &self,
        blob: &dyn Blob,
        range: &Range<u64>,
        from: Option<u64>,
        found: &mut Found,
    ) -> Result<()> {
        let mut splitter = self.splitter.clone();
        let mut buffer = vec![0; CELL_BYTES as usize];
        let mut begun = from;
        let mut offset = range.start;
        while found.next.is_none() && offset < blob.size() {
            let read = match skippable(blob.read_at(&mut buffer, offset).map_err(Into::into), self.on_error)?
            {
                Ok(0) => break,
                Ok(read) => read,
                Err(loss) => {
                    found.broken = Some((offset, loss));
                    break;
                }
            };
            let bytes = &buffer[..read];
            if offset < range.end {
                found.line_ends.push(memchr_iter(b'\n', bytes).count() as u32);
            } else if from.is_none() && offset >= range.end + (range.end - range.start) {
                // A wrong guess can make all the rest of a file one row. Give up: what is known of no row is read again
                // when it is known where its rows begin.
                found.starts.clear();
                break;
            }
            if begun.is_none() {
                begun = memchr(b'\n', bytes).map(|line_end| offset + line_end as u64 + 1);
            }
            if let Some(begin) = begun.filter(|&begin| begin < offset + read as u64) {
                let skipped = begin.saturating_sub(offset);
                splitter.push(&bytes[skipped as usize..], |at| {
                    let start = offset + skipped + at as u64;
                    if start < range.end {
                        found.starts.push(start);
                    } else if found.next.is_none() {
                        found.next = Some(start);
                    }
                });
            }
            offset += read as u64;
        }
        Ok(())
    }
}

/// Some programs begin a text file with a mark that says it is UTF-8; it is no part of the first name.
fn text_start(blob: &dyn Blob) -> Result<u64> {
    let mut head = [0; 3];
    let read = blob.read_at(&mut head, 0)?;
    Ok(if head[..read] == [0xef, 0xbb, 0xbf] { 3 } else { 0 })
}

/// The rows that begin in a piece.
struct Found {
    starts: Vec<u64>,
    /// Where the first row behind the piece begins; `None` if there is none.
    next: Option<u64>,
    /// Line ends in each cell of the piece.
    line_ends: Vec<u32>,
    /// Where the file cannot be read on, and why.
    broken: Option<(u64, Loss)>,
}

impl Found {
    fn first(&self) -> Option<u64> {
        self.starts.first().copied().or(self.next)
    }
}

/// Has `splitter` look at the bytes of `range`, whatever they are.
pub(super) fn feed(splitter: &mut impl RowSplitter, file: &ReadableFile, range: Range<u64>) -> Result<()> {
    let blob = file.blob()?;
    let mut buffer = vec![0; CELL_BYTES as usize];
    let mut offset = range.start;
    while offset < range.end {
        let wanted = (range.end - offset).min(CELL_BYTES) as usize;
        blob.read_exact_at(&mut buffer[..wanted], offset)?;
        splitter.push(&buffer[..wanted], |_| {});
        offset += wanted as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::failing_blob::FailingBlob;
    use crate::convert::options::Format;
    use crate::convert::stage::Stage;
    use feedline_formats::csv::CsvRows;
    use feedline_formats::json_lines::JsonRows;
    use proptest::prelude::*;

    fn starts<S: RowSplitter>(text: &[u8], splitter: &S, piece_bytes: u64, num_threads: usize) -> Vec<u64> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, text).unwrap();
        let stage = Stage::new(folder.path(), Format::Csv, OnError::Fail, 1);
        let file = stage.open(&path, &|_| {}).unwrap();
        let split = Split { splitter, on_error: OnError::Fail };
        let found = split.files(vec![file], num_threads, piece_bytes, &|_| {}).unwrap().remove(0);
        found.places.starts().to_vec()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn pieces_equal_one_pass(text in "[a,\"\n\r ]{0,60}", piece_bytes in 1u64..30) {
            let whole = starts(text.as_bytes(), &CsvRows::new(b','), u64::from(u32::MAX), 1);
            prop_assert_eq!(starts(text.as_bytes(), &CsvRows::new(b','), piece_bytes, 3), whole);
            let whole = starts(text.as_bytes(), &JsonRows::default(), u64::from(u32::MAX), 1);
            prop_assert_eq!(starts(text.as_bytes(), &JsonRows::default(), piece_bytes, 3), whole);
        }
    }

    #[test]
    fn a_mark_at_the_start_is_no_text() {
        assert_eq!(starts(b"\xef\xbb\xbfa\nb\n", &CsvRows::new(b','), 100, 1), [3, 5, 7]);
        assert_eq!(starts(b"", &CsvRows::new(b','), 100, 1), [0]);
    }

    /// Cells are 256 KiB: of one that cannot be read, nothing is known.
    #[test]
    fn a_file_that_cannot_be_read_on_ends_there_with_one_lost_place() {
        let rows: Vec<String> = (0..200_000).map(|row| format!("{row:06}\n")).collect();
        let rows = rows.concat();
        let broken = 3 * CELL_BYTES + 100..3 * CELL_BYTES + 101;
        // The row that reaches over the end of the third cell is lost, too: 7 bytes a row.
        let num_whole = 3 * CELL_BYTES / 7;
        for (piece_bytes, num_threads) in [(CELL_BYTES, 1), (2 * CELL_BYTES, 3), (PIECE_BYTES, 2)] {
            let split = |on_error| {
                let file = FailingBlob::file(rows.as_bytes(), broken.clone());
                let split = Split { splitter: &CsvRows::new(b','), on_error };
                split.files(vec![file], num_threads, piece_bytes, &|_| {})
            };
            assert!(split(OnError::Fail).is_err());
            let places = split(OnError::Skip).unwrap().remove(0).places;
            assert_eq!((places.len(), places.num_lost()), (num_whole + 1, 1), "pieces of {piece_bytes}");
            assert_eq!(places.range(num_whole - 1), 7 * (num_whole - 1)..7 * num_whole);
            assert!(places.loss(num_whole).is_some());
        }
    }
}
