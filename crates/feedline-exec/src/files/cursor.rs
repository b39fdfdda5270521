//! One file, read front to back in pieces of whole rows: what compressed files need, and the reference for all others.

use std::path::PathBuf;
use std::sync::Arc;

use feedline_data::block::{Buffer, Places, Strings};
use feedline_formats::{Compression, Decompressor};
use feedline_io::Blob;

use super::open::{bad_data, check_row_bytes, machine, make_room};
use super::split::Splitter;
use super::split_error::SplitError;
use super::{Buffers, FilePlace, Piece, ReadSizes, RowKind, RowPlaces};
use crate::error::ExecError;

/// A file being read. It blocks, and is used by one thread at a time.
pub(super) struct FileCursor {
    path: PathBuf,
    kind: RowKind,
    buffers: Buffers,
    chunk_bytes: usize,
    splitter: Splitter,
    source: Source,
    /// The beginning of a row that the last piece did not hold whole (compressed files).
    carry: Vec<u8>,
    /// Bytes of a compressed stream before the first row, still to be read over: it cannot be entered in the middle.
    before_start: u64,
    /// Why reading ended, to be told when the rows before are given.
    failure: Option<ExecError>,
    has_ended: bool,
}

enum Source {
    Plain(Arc<dyn Blob>),
    Compressed { blob: Arc<dyn Blob>, offset: u64, inflater: Box<Decompressor>, input: Vec<u8> },
}

impl FileCursor {
    /// A cursor on an open file, at a place where a row begins.
    pub(super) fn new(
        blob: Arc<dyn Blob>,
        compression: Option<Compression>,
        kind: RowKind,
        at: FilePlace,
        buffers: &Buffers,
        sizes: ReadSizes,
    ) -> FileCursor {
        let path = blob.location().to_owned();
        let source = match compression {
            None => Source::Plain(blob),
            Some(compression) => Source::Compressed {
                blob,
                offset: 0,
                inflater: Box::new(Decompressor::new(compression)),
                input: Vec::new(),
            },
        };
        FileCursor {
            path,
            kind,
            buffers: buffers.clone(),
            chunk_bytes: sizes.read_bytes,
            splitter: Splitter::new(kind, at.offset, at.row, sizes.max_row_bytes),
            before_start: if compression.is_some() { at.offset } else { 0 },
            source,
            carry: Vec::new(),
            failure: None,
            has_ended: false,
        }
    }

    /// Where the next row begins.
    pub(super) fn place(&self) -> FilePlace {
        FilePlace { offset: self.splitter.offset(), row: self.splitter.row() }
    }

    /// The next rows, `None` at the end. An error ends the file: what is behind it cannot be trusted to begin a row.
    pub(super) fn next_piece(&mut self) -> Result<Option<Piece>, ExecError> {
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
        self.read_over()?;
        let mut bytes = self.buffers.take();
        let mut filled = self.begin(&mut bytes);
        let mut wanted = self.chunk_bytes;
        loop {
            let filling = self.fill(&mut bytes, &mut filled, wanted);
            let is_end = matches!(filling, Ok(true));
            self.failure = self.failure.take().or(filling.err());
            let place = self.place();
            let (mut places, mut damaged) = (Places::default(), Vec::new());
            let split = self.splitter.split(&bytes[..filled], is_end, usize::MAX, |place, damage| {
                damaged.extend(
                    damage.map(|error| (places.len(), SplitError::Data(error).in_file(&self.path, 0))),
                );
                places.push(place);
            });
            if places.is_empty() {
                if let Err(error) = split {
                    return self.pass_large(bytes, filled, error);
                }
                if let Some(failure) = self.failure.take() {
                    return Err(failure);
                }
                if is_end {
                    return Ok(None);
                }
                // One row larger than all that was read.
                let needed = match self.splitter.bytes_wanted(&bytes[..filled]) {
                    Ok(needed) => needed,
                    Err(error) => return self.pass_large(bytes, filled, error),
                };
                wanted = usize::try_from(needed).unwrap_or(usize::MAX).max(filled + 1);
                continue;
            }
            // Rows before an error come first; it is met again at the front of the next piece.
            let end = self.splitter.offset();
            if matches!(self.source, Source::Compressed { .. }) {
                self.carry.extend_from_slice(&bytes[(end - place.offset) as usize..filled]);
            }
            let places = Arc::new(places);
            let held_bytes = bytes.len() as u64;
            let rows = Strings::of_places(&self.buffers.share(bytes), &places);
            let head_bytes = self.kind.head_bytes() as u64;
            let places = RowPlaces { places, base: place.offset, head_bytes, end, first_row: place.row };
            return Ok(Some(Piece { rows, places, damaged, held_bytes }));
        }
    }

    /// The next row, of which `bytes` holds the first `filled`, cannot be had. If it is one that is larger than a row may be, and it is known
    /// where the next begins, it is an error in its place.
    fn pass_large(
        &mut self,
        mut bytes: Vec<u8>,
        filled: usize,
        error: SplitError,
    ) -> Result<Option<Piece>, ExecError> {
        let Some(row_bytes) = error.passable_bytes() else { return Err(error.in_file(&self.path, 0)) };
        let FilePlace { offset, row } = self.place();
        let end = match &self.source {
            Source::Plain(blob) => offset.saturating_add(row_bytes).min(blob.size()),
            // What is behind it comes only after it; a file that is cut off ends with it, and damage on the way is met again behind it.
            Source::Compressed { .. } => {
                let mut left = row_bytes - (filled as u64).min(row_bytes);
                while left > 0 && self.failure.is_none() {
                    bytes.clear();
                    let wanted = left.min(self.chunk_bytes as u64) as usize;
                    let filling = self.fill(&mut bytes, &mut 0, wanted);
                    left -= bytes.len() as u64;
                    let is_end = matches!(filling, Ok(true));
                    self.failure = self.failure.take().or(filling.err());
                    if is_end {
                        break;
                    }
                }
                offset + row_bytes - left
            }
        };
        self.splitter.pass_row(end);
        self.buffers.put(bytes);
        let (mut places, head) = (Places::default(), self.kind.head_bytes());
        places.push(head..head);
        let places = Arc::new(places);
        let rows = Strings::of_places(&Buffer::from_vec(vec![0_u8; head]), &places);
        let places = RowPlaces { places, base: offset, head_bytes: head as u64, end, first_row: row };
        Ok(Some(Piece { rows, places, damaged: vec![(0, error.in_file(&self.path, 0))], held_bytes: 0 }))
    }

    /// Moves a compressed stream to where rows begin.
    fn read_over(&mut self) -> Result<(), ExecError> {
        let start = std::mem::take(&mut self.before_start);
        let mut left = start;
        let mut bytes = Vec::new();
        while left > 0 {
            let filling = self.fill(&mut bytes, &mut 0, self.chunk_bytes);
            let is_end = matches!(filling, Ok(true));
            self.failure = self.failure.take().or(filling.err());
            let over = left.min(bytes.len() as u64) as usize;
            left -= over as u64;
            if over < bytes.len() || left == 0 {
                self.carry = bytes.split_off(over);
                return Ok(());
            }
            // Damage behind where rows begin is told behind those.
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if is_end {
                let message =
                    format!("{}: the file ends before byte {start} of its contents", self.path.display());
                return Err(ExecError::state(message)
                    .with_hint("the data must not change between saving and restoring"));
            }
            bytes.clear();
        }
        Ok(())
    }

    /// Puts what was left of the last piece at the front of `bytes`; how much that is.
    fn begin(&mut self, bytes: &mut Vec<u8>) -> usize {
        if matches!(self.source, Source::Compressed { .. }) {
            bytes.clear();
            bytes.append(&mut self.carry);
            return bytes.len();
        }
        0
    }

    /// Reads on behind the first `filled` bytes until there are `wanted`, or the file ends; whether it does.
    fn fill(&mut self, bytes: &mut Vec<u8>, filled: &mut usize, wanted: usize) -> Result<bool, ExecError> {
        let from = self.splitter.offset();
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        match &mut self.source {
            Source::Plain(blob) => {
                let start = *filled;
                let left = blob.size().saturating_sub(from + start as u64);
                let end = wanted.min(start + usize::try_from(left).unwrap_or(usize::MAX));
                if end > start {
                    make_room(bytes, end, &self.path)?;
                    blob.read_exact_at(&mut bytes[start..end], from + start as u64)
                        .map_err(|error| machine(&error))?;
                    *filled = end;
                }
                Ok(from + *filled as u64 >= blob.size())
            }
            Source::Compressed { blob, offset, inflater, input } => {
                check_row_bytes(wanted, &self.path)?;
                let mut is_end = false;
                let mut inflate = || {
                    while bytes.len() < wanted {
                        let left = (blob.size() - *offset).min(self.chunk_bytes as u64) as usize;
                        if input.is_empty() && left > 0 {
                            input.resize(left, 0);
                            blob.read_exact_at(input, *offset).map_err(|error| machine(&error))?;
                            *offset += left as u64;
                        }
                        let is_last = input.is_empty();
                        let (room, before) = (wanted - bytes.len(), bytes.len());
                        let used = inflater.push(input, bytes, room);
                        input.drain(..used.map_err(|error| bad_data(&self.path, &error))?);
                        // What there was no room for when it took the last bytes comes out of none.
                        if is_last && bytes.len() == before {
                            is_end = true;
                            return inflater.finish().map_err(|error| bad_data(&self.path, &error));
                        }
                    }
                    Ok(())
                };
                let inflated = inflate();
                // Also what came out before an error.
                *filled = bytes.len();
                inflated.map(|()| is_end)
            }
        }
    }
}
