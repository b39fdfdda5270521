//! Shuffles that do not fit the budget and go to a folder in part: nothing but time tells.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::fs;
use std::path::Path;

use engine_support::{modes, show};
use feedline::data::DType;
use feedline::records::RecordWriter;
use feedline::{Dataset, Options, State, Symbolic, ops};
use tempfile::TempDir;

/// Records of about a kilobyte, each different, read from files.
fn records(folder: &Path, count: usize) -> Dataset {
    let path = folder.join("records.tfrecord");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    for number in 0..count {
        writer.write(format!("{number:0width$}", width = 900 + number % 200).as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    Dataset::tf_record(&[path]).unwrap()
}

/// A kilobyte of numbers for each number: the spec says how large a buffer is.
fn wide(x: Symbolic) -> Symbolic {
    Symbolic::from((ops::one_hot(x.clone() % 128, 128, 1, 0, -1, DType::Int64), x))
}

/// Files in `folder` that this process has open, though they have no names.
fn num_open_files(folder: &Path) -> usize {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let paths = entries.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    paths.filter(|path| path.starts_with(folder)).count()
}

/// Waits until there are none: what was being read when an iterator was dropped is read to its end. A file that stays open
/// is a test that does not end, and is ended.
fn wait_until_closed(folder: &Path) {
    while num_open_files(folder) > 0 {
        std::thread::yield_now();
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

fn all(dataset: &Dataset) -> Vec<String> {
    dataset.iterator_of(0).unwrap().map(|item| show(&item)).collect()
}

#[test]
fn a_buffer_of_ten_budgets_gives_what_a_large_budget_gives_in_every_mode() {
    let (data, spill) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let records = records(data.path(), 120);
    let failing = |x: Symbolic| ops::floormod(x.clone(), x.clone() % 40) + x;
    let datasets = [
        records.shuffle(100).seed(3),
        records.shuffle(70).seed(3).repeat(2),
        records.map(|record| Symbolic::from((record, 7_i64))).shuffle(1000).seed(4).batch(3),
        Dataset::range(120).map(failing).map(wide).shuffle(100).seed(5).repeat(2),
        Dataset::range(120).map(wide).shuffle(90).seed(6).skip(40),
    ];
    for dataset in datasets {
        let expected = all(&dataset.with_options(Options::new().threads(0)));
        for (how, options) in modes() {
            // A buffer takes some 100 KB.
            let options = options.memory_budget(10_000).spill_dir(spill.path());
            let dataset = dataset.with_options(options);
            assert_eq!(all(&dataset), expected, "{how}");
            // A state of the middle is restored with the same budget, and saved the same.
            let mut elements = dataset.iterator_of(0).unwrap();
            elements.by_ref().take(expected.len() / 3).for_each(drop);
            let state = State::from_json(&elements.state().to_json()).unwrap();
            let resumed: Vec<String> = dataset.resume(&state).unwrap().map(|item| show(&item)).collect();
            assert_eq!(resumed, expected[expected.len() / 3..], "resumed, {how}");
        }
    }
    wait_until_closed(spill.path());
}

#[test]
fn states_do_not_tell_where_rows_were() {
    let (data, spill) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let dataset = records(data.path(), 100).shuffle(60).seed(1);
    let states = |options: Options| engine_support::states(&dataset.with_options(options.threads(0)), 90);
    let spilling = Options::new().memory_budget(10_000).spill_dir(spill.path());
    assert_eq!(states(spilling), states(Options::new()));
}

#[test]
fn the_budget_is_kept_and_files_go_with_the_iterator() {
    let (data, spill) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let budget = 2 << 20;
    let dataset = records(data.path(), 20_000).shuffle(20_000).seed(1).batch(10);
    let options = Options::new().threads(2).memory_budget(budget).spill_dir(spill.path());
    let mut batches = dataset.with_options(options).iterator().unwrap();
    assert_eq!(num_open_files(spill.path()), 0);
    batches.next().unwrap().unwrap();
    assert!(num_open_files(spill.path()) > 0);
    // They have no names, so that a kill leaves none behind.
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 0);
    assert_eq!(batches.by_ref().map(Result::unwrap).count(), 1999);
    let peak = batches.budget().peak_bytes();
    // And a block for each step that moves on without asking.
    assert!(peak <= budget + (512 << 10), "{peak} of {budget}");
    drop(batches);
    wait_until_closed(spill.path());
}

#[test]
fn what_fits_stays_in_memory_and_what_cannot_spill_is_an_error() {
    let spill = TempDir::new().unwrap();
    let with = |dataset: &Dataset, budget: u64| {
        dataset.with_options(Options::new().threads(0).memory_budget(budget).spill_dir(spill.path()))
    };
    let dataset = Dataset::range(100).map(wide).shuffle(50).seed(1);
    let mut elements = with(&dataset, 1 << 20).iterator().unwrap();
    elements.next().unwrap().unwrap();
    assert_eq!(num_open_files(spill.path()), 0);
    // Single numbers take no more memory than the places of rows in files.
    let numbers = Dataset::range(1 << 20).shuffle(1 << 20).seed(1);
    let message = with(&numbers, 1 << 20).iterator().unwrap_err().to_string();
    assert!(message.contains("needs 20971520 bytes, the memory budget has 1048576"), "{message}");
    let wide = Dataset::range(1 << 20).map(wide).shuffle(1 << 20).seed(1);
    let message =
        wide.with_options(Options::new().memory_budget(1 << 20)).iterator().unwrap_err().to_string();
    assert!(
        message.contains("let it spill to a folder (`Options::spill_dir`, FEEDLINE_SPILL_DIR)"),
        "{message}"
    );
}

#[test]
fn a_folder_that_is_not_there_is_an_error_before_anything_runs() {
    let options = Options::new().spill_dir("/nowhere/to spill");
    let message = Dataset::range(10).with_options(options).iterator().unwrap_err().to_string();
    assert!(message.contains("the spill folder /nowhere/to spill: "), "{message}");
    assert!(message.contains("hint: make the folder"), "{message}");
}
