//! Datasets as elements: `window`, `group_by_window`, `bucket_by_sequence_length`.

use feedline::data::block::Tensor;
use feedline::data::{DType, Shape, Structure};
use feedline::plan::Buckets;
use feedline::{Dataset, Symbolic, ops};

use crate::engine_support::{ENOUGH, check, numbers};
use crate::folds::lists;
use crate::{Case, gives, refused, run, ten};

pub(crate) const CASES: &[Case] = &[
    ("get_single_element_window", || {
        let pairs = ten()
            .window(2)
            .flat_map(|window| Dataset::from_tensors(Dataset::of_window(window).batch(2).single_element()));
        gives(&pairs, ["[0, 1]", "[2, 3]", "[4, 5]", "[6, 7]", "[8, 9]"]);
    }),
    ("interleave_window", || {
        let windows = Dataset::range(42).window(6);
        let turns = windows.interleave(Dataset::of_window).cycle_length(2).num_parallel_calls(2);
        let mut items: Vec<i64> = check(&turns).iter().map(|item| item.parse().unwrap()).collect();
        assert_eq!(items[..6], [0, 6, 1, 7, 2, 8]);
        items.sort_unstable();
        assert_eq!(items, (0..42).collect::<Vec<_>>());
    }),
    ("cardinality_31", || assert_eq!(Dataset::range(5).window(2).cardinality().unwrap(), 3)),
    ("window_formula", || {
        for (size, shift, stride) in [(3, 2, 1), (2, 5, 3), (4, 1, 2), (1, 1, 1), (20, 3, 1), (3, 3, 7)] {
            for (count, drop_remainder) in [(0, false), (14, true), (14, false), (3, true), (3, false)] {
                let windows = Dataset::range(count as i64).window_by(size, shift, stride);
                let windows = if drop_remainder { windows.drop_remainder() } else { windows };
                let (full, reach) = ((size - 1) * stride + 1, (size - 1) * stride);
                let starts =
                    (0..count).step_by(shift).filter(|start| !drop_remainder || start + reach < count);
                let window =
                    |start: usize| (start..count.min(start + full)).step_by(stride).collect::<Vec<_>>();
                let expected: Vec<String> = starts.map(|start| format!("{:?}", window(start))).collect();
                assert_eq!(windows.cardinality().unwrap(), expected.len() as i64);
                gives(&windows.flat_map(|rows| Dataset::of_window(rows).batch(size)), expected);
            }
        }
    }),
    ("window_7_3_1_1_False", || {
        gives(
            &batches(7, 3, 1, 1),
            ["[0, 1, 2]", "[1, 2, 3]", "[2, 3, 4]", "[3, 4, 5]", "[4, 5, 6]", "[5, 6]", "[6]"],
        );
    }),
    ("window_7_2_3_1_False", || gives(&batches(7, 2, 3, 1), ["[0, 1]", "[3, 4]", "[6]"])),
    ("window_10_3_2_2_False", || {
        gives(&batches(10, 3, 2, 2), ["[0, 2, 4]", "[2, 4, 6]", "[4, 6, 8]", "[6, 8]", "[8]"]);
    }),
    ("window_invalid", || {
        refused(&Dataset::range(7).window(0), "window: size must be greater than zero");
        refused(&Dataset::range(7).window_by(1, 0, 1), "window: shift must be greater than zero");
        refused(&Dataset::range(7).window_by(1, 1, 0), "window: stride must be greater than zero");
    }),
    ("gbw_immediate", || {
        let values = numbers(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 0, 2, 2, 0, 0]).repeat(None);
        let grouped = values.group_by_window(|x| x % 3, 4, |_, window| window.batch(4)).take(12);
        let four = ["[0, 0, 0, 0]", "[1, 1, 1, 1]", "[2, 2, 2, 2]", "[0, 0, 0, 0]"];
        gives(&grouped, four.into_iter().chain(four).chain(four));
    }),
    ("gbw_small_groups", || {
        let values = numbers(&[0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0]);
        let grouped = values.group_by_window(|x| x % 2, 4, |_, window| window.batch(4));
        gives(&grouped, ["[0, 0, 0, 0]", "[1, 1, 1, 1]", "[0, 0, 0]", "[1]"]);
    }),
    ("gbw_window_zero", || {
        let message = "group_by_window: window_size must be greater than zero";
        refused(&Dataset::range(4).group_by_window(|x| x, 0, |_, window| window), message);
        // Found out with the data: then it is an error, and the end.
        let sized = Dataset::range(4).group_by_window_of(|x| x, |key| key - 2 + 1, |_, window| window);
        let items = check(&sized);
        assert_eq!(items, [format!("error: {message}, not -1")]);
    }),
    ("gbw_dynamic", || {
        let grouped = Dataset::range(100).group_by_window_of(
            |x| x % 2,
            |key| key * 5 + 5,
            |_, window| window.batch(20),
        );
        let items = check(&grouped);
        let size = |item: &String| item.split(", ").count();
        assert_eq!(items.len(), 15);
        assert_eq!(
            (
                items.iter().filter(|item| size(item) == 5).count(),
                items.iter().filter(|item| size(item) == 10).count()
            ),
            (10, 5)
        );
    }),
    ("bucket_over_last_boundary", || {
        let buckets = Buckets { pad_to_bucket_boundary: true, ..Buckets::new([3, 6], [2, 2, 2]) };
        let items = check(&lists(&[1, 6, 2, 4]).bucket_by_sequence_length(length, &buckets));
        // The one that is too long at its place, and the short ones up to the longest that their bucket takes.
        assert!(items[0].contains("shorter than the last of bucket_boundaries"), "{items:?}");
        assert_eq!(items[1..], ["[2, 2][1, 0, 2, 2]", "[1, 5][4, 4, 4, 4, 0]"]);
        // Nor is it lost with a bucket that is left out.
        let dropping = Buckets { drop_remainder: true, ..buckets };
        let items = check(&lists(&[1, 6, 2, 4]).bucket_by_sequence_length(length, &dropping));
        assert!(items[0].contains("6 and 6"), "{items:?}");
        assert_eq!(items[1..], ["[2, 2][1, 0, 2, 2]"]);
    }),
];

#[test]
fn windows() {
    run(CASES);
}

fn batches(count: i64, size: usize, shift: usize, stride: usize) -> Dataset {
    Dataset::range(count)
        .window_by(size, shift, stride)
        .flat_map(|window| Dataset::of_window(window).batch(10))
}

fn length(x: Symbolic) -> Symbolic {
    ops::size(x, DType::Int64)
}

#[test]
fn windows_of_several_tensors_of_any_shape_are_datasets_side_by_side() {
    let pairs = lists(&[1, 2, 0, 3, 1]).map(|x| Symbolic::dict([("list", x.clone()), ("length", length(x))]));
    let zipped = pairs.window_by(2, 1, 1).flat_map(|window| {
        let (lists, lengths) =
            (Dataset::of_window(window.get("list")), Dataset::of_window(window.get("length")));
        Dataset::zip(&Structure::Tuple(vec![lists.padded_batch(2).into(), lengths.batch(2).into()]))
    });
    gives(
        &zipped,
        [
            "([2, 2][1, 0, 2, 2], [1, 2])",
            "([2, 2][2, 2, 0, 0], [2, 0])",
            "([2, 3][0, 0, 0, 3, 3, 3], [0, 3])",
            "([2, 3][3, 3, 3, 1, 0, 0], [3, 1])",
            "([1, 1][1], [1])",
        ],
    );
    let texts = Tensor::from_strings(vec![3], ["a", "bc", ""].iter().collect());
    let texts =
        Dataset::from_tensor_slices(texts).window(2).flat_map(|window| Dataset::of_window(window).batch(2));
    gives(&texts, ["[\"a\", \"bc\"]", "[\"\"]"]);
}

#[test]
fn windows_pass_steps_that_move_elements() {
    let windows = Dataset::range(20).window(3);
    let moved =
        windows.shuffle(4).seed(1).skip(1).enumerate(5).repeat(2).prefetch(2).filter(|x| (x.at(0) % 2).eq(0));
    let sums = moved.flat_map(|pair| {
        let (number, window) = (pair.at(0), pair.at(1));
        Dataset::of_window(window)
            .reduced(Tensor::scalar(0_i64), |sum, x| sum + x)
            .map(move |sum| (number, sum))
    });
    assert_eq!(check(&sums).len(), 6);
    let cached = windows.cache().repeat(2).flat_map(Dataset::of_window);
    assert_eq!(check(&cached).len(), 40);
}

#[test]
fn errors_in_windows_come_in_their_places_once() {
    let failing = numbers(&[1, 2, 0, 3, 6]).map(|x| ops::floordiv(6, x));
    let windows = failing.window_by(2, 1, 1).flat_map(|window| Dataset::of_window(window).batch(2));
    let items = check(&windows);
    assert_eq!(items.iter().filter(|item| item.contains("error")).count(), 1, "{items:?}");
    let rest: Vec<&String> = items.iter().filter(|item| !item.contains("error")).collect();
    assert_eq!(rest, ["[6, 3]", "[3, 2]", "[2, 1]", "[1]"]);
    let grouped = failing.group_by_window(
        |x| ops::floormod(ops::floordiv(6, x.clone() - 2), 1) + x % 2,
        2,
        |_, window| window.batch(2),
    );
    let items = check(&grouped);
    assert_eq!(items.iter().filter(|item| item.contains("error")).count(), 2, "{items:?}");
    assert_eq!(items[2..], ["[3, 1]", "[6]"], "{items:?}");
}

#[test]
fn groups_of_random_keys_are_those_of_their_elements() {
    let drawn = |x: Symbolic| {
        ops::floormod(x, 1) + ops::cast(ops::random_uniform(Shape::scalar(), 1) * 3.0, DType::Int64)
    };
    let grouped =
        Dataset::range(30).group_by_window(drawn, 4, |key, window| window.map(move |x| x * 10 + key));
    let mut found: Vec<i64> = check(&grouped).iter().map(|item| item.parse::<i64>().unwrap() / 10).collect();
    found.sort_unstable();
    assert_eq!(found, (0..30).collect::<Vec<_>>());
    let inside = numbers(&[2, 3]).flat_map(|n| {
        Dataset::range(7).group_by_window(
            move |x| x % n.clone(),
            2,
            |key, window| window.batch(2).map(move |x| x + key),
        )
    });
    assert_eq!(check(&inside).len(), 4 + 4);
    let endless = Dataset::counter(0, 1).group_by_window(|x| x % 5, 3, |_, window| window.batch(3));
    assert_eq!(check(&endless).len(), ENOUGH);
}

/// Recorded from TensorFlow 2.21: lengths 1 to 9 and back, in buckets of 4 and 7.
#[test]
fn buckets_are_tf_datas() {
    let lengths = [1, 5, 9, 2, 6, 8, 3, 4, 7, 1, 5];
    let of = |buckets: Buckets| {
        let batches = lists(&lengths).bucket_by_sequence_length(length, &buckets);
        check(&batches.map(|x| (ops::reduce_max(x.clone(), [1], false), ops::shape(x, DType::Int64))))
    };
    let plain = Buckets::new([4, 7], [2, 3, 2]);
    let padded = [
        "([1, 2], [2, 2])",
        "([9, 8], [2, 9])",
        "([5, 6, 4], [3, 6])",
        "([3, 1], [2, 3])",
        "([5], [1, 5])",
        "([7], [1, 7])",
    ];
    assert_eq!(of(plain.clone()), padded);
    assert_eq!(of(Buckets { drop_remainder: true, ..plain.clone() }), padded[..4]);
    let boundary = Buckets { pad_to_bucket_boundary: true, ..Buckets::new([4, 7, 11], [2, 3, 2, 1]) };
    assert_eq!(of(boundary)[..3], ["([1, 2], [2, 3])", "([9, 8], [2, 10])", "([5, 6, 4], [3, 6])"]);
    let fixed = Buckets { no_padding: true, ..Buckets::new([2, 3, 4, 5, 6, 7, 8, 9], [1; 9]) };
    assert_eq!(of(fixed).len(), lengths.len());
}
