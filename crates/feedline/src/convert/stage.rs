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

use feedline_formats::Compression;
use feedline_io::{Access, Blob, Error as IoError, LocalStore, Store};

use crate::error::Result;
use crate::records::ByteStream;

/// Up to this many inputs stay open; more are opened for each read, because systems allow a process 1024 files or so.
const MAX_OPEN: usize = 256;

/// An input file that can be read at any place.
pub(super) struct ReadableFile {
    pub(super) path: PathBuf,
    /// Uncompressed bytes.
    pub(super) size: u64,
    open: Option<Arc<dyn Blob>>,
}

impl ReadableFile {
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
    /// Files that nobody is writing to at the moment, with their lengths.
    idle: Mutex<Vec<(Arc<File>, u64)>>,
    keep_open: bool,
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

impl<'a> Stage<'a> {
    pub(super) fn new(folder: &'a Path, num_files: usize) -> Stage<'a> {
        Stage { folder, idle: Mutex::new(Vec::new()), keep_open: num_files <= MAX_OPEN }
    }

    /// Makes one file readable; `progress` is told of the bytes inflated, of the compressed file.
    pub(super) fn open(
        &self,
        path: &Path,
        compression: impl Fn(&dyn Blob) -> Result<Option<Compression>>,
        progress: &dyn Fn(u64),
    ) -> Result<ReadableFile> {
        let blob = LocalStore.open(path)?;
        let Some(compression) = compression(&*blob)? else {
            let size = blob.size();
            return Ok(ReadableFile { path: path.to_owned(), size, open: self.keep_open.then_some(blob) });
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (file, start) = match idle {
            Some(idle) => idle,
            None => (Arc::new(self.nameless()?), 0),
        };
        let size = self.inflate(blob, compression, &file, progress)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((Arc::clone(&file), start + size));
        let part = Part { file, location: path.to_owned(), start, size };
        Ok(ReadableFile { path: path.to_owned(), size, open: Some(Arc::new(part)) })
    }

    /// Appends the contents of `blob` to `file`; returns how many bytes they are.
    fn inflate(
        &self,
        blob: Arc<dyn Blob>,
        compression: Compression,
        mut file: &File,
        progress: &dyn Fn(u64),
    ) -> Result<u64> {
        let mut stream = ByteStream::new(blob, Some(compression));
        let (mut size, mut read) = (0, 0);
        loop {
            stream.fill(1)?;
            let bytes = stream.bytes();
            let count = bytes.len();
            if count == 0 {
                return Ok(size);
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

/// How a text file is compressed: only gzip is usual, and no text begins like it. (Some text does begin like zlib.)
pub(super) fn text_compression(blob: &dyn Blob) -> Result<Option<Compression>> {
    let mut head = [0; 3];
    let read = blob.read_at(&mut head, 0)?;
    Ok(Compression::sniff(&head[..read]).filter(|&compression| compression == Compression::Gzip))
}
