//! Random pipelines: every mode gives the same, and every state resumes.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "../../feedline-plan/tests/catalogue_support/mod.rs"]
mod catalogue_support;
#[path = "engine_support/images.rs"]
mod engine_images;
mod engine_soak;
mod engine_support;
mod random_plans;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};

use engine_support::{ENOUGH, check, check_of, folder_for_caches, modes, remove_cache, show};
use feedline::data::block::Tensor;
use feedline::data::{DType, Structure};
use feedline::{Dataset, Elements, ExecError, ExecErrorKind, Options, State, Symbolic, ops};
use proptest::prelude::*;
use random_plans::{
    Source, Step, apply, functions, nested, num_calls, orderless_step, source, step, unseeded_step,
};

/// A tenth of the usual number: each case runs in eighteen modes and resumes everywhere. `PROPTEST_CASES=5000` for a night.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 10, max_shrink_iters: 200, ..usual }
}

/// It, written as text and read back.
fn read_back(dataset: &Dataset) -> Dataset {
    let text = dataset.to_text().unwrap();
    let again = Dataset::from_text(&text, &functions()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (plan, read) = (dataset.plan().unwrap(), again.plan().unwrap());
    assert_eq!(read.lines(), plan.lines());
    assert_eq!((read.spec(), read.cardinality()), (plan.spec(), plan.cardinality()));
    assert_eq!(read.fingerprint(), plan.fingerprint());
    assert_eq!(again.to_text().unwrap(), text);
    again
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_pipeline_is_the_same_in_every_mode_and_resumes_everywhere(
        count in 0..40_i64,
        source in source(),
        steps in prop::collection::vec(step(), 0..6),
        is_made_anew in any::<bool>(),
    ) {
        let folder = folder_for_caches();
        let folders: Vec<PathBuf> = (0..steps.len()).map(|step| folder.path().join(step.to_string())).collect();
        // An iterator of the user's has no text.
        let has_text = !matches!(source, Source::Iterator);
        let source = source.dataset(count, folder.path());
        let make = || {
            let steps = steps.iter().zip(&folders);
            steps.fold(source.clone(), |dataset, (step, folder)| apply(&dataset, step, folder))
        };
        let dataset = make();
        // One dataset for all, so that caches are filled by the first, or one each, as in processes of their own.
        let items = if is_made_anew {
            check_of(&|| {
                folders.iter().for_each(|folder| remove_cache(folder));
                make()
            })
        } else {
            check(&dataset)
        };
        if has_text {
            let again = read_back(&dataset).with_options(modes().remove(0).1);
            let read: Vec<String> = again.iterator_of(0).unwrap().take(ENOUGH).map(|item| show(&item)).collect();
            prop_assert_eq!(&read, &items);
        }
        // What the plan says about the number of elements is true where no error takes a place, not even one nobody sees.
        let known = dataset.cardinality().unwrap();
        let can_fail = is_one_of(&steps, &FAILING);
        // As in TensorFlow, an unknown number again and again counts as without end, though a filter may let nothing through, and there
        // may be errors among the records.
        let before = |step: usize| {
            let steps = steps[..step].iter().zip(&folders);
            steps.fold(source.clone(), |dataset, (step, folder)| apply(&dataset, step, folder))
        };
        let is_unknown_forever = (0..steps.len())
            .filter(|&step| matches!(steps[step], Step::RepeatForever))
            .any(|step| before(step).cardinality().unwrap() == -2);
        if known >= 0 && items.len() < ENOUGH && !can_fail && !is_unknown_forever {
            prop_assert_eq!(items.len() as i64, known);
        }
    }
}

/// Steps that go by what was before: one that looks for its end, which may be anywhere in what it is given, and those that take others to
/// have about as many rows as the longest so far; those that end with whichever of several ends first, or, where a cache comes before them, have
/// it filled by whichever comes first. And one whose elements come among others, which run ahead with them.
const GUESSING: [&str; 10] = [
    "TakeWhile",
    "Interleave",
    "FlatMap",
    "Rebatch",
    "Group",
    "Shard",
    "Choose",
    "Sample",
    "Resample",
    "Itself",
];

/// Steps that may fail for elements: a batch takes it that they do not.
const FAILING: [&str; 7] = ["Fail", "Mapped", "Image", "Operation", "OnError", "Native", "AssertCardinality"];

fn is_one_of(step: &impl std::fmt::Debug, names: &[&str]) -> bool {
    let step = format!("{step:?}");
    names.iter().any(|name| step.contains(name))
}

fn step_that_needs_what_it_takes() -> impl Strategy<Value = Step> {
    step().prop_filter("guesses", |step| !is_one_of(step, &GUESSING) && !is_one_of(step, &FAILING))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_taken_of_any_pipeline_calls_for_the_same_elements_in_every_mode(
        count in 0..60_i64,
        is_iterator in any::<bool>(),
        steps in prop::collection::vec(step_that_needs_what_it_takes(), 0..5),
        wanted in 0..20_u64,
        modes_tried in prop::collection::vec(0..modes().len(), 4),
    ) {
        let (folder, modes) = (folder_for_caches(), modes());
        let folders: Vec<PathBuf> = (0..steps.len()).map(|step| folder.path().join(step.to_string())).collect();
        let calls = Arc::new(AtomicUsize::new(0));
        let run = |(name, options): &(String, Options)| {
            folders.iter().for_each(|folder| remove_cache(folder));
            let calls = Arc::clone(&calls);
            let source = if is_iterator {
                Dataset::from_iter("counted", random_plans::int64(), move || {
                    let calls = Arc::clone(&calls);
                    (0..count).map(move |number| {
                        calls.fetch_add(1, Ordering::Relaxed);
                        Ok(Structure::Leaf(Tensor::scalar(number)))
                    })
                })
            } else {
                Dataset::range(count).map_native("counted", random_plans::int64(), move |element| {
                    calls.fetch_add(1, Ordering::Relaxed);
                    Ok(element)
                })
            };
            let dataset = steps.iter().zip(&folders).fold(source, |dataset, (step, folder)| apply(&dataset, step, folder));
            let elements = dataset.take(wanted).with_options(options.clone()).iterator_of(0).unwrap();
            let items: Vec<String> = elements.map(|item| show(&item)).collect();
            (name.clone(), items)
        };
        // Without threads nothing runs ahead. With blocks as large as they are where there are, an input may have more made of it than needed where
        // another ends first.
        let (_, expected) = run(&modes[0]);
        let singly = calls.swap(0, Ordering::Relaxed);
        run(&modes[4]);
        let needed = singly.max(calls.swap(0, Ordering::Relaxed));
        for mode in modes_tried {
            let (name, items) = run(&modes[mode]);
            prop_assert_eq!(&items, &expected, "{}", name);
            let called = calls.swap(0, Ordering::Relaxed);
let has_errors = items.iter().any(|item| item.starts_with("error"));
            prop_assert!(has_errors || called <= needed, "{called} calls, {needed} are needed, {name}");
        }
    }
}

/// What became of the caches in files between saving and restoring.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// Filled to the end by whoever saved the state.
    Complete,
    /// As far as they were when the state was saved: that process was killed.
    Interrupted,
    Removed,
    /// Filled by another process, in an order of its own.
    OfOthers,
}

/// A copy of `from` and all in it, as whoever is killed leaves it: somebody may be writing.
fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        // What is renamed or removed meanwhile is not there.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => copy_folder(&entry.path(), &to),
            _ => drop(std::fs::copy(entry.path(), to)),
        }
    }
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![Just(Fate::Complete), Just(Fate::Interrupted), Just(Fate::Removed), Just(Fate::OfOthers)]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_order_that_nobody_gave_is_gone_on_with_elsewhere(
        count in 0..40_i64,
        source in source(),
        steps in prop::collection::vec(unseeded_step(), 1..6),
        stop in 0..40_usize,
        iteration in 0..2_u64,
        (saving, restoring) in (0..modes().len(), 0..modes().len()),
        fate in fate(),
    ) {
        let (folder, modes) = (folder_for_caches(), modes());
        let (caches, copied) = (folder.path().join("caches"), folder.path().join("copied"));
        std::fs::create_dir(&caches).unwrap();
        let source = source.dataset(count, folder.path());
        // A dataset of its own each time, as in another process: seeds that nobody gave are drawn anew.
        let make = |mode: usize| {
            let steps = steps.iter().enumerate();
            let dataset = steps.fold(source.clone(), |dataset, (number, step)| {
                apply(&dataset, step, &caches.join(number.to_string()))
            });
            dataset.with_options(modes[mode].1.clone())
        };
        let remove = || (0..steps.len()).for_each(|step| remove_cache(&caches.join(step.to_string())));
        let mut elements = make(saving).iterator_of(iteration).unwrap();
        let passed = elements.by_ref().take(stop).count();
        let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
        if matches!(fate, Fate::Interrupted) {
            copy_folder(&caches, &copied);
        }
        let left = ENOUGH - passed;
        let expected: Vec<String> = elements.by_ref().take(left).map(|item| show(&item)).collect();
        drop(elements);
        match fate {
            Fate::Complete => {}
            Fate::Removed => remove(),
            Fate::Interrupted => {
                remove();
                copy_folder(&copied, &caches);
            }
            Fate::OfOthers => {
                remove();
                make(saving).iterator_of(iteration).unwrap().take(ENOUGH).for_each(drop);
            }
        }
        let resumed = make(restoring).resume(&state).unwrap();
        let found: Vec<String> = resumed.take(left).map(|item| show(&item)).collect();
        prop_assert_eq!(found, expected, "saved: {}; restored: {}", modes[saving].0, modes[restoring].0);
    }
}

/// The numbers in batches.
fn numbers_in(batches: impl Iterator<Item = <Elements as Iterator>::Item>) -> impl Iterator<Item = i64> {
    batches.flat_map(|batch| batch.unwrap().leaves()[0].as_slice::<i64>().to_vec())
}

/// It, with some elements that take longer than others.
fn slowly(dataset: &Dataset) -> Dataset {
    dataset.map_native("slowly", dataset.element_spec().unwrap().clone(), |element| {
        let is_slow = element.leaves()[0].as_slice::<i64>()[0] % 3 == 0;
        (0..if is_slow { 2000 } else { 0 }).for_each(|_| std::hint::spin_loop());
        Ok(element)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn where_order_is_given_up_every_element_comes_exactly_once_whenever_it_is_interrupted(
        count in 0..40_i64,
        before in prop::collection::vec(step(), 0..3),
        is_map in any::<bool>(),
        behind in prop::collection::vec(orderless_step(), 0..4),
        batch_size in 1..4_usize,
        stops in prop::collection::vec(0..40_usize, 2),
    ) {
        let folder = folder_for_caches();
        let folders: Vec<PathBuf> = (0..before.len()).map(|step| folder.path().join(step.to_string())).collect();
        let steps = before.iter().zip(&folders);
        let source = steps.fold(Dataset::range(count), |dataset, (step, folder)| apply(&dataset, step, folder));
        let source = source.take(60).map(|x| ops::reduce_sum(x, None::<i64>, false));
        let make = |is_deterministic: bool| {
            let dataset = if is_map {
                slowly(&source)
            } else {
                source.interleave(|x| slowly(&nested(&x, 3, &Step::Same, folder.path())))
            };
            let steps = behind.iter();
            let dataset = steps.fold(dataset.deterministic(is_deterministic), |dataset, step| {
                apply(&dataset, step, folder.path())
            });
            // Sorted items are all that can be compared, and batches of errors cannot be.
            dataset.ignore_errors().batch(batch_size)
        };
        let mut expected: Vec<i64> = numbers_in(make(true).iterator_of(0).unwrap()).collect();
        expected.sort_unstable();
        let (dataset, modes) = (make(false), modes());
        for (index, (name, options)) in modes.iter().enumerate() {
            let mut elements = dataset.with_options(options.clone()).iterator_of(0).unwrap();
            let mut found: Vec<i64> = Vec::new();
            for (stop, &count) in stops.iter().enumerate() {
                found.extend(numbers_in(elements.by_ref().take(count)));
                let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
                let (_, options) = &modes[(index * 5 + 3 * stop + 3) % modes.len()];
                elements = dataset.with_options(options.clone()).resume(&state).unwrap();
            }
            found.extend(numbers_in(elements));
            found.sort_unstable();
            prop_assert_eq!(&found, &expected, "begun {}", name);
        }
    }
}

/// A change of one value of a state's text.
#[derive(Clone, Copy, Debug)]
struct Edit {
    /// Which value, of all that there are.
    place: prop::sample::Index,
    what: u8,
}

fn edit() -> impl Strategy<Value = Edit> {
    (any::<prop::sample::Index>(), 0..14_u8).prop_map(|(place, what)| Edit { place, what })
}

/// All values inside `value`, as paths.
fn paths_in(value: &serde_json::Value, path: &str, paths: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| paths_in(value, &format!("{path}/{at}"), paths));
        }
        serde_json::Value::Object(values) => {
            values.iter().for_each(|(key, value)| paths_in(value, &format!("{path}/{key}"), paths));
        }
        _ => {}
    }
    paths.push(path.to_owned());
}

/// `state`, whose position was edited.
fn edited(state: &State, edits: &[Edit]) -> Option<State> {
    let mut text: serde_json::Value = serde_json::from_str(&state.to_json()).unwrap();
    for Edit { place, what } in edits {
        let mut paths = Vec::new();
        paths_in(text.get("position")?, "/position", &mut paths);
        let path: &String = place.get(&paths[..]);
        let value = text.pointer_mut(path).unwrap();
        let number = value.as_u64();
        *value = match (what, &*value, number) {
            (0, ..) => serde_json::Value::Null,
            (1, ..) => "text".into(),
            (2, serde_json::Value::Array(values), _) => {
                values[..values.len().saturating_sub(1)].to_vec().into()
            }
            (3, serde_json::Value::Array(values), _) => [&values[..], &values[..]].concat().into(),
            (4, serde_json::Value::Array(values), _) => values.iter().rev().cloned().collect(),
            (_, serde_json::Value::Array(_), _) => serde_json::Value::Array(Vec::new()),
            (_, serde_json::Value::Object(values), _) => {
                let kept = values
                    .iter()
                    .skip(usize::from(what % 3 == 0))
                    .map(|(key, value)| (key.clone(), value.clone()));
                kept.collect::<serde_json::Map<_, _>>().into()
            }
            (2, _, Some(number)) => number.wrapping_add(1).into(),
            (3, _, Some(number)) => number.wrapping_sub(1).into(),
            (4, _, Some(number)) => number.wrapping_mul(2).into(),
            (5, _, Some(number)) => (number / 2).into(),
            (6, ..) => u64::MAX.into(),
            (7, ..) => (u64::MAX / 2).into(),
            (8, ..) => (1_u64 << 32).into(),
            (9, ..) => 1000.into(),
            (10, ..) => (-1).into(),
            (11, ..) => 1.5.into(),
            (12, ..) => true.into(),
            _ => 0.into(),
        };
    }
    serde_json::from_value(text).ok()
}

/// Panics of this process, whoever caught them.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            if place.contains("src/") && !place.starts_with("crates/feedline/tests/") {
                PANICS.lock().unwrap().push(panic.to_string());
            }
            usual(panic);
        }));
    });
}

proptest! {
    // Cheap: no case runs in all modes.
    #![proptest_config(ProptestConfig { max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_state_that_was_edited_is_refused_or_gives_elements_and_nothing_panics(
        count in 0..40_i64,
        source in source(),
        steps in prop::collection::vec(step(), 0..6),
        passed in 0..30_usize,
        edits in prop::collection::vec(edit(), 1..4),
        threads in prop::sample::select(vec![0, 0, 2]),
    ) {
        note_panics();
        let folder = folder_for_caches();
        let folders: Vec<PathBuf> = (0..steps.len()).map(|step| folder.path().join(step.to_string())).collect();
        // A number that is larger than it was is a long way over a source that has no end.
        let has_end = |step: &Step| !matches!(step, Step::RepeatForever);
        let source = source.dataset(count, folder.path());
        let steps = steps.iter().filter(|step| has_end(step)).zip(&folders);
        let dataset = steps.fold(source, |dataset, (step, folder)| apply(&dataset, step, folder));
        let dataset = dataset.with_options(Options::new().threads(threads));
        let mut elements = dataset.iterator_of(0).unwrap();
        elements.by_ref().take(passed).for_each(drop);
        let state = elements.state();
        drop(elements);
        let Some(state) = edited(&state, &edits) else { return Ok(()) };
        let told = format!("{}\n{}", dataset.plan().unwrap().lines().join("\n"), state.to_json());
        match dataset.resume(&state) {
            Err(feedline::Error::Run(error)) => {
                prop_assert_eq!(error.kind(), ExecErrorKind::State, "{}\n{}", error, told);
            }
            Err(error) => prop_assert!(false, "{error}\n{told}"),
            Ok(mut elements) => {
                let patience = Instant::now() + Duration::from_millis(500);
                for _ in 0..ENOUGH {
                    match elements.next_unless(|| Instant::now() > patience) {
                        Ok(None) | Err(_) => break,
                        Ok(Some(Ok(_))) => {}
                        Ok(Some(Err(error))) => {
                            let kind = error.downcast_ref::<ExecError>().map(ExecError::kind);
                            prop_assert!(kind != Some(ExecErrorKind::Internal), "{error}\n{told}");
                        }
                    }
                }
            }
        }
        let panics = std::mem::take(&mut *PANICS.lock().unwrap());
        prop_assert!(panics.is_empty(), "{panics:?}\n{told}");
    }
}

/// Every operation, with every argument and type that the catalogue is tried with.
#[test]
fn every_call_gives_the_same_row_by_row_and_in_blocks() {
    let modes = modes();
    let (one_by_one, in_blocks) = (&modes[0].1, &modes[5].1);
    let folder = folder_for_caches();
    for call in 0..num_calls() {
        let dataset = apply(&Dataset::range(6), &Step::Operation(call), folder.path());
        let shown = |options: &feedline::Options| -> Vec<String> {
            dataset.with_options(options.clone()).iterator_of(0).unwrap().map(|item| show(&item)).collect()
        };
        assert_eq!(shown(in_blocks), shown(one_by_one), "{:?}", dataset.plan().unwrap().lines());
    }
}

/// As above over tuples, where what belongs together must stay together.
#[test]
fn columns_of_an_element_stay_together() {
    let dataset = Dataset::range(60)
        .map(|x| Symbolic::from((x.clone(), ops::cast(x * 3, DType::Float32))))
        .shuffle(13)
        .seed(1)
        .repeat(2)
        .shuffle(7)
        .seed(2)
        .map(|pair| ops::cast(pair.at(0) * 3, DType::Float32) - pair.at(1))
        .batch(9);
    for item in check(&dataset) {
        assert!(item.trim_matches(['[', ']']).split(", ").all(|value| value == "0.0"), "{item}");
    }
}
