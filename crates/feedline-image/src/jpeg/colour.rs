//! `YCbCr` to RGB, with libjpeg's 16-bit fixed-point factors and rounding.

const HALF: i32 = 1 << 15;

/// A row of pixels; all of the same length, `rgb` three times it.
#[inline(always)]
pub(super) fn to_rgb_scalar(luma: &[u8], blue: &[u8], red: &[u8], rgb: &mut [u8]) {
    let samples = luma.iter().zip(blue).zip(red);
    for (((luma, blue), red), rgb) in samples.zip(rgb.as_chunks_mut::<3>().0) {
        let luma = i32::from(*luma);
        let (blue, red) = (i32::from(*blue) - 128, i32::from(*red) - 128);
        *rgb = [
            luma + ((91881 * red + HALF) >> 16),
            luma + ((-22554 * blue - 46802 * red + HALF) >> 16),
            luma + ((116_130 * blue + HALF) >> 16),
        ]
        .map(|value| value.clamp(0, 255) as u8);
    }
}

/// Gray to RGB: three times the same.
pub(super) fn gray_to_rgb(gray: &[u8], rgb: &mut [u8]) {
    for (gray, rgb) in gray.iter().zip(rgb.as_chunks_mut::<3>().0) {
        *rgb = [*gray; 3];
    }
}
