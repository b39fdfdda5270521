//! Numbers that lie in strings byte by byte.

use std::ops::Range;

use feedline_data::DType;
use feedline_data::block::{Column, Strings};
use feedline_plan::expr::Attribute;

use super::elementwise::dispatch;
use super::rows::{Plans, RowsOf, once_for_constants};
use super::{Arguments, Value};

pub(super) fn decode_raw(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let Attribute::DType(dtype) = *arguments.call.attribute("out_type") else {
        unreachable!("checked to be a dtype")
    };
    let is_other_order = arguments.call.flag("little_endian") != cfg!(target_endian = "little");
    let width = dtype.width().expect("the plan lets no strings be read");
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let strings = source.column().strings().expect("the plan lets only strings be read");
        let shapes: Vec<Option<Vec<usize>>> = (0..arguments.rows)
            .map(|row| {
                let length = common_length(strings, source.range(row), dtype);
                let length = length.map_err(|reason| arguments.fail(row, &reason)).ok()?;
                Some([source.shape(row), &[length / width]].concat())
            })
            .collect();
        let good = (0..arguments.rows).filter(|&row| shapes[row].is_some());
        let all = good.flat_map(|row| source.range(row)).map(|index| strings.get(index));
        let column = dispatch!(widths dtype, Word => {
            let mut values = read::<Word>(all);
            if is_other_order {
                values.iter_mut().for_each(|value| *value = value.swap_bytes());
            }
            if dtype == DType::Bool {
                values.iter_mut().for_each(|value| *value = Word::from(*value != 0));
            }
            Column::from_vec(vec![], values.len(), values).with_dtype(dtype)
        });
        vec![Plans::Each(shapes).shaped(column, arguments.rows, |shape| shape)]
    })
}

/// The length all strings of a row have.
fn common_length(strings: &Strings, row: Range<usize>, dtype: DType) -> Result<usize, String> {
    let first = row.clone().next().map_or(0, |index| strings.get(index).len());
    if let Some(other) = row.clone().find(|&index| strings.get(index).len() != first) {
        let (at, len) = (other - row.start, strings.get(other).len());
        return Err(format!("the strings have different lengths: {first} bytes first, {len} in string {at}"));
    }
    let width = dtype.width().unwrap_or(1);
    if !first.is_multiple_of(width) {
        return Err(format!("{first} bytes are no multiple of the {width} of a {dtype}"));
    }
    Ok(first)
}

/// The bytes of all strings as words in the machine's order.
fn read<'a, W: bytemuck::Pod>(strings: impl Iterator<Item = &'a [u8]> + Clone) -> Vec<W> {
    let num_bytes: usize = strings.clone().map(<[u8]>::len).sum();
    let mut values = vec![W::zeroed(); num_bytes / size_of::<W>()];
    let mut rest: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
    for string in strings {
        let (own, others) = rest.split_at_mut(string.len());
        own.copy_from_slice(string);
        rest = others;
    }
    values
}
