//! How the numbers of a row are spelled.
//!
//! The parser gives numbers, not their text: `1.10` comes as 1.1, and a whole number beyond 64 bits as the nearest float.
//! For who wants `1.10`, and to tell `1e20` from a number with twenty zeros, the text is looked through once more. Parsed
//! before, it is valid, and outside of strings only numbers begin with a digit or a minus.

use memchr::memchr2;

/// The numbers of `row`, a valid text of JSON, as they are spelled, in order.
pub(super) fn numbers(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = row;
    std::iter::from_fn(move || {
        loop {
            let at = rest.iter().position(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9'))?;
            rest = &rest[at..];
            if rest[0] != b'"' {
                let is_part = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let (number, behind) = rest.split_at(rest.iter().take_while(|byte| is_part(byte)).count());
                rest = behind;
                return Some(number);
            }
            rest = behind_string(&rest[1..]);
        }
    })
}

/// What follows the string that `text` is in.
fn behind_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr2(b'"', b'\\', text) {
        if text[at] == b'"' {
            return &text[at + 1..];
        }
        // Whatever is escaped, its first byte is not the end of the string.
        text = text.get(at + 2..).unwrap_or_default();
    }
    &[]
}

/// Whether a number is spelled as a whole one.
pub(super) fn is_whole(number: &[u8]) -> bool {
    !number.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_outside_of_strings() {
        let table: [(&str, &[&str]); 6] = [
            ("{}", &[]),
            (r#"{"1": 1.10}"#, &["1.10"]),
            (r#"{"a\"2": -0, "b\\": [1e5,2E-7 , 3], "c": "4\\\"5"}"#, &["-0", "1e5", "2E-7", "3"]),
            (r#"{"ü\u00fc": true, "x": {"y": 0.5}, "z": null}"#, &["0.5"]),
            ("7", &["7"]),
            ("\"cut\\", &[]),
        ];
        for (text, expected) in table {
            let found: Vec<&[u8]> = numbers(text.as_bytes()).collect();
            assert_eq!(found, expected.iter().map(|number| number.as_bytes()).collect::<Vec<_>>(), "{text}");
        }
    }
}
