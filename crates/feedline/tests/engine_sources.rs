//! Sources that wait: Rust iterators, files read by name.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engine_support::{all_modes, check, show};
use feedline::data::block::{Strings, Tensor};
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{Dataset, Options, ops};

fn number() -> ElementSpec {
    ElementSpec::Leaf(TensorSpec::scalar(DType::Int64))
}

fn scalar(value: i64) -> Structure<Tensor> {
    Structure::Leaf(Tensor::scalar(value))
}

fn shown(values: impl IntoIterator<Item = i64>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

#[test]
fn iterators_are_sources() {
    let numbers =
        |count: i64| Dataset::from_iter("numbers", number(), move || (0..count).map(|n| Ok(scalar(n * 3))));
    assert_eq!(check(&numbers(20)), shown((0..20).map(|n| n * 3)));
    assert_eq!(check(&numbers(0)), shown([]));
    assert_eq!(check(&numbers(7).repeat(3)).len(), 21);
    assert_eq!(check(&numbers(20).shuffle(5).seed(1).skip(3).batch(4)).len(), 5);
    assert_eq!(numbers(20).cardinality().unwrap(), -2);
    assert!(numbers(3).explain().unwrap().to_string().contains("from_iter(numbers -> int64[])"));
    let endless = Dataset::from_iter("endless", number(), || (0..).map(|n| Ok(scalar(n))));
    assert_eq!(check(&endless.take(30)).len(), 30);
}

#[test]
fn what_goes_wrong_in_an_iterator_is_told_in_its_place() {
    let some = Dataset::from_iter("some", number(), || {
        (0..6).map(|n| if n % 3 == 1 { Err(format!("no {n}").into()) } else { Ok(scalar(n)) })
    });
    assert_eq!(check(&some), ["0", "error: some: no 1", "2", "3", "error: some: no 4", "5"]);
    assert_eq!(check(&some.ignore_errors()), shown([0, 2, 3, 5]));
    let wrong =
        Dataset::from_iter("wrong", number(), || (0..2).map(|n| Ok(Structure::Leaf(Tensor::scalar(n)))));
    assert_eq!(all_modes(&wrong), ["error: wrong is int32[], its spec says int64[]"; 2]);
    let panics = Dataset::from_iter("panics", number(), || {
        (0..5).map(|n| if n == 2 { panic!("at {n}") } else { Ok(scalar(n)) })
    });
    assert_eq!(all_modes(&panics), ["0", "1", "error: panics panicked: at 2"]);
}

/// An iterator whose end goes wrong.
struct PanicsInDrop(std::ops::Range<i64>);

impl Iterator for PanicsInDrop {
    type Item = Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|n| Ok(scalar(n)))
    }
}

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "in drop");
    }
}

#[test]
fn an_iterator_that_panics_when_it_is_dropped_costs_no_element() {
    let dataset = Dataset::from_iter("panics", number(), || PanicsInDrop(0..3));
    let error = "error: panics panicked when it was dropped: in drop";
    let once = ["0", "1", "2", error];
    assert_eq!(check(&dataset), once);
    assert_eq!(check(&dataset.repeat(2)), [once, once].concat());
    assert_eq!(check(&dataset.ignore_errors().repeat(2).batch(2)), ["[0, 1]", "[2, 0]", "[1, 2]"]);
    assert_eq!(check(&dataset.skip(2).repeat(2)), ["2", error, "2", error]);
    // Left before its end, nobody is there to be told.
    assert_eq!(check(&dataset.take(2).repeat(2)), ["0", "1", "0", "1"]);
    assert_eq!(check(&Dataset::range(2).flat_map(|x| dataset.map(move |y| y + x.clone())).take(2)).len(), 2);
    for threads in [0, 2] {
        let mut elements = dataset.with_options(Options::new().threads(threads)).iterator().unwrap();
        assert!(elements.next().is_some_and(|item| item.is_ok()));
        drop(elements);
    }
}

#[test]
fn an_iterator_that_hangs_does_not_keep_a_dropped_dataset() {
    let hangs = Dataset::from_iter("hangs", number(), || {
        (0..10).map(|n| {
            if n == 1 {
                std::thread::sleep(Duration::from_hours(1));
            }
            Ok(scalar(n))
        })
    });
    let mut elements = hangs.with_options(Options::new().threads(2)).iterator().unwrap();
    // The first comes though the second hangs, and nobody waits for that one.
    assert_eq!(show(&elements.next().unwrap()), "0");
    assert!(elements.state().to_json().contains("\"next\":1"));
    drop(elements);
}

#[test]
fn elements_that_were_skipped_are_asked_for_and_dropped() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let dataset = Dataset::from_iter("counted", number(), move || {
        let counter = Arc::clone(&counter);
        (0..100).map(move |n| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(scalar(n))
        })
    })
    .with_options(Options::new().threads(0));
    assert_eq!(
        dataset.skip(40).take(3).iterator().unwrap().map(|item| show(&item)).collect::<Vec<_>>(),
        shown(40..43)
    );
    assert_eq!(asked.load(Ordering::Relaxed), 43);
}

#[test]
fn large_elements_of_an_iterator_stay_within_the_budget() {
    let spec = ElementSpec::Leaf(TensorSpec::new(DType::UInt8, Shape::fixed(&[1 << 20])));
    let element = Tensor::from_vec(vec![1 << 20], vec![7_u8; 1 << 20]);
    let dataset = Dataset::from_iter("large", spec, move || {
        let element = element.clone();
        (0..200).map(move |_| Ok(Structure::Leaf(element.clone())))
    });
    let options = Options::new().threads(2).memory_budget(8 << 20);
    let mut elements = dataset.with_options(options).iterator().unwrap();
    assert_eq!(elements.by_ref().flatten().count(), 200);
    let peak = elements.budget().peak_bytes();
    assert!(peak <= 8 << 20, "{peak}");
}

/// Numbers that come slowly, and how many did.
fn counted_slowly() -> (Dataset, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let dataset = Dataset::from_iter("slowly", number(), move || {
        let counter = Arc::clone(&counter);
        (0..).map(move |n| {
            counter.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_micros(100));
            Ok(scalar(n))
        })
    });
    (dataset, asked)
}

#[test]
fn an_iterator_that_is_skipped_far_into_stops_when_nobody_wants_it() {
    let (dataset, asked) = counted_slowly();
    let mut elements = dataset.skip(1_000_000).with_options(Options::new().threads(2)).iterator().unwrap();
    let start = Instant::now();
    assert!(elements.next_unless(|| start.elapsed() > Duration::from_millis(50)).is_err());
    drop(elements);
    // The turn under way ends.
    std::thread::sleep(Duration::from_millis(50));
    let by_then = asked.load(Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(50));
    assert!(by_then > 0);
    assert_eq!(asked.load(Ordering::Relaxed), by_then);
}

#[test]
fn an_iterator_is_not_asked_for_more_than_is_taken() {
    for threads in [0, 2] {
        let (dataset, asked) = counted_slowly();
        let dataset = dataset.enumerate(0).batch(2).take(3).prefetch(8);
        let dataset = dataset.with_options(Options::new().threads(threads));
        assert_eq!(dataset.iterator().unwrap().count(), 3);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(asked.load(Ordering::Relaxed), 6, "{threads} threads");
    }
}

#[test]
fn an_error_that_cannot_be_shown_is_told_all_the_same() {
    #[derive(Debug)]
    struct Shy;
    impl std::fmt::Display for Shy {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("not in public")
        }
    }
    impl std::error::Error for Shy {}
    let source = Dataset::from_iter("shy", number(), || {
        (0..3).map(|n| if n == 1 { Err(Box::new(Shy).into()) } else { Ok(scalar(n)) })
    });
    assert_eq!(all_modes(&source), ["0", "error: shy panicked: not in public"]);
    let mapped = Dataset::range(3).map_native("shy", number(), |element| {
        if element.leaves()[0].as_slice::<i64>() == [1] { Err(Box::new(Shy).into()) } else { Ok(element) }
    });
    assert_eq!(all_modes(&mapped), ["0", "error: element 1: shy panicked: not in public", "2"]);
}

#[test]
fn files_are_read_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<String> = (0..30)
        .map(|file| {
            let path = folder.path().join(format!("{file}.txt"));
            std::fs::write(&path, format!("contents of {file}")).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let names: Strings = paths.iter().map(String::as_bytes).collect();
    let dataset =
        Dataset::from_tensor_slices(Tensor::from_strings(vec![30], names)).map(|name| ops::read_file(name));
    let expected: Vec<String> = (0..30).map(|file| format!("\"contents of {file}\"")).collect();
    assert_eq!(check(&dataset), expected);
    std::fs::remove_file(folder.path().join("7.txt")).unwrap();
    std::fs::write(folder.path().join("8.txt"), "").unwrap();
    let items = check(&dataset);
    assert!(items[7].contains("7.txt") && items[7].contains(": read_file: "), "{}", items[7]);
    assert_eq!((items[8].as_str(), &items[9..]), ("\"\"", &expected[9..]));
    // Reading stays apart from computing: other threads do it.
    let lengths = dataset.map(|text| ops::size(text, DType::Int32)).map(|size| size + 1);
    let lines = lengths.explain().unwrap().running().lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("map")).count(), 2, "{lines:?}");
    let wrong = Dataset::range(3).map(|x| ops::read_file(x)).check().expect_err("no name").to_string();
    assert!(wrong.contains("takes one file's name, a string, not int64[]"), "{wrong}");
}
