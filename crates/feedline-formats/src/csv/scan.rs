//! Where a field ends: the first of a few bytes, eight at a time. Fields are a few bytes long, so that a call of a search
//! that is made for long texts takes longer than the field.

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = ONES << 7;

/// The place of the first byte of `bytes`, from `from` on, that is one of `stops`; how many bytes there are if none is.
#[inline]
pub(super) fn first_of<const N: usize>(bytes: &[u8], from: usize, stops: [u8; N]) -> usize {
    let wanted = stops.map(|stop| u64::from(stop) * ONES);
    // The highest bit of the first byte that is one of them, and perhaps of some behind it.
    let marks = |eight: u64| {
        wanted.iter().fold(0, |marks, wanted| {
            let difference = eight ^ wanted;
            marks | (difference.wrapping_sub(ONES) & !difference & HIGH)
        })
    };
    let mut at = from;
    while let Some(eight) = bytes.get(at..at + 8) {
        let found = marks(u64::from_le_bytes(eight.try_into().expect("eight bytes")));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    // What is left, with zeros behind it.
    let (len, left) = (bytes.len(), bytes.len() - at);
    let rest = match bytes.last_chunk() {
        Some(_) if left == 0 => return len,
        Some(eight) => u64::from_le_bytes(*eight) >> (8 * (8 - left)),
        None => bytes[at..].iter().rev().fold(0, |rest, &byte| rest << 8 | u64::from(byte)),
    };
    match marks(rest) {
        0 => len,
        found => len.min(at + found.trailing_zeros() as usize / 8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_the_first(
            bytes in proptest::collection::vec(prop_oneof![0_u8..4, any::<u8>()], 0..30),
            from in 0_usize..30,
            stops in any::<[u8; 4]>(),
            near in 0_u8..4,
        ) {
            let from = from.min(bytes.len());
            // Bytes that differ from a stop in the lowest bit are what borrows mistake for it.
            for stops in [stops, [near, near ^ 1, 200, 0x80], [near; 4], [0; 4]] {
                let expected = (from..bytes.len()).find(|&at| stops.contains(&bytes[at])).unwrap_or(bytes.len());
                prop_assert_eq!(first_of(&bytes, from, stops), expected);
            }
        }
    }
}
