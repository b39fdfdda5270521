//! The value of each key, or a default.

use std::hint::select_unpredictable;

use feedline_data::Native;
use feedline_data::block::Column;

use super::index::{index_of, places};
use crate::eval::elementwise::like;
use crate::eval::moves::{Move, move_values};
use crate::eval::rows::{RowsOf, once_for_constants};
use crate::eval::{Arguments, Value};

pub(super) fn find(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let keys = arguments.inputs[0].to_rows(arguments.rows);
        let (values, default) = (RowsOf::new(arguments.inputs[2]), RowsOf::new(arguments.inputs[3]));
        let found = places(&index_of(arguments), &keys);
        let picked =
            move_values(&[values.column(), default.column()], &Pick { found: &found, keys: &keys, default });
        vec![like(&keys, picked)]
    })
}

struct Pick<'a> {
    found: &'a [u32],
    keys: &'a Column,
    default: RowsOf<'a>,
}

impl Move for Pick<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let &[values, defaults] = inputs else { unreachable!("two are moved") };
        if let &[default] = defaults {
            return self.found.iter().map(|&place| value_or(values, place, default)).collect();
        }
        let mut picked = Vec::with_capacity(self.found.len());
        for row in 0..self.keys.rows() {
            let default = defaults[self.default.range(row).start];
            let own = &self.found[self.keys.value_range(row..row + 1)];
            picked.extend(own.iter().map(|&place| value_or(values, place, default)));
        }
        picked
    }
}

/// The value at `place`, or `default` if there is none. Which of the two cannot be foretold, so both are there before it is known.
#[inline]
fn value_or<W: Copy>(values: &[W], place: u32, default: W) -> W {
    let Some(last) = values.len().checked_sub(1) else { return default };
    let value = values[last.min(place as usize)];
    select_unpredictable(place as usize <= last, value, default)
}
