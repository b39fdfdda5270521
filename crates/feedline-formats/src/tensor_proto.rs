//! TensorFlow's `TensorProto`: one tensor as a protocol buffer.
//!
//! Values are either the bytes of all of them (`tensor_content`) or a list by type, of which the last stands for all that are
//! missing; a list may also be too long. Both readings are TensorFlow's.

use feedline_data::block::{Strings, Tensor};
use feedline_data::{DType, Native};
use half::{bf16, f16};

use crate::error::{Error, ErrorKind, Result};
use crate::wire::{Reader, WireError, delimited_tag, varint_tag, write_varint};

const MESSAGE: &str = "TensorProto";

/// No more bytes are made of a message than it has itself, or these: one value can stand for any number.
const MAX_MADE_BYTES: usize = 1 << 28;

/// TensorFlow's number of a type.
fn number_of(dtype: DType) -> u64 {
    match dtype {
        DType::Float32 => 1,
        DType::Float64 => 2,
        DType::Int32 => 3,
        DType::UInt8 => 4,
        DType::Int16 => 5,
        DType::Int8 => 6,
        DType::String => 7,
        DType::Int64 => 9,
        DType::Bool => 10,
        DType::BFloat16 => 14,
        DType::UInt16 => 17,
        DType::Float16 => 19,
        DType::UInt32 => 22,
        // The last; a new one has to be added.
        _ => 23,
    }
}

/// The message for a tensor.
///
/// ```
/// use feedline_data::block::Tensor;
/// use feedline_formats::tensor_proto;
///
/// let tensor = Tensor::from_vec(vec![2, 2], vec![1_i32, 2, 3, 4]);
/// let bytes = tensor_proto::write(&tensor);
/// assert_eq!(tensor_proto::read(&bytes)?, tensor);
/// # Ok::<(), feedline_formats::Error>(())
/// ```
pub fn write(tensor: &Tensor) -> Vec<u8> {
    let mut out = vec![varint_tag(1)];
    write_varint(&mut out, number_of(tensor.dtype()));
    let mut shape = Vec::new();
    for &size in tensor.shape() {
        let mut dim = Vec::new();
        if size > 0 {
            dim.push(varint_tag(1));
            write_varint(&mut dim, size as u64);
        }
        write_bytes(&mut shape, 2, &dim);
    }
    write_bytes(&mut out, 2, &shape);
    if let Some(strings) = tensor.strings() {
        strings.iter().for_each(|string| write_bytes(&mut out, 8, string));
    } else if let Some(buffer) = tensor.as_column().buffer().filter(|buffer| !buffer.is_empty()) {
        write_bytes(&mut out, 4, buffer.as_bytes());
    }
    out
}

fn write_bytes(out: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    out.push(delimited_tag(field));
    write_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// The parts of a message, the last of each counting as protocol buffers have it.
#[derive(Default)]
struct Message<'a> {
    shape: Vec<usize>,
    content: &'a [u8],
    /// Numbers of the list that goes with the type, as they are written.
    words: Vec<u64>,
    strings: Vec<&'a [u8]>,
}

/// Which list of values goes with a type, and whether its numbers are fixed words of that many bytes.
fn list_of(dtype: DType) -> (u64, Option<usize>) {
    match dtype {
        DType::Float32 => (5, Some(4)),
        DType::Float64 => (6, Some(8)),
        DType::Int32 | DType::Int16 | DType::Int8 | DType::UInt8 | DType::UInt16 => (7, None),
        DType::String => (8, None),
        DType::Int64 => (10, None),
        DType::Bool => (11, None),
        DType::Float16 | DType::BFloat16 => (13, None),
        DType::UInt32 => (16, None),
        _ => (17, None),
    }
}

/// The tensor of a message.
pub fn read(bytes: &[u8]) -> Result<Tensor> {
    let dtype = dtype_of(bytes).map_err(wire)?;
    let Some(dtype) = dtype else {
        return Err(wrong("its type is none that tensors have here"));
    };
    let message = parse(bytes, dtype).map_err(wire)?;
    let count = message.shape.iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
    let width = dtype.width().unwrap_or(12);
    let fits =
        |count: &usize| count.checked_mul(width).is_some_and(|made| made <= MAX_MADE_BYTES.max(bytes.len()));
    let Some(count) = count.filter(fits) else {
        return Err(wrong("its shape is larger than any message"));
    };
    tensor_of(dtype, message, count)
}

/// The type, which says how the rest is read: the last one that is given.
fn dtype_of(bytes: &[u8]) -> std::result::Result<Option<DType>, WireError> {
    let mut reader = Reader::new(bytes);
    let mut number = 0;
    while !reader.is_at_end() {
        if reader.take(varint_tag(1)) {
            number = reader.varint()?;
        } else {
            reader.skip_field()?;
        }
    }
    Ok(DType::ALL.into_iter().find(|dtype| number_of(*dtype) == number))
}

fn parse(bytes: &[u8], dtype: DType) -> std::result::Result<Message<'_>, WireError> {
    let mut message = Message::default();
    let (list, fixed) = list_of(dtype);
    let mut reader = Reader::new(bytes);
    while !reader.is_at_end() {
        let before = reader;
        let tag = reader.varint()?;
        match (tag >> 3, tag & 7) {
            (2, 2) => read_shape(reader.delimited()?, &mut message.shape)?,
            (4, 2) => message.content = reader.delimited()?.rest(),
            (8, 2) if dtype == DType::String => message.strings.push(reader.delimited()?.rest()),
            (field, 2) if field == list => {
                let mut packed = reader.delimited()?;
                while !packed.is_at_end() {
                    message.words.push(read_word(&mut packed, fixed)?);
                }
            }
            (field, 0) if field == list && fixed.is_none() => message.words.push(reader.varint()?),
            (field, 5) if field == list && fixed == Some(4) => {
                message.words.push(read_word(&mut reader, fixed)?);
            }
            (field, 1) if field == list && fixed == Some(8) => {
                message.words.push(read_word(&mut reader, fixed)?);
            }
            _ => {
                reader = before;
                reader.skip_field()?;
            }
        }
    }
    Ok(message)
}

fn read_word(reader: &mut Reader<'_>, fixed: Option<usize>) -> std::result::Result<u64, WireError> {
    match fixed {
        None => reader.varint(),
        Some(4) => reader.fixed32().map(u64::from),
        Some(_) => {
            let low = reader.fixed32()?;
            Ok(u64::from(reader.fixed32()?) << 32 | u64::from(low))
        }
    }
}

/// Adds the sizes of a shape: messages of one field join.
fn read_shape(mut reader: Reader<'_>, shape: &mut Vec<usize>) -> std::result::Result<(), WireError> {
    while !reader.is_at_end() {
        if !reader.take(delimited_tag(2)) {
            reader.skip_field()?;
            continue;
        }
        let mut dim = reader.delimited()?;
        let mut size = 0;
        while !dim.is_at_end() {
            if dim.take(varint_tag(1)) {
                let written = dim.varint()? as i64;
                size = usize::try_from(written).map_err(|_| dim.error("a dimension has a size below 0"))?;
            } else {
                dim.skip_field()?;
            }
        }
        shape.push(size);
    }
    Ok(())
}

fn tensor_of(dtype: DType, message: Message<'_>, count: usize) -> Result<Tensor> {
    let Message { shape, content, words, strings } = message;
    if dtype == DType::String {
        let last = strings.last().copied().unwrap_or(b"");
        let all: Strings = (0..count).map(|index| strings.get(index).copied().unwrap_or(last)).collect();
        return Ok(Tensor::from_strings(shape, all));
    }
    if !content.is_empty() {
        let width = dtype.width().expect("numbers have a width");
        if content.len() != count * width {
            return Err(wrong("tensor_content is shorter or longer than the shape says"));
        }
        return Ok(of_content(dtype, shape, content));
    }
    Ok(match dtype {
        DType::Float32 => of_words(shape, &words, count, |word| f32::from_bits(word as u32)),
        DType::Float64 => of_words(shape, &words, count, f64::from_bits),
        DType::Int32 => of_words(shape, &words, count, |word| word as i32),
        DType::Int16 => of_words(shape, &words, count, |word| word as i16),
        DType::Int8 => of_words(shape, &words, count, |word| word as i8),
        DType::UInt8 => of_words(shape, &words, count, |word| word as u8),
        DType::UInt16 => of_words(shape, &words, count, |word| word as u16),
        DType::UInt32 => of_words(shape, &words, count, |word| word as u32),
        DType::UInt64 => of_words(shape, &words, count, |word| word),
        DType::Int64 => of_words(shape, &words, count, |word| word as i64),
        DType::Float16 => of_words(shape, &words, count, |word| f16::from_bits(word as u16)),
        DType::BFloat16 => of_words(shape, &words, count, |word| bf16::from_bits(word as u16)),
        _ => {
            let last = words.last().copied().unwrap_or(0);
            let bools: Vec<bool> =
                (0..count).map(|index| words.get(index).copied().unwrap_or(last) != 0).collect();
            Tensor::from_bools(shape, &bools)
        }
    })
}

fn of_words<T: Native>(shape: Vec<usize>, words: &[u64], count: usize, value: impl Fn(u64) -> T) -> Tensor {
    let last = words.last().copied().unwrap_or(0);
    let word = |index: usize| words.get(index).copied().unwrap_or(last);
    Tensor::from_vec(shape, (0..count).map(|index| value(word(index))).collect())
}

/// The values whose bytes, little-endian, are these.
fn of_content(dtype: DType, shape: Vec<usize>, content: &[u8]) -> Tensor {
    fn of<const WIDTH: usize, T: Native>(
        shape: Vec<usize>,
        content: &[u8],
        value: fn([u8; WIDTH]) -> T,
    ) -> Tensor {
        let (chunks, _) = content.as_chunks::<WIDTH>();
        Tensor::from_vec(shape, chunks.iter().map(|chunk| value(*chunk)).collect())
    }
    match dtype {
        DType::Float32 => of(shape, content, f32::from_le_bytes),
        DType::Float64 => of(shape, content, f64::from_le_bytes),
        DType::Int32 => of(shape, content, i32::from_le_bytes),
        DType::Int16 => of(shape, content, i16::from_le_bytes),
        DType::Int8 => of(shape, content, i8::from_le_bytes),
        DType::UInt8 => of(shape, content, u8::from_le_bytes),
        DType::UInt16 => of(shape, content, u16::from_le_bytes),
        DType::UInt32 => of(shape, content, u32::from_le_bytes),
        DType::UInt64 => of(shape, content, u64::from_le_bytes),
        DType::Int64 => of(shape, content, i64::from_le_bytes),
        DType::Float16 => of(shape, content, f16::from_le_bytes),
        DType::BFloat16 => of(shape, content, bf16::from_le_bytes),
        _ => {
            let bools: Vec<bool> = content.iter().map(|&byte| byte != 0).collect();
            Tensor::from_bools(shape, &bools)
        }
    }
}

fn wire(error: WireError) -> Error {
    Error::new(ErrorKind::Wire { message: MESSAGE, reason: error.reason }).at_byte(error.at as u64)
}

fn wrong(reason: &'static str) -> Error {
    Error::new(ErrorKind::Wire { message: MESSAGE, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_of_every_type_read_back() {
        for tensor in [
            Tensor::from_vec(vec![2], vec![1.5_f32, -0.0]),
            Tensor::from_vec(vec![], vec![f64::INFINITY]),
            Tensor::from_vec(vec![0, 3], Vec::<i8>::new()),
            Tensor::from_vec(vec![1, 2], vec![i16::MIN, 7]),
            Tensor::from_vec(vec![1], vec![i32::MIN]),
            Tensor::from_vec(vec![1], vec![i64::MIN]),
            Tensor::from_vec(vec![1], vec![u8::MAX]),
            Tensor::from_vec(vec![1], vec![u16::MAX]),
            Tensor::from_vec(vec![1], vec![u32::MAX]),
            Tensor::from_vec(vec![1], vec![u64::MAX]),
            Tensor::from_vec(vec![1], vec![f16::ONE]),
            Tensor::from_vec(vec![1], vec![bf16::ONE]),
            Tensor::from_bools(vec![2], &[true, false]),
            Tensor::from_strings(vec![2], [&b"a"[..], b"\xff\0"].iter().collect()),
        ] {
            let bytes = write(&tensor);
            assert_eq!(read(&bytes).expect("written by us"), tensor);
            for end in 0..bytes.len() {
                let _ = read(&bytes[..end]); // whatever it is, it is no panic
            }
        }
    }

    #[test]
    fn lies_are_errors_and_take_no_memory() {
        let huge = [8, 3, 0x12, 8, 0x12, 6, 8, 0xff, 0xff, 0xff, 0xff, 0x0f];
        for bytes in [
            &b""[..],
            b"\xff",
            &huge,
            &[8, 8],
            &[8, 3, 0x12, 13, 0x12, 11, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
        ] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }
}
