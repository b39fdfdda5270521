//! Augmentations that draw: what is drawn keeps its limits, follows the element, and is made by the operations that are not random.

use feedline_data::block::{Column, Tensor};
use feedline_data::{DType, Shape};
use feedline_plan::expr::Attribute;
use feedline_plan::{Symbolic, ops};

use super::{rows_of, run, try_run};

type Function = fn(Symbolic) -> Symbolic;

/// As many images as asked for, all the same: what differs was drawn.
fn photos(count: usize, height: usize, width: usize) -> Column {
    let one: Vec<u8> = (0..height * width * 3).map(|index| (index * 7 % 251) as u8).collect();
    Column::from_vec(vec![height, width, 3], count, one.repeat(count))
}

fn tensors(results: Vec<Result<Tensor, String>>) -> Vec<Tensor> {
    results.into_iter().map(|result| result.expect("no error")).collect()
}

const DRAWN: [(&str, Function); 12] = [
    ("gaussian blur", |x| ops::image::random_gaussian_blur(x.at(0), [3, 5], [0.1, 2.0], 1)),
    ("affine", |x| {
        ops::image::random_affine(
            x.at(0),
            [-20.0, 20.0],
            [0.2, 0.1],
            [0.5, 1.5],
            [-9.0, 9.0],
            "nearest",
            [0.0],
            Attribute::None,
            2,
        )
    }),
    ("rotation", |x| {
        ops::image::random_rotation(
            x.at(0),
            [-90.0, 90.0],
            "bilinear",
            false,
            Attribute::None,
            [1.0, 2.0, 3.0],
            3,
        )
    }),
    ("erasing", |x| ops::image::random_erasing(x.at(0), 0.9, [0.02, 0.33], [0.3, 3.3], [0.0], 4)),
    ("noise", |x| {
        ops::image::random_erasing(
            ops::cast(x.at(0), DType::Float32),
            0.9,
            [0.02, 0.33],
            [0.3, 3.3],
            Attribute::None,
            5,
        )
    }),
    ("cutout", |x| ops::image::random_cutout(x.at(0), [4, 6], [9.0], 6)),
    ("rand_augment", |x| ops::image::rand_augment(x.at(0), 2, 9, 31, "nearest", [0.0], 7)),
    ("trivial_augment_wide", |x| ops::image::trivial_augment_wide(x.at(0), 31, "bilinear", [0.0], 8)),
    ("auto_augment", |x| ops::image::auto_augment(x.at(0), "nearest", [128.0], 9)),
    ("rot90", |x| ops::image::random_rot90(x.at(0), 10)),
    ("gamma", |x| ops::image::random_gamma(x.at(0), 0.5, 2.0, 1.0, 11)),
    ("jpeg quality", |x| ops::image::random_jpeg_quality(x.at(0), 20, 90, 12)),
];

#[test]
fn what_is_drawn_follows_the_element_alone() {
    for (name, function) in DRAWN {
        let all = tensors(run(vec![photos(40, 12, 12)], function));
        // The last ten rows have the ids they have among forty, which blocks of ten do not: the first ten are compared.
        let few = tensors(run(vec![photos(10, 12, 12)], function));
        assert_eq!(all[..10], few[..], "{name}");
        let others = all.iter().filter(|image| **image != all[0]).count();
        assert!(others > 20, "{name}: {others} of 40 differ from the first");
        // The same image for all rows is drawn for anew in each.
        let constant = Tensor::of_row(&photos(1, 12, 12), 0);
        let of_constant =
            run(vec![photos(10, 12, 12)], |_| function(Symbolic::tuple([Symbolic::from(constant)])));
        assert_eq!(tensors(of_constant), few, "{name} of a constant");
    }
}

#[test]
fn images_of_a_batch_are_drawn_for_one_by_one() {
    let batch = photos(16, 12, 12).with_rows_of(1, vec![16, 12, 12, 3]);
    for (name, function) in DRAWN {
        if matches!(name, "gamma" | "jpeg quality") {
            continue; // One value for the batch, as the other random colours have it.
        }
        let made = tensors(run(vec![batch.clone()], function)).remove(0);
        assert_eq!(made.shape(), [16, 12, 12, 3], "{name}");
        let floats = matches!(made.dtype(), DType::Float32);
        let images: Vec<Vec<u32>> = if floats {
            made.as_slice::<f32>().chunks(432).map(|one| one.iter().map(|v| v.to_bits()).collect()).collect()
        } else {
            made.as_slice::<u8>().chunks(432).map(|one| one.iter().map(|v| u32::from(*v)).collect()).collect()
        };
        assert!(images.iter().any(|image| *image != images[0]), "{name}");
    }
}

#[test]
fn quarters_are_each_as_likely() {
    let images = tensors(run(vec![photos(400, 2, 2)], |x| ops::image::random_rot90(x.at(0), 3)));
    let expected: Vec<Tensor> = (0..4)
        .map(|k| tensors(run(vec![photos(1, 2, 2)], |x| ops::image::rot90(x.at(0), k))).remove(0))
        .collect();
    for turned in &expected {
        let count = images.iter().filter(|image| *image == turned).count();
        assert!((60..140).contains(&count), "{count}");
    }
}

#[test]
fn recipes_make_the_changes_that_operations_make() {
    // One change of strength 9 of 31; among many images all fourteen kinds must come up, each as its operation has it.
    let images = tensors(run(vec![photos(400, 20, 16)], |x| {
        ops::image::rand_augment(x.at(0), 1, 9, 31, "nearest", [0.0], 5)
    }));
    let image = || vec![photos(1, 20, 16)];
    let degrees = |shear: f64| shear.atan().to_degrees();
    let sheared = |x: f64, y: f64| {
        run(image(), |i| {
            ops::image::affine(
                i.at(0),
                0.0,
                [0.0, 0.0],
                1.0,
                [degrees(x), degrees(y)],
                "nearest",
                [0.0],
                [0.0, 0.0],
            )
        })
    };
    let moved = |x: f64, y: f64| {
        run(image(), |i| {
            ops::image::affine(i.at(0), 0.0, [x, y], 1.0, [0.0, 0.0], "nearest", [0.0], Attribute::None)
        })
    };
    let turned = |angle: f64| {
        run(image(), |i| ops::image::rotate(i.at(0), angle, "nearest", false, Attribute::None, [0.0]))
    };
    // 150 / 331 · 0.3 of 16 is 2.2, of 20 is 2.7 pixels.
    let mut expected: Vec<Result<Tensor, String>> = [
        run(image(), |i| i.at(0)),
        sheared(0.09, 0.0),
        sheared(-0.09, 0.0),
        sheared(0.0, 0.09),
        sheared(0.0, -0.09),
        moved(2.0, 0.0),
        moved(-2.0, 0.0),
        moved(0.0, 2.0),
        moved(0.0, -2.0),
        turned(9.0),
        turned(-9.0),
        run(image(), |i| ops::image::posterize(i.at(0), 7)),
        run(image(), |i| ops::image::solarize(i.at(0), 178.5)),
        run(image(), |i| ops::image::autocontrast(i.at(0))),
        run(image(), |i| ops::image::equalize(i.at(0))),
    ]
    .concat();
    for sign in [0.27, -0.27] {
        expected
            .extend(run(image(), |i| ops::image::adjust_sharpness(i.at(0), 1.0 + f64::from(sign as f32))));
    }
    let known = |image: &Tensor| expected.iter().any(|expected| expected.as_ref() == Ok(image));
    for (index, expected) in expected.iter().enumerate() {
        let expected = expected.as_ref().expect("no error");
        assert!(images.contains(expected), "change {index} never came up");
    }
    // The others are brightness, colour and contrast, which only recipes have: three of fourteen.
    let others = images.iter().filter(|image| !known(image)).count();
    assert!((50..125).contains(&others), "{others}");
}

#[test]
fn erased_parts_keep_their_limits() {
    let area_of =
        |image: &Tensor| image.as_slice::<u8>().chunks(3).filter(|pixel| *pixel == [255; 3]).count();
    let images = tensors(run(vec![photos(200, 30, 20)], |x| {
        ops::image::random_erasing(x.at(0), 0.5, [0.1, 0.3], [0.5, 2.0], [255.0], 1)
    }));
    let erased: Vec<usize> = images.iter().map(area_of).filter(|area| *area > 0).collect();
    assert!((60..140).contains(&erased.len()), "{}", erased.len());
    // Rounding to whole pixels moves an area a little.
    assert!(erased.iter().all(|area| (50..=200).contains(area)), "{erased:?}");
    let cut = tensors(run(vec![photos(200, 30, 20)], |x| ops::image::random_cutout(x.at(0), 6, [255.0], 1)));
    let areas: Vec<usize> = cut.iter().map(area_of).collect();
    assert!(areas.iter().all(|area| (9..=36).contains(area)), "{areas:?}");
    assert!(areas.contains(&36) && areas.iter().any(|area| *area < 36));
}

#[test]
fn boxes_keep_their_limits_and_cover_what_they_must() {
    let sizes = Column::from_vec(vec![3], 300, [60, 90, 3].repeat(300));
    let objects = Column::from_vec(vec![1, 1, 4], 300, [0.4_f32, 0.4, 0.6, 0.7].repeat(300));
    let sample = |x: Symbolic| {
        let (ratio, area) = ([0.75, 1.33], [0.1, 0.6]);
        ops::image::sample_distorted_bounding_box(x.at(0), x.at(1), 5, 0.5, ratio, area, 100, false)
    };
    let (_, leaves) = try_run(vec![sizes.clone(), objects], sample).expect("fits");
    let mut whole = 0;
    let mut places = std::collections::BTreeSet::new();
    for row in rows_of(&leaves) {
        let [begin, size, found] = &row[..] else { panic!("three leaves") };
        let (begin, size) = (begin.as_slice::<i32>(), size.as_slice::<i32>());
        let [y, x, height, width] = [begin[0], begin[1], size[0], size[1]];
        assert_eq!((begin[2], size[2]), (0, -1));
        let corners =
            [y as f32 / 60.0, x as f32 / 90.0, (y + height) as f32 / 60.0, (x + width) as f32 / 90.0];
        assert_eq!(found.as_slice::<f32>(), corners);
        if (height, width) == (60, 90) {
            whole += 1;
            continue;
        }
        let (area, aspect) = (f64::from(height * width) / 5400.0, f64::from(width) / f64::from(height));
        assert!((0.1..=0.6).contains(&area), "{area}");
        assert!((0.72..=1.37).contains(&aspect), "{aspect}");
        // The object is rows 24 to 36, columns 36 to 63.
        let shared = ((y + height).min(36) - y.max(24)).max(0) * ((x + width).min(63) - x.max(36)).max(0);
        assert!(2 * shared >= 12 * 27, "{shared}");
        places.insert((y, x, height, width));
    }
    assert!(whole < 5 && places.len() > 200, "{whole} whole, {} different", places.len());
    // No object, and none that is one.
    for (boxes, expected) in
        [(vec![], "has no bounding boxes"), (vec![0.5_f32, 0.0, 0.4, 1.0], "is not y1, x1")]
    {
        let objects = Column::from_vec(vec![1, boxes.len() / 4, 4], 1, boxes);
        let rows = run(vec![sizes.slice(0..1), objects], |x| sample(x).at(0));
        assert!(rows[0].as_ref().expect_err("no object").contains(expected), "{rows:?}");
    }
    // What cannot be had is the whole image: a part this small never covers it all.
    let image = Column::from_vec(vec![1, 0, 4], 1, Vec::<f32>::new());
    let rows = run(vec![sizes.slice(0..1), image], |x| {
        ops::image::sample_distorted_bounding_box(x.at(0), x.at(1), 5, 1.0, [1.0, 1.0], [0.1, 0.2], 20, true)
            .at(1)
    });
    assert_eq!(rows[0].as_ref().map(|size| size.as_slice::<i32>().to_vec()), Ok(vec![60, 90, -1]));
}

#[test]
fn an_object_of_no_pixels_is_not_covered() {
    // Rows 12 to 12 of 60: TensorFlow gives the whole image, every time.
    let sizes = Column::from_vec(vec![3], 200, [60, 80, 3].repeat(200));
    let objects = Column::from_vec(vec![1, 1, 4], 200, [0.2_f32, 0.2, 0.21, 0.9].repeat(200));
    for covered in [0.0, 0.5] {
        let sample = |x: Symbolic| {
            let (ratio, area) = ([0.75, 1.33], [0.05, 1.0]);
            ops::image::sample_distorted_bounding_box(x.at(0), x.at(1), 5, covered, ratio, area, 100, false)
        };
        let rows = run(vec![sizes.clone(), objects.clone()], |x| sample(x).at(1));
        assert!(rows.iter().all(|size| size.as_ref().unwrap().as_slice::<i32>() == [60, 80, -1]));
    }
}

#[test]
fn errors_of_elements_say_what_was_wrong() {
    // Of rows of several shapes the plan knows nothing.
    let images = Column::from_vec(vec![], 63, vec![7_u8; 63]).with_shapes(vec![vec![2, 9, 2], vec![3, 3, 3]]);
    let cases: [(Function, &str); 4] = [
        (
            |x| ops::image::gaussian_blur(x.at(0), 5, [1.0]),
            "the image is 2 x 9, its edges can be mirrored from 3 x 3 on",
        ),
        (
            |x| ops::image::rotate(x.at(0), 5.0, "nearest", false, Attribute::None, [1.0, 2.0, 3.0]),
            "the image has 2 channels, fill 3 numbers",
        ),
        (
            |x| ops::image::rand_augment(x.at(0), 1, 1, 10, "nearest", [0.0], 1),
            "takes 1 or 3 channels, not 2",
        ),
        (
            |x| ops::image::apply_orientation(x.at(0), ops::size(x.at(0), DType::Int32)),
            "the orientation is 36, expected 1 to 8",
        ),
    ];
    for (function, expected) in cases {
        let error = run(vec![images.clone()], function).remove(0).expect_err("wrong");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn wrong_arguments_are_named_when_the_plan_is_built() {
    let image = || {
        Symbolic::of_spec(&feedline_data::ElementSpec::Leaf(feedline_data::TensorSpec::new(
            DType::UInt8,
            Shape::fixed(&[8, 9, 3]),
        )))
    };
    let floats = || ops::cast(image(), DType::Float32);
    let encoded = |format: &str, unit: &str, density: i64, xmp: &str| {
        ops::image::encode_jpeg(image(), format, 95, false, false, true, unit, density, 300, xmp)
    };
    let cases = [
        (ops::image::posterize(image(), 9), "bits is 9"),
        (ops::image::solarize(image(), f64::NAN), "threshold is NaN"),
        (ops::image::equalize(floats()), "takes uint8, not float32"),
        (ops::image::adjust_sharpness(image(), -1.0), "sharpness_factor is -1"),
        (ops::image::gaussian_blur(image(), 4, [1.0]), "kernel_size is [4]"),
        (ops::image::gaussian_blur(image(), 3, [0.0]), "sigma is [0.0]"),
        (ops::image::random_gaussian_blur(image(), 3, [2.0, 1.0], 1), "sigma is [2.0, 1.0]"),
        (
            ops::image::rotate(image(), 1.0, "cubic", false, Attribute::None, [0.0]),
            "interpolation is 'cubic'",
        ),
        (ops::image::rotate(image(), 1.0, "nearest", false, [1.0], [0.0]), "center is [1.0]"),
        (ops::image::rotate(image(), 1.0, "nearest", false, Attribute::None, [256.0]), "fill is [256.0]"),
        (
            ops::image::affine(image(), 0.0, [1.0], 1.0, [0.0], "nearest", [0.0], Attribute::None),
            "translate is [1.0]",
        ),
        (
            ops::image::affine(image(), 0.0, [0.0, 0.0], 0.0, [0.0], "nearest", [0.0], Attribute::None),
            "scale is 0",
        ),
        (
            ops::image::random_affine(
                image(),
                [9.0, 1.0],
                Attribute::None,
                Attribute::None,
                Attribute::None,
                "nearest",
                [0.0],
                Attribute::None,
                1,
            ),
            "degrees is [9.0, 1.0]",
        ),
        (
            ops::image::random_affine(
                image(),
                [0.0, 1.0],
                [2.0, 0.0],
                Attribute::None,
                Attribute::None,
                "nearest",
                [0.0],
                Attribute::None,
                1,
            ),
            "translate is [2.0, 0.0]",
        ),
        (ops::image::random_erasing(image(), 1.5, [0.1, 0.2], [1.0, 1.0], [0.0], 1), "p is 1.5"),
        (ops::image::random_erasing(image(), 0.5, [0.1, 2.0], [1.0, 1.0], [0.0], 1), "scale is [0.1, 2.0]"),
        (
            ops::image::random_erasing(image(), 0.5, [0.1, 0.2], [1.0, 1.0], Attribute::None, 1),
            "value is noise",
        ),
        (ops::image::random_cutout(image(), 0, [0.0], 1), "mask_size has 0"),
        (ops::image::rand_augment(image(), 2, 31, 31, "nearest", [0.0], 1), "magnitude is 31"),
        (ops::image::rand_augment(image(), -1, 3, 31, "nearest", [0.0], 1), "num_ops is -1"),
        (ops::image::trivial_augment_wide(image(), 1, "nearest", [0.0], 1), "num_magnitude_bins is 1"),
        (ops::image::auto_augment(floats(), "nearest", [0.0], 1), "takes uint8, not float32"),
        (ops::image::random_jpeg_quality(image(), 90, 20, 1), "min_jpeg_quality is 90"),
        (ops::image::random_gamma(image(), 2.0, 1.0, 1.0, 1), "lower is 2, upper 1"),
        (ops::image::apply_orientation(image(), 9), "orientation is 9"),
        (ops::image::mixup(floats(), floats(), 1.0, 1), "takes a batch"),
        (ops::image::mixup(image(), floats(), 1.0, 1), "takes images of floats, not uint8"),
        (
            ops::image::cutmix(ops::expand_dims(image(), 0), 3, 1.0, 1, "NHWC"),
            "takes labels that can be mixed",
        ),
        (
            ops::image::cutmix(ops::expand_dims(image(), 0), 3, 1.0, 1, "CHW"),
            "layout is 'CHW', it must be one of 'NHWC', 'NCHW'",
        ),
        (encoded("cmyk", "in", 300, ""), "format is 'cmyk', it must be one of '', 'grayscale', 'rgb'"),
        (encoded("grayscale", "in", 300, ""), "takes 1 channels"),
        (encoded("", "mm", 300, ""), "density_unit is 'mm', it must be one of 'in', 'cm'"),
        (encoded("", "in", -1, ""), "x_density is -1, it must be from 0 to 65535"),
        (
            encoded("", "in", 300, &"x".repeat(65_505)),
            "xmp_metadata has 65505 bytes, a JPEG takes 65504 of it",
        ),
    ];
    for (value, expected) in cases {
        let message = value.to_structure().expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    }
}
