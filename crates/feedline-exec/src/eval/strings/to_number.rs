//! Numbers as people write them.

use feedline_data::Native;

use super::super::elementwise::dispatch;
use super::super::{Arguments, Value};
use super::each::{each_number, shown};
use super::spaces::stripped;

pub(super) fn to_number(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let dtype = arguments.call.dtype("out_type");
    dispatch!(read dtype, T => each_number(arguments, |string| {
        parse_number::<T>(string).ok_or_else(|| format!("{} is no {dtype}", shown(string)))
    }))
}

/// A type of number that strings can be read as.
pub(in crate::eval) trait Parsed: Native {
    /// The number that is `plain`, where that is exact.
    fn exact(plain: Plain) -> Option<Self>;
    /// The number that is written in `text`, without white space around it.
    fn parsed(text: &str) -> Option<Self>;
}

/// The number a string is, with white space around it or without; `None` if it is none of that type.
pub(in crate::eval) fn parse_number<T: Parsed>(string: &[u8]) -> Option<T> {
    // Nearly all numbers in files are plain ones, and reading these takes a third of the time.
    if let Some(number) = Plain::read(string).and_then(T::exact) {
        return Some(number);
    }
    T::parsed(std::str::from_utf8(&string[stripped(string)]).ok()?)
}

/// As [`parse_number`], of the first `len` bytes of `memory`: where others follow in memory, nothing depends on how many are meant.
///
/// # Panics
/// If there are fewer.
#[inline]
pub(in crate::eval) fn parse_number_in<T: Parsed>(memory: &[u8], len: usize) -> Option<T> {
    let is_signed = matches!(memory.first(), Some(b'-' | b'+'));
    let sign_bytes = usize::from(is_signed);
    let digits = memory.get(sign_bytes..).and_then(<[u8]>::first_chunk);
    let plain = digits.and_then(|digits| {
        let is_negative = is_signed && memory[0] == b'-';
        Plain::read_short(is_negative, u64::from_le_bytes(*digits), len.checked_sub(sign_bytes)?)
    });
    plain.and_then(T::exact).or_else(|| parse_number(&memory[..len]))
}

/// A sign, some digits, and a point among them: what is written without exponents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::eval) struct Plain {
    is_negative: bool,
    digits: u64,
    /// How many of the digits stand behind the point; `None` without a point.
    places: Option<usize>,
}

impl Plain {
    /// As many decimal digits as always fit 63 bits.
    const MAX_DIGITS: usize = 18;

    fn read(string: &[u8]) -> Option<Plain> {
        let (is_negative, text) = match string {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, string),
        };
        if text.len() <= size_of::<u64>() {
            return Plain::read_short(is_negative, first_eight(text), text.len());
        }
        Plain::read_long(is_negative, text)
    }

    fn read_long(is_negative: bool, text: &[u8]) -> Option<Plain> {
        let (mut digits, mut point) = (0, None);
        if text.len() > Plain::MAX_DIGITS {
            return None;
        }
        for (at, &byte) in text.iter().enumerate() {
            match byte {
                b'0'..=b'9' => digits = digits * 10 + u64::from(byte - b'0'),
                b'.' if point.is_none() => point = Some(at),
                _ => return None,
            }
        }
        let num_digits = text.len() - usize::from(point.is_some());
        let places = point.map(|at| text.len() - 1 - at);
        (num_digits > 0).then_some(Plain { is_negative, digits, places })
    }

    /// As [`Plain::read_long`], of the lowest `len` bytes, if those are no more than eight. They are one number to the processor, so that how
    /// many they are and where the point is takes no jumps, which cost more than all else where numbers differ in length.
    #[inline]
    fn read_short(is_negative: bool, bytes: u64, len: usize) -> Option<Plain> {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        const LOW: u64 = ONES * 0x7f;
        const ZEROS: u64 = ONES * b'0' as u64;
        const HALVES: u64 = ONES * 0xf0;
        if len == 0 || len > 8 {
            return None;
        }
        // The last byte becomes the highest; before the first there are zeros.
        let free = 64 - 8 * len as u32;
        let mut bytes = bytes << free | ZEROS & !(u64::MAX << free);
        let difference = bytes ^ (ONES * u64::from(b'.'));
        let points = !(((difference & LOW) + LOW) | difference | LOW);
        let mut places = None;
        if points != 0 {
            if points & (points - 1) != 0 {
                return None;
            }
            let at = points.trailing_zeros() / 8;
            let whole = (1 << (8 * at)) - 1;
            // What stands before the point moves up to what stands behind it.
            bytes = (bytes & whole) << 8 | bytes & !(whole << 8 | 0xff) | u64::from(b'0');
            places = Some(7 - at as usize);
        }
        let are_digits = bytes & HALVES == ZEROS && bytes.wrapping_add(ONES * 6) & HALVES == ZEROS;
        if !are_digits || len == usize::from(places.is_some()) {
            return None;
        }
        // Neighbours become numbers of two digits, these of four, these of eight.
        let twos = (bytes & !HALVES).wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
        let fours = twos.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
        let digits = fours.wrapping_mul(10_000 << 32 | 1) >> 32;
        Some(Plain { is_negative, digits, places })
    }
}

/// Up to eight bytes as a number: the first is the lowest. Those behind the last are 0.
#[inline]
fn first_eight(text: &[u8]) -> u64 {
    let len = text.len();
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        // Where the two have bytes in common, they are the same.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (len - 4));
    }
    let byte = |at: usize| u64::from(text[at]) << (8 * at);
    if len == 0 { 0 } else { byte(0) | byte(len / 2) | byte(len - 1) }
}

macro_rules! integers {
    ($($rust:ty),*) => {$(
        impl Parsed for $rust {
            fn exact(plain: Plain) -> Option<$rust> {
                // `-0` is no number without a sign.
                if plain.places.is_some() || (plain.is_negative && <$rust>::MIN == 0) {
                    return None;
                }
                let number = plain.digits as i64;
                <$rust>::try_from(if plain.is_negative { -number } else { number }).ok()
            }

            // Rust's own rules are TensorFlow's: a sign, digits, nothing else.
            fn parsed(text: &str) -> Option<$rust> {
                text.parse().ok()
            }
        }
    )*};
}

integers!(i32, i64, u32, u64);

macro_rules! floats {
    ($($rust:ty, $max_places:literal),*) => {$(
        impl Parsed for $rust {
            fn exact(plain: Plain) -> Option<$rust> {
                // Powers of ten up to here, and digits up to the precision, are floats; so one division rounds, and rounds right.
                const POWERS: [$rust; $max_places + 1] = {
                    let mut powers = [1.0; $max_places + 1];
                    let mut at = 1;
                    while at <= $max_places {
                        powers[at] = powers[at - 1] * 10.0;
                        at += 1;
                    }
                    powers
                };
                let power = POWERS.get(plain.places.unwrap_or(0))?;
                if plain.digits > 1 << <$rust>::MANTISSA_DIGITS {
                    return None;
                }
                // As a signed number, which it is, too: processors turn these into floats at once.
                let number = plain.digits as i64 as $rust / power;
                Some(if plain.is_negative { -number } else { number })
            }

            fn parsed(text: &str) -> Option<$rust> {
                let other = || hexadecimal(text, |mantissa| f64::from(mantissa as $rust)).or_else(|| named_nan(text));
                text.parse().ok().or_else(|| other().map(|value| value as $rust))
            }
        }
    )*};
}

floats!(f32, 10, f64, 22);

/// `nan(abc)`, as C has it: which of the many it is, is not kept.
fn named_nan(text: &str) -> Option<f64> {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (name, rest) = text.split_at_checked(3)?;
    let inner = rest.strip_prefix('(')?.strip_suffix(')')?;
    let is_one = name.eq_ignore_ascii_case("nan")
        && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_one.then_some(f64::NAN)
}

/// `0x1.8p3` and the like, as C has it. `round` rounds the digits to the type.
fn hexadecimal(text: &str, round: impl Fn(u64) -> f64) -> Option<f64> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let text = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let (digits, exponent) = match text.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let (mut mantissa, mut shift) = (0_u64, i64::from(exponent) - 4 * fraction.len() as i64);
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = u64::from(digit.to_digit(16)?);
        if mantissa >> 56 == 0 {
            mantissa = mantissa << 4 | digit;
        } else {
            // Beyond what any float holds; whether it is nothing is all that matters for rounding.
            mantissa |= u64::from(digit != 0);
            shift += 4;
        }
    }
    // In two steps, so that no power of two leaves the range on the way.
    let shift = shift.clamp(-4000, 4000) as i32;
    let value = round(mantissa) * 2_f64.powi(shift / 2) * 2_f64.powi(shift - shift / 2);
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Without the short way.
    fn reference<T: Parsed>(string: &[u8]) -> Option<T> {
        T::parsed(std::str::from_utf8(&string[stripped(string)]).ok()?)
    }

    #[test]
    fn plain_numbers_are_read_as_others() {
        for text in [
            "0",
            "-0",
            "+7",
            "12.5",
            ".5",
            "5.",
            ".",
            "-",
            "+",
            "",
            "-.",
            "1.2.3",
            "--1",
            "16777216",
            "16777217",
            "0.1",
            "-0.0",
            "9007199254740993",
            "999999999999999999",
            "9999999999999999999",
            "2147483648",
            "-2147483648",
            "-2147483649",
            "4294967295",
            "0.00000000000000001",
            "1e5",
            " 7 ",
            "0x10",
            "1_0",
            "nan",
            "inf",
            "-1",
            "1.0",
            "1.",
        ] {
            let bytes = text.as_bytes();
            assert_eq!(parse_number::<i32>(bytes), reference(bytes), "{text} as int32");
            assert_eq!(parse_number::<i64>(bytes), reference(bytes), "{text} as int64");
            assert_eq!(parse_number::<u32>(bytes), reference(bytes), "{text} as uint32");
            assert_eq!(parse_number::<u64>(bytes), reference(bytes), "{text} as uint64");
            assert_eq!(
                parse_number(bytes).map(f32::to_bits),
                reference(bytes).map(f32::to_bits),
                "{text} as float32"
            );
            assert_eq!(
                parse_number(bytes).map(f64::to_bits),
                reference(bytes).map(f64::to_bits),
                "{text} as float64"
            );
        }
    }

    proptest! {
        #[test]
        fn any_digits_are_read_as_others(text in "[-+]?[0-9]{0,12}[.]?[0-9]{0,12}") {
            let bytes = text.as_bytes();
            prop_assert_eq!(parse_number::<i64>(bytes), reference(bytes));
            prop_assert_eq!(parse_number(bytes).map(f32::to_bits), reference(bytes).map(f32::to_bits));
            prop_assert_eq!(parse_number(bytes).map(f64::to_bits), reference(bytes).map(f64::to_bits));
        }

        /// Whatever stands behind them in memory.
        #[test]
        fn numbers_are_read_within_memory(text in "[-+]?[0-9]{0,9}[.]?[0-9]{0,9}|[-+0-9. ex]{0,9}", behind in "[0-9.,]{0,9}") {
            let memory = [text.as_bytes(), behind.as_bytes()].concat();
            let (bytes, len) = (text.as_bytes(), text.len());
            prop_assert_eq!(parse_number_in::<i32>(&memory, len), reference(bytes));
            prop_assert_eq!(parse_number_in::<i64>(&memory, len), reference(bytes));
            prop_assert_eq!(parse_number_in(&memory, len).map(f32::to_bits), reference(bytes).map(f32::to_bits));
            prop_assert_eq!(parse_number_in(&memory, len).map(f64::to_bits), reference(bytes).map(f64::to_bits));
        }
    }
}
