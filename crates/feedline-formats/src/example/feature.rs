//! One `Feature` message: which list it holds and the values in it.
//!
//! Reads as TensorFlow's parser does: the first list of a feature is the feature. A list that is packed is its first
//! packed run; a list that is not is single values to its end. Steps of feature lists are held to more, see
//! [`Feature::read_step`].

use feedline_data::{ByteView, DType};

use crate::wire::{Reader, WireError, delimited_tag, fixed32_tag, varint_tag};

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
        let dtype = if message.take(delimited_tag(1)) {
            DType::String
        } else if message.take(delimited_tag(2)) {
            DType::Float32
        } else if message.take(delimited_tag(3)) {
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

    /// Calls `push` with each value of a float list.
    pub(super) fn float(&self, mut push: impl FnMut(f32)) -> Result<(), WireError> {
        let mut list = self.list;
        if list.take(delimited_tag(1)) {
            let packed = list.delimited()?;
            let (values, tail) = packed.rest().as_chunks::<4>();
            if !tail.is_empty() {
                return Err(packed.error("a float list whose length is no multiple of 4"));
            }
            values.iter().for_each(|bytes| push(f32::from_le_bytes(*bytes)));
            return Ok(());
        }
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
