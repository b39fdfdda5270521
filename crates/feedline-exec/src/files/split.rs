//! Where rows begin and end in the bytes of a file.

use std::ops::Range;

use feedline_formats::Error as FormatError;
use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};

/// What a file's rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// TFRecord frames, checksums verified.
    Record,
    /// Lines of text, without their ends (`\n` or `\r\n`).
    Line,
}

/// Splits the bytes of a stream into rows, front to back.
#[derive(Debug)]
pub(super) enum Splitter {
    Record(FrameReader),
    Line { offset: u64, line: u64 },
}

impl Splitter {
    /// One whose next byte is byte `offset` of the stream, where row `row` begins.
    pub(super) fn new(kind: RowKind, offset: u64, row: u64) -> Splitter {
        match kind {
            RowKind::Record => Splitter::Record(FrameReader::default().at(offset, row)),
            RowKind::Line => Splitter::Line { offset, line: row },
        }
    }

    /// Takes every whole row from the front of `bytes`: the place of each, and how many bytes were taken. At something
    /// that is no row, the error; rows before it have been visited.
    pub(super) fn split(
        &mut self,
        bytes: &[u8],
        is_end: bool,
        mut visit: impl FnMut(Range<usize>),
    ) -> Result<usize, FormatError> {
        match self {
            Splitter::Record(reader) => {
                let taken = reader.read_places(bytes, usize::MAX, visit)?;
                if is_end {
                    reader.finish(&bytes[taken..])?;
                }
                Ok(taken)
            }
            Splitter::Line { offset, line } => {
                let mut taken = 0;
                for newline in memchr::memchr_iter(b'\n', bytes) {
                    visit(taken..strip_return(bytes, taken, newline));
                    taken = newline + 1;
                    *line += 1;
                }
                // The last line need not end.
                if is_end && taken < bytes.len() {
                    visit(taken..bytes.len());
                    taken = bytes.len();
                    *line += 1;
                }
                *offset += taken as u64;
                Ok(taken)
            }
        }
    }

    /// How many bytes from the current offset hold the next row, as far as `bytes`, its beginning, tells.
    pub(super) fn bytes_wanted(&self, bytes: &[u8]) -> u64 {
        match self {
            Splitter::Record(reader) => reader.bytes_wanted(bytes),
            // Nobody knows how long a line is: twice what did not hold it.
            Splitter::Line { .. } => (bytes.len() as u64 * 2).max(1),
        }
    }

    /// The place in the stream of the next row.
    pub(super) fn offset(&self) -> u64 {
        match self {
            Splitter::Record(reader) => reader.offset(),
            Splitter::Line { offset, .. } => *offset,
        }
    }

    /// The number of the next row.
    pub(super) fn row(&self) -> u64 {
        match self {
            Splitter::Record(reader) => reader.record_index(),
            Splitter::Line { line, .. } => *line,
        }
    }

    /// From a row's data to where its bytes in the stream begin.
    pub(super) fn head_bytes(kind: RowKind) -> usize {
        match kind {
            RowKind::Record => HEADER_BYTES,
            RowKind::Line => 0,
        }
    }
}

/// The end of the line `start..newline` without a carriage return.
fn strip_return(bytes: &[u8], start: usize, newline: usize) -> usize {
    if newline > start && bytes[newline - 1] == b'\r' { newline - 1 } else { newline }
}
