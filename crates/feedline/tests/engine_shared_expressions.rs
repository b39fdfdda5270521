//! Functions that use what they computed twice, and that twice again: a line of theirs more is no time, text or memory doubled. A walk that goes
//! through a part as often as it is used takes longer here than any test may.
#![allow(clippy::unwrap_used, reason = "tests may")]

mod engine_support;

use engine_support::{check, show};
use feedline::data::Shape;
use feedline::data::block::Tensor;
use feedline::{Dataset, Functions, State, Symbolic, ops};
use proptest::prelude::*;

/// Lines of `x = x + x`: 2⁶⁰ calls if each were written, or computed, where it is used.
const LINES: usize = 60;

fn doubled(x: Symbolic) -> Symbolic {
    (0..LINES).fold(x, |x, _| &x + &x)
}

/// `x` again, by way of as many calls that share what they are made of.
fn same(x: &Symbolic) -> Symbolic {
    (0..LINES).fold(x.clone(), |x, _| ops::maximum(&x, &x))
}

fn values_of(dataset: &Dataset) -> Vec<String> {
    dataset.iterator().unwrap().map(|item| show(&item)).collect()
}

/// The fingerprint of a dataset that was explained, written and read back.
fn fingerprint_of(dataset: &Dataset) -> u64 {
    let plan = dataset.plan().unwrap();
    let explained = dataset.explain().unwrap().to_string();
    assert!(explained.len() < 100_000, "{} letters", explained.len());
    assert!(plan.lines().iter().map(String::len).sum::<usize>() < 1_000_000);
    assert!(plan.step_titles().iter().all(|title| title.len() < 1000));
    // Whoever debugs prints what there is.
    assert!(format!("{plan:?}").len() < 1_000_000);
    let text = dataset.to_text().unwrap();
    let again = Dataset::from_text(&text, &Functions::new()).unwrap();
    assert_eq!(again.to_text().unwrap(), text);
    assert_eq!(again.plan().unwrap().lines(), plan.lines());
    again.plan().unwrap().fingerprint()
}

#[test]
fn what_is_used_twice_again_and_again_goes_through_everything_once() {
    let range = || Dataset::range(6);
    let cases: [(&str, Dataset); 9] = [
        ("map", range().map(doubled)),
        ("two maps", range().map(doubled).map(|x| doubled(x) + 1)),
        ("filter", range().map(|x| Symbolic::from((same(&x), x))).filter(|pair| same(&pair.at(0)).lt(4))),
        ("flat_map", range().flat_map(|x| Dataset::range(3).take(same(&x)).map(move |y| doubled(y + &x)))),
        ("choice", range().map(|x| ops::cond(same(&x).gt(2), || doubled(x.clone()), || same(&x)))),
        (
            "loop",
            range().map(|x| {
                ops::while_loop(|turns| same(&turns).lt(3), |turns| same(&turns) + 1, &x - &x, 5) + &x
            }),
        ),
        ("scan", range().scan(Tensor::scalar(0_i64), |sum, x| (same(&sum) + &x, doubled(sum) + x))),
        (
            "checks",
            range()
                .map(|x| (0..LINES).fold(x, |x, _| x.clone().after([x.clone(), ops::assert_less(x, 9, "")]))),
        ),
        (
            "draws",
            range().map(|x| {
                let drawn = ops::random_integers(Tensor::scalar(0_i64), 9, Shape::scalar(), 3);
                Symbolic::from((doubled(drawn), x))
            }),
        ),
    ];
    for (name, dataset) in cases {
        let fingerprint = fingerprint_of(&dataset);
        assert_eq!(fingerprint, dataset.plan().unwrap().fingerprint(), "{name}");
        let items = check(&dataset);
        assert!(items.iter().all(|item| !item.starts_with("error")), "{name}: {items:?}");
        // A state as one writes it to a file, and a run that goes on from it.
        let mut elements = dataset.iterator().unwrap();
        elements.next().unwrap().unwrap();
        let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
        let rest = dataset.resume(&state).unwrap().map(|item| show(&item));
        assert!(rest.eq(elements.map(|item| show(&item))), "{name}");
    }
}

#[test]
fn what_comes_out_is_right() {
    let numbers = values_of(&Dataset::range(6).map(doubled));
    let expected: Vec<String> = (0..6_i64).map(|x| x.wrapping_mul(1 << LINES).to_string()).collect();
    assert_eq!(numbers, expected);
    assert_eq!(values_of(&Dataset::range(6).map(|x| same(&x))), ["0", "1", "2", "3", "4", "5"]);
}

#[test]
fn shapes_put_together_of_themselves_again_and_again_are_not_followed() {
    for dims in [vec![], vec![2_i64]] {
        let shape = |x: &Symbolic| {
            let dims = x * Tensor::from_vec(vec![dims.len()], dims.clone());
            (0..LINES - 1).fold(dims, |dims, _| ops::concat([dims.clone(), dims], 0))
        };
        let dataset = Dataset::range(1).map(|x| ops::fill(shape(&x), 1));
        let num_dims = if dims.is_empty() { "[]" } else { "[...]" };
        let spec = dataset.element_spec().map(ToString::to_string);
        assert!(spec.is_ok_and(|spec| spec.ends_with(num_dims)));
    }
}

/// A function of lines, each of two of those before it.
#[derive(Clone, Debug)]
struct Lines(Vec<(usize, usize, bool)>);

impl Lines {
    fn applied(&self, x: Symbolic) -> Symbolic {
        let mut values = vec![x];
        for &(one, two, is_product) in &self.0 {
            let at = |back: usize| &values[values.len() - 1 - back % values.len()];
            let value = if is_product { at(one) * at(two) } else { at(one) + at(two) };
            values.push(value);
        }
        let last = values.pop().unwrap();
        Symbolic::from((last, values.swap_remove(values.len() / 2)))
    }

    /// What it gives for `x`, by plain arithmetic.
    fn value(&self, x: i64) -> (i64, i64) {
        let mut values = vec![x];
        for &(one, two, is_product) in &self.0 {
            let at = |back: usize| values[values.len() - 1 - back % values.len()];
            let (one, two) = (at(one), at(two));
            values.push(if is_product { one.wrapping_mul(two) } else { one.wrapping_add(two) });
        }
        let last = values.pop().unwrap();
        (last, values.swap_remove(values.len() / 2))
    }
}

fn lines() -> impl Strategy<Value = Lines> {
    prop::collection::vec((0_usize..4, 0_usize..4, any::<bool>()), 1..80).prop_map(Lines)
}

proptest! {
    #[test]
    fn functions_of_lines_are_told_apart_written_and_run(lines in lines(), other in lines()) {
        let dataset = |lines: &Lines| Dataset::range(4).map(|x| lines.applied(x));
        let fingerprint = fingerprint_of(&dataset(&lines));
        // Built again it is the same, and what is not the same function is another.
        prop_assert_eq!(fingerprint, dataset(&lines).plan().unwrap().fingerprint());
        if lines.value(3) != other.value(3) {
            prop_assert_ne!(fingerprint, dataset(&other).plan().unwrap().fingerprint());
        }
        let expected: Vec<String> = (0..4).map(|x| format!("{:?}", lines.value(x))).collect();
        prop_assert_eq!(values_of(&dataset(&lines)), expected);
    }
}
