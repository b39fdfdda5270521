//! Compressed input, made readable at any place.
//!
//! Rows are read in output order, shards again after a kill, and how many rows there are must be known before the first
//! is written. A compressed file gives none of that, so it is inflated once into a file beside the output. That file
//! has no name: it is unlinked as soon as it is open, and the system takes its bytes back when this process ends in
//! whatever way. One file per thread holds the contents of many inputs one behind the other, so that a thousand inputs
//! do not need a thousand open files.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use feedline_exec::files::detect_compression;
use feedline_formats::Compression;
use feedline_io::{Access, Blob, Error as IoError, LocalStore, Store};

use super::loss::{Loss, skippable};
use super::options::{Format, OnError};
use super::packed;
use crate::error::Result;
use crate::records::{ByteStream, detect_compression_of_text};

/// Up to this many inputs stay open; more are opened for each read, because systems allow a process 1024 files or so.
const MAX_OPEN: usize = 256;

/// An input file that can be read at any place.
pub(super) struct ReadableFile {
    pub(super) path: PathBuf,
    /// Uncompressed bytes that can be read.
    pub(super) size: u64,
    /// Why there are no more: what stood behind them, or all of the file, is lost.
    pub(super) loss: Option<Loss>,
    open: Option<Arc<dyn Blob>>,
}

impl ReadableFile {
    /// A file of which nothing can be read.
    pub(super) fn lost(path: &Path, loss: Loss) -> ReadableFile {
        ReadableFile { path: path.to_owned(), size: 0, loss: Some(loss), open: None }
    }

    #[cfg(test)]
    pub(super) fn of_blob(blob: Arc<dyn Blob>) -> ReadableFile {
        ReadableFile { path: blob.location().to_owned(), size: blob.size(), loss: None, open: Some(blob) }
    }

    /// The bytes of the file, uncompressed.
    pub(super) fn blob(&self) -> Result<Arc<dyn Blob>> {
        match &self.open {
            Some(blob) => Ok(Arc::clone(blob)),
            None => Ok(LocalStore.open(&self.path)?),
        }
    }
}

/// Makes inputs readable, inflating those that are compressed into nameless files in `folder`.
pub(super) struct Stage<'a> {
    folder: &'a Path,
    format: Format,
    on_error: OnError,
    /// Files that nobody is writing to at the moment, with their lengths.
    idle: Mutex<Vec<(Arc<File>, u64)>>,
    keep_open: bool,
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

impl<'a> Stage<'a> {
    pub(super) fn new(folder: &'a Path, format: Format, on_error: OnError, num_files: usize) -> Stage<'a> {
        let idle = Mutex::new(Vec::new());
        Stage { folder, format, on_error, idle, keep_open: num_files <= MAX_OPEN }
    }

    /// The size of a file if it is compressed and will be inflated, else 0.
    pub(super) fn bytes_to_inflate(&self, path: &Path) -> Result<u64> {
        let blob = LocalStore.open(path)?;
        Ok(self.compression(&*blob)?.map_or(0, |_| blob.size()))
    }

    /// How a file is compressed.
    fn compression(&self, blob: &dyn Blob) -> Result<Option<Compression>> {
        if self.format == Format::TfRecord {
            return Ok(detect_compression(blob)?);
        }
        Ok(detect_compression_of_text(blob)?)
    }

    /// Makes one file readable; `progress` is told of the bytes inflated, of the compressed file.
    ///
    /// Where bad rows are skipped, a file that cannot be read is one that is lost, and one that is damaged ends before the
    /// damage.
    pub(super) fn open(&self, path: &Path, progress: &dyn Fn(u64)) -> Result<ReadableFile> {
        let opened = self.open_or_fail(path, progress);
        Ok(skippable(opened, self.on_error)?.unwrap_or_else(|loss| ReadableFile::lost(path, loss)))
    }

    fn open_or_fail(&self, path: &Path, progress: &dyn Fn(u64)) -> Result<ReadableFile> {
        let blob = LocalStore.open(path)?;
        let (path, size) = (path.to_owned(), blob.size());
        let Some(compression) = self.compression(&*blob)? else {
            packed::check(&*blob)?;
            return Ok(ReadableFile { path, size, loss: None, open: self.keep_open.then_some(blob) });
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (file, start) = match idle {
            Some(idle) => idle,
            None => (Arc::new(self.nameless()?), 0),
        };
        let (size, loss) = self.inflate(blob, compression, &file, progress)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((Arc::clone(&file), start + size));
        match loss {
            Some((loss, Trust::Nothing)) => Ok(ReadableFile::lost(&path, loss)),
            loss => {
                let part = Part { file, location: path.clone(), start, size };
                // Records say so themselves.
                if self.format != Format::TfRecord {
                    packed::check_inflated(&part)?;
                }
                Ok(ReadableFile { path, size, loss: loss.map(|(loss, _)| loss), open: Some(Arc::new(part)) })
            }
        }
    }

    /// Appends the contents of `blob` to `file`; returns how many bytes they are, and why there are no more.
    fn inflate(
        &self,
        blob: Arc<dyn Blob>,
        compression: Compression,
        mut file: &File,
        progress: &dyn Fn(u64),
    ) -> Result<(u64, Option<(Loss, Trust)>)> {
        let mut stream = ByteStream::new(blob, Some(compression));
        let (mut size, mut read) = (0, 0);
        loop {
            if let Err(loss) = skippable(stream.fill(1), self.on_error)? {
                // Records have checksums of their own. Text has none: behind a damaged byte the stream goes on for a
                // while as nonsense that looks like text, and only where it was cut off is all before the end right.
                let is_right = self.format == Format::TfRecord || stream.is_cut_off();
                return Ok((size, Some((loss, if is_right { Trust::WhatWasRead } else { Trust::Nothing }))));
            }
            let bytes = stream.bytes();
            let count = bytes.len();
            if count == 0 {
                return Ok((size, None));
            }
            file.write_all(bytes).map_err(|error| {
                IoError::io(
                    self.folder,
                    "write an uncompressed copy of the input to a temporary file in",
                    error,
                )
            })?;
            stream.consume(count);
            size += count as u64;
            progress(stream.file_offset() - read);
            read = stream.file_offset();
        }
    }

    fn nameless(&self) -> Result<File> {
        let create = || {
            loop {
                // Named as our other temporaries are, so that one that is left by a kill between these two lines is
                // cleaned up with them.
                let counter = COUNTER.fetch_add(1, Ordering::Relaxed);
                let path = self.folder.join(format!(".{STAGE_NAME}.{}-{counter}.tmp", std::process::id()));
                match File::options().read(true).write(true).create_new(true).open(&path) {
                    Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                    Ok(file) => {
                        return match fs::remove_file(&path) {
                            // Another run, cleaning up, was faster.
                            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
                            _ => Ok(file),
                        };
                    }
                }
            }
        };
        Ok(create().map_err(|error| IoError::io(self.folder, "create a temporary file in", error))?)
    }
}

/// What of a damaged file is good.
enum Trust {
    WhatWasRead,
    Nothing,
}

/// What all temporaries of staging begin with.
pub(super) const STAGE_NAME: &str = "feedline-stage";

/// The contents of one input in a stage file.
struct Part {
    file: Arc<File>,
    /// Of the input: errors name the file the user knows.
    location: PathBuf,
    start: u64,
    size: u64,
}

impl Blob for Part {
    fn location(&self) -> &Path {
        &self.location
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> feedline_io::Result<usize> {
        let room = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.file.read_exact_at(&mut buffer[..room], self.start + offset);
        read.map_err(|error| IoError::io(&self.location, "read the uncompressed copy of", error))?;
        Ok(room)
    }

    fn access(&self) -> Access {
        Access::LOCAL
    }
}
