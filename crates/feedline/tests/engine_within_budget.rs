//! What an iterator holds stays within its budget, all of it together: what runs ahead, buffers, caches, and the blocks on their way from step to step,
//! for which nobody asks.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;

use feedline::data::{DType, Shape, Structure};
use feedline::records::RecordWriter;
use feedline::{AUTOTUNE, Dataset, Options, Symbolic, ops};

const BUDGET_BYTES: u64 = 4 << 20;

/// Elements of 20,000 bytes: as many as there are steps and workers are a small part of the budget.
fn wide(x: Symbolic) -> Symbolic {
    ops::one_hot(x % 2500, 2500, 1, 0, -1, DType::Int64)
}

#[test]
fn what_is_refused_for_its_size_is_not_charged() {
    // Of 8 bytes, 800, 80 KB; then 8 MB, 800 MB and 80 GB, each an error. How far tasks run ahead of it is by chance.
    let lengths = Dataset::from_tensor_slices(feedline::data::block::Tensor::from_vec(
        vec![6],
        (0..6).map(|power| 100_i64.pow(power)).collect::<Vec<_>>(),
    ));
    let filled = lengths.map(|length| ops::fill(ops::reshape(length.clone(), Shape::fixed(&[1])), length));
    for threads in [0, 1, 4] {
        for _ in 0..20 {
            let options = Options::new().threads(threads).memory_budget(1 << 20).on_notice(|_| {});
            let mut elements = filled.with_options(options).iterator().unwrap();
            assert_eq!(elements.by_ref().flatten().count(), 3);
            let peak = elements.metrics().budget_peak_bytes;
            assert!(peak <= 1 << 20, "{threads} threads: {peak} bytes");
        }
    }
}

#[test]
fn everything_together_keeps_to_the_budget() {
    let wide_ones = Dataset::range(600).map(wide);
    // How many is not known, so the cache begins, and gives up.
    let cached = Dataset::range(600).filter(|x| x.ge(0)).map(wide).cache();
    // Nearly all that may be reserved is: 180 of 20,012 bytes.
    let shuffled = wide_ones.shuffle(180).seed(1);
    let both =
        Structure::Tuple(vec![Structure::Leaf(cached.clone()), Structure::Leaf(wide_ones.prefetch(1000))]);
    let all: [(&str, Dataset); 6] = [
        ("runs ahead", wide_ones.prefetch(1000).map(|x| x + 1).prefetch(AUTOTUNE)),
        ("a cache that does not fit", cached.map(|x| x + 1)),
        ("a cache that fits", wide_ones.take(170).cache().repeat(3).map(|x| x + 1)),
        ("a buffer", shuffled.map(|x| x + 1).prefetch(1000)),
        ("a buffer and batches", shuffled.batch(4).map(|x| x + 1).prefetch(1000)),
        ("two at a time", Dataset::zip(&both).prefetch(1000)),
    ];
    for (name, dataset) in all {
        for threads in [0, 1, 4] {
            let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES).on_notice(|_| {});
            let mut elements = dataset.with_options(options).iterator().unwrap();
            assert!(elements.by_ref().all(|element| element.is_ok()), "{name}, {threads} threads");
            let peak = elements.metrics().budget_peak_bytes;
            assert!(peak <= BUDGET_BYTES, "{name}, {threads} threads: {peak} bytes");
        }
    }
}

#[test]
fn so_does_a_budget_of_a_quarter_of_a_megabyte() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..4).map(|file| folder.path().join(format!("{file}.tfrecord"))).collect();
    for path in &paths {
        let mut writer = RecordWriter::create(path, None).unwrap();
        (0..5000_u32).for_each(|record| writer.write(&[record as u8; 200]).unwrap());
        writer.finish().unwrap();
    }
    let scalars = Dataset::range(50_000).map(|x| x + 1);
    let records = Dataset::tf_record(&paths).unwrap();
    let listed = Dataset::list_files_sorted(&[folder.path().join("*.tfrecord")]).unwrap();
    // 2,000 bytes each.
    let wide = Dataset::range(3000).map(|x| ops::one_hot(x % 250, 250, 1, 0, -1, DType::Int64));
    let both = Structure::Tuple(vec![Structure::Leaf(wide.clone()), Structure::Leaf(wide.prefetch(1000))]);
    let all: [(&str, Dataset); 8] = [
        ("scalars", scalars.shuffle(1000).batch(256).prefetch(AUTOTUNE)),
        (
            "many steps",
            scalars.batch(256).map(|x| x * 2).unbatch().filter(|x| x.ge(0)).batch(10).prefetch(AUTOTUNE),
        ),
        ("records", records.batch(32).prefetch(AUTOTUNE)),
        ("records in a buffer", records.shuffle(100).batch(32).prefetch(AUTOTUNE)),
        ("records of files in turn", listed.interleave(Dataset::tf_record_file).shuffle(100).batch(32)),
        ("wide rows", wide.prefetch(1000).map(|x| x + 1).batch(4).prefetch(AUTOTUNE)),
        (
            "nested",
            wide.flat_map(|x| Dataset::range(3).map(move |y| y + ops::reduce_sum(&x, None::<i64>, false))),
        ),
        ("two at a time", Dataset::zip(&both).prefetch(1000)),
    ];
    for (name, dataset) in all {
        for threads in [0, 1, 4] {
            let options = Options::new().threads(threads).memory_budget(256 << 10).on_notice(|_| {});
            let mut elements = dataset.with_options(options).iterator().unwrap();
            assert!(elements.by_ref().all(|element| element.is_ok()), "{name}, {threads} threads");
            let peak = elements.metrics().budget_peak_bytes;
            assert!(peak <= 256 << 10, "{name}, {threads} threads: {peak} bytes");
        }
    }
}
