//! `adjust_gamma`, and `random_gamma`.

use feedline_plan::expr::image::gamma;

use super::super::{Arguments, Value};
use super::adjust::each_adjusted;
use super::given::GivenFloat;
use super::random;

pub(in super::super) fn adjust_gamma(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let [gammas, gains] = ["gamma", "gain"].map(|name| GivenFloat::of(arguments, name));
    each_adjusted(arguments, true, |row, _, values| {
        bend(values, gamma(gammas.one(row)?)? as f32, gains.one(row)? as f32);
        Ok(())
    })
}

pub(in super::super) fn random_gamma(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let gain = call.float("gain") as f32;
    each_adjusted(arguments, true, |row, _, values| {
        let word = random::words(call, ids.get(row), 0)[0];
        bend(values, random::uniform(word, call.float("lower"), call.float("upper")) as f32, gain);
        Ok(())
    })
}

fn bend(values: &mut [f32], gamma: f32, gain: f32) {
    values.iter_mut().for_each(|value| *value = gain * value.powf(gamma));
}
