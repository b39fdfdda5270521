//! The pass over an image: rows made as wide as the result, mixed, finished, handed on.

use super::filter::Filter;
use super::taps::{Taps, TapsKind};
use std::ops::Range;

/// What pixels are made of.
pub trait Sample: Copy + Send + Sync + 'static {
    /// It as a float.
    fn to_float(self) -> f32;
    /// A row of bytes, if that is what it is.
    fn as_bytes(row: &[Self]) -> Option<&[u8]>;
}

impl Sample for u8 {
    #[inline(always)]
    fn to_float(self) -> f32 {
        f32::from(self)
    }
    fn as_bytes(row: &[u8]) -> Option<&[u8]> {
        Some(row)
    }
}

impl Sample for f32 {
    #[inline(always)]
    fn to_float(self) -> f32 {
        self
    }
    fn as_bytes(_: &[f32]) -> Option<&[u8]> {
        None
    }
}

/// Pixels where they lie: rows of `width` × `channels` samples, `stride` samples apart.
#[derive(Debug, Clone, Copy)]
pub struct Raster<'a, S> {
    /// From the first sample on.
    pub samples: &'a [S],
    /// Rows; at least 1.
    pub height: usize,
    /// Columns; at least 1.
    pub width: usize,
    /// Samples of a pixel; at least 1.
    pub channels: usize,
    /// Samples from one row to the next.
    pub stride: usize,
}

impl<'a, S> Raster<'a, S> {
    /// Rows one behind the other.
    pub fn new(samples: &'a [S], height: usize, width: usize, channels: usize) -> Self {
        Self { samples, height, width, channels, stride: width * channels }
    }

    /// Some of its rows and columns.
    fn part(&self, (rows, columns): &(Range<usize>, Range<usize>)) -> Self {
        Self {
            samples: &self.samples[rows.start * self.stride + columns.start * self.channels..],
            height: rows.len(),
            width: columns.len(),
            ..*self
        }
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &'a [S] {
        &self.samples[row * self.stride..][..self.width * self.channels]
    }
}

/// What is done to every value of the result: `(value − mean) · inverse`, of its channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    mean: Vec<f32>,
    inverse: Vec<f32>,
}

impl Finish {
    /// From the mean and the standard deviation of each channel, or one for all.
    ///
    /// # Panics
    /// If there is not one of each.
    pub fn new(mean: &[f64], std: &[f64]) -> Self {
        assert!(!mean.is_empty() && mean.len() == std.len(), "a deviation for each mean");
        Self {
            mean: mean.iter().map(|&mean| mean as f32).collect(),
            inverse: std.iter().map(|&std| 1.0 / std as f32).collect(),
        }
    }

    /// How many channels it is for; 1 is for any number.
    pub fn num_channels(&self) -> usize {
        self.mean.len()
    }

    /// Does it to a row of pixels.
    pub fn apply(&self, row: &mut [f32], channels: usize) {
        let parameters = self.mean.iter().zip(&self.inverse);
        if self.mean.len() == 1 {
            let (mean, inverse) = (self.mean[0], self.inverse[0]);
            row.iter_mut().for_each(|value| *value = (*value - mean) * inverse);
            return;
        }
        for pixel in row.chunks_exact_mut(channels) {
            for (value, (mean, inverse)) in pixel.iter_mut().zip(parameters.clone()) {
                *value = (*value - mean) * inverse;
            }
        }
    }
}

/// What is made of an image.
#[derive(Debug, Clone)]
pub struct Target<'a> {
    /// The rows the image is scaled to; at least 1.
    pub height: usize,
    /// The columns; at least 1.
    pub width: usize,
    /// The rows of these that are wanted; at least 1.
    pub rows: Range<usize>,
    /// The columns of these that are wanted; at least 1.
    pub columns: Range<usize>,
    /// How pixels between pixels are made.
    pub filter: Filter,
    /// Whether left and right are exchanged.
    pub flip_left_right: bool,
    /// Whether top and bottom are exchanged.
    pub flip_up_down: bool,
    /// What is done to the values.
    pub finish: Option<&'a Finish>,
}

impl Target<'_> {
    /// An image of that size, all of it.
    pub fn new(height: usize, width: usize, filter: Filter) -> Self {
        Self {
            height,
            width,
            rows: 0..height,
            columns: 0..width,
            filter,
            flip_left_right: false,
            flip_up_down: false,
            finish: None,
        }
    }
}

/// Makes images of another size, and keeps what it allocates for the next one: hold one for each thread.
#[derive(Debug, Default)]
pub struct Resampler {
    columns: Taps,
    rows: Taps,
    /// Source rows as wide as the result, some samples longer, so that whole vectors can be stored.
    wide: Vec<f32>,
    /// Which source row each of `wide` is.
    wide_rows: Vec<usize>,
    mixed: Vec<f32>,
    /// What sums are multiplied by in the end, where their weights do not add up to 1.
    factor: Option<f32>,
    /// The finish of each value of a row.
    mean: Vec<f32>,
    inverse: Vec<f32>,
}

/// Samples that a row of `wide` is longer.
const SLACK: usize = 8;

impl Resampler {
    /// Calls `put` with each row of the result, from the first to the last: floats of its columns and channels.
    pub fn run<S: Sample>(&mut self, source: &Raster<'_, S>, target: &Target<'_>, put: impl FnMut(&[f32])) {
        let needed = self.plan(source.height, source.width, target);
        self.run_planned(&source.part(&needed), target, put);
    }

    /// Works out which rows and columns of an image `target` needs, for [`run_planned`](Self::run_planned).
    pub fn plan(&mut self, height: usize, width: usize, target: &Target<'_>) -> (Range<usize>, Range<usize>) {
        let kind = target.filter.taps_kind();
        let Self { columns, rows, factor, .. } = self;
        // TensorFlow's order of roundings: the scales, their product, its inverse.
        let scale = |from: usize, to: usize| from as f32 / to as f32;
        *factor = (target.filter == Filter::Area)
            .then(|| 1.0 / (scale(height, target.height) * scale(width, target.width)));
        columns.plan(target.filter, width, target.width, target.columns.clone(), target.flip_left_right);
        rows.plan(target.filter, height, target.height, target.rows.clone(), target.flip_up_down);
        let needed = (rows.needed(kind), columns.needed(kind));
        rows.shift(needed.0.start, kind);
        columns.shift(needed.1.start, kind);
        needed
    }

    /// As [`run`](Self::run), of the rows and columns that [`plan`](Self::plan) said, for the same target.
    pub fn run_planned<S: Sample>(
        &mut self,
        source: &Raster<'_, S>,
        target: &Target<'_>,
        mut put: impl FnMut(&[f32]),
    ) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 was detected above.
            unsafe { super::avx2::run(self, source, target, &mut put) };
            return;
        }
        self.run_with(source, target, &mut put, widen);
    }

    /// As [`run`](Self::run), with code that every processor has.
    pub fn run_scalar<S: Sample>(
        &mut self,
        source: &Raster<'_, S>,
        target: &Target<'_>,
        mut put: impl FnMut(&[f32]),
    ) {
        let needed = self.plan(source.height, source.width, target);
        self.run_with(&source.part(&needed), target, &mut put, widen);
    }

    #[inline(always)]
    pub(super) fn run_with<S: Sample>(
        &mut self,
        source: &Raster<'_, S>,
        target: &Target<'_>,
        put: &mut impl FnMut(&[f32]),
        widen: impl Fn(&[S], usize, TapsKind, &Taps, &mut [f32]),
    ) {
        let kind = target.filter.taps_kind();
        let row_len = target.columns.len() * source.channels;
        self.expand_finish(target.finish, row_len);
        let num_slots = match kind {
            TapsKind::Pick => 1,
            TapsKind::Between => 2,
            TapsKind::Weighted => self.rows.most(),
        };
        let Self { columns, rows, wide, wide_rows, mixed, factor, mean, inverse } = self;
        let slot_len = row_len + SLACK;
        wide.resize(num_slots * slot_len, 0.0);
        wide_rows.clear();
        wide_rows.resize(num_slots, usize::MAX);
        mixed.resize(row_len, 0.0);
        let mut ensure = |row: usize, wide: &mut [f32]| {
            // Neighbouring rows are never in one slot, whichever way they are gone through.
            let slot = row % num_slots;
            if wide_rows[slot] != row {
                widen(
                    source.row(row),
                    source.channels,
                    kind,
                    columns,
                    &mut wide[slot * slot_len..][..slot_len],
                );
                wide_rows[slot] = row;
            }
            slot * slot_len
        };
        for place in 0..target.rows.len() {
            match kind {
                TapsKind::Pick => {
                    let at = ensure(rows.first[place] as usize, wide);
                    mixed.copy_from_slice(&wide[at..][..row_len]);
                }
                TapsKind::Between => {
                    let top = ensure(rows.first[place] as usize, wide);
                    let bottom = ensure(rows.second[place] as usize, wide);
                    let part = rows.weights[place];
                    between(&wide[top..][..row_len], &wide[bottom..][..row_len], part, mixed);
                }
                TapsKind::Weighted => {
                    let (first, weights) = rows.weighted(place);
                    for (tap, &weight) in weights.iter().enumerate() {
                        let at = ensure(first + tap, wide);
                        add_weighted(&wide[at..][..row_len], weight, tap == 0, mixed);
                    }
                }
            }
            if let Some(factor) = factor {
                mixed.iter_mut().for_each(|value| *value *= *factor);
            }
            if !mean.is_empty() {
                for ((value, mean), inverse) in mixed.iter_mut().zip(&*mean).zip(&*inverse) {
                    *value = (*value - mean) * inverse;
                }
            }
            put(mixed);
        }
    }

    fn expand_finish(&mut self, finish: Option<&Finish>, row_len: usize) {
        self.mean.clear();
        self.inverse.clear();
        if let Some(finish) = finish {
            self.mean.extend(finish.mean.iter().cycle().take(row_len));
            self.inverse.extend(finish.inverse.iter().cycle().take(row_len));
        }
    }
}

#[inline(always)]
fn between(top: &[f32], bottom: &[f32], part: f32, mixed: &mut [f32]) {
    for ((value, top), bottom) in mixed.iter_mut().zip(top).zip(bottom) {
        *value = top + (bottom - top) * part;
    }
}

#[inline(always)]
fn add_weighted(row: &[f32], weight: f32, is_first: bool, mixed: &mut [f32]) {
    if is_first {
        mixed.iter_mut().zip(row).for_each(|(value, sample)| *value = sample * weight);
    } else {
        mixed.iter_mut().zip(row).for_each(|(value, sample)| *value += sample * weight);
    }
}

/// Makes a row as wide as the result.
#[inline(always)]
pub(super) fn widen<S: Sample>(row: &[S], channels: usize, kind: TapsKind, taps: &Taps, wide: &mut [f32]) {
    let pixels = wide.chunks_exact_mut(channels).take(taps.first.len()).enumerate();
    match kind {
        TapsKind::Pick => {
            for (index, pixel) in pixels {
                let from = &row[taps.first[index] as usize * channels..][..channels];
                pixel.iter_mut().zip(from).for_each(|(value, sample)| *value = sample.to_float());
            }
        }
        TapsKind::Between => {
            for (index, pixel) in pixels {
                let left = &row[taps.first[index] as usize * channels..][..channels];
                let right = &row[taps.second[index] as usize * channels..][..channels];
                let part = taps.weights[index];
                for ((value, left), right) in pixel.iter_mut().zip(left).zip(right) {
                    let (left, right) = (left.to_float(), right.to_float());
                    *value = left + (right - left) * part;
                }
            }
        }
        TapsKind::Weighted => {
            for (index, pixel) in pixels {
                let (first, weights) = taps.weighted(index);
                let sources = row[first * channels..].chunks_exact(channels);
                for (tap, (source, weight)) in sources.zip(weights).enumerate() {
                    for (value, sample) in pixel.iter_mut().zip(source) {
                        let product = sample.to_float() * weight;
                        *value = if tap == 0 { product } else { *value + product };
                    }
                }
            }
        }
    }
}
