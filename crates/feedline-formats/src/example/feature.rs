//! One `Feature` message: which list it holds and the values in it.
//!
//! Reads as TensorFlow's parser does: the first list of a feature is the feature. A list that is packed is its first
//! packed run; a list that is not is single values to its end. Steps of feature lists are held to more, see
//! [`Feature::read_step`].

use feedline_data::{ByteView, DType};

use crate::wire::{Reader, WireError, delimited_tag, fixed32_tag, varint_tag};

const BYTES_LIST: u8 = delimited_tag(1);
const FLOAT_LIST: u8 = delimited_tag(2);
const INT64_LIST: u8 = delimited_tag(3);

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

    /// Takes the next step off `list` if it is in the form that writers give to short ones: one list, numbers in one packed
    /// run, each length in one byte. Several times faster than [`Feature::read_step`], and many steps are a single number.
    #[inline]
    pub(super) fn take_plain_step(list: &mut Reader<'a>) -> Option<Feature<'a>> {
        const STEP: u8 = delimited_tag(1);
        const RUN: u8 = delimited_tag(1);
        let bytes = list.rest();
        let [STEP, step_bytes @ 2..0x80, list_tag, list_bytes, content @ ..] = bytes else { return None };
        let list_bytes_ = usize::from(*list_bytes);
        if *step_bytes != list_bytes.wrapping_add(2) || list_bytes_ > content.len() {
            return None;
        }
        let dtype = match *list_tag {
            BYTES_LIST => DType::String,
            tag @ (FLOAT_LIST | INT64_LIST) => {
                let [RUN, run_bytes, ..] = content else { return None };
                if run_bytes.wrapping_add(2) != *list_bytes {
                    return None;
                }
                if tag == FLOAT_LIST { DType::Float32 } else { DType::Int64 }
            }
            _ => return None,
        };
        let place = list.place() + 4;
        *list = Reader::at(&content[list_bytes_..], place + list_bytes_);
        Some(Feature { dtype: Some(dtype), list: Reader::at(&content[..list_bytes_], place) })
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
            values.iter().for_each(|bytes| push(f32::from_le_bytes(*bytes)));
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
