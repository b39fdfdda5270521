//! `affine`, and `random_affine`.

use feedline_image::augment::Affine;

use super::super::{Arguments, Value};
use super::random::uniform;
use super::warp::{centre_of, drawn, given};

pub(in super::super) fn affine(arguments: &mut Arguments<'_>) -> Vec<Value> {
    given(arguments, false, |call, height, width, _| {
        let (translate, shear) = (call.floats("translate"), call.floats("shear"));
        Affine::new(
            centre_of(call, height, width),
            call.float("angle"),
            [translate[0], translate[1]],
            call.float("scale"),
            [shear[0], shear.get(1).copied().unwrap_or(0.0)],
        )
    })
}

pub(in super::super) fn random_affine(arguments: &mut Arguments<'_>) -> Vec<Value> {
    drawn(arguments, false, |call, height, width, draw| {
        let ([turn, right, down, size], [along_x, along_y, ..]) = (draw(0), draw(1));
        let within = |word: u32, name: &str, first: usize, otherwise: f64| match call
            .floats(name)
            .get(first..first + 2)
        {
            Some(limits) => uniform(word, limits[0], limits[1]),
            None => otherwise,
        };
        // Whole pixels, as torchvision moves.
        let moved = |word: u32, axis: usize, size: usize| {
            let most = call.floats("translate").get(axis).map_or(0.0, |part| part * size as f64);
            uniform(word, -most, most).round_ties_even()
        };
        Affine::new(
            centre_of(call, height, width),
            within(turn, "degrees", 0, 0.0),
            [moved(right, 0, width), moved(down, 1, height)],
            within(size, "scale", 0, 1.0),
            [within(along_x, "shear", 0, 0.0), within(along_y, "shear", 2, 0.0)],
        )
    })
}
