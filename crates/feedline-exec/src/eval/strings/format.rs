//! Tensors as text in a template: for people to read, so that large ones are shortened to what is at both ends of each dimension.

use std::io::Write as _;

use feedline_data::DType;
use feedline_data::block::{Column, StringsBuilder};
use half::{bf16, f16};

use super::super::elementwise::dispatch;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::printf::{Form, Format};

pub(super) fn format(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let pieces: Vec<&[u8]> =
        call.text("template").split(call.text("placeholder")).map(str::as_bytes).collect();
    // A negative number shows everything.
    let most = usize::try_from(call.int("summarize")).unwrap_or(usize::MAX);
    once_for_constants(arguments, |arguments| {
        let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
        let writers: Vec<WriteValue<'_>> = inputs.iter().map(|input| writer(input.column())).collect();
        let mut texts = StringsBuilder::with_capacity(arguments.rows, arguments.rows * 64);
        for row in 0..arguments.rows {
            texts.push_with(|bytes| {
                bytes.extend_from_slice(pieces[0]);
                for ((input, write), piece) in inputs.iter().zip(&writers).zip(&pieces[1..]) {
                    let values = input.range(row);
                    let shown = Shown { shape: input.shape(row), ends: most.min(values.len()), write };
                    shown.write_to(bytes, values.start);
                    bytes.extend_from_slice(piece);
                }
            });
        }
        vec![Column::from_strings(vec![], arguments.rows, texts.finish())]
    })
}

/// Writes the value at a place of a column.
type WriteValue<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

/// A tensor, of which each dimension is shown with `ends` entries from each end.
struct Shown<'a> {
    shape: &'a [usize],
    ends: usize,
    write: &'a WriteValue<'a>,
}

impl Shown<'_> {
    /// Adds the tensor whose values begin at `start`.
    fn write_to(&self, out: &mut Vec<u8>, start: usize) {
        // Without a dimension to be shortened, the value itself is what is left out.
        if self.shape.is_empty() && self.ends == 0 {
            out.extend_from_slice(b"...");
        } else {
            self.write_part(out, start, 0);
        }
    }

    /// Adds the part whose values begin at `start`, which has the dimensions from `depth` on.
    fn write_part(&self, out: &mut Vec<u8>, start: usize, depth: usize) {
        let Some(&count) = self.shape.get(depth) else { return (self.write)(start, out) };
        let step: usize = self.shape[depth + 1..].iter().product();
        let is_shortened = count > self.ends.saturating_mul(2);
        let first = if is_shortened { self.ends } else { count };
        out.push(b'[');
        for index in 0..first {
            if index > 0 {
                self.write_gap(out, depth);
            }
            self.write_part(out, start + index * step, depth + 1);
        }
        if is_shortened {
            self.write_gap(out, depth);
            out.extend_from_slice(b"...");
            for index in count - self.ends..count {
                self.write_gap(out, depth);
                self.write_part(out, start + index * step, depth + 1);
            }
        }
        out.push(b']');
    }

    /// What stands between entries of dimension `depth`: values are a line, and there are as many empty lines between parts as they have
    /// dimensions beyond two.
    fn write_gap(&self, out: &mut Vec<u8>, depth: usize) {
        let inner = self.shape.len() - 1 - depth;
        let spaces = if inner == 0 { 1 } else { depth + 1 };
        out.extend(std::iter::repeat_n(b'\n', inner).chain(std::iter::repeat_n(b' ', spaces)));
    }
}

fn writer(column: &Column) -> WriteValue<'_> {
    match column.dtype() {
        DType::String => {
            let strings = column.strings().expect("a column of strings");
            Box::new(|place, out| write_quoted(strings.get(place), out))
        }
        DType::Bool => {
            let bytes = column.buffer().expect("bools lie in a buffer").as_bytes();
            Box::new(|place, out| out.push(if bytes[place] == 0 { b'0' } else { b'1' }))
        }
        DType::Float16 => {
            let values = column.as_slice::<f16>();
            Box::new(|place, out| write_float32(values[place].to_f32(), out))
        }
        DType::BFloat16 => {
            let values = column.as_slice::<bf16>();
            Box::new(|place, out| write_float32(values[place].to_f32(), out))
        }
        DType::Float32 => {
            let values = column.as_slice::<f32>();
            Box::new(|place, out| write_float32(values[place], out))
        }
        DType::Float64 => {
            let values = column.as_slice::<f64>();
            Box::new(|place, out| {
                write_float(values[place], [15, 17], |text| text.parse() == Ok(values[place]), out);
            })
        }
        integer => dispatch!(integers integer, T => {
            let values = column.as_slice::<T>();
            Box::new(|place, out| write!(out, "{}", values[place]).expect("a vector takes all"))
        }),
    }
}

fn write_float32(value: f32, out: &mut Vec<u8>) {
    write_float(value.into(), [6, 9], |text| text.parse() == Ok(value), out);
}

/// With the first number of digits where that reads back the same, else with the second, which does for any value.
fn write_float(value: f64, digits: [usize; 2], reads_back: impl Fn(&str) -> bool, out: &mut Vec<u8>) {
    let start = out.len();
    let [few, enough] =
        digits.map(|digits| Format { form: Form::Shortest, precision: Some(digits), width: 0, flag: None });
    few.write_float(value, out);
    let is_enough = !value.is_finite() || std::str::from_utf8(&out[start..]).is_ok_and(reads_back);
    if !is_enough {
        out.truncate(start);
        enough.write_float(value, out);
    }
}

/// In quotes, with escapes as C has them for what is no text in ASCII. Bytes beyond it stay, since they may be UTF-8.
fn write_quoted(string: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in string {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'"' | b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0..0x20 | 0x7f => write!(out, "\\{byte:03o}").expect("a vector takes all"),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
