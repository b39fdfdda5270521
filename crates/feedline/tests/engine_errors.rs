//! What becomes of elements that are errors: left out, replaced, counted, kept in a file.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::sync::{Arc, Mutex};

use engine_support::{all_of_all_modes, check, modes, numbers, show};
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
    let broken = || Dataset::range(12).map(|x| ops::floordiv(&x, ops::zeros_like(&x)));
    assert_eq!(check(&broken().on_error(ErrorPolicy::skip())), shown([]));
    let replaced = broken().on_error(ErrorPolicy::replace(Tensor::scalar(1_i64)));
    assert_eq!(check(&replaced), shown([1; 12]));
}

#[test]
fn an_error_that_ends_the_dataset_comes_through() {
    // 0, an error, 2, …, 7, an error, 9, …, and the second error too many.
    let ended = failing(30).on_error(ErrorPolicy::replace(Tensor::scalar(-1_i64)).limit(2));
    let told = check(&ended);
    assert!(told.len() == 16 && told[15].contains("more than 2 elements failed"), "{told:?}");
    for dataset in [
        ended.ignore_errors(),
        ended.on_error(ErrorPolicy::skip()),
        ended.on_error(ErrorPolicy::skip().limit(0)),
        ended.on_error(ErrorPolicy::replace(Tensor::scalar(5_i64))),
    ] {
        assert_eq!(check(&dataset), told);
    }
    // Among errors of elements, which count: those of 3 and of 10.
    let more = ended.map(|x| {
        let rest = (&x + 4) % 7;
        x + ops::floordiv(rest.clone(), rest) - 1
    });
    let all = check(&more);
    let failed = |item: &String| item.starts_with("error: element");
    assert_eq!(all.iter().filter(|item| failed(item)).count(), 2, "{all:?}");
    let left: Vec<String> = all.iter().filter(|item| !failed(item)).cloned().collect();
    assert_eq!(check(&more.ignore_errors()), left);
    assert_eq!(check(&more.on_error(ErrorPolicy::skip().limit(2))), left);
    let replaced: Vec<String> =
        all.iter().map(|item| if failed(item) { "5".to_owned() } else { item.clone() }).collect();
    assert_eq!(check(&more.on_error(ErrorPolicy::replace(Tensor::scalar(5_i64)))), replaced);
    assert_eq!(check(&more.on_error(ErrorPolicy::skip().limit(1))).len(), 10);
    // One dataset that ended short is one error, and the others are whole.
    let nested = Dataset::range(3).flat_map(move |_| failing(9).on_error(ErrorPolicy::skip().limit(1)));
    let all = check(&nested);
    assert_eq!(all.iter().filter(|item| item.contains("more than 1")).count(), 3, "{all:?}");
    assert_eq!(check(&nested.ignore_errors()), all);
    assert_eq!(check(&nested.interleave(|x| Dataset::from_tensors(x)).cycle_length(2).ignore_errors()), all);
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
        let step = "in step 2 of the plan: map(native spell -> int64[])";
        let error = |x: i64| format!("element {x}: spell: {x} is not spelled\\n{step}");
        let expected = [3, 13, 23].map(|x| format!("{{'element': {x}, 'error': \"{}\"}}", error(x)));
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

/// The steps that errors of `dataset` name, in every mode.
fn steps_named(dataset: &Dataset) -> Vec<String> {
    let items = all_of_all_modes(&|| dataset.clone());
    let errors = items.iter().filter(|item| item.starts_with("error: "));
    errors
        .map(|error| error.lines().find_map(|line| line.strip_prefix("in ")).unwrap_or(error).to_owned())
        .collect()
}

#[test]
fn errors_name_the_step_of_the_plan_as_written_whatever_became_of_it() {
    let divided = |dataset: Dataset| dataset.map(|x| ops::floordiv(12, x - 3));
    let by_code = |dataset: Dataset| {
        dataset.map_native("halves", ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)), |element| {
            let Structure::Leaf(x) = element else { panic!("a number") };
            let x = x.as_slice::<i64>()[0];
            if x == 3 { Err("three".into()) } else { Ok(Structure::Leaf(Tensor::scalar(x / 2))) }
        })
    };
    let ten = || Dataset::range(10);
    let division = "map(floordiv(12, subtract(x0, 3)))";
    let cases: Vec<(Dataset, String)> = vec![
        (divided(ten()), format!("step 2 of the plan: {division}")),
        // Joined with the maps around it, with the batch behind it, behind a filter or a shard that moved.
        (divided(ten().map(|x| x + 0)).map(|x| x * 2), format!("step 3 of the plan: {division}")),
        (
            divided(ten()).map(|x| x * 2).map(|x| ops::floordiv(x, 1)),
            format!("step 2 of the plan: {division}"),
        ),
        (divided(ten().map(|x| x + 0)).batch(2), format!("step 3 of the plan: {division}")),
        (divided(ten().repeat(1).map(|x| x + 0)).prefetch(1), format!("step 4 of the plan: {division}")),
        (divided(ten()).shard(2, 1), format!("step 2 of the plan: {division}")),
        (by_code(ten()).shard(2, 1), "step 2 of the plan: map(native halves -> int64[])".to_owned()),
        (
            by_code(ten().map(|x| x + 0)).batch(4),
            "step 3 of the plan: map(native halves -> int64[])".to_owned(),
        ),
        (
            divided(ten()).filter(|x| x.gt(-100)).shuffle(3).seed(1).repeat(1),
            format!("step 2 of the plan: {division}"),
        ),
        (
            ten().filter(|x| ops::floordiv(12, x - 3).gt(-100)),
            "step 2 of the plan: filter(greater(floordiv(12, subtract(x0, 3)), -100))".to_owned(),
        ),
        // Other steps.
        (ten().assert_cardinality(12), "step 2 of the plan: assert_cardinality(12)".to_owned()),
        (
            ten().flat_map(|x| Dataset::range(2).map(move |y| ops::floordiv(y, x.clone() - 3))).take(7),
            "step 3 of the plan: map(floordiv(x0, subtract(outer0, 3)))".to_owned(),
        ),
    ];
    for (dataset, expected) in cases {
        let named = steps_named(&dataset);
        assert!(!named.is_empty() && named.iter().all(|step| *step == expected), "{expected}: {named:?}");
    }
    // In a function inside a function.
    let chosen = ten().map(|x| x + 0).map(|x| {
        let (one, two) = (x.clone(), x.clone());
        ops::cond(x.gt(5), move || ops::floordiv(1, one - 6), move || two)
    });
    assert!(
        steps_named(&chosen)[0].starts_with("step 3 of the plan: map(cond("),
        "{:?}",
        steps_named(&chosen)
    );
    // What does not stack.
    let uneven = ten().map(|x| ops::range(0, x, 1)).batch(2);
    assert!(steps_named(&uneven).iter().all(|step| step == "step 3 of the plan: batch(2)"));
}

#[test]
fn the_step_is_known_to_programs_and_kept_with_what_failed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.tfrecord");
    let error = failing(3).map(|x| x + 1).iterator().unwrap().find_map(Result::err).unwrap();
    let step = error.downcast_ref::<feedline::ExecError>().unwrap().step().unwrap().clone();
    assert_eq!(step.number, 2);
    assert!(step.title.starts_with("map(subtract(add(x0, floordiv("), "{step}");
    failing(3).on_error(ErrorPolicy::skip().quarantine(&path)).iterator().unwrap().for_each(drop);
    let features = Features::from_iter([("step", Feature::fixed_len(&[], DType::String))]);
    let read = Dataset::tf_record(&[&path]).unwrap();
    let read = read.map(move |record| ops::parse_single_example(record, features.clone()));
    let shown: Vec<String> = read.iterator().unwrap().map(|item| show(&item)).collect();
    assert_eq!(shown.len(), 1);
    assert!(shown[0].starts_with("{'step': \"step 2 of the plan: map(subtract("), "{shown:?}");
}
