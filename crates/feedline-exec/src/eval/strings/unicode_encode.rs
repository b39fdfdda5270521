//! Strings of characters that are numbers.

use feedline_data::block::{Column, StringsBuilder};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::unicode::Errors;

pub(super) fn encode(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let errors = Errors::of(arguments.call);
    once_for_constants(arguments, |arguments| {
        let column = RowsOf::new(arguments.inputs[0]).column();
        let codes = column.as_slice::<i32>();
        let mut strings = StringsBuilder::with_capacity(column.rows(), codes.len());
        let mut shapes = Vec::with_capacity(column.rows());
        for row in 0..column.rows() {
            let Some((&width, outer)) = column.shape(row).split_last() else {
                arguments.fail(row, "takes lists of characters, not one number");
                shapes.push(vec![0]);
                continue;
            };
            let codes = &codes[column.value_range(row..row + 1)];
            for place in 0..outer.iter().product() {
                let written = strings.push_with(|bytes| {
                    codes[place * width..(place + 1) * width].iter().try_for_each(|&code| {
                        let character = u32::try_from(code).ok().and_then(char::from_u32);
                        let character = match character {
                            Some(character) => Some(character),
                            None => errors.stand_in(&format!("the number {code}"))?,
                        };
                        if let Some(character) = character {
                            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                        }
                        Ok::<(), String>(())
                    })
                });
                if let Err(reason) = written {
                    arguments.fail(row, &reason);
                }
            }
            shapes.push(outer.to_vec());
        }
        vec![Column::from_strings(vec![], strings.len(), strings.finish()).with_shapes(shapes)]
    })
}
