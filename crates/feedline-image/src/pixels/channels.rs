//! Another number of channels.

/// A sample of 8 or 16 bits.
pub(crate) trait Channel: Copy + Into<u32> {
    const MAX: Self;
    fn of(value: u32) -> Self;
}

impl Channel for u8 {
    const MAX: u8 = u8::MAX;
    fn of(value: u32) -> u8 {
        value as u8
    }
}

impl Channel for u16 {
    const MAX: u16 = u16::MAX;
    fn of(value: u32) -> u16 {
        value as u16
    }
}

/// Pixels of `from` channels as pixels of `to`: 1 is gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha. Colours become gray by `gray`;
/// what has no alpha is opaque.
pub(crate) fn with_channels<T: Channel>(
    samples: Vec<T>,
    from: usize,
    to: usize,
    gray: impl Fn([u32; 3]) -> u32,
) -> Vec<T> {
    if from == to {
        return samples;
    }
    let mut converted = Vec::with_capacity(samples.len() / from * to);
    for pixel in samples.chunks_exact(from) {
        let alpha = if from.is_multiple_of(2) { pixel[from - 1] } else { T::MAX };
        match (from >= 3, to >= 3) {
            (true, true) => converted.extend_from_slice(&pixel[..3]),
            (false, true) => converted.extend_from_slice(&[pixel[0]; 3]),
            (false, false) => converted.push(pixel[0]),
            (true, false) => {
                let colour = [pixel[0].into(), pixel[1].into(), pixel[2].into()];
                converted.push(T::of(gray(colour)));
            }
        }
        if to.is_multiple_of(2) {
            converted.push(alpha);
        }
    }
    converted
}
