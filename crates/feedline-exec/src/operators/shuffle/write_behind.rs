//! Writes rows to segments: on the I/O threads, so that no worker waits for a disk that has to catch up.
//!
//! A write is under way from when its rows were put until it is done; so long its bytes stay in memory, and rows that are
//! picked meanwhile are read from there. That is also where the rows of a write stay that failed (the disk is full): none is
//! lost, and the error is told when the next rows are to be put.

use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use feedline_io::IoThreads;

use super::segments::{DiskPlace, WORD};
use crate::error::ExecError;
use crate::metrics::{Probe, Work};
use crate::operators::cache::job::Job;
use crate::spill_folder::SpillFolder;

/// Writes under way at most: enough that the disk has the next when it is done with one.
const MAX_WRITES: usize = 8;

/// A file that is made when the first rows are written to it, on the thread that writes them.
#[derive(Debug, Default)]
pub(super) struct SegmentFile(Mutex<Option<Arc<File>>>);

impl SegmentFile {
    /// The file, made now if it is not there.
    pub(super) fn open(&self, folder: &SpillFolder) -> Result<Arc<File>, ExecError> {
        // Held while the file is made: another write to the same segment can do nothing without it. It waits on an I/O thread.
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*file {
            return Ok(Arc::clone(file));
        }
        Ok(Arc::clone(file.insert(Arc::new(folder.create_file()?))))
    }
}

/// The writes that are under way, oldest first.
#[derive(Debug)]
pub(super) struct WriteBehind {
    folder: SpillFolder,
    probe: Probe,
    writes: VecDeque<Write>,
    num_bytes: usize,
    /// Why the first that failed did.
    failure: Option<ExecError>,
}

#[derive(Debug)]
struct Write {
    bytes: BytesOfSegment,
    /// `None`: it failed.
    job: Option<Job<()>>,
}

/// Bytes that are, or will be, in a segment.
#[derive(Clone, Debug)]
pub(super) struct BytesOfSegment {
    segment: u32,
    pub(super) first_word: u64,
    pub(super) bytes: Arc<Vec<u8>>,
}

impl BytesOfSegment {
    fn contains(&self, place: DiskPlace) -> bool {
        let end_word = self.first_word + (self.bytes.len() / WORD) as u64;
        self.segment == place.segment && (self.first_word..end_word).contains(&u64::from(place.start))
    }
}

impl WriteBehind {
    /// None yet.
    pub(super) fn new(folder: SpillFolder, probe: Probe) -> WriteBehind {
        WriteBehind { folder, probe, writes: VecDeque::new(), num_bytes: 0, failure: None }
    }

    /// Bytes of memory held.
    pub(super) fn num_bytes(&self) -> usize {
        self.num_bytes
    }

    /// Begins to write `bytes`, whole words, to `file`, which is that of `segment`, from `first_word` on; `threads` as for
    /// [`Job`].
    pub(super) fn start(
        &mut self,
        file: &Arc<SegmentFile>,
        (segment, first_word): (u32, u64),
        bytes: Vec<u8>,
        threads: Option<&IoThreads>,
    ) {
        self.num_bytes += bytes.len();
        let bytes = Arc::new(bytes);
        let (file, own, folder, probe) =
            (Arc::clone(file), Arc::clone(&bytes), self.folder.clone(), self.probe.clone());
        let job = Job::start(threads, move || {
            let _under_way = probe.begin(Work::Files("writing elements to the spill folder"));
            let written = file.open(&folder)?.write_all_at(&own, first_word * WORD as u64);
            written.map_err(|error| folder.error("elements cannot be written to", &error))?;
            probe.add_spilled(own.len() as u64);
            Ok(())
        });
        let bytes = BytesOfSegment { segment, first_word, bytes };
        self.writes.push_back(Write { bytes, job: Some(job) });
        self.settle();
    }

    /// The bytes of the write that has the row at `place`, if it is not done.
    pub(super) fn find(&self, place: DiskPlace) -> Option<&BytesOfSegment> {
        self.writes.iter().map(|write| &write.bytes).find(|bytes| bytes.contains(place))
    }

    /// Lets go of what was written.
    pub(super) fn settle(&mut self) {
        let (failure, num_bytes) = (&mut self.failure, &mut self.num_bytes);
        self.writes.retain_mut(|write| match write.job.as_mut().and_then(Job::try_take) {
            Some(Ok(())) => {
                *num_bytes -= write.bytes.bytes.len();
                false
            }
            Some(Err(error)) => {
                write.job = None;
                failure.get_or_insert(error);
                true
            }
            None => true,
        });
    }

    /// Waits until there is room for one more write: none is under way, or few that hold no more than `max_bytes`.
    ///
    /// # Errors
    /// If one failed: whatever is put next would have to stay in memory, too.
    pub(super) fn poll_room(
        &mut self,
        cx: &mut Context<'_>,
        max_bytes: usize,
    ) -> Poll<Result<(), ExecError>> {
        loop {
            self.settle();
            if let Some(error) = &self.failure {
                return Poll::Ready(Err(error.clone()));
            }
            let has_room = self.writes.len() < MAX_WRITES && self.num_bytes <= max_bytes;
            let Some(oldest) = self.writes.front_mut().filter(|_| !has_room) else {
                return Poll::Ready(Ok(()));
            };
            let job = oldest.job.as_mut().expect("none has failed");
            let result = ready!(job.poll(cx));
            let oldest = self.writes.front_mut().expect("looked at above");
            match result {
                Ok(()) => {
                    self.num_bytes -= oldest.bytes.bytes.len();
                    self.writes.pop_front();
                }
                Err(error) => {
                    oldest.job = None;
                    self.failure = Some(error);
                }
            }
        }
    }
}
