//! Damaged bits, read as libjpeg reads them.
//!
//! Bits that are no code are taken for a zero, seventeen of them. What goes behind the last coefficient of a block goes to the last. Bits
//! behind the end, which is the end of the scan or a restart marker, are zeros; MCUs behind the one that needed them stay empty up to the
//! next restart. That is slow, and only done once an image has turned out to be damaged.

use super::entropy::{Block, BlockTables, LAST, place_of};
use super::huffman::extend;

/// Bits of what is no code: one more than of the longest.
const BITS_OF_NO_CODE: u32 = 17;

/// A position in the bits up to a restart or the end.
pub(super) struct DamagedBits {
    /// Of the next bit.
    position: usize,
    /// Bytes there are.
    end: usize,
    /// Whether bits behind the end were needed.
    is_short: bool,
    /// Whether they were before this MCU.
    is_empty: bool,
}

impl DamagedBits {
    /// From one byte to another.
    pub(super) fn new(start: usize, end: usize) -> Self {
        Self { position: start * 8, end, is_short: false, is_empty: false }
    }

    pub(super) fn begin_mcu(&mut self) {
        self.is_empty = self.is_short;
    }

    /// Reads a block as [`BitReader::read_block`](super::entropy::BitReader::read_block) does, into `block` if it is needed. Every block is one.
    #[cold]
    #[inline(never)]
    pub(super) fn read_block(
        &mut self,
        plain: &[u8],
        tables: &BlockTables<'_>,
        previous_dc: &mut i32,
        mut block: Option<&mut Block>,
    ) {
        if self.is_empty {
            return;
        }
        let BlockTables { dc, ac, factors } = tables;
        let mut store = |position: usize, value: i32| {
            if let Some(block) = &mut block {
                block[place_of(position)] = (value as i16).wrapping_mul(factors[position.min(LAST)]);
            }
        };
        let (len, size) = dc.find(self.peek(plain, 16)).unwrap_or((BITS_OF_NO_CODE, 0));
        self.consume(len);
        *previous_dc = previous_dc.wrapping_add(self.value(plain, size));
        store(0, *previous_dc);
        let mut position = 1;
        while position <= LAST {
            let (len, run, size) = ac.slow(self.peek(plain, 16)).unwrap_or((BITS_OF_NO_CODE, 0, 0));
            self.consume(len);
            if size == 0 && run < 15 {
                return;
            }
            position += run;
            if size > 0 {
                store(position, self.value(plain, size));
            }
            position += 1;
        }
    }

    /// The value that the next `size` bits stand for.
    fn value(&mut self, plain: &[u8], size: u32) -> i32 {
        if size == 0 {
            return 0;
        }
        let value = extend(self.peek(plain, size), size);
        self.consume(size);
        value
    }

    /// The next bits, at most 16 of them.
    fn peek(&self, plain: &[u8], num_bits: u32) -> u32 {
        let first = self.position / 8;
        let byte = |index: usize| if index < self.end { plain.get(index).copied().unwrap_or(0) } else { 0 };
        let bytes = [byte(first), byte(first + 1), byte(first + 2), 0];
        u32::from_be_bytes(bytes) << (self.position % 8) >> (32 - num_bits)
    }

    fn consume(&mut self, num_bits: u32) {
        self.position += num_bits as usize;
        self.is_short |= self.position > self.end * 8;
    }
}
