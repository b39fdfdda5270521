//! Parts of strings, by place, which share the memory of the strings.

use std::ops::Range;

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_plan::expr::broadcast_shapes;

use super::super::rows::{RowsOf, once_for_constants, plan_rows};
use super::super::walk::{Walk, broadcast_strides};
use super::super::{Arguments, Value};
use super::characters::is_trail;
use super::each::shown;

/// The shape of a row of the result, and how places of the strings and of `pos` and `len` follow from those in it.
struct Stretched {
    shape: Vec<usize>,
    strings: Vec<isize>,
    places: Vec<isize>,
}

pub(super) fn substr(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let cut = if arguments.call.text("unit") == "BYTE" { bytes_from } else { characters_from };
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| {
            let (strings, pos, len) = (shapes[0], shapes[1], shapes[2]);
            if pos != len {
                return Err(format!("pos and len have one shape, not {pos:?} and {len:?}"));
            }
            let shape = broadcast_shapes(strings, pos).ok_or_else(|| {
                format!("strings of shape {strings:?} and pos of shape {pos:?} do not fit together")
            })?;
            let rank = shape.len();
            Ok(Stretched {
                strings: broadcast_strides(strings, rank),
                places: broadcast_strides(pos, rank),
                shape,
            })
        });
        let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
        let strings = inputs[0].column().strings().expect("the plan lets only strings come here");
        let (pos, len) = (integers(inputs[1].column()), integers(inputs[2].column()));
        let mut parts = strings.parts(strings.len());
        for row in 0..arguments.rows {
            let Some(plan) = plans.get(row) else { continue };
            let start = [inputs[0].range(row).start, inputs[1].range(row).start, inputs[2].range(row).start];
            let walk = Walk::new(&plan.shape, [&plan.strings, &plan.places, &plan.places]);
            walk.for_each(start, &mut |[index, pos_at, len_at]| {
                let (pos, len) = (pos(pos_at), len(len_at));
                let part = cut(strings.get(index), pos, len).unwrap_or_else(|reason| {
                    let text = shown(strings.get(index));
                    arguments.fail(row, &format!("{reason} in the string {text}"));
                    0..0
                });
                parts.push(index, part);
            });
        }
        let count = parts.len();
        let column = Column::from_strings(vec![], count, parts.finish());
        vec![plans.shaped(column, arguments.rows, |plan| &plan.shape)]
    })
}

/// The integers of a column, by place, whichever of the two types they have.
fn integers(column: &Column) -> impl Fn(usize) -> i64 + '_ {
    let is_wide = column.dtype() == DType::Int64;
    let (wide, narrow) =
        if is_wide { (column.as_slice::<i64>(), &[][..]) } else { (&[][..], column.as_slice::<i32>()) };
    move |index| if is_wide { wide[index] } else { i64::from(narrow[index]) }
}

fn bytes_from(string: &[u8], pos: i64, len: i64) -> Result<Range<usize>, String> {
    let size = string.len() as i64;
    // The lowest number there is, plus any size, is still one.
    let start = if pos < 0 { pos + size } else { pos };
    if !(0..=size).contains(&start) {
        return Err(no_place(pos));
    }
    // TensorFlow compares it as an unsigned number, so that a negative one is all that there is.
    let len = if len < 0 { size - start } else { len.min(size - start) };
    Ok(start as usize..(start + len) as usize)
}

fn no_place(pos: i64) -> String {
    format!("there is no place {pos}")
}

fn characters_from(string: &[u8], pos: i64, len: i64) -> Result<Range<usize>, String> {
    if pos < 0 && len < 0 {
        // TensorFlow takes that for no characters where the place is counted from the front, and refuses it here.
        return Err(format!("there are no {len} characters from {pos} on"));
    }
    let start = if pos >= 0 {
        let (start, is_there) = forward(string, 0, pos);
        if !is_there {
            return Err(no_place(pos));
        }
        start
    } else {
        let mut at = string.len();
        for _ in 0..pos.unsigned_abs() {
            if at == 0 {
                return Err(no_place(pos));
            }
            at -= 1;
            while at > 0 && is_trail(string[at]) {
                at -= 1;
            }
        }
        at
    };
    Ok(start..forward(string, start, len).0)
}

/// Where `count` characters from `at` on end, and whether there are so many.
fn forward(string: &[u8], at: usize, count: i64) -> (usize, bool) {
    let mut end = at;
    for _ in 0..count {
        if end == string.len() {
            return (end, false);
        }
        end += 1;
        while end < string.len() && is_trail(string[end]) {
            end += 1;
        }
    }
    (end, true)
}
