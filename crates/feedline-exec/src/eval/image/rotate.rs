//! `rotate`, and `random_rotation`.

use feedline_image::augment::Affine;

use super::super::{Arguments, Value};
use super::random::uniform;
use super::warp::{centre_of, drawn, given};

pub(in super::super) fn rotate(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let expands = arguments.call.flag("expand");
    given(arguments, expands, |call, height, width, _| {
        Affine::rotation(centre_of(call, height, width), call.float("angle"))
    })
}

pub(in super::super) fn random_rotation(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let expands = arguments.call.flag("expand");
    drawn(arguments, expands, |call, height, width, draw| {
        let degrees = call.floats("degrees");
        Affine::rotation(centre_of(call, height, width), uniform(draw(0)[0], degrees[0], degrees[1]))
    })
}
