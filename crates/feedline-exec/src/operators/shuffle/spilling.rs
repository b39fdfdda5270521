//! Rows by slot number, in memory or in files.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Column, Ids};
use feedline_io::IoThreads;

use super::read_back::ReadBack;
use super::segments::{DiskPlace, Segments, WORD};
use super::slots::Slots;
use crate::budget::{Budget, Charge};
use crate::error::ExecError;
use crate::metrics::Probe;
use crate::operators::cache::rows::Rows;
use crate::spill_folder::SpillFolder;

/// Rows by slot number, in memory or in files: whoever puts them says where.
#[derive(Debug)]
pub(super) struct Spilling {
    memory: Slots,
    segments: Segments,
    places: Vec<Place>,
    free: Vec<u32>,
    moving: Option<Moving>,
}

/// A segment that holds little else than rows long gone: those that are left are written anew.
#[derive(Debug)]
struct Moving {
    segment: u32,
    /// The slots whose rows were put there, without those that were looked at.
    slots: Vec<u32>,
    /// The rows that are being read.
    reading: Option<(Vec<(u32, DiskPlace)>, ReadBack)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Empty,
    /// A slot of `memory`.
    Memory(u32),
    Disk(DiskPlace),
}

/// Bytes of memory a row in a file takes: its place, its slot in the order, and its slot in the list of its segment.
pub(super) const SPILLED_ROW_BYTES: usize = size_of::<Place>() + 2 * size_of::<u32>();
/// Rows of a sparse segment that are moved at a time.
const ROWS_AT_A_TIME: usize = 64;

impl Spilling {
    /// An empty one that writes to `folder`, in files of about `segment_bytes`.
    pub(super) fn new(folder: SpillFolder, segment_bytes: u64, probe: &Probe) -> Spilling {
        Spilling {
            memory: Slots::default(),
            segments: Segments::new(folder, segment_bytes, probe),
            places: Vec::new(),
            free: Vec::new(),
            moving: None,
        }
    }

    /// A slot for one more row.
    pub(super) fn allocate(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.places.push(Place::Empty);
            (self.places.len() - 1) as u32
        })
    }

    /// Bytes of memory held for rows and where they are.
    pub(super) fn row_bytes(&self) -> usize {
        self.memory.held_bytes() + self.places.len() * SPILLED_ROW_BYTES
    }

    /// Bytes of memory held, with what is on its way to files.
    pub(super) fn held_bytes(&self) -> usize {
        let bytes_of = |(_, place): &(u32, DiskPlace)| place.len as usize * WORD;
        let reading = self.moving.as_ref().and_then(|moving| moving.reading.as_ref());
        let moved: usize = reading.map_or(0, |(rows, _)| rows.iter().map(bytes_of).sum());
        self.row_bytes() + self.segments.written_bytes() + moved
    }

    /// Bytes of all rows, wherever they are.
    pub(super) fn num_bytes(&self) -> u64 {
        self.memory.held_bytes() as u64 + self.segments.live_bytes()
    }

    /// Lets go of what was written.
    pub(super) fn settle(&mut self) {
        self.segments.writes().settle();
    }

    /// Waits until rows can be put: little is left to be written, at most `max_bytes`, and files are not much larger than
    /// what is in them.
    ///
    /// # Errors
    /// Those of the spill folder.
    pub(super) fn poll_room(
        &mut self,
        cx: &mut Context<'_>,
        max_bytes: usize,
        threads: Option<&IoThreads>,
    ) -> Poll<Result<(), ExecError>> {
        loop {
            if let Err(error) = ready!(self.segments.writes().poll_room(cx, max_bytes)) {
                return Poll::Ready(Err(error));
            }
            if self.moving.is_none() {
                let Some((segment, mut slots)) = self.segments.sparse() else { return Poll::Ready(Ok(())) };
                slots.sort_unstable();
                slots.dedup();
                self.moving = Some(Moving { segment, slots, reading: None });
            }
            if let Err(error) = ready!(self.poll_move(cx, threads)) {
                // What cannot be read cannot be moved: it stays until it is picked.
                self.moving = None;
                return Poll::Ready(Err(error));
            }
        }
    }

    /// Moves some rows of the segment that is being moved.
    fn poll_move(
        &mut self,
        cx: &mut Context<'_>,
        threads: Option<&IoThreads>,
    ) -> Poll<Result<(), ExecError>> {
        let Some(moving) = &mut self.moving else { return Poll::Ready(Ok(())) };
        let is_there = |&(slot, place): &(u32, DiskPlace)| self.places[slot as usize] == Place::Disk(place);
        if let Some((_, reading)) = &mut moving.reading {
            let rows = match ready!(reading.poll(cx)) {
                Ok(rows) => rows,
                Err(error) => return Poll::Ready(Err(error)),
            };
            let (read, _) = moving.reading.take().expect("looked at above");
            // Some were picked meanwhile.
            let left: Vec<usize> = (0..read.len()).filter(|&row| is_there(&read[row])).collect();
            let slots: Vec<u32> = left.iter().map(|&row| read[row].0).collect();
            self.write(&rows.gather(&left), &slots, threads);
            left.iter().for_each(|&row| self.segments.release(read[row].1));
            return Poll::Ready(Ok(()));
        }
        let mut left = Vec::with_capacity(ROWS_AT_A_TIME);
        while left.len() < ROWS_AT_A_TIME
            && let Some(slot) = moving.slots.pop()
        {
            match self.places[slot as usize] {
                Place::Disk(place) if place.segment == moving.segment => left.push((slot, place)),
                _ => {}
            }
        }
        if left.is_empty() {
            self.moving = None;
        } else {
            let places: Vec<DiskPlace> = left.iter().map(|&(_, place)| place).collect();
            moving.reading = Some((left, self.segments.read(&places, threads)));
        }
        Poll::Ready(Ok(()))
    }

    /// Stores the rows of `block`, which has no errors, in `slots`, one each: in memory, of which there are `limit_bytes`, or in
    /// files.
    pub(super) fn put(
        &mut self,
        block: &Block,
        slots: &[u32],
        limit_bytes: Option<usize>,
        threads: Option<&IoThreads>,
    ) {
        let Some(limit_bytes) = limit_bytes else {
            let rows = Rows { columns: block.columns().to_vec(), ids: block.ids().clone() };
            self.write(&rows, slots, threads);
            return;
        };
        let own: Vec<u32> = slots.iter().map(|_| self.memory.allocate()).collect();
        self.memory.put(block, &own, limit_bytes);
        for (&slot, own) in slots.iter().zip(own) {
            self.places[slot as usize] = Place::Memory(own);
        }
    }

    fn write(&mut self, rows: &Rows, slots: &[u32], threads: Option<&IoThreads>) {
        if slots.is_empty() {
            return;
        }
        let places = self.segments.write(rows, slots, threads);
        for (&slot, place) in slots.iter().zip(places) {
            self.places[slot as usize] = Place::Disk(place);
        }
    }

    /// Begins to fetch the rows in `slots`, in that order; `threads` read what is in files, `None`: here and now.
    pub(super) fn get(&mut self, slots: &[u32], threads: Option<&IoThreads>) -> Result<Fetch, ExecError> {
        let (mut in_memory, mut on_disk) = (Vec::new(), Vec::new());
        // Of each row the place among those of its kind.
        let mut found = Vec::with_capacity(slots.len());
        for &slot in slots {
            match self.places[slot as usize] {
                Place::Memory(own) => {
                    found.push((false, in_memory.len()));
                    in_memory.push(own);
                }
                Place::Disk(place) => {
                    found.push((true, on_disk.len()));
                    on_disk.push(place);
                }
                Place::Empty => return Err(ExecError::internal("a shuffle picked a slot without a row")),
            }
        }
        let num_in_memory = in_memory.len();
        let disk_bytes = on_disk.iter().map(|place| u64::from(place.len) * WORD as u64).sum();
        let at = |(is_on_disk, row)| if is_on_disk { num_in_memory + row } else { row };
        Ok(Fetch {
            in_memory: (num_in_memory > 0).then(|| self.memory.get(&in_memory)),
            on_disk: (!on_disk.is_empty()).then(|| self.segments.read(&on_disk, threads)),
            charge: None,
            disk_bytes,
            order: found.into_iter().map(at).collect(),
        })
    }

    /// Gives slots back.
    pub(super) fn release(&mut self, slots: &[u32]) {
        let mut in_memory = Vec::new();
        for &slot in slots {
            match std::mem::replace(&mut self.places[slot as usize], Place::Empty) {
                Place::Memory(own) => in_memory.push(own),
                Place::Disk(place) => self.segments.release(place),
                Place::Empty => {}
            }
        }
        self.memory.release(&in_memory);
        self.free.extend_from_slice(slots);
    }

    #[cfg(test)]
    fn num_on_disk(&self) -> usize {
        self.segments.num_rows()
    }
}

/// Rows on their way.
#[derive(Debug)]
pub(super) struct Fetch {
    in_memory: Option<(Vec<Column>, Ids)>,
    on_disk: Option<ReadBack>,
    /// What rows from files are charged as: as they are read, and once more while they are put in order.
    charge: Option<Charge>,
    disk_bytes: u64,
    /// For each row where it is among those in memory and then those in files.
    order: Vec<usize>,
}

impl Fetch {
    /// It, charged without asking: it is the block that is handed on next.
    pub(super) fn charged_to(mut self, budget: &Arc<Budget>) -> Fetch {
        self.charge = (self.disk_bytes > 0).then(|| budget.charge(2 * self.disk_bytes));
        self
    }

    /// The rows; once.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(Vec<Column>, Ids), ExecError>> {
        let read = match &mut self.on_disk {
            None => None,
            Some(reading) => match ready!(reading.poll(cx)) {
                Ok(rows) => Some((rows.columns, rows.ids)),
                Err(error) => return Poll::Ready(Err(error)),
            },
        };
        Poll::Ready(Ok(match (self.in_memory.take(), read) {
            (Some((columns, ids)), Some((read, read_ids))) => {
                let joined = columns.into_iter().zip(read);
                let columns =
                    joined.map(|(one, two)| Column::concat(&[one, two]).gather(&self.order)).collect();
                (columns, Ids::concat(&[ids, read_ids]).gather(&self.order))
            }
            (rows, read) => rows.or(read).unwrap_or_else(|| (Vec::new(), Ids::run(0, 0))),
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use feedline_data::block::{Position, Token};

    use super::*;
    use crate::seed::PhiloxWords;

    fn block(numbers: std::ops::Range<i64>) -> Block {
        let count = (numbers.end - numbers.start) as usize;
        let texts: Vec<String> = numbers.clone().map(|number| format!("{number:060}")).collect();
        let columns = vec![
            Column::from_vec(vec![], count, numbers.clone().collect()),
            Column::from_strings(vec![], count, texts.iter().collect()),
        ];
        Block::new(columns, Ids::run(numbers.start as u64, count), Position::at(Token::new(|_| 0)))
    }

    #[test]
    fn rows_are_the_same_wherever_they_lie_and_files_stay_small() {
        let folder = SpillFolder::new(std::env::temp_dir()).expect("a folder");
        let mut rows = Spilling::new(folder, 8 << 10, &Probe::unread());
        let mut cx = Context::from_waker(Waker::noop());
        let mut words = PhiloxWords::new(1, 2);
        let mut held: Vec<(u32, i64)> = Vec::new();
        for (round, first) in (0..6000).step_by(20).enumerate() {
            let slots: Vec<u32> = (0..20).map(|_| rows.allocate()).collect();
            assert!(matches!(rows.poll_room(&mut cx, 0, None), Poll::Ready(Ok(()))), "written here and now");
            rows.put(&block(first..first + 20), &slots, (round % 3 == 0).then_some(usize::MAX), None);
            held.extend(slots.into_iter().zip(first..));
            if held.len() > 400 {
                let picked: Vec<(u32, i64)> =
                    (0..20).map(|_| held.swap_remove(words.next_word() as usize % held.len())).collect();
                let slots: Vec<u32> = picked.iter().map(|&(slot, _)| slot).collect();
                let fetched = rows.get(&slots, None).expect("all are there").poll(&mut cx);
                let Poll::Ready(Ok((columns, ids))) = fetched else { panic!("read here and now") };
                let numbers: Vec<i64> = picked.iter().map(|&(_, number)| number).collect();
                assert_eq!(columns[0].buffer().expect("numbers").as_slice::<i64>(), numbers);
                let texts = columns[1].strings().expect("strings");
                assert!(
                    texts
                        .iter()
                        .zip(&numbers)
                        .all(|(text, number)| text == format!("{number:060}").as_bytes())
                );
                assert!(ids.iter().eq(numbers.iter().map(|&number| number as u64)));
                rows.release(&slots);
            }
        }
        assert!(rows.num_on_disk() > 200);
        // Twice what is needed, two segments, and what went since the last rows were put.
        let (on_disk, needed) = (rows.segments.file_bytes(), rows.segments.live_bytes());
        assert!(on_disk <= 2 * needed + (32 << 10), "{on_disk} bytes for {needed}");
        let slots: Vec<u32> = held.iter().map(|&(slot, _)| slot).collect();
        rows.release(&slots);
        assert_eq!((rows.num_on_disk(), rows.segments.live_bytes()), (0, 0));
    }
}
