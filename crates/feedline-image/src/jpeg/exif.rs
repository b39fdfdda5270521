//! How a photo was held: the orientation that cameras write into a JPEG's Exif segment instead of turning the pixels.

use super::markers::{EOI, Markers, SOS};

const APP1: u8 = 0xe1;
const ORIENTATION: u16 = 0x0112;
/// Types of fields: numbers of 16 and 32 bits.
const SHORT: u16 = 3;
const LONG: u16 = 4;
const SIGNED_SHORT: u16 = 8;
const SIGNED_LONG: u16 = 9;
/// A field of a directory: tag, type, count, value.
const FIELD_BYTES: usize = 12;

/// The orientation a JPEG has in its Exif data, from 1 to 8; 1, which is upright, where it has none that can be read.
///
/// What is no JPEG has none. Damage is none of this function's business: decoding finds it.
pub fn exif_orientation(bytes: &[u8]) -> u8 {
    if !bytes.starts_with(&[0xff, 0xd8]) {
        return 1;
    }
    let mut markers = Markers::new(bytes);
    while let Ok(marker) = markers.next("the first scan (SOS)") {
        match marker.code {
            // Behind the first scan there is no Exif segment, and looking for one would mean to go through the whole file.
            SOS | EOI => break,
            APP1 => {
                if let Some(tiff) = marker.body.strip_prefix(b"Exif\0\0") {
                    return Tiff::of(tiff).and_then(|tiff| tiff.orientation()).unwrap_or(1);
                }
            }
            _ => {}
        }
    }
    1
}

/// The JPEG with an Exif segment that says this orientation, and nothing else: for pixels that were written anew as they lay.
///
/// It goes behind the JFIF segment, which is the first where there is one.
pub fn with_exif_orientation(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut segment = vec![0xff, APP1, 0, 34];
    segment.extend_from_slice(b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01");
    for number in [ORIENTATION, SHORT, 0, 1, u16::from(orientation), 0, 0, 0] {
        segment.extend_from_slice(&number.to_be_bytes());
    }
    let behind = match jpeg {
        [0xff, 0xd8, 0xff, 0xe0, high, low, ..] => 4 + usize::from(u16::from_be_bytes([*high, *low])),
        _ => 2,
    };
    let at = behind.min(jpeg.len());
    [&jpeg[..at], &segment, &jpeg[at..]].concat()
}

/// Exif data is a TIFF file: numbers in either order of bytes, fields in a directory somewhere.
struct Tiff<'a> {
    bytes: &'a [u8],
    is_big_endian: bool,
}

impl<'a> Tiff<'a> {
    fn of(bytes: &'a [u8]) -> Option<Tiff<'a>> {
        let is_big_endian = match bytes.get(..4)? {
            b"MM\0\x2a" => true,
            b"II\x2a\0" => false,
            _ => return None,
        };
        Some(Tiff { bytes, is_big_endian })
    }

    fn short(&self, at: usize) -> Option<u16> {
        let pair = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.is_big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    }

    fn long(&self, at: usize) -> Option<u32> {
        let four = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.is_big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) })
    }

    /// The orientation in the first directory: the first field of that name that holds something, as Pillow reads it.
    fn orientation(&self) -> Option<u8> {
        let directory = self.long(4)? as usize;
        let count = usize::from(self.short(directory)?);
        let number = (0..count)
            .map(|index| directory + 2 + index * FIELD_BYTES)
            .filter(|&field| self.short(field) == Some(ORIENTATION))
            .find_map(|field| self.number(field))?;
        u8::try_from(number).ok().filter(|orientation| (1..=8).contains(orientation))
    }

    /// The first number of a field, if it has whole numbers, whatever their width and sign.
    fn number(&self, field: usize) -> Option<u32> {
        let width = match self.short(field + 2)? {
            SHORT | SIGNED_SHORT => 2,
            LONG | SIGNED_LONG => 4,
            _ => return None,
        };
        let len = u64::from(self.long(field + 4)?) * width;
        let place = match len {
            0 => return None,
            1..=4 => field + 8,
            // More than fits lies elsewhere.
            _ => self.long(field + 8)? as usize,
        };
        let all = self.bytes.get(place..)?;
        if (all.len() as u64) < len {
            return None;
        }
        if width == 2 { self.short(place).map(u32::from) } else { self.long(place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JPEG of nothing but an Exif segment and the beginning of a scan.
    fn jpeg(tiff: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0xff, 0xd8, 0xff, APP1];
        bytes.extend(((tiff.len() + 8) as u16).to_be_bytes());
        bytes.extend(b"Exif\0\0");
        bytes.extend(tiff);
        bytes.extend([0xff, SOS, 0, 2]);
        bytes
    }

    fn tiff(is_big_endian: bool, fields: &[(u16, u16, u16)]) -> Vec<u8> {
        let short = |value: u16| if is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let long = |value: u32| if is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let mut bytes = if is_big_endian { b"MM".to_vec() } else { b"II".to_vec() };
        bytes.extend(short(42));
        bytes.extend(long(8));
        bytes.extend(short(fields.len() as u16));
        for &(tag, kind, value) in fields {
            bytes.extend(short(tag));
            bytes.extend(short(kind));
            bytes.extend(long(1));
            bytes.extend(short(value));
            bytes.extend([0, 0]);
        }
        bytes
    }

    #[test]
    fn orientations_are_found_in_either_order_of_bytes() {
        for is_big_endian in [false, true] {
            for orientation in 1..=8 {
                let fields = [(0x010f, 2, 7), (ORIENTATION, SHORT, orientation)];
                assert_eq!(u16::from(exif_orientation(&jpeg(&tiff(is_big_endian, &fields)))), orientation);
            }
        }
    }

    /// What Pillow 13.0.0 reads.
    #[test]
    fn an_orientation_may_be_any_whole_number() {
        // Type, count, the four bytes of the value, what lies behind the directory, and what is read.
        type Case<'a> = (&'a str, u16, u32, [u8; 4], &'a [u8], u8);
        let cases: [Case<'_>; 12] = [
            ("a short", SHORT, 1, [0, 6, 0, 0], &[], 6),
            ("a long", LONG, 1, [0, 0, 0, 6], &[], 6),
            ("a signed long", SIGNED_LONG, 1, [0, 0, 0, 6], &[], 6),
            ("a signed short", SIGNED_SHORT, 1, [0, 6, 0, 0], &[], 6),
            ("a negative one", SIGNED_LONG, 1, [255, 255, 255, 250], &[], 1),
            ("no short", SHORT, 0, [0, 6, 0, 0], &[], 1),
            ("no long", LONG, 0, [0, 0, 0, 6], &[], 1),
            ("two shorts", SHORT, 2, [0, 6, 0, 3], &[], 6),
            ("three shorts", SHORT, 3, [0, 0, 0, 22], &[0, 8, 0, 6, 0, 3], 8),
            ("two longs", LONG, 2, [0, 0, 0, 22], &[0, 0, 0, 5, 0, 0, 0, 1], 5),
            ("elsewhere", LONG, 2, [0, 0, 0, 24], &[0, 0, 0, 5], 1),
            ("a byte", 1, 1, [6, 0, 0, 0], &[], 1),
        ];
        for (name, kind, count, value, behind, expected) in cases {
            let mut bytes = b"MM\0\x2a\0\0\0\x08\0\x01".to_vec();
            bytes.extend(ORIENTATION.to_be_bytes());
            bytes.extend(kind.to_be_bytes());
            bytes.extend(count.to_be_bytes());
            bytes.extend(value);
            bytes.extend(behind);
            assert_eq!(exif_orientation(&jpeg(&bytes)), expected, "{name}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_upright() {
        let cases: [(&str, Vec<u8>); 8] = [
            ("nothing", vec![]),
            ("no JPEG", b"\x89PNG\r\n\x1a\n".to_vec()),
            ("no Exif", vec![0xff, 0xd8, 0xff, SOS, 0, 2]),
            ("no such field", jpeg(&tiff(true, &[(0x010f, SHORT, 6)]))),
            ("another type", jpeg(&tiff(true, &[(ORIENTATION, 1, 6)]))),
            ("no orientation", jpeg(&tiff(true, &[(ORIENTATION, SHORT, 9)]))),
            ("no TIFF", jpeg(b"XX\0\x2a\0\0\0\x08\0\0")),
            ("a directory elsewhere", jpeg(b"MM\0\x2a\xff\xff\xff\xff\0\0")),
        ];
        for (name, bytes) in cases {
            assert_eq!(exif_orientation(&bytes), 1, "{name}");
        }
        // Cut anywhere, it is found or not, and nothing else happens.
        let whole = jpeg(&tiff(false, &[(ORIENTATION, SHORT, 6)]));
        for end in 0..whole.len() {
            assert!([1, 6].contains(&exif_orientation(&whole[..end])));
        }
    }
}
