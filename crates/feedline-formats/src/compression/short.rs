//! Deflated data of the kind that short strings become: blocks of fixed codes, and of bytes as they are.
//!
//! A compressor takes the fixed codes where tables of its own would be longer than what they save, which is so up to some hundred
//! bytes. An inflater for all streams spends more time on its state, and on tables for those codes, than on such a string; here the tables are constants,
//! and there is no state. What it takes it takes as zlib does; of anything else it says no.

use std::ops::Range;

/// A code of a length or a distance: what it means, the bits of the code, and those behind it that are added.
#[derive(Clone, Copy)]
struct Code {
    base: u16,
    bits: u8,
    extra: u8,
}

/// What stands in [`Code::extra`] of a byte as it is, of the end of a block, and of codes that no stream has.
const LITERAL: u8 = 0x10;
const END: u8 = 0x20;
const NONE: u8 = 0x40;

/// The longest code of a byte or a length.
const CODE_BITS: u32 = 9;
/// The codes of distances are all as long.
const DISTANCE_BITS: u8 = 5;

const CODES: [Code; 1 << CODE_BITS] = codes();
const DISTANCES: [Code; 1 << DISTANCE_BITS] = distances();

/// RFC 1951, 3.2.6, by the next nine bits of a stream.
const fn codes() -> [Code; 1 << CODE_BITS] {
    let mut codes = [Code { base: 0, bits: 0, extra: NONE }; 1 << CODE_BITS];
    let mut next = 0;
    while next < codes.len() {
        // A code has its highest bit first.
        let code = (next as u16).reverse_bits() >> (16 - CODE_BITS);
        let (symbol, bits) = match code {
            0..0b0_0110_0000 => (256 + (code >> 2), 7),
            0b0_0110_0000..0b1_1000_0000 => ((code >> 1) - 0b0011_0000, 8),
            0b1_1000_0000..0b1_1001_0000 => (280 + (code >> 1) - 0b1100_0000, 8),
            _ => (144 + code - 0b1_1001_0000, 9),
        };
        codes[next] = match symbol {
            0..256 => Code { base: symbol, bits, extra: LITERAL },
            256 => Code { base: 0, bits, extra: END },
            257..265 => Code { base: symbol - 254, bits, extra: 0 },
            265..285 => {
                let extra = (symbol - 261) / 4;
                Code { base: 3 + ((4 + (symbol - 261) % 4) << extra), bits, extra: extra as u8 }
            }
            285 => Code { base: 258, bits, extra: 0 },
            _ => Code { base: 0, bits, extra: NONE },
        };
        next += 1;
    }
    codes
}

/// RFC 1951, 3.2.5, by the next five bits of a stream.
const fn distances() -> [Code; 1 << DISTANCE_BITS] {
    let mut codes = [Code { base: 0, bits: DISTANCE_BITS, extra: NONE }; 1 << DISTANCE_BITS];
    let mut next = 0;
    while next < codes.len() {
        let symbol = (next as u8).reverse_bits() as u16 >> (8 - DISTANCE_BITS);
        (codes[next].base, codes[next].extra) = match symbol {
            0..4 => (symbol + 1, 0),
            4..30 => {
                let extra = symbol / 2 - 1;
                (1 + ((2 + symbol % 2) << extra), extra as u8)
            }
            _ => (0, NONE),
        };
        next += 1;
    }
    codes
}

/// Whether the first block of a stream is of that kind.
pub(super) fn begins(stream: &[u8]) -> bool {
    stream.first().is_some_and(|first| first >> 1 & 3 < 2)
}

/// How much may be written behind what was made, so that short runs are copied as many bytes at a time.
pub(super) const SLACK_BYTES: usize = 16;

/// Writes what `stream` of `bytes` was to `out`, and says how much that is: `room` bytes at most, behind which there is slack. `None` where it is not
/// that, whole and sound, or has codes of its own. Bytes behind the stream are read and mean nothing.
pub(super) fn inflate(bytes: &[u8], stream: Range<usize>, out: &mut [u8], room: usize) -> Option<usize> {
    let mut bits = Bits { bytes, next: stream.start, word: 0, count: 0 };
    let mut made = 0;
    loop {
        bits.refill();
        let (is_last, kind) = (bits.take(1) == 1, bits.take(2));
        made = match kind {
            0 => stored(&mut bits, &stream, out, made, room)?,
            1 => fixed(&mut bits, out, made, room)?,
            _ => return None,
        };
        if is_last {
            return (bits.place() == stream.end).then_some(made);
        }
        // Behind the end are zeros, or the next string: no stream without end.
        if bits.place() > stream.end {
            return None;
        }
    }
}

/// Bytes as they are, behind their number and its complement.
fn stored(
    bits: &mut Bits<'_>,
    stream: &Range<usize>,
    out: &mut [u8],
    made: usize,
    room: usize,
) -> Option<usize> {
    let at = bits.place();
    let [low, high, not_low, not_high] = *bits.bytes.get(at..stream.end)?.first_chunk::<4>()?;
    if [low, high] != [!not_low, !not_high] {
        return None;
    }
    let count = usize::from(u16::from_le_bytes([low, high]));
    let source = bits.bytes.get(at + 4..at + 4 + count).filter(|_| at + 4 + count <= stream.end)?;
    out[..room].get_mut(made..made + count)?.copy_from_slice(source);
    (bits.next, bits.word, bits.count) = (at + 4 + count, 0, 0);
    Some(made + count)
}

fn fixed(bits: &mut Bits<'_>, out: &mut [u8], mut made: usize, room: usize) -> Option<usize> {
    loop {
        bits.refill();
        // Bytes come in runs of any length, which no processor foresees: so a run is found at once and written whole, with what is behind it.
        let run = literals(bits.word);
        out[made..made + 8].copy_from_slice(&bytes_of_literals(bits.word));
        bits.drop(run);
        made += usize::from(run / 8);
        if made > room {
            return None;
        }
        if run == MAX_RUN {
            continue;
        }
        // A length with its distance is 13 and 18 bits at most.
        bits.refill();
        let code = CODES[(bits.word & ((1 << CODE_BITS) - 1)) as usize];
        bits.drop(code.bits);
        match code.extra {
            LITERAL => {
                // There is slack behind the room.
                out[made] = code.base as u8;
                made += 1;
            }
            END => return Some(made),
            NONE => return None,
            extra => {
                let length = usize::from(code.base) + bits.take(extra) as usize;
                let code = DISTANCES[(bits.word & ((1 << DISTANCE_BITS) - 1)) as usize];
                if code.extra == NONE {
                    return None;
                }
                bits.drop(DISTANCE_BITS);
                let distance = usize::from(code.base) + bits.take(code.extra) as usize;
                if distance > made || made + length > room {
                    return None;
                }
                repeat(out, made, distance, length);
                made += length;
            }
        }
    }
}

/// Bits that literals of eight bits take at most in a word that was refilled.
const MAX_RUN: u8 = 56;

/// A bit in each byte.
const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// How many bits from the lowest on are codes of eight bits: bytes below 144, which have codes from 0x30 to 0xbf, the highest bit first.
#[inline]
fn literals(word: u64) -> u8 {
    let (first, second, third, fourth) = (word, word >> 1, word >> 2, word >> 3);
    // Codes from 0xc0 on have both of the first bits set; those below 0x30 none, nor both that follow.
    let others = (first & second) | !(first | second | (third & fourth));
    ((others & EACH_BYTE) | 1 << MAX_RUN).trailing_zeros() as u8
}

/// What the codes of eight bits in `word` stand for, up to the first of another kind.
#[inline]
fn bytes_of_literals(word: u64) -> [u8; 8] {
    let codes = word.swap_bytes().reverse_bits();
    // What is borrowed is borrowed by what is no such code, from those behind it.
    codes.wrapping_sub(0x30 * EACH_BYTE).to_le_bytes()
}

/// Writes `length` bytes at `at`, and perhaps some behind them: those from `distance` before, which may be among them.
#[inline]
fn repeat(out: &mut [u8], at: usize, distance: usize, length: usize) {
    if distance >= 8 && length <= 16 {
        for step in [0, 8] {
            let from = at + step - distance;
            let chunk: [u8; 8] = *out[from..].first_chunk().expect("eight bytes lie between");
            out[at + step..at + step + 8].copy_from_slice(&chunk);
        }
    } else if distance >= length {
        out.copy_within(at - distance..at - distance + length, at);
    } else {
        for place in at..at + length {
            out[place] = out[place - distance];
        }
    }
}

/// The bits of a stream, the next ones lowest.
struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte that is not in `word`.
    next: usize,
    word: u64,
    /// Bits of `word` that count; those above are 0, or what comes next.
    count: u32,
}

impl Bits<'_> {
    /// Takes bytes on until there are 56 bits at least. Behind the last byte are zeros.
    #[inline]
    fn refill(&mut self) {
        let more = match self.bytes.get(self.next..).and_then(<[u8]>::first_chunk) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => self.last_bytes(),
        };
        self.word |= more << self.count;
        self.next += ((63 - self.count) / 8) as usize;
        self.count |= 0x38;
    }

    #[cold]
    fn last_bytes(&self) -> u64 {
        let mut chunk = [0; 8];
        let left = self.bytes.get(self.next..).unwrap_or_default();
        chunk[..left.len()].copy_from_slice(left);
        u64::from_le_bytes(chunk)
    }

    #[inline]
    fn drop(&mut self, count: u8) {
        self.word >>= count;
        self.count -= u32::from(count);
    }

    #[inline]
    fn take(&mut self, count: u8) -> u64 {
        let taken = self.word & ((1 << count) - 1);
        self.drop(count);
        taken
    }

    /// The first byte of which no bit was taken.
    fn place(&self) -> usize {
        self.next - (self.count / 8) as usize
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};
    use proptest::prelude::*;

    use super::*;

    fn deflated(text: &[u8], level: u32) -> Vec<u8> {
        let mut out = Vec::with_capacity(2 * text.len() + 100);
        let status = Compress::new(flate2::Compression::new(level), false).compress_vec(
            text,
            &mut out,
            FlushCompress::Finish,
        );
        assert_eq!(status.expect("it deflates"), Status::StreamEnd);
        out
    }

    /// What the library makes of it, if it is one whole stream.
    fn reference(stream: &[u8]) -> Option<Vec<u8>> {
        let mut inflate = Decompress::new(false);
        let mut out = Vec::with_capacity(70_000);
        let status = inflate.decompress_vec(stream, &mut out, FlushDecompress::Finish);
        let is_whole = matches!(status, Ok(Status::StreamEnd)) && inflate.total_in() == stream.len() as u64;
        is_whole.then_some(out)
    }

    fn inflated(stream: &[u8], behind: &[u8], room: usize) -> Option<Vec<u8>> {
        let string = [b"head", stream, behind].concat();
        let mut out = vec![b'x'; room + SLACK_BYTES];
        let made = inflate(&string, 4..4 + stream.len(), &mut out, room)?;
        Some(out[..made].to_vec())
    }

    #[test]
    fn every_length_and_distance_is_read() {
        // The text of fixed codes that level 1 makes of short pieces, and runs of each length at each distance up to some.
        let noise: Vec<u8> = (0_u32..300).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut num_taken = 0;
        for distance in 1..40 {
            for length in (3..40).chain([100, 257, 258, 259]) {
                let text: Vec<u8> =
                    noise[..distance].iter().copied().cycle().take(distance + length).collect();
                let stream = deflated(&text, 9);
                let expected = begins(&stream).then(|| text.clone());
                assert_eq!(inflated(&stream, b"", text.len()), expected, "{distance} {length}");
                assert_eq!(inflated(&stream, b"", text.len() - 1), None);
                num_taken += usize::from(expected.is_some());
            }
        }
        assert!(num_taken > 1000, "{num_taken}");
        // Bytes as they are.
        for text in [&b""[..], b"abc", &noise] {
            assert_eq!(inflated(&deflated(text, 0), b"xx", text.len()).as_deref(), Some(text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn what_is_taken_is_what_the_library_makes_of_it(
            text in "[ab ]{0,60}|(word[0-9]{1,4} ){0,8}|\\PC{0,20}",
            level in 0_u32..10,
            damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
            cut in 0_usize..4,
            behind in proptest::collection::vec(any::<u8>(), 0..12),
        ) {
            let mut stream = deflated(text.as_bytes(), level);
            let is_short = begins(&stream);
            if damage.is_empty() && cut == 0 && is_short {
                prop_assert_eq!(inflated(&stream, &behind, text.len()), Some(text.clone().into_bytes()));
            }
            for (at, byte) in damage {
                let at = at.index(stream.len());
                stream[at] = byte;
            }
            stream.truncate(stream.len().saturating_sub(cut));
            if let Some(made) = inflated(&stream, &behind, 70_000) {
                prop_assert_eq!(Some(made), reference(&stream));
            }
        }

        /// Any bits behind a header of fixed codes: codes that there are not, distances before the beginning, no end.
        #[test]
        fn any_bits_are_read_as_by_the_library(bits in proptest::collection::vec(any::<u8>(), 1..40)) {
            let mut stream = bits;
            stream[0] = stream[0] & !7 | 3;
            // Where it ends nobody knows before.
            for end in 1..=stream.len() {
                prop_assert_eq!(inflated(&stream[..end], &[], 60_000), reference(&stream[..end]));
            }
        }
    }
}
