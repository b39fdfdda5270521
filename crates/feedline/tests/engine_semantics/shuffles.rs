//! The order of `shuffle`: bit for bit tf.data's.

use feedline::plan::{Plan, SeedPair};
use feedline::{Dataset, EVERYTHING, Functions};

use crate::engine_support::{check, show};
use crate::{Case, gives, refused, refused_as_text, run};

pub(crate) const CASES: &[Case] = &[
    ("shuffle_kernel_fixed", || {
        let order = [2, 3, 0, 5, 6, 4, 7, 8, 9, 1];
        in_orders(&with_seeds(3, 1, 2, false), order, order);
    }),
    ("shuffle_kernel_reshuffle_b2", || {
        let (first, second) = ([0, 2, 1, 3, 5, 6, 4, 7, 8, 9], [1, 0, 2, 3, 4, 5, 6, 7, 9, 8]);
        in_orders(&with_seeds(2, 1, 2, true), first, second);
    }),
    ("shuffle_kernel_seed22", || {
        let (first, second) = ([3, 0, 8, 1, 5, 4, 7, 2, 6, 9], [4, 6, 9, 0, 1, 8, 2, 7, 3, 5]);
        in_orders(&with_seeds(10, 2, 2, true), first, second);
    }),
    ("shuffle_kernel_buffer1", || gives(&with_seeds(1, 1, 2, true), 0..10)),
    ("shuffle_buffer_invalid", || {
        refused(&Dataset::range(0).shuffle(0), "buffer_size must be greater than zero");
        refused_as_text(
            r#"{"shuffle": {"buffer_size": -1, "seeds": [1, 2], "reshuffle_each_iteration": true}}"#,
            "buffer_size: needs a whole number, not -1",
        );
    }),
    ("shuffle_python_seed42_global42_b4", || {
        // The pair that set_seed(42) and seed(42) make, without setting the seed of every other test.
        let twice = Plan::range(0, 10, 1).unwrap().repeat(Some(2));
        let batches = of_plan(&twice.shuffle(4, given(42, 42), true).unwrap().batch(7, false).unwrap());
        gives(&batches, ["[3, 0, 1, 6, 2, 5, 7]", "[8, 4, 1, 9, 4, 2, 3]", "[7, 5, 0, 8, 9, 6]"]);
    }),
    ("shuffle_py_fixed_seed0", || {
        let order = [1, 2, 8, 4, 9, 6, 3, 0, 5, 7];
        in_orders(&Dataset::range(10).shuffle(10).seed(0).reshuffle_each_iteration(false), order, order);
    }),
    ("shuffle_py_fixed_seed42", || {
        let order = [2, 0, 7, 8, 9, 3, 6, 4, 1, 5];
        in_orders(&Dataset::range(10).shuffle(10).seed(42).reshuffle_each_iteration(false), order, order);
    }),
    ("shuffle_reshuffle_false_repeat", || {
        for seed in [None, Some(42)] {
            let shuffled = Dataset::range(10).shuffle(10);
            let shuffled = seed.map_or(shuffled.clone(), |seed| shuffled.seed(seed));
            let both = check(&shuffled.reshuffle_each_iteration(false).repeat(2));
            assert_eq!(both[..10], both[10..]);
        }
    }),
    ("shuffle_separate_transformations", || {
        for reshuffle in [false, true] {
            let unseeded = || check(&Dataset::range(10).shuffle(10).reshuffle_each_iteration(reshuffle));
            assert_ne!(unseeded(), unseeded()); // equal once in 3.6 million times
            let seeded =
                || check(&Dataset::range(10).shuffle(10).seed(5).reshuffle_each_iteration(reshuffle));
            assert_eq!(seeded(), seeded());
        }
    }),
];

#[test]
fn shuffles() {
    run(CASES);
}

/// tf.data's `UNKNOWN_CARDINALITY` as a size: the orders of a buffer of all elements, bit for bit, also where nobody knows how many there are.
#[test]
fn a_buffer_of_everything_gives_the_order_of_one_that_is_large_enough() {
    let numbers = Dataset::range(10);
    // TensorFlow 2.21: tf.random.set_seed not called, `range(10).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=1)`, and `.repeat(2)` of it.
    let (first, second) = ([0, 9, 5, 1, 2, 7, 3, 8, 6, 4], [8, 9, 7, 5, 4, 6, 2, 1, 0, 3]);
    for counted in [numbers.clone(), numbers.filter(|x| x.ge(0))] {
        in_orders(&counted.shuffle(EVERYTHING).seed(1), first, second);
    }
    let plan = Plan::range(0, 10, 1).unwrap().shuffle(EVERYTHING, given(1, 2), true).unwrap();
    assert_eq!(plan.lines()[1], "shuffle(everything, seeds=(1, 2))");
    assert!(plan.to_text().unwrap().contains("\"buffer_size\": -2"));
    assert_eq!(of_plan(&plan).fingerprint().unwrap(), plan.fingerprint());
}

/// The orders of the first two iterations.
fn in_orders(dataset: &Dataset, first: [i64; 10], second: [i64; 10]) {
    gives(dataset, first);
    let again: Vec<String> = dataset.iterator_of(1).unwrap().map(|item| show(&item)).collect();
    assert_eq!(again, second.map(|value| value.to_string()));
    gives(&dataset.repeat(2), [first, second].concat());
}

/// `range(10)` through a shuffle with the two seeds that TensorFlow's kernel gets.
fn with_seeds(buffer_size: usize, seed: i64, seed2: i64, reshuffle: bool) -> Dataset {
    of_plan(&Plan::range(0, 10, 1).unwrap().shuffle(buffer_size, given(seed, seed2), reshuffle).unwrap())
}

fn given(seed: i64, seed2: i64) -> SeedPair {
    SeedPair { seed, seed2, is_given: true }
}

fn of_plan(plan: &Plan) -> Dataset {
    Dataset::from_text(&plan.to_text().unwrap(), &Functions::new()).unwrap()
}
