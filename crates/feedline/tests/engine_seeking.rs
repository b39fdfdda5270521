//! What is skipped is not gone through where it is known where it ends: so many rows as are skipped here nobody could look at.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use engine_support::{check, numbers, show};
use feedline::data::block::Tensor;
use feedline::data::{Shape, Structure};
use feedline::{Dataset, Options, ops};

/// A billion billion: times 100 more rows than a number of 64 bits tells.
const MANY: i64 = 1_000_000_000_000_000_000;

/// The numbers of some rows from this one on, as the counter below has them.
fn counted(first_row: i128, rows: i64) -> Vec<i64> {
    (0..rows).map(|row| (first_row as i64).wrapping_add(row).wrapping_mul(3).wrapping_add(5)).collect()
}

#[test]
fn batches_of_rows_that_cannot_fail_are_skipped_by_their_rows() {
    let endless = || Dataset::counter(5, 3);
    let many = i128::from(MANY);
    let cases: Vec<(Dataset, Vec<i64>)> = vec![
        (Dataset::range(9 * MANY).batch(4), (0..4).map(|row| 4 * MANY + row).collect()),
        (endless().batch(4), counted(4 * many, 4)),
        // Rows wrap as the counter's numbers do.
        (endless().batch(100), counted(100 * many, 100)),
        (Dataset::range(7).repeat(None).batch(3), (0..3).map(|row| (3 * MANY + row) % 7).collect()),
        (endless().map(|x| x * 2).batch(2), counted(2 * many, 2).iter().map(|x| x.wrapping_mul(2)).collect()),
        (endless().skip(1).take(8 * MANY as u64).batch(2).prefetch(2), counted(2 * many + 1, 2)),
    ];
    for (dataset, expected) in cases {
        for options in [Options::new().threads(0).optimizer(false), Options::new().threads(2)] {
            let first = dataset.skip(MANY as u64).with_options(options).iterator().unwrap().next().unwrap();
            assert_eq!(show(&first), format!("{expected:?}"));
        }
    }
    let twice = endless().batch(2).batch(2).skip(MANY as u64).iterator().unwrap().next().unwrap();
    assert_eq!(show(&twice), format!("[2, 2]{:?}", counted(4 * many, 4)));
    assert_eq!(Dataset::range(9 * MANY).batch(100).skip(MANY as u64).iterator().unwrap().count(), 0);
}

#[test]
fn what_comes_out_is_what_came_behind_it() {
    let range = || Dataset::range(23);
    let cases: Vec<(&str, Dataset)> = vec![
        ("a remainder", range().batch(4)),
        ("none", range().batch(4).drop_remainder()),
        ("errors between", range().map(|x| ops::floordiv(100, x % 5)).batch(3)),
        (
            "uneven",
            numbers(&[1, 2, 3, 1, 1, 2, 2]).map(|x| ops::fill(ops::stack([x.clone()], 0), x)).batch(2),
        ),
        ("epochs", range().take(5).repeat(4).batch(3)),
        ("shards", range().shard(2, 1).enumerate(7).batch(3)),
        ("pairs", Dataset::zip(&Structure::Tuple(vec![range().into(), range().skip(2).into()])).batch(4)),
        ("slices", numbers(&[3, 1, 4, 1, 5, 9, 2, 6]).map(|x| x + 1).batch(3).prefetch(1)),
        (
            "draws",
            range().map(|x| ops::random_integers(Tensor::scalar(0_i64), 9, Shape::scalar(), 3) + x).batch(3),
        ),
        ("batches", range().batch(2).batch(3)),
        ("a shuffle", range().shuffle(4).seed(1).batch(3)),
    ];
    for (name, dataset) in cases {
        let all = check(&dataset);
        for skipped in [1, 2, 5, 100] {
            let rest = check(&dataset.skip(skipped));
            assert_eq!(rest, all[all.len().min(skipped as usize)..], "{name}, {skipped} skipped");
        }
        // Also where the skip begins in the middle of what was restored, and epoch after epoch.
        check(&dataset.skip(1).take(4).repeat(2).skip(2));
    }
}
