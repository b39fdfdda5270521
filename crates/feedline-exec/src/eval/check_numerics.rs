//! Floats that must be finite.

use feedline_plan::expr::Attribute;

use super::elementwise::dispatch;
use super::{Arguments, Value};

pub(super) fn check_numerics(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let input = arguments.inputs[0].clone();
    let column = input.to_rows(arguments.rows);
    let Attribute::Text(message) = arguments.call.attribute("message") else {
        unreachable!("checked to be text")
    };
    for row in 0..column.rows() {
        let values = column.value_range(row..row + 1);
        let found = dispatch!(floats column.dtype(), T => {
            let values = &column.as_slice::<T>()[values];
            let mut bad = values.iter().filter(|value| !value.is_finite());
            bad.next().map(|value| if value.is_nan() { "NaN" } else { "Inf" })
        });
        if let Some(found) = found {
            arguments.fail(row, &format!("{message}: the tensor has {found} values"));
        }
    }
    vec![input]
}
