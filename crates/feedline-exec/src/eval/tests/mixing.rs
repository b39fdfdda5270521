//! Batches mixed with their neighbours: images and labels by the same share, drawn as it should be.

use feedline_data::DType;
use feedline_data::block::{Column, Tensor};
use feedline_plan::{Symbolic, ops};

use super::{rows_of, try_run};

/// Batches of four images whose pixels are their number, and one-hot labels.
fn batches(count: usize) -> Vec<Column> {
    let pixels: Vec<f32> = (0..4 * 36).map(|index| (index / 36) as f32).collect();
    let labels: Vec<f32> = (0..16).map(|index| f32::from(u8::from(index % 5 == 0))).collect();
    vec![
        Column::from_vec(vec![4, 3, 4, 3], count, pixels.repeat(count)),
        Column::from_vec(vec![4, 4], count, labels.repeat(count)),
    ]
}

#[test]
fn mixed_batches_have_mixed_labels() {
    let (_, leaves) = try_run(batches(500), |x| ops::image::mixup(x.at(0), x.at(1), 0.4, 3)).expect("fits");
    let mut shares = Vec::new();
    for row in rows_of(&leaves) {
        let [images, labels] = &row[..] else { panic!("two leaves") };
        let share = labels.as_slice::<f32>()[5]; // Image 1, class 1.
        for (number, image) in images.as_slice::<f32>().chunks(36).enumerate() {
            let (own, other) = (number as f32, ((number + 3) % 4) as f32);
            let expected = other * (1.0 - share) + own * share;
            assert!(image.iter().all(|value| (value - expected).abs() < 1e-6), "{image:?} {expected}");
            assert!((labels.as_slice::<f32>()[number * 4 + other as usize] - (1.0 - share)).abs() < 1e-6);
        }
        shares.push(f64::from(share));
    }
    // Beta(0.4, 0.4) has the mean 1/2 and the variance 1/(4 · (2 · 0.4 + 1)) = 0.139.
    let mean = shares.iter().sum::<f64>() / 500.0;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / 500.0;
    assert!((mean - 0.5).abs() < 0.06 && (variance - 0.139).abs() < 0.02, "{mean} {variance}");
}

#[test]
fn cut_batches_have_labels_by_area() {
    let (_, leaves) =
        try_run(batches(300), |x| ops::image::cutmix(x.at(0), x.at(1), 1.0, 3, "NHWC")).expect("fits");
    let mut areas = std::collections::BTreeSet::new();
    for row in rows_of(&leaves) {
        let [images, labels] = &row[..] else { panic!("two leaves") };
        for (number, image) in images.as_slice::<f32>().chunks(36).enumerate() {
            let other = (number + 3) % 4;
            let taken = image.chunks(3).filter(|pixel| **pixel == [other as f32; 3]).count();
            let kept = image.chunks(3).filter(|pixel| **pixel == [number as f32; 3]).count();
            assert_eq!(taken + kept, 12);
            let own = labels.as_slice::<f32>()[number * 4 + number];
            assert!((own - kept as f32 / 12.0).abs() < 1e-6, "{own} {kept}");
            areas.insert(taken);
        }
    }
    assert!(areas.len() > 3, "{areas:?}");
    // Also of bytes, which keep their type, and of small alphas, whose numbers are all but 0 or 1.
    let bytes = Column::from_vec(vec![2, 1, 1, 1], 1, vec![3_u8, 4]);
    let labels = Column::from_vec(vec![2, 1], 1, vec![1.0_f32, 1.0]);
    for alpha in [1e-6, 1e-3, 1.0, 1e6] {
        let (_, leaves) = try_run(vec![bytes.clone(), labels.clone()], |x| {
            ops::image::cutmix(x.at(0), x.at(1), alpha, 3, "NHWC")
        })
        .expect("fits");
        assert_eq!(leaves[0][0].as_ref().map(Tensor::dtype), Ok(DType::UInt8));
        assert_eq!(leaves[1][0].as_ref().map(|labels| labels.as_slice::<f32>().to_vec()), Ok(vec![1.0, 1.0]));
    }
}

#[test]
fn where_channels_stand_changes_nothing_but_where_they_stand() {
    let images: Vec<f32> = (0..2 * 5 * 7 * 3).map(|value| value as f32).collect();
    let columns = vec![
        Column::from_vec(vec![2, 5, 7, 3], 40, images.repeat(40)),
        Column::from_vec(vec![2, 2], 40, [1.0_f32, 0.0, 0.0, 1.0].repeat(40)),
    ];
    let (_, leaves) = try_run(columns, |x| {
        let (images, labels) = (x.at(0), x.at(1));
        let last = ops::image::cutmix(images.clone(), labels.clone(), 1.0, 3, "NHWC");
        let first = ops::image::cutmix(ops::transpose(images, [0, 3, 1, 2]), labels, 1.0, 3, "NCHW");
        let pixels = Symbolic::from((last.at(0), ops::transpose(first.at(0), [0, 2, 3, 1])));
        Symbolic::from((pixels, Symbolic::from((last.at(1), first.at(1)))))
    })
    .expect("fits");
    let mut num_cut = 0;
    for row in rows_of(&leaves) {
        let [last, first, labels, same_labels] = &row[..] else { panic!("four leaves") };
        assert_eq!(last.as_slice::<f32>(), first.as_slice::<f32>());
        assert_eq!(labels.as_slice::<f32>(), same_labels.as_slice::<f32>());
        num_cut += usize::from(last.as_slice::<f32>() != images);
    }
    assert!(num_cut > 20, "{num_cut}");
}

#[test]
fn doubles_keep_their_digits() {
    let pixels: Vec<f64> = (0..4 * 36).map(|index| 0.1 + f64::from(index)).collect();
    let labels: Vec<f64> = (0..16).map(|index| f64::from(u8::from(index % 5 == 0))).collect();
    let given = || {
        vec![
            Column::from_vec(vec![4, 3, 4, 3], 20, pixels.repeat(20)),
            Column::from_vec(vec![4, 4], 20, labels.repeat(20)),
        ]
    };
    let (_, leaves) =
        try_run(given(), |x| ops::image::cutmix(x.at(0), x.at(1), 1.0, 3, "NHWC")).expect("fits");
    for row in rows_of(&leaves) {
        assert!(row[0].as_slice::<f64>().iter().all(|value| pixels.contains(value)), "{:?}", row[0]);
    }
    let (_, leaves) = try_run(given(), |x| ops::image::mixup(x.at(0), x.at(1), 0.4, 3)).expect("fits");
    for row in rows_of(&leaves) {
        let [images, labels] = &row[..] else { panic!("two leaves") };
        let share = labels.as_slice::<f64>()[5];
        let expected = pixels[0] * (1.0 - share) + pixels[36] * share;
        assert!((images.as_slice::<f64>()[36] - expected).abs() < 1e-14, "{images:?} {share}");
    }
    // Halves are copied, not computed with.
    let halves: Vec<half::f16> = (0..8).map(|value| half::f16::from_f32(value as f32 / 7.0)).collect();
    let images = Column::from_vec(vec![2, 2, 2, 1], 1, halves.clone());
    let labels = Column::from_vec(vec![2, 1], 1, vec![1.0_f32, 1.0]);
    let (_, leaves) = try_run(vec![images, labels], |x| ops::image::cutmix(x.at(0), x.at(1), 1.0, 3, "NHWC"))
        .expect("fits");
    let row = &rows_of(&leaves)[0];
    assert!(row[0].as_slice::<half::f16>().iter().all(|value| halves.contains(value)));
}
