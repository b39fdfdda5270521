//! Where the rows of text files begin, found on all cores.
//!
//! As in [`crate::scan`]: a file is cut into pieces, and each piece is read as if a row began behind its first line
//! end. That is a guess, because the line end may stand in quotes. So the pieces are stitched in order: one counts only if
//! its first row is where the rows before it end, and otherwise it is read again from there. The result is that of
//! reading from front to back, whatever the number of threads.

use std::ops::Range;

use feedline_formats::RowSplitter;
use feedline_io::Blob;
use memchr::{memchr, memchr_iter};

use super::parallel::try_map;
use super::row_files::{CELL_BYTES, LineCounts, RowFile};
use super::stage::ReadableFile;
use crate::error::Result;

/// A part of a file for one thread; whole cells.
const PIECE_BYTES: u64 = 32 * CELL_BYTES;

/// Finds the rows of `files`; `progress` is told of bytes read.
pub(super) fn split_files<S: RowSplitter>(
    files: Vec<ReadableFile>,
    splitter: &S,
    num_threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<RowFile>> {
    split_files_by(files, splitter, num_threads, PIECE_BYTES, progress)
}

fn split_files_by<S: RowSplitter>(
    files: Vec<ReadableFile>,
    splitter: &S,
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
        let blob = files[*index].blob()?;
        let from = if range.start == 0 { Some(text_start(&*blob)?) } else { None };
        let found = find_rows(&*blob, splitter, range, from)?;
        progress(range.end - range.start);
        Ok(found)
    })?;

    let mut found = pieces.iter().zip(found).peekable();
    let mut row_files = Vec::with_capacity(files.len());
    for (index, file) in files.into_iter().enumerate() {
        let (mut starts, mut counts, mut expected) = (Vec::new(), Vec::new(), None);
        while let Some(((_, range), piece)) = found.next_if(|((of, _), _)| *of == index) {
            counts.extend_from_slice(&piece.line_ends);
            let piece = match expected {
                // A row that began before the piece covers all of it.
                Some(expected) if expected >= range.end => continue,
                Some(expected) if piece.first() != Some(expected) => {
                    find_rows(&*file.blob()?, splitter, range, Some(expected))?
                }
                _ => piece,
            };
            starts.extend_from_slice(&piece.starts);
            expected = Some(piece.next.unwrap_or(file.size));
        }
        starts.push(file.size);
        let lines = LineCounts::new(counts.into_iter());
        row_files.push(RowFile { file, starts, lines, damaged: std::collections::BTreeMap::new() });
    }
    Ok(row_files)
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
}

impl Found {
    fn first(&self) -> Option<u64> {
        self.starts.first().copied().or(self.next)
    }
}

/// Reads a piece: from `from` on if a row is known to begin there, else from behind its first line end.
fn find_rows<S: RowSplitter>(
    blob: &dyn Blob,
    splitter: &S,
    range: &Range<u64>,
    from: Option<u64>,
) -> Result<Found> {
    let mut found = Found { starts: Vec::new(), next: None, line_ends: Vec::new() };
    let mut splitter = splitter.clone();
    let mut buffer = vec![0; CELL_BYTES as usize];
    let mut begun = from;
    let mut offset = range.start;
    while found.next.is_none() && offset < blob.size() {
        let read = blob.read_at(&mut buffer, offset)?;
        if read == 0 {
            break;
        }
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
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::stage::{Stage, text_compression};
    use feedline_formats::csv::CsvRows;
    use feedline_formats::json_lines::JsonRows;
    use proptest::prelude::*;

    fn starts<S: RowSplitter>(text: &[u8], splitter: &S, piece_bytes: u64, num_threads: usize) -> Vec<u64> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, text).unwrap();
        let file = Stage::new(folder.path(), 1).open(&path, text_compression, &|_| {}).unwrap();
        split_files_by(vec![file], splitter, num_threads, piece_bytes, &|_| {}).unwrap().remove(0).starts
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
}
