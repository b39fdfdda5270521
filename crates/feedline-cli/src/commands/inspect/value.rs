//! Single values, for people.

use feedline::formats::example::Sample;
use feedline::inspect::Look;

use crate::ui;

/// Characters of a text shown.
const TEXT_CHARS: usize = 32;

/// A value as an example: `7`, `0.25`, `"a text"`, `JPEG 500x375, 107.9 KiB`, `00ff10… (12 bytes)`.
pub(super) fn example(sample: &Sample) -> String {
    match sample {
        Sample::Float(value) => float(f64::from(*value)),
        Sample::Int64(value) => value.to_string(),
        Sample::Bytes { head, len } => bytes(head, *len),
    }
}

/// A byte string of `len` bytes that begins with `head`.
pub(super) fn bytes(head: &[u8], len: usize) -> String {
    match Look::of(head, len) {
        Look::Text(text) => {
            let shown: String = text.chars().take(TEXT_CHARS).flat_map(char::escape_debug).collect();
            let is_all = text.chars().count() <= TEXT_CHARS && text.len() == len;
            if is_all { format!("\"{shown}\"") } else { format!("\"{shown}…\" ({})", ui::size(len as u64)) }
        }
        Look::Image { format, size: Some((width, height)) } => {
            format!("{format} {width}x{height}, {}", ui::size(len as u64))
        }
        Look::Image { format, size: None } => format!("{format}, {}", ui::size(len as u64)),
        Look::Hex(hex) => {
            let more = if hex.len() < 2 * len { "…" } else { "" };
            format!("{hex}{more} ({})", ui::size(len as u64))
        }
    }
}

/// A float in few digits: it is looked at, not computed with.
pub(super) fn float(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-3..1e6).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let decimals = (3 - magnitude.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_short() {
        let bytes =
            |bytes: &[u8]| Sample::Bytes { head: bytes[..bytes.len().min(64)].to_vec(), len: bytes.len() };
        for (sample, text) in [
            (Sample::Int64(-7), "-7"),
            (Sample::Float(0.25), "0.25"),
            (Sample::Float(0.1), "0.1"),
            (Sample::Float(123_456.7), "123457"),
            (Sample::Float(1e-9), "1.000e-9"),
            (Sample::Float(f32::NAN), "NaN"),
            (Sample::Float(100.0), "100"),
            (bytes(b"say \"hi\"\n"), r#""say \"hi\"\n""#),
            (bytes(&[b'x'; 100]), "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\" (100 B)"),
            (bytes(b""), "\"\""),
            (bytes(&[0, 255]), "00ff (2 B)"),
            (bytes(&[1; 20]), "0101010101010101… (20 B)"),
        ] {
            assert_eq!(example(&sample), text);
        }
    }
}
