//! A tensor several times along its dimensions.

use feedline_plan::expr::{dims_of_ints, within_limit};

use super::entries::Entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn tile(arguments: &mut Arguments<'_>) -> Vec<Value> {
    by_ints(arguments, &[1], None, |shapes, ints| {
        let (shape, multiples) = (shapes[0], dims_of_ints("multiples", ints[0])?);
        one_each("multiples", multiples.len(), shape)?;
        let tiled: Option<Vec<usize>> =
            shape.iter().zip(&multiples).map(|(&dim, &times)| dim.checked_mul(times)).collect();
        within_limit(&tiled.ok_or("a tensor of more values than any")?)?;
        let entries = shape.iter().zip(multiples).map(|(&dim, times)| Entries::Cycled { dim, times });
        Ok(Taken::of(shape, entries.collect()))
    })
}

fn one_each(what: &str, count: usize, shape: &[usize]) -> Result<(), String> {
    if count == shape.len() {
        return Ok(());
    }
    Err(format!("{what} has {count} numbers for a tensor of shape {shape:?}"))
}
