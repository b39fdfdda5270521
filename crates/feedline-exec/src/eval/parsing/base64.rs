//! Bytes in 64 characters that are safe in addresses.

use super::super::strings::each_string;
use super::super::{Arguments, Value};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The value of each character; 64 for those that are none.
const VALUES: [u8; 256] = {
    let mut values = [64; 256];
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
        bytes.reserve(string.len().div_ceil(3) * 4);
        for chunk in string.chunks(3) {
            let word = chunk.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte))
                << (8 * (3 - chunk.len()));
            // A byte needs two characters, two bytes three.
            for digit in 0..=chunk.len() {
                bytes.push(ALPHABET[(word >> (18 - 6 * digit)) as usize & 63]);
            }
            if pads {
                bytes.extend(std::iter::repeat_n(b'=', 3 - chunk.len()));
            }
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
        bytes.reserve(digits.len() / 4 * 3 + 2);
        for (number, chunk) in digits.chunks(4).enumerate() {
            let mut word = 0_u32;
            for (at, &digit) in chunk.iter().enumerate() {
                let value = VALUES[usize::from(digit)];
                if value == 64 {
                    let place = number * 4 + at;
                    return Err(format!("'{}' at {place} is no character of base64", digit.escape_ascii()));
                }
                word = word << 6 | u32::from(value);
            }
            let [_, all @ ..] = (word << (6 * (4 - chunk.len()))).to_be_bytes();
            // What lies behind the last byte is not looked at, as TensorFlow does not.
            bytes.extend_from_slice(&all[..chunk.len() - 1]);
        }
        Ok(())
    })
}
