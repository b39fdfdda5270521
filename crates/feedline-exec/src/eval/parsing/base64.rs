//! Bytes in 64 characters that are safe in addresses.

use super::super::strings::each_string;
use super::super::{Arguments, Value};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

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
    each_string(arguments, |string, bytes| {
        let (start, triples) = (bytes.len(), string.chunks_exact(3));
        let rest = triples.remainder();
        bytes.reserve(string.len().div_ceil(3) * 4);
        // Written in place: to push each character took three times as long.
        bytes.resize(start + triples.len() * 4, 0);
        for (to, triple) in bytes[start..].chunks_exact_mut(4).zip(triples) {
            let word = u32::from_be_bytes([0, triple[0], triple[1], triple[2]]);
            to.copy_from_slice(&[18, 12, 6, 0].map(|shift| ALPHABET[(word >> shift) as usize & 63]));
        }
        if rest.is_empty() {
            return Ok(());
        }
        let word =
            rest.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - rest.len()));
        // A byte needs two characters, two bytes three.
        for digit in 0..=rest.len() {
            bytes.push(ALPHABET[(word >> (18 - 6 * digit)) as usize & 63]);
        }
        if pads {
            bytes.extend(std::iter::repeat_n(b'=', 3 - rest.len()));
        }
        Ok(())
    })
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
