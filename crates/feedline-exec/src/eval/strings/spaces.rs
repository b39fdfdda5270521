//! White space, as C has it: Rust's has no vertical tab.

use std::ops::Range;

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Without white space at the ends.
pub(super) fn stripped(string: &[u8]) -> Range<usize> {
    let start = string.iter().position(|&byte| !is_space(byte)).unwrap_or(string.len());
    let end = string.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    start..end
}

/// Calls `edge` with every place where white space begins or ends, in order: the first is where the first word begins. Goes on as long
/// as that says so.
#[inline]
pub(super) fn edges(string: &[u8], mut edge: impl FnMut(usize) -> bool) {
    // What stands before the string counts as white space.
    let mut was_space = HIGH >> 56;
    let mut at = 0;
    while at < string.len() {
        // Eight bytes at a time: words are short, and a search that is called for each costs more than the word.
        let eight = if let Some(eight) = string.get(at..at + 8) {
            u64::from_le_bytes(eight.try_into().expect("eight bytes"))
        } else {
            // What is not there is as the last byte, so that nothing begins or ends behind it.
            let rest = &string[at..];
            let mut eight = [rest[rest.len() - 1]; 8];
            eight[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(eight)
        };
        let spaces = spaces(eight);
        let mut changes = spaces ^ (spaces << 8 | was_space);
        while changes != 0 {
            if !edge(at + changes.trailing_zeros() as usize / 8) {
                return;
            }
            changes &= changes - 1;
        }
        was_space = spaces >> 56;
        at += 8;
    }
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = ONES << 7;

/// The highest bit of each byte that is white space.
fn spaces(eight: u64) -> u64 {
    // Sums of two numbers below 128 stay in their bytes.
    let low = eight & !HIGH;
    let is_other_than_blank = (low ^ (ONES * u64::from(b' '))) + !HIGH;
    let is_tab_or_above = low + ONES * (0x80 - u64::from(b'\t'));
    let is_above_return = low + ONES * (0x80 - u64::from(b'\r') - 1);
    (!is_other_than_blank | (is_tab_or_above & !is_above_return)) & !eight & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_byte_is_white_space_or_not() {
        for byte in 0..=255 {
            let expected = if is_space(byte) { HIGH } else { 0 };
            assert_eq!(spaces(u64::from_ne_bytes([byte; 8])), expected, "{byte}");
        }
    }

    proptest! {
        #[test]
        fn edges_are_where_bytes_differ_in_being_white_space(
            string in proptest::collection::vec(prop_oneof![Just(b' '), Just(b'\t'), Just(b'a'), any::<u8>()], 0..40),
            limit in 1_usize..10,
        ) {
            let is_edge = |&at: &usize| is_space(string[at]) != (at == 0 || is_space(string[at - 1]));
            let expected: Vec<usize> = (0..string.len()).filter(is_edge).take(limit).collect();
            let mut found = Vec::new();
            edges(&string, |at| {
                found.push(at);
                found.len() < limit
            });
            prop_assert_eq!(found, expected);
        }
    }
}
