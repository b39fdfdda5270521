//! What is drawn for an element: a function of the operation's seed and place and the element's id alone.

use feedline_data::block::mix;
use feedline_image::Region;
use feedline_plan::expr::Call;

use crate::seed::{halves, philox};

/// Four words for element `id`, other ones for each `draw`.
pub(super) fn words(call: &Call, id: u64, draw: u32) -> [u32; 4] {
    let key = halves(mix(call.int("seed") as u64, call.place));
    let [low, high] = halves(id);
    philox([low, high, draw, 0], key)
}

/// From 0 to before 1.
fn unit(word: u32) -> f64 {
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

/// The part of a tensor of `shape` that `random_crop` takes.
pub(in super::super) fn random_part(call: &Call, id: u64, shape: &[usize]) -> Result<TensorPart, String> {
    let sizes: Vec<usize> = call.ints("size").unwrap_or_default().iter().map(|&size| size as usize).collect();
    if shape.len() != sizes.len() || shape.iter().zip(&sizes).any(|(have, want)| have < want) {
        return Err(format!("a part of size {sizes:?} cannot be cut from shape {shape:?}"));
    }
    let start = |axis: usize| {
        let word = words(call, id, axis as u32 / 4)[axis % 4];
        below(word, shape[axis] - sizes[axis] + 1)
    };
    Ok(TensorPart { starts: (0..shape.len()).map(start).collect(), sizes })
}
