//! Plans as text: what they look like, and that they read back.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;
mod plan_text_support;

use std::path::Path;

use engine_support::{all_modes, states};
use feedline::data::block::{Strings, Tensor};
use feedline::data::{DType, Shape};
use feedline::plan::expr::Feature;
use feedline::{Dataset, State, Symbolic, ops};
use plan_text_support::{functions, plans};

/// The plan in `docs/plan-text.md`.
fn documented() -> Dataset {
    let features =
        [("label", Feature::fixed_len(&[], DType::Int64)), ("x", Feature::fixed_len(&[2], DType::Float32))];
    let paths: Strings = ["a.tfrecord", "b.tfrecord"].iter().collect();
    Dataset::from_tensor_slices(Tensor::from_strings(vec![2], paths))
        .interleave(Dataset::tf_record_file)
        .cycle_length(2)
        .map(|record| {
            let example = ops::parse_single_example(record, features);
            let x = example.get("x") * 0.5 + ops::random_uniform(Shape::fixed(&[2]), 7);
            Symbolic::dict([
                ("x", &x - ops::reduce_mean(&x, None::<i64>, false)),
                ("y", example.get("label")),
            ])
        })
        .shuffle(1000)
        .seed(42)
        .batch(32)
        .prefetch(None)
}

#[test]
fn the_page_shows_what_is_written() {
    let page = include_str!("../../../docs/plan-text.md");
    let text = documented().to_text().unwrap();
    assert!(page.contains(&text), "docs/plan-text.md has another example than is written:\n{text}");
}

#[test]
fn plans_read_back_as_they_were_and_give_the_same() {
    for (name, dataset) in plans() {
        let text = dataset.to_text().unwrap();
        let again =
            Dataset::from_text(&text, &functions()).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(again.to_text().unwrap(), text, "{name}");
        let (plan, read) = (dataset.plan().unwrap(), again.plan().unwrap());
        assert_eq!(read.lines(), plan.lines(), "{name}");
        assert_eq!((read.spec(), read.cardinality()), (plan.spec(), plan.cardinality()), "{name}");
        assert_eq!(read.fingerprint(), plan.fingerprint(), "{name}");
        let items = all_modes(&dataset);
        assert_eq!(all_modes(&again), items, "{name}");
        // States of the one go on with the other.
        for (passed, state) in states(&dataset, items.len()).iter().enumerate().step_by(3) {
            let rest = again.resume(&State::from_bytes(state).unwrap()).unwrap();
            let rest: Vec<String> =
                rest.take(items.len() - passed).map(|item| engine_support::show(&item)).collect();
            assert_eq!(rest, items[passed..], "{name} after {passed}");
        }
    }
}

/// The texts as they were first written are still written, and still read. If one changes, texts that users have can no
/// longer be read: that needs a new version. `FEEDLINE_WRITE_GOLDEN=1` writes those of new steps.
#[test]
fn the_format_stays_what_it_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan_text_golden");
    // Seeds that were drawn differ from run to run.
    for (name, dataset) in plans().into_iter().filter(|(name, _)| *name != "drawn") {
        let path = folder.join(format!("{}.json", name.replace(' ', "_")));
        if std::env::var_os("FEEDLINE_WRITE_GOLDEN").is_some() && !path.exists() {
            std::fs::write(&path, dataset.to_text().unwrap()).unwrap();
        }
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(dataset.to_text().unwrap(), text, "{name}");
        assert!(Dataset::from_text(&text, &functions()).is_ok(), "{name}");
    }
}
