//! Bits to coefficients: one block of 8 × 8 at a time, dequantized on the way.

use super::huffman::{AcEntry, AcTable, DcTable, END_OF_BLOCK, LOOKUP_BITS, extend};

/// Where in the block, row by row, the coefficient at a zigzag position goes. Positions behind the last, which
/// only damaged data reach, go to the last, as in libjpeg.
static ZIGZAG: [u8; 128] = {
    let order = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,
        6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38,
        31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    ];
    let mut table = [63; 128];
    let mut index = 0;
    while index < 64 {
        table[index] = order[index];
        index += 1;
    }
    table
};

/// The last position of a block.
pub(super) const LAST: usize = 63;

/// Where in a block, row by row, the coefficient at a zigzag position goes.
pub(super) fn place_of(position: usize) -> usize {
    usize::from(ZIGZAG[position.min(LAST)])
}

/// The bits are not those of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

/// Coefficients of a block, row by row.
pub(super) type Block = [i16; 64];

/// Quantization factors by zigzag position, with room for the positions behind the last.
pub(super) type Factors = [i16; 128];

/// What one component's blocks are read with.
pub(super) struct BlockTables<'a> {
    pub(super) dc: &'a DcTable,
    pub(super) ac: &'a AcTable,
    pub(super) factors: Factors,
}

/// A position in plain bytes, with the next bits at hand.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BitReader {
    /// The next bits, from the uppermost on; `count` of them are valid.
    bits: u64,
    count: u32,
    /// Of the first byte that is not counted in `bits`.
    position: usize,
}

impl BitReader {
    pub(super) fn at(position: usize) -> Self {
        Self { bits: 0, count: 0, position }
    }

    /// The byte that the next bit is in.
    #[inline]
    pub(super) fn byte_position(&self) -> usize {
        self.bit_position() / 8
    }

    /// How many bytes have been begun.
    #[inline]
    pub(super) fn bytes_used(&self) -> usize {
        self.bit_position().div_ceil(8)
    }

    /// The number of the next bit.
    pub(super) fn bit_position(&self) -> usize {
        self.position * 8 - self.count as usize
    }

    /// How many of the bits of the block that begins here are those of its first coefficient.
    pub(super) fn dc_bits(&self, plain: &[u8], tables: &BlockTables<'_>) -> Option<usize> {
        let mut reader = *self;
        reader.refill(plain);
        let (len, size) = tables.dc.find(reader.peek(16))?;
        Some((len + size) as usize)
    }

    /// Reads the first coefficient of a block, as the difference it is coded as; `None` if the bits are none.
    pub(super) fn read_dc(&mut self, plain: &[u8], dc: &DcTable) -> Option<i32> {
        self.refill(plain);
        let (len, size) = dc.find(self.peek(16))?;
        self.consume(len);
        if size == 0 {
            return Some(0);
        }
        let difference = extend(self.peek(size), size);
        self.consume(size);
        Some(difference)
    }

    /// Reads a bit.
    pub(super) fn read_bit(&mut self, plain: &[u8]) -> bool {
        self.refill(plain);
        let is_set = self.peek(1) == 1;
        self.consume(1);
        is_set
    }

    /// At least 56 bits at hand; zeros behind the end.
    #[inline(always)]
    fn refill(&mut self, plain: &[u8]) {
        if let Some(next) = plain.get(self.position..).and_then(|rest| rest.first_chunk::<8>()) {
            self.bits |= u64::from_be_bytes(*next) >> self.count;
        }
        // Bits above the count stay in `bits`; the next refill puts the same ones over them.
        self.position += ((63 - self.count) >> 3) as usize;
        self.count |= 0b11_1000; // 56 or more: what was there, and all whole bytes that fit
    }

    #[inline(always)]
    fn peek(&self, num_bits: u32) -> u32 {
        (self.bits >> (64 - num_bits)) as u32
    }

    #[inline(always)]
    fn consume(&mut self, num_bits: u32) {
        self.bits <<= num_bits;
        self.count -= num_bits;
    }

    /// Reads a block. With `STORE` its coefficients go into `block`, which must be zero; without, they are only
    /// stepped over. `previous_dc` is the component's, and moves on. Gives the highest position that may hold a coefficient
    /// other than zero.
    #[inline(always)]
    pub(super) fn read_block<const STORE: bool>(
        &mut self,
        plain: &[u8],
        tables: &BlockTables<'_>,
        previous_dc: &mut i32,
        block: &mut Block,
    ) -> Result<usize, Damaged> {
        let BlockTables { dc, ac, factors } = tables;
        let mut reader = *self; // in registers, whatever `self` is
        reader.refill(plain);
        let (len, size) = dc.find(reader.peek(16)).ok_or(Damaged)?;
        reader.consume(len);
        if size > 0 {
            *previous_dc = previous_dc.wrapping_add(extend(reader.peek(size), size));
            reader.consume(size);
        }
        if STORE {
            block[0] = (*previous_dc as i16).wrapping_mul(factors[0]);
        }
        let mut position = 1;
        let end = loop {
            // 56 bits are enough for three look-ups; a slow one refills before and after.
            reader.refill(plain);
            if let Some(end) = reader.step::<STORE>(plain, ac, factors, &mut position, block)? {
                break end;
            }
            if let Some(end) = reader.step::<STORE>(plain, ac, factors, &mut position, block)? {
                break end;
            }
            if let Some(end) = reader.step::<STORE>(plain, ac, factors, &mut position, block)? {
                break end;
            }
        };
        *self = reader;
        Ok(end)
    }

    /// One look-up. `Some` at the end of the block.
    #[inline(always)]
    fn step<const STORE: bool>(
        &mut self,
        plain: &[u8],
        ac: &AcTable,
        factors: &Factors,
        position: &mut usize,
        block: &mut Block,
    ) -> Result<Option<usize>, Damaged> {
        let entry: AcEntry = ac.entries[self.peek(LOOKUP_BITS) as usize];
        if entry.num_bits == 0 {
            return self.long_step::<STORE>(plain, ac, entry, factors, position, block);
        }
        let from = *position;
        if STORE {
            // The second first: where there is none, its zero may fall on the first one's place.
            store(block, factors, from + usize::from(entry.offset2), entry.value2);
            store(block, factors, from + usize::from(entry.offset1), entry.value1);
        }
        let before = *self;
        self.consume(u32::from(entry.num_bits));
        *position += usize::from(entry.advance);
        if *position < 64 {
            return Ok(None);
        }
        let first_end = from + usize::from(entry.offset1) + 1;
        if entry.offset2 != entry.offset1 && first_end >= 64 {
            // The block was full with the first symbol: the second belongs to the next block.
            let (len, _, size) = ac.slow(before.peek(16)).ok_or(Damaged)?;
            *self = before;
            self.consume(len + size);
            *position = first_end;
        }
        match *position {
            64 => Ok(Some(63)),
            END_OF_BLOCK.. => Ok(Some(*position - END_OF_BLOCK - 1)),
            _ => Err(Damaged),
        }
    }

    /// A symbol that no look-up holds with its value.
    #[inline(always)]
    fn long_step<const STORE: bool>(
        &mut self,
        plain: &[u8],
        ac: &AcTable,
        entry: AcEntry,
        factors: &Factors,
        position: &mut usize,
        block: &mut Block,
    ) -> Result<Option<usize>, Damaged> {
        self.refill(plain);
        let (len, run, size) = match entry.value1 {
            0 => ac.slow(self.peek(16)).ok_or(Damaged)?,
            len => (len as u32, usize::from(entry.offset1), u32::from(entry.offset2)),
        };
        self.consume(len);
        if size == 0 && run < 15 {
            return Ok(Some(*position - 1));
        }
        *position += run;
        if size > 0 {
            let value = extend(self.peek(size), size);
            self.consume(size);
            if STORE {
                store(block, factors, *position, value as i16);
            }
        }
        *position += 1;
        self.refill(plain);
        match *position {
            ..64 => Ok(None),
            64 => Ok(Some(63)),
            _ => Err(Damaged),
        }
    }
}

#[inline(always)]
fn store(block: &mut Block, factors: &Factors, position: usize, value: i16) {
    let position = position & 127;
    block[usize::from(ZIGZAG[position] & 63)] = value.wrapping_mul(factors[position]);
}
