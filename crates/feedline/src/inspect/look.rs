//! What a byte string is, for people who look at examples.

use std::fmt::Write as _;

use feedline_image::ImageErrorKind;

/// What a byte string looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Printable text: as much of it as was given.
    Text(String),
    /// An image, recognized by its first bytes.
    Image {
        /// `JPEG`, `PNG` and so on.
        format: String,
        /// Width and height, if the bytes given reach as far as that.
        size: Option<(u32, u32)>,
    },
    /// Anything else: its first bytes in hexadecimal.
    Hex(String),
}

/// Bytes shown of what is neither text nor an image.
const HEX_BYTES: usize = 8;

impl Look {
    /// Looks at a byte string of `len` bytes that begins with `head`.
    pub fn of(head: &[u8], len: usize) -> Look {
        // Text first: `BM` and `RIFF` may begin a word.
        if let Some(text) = text(head, head.len() < len) {
            return Look::Text(text.to_owned());
        }
        match feedline_image::probe(head) {
            Ok(info) => {
                Look::Image { format: info.format.to_string(), size: Some((info.width, info.height)) }
            }
            // A JPEG with a long preview in front has its size further on.
            Err(error) => match error.format() {
                Some(format) if error.kind() == ImageErrorKind::Truncated && head.len() < len => {
                    Look::Image { format: format.to_string(), size: None }
                }
                _ => Look::Hex(hex(&head[..head.len().min(HEX_BYTES)])),
            },
        }
    }
}

/// `head` as text, if all of it is printable; the last character may be cut if `is_cut`.
fn text(head: &[u8], is_cut: bool) -> Option<&str> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if is_cut && error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t')).then_some(text)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_images_and_others() {
        let text = |text: &str| Look::Text(text.to_owned());
        let hex = |text: &str| Look::Hex(text.to_owned());
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0\x36\x88\x49\xd6";
        let image = |format: &str, size| Look::Image { format: format.to_owned(), size };
        // A size whose checksum does not match is none.
        let mut damaged = *png;
        damaged[16] ^= 0x40;
        let cases: [(&[u8], usize, Look); 10] = [
            (b"", 0, text("")),
            (b"a word", 6, text("a word")),
            (b"BM", 2, text("BM")),
            ("caf\u{e9}".as_bytes(), 5, text("caf\u{e9}")),
            (&"caf\u{e9}".as_bytes()[..4], 5, text("caf")),
            (&"caf\u{e9}".as_bytes()[..4], 4, hex("636166c3")),
            (b"\0\x01\x02\x03\x04\x05\x06\x07\x08", 9, hex("0001020304050607")),
            (png, 500, image("PNG", Some((2, 3)))),
            (&damaged, 500, hex("89504e470d0a1a0a")),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", 9000, image("JPEG", None)),
        ];
        for (head, len, look) in cases {
            assert_eq!(Look::of(head, len), look, "{head:?}");
        }
    }
}
