//! Between an image and a poorer copy of it, or beyond: brightness, colour, contrast, sharpness, as Pillow's `ImageEnhance` has them.

use super::tables::replace_all;

/// `poor + factor · (value − poor)`, in single precision and cut to a byte: what Pillow computes.
fn blended(poor: u8, value: u8, factor: f32) -> u8 {
    (f32::from(poor) + factor * (f32::from(value) - f32::from(poor))) as u8
}

/// Beside black: 0 is black, 1 the image, above it is brighter.
pub(super) fn brighten(pixels: &mut [u8], factor: f64) {
    replace_all(pixels, |value| blended(0, value, factor as f32));
}

/// Beside its gray copy: 0 is gray, 1 the image, above it is more colourful.
pub(super) fn colour(pixels: &mut [u8], channels: usize, factor: f64) {
    for pixel in pixels.chunks_exact_mut(channels) {
        let gray = gray_of(pixel);
        pixel.iter_mut().for_each(|value| *value = blended(gray, *value, factor as f32));
    }
}

/// Beside its mean gray: 0 is gray all over, 1 the image, above it has more contrast.
pub(super) fn contrast(pixels: &mut [u8], channels: usize, factor: f64) {
    let count = pixels.len() / channels;
    if count == 0 {
        return;
    }
    let sum: u64 = pixels.chunks_exact(channels).map(|pixel| u64::from(gray_of(pixel))).sum();
    let mean = (sum as f64 / count as f64 + 0.5) as u8;
    replace_all(pixels, |value| blended(mean, value, factor as f32));
}

/// The gray of a pixel by the weights of television, in 16 bits behind the point; of fewer than three channels the first.
fn gray_of(pixel: &[u8]) -> u8 {
    match *pixel {
        [red, green, blue, ..] => {
            let weighted = u32::from(red) * 19595 + u32::from(green) * 38470 + u32::from(blue) * 7471;
            ((weighted + 0x8000) >> 16) as u8
        }
        _ => pixel.first().copied().unwrap_or(0),
    }
}

/// Beside its blurred copy: 0 is blurred, 1 the image, above it is sharper. `before` is memory to compute with.
pub fn sharpen(pixels: &mut [u8], width: usize, channels: usize, factor: f64, before: &mut Vec<u8>) {
    let stride = width * channels;
    if stride == 0 || width < 3 || pixels.len() < 3 * stride {
        return; // All of it is edge, and the edge stays as it is.
    }
    before.clear();
    before.extend_from_slice(pixels);
    let mut sums = vec![0_u16; stride];
    let height = pixels.len() / stride;
    for y in 1..height - 1 {
        let [above, own, below] = [y - 1, y, y + 1].map(|y| &before[y * stride..][..stride]);
        // A column of three first, then three columns.
        for (sum, ((above, own), below)) in sums.iter_mut().zip(above.iter().zip(own).zip(below)) {
            *sum = u16::from(*above) + u16::from(*own) + u16::from(*below);
        }
        let inner = channels..stride - channels;
        let sides = sums.iter().zip(&sums[channels..]).zip(&sums[2 * channels..]);
        let values = own[inner.clone()].iter().zip(sides);
        for (to, (own, ((left, middle), right))) in pixels[y * stride..][inner].iter_mut().zip(values) {
            // The neighbours count once, the pixel itself five times: thirteen, so there is no half to round.
            let sum = u32::from(left + middle + right) + 4 * u32::from(*own);
            *to = blended(((2 * sum + 13) / 26) as u8, *own, factor as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_the_image_and_zero_its_poor_copy() {
        let image: Vec<u8> = (0..75).map(|index| (index * 37 % 251) as u8).collect();
        let changed = |change: &dyn Fn(&mut [u8])| {
            let mut pixels = image.clone();
            change(&mut pixels);
            pixels
        };
        let mut memory = Vec::new();
        for (factor, is_same) in [(0.0, false), (1.0, true)] {
            let results = [
                changed(&|pixels| brighten(pixels, factor)),
                changed(&|pixels| colour(pixels, 3, factor)),
                changed(&|pixels| contrast(pixels, 3, factor)),
            ];
            for result in &results {
                assert_eq!(result == &image, is_same);
            }
        }
        assert!(changed(&|pixels| brighten(pixels, 0.0)).iter().all(|&value| value == 0));
        assert!(changed(&|pixels| colour(pixels, 3, 0.0)).chunks(3).all(|pixel| pixel == [pixel[0]; 3]));
        let mut sharp = image.clone();
        sharpen(&mut sharp, 5, 3, 1.0, &mut memory);
        assert_eq!(sharp, image);
        // The middle of a white dot on black: a thirteenth is smooth, the edge stays.
        let mut dot = vec![0; 25];
        dot[12] = 130;
        sharpen(&mut dot, 5, 1, 0.0, &mut memory);
        assert_eq!(dot[12], 50);
        assert_eq!((dot[6], dot[7], dot[0]), (10, 10, 0));
        let mut line = vec![9, 1, 200];
        sharpen(&mut line, 3, 1, 0.0, &mut memory);
        assert_eq!(line, [9, 1, 200]);
    }
}
