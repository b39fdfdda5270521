//! Single numbers as JSON, exact to the bit.
//!
//! JSON has numbers, but no not-a-number and no infinity, and not every reader of it rounds as it should. So a float is a
//! JSON number where that is exact in any reader (up to 15 digits, a power of ten up to 22: one rounding), and a
//! string otherwise: its digits, `"inf"`, `"-inf"`, `"nan"`, or its bits (`"0x7fc00001"`).

use feedline_data::Native;
use half::{bf16, f16};
use serde_json::Value;

/// A number that can be written and read.
pub(super) trait Number: Native {
    /// It as JSON.
    fn to_json(self) -> Value;
    /// It from JSON; `None` if the type does not hold that.
    fn from_json(value: &Value) -> Option<Self>;
    /// It from the bytes in memory, little-endian; as many as it is wide.
    fn from_le(bytes: &[u8]) -> Self;
    /// Adds its bytes, little-endian.
    fn push_le(self, bytes: &mut Vec<u8>);
}

macro_rules! bytes {
    ($rust:ty) => {
        fn from_le(bytes: &[u8]) -> $rust {
            <$rust>::from_le_bytes(bytes.try_into().expect("as many bytes as it is wide"))
        }

        fn push_le(self, bytes: &mut Vec<u8>) {
            bytes.extend_from_slice(&self.to_le_bytes());
        }
    };
}

macro_rules! integers {
    ($($rust:ty)*) => {$(
        impl Number for $rust {
            fn to_json(self) -> Value {
                Value::from(self)
            }

            fn from_json(value: &Value) -> Option<$rust> {
                match value.as_i64() {
                    Some(number) => number.try_into().ok(),
                    None => value.as_u64()?.try_into().ok(),
                }
            }

            bytes!($rust);
        }
    )*};
}

/// `$wide` is the type whose digits are written: the shortest that read back as the same.
macro_rules! floats {
    ($($rust:ty, $bits:ty, $nan:literal, $wide:ty, $to_wide:expr, $from_wide:expr, $from_f64:expr;)*) => {$(
        impl Number for $rust {
            fn to_json(self) -> Value {
                let bits = self.to_bits();
                if self.is_nan() {
                    return if bits == $nan { "nan".into() } else { text_of_bits(bits.into(), size_of::<$rust>()) };
                }
                if self.is_infinite() {
                    return if self.is_sign_negative() { "-inf".into() } else { "inf".into() };
                }
                let wide: $wide = $to_wide(self);
                let digits = format!("{wide:e}");
                let is_same = |value: &Value| <$rust>::from_json(value).is_some_and(|own| own.to_bits() == bits);
                let number = exact_number(&digits).filter(is_same);
                let value = number.unwrap_or_else(|| Value::from(digits));
                if is_same(&value) { value } else { text_of_bits(bits.into(), size_of::<$rust>()) }
            }

            fn from_json(value: &Value) -> Option<$rust> {
                let text = match value {
                    Value::Number(number) => {
                        let number: $rust = $from_f64(number.as_f64()?);
                        return (!number.is_infinite()).then_some(number);
                    }
                    Value::String(text) => text.as_str(),
                    _ => return None,
                };
                match text {
                    "nan" => Some(<$rust>::from_bits($nan)),
                    "inf" => Some(<$rust>::INFINITY),
                    "-inf" => Some(<$rust>::NEG_INFINITY),
                    _ => match text.strip_prefix("0x") {
                        Some(digits) => Some(<$rust>::from_bits(bits_of_text(digits, size_of::<$rust>())? as $bits)),
                        None => {
                            let wide: $wide = text.parse().ok()?;
                            let number: $rust = $from_wide(wide);
                            // `parse` also knows words for what is not finite.
                            (!number.is_infinite() && !number.is_nan()).then_some(number)
                        }
                    },
                }
            }

            bytes!($rust);
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);
floats! {
    f16, u16, 0x7e00, f32, f16::to_f32, f16::from_f32, f16::from_f64;
    bf16, u16, 0x7fc0, f32, bf16::to_f32, bf16::from_f32, bf16::from_f64;
    f32, u32, 0x7fc0_0000, f32, std::convert::identity, std::convert::identity, |wide: f64| wide as f32;
    f64, u64, 0x7ff8_0000_0000_0000, f64, std::convert::identity, std::convert::identity, std::convert::identity;
}

/// The number with these digits as a JSON number, if every reader gets it exactly.
fn exact_number(digits: &str) -> Option<Value> {
    let number = serde_json::Number::from_f64(digits.parse().ok()?)?;
    // As it is printed: that may have more zeros.
    let printed = number.to_string();
    let (significand, exponent) = printed.split_once('e').unwrap_or((&printed, "0"));
    let places = significand.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    let num_digits =
        significand.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count();
    let power: i32 = exponent.parse().ok()?;
    (num_digits <= 15 && (power - places).abs() <= 22).then_some(Value::Number(number))
}

fn text_of_bits(bits: u64, width: usize) -> Value {
    format!("0x{bits:0digits$x}", digits = width * 2).into()
}

fn bits_of_text(digits: &str, width: usize) -> Option<u64> {
    let is_plain = digits.len() == width * 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_plain.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written, printed, parsed and read.
    fn again<T: Number>(number: T) -> T {
        let text = number.to_json().to_string();
        T::from_json(&serde_json::from_str(&text).expect("JSON")).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn every_half_reads_back_to_the_bit() {
        for bits in 0..=u16::MAX {
            assert_eq!(again(f16::from_bits(bits)).to_bits(), bits);
            assert_eq!(again(bf16::from_bits(bits)).to_bits(), bits);
        }
    }

    #[test]
    fn floats_and_integers_read_back_to_the_bit() {
        // All exponents with a few fractions each.
        for step in 0_u32..1 << 16 {
            let bits = step << 16 | step.wrapping_mul(0x9e37_79b9) >> 16;
            assert_eq!(again(f32::from_bits(bits)).to_bits(), bits);
            let bits = u64::from(bits) << 32 | u64::from(bits.wrapping_mul(0x85eb_ca6b));
            assert_eq!(again(f64::from_bits(bits)).to_bits(), bits);
        }
        assert_eq!((again(i64::MIN), again(i64::MAX), again(u64::MAX)), (i64::MIN, i64::MAX, u64::MAX));
        assert_eq!(again(-0.0_f64).to_bits(), (-0.0_f64).to_bits());
    }

    #[test]
    fn they_read_well_and_what_does_not_fit_is_refused() {
        let shown = |value: Value| value.to_string();
        assert_eq!(shown(0.1_f32.to_json()), "0.1");
        assert_eq!(shown((-2.0_f64).to_json()), "-2.0");
        assert_eq!(shown(f16::from_f32(0.1).to_json()), "0.099975586");
        assert_eq!(shown(1e30_f64.to_json()), "\"1e30\"");
        assert_eq!(shown(f64::NAN.to_json()), "\"nan\"");
        assert_eq!(shown(f32::from_bits(0x7f80_0001).to_json()), "\"0x7f800001\"");
        assert_eq!(i8::from_json(&300.into()), None);
        assert_eq!(u64::from_json(&(-1).into()), None);
        assert_eq!(i64::from_json(&1.5.into()), None);
        for text in ["", "one", "infinity", "0x7f", "0x+f800001", "1e99", "NaN"] {
            assert_eq!(f32::from_json(&text.into()), None, "{text}");
        }
        assert_eq!(f32::from_json(&1e300.into()), None);
    }
}
