//! Reads rows back from segments: on the I/O threads, several requests at a time, so that no worker waits for a disk. What
//! is not written yet is taken from where it waits for that.

use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::Buffer;
use feedline_formats::crc32c;
use feedline_io::IoThreads;

use super::segments::{DiskPlace, WORD};
use super::write_behind::{BytesOfSegment, SegmentFile};
use crate::error::ExecError;
use crate::metrics::{Probe, Work};
use crate::operators::cache::job::Job;
use crate::operators::cache::rows::Rows;
use crate::spill_folder::SpillFolder;

/// Rows so close together are read in one request: 16 KiB more cost less than one more.
const MAX_GAP_WORDS: u64 = (16 << 10) / WORD as u64;
/// What is read in one request at most, where it is not one row.
const MAX_READ_WORDS: u64 = (1 << 20) / WORD as u64;
/// Threads that read for one block: enough for a disk to choose the order.
const MAX_JOBS: usize = 8;
/// Requests for each of them: handing over costs as much as a few that the system's cache answers.
const MIN_RANGES_A_JOB: usize = 4;

/// Rows being read.
#[derive(Debug)]
pub(super) struct ReadBack {
    /// In the order of the files.
    jobs: Vec<Job<Rows>>,
    /// What came of the first of them.
    done: Vec<Rows>,
    /// For each row where it is in that order.
    order: Vec<usize>,
}

/// Where the bytes of a row are.
pub(super) enum Source {
    File(Arc<SegmentFile>),
    /// Being written.
    Memory(BytesOfSegment),
}

impl Source {
    /// Whether the bytes of a row in `other` can be read together with those of one here.
    fn is(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::File(one), Source::File(two)) => Arc::ptr_eq(one, two),
            (Source::Memory(one), Source::Memory(two)) => Arc::ptr_eq(&one.bytes, &two.bytes),
            _ => false,
        }
    }

    /// Reads words of the segment from `start` on.
    fn read(&self, words: &mut [u64], start: u64, folder: &SpillFolder) -> Result<(), ExecError> {
        let bytes = bytemuck::cast_slice_mut(words);
        match self {
            Source::File(file) => file
                .open(folder)?
                .read_exact_at(bytes, start * WORD as u64)
                .map_err(|error| folder.error("elements cannot be read from", &error)),
            Source::Memory(written) => {
                let first = (start - written.first_word) as usize * WORD;
                bytes.copy_from_slice(&written.bytes[first..first + bytes.len()]);
                Ok(())
            }
        }
    }
}

/// A run of bytes of a segment, and the rows in it that are wanted.
struct Range {
    source: Source,
    start: u64,
    end: u64,
    places: Vec<DiskPlace>,
}

impl ReadBack {
    /// Begins to read the rows at `places`, at least one, each from where `source_of` says; `threads` as for [`Job`].
    pub(super) fn start(
        places: &[DiskPlace],
        source_of: impl Fn(DiskPlace) -> Source,
        (folder, probe): (&SpillFolder, &Probe),
        threads: Option<&IoThreads>,
    ) -> ReadBack {
        let mut sorted: Vec<usize> = (0..places.len()).collect();
        sorted.sort_unstable_by_key(|&index| places[index]);
        let mut order = vec![0; sorted.len()];
        sorted.iter().zip(0..).for_each(|(&index, row)| order[index] = row);
        let mut ranges: Vec<Range> = Vec::new();
        for place in sorted.into_iter().map(|index| places[index]) {
            let (start, end) = (u64::from(place.start), u64::from(place.start) + u64::from(place.len));
            let source = source_of(place);
            match ranges.last_mut() {
                Some(last)
                    if last.source.is(&source)
                        && start <= last.end + MAX_GAP_WORDS
                        && end - last.start <= MAX_READ_WORDS =>
                {
                    last.end = end;
                    last.places.push(place);
                }
                _ => ranges.push(Range { source, start, end, places: vec![place] }),
            }
        }
        let ranges_a_job = ranges.len().div_ceil(MAX_JOBS).max(MIN_RANGES_A_JOB);
        let mut jobs = Vec::with_capacity(MAX_JOBS);
        while !ranges.is_empty() {
            let rest = ranges.split_off(ranges_a_job.min(ranges.len()));
            let (ranges, folder) = (std::mem::replace(&mut ranges, rest), folder.clone());
            // Handing over costs more than to copy what is in memory.
            let has_files = ranges.iter().any(|range| matches!(range.source, Source::File(_)));
            let (threads, probe) = (threads.filter(|_| has_files), probe.clone());
            jobs.push(Job::start(threads, move || {
                let _under_way = probe.begin(Work::Files("reading elements back from the spill folder"));
                let parts = ranges.iter().map(|range| range.read(&folder)).collect::<Result<Vec<_>, _>>()?;
                Ok(Rows::compact(&parts))
            }));
        }
        ReadBack { jobs, done: Vec::new(), order }
    }

    /// The rows, in the order they were asked for; once.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Rows, ExecError>> {
        while let Some(job) = self.jobs.get_mut(self.done.len()) {
            match ready!(job.poll(cx)) {
                Ok(rows) => self.done.push(rows),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        let rows = if self.done.len() == 1 { self.done.remove(0) } else { Rows::compact(&self.done) };
        Poll::Ready(Ok(rows.gather(&self.order)))
    }
}

impl Range {
    /// The rows that are wanted, in memory of their own: they must not keep what lies beside them.
    fn read(&self, folder: &SpillFolder) -> Result<Rows, ExecError> {
        let mut words = vec![0_u64; (self.end - self.start) as usize];
        self.source.read(&mut words, self.start, folder)?;
        let buffer = Buffer::from_vec(words);
        let rows = self.places.iter().map(|&place| self.decode(&buffer, place, folder));
        Ok(Rows::compact(&rows.collect::<Result<Vec<_>, _>>()?))
    }

    fn decode(&self, buffer: &Buffer, place: DiskPlace, folder: &SpillFolder) -> Result<Rows, ExecError> {
        let first = (u64::from(place.start) - self.start) as usize * WORD;
        let record = buffer.slice(first..first + place.len as usize * WORD);
        let (checksum, row) = record.as_bytes().split_at(WORD);
        let found = u64::from(crc32c(row));
        if checksum != found.to_le_bytes() {
            return Err(folder.damaged(&format!("its checksum is {found:#010x}")));
        }
        Rows::decode(&record.slice(WORD..record.len())).map_err(|reason| folder.damaged(&reason))
    }
}
