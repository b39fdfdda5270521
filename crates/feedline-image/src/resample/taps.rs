//! Along one axis: which source places make each place of the result.

use super::filter::{Filter, Kernel};
use std::ops::Range;

/// For each place of the result: the sources it is made of. Keeps its memory from image to image.
#[derive(Debug, Default)]
pub(super) struct Taps {
    /// The first source of each.
    pub(super) first: Vec<u32>,
    /// The second, where there are two; else the end of its weights.
    pub(super) second: Vec<u32>,
    /// How far from the first to the second, or the weights of all, one behind the other.
    pub(super) weights: Vec<f32>,
}

/// How `Taps` are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TapsKind {
    /// The first.
    Pick,
    /// Between the first and the second.
    Between,
    /// Weights of the first and those behind it.
    Weighted,
}

impl Filter {
    pub(super) fn taps_kind(self) -> TapsKind {
        match self {
            Filter::None | Filter::Nearest => TapsKind::Pick,
            Filter::Bilinear => TapsKind::Between,
            _ => TapsKind::Weighted,
        }
    }
}

impl Taps {
    /// Works them out for `from` places that become `to`, of these for `part`, from its end where it is `mirrored`.
    pub(super) fn plan(
        &mut self,
        filter: Filter,
        from: usize,
        to: usize,
        part: Range<usize>,
        mirrored: bool,
    ) {
        self.first.clear();
        self.second.clear();
        self.weights.clear();
        let kernel = filter.kernel();
        // TensorFlow has the scale of `resize` in single precision, one way or the other.
        let scale = from as f32 / to as f32;
        for index in part.clone() {
            let place = if mirrored { part.start + part.end - 1 - index } else { index };
            match (filter, kernel) {
                (_, Some(kernel)) => self.weigh(kernel, place, from, to),
                (Filter::Bilinear, _) => self.between(place, scale, from),
                (Filter::Area, _) => self.cover(place, scale, from),
                (Filter::Bicubic, _) => self.through_four(place, scale, from),
                (Filter::None, _) => self.first.push(place as u32),
                _ => {
                    let source = ((place as f32 + 0.5) * scale).floor() as usize;
                    self.first.push(source.min(from - 1) as u32);
                }
            }
        }
    }

    /// The sources that are needed.
    pub(super) fn needed(&self, kind: TapsKind) -> Range<usize> {
        let start = self.first.iter().copied().min().unwrap_or(0) as usize;
        let last = match kind {
            TapsKind::Pick => self.first.iter().copied().max(),
            TapsKind::Between => self.second.iter().copied().max(),
            TapsKind::Weighted => {
                let last = |index: usize| self.first[index] + self.weighted(index).1.len() as u32 - 1;
                (0..self.first.len()).map(last).max()
            }
        };
        start..last.unwrap_or(0) as usize + 1
    }

    /// Counts sources from `start` on.
    pub(super) fn shift(&mut self, start: usize, kind: TapsKind) {
        self.first.iter_mut().for_each(|source| *source -= start as u32);
        if kind == TapsKind::Between {
            self.second.iter_mut().for_each(|source| *source -= start as u32);
        }
    }

    /// The sources of place `index` and their weights.
    pub(super) fn weighted(&self, index: usize) -> (usize, &[f32]) {
        let begin = if index == 0 { 0 } else { self.second[index - 1] as usize };
        (self.first[index] as usize, &self.weights[begin..self.second[index] as usize])
    }

    /// The most sources that a place has.
    pub(super) fn most(&self) -> usize {
        (0..self.first.len()).map(|index| self.weighted(index).1.len()).max().unwrap_or(0)
    }

    fn between(&mut self, place: usize, scale: f32, from: usize) {
        let at = (place as f32 + 0.5) * scale - 0.5;
        let floor = at.floor();
        self.first.push(floor.max(0.0) as u32);
        self.second.push((at.ceil().max(0.0) as u32).min(from as u32 - 1));
        self.weights.push(at - floor);
    }

    /// How much of each source a place covers, by TensorFlow's steps. The weights add up to `scale`, by which the sums are divided in
    /// the end: where images grow, the roundings of weights divided by it would be seen.
    fn cover(&mut self, place: usize, scale: f32, from: usize) {
        let (begin, end) = (place as f32 * scale, (place as f32 + 1.0) * scale);
        let first = (begin.floor() as usize).min(from - 1);
        let last = (end.ceil() as usize).max(first + 1);
        self.first.push(first as u32);
        for source in first..last {
            let (left, right) = (source as f32, source as f32 + 1.0);
            let part = match (left < begin, right > end) {
                (true, true) => scale,
                (true, false) => right - begin,
                (false, true) => end - left,
                (false, false) => 1.0,
            };
            match self.weights.last_mut() {
                // What roundings put behind the last source is the last source's.
                Some(weight) if source >= from => *weight += part,
                _ => self.weights.push(part),
            }
        }
        self.second.push(self.weights.len() as u32);
    }

    /// Weights are looked up in a table of 1024 steps, as TensorFlow's are.
    fn through_four(&mut self, place: usize, scale: f32, from: usize) {
        const STEPS: f32 = 1024.0;
        const A: f32 = -0.5;
        let near = |x: f32| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
        let far = |x: f32| ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A;
        let at = (place as f32 + 0.5) * scale - 0.5;
        let floor = at.floor();
        let step = ((at - floor) * STEPS).round_ties_even() / STEPS;
        let weights = [far(step + 1.0), near(step), near(1.0 - step), far(2.0 - step)];
        let (before, limit) = (floor as i64 - 1, from as i64);
        let first = before.max(0);
        let inside = || (0..4_i64).zip(weights).filter(|(tap, _)| (0..limit).contains(&(before + tap)));
        let sum: f32 = inside().map(|(_, weight)| weight).sum();
        self.first.push(first as u32);
        self.weights.extend(inside().map(|(_, weight)| weight * (1.0 / sum)));
        self.second.push(self.weights.len() as u32);
    }

    fn weigh(&mut self, kernel: Kernel, place: usize, from: usize, to: usize) {
        let Kernel { radius, weight, antialias } = kernel;
        let inverse = 1.0 / (to as f32 / from as f32);
        let widened = if antialias { inverse.max(1.0) } else { 1.0 };
        let at = (place as f32 + 0.5) * inverse;
        let last = from as f32 - 1.0;
        let first = (at - radius * widened - 0.5).ceil().clamp(0.0, last) as usize;
        let end = (at + radius * widened - 0.5).floor().clamp(0.0, last) as usize + 1;
        let begin = self.weights.len();
        let narrowed = 1.0 / widened;
        for source in first..end.max(first + 1) {
            self.weights.push(weight(((source as f32 + 0.5 - at) * narrowed).abs(), radius));
        }
        let own = &mut self.weights[begin..];
        let sum: f32 = own.iter().sum();
        if sum.abs() >= 1000.0 * f32::MIN_POSITIVE {
            own.iter_mut().for_each(|weight| *weight *= 1.0 / sum);
        }
        self.first.push(first as u32);
        self.second.push(self.weights.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILTERS: [Filter; 8] = [
        Filter::Area,
        Filter::Bicubic,
        Filter::Triangle { antialias: true },
        Filter::Cubic { antialias: true },
        Filter::Lanczos { radius: 3, antialias: true },
        Filter::Lanczos { radius: 5, antialias: false },
        Filter::Gaussian { antialias: true },
        Filter::Mitchell { antialias: false },
    ];

    #[test]
    fn weights_lie_within_and_add_up() {
        let mut taps = Taps::default();
        for filter in FILTERS {
            for from in [1, 2, 3, 7, 100] {
                for to in [1, 2, 5, 64, 333] {
                    taps.plan(filter, from, to, 0..to, false);
                    assert!(taps.needed(TapsKind::Weighted).end <= from);
                    assert_eq!(taps.first.len(), to);
                    for place in 0..to {
                        let (first, weights) = taps.weighted(place);
                        assert!(
                            !weights.is_empty() && first + weights.len() <= from,
                            "{filter:?} {from} {to}"
                        );
                        // Those of areas are divided in the end.
                        let scale = if filter == Filter::Area { from as f32 / to as f32 } else { 1.0 };
                        let sum = weights.iter().sum::<f32>() / scale;
                        assert!((sum - 1.0).abs() < 1e-4, "{filter:?} {from} {to}: {sum}");
                    }
                }
            }
        }
    }

    #[test]
    fn mirrored_is_the_same_from_the_end() {
        let (mut plain, mut mirrored) = (Taps::default(), Taps::default());
        for filter in FILTERS {
            plain.plan(filter, 10, 7, 0..7, false);
            mirrored.plan(filter, 10, 7, 0..7, true);
            for place in 0..7 {
                assert_eq!(plain.weighted(place), mirrored.weighted(6 - place));
            }
        }
    }
}
