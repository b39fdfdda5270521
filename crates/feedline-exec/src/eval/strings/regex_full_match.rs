//! Whether a pattern matches all of a string.

use feedline_data::DType;
use feedline_data::block::{Column, Tensor};
use feedline_plan::expr::pattern::regular_expression;

use super::super::elementwise::like;
use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::automaton::WholeMatcher;
use super::each::strings_of;
use super::each_number;

pub(super) fn full_match(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let kept = arguments.scratch.take(|| {
        let pattern = arguments.call.text("pattern");
        let regex = regular_expression(pattern, true).expect("the plan checked the pattern");
        let matcher = WholeMatcher::new(regex.as_str());
        (regex, matcher)
    });
    let (regex, matcher) = &*kept;
    let mut values = match matcher {
        Some(matcher) => once_for_constants(arguments, |arguments| {
            let (column, strings) = strings_of(arguments);
            vec![like(column, Column::from_vec(vec![], strings.len(), matcher.matches(strings)))]
        }),
        None => each_number(arguments, |string| Ok(u8::from(regex.is_match(string)))),
    };
    arguments.scratch.put(kept);
    let as_bools = |column: &Column| column.clone().with_dtype(DType::Bool);
    vec![match values.remove(0) {
        Value::Rows(column) => Value::Rows(as_bools(&column)),
        Value::Constant(tensor) => Value::Constant(Tensor::of_row(&as_bools(tensor.as_column()), 0)),
    }]
}
