//! Random numbers keyed by the element's id.

use feedline_data::block::{Column, mix};
use feedline_plan::expr::Attribute;

use super::{Arguments, Value};
use crate::seed::{halves, philox};

pub(super) fn random_uniform(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let Attribute::Shape(shape) = arguments.call.attribute("shape") else {
        unreachable!("checked to be a shape")
    };
    let shape = shape.to_fixed().expect("the plan checked that the shape is known");
    // The key says which operation of the plan draws, the counter for which element.
    let key = halves(mix(arguments.call.int("seed") as u64, arguments.call.place));
    let per_row: usize = shape.iter().product();
    let mut values = Vec::with_capacity(arguments.rows * per_row);
    for id in arguments.ids.iter() {
        let [low, high] = halves(id);
        for block in 0..per_row.div_ceil(4) {
            let words = philox([low, high, block as u32, 0], key);
            let count = (per_row - block * 4).min(4);
            // 24 bits: every value is exact in a float, and 1 is never reached.
            values.extend(words[..count].iter().map(|word| (word >> 8) as f32 / (1 << 24) as f32));
        }
    }
    vec![Value::Rows(Column::from_vec(shape, arguments.rows, values))]
}
