//! Images: decoded as needed is decoded whole; what is drawn for elements.

use feedline_data::DType;
use feedline_data::block::{Column, Strings, Tensor};
use feedline_plan::expr::catalogue::image::{DECODE_JPEG_AS_NEEDED, operations};
use feedline_plan::expr::{Attribute, Operation};
use feedline_plan::{Symbolic, ops};

use super::{run, scalars};

fn jpeg(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../feedline-image/tests/jpegs");
    std::fs::read(format!("{folder}/{name}.jpg")).expect("it is there")
}

fn files(files: &[Vec<u8>]) -> Vec<Column> {
    vec![Column::from_strings(vec![], files.len(), files.iter().collect::<Strings>())]
}

type Function = fn(Symbolic) -> Symbolic;

/// What can follow a decoder, each joined to it in another way.
const FUNCTIONS: [(&str, Function); 21] = [
    ("nothing", |x| x),
    ("central crop", |x| ops::image::central_crop(x, 0.4)),
    ("box", |x| ops::image::crop_to_bounding_box(x, 3, 2, 20, 30)),
    ("middle", |x| ops::image::resize_with_crop_or_pad(x, 30, 30)),
    ("middle of what is too small", |x| ops::image::resize_with_crop_or_pad(x, 60, 60)),
    ("random crop", |x| ops::image::random_crop(x, [9, 10, 3], 3)),
    ("resize", |x| ops::image::resize(x, [20, 15], "bilinear", false, false, false)),
    ("nearest", |x| {
        ops::image::flip_up_down(ops::image::resize(x, [20, 15], "nearest", false, false, false))
    }),
    ("train", |x| {
        let x = ops::image::random_resized_crop(
            x,
            [24, 20],
            [0.08, 1.0],
            [0.75, 1.33],
            "bilinear",
            false,
            false,
            5,
        );
        let x = ops::image::random_flip_left_right(x, 6);
        ops::image::normalize(x, [123.0, 116.0, 103.0], [58.0, 57.0, 56.0])
    }),
    ("eval", |x| {
        let x = ops::image::resize(x, Attribute::Int(32), "bicubic", false, true, false);
        let x = ops::image::resize_with_crop_or_pad(x, 28, 28);
        ops::transpose(ops::image::normalize(x, [100.0], [50.0]), [2, 0, 1])
    }),
    ("all at once", |x| {
        let x = ops::image::central_crop(x, 0.9);
        let x = ops::image::resize(x, [33, 44], "lanczos3", false, true, false);
        let x = ops::image::crop_to_bounding_box(x, 1, 2, 25, 30);
        let x = ops::image::flip_left_right(ops::image::random_flip_up_down(x, 8));
        ops::cast(ops::image::convert_image_dtype(x, DType::Float32, false), DType::Float32)
    }),
    ("cast", |x| {
        ops::image::normalize(ops::cast(ops::image::flip_left_right(x), DType::Float32), [1.0], [3.0])
    }),
    ("halves", |x| {
        let x = ops::image::resize(x, [20, 15], "bilinear", false, false, false);
        ops::cast(ops::image::normalize(x, [1.0], [3.0]), DType::Float16)
    }),
    ("halves, channels first", |x| {
        let x = ops::cast(ops::image::flip_left_right(x), DType::BFloat16);
        ops::transpose(ops::image::central_crop(x, 0.5), [2, 0, 1])
    }),
    ("bytes, channels first", |x| ops::transpose(ops::image::central_crop(x, 0.5), [2, 0, 1])),
    ("fast", |x| {
        let x = ops::image::resize(x, [8, 9], "bilinear", false, false, true);
        ops::image::normalize(ops::image::flip_up_down(x), [1.0], [3.0])
    }),
    ("fast crop", |x| {
        ops::image::random_resized_crop(x, [7, 6], [0.08, 1.0], [0.75, 1.33], "bicubic", true, true, 5)
    }),
    ("floats of a crop", |x| {
        ops::cast(ops::image::crop_to_bounding_box(x, 3, 2, 20, 30), DType::Float32) / 255.0
    }),
    ("floats of a nearest", |x| {
        ops::cast(ops::image::resize(x, [20, 15], "nearest", false, false, false), DType::Float32)
    }),
    ("behind a flip", |x| ops::image::central_crop(ops::image::random_flip_left_right(x, 2), 0.5)),
    ("twice", |x| {
        let x = ops::image::resize(x, [30, 30], "area", false, false, false);
        ops::image::resize(x, [10, 12], "bilinear", false, false, false) / 255.0
    }),
];

fn compare(all: &[Vec<u8>], function: Function, name: &str) -> (usize, usize) {
    let call = |operation: &'static Operation| {
        run(files(all), |x| {
            let attributes = vec![Attribute::Int(3), Attribute::Int(1), Attribute::Text(String::new())];
            function(Symbolic::call(operation, &[x.at(0)], attributes))
        })
    };
    let (whole, needed) = (call(&operations::decode_jpeg), call(&DECODE_JPEG_AS_NEEDED));
    for (row, (whole, needed)) in whole.iter().zip(&needed).enumerate() {
        assert!(whole == needed, "{name}, row {row}: {whole:?}\n{needed:?}");
    }
    (whole.iter().filter(|row| row.is_ok()).count(), whole.len())
}

#[test]
fn as_needed_is_what_whole_images_give() {
    let names = [
        "444-67x45",
        "422-restart-3",
        "420-130x70",
        "420-67x45",
        "gray",
        "420-progressive",
        "cmyk",
        "420-1x1",
    ];
    let mut all: Vec<Vec<u8>> = names.iter().map(|name| jpeg(name)).collect();
    all.extend([Vec::new(), b"no image".to_vec(), all[0][..all[0].len() / 2].to_vec()]);
    all.push(all[3][..all[3].len() - 30].to_vec());
    for (name, function) in FUNCTIONS {
        let (good, rows) = compare(&all, function, name);
        assert!(good >= 4 && good < rows, "{name}: {good} of {rows}");
    }
}

#[test]
fn fast_scaling_begins_with_a_smaller_image() {
    let all = files(&["420-130x70", "422-67x45", "420-progressive", "gray", "420-17x33"].map(jpeg));
    // 70 x 130 at a half has the 20 rows that are asked for, 45 x 67 and all others have not.
    for (size, ratios) in [([20, 15], [2, 2, 2, 2, 1]), ([9, 9], [4, 4, 4, 4, 1]), ([1, 1], [8, 8, 8, 8, 8])]
    {
        let fast = run(all.clone(), |x| {
            let image = ops::image::decode_jpeg(x.at(0), 3, 1, "");
            ops::image::resize(image, size, "bilinear", false, false, true)
        });
        for (row, ratio) in ratios.into_iter().enumerate() {
            let same = run(all.clone(), |x| {
                let image = ops::image::decode_jpeg(x.at(0), 3, ratio, "");
                ops::image::resize(image, size, "bilinear", false, false, false)
            });
            assert!(fast[row].is_ok() && fast[row] == same[row], "{size:?}, row {row}");
        }
    }
}

#[test]
fn fast_scaling_leaves_the_image_to_others_as_it_is() {
    let all = files(&[jpeg("420-130x70")]);
    let parts = |is_fast: bool| {
        run(all.clone(), |x| {
            let image = ops::image::decode_jpeg(x.at(0), 3, 1, "");
            let small = |seed| {
                let (scale, ratio) = ([0.5, 1.0], [0.75, 1.33]);
                ops::image::random_resized_crop(&image, [8, 8], scale, ratio, "area", false, is_fast, seed)
            };
            let whole = ops::reduce_sum(ops::cast(&image, DType::Float32), Attribute::None, false);
            let middle = ops::cast(ops::image::resize_with_crop_or_pad(&image, 8, 8), DType::Float32);
            ops::concat([small(1), small(2), middle], 0) + whole
        })
    };
    let (fast, exact) = (parts(true), parts(false));
    let values =
        |rows: &[Result<Tensor, String>]| rows[0].as_ref().expect("it is decoded").as_slice::<f32>().to_vec();
    let (fast, exact) = (values(&fast), values(&exact));
    let num_values = 8 * 8 * 3;
    assert!(
        fast[..num_values] != exact[..num_values]
            && fast[num_values..2 * num_values] != exact[num_values..2 * num_values]
    );
    assert_eq!(fast[2 * num_values..], exact[2 * num_values..]);
}

#[test]
fn damage_is_met_alike() {
    for name in ["444-restart-row", "422-restart-3", "420-67x45", "422-progressive", "gray"] {
        let bytes = jpeg(name);
        let mut all = Vec::new();
        for at in (2..bytes.len()).step_by(3) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            all.extend([damaged, bytes[..at].to_vec()]);
        }
        let crop: Function = |x| ops::image::crop_to_bounding_box(x, 1, 2, 9, 12);
        let fast: Function = |x| ops::image::resize(x, [9, 9], "bilinear", false, false, true);
        let first: Function = |x| ops::image::crop_to_bounding_box(x, 0, 0, 1, 1);
        for function in [crop, fast, first] {
            let (good, rows) = compare(&all, function, name);
            assert!(good > rows / 10 && good < rows, "{name}: {good} of {rows}");
        }
    }
}

#[test]
fn draws_follow_the_id_and_are_spread() {
    let rows = vec![scalars(&[0_u8; 400])];
    let flipped = |x: Symbolic| {
        let image = ops::cast(x.at(0), DType::Float32)
            + Symbolic::from(Tensor::from_vec(vec![1, 2, 1], vec![0.0_f32, 1.0]));
        ops::image::random_flip_left_right(image, 9)
    };
    let all = run(rows.clone(), flipped);
    assert_eq!(run(rows.clone(), flipped), all);
    let mirrored = all.iter().flatten().filter(|image| image.as_slice::<f32>()[0] > 0.5).count();
    assert!((150..250).contains(&mirrored), "{mirrored}");
    // A constant is drawn for anew in each row.
    let constant = Tensor::from_vec(vec![1, 100, 1], (0..100_u8).collect());
    let crops = run(rows.clone(), |_| ops::image::random_crop(Symbolic::from(constant), [1, 2, 1], 9));
    let starts: std::collections::BTreeSet<u8> =
        crops.iter().flatten().map(|crop| crop.as_slice::<u8>()[0]).collect();
    assert!(starts.len() > 90, "{}", starts.len());
}

#[test]
fn damage_below_what_is_needed_is_no_error() {
    let functions: [(&str, Function, u32); 4] = [
        ("box", |x| ops::image::crop_to_bounding_box(x, 3, 2, 9, 30), 12),
        (
            "two crops",
            |x| ops::image::crop_to_bounding_box(ops::image::central_crop(x, 0.9), 1, 0, 9, 30),
            12,
        ),
        (
            "scaled",
            |x| {
                let x = ops::image::crop_to_bounding_box(x, 0, 0, 12, 40);
                ops::image::normalize(
                    ops::image::resize(x, [5, 6], "bilinear", false, true, false),
                    [1.0],
                    [2.0],
                )
            },
            12,
        ),
        ("all of it", |x| ops::image::flip_left_right(x), 45),
    ];
    for name in ["444-67x45", "420-67x45", "422-67x45"] {
        let whole = jpeg(name);
        let cuts: Vec<Vec<u8>> = (0..whole.len()).step_by(7).map(|end| whole[..end].to_vec()).collect();
        for (what, function, rows) in functions {
            let (num_good, _) = compare(&cuts, function, &format!("{name}, {what}"));
            let call = |bytes: &[Vec<u8>]| {
                run(files(bytes), |x| function(ops::image::decode_jpeg(x.at(0), 3, 1, "")))
            };
            let expected = call(std::slice::from_ref(&whole)).remove(0).expect("all of it is there");
            for result in call(&cuts).into_iter().flatten() {
                assert!(result == expected, "{name}, {what}: pixels that were not there");
            }
            // A quarter of the rows is needed, so most cuts leave them; all of them only the cut behind the last.
            let share = num_good as f64 / cuts.len() as f64;
            let few = if rows == 45 { 0.0..0.02 } else { 0.2..0.9 };
            assert!(few.contains(&share), "{name}, {what}: {num_good} of {}", cuts.len());
        }
    }
}

#[test]
fn wrong_images_and_places_are_named() {
    let small = Column::from_vec(vec![2, 2, 3], 1, vec![7_u8; 12]);
    let mut bitmap = b"BM".to_vec();
    for number in [62_u32, 0, 54, 40, 2, 1, 0x0018_0001, 0, 8, 0, 0, 0, 0, 0, 0] {
        bitmap.extend(number.to_le_bytes());
    }
    let error =
        run(files(&[bitmap]), |x| ops::image::decode_jpeg(x.at(0), 0, 1, ""))[0].clone().expect_err("a BMP");
    assert!(error.starts_with("image.decode_jpeg: found BMP, expected JPEG, PNG or GIF"), "{error}");
    let page = run(files(&[b"<!DOCTYPE html>".to_vec()]), |x| {
        ops::image::decode_image(x.at(0), 0, DType::UInt8, false)
    });
    assert!(page[0].as_ref().expect_err("a page").contains("web page"), "{page:?}");
    let cases: [(Function, &str); 3] = [
        (
            |x| {
                ops::image::crop_to_bounding_box(
                    x.at(0),
                    ops::cast(ops::reduce_sum(x.at(0), Attribute::None, false), DType::Int32),
                    0,
                    1,
                    1,
                )
            },
            "the part is 1 x 1 at row 84, column 0, expected one within 2 x 2",
        ),
        (
            |x| {
                ops::image::normalize(
                    ops::image::resize(x.at(0), [1, 1], "area", false, false, false),
                    [0.0],
                    [1.0],
                )
            },
            "",
        ),
        (|x| ops::image::random_crop(ops::image::flip_up_down(x.at(0)), [1, 1, 3], 1), ""),
    ];
    for (function, expected) in cases {
        match &run(vec![small.clone()], function)[0] {
            Ok(_) => assert!(expected.is_empty()),
            Err(error) => assert!(!expected.is_empty() && error.contains(expected), "{error}"),
        }
    }
}
