//! Gaussian blur: along rows, then along columns, mirrored at the edges.

use crate::augment::Level;
use crate::resample::Raster;

/// A blur, ready for images.
#[derive(Clone, Debug)]
pub struct GaussianBlur {
    /// The weights along x and along y.
    weights: [Vec<f32>; 2],
}

impl GaussianBlur {
    /// Of `size` pixels along x and along y, which are odd, and that standard deviation.
    pub fn new(size: [usize; 2], sigma: [f64; 2]) -> GaussianBlur {
        let weights = |size: usize, sigma: f64| {
            let middle = (size - 1) as f64 / 2.0;
            let density = |index: usize| (-0.5 * ((index as f64 - middle) / sigma).powi(2)).exp();
            let total: f64 = (0..size).map(density).sum();
            (0..size).map(|index| (density(index) / total) as f32).collect()
        };
        GaussianBlur { weights: [weights(size[0], sigma[0]), weights(size[1], sigma[1])] }
    }

    /// The least width and height an image must have to be mirrored at its edges.
    pub fn least_size(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.weights[axis].len() / 2 + 1)
    }

    /// Puts the blurred image behind what is in `out`.
    ///
    /// # Panics
    /// If the image is smaller than the [least size](GaussianBlur::least_size).
    pub fn run<S: Level>(&self, image: &Raster<'_, S>, out: &mut Vec<S>) {
        let [along_x, along_y] = &self.weights;
        let (channels, stride) = (image.channels, image.width * image.channels);
        let [reach_x, reach_y] = [along_x.len() / 2, along_y.len() / 2];
        let mut smooth = vec![0.0_f32; image.height * stride];
        let mut wide = vec![0.0_f32; stride + 2 * reach_x * channels];
        for (y, row) in smooth.chunks_exact_mut(stride).enumerate() {
            let from = &image.samples[y * image.stride..][..stride];
            for (place, pixel) in wide.chunks_exact_mut(channels).enumerate() {
                let x = mirrored(place, reach_x, image.width);
                let samples = &from[x * channels..][..channels];
                pixel.iter_mut().zip(samples).for_each(|(to, from)| *to = from.to_float());
            }
            for (tap, weight) in along_x.iter().enumerate() {
                add_times(row, &wide[tap * channels..][..stride], *weight);
            }
        }
        let mut row = vec![0.0_f32; stride];
        for y in 0..image.height {
            row.fill(0.0);
            for (tap, weight) in along_y.iter().enumerate() {
                let from = mirrored(y + tap, reach_y, image.height);
                add_times(&mut row, &smooth[from * stride..][..stride], *weight);
            }
            out.extend(row.iter().map(|&value| S::of_rounded(value)));
        }
    }
}

/// Which of `count` pixels stands at `place`, counted from `reach` before the first: the edge is a mirror, and not seen twice.
fn mirrored(place: usize, reach: usize, count: usize) -> usize {
    if place < reach {
        reach - place
    } else if place - reach < count {
        place - reach
    } else {
        2 * (count - 1) - (place - reach)
    }
}

fn add_times(to: &mut [f32], from: &[f32], weight: f32) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from * weight);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, one pixel at a time.
    fn defined(image: &Raster<'_, f32>, blur: &GaussianBlur) -> Vec<f32> {
        let [along_x, along_y] = &blur.weights;
        let mut out = Vec::new();
        for y in 0..image.height {
            for x in 0..image.width {
                for channel in 0..image.channels {
                    let mut sum = 0.0_f64;
                    for (dy, wy) in along_y.iter().enumerate() {
                        for (dx, wx) in along_x.iter().enumerate() {
                            let row = mirrored(y + dy, along_y.len() / 2, image.height);
                            let column = mirrored(x + dx, along_x.len() / 2, image.width);
                            let value = image.samples[row * image.stride + column * image.channels + channel];
                            sum += f64::from(value) * f64::from(*wx) * f64::from(*wy);
                        }
                    }
                    out.push(sum as f32);
                }
            }
        }
        out
    }

    #[test]
    fn two_passes_are_the_definition() {
        let pixels: Vec<f32> = (0..7 * 9 * 2).map(|index| ((index * 31 % 97) as f32) / 97.0).collect();
        let image = Raster::new(&pixels, 7, 9, 2);
        for (size, sigma) in [([3, 3], [1.0, 1.0]), ([5, 3], [0.4, 2.0]), ([1, 7], [1.0, 1.5])] {
            let blur = GaussianBlur::new(size, sigma);
            let mut out = Vec::new();
            blur.run(&image, &mut out);
            let expected = defined(&image, &blur);
            assert_eq!(out.len(), expected.len());
            for (own, expected) in out.iter().zip(&expected) {
                assert!((own - expected).abs() < 1e-6, "{own} {expected}");
            }
        }
    }

    #[test]
    fn one_colour_stays() {
        let pixels = vec![200_u8; 5 * 5 * 3];
        let mut out = Vec::new();
        GaussianBlur::new([9, 9], [3.0, 3.0]).run(&Raster::new(&pixels, 5, 5, 3), &mut out);
        assert_eq!(out, pixels);
        assert_eq!(GaussianBlur::new([9, 3], [3.0, 3.0]).least_size(), [5, 2]);
    }
}
