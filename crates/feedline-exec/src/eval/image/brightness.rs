//! `adjust_brightness`, and `random_brightness`.

use super::super::{Arguments, Value};
use super::adjust::each_adjusted;
use super::given::GivenFloat;
use super::random;

pub(in super::super) fn adjust_brightness(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let deltas = GivenFloat::of(arguments, "delta");
    each_adjusted(arguments, true, |row, _, values| {
        add(values, deltas.one(row)? as f32);
        Ok(())
    })
}

pub(in super::super) fn random_brightness(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let max = call.float("max_delta");
    each_adjusted(arguments, true, |row, _, values| {
        add(values, random::uniform(random::words(call, ids.get(row), 0)[0], -max, max) as f32);
        Ok(())
    })
}

fn add(values: &mut [f32], delta: f32) {
    values.iter_mut().for_each(|value| *value += delta);
}
