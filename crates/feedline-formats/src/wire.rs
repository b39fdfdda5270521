//! The protocol buffer wire format, as far as Examples need it: varints, tags and length-delimited fields.

/// A tag for field `field` holding a varint.
pub(crate) const fn varint_tag(field: u8) -> u8 {
    field << 3
}

/// A tag for field `field` holding a length and that many bytes.
pub(crate) const fn delimited_tag(field: u8) -> u8 {
    field << 3 | 2
}

/// A tag for field `field` holding four bytes.
pub(crate) const fn fixed32_tag(field: u8) -> u8 {
    field << 3 | 5
}

/// What was wrong, and at which byte of the bytes read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireError {
    pub(crate) at: usize,
    pub(crate) reason: &'static str,
}

/// Reads forward over bytes, never past their end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Where `bytes` begin in the record, for errors.
    base: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader::at(bytes, 0)
    }

    /// A reader of `bytes` that begin at byte `base` of the record.
    pub(crate) fn at(bytes: &'a [u8], base: usize) -> Reader<'a> {
        Reader { bytes, position: 0, base }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Where the next byte stands in the record.
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.base + self.position
    }

    #[inline]
    pub(crate) fn is_at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    pub(crate) fn error(&self, reason: &'static str) -> WireError {
        WireError { at: self.place(), reason }
    }

    /// Moves past the next `count` bytes, which the caller has looked at.
    #[inline]
    pub(crate) fn advance(&mut self, count: usize) {
        self.position += count;
        debug_assert!(self.position <= self.bytes.len());
    }

    /// Takes `byte` if it comes next.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let taken = self.bytes.get(self.position) == Some(&byte);
        self.position += usize::from(taken);
        taken
    }

    /// Up to ten bytes; bits past the 64th are dropped, as every protobuf reader does.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, WireError> {
        match self.bytes.get(self.position) {
            // Most are tags and lengths of one byte.
            Some(&byte) if byte < 0x80 => {
                self.position += 1;
                Ok(u64::from(byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let Some(&byte) = self.bytes.get(self.position) else {
                return Err(self.error("a number is cut off"));
            };
            self.position += 1;
            value |= u64::from(byte & 0x7f).wrapping_shl(shift);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.error("a number of more than ten bytes"))
    }

    /// A length and that many bytes; the reader of those bytes knows its place in the record.
    #[inline]
    pub(crate) fn delimited(&mut self) -> Result<Reader<'a>, WireError> {
        let length = self.varint()?;
        let rest = &self.bytes[self.position..];
        if length > rest.len() as u64 {
            return Err(self.error("a length runs past the end of what holds it"));
        }
        let inner = Reader::at(&rest[..length as usize], self.place());
        self.position += length as usize;
        Ok(inner)
    }

    /// All bytes not read yet.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position.min(self.bytes.len())..]
    }

    pub(crate) fn fixed32(&mut self) -> Result<u32, WireError> {
        match self.rest().first_chunk::<4>() {
            Some(bytes) => {
                self.position += 4;
                Ok(u32::from_le_bytes(*bytes))
            }
            None => Err(self.error("a 4-byte value is cut off")),
        }
    }

    /// Reads a tag and skips the field it announces.
    #[inline]
    pub(crate) fn skip_field(&mut self) -> Result<(), WireError> {
        let before = *self;
        let tag = self.varint()?;
        if tag >> 3 == 0 {
            return Err(before.error("field number 0"));
        }
        match tag & 7 {
            0 => self.varint().map(drop),
            1 => self.skip(8),
            2 => self.delimited().map(drop),
            5 => self.skip(4),
            _ => Err(before.error("a group or an unknown wire type")),
        }
    }

    fn skip(&mut self, count: usize) -> Result<(), WireError> {
        if self.rest().len() < count {
            return Err(self.error("a fixed-size value is cut off"));
        }
        self.position += count;
        Ok(())
    }
}

/// Appends `value` as a varint.
#[inline]
pub(crate) fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes `value` takes as a varint.
#[inline]
pub(crate) fn varint_bytes(value: u64) -> usize {
    // 9 bits of product for 7 of value: exact for every bit length from 1 to 64.
    ((64 - (value | 1).leading_zeros() as usize) * 9 + 64) / 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip_at_every_length() {
        for bits in 0..64 {
            for value in [1u64 << bits, (1u64 << bits) - 1, u64::MAX >> bits] {
                let mut bytes = Vec::new();
                write_varint(&mut bytes, value);
                assert_eq!(bytes.len(), varint_bytes(value), "{value}");
                assert_eq!(Reader::new(&bytes).varint(), Ok(value));
                for end in 0..bytes.len() {
                    assert!(Reader::new(&bytes[..end]).varint().is_err());
                }
            }
        }
    }

    #[test]
    fn overlong_varints() {
        assert_eq!(Reader::new(&[0x81, 0x00]).varint(), Ok(1));
        assert!(Reader::new(&[0x80; 11]).varint().is_err());
        let mut ten = [0xff; 10];
        ten[9] = 0x7f;
        assert_eq!(Reader::new(&ten).varint(), Ok(u64::MAX));
    }
}
