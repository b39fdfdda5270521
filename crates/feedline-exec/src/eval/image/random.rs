//! What is drawn for an element: a function of the operation's seed and place and the element's id alone.

use feedline_data::block::mix;
use feedline_image::Region;
use feedline_plan::expr::Call;

use crate::seed::{halves, philox};

/// Four words for element `id`, other ones for each `draw`.
pub(super) fn words(call: &Call, id: u64, draw: u32) -> [u32; 4] {
    words_of(call, id, 0, draw)
}

/// As [`words`], for image number `index` of an element that has several.
pub(super) fn words_of(call: &Call, id: u64, index: usize, draw: u32) -> [u32; 4] {
    let key = halves(mix(call.int("seed") as u64, call.place));
    let [low, high] = halves(id);
    philox([low, high, draw, index as u32], key)
}

/// From 0 to before 1.
pub(super) fn unit(word: u32) -> f64 {
    f64::from(word) / 4_294_967_296.0
}

/// From `low` to before `high`.
pub(super) fn uniform(word: u32, low: f64, high: f64) -> f64 {
    low + (high - low) * unit(word)
}

/// From 0 to before `count`.
pub(super) fn below(word: u32, count: usize) -> usize {
    ((u64::from(word) * count as u64) >> 32) as usize
}

/// Numbers of a normal distribution, a pair of each two words.
pub(super) fn normals(words: [u32; 4]) -> [f32; 4] {
    let pair = |one: u32, two: u32| {
        // Never the logarithm of 0.
        let radius = (-2.0 * (unit(one) + 1.0 / 8_589_934_592.0).ln()).sqrt();
        let (sin, cos) = (unit(two) * std::f64::consts::TAU).sin_cos();
        [(radius * cos) as f32, (radius * sin) as f32]
    };
    let ([a, b], [c, d]) = (pair(words[0], words[1]), pair(words[2], words[3]));
    [a, b, c, d]
}

/// Words for one element, as many as it takes.
pub(super) struct Draws<'a> {
    call: &'a Call,
    id: u64,
    next: u32,
}

impl<'a> Draws<'a> {
    pub(super) fn new(call: &'a Call, id: u64) -> Draws<'a> {
        Draws { call, id, next: 0 }
    }

    /// The four words number `draw`, whatever was drawn before.
    pub(super) fn words(&self, draw: u32) -> [u32; 4] {
        words(self.call, self.id, draw)
    }

    /// From 0 to 1, of a Beta distribution whose two parameters are `alpha`.
    pub(super) fn beta(&mut self, alpha: f64) -> f64 {
        // The share one of two gammas has in their sum, by their logarithms: those of a small alpha are too small for numbers.
        let (one, two) = (self.log_gamma(alpha), self.log_gamma(alpha));
        1.0 / (1.0 + (two - one).exp())
    }

    /// The logarithm of a number of a Gamma distribution, by the method of Marsaglia and Tsang (2000).
    fn log_gamma(&mut self, shape: f64) -> f64 {
        // Below 1 it is that of one more, times a power of a uniform number.
        let (shape, correction) = if shape < 1.0 {
            let word = self.next_words()[0];
            (shape + 1.0, (unit(word) + 1.0 / 8_589_934_592.0).ln() / shape)
        } else {
            (shape, 0.0)
        };
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let drawn = self.next_words();
            let normal = f64::from(normals(drawn)[0]);
            let cube = (1.0 + c * normal).powi(3);
            let uniform = unit(drawn[2]) + 1.0 / 8_589_934_592.0;
            // More than nine of ten are taken, so the words never run out.
            if cube > 0.0 && uniform.ln() < 0.5 * normal * normal + d - d * cube + d * cube.ln() {
                return d.ln() + cube.ln() + correction;
            }
        }
    }

    fn next_words(&mut self) -> [u32; 4] {
        self.next += 1;
        self.words(self.next - 1)
    }
}

/// Whether image number `index` of element `id` is mirrored.
pub(in super::super) fn is_flipped(call: &Call, id: u64, index: usize) -> bool {
    words(call, id, index as u32)[0] >> 31 == 1
}

/// The part of an image that `random_resized_crop` takes, drawn as torchvision's `RandomResizedCrop.get_params` does.
pub(in super::super) fn resized_crop(call: &Call, id: u64, height: usize, width: usize) -> Region {
    let (scale, ratio) = (call.floats("scale"), call.floats("ratio"));
    let (rows, columns) = (height as f64, width as f64);
    let region = |y: usize, x: usize, height: usize, width: usize| Region {
        x: x as u32,
        y: y as u32,
        width: width as u32,
        height: height as u32,
    };
    for attempt in 0..10 {
        let drawn = words(call, id, attempt);
        let area = rows * columns * uniform(drawn[0], scale[0], scale[1]);
        let aspect = uniform(drawn[1], ratio[0].ln(), ratio[1].ln()).exp();
        let crop_width = (area * aspect).sqrt().round_ties_even() as usize;
        let crop_height = (area / aspect).sqrt().round_ties_even() as usize;
        if (1..=width).contains(&crop_width) && (1..=height).contains(&crop_height) {
            let y = below(drawn[2], height - crop_height + 1);
            let x = below(drawn[3], width - crop_width + 1);
            return region(y, x, crop_height, crop_width);
        }
    }
    let own = columns / rows;
    let (crop_height, crop_width) = if own < ratio[0] {
        (((columns / ratio[0]).round_ties_even() as usize).clamp(1, height), width)
    } else if own > ratio[1] {
        (height, ((rows * ratio[1]).round_ties_even() as usize).clamp(1, width))
    } else {
        (height, width)
    };
    region((height - crop_height) / 2, (width - crop_width) / 2, crop_height, crop_width)
}

/// Where a part of a tensor begins, and how large it is, along each dimension.
pub(in super::super) struct TensorPart {
    pub(in super::super) starts: Vec<usize>,
    pub(in super::super) sizes: Vec<usize>,
}

/// The part of a tensor of `shape` that `random_crop` takes, of these sizes.
pub(in super::super) fn random_part(
    call: &Call,
    id: u64,
    shape: &[usize],
    sizes: &[i64],
) -> Result<TensorPart, String> {
    let sizes: Option<Vec<usize>> = sizes.iter().map(|&size| usize::try_from(size).ok()).collect();
    let sizes = sizes.ok_or_else(|| "size has numbers below 0".to_owned())?;
    if shape.len() != sizes.len() || shape.iter().zip(&sizes).any(|(have, want)| have < want) {
        return Err(format!("a part of size {sizes:?} cannot be cut from shape {shape:?}"));
    }
    let start = |axis: usize| random_start(call, id, axis, shape[axis] - sizes[axis]);
    Ok(TensorPart { starts: (0..shape.len()).map(start).collect(), sizes })
}

/// Where the part that `random_crop` takes begins along dimension `axis`, of which it leaves out so many.
pub(in super::super) fn random_start(call: &Call, id: u64, axis: usize, num_left_out: usize) -> usize {
    below(words(call, id, axis as u32 / 4)[axis % 4], num_left_out + 1)
}
