//! Images turned, sheared, moved and scaled: each pixel of the result looks up where it comes from.
#![allow(clippy::many_single_char_names, reason = "a to f are the numbers of a matrix, x and y its places")]

use crate::augment::Level;
use crate::resample::Raster;

/// How a value between pixels is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// It is the pixel's it lies in.
    Nearest,
    /// It is mixed of the four around.
    Bilinear,
}

/// Where a place of the result comes from: `(a·x + b·y + c, d·x + e·y + f)`, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine([f64; 6]);

/// What is made of an image by an [`Affine`].
#[derive(Clone, Copy, Debug)]
pub struct Warped<'a, S> {
    /// Where pixels come from.
    pub from: Affine,
    /// Rows of the result.
    pub height: usize,
    /// Columns of the result.
    pub width: usize,
    /// How values between pixels are made.
    pub interpolation: Interpolation,
    /// What lies outside of the image: a value for each channel, or one for all.
    pub fill: &'a [S],
}

impl Affine {
    /// Turned by `angle` degrees with the clock, scaled and sheared by `shear` degrees along x and y about `centre`, then moved by
    /// `translate`: x first in all of them.
    pub fn new(centre: [f64; 2], angle: f64, translate: [f64; 2], scale: f64, shear: [f64; 2]) -> Affine {
        let turn = angle.to_radians();
        let [along_x, along_y] = shear.map(f64::to_radians);
        // The way there is turn · shear y · shear x · scale; what is wanted is the way back.
        let a = (turn - along_y).cos() / along_y.cos();
        let b = -(turn - along_y).cos() * along_x.tan() / along_y.cos() - turn.sin();
        let c = (turn - along_y).sin() / along_y.cos();
        let d = -(turn - along_y).sin() * along_x.tan() / along_y.cos() + turn.cos();
        let moved = [centre[0] + translate[0], centre[1] + translate[1]];
        Affine::about([d / scale, -b / scale, -c / scale, a / scale], moved, centre)
    }

    /// Turned by `angle` degrees against the clock about `centre`, within its own height and width.
    pub fn rotation(centre: [f64; 2], angle: f64) -> Affine {
        // Without the last digits quarters are exact. They go as Python's `round` takes them, by the decimal that is nearest: multiplying and
        // dividing by 1e15 ends a bit off here and there, which is a level where a value is cut off.
        let digits = |value: f64| format!("{value:.15}").parse().unwrap_or(value);
        let turn = -angle.rem_euclid(360.0).to_radians();
        let (cos, sin) = (digits(turn.cos()), digits(turn.sin()));
        Affine::about([cos, sin, digits(-turn.sin()), cos], centre, centre)
    }

    /// The linear map that takes `from` to `to`.
    fn about([a, b, d, e]: [f64; 4], from: [f64; 2], to: [f64; 2]) -> Affine {
        let c = a * -from[0] + b * -from[1] + to[0];
        let f = d * -from[0] + e * -from[1] + to[1];
        Affine([a, b, c, d, e, f])
    }

    /// It for a result that is large enough to hold all of an image of that height and width, and how large that is. What is turned about the
    /// middle of the image, and not about a point that somebody chose, needs no more room for a quarter than its sides, as in Pillow.
    #[allow(clippy::float_cmp, reason = "a quarter is exact")]
    pub fn expanded(self, height: usize, width: usize, is_about_middle: bool) -> (Affine, usize, usize) {
        let (rows, columns) = (height as f64, width as f64);
        let corners =
            [[0.0, 0.0], [columns, 0.0], [columns, rows], [0.0, rows]].map(|corner| self.at(corner));
        let extent = |axis: usize| {
            let values = corners.map(|corner| corner[axis]);
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            high.ceil() - low.floor()
        };
        let [a, b, _, d, e, _] = self.0;
        // A quarter about the middle of a side that is odd and one that is even puts corners between pixels.
        let is_quarter = is_about_middle && a == 0.0 && e == 0.0 && b.abs() == 1.0 && d.abs() == 1.0;
        let (new_columns, new_rows) = if is_quarter { (rows, columns) } else { (extent(0), extent(1)) };
        let [c, f] = self.at([-(new_columns - columns) / 2.0, -(new_rows - rows) / 2.0]);
        (Affine([a, b, c, d, e, f]), new_rows as usize, new_columns as usize)
    }

    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [a, b, c, d, e, f] = self.0;
        [a * x + b * y + c, d * x + e * y + f]
    }
}

impl<S: Level> Warped<'_, S> {
    /// Puts the pixels of the result behind what is in `out`.
    pub fn run(&self, image: &Raster<'_, S>, out: &mut Vec<S>) {
        let begin = out.len();
        out.resize(begin + self.height * self.width * image.channels, S::default());
        let fill: Vec<S> = self.fill.iter().copied().cycle().take(image.channels).collect();
        let warp = Warp { image, from: self.from, width: self.width, fill: &fill };
        // Pixels of a length that is known are copied without a loop.
        match (image.channels, self.interpolation) {
            (1, Interpolation::Nearest) => warp.nearest::<1>(&mut out[begin..]),
            (3, Interpolation::Nearest) => warp.nearest::<3>(&mut out[begin..]),
            (_, Interpolation::Nearest) => warp.nearest::<0>(&mut out[begin..]),
            (1, Interpolation::Bilinear) => warp.bilinear::<1>(&mut out[begin..]),
            (3, Interpolation::Bilinear) => warp.bilinear::<3>(&mut out[begin..]),
            (_, Interpolation::Bilinear) => warp.bilinear::<0>(&mut out[begin..]),
        }
    }
}

/// The pass over the pixels of a result. Functions are made for numbers of channels; 0 stands for any.
struct Warp<'a, S> {
    image: &'a Raster<'a, S>,
    from: Affine,
    /// Columns of the result.
    width: usize,
    /// A pixel of what lies outside.
    fill: &'a [S],
}

impl<S: Level> Warp<'_, S> {
    fn channels<const N: usize>(&self) -> usize {
        if N == 0 { self.image.channels } else { N }
    }

    fn rows<'o, const N: usize>(&self, out: &'o mut [S]) -> std::slice::ChunksExactMut<'o, S> {
        out.chunks_exact_mut((self.width * self.channels::<N>()).max(1))
    }

    fn pixel<const N: usize>(&self, y: usize, x: usize) -> &[S] {
        &self.image.samples[y * self.image.stride + x * self.channels::<N>()..][..self.channels::<N>()]
    }

    /// Sets a pixel to that at column `x` and row `y`; negative numbers are no smaller than the largest.
    fn pick<const N: usize>(&self, x: u64, y: u64, to: &mut [S]) {
        let is_within = x < self.image.width as u64 && y < self.image.height as u64;
        to.copy_from_slice(if is_within { self.pixel::<N>(y as usize, x as usize) } else { self.fill });
    }

    fn nearest<const N: usize>(&self, out: &mut [S]) {
        let [a, b, c, d, e, f] = self.from.0;
        if b == 0.0 && d == 0.0 {
            return self.upright::<N>(out);
        }
        // 16 bits behind the point, as Pillow computes it, so that the same pixels are taken. Limits leave room for the sums.
        let limit = 2_f64.powi(38);
        let fixed = |value: f64| (value * 65536.0 + 0.5).floor().clamp(-limit, limit) as i64;
        let (step_x, step_y) = ([fixed(a), fixed(d)], [fixed(b), fixed(e)]);
        let mut start = [fixed(c + a * 0.5 + b * 0.5), fixed(f + d * 0.5 + e * 0.5)];
        for row in self.rows::<N>(out) {
            let mut at = start;
            for to in row.chunks_exact_mut(self.channels::<N>()) {
                self.pick::<N>((at[0] >> 16) as u64, (at[1] >> 16) as u64, to);
                at = [at[0] + step_x[0], at[1] + step_x[1]];
            }
            start = [start[0] + step_y[0], start[1] + step_y[1]];
        }
    }

    /// Neither turned nor sheared: rows stay rows, and places are added up as floats.
    fn upright<const N: usize>(&self, out: &mut [S]) {
        let [a, _, c, _, e, f] = self.from.0;
        let place = |at: f64| if at >= 0.0 { at as u64 } else { u64::MAX };
        let mut y = f + e * 0.5;
        for row in self.rows::<N>(out) {
            let mut x = c + a * 0.5;
            for to in row.chunks_exact_mut(self.channels::<N>()) {
                self.pick::<N>(place(x), place(y), to);
                x += a;
            }
            y += e;
        }
    }

    fn bilinear<const N: usize>(&self, out: &mut [S]) {
        let limits = [self.image.width as f64, self.image.height as f64];
        for (y, row) in self.rows::<N>(out).enumerate() {
            for (x, to) in row.chunks_exact_mut(self.channels::<N>()).enumerate() {
                let [column, row] = self.from.at([x as f64 + 0.5, y as f64 + 0.5]);
                if !(column >= 0.0 && column < limits[0] && row >= 0.0 && row < limits[1]) {
                    to.copy_from_slice(self.fill);
                    continue;
                }
                let (left, right, part_x) = between(column, self.image.width);
                let (top, bottom, part_y) = between(row, self.image.height);
                let (a, b) = (self.pixel::<N>(top, left), self.pixel::<N>(top, right));
                let (c, d) = (self.pixel::<N>(bottom, left), self.pixel::<N>(bottom, right));
                for (channel, to) in to.iter_mut().enumerate() {
                    let [a, b, c, d] = [a, b, c, d].map(|pixel| f64::from(pixel[channel].to_float()));
                    let (above, below) = (a + (b - a) * part_x, c + (d - c) * part_x);
                    *to = S::of_cut(above + (below - above) * part_y);
                }
            }
        }
    }
}

/// The two pixels of `count` between whose middles a place lies, and how far behind the first; at the edge both are the same.
fn between(place: f64, count: usize) -> (usize, usize, f64) {
    let at = place - 0.5;
    if at < 0.0 {
        return (0, 0, at + 1.0);
    }
    let first = at as usize;
    (first, (first + 1).min(count - 1), at - first as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warped(from: Affine, interpolation: Interpolation, height: usize, width: usize) -> Vec<u8> {
        let pixels: Vec<u8> = (1..=12).map(|value| value * 10).collect();
        let mut out = Vec::new();
        let what = Warped { from, height, width, interpolation, fill: &[7] };
        what.run(&Raster::new(&pixels, 3, 4, 1), &mut out);
        out
    }

    #[test]
    fn nothing_done_is_the_image() {
        let centre = [2.0, 1.5];
        let same = Affine::new(centre, 0.0, [0.0; 2], 1.0, [0.0; 2]);
        for from in [same, Affine::rotation(centre, 0.0), Affine::rotation(centre, 720.0)] {
            for interpolation in [Interpolation::Nearest, Interpolation::Bilinear] {
                assert_eq!(
                    warped(from, interpolation, 3, 4),
                    [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]
                );
            }
        }
    }

    #[test]
    fn moves_and_quarters_take_whole_pixels() {
        let right = Affine::new([0.0; 2], 0.0, [1.0, 0.0], 1.0, [0.0; 2]);
        let half = Affine::rotation([2.0, 1.5], 180.0);
        let (quarter, height, width) = Affine::rotation([2.0, 1.5], 90.0).expanded(3, 4, true);
        assert_eq!((height, width), (4, 3));
        let (_, height, width) = Affine::rotation([2.0, 1.5], 90.0).expanded(3, 4, false);
        assert_eq!((height, width), (5, 4), "about a point that was chosen, which happens to be the middle");
        for interpolation in [Interpolation::Nearest, Interpolation::Bilinear] {
            assert_eq!(warped(right, interpolation, 3, 4), [7, 10, 20, 30, 7, 50, 60, 70, 7, 90, 100, 110]);
            assert_eq!(
                warped(half, interpolation, 3, 4),
                [120, 110, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10]
            );
            assert_eq!(
                warped(quarter, interpolation, 4, 3),
                [40, 80, 120, 30, 70, 110, 20, 60, 100, 10, 50, 90]
            );
        }
    }

    #[test]
    fn channels_are_moved_alike_however_many() {
        let pixels: Vec<f32> = (0..5 * 6 * 4).map(|index| (index * 37 % 101) as f32).collect();
        let turned = Affine::new([3.0, 2.5], 20.0, [1.0, 0.0], 0.9, [5.0, 0.0]);
        let upright = Affine::new([3.0, 2.5], 0.0, [1.5, 0.0], 0.7, [0.0; 2]);
        for (from, interpolation) in [
            (turned, Interpolation::Nearest),
            (upright, Interpolation::Nearest),
            (turned, Interpolation::Bilinear),
        ] {
            let warped = |pixels: &[f32], channels: usize, fill: &[f32]| {
                let mut out = Vec::new();
                let what = Warped { from, height: 7, width: 4, interpolation, fill };
                what.run(&Raster::new(pixels, 5, 6, channels), &mut out);
                out
            };
            let all = warped(&pixels, 4, &[1.0, 2.0, 3.0, 4.0]);
            for channel in 0..4 {
                let one: Vec<f32> = pixels.iter().skip(channel).step_by(4).copied().collect();
                let expected = warped(&one, 1, &[channel as f32 + 1.0]);
                let own: Vec<f32> = all.iter().skip(channel).step_by(4).copied().collect();
                assert_eq!(own, expected, "{interpolation:?}, channel {channel}");
                assert!(own.contains(&(channel as f32 + 1.0)), "some of it lies outside");
            }
        }
    }

    #[test]
    fn wild_numbers_are_outside() {
        let wild = Affine::new([1e18, -1e18], 33.0, [1e300, 1e300], 1e-300, [89.9, 0.0]);
        for interpolation in [Interpolation::Nearest, Interpolation::Bilinear] {
            assert_eq!(warped(wild, interpolation, 2, 2).len(), 4);
        }
    }
}
