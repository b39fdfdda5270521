//! Bytes in 64 characters that are safe in addresses.

#[cfg(target_arch = "x86_64")]
mod avx2;

use feedline_data::block::Strings;

use super::super::strings::{each_string, each_string_in};
use super::super::{Arguments, Value};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The characters of twelve bits. A look-up gives two of them: lines of some forty bytes took twice as long one by one.
static PAIRS: [[u8; 2]; 4096] = {
    let mut pairs = [[0; 2]; 4096];
    let mut bits = 0;
    while bits < 4096 {
        pairs[bits] = [ALPHABET[bits >> 6], ALPHABET[bits & 63]];
        bits += 1;
    }
    pairs
};

/// The value of what is no character: the one bit that no other value has.
const NONE: u8 = 64;

/// The value of each character.
const VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        values[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    values
};

pub(super) fn encode(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let pads = arguments.call.flag("pad");
    // Room for all of it: memory that grows on the way is copied, and above 128 KiB mapped anew each time.
    let room = |strings: &Strings| strings.num_bytes() / 3 * 4 + strings.len() * 4;
    each_string_in(arguments, room, |string, bytes| {
        // A byte needs two characters, two bytes three.
        let (start, len) = (bytes.len(), (string.len() * 4).div_ceil(3));
        // Written in place: to push each character took three times as long.
        bytes.resize(start + len, 0);
        encode_to(string, &mut bytes[start..]);
        if pads {
            bytes.resize(start + len.next_multiple_of(4), b'=');
        }
        Ok(())
    })
}

/// The characters of `string`, as many as `to` has room for, which is all of them.
fn encode_to(string: &[u8], to: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was detected above.
        let done = unsafe { avx2::encode_part(string, to) };
        return encode_each(&string[done / 4 * 3..], &mut to[done..]);
    }
    encode_each(string, to);
}

/// The same, three bytes at a time: the reference.
fn encode_each(string: &[u8], to: &mut [u8]) {
    let triples = string.chunks_exact(3);
    let rest = triples.remainder();
    let (whole, last) = to.split_at_mut(triples.len() * 4);
    for (to, triple) in whole.chunks_exact_mut(4).zip(triples) {
        let word = u32::from_be_bytes([0, triple[0], triple[1], triple[2]]) as usize;
        let [[first, second], [third, fourth]] = [PAIRS[word >> 12], PAIRS[word & 4095]];
        to.copy_from_slice(&[first, second, third, fourth]);
    }
    let word = rest.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - rest.len()));
    for (digit, to) in last.iter_mut().enumerate() {
        *to = ALPHABET[(word >> (18 - 6 * digit)) as usize & 63];
    }
}

pub(super) fn decode(arguments: &mut Arguments<'_>) -> Vec<Value> {
    each_string(arguments, |string, bytes| {
        let padding = string.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
        let digits = if string.len().is_multiple_of(4) { &string[..string.len() - padding] } else { string };
        if digits.len() % 4 == 1 {
            return Err(format!("{} characters are no base64: one is left over", string.len()));
        }
        let (start, quads) = (bytes.len(), digits.chunks_exact(4));
        let rest = quads.remainder();
        bytes.reserve(quads.len() * 3 + 2);
        bytes.resize(start + quads.len() * 3, 0);
        // Looked at together, behind all: one that is none has a bit the others have not.
        let mut seen = 0;
        for (to, quad) in bytes[start..].chunks_exact_mut(3).zip(quads) {
            let values = [0, 1, 2, 3].map(|at| VALUES[usize::from(quad[at])]);
            seen |= values[0] | values[1] | values[2] | values[3];
            let word = values.iter().fold(0_u32, |word, &value| word << 6 | u32::from(value));
            to.copy_from_slice(&word.to_be_bytes()[1..]);
        }
        let mut word = 0_u32;
        for &digit in rest {
            let value = VALUES[usize::from(digit)];
            seen |= value;
            word = word << 6 | u32::from(value);
        }
        if seen & NONE != 0 {
            let place =
                digits.iter().position(|&digit| VALUES[usize::from(digit)] == NONE).unwrap_or_default();
            return Err(format!("'{}' at {place} is no character of base64", digits[place].escape_ascii()));
        }
        if !rest.is_empty() {
            let [_, all @ ..] = (word << (6 * (4 - rest.len()))).to_be_bytes();
            // What lies behind the last byte is not looked at, as TensorFlow does not.
            bytes.extend_from_slice(&all[..rest.len() - 1]);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length, so that each way through is met, with bytes of all values.
    #[test]
    fn what_is_encoded_at_once_is_what_is_encoded_by_threes() {
        let bytes: Vec<u8> = (0..400_u64).map(|at| feedline_data::block::mix(at, 3) as u8).collect();
        for len in 0..200 {
            for start in [0, 1, 100, 200] {
                let string = &bytes[start..start + len];
                let [mut found, mut expected] = [0, 1].map(|_| vec![0; (len * 4).div_ceil(3)]);
                encode_to(string, &mut found);
                encode_each(string, &mut expected);
                assert_eq!(found, expected, "{len}");
            }
        }
        // All values of six bits.
        let bits: Vec<u8> = (0..16_u32)
            .flat_map(|at| {
                let word = (0..4).fold(0, |word, digit| word << 6 | (at * 4 + digit));
                word.to_be_bytes().into_iter().skip(1)
            })
            .collect();
        let mut found = vec![0; 64];
        encode_to(&bits, &mut found);
        assert_eq!(found, ALPHABET);
    }
}
