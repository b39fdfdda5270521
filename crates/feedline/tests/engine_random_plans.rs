//! Random pipelines: every mode gives the same, and every state resumes.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "../../feedline-plan/tests/catalogue_support/mod.rs"]
mod catalogue_support;
#[path = "engine_support/images.rs"]
mod engine_images;
mod engine_soak;
mod engine_support;
mod random_plans;

use std::path::PathBuf;

use engine_support::{ENOUGH, check, check_of, folder_for_caches, modes, remove_cache, show};
use feedline::data::DType;
use feedline::{Dataset, Elements, State, Symbolic, ops};
use proptest::prelude::*;
use random_plans::{Source, Step, apply, functions, nested, num_calls, orderless_step, source, step};

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
        let can_fail = ["Fail", "Mapped", "Image", "Operation", "OnError", "Native", "AssertCardinality"].iter().any(|name| format!("{steps:?}").contains(name));
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
