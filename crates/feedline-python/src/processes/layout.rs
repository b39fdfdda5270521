//! How tensors lie in shared memory; `feedline/_worker.py` is the other side.
//!
//! First, for each tensor, as 64-bit words: its type (a place in `DType::ALL`), how many dimensions, their sizes, where its
//! bytes are and how many. Then the bytes, each tensor's on a boundary of 64. Those of strings are their lengths, a word
//! each, and the strings.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use feedline::data::DType;
use feedline::data::block::{Buffer, StringsBuilder, Tensor};

use super::memory::SharedMemory;
use crate::tensors::copy_of;

const WORD: usize = size_of::<u64>();
/// For any type, and no line of the cache is shared by two tensors.
const ALIGNMENT: usize = 64;
/// From here on a tensor is looked at where it lies, which keeps that memory from being used again for a while.
const VIEW_FROM_BYTES: usize = 32 << 10;

/// Writes the tensors to the memory.
pub(super) fn write(memory: &mut SharedMemory, tensors: &[&Tensor]) -> io::Result<()> {
    let words: usize = tensors.iter().map(|tensor| 4 + tensor.shape().len()).sum();
    let mut header: Vec<u64> = Vec::with_capacity(words);
    let mut end = words * WORD;
    for tensor in tensors {
        let len = num_bytes(tensor);
        let start = end.next_multiple_of(ALIGNMENT);
        let code = DType::ALL.iter().position(|dtype| *dtype == tensor.dtype()).expect("a type there is");
        header.push(code as u64);
        header.push(tensor.shape().len() as u64);
        header.extend(tensor.shape().iter().map(|dim| *dim as u64));
        header.extend([start as u64, len as u64]);
        end = start + len;
    }
    memory.grow(end)?;
    let bytes = memory.bytes_mut();
    put_words(&mut bytes[..words * WORD], header.iter().copied());
    let mut at = 0;
    for tensor in tensors {
        at += 2 + tensor.shape().len();
        let (start, len) = (header[at] as usize, header[at + 1] as usize);
        at += 2;
        put_values(&mut bytes[start..start + len], tensor);
    }
    Ok(())
}

fn num_bytes(tensor: &Tensor) -> usize {
    match tensor.strings() {
        Some(strings) => strings.iter().map(|string| WORD + string.len()).sum(),
        None => tensor.as_column().buffer().map_or(0, Buffer::len),
    }
}

fn put_values(bytes: &mut [u8], tensor: &Tensor) {
    let Some(strings) = tensor.strings() else {
        if let Some(buffer) = tensor.as_column().buffer() {
            bytes.copy_from_slice(buffer.as_bytes());
        }
        return;
    };
    let (lengths, mut rest) = bytes.split_at_mut(strings.len() * WORD);
    put_words(lengths, strings.iter().map(|string| string.len() as u64));
    for string in strings.iter() {
        let (place, behind) = rest.split_at_mut(string.len());
        place.copy_from_slice(string);
        rest = behind;
    }
}

fn put_words(bytes: &mut [u8], words: impl Iterator<Item = u64>) {
    for (place, word) in bytes.chunks_exact_mut(WORD).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
}

/// The `count` tensors in the memory; large ones are views of it, if that may be. `None` if what is there is none.
pub(super) fn read(memory: &Arc<SharedMemory>, count: usize, may_view: bool) -> Option<Vec<Tensor>> {
    let bytes = memory.bytes();
    let mut at = 0;
    let mut word = || {
        let word = bytes.get(at..at + WORD)?;
        at += WORD;
        Some(u64::from_ne_bytes(word.try_into().ok()?) as usize)
    };
    let mut tensors = Vec::with_capacity(count);
    for _ in 0..count {
        let dtype = *DType::ALL.get(word()?)?;
        let num_dims = word()?;
        let shape: Vec<usize> = (0..num_dims).map(|_| word()).collect::<Option<_>>()?;
        let start = word()?;
        let range = start..start.checked_add(word()?)?;
        let view_from = if may_view { VIEW_FROM_BYTES } else { usize::MAX };
        tensors.push(tensor(memory, dtype, shape, range, view_from)?);
    }
    Some(tensors)
}

fn tensor(
    memory: &Arc<SharedMemory>,
    dtype: DType,
    shape: Vec<usize>,
    range: Range<usize>,
    view_from: usize,
) -> Option<Tensor> {
    let bytes = memory.bytes().get(range.clone())?;
    let num_values = shape.iter().try_fold(1_usize, |size, dim| size.checked_mul(*dim))?;
    let Some(width) = dtype.width() else {
        let (lengths, mut rest) = bytes.split_at_checked(num_values.checked_mul(WORD)?)?;
        let mut strings = StringsBuilder::default();
        for length in lengths.chunks_exact(WORD) {
            let length = u64::from_ne_bytes(length.try_into().ok()?) as usize;
            let (string, behind) = rest.split_at_checked(length)?;
            strings.push(string);
            rest = behind;
        }
        return Some(Tensor::from_strings(shape, strings.finish()));
    };
    if bytes.len() != num_values.checked_mul(width)? || !range.start.is_multiple_of(ALIGNMENT) {
        return None;
    }
    let buffer = if bytes.len() < view_from {
        copy_of(bytes)
    } else {
        Buffer::from_owner(View { memory: Arc::clone(memory), range })
    };
    Some(Tensor::from_buffer(dtype, shape, buffer))
}

/// A part of shared memory, which is not written to as long as it is there.
struct View {
    memory: Arc<SharedMemory>,
    range: Range<usize>,
}

impl AsRef<[u8]> for View {
    fn as_ref(&self) -> &[u8] {
        &self.memory.bytes()[self.range.clone()]
    }
}
