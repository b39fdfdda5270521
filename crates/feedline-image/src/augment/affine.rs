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
        // Without the last digits quarters are exact.
        let digits = |value: f64| (value * 1e15).round() / 1e15;
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

    /// It for a result that is large enough to hold all of an image of that height and width, and how large that is.
    #[allow(clippy::float_cmp, reason = "a quarter is exact")]
    pub fn expanded(self, height: usize, width: usize) -> (Affine, usize, usize) {
        let (rows, columns) = (height as f64, width as f64);
        let corners =
            [[0.0, 0.0], [columns, 0.0], [columns, rows], [0.0, rows]].map(|corner| self.at(corner));
        let extent = |axis: usize| {
            let values = corners.map(|corner| corner[axis]);
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            high.ceil() - low.floor()
        };
        let [a, b, _, d, e, _] = self.0;
        // A quarter about the middle of a side that is odd and one that is even puts corners between pixels; it needs no more room.
        let is_quarter = a == 0.0 && e == 0.0 && b.abs() == 1.0 && d.abs() == 1.0;
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
        out.reserve(self.height * self.width * image.channels);
        match self.interpolation {
            Interpolation::Nearest => self.run_nearest(image, out),
            Interpolation::Bilinear => self.run_bilinear(image, out),
        }
    }

    fn put_fill(&self, channels: usize, out: &mut Vec<S>) {
        match self.fill {
            [value] => out.extend(std::iter::repeat_n(*value, channels)),
            values => out.extend_from_slice(values),
        }
    }

    fn run_nearest(&self, image: &Raster<'_, S>, out: &mut Vec<S>) {
        let [a, b, c, d, e, f] = self.from.0;
        if b == 0.0 && d == 0.0 {
            return self.run_upright(image, out);
        }
        // 16 bits behind the point, as Pillow computes it, so that the same pixels are taken. Limits leave room for the sums.
        let fixed =
            |value: f64| ((value * 65536.0 + 0.5).floor().clamp(-(2_f64.powi(38)), 2_f64.powi(38))) as i64;
        let (step_x, step_y) = ([fixed(a), fixed(d)], [fixed(b), fixed(e)]);
        let mut start = [fixed(c + a * 0.5 + b * 0.5), fixed(f + d * 0.5 + e * 0.5)];
        for _ in 0..self.height {
            let mut at = start;
            for _ in 0..self.width {
                let place = at.map(|value| usize::try_from(value >> 16).ok());
                self.put(image, place[0].zip(place[1]), out);
                at = [at[0] + step_x[0], at[1] + step_x[1]];
            }
            start = [start[0] + step_y[0], start[1] + step_y[1]];
        }
    }

    /// Neither turned nor sheared: rows stay rows, and places are added up as floats.
    fn run_upright(&self, image: &Raster<'_, S>, out: &mut Vec<S>) {
        let [a, _, c, _, e, f] = self.from.0;
        let places = |step: f64, start: f64, count: usize| {
            let mut at = start + step * 0.5;
            (0..count).map(move |_| {
                let place = (at >= 0.0).then_some(at as usize);
                at += step;
                place
            })
        };
        let columns: Vec<Option<usize>> = places(a, c, self.width).collect();
        for y in places(e, f, self.height) {
            columns.iter().for_each(|x| self.put(image, x.zip(y), out));
        }
    }

    #[inline]
    fn put(&self, image: &Raster<'_, S>, place: Option<(usize, usize)>, out: &mut Vec<S>) {
        match place {
            Some((x, y)) if x < image.width && y < image.height => {
                out.extend_from_slice(
                    &image.samples[y * image.stride + x * image.channels..][..image.channels],
                );
            }
            _ => self.put_fill(image.channels, out),
        }
    }

    fn run_bilinear(&self, image: &Raster<'_, S>, out: &mut Vec<S>) {
        let limits = [image.width as f64, image.height as f64];
        let last = [image.width - 1, image.height - 1];
        for y in 0..self.height {
            for x in 0..self.width {
                let place = self.from.at([x as f64 + 0.5, y as f64 + 0.5]);
                let is_within = |axis: usize| place[axis] >= 0.0 && place[axis] < limits[axis];
                if !is_within(0) || !is_within(1) {
                    self.put_fill(image.channels, out);
                    continue;
                }
                // Between the middles of two pixels; at the edge both are the same.
                let between = |axis: usize| {
                    let at = place[axis] - 0.5;
                    let first = at.floor();
                    let second = (first + 1.0) as usize;
                    (first.max(0.0) as usize, second.min(last[axis]), at - first)
                };
                let ((left, right, part_x), (top, bottom, part_y)) = (between(0), between(1));
                let pixel = |y: usize, x: usize| {
                    &image.samples[y * image.stride + x * image.channels..][..image.channels]
                };
                let corners =
                    [pixel(top, left), pixel(top, right), pixel(bottom, left), pixel(bottom, right)];
                out.extend((0..image.channels).map(|channel| {
                    let [a, b, c, d] = corners.map(|pixel| f64::from(pixel[channel].to_float()));
                    let (above, below) = (a + (b - a) * part_x, c + (d - c) * part_x);
                    S::of_cut(above + (below - above) * part_y)
                }));
            }
        }
    }
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
        let (quarter, height, width) = Affine::rotation([2.0, 1.5], 90.0).expanded(3, 4);
        assert_eq!((height, width), (4, 3));
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
    fn wild_numbers_are_outside() {
        let wild = Affine::new([1e18, -1e18], 33.0, [1e300, 1e300], 1e-300, [89.9, 0.0]);
        for interpolation in [Interpolation::Nearest, Interpolation::Bilinear] {
            assert_eq!(warped(wild, interpolation, 2, 2).len(), 4);
        }
    }
}
