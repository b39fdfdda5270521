//! `cache`, in memory and in files.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use feedline::Dataset;
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, TensorSpec};

use crate::engine_support::{folder_for_caches, show};
use crate::{Case, gives, run};

pub(crate) const CASES: &[Case] = &[
    ("cache_runs_source_once", cache_runs_source_once),
    ("cache_freezes_shuffle", cache_freezes_shuffle),
    ("cache_file_concurrent_writers", cache_file_concurrent_writers),
    ("cache_file_partial_then_new", cache_file_partial_then_new),
    ("snapshot_reuse", snapshot_reuse),
    ("snapshot_same_fingerprint_shuffle", || {
        let folder = folder_for_caches();
        // The seeds that nobody gave are no part of what it is.
        let numbers = || Dataset::range(10).shuffle(10).snapshot(folder.path());
        assert_eq!(all(&numbers()), all(&numbers()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }),
    ("cache_file_batch_repeat", || {
        let folder = folder_for_caches();
        let once = ["[0, 1, 2, 3]", "[4, 5, 6, 7]", "[8, 9]"];
        let cached = Dataset::range(10).cache_to(folder.path().join("cache")).map(|x| x).batch(4).repeat(2);
        gives(&cached, [once, once].concat());
    }),
];

#[test]
fn caches() {
    run(CASES);
}

/// `range(10)`, and how many of its elements were computed.
fn counted() -> (Dataset, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let dataset = Dataset::range(10).map_native("count", spec, move |element| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(element)
    });
    (dataset, calls)
}

fn cache_runs_source_once() {
    let folder = folder_for_caches();
    for in_files in [false, true] {
        let (dataset, calls) = counted();
        let cached = if in_files { dataset.cache_to(folder.path().join("cache")) } else { dataset.cache() };
        let mut elements = cached.repeat(2).iterator().unwrap();
        elements.by_ref().take(10).for_each(|item| drop(item.unwrap()));
        assert_eq!(calls.load(Ordering::Relaxed), 10, "after the first epoch, in files: {in_files}");
        assert_eq!(elements.count(), 10);
        assert_eq!(calls.load(Ordering::Relaxed), 10, "after the second epoch, in files: {in_files}");
    }
}

fn cache_freezes_shuffle() {
    let (dataset, calls) = counted();
    let shuffled = dataset.shuffle(10).seed(1);
    let values = |dataset: &Dataset| -> Vec<String> {
        dataset.iterator().unwrap().take(10).map(|item| show(&item)).collect()
    };
    assert_ne!(values(&shuffled), values(&shuffled), "without a cache each epoch has its own order");
    calls.store(0, Ordering::Relaxed);
    let cached = shuffled.cache();
    // Exactly ten: nobody asks for the eleventh.
    let first = values(&cached);
    assert_eq!(values(&cached), first);
    assert_eq!(calls.load(Ordering::Relaxed), 10, "the second epoch is the cache's");
}

/// On purpose not TensorFlow's, which refuses the second iterator: it reads what is there and computes the rest.
fn cache_file_concurrent_writers() {
    let folder = folder_for_caches();
    let cached = Dataset::range(10).cache_to(folder.path().join("cache"));
    let mut first = cached.iterator().unwrap();
    assert_eq!(first.by_ref().take(3).count(), 3);
    let second: Vec<String> = cached.iterator().unwrap().map(|item| show(&item)).collect();
    assert_eq!(second, (0..10).map(|value| value.to_string()).collect::<Vec<_>>());
    let rest: Vec<String> = first.map(|item| show(&item)).collect();
    assert_eq!(rest, (3..10).map(|value| value.to_string()).collect::<Vec<_>>());
}

/// On purpose not TensorFlow's for files, where what was left half done is an error: it is used as far as it goes.
fn cache_file_partial_then_new() {
    let folder = folder_for_caches();
    for cached in [Dataset::range(10).cache(), Dataset::range(10).cache_to(folder.path().join("cache"))] {
        let mut elements = cached.iterator().unwrap();
        assert_eq!(elements.by_ref().take(5).count(), 5);
        drop(elements);
        gives(&cached, 0..10);
    }
}

fn all(dataset: &Dataset) -> Vec<String> {
    dataset.iterator().unwrap().map(|item| show(&item)).collect()
}

fn snapshot_reuse() {
    let folder = folder_for_caches();
    let path = folder.path().join("lines.txt");
    std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
    let names = Tensor::from_strings(vec![1], [path.to_str().unwrap()].iter().collect());
    let snapshots = folder.path().join("snapshots");
    let lines =
        || Dataset::from_tensor_slices(names.clone()).flat_map(Dataset::text_line_file).snapshot(&snapshots);
    let before = all(&lines());
    assert_eq!(before.len(), 3);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(all(&lines()), before);
    // Another pipeline has a folder of its own.
    assert_eq!(all(&Dataset::range(3).snapshot(&snapshots)), ["0", "1", "2"]);
    assert_eq!(std::fs::read_dir(&snapshots).unwrap().count(), 2);
}
