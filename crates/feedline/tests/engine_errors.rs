//! What becomes of elements that are errors: left out, replaced, counted, kept in a file.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::sync::{Arc, Mutex};

use engine_support::{check, modes, numbers, show};
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Structure, TensorSpec};
use feedline::plan::expr::{Feature, Features};
use feedline::{Dataset, ErrorPolicy, Options, Symbolic, ops};

/// 0, an error, 2, 3, 4, 5, 6, 7, an error, …: fails where `x % 7` is 1.
fn failing(count: i64) -> Dataset {
    Dataset::range(count).map(|x| {
        let rest = (x.clone() + 6) % 7;
        x + ops::floordiv(rest.clone(), rest) - 1
    })
}

fn shown(values: impl IntoIterator<Item = i64>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

#[test]
fn errors_are_left_out_or_replaced() {
    let kept = |x: &i64| x % 7 != 1;
    assert_eq!(check(&failing(30).on_error(ErrorPolicy::skip())), shown((0..30).filter(kept)));
    let replaced = failing(30).on_error(ErrorPolicy::replace(Tensor::scalar(-1_i64)));
    assert_eq!(check(&replaced), shown((0..30).map(|x| if kept(&x) { x } else { -1 })));
    assert_eq!(replaced.cardinality().unwrap(), 30);
    assert_eq!(failing(30).on_error(ErrorPolicy::skip()).cardinality().unwrap(), -2);
    // Behind other steps, and before them.
    let dataset = failing(40).shuffle(9).seed(3).on_error(ErrorPolicy::skip().limit(100)).batch(4).repeat(2);
    check(&dataset);
    check(&failing(40).batch(3).on_error(ErrorPolicy::skip()));
    check(&failing(20).on_error(ErrorPolicy::replace(Tensor::scalar(5_i64))).skip(7).take(6));
    // Nothing but errors.
    let broken = || Dataset::range(12).map(|x| ops::floordiv(x, 0));
    assert_eq!(check(&broken().on_error(ErrorPolicy::skip())), shown([]));
    let replaced = broken().on_error(ErrorPolicy::replace(Tensor::scalar(1_i64)));
    assert_eq!(check(&replaced), shown([1; 12]));
}

#[test]
fn one_error_more_than_the_limit_is_told_and_is_the_end() {
    // Errors at 1, 8, 15, 22.
    let items = check(&failing(30).on_error(ErrorPolicy::skip().limit(2)));
    let expected: Vec<String> = shown((0..15).filter(|x| x % 7 != 1));
    assert_eq!(items[..expected.len()], expected);
    assert_eq!(items.len(), expected.len() + 1);
    assert!(
        items.last().unwrap().contains("more than 2 elements failed; this one with: element 15: floordiv"),
        "{items:?}"
    );
    assert_eq!(check(&failing(20).on_error(ErrorPolicy::skip().limit(3))).len(), 17);
    let none = check(&failing(20).on_error(ErrorPolicy::replace(Tensor::scalar(0_i64)).limit(0)));
    assert_eq!(none.len(), 2);
}

#[test]
fn errors_are_told_beside_the_elements_where_the_policy_says_so() {
    for (mode, options) in modes() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&told);
        let options = options.on_notice(move |text| listener.lock().unwrap().push(text.to_owned()));
        let count = |policy: ErrorPolicy| {
            failing(20).on_error(policy).with_options(options.clone()).iterator().unwrap().count()
        };
        assert_eq!((count(ErrorPolicy::skip()), told.lock().unwrap().len()), (17, 0), "{mode}");
        assert_eq!(count(ErrorPolicy::skip().limit(2).telling()), 14, "{mode}");
        let told = told.lock().unwrap();
        assert_eq!(told.len(), 2, "{mode}: the third is raised: {told:?}");
        let start = "feedline: an element is left out: element 8: floordiv: division by zero";
        assert!(told[1].starts_with(start), "{mode}: {}", told[1]);
    }
}

#[test]
fn a_replacement_must_be_an_element() {
    let told = |policy| Dataset::range(3).on_error(policy).check().expect_err("wrong").to_string();
    let error = told(ErrorPolicy::replace(Tensor::scalar(1_i32)));
    assert!(error.contains("the replacement is int32[], and elements are int64[]"), "{error}");
    let pair = Structure::Tuple(vec![Structure::Leaf(Tensor::scalar(1_i64)); 2]);
    assert!(told(ErrorPolicy::replace(pair)).contains("a tuple of 2"));
}

#[test]
fn what_failed_keeps_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.tfrecord");
    let named = Dataset::range(4).map(|x| {
        Symbolic::dict([("number", x.clone()), ("pair", Symbolic::from((x.clone(), x.clone() * 2)))])
    });
    let failing = named.map(|element| ops::floordiv(12, element.get("number")));
    // The map that fails, not one that it was joined with.
    let failing = failing.with_options(Options::new().optimizer(false));
    assert_eq!(failing.on_error(ErrorPolicy::skip().quarantine(&path)).iterator().unwrap().count(), 3);
    let names = ["element/number", "element/pair/0", "element/pair/1"];
    let features = names.map(|name| (name, Feature::fixed_len(&[], DType::Int64)));
    let read = Dataset::tf_record(&[&path]).unwrap();
    let read = read.map(|record| ops::parse_single_example(record, Features::from_iter(features.clone())));
    let shown: Vec<String> = read.iterator().unwrap().map(|item| show(&item)).collect();
    assert_eq!(shown, ["{'element/number': 0, 'element/pair/0': 0, 'element/pair/1': 0}"]);
}

#[test]
fn a_damaged_record_is_kept_with_its_bytes_and_where_it_lies() {
    let folder = tempfile::tempdir().unwrap();
    let (path, kept) = (folder.path().join("a.tfrecord"), folder.path().join("bad.tfrecord"));
    let mut writer = feedline::records::RecordWriter::create(&path, None).unwrap();
    for record in ["one", "two", "three"] {
        writer.write(record.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    // In the second record: a head of 12 bytes, the data, and 4 bytes behind it.
    bytes[19 + 12] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let features = Features::from_iter([
        ("byte", Feature::fixed_len(&[], DType::Int64)),
        ("element", Feature::fixed_len(&[], DType::String)),
        ("file", Feature::fixed_len(&[], DType::String)),
        ("record", Feature::fixed_len(&[], DType::Int64)),
    ]);
    let records = || Dataset::tf_record(&[&path]).unwrap();
    for (order, dataset) in [("front to back", records()), ("by index", records().global_shuffle().seed(1))] {
        let dataset = dataset.on_error(ErrorPolicy::skip().quarantine(&kept));
        assert_eq!(dataset.iterator().unwrap().count(), 2, "{order}");
        let read = Dataset::tf_record(&[&kept]).unwrap();
        let read = read.map(|record| ops::parse_single_example(record, features.clone()));
        let shown: Vec<String> = read.iterator().unwrap().map(|item| show(&item)).collect();
        let file = path.display();
        let expected = format!("{{'byte': 19, 'element': \"uwo\", 'file': \"{file}\", 'record': 1}}");
        assert_eq!(shown, [expected], "{order}");
        std::fs::remove_file(&kept).unwrap();
    }
}

#[test]
fn what_is_kept_behind_a_record_that_was_cut_off_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("bad.tfrecord");
    let dataset = failing(10).on_error(ErrorPolicy::skip().quarantine(&kept));
    let num_kept =
        |path| Dataset::tf_record(&[path]).unwrap().iterator().unwrap().map(Result::unwrap).count();
    dataset.iterator().unwrap().for_each(drop);
    let first = num_kept(&kept);
    let bytes = std::fs::read(&kept).unwrap();
    std::fs::write(&kept, &bytes[..bytes.len() - 7]).unwrap();
    dataset.iterator().unwrap().for_each(drop);
    assert_eq!(num_kept(&kept), 2 * first - 1);
}

#[test]
fn what_failed_is_kept_in_a_file_that_inspect_reads() {
    for (mode, options) in modes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.tfrecord");
        let text = Dataset::range(30).map_native(
            "spell",
            ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)),
            |element| {
                let x = element.leaves()[0].as_slice::<i64>()[0];
                if x % 10 == 3 { Err(format!("{x} is not spelled").into()) } else { Ok(element) }
            },
        );
        let dataset = text.on_error(ErrorPolicy::skip().quarantine(&path)).with_options(options);
        assert_eq!(dataset.iterator().unwrap().count(), 27, "{mode}");
        let records = Dataset::tf_record(&[&path]).unwrap();
        let features = Features::from_iter([
            ("element", Feature::fixed_len(&[], DType::Int64)),
            ("error", Feature::fixed_len(&[], DType::String)),
        ]);
        let read = records.map(|record| ops::parse_single_example(record, features.clone()));
        let kept: Vec<String> = read.iterator().unwrap().map(|item| show(&item)).collect();
        let expected = [3, 13, 23]
            .map(|x| format!("{{'element': {x}, 'error': \"element {x}: spell: {x} is not spelled\"}}"));
        assert_eq!(kept, expected, "{mode}");
        assert_eq!(records.iterator().unwrap().count(), 3, "{mode}");
        // A second pass adds to it.
        assert_eq!(dataset.iterator().unwrap().count(), 27);
        assert_eq!(records.iterator().unwrap().count(), 6, "{mode}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told() {
    // Before there is anything to write.
    let dataset = failing(10).on_error(ErrorPolicy::skip().quarantine("no/such/folder/bad.tfrecord"));
    let error = dataset.iterator().expect_err("no such folder").to_string();
    assert!(error.contains("no/such/folder/bad.tfrecord: the quarantine file cannot be written"), "{error}");
    // Where it shows only then.
    let dataset = failing(10).on_error(ErrorPolicy::skip().quarantine("/dev/full"));
    for threads in [0, 2] {
        let items: Vec<String> = dataset
            .with_options(Options::new().threads(threads))
            .iterator()
            .unwrap()
            .map(|item| show(&item))
            .collect();
        assert!(
            items.iter().any(|item| item.contains("the quarantine file cannot be written")),
            "{threads}: {items:?}"
        );
    }
}

#[test]
fn an_error_is_kept_once_however_often_a_run_is_interrupted() {
    for (mode, options) in modes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.tfrecord");
        let dataset =
            failing(60).on_error(ErrorPolicy::skip().quarantine(&path)).with_options(options).repeat(2);
        let mut elements = dataset.iterator().unwrap();
        let mut seen = Vec::new();
        loop {
            // What is behind these is met by steps that run ahead, and met again.
            let more: Vec<String> = elements.by_ref().take(17).map(|item| show(&item)).collect();
            if more.is_empty() {
                break;
            }
            seen.extend(more);
            let state = elements.state();
            // Until what it had begun is over.
            let budget = std::sync::Arc::downgrade(elements.budget());
            drop(elements);
            while budget.strong_count() > 0 {
                std::thread::yield_now();
            }
            elements = dataset.resume(&state).unwrap();
        }
        let kept = || (0..60).filter(|x| x % 7 != 1);
        assert_eq!(seen, shown(kept().chain(kept())), "{mode}");
        let records = Dataset::tf_record(&[&path]).unwrap().iterator().unwrap().count();
        assert_eq!(records, 2 * 9, "{mode}");
    }
}

#[test]
fn behind_a_file_that_cannot_be_written_a_state_goes_on_where_it_was() {
    let dataset = failing(10).on_error(ErrorPolicy::skip().quarantine("/dev/full"));
    let dataset = dataset.with_options(Options::new().threads(0));
    let mut elements = dataset.iterator().unwrap();
    let mut seen: Vec<String> = Vec::new();
    for item in elements.by_ref() {
        seen.push(show(&item));
        if item.is_err() {
            break;
        }
    }
    assert_eq!(seen[0], "0");
    assert!(seen[1..].iter().any(|item| item.contains("cannot be written")), "{seen:?}");
    let rest: Vec<String> = dataset.resume(&elements.state()).unwrap().map(|item| show(&item)).collect();
    assert!(!rest.contains(&"0".to_owned()), "not from the beginning: {rest:?}");
}

#[test]
fn errors_carry_their_element() {
    let dataset = numbers(&[3, 0, 5]).map(|x| ops::floordiv(6, x));
    let error = dataset.iterator().unwrap().find_map(Result::err).unwrap();
    let known = error.downcast_ref::<feedline::ExecError>().unwrap();
    assert_eq!(known.element()[0].as_slice::<i64>(), [0]);
}
