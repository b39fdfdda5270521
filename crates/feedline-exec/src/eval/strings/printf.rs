//! Floats as C's `printf` writes them: `%f`, `%e` and `%g`.

use std::ops::Range;

/// Which of its formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `%f`: digits and a point.
    Fixed,
    /// `%e`: one digit before the point, and an exponent.
    Scientific,
    /// `%g`: the shorter of both, without zeros at the end.
    Shortest,
}

/// How a number is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) form: Form,
    /// Digits behind the point, or of `%g` in all; 6 where none are given.
    pub(super) precision: Option<usize>,
    pub(super) width: usize,
    /// `printf`'s flag, if any.
    pub(super) flag: Option<u8>,
}

impl Format {
    /// Adds a float to `out`.
    pub(super) fn write_float(&self, value: f64, out: &mut Vec<u8>) {
        if !value.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            // Zeros are for digits.
            let flag = self.flag.filter(|&flag| flag != b'0');
            return Format { flag, ..*self }.write_digits(value.is_sign_negative(), name, out);
        }
        let precision = self.precision.unwrap_or(6);
        let keeps_point = self.flag == Some(b'#');
        if self.form == Form::Fixed
            && self.is_bare()
            && let Some(text) =
                scaled(value.abs(), precision).and_then(|number| ShortText::of(number, precision))
        {
            return text.write(value.is_sign_negative(), out);
        }
        if self.form == Form::Fixed
            && let Some(digits) = FixedDigits::of(value.abs(), precision).filter(|_| !keeps_point)
        {
            return self.write_digits(value.is_sign_negative(), digits.as_str(), out);
        }
        let mut text = match self.form {
            Form::Fixed => format!("{:.precision$}", value.abs()),
            Form::Scientific => scientific(value.abs(), precision),
            Form::Shortest => shortest(value.abs(), precision.max(1), keeps_point),
        };
        if keeps_point && !text.contains('.') {
            let at = text.find('e').unwrap_or(text.len());
            text.insert(at, '.');
        }
        self.write_digits(value.is_sign_negative(), &text, out);
    }

    /// Whether a number is its digits and a minus, and nothing else.
    #[inline]
    pub(super) fn is_bare(&self) -> bool {
        self.width == 0 && self.flag.is_none()
    }

    /// Adds digits with their sign to `out`, filled up to the width.
    pub(super) fn write_digits(&self, is_negative: bool, digits: &str, out: &mut Vec<u8>) {
        let sign = match self.flag {
            _ if is_negative => "-",
            Some(b'+') => "+",
            Some(b' ') => " ",
            _ => "",
        };
        let fill = self.width.saturating_sub(sign.len() + digits.len());
        let (before, zeros, behind) = match self.flag {
            Some(b'-') => (0, 0, fill),
            Some(b'0') => (0, fill, 0),
            _ => (fill, 0, 0),
        };
        out.extend(std::iter::repeat_n(b' ', before));
        out.extend_from_slice(sign.as_bytes());
        out.extend(std::iter::repeat_n(b'0', zeros));
        out.extend_from_slice(digits.as_bytes());
        out.extend(std::iter::repeat_n(b' ', behind));
    }
}

/// The digits of `%.{precision}f` of most numbers, made of whole numbers alone: a float is one, times a power of two. Exact, and
/// several times as fast as what takes all numbers.
struct FixedDigits {
    bytes: [u8; FixedDigits::MAX_BYTES],
    range: Range<usize>,
}

impl FixedDigits {
    /// What a number of 64 bits has, and a point.
    const MAX_BYTES: usize = 21;
    /// With so many digits behind the point, any float times their power of ten fits 128 bits.
    const MAX_PRECISION: usize = 15;

    /// `None` of a number that needs more digits than there is room for.
    fn of(value: f64, precision: usize) -> Option<FixedDigits> {
        let number = scaled(value, precision)?;
        if let Some(text) = ShortText::of(number, precision) {
            let mut bytes = [0; FixedDigits::MAX_BYTES];
            bytes[..ShortText::MAX_BYTES].copy_from_slice(&text.bytes);
            return Some(FixedDigits { bytes, range: 0..text.len });
        }
        let mut bytes = [b'0'; FixedDigits::MAX_BYTES];
        let (mut rest, mut start) = (number, FixedDigits::MAX_BYTES);
        for place in 0.. {
            if place == precision && precision > 0 {
                start -= 1;
                bytes[start] = b'.';
            }
            // A digit before the point at least.
            if place > precision && rest == 0 {
                break;
            }
            start = start.checked_sub(1)?;
            bytes[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        Some(FixedDigits { bytes, range: start..FixedDigits::MAX_BYTES })
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[self.range.clone()]).expect("digits and a point")
    }
}

/// A number of at most fifteen digits as text, made eight digits at a time.
pub(super) struct ShortText {
    bytes: [u8; ShortText::MAX_BYTES],
    len: usize,
}

impl ShortText {
    /// A point, and digits.
    const MAX_BYTES: usize = 16;

    /// `number` with a point before its last `precision` digits, and one digit before that at least; `None` if that takes more room. Without digits
    /// behind it there is no point.
    #[inline]
    pub(super) fn of(number: u64, precision: usize) -> Option<ShortText> {
        const EIGHT_DIGITS: u64 = 100_000_000;
        const ZEROS: u128 = u128::from_ne_bytes([b'0'; 16]);
        if number >= EIGHT_DIGITS * EIGHT_DIGITS / 10 || precision >= ShortText::MAX_BYTES - 1 {
            return None;
        }
        let (high, low) = ((number / EIGHT_DIGITS) as u32, (number % EIGHT_DIGITS) as u32);
        let digits =
            u128::from(eight_digits(low)) << 64 | if high == 0 { 0 } else { u128::from(eight_digits(high)) };
        // The first digit is the lowest byte.
        let num_zeros = (digits.trailing_zeros() / 8).min(15 - precision as u32);
        let (text, len) = ((digits | ZEROS) >> (8 * num_zeros), 16 - num_zeros as usize);
        if precision == 0 {
            return Some(ShortText { bytes: text.to_le_bytes(), len });
        }
        let before_point = 8 * (len - precision);
        let whole = text & ((1 << before_point) - 1);
        let text = whole | u128::from(b'.') << before_point | (text >> before_point) << 8 << before_point;
        Some(ShortText { bytes: text.to_le_bytes(), len: len + 1 })
    }

    /// Adds it to `out`.
    #[inline]
    pub(super) fn write(&self, is_negative: bool, out: &mut Vec<u8>) {
        if is_negative {
            out.push(b'-');
        }
        // All the room at once, which is a single store, and then what is too much of it away.
        let end = out.len() + self.len;
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }
}

/// The digits of a number below 10⁸, as numbers, the first one in the lowest byte: halves, and halves of these, side by side.
#[inline]
fn eight_digits(number: u32) -> u64 {
    let fours = u64::from(number / 10_000) | u64::from(number % 10_000) << 32;
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let pairs = hundreds | (fours - 100 * hundreds) << 16;
    let tens = (pairs * 103) >> 10 & 0x000f_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

/// `value` times ten to the power of `precision`, to the nearest whole number, and of two that are as near to the even one.
fn scaled(value: f64, precision: usize) -> Option<u64> {
    if precision > FixedDigits::MAX_PRECISION {
        return None;
    }
    let (fraction, exponent) = (value.to_bits() & ((1 << 52) - 1), (value.to_bits() >> 52) as i32 & 0x7ff);
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let shift = u32::try_from(-exponent).ok()?;
    // Many floats, all that were float32 before, have bits to spare: their product fits 64 bits.
    let (power, spare) = (POWERS_OF_TEN[precision], mantissa.trailing_zeros().min(52));
    let (short, short_shift) = (mantissa >> spare, shift.wrapping_sub(spare));
    if short.leading_zeros() + power.leading_zeros() >= 64 && (1..64).contains(&short_shift) {
        let product = short * power;
        let (whole, rest) = (product >> short_shift, product & ((1 << short_shift) - 1));
        let half = 1 << (short_shift - 1);
        return Some(whole + u64::from(rest > half || (rest == half && whole % 2 == 1)));
    }
    let product = u128::from(mantissa) * u128::from(power);
    if shift == 0 {
        return u64::try_from(product).ok();
    }
    // The product has 103 bits at most: nothing is left of it behind a longer shift.
    let (whole, rest, half) = match shift {
        1..=120 => (product >> shift, product & ((1 << shift) - 1), 1_u128 << (shift - 1)),
        _ => (0, 0, 1),
    };
    let is_up = rest > half || (rest == half && whole % 2 == 1);
    u64::try_from(whole + u128::from(is_up)).ok()
}

const POWERS_OF_TEN: [u64; FixedDigits::MAX_PRECISION + 1] = {
    let mut powers = [1; FixedDigits::MAX_PRECISION + 1];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = 10 * powers[at - 1];
        at += 1;
    }
    powers
};

/// `%.{precision}e`: the exponent has a sign and two digits at least.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("it has an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// `%.{precision}g`.
fn shortest(value: f64, precision: usize, keeps_zeros: bool) -> String {
    let text = scientific(value, precision - 1);
    let (digits, exponent) = text.split_once('e').expect("it has an exponent");
    let size: i32 = exponent.parse().expect("a number");
    let without_zeros = |digits: &str| {
        let has_zeros = digits.contains('.') && !keeps_zeros;
        if has_zeros {
            digits.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            digits.to_owned()
        }
    };
    if size < -4 || size >= precision as i32 {
        return format!("{}e{exponent}", without_zeros(digits));
    }
    let behind = usize::try_from(precision as i32 - 1 - size).unwrap_or(0);
    without_zeros(&format!("{value:.behind$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_as_printf_has_them() {
        type Case = (f64, Form, Option<usize>, usize, Option<u8>, &'static str);
        let cases: &[Case] = &[
            (1.5, Form::Fixed, None, 0, None, "1.500000"),
            (2.5, Form::Fixed, Some(0), 0, None, "2"),
            (2.5, Form::Fixed, Some(0), 0, Some(b'#'), "2."),
            (1e100, Form::Scientific, Some(3), 0, None, "1.000e+100"),
            (1e-5, Form::Shortest, None, 0, None, "1e-05"),
            (1e-4, Form::Shortest, None, 0, None, "0.0001"),
            (123_456_789.0, Form::Shortest, None, 0, None, "1.23457e+08"),
            (100_000.0, Form::Shortest, None, 0, None, "100000"),
            (1.5, Form::Shortest, Some(0), 0, None, "2"),
            (1.5, Form::Shortest, None, 0, Some(b'#'), "1.50000"),
            (-1.5, Form::Fixed, Some(1), 8, Some(b'0'), "-00001.5"),
            (1.5, Form::Fixed, Some(1), 8, Some(b'-'), "1.5     "),
            (f64::NEG_INFINITY, Form::Fixed, None, 6, Some(b'0'), "  -inf"),
            (0.0, Form::Shortest, None, 0, Some(b'+'), "+0"),
        ];
        for &(value, form, precision, width, flag, expected) in cases {
            let mut out = Vec::new();
            Format { form, precision, width, flag }.write_float(value, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{value} {form:?} {precision:?}");
        }
    }

    #[test]
    fn short_texts_are_those_of_the_library() {
        let mut numbers =
            vec![0, 1, 9, 10, 99_999_999, 100_000_000, 999_999_999_999_999, 1_000_000_000_000_000];
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            numbers.push(state >> (state & 63));
        }
        for number in numbers {
            let expected = number.to_string();
            match ShortText::of(number, 0) {
                Some(text) => {
                    let mut out = b"x".to_vec();
                    text.write(true, &mut out);
                    assert_eq!(out, format!("x-{expected}").as_bytes());
                }
                None => assert!(expected.len() > 15, "{number}"),
            }
            for precision in 1..=15 {
                let Some(text) = ShortText::of(number, precision) else { continue };
                let padded = format!("{number:0>width$}", width = precision + 1);
                let (whole, behind) = padded.split_at(padded.len() - precision);
                let mut out = Vec::new();
                text.write(false, &mut out);
                assert_eq!(
                    String::from_utf8_lossy(&out),
                    format!("{whole}.{behind}"),
                    "{number} {precision}"
                );
            }
        }
        (0..100_000_000).step_by(9973).for_each(|number| {
            let digits = eight_digits(number).to_le_bytes().map(|digit| digit + b'0');
            assert_eq!(digits, format!("{number:08}").as_bytes());
        });
    }

    #[test]
    fn digits_made_of_whole_numbers_are_those_of_the_library() {
        let mut values = vec![
            0.0,
            0.5,
            1.5,
            2.5,
            0.125,
            0.375,
            1e-7,
            5e-7,
            4.999_999_5e-7,
            1e-300,
            5e-324,
            0.1,
            0.2,
            999_999.5,
        ];
        values.extend([
            123_456_789.987_654_3,
            9_007_199_254_740_991.0,
            9_007_199_254_740_992.0,
            1e16,
            1e19,
            1e20,
            1e300,
        ]);
        // Any bits, and those of numbers of everyday.
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            values.extend([
                f64::from_bits(state >> 1),
                (state >> 40) as f64 / 1024.0,
                f64::from((state >> 40) as f32 / 1e4),
            ]);
        }
        let mut num_taken = 0;
        for value in values.into_iter().filter(|value| value.is_finite()) {
            for precision in [0, 1, 2, 6, 9, 15, 16] {
                if let Some(digits) = FixedDigits::of(value, precision) {
                    assert_eq!(digits.as_str(), format!("{value:.precision$}"), "{value:e} with {precision}");
                    num_taken += 1;
                }
            }
        }
        assert!(num_taken > 100_000, "{num_taken}");
    }
}
