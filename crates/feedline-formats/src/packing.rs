//! Compression and archives that are not read: recognized, so that a file is told as what it is and with what unpacks it.

use std::fmt;

/// What another tool made of a file: `zstd`, `bzip2`, `xz`, `lz4` or `zip`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    description: &'static str,
    command: &'static str,
}

impl Packing {
    /// What made the file that begins with `bytes`, ten of them at least; `None` if it is none of these. No text and, but for
    /// chance, no record begins with their marks.
    pub fn sniff(bytes: &[u8]) -> Option<Packing> {
        let (description, command) = match bytes {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => ("Zstandard-compressed", "zstd -d"),
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..] => {
                ("bzip2-compressed", "bzip2 -d")
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => ("xz-compressed", "xz -d"),
            [4, 0x22, 0x4d, 0x18, ..] => ("LZ4-compressed", "lz4 -d"),
            [b'P', b'K', 3, 4, ..] => ("a ZIP archive", "unzip"),
            _ => return None,
        };
        Some(Packing { description, command })
    }

    /// The command that unpacks a file named behind it.
    pub const fn command(self) -> &'static str {
        self.command
    }
}

/// What completes "this is …".
impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description)
    }
}
