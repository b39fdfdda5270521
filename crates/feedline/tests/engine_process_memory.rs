//! Several iterators in one process share its memory: what they hold together keeps to one budget, and all of them go on.
//!
//! The budget of a process is what its environment says when its first iterator is made, so each of these runs in one of its own.
#![allow(clippy::unwrap_used, reason = "tests")]

mod engine_support;

use std::process::Command;
use std::time::{Duration, Instant};

use engine_support::show;
use feedline::data::DType;
use feedline::{Dataset, Elements, Options, Symbolic, ops};

const BUDGET_BYTES: u64 = 8 << 20;

/// Runs this program again with that budget, and of its tests `child` alone.
fn run_child(child: &str) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", child, "--ignored", "--nocapture", "--test-threads=1"]);
    let output = command.env("FEEDLINE_MEMORY_BUDGET", "8M").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}

/// Elements of 100,000 bytes.
fn wide(x: Symbolic) -> Symbolic {
    ops::one_hot(x % 12_500, 12_500, 1, 0, -1, DType::Int64)
}

/// What all iterators hold, by a look at any of them.
fn process_bytes(elements: &Elements) -> u64 {
    elements.metrics().process_budget_used_bytes
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "it never comes");
        std::thread::yield_now();
    }
}

#[test]
#[ignore = "run by iterators_keep_to_one_budget_and_all_go_on"]
fn child_with_two_iterators() {
    let look = Dataset::range(1).iterator().unwrap();
    for threads in [1, 2, 4] {
        // What ran for the last ones has come to its end: who is refused asks again when he is asked, and the first here pauses.
        wait_until(|| process_bytes(&look) == 0);
        let dataset = Dataset::range(1000).map(wide).prefetch(1000);
        let dataset = dataset.with_options(Options::new().threads(threads));
        let mut paused = dataset.iterator_of(0).unwrap();
        paused.next().unwrap().unwrap();
        // It runs ahead as far as it may, and nobody takes anything.
        wait_until(|| paused.metrics().budget_used_bytes > BUDGET_BYTES / 4 * 3);
        let mut other = dataset.iterator_of(0).unwrap();
        let sum: usize = (&mut other).take(200).map(|item| item.unwrap().leaves().len()).sum();
        assert_eq!(sum, 200);
        // Both at once, each of which takes what the other lets go of.
        let mut both = 0;
        while let (Some(one), Some(two)) = (paused.next(), other.next()) {
            assert!(one.is_ok() && two.is_ok());
            both += 1;
            assert!(paused.metrics().budget_used_bytes + other.metrics().budget_used_bytes <= BUDGET_BYTES);
        }
        assert_eq!(both, 800);
        // A block of each step, which need not ask.
        let peak = other.metrics().process_budget_peak_bytes;
        assert!(peak <= BUDGET_BYTES + 6 * 100_000, "{peak}");
        assert!(paused.next().is_some());
    }
    wait_until(|| process_bytes(&look) == 0);
}

#[test]
fn iterators_keep_to_one_budget_and_all_go_on() {
    run_child("child_with_two_iterators");
}

#[test]
#[ignore = "run by a_buffer_that_does_not_fit_beside_another_iterators_says_so"]
fn child_with_two_shuffles() {
    // 20 bytes an element, 6 MB; and the same where it is not known before.
    let known = Dataset::range(400_000).shuffle(300_000).seed(1);
    let texts = Dataset::range(150_000)
        .map(|x| ops::strings::as_string(x + 1_000_000, -1, false, false, -1, ""))
        .shuffle(150_000)
        .seed(1);
    for threads in [0, 2] {
        let known = known.with_options(Options::new().threads(threads));
        let texts = texts.with_options(Options::new().threads(threads));
        let whole = known.iterator_of(0).unwrap().count();
        let mut first = known.iterator_of(0).unwrap();
        first.next().unwrap().unwrap();
        let error = known.iterator_of(0).unwrap_err().to_string();
        for told in [
            "shuffle: a buffer of 300000 elements needs 6000000 bytes, of the memory budget of 8388608 bytes, which all \
             iterators of the process share, shuffles and caches of other iterators hold 6000000",
            "about 67001 elements fit into the 1340032 that are left; end the other iterators",
        ] {
            assert!(error.contains(told), "{error}");
        }
        let error = texts.iterator_of(0).unwrap().next().unwrap().unwrap_err().to_string();
        assert!(error.contains("shuffles and caches of other iterators hold 6000000"), "{error}");
        // The other one is none the worse for it, and gone it leaves its memory.
        assert_eq!(first.count(), whole - 1);
        assert_eq!(texts.iterator_of(0).unwrap().flatten().count(), 150_000);
        assert_eq!(known.iterator_of(0).unwrap().count(), whole);
    }
}

#[test]
fn a_buffer_that_does_not_fit_beside_another_iterators_says_so() {
    run_child("child_with_two_shuffles");
}

#[test]
#[ignore = "run by a_cache_counts_once"]
fn child_with_a_cache() {
    let look = Dataset::range(1).iterator().unwrap();
    // Ten elements of 100,000 bytes. (Without workers nothing else is held.)
    let cached = Dataset::range(10).map(wide).cache().with_options(Options::new().threads(0));
    assert_eq!(cached.iterator().unwrap().count(), 10);
    let kept = process_bytes(&look);
    assert!((1_000_000..1_100_000).contains(&kept), "between iterators, too: {kept}");
    let mut users: Vec<Elements> = (0..4).map(|_| cached.iterator().unwrap()).collect();
    users.iter_mut().for_each(|elements| drop(elements.next().unwrap().unwrap()));
    let each: Vec<u64> = users.iter().map(|elements| elements.metrics().budget_used_bytes).collect();
    assert!(each.iter().all(|&bytes| bytes >= kept), "{each:?}");
    assert!(process_bytes(&look) < 2 * kept, "{}", process_bytes(&look));
    drop(users);
    assert_eq!(process_bytes(&look), kept);

    // A buffer of 6.4 MB does not fit beside it: of 8.4 an eighth is kept for what moves.
    let shuffled = Dataset::range(400_000).shuffle(320_000).seed(1);
    let error = shuffled.iterator().unwrap_err().to_string();
    assert!(error.contains(&format!("shuffles and caches of other iterators hold {kept}")), "{error}");
    drop(cached);
    assert_eq!(process_bytes(&look), 0);
    let mut elements = shuffled.iterator().unwrap();
    elements.next().unwrap().unwrap();
    // Nor does one that fills fit beside that; it says so, and gives all elements.
    let cached = Dataset::range(20).map(wide).cache();
    let told = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let notes = std::sync::Arc::clone(&told);
    let options = Options::new().on_notice(move |text| notes.lock().unwrap().push_str(text));
    let found: Vec<String> =
        cached.with_options(options).iterator_of(0).unwrap().map(|item| show(&item)).collect();
    assert_eq!(found.len(), 20);
    let told = told.lock().unwrap().clone();
    assert!(told.contains("of which shuffles and other caches hold 6400000; nothing is kept"), "{told}");
}

#[test]
fn a_cache_counts_once() {
    run_child("child_with_a_cache");
}

#[test]
#[ignore = "run by an_iterator_may_have_a_limit_of_its_own"]
fn child_with_limits_of_its_own() {
    let limits = |options: Options| {
        let snapshot = Dataset::range(10).with_options(options).iterator().unwrap().metrics();
        (snapshot.budget_limit_bytes, snapshot.process_budget_limit_bytes)
    };
    assert_eq!(limits(Options::new()), (BUDGET_BYTES, BUDGET_BYTES));
    assert_eq!(limits(Options::new().memory_budget(1 << 20)), (1 << 20, BUDGET_BYTES));
    // More than there is for all of them is the user's word for this one.
    assert_eq!(limits(Options::new().memory_budget(1 << 30)), (1 << 30, 1 << 30));
    let large =
        Dataset::range(2_000_000).shuffle(1_000_000).with_options(Options::new().memory_budget(1 << 30));
    let mut large = large.iterator().unwrap();
    large.next().unwrap().unwrap();
    assert!(Dataset::range(400_000).shuffle(300_000).iterator().unwrap().next().is_some());
}

#[test]
fn an_iterator_may_have_a_limit_of_its_own() {
    run_child("child_with_limits_of_its_own");
}
