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

impl ResizeSize {
    /// The argument `size` of a call, and `preserve_aspect_ratio` where it has that.
    pub fn of_call(call: &Call) -> Result<ResizeSize, String> {
        let sizes = call.ints("size").unwrap_or_default();
        if let Some(bad) = sizes.iter().find(|size| !(1..=MAX_SIDE).contains(*size)) {
            return Err(format!("size has {bad}, it must be from 1 to {MAX_SIDE}"));
        }
        let keeps = call.operation.attributes().any(|argument| argument.name == "preserve_aspect_ratio")
            && call.flag("preserve_aspect_ratio");
        match sizes[..] {
            [height, width] if keeps => {
                Ok(ResizeSize::Within { height: height as usize, width: width as usize })
            }
            [height, width] => Ok(ResizeSize::Exact { height: height as usize, width: width as usize }),
            [side] => Ok(ResizeSize::Shorter(side as usize)),
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

/// Where the middle part of `size` begins and how long it is, as `tf.image.central_crop` has it.
pub fn central_part(size: usize, fraction: f64) -> (usize, usize) {
    let start = ((size as f64 - size as f64 * fraction) / 2.0) as usize;
    (start, size - start * 2)
}
