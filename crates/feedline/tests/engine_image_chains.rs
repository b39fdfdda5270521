//! Random chains of operations behind a decoded image: what is computed along with decoding, in one pass, gives the same values and the same
//! errors as the operations one by one, whichever rules of the optimizer are on.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use engine_support::show_all;
use feedline::data::DType;
use feedline::data::block::Tensor;
use feedline::image::{JpegOptions, encode_jpeg, encode_png};
use feedline::plan::expr::{Attribute, Slice};
use feedline::plan::optimize::RULES;
use feedline::{Dataset, Options, Symbolic, ops};
use proptest::prelude::*;

/// A file with an image, or what is left of one.
#[derive(Clone, Debug)]
struct File {
    height: usize,
    width: usize,
    channels: usize,
    options: (u8, bool, bool, bool),
    seed: u32,
    harm: Harm,
}

#[derive(Clone, Debug)]
enum Harm {
    None,
    /// Not a JPEG.
    Png,
    /// Only so many thousandths of the file.
    CutTo(usize),
    /// That thousandth is another byte.
    Byte(usize, u8),
    Nothing,
}

impl File {
    fn bytes(&self) -> Vec<u8> {
        let File { height, width, channels, .. } = *self;
        // Waves with noise, so that coefficients of all kinds occur; and values at both limits.
        let mut state = self.seed | 1;
        let pixels: Vec<u8> = (0..height * width * channels)
            .map(|index| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let wave = (index % (width * channels) * 7 + index / (width * channels) * 11) as u32;
                let noise = (state >> 24) & (self.seed & 0xff);
                (wave + noise).min(400).saturating_sub(60).min(255) as u8
            })
            .collect();
        let (quality, chroma_at_half_size, is_progressive, optimizes_size) = self.options;
        let options = JpegOptions {
            chroma_at_half_size,
            is_progressive,
            optimizes_size,
            ..JpegOptions::of_quality(quality)
        };
        let jpeg = || encode_jpeg(&pixels, height, width, channels, &options).unwrap();
        match self.harm {
            Harm::None => jpeg(),
            Harm::Png => encode_png(&pixels, false, height, width, channels, None).unwrap(),
            Harm::CutTo(thousandths) => {
                let jpeg = jpeg();
                jpeg[..jpeg.len() * thousandths / 1000].to_vec()
            }
            Harm::Byte(thousandths, byte) => {
                let mut jpeg = jpeg();
                let at = jpeg.len() * thousandths / 1000;
                jpeg[at] = byte;
                jpeg
            }
            Harm::Nothing => Vec::new(),
        }
    }
}

fn file() -> impl Strategy<Value = File> {
    let harm = prop_oneof![
        6 => Just(Harm::None),
        1 => Just(Harm::Png),
        2 => (300..1000_usize).prop_map(Harm::CutTo),
        1 => ((300..1000_usize), any::<u8>()).prop_map(|(at, byte)| Harm::Byte(at, byte)),
        1 => Just(Harm::Nothing),
    ];
    let size = prop_oneof![1..50_usize, Just(16), Just(33)];
    let channels = prop_oneof![1 => Just(1_usize), 4 => Just(3)];
    let options = (10..100_u8, any::<bool>(), prop::bool::weighted(0.15), any::<bool>());
    (size.clone(), size, channels, options, any::<u32>(), harm).prop_map(
        |(height, width, channels, options, seed, harm)| File {
            height,
            width,
            channels,
            options,
            seed,
            harm,
        },
    )
}

#[derive(Clone, Debug)]
enum Decoding {
    Jpeg { channels: i64, ratio: i64 },
    Any { channels: i64, expands: bool },
}

impl Decoding {
    fn of(&self, bytes: Symbolic) -> Symbolic {
        match *self {
            Decoding::Jpeg { channels, ratio } => ops::image::decode_jpeg(bytes, channels, ratio, ""),
            Decoding::Any { channels, expands } => {
                ops::image::decode_image(bytes, channels, DType::UInt8, expands)
            }
        }
    }
}

fn decoding() -> impl Strategy<Value = Decoding> {
    let channels = prop_oneof![1 => Just(0_i64), 1 => Just(1), 4 => Just(3)];
    let ratio = prop_oneof![6 => Just(1_i64), 1 => Just(2)];
    prop_oneof![
        3 => (channels.clone(), ratio).prop_map(|(channels, ratio)| Decoding::Jpeg { channels, ratio }),
        // Of animations there are none here; that the pictures of one may be a dimension leaves the shape open.
        1 => (channels, any::<bool>()).prop_map(|(channels, expands)| Decoding::Any { channels, expands }),
    ]
}

/// What is done to an image.
#[derive(Clone, Debug)]
enum Change {
    Resize { size: (i64, i64), method: &'static str, antialias: bool, keeps_ratio: bool },
    ResizeShorter { size: i64, method: &'static str },
    RandomResizedCrop { size: (i64, i64), method: &'static str, antialias: bool },
    CentralCrop(f64),
    Box(i32, i32, i32, i32),
    Slice([i32; 3], [i32; 3]),
    Rows(i64, i64, i64, i64),
    RandomCrop(i64, i64, i64),
    CropOrPad(i64, i64),
    Flip { left_right: bool, is_random: bool },
    Normalize { mean: f64, std: f64, is_per_channel: bool },
    Cast(DType),
    Round,
    Clip(f32, f32),
    Convert { dtype: DType, saturate: bool },
    Transpose,
    Standardize,
}

impl Change {
    fn of(&self, image: Symbolic, seed: i64) -> Symbolic {
        let numbers = |numbers: [i32; 3]| Symbolic::from(Tensor::from_vec(vec![3], numbers.to_vec()));
        match *self {
            Change::Resize { size: (height, width), method, antialias, keeps_ratio } => {
                ops::image::resize(image, [height, width], method, keeps_ratio, antialias, false)
            }
            Change::ResizeShorter { size, method } => {
                ops::image::resize(image, Attribute::Int(size), method, false, false, false)
            }
            Change::RandomResizedCrop { size: (height, width), method, antialias } => {
                let (scale, ratio) = ([0.1, 1.0], [0.75, 1.33]);
                ops::image::random_resized_crop(
                    image,
                    [height, width],
                    scale,
                    ratio,
                    method,
                    antialias,
                    false,
                    seed,
                )
            }
            Change::CentralCrop(fraction) => ops::image::central_crop(image, fraction),
            Change::Box(y, x, height, width) => ops::image::crop_to_bounding_box(image, y, x, height, width),
            Change::Slice(begin, size) => ops::slice(image, numbers(begin), numbers(size)),
            Change::Rows(top, bottom, left, right) => image.slice(vec![
                Slice::Range { begin: Some(top), end: Some(bottom), step: 1 },
                Slice::Range { begin: Some(left), end: Some(right), step: 1 },
            ]),
            Change::RandomCrop(height, width, channels) => {
                ops::image::random_crop(image, [height, width, channels], seed)
            }
            Change::CropOrPad(height, width) => ops::image::resize_with_crop_or_pad(image, height, width),
            Change::Flip { left_right: true, is_random: true } => {
                ops::image::random_flip_left_right(image, seed)
            }
            Change::Flip { left_right: true, .. } => ops::image::flip_left_right(image),
            Change::Flip { is_random: true, .. } => ops::image::random_flip_up_down(image, seed),
            Change::Flip { .. } => ops::image::flip_up_down(image),
            Change::Normalize { mean, std, is_per_channel: true } => {
                ops::image::normalize(image, [mean, mean + 1.5, mean - 20.0], [std, std * 1.5, std])
            }
            Change::Normalize { mean, std, .. } => ops::image::normalize(image, [mean], [std]),
            Change::Cast(dtype) => ops::cast(image, dtype),
            Change::Round => ops::round(image),
            Change::Clip(low, high) => ops::clip_by_value(image, low, high),
            Change::Convert { dtype, saturate } => ops::image::convert_image_dtype(image, dtype, saturate),
            Change::Transpose => ops::transpose(image, [2, 0, 1]),
            Change::Standardize => ops::image::per_image_standardization(image),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let method =
        || prop::sample::select(vec!["nearest", "bilinear", "bicubic", "area", "lanczos3", "gaussian"]);
    let size = || (1..40_i64, 1..40_i64);
    let dtype = || {
        prop_oneof![
            4 => Just(DType::UInt8),
            3 => Just(DType::Float32),
            1 => Just(DType::Float16),
            1 => Just(DType::BFloat16),
            1 => Just(DType::Int32),
        ]
    };
    let place = || -2..30_i32;
    prop_oneof![
        4 => (size(), method(), any::<bool>(), prop::bool::weighted(0.2)).prop_map(
            |(size, method, antialias, keeps_ratio)| Change::Resize { size, method, antialias, keeps_ratio }
        ),
        1 => (1..40_i64, method()).prop_map(|(size, method)| Change::ResizeShorter { size, method }),
        2 => (size(), method(), any::<bool>())
            .prop_map(|(size, method, antialias)| Change::RandomResizedCrop { size, method, antialias }),
        1 => (0.1..1.0_f64).prop_map(Change::CentralCrop),
        1 => (0..9, 0..9, 1..20, 1..20).prop_map(|(y, x, height, width)| Change::Box(y, x, height, width)),
        1 => (0..9, 0..9, -1..20, -1..20)
            .prop_map(|(y, x, height, width)| Change::Slice([y, x, 0], [height, width, -1])),
        1 => (place(), place(), place(), place())
            .prop_map(|(a, b, c, d)| Change::Rows(a.into(), b.into(), c.into(), d.into())),
        1 => (1..20_i64, 1..20_i64, prop_oneof![1 => Just(1_i64), 4 => Just(3)])
            .prop_map(|(height, width, channels)| Change::RandomCrop(height, width, channels)),
        1 => size().prop_map(|(height, width)| Change::CropOrPad(height, width)),
        3 => (any::<bool>(), any::<bool>())
            .prop_map(|(left_right, is_random)| Change::Flip { left_right, is_random }),
        3 => (-10.0..200.0_f64, prop_oneof![4 => 0.2..90.0_f64, 1 => Just(-3.0)], any::<bool>())
            .prop_map(|(mean, std, is_per_channel)| Change::Normalize { mean, std, is_per_channel }),
        4 => dtype().prop_map(Change::Cast),
        3 => Just(Change::Round),
        3 => (-50.0..150.0_f32, 0.0..400.0_f32).prop_map(|(low, high)| Change::Clip(low, high)),
        3 => (dtype(), any::<bool>()).prop_map(|(dtype, saturate)| Change::Convert { dtype, saturate }),
        1 => Just(Change::Transpose),
        1 => Just(Change::Standardize),
    ]
}

/// All that a dataset gives; `None` if its plan is refused: not every type can be computed with.
fn shown(dataset: &Dataset, options: Options) -> Option<Vec<String>> {
    let items = dataset.clone().with_options(options).iterator_of(0).ok()?;
    Some(items.map(|item| show_all(&item)).collect())
}

proptest! {
    #[test]
    fn a_chain_behind_a_decoded_image_is_the_same_in_one_pass_and_step_by_step(
        files in prop::collection::vec(file(), 1..4),
        decoding in decoding(),
        changes in prop::collection::vec(change(), 1..6),
        split in prop::option::of(0..6_usize),
        batch_size in prop::option::of(1..4_usize),
    ) {
        let bytes: Vec<Vec<u8>> = files.iter().map(File::bytes).collect();
        let bytes = Tensor::from_strings(vec![bytes.len()], bytes.iter().map(Vec::as_slice).collect());
        let (first, second) = changes.split_at(split.unwrap_or(changes.len()).min(changes.len()));
        let chain = |image: Symbolic, changes: &[Change], seed: i64| {
            changes.iter().zip(seed..).fold(image, |image, (change, seed)| change.of(image, seed))
        };
        let first = first.to_vec();
        let mut dataset = Dataset::from_tensor_slices(bytes)
            .map(move |bytes| chain(decoding.of(bytes), &first, 1));
        if split.is_some() {
            let second = second.to_vec();
            dataset = dataset.map(move |image| chain(image, &second, 100));
        }
        if let Some(size) = batch_size {
            dataset = dataset.batch(size);
        }
        let plain = Options::new().threads(0).optimizer(false);
        let expected = shown(&dataset, plain);
        if expected.is_none() {
            return Ok(());
        }
        for threads in [0, 2] {
            let all = Options::new().threads(threads);
            prop_assert_eq!(&shown(&dataset, all), &expected, "{} threads", threads);
        }
        for rule in RULES {
            let others = Options::new().threads(0).without_rule(rule.name()).unwrap();
            prop_assert_eq!(&shown(&dataset, others), &expected, "without {}", rule.name());
        }
    }
}
