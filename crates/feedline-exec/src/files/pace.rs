//! How much is read at the same time: the numbers of the reader, in one place.

use std::collections::VecDeque;
use std::time::Duration;

/// Sizes of what is read at once.
#[allow(clippy::struct_field_names, reason = "a size is of bytes, and says so")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadSizes {
    /// Bytes of a file that one thread takes at a time.
    pub(crate) piece_bytes: usize,
    /// Bytes of one request, where requests do not wait.
    pub(crate) read_bytes: usize,
    /// Bytes of a row at most: no less than a piece.
    pub(crate) max_row_bytes: u64,
}

impl Default for ReadSizes {
    fn default() -> Self {
        ReadSizes {
            // Two pieces being read and two that wait stay in the second-level cache of two cores or close to it, while a
            // hand-over between threads (some ten microseconds) is still a small part of reading one.
            piece_bytes: 512 << 10,
            // Stays in the core's cache between the copy and the checksum; see `Access::LOCAL`.
            read_bytes: 256 << 10,
            max_row_bytes: u64::MAX,
        }
    }
}

/// What the pieces that streams cannot do without, one each, may be of the budget.
const PIECES_PART_OF_BUDGET: u64 = 32;
/// No piece is smaller: reading it would be mostly calls.
pub(super) const MIN_PIECE_BYTES: usize = 1 << 10;

impl ReadSizes {
    /// What suits a budget of `limit_bytes` that so many streams share: the usual sizes, unless a piece for each would be much of it.
    pub(crate) fn within(limit_bytes: u64, num_streams: usize) -> ReadSizes {
        let usual = ReadSizes::default();
        let part = limit_bytes / PIECES_PART_OF_BUDGET / num_streams.max(1) as u64;
        let part = usize::try_from(part).unwrap_or(usize::MAX);
        let piece_bytes = part.clamp(MIN_PIECE_BYTES, usual.piece_bytes);
        let max_row_bytes = limit_bytes.max(MIN_PIECE_BYTES as u64);
        ReadSizes { piece_bytes, read_bytes: usual.read_bytes.min(piece_bytes), max_row_bytes }
    }
}

/// How many threads read, and how far ahead: from what reading took so far.
///
/// A thread reads and checksums. While reads are memory copies, as many threads as cores do all there is to do. The longer
/// they wait for the storage, the more of them have to wait at the same time for the cores to stay busy: `1 + waiting /
/// working` for each core.
#[derive(Debug)]
pub(super) struct Pace {
    num_cores: usize,
    sizes: ReadSizes,
    /// Whether there is more than one piece at a time; else what reads take changes nothing.
    is_stream: bool,
    /// For each of the last pieces, the time it waited for the storage and the time it was worked on, in nanoseconds.
    last: VecDeque<(f64, f64)>,
    /// The same as averages.
    waiting_ns: f64,
    working_ns: f64,
    /// Whether reading is mostly waiting.
    is_slow: bool,
}

/// Threads that wait for the storage at most: half of what the process has for reads (`IoThreads`), so that two readers
/// find room. An estimate, to be measured with the first object store.
const MAX_LANES: usize = 32;
/// Pieces for each thread, read and not yet taken included: enough that threads do not stop and start again while the
/// consumer looks at a piece. Where reads do not wait, three: more would not stay in the caches (with large records four took 7 %
/// longer than two), and with two, a thread that is interrupted while it reads the next piece stops the others.
const PIECES_A_LANE: usize = 4;
const PIECES_A_FAST_LANE: usize = 3;
/// But no more than so many beside those being read: there is one consumer, however many cores.
const MAX_PIECES_READY: usize = 32;
/// See [`Pace::num_pieces_to_wake`]. 1 MiB: with 512 KiB, waking took some 5 % of the time of reading large records.
const MAX_PIECES_TO_WAKE: usize = 2;
/// What the requests of a piece may take before it counts as waiting: a copy, even a slow one.
const COPY_TIME: Duration = Duration::from_micros(100);
const COPY_NS_A_BYTE: f64 = 0.25;
/// Pieces that are remembered, and of those how many count: the ones that waited longest are left out, since a thread that
/// is interrupted for others looks as if it waited, and on a busy machine that happens to some pieces of every file.
const NUM_REMEMBERED: usize = 16;
const NUM_COUNTED: usize = 12;
/// Requests that wait are for so many pieces at a time: the waiting is for more.
const PIECES_A_SLOW_REQUEST: usize = 4;

impl Pace {
    pub(super) fn new(num_cores: usize, sizes: ReadSizes) -> Pace {
        let last = VecDeque::with_capacity(NUM_REMEMBERED + 1);
        Pace {
            num_cores: num_cores.max(1),
            sizes,
            is_stream: true,
            last,
            waiting_ns: 0.0,
            working_ns: 0.0,
            is_slow: false,
        }
    }

    /// One thread and one piece, whatever reads take.
    pub(super) fn one_at_a_time(sizes: ReadSizes) -> Pace {
        Pace { is_stream: false, ..Pace::new(1, sizes) }
    }

    /// Takes note of a piece of `bytes` that took `total`, `reading` of it in requests.
    pub(super) fn observe(&mut self, bytes: usize, reading: Duration, total: Duration) {
        if !self.is_stream {
            return;
        }
        let copying_ns = COPY_TIME.as_nanos() as f64 + bytes as f64 * COPY_NS_A_BYTE;
        let waiting_ns = (reading.as_nanos() as f64 - copying_ns).max(0.0);
        let working_ns = (total.as_nanos() as f64 - waiting_ns).max(1.0);
        self.last.push_back((waiting_ns, working_ns));
        if self.last.len() > NUM_REMEMBERED {
            self.last.pop_front();
        }
        let mut last: Vec<(f64, f64)> = self.last.iter().copied().collect();
        last.sort_by(|one, two| one.0.total_cmp(&two.0));
        let counted = (last.len() * NUM_COUNTED).div_ceil(NUM_REMEMBERED);
        let sum = last[..counted].iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (self.waiting_ns, self.working_ns) = (sum.0 / counted as f64, sum.1 / counted as f64);
        // Larger requests wait less for each byte, which is no reason to make them smaller again.
        let limit = if self.is_slow { self.working_ns / 4.0 } else { self.working_ns };
        self.is_slow = self.waiting_ns > limit;
    }

    /// Threads that should read.
    pub(super) fn num_lanes(&self) -> usize {
        let for_each_core = 1.0 + self.waiting_ns / self.working_ns.max(1.0);
        let lanes = (self.num_cores as f64 * for_each_core) as usize;
        lanes.clamp(self.num_cores, MAX_LANES.max(self.num_cores))
    }

    /// Pieces being read or ready at most.
    pub(super) fn num_pieces(&self) -> usize {
        if !self.is_stream {
            return 1;
        }
        let lanes = self.num_lanes();
        let pieces_a_lane = if self.waiting_ns > 0.0 { PIECES_A_LANE } else { PIECES_A_FAST_LANE };
        (lanes * pieces_a_lane).min(lanes + MAX_PIECES_READY)
    }

    /// Pieces that are worth waking the consumer for, who then takes all of them: waking somebody costs as much as reading some
    /// ten KiB, and the one woken takes the place of one who reads. Where reads wait, or may for all that is known, each is.
    pub(super) fn num_pieces_to_wake(&self) -> usize {
        if self.is_fast() { MAX_PIECES_TO_WAKE.min(self.num_pieces() / 2) } else { 1 }
    }

    /// Bytes of the next piece.
    pub(super) fn piece_bytes(&self) -> usize {
        self.sizes.piece_bytes * if self.is_slow() { PIECES_A_SLOW_REQUEST } else { 1 }
    }

    /// Bytes of one request: a piece where requests wait.
    pub(super) fn read_bytes(&self) -> usize {
        if self.is_slow() { self.piece_bytes() } else { self.sizes.read_bytes }
    }

    /// Whether reads are known to be copies.
    pub(super) fn is_fast(&self) -> bool {
        self.waiting_ns == 0.0 && self.last.len() == NUM_REMEMBERED
    }

    /// Whether reading is mostly waiting.
    pub(super) fn is_slow(&self) -> bool {
        self.is_slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_stream_there_is_one_piece_whatever_reads_take() {
        let mut pace = Pace::one_at_a_time(ReadSizes::default());
        for _ in 0..50 {
            pace.observe(512 << 10, Duration::from_millis(30), Duration::from_millis(31));
            assert_eq!((pace.num_lanes(), pace.num_pieces(), pace.num_pieces_to_wake()), (1, 1, 1));
            assert_eq!(pace.read_bytes(), 256 << 10);
        }
    }

    fn after(reading: Duration) -> Pace {
        let mut pace = Pace::new(2, ReadSizes::default());
        for _ in 0..50 {
            pace.observe(512 << 10, reading, reading + Duration::from_micros(60));
        }
        pace
    }

    #[test]
    fn copies_need_the_cores_alone_and_waiting_needs_more() {
        let fast = after(Duration::from_micros(80));
        assert_eq!((fast.num_lanes(), fast.piece_bytes(), fast.read_bytes()), (2, 512 << 10, 256 << 10));
        let slow = after(Duration::from_millis(30));
        assert_eq!((slow.num_lanes(), slow.piece_bytes(), slow.read_bytes()), (32, 2 << 20, 2 << 20));
        let between = after(Duration::from_millis(2)).num_lanes();
        assert!((3..32).contains(&between), "{between}");
    }

    #[test]
    fn hiccups_are_not_waiting() {
        let mut pace = after(Duration::from_micros(80));
        for piece in 0..100 {
            let reading = if piece % 5 == 0 { Duration::from_millis(12) } else { Duration::from_micros(80) };
            pace.observe(512 << 10, reading, reading + Duration::from_micros(60));
            assert_eq!(pace.num_lanes(), 2);
        }
    }
}
