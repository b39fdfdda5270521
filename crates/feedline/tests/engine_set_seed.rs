//! The seed of the whole program. In a file, and so a process, of its own.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use feedline::Dataset;

fn numbers(dataset: &Dataset) -> Vec<i64> {
    dataset.iterator().unwrap().map(|item| item.unwrap().leaves()[0].as_slice::<i64>()[0]).collect()
}

#[test]
fn shuffles_follow_from_the_programs_seed_as_in_tensorflow() {
    feedline::set_seed(42);
    // Recorded from TensorFlow 2.21: the same calls in the same order.
    assert_eq!(numbers(&Dataset::range(10).shuffle(10)), [5, 8, 2, 0, 4, 7, 1, 3, 9, 6]);
    let first = Dataset::range(10).shuffle(10).seed(5);
    assert_eq!(numbers(&first), [3, 1, 5, 6, 7, 0, 2, 8, 9, 4]);
    assert_eq!(numbers(&Dataset::range(10).shuffle(10)), [0, 7, 9, 3, 4, 1, 8, 6, 2, 5]);
}
