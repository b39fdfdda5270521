//! Bytes as text: base64 with the usual alphabet and padding.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            // A byte needs two digits, two bytes three.
            text.push(if digit <= chunk.len() {
                char::from(ALPHABET[(word >> (18 - 6 * digit)) as usize & 63])
            } else {
                '='
            });
        }
    }
    text
}

/// The bytes of a text; `None` if it is no base64 as [`encode`] writes it.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let (chunks, []) = text.as_bytes().as_chunks::<4>() else { return None };
    let mut bytes = Vec::with_capacity(chunks.len() * 3);
    for (index, chunk) in chunks.iter().enumerate() {
        let digits = match chunk {
            [_, _, b'=', b'='] if index + 1 == chunks.len() => 2,
            [_, _, _, b'='] if index + 1 == chunks.len() => 3,
            _ => 4,
        };
        let mut word = 0;
        for &digit in &chunk[..digits] {
            word = word << 6 | value_of(digit)?;
        }
        word <<= 6 * (4 - digits);
        let [_, ours @ ..] = u32::to_be_bytes(word);
        // What lies behind the last byte is 0, so that bytes have one text.
        if ours[digits - 1..].iter().any(|&byte| byte != 0) {
            return None;
        }
        bytes.extend_from_slice(&ours[..digits - 1]);
    }
    Some(bytes)
}

fn value_of(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_standard() {
        // RFC 4648, section 10.
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ];
        for (bytes, text) in cases {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        let all: Vec<u8> = (0..=255).collect();
        for len in 0..all.len() {
            assert_eq!(decode(&encode(&all[..len])).as_deref(), Some(&all[..len]));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["Z", "Zg=", "Zg==Zg==", "Zh==", "Zm9=", "Z===", "====", "Zm 9", "Zm9v\n", "Zm-v", "é==="]
        {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
