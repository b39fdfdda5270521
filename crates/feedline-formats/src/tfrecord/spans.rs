//! Checksums of many overlapping spans of a stream, each byte summed but a few times.
//!
//! Damage can leave any number of lengths that pass their own checksum and reach far over each other: a file of such
//! headers, or a record file within a damaged record. To sum the data behind each of them anew is quadratic: `verify`
//! took 107 s for 5.7 MB of bare headers, and takes 0.9 s this way. So a span is summed outright only if it begins behind every span that has failed. Those that
//! failed outright then lie apart, and so do those that matched, for they are records. Of the others the sums come from
//! sums over blocks, which are made once for each byte:
//!
//! With P(x) the checksum of all bytes up to x, the bytes from c to b have the checksum P(b) ^ carried(P(c), b - c). P is
//! kept where blocks end, and a span adds no more than the part of a block at its either end.

use std::collections::VecDeque;

use crate::checksum::{carried, crc32c, masked, masked_crc32c};

/// Larger means fewer sums to make and keep, and more to add for each span. For 475,000 bare headers 128, 256 and 512 came
/// out alike (0.39 to 0.44 s), 1024 took 0.53 and 2048 took 0.63: minima of a few runs on two busy cores.
const BLOCK_BYTES: u64 = 512;

/// The checksums of spans of one stream, asked for in the order in which they begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    /// Where the furthest span that failed ends.
    failed_end: u64,
    /// Where the first block begins that is known: a multiple of its size.
    origin: u64,
    /// P at the origin and at the end of each block behind it; before the origin any bytes will do.
    sums: VecDeque<u32>,
}

impl Spans {
    /// The masked checksum of the first `length` of `bytes`, which begin at byte `offset` of the stream.
    #[inline]
    pub(super) fn masked_crc32c(&mut self, offset: u64, bytes: &[u8], length: usize) -> u32 {
        // In a file without damage, always; see above.
        if offset >= self.failed_end {
            return masked_crc32c(&bytes[..length]);
        }
        masked(self.crc32c_by_blocks(offset, &bytes[..length]))
    }

    /// Says that the span that ends at byte `end` of the stream is not what its checksum says.
    #[cold]
    pub(super) fn failed(&mut self, end: u64) {
        self.failed_end = self.failed_end.max(end);
    }

    #[cold]
    fn crc32c_by_blocks(&mut self, offset: u64, bytes: &[u8]) -> u32 {
        let end = offset + bytes.len() as u64;
        let (first, last) = (offset.next_multiple_of(BLOCK_BYTES), end / BLOCK_BYTES * BLOCK_BYTES);
        if first >= last {
            return crc32c(bytes);
        }
        let part = |from: u64, to: u64| &bytes[(from - offset) as usize..(to - offset) as usize];
        self.forget_before(first);
        while self.known_end() < last {
            let (block, sum) = (self.known_end(), self.sums[self.sums.len() - 1]);
            let summed = carried(sum, BLOCK_BYTES) ^ crc32c(part(block, block + BLOCK_BYTES));
            self.sums.push_back(summed);
        }
        let at_last = self.sums[((last - self.origin) / BLOCK_BYTES) as usize];
        let at_end = carried(at_last, end - last) ^ crc32c(part(last, end));
        // The bytes of the span before its first whole block stand in for what precedes that block.
        let before = self.sums[0] ^ crc32c(part(offset, first));
        at_end ^ carried(before, end - first)
    }

    /// Lets go of the blocks before `offset`, a multiple of their size, and begins there if it is not known.
    fn forget_before(&mut self, offset: u64) {
        if offset < self.origin || offset > self.known_end() || self.sums.is_empty() {
            self.sums.clear();
            self.sums.push_back(0);
        } else {
            self.sums.drain(..((offset - self.origin) / BLOCK_BYTES) as usize);
        }
        self.origin = offset;
    }

    /// Where the known blocks end.
    fn known_end(&self) -> u64 {
        self.origin + (self.sums.len() as u64).saturating_sub(1) * BLOCK_BYTES
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn by_blocks_equals_outright(
            spans in prop::collection::vec((0u64..9000, 0usize..6000), 1..30),
            base in 0u64..2000,
        ) {
            let stream: Vec<u8> = (0..15_000u64).map(|i| (i * i % 253) as u8).collect();
            let mut sums = Spans { failed_end: u64::MAX, ..Spans::default() };
            let mut spans = spans;
            // In the order in which they begin, as asked for, except for the last.
            let count = spans.len();
            spans[..count - 1].sort_unstable();
            for (start, length) in spans {
                let bytes = &stream[start as usize..];
                let found = sums.masked_crc32c(base + start, bytes, length);
                prop_assert_eq!(found, masked_crc32c(&bytes[..length]));
            }
        }
    }
}
