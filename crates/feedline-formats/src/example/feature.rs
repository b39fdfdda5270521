//! One `Feature` message: which list it holds and the values in it.
//!
//! Reads as TensorFlow's parser does: the first list of a feature is the feature. A list that is packed is its first
//! packed run; a list that is not is single values to its end. Steps of feature lists are held to more, see
//! [`Feature::read_step`].

use feedline_data::{ByteView, DType};

use super::parse::packed_int64;
use crate::wire::{Reader, WireError, delimited_tag, fixed32_tag, varint_tag};

/// The tags of the three lists a feature may hold.
pub(super) const BYTES_LIST: u8 = delimited_tag(1);
pub(super) const FLOAT_LIST: u8 = delimited_tag(2);
pub(super) const INT64_LIST: u8 = delimited_tag(3);

/// Takes the next step off `steps` if it is in the form that writers give to short ones: a list with the tag `list_tag`
/// that is one packed run or one byte string, each length in one byte. Returns that run or string.
#[inline]
pub(super) fn take_plain_step<'a>(steps: &mut Reader<'a>, list_tag: u8) -> Option<Reader<'a>> {
    const STEP: u8 = delimited_tag(1);
    const VALUES: u8 = delimited_tag(1);
    let [STEP, step_bytes @ ..0x80, tag, list_bytes, VALUES, value_bytes, rest @ ..] = steps.rest() else {
        return None;
    };
    let length = usize::from(*value_bytes);
    // What passes the first comparison has a step of less than 128 bytes, so that the lengths within take one byte too.
    if length + 4 != usize::from(*step_bytes)
        || length + 2 != usize::from(*list_bytes)
        || *tag != list_tag
        || length > rest.len()
    {
        return None;
    }
    let (values, rest) = rest.split_at(length);
    let place = steps.place() + 6;
    *steps = Reader::at(rest, place + length);
    Some(Reader::at(values, place))
}

/// Takes the next step off `steps` if it is one int64 of at most eight bytes, in the form that [`take_plain_step`] takes. All that stands before the
/// number is compared at once: the lengths are those of the number, and something known.
#[inline]
pub(super) fn take_one_int64(steps: &mut Reader<'_>) -> Option<i64> {
    const HEAD_BYTES: usize = 6;
    /// The tags, and lengths for a number of no bytes.
    const HEAD: u64 = u64::from_le_bytes([delimited_tag(1), 4, INT64_LIST, 2, delimited_tag(1), 0, 0, 0]);
    /// The bytes that grow with the number.
    const LENGTHS: u64 = u64::from_le_bytes([0, 1, 0, 1, 0, 1, 0, 0]);
    const MASK: u64 = u64::MAX >> 16;
    let rest = steps.rest();
    let head = u64::from_le_bytes(*rest.first_chunk()?);
    let number_bytes = usize::from((head >> 40) as u8);
    if (head ^ (HEAD + LENGTHS * number_bytes as u64)) & MASK != 0
        || number_bytes.wrapping_sub(1) >= 8
        || HEAD_BYTES + number_bytes > rest.len()
    {
        return None;
    }
    let number = match rest[HEAD_BYTES..].first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        // At the end of the list: its last eight bytes, of which those of the number are the last.
        None => u64::from_le_bytes(*rest.last_chunk()?) >> (8 * (HEAD_BYTES + 8 - rest.len())),
    };
    let number = packed_int64(number, number_bytes)?;
    steps.advance(HEAD_BYTES + number_bytes);
    Some(number)
}

/// A `Feature` with its type read and its values not yet.
#[derive(Clone, Copy)]
pub(super) struct Feature<'a> {
    /// `None` where the feature holds no list at all.
    pub(super) dtype: Option<DType>,
    /// The bytes of the list.
    list: Reader<'a>,
}

impl<'a> Feature<'a> {
    pub(super) fn read(mut message: Reader<'a>) -> Result<Feature<'a>, WireError> {
        Feature::read_from(&mut message)
    }

    /// Reads a step of a feature list, where TensorFlow does not pass over what follows: the list must be all there is
    /// of the feature, and a packed run all there is of the list.
    pub(super) fn read_step(mut message: Reader<'a>) -> Result<Feature<'a>, WireError> {
        let feature = Feature::read_from(&mut message)?;
        let mut list = feature.list;
        if !message.is_at_end() {
            return Err(message.error("something behind the list of a step"));
        }
        if matches!(feature.dtype, Some(DType::Float32 | DType::Int64)) && list.take(delimited_tag(1)) {
            list.delimited()?;
            if !list.is_at_end() {
                return Err(list.error("something behind the packed values of a step"));
            }
        }
        Ok(feature)
    }

    /// The same feature, or one of no values of type `dtype` where it holds no list.
    pub(super) fn or_empty(self, dtype: DType) -> Feature<'a> {
        // The bytes of a feature without a list are none, and so are those of an empty list.
        Feature { dtype: self.dtype.or(Some(dtype)), ..self }
    }

    #[inline]
    fn read_from(message: &mut Reader<'a>) -> Result<Feature<'a>, WireError> {
        if message.is_at_end() {
            return Ok(Feature { dtype: None, list: *message });
        }
        let dtype = if message.take(BYTES_LIST) {
            DType::String
        } else if message.take(FLOAT_LIST) {
            DType::Float32
        } else if message.take(INT64_LIST) {
            DType::Int64
        } else {
            return Err(message.error("a feature that is no list of bytes, float or int64"));
        };
        Ok(Feature { dtype: Some(dtype), list: message.delimited()? })
    }

    /// Calls `push` with each value of an int64 list.
    pub(super) fn int64(&self, mut push: impl FnMut(i64)) -> Result<(), WireError> {
        let mut list = self.list;
        if list.take(delimited_tag(1)) {
            let mut packed = list.delimited()?;
            while !packed.is_at_end() {
                push(packed.varint()? as i64);
            }
            return Ok(());
        }
        while !list.is_at_end() {
            if !list.take(varint_tag(1)) {
                return Err(list.error("an int64 list with a value of another type"));
            }
            push(list.varint()? as i64);
        }
        Ok(())
    }

    /// The values of a packed float list, to be copied all at once; `None` where it is not packed.
    #[inline]
    pub(super) fn packed_floats(&self) -> Result<Option<&'a [[u8; 4]]>, WireError> {
        let mut list = self.list;
        if !list.take(delimited_tag(1)) {
            return Ok(None);
        }
        let packed = list.delimited()?;
        let (values, tail) = packed.rest().as_chunks::<4>();
        if !tail.is_empty() {
            return Err(packed.error("a float list whose length is no multiple of 4"));
        }
        Ok(Some(values))
    }

    /// Calls `push` with each value of a float list.
    pub(super) fn float(&self, mut push: impl FnMut(f32)) -> Result<(), WireError> {
        if let Some(values) = self.packed_floats()? {
            for bytes in values {
                push(f32::from_le_bytes(*bytes));
            }
            return Ok(());
        }
        let mut list = self.list;
        while !list.is_at_end() {
            if !list.take(fixed32_tag(1)) {
                return Err(list.error("a float list with a value of another type"));
            }
            push(f32::from_bits(list.fixed32()?));
        }
        Ok(())
    }

    /// Calls `push` with each value of a bytes list, as a view into record `source`.
    pub(super) fn bytes(&self, source: u32, mut push: impl FnMut(ByteView)) -> Result<(), WireError> {
        let mut list = self.list;
        while !list.is_at_end() {
            if !list.take(delimited_tag(1)) {
                return Err(list.error("a bytes list with a value of another type"));
            }
            let value = list.delimited()?;
            push(ByteView { source, start: value.place() as u32, len: value.rest().len() as u32 });
        }
        Ok(())
    }

    /// Number of values, checking all of them.
    pub(super) fn count(&self) -> Result<usize, WireError> {
        let mut count = 0;
        match self.dtype {
            None => {}
            Some(DType::Int64) => self.int64(|_| count += 1)?,
            Some(DType::Float32) => self.float(|_| count += 1)?,
            Some(_) => self.bytes(0, |_| count += 1)?,
        }
        Ok(count)
    }
}
