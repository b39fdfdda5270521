//! Images in pipelines: decoded, augmented and batched in one pass or step by step, on any number of threads, after any resume:
//! the same bits and the same errors.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;
#[path = "engine_support/images.rs"]
mod images;

use engine_support::check;
use feedline::data::block::Tensor;
use feedline::data::{DType, Shape, Structure};
use feedline::plan::expr::{Attribute, Slice};
use feedline::{Dataset, Options, Symbolic, ops};

fn sources() -> Dataset {
    Dataset::from_tensor_slices(images::files())
}

fn decoded(bytes: Symbolic) -> Symbolic {
    ops::image::decode_jpeg(bytes, 3, 1, "")
}

fn train(bytes: Symbolic) -> Symbolic {
    let (scale, ratio) = ([0.08, 1.0], [0.75, 1.33]);
    let image =
        ops::image::random_resized_crop(decoded(bytes), [9, 8], scale, ratio, "bilinear", false, false, 1);
    ops::image::normalize(
        ops::image::random_flip_left_right(image, 2),
        [123.7, 116.3, 103.5],
        [58.4, 57.1, 57.4],
    )
}

fn eval(bytes: Symbolic) -> Symbolic {
    let image = ops::image::resize(decoded(bytes), Attribute::Int(12), "bicubic", false, true, false);
    let image = ops::image::resize_with_crop_or_pad(image, 10, 10);
    ops::transpose(ops::image::normalize(image, [100.0], [50.0]), [2, 0, 1])
}

#[test]
fn training_and_evaluation_in_every_mode() {
    for (function, num_errors) in [(train as fn(Symbolic) -> Symbolic, 0..=3), (eval, 3..=3)] {
        let shown = check(&sources().repeat(3).map(function).batch(4));
        let errors = shown.iter().filter(|line| line.contains("image.decode_jpeg")).count();
        // Of the one that is cut short evaluation needs all, training what the crop shows.
        assert!(num_errors.contains(&errors), "{shown:?}");
        check(&sources().shuffle(4).seed(1).repeat(2).map(function).ignore_errors().batch(3));
        check(&sources().map(decoded).map(function_behind_decode).batch(2));
    }
}

type Function = Box<dyn Fn(Symbolic) -> Symbolic>;

/// Scaled images as bytes, the ways people write it, and what follows.
#[test]
fn scaled_images_become_bytes_in_every_mode() {
    let scaled = |bytes: Symbolic| {
        // Values that leave 0 to 255, and ends in .5.
        ops::image::resize(decoded(bytes), [7, 9], "bicubic", false, false, false)
    };
    let bytes = |image: Symbolic| ops::cast(image, DType::UInt8);
    let flipped = |image: Symbolic| ops::image::random_flip_left_right(image, 3);
    let unit = |image: Symbolic| ops::image::convert_image_dtype(image, DType::Float32, false);
    let levels = |image: Symbolic| ops::image::convert_image_dtype(image, DType::UInt8, true);
    let clipped = |image: Symbolic| ops::clip_by_value(image, 3.25, 250.5);
    let pixels = [123.7, 116.3, 103.5];
    let normalized = move |image: Symbolic| ops::image::normalize(image, pixels, [58.4, 57.1, 57.4]);
    let functions: [(&str, Function); 10] = [
        ("cut", Box::new(move |x| flipped(bytes(scaled(x))))),
        ("rounded", Box::new(move |x| bytes(ops::round(scaled(x))))),
        ("within", Box::new(move |x| bytes(clipped(ops::round(flipped(scaled(x))))))),
        ("a crop of bytes", Box::new(move |x| ops::image::central_crop(bytes(scaled(x)), 0.5))),
        ("bytes, channels first", Box::new(move |x| ops::transpose(bytes(scaled(x)), [2, 0, 1]))),
        ("bytes normalized", Box::new(move |x| flipped(normalized(bytes(ops::round(scaled(x))))))),
        ("bytes in halves", Box::new(move |x| ops::cast(bytes(scaled(x)), DType::Float16))),
        ("parts of 1", Box::new(move |x| normalized(unit(bytes(scaled(x)))))),
        ("back from parts of 1", Box::new(move |x| flipped(levels(unit(bytes(scaled(x))))))),
        (
            "a crop in parts of 1",
            Box::new(move |x| levels(clipped(unit(ops::image::central_crop(decoded(x), 0.5))))),
        ),
    ];
    for (name, function) in functions {
        let shown = check(&sources().map(function).ignore_errors().batch(2));
        assert!(!shown.is_empty(), "{name}");
    }
    // Two that are normalized, and a size that is not one of bytes as they are.
    let twice = move |x| normalized(normalized(bytes(scaled(x))));
    check(&sources().map(twice).ignore_errors().batch(2));
    let again = move |x| {
        let image = bytes(scaled(x));
        ops::image::resize(image, [4, 4], "bilinear", false, false, false)
    };
    check(&sources().map(again).ignore_errors().batch(2));
}

/// What turns out to be a JPEG is decoded as far as it is needed, whatever is below; other formats are decoded whole.
#[test]
fn images_of_any_format_in_every_mode() {
    for expands in [false, true] {
        let any = move |bytes: Symbolic| ops::image::decode_image(bytes, 3, DType::UInt8, expands);
        let upper = move |x| ops::image::crop_to_bounding_box(any(x), 0, 0, 2, 9);
        let shown = check(&sources().map(upper));
        // The JPEG that is cut short has these rows; without the rule, too.
        let of_jpegs = check(&sources().map(|x| ops::image::crop_to_bounding_box(decoded(x), 0, 0, 2, 9)));
        let errors = |shown: &[String]| shown.iter().filter(|line| line.starts_with("error")).count();
        assert_eq!(errors(&shown), errors(&of_jpegs), "{shown:?} {of_jpegs:?}");
        let scaled = move |x| {
            let image = ops::image::resize(any(x), [7, 9], "bilinear", false, false, false);
            ops::cast(ops::image::random_flip_left_right(image, 1), DType::UInt8)
        };
        check(&sources().map(scaled).ignore_errors().batch(3));
        check(&sources().map(any).map(|image| ops::image::central_crop(image, 0.5)));
        let as_png = |x| ops::image::encode_png(decoded(x), -1);
        check(&sources().map(as_png).map(scaled).ignore_errors().batch(3));
    }
    let line =
        sources().map(|x| ops::image::central_crop(ops::image::decode_image(x, 3, DType::UInt8, false), 0.5));
    assert!(line.explain().unwrap().to_string().contains("image.decode_image_as_needed"));
}

#[test]
fn fast_scaling_in_every_mode() {
    let fast = |bytes: Symbolic| {
        let image = decoded(bytes);
        let (scale, ratio) = ([0.3, 1.0], [0.75, 1.33]);
        let crop = |seed| {
            ops::image::random_resized_crop(&image, [5, 4], scale, ratio, "bilinear", false, true, seed)
        };
        let halves = ops::cast(ops::image::random_flip_left_right(crop(1), 3), DType::Float16);
        Symbolic::from((ops::transpose(halves, [2, 0, 1]), crop(2)))
    };
    check(&sources().repeat(2).map(fast).ignore_errors().batch(4));
    // What another map takes away changes no pixel of what is left.
    let with_others = |bytes: Symbolic| {
        let image = decoded(bytes);
        let small = ops::image::resize(&image, [4, 4], "area", false, false, true);
        Symbolic::from((small, ops::reduce_max(image, Attribute::None, false)))
    };
    check(&sources().map(with_others).map(|pair| pair.at(0)).ignore_errors());
    check(&sources().map(with_others).map(|pair| pair.at(0)).map(function_behind_decode_of_floats));
}

#[test]
fn sizes_and_factors_of_each_element_in_every_mode() {
    let half = |image: &Symbolic| ops::floordiv(ops::shape(image, DType::Int32).slice(..2), 2);
    let scaled = move |bytes: Symbolic| {
        let image = decoded(bytes);
        let size = half(&image);
        ops::image::resize(image, size, "bilinear", false, false, false)
    };
    check(&sources().map(scaled).ignore_errors());
    // Two maps, which the optimizer makes one of.
    let sized = move |image: Symbolic| {
        let size = half(&image);
        ops::image::random_flip_left_right(ops::image::central_crop(image, 0.5), 2)
            .after([ops::assert_greater(size, 0, "sizes")])
    };
    check(&sources().map(decoded).map(sized).ignore_errors());
    let drawn = |bytes: Symbolic| {
        let number = |seed| ops::random_uniform(Shape::scalar(), seed);
        let image = ops::image::central_crop(decoded(bytes), number(1) * 0.4 + 0.5);
        let side = ops::cast(number(2) * 9.0 + 4.0, DType::Int32);
        let image = ops::image::resize(
            image,
            ops::stack([&side, &side].map(Clone::clone), 0),
            "area",
            false,
            false,
            false,
        );
        let image = ops::image::adjust_contrast(ops::image::adjust_brightness(image, number(3)), number(4));
        ops::image::resize_with_crop_or_pad(image, 8, &side)
    };
    check(&sources().repeat(3).map(drawn).ignore_errors());
    // The size is one of the element's, and wrong in the second.
    let sizes = Dataset::from_tensor_slices(Tensor::from_vec(vec![3, 2], vec![4_i32, 5, 0, 5, 3, 2]));
    let files = Dataset::from_tensor_slices(images::files()).skip(3).take(3);
    let of_element =
        |pair: Symbolic| ops::image::resize(decoded(pair.at(0)), pair.at(1), "nearest", false, false, false);
    let shown = check(
        &Dataset::zip(&Structure::Tuple(vec![Structure::Leaf(files), Structure::Leaf(sizes)]))
            .map(of_element),
    );
    let errors: Vec<&String> = shown.iter().filter(|line| line.starts_with("error")).collect();
    assert_eq!(errors.len(), 1, "{shown:?}");
    assert!(errors[0].contains("image.resize: size has 0, it must be from 1"), "{shown:?}");
}

#[test]
fn fast_scaling_needs_the_image_as_it_is_decoded() {
    let scaled = |image: Symbolic| ops::image::resize(image, [4, 4], "area", false, false, true);
    let refused = |dataset: Dataset| dataset.explain().expect_err("it is refused").to_string();
    for dataset in [
        sources().map(decoded).map(scaled),
        sources().map(move |bytes| scaled(ops::image::central_crop(decoded(bytes), 0.5))),
        sources().map(move |bytes| scaled(ops::image::decode_jpeg(bytes, 3, 2, ""))),
    ] {
        let message = refused(dataset);
        assert!(message.contains("fast_scale is for images that decode_jpeg"), "{message}");
    }
}

#[test]
fn a_shape_that_is_all_that_is_used_needs_the_header_in_every_mode() {
    let is_wide = |bytes: Symbolic| ops::shape(decoded(bytes), DType::Int32).index(1).gt(60);
    let shown = check(&sources().filter(is_wide).map(|bytes| ops::shape(decoded(bytes), DType::Int64)));
    // What is cut short is wide, too, and nobody asks for its pixels.
    assert_eq!(shown.len(), 6, "{shown:?}");
    assert!(!shown.iter().any(|line| line.starts_with("error")), "{shown:?}");
    let png = ops::image::encode_png(Symbolic::from(Tensor::from_vec(vec![2, 3, 3], vec![7_u8; 18])), -1);
    let other = Dataset::range(1).map(move |_| ops::shape(decoded(png.clone()), DType::Int32));
    assert!(check(&other)[0].contains("[2, 3, 3]"), "{:?}", check(&other));
}

fn function_behind_decode_of_floats(image: Symbolic) -> Symbolic {
    ops::image::central_crop(ops::image::flip_up_down(image), 0.5)
}

fn function_behind_decode(image: Symbolic) -> Symbolic {
    ops::image::random_crop(ops::image::flip_up_down(image), [9, 9, 3], 3)
}

#[test]
fn damage_below_a_crop_is_no_error_in_any_mode() {
    let is_error = |line: &String| line.starts_with("error: ") && line.contains(": image.decode_jpeg: ");
    let upper = |image: Symbolic| ops::image::crop_to_bounding_box(image, 1, 2, 6, 7);
    let shown = check(&sources().map(|bytes| upper(decoded(bytes))));
    assert!(!shown.iter().any(is_error), "{shown:?}");
    // Its shape beside it is in the header.
    let beside = move |bytes| {
        let image = decoded(bytes);
        Symbolic::from((upper(image.clone()), ops::shape(image, DType::Int32)))
    };
    let shown = check(&sources().map(beside));
    assert!(!shown.iter().any(is_error), "{shown:?}");
    // Also if the box is computed.
    let computed = sources().map(|bytes: Symbolic| {
        let rows = ops::floordiv(ops::image::extract_jpeg_shape(&bytes, DType::Int32).index(0), 9);
        ops::image::crop_to_bounding_box(decoded(bytes), 0, 0, rows, 7)
    });
    let shown = check(&computed);
    assert!(!shown.iter().any(is_error), "{shown:?}");
    let running = computed.explain().unwrap().running().lines().join(" ");
    assert!(running.contains("as_needed"), "{running}");
    // Another map asks for the whole image, though the optimizer makes one of the two.
    let whole = sources().map(decoded).map(upper);
    let shown = check(&whole);
    assert_eq!(shown.iter().filter(|line| is_error(line)).count(), 1, "{shown:?}");
    let running = whole.explain().unwrap().running().lines().join(" ");
    assert!(running.contains("crop_to_bounding_box(image.decode_jpeg_as_needed(x0"), "{running}");
    // The first of two crops says what is needed, also if it is all but all of it, or if only its errors are left.
    let twice = |first: fn(Symbolic) -> Symbolic| {
        check(
            &sources()
                .map(move |bytes| first(decoded(bytes)))
                .map(|image| ops::image::central_crop(image, 0.5)),
        )
    };
    assert!(!twice(|image| ops::image::crop_to_bounding_box(image, 1, 2, 6, 7)).iter().any(is_error));
    assert_eq!(
        twice(|image| ops::image::flip_left_right(image)).iter().filter(|line| is_error(line)).count(),
        1
    );
    let unused = sources()
        .map(|bytes| Symbolic::from((decoded(bytes.clone()), bytes)))
        .map(|pair| ops::image::extract_jpeg_shape(pair.at(1), DType::Int32));
    assert_eq!(check(&unused).iter().filter(|line| is_error(line)).count(), 1);
    // Also if it is used there, too, and then dropped.
    let both = sources()
        .map(move |bytes| {
            let image = decoded(bytes);
            Symbolic::from((&image, upper(image.clone())))
        })
        .map(|pair| pair.at(1));
    assert_eq!(check(&both).iter().filter(|line| is_error(line)).count(), 1);
    // The operation that says it itself.
    let window = || Symbolic::from(feedline::data::block::Tensor::from_vec(vec![4], vec![1_i32, 2, 6, 7]));
    let shown = check(&sources().map(|bytes| ops::image::decode_and_crop_jpeg(bytes, window(), 3, 1, "")));
    assert!(shown.iter().all(|line| !line.starts_with("error")), "{shown:?}");
}

fn numbers(values: Vec<i32>) -> Symbolic {
    Symbolic::from(Tensor::from_vec(vec![values.len()], values))
}

fn normalized(image: Symbolic) -> Symbolic {
    let image = ops::image::resize(image, [6, 5], "bilinear", false, false, false);
    ops::image::normalize(ops::image::random_flip_left_right(image, 2), [120.0], [60.0])
}

#[test]
fn parts_that_are_drawn_in_every_mode() {
    // TensorFlow's recipe for ImageNet, in its two forms.
    let drawn = |image: &Symbolic, seed: i64| {
        let boxes = ops::zeros(Shape::fixed(&[1, 0, 4]), DType::Float32);
        let (aspects, areas) = ([0.75, 1.33], [0.05, 0.6]);
        let shape = ops::shape(image, DType::Int32);
        let part =
            ops::image::sample_distorted_bounding_box(shape, boxes, seed, 0.1, aspects, areas, 100, true);
        (part.at(0), part.at(1))
    };
    let sliced = move |bytes: Symbolic| {
        let image = decoded(bytes);
        let (begin, size) = drawn(&image, 7);
        normalized(ops::slice(image, begin, size))
    };
    let boxed = move |bytes: Symbolic| {
        let image = decoded(bytes);
        let (begin, size) = drawn(&image, 7);
        let [y, x, height, width] = [begin.index(0), begin.index(1), size.index(0), size.index(1)];
        normalized(ops::image::crop_to_bounding_box(image, y, x, height, width))
    };
    let first = check(&sources().repeat(2).map(sliced).ignore_errors().batch(3));
    assert_eq!(first, check(&sources().repeat(2).map(boxed).ignore_errors().batch(3)));
}

#[test]
fn parts_of_parts_in_every_mode() {
    let again = move |bytes: Symbolic| {
        let image = ops::image::central_crop(decoded(bytes), 0.8);
        let rows = ops::cast(ops::random_uniform(Shape::scalar(), 5) * 6.0 + 1.0, DType::Int32);
        let image = ops::slice(image, numbers(vec![1, 2, 0]), ops::stack([rows, 4.into(), (-1).into()], 0));
        Symbolic::from((normalized(image.clone()), ops::shape(image, DType::Int32)))
    };
    check(&sources().map(again).ignore_errors());
}

#[test]
fn parts_of_each_element_in_every_mode() {
    // Parts that are there for some only, and such that are none.
    let boxes =
        vec![0_i64, 0, 3, 4, 5, 6, 7, 100, 2, 2, 9, 9, -1, 0, 4, 4, 0, 0, 0, 3, 9, 1, 2, 2, 1, 1, 8, 8];
    let boxes = Dataset::from_tensor_slices(Tensor::from_vec(vec![7, 4], boxes));
    let pairs = Dataset::zip(&Structure::Tuple(vec![sources().into(), boxes.into()]));
    let of_element = |pair: Symbolic| {
        let [y, x, height, width] = [0, 1, 2, 3].map(|index| pair.at(1).index(index));
        ops::image::crop_to_bounding_box(decoded(pair.at(0)), y, x, height, width)
    };
    let shown = check(&pairs.map(of_element));
    assert_eq!(shown.iter().filter(|line| line.starts_with("error")).count(), 3, "{shown:?}");
    let rest = |pair: Symbolic| {
        let begin = ops::concat([pair.at(1).slice(..2), ops::zeros(Shape::fixed(&[1]), DType::Int64)], 0);
        ops::slice(decoded(pair.at(0)), begin, ops::cast(numbers(vec![-1, 3, 3]), DType::Int64))
    };
    check(&pairs.map(rest));
    // The values of a function around it.
    let nested = pairs.flat_map(|pair| {
        let given = pair.at(1);
        Dataset::from_tensors(pair.at(0))
            .map(move |bytes| ops::image::crop_to_bounding_box(decoded(bytes), given.index(0), 1, 3, 3))
    });
    check(&nested);
}

#[test]
fn slices_of_images_in_every_mode() {
    // Python's slices, also those of nothing, and beyond the image.
    for slices in [
        vec![Slice::from(2..9), Slice::from(1..)],
        vec![Slice::from(-12..-3), Slice::from(..7), Slice::ALL],
        vec![Slice::from(3..3)],
        vec![Slice::from(..500), Slice::from(4..900)],
        vec![Slice::from(2..9).by(2), Slice::from(1..)],
        vec![Slice::ALL, Slice::ALL, Slice::from(..2)],
    ] {
        let moved = move |bytes| ops::image::flip_up_down(decoded(bytes).slice(slices.clone()));
        check(&sources().map(moved).ignore_errors());
    }
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
fn images_of_absurd_size_are_dropped_by_their_header() {
    let mut bytes = images::files().strings().unwrap().get(0).to_vec();
    let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    bytes[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xdc, 0xff, 0xdc]);
    let absurd = || {
        Dataset::from_tensor_slices(Tensor::from_strings(vec![1], [bytes.as_slice()].into_iter().collect()))
    };
    let shape = |bytes: Symbolic| ops::image::extract_jpeg_shape(bytes, DType::Int32);
    let shown = check(&absurd().map(shape));
    assert!(shown.len() == 1 && shown[0].contains("65500, 65500, 3"), "{shown:?}");
    assert!(check(&absurd().filter(move |bytes| shape(bytes).index(0).lt(9000)).map(train)).is_empty());
    let shown = check(&absurd().map(train));
    assert!(shown.len() == 1 && shown[0].contains("expected at most"), "{shown:?}");
}

#[test]
fn other_formats_and_back() {
    let again = |bytes: Symbolic| {
        let image = ops::image::resize(decoded(bytes), [12, 13], "area", false, false, false);
        let image = ops::cast(image, DType::UInt8);
        let png = ops::image::decode_png(ops::image::encode_png(&image, -1), 3, DType::UInt8);
        let jpeg = ops::image::decode_image(
            ops::image::encode_jpeg(&image, "", 90, false, false, true, "in", 300, 300, ""),
            3,
            DType::UInt8,
            false,
        );
        let same = ops::reduce_all(png.eq(image), Attribute::None, false);
        Symbolic::from((same, ops::shape(jpeg, DType::Int32)))
    };
    let shown = check(&sources().map(again).ignore_errors());
    assert_eq!(shown.len(), 6);
    assert!(shown.iter().all(|line| line == &shown[0]), "{shown:?}");
}

#[test]
fn what_a_filter_of_headers_drops_is_not_decoded_in_any_mode() {
    let height = |bytes: Symbolic| ops::image::extract_jpeg_shape(bytes, DType::Int32).index(0);
    let is_error = |line: &&String| line.starts_with("error");
    // The one that is cut short is 45 high, and so is one that is whole.
    let kept = |dataset: Dataset| {
        let shown = check(&dataset.map(|x| ops::shape(x.at(0), DType::Int32)));
        assert_eq!(shown.iter().filter(is_error).count(), 0, "{shown:?}");
        shown.len()
    };
    let with_bytes = || sources().map(|x| Symbolic::from((decoded(x.clone()), x)));
    let num_lower = kept(with_bytes().filter(move |x| height(x.at(1)).lt(45)));
    assert!((1..images::FILES.len() - 1).contains(&num_lower), "{num_lower}");
    // The same where the header is looked at first, and where a later map stands between.
    let before = sources().filter(move |x| height(x).lt(45)).map(|x| Symbolic::from((decoded(x.clone()), x)));
    assert_eq!(kept(before), num_lower);
    let scaled = with_bytes().map(move |x| {
        let small = ops::image::resize(x.at(0), [4, 4], "bilinear", false, false, false);
        Symbolic::from((small, height(x.at(1))))
    });
    assert_eq!(kept(scaled.filter(|x| x.at(1).lt(45))), num_lower);
    // Of what passes damage is an error, as ever; and it is where pixels are asked for.
    for dataset in [
        with_bytes().filter(move |x| height(x.at(1)).gt(40)),
        with_bytes().filter(|x| ops::shape(x.at(0), DType::Int32).index(0).lt(40)),
    ] {
        let shown = check(&dataset.map(|x| ops::shape(x.at(0), DType::Int32)));
        assert_eq!(shown.iter().filter(is_error).count(), 1, "{shown:?}");
    }
}

/// A JPEG of the tests whose header says that it has so many rows and columns.
fn claiming(name: &str, frame: u8, size: u16) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../feedline-image/tests/jpegs");
    let mut bytes = std::fs::read(format!("{folder}/{name}.jpg")).unwrap();
    let header = bytes.windows(2).position(|pair| pair == [0xff, frame]).unwrap();
    bytes[header + 5..header + 7].copy_from_slice(&size.to_be_bytes());
    bytes[header + 7..header + 9].copy_from_slice(&size.to_be_bytes());
    bytes
}

#[test]
fn an_image_larger_than_the_budget_is_refused_before_it_is_decoded() {
    let first = |bytes: &[u8], function: fn(Symbolic) -> Symbolic, budget: u64| {
        let source = Tensor::from_strings(vec![1], [bytes].iter().collect());
        let options = Options::new().memory_budget(budget);
        let dataset = Dataset::from_tensor_slices(source).map(function).with_options(options);
        dataset.iterator().unwrap().next().unwrap().map(|_| ()).map_err(|error| error.to_string())
    };
    let corner = |bytes| ops::image::crop_to_bounding_box(decoded(bytes), 0, 0, 4, 4);
    let any = |bytes| ops::image::decode_image(bytes, 3, DType::UInt8, false);
    let (plain, progressive) = (claiming("444-67x45", 0xc0, 3000), claiming("444-progressive", 0xc2, 3000));
    // 27 MB of pixels; of a progressive image as much again, and coefficients.
    for (what, bytes, function, needed) in [
        ("whole", &plain, decoded as fn(Symbolic) -> Symbolic, Some(27_000_000_u64)),
        ("any format", &plain, any, Some(27_000_000)),
        ("progressive", &progressive, decoded, Some(135_000_000)),
        ("progressive, cropped", &progressive, corner, Some(135_000_000)),
        ("cropped", &plain, corner, None),
    ] {
        let found = first(bytes, function, 16 << 20);
        match needed {
            Some(needed) => {
                let error = found.unwrap_err();
                let expected = format!("an element has {needed} bytes, the memory budget is 16777216 bytes");
                assert!(error.contains(&expected), "{what}: {error}");
            }
            None => assert!(found.is_ok(), "{what}: {found:?}"),
        }
    }
    let error = first(&progressive, corner, 200 << 20).unwrap_err();
    assert!(error.contains("the data ends before the last row of pixels"), "{error}");
    let error = first(&plain, decoded, 200 << 20).unwrap_err();
    assert!(error.contains("3000 x 3000 take ") && error.contains(" bytes at least, found "), "{error}");
    // Each frame is small, all of them are not: 100 of 300 x 300.
    let head = *b"GIF89a\x2c\x01\x2c\x01\x80\0\0\x01\x02\x03\x04\x05\x06";
    let gif = [&head[..], &b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0".repeat(100), b";"].concat();
    let all = |bytes| ops::image::decode_gif(bytes);
    let error = first(&gif, all, 16 << 20).unwrap_err();
    assert!(error.contains("an element has 27000000 bytes, the memory budget is 16777216 bytes"), "{error}");
    assert!(first(&gif, all, 200 << 20).is_ok());
    assert!(first(&gif, any, 16 << 20).is_ok(), "the first frame is all that is asked for");
}
