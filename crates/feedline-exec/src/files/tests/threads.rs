//! Slow, broken and dropped readers, and the budget.

use std::sync::Arc;
use std::thread;

use feedline_formats::tfrecord::write_frame;

use super::{Files, START, poll, show, sizes, threads, wait_for};
use crate::budget::Budget;
use crate::error::ExecErrorKind;
use crate::files::{Event, FileList, ReadAhead, RowKind};
use crate::metrics::{Metrics, Probe};

/// A file of `count` records of 100 bytes.
#[allow(clippy::unnecessary_wraps, reason = "what the helper takes: a file, or none")]
fn file(count: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    (0..count).for_each(|record| write_frame(&mut bytes, &[record as u8; 84]).unwrap());
    Some(bytes)
}

fn rest(mut reader: ReadAhead) -> Vec<String> {
    let events = std::iter::from_fn(|| wait_for(&mut reader));
    events.flat_map(|event| show(event.unwrap())).map(|(_, text)| text).collect()
}

#[test]
fn parts_of_one_file_are_read_at_the_same_time_and_so_are_files() {
    for files in [vec![file(100)], vec![file(1); 30]] {
        let files = Files::new(RowKind::Record, files);
        let budget = Budget::new(1 << 30);
        let mut reader = files.ahead(sizes(1000, 1000), START, &budget);
        files.store.gate.change(|gate| gate.is_closed = true);
        assert!(poll(&mut reader).is_pending());
        // Both threads, though nobody asks again.
        files.store.gate.wait_until(|gate| gate.num_waiting == 2);
        files.store.gate.change(|gate| gate.is_closed = false);
        assert_eq!(rest(reader).len(), files.reference(START).len());
    }
}

#[test]
fn without_a_stream_there_is_one_read_at_a_time() {
    let files = Files::new(RowKind::Record, vec![file(100), file(100)]);
    let list = FileList { is_stream: false, ..files.list(sizes(1000, 1000)) };
    let budget = Budget::new(1 << 30);
    let mut reader = ReadAhead::new(list, 0, START.1, &budget, 2, threads());
    files.store.gate.change(|gate| gate.is_closed = true);
    for _ in 0..3 {
        assert!(poll(&mut reader).is_pending());
        files.store.gate.wait_until(|gate| gate.num_waiting == 1);
    }
    files.store.gate.change(|gate| gate.is_closed = false);
    assert_eq!(rest(reader).len(), 200);
    // One piece, and the row at its end that is read to its end.
    assert!(budget.peak_bytes() < 3000, "{}", budget.peak_bytes());
}

#[test]
fn what_is_being_read_can_be_seen() {
    let files = Files::new(RowKind::Record, vec![file(100)]);
    let metrics = Metrics::new([String::from("files")]);
    let list = FileList { probe: Probe::new(&metrics, 0), ..files.list(sizes(1000, 1000)) };
    let mut reader = ReadAhead::new(list, 0, START.1, &Budget::new(1 << 30), 2, threads());
    files.store.gate.change(|gate| gate.is_closed = true);
    assert!(poll(&mut reader).is_pending());
    files.store.gate.wait_until(|gate| gate.num_waiting == 2);
    let mut works: Vec<String> =
        metrics.snapshot()[0].under_way.iter().map(|work| work.what.clone()).collect();
    works.sort();
    assert_eq!(works, ["reading file-0 at byte 0", "reading file-0 at byte 1000"]);
    assert!(metrics.snapshot()[0].queue.is_some_and(|queue| queue.depth >= 2));
    files.store.gate.change(|gate| gate.is_closed = false);
    assert_eq!(rest(reader).len(), 100);
}

#[test]
fn a_dropped_reader_waits_for_nobody_and_leaves_nothing_behind() {
    let files = Files::new(RowKind::Record, vec![file(1000), file(1000)]);
    let budget = Budget::new(1 << 30);
    for num_taken in [0, 1, 7] {
        let mut reader = files.ahead(sizes(500, 500), START, &budget);
        for _ in 0..num_taken {
            assert!(matches!(wait_for(&mut reader), Some(Ok(Event::Rows { .. }))));
        }
        files.store.gate.change(|gate| gate.is_closed = true);
        let _ = poll(&mut reader);
        drop(reader);
        files.store.gate.change(|gate| gate.is_closed = false);
        // Threads end with the piece at hand, and all memory goes back.
        while Arc::strong_count(&files.store) > 1 || budget.used_bytes() > 0 {
            thread::yield_now();
        }
    }
}

#[test]
fn the_budget_bounds_what_is_read_ahead() {
    let files = Files::new(RowKind::Record, vec![file(300), None, file(300)]);
    let expected: Vec<String> = files.reference(START).into_iter().map(|(_, text)| text).collect();
    for limit in [0, 1, 3000, 10_000] {
        let budget = Budget::new(limit);
        assert_eq!(rest(files.ahead(sizes(1000, 1000), START, &budget)), expected, "{limit}");
        // A piece more than the limit, and what its last record needs.
        let peak = budget.peak_bytes();
        assert!(peak <= limit + 2 * 1250, "{peak} of {limit}");
    }
}

#[test]
fn a_read_that_fails_comes_behind_the_rows_before_it() {
    let files = Files::new(RowKind::Record, vec![file(100), file(0)]);
    files.store.gate.change(|gate| gate.bad_from = Some(5050));
    let budget = Budget::new(1 << 30);
    let found = rest(files.ahead(sizes(1000, 200), START, &budget));
    assert_eq!(found.len(), 51);
    assert!(found[50].contains("file-0") && found[50].contains("the disk is broken"), "{}", found[50]);
}

#[test]
fn a_panic_surfaces_once_and_ends_it() {
    let files = Files::new(RowKind::Record, vec![file(100)]);
    files.store.gate.change(|gate| gate.panics = true);
    let mut reader = files.ahead(sizes(1000, 1000), START, &Budget::new(1 << 30));
    let Some(Err(error)) = wait_for(&mut reader) else { panic!("an error") };
    assert_eq!(error.kind(), ExecErrorKind::Internal);
    assert!(wait_for(&mut reader).is_none());
}

#[test]
fn who_asks_reads_what_needs_no_waiting() {
    let files = Files::new(RowKind::Record, vec![file(20_000), file(20_000)]);
    let expected = files.reference(START);
    for waits_one_in in [0, 2, 7, usize::MAX] {
        files.store.gate.change(|gate| {
            (gate.waits_one_in, gate.num_at_once, gate.num_answered) = (waits_one_in, 0, 0);
        });
        assert_eq!(files.read(sizes(1000, 400), START), expected, "one in {waits_one_in}");
        let state = files.store.gate.state.lock().unwrap();
        // Tried at least once, as soon as reads were seen to be quick; and not again and again where that fails.
        assert!(state.num_at_once > 0, "one in {waits_one_in}");
        assert_eq!(state.num_answered > 0, waits_one_in > 0);
        assert!(waits_one_in > 0 || state.num_at_once < 4000, "{}", state.num_at_once);
    }
}

#[test]
fn what_fails_when_the_one_who_asks_reads_it_is_told_by_those_who_may_wait() {
    let files = Files::new(RowKind::Record, vec![file(20_000), file(10)]);
    files.store.gate.change(|gate| (gate.waits_one_in, gate.bad_from) = (usize::MAX, Some(1_500_050)));
    let found = rest(files.ahead(sizes(1000, 1000), START, &Budget::new(1 << 30)));
    assert_eq!(found.len(), 15_000 + 1 + 10);
    assert!(found[15_000].contains("the disk is broken"), "{}", found[15_000]);
}
