//! How many elements there are, before anything runs: −1 without end, −2 unknown. Where there is an end, they are counted too.

use feedline::data::Structure;
use feedline::{Dataset, Symbolic};

use crate::{Case, run};

pub(crate) const CASES: &[Case] = &[
    ("cardinality_00", || {
        is(&range(5).map(|x| x + 1), 5);
        is(&range(5).map(|x| x + 1).num_parallel_calls(2), 5);
    }),
    ("cardinality_07", || is(&range(5).concatenate(&range(5)), 10)),
    ("cardinality_08", || is(&range(5).filter(|x| all(&x)).concatenate(&range(5)), -2)),
    ("cardinality_09", || {
        is(&range(5).repeat(None).concatenate(&range(5)), -1);
        is(&range(5).repeat(None).concatenate(&range(5).filter(|x| all(&x))), -1);
    }),
    ("cardinality_12", || is(&range(5).interleave(Dataset::range).cycle_length(1), -2)),
    ("cardinality_13", || {
        is(&range(5).repeat(None).interleave(Dataset::range).cycle_length(1).num_parallel_calls(1), -1);
    }),
    ("cardinality_17", || is(&Dataset::range_step(10, 5, -2), 3)),
    ("cardinality_18", || is(&range(0).repeat(None), 0)),
    ("cardinality_20", || is(&range(1).repeat(None), -1)),
    ("cardinality_21", || is(&range(5).shuffle(1), 5)),
    ("cardinality_22", || is(&range(5).shard(2, 0), 3)),
    ("cardinality_24", || is(&range(5).repeat(None).shard(2, 0), -1)),
    ("cardinality_25", || is(&range(5).skip(8), 0)),
    ("cardinality_27", || is(&range(5).take(8), 5)),
    ("cardinality_29", || is(&range(5).repeat(None).take(2), 2)),
    ("cardinality_34", || {
        let endless = vec![range(5).repeat(None).into(), range(3).repeat(None).into()];
        is(&Dataset::zip(&Structure::Tuple(endless)), -1);
    }),
    ("cardinality_36", || is(&range(10).ignore_errors(), -2)),
];

#[test]
fn cardinalities() {
    run(CASES);
}

fn is(dataset: &Dataset, expected: i64) {
    assert_eq!(dataset.cardinality().unwrap(), expected);
    if expected >= 0 {
        assert_eq!(dataset.iterator().unwrap().count() as i64, expected);
    }
}

fn range(stop: i64) -> Dataset {
    Dataset::range(stop)
}

/// A predicate that lets everything pass, which the plan cannot know.
fn all(x: &Symbolic) -> Symbolic {
    x.ge(0)
}
