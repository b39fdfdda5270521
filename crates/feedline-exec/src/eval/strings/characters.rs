//! Where characters of UTF-8 begin.

/// Whether a byte goes on with a character of UTF-8. TensorFlow counts characters by the others, right or wrong.
pub(super) fn is_trail(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}
