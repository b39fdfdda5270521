//! Which neighbours make a pixel, and how much of each: the kernels of TensorFlow's `scale_and_translate`.

/// How pixels between pixels are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The pixels as they are; the size must not change.
    None,
    /// The pixel that is there.
    Nearest,
    /// The line between two, and in the other direction again.
    Bilinear,
    /// The mean of the pixels that a pixel of the result covers.
    Area,
    /// The cubic through four (Keys), its weights rounded as those of TensorFlow's `ResizeBicubic`.
    Bicubic,
    /// As wide as the image shrinks, or as wide as `Bilinear`.
    Triangle {
        /// Whether it widens where the image shrinks.
        antialias: bool,
    },
    /// As `Bicubic`, exact, and wider where the image shrinks.
    Cubic {
        /// Whether it widens where the image shrinks.
        antialias: bool,
    },
    /// Lanczos with a radius of 3 or 5.
    Lanczos {
        /// Pixels on either side.
        radius: u8,
        /// Whether it widens where the image shrinks.
        antialias: bool,
    },
    /// A bell curve with a radius of 1.5.
    Gaussian {
        /// Whether it widens where the image shrinks.
        antialias: bool,
    },
    /// The cubic of Mitchell and Netravali.
    Mitchell {
        /// Whether it widens where the image shrinks.
        antialias: bool,
    },
}

/// A function of the distance, in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    pub(super) radius: f32,
    pub(super) weight: fn(f32, f32) -> f32,
    pub(super) antialias: bool,
}

impl Filter {
    /// Its kernel, if it is defined by one.
    pub(super) fn kernel(self) -> Option<Kernel> {
        let (radius, weight, antialias): (f32, fn(f32, f32) -> f32, bool) = match self {
            Filter::Triangle { antialias } => (1.0, triangle, antialias),
            Filter::Cubic { antialias } => (2.0, keys_cubic, antialias),
            Filter::Lanczos { radius, antialias } => (f32::from(radius), lanczos, antialias),
            Filter::Gaussian { antialias } => (1.5, gaussian, antialias),
            Filter::Mitchell { antialias } => (2.0, mitchell_cubic, antialias),
            Filter::None | Filter::Nearest | Filter::Bilinear | Filter::Area | Filter::Bicubic => {
                return None;
            }
        };
        Some(Kernel { radius, weight, antialias })
    }
}

fn triangle(x: f32, _: f32) -> f32 {
    (1.0 - x).max(0.0)
}

fn keys_cubic(x: f32, _: f32) -> f32 {
    if x >= 2.0 {
        0.0
    } else if x >= 1.0 {
        ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    } else {
        ((1.5 * x - 2.5) * x) * x + 1.0
    }
}

fn mitchell_cubic(x: f32, _: f32) -> f32 {
    if x >= 2.0 {
        0.0
    } else if x >= 1.0 {
        (((-7.0 / 18.0) * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    } else {
        (((7.0 / 6.0) * x - 2.0) * x) * x + 8.0 / 9.0
    }
}

fn lanczos(x: f32, radius: f32) -> f32 {
    const PI: f32 = std::f32::consts::PI;
    if x > radius {
        0.0
    } else if x <= 1e-3 {
        // Here the quotient would be one of two roundings.
        1.0
    } else {
        radius * (PI * x).sin() * (PI * x / radius).sin() / (PI * PI * x * x)
    }
}

fn gaussian(x: f32, radius: f32) -> f32 {
    let sigma = radius / 3.0;
    if x >= radius { 0.0 } else { (-x * x / (2.0 * sigma * sigma)).exp() }
}
