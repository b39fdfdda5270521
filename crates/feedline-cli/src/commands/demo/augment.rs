//! What training does to a picture before it is learned from: the work of a core, in plain Rust.

use super::images::WIDTH;

pub(super) const PIXEL_PARTS: usize = 3;
const SIDE: usize = WIDTH as usize;
/// Of a Gaussian with a standard deviation of a pixel and a half, half of it.
const BLUR: [f32; 4] = [0.266, 0.213, 0.109, 0.045];

/// The picture turned by `angle` around its middle, then blurred. Parts of pixels are bytes, 0 to 255; so are the results.
pub(super) fn augmented(pixels: &[u8], angle: f32) -> Vec<f32> {
    let turned = turned(pixels, angle);
    let blurred = blurred(&turned, PIXEL_PARTS, SIDE * PIXEL_PARTS);
    self::blurred(&blurred, SIDE * PIXEL_PARTS, PIXEL_PARTS)
}

/// Each place takes what lies where it came from, mixed of the four pixels around that; outside it is black.
fn turned(pixels: &[u8], angle: f32) -> Vec<f32> {
    let (sine, cosine) = angle.sin_cos();
    let middle = (SIDE - 1) as f32 / 2.0;
    let mut out = Vec::with_capacity(pixels.len());
    for row in 0..SIDE {
        for column in 0..SIDE {
            let (x, y) = (column as f32 - middle, row as f32 - middle);
            let (from_x, from_y) = (cosine * x + sine * y + middle, cosine * y - sine * x + middle);
            let (left, top) = (from_x.floor(), from_y.floor());
            for part in 0..PIXEL_PARTS {
                let at = |dx: f32, dy: f32| {
                    let weight = (1.0 - (from_x - left - dx).abs()) * (1.0 - (from_y - top - dy).abs());
                    weight * value(pixels, left + dx, top + dy, part)
                };
                out.push(at(0.0, 0.0) + at(1.0, 0.0) + at(0.0, 1.0) + at(1.0, 1.0));
            }
        }
    }
    out
}

fn value(pixels: &[u8], x: f32, y: f32, part: usize) -> f32 {
    let inside = 0.0..SIDE as f32;
    if inside.contains(&x) && inside.contains(&y) {
        f32::from(pixels[(y as usize * SIDE + x as usize) * PIXEL_PARTS + part])
    } else {
        0.0
    }
}

/// Blurred along one of the two directions: values that are neighbours in it are `step` apart, its lines `next_line`.
fn blurred(values: &[f32], step: usize, next_line: usize) -> Vec<f32> {
    let mut out = vec![0.0; values.len()];
    for line in 0..SIDE {
        for place in 0..SIDE {
            for part in 0..PIXEL_PARTS {
                let at = |place: usize| values[line * next_line + place * step + part];
                let mut sum = BLUR[0] * at(place);
                for (distance, weight) in BLUR.iter().enumerate().skip(1) {
                    let before = at(place.saturating_sub(distance));
                    let behind = at((place + distance).min(SIDE - 1));
                    sum += weight * (before + behind);
                }
                out[line * next_line + place * step + part] = sum;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_even_stays_even_and_a_quarter_turn_moves_corners() {
        let grey = augmented(&vec![100; SIDE * SIDE * PIXEL_PARTS], 0.0);
        assert!(grey.iter().all(|value| (value - 100.0).abs() < 0.5));
        let mut corner = vec![0; SIDE * SIDE * PIXEL_PARTS];
        corner[0] = 255;
        let turned = turned(&corner, std::f32::consts::FRAC_PI_2);
        let brightest = (0..turned.len()).max_by(|&a, &b| turned[a].total_cmp(&turned[b])).unwrap();
        assert_eq!(brightest, (SIDE - 1) * PIXEL_PARTS);
    }
}
