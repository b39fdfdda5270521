//! Sources that wait: Rust iterators, files read by name.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engine_support::{all_modes, check, show};
use feedline::data::block::{Strings, Tensor};
use feedline::data::{DType, ElementSpec, Structure, TensorSpec};
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
    assert!(items[7].contains("7.txt") && items[7].starts_with("error: read_file"), "{}", items[7]);
    assert_eq!((items[8].as_str(), &items[9..]), ("\"\"", &expected[9..]));
    // Reading stays apart from computing: other threads do it.
    let lengths = dataset.map(|text| ops::size(text, DType::Int32)).map(|size| size + 1);
    let lines = lengths.explain().unwrap().running().lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("map")).count(), 2, "{lines:?}");
    let wrong = Dataset::range(3).map(|x| ops::read_file(x)).check().expect_err("no name").to_string();
    assert!(wrong.contains("takes one file's name, a string, not int64[]"), "{wrong}");
}
