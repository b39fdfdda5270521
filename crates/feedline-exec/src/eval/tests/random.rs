//! What random operations draw: functions of the seed and the element, with the distributions they are said to have.

use feedline_data::block::Column;
use feedline_data::{DType, Shape};
use feedline_plan::{Symbolic, ops};

use super::{run, scalars};

fn drawn(rows: usize, function: impl Fn() -> Symbolic) -> Vec<f64> {
    let results = run(vec![scalars(&vec![0_u8; rows])], |_| ops::cast(function(), DType::Float64));
    results.iter().flat_map(|row| row.as_ref().expect("no error").as_slice::<f64>().to_vec()).collect()
}

fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
    (mean, spread.sqrt())
}

#[test]
fn normal_values_have_their_mean_and_deviation() {
    let normal = || drawn(400, || ops::random_normal(Shape::fixed(&[25]), 3.0, 2.0, DType::Float32, 11));
    let values = normal();
    assert_eq!(values, normal());
    let (mean, deviation) = moments(&values);
    // Of 10,000 values the mean strays by 0.02, the deviation by 0.014.
    assert!((mean - 3.0).abs() < 0.08 && (deviation - 2.0).abs() < 0.06, "{mean} {deviation}");
    let beyond = |values: &[f64]| values.iter().filter(|value| (*value - 3.0).abs() > 4.0).count();
    // 4.55 of 100.
    assert!((350..560).contains(&beyond(&values)), "{}", beyond(&values));
    let cut = drawn(400, || ops::random_truncated_normal(Shape::fixed(&[25]), 3.0, 2.0, DType::Float64, 11));
    assert_eq!(beyond(&cut), 0);
    // 0.8796 of the deviation is left.
    assert!((moments(&cut).1 - 1.759).abs() < 0.05, "{}", moments(&cut).1);
}

#[test]
fn integers_are_all_as_likely_and_within_the_bounds_of_each_row() {
    let values = drawn(1000, || ops::random_integers(-2, 3, Shape::fixed(&[5]), 4));
    for number in -2..3 {
        let count = values.iter().filter(|value| (**value - f64::from(number)).abs() < 0.5).count();
        assert!((900..1100).contains(&count), "{number}: {count}");
    }
    let results = run(vec![scalars(&[1_i64, 10, 0, i64::MAX])], |x| {
        ops::random_integers(0_i64, x.at(0), Shape::scalar(), 4)
    });
    assert_eq!(results[0].as_ref().map(|t| t.as_slice::<i64>()[0]), Ok(0));
    assert!(results[1].as_ref().is_ok_and(|t| (0..10).contains(&t.as_slice::<i64>()[0])));
    assert_eq!(
        results[2].as_ref().expect_err("nothing below 0"),
        "random_integers: there is no number from minval 0 to before maxval 0"
    );
    assert!(results[3].is_ok());
}

#[test]
fn every_order_is_as_likely() {
    let rows = 6000;
    let column = Column::from_vec(vec![3, 2], rows, (0..6).cycle().take(rows * 6).collect::<Vec<i32>>());
    let results = run(vec![column], |x| ops::random_shuffle(x.at(0), 9));
    let mut counts = std::collections::BTreeMap::new();
    for row in &results {
        let values = row.as_ref().expect("no error").as_slice::<i32>().to_vec();
        assert!(values.chunks(2).all(|pair| pair[1] == pair[0] + 1), "entries stay whole: {values:?}");
        *counts.entry(values).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| (880..1120).contains(count)), "{counts:?}");
}

#[test]
fn classes_are_drawn_by_their_probabilities() {
    let logits = [0.1_f32.ln(), 0.6_f32.ln(), 0.3_f32.ln(), f32::NEG_INFINITY];
    let column = Column::from_vec(vec![1, 4], 200, logits.repeat(200));
    let results = run(vec![column], |x| ops::random_categorical(x.at(0), 50, DType::Int32, 5));
    let mut counts = [0; 4];
    for row in &results {
        let row = row.as_ref().expect("no error");
        assert_eq!(row.shape(), [1, 50]);
        row.as_slice::<i32>().iter().for_each(|&class| counts[class as usize] += 1);
    }
    let near = |count: i32, expected: i32| (count - expected).abs() < 250;
    assert!(near(counts[0], 1000) && near(counts[1], 6000) && near(counts[2], 3000), "{counts:?}");
    assert_eq!(counts[3], 0);
}
