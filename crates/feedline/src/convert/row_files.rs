//! Files of rows with the place of every row: reading rows in any order.

use std::collections::BTreeMap;

use feedline_formats::Error as FormatError;

use super::stage::ReadableFile;
use crate::error::Result;

/// One file and the places of its rows.
pub(super) struct RowFile {
    pub(super) file: ReadableFile,
    /// Where each row begins, and where the last one ends: 8 bytes a row.
    pub(super) starts: Vec<u64>,
    pub(super) lines: LineCounts,
    /// Rows that cannot even be found whole, by number in the file.
    pub(super) damaged: BTreeMap<u64, FormatError>,
}

impl RowFile {
    pub(super) fn num_rows(&self) -> u64 {
        (self.starts.len() as u64).saturating_sub(1)
    }
}

/// All rows of all files, in order.
pub(super) struct RowFiles {
    files: Vec<RowFile>,
    /// The position of each file's first row, and behind the last file the number of rows.
    first_rows: Vec<u64>,
}

/// A row and where it is.
pub(super) struct Row<'a> {
    pub(super) file: &'a RowFile,
    /// In the whole input.
    pub(super) position: u64,
    /// In the file.
    pub(super) index: u64,
    pub(super) offset: u64,
    /// Empty for a row that is damaged.
    pub(super) bytes: &'a [u8],
}

impl Row<'_> {
    /// The line the row begins at, counted from 1.
    pub(super) fn line(&self) -> Result<u64> {
        self.file.lines.line_at(&self.file.file, self.offset)
    }
}

impl RowFiles {
    pub(super) fn new(files: Vec<RowFile>) -> RowFiles {
        let counts = files.iter().map(RowFile::num_rows);
        let mut first_rows = vec![0];
        first_rows.extend(counts.scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        }));
        RowFiles { files, first_rows }
    }

    pub(super) fn num_rows(&self) -> u64 {
        self.first_rows.last().copied().unwrap_or(0)
    }

    pub(super) fn num_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.file.size).sum()
    }

    pub(super) fn row_bytes(&self, position: u64) -> u64 {
        let (file, index) = self.locate(position);
        if self.files[file].damaged.contains_key(&index) {
            return 0; // a damaged row is not read, and may seem to be gigabytes long
        }
        let starts = &self.files[file].starts;
        starts[index as usize + 1] - starts[index as usize]
    }

    /// The file of a row and its number there.
    fn locate(&self, position: u64) -> (usize, u64) {
        let file = self.first_rows.partition_point(|&first| first <= position) - 1;
        (file, position - self.first_rows[file])
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
            let run = rest
                .iter()
                .zip(first..self.first_rows[file_index + 1])
                .take_while(|(a, b)| **a == *b)
                .count();
            let place = |index: u64| file.starts[index as usize]..file.starts[index as usize + 1];
            // A damaged row ends the run before it and is a run of its own.
            let run = match file.damaged.range(first_index..first_index + run as u64).next() {
                Some((&damaged, _)) if damaged > first_index => (damaged - first_index) as usize,
                Some(_) => {
                    let offset = place(first_index).start;
                    visit(Row { file, position: first, index: first_index, offset, bytes: &[] })?;
                    rest = &rest[1..];
                    continue;
                }
                None => run,
            };
            let start = file.starts[first_index as usize];
            let end = file.starts[first_index as usize + run];
            buffer.resize((end - start) as usize, 0);
            file.file.blob()?.read_exact_at(&mut buffer, start)?;
            for (position, index) in (first..).zip(first_index..first_index + run as u64) {
                let place = place(index);
                let bytes = &buffer[(place.start - start) as usize..(place.end - start) as usize];
                visit(Row { file, position, index, offset: place.start, bytes })?;
            }
            rest = &rest[run..];
        }
        Ok(())
    }
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
