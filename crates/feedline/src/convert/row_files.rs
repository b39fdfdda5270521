//! Files of rows with the place of every row: reading rows in any order.

use super::columns::SAMPLE_ROWS;
use super::loss::{Loss, skippable};
use super::options::OnError;
use super::places::Places;
use super::stage::ReadableFile;
use crate::error::{Error, Result};
use crate::memory;

/// One file and the places of its rows.
pub(super) struct RowFile {
    pub(super) file: ReadableFile,
    pub(super) places: Places,
    pub(super) lines: LineCounts,
}

/// All rows of all files, in order.
pub(super) struct RowFiles {
    files: Vec<RowFile>,
    /// The position of each file's first row, and behind the last file the number of rows.
    first_rows: Vec<u64>,
    /// What becomes of rows that cannot be read though their places are known.
    on_error: OnError,
}

/// A row and where it is.
pub(super) struct Row<'a> {
    pub(super) file: &'a RowFile,
    /// In the whole input.
    pub(super) position: u64,
    /// In the file.
    pub(super) index: u64,
    pub(super) offset: u64,
    /// Empty if the row is lost.
    pub(super) bytes: &'a [u8],
    /// Why it cannot be read.
    pub(super) loss: Option<&'a Loss>,
}

impl Row<'_> {
    /// The line the row begins at, counted from 1; `None` if it cannot be told, which is no reason to fail: the row has
    /// its trouble already.
    pub(super) fn line(&self) -> Option<u64> {
        self.line_at(self.offset)
    }

    /// The same for any byte of its file.
    pub(super) fn line_at(&self, offset: u64) -> Option<u64> {
        self.file.lines.line_at(&self.file.file, offset).ok()
    }
}

impl RowFiles {
    pub(super) fn new(files: Vec<RowFile>, on_error: OnError) -> RowFiles {
        let counts = files.iter().map(|file| file.places.len());
        let mut first_rows = vec![0];
        first_rows.extend(counts.scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        }));
        RowFiles { files, first_rows, on_error }
    }

    pub(super) fn num_rows(&self) -> u64 {
        self.first_rows.last().copied().unwrap_or(0)
    }

    /// Places that hold no row that can be read.
    pub(super) fn num_lost(&self) -> u64 {
        self.files.iter().map(|file| file.places.num_lost()).sum()
    }

    pub(super) fn num_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.file.size).sum()
    }

    pub(super) fn row_bytes(&self, position: u64) -> u64 {
        let (file, index) = self.locate(position);
        let places = &self.files[file].places;
        if places.loss(index).is_some() {
            return 0; // a lost row is not read, and may seem to be gigabytes long
        }
        let range = places.range(index);
        range.end - range.start
    }

    /// The file of a row and its number there.
    fn locate(&self, position: u64) -> (usize, u64) {
        let file = self.first_rows.partition_point(|&first| first <= position) - 1;
        (file, position - self.first_rows[file])
    }

    /// Calls `visit` with the first rows that can be read: those from which names and types are inferred.
    pub(super) fn sample(&self, mut visit: impl FnMut(&Row<'_>)) -> Result<()> {
        let sample: Vec<u64> = (0..self.num_rows().min(SAMPLE_ROWS)).collect();
        self.visit(&sample, |row| {
            if row.loss.is_none() {
                visit(&row);
            }
            Ok(())
        })
    }

    /// Calls `visit` with each of the rows at `positions`, in that order; rows that follow each other in a file are
    /// read at once.
    pub(super) fn visit(
        &self,
        positions: &[u64],
        mut visit: impl FnMut(Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut buffer = Vec::new();
        let mut rest = positions;
        while let Some(&first) = rest.first() {
            let (file_index, first_index) = self.locate(first);
            let file = &self.files[file_index];
            let following = first..self.first_rows[file_index + 1];
            let run = rest.iter().zip(following).take_while(|(a, b)| **a == *b).count() as u64;
            let row = |index: u64| Row {
                file,
                position: first + (index - first_index),
                index,
                offset: file.places.range(index).start,
                bytes: &[],
                loss: file.places.loss(index),
            };
            // A lost row ends the run before it and is a run of its own.
            let mut run = match file.places.first_lost(first_index..first_index + run) {
                Some(lost) if lost == first_index => {
                    visit(row(first_index))?;
                    rest = &rest[1..];
                    continue;
                }
                Some(lost) => lost - first_index,
                None => run,
            };
            let start = file.places.range(first_index).start;
            loop {
                let end = file.places.range(first_index + run - 1).end;
                match skippable(read(file, start, end, &mut buffer), self.on_error)? {
                    Ok(()) => {
                        for index in first_index..first_index + run {
                            let place = file.places.range(index);
                            let bytes = &buffer[(place.start - start) as usize..(place.end - start) as usize];
                            visit(Row { bytes, ..row(index) })?;
                        }
                        break;
                    }
                    // One by one, then: the trouble may be with one of them alone.
                    Err(_) if run > 1 => run = 1,
                    Err(loss) => {
                        visit(Row { loss: Some(&loss.of_one_row()), ..row(first_index) })?;
                        break;
                    }
                }
            }
            rest = &rest[run as usize..];
        }
        Ok(())
    }
}

/// Reads the bytes from `start` to `end` into `buffer`.
fn read(file: &RowFile, start: u64, end: u64, buffer: &mut Vec<u8>) -> Result<()> {
    let path = &file.file.path;
    memory::resize(buffer, end - start)
        .map_err(|_| Error::memory(path, &format!("hold the row at byte {start}"), end - start))?;
    Ok(file.file.blob()?.read_exact_at(buffer, start)?)
}

/// How many lines end before each of a file's cells, so that the line of any byte is found by reading one cell.
#[derive(Default)]
pub(super) struct LineCounts {
    /// For each cell of [`CELL_BYTES`], the line ends before it.
    before: Vec<u64>,
}

/// Of a read that stays in the core's cache, and a bad row costs no more than one.
pub(super) const CELL_BYTES: u64 = 256 << 10;

impl LineCounts {
    /// From the number of line ends in each cell.
    pub(super) fn new(in_cells: impl Iterator<Item = u32>) -> LineCounts {
        let before = in_cells.scan(0, |sum, count| {
            let before = *sum;
            *sum += u64::from(count);
            Some(before)
        });
        LineCounts { before: before.collect() }
    }

    fn line_at(&self, file: &ReadableFile, offset: u64) -> Result<u64> {
        let cell = offset / CELL_BYTES;
        let mut bytes = vec![0; (offset % CELL_BYTES) as usize];
        file.blob()?.read_exact_at(&mut bytes, cell * CELL_BYTES)?;
        let before = self.before.get(cell as usize).copied().unwrap_or(0);
        Ok(1 + before + memchr::memchr_iter(b'\n', &bytes).count() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::failing_blob::FailingBlob;

    #[test]
    fn rows_that_cannot_be_read_are_lost_one_by_one_or_fail_the_run() {
        let rows = |on_error| {
            let file = FailingBlob::file("0000111122223333444455556666", 13..17);
            let places = Places::new((0..7).map(|row| row * 4).collect(), 28);
            RowFiles::new(vec![RowFile { file, places, lines: LineCounts::default() }], on_error)
        };
        assert!(rows(OnError::Fail).visit(&[0, 1, 2, 3], |_| Ok(())).is_err());
        for positions in [vec![0, 1, 2, 3, 4, 5, 6], vec![6, 3, 1, 2, 0, 5, 4]] {
            let mut seen = Vec::new();
            let visit = |row: Row<'_>| {
                let is_whole = row.bytes == row.position.to_string().repeat(4).as_bytes();
                assert_eq!(is_whole, row.loss.is_none());
                seen.push((row.position, is_whole));
                Ok(())
            };
            rows(OnError::Skip).visit(&positions, visit).unwrap();
            let expected = positions.iter().map(|&position| (position, !(3..=4).contains(&position)));
            assert_eq!(seen, expected.collect::<Vec<_>>());
        }
    }
}
