//! Each byte replaced by another: inverted, solarized, posterized; its contrast stretched, its histogram flattened.

type Table = [u8; 256];

/// White becomes black.
pub fn invert(pixels: &mut [u8]) {
    pixels.iter_mut().for_each(|value| *value = 255 - *value);
}

/// Inverts what is not below `threshold`.
pub fn solarize(pixels: &mut [u8], threshold: f64) {
    replace_all(pixels, |value| if f64::from(value) < threshold { value } else { 255 - value });
}

/// Replaces every byte by what `value` makes of it, which is asked once for each there is.
pub(super) fn replace_all(pixels: &mut [u8], value: impl Fn(u8) -> u8) {
    let table = table_of(value);
    pixels.iter_mut().for_each(|value| *value = table[usize::from(*value)]);
}

/// Keeps the highest `bits` bits, 0 to 8.
pub fn posterize(pixels: &mut [u8], bits: u32) {
    let mask = (0xff_u16 << 8_u32.saturating_sub(bits)) as u8;
    pixels.iter_mut().for_each(|value| *value &= mask);
}

/// Stretches each channel so that its darkest value becomes 0 and its brightest 255.
pub fn autocontrast(pixels: &mut [u8], channels: usize) {
    let tables: Vec<Table> = histograms(pixels, channels).iter().map(stretched).collect();
    replace(pixels, channels, &tables);
}

fn stretched(histogram: &[u64; 256]) -> Table {
    let is_used = |&value: &usize| histogram[value] > 0;
    match ((0..256).find(is_used), (0..256).rev().find(is_used)) {
        (Some(low), Some(high)) if low < high => {
            // Pillow's numbers: an offset besides the factor, and what is behind the point cut.
            let scale = 255.0 / (high - low) as f64;
            let offset = -(low as f64) * scale;
            table_of(|value| (f64::from(value) * scale + offset) as u8)
        }
        _ => table_of(|value| value),
    }
}

/// Makes all values of a channel as frequent as can be, without parting those that are equal.
pub fn equalize(pixels: &mut [u8], channels: usize) {
    let tables: Vec<Table> = histograms(pixels, channels).iter().map(flattened).collect();
    replace(pixels, channels, &tables);
}

fn flattened(histogram: &[u64; 256]) -> Table {
    let total: u64 = histogram.iter().sum();
    let last = histogram.iter().rev().find(|&&count| count > 0).copied().unwrap_or(0);
    // The brightest stays 255, so the others share what is left of the scale.
    let step = (total - last) / 255;
    if step == 0 {
        return table_of(|value| value);
    }
    let mut below = step / 2;
    let mut table = [0; 256];
    for (to, count) in table.iter_mut().zip(histogram) {
        *to = (below / step).min(255) as u8;
        below += count;
    }
    table
}

fn histograms(pixels: &[u8], channels: usize) -> Vec<[u64; 256]> {
    let mut histograms = vec![[0; 256]; channels];
    for pixel in pixels.chunks_exact(channels) {
        for (histogram, &value) in histograms.iter_mut().zip(pixel) {
            histogram[usize::from(value)] += 1;
        }
    }
    histograms
}

fn table_of(value: impl Fn(u8) -> u8) -> Table {
    std::array::from_fn(|from| value(from as u8))
}

/// Looks up every value in the table of its channel.
fn replace(pixels: &mut [u8], channels: usize, tables: &[Table]) {
    for pixel in pixels.chunks_exact_mut(channels) {
        for (value, table) in pixel.iter_mut().zip(tables) {
            *value = table[usize::from(*value)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_where_the_definition_says() {
        let changed = |change: &dyn Fn(&mut [u8])| {
            let mut pixels = vec![0, 50, 100, 128, 200, 255];
            change(&mut pixels);
            pixels
        };
        assert_eq!(changed(&invert), [255, 205, 155, 127, 55, 0]);
        assert_eq!(changed(&|pixels| solarize(pixels, 128.0)), [0, 50, 100, 127, 55, 0]);
        assert_eq!(changed(&|pixels| solarize(pixels, 256.0)), [0, 50, 100, 128, 200, 255]);
        assert_eq!(changed(&|pixels| posterize(pixels, 1)), [0, 0, 0, 128, 128, 128]);
        assert_eq!(changed(&|pixels| posterize(pixels, 8)), [0, 50, 100, 128, 200, 255]);
        assert_eq!(changed(&|pixels| posterize(pixels, 0)), [0; 6]);
        // Two channels: 0 100 200 stretches to 0 127 255 (cut, a hair below it), 50 128 255 to 0 97 255.
        assert_eq!(changed(&|pixels| autocontrast(pixels, 2)), [0, 0, 127, 97, 254, 255]);
        // Too few pixels to flatten anything.
        assert_eq!(changed(&|pixels| equalize(pixels, 1)), [0, 50, 100, 128, 200, 255]);
    }

    #[test]
    fn flattened_histograms_fill_the_scale() {
        let mut pixels: Vec<u8> = (0..2560).map(|index| (index % 64) as u8).collect();
        equalize(&mut pixels, 1);
        assert_eq!((pixels.iter().min(), pixels.iter().max()), (Some(&0), Some(&255)));
        let mut one_colour = vec![77; 1000];
        equalize(&mut one_colour, 1);
        autocontrast(&mut one_colour, 1);
        assert_eq!(one_colour, [77; 1000]);
    }
}
