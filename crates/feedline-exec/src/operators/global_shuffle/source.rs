//! Record files whose records can be read one by one.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use feedline_data::block::{Buffer, Places, Strings};
use feedline_formats::ErrorKind;
use feedline_formats::tfrecord::{
    FOOTER_BYTES, FrameReader, HEADER_BYTES, IndexBuilder, RecordIndex, frame_bytes,
};
use feedline_io::Blob;

use super::open_files::OpenFiles;
use crate::budget::Budget;
use crate::error::{ExecError, ExecErrorKind, RecordPlace};
use crate::files::{Buffers, build_index, detect_compression, load_index, misplaced};
use crate::fits::over_budget;
use crate::origin::first_id_of_file;

/// Record files with their indexes.
pub(super) struct IndexedFiles {
    files: Vec<IndexedFile>,
    open: OpenFiles,
}

struct IndexedFile {
    index: RecordIndex,
    /// What ends the file early, or keeps all of it from being read. It counts as a record behind the others, so that the error comes
    /// somewhere among them, and everything else comes, too.
    damage: Option<ExecError>,
    /// Bytes it had when it was indexed.
    size: u64,
    /// Records of the files before it.
    first_record: u64,
}

impl IndexedFile {
    fn num_records(&self) -> u64 {
        self.index.len() + u64::from(self.damage.is_some())
    }
}

/// A record, by its number among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordNumber {
    file: usize,
    record: u64,
}

/// Where a record lies, and which row of a window it is.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) row: usize,
    number: RecordNumber,
    place: Range<u64>,
}

impl Wanted {
    /// Bytes to be read for it.
    pub(super) fn byte_size(&self) -> u64 {
        self.place.end - self.place.start
    }
}

/// Records that lie near each other, read in one go.
#[derive(Clone, Debug)]
pub(super) struct ReadJob {
    file: usize,
    range: Range<u64>,
    wanted: Vec<Wanted>,
}

impl ReadJob {
    /// Bytes it reads.
    fn num_bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Bytes of its records.
    fn wanted_bytes(&self) -> u64 {
        self.wanted.iter().map(Wanted::byte_size).sum()
    }

    /// Whether its records are copied from what was read: most of that lies between them.
    fn is_copied(&self) -> bool {
        self.wanted_bytes() * 2 < self.num_bytes()
    }

    /// Bytes that its records keep.
    pub(super) fn kept_bytes(&self) -> u64 {
        if self.is_copied() { self.wanted_bytes() } else { self.num_bytes() }
    }
}

/// What a job read: the records that are whole, and the errors of the others, by their rows.
pub(super) struct Records {
    pub(super) strings: Strings,
    pub(super) rows: Vec<usize>,
    pub(super) errors: Vec<(usize, ExecError)>,
}

/// Reading over a gap costs less than asking twice, up to about here; but where memory is short, many jobs at a time have none for gaps.
const MAX_GAP_BYTES: u64 = 32 << 10;
const GAP_PART_OF_BUDGET: u64 = 1024;
/// No more than this in one go, nor than this part of the budget: jobs run side by side.
const MAX_JOB_BYTES: u64 = 1 << 20;
const JOB_PART_OF_BUDGET: u64 = 16;

impl IndexedFiles {
    /// Opens all files, with the index beside each, or one made now where there is none.
    pub(super) fn open(paths: &[PathBuf]) -> Result<IndexedFiles, ExecError> {
        let mut files: Vec<IndexedFile> = Vec::with_capacity(paths.len());
        let open = OpenFiles::new(paths);
        for number in 0..paths.len() {
            let first_record = files.last().map_or(0, |last| last.first_record + last.num_records());
            let (index, damage, size) = match indexed(&open, number) {
                Ok((index, damage, size)) => (index, damage, size),
                Err(error) => (no_records()?, Some(error), 0),
            };
            files.push(IndexedFile { index, damage, size, first_record });
        }
        Ok(IndexedFiles { files, open })
    }

    /// Number of records of all files.
    pub(super) fn num_records(&self) -> u64 {
        self.files.last().map_or(0, |last| last.first_record + last.num_records())
    }

    /// Bytes of memory their indexes take.
    pub(super) fn index_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.index.byte_size() as u64).sum()
    }

    /// Record `number` of all, as row `row` of a window.
    pub(super) fn wanted(&self, number: u64, row: usize) -> Wanted {
        let file = self.files.partition_point(|file| file.first_record <= number) - 1;
        let record = number - self.files[file].first_record;
        // What is behind the last one is damage: nothing is read for it.
        let index = &self.files[file].index;
        let place = index.place(record).unwrap_or_else(|| index.file_size()..index.file_size());
        Wanted { row, number: RecordNumber { file, record }, place }
    }

    /// Its id: the one it has when the files are read front to back.
    pub(super) fn id(wanted: &Wanted, first_id: u64) -> u64 {
        first_id_of_file(first_id, wanted.number.file).wrapping_add(wanted.number.record)
    }

    /// Jobs that read all of `wanted` within a budget of `limit_bytes`; records that are larger than a job should be are alone.
    pub(super) fn jobs(mut wanted: Vec<Wanted>, limit_bytes: u64) -> Vec<ReadJob> {
        let max_bytes = MAX_JOB_BYTES.min(limit_bytes / JOB_PART_OF_BUDGET);
        let max_gap_bytes = MAX_GAP_BYTES.min(limit_bytes / GAP_PART_OF_BUDGET);
        wanted.sort_unstable_by_key(|wanted| (wanted.number.file, wanted.place.start));
        let mut jobs: Vec<ReadJob> = Vec::new();
        for next in wanted {
            let (file, place) = (next.number.file, next.place.clone());
            match jobs.last_mut() {
                Some(job)
                    if job.file == file
                        && place.start - job.range.end <= max_gap_bytes
                        && place.end - job.range.start <= max_bytes =>
                {
                    job.range.end = place.end;
                    job.wanted.push(next);
                }
                _ => jobs.push(ReadJob { file, range: place, wanted: vec![next] }),
            }
        }
        jobs
    }

    /// Reads the records of a job and checks them; what that takes beside the records is charged to `budget`. Where there is no memory for
    /// what lies between them they are read one by one. Blocks.
    pub(super) fn read(&self, job: &ReadJob, buffers: &Buffers, budget: &Arc<Budget>) -> Vec<Records> {
        let max_bytes = budget.limit_bytes();
        if !job.is_copied() {
            return vec![self.read_whole(job, buffers, max_bytes)];
        }
        if let Some(_reading) = budget.try_charge(job.num_bytes()) {
            return vec![self.read_whole(job, buffers, max_bytes)];
        }
        let read_one = |wanted: &Wanted| {
            let job = ReadJob { file: job.file, range: wanted.place.clone(), wanted: vec![wanted.clone()] };
            let _reading = budget.charge(job.num_bytes());
            let records = self.read_whole(&job, buffers, max_bytes);
            // In memory of its own: the buffer may have come from a larger job.
            Records { strings: records.strings.iter().collect(), ..records }
        };
        job.wanted.iter().map(read_one).collect()
    }

    /// Reads all of a job in one go. A record of more than `max_bytes` is an error.
    fn read_whole(&self, job: &ReadJob, buffers: &Buffers, max_bytes: u64) -> Records {
        let failed = |error: &ExecError| {
            let errors = job.wanted.iter().map(|wanted| (wanted.row, error.clone())).collect();
            Records { strings: [b""; 0].iter().collect(), rows: Vec::new(), errors }
        };
        if job.range.is_empty()
            && let Some(damage) = &self.files[job.file].damage
        {
            return failed(damage);
        }
        let (blob, bytes) = match self.bytes_of(job, buffers, max_bytes) {
            Ok(read) => read,
            Err(error) => return failed(&error),
        };
        let mut places = Places::with_capacity(job.wanted.len());
        let (mut rows, mut errors) = (Vec::new(), Vec::new());
        for wanted in &job.wanted {
            if wanted.byte_size() == 0
                && let Some(damage) = &self.files[job.file].damage
            {
                errors.push((wanted.row, damage.clone()));
                continue;
            }
            let start = (wanted.place.start - job.range.start) as usize;
            let frame = &bytes[start..start + wanted.byte_size() as usize];
            match record_of(frame, wanted, &*blob) {
                Ok(len) => {
                    let first = start + (frame.len() - len) - FOOTER_BYTES;
                    places.push(first..first + len);
                    rows.push(wanted.row);
                }
                Err(error) => errors.push((wanted.row, error)),
            }
        }
        if job.is_copied() {
            let strings = (0..places.len()).map(|index| &bytes[places.get(index)]).collect();
            buffers.put(bytes);
            return Records { strings, rows, errors };
        }
        let buffer: Buffer = buffers.share(bytes);
        Records { strings: Strings::of_places(&buffer, &Arc::new(places)), rows, errors }
    }

    /// The file of a job, and the bytes of its range.
    fn bytes_of(
        &self,
        job: &ReadJob,
        buffers: &Buffers,
        max_bytes: u64,
    ) -> Result<(Arc<dyn Blob>, Vec<u8>), ExecError> {
        let blob = self.open.get(job.file)?;
        let (size, indexed_size) = (blob.size(), self.files[job.file].size);
        if size != indexed_size {
            let path = blob.location().display();
            return Err(ExecError::data(format!(
                "{path}: the file has {size} bytes now, and had {indexed_size}"
            ))
            .with_hint("files must not change while they are read"));
        }
        let num_bytes = job.num_bytes();
        if num_bytes > max_bytes {
            let (path, record, start) =
                (blob.location().display(), job.wanted[0].number.record, job.range.start);
            let what = format!("{path}: record {record} at byte {start} has {num_bytes} bytes");
            return Err(over_budget(&what, max_bytes));
        }
        let mut bytes = buffers.take();
        let num_bytes = num_bytes as usize;
        if bytes.len() < num_bytes {
            bytes.resize(num_bytes, 0);
        }
        bytes.truncate(num_bytes);
        blob.read_exact_at(&mut bytes, job.range.start).map_err(|error| ExecError::of_io(&error))?;
        Ok((blob, bytes))
    }
}

/// The index of a file, what ends it early, and its size.
fn indexed(open: &OpenFiles, number: usize) -> Result<(RecordIndex, Option<ExecError>, u64), ExecError> {
    let blob = open.get(number)?;
    if let Some(compression) = detect_compression(&*blob).map_err(|error| ExecError::of_io(&error))? {
        let message = format!(
            "global_shuffle: {} is {compression}-compressed, and its records cannot be read one by one",
            blob.location().display()
        );
        return Err(ExecError::new(ExecErrorKind::Data, message)
            .with_hint("write it uncompressed (`feedline convert`), or use shuffle with a buffer"));
    }
    let (index, damage) = match load_index(&*blob)? {
        Some(index) => (index, None),
        None => build_index(&*blob)?,
    };
    Ok((index, damage, blob.size()))
}

fn no_records() -> Result<RecordIndex, ExecError> {
    let nothing = IndexBuilder::default().finish(0, 0).and_then(RecordIndex::from_bytes);
    nothing.map_err(|error| ExecError::internal(error.to_string()))
}

/// Checks the record in `frame`; the number of its bytes.
fn record_of(frame: &[u8], wanted: &Wanted, blob: &dyn Blob) -> Result<usize, ExecError> {
    let path = blob.location().display();
    let (record, start) = (wanted.number.record, wanted.place.start);
    match FrameReader::default().at(start, record).next(frame) {
        Ok(Some(data)) if frame_bytes(data.len() as u64) == frame.len() as u64 => Ok(data.len()),
        Ok(_) => Err(ExecError::data(format!(
            "{path}: record {record} (byte {start}) has another length than the index says"
        ))
        .with_hint(misplaced(blob.location()))),
        Err(error) if matches!(error.kind(), ErrorKind::LengthChecksum { .. }) => {
            Err(ExecError::data(format!(
                "{path}: record {record} (byte {start}): there is no record here, where the index has one"
            ))
            .with_hint(misplaced(blob.location())))
        }
        Err(error) => {
            let is_damaged_data = matches!(error.kind(), ErrorKind::DataChecksum { .. });
            let error = ExecError::of_format(blob.location(), &error);
            if !is_damaged_data {
                return Err(error);
            }
            // Its length is what the index says, so these are its bytes, as when files are read front to back.
            let place = RecordPlace { file: blob.location().to_path_buf(), record, byte: start };
            Err(error.of_record(place, &frame[HEADER_BYTES..frame.len() - FOOTER_BYTES]))
        }
    }
}
