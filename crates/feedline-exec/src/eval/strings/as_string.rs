//! Numbers as text.

use std::fmt::Write as _;

use feedline_data::DType;
use feedline_data::block::{Column, Strings, StringsBuilder};
use half::{bf16, f16};

use super::super::elementwise::{dispatch, like};
use super::super::rows::{Asked, RowsOf, ask_rows, once_for_constants};
use super::super::{Arguments, Value};
use super::printf::{Form, Format, ShortText};

pub(super) fn as_string(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let form = match (call.flag("scientific"), call.flag("shortest")) {
        (true, _) => Form::Scientific,
        (_, true) => Form::Shortest,
        _ => Form::Fixed,
    };
    let format = Format {
        form,
        precision: usize::try_from(call.int("precision")).ok(),
        width: usize::try_from(call.int("width")).unwrap_or(0),
        flag: call.text("fill").bytes().next(),
    };
    once_for_constants(arguments, |arguments| {
        let column = RowsOf::new(arguments.inputs[0]).column();
        // A number itself is some ten bytes; what it is filled up to, and the digits asked for, may be any number.
        let least_bytes = format.width.max(format.precision.unwrap_or(0));
        match ask_rows(arguments, |row| column.value_range(row..row + 1).len().saturating_mul(least_bytes)) {
            Asked::Open => {}
            Asked::Failed => {
                let blanks = std::iter::repeat_n("", column.num_values()).collect::<Strings>();
                return vec![like(column, Column::from_strings(vec![], column.num_values(), blanks))];
            }
            Asked::Stopped => return Vec::new(),
        }
        vec![match column.dtype() {
            DType::String if format.width == 0 => column.clone(),
            DType::String => like(column, filled_up(column, format)),
            _ => like(column, written(column, format)),
        }]
    })
}

/// Strings with spaces in front of them, or behind them, up to the width, as `printf` has them.
fn filled_up(column: &Column, format: Format) -> Column {
    let strings = column.strings().expect("a column of strings");
    let mut texts = StringsBuilder::with_capacity(column.num_values(), format.width * column.num_values());
    for index in 0..column.num_values() {
        let text = strings.get(index);
        let spaces = std::iter::repeat_n(b' ', format.width.saturating_sub(text.len()));
        texts.push_with(|bytes| {
            if format.flag == Some(b'-') {
                bytes.extend_from_slice(text);
                bytes.extend(spaces);
            } else {
                bytes.extend(spaces);
                bytes.extend_from_slice(text);
            }
        });
    }
    Column::from_strings(vec![], texts.len(), texts.finish())
}

/// The values of a column as text, each a row.
fn written(column: &Column, format: Format) -> Column {
    // A number is some ten bytes.
    let mut texts = StringsBuilder::with_capacity(column.num_values(), 10 * column.num_values());
    match column.dtype() {
        DType::Bool => {
            let bytes = column.buffer().expect("bools lie in a buffer").as_bytes();
            bytes.iter().for_each(|&byte| texts.push(if byte == 0 { b"false" } else { b"true" }));
        }
        DType::Float16 => {
            write_floats(column.as_slice::<f16>().iter().map(|value| value.to_f64()), format, &mut texts);
        }
        DType::BFloat16 => {
            write_floats(column.as_slice::<bf16>().iter().map(|value| value.to_f64()), format, &mut texts);
        }
        DType::Float32 => {
            write_floats(column.as_slice::<f32>().iter().map(|&value| value.into()), format, &mut texts);
        }
        DType::Float64 => write_floats(column.as_slice::<f64>().iter().copied(), format, &mut texts),
        integer => dispatch!(integers integer, T => {
            // `%u` knows no signs.
            let has_sign = integer.is_signed_integer() || !matches!(format.flag, Some(b'+' | b' '));
            let format = Format { flag: format.flag.filter(|_| has_sign), ..format };
            let mut digits = String::new();
            for &value in column.as_slice::<T>() {
                // Nearly all numbers; the formatter of the library took more than half of the time.
                let magnitude = i128::from(value).unsigned_abs() as u64;
                if let Some(text) = ShortText::of(magnitude, 0).filter(|_| format.is_bare()) {
                    texts.push_with(|bytes| text.write(i128::from(value) < 0, bytes));
                    continue;
                }
                digits.clear();
                write!(digits, "{value}").expect("a string takes all");
                let (is_negative, digits) = match digits.strip_prefix('-') {
                    Some(digits) => (true, digits),
                    None => (false, digits.as_str()),
                };
                texts.push_with(|bytes| format.write_digits(is_negative, digits, bytes));
            }
        }),
    }
    Column::from_strings(vec![], texts.len(), texts.finish())
}

fn write_floats(values: impl Iterator<Item = f64>, format: Format, texts: &mut StringsBuilder) {
    values.for_each(|value| texts.push_with(|bytes| format.write_float(value, bytes)));
}
