//! `read_ranges` against blobs that are slow, short or broken on command. No sleeps: a blob that should see four
//! requests at once lets none of them go before the fourth has come.

use super::*;
use crate::blob::Access;
use crate::error::{Error, ErrorKind};
use proptest::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

const FOREVER: Duration = Duration::from_hours(1);

/// Byte `i` is `i % 251`. What else it does is said by its fields.
struct Fake {
    size: u64,
    access: Access,
    /// Requests wait in groups of this many; 0: no waiting.
    group: usize,
    gate: Mutex<Gate>,
    changed: Condvar,
    requests: AtomicUsize,
    threads: Mutex<Vec<ThreadId>>,
    misbehave: fn(u64) -> Option<Result<usize>>,
}

#[derive(Default)]
struct Gate {
    arrived: usize,
    in_flight: usize,
    max_in_flight: usize,
}

impl Fake {
    fn new(in_flight: usize) -> Self {
        Self {
            size: 10_000,
            access: Access { chunk_bytes: 64, in_flight },
            group: 0,
            gate: Mutex::default(),
            changed: Condvar::new(),
            requests: AtomicUsize::new(0),
            threads: Mutex::default(),
            misbehave: |_| None,
        }
    }

    fn shared(self) -> (Arc<Self>, Arc<dyn Blob>) {
        let fake = Arc::new(self);
        (Arc::clone(&fake), fake)
    }
}

impl Blob for Fake {
    fn location(&self) -> &Path {
        Path::new("fake/blob")
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.threads.lock().unwrap().push(std::thread::current().id());
        {
            let mut gate = self.gate.lock().unwrap();
            gate.arrived += 1;
            gate.in_flight += 1;
            gate.max_in_flight = gate.max_in_flight.max(gate.in_flight);
            if self.group > 0 {
                let goal = gate.arrived.div_ceil(self.group) * self.group;
                self.changed.notify_all();
                while gate.arrived < goal {
                    let (next, wait) = self.changed.wait_timeout(gate, Duration::from_secs(30)).unwrap();
                    gate = next;
                    assert!(!wait.timed_out(), "only {} requests at once", gate.in_flight);
                }
            }
        }
        if let Some(result) = (self.misbehave)(offset) {
            self.gate.lock().unwrap().in_flight -= 1;
            return result;
        }
        let len = buffer.len().min(self.size.saturating_sub(offset) as usize);
        for (byte, position) in buffer[..len].iter_mut().zip(offset..) {
            *byte = (position % 251) as u8;
        }
        self.gate.lock().unwrap().in_flight -= 1;
        Ok(len)
    }

    fn access(&self) -> Access {
        self.access
    }
}

fn far_apart(count: u64) -> Vec<ByteRange> {
    (0..count).map(|index| ByteRange { offset: index * 500, len: 20 }).collect()
}

fn assert_bytes(ranges: &[ByteRange], views: &[ByteView]) {
    assert_eq!(ranges.len(), views.len());
    for (range, view) in ranges.iter().zip(views) {
        let expected: Vec<u8> =
            (range.offset..).take(range.len).map(|position| (position % 251) as u8).collect();
        assert_eq!(&**view, expected, "{range:?}");
    }
}

#[test]
fn four_in_flight_are_four_at_once_and_never_five() {
    let (fake, blob) = Fake { group: 4, ..Fake::new(4) }.shared();
    let threads = IoThreads::new(16, FOREVER);
    let ranges = far_apart(12);
    let views = read_ranges(&blob, &ranges, 0, &threads).unwrap();
    assert_bytes(&ranges, &views);
    assert_eq!(fake.gate.lock().unwrap().max_in_flight, 4);
    assert_eq!(threads.num_threads(), 3, "the caller is the fourth");
}

#[test]
fn a_local_blob_is_read_on_the_callers_thread() {
    let (fake, blob) = Fake::new(1).shared();
    let threads = IoThreads::default();
    let ranges = far_apart(12);
    assert_bytes(&ranges, &read_ranges(&blob, &ranges, 0, &threads).unwrap());
    let here = std::thread::current().id();
    assert!(fake.threads.lock().unwrap().iter().all(|thread| *thread == here));
    assert_eq!(threads.num_threads(), 0);
}

#[test]
fn neighbours_share_a_request_and_a_buffer() {
    let (fake, blob) = Fake::new(1).shared();
    let ranges = [(40, 10), (0, 10), (15, 10), (0, 0), (9000, 1)];
    let ranges = ranges.map(|(offset, len)| ByteRange { offset, len });
    let views = read_ranges(&blob, &ranges, 16, &IoThreads::default()).unwrap();
    assert_bytes(&ranges, &views);
    assert_eq!(fake.requests.load(Ordering::Relaxed), 2);
    assert_eq!(views.iter().map(ByteView::backing_bytes).collect::<Vec<_>>(), [50, 50, 50, 0, 1]);
}

#[test]
fn nothing_asked_nothing_read() {
    let (fake, blob) = Fake::new(8).shared();
    assert!(read_ranges(&blob, &[], 0, &IoThreads::default()).unwrap().is_empty());
    assert_eq!(fake.requests.load(Ordering::Relaxed), 0);
}

#[test]
fn the_lowest_failure_is_reported_whatever_the_timing() {
    let fail: fn(u64) -> Option<Result<usize>> = |offset| {
        (offset >= 1000).then(|| {
            let operation = crate::blob::read_operation(20, offset);
            Err(Error::new(ErrorKind::Other, "fake/blob", operation, "the disk is on fire"))
        })
    };
    for in_flight in [1, 4] {
        for _ in 0..50 {
            let (fake, blob) = Fake { misbehave: fail, ..Fake::new(in_flight) }.shared();
            let error = read_ranges(&blob, &far_apart(20), 0, &IoThreads::new(8, FOREVER)).unwrap_err();
            let text = "fake/blob: could not read 20 bytes at byte 1000: the disk is on fire";
            assert_eq!(error.to_string().lines().next(), Some(text), "{in_flight} in flight");
            let requests = fake.requests.load(Ordering::Relaxed);
            assert!(requests <= 2 + in_flight, "{requests} requests after the failure");
        }
    }
}

#[test]
fn a_panic_in_a_request_becomes_an_error() {
    let panics: fn(u64) -> Option<Result<usize>> =
        |offset| if offset == 500 { std::panic::resume_unwind(Box::new("out of cheese")) } else { None };
    for in_flight in [1, 4] {
        let (_, blob) = Fake { misbehave: panics, ..Fake::new(in_flight) }.shared();
        let error = read_ranges(&blob, &far_apart(12), 0, &IoThreads::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Panicked);
        assert!(error.to_string().contains("byte 500: the reader panicked: out of cheese"), "{error}");
        assert!(error.hint().contains("please report"));
    }
}

#[test]
fn a_blob_that_shrank_says_so() {
    for in_flight in [1, 4] {
        let short: fn(u64) -> Option<Result<usize>> = |offset| (offset >= 500).then_some(Ok(7));
        let (_, blob) = Fake { misbehave: short, ..Fake::new(in_flight) }.shared();
        let error = read_ranges(&blob, &far_apart(3), 0, &IoThreads::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEnd);
        assert!(error.to_string().contains("expected 20 bytes, found 7"), "{error}");
        assert!(error.to_string().contains("ends at byte 507 now"), "{error}");
    }
}

#[test]
fn ranges_beyond_the_end_are_refused_before_reading() {
    let (fake, blob) = Fake::new(4).shared();
    for (offset, len) in [(9_990, 11), (u64::MAX, 1), (10_001, 0), (0, usize::MAX)] {
        let ranges = [ByteRange { offset: 0, len: 1 }, ByteRange { offset, len }];
        let error = read_ranges(&blob, &ranges, u64::MAX, &IoThreads::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(
            error.to_string().contains("range 1 of 2 ends beyond the file, which has 10000 bytes"),
            "{error}"
        );
    }
    assert_eq!(fake.requests.load(Ordering::Relaxed), 0);
}

#[test]
fn a_size_no_machine_has_is_an_error() {
    let (_, blob) = Fake { size: u64::MAX, ..Fake::new(1) }.shared();
    let ranges = [ByteRange { offset: 0, len: usize::MAX }];
    let error = read_ranges(&blob, &ranges, 0, &IoThreads::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
}

#[test]
fn a_call_on_the_pools_only_thread_does_not_hang() {
    let threads = Arc::new(IoThreads::new(1, FOREVER));
    let (sender, receiver) = std::sync::mpsc::channel();
    let inner = Arc::clone(&threads);
    threads
        .spawn(move || {
            let (_, blob) = Fake::new(8).shared();
            sender.send(read_ranges(&blob, &far_apart(10), 0, &inner).map(|views| views.len())).unwrap();
        })
        .unwrap();
    assert_eq!(receiver.recv().unwrap().unwrap(), 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_ranges_come_back_in_order(
        ranges in prop::collection::vec((0_u64..9_000, 0_usize..300), 0..30),
        gap in 0_u64..400,
        in_flight in 1_usize..5,
    ) {
        let ranges: Vec<ByteRange> = ranges.into_iter().map(|(offset, len)| ByteRange { offset, len }).collect();
        let (_, blob) = Fake::new(in_flight).shared();
        assert_bytes(&ranges, &read_ranges(&blob, &ranges, gap, &IoThreads::new(2, FOREVER)).unwrap());
    }
}
