//! Datasets inside datasets: `flat_map` and `interleave`.

use feedline::{Dataset, ops};

use crate::engine_support::{check, floats, numbers};
use crate::{Case, gives, run};

pub(crate) const CASES: &[Case] = &[
    ("flat_map", || {
        let counted = numbers(&[1, 2, 3, 4, 5, 0, 1]).flat_map(|x| {
            let element = ops::expand_dims(x.clone(), 0);
            Dataset::from_tensors(element).repeat(x)
        });
        let expected = [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 1];
        gives(&counted, expected.map(|x| format!("[{x}]")));
    }),
    ("interleave_v456_c1_b1", || {
        let once = [4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6];
        in_turn(&[4, 5, 6], 1, 1, &[once, once].concat());
    }),
    ("interleave_v456_c2_b1", || {
        let expected =
            [4, 5, 4, 5, 4, 5, 4, 5, 5, 6, 6, 4, 6, 4, 6, 4, 6, 4, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 6];
        in_turn(&[4, 5, 6], 2, 1, &expected);
    }),
    ("interleave_v406_c2_b3", || {
        in_turn(&[4, 0, 6], 2, 3, &[4, 4, 4, 4, 6, 6, 6, 4, 4, 4, 6, 6, 6, 4, 6, 6, 6, 6, 6, 6]);
    }),
    ("interleave_error_continue", interleave_error_continue),
];

#[test]
fn nested() {
    run(CASES);
}

/// A slot whose dataset has ended is filled again on its next turn only; the same with every number of parallel calls.
fn in_turn(values: &[i64], cycle_length: usize, block_length: u64, expected: &[i64]) {
    for calls in std::iter::once(None).chain((1..=cycle_length).map(Some)) {
        let dataset = numbers(values)
            .repeat(2)
            .interleave(|x| Dataset::from_tensors(x.clone()).repeat(x))
            .cycle_length(cycle_length)
            .block_length(block_length)
            .num_parallel_calls(calls);
        gives(&dataset, expected);
    }
}

/// An error comes once, in its place, and the iterator goes on.
fn interleave_error_continue() {
    let [bad, other] =
        &[1, 3].map(|n| format!("error: element {n}: check_numerics: bad: the tensor has NaN values"));
    let checked = || floats(&[1.0, f32::NAN, 2.0, f32::NAN, 3.0]).map(|x| ops::check_numerics(x, "bad"));
    for cycle_length in [1, 2, 7] {
        for block_length in [1, 2, 3] {
            // Not every number of calls with every cycle: all pairs would take long and show nothing new.
            for calls in [None, Some([1, 2, 3, 5, 7][(cycle_length + block_length as usize) % 5])] {
                let dataset = checked()
                    .interleave(Dataset::from_tensors)
                    .cycle_length(cycle_length)
                    .block_length(block_length)
                    .num_parallel_calls(calls);
                assert_eq!(check(&dataset), ["1.0", bad, "2.0", other, "3.0"]);
            }
        }
    }
}
