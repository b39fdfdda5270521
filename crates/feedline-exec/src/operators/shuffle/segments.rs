//! Rows in files: those of a shuffle that memory has no room for.
//!
//! Each row is a record of its own (a checksum, then the row as the file cache writes it), so that a pick reads what it
//! needs. Records are appended to a *segment*, a file without a name, until it is full and the next one begins. A segment
//! whose rows are all gone is closed, which gives its space back. The last row of a segment stays much longer than most, so
//! where more than twice of what is needed lies in files, the oldest segment is named to have its rows written anew
//! ([`Segments::sparse`]).
//!
//! Rows are written ([`WriteBehind`]) and read ([`ReadBack`]) on the I/O threads.

use std::collections::VecDeque;
use std::sync::Arc;

use feedline_formats::crc32c;
use feedline_io::IoThreads;

use super::read_back::{ReadBack, Source};
use super::write_behind::{SegmentFile, WriteBehind};
use crate::metrics::Probe;
use crate::operators::cache::rows::Rows;
use crate::spill_folder::SpillFolder;

/// Everything in a segment is made of whole words.
pub(super) const WORD: usize = size_of::<u64>();
/// In files beyond what is needed without a look.
const SLACK_SEGMENTS: u64 = 2;

/// Where a row lies: number of its segment, and words of eight bytes in it. 32 bits of words are 32 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DiskPlace {
    pub(super) segment: u32,
    pub(super) start: u32,
    pub(super) len: u32,
}

#[derive(Debug)]
pub(super) struct Segments {
    folder: SpillFolder,
    /// Oldest first, the last is being written; `None`: closed.
    open: VecDeque<Option<Segment>>,
    /// Number of the first of `open`.
    first: u32,
    /// Words after which a segment is full.
    segment_words: u64,
    /// Words of the rows that are needed, and of all segments.
    live_words: u64,
    held_words: u64,
    writes: WriteBehind,
    probe: Probe,
}

#[derive(Debug)]
struct Segment {
    file: Arc<SegmentFile>,
    end_words: u64,
    num_rows: usize,
    /// Slots whose rows were put here; a slot may have another row since.
    slots: Vec<u32>,
}

impl Segments {
    /// None yet, of about `segment_bytes` each.
    pub(super) fn new(folder: SpillFolder, segment_bytes: u64, probe: &Probe) -> Segments {
        Segments {
            writes: WriteBehind::new(folder.clone(), probe.clone()),
            probe: probe.clone(),
            folder,
            open: VecDeque::new(),
            first: 0,
            segment_words: (segment_bytes / WORD as u64).max(1),
            live_words: 0,
            held_words: 0,
        }
    }

    /// Rows in files.
    #[cfg(test)]
    pub(super) fn num_rows(&self) -> usize {
        self.open.iter().flatten().map(|segment| segment.num_rows).sum()
    }

    /// Bytes of the rows in files.
    pub(super) fn live_bytes(&self) -> u64 {
        self.live_words * WORD as u64
    }

    /// Bytes of all files.
    #[cfg(test)]
    pub(super) fn file_bytes(&self) -> u64 {
        self.held_words * WORD as u64
    }

    /// What is being written.
    pub(super) fn writes(&mut self) -> &mut WriteBehind {
        &mut self.writes
    }

    /// Bytes of memory that what is being written takes.
    pub(super) fn written_bytes(&self) -> usize {
        self.writes.num_bytes()
    }

    /// Begins to write rows, which are those of `slots`; where each lies. They can be read at once.
    pub(super) fn write(
        &mut self,
        rows: &Rows,
        slots: &[u32],
        threads: Option<&IoThreads>,
    ) -> Vec<DiskPlace> {
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            let start = bytes.len();
            bytes.extend_from_slice(&[0; WORD]);
            rows.slice(row..row + 1).encode(&mut bytes);
            let checksum = u64::from(crc32c(&bytes[start + WORD..]));
            bytes[start..start + WORD].copy_from_slice(&checksum.to_le_bytes());
            ends.push(bytes.len() / WORD);
        }
        self.begin_segment_if_full();
        let number = self.first + (self.open.len() - 1) as u32;
        let segment = self.open.back_mut().and_then(Option::as_mut).expect("the last is open");
        let (first, num_words) = (segment.end_words, (bytes.len() / WORD) as u64);
        self.writes.start(&segment.file, (number, first), bytes, threads);
        segment.end_words += num_words;
        segment.num_rows += slots.len();
        segment.slots.extend_from_slice(slots);
        self.live_words += num_words;
        self.held_words += num_words;
        let mut start = 0;
        let place = |end: usize| {
            let place = DiskPlace {
                segment: number,
                start: (first as usize + start) as u32,
                len: (end - start) as u32,
            };
            start = end;
            place
        };
        ends.into_iter().map(place).collect()
    }

    fn begin_segment_if_full(&mut self) {
        let last = self.open.back().and_then(Option::as_ref);
        if last.is_some_and(|segment| segment.end_words < self.segment_words) {
            return;
        }
        let file = Arc::default();
        self.open.push_back(Some(Segment { file, end_words: 0, num_rows: 0, slots: Vec::new() }));
        if let Some(full) = self.open.len().checked_sub(2) {
            self.close_if_unused(full);
        }
    }

    /// Closes the segment at `index` if nothing in it is needed and nothing will be written to it.
    fn close_if_unused(&mut self, index: usize) {
        if index + 1 == self.open.len() {
            return;
        }
        if let Some(gone) = self.open[index].take_if(|segment| segment.num_rows == 0) {
            self.held_words -= gone.end_words;
        }
        while self.open.len() > 1 && self.open.front().is_some_and(Option::is_none) {
            self.open.pop_front();
            self.first += 1;
        }
    }

    /// The row there is not needed any more.
    pub(super) fn release(&mut self, place: DiskPlace) {
        let index = (place.segment - self.first) as usize;
        if let Some(segment) = &mut self.open[index] {
            segment.num_rows -= 1;
            self.live_words -= u64::from(place.len);
            self.close_if_unused(index);
        }
    }

    /// Where more than twice of what is needed lies in files: the number of the oldest segment that is full, and the slots
    /// whose rows were put there.
    pub(super) fn sparse(&mut self) -> Option<(u32, Vec<u32>)> {
        if self.held_words <= 2 * self.live_words + SLACK_SEGMENTS * self.segment_words {
            return None;
        }
        let full = self.open.len().saturating_sub(1);
        let oldest = self.open.iter_mut().take(full).zip(self.first..);
        // One whose slots were taken before could not be written anew: its rows stay until they are picked.
        let mut left = oldest.filter_map(|(segment, number)| Some((segment.as_mut()?, number)));
        let (segment, number) = left.find(|(segment, _)| !segment.slots.is_empty())?;
        Some((number, std::mem::take(&mut segment.slots)))
    }

    /// Begins to read the rows at `places`; `threads`: `None` reads them here and now.
    pub(super) fn read(&self, places: &[DiskPlace], threads: Option<&IoThreads>) -> ReadBack {
        let source_of = |place: DiskPlace| {
            if let Some(bytes) = self.writes.find(place) {
                return Source::Memory(bytes.clone());
            }
            let segment = self.open[(place.segment - self.first) as usize].as_ref();
            Source::File(Arc::clone(&segment.expect("open as long as it has rows").file))
        };
        ReadBack::start(places, source_of, (&self.folder, &self.probe), threads)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::os::unix::fs::FileExt;
    use std::task::{Context, Poll, Waker};

    use feedline_data::block::{Column, Ids};

    use super::*;
    use crate::error::ExecError;

    fn rows(numbers: std::ops::Range<i64>) -> Rows {
        let count = (numbers.end - numbers.start) as usize;
        let texts: Vec<String> = numbers.clone().map(|number| "x".repeat(number as usize % 50)).collect();
        Rows {
            ids: Ids::run(numbers.start as u64, count),
            columns: vec![
                Column::from_vec(vec![], count, numbers.collect()),
                Column::from_strings(vec![], count, texts.iter().collect()),
            ],
        }
    }

    fn in_folder(folder: SpillFolder, segment_bytes: u64) -> Segments {
        Segments::new(folder, segment_bytes, &Probe::unread())
    }

    fn in_temporary_folder(segment_bytes: u64) -> Segments {
        in_folder(SpillFolder::new(std::env::temp_dir()).expect("a folder"), segment_bytes)
    }

    /// The rows at `places`, read here and now.
    fn read_now(segments: &Segments, places: &[DiskPlace]) -> Result<Rows, ExecError> {
        match segments.read(places, None).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(rows) => rows,
            Poll::Pending => panic!("read here and now"),
        }
    }

    #[test]
    fn rows_come_back_in_any_order_and_segments_go_with_their_last() {
        let mut segments = in_temporary_folder(1000);
        let mut places = Vec::new();
        for first in (0..200).step_by(10) {
            let slots: Vec<u32> = (first..first + 10).collect();
            places.extend(segments.write(&rows(first.into()..i64::from(first) + 10), &slots, None));
        }
        assert!(segments.open.len() > 5);
        let wanted = [150, 3, 4, 199, 0, 151, 77];
        let read = read_now(&segments, &wanted.map(|row| places[row])).expect("read");
        assert_eq!(
            read.columns[0].buffer().expect("numbers").as_slice::<i64>(),
            wanted.map(|row| row as i64)
        );
        assert_eq!(read.ids.iter().collect::<Vec<_>>(), wanted.map(|row| row as u64));
        assert_eq!(read.columns[1].strings().map(|texts| texts.get(0).len()), Some(0));
        assert_eq!(read.columns[1].strings().map(|texts| texts.get(3).len()), Some(49));
        places.iter().for_each(|&place| segments.release(place));
        assert_eq!((segments.open.len(), segments.num_rows(), segments.live_bytes()), (1, 0, 0));
    }

    #[test]
    fn a_damaged_row_is_an_error() {
        let mut segments = in_temporary_folder(1 << 20);
        let places = segments.write(&rows(0..3), &[0, 1, 2], None);
        let file = segments.open[0].as_ref().expect("open").file.open(&segments.folder).expect("made");
        let offset = u64::from(places[1].start) * WORD as u64 + 20;
        let mut byte = [0];
        file.read_exact_at(&mut byte, offset).expect("read");
        file.write_all_at(&[byte[0] ^ 1], offset).expect("written");
        assert!(read_now(&segments, &[places[0], places[2]]).is_ok());
        let error = read_now(&segments, &places).expect_err("damaged").to_string();
        assert!(error.contains("is damaged: its checksum is 0x"), "{error}");
    }

    #[test]
    fn a_full_disk_is_an_error_with_the_folder_and_what_to_do_and_costs_no_row() {
        let full = |_: &std::path::Path| OpenOptions::new().read(true).write(true).open("/dev/full");
        let mut segments = in_folder(SpillFolder::with_files("/mnt/spill", full), 1 << 20);
        let places = segments.write(&rows(0..3), &[0, 1, 2], None);
        for _ in 0..2 {
            let room = segments.writes().poll_room(&mut Context::from_waker(Waker::noop()), 1 << 20);
            let Poll::Ready(Err(error)) = room else { panic!("no room, now") };
            let error = error.to_string();
            assert!(error.contains("elements cannot be written to the spill folder /mnt/spill: "), "{error}");
            assert!(error.contains("hint: free space there, spill to another folder"), "{error}");
        }
        let read = read_now(&segments, &[places[2], places[0]]).expect("in memory");
        assert_eq!(read.columns[0].buffer().expect("numbers").as_slice::<i64>(), [2, 0]);
    }
}
