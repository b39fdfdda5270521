//! Entries before and behind those of a dimension.

use feedline_plan::expr::{dims_of_ints, within_limit};

use super::entries::{Entries, Padding};
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn pad(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let mode = arguments.call.text("mode").to_owned();
    by_ints(arguments, &[1], Some(2), |shapes, ints| {
        let shape = shapes[0];
        if shapes[1] != [shape.len(), 2] || !shapes[2].is_empty() {
            return Err(format!("paddings of shape {:?} for a tensor of shape {shape:?}", shapes[1]));
        }
        let pairs = dims_of_ints("paddings", ints[0])?;
        let pairs: Vec<&[usize]> = pairs.chunks(2).collect();
        let padded = |(&dim, pair): (&usize, &&[usize])| dim.checked_add(pair[0])?.checked_add(pair[1]);
        let padded: Option<Vec<usize>> = shape.iter().zip(&pairs).map(padded).collect();
        within_limit(&padded.ok_or("a tensor of more values than any")?)?;
        let entries =
            shape.iter().zip(&pairs).map(|(&dim, pair)| padded_entries(&mode, dim, pair[0], pair[1]));
        Ok(Taken::of(shape, entries.collect::<Result<_, _>>()?))
    })
}

/// Which entries of a dimension of `dim` stand where it is padded.
fn padded_entries(mode: &str, dim: usize, before: usize, behind: usize) -> Result<Entries, String> {
    if mode == "CONSTANT" {
        return Ok(Entries::Padded { dim, before, behind, padding: Padding::Fill });
    }
    // How much of the mirrored dimension there is: all of it, or all but the entry at the edge.
    let skipped = usize::from(mode == "REFLECT");
    let most = dim.saturating_sub(skipped);
    if before.max(behind) > most {
        return Err(format!(
            "paddings of {before} and {behind} are more than the {most} of {dim} entries to mirror"
        ));
    }
    Ok(Entries::Padded { dim, before, behind, padding: Padding::Mirrored { skipped } })
}
