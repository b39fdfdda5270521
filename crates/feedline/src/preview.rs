//! A contact sheet: what augmentations make of images, as a picture to look at.
//!
//! A row for each image: first as it is, cut to a square, then what the chain of augmentations makes of it, again and again with other draws. What is
//! seen is what a pipeline with the same chain gives: the same operations, drawn by the same rule.

use std::ffi::OsString;
use std::path::PathBuf;

use feedline_data::block::Tensor;
use feedline_image::encode_png;
use feedline_io::AtomicFile;
use feedline_plan::{Symbolic, ops};

use crate::error::{Error, Result};
use crate::image_inputs::{any_image, images_of};

/// What to show.
#[derive(Clone, Debug)]
pub struct PreviewOptions {
    /// Patterns of record files, or folders of images.
    pub inputs: Vec<OsString>,
    /// The feature of records that holds the image; none for the only one that does.
    pub image: Option<String>,
    /// What is done to each image, in this order.
    pub augmentations: Vec<Augmentation>,
    /// Images, a row each.
    pub num_images: usize,
    /// Draws for each, beside the image itself.
    pub num_draws: usize,
    /// The side of a picture, in pixels.
    pub side: u32,
    /// Other draws for another number.
    pub seed: i64,
    /// The PNG to write.
    pub out: PathBuf,
}

/// What can be done to an image, by the names that users give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Augmentation {
    /// A random part, scaled: the crop of `ImageNet` training.
    Crop,
    /// Left and right exchanged, or not.
    Flip,
    /// Brightness, contrast, saturation and hue, each a little.
    Color,
    /// `RandAugment`: two changes of fourteen.
    RandAugment,
    /// `TrivialAugmentWide`: one change, of any strength.
    TrivialAugment,
    /// `AutoAugment`'s pairs for `ImageNet`.
    AutoAugment,
    /// A turn of up to 30 degrees.
    Rotate,
    /// A blur of random width.
    Blur,
    /// A part that is blank.
    Erase,
}

impl Augmentation {
    /// All of them, with the names that users give.
    pub const ALL: [(&'static str, Augmentation); 9] = [
        ("crop", Augmentation::Crop),
        ("flip", Augmentation::Flip),
        ("color", Augmentation::Color),
        ("randaugment", Augmentation::RandAugment),
        ("trivialaugment", Augmentation::TrivialAugment),
        ("autoaugment", Augmentation::AutoAugment),
        ("rotate", Augmentation::Rotate),
        ("blur", Augmentation::Blur),
        ("erase", Augmentation::Erase),
    ];

    /// It as an operation on an image of uint8.
    fn apply(self, image: Symbolic, side: i64, seed: i64) -> Symbolic {
        use ops::image as on;
        match self {
            Augmentation::Crop => {
                let (scale, ratio) = ([0.08, 1.0], [0.75, 4.0 / 3.0]);
                bytes(on::random_resized_crop(
                    image,
                    [side, side],
                    scale,
                    ratio,
                    "bilinear",
                    true,
                    false,
                    seed,
                ))
            }
            Augmentation::Flip => on::random_flip_left_right(image, seed),
            Augmentation::Color => {
                let image = on::random_brightness(image, 0.2, seed);
                let image = on::random_contrast(image, 0.7, 1.3, seed + 1);
                let image = on::random_saturation(image, 0.6, 1.4, seed + 2);
                on::random_hue(image, 0.05, seed + 3)
            }
            Augmentation::RandAugment => on::rand_augment(image, 2, 9, 31, "bilinear", [128.0], seed),
            Augmentation::TrivialAugment => on::trivial_augment_wide(image, 31, "bilinear", [128.0], seed),
            Augmentation::AutoAugment => on::auto_augment(image, "bilinear", [128.0], seed),
            Augmentation::Rotate => {
                let center = feedline_plan::expr::Attribute::None;
                on::random_rotation(image, [-30.0, 30.0], "bilinear", false, center, [128.0], seed)
            }
            Augmentation::Blur => on::random_gaussian_blur(image, [9, 9], [0.1, 3.0], seed),
            Augmentation::Erase => on::random_erasing(image, 1.0, [0.05, 0.3], [0.3, 3.3], [128.0], seed),
        }
    }
}

/// Floats from 0 to 255 as bytes.
fn bytes(image: Symbolic) -> Symbolic {
    ops::cast(ops::clip_by_value(ops::round(image), 0.0, 255.0), feedline_data::DType::UInt8)
}

/// Pixels between pictures.
const GAP: usize = 4;
/// What is there: nearly white.
const PAPER: u8 = 245;
/// More pixels than this on either side nobody looks at.
const MAX_SHEET_SIDE: usize = 20_000;

/// What is on a sheet.
#[derive(Clone, Debug)]
pub struct Previewed {
    /// Images, a row each.
    pub num_images: usize,
    /// Why others that came before the last of them are not there: which they are, and what is wrong with them.
    pub left_out: Vec<String>,
}

/// After so many images that cannot be shown, and not one that can, the rest will be no better.
const MAX_FIRST_ERRORS: usize = 1000;

/// Writes the sheet. Images that cannot be decoded are left out.
///
/// # Errors
/// If there is no image to be had, or the sheet cannot be written.
pub fn preview(options: &PreviewOptions) -> Result<Previewed> {
    let side = i64::from(options.side);
    let (chain, seed, num_draws) = (options.augmentations.clone(), options.seed, options.num_draws);
    let row = move |contents: Symbolic| {
        let image = any_image(contents);
        let draw = |number: usize| {
            // Each draw and each operation has a seed of its own.
            let seed = |place: usize| seed.wrapping_add(((number * 64 + place) * 8) as i64);
            let changed = chain.iter().enumerate();
            let changed =
                changed.fold(image.clone(), |image, (place, change)| change.apply(image, side, seed(place)));
            square(changed, side)
        };
        let pictures = std::iter::once(square(image.clone(), side)).chain((0..num_draws).map(draw));
        ops::stack(pictures, 0)
    };
    let rows = images_of(&options.inputs, options.image.as_deref())?.map(row).check()?;
    let (mut pictures, mut left_out) = (Vec::new(), Vec::new());
    let mut rows = rows.iterator()?;
    while pictures.len() < options.num_images {
        match rows.next() {
            Some(Ok(row)) => pictures.push(row),
            Some(Err(error)) if pictures.is_empty() && left_out.len() == MAX_FIRST_ERRORS => {
                return Err(error.into());
            }
            Some(Err(error)) => left_out.push(error),
            None => break,
        }
    }
    if pictures.is_empty() {
        return Err(left_out.into_iter().next().map_or_else(
            || Error::Argument {
                message: "there is no image to show: the input has no element".to_owned(),
                hint: "`feedline inspect` shows what is in files".to_owned(),
            },
            Error::from,
        ));
    }
    let tensors: Vec<&Tensor> = pictures.iter().map(|row| row.leaves()[0]).collect();
    let sheet = Sheet::of(&tensors, options)?;
    let png = encode_png(&sheet.pixels, false, sheet.height, sheet.width, 3, None).map_err(|error| {
        Error::Argument {
            message: format!("the sheet cannot be written: {error}"),
            hint: "show fewer or smaller images".to_owned(),
        }
    })?;
    let mut file = AtomicFile::create(&options.out)?;
    file.write_all(&png)?;
    file.commit()?;
    let left_out = left_out.iter().map(ToString::to_string).collect();
    Ok(Previewed { num_images: tensors.len(), left_out })
}

/// The middle of an image as a square of that side.
fn square(image: Symbolic, side: i64) -> Symbolic {
    let scaled =
        ops::image::resize(image, feedline_plan::expr::Attribute::Int(side), "bilinear", false, true, false);
    bytes(ops::image::resize_with_crop_or_pad(scaled, side, side))
}

/// The picture of all pictures.
struct Sheet {
    height: usize,
    width: usize,
    pixels: Vec<u8>,
}

impl Sheet {
    /// Of rows of pictures, each of `[pictures, side, side, 3]`.
    fn of(rows: &[&Tensor], options: &PreviewOptions) -> Result<Sheet> {
        let (side, columns) = (options.side as usize, options.num_draws + 1);
        let extent = |count: usize| count * (side + GAP) + GAP;
        let (height, width) = (extent(rows.len()), extent(columns));
        if height > MAX_SHEET_SIDE || width > MAX_SHEET_SIDE {
            return Err(Error::Argument {
                message: format!(
                    "the sheet would have {width} x {height} pixels, and {MAX_SHEET_SIDE} a side are the limit"
                ),
                hint: "show fewer images, fewer draws, or smaller ones".to_owned(),
            });
        }
        let mut pixels = vec![PAPER; height * width * 3];
        for (row, pictures) in rows.iter().enumerate() {
            for (column, picture) in pictures.as_slice::<u8>().chunks_exact(side * side * 3).enumerate() {
                let (top, left) = (extent(row), extent(column));
                for (line, samples) in picture.chunks_exact(side * 3).enumerate() {
                    let start = ((top + line) * width + left) * 3;
                    pixels[start..start + side * 3].copy_from_slice(samples);
                }
            }
        }
        Ok(Sheet { height, width, pixels })
    }
}
