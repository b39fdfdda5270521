//! What the arguments of image operations mean: to the plan, which infers shapes, and to the kernels.

use super::Call;

/// How pixels between pixels are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are called what TensorFlow calls them")]
pub enum ResizeMethod {
    Nearest,
    Bilinear,
    Bicubic,
    Area,
    Lanczos3,
    Lanczos5,
    Gaussian,
    MitchellCubic,
}

impl ResizeMethod {
    const NAMES: [(&'static str, ResizeMethod); 8] = [
        ("nearest", ResizeMethod::Nearest),
        ("bilinear", ResizeMethod::Bilinear),
        ("bicubic", ResizeMethod::Bicubic),
        ("area", ResizeMethod::Area),
        ("lanczos3", ResizeMethod::Lanczos3),
        ("lanczos5", ResizeMethod::Lanczos5),
        ("gaussian", ResizeMethod::Gaussian),
        ("mitchellcubic", ResizeMethod::MitchellCubic),
    ];

    /// The argument `method` of a call.
    pub fn of_call(call: &Call) -> Result<ResizeMethod, String> {
        let name = call.text("method");
        let found = ResizeMethod::NAMES.iter().find(|(other, _)| *other == name);
        found.map(|found| found.1).ok_or_else(|| {
            let names: Vec<&str> = ResizeMethod::NAMES.iter().map(|(name, _)| *name).collect();
            format!("method is '{name}', it must be one of {}", names.join(", "))
        })
    }
}

/// What size images get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResizeSize {
    /// This one.
    Exact {
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
    /// The largest within these with the image's proportions.
    Within {
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
    /// The image's proportions, the shorter side this long.
    Shorter(usize),
}

/// No side is longer: sizes of images are 32-bit numbers with room for products.
const MAX_SIDE: i64 = 1 << 24;

/// Whether each of `sides` can be the length of one.
fn check_sides(name: &str, sides: &[i64]) -> Result<(), String> {
    match sides.iter().find(|side| !(1..=MAX_SIDE).contains(*side)) {
        Some(bad) => Err(format!("{name} has {bad}, it must be from 1 to {MAX_SIDE}")),
        None => Ok(()),
    }
}

impl ResizeSize {
    /// What the argument `size` of a call says where it is these numbers, and `preserve_aspect_ratio` where it has that. One number is
    /// the shorter side of what could keep its proportions, as in torchvision's `resize`, and both sides of what has others anyhow.
    pub fn of_call(call: &Call, sizes: &[i64]) -> Result<ResizeSize, String> {
        check_sides("size", sizes)?;
        let can_keep = call.operation.attributes().any(|argument| argument.name == "preserve_aspect_ratio");
        let keeps = can_keep && call.flag("preserve_aspect_ratio");
        match *sizes {
            [height, width] if keeps => {
                Ok(ResizeSize::Within { height: height as usize, width: width as usize })
            }
            [height, width] => Ok(ResizeSize::Exact { height: height as usize, width: width as usize }),
            [side] if can_keep => Ok(ResizeSize::Shorter(side as usize)),
            [side] => Ok(ResizeSize::Exact { height: side as usize, width: side as usize }),
            _ => Err(format!(
                "size is {sizes:?}, it must be a height and a width, or the length of the shorter side"
            )),
        }
    }

    /// Height and width for an image of that height and width.
    pub fn of(&self, height: usize, width: usize) -> (usize, usize) {
        match *self {
            ResizeSize::Exact { height, width } => (height, width),
            ResizeSize::Within { height: most_rows, width: most_columns } => {
                // In single precision and rounded to even, as TensorFlow has it.
                let scale = (most_rows as f32 / height as f32).min(most_columns as f32 / width as f32);
                let scaled = |size: usize| ((scale * size as f32).round_ties_even() as usize).max(1);
                (scaled(height), scaled(width))
            }
            // The longer side is cut, not rounded, as torchvision has it.
            ResizeSize::Shorter(side) if height <= width => (side, (side * width / height.max(1)).max(1)),
            ResizeSize::Shorter(side) => ((side * height / width.max(1)).max(1), side),
        }
    }
}

/// How `crop_and_resize` makes pixels between pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are called what TensorFlow calls them")]
pub enum BoxMethod {
    Bilinear,
    Nearest,
}

impl BoxMethod {
    /// The argument `method` of a call.
    pub fn of_call(call: &Call) -> Result<BoxMethod, String> {
        match call.text("method") {
            "bilinear" => Ok(BoxMethod::Bilinear),
            "nearest" => Ok(BoxMethod::Nearest),
            other => Err(format!("method is '{other}', it must be 'bilinear' or 'nearest'")),
        }
    }
}

/// How pixels that are moved are made where they lie between pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are called what torchvision calls them")]
pub enum Interpolation {
    Nearest,
    Bilinear,
}

impl Interpolation {
    /// The argument `interpolation` of a call.
    pub fn of_call(call: &Call) -> Result<Interpolation, String> {
        match call.text("interpolation") {
            "nearest" => Ok(Interpolation::Nearest),
            "bilinear" => Ok(Interpolation::Bilinear),
            other => Err(format!("interpolation is '{other}', it must be 'nearest' or 'bilinear'")),
        }
    }
}

/// The argument `mask_size` of a call: height and width.
pub fn mask_size(call: &Call) -> Result<(usize, usize), String> {
    let sizes = call.ints("mask_size").unwrap_or_default();
    check_sides("mask_size", &sizes)?;
    match sizes[..] {
        [height, width] => Ok((height as usize, width as usize)),
        [side] => Ok((side as usize, side as usize)),
        _ => Err(format!("mask_size is {sizes:?}, it must be a height and a width, or one number for both")),
    }
}

/// The argument `crop_size`: height and width.
pub fn crop_size(sides: &[i64]) -> Result<(usize, usize), String> {
    match *sides {
        [height, width] => check_sides("crop_size", sides).map(|()| (height as usize, width as usize)),
        _ => Err("crop_size must be a height and a width".to_owned()),
    }
}

/// A height or width that an image gets.
pub fn target_side(name: &str, side: i64) -> Result<usize, String> {
    match usize::try_from(side) {
        Ok(size) if (1..=MAX_SIDE).contains(&side) => Ok(size),
        _ => Err(format!("{name} is {side}, it must be from 1 to {MAX_SIDE}")),
    }
}

/// How many rows or columns there are before something.
pub fn offset(name: &str, offset: i64) -> Result<usize, String> {
    match usize::try_from(offset) {
        Ok(size) if offset <= MAX_SIDE => Ok(size),
        _ => Err(format!("{name} is {offset}, it must be from 0 to {MAX_SIDE}")),
    }
}

/// The argument `central_fraction`.
pub fn central_fraction(fraction: f64) -> Result<f64, String> {
    if fraction > 0.0 && fraction <= 1.0 {
        return Ok(fraction);
    }
    Err(format!("central_fraction is {fraction}, it must be above 0 and at most 1"))
}

/// The argument `delta` of `adjust_hue`.
pub fn hue_delta(delta: f64) -> Result<f64, String> {
    if (-1.0..=1.0).contains(&delta) {
        return Ok(delta);
    }
    Err(format!("delta is {delta}, it must be from -1 to 1"))
}

/// The argument `gamma` of `adjust_gamma`.
pub fn gamma(gamma: f64) -> Result<f64, String> {
    if gamma >= 0.0 {
        return Ok(gamma);
    }
    Err(format!("gamma is {gamma}, it must not be negative"))
}

/// A quality of JPEGs.
pub fn jpeg_quality(name: &str, quality: i64) -> Result<u8, String> {
    match u8::try_from(quality) {
        Ok(level) if level <= 100 => Ok(level),
        _ => Err(format!("{name} is {quality}, it must be from 0 to 100")),
    }
}

/// Where the middle part of `size` begins and how long it is, as `tf.image.central_crop` has it.
pub fn central_part(size: usize, fraction: f64) -> (usize, usize) {
    let start = ((size as f64 - size as f64 * fraction) / 2.0) as usize;
    (start, size - start * 2)
}
