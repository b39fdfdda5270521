//! Images: kernels over the pixels of each row. What they compute is `feedline-image`'s; here rows come and go.

mod adjust;
mod affine;
mod apply_orientation;
mod brightness;
mod central_crop;
mod changes;
mod colours;
mod contrast;
mod convert_image_dtype;
mod crop;
mod crop_and_resize;
mod crop_to_bounding_box;
mod cutmix;
mod decode;
mod decode_and_crop_jpeg;
mod decode_bmp;
mod decode_gif;
mod decode_image;
mod decode_jpeg;
mod decode_png;
mod decode_webp;
mod decoded_jpeg_shape;
mod each;
mod encode;
mod encode_jpeg;
mod encode_png;
mod erase;
mod exif_orientation;
mod extract_jpeg_shape;
mod flip;
mod gamma;
mod gaussian_blur;
mod given;
mod grayscale_to_rgb;
mod hsv;
mod hue;
mod is_jpeg;
mod jpeg_quality;
mod mix;
mod mixup;
mod normalize;
mod normalized;
mod pad_to_bounding_box;
mod per_image_standardization;
pub(super) mod pixels;
mod put;
mod random;
mod random_crop;
mod random_cutout;
mod random_erasing;
mod random_flip;
mod random_resized_crop;
mod random_rot90;
mod recipes;
mod resize;
mod resize_with_crop_or_pad;
mod resize_with_pad;
mod rgb_to_grayscale;
mod room;
mod rot90;
mod rotate;
mod sample_distorted_bounding_box;
mod saturation;
mod scaling;
pub(super) mod stages;
mod tables;
mod views;
mod warp;

use feedline_data::Native;
use feedline_data::block::Column;
use feedline_image::ImageError;

use super::rows::RowsOf;
use super::{Arguments, Kernel};
use crate::fits::too_large;

/// The kernels of operations that the optimizer makes.
pub(super) const MADE: &[(&str, Kernel)] = &[
    ("image.decode_jpeg_as_needed", decode_jpeg::decode_jpeg),
    ("image.decode_image_as_needed", decode_image::decode_image),
    ("image.decoded_jpeg_shape", decoded_jpeg_shape::decoded_jpeg_shape),
];

/// The kernel of each operation of images.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("image.decode_jpeg", decode_jpeg::decode_jpeg),
    ("image.decode_and_crop_jpeg", decode_and_crop_jpeg::decode_and_crop_jpeg),
    ("image.decode_png", decode_png::decode_png),
    ("image.decode_gif", decode_gif::decode_gif),
    ("image.decode_bmp", decode_bmp::decode_bmp),
    ("image.decode_webp", decode_webp::decode_webp),
    ("image.decode_image", decode_image::decode_image),
    ("image.extract_jpeg_shape", extract_jpeg_shape::extract_jpeg_shape),
    ("image.exif_orientation", exif_orientation::exif_orientation),
    ("image.is_jpeg", is_jpeg::is_jpeg),
    ("image.encode_jpeg", encode_jpeg::encode_jpeg),
    ("image.encode_png", encode_png::encode_png),
    ("image.resize", resize::resize),
    ("image.resize_with_pad", resize_with_pad::resize_with_pad),
    ("image.random_resized_crop", random_resized_crop::random_resized_crop),
    ("image.resize_with_crop_or_pad", resize_with_crop_or_pad::resize_with_crop_or_pad),
    ("image.central_crop", central_crop::central_crop),
    ("image.crop_to_bounding_box", crop_to_bounding_box::crop_to_bounding_box),
    ("image.pad_to_bounding_box", pad_to_bounding_box::pad_to_bounding_box),
    ("image.random_crop", random_crop::random_crop),
    ("image.flip_left_right", flip::flip_left_right),
    ("image.flip_up_down", flip::flip_up_down),
    ("image.rot90", rot90::rot90),
    ("image.apply_orientation", apply_orientation::apply_orientation),
    ("image.crop_and_resize", crop_and_resize::crop_and_resize),
    ("image.sample_distorted_bounding_box", sample_distorted_bounding_box::sample_distorted_bounding_box),
    ("image.random_flip_left_right", random_flip::random_flip_left_right),
    ("image.random_flip_up_down", random_flip::random_flip_up_down),
    ("image.convert_image_dtype", convert_image_dtype::convert_image_dtype),
    ("image.normalize", normalize::normalize),
    ("image.per_image_standardization", per_image_standardization::per_image_standardization),
    ("image.rgb_to_grayscale", rgb_to_grayscale::rgb_to_grayscale),
    ("image.grayscale_to_rgb", grayscale_to_rgb::grayscale_to_rgb),
    ("image.rgb_to_hsv", hsv::rgb_to_hsv),
    ("image.hsv_to_rgb", hsv::hsv_to_rgb),
    ("image.adjust_brightness", brightness::adjust_brightness),
    ("image.adjust_contrast", contrast::adjust_contrast),
    ("image.adjust_saturation", saturation::adjust_saturation),
    ("image.adjust_hue", hue::adjust_hue),
    ("image.adjust_gamma", gamma::adjust_gamma),
    ("image.adjust_jpeg_quality", jpeg_quality::adjust_jpeg_quality),
    ("image.random_brightness", brightness::random_brightness),
    ("image.random_contrast", contrast::random_contrast),
    ("image.random_saturation", saturation::random_saturation),
    ("image.random_hue", hue::random_hue),
    ("image.random_rot90", random_rot90::random_rot90),
    ("image.random_gamma", gamma::random_gamma),
    ("image.random_jpeg_quality", jpeg_quality::random_jpeg_quality),
    ("image.invert", tables::invert),
    ("image.solarize", tables::solarize),
    ("image.posterize", tables::posterize),
    ("image.equalize", tables::equalize),
    ("image.autocontrast", tables::autocontrast),
    ("image.adjust_sharpness", tables::adjust_sharpness),
    ("image.random_invert", tables::random_invert),
    ("image.random_solarize", tables::random_solarize),
    ("image.random_posterize", tables::random_posterize),
    ("image.random_equalize", tables::random_equalize),
    ("image.random_autocontrast", tables::random_autocontrast),
    ("image.random_adjust_sharpness", tables::random_adjust_sharpness),
    ("image.gaussian_blur", gaussian_blur::gaussian_blur),
    ("image.random_gaussian_blur", gaussian_blur::random_gaussian_blur),
    ("image.affine", affine::affine),
    ("image.rotate", rotate::rotate),
    ("image.random_affine", affine::random_affine),
    ("image.random_rotation", rotate::random_rotation),
    ("image.random_erasing", random_erasing::random_erasing),
    ("image.random_cutout", random_cutout::random_cutout),
    ("image.rand_augment", recipes::rand_augment),
    ("image.trivial_augment_wide", recipes::trivial_augment_wide),
    ("image.auto_augment", recipes::auto_augment),
    ("image.mixup", mixup::mixup),
    ("image.cutmix", cutmix::cutmix),
];

/// Why a row has no result.
#[derive(Debug)]
pub(super) enum Failure {
    /// What is wrong with it.
    Data { message: String, hint: Option<String> },
    /// It takes more bytes than there may be.
    TooLarge { bytes: u64, limit_bytes: u64 },
}

impl Failure {
    /// Refuses what takes more bytes than all the memory there is, where that is known.
    fn if_too_large(bytes: u64, limit_bytes: Option<u64>) -> Result<(), Failure> {
        match limit_bytes {
            Some(limit_bytes) if bytes > limit_bytes => Err(Failure::TooLarge { bytes, limit_bytes }),
            _ => Ok(()),
        }
    }
}

impl Failure {
    /// Makes `row` an error.
    fn tell(self, arguments: &mut Arguments<'_>, row: usize) {
        match self {
            Failure::Data { message, hint } => arguments.fail_with_hint(row, &message, hint),
            Failure::TooLarge { bytes, limit_bytes } => {
                let step = arguments.call.name_as_written();
                let number = arguments.call.step;
                let error = || too_large(&step, bytes, limit_bytes).of_step(number).into_row_error();
                arguments.failures.entry(row).or_insert_with(error);
            }
        }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Data { message, hint: None }
    }
}

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Failure {
        let text = error.to_string();
        let message = text.split_once("\nhint: ").map_or(text.as_str(), |(message, _)| message).to_owned();
        Failure::Data { message, hint: error.hint().map(str::to_owned) }
    }
}

/// Images of a row: height, width and channels, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dims {
    pub(super) count: usize,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
}

impl Dims {
    pub(super) fn of(shape: &[usize]) -> Result<Dims, Failure> {
        let [outer @ .., height, width, channels] = shape else {
            return Err(format!("takes height, width and channels, not shape {shape:?}").into());
        };
        Ok(Dims { count: outer.iter().product(), height: *height, width: *width, channels: *channels })
    }

    /// Values of one image.
    pub(super) fn len(&self) -> usize {
        self.height * self.width * self.channels
    }
}

/// The bytes of row `row`, if it has not failed before.
fn bytes_of<'a>(source: &RowsOf<'a>, row: usize) -> Result<&'a [u8], Failure> {
    let strings = source.column().strings();
    let index = source.range(row).next();
    match strings.zip(index) {
        Some((strings, index)) => Ok(strings.get(index)),
        None => Err("there are no bytes".to_owned().into()),
    }
}

/// As [`each_row`], of rows that may be large: `begin` says how many values the row comes to, which are asked for before `finish` makes them.
fn each_row_asked<T: Native, Begun>(
    arguments: &mut Arguments<'_>,
    mut begin: impl FnMut(usize) -> Result<(Begun, usize), Failure>,
    mut finish: impl FnMut(Begun, &mut Vec<T>) -> Result<Vec<usize>, Failure>,
) -> Column {
    let asked_from_bytes = arguments.asked_from_bytes();
    let mut values = Vec::new();
    let mut shapes = Vec::with_capacity(arguments.rows);
    for index in 0..arguments.rows {
        let before = values.len();
        let made = begin(index).and_then(|(begun, num_values)| {
            let bytes = before.saturating_add(num_values).saturating_mul(size_of::<T>());
            if bytes > asked_from_bytes && !arguments.admits(index, bytes) {
                return Ok(None);
            }
            finish(begun, &mut values).map(Some)
        });
        match made {
            Ok(Some(shape)) => shapes.push(shape),
            Ok(None) => break,
            Err(failure) => {
                values.truncate(before);
                shapes.push(vec![0]);
                failure.tell(arguments, index);
            }
        }
        // What was not said before, or is more.
        if !arguments.admits(index, size_of_val(&values[..])) {
            break;
        }
    }
    Column::from_vec(vec![], values.len(), values).with_shapes(shapes)
}

/// What `row` makes of each row: it adds values and says their shape.
fn each_row<T: Native>(
    arguments: &mut Arguments<'_>,
    mut row: impl FnMut(usize, &mut Vec<T>) -> Result<Vec<usize>, Failure>,
) -> Column {
    let mut values = Vec::new();
    let mut shapes = Vec::with_capacity(arguments.rows);
    for index in 0..arguments.rows {
        let before = values.len();
        match row(index, &mut values) {
            Ok(shape) => shapes.push(shape),
            Err(failure) => {
                values.truncate(before);
                shapes.push(vec![0]);
                failure.tell(arguments, index);
            }
        }
        if !arguments.admits(index, size_of_val(&values[..])) {
            break;
        }
    }
    Column::from_vec(vec![], values.len(), values).with_shapes(shapes)
}
