//! Augmentations in pipelines: whatever the number of threads, the blocks, the optimizer, and wherever it was resumed, an element gets
//! what was drawn for it.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;
#[path = "engine_support/images.rs"]
mod images;

use engine_support::{check, show};
use feedline::data::DType;
use feedline::data::block::Tensor;
use feedline::plan::expr::Attribute;
use feedline::{Dataset, Symbolic, ops};

/// Small images of bytes, from files some of which are broken.
fn sources() -> Dataset {
    Dataset::from_tensor_slices(images::files()).repeat(2).map(|bytes| {
        let image = ops::image::decode_jpeg(&bytes, 3, 1, "");
        let image = ops::image::apply_orientation(image, ops::image::exif_orientation(bytes));
        ops::cast(ops::image::resize(image, [6, 6], "area", false, false, false), DType::UInt8)
    })
}

fn numbers() -> Dataset {
    Dataset::from_tensor_slices(Tensor::from_vec(
        vec![9, 6, 6, 3],
        (0..972).map(|i| (i % 251) as u8).collect(),
    ))
}

#[test]
fn recipes_in_every_mode() {
    let functions: [fn(Symbolic) -> Symbolic; 3] = [
        |x| ops::image::rand_augment(x, 2, 15, 31, "nearest", [10.0, 20.0, 30.0], 1),
        |x| ops::image::trivial_augment_wide(x, 31, "bilinear", [0.0], 2),
        |x| ops::image::auto_augment(x, "nearest", [128.0], 3),
    ];
    for function in functions {
        check(&sources().map(function).batch(3));
        let shown = check(&numbers().take(1).repeat(6).map(function));
        assert!(shown.iter().any(|line| *line != shown[0]), "drawn anew in each epoch: {shown:?}");
    }
}

#[test]
fn single_augmentations_in_every_mode() {
    let function = |x: Symbolic| {
        let x = ops::image::random_rot90(x, 1);
        let x = ops::image::random_rotation(x, [-30.0, 30.0], "bilinear", false, Attribute::None, [0.0], 2);
        let x = ops::image::random_affine(
            x,
            [-5.0, 5.0],
            [0.1, 0.1],
            [0.9, 1.1],
            Attribute::None,
            "nearest",
            [0.0],
            Attribute::None,
            3,
        );
        let x = ops::image::random_gaussian_blur(x, 3, [0.1, 1.0], 4);
        let x = ops::image::random_jpeg_quality(ops::image::random_gamma(x, 0.8, 1.2, 1.0, 5), 50, 90, 6);
        let x = ops::image::random_cutout(x, 2, [0.0], 7);
        ops::image::random_erasing(
            ops::cast(x, DType::Float32),
            0.7,
            [0.1, 0.3],
            [0.5, 2.0],
            Attribute::None,
            8,
        )
    };
    check(&sources().map(function).batch(3));
    check(&numbers().shuffle(4).seed(1).map(function).ignore_errors().batch(2));
}

#[test]
fn changes_with_a_probability_in_every_mode() {
    type Random = fn(Symbolic, f64) -> Symbolic;
    type Change = fn(Symbolic) -> Symbolic;
    const NUM_IMAGES: usize = 4;
    let pairs: [(&str, Random, Change); 6] = [
        ("invert", |x, p| ops::image::random_invert(x, p, 1), |x| ops::image::invert(x)),
        ("solarize", |x, p| ops::image::random_solarize(x, 99.0, p, 2), |x| ops::image::solarize(x, 99.0)),
        ("posterize", |x, p| ops::image::random_posterize(x, 3, p, 3), |x| ops::image::posterize(x, 3)),
        ("equalize", |x, p| ops::image::random_equalize(x, p, 4), |x| ops::image::equalize(x)),
        ("autocontrast", |x, p| ops::image::random_autocontrast(x, p, 5), |x| ops::image::autocontrast(x)),
        (
            "sharpness",
            |x, p| ops::image::random_adjust_sharpness(x, 2.0, p, 6),
            |x| ops::image::adjust_sharpness(x, 2.0),
        ),
    ];
    // Large enough that there is something to equalize, and neither black nor white.
    let values = (0..NUM_IMAGES * 24 * 24 * 3).map(|i| (80 + i * i / 7 % 101) as u8).collect();
    let images = Dataset::from_tensor_slices(Tensor::from_vec(vec![NUM_IMAGES, 24, 24, 3], values));
    for (name, random, change) in pairs {
        let [never, always, as_it_is, changed] = [
            images.map(move |x| random(x, 0.0)),
            images.map(move |x| random(x, 1.0)),
            images.clone(),
            images.map(change),
        ]
        .map(|dataset| -> Vec<String> { dataset.iterator().unwrap().map(|item| show(&item)).collect() });
        assert!(never == as_it_is && always == changed && never != always, "{name}");
        let some = check(&images.repeat(5).map(move |x| random(x, 0.5)));
        let is_changed = |&(index, line): &(usize, &String)| *line != as_it_is[index % NUM_IMAGES];
        let num_changed = some.iter().enumerate().filter(is_changed).count();
        assert!((3..=17).contains(&num_changed), "{name}: {num_changed} of 20");
    }
}

#[test]
fn boxes_in_every_mode() {
    let function = |x: Symbolic| {
        let objects = Tensor::from_vec(vec![1, 1, 4], vec![0.2_f32, 0.2, 0.8, 0.8]);
        let drawn = ops::image::sample_distorted_bounding_box(
            ops::shape(&x, DType::Int32),
            Symbolic::from(objects),
            1,
            0.3,
            [0.75, 1.33],
            [0.2, 0.9],
            100,
            false,
        );
        let boxes = ops::reshape(drawn.at(2), feedline::data::Shape::fixed(&[1, 4]));
        let parts = ops::image::crop_and_resize(
            ops::expand_dims(&x, 0),
            boxes,
            Symbolic::from(Tensor::from_vec(vec![1], vec![0_i32])),
            [4, 4],
            "bilinear",
            0.0,
        );
        let (begin, size) = (drawn.at(0), drawn.at(1));
        let cropped =
            ops::image::crop_to_bounding_box(x, begin.index(0), begin.index(1), size.index(0), size.index(1));
        Symbolic::from((parts, ops::image::resize(cropped, [3, 3], "bilinear", false, false, false)))
    };
    check(&sources().map(function).batch(2));
}

#[test]
fn mixed_batches_in_every_mode() {
    let with_labels = || {
        let pairs = |pair: Symbolic| {
            Symbolic::from((pair.at(1), ops::one_hot(pair.at(0), 9, 1, 0, -1, DType::Float32)))
        };
        numbers().enumerate(0).map(pairs)
    };
    let mixed = |pair: Symbolic| {
        ops::image::mixup(ops::image::normalize(pair.at(0), [100.0], [50.0]), pair.at(1), 0.2, 1)
    };
    let shown = check(&with_labels().repeat(2).batch(4).map(mixed));
    assert_eq!(shown.len(), 5);
    // Images and labels are mixed by the same share: images that are one-hot themselves say so.
    let same = |pair: Symbolic| {
        let labels = pair.at(1);
        let images = ops::reshape(&labels, feedline::data::Shape::new(vec![None, Some(3), Some(3), Some(1)]));
        let mixed = ops::image::mixup(images, labels, 0.2, 1);
        let again = ops::reshape(mixed.at(0), feedline::data::Shape::new(vec![None, Some(9)]));
        ops::reduce_all(again.eq(mixed.at(1)), Attribute::None, false)
    };
    assert_eq!(check(&with_labels().batch(3).map(same)), ["1"; 3]);
    check(
        &with_labels()
            .repeat(2)
            .batch(4)
            .map(|pair| ops::image::cutmix(pair.at(0), pair.at(1), 1.0, 2, "NHWC")),
    );
}
