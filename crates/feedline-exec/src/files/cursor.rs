//! One file, read front to back in pieces of whole rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use feedline_data::block::Strings;
use feedline_formats::{Compression, Decompressor};
use feedline_io::{Blob, LocalStore, Store};

use super::split::{RowKind, Splitter};
use super::{Buffers, detect_compression};
use crate::error::{ExecError, ExecErrorKind};

/// Where a row of a file begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilePlace {
    /// Its first byte; in a compressed file, of what is compressed.
    pub(crate) offset: u64,
    /// Its number.
    pub(crate) row: u64,
}

/// A run of rows that lie in one buffer.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The rows.
    pub(crate) rows: Strings,
    /// Where each begins, and where the one behind the last does.
    pub(crate) offsets: Arc<[u64]>,
    /// The number of the first.
    pub(crate) first_row: u64,
}

impl Piece {
    /// Bytes of the file it holds.
    pub(crate) fn byte_size(&self) -> u64 {
        self.offsets[self.offsets.len() - 1] - self.offsets[0]
    }
}

/// A file being read. It blocks, and is used by one thread at a time.
pub(crate) struct FileCursor {
    path: PathBuf,
    kind: RowKind,
    buffers: Buffers,
    chunk_bytes: usize,
    splitter: Splitter,
    /// `None` before the first piece: a file is opened where it is read, not where it is listed.
    source: Option<Source>,
    /// The beginning of a row that the last piece did not hold whole (compressed files).
    carry: Vec<u8>,
    /// Rows begin here; what is before is read over (compressed files cannot be entered in the middle).
    start: u64,
    has_ended: bool,
}

enum Source {
    Plain(Arc<dyn Blob>),
    Compressed { blob: Arc<dyn Blob>, offset: u64, inflater: Box<Decompressor>, input: Vec<u8> },
}

impl FileCursor {
    /// A cursor on the file at `path`, at a place where a row begins.
    pub(crate) fn new(
        path: &Path,
        kind: RowKind,
        at: FilePlace,
        buffers: &Buffers,
        chunk_bytes: usize,
    ) -> FileCursor {
        FileCursor {
            path: path.to_owned(),
            kind,
            buffers: buffers.clone(),
            chunk_bytes,
            splitter: Splitter::new(kind, at.offset, at.row),
            source: None,
            carry: Vec::new(),
            start: at.offset,
            has_ended: false,
        }
    }

    /// The next rows, `None` at the end. An error ends the file: what is behind it cannot be trusted to begin a row.
    pub(crate) fn next_piece(&mut self) -> Result<Option<Piece>, ExecError> {
        if self.has_ended {
            return Ok(None);
        }
        let piece = self.read_piece();
        if !matches!(piece, Ok(Some(_))) {
            self.has_ended = true;
        }
        piece
    }

    fn read_piece(&mut self) -> Result<Option<Piece>, ExecError> {
        self.open()?;
        let mut bytes = self.buffers.take();
        let mut filled = self.begin(&mut bytes);
        let mut wanted = self.chunk_bytes;
        loop {
            let is_end = self.fill(&mut bytes, &mut filled, wanted)?;
            let (first_offset, first_row) = (self.splitter.offset(), self.splitter.row());
            let mut places = Vec::new();
            let head = Splitter::head_bytes(self.kind) as u64;
            let mut offsets = Vec::new();
            let split = self.splitter.split(&bytes[..filled], is_end, |place| {
                offsets.push(first_offset + place.start as u64 - head);
                places.push(place);
            });
            match split {
                Err(error) if places.is_empty() => return Err(self.bad_data(&error)),
                Ok(0) if places.is_empty() && is_end => return Ok(None),
                Ok(0) if places.is_empty() => {
                    // One row larger than all that was read.
                    let needed =
                        usize::try_from(self.splitter.bytes_wanted(&bytes[..filled])).unwrap_or(usize::MAX);
                    wanted = needed.max(filled + 1);
                    continue;
                }
                // Rows before an error come first; it is met again at the front of the next piece.
                Ok(_) | Err(_) => {}
            }
            let taken = (self.splitter.offset() - first_offset) as usize;
            if matches!(self.source, Some(Source::Compressed { .. })) {
                self.carry.extend_from_slice(&bytes[taken..filled]);
            }
            offsets.push(self.splitter.offset());
            let rows = Strings::of_places(&self.buffers.share(bytes), &places);
            return Ok(Some(Piece { rows, offsets: offsets.into(), first_row }));
        }
    }

    fn open(&mut self) -> Result<(), ExecError> {
        if self.source.is_some() {
            return Ok(());
        }
        let blob = LocalStore.open(&self.path).map_err(|error| machine(&error))?;
        let compression = match self.kind {
            RowKind::Record => detect_compression(&*blob).map_err(|error| machine(&error))?,
            RowKind::Line => {
                let mut head = [0; 3];
                let read = blob.read_at(&mut head, 0).map_err(|error| machine(&error))?;
                // Two printable bytes can look like zlib; text is only taken for gzip, whose mark is no text.
                Compression::sniff(&head[..read]).filter(|compression| *compression == Compression::Gzip)
            }
        };
        self.source = Some(match compression {
            None => Source::Plain(blob),
            Some(compression) => Source::Compressed {
                blob,
                offset: 0,
                inflater: Box::new(Decompressor::new(compression)),
                input: Vec::new(),
            },
        });
        self.read_over()
    }

    /// Moves a compressed stream to where rows begin.
    fn read_over(&mut self) -> Result<(), ExecError> {
        if matches!(self.source, Some(Source::Plain(_))) {
            return Ok(());
        }
        let mut left = self.start;
        let mut bytes = Vec::new();
        while left > 0 {
            let is_end = self.fill(&mut bytes, &mut 0, self.chunk_bytes)?;
            let over = left.min(bytes.len() as u64) as usize;
            left -= over as u64;
            if over < bytes.len() || left == 0 {
                self.carry = bytes.split_off(over);
                return Ok(());
            }
            if is_end {
                let message = format!(
                    "{}: the file ends before byte {} of its contents",
                    self.path.display(),
                    self.start
                );
                return Err(ExecError::state(message)
                    .with_hint("the data must not change between saving and restoring"));
            }
            bytes.clear();
        }
        Ok(())
    }

    /// Puts what was left of the last piece at the front of `bytes`; how much that is.
    fn begin(&mut self, bytes: &mut Vec<u8>) -> usize {
        if matches!(self.source, Some(Source::Compressed { .. })) {
            bytes.clear();
            bytes.append(&mut self.carry);
            return bytes.len();
        }
        0
    }

    /// Reads on behind the first `filled` bytes until there are `wanted`, or the file ends; whether it does.
    fn fill(&mut self, bytes: &mut Vec<u8>, filled: &mut usize, wanted: usize) -> Result<bool, ExecError> {
        let from = self.splitter.offset();
        match self.source.as_mut().expect("opened before it is read") {
            Source::Plain(blob) => {
                let start = *filled;
                let left = blob.size().saturating_sub(from + start as u64);
                let end = wanted.min(start + usize::try_from(left).unwrap_or(usize::MAX));
                if end > start {
                    if bytes.len() < end {
                        bytes.try_reserve(end - bytes.len()).map_err(|_| no_memory(&self.path, end))?;
                        bytes.resize(end, 0);
                    }
                    *filled = end;
                    blob.read_exact_at(&mut bytes[start..end], from + start as u64)
                        .map_err(|error| machine(&error))?;
                }
                Ok(from + *filled as u64 >= blob.size())
            }
            Source::Compressed { blob, offset, inflater, input } => {
                while bytes.len() < wanted {
                    if input.is_empty() {
                        let left = (blob.size() - *offset).min(self.chunk_bytes as u64) as usize;
                        if left == 0 {
                            inflater.finish().map_err(|error| bad_data(&self.path, &error))?;
                            *filled = bytes.len();
                            return Ok(true);
                        }
                        input.resize(left, 0);
                        blob.read_exact_at(input, *offset).map_err(|error| machine(&error))?;
                        *offset += left as u64;
                    }
                    let room = wanted - bytes.len();
                    let used =
                        inflater.push(input, bytes, room).map_err(|error| bad_data(&self.path, &error))?;
                    input.drain(..used);
                }
                *filled = bytes.len();
                Ok(false)
            }
        }
    }

    fn bad_data(&self, error: &feedline_formats::Error) -> ExecError {
        bad_data(&self.path, error)
    }
}

fn bad_data(path: &Path, error: &feedline_formats::Error) -> ExecError {
    let message = format!("{}: {}", path.display(), error.to_string().lines().next().unwrap_or_default());
    let error_with_hint = ExecError::data(message);
    match error.hint() {
        Some(hint) => error_with_hint.with_hint(hint),
        None => error_with_hint,
    }
}

fn machine(error: &feedline_io::Error) -> ExecError {
    let text = error.to_string();
    match text.split_once("\nhint: ") {
        Some((message, hint)) => ExecError::new(ExecErrorKind::Resource, message).with_hint(hint),
        None => ExecError::new(ExecErrorKind::Resource, text),
    }
}

fn no_memory(path: &Path, bytes: usize) -> ExecError {
    ExecError::resource(format!("{}: no memory for a row of {bytes} bytes", path.display()))
}
