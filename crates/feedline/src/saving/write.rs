//! Writing the elements, a chunk of files at a time.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use feedline_data::block::{Block, Row};
use feedline_exec::{Elements, Interrupted};
use feedline_formats::Compression;
use feedline_io::{Error as IoError, ErrorKind as IoErrorKind};

use super::encode::Encoder;
use super::journal::Journal;
use crate::records::RecordWriter;
use crate::{Error, Result};

/// How often is told how far a save is, at most.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Tells how far a save is, and learns whether to go on.
pub(super) type Progress<'a> = Box<dyn FnMut(u64) -> ControlFlow<()> + 'a>;

/// Which shard an element is of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turns {
    /// Of so many, each in turn.
    Of(u64),
    /// The number that is its first column.
    Given,
}

/// What writes the rest of a dataset.
pub(super) struct Writing<'a> {
    pub(super) folder: &'a Path,
    pub(super) turns: Turns,
    pub(super) compression: Option<Compression>,
    pub(super) chunk_bytes: u64,
    pub(super) encoder: Encoder,
    pub(super) progress: Told<'a>,
}

/// The progress of a save, as it is told.
pub(super) struct Told<'a> {
    tell: Option<Progress<'a>>,
    last: Option<Instant>,
}

impl<'a> Told<'a> {
    pub(super) fn new(tell: Option<Progress<'a>>) -> Told<'a> {
        Told { tell, last: None }
    }

    /// Tells how many elements are written, unless it just did. Whether to stop.
    fn is_stopped(&mut self, elements: u64) -> bool {
        if self.last.is_some_and(|last| last.elapsed() < TELL_EVERY) {
            return false;
        }
        self.last = Some(Instant::now());
        self.tell(elements)
    }

    fn tell(&mut self, elements: u64) -> bool {
        self.tell.as_mut().is_some_and(|tell| tell(elements).is_break())
    }
}

/// The files of a chunk that is being written.
struct Chunk {
    files: BTreeMap<i64, (String, RecordWriter)>,
    elements: u64,
    bytes: u64,
}

impl Writing<'_> {
    /// Writes all that is left of the elements, and tells the journal behind each chunk.
    pub(super) fn run(&mut self, elements: &mut Elements, journal: &mut Journal) -> Result<()> {
        while self.write_chunk(elements, journal)? {}
        self.progress.tell(journal.num_elements());
        Ok(())
    }

    /// Writes a chunk; whether there may be another one.
    fn write_chunk(&mut self, elements: &mut Elements, journal: &mut Journal) -> Result<bool> {
        let mut chunk = Chunk { files: BTreeMap::new(), elements: 0, bytes: 0 };
        let (number, before) = (journal.num_chunks(), journal.num_elements());
        let mut is_full = false;
        while !is_full {
            let stopped = || self.progress.is_stopped(before + chunk.elements);
            let block = match elements.block_unless(stopped) {
                Ok(Some(block)) => block?,
                Ok(None) => break,
                Err(Interrupted) => return Err(self.interrupted()),
            };
            if let Turns::Of(turns) = self.turns
                && chunk.files.is_empty()
            {
                // Of all of them, so that the next chunk begins with the first again.
                (0..turns as i64).try_for_each(|shard| self.open(&mut chunk, shard, number))?;
            }
            let taken = self.write_rows(&block, &mut chunk, number, &mut is_full)?;
            elements.pass(taken);
            if self.progress.is_stopped(before + chunk.elements) {
                return Err(self.interrupted());
            }
        }
        if chunk.elements == 0 && number > 0 {
            return Ok(false);
        }
        if let Turns::Of(turns) = self.turns
            && chunk.files.is_empty()
        {
            // A dataset without elements has its shards all the same.
            (0..turns as i64).try_for_each(|shard| self.open(&mut chunk, shard, number))?;
        }
        let Chunk { files, elements: count, .. } = chunk;
        let mut names = BTreeMap::new();
        for (shard, (name, writer)) in files {
            writer.finish()?;
            names.insert(shard, name);
        }
        journal.add(names, count, &elements.state())?;
        Ok(is_full)
    }

    /// Writes rows until the block ends or the chunk is full; how many.
    fn write_rows(&self, block: &Block, chunk: &mut Chunk, number: u64, is_full: &mut bool) -> Result<usize> {
        let columns = block.columns();
        for row in 0..block.rows() {
            let element = match block.row(row) {
                Row::Element(element) => element,
                Row::Error(error) => return Err(Error::from(error.error.clone())),
            };
            let shard = match self.turns {
                Turns::Of(turns) => (chunk.elements % turns) as i64,
                Turns::Given => columns[0].as_slice::<i64>()[element],
            };
            if !chunk.files.contains_key(&shard) {
                self.open(chunk, shard, number)?;
            }
            let (_, writer) = chunk.files.get_mut(&shard).expect("opened above");
            let mut bytes = 0;
            writer.write_with(|out| {
                let start = out.len();
                self.encoder.write(columns, element, out);
                bytes = (out.len() - start) as u64;
            })?;
            chunk.elements += 1;
            chunk.bytes += bytes;
            let is_round = match self.turns {
                Turns::Of(turns) => chunk.elements.is_multiple_of(turns),
                Turns::Given => true,
            };
            if chunk.bytes >= self.chunk_bytes && is_round {
                *is_full = true;
                return Ok(row + 1);
            }
        }
        Ok(block.rows())
    }

    fn open(&self, chunk: &mut Chunk, shard: i64, number: u64) -> Result<()> {
        let name = format!("elements-{shard:05}-{number:06}.tfrecord");
        let writer = RecordWriter::create(self.folder.join(&name), self.compression)?;
        chunk.files.insert(shard, (name, writer));
        Ok(())
    }

    fn interrupted(&self) -> Error {
        let found = "it was told to stop";
        let error = IoError::new(IoErrorKind::Interrupted, self.folder, "save", found);
        error.with_hint("call save again with the same dataset, and it goes on behind the last chunk").into()
    }
}
