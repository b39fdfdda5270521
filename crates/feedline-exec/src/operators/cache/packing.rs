//! Files of a cache that are compressed.
//!
//! One is `FLCACHZ` and the byte 1, the length of what it stands for as a little-endian word, and that in a zlib stream, which
//! has a checksum of its own. What does not begin so is not compressed: so files of both kinds may lie in one folder.

use std::borrow::Cow;

use feedline_formats::{CompressedStream, Compression, Decompressor, deflate_piece};
use feedline_plan::CacheCompression;

use crate::budget::Charge;

const MAGIC: &[u8; 8] = b"FLCACHZ\x01";
const WORD: usize = size_of::<u64>();
/// What is compressed is to be written and read fast: the lowest level is several times as fast as the usual one, and files are a tenth larger.
const LEVEL: u32 = 1;
/// Bytes that are tried, from the middle of a file, where rows are.
const TRIED_BYTES: usize = 64 << 10;
/// How much is inflated at a time.
const STEP_BYTES: usize = 256 << 10;
/// No byte of a zlib stream becomes more: two bits are a run of 258 bytes.
const MAX_RATIO: u64 = 1032;

/// `bytes` of a file as they are written.
pub(super) fn packed(bytes: &[u8], compression: CacheCompression) -> Cow<'_, [u8]> {
    let is_packed = match compression {
        CacheCompression::None => false,
        CacheCompression::Auto => shrinks(bytes),
        CacheCompression::Always => true,
    };
    if !is_packed {
        return Cow::Borrowed(bytes);
    }
    let mut stream = CompressedStream::new(Compression::Zlib);
    let mut packed = Vec::new();
    packed.extend_from_slice(MAGIC);
    packed.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    packed.extend_from_slice(stream.header());
    deflate_piece(bytes, LEVEL, &mut packed);
    stream.add(bytes);
    packed.extend_from_slice(&stream.trailer());
    Cow::Owned(packed)
}

/// Whether a part of `bytes` becomes smaller by a fifth: less is not worth the time.
fn shrinks(bytes: &[u8]) -> bool {
    let start = bytes.len().saturating_sub(TRIED_BYTES) / 2;
    let tried = &bytes[start..bytes.len().min(start + TRIED_BYTES)];
    let mut packed = Vec::new();
    deflate_piece(tried, LEVEL, &mut packed);
    packed.len() < tried.len() / 5 * 4
}

/// What the words of a file stand for, which are those themselves where it is not compressed. What it takes beside them is charged before it is
/// taken.
///
/// The length is believed only as far as memory goes: what is more than the budget, or than so few bytes can become, is refused before
/// anything is inflated. The checksum, which would tell, is inside.
///
/// # Errors
/// What is wrong with them.
pub(super) fn unpacked(words: Vec<u64>, limit_bytes: u64, charge: &mut Charge) -> Result<Vec<u64>, String> {
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return Ok(words) };
    let Some((length, mut left)) = rest.split_first_chunk::<WORD>() else {
        return Err("it ends in its first bytes".to_owned());
    };
    let length = u64::from_le_bytes(*length);
    if length > (left.len() as u64).saturating_mul(MAX_RATIO) {
        return Err(format!("it says that it stands for {length} bytes, which its {} cannot", bytes.len()));
    }
    if length > limit_bytes {
        return Err(format!(
            "it says that it stands for {length} bytes, and the memory budget is {limit_bytes} bytes"
        ));
    }
    let num_words = usize::try_from(length.div_ceil(WORD as u64)).map_err(|error| error.to_string())?;
    charge.grow(length);
    let mut unpacked: Vec<u64> = Vec::new();
    unpacked
        .try_reserve_exact(num_words)
        .map_err(|_| format!("no memory for the {length} bytes it stands for"))?;
    let mut decompressor = Decompressor::new(Compression::Zlib);
    let mut piece = Vec::with_capacity(STEP_BYTES);
    let mut inflated = 0;
    loop {
        piece.clear();
        let taken = decompressor.push(left, &mut piece, STEP_BYTES).map_err(|error| error.reason())?;
        left = &left[taken..];
        if (inflated + piece.len()) as u64 > length {
            return Err(format!("it stands for more than the {length} bytes it says"));
        }
        // Not all of it at once: memory that is not written to is none yet.
        unpacked.resize((inflated + piece.len()).div_ceil(WORD), 0);
        bytemuck::cast_slice_mut(&mut unpacked)[inflated..inflated + piece.len()].copy_from_slice(&piece);
        inflated += piece.len();
        if piece.len() < STEP_BYTES && left.is_empty() {
            decompressor.finish().map_err(|error| error.reason())?;
            break;
        }
    }
    if inflated as u64 != length {
        return Err(format!("it stands for {inflated} bytes, and says {length}"));
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    /// As a file of these bytes is read.
    fn words(bytes: &[u8]) -> Vec<u64> {
        let mut words = vec![0_u64; bytes.len().div_ceil(WORD)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        words
    }

    const LIMIT: u64 = 1 << 30;

    /// What a file of these bytes stands for, within a budget of `limit` bytes.
    fn read_within(bytes: &[u8], limit: u64) -> Result<Vec<u64>, String> {
        let budget = Budget::new(limit);
        let mut charge = budget.charge(0);
        let found = unpacked(words(bytes), limit, &mut charge);
        assert!(budget.peak_bytes() <= limit, "{} of {limit}", budget.peak_bytes());
        found
    }

    fn read(bytes: &[u8]) -> Result<Vec<u64>, String> {
        read_within(bytes, LIMIT)
    }

    /// Bytes that do not compress: a counter, mixed.
    fn noise(len: usize) -> Vec<u8> {
        (0..len as u64)
            .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 ^ ((i * i) >> 7) as u8)
            .collect()
    }

    #[test]
    fn what_is_packed_comes_back() {
        for bytes in [vec![], vec![7; 8], vec![3; 1 << 20], noise(STEP_BYTES), noise(STEP_BYTES + 8)] {
            for compression in CacheCompression::ALL {
                let packed = packed(&bytes, compression);
                assert_eq!(read(&packed), Ok(words(&bytes)), "{} {compression:?}", bytes.len());
            }
        }
        let zeros = vec![0; 1 << 20];
        for compression in [CacheCompression::Always, CacheCompression::Auto] {
            assert!(packed(&zeros, compression).len() < zeros.len() / 20);
        }
        assert_eq!(packed(&zeros, CacheCompression::None).len(), zeros.len());
        let random: Vec<u8> =
            (0..1_u64 << 16).flat_map(|i| feedline_data::block::mix(i, 1).to_le_bytes()).collect();
        assert_eq!(packed(&random, CacheCompression::Auto).len(), random.len());
    }

    #[test]
    fn damage_is_named() {
        let bytes = vec![5; 1000];
        let whole = packed(&bytes, CacheCompression::Always).into_owned();
        for place in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[place] ^= 1;
            // Without its first bytes it is another file, which the chunk in it refuses; and some bits of a stream mean nothing.
            let found = read(&flipped);
            assert!(place < MAGIC.len() || found.is_err() || found == Ok(words(&bytes)), "{place}");
        }
        assert!(read(&whole[..WORD]).is_err());
        assert!(read(&whole[..whole.len() - 8]).is_err());
        let mut lying = whole.clone();
        lying[WORD..2 * WORD].copy_from_slice(&10_u64.to_le_bytes());
        assert!(read(&lying).is_err_and(|reason| reason.contains("more than the 10 bytes")));
    }
    #[test]
    fn a_length_that_lies_takes_no_memory() {
        let zeros = vec![0; 1 << 20];
        let whole = packed(&zeros, CacheCompression::Always).into_owned();
        let saying = |length: u64| {
            let mut lying = whole.clone();
            lying[WORD..2 * WORD].copy_from_slice(&length.to_le_bytes());
            lying
        };
        let ratio = MAX_RATIO * whole.len() as u64;
        let cases = [
            (u64::MAX, "cannot"),
            (1 << 40, "cannot"),
            (ratio + 8, "cannot"),
            ((1 << 20) + 8, "the memory budget is 1048576 bytes"),
            ((1 << 20) - 8, "more than the 1048568 bytes it says"),
            (0, "more than the 0 bytes it says"),
        ];
        for (length, words) in cases {
            let reason = read_within(&saying(length), 1 << 20).expect_err("it lies");
            assert!(reason.contains(words), "{length}: {reason}");
        }
        assert_eq!(read_within(&whole, 1 << 20), Ok(words(&zeros)));
        assert!(read_within(&whole, (1 << 20) - 1).is_err_and(|reason| reason.contains("memory budget")));
        assert!(read(&saying((1 << 20) + 8)).is_err_and(|reason| reason.ends_with("and says 1048584")));
    }
}
