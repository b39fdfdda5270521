//! Where rows begin and end in the bytes of a file.

use std::ops::Range;

use feedline_formats::csv::file::CsvRecords;
use feedline_formats::fixed_length::FixedLength;
use feedline_formats::tfrecord::{FOOTER_BYTES, FrameReader, HEADER_BYTES};
use feedline_formats::{Error as FormatError, ErrorKind};
use memchr::memmem;

use super::split_error::{LargeRow, SplitError};

/// What a file's rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// TFRecord frames, checksums verified.
    Record,
    /// Lines of text, without their ends (`\n` or `\r\n`).
    Line,
    /// Records of one size.
    Fixed(FixedLength),
    /// Records of CSV, without their line ends.
    Csv(CsvRecords),
}

impl RowKind {
    /// From a row's data back to where its bytes in the file begin.
    pub(super) fn head_bytes(self) -> usize {
        match self {
            RowKind::Record => HEADER_BYTES,
            RowKind::Line | RowKind::Fixed(_) | RowKind::Csv(_) => 0,
        }
    }

    /// How far before a place one has to look to see whether a row begins there.
    pub(super) fn bytes_before(self) -> usize {
        match self {
            RowKind::Record | RowKind::Fixed(_) => 0,
            RowKind::Line | RowKind::Csv(_) => 1, // the newline
        }
    }

    /// How many bytes from a place on show whether a row begins there.
    pub(super) fn bytes_behind(self) -> usize {
        match self {
            RowKind::Record => HEADER_BYTES,
            RowKind::Line | RowKind::Fixed(_) | RowKind::Csv(_) => 0,
        }
    }

    /// How many bytes the row takes that begins with `head`, if that tells.
    pub(super) fn bytes_by_head(self, head: &[u8; HEADER_BYTES]) -> Option<u64> {
        match self {
            // What is no length says no more than that there should be one.
            RowKind::Record => {
                Some(FrameReader::default().bytes_wanted(head)).filter(|&bytes| bytes > HEADER_BYTES as u64)
            }
            RowKind::Line | RowKind::Fixed(_) | RowKind::Csv(_) => None,
        }
    }

    /// The first place in `bytes`, from `from` on, where a row seems to begin: behind a newline; where a length stands with
    /// its checksum and its record ends within `bytes_left`, which is what the file has from `bytes` on; for records of one size, where
    /// one must, since `bytes` begin at `base` of the file. A row may contain what looks like one, so this is a guess. Without one, the place
    /// up to which there is none.
    pub(super) fn find_row(
        self,
        (bytes, base): (&[u8], u64),
        from: usize,
        bytes_left: u64,
    ) -> Result<usize, usize> {
        match self {
            RowKind::Record => find_record(bytes, from, bytes_left),
            RowKind::Fixed(format) => {
                Ok(usize::try_from(format.next_place(base + from as u64) - base).unwrap_or(usize::MAX))
            }
            RowKind::Line | RowKind::Csv(_) => {
                let behind = from.saturating_sub(self.bytes_before());
                match memchr::memchr(b'\n', &bytes[behind..]) {
                    Some(newline) => Ok(behind + newline + 1),
                    None => Err(bytes.len() + self.bytes_before()),
                }
            }
        }
    }
}

fn find_record(bytes: &[u8], from: usize, bytes_left: u64) -> Result<usize, usize> {
    let frames = FrameReader::default();
    // The upper half of a length that is allowed: rejects nearly every place at the speed of a search for bytes.
    let upper_half = memmem::Finder::new(&[0; 4]);
    let end = bytes.len().saturating_sub(HEADER_BYTES - 1);
    let mut place = from;
    while place < end {
        let Some(zeros) = upper_half.find(&bytes[place + 4..]) else { return Err(end.max(from)) };
        place += zeros;
        if place >= end {
            break;
        }
        // Zeros alone are no header: over long runs of them in one step.
        let num_zeros = bytes[place..].iter().take_while(|&&byte| byte == 0).count();
        if num_zeros >= HEADER_BYTES {
            place += num_zeros - HEADER_BYTES + 1;
            continue;
        }
        let wanted = frames.bytes_wanted(&bytes[place..]);
        if wanted > HEADER_BYTES as u64 && place as u64 + wanted <= bytes_left {
            return Ok(place);
        }
        place += 1;
    }
    Err(place.min(end).max(from))
}

/// Splits the bytes of a stream into rows, front to back.
#[derive(Debug)]
pub(super) struct Splitter {
    format: Format,
    /// Rows of more bytes are refused: at the same place however little of the stream is looked at at a time, as long as that is
    /// no more than this.
    max_row_bytes: u64,
}

#[derive(Debug)]
enum Format {
    Record(FrameReader),
    Line { offset: u64, line: u64 },
    Fixed { format: FixedLength, offset: u64, row: u64 },
    Csv { format: CsvRecords, offset: u64, row: u64 },
}

impl Splitter {
    /// One whose next byte is byte `offset` of the stream, where row `row` begins.
    pub(super) fn new(kind: RowKind, offset: u64, row: u64, max_row_bytes: u64) -> Splitter {
        let format = match kind {
            RowKind::Record => Format::Record(FrameReader::default().at(offset, row)),
            RowKind::Line => Format::Line { offset, line: row },
            RowKind::Fixed(format) => Format::Fixed { format, offset, row },
            RowKind::Csv(format) => Format::Csv { format, offset, row },
        };
        Splitter { format, max_row_bytes }
    }

    /// Takes whole rows, at most `max_rows`, from the front of `bytes`: the place of each, with what is wrong with it if it is known
    /// where it ends all the same, and how many bytes were taken. At something that is no row, the error; rows before it have been visited.
    pub(super) fn split(
        &mut self,
        bytes: &[u8],
        is_end: bool,
        max_rows: usize,
        mut visit: impl FnMut(Range<usize>, Option<FormatError>),
    ) -> Result<usize, SplitError> {
        match &mut self.format {
            Format::Record(reader) => {
                let first = reader.record_index();
                let taken = read_records(reader, bytes, max_rows, visit)?;
                if is_end && reader.record_index() - first < max_rows as u64 {
                    let rest = &bytes[taken..];
                    // Before "cut off", which shows only to who looks at all there is.
                    let wanted = reader.bytes_wanted(rest);
                    if wanted > self.max_row_bytes {
                        return Err(self.too_large(Some(wanted)));
                    }
                    reader.finish(rest)?;
                }
                Ok(taken)
            }
            Format::Line { offset, line } => {
                let (mut taken, mut num_rows) = (0, 0);
                for newline in memchr::memchr_iter(b'\n', bytes).take(max_rows) {
                    visit(taken..strip_return(bytes, taken, newline), None);
                    taken = newline + 1;
                    num_rows += 1;
                }
                // The last line need not end.
                let is_open = is_end && taken < bytes.len() && num_rows < max_rows;
                let is_too_large = is_open && (bytes.len() - taken) as u64 > self.max_row_bytes;
                if is_open && !is_too_large {
                    visit(taken..bytes.len(), None);
                    taken = bytes.len();
                    num_rows += 1;
                }
                *line += num_rows as u64;
                *offset += taken as u64;
                if is_too_large { Err(self.too_large(None)) } else { Ok(taken) }
            }
            Format::Fixed { format, offset, row } => {
                let (num_rows, taken) =
                    format.split((bytes, *offset), is_end, max_rows, |place| visit(place, None))?;
                *row += num_rows as u64;
                *offset += taken as u64;
                Ok(taken)
            }
            Format::Csv { format, offset, row } => {
                // So much is looked at for one row only.
                if is_end && bytes.len() as u64 > self.max_row_bytes && bytes.last() != Some(&b'\n') {
                    return Err(self.too_large(None));
                }
                let (num_rows, taken) =
                    format.split((bytes, *offset), is_end, max_rows, |place| visit(place, None))?;
                *row += num_rows as u64;
                *offset += taken as u64;
                Ok(taken)
            }
        }
    }

    /// How many bytes from the current offset hold the next row, as far as `bytes`, its beginning, tells.
    pub(super) fn bytes_wanted(&self, bytes: &[u8]) -> Result<u64, SplitError> {
        let known = match &self.format {
            Format::Record(reader) => Some(reader.bytes_wanted(bytes)),
            Format::Fixed { format, offset, .. } => Some(format.bytes_wanted(*offset)),
            Format::Line { .. } | Format::Csv { .. } => None,
        };
        let (seen, max) = (bytes.len() as u64, self.max_row_bytes);
        if known.unwrap_or(seen) > max {
            return Err(self.too_large(known));
        }
        // Nobody knows how long a line is: twice what did not hold it.
        Ok(known.unwrap_or_else(|| (seen * 2).clamp(1, max.saturating_add(1))))
    }

    fn too_large(&self, bytes: Option<u64>) -> SplitError {
        let name = if matches!(self.format, Format::Line { .. }) { "line" } else { "record" };
        let (row, offset, limit_bytes) = (self.row(), self.offset(), self.max_row_bytes);
        // Records of one size are all as large, and of others nobody knows the end.
        let is_alone = matches!(self.format, Format::Record(_)) && bytes.is_some();
        SplitError::TooLarge(LargeRow { name, row, offset, bytes, limit_bytes, is_alone })
    }

    /// Passes over the next row, which ends at `end` of the stream.
    pub(super) fn pass_row(&mut self, end: u64) {
        match &mut self.format {
            Format::Record(reader) => {
                let row = reader.record_index() + 1;
                *reader = std::mem::take(reader).at(end, row);
            }
            Format::Line { offset, line: row }
            | Format::Fixed { offset, row, .. }
            | Format::Csv { offset, row, .. } => (*offset, *row) = (end, *row + 1),
        }
    }

    /// The place in the stream of the next row.
    pub(super) fn offset(&self) -> u64 {
        match &self.format {
            Format::Record(reader) => reader.offset(),
            Format::Line { offset, .. } | Format::Fixed { offset, .. } | Format::Csv { offset, .. } => {
                *offset
            }
        }
    }

    /// The number of the next row.
    pub(super) fn row(&self) -> u64 {
        match &self.format {
            Format::Record(reader) => reader.record_index(),
            Format::Line { line, .. } => *line,
            Format::Fixed { row, .. } | Format::Csv { row, .. } => *row,
        }
    }
}

/// Records from the front of `bytes`, those with it whose data is damaged: their length, which has a checksum of its own, says where the next begins.
fn read_records(
    reader: &mut FrameReader,
    bytes: &[u8],
    max_rows: usize,
    mut visit: impl FnMut(Range<usize>, Option<FormatError>),
) -> Result<usize, FormatError> {
    let (start, first) = (reader.offset(), reader.record_index());
    let mut taken = 0;
    loop {
        let num_left = max_rows - (reader.record_index() - first) as usize;
        let read = reader.read_places(&bytes[taken..], num_left, |place| {
            visit(taken + place.start..taken + place.end, None);
        });
        taken = (reader.offset() - start) as usize;
        match read {
            Ok(_) => return Ok(taken),
            Err(error) if matches!(error.kind(), ErrorKind::DataChecksum { .. }) => {
                let end = taken + reader.bytes_wanted(&bytes[taken..]) as usize;
                visit(taken + HEADER_BYTES..end - FOOTER_BYTES, Some(error));
                let next = (start + end as u64, reader.record_index() + 1);
                *reader = std::mem::take(reader).at(next.0, next.1);
                taken = end;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The end of the line `start..newline` without a carriage return.
fn strip_return(bytes: &[u8], start: usize, newline: usize) -> usize {
    if newline > start && bytes[newline - 1] == b'\r' { newline - 1 } else { newline }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_formats::tfrecord::write_frame;

    /// A search through all of `bytes`, as if the file went on behind.
    fn find_all(kind: RowKind, bytes: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Ok(place) = kind.find_row((bytes, 0), from.max(kind.bytes_before()), u64::MAX) {
            found.push(place);
            from = place + 1;
        }
        found
    }

    #[test]
    fn records_are_found_among_zeros_and_noise() {
        let noise: Vec<u8> = (0..500_u32).map(|i| (i * i % 251) as u8).collect();
        for filler in [&[0; 300][..], &[0, 0, 0, 0, 1][..], &noise, &[]] {
            let mut bytes = filler.to_vec();
            let mut expected = Vec::new();
            for data in [&b""[..], b"abc", &[0; 40]] {
                expected.push(bytes.len());
                write_frame(&mut bytes, data).unwrap();
                bytes.extend_from_slice(filler);
            }
            assert_eq!(find_all(RowKind::Record, &bytes), expected);
            // From every place on, and with every end: what was said to be free of rows is.
            for from in 0..bytes.len() {
                let next = expected.iter().copied().find(|&place| place >= from);
                match RowKind::Record.find_row((&bytes, 0), from, u64::MAX) {
                    Ok(place) => assert_eq!(Some(place), next),
                    Err(looked) => assert!(next.is_none() && looked <= bytes.len().max(from), "{from}"),
                }
                let cut = &bytes[..from];
                match RowKind::Record.find_row((cut, 0), 0, u64::MAX) {
                    Ok(place) => assert_eq!(place, expected[0]),
                    Err(looked) => assert!(looked <= expected[0], "{from}"),
                }
            }
        }
        let mut bytes = Vec::new();
        write_frame(&mut bytes, b"abc").unwrap();
        assert_eq!(
            RowKind::Record.find_row((&bytes, 0), 0, 18),
            Err(8),
            "a record that the file does not hold"
        );
    }

    #[test]
    fn lines_begin_behind_newlines() {
        assert_eq!(find_all(RowKind::Line, b"ab\n\ncd\r\ne"), [3, 4, 8]);
    }
}
