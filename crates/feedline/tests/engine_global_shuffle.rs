//! All elements in random order, without a buffer.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use engine_support::{all_modes, check, check_of_large, numbers, show};
use feedline::data::DType;
use feedline::data::Shape;
use feedline::formats::Compression;
use feedline::index::{IndexOptions, index};
use feedline::records::{RecordWriter, index_path};
use feedline::{Dataset, Options, State, ops};

fn sorted(mut items: Vec<String>) -> Vec<String> {
    items.sort();
    items
}

fn write(path: &Path, records: impl IntoIterator<Item = String>, compression: Option<Compression>) {
    let mut writer = RecordWriter::create(path, compression).unwrap();
    for record in records {
        writer.write(record.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
}

/// Three files: 20 small records, none, 25 of all sizes.
fn files(folder: &Path) -> Vec<PathBuf> {
    let path = |name: &str| folder.join(name);
    write(&path("a.tfrecord"), (0..20).map(|record| format!("a{record:03}")), None);
    write(&path("b.tfrecord"), [], None);
    let large = |record: usize| format!("c{record:03}{}", "x".repeat(record * record * 300));
    write(&path("c.tfrecord"), (0..25).map(large), None);
    ["a.tfrecord", "b.tfrecord", "c.tfrecord"].map(path).to_vec()
}

#[test]
fn numbers_and_tensors_come_in_an_order_of_their_own() {
    let ten = |seed| Dataset::range_step(100, 160, 1).global_shuffle().seed(seed);
    let items = check(&ten(1));
    assert_eq!(sorted(items.clone()), sorted((100..160).map(|n: i64| n.to_string()).collect()));
    assert_ne!(items, check(&ten(2)));
    assert_ne!(items, sorted(items.clone()));
    let values: Vec<i64> = (0..50).map(|n| n * n).collect();
    let squares = check(&numbers(&values).global_shuffle().seed(3));
    assert_eq!(sorted(squares), sorted(values.iter().map(ToString::to_string).collect()));
    // Each iteration another order, or the same, as told.
    let twice = |reshuffle| {
        check(&numbers(&values[..20]).global_shuffle().seed(3).reshuffle_each_iteration(reshuffle).repeat(2))
    };
    let (fresh, same) = (twice(true), twice(false));
    assert_ne!(fresh[..20], fresh[20..]);
    assert_eq!(same[..20], same[20..]);
    assert_eq!(sorted(fresh[..20].to_vec()), sorted(fresh[20..].to_vec()));
    check(&Dataset::range(0).global_shuffle().seed(1));
    check(&Dataset::range(40).global_shuffle().seed(1).skip(13).batch(4));
}

#[test]
fn random_values_belong_to_the_row_not_to_its_place() {
    let drawn = |dataset: Dataset| {
        let pairs = dataset.map(|x| {
            let random = ops::cast(ops::random_uniform(Shape::scalar(), 1) * 1e6, DType::Int64);
            x * 10_000_000 + random
        });
        sorted(all_modes(&pairs))
    };
    assert_eq!(drawn(Dataset::range(50)), drawn(Dataset::range(50).global_shuffle().seed(9)));
}

#[test]
fn records_come_once_each_with_an_index_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let dataset = || Dataset::tf_record(&paths).unwrap().global_shuffle().seed(4);
    let short = |items: Vec<String>| -> Vec<String> {
        items.into_iter().map(|item| item.trim_matches('"').chars().take(4).collect()).collect()
    };
    let without = short(check_of_large(&dataset()));
    let in_order: Vec<String> =
        (0..20).map(|n| format!("a{n:03}")).chain((0..25).map(|n| format!("c{n:03}"))).collect();
    assert_eq!(sorted(without.clone()), in_order);
    assert_ne!(without, in_order);
    let options = IndexOptions { num_threads: 1, force: false, check: false };
    assert!(
        index(&paths, &options, &|_| {}, &AtomicBool::new(false)).iter().all(|report| report.outcome.is_ok())
    );
    assert_eq!(short(check_of_large(&dataset())), without);
    // Also in a folder that was copied, where a file may be younger than its index.
    let made = std::fs::metadata(index_path(&paths[2])).unwrap().modified().unwrap();
    let file = std::fs::File::options().write(true).open(&paths[2]).unwrap();
    file.set_modified(made + std::time::Duration::from_mins(1)).unwrap();
    assert_eq!(short(check_of_large(&dataset())), without);
    assert_eq!(short(check_of_large(&dataset().repeat(2)))[..45], without);
    // A small budget slows it down and changes nothing.
    let tight = dataset().with_options(Options::new().threads(2).memory_budget(1 << 20));
    let mut elements = tight.iterator().unwrap();
    assert_eq!(short(elements.by_ref().map(|item| show(&item)).collect()), without);
    assert_eq!(elements.budget().used_bytes(), 0);
}

#[test]
fn what_cannot_be_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let first_error = |paths: &[PathBuf]| {
        let dataset = Dataset::tf_record(paths).unwrap().global_shuffle().seed(1);
        let items = check_of_large(&dataset);
        items.into_iter().find(|item| item.starts_with("error")).unwrap()
    };
    // A record whose data is damaged is one error, in its place.
    let mut bytes = std::fs::read(&paths[0]).unwrap();
    bytes[20 * 3 + 13] ^= 1;
    std::fs::write(&paths[0], &bytes).unwrap();
    let items = check_of_large(&Dataset::tf_record(&paths).unwrap().global_shuffle().seed(1));
    assert_eq!((items.len(), items.iter().filter(|item| item.starts_with("error")).count()), (45, 1));
    assert!(first_error(&paths).contains("a.tfrecord: record 3"), "{}", first_error(&paths));
    // A length that is damaged: nobody knows what is behind it.
    bytes[20 * 5] ^= 1;
    std::fs::write(&paths[0], &bytes).unwrap();
    let of_errors = |items: &[String]| -> Vec<String> {
        items.iter().filter(|item| item.starts_with("error")).cloned().collect()
    };
    // What is before it comes, and all of the other files: 4 whole records, one with a damaged byte, and the rest as one error.
    let items = check_of_large(&Dataset::tf_record(&paths).unwrap().global_shuffle().seed(1));
    let errors = of_errors(&items);
    let num_others = 25;
    assert_eq!((items.len(), errors.len()), (num_others + 6, 2), "{items:?}");
    assert!(errors.iter().any(|error| error.contains("record 5")), "{errors:?}");
    std::fs::write(&paths[0], &bytes[..50]).unwrap();
    let items = check_of_large(&Dataset::tf_record(&paths).unwrap().global_shuffle().seed(1));
    assert_eq!((items.len(), of_errors(&items).len()), (num_others + 3, 1), "{items:?}");
    assert!(of_errors(&items)[0].contains("record 2"), "{items:?}");
    // Records that moved between the windows of the check that ties an index to its file.
    let moved = folder.path().join("moved.tfrecord");
    let long = |record: usize| format!("{record:03}{}", "x".repeat(10_000 + record % 2 * 5000));
    write(&moved, (0..60).map(long), None);
    let options = IndexOptions { num_threads: 1, force: false, check: false };
    index(std::slice::from_ref(&moved), &options, &|_| {}, &AtomicBool::new(false));
    write(
        &moved,
        (0..60).map(|record| long(if record == 1 || record == 2 { 3 - record } else { record })),
        None,
    );
    let error = first_error(&[moved]);
    assert!(error.contains("moved.tfrecord: record ") && error.contains("index"), "{error}");
    let zipped = folder.path().join("z.tfrecord");
    write(&zipped, ["one".to_owned()], Some(Compression::Gzip));
    assert!(first_error(&[zipped]).contains("cannot be read one by one"));
    let error = Dataset::text_line(&paths).unwrap().global_shuffle().check().expect_err("lines").to_string();
    assert!(error.contains("not after text_line"), "{error}");
}

#[test]
fn a_state_is_not_restored_over_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    write(&path, (0..900).map(|number| format!("record {number}")), None);
    let dataset = || Dataset::tf_record(&[&path]).unwrap().global_shuffle().seed(3);
    let mut elements = dataset().iterator().unwrap();
    elements.by_ref().take(100).for_each(drop);
    let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
    assert_eq!(dataset().resume(&state).unwrap().count(), 800);
    write(&path, (0..900).map(|number| format!("others {number}")), None);
    let error = dataset().resume(&state).unwrap_err().to_string();
    assert!(error.contains("a.tfrecord") && error.contains("the state was saved"), "{error}");
}

#[test]
fn windows_are_as_large_as_the_budget_allows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    write(&path, (0..4000).map(|number| format!("{number:01000}")), None);
    for budget in [1 << 20, 4 << 20] {
        for threads in [0, 2] {
            let options = Options::new().threads(threads).memory_budget(budget);
            let dataset =
                Dataset::tf_record(&[&path]).unwrap().global_shuffle().seed(3).with_options(options);
            let mut elements = dataset.iterator().unwrap();
            assert_eq!(elements.by_ref().count(), 4000);
            let peak = elements.metrics().budget_peak_bytes;
            assert!(peak <= budget, "{peak} of {budget}, {threads} threads");
        }
    }
}
