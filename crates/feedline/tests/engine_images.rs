//! Images in pipelines: decoded, augmented and batched in one pass or step by step, on any number of threads, after any resume:
//! the same bits and the same errors.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;
#[path = "engine_support/images.rs"]
mod images;

use engine_support::check;
use feedline::data::DType;
use feedline::plan::expr::Attribute;
use feedline::{Dataset, Symbolic, ops};

fn sources() -> Dataset {
    Dataset::from_tensor_slices(images::files())
}

fn decoded(bytes: Symbolic) -> Symbolic {
    ops::image::decode_jpeg(bytes, 3, 1, "")
}

fn train(bytes: Symbolic) -> Symbolic {
    let (scale, ratio) = ([0.08, 1.0], [0.75, 1.33]);
    let image = ops::image::random_resized_crop(decoded(bytes), [9, 8], scale, ratio, "bilinear", false, 1);
    ops::image::normalize(
        ops::image::random_flip_left_right(image, 2),
        [123.7, 116.3, 103.5],
        [58.4, 57.1, 57.4],
    )
}

fn eval(bytes: Symbolic) -> Symbolic {
    let image = ops::image::resize(decoded(bytes), Attribute::Int(12), "bicubic", false, true);
    let image = ops::image::resize_with_crop_or_pad(image, 10, 10);
    ops::transpose(ops::image::normalize(image, [100.0], [50.0]), [2, 0, 1])
}

#[test]
fn training_and_evaluation_in_every_mode() {
    for function in [train, eval] {
        let shown = check(&sources().repeat(3).map(function).batch(4));
        assert_eq!(shown.iter().filter(|line| line.contains("image.decode_jpeg")).count(), 3, "{shown:?}");
        check(&sources().shuffle(4).seed(1).repeat(2).map(function).ignore_errors().batch(3));
        check(&sources().map(decoded).map(function_behind_decode).batch(2));
    }
}

fn function_behind_decode(image: Symbolic) -> Symbolic {
    ops::image::random_crop(ops::image::flip_up_down(image), [9, 9, 3], 3)
}

#[test]
fn the_optimizer_joins_what_it_can() {
    let running = |dataset: &Dataset| dataset.explain().unwrap().running().lines().join(" ");
    assert!(running(&sources().map(train).batch(4)).contains("decode_jpeg_as_needed"));
    assert!(running(&sources().map(decoded).map(|x| ops::image::central_crop(x, 0.5))).contains("as_needed"));
    assert!(!running(&sources().map(decoded)).contains("as_needed"));
}

#[test]
fn draws_differ_from_epoch_to_epoch() {
    let shown = check(&sources().ignore_errors().take(1).repeat(4).map(train));
    assert!(shown.iter().any(|line| *line != shown[0]), "{shown:?}");
}

#[test]
fn headers_are_read_in_filters() {
    let is_wide = |bytes: Symbolic| ops::image::extract_jpeg_shape(bytes, DType::Int32).index(1).gt(20);
    let shown = check(&sources().filter(is_wide).map(train).batch(2));
    assert!(!shown.is_empty());
}

#[test]
fn other_formats_and_back() {
    let again = |bytes: Symbolic| {
        let image = ops::image::resize(decoded(bytes), [12, 13], "area", false, false);
        let image = ops::cast(image, DType::UInt8);
        let png = ops::image::decode_png(ops::image::encode_png(&image, -1), 3, DType::UInt8);
        let jpeg =
            ops::image::decode_image(ops::image::encode_jpeg(&image, 90, true), 3, DType::UInt8, false);
        let same = ops::reduce_all(png.eq(image), Attribute::None, false);
        Symbolic::from((same, ops::shape(jpeg, DType::Int32)))
    };
    let shown = check(&sources().map(again).ignore_errors());
    assert_eq!(shown.len(), 6);
    assert!(shown.iter().all(|line| line == &shown[0]), "{shown:?}");
}
