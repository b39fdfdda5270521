//! Small images made here byte by byte: what is said of them, and of what is left of them after damage.
#![allow(clippy::unwrap_used, reason = "test code")]

use feedline_image::{ImageError, ImageErrorKind, ImageFormat, check_complete, probe, probe_with_limit};
use proptest::prelude::*;

fn concat(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

fn segment(code: u8, body: &[u8]) -> Vec<u8> {
    concat(&[&[0xff, code], &(body.len() as u16 + 2).to_be_bytes(), body])
}

/// A JPEG of 17 × 9 with the given kind of frame and number of channels; the scans hold stuffed bytes and restarts.
fn jpeg(frame: u8, channels: u8, num_scans: usize) -> Vec<u8> {
    let mut sof = vec![8, 0, 9, 0, 17, channels];
    sof.extend((0..channels).flat_map(|channel| [channel + 1, 0x11, 0]));
    // A preview in the metadata, with a size and an end of its own, which must not be taken for the image's.
    let preview =
        concat(&[b"Exif\0\0", &[0xff, 0xd8], &segment(0xc0, &[8, 0, 1, 0, 1, 1, 1, 0x11, 0]), &[0xff, 0xd9]]);
    let mut bytes = concat(&[
        &[0xff, 0xd8],
        &segment(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
        &segment(0xe1, &preview),
        &segment(0xdb, &[1; 65]),
        &[0xff, 0xff], // fill bytes before a marker
        &segment(frame, &sof),
    ]);
    for _ in 0..num_scans {
        bytes.extend(segment(0xc4, &[0; 20]));
        bytes.extend(segment(0xda, &[1, 1, 0, 0, 63, 0]));
        bytes.extend([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xff, 0xd7, 0x78]);
    }
    bytes.extend([0xff, 0xd9]);
    bytes
}

/// CRC-32 bit by bit: the definition, to hold against the library's.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let covered = concat(&[&name, data]);
    concat(&[&(data.len() as u32).to_be_bytes(), &covered, &crc(&covered).to_be_bytes()])
}

fn png_with(width: u32, height: u32, bits: u8, colour: u8) -> Vec<u8> {
    let ihdr = concat(&[&width.to_be_bytes(), &height.to_be_bytes(), &[bits, colour, 0, 0, 0]]);
    concat(&[
        b"\x89PNG\r\n\x1a\n",
        &chunk(*b"IHDR", &ihdr),
        &chunk(*b"IDAT", &[1, 2, 3, 4, 5]),
        &chunk(*b"IDAT", &[]),
        &chunk(*b"tEXt", b"Comment\0x"),
        &chunk(*b"IEND", &[]),
    ])
}

fn gif() -> Vec<u8> {
    concat(&[
        b"GIF89a",
        &[17, 0, 9, 0, 0x80, 0, 0],
        &[0; 6],
        b"!\xfe\x03abc\0", // a comment
        b",",
        &[0, 0, 0, 0, 17, 0, 9, 0, 0x81],
        &[0; 12],
        &[2, 3, b';', b';', b';', 1, 7, 0],
        &[0],
        b";",
    ])
}

fn bmp(bits: u16, declared: Option<u32>, height: i32) -> Vec<u8> {
    let row = (17 * usize::from(bits)).div_ceil(32) * 4;
    let len = 54 + row * height.unsigned_abs() as usize;
    concat(&[
        b"BM",
        &declared.unwrap_or(len as u32).to_le_bytes(),
        &[0; 4],
        &54_u32.to_le_bytes(),
        &40_u32.to_le_bytes(),
        &17_i32.to_le_bytes(),
        &height.to_le_bytes(),
        &1_u16.to_le_bytes(),
        &bits.to_le_bytes(),
        &[0; 24],
        &vec![0xaa; len - 54],
    ])
}

/// OS/2's short header, with 16-bit sizes.
fn bmp_core() -> Vec<u8> {
    let len: u32 = 26 + 9 * 52;
    concat(&[
        b"BM",
        &len.to_le_bytes(),
        &[0; 4],
        &26_u32.to_le_bytes(),
        &12_u32.to_le_bytes(),
        &[17, 0, 9, 0, 1, 0, 24, 0],
        &[0; 9 * 52],
    ])
}

fn webp(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (name, data) in chunks {
        body.extend(concat(&[*name, &(data.len() as u32).to_le_bytes(), data, &[0][..data.len() % 2]]));
    }
    concat(&[b"RIFF", &(body.len() as u32).to_le_bytes(), &body])
}

const VP8: &[u8] = &[0x10, 0, 0, 0x9d, 0x01, 0x2a, 17, 0x40, 9, 0, 5, 6, 7];
const VP8X: &[u8] = &[0x10, 0, 0, 0, 16, 0, 0, 8, 0, 0];

fn vp8l(alpha: u32) -> Vec<u8> {
    let bits: u32 = 16 | (8 << 14) | (alpha << 28);
    concat(&[&[0x2f], &bits.to_le_bytes(), &[1, 2, 3]])
}

/// Images of 17 × 9 with their format and channels.
fn valid() -> Vec<(&'static str, Vec<u8>, ImageFormat, Option<u8>)> {
    use ImageFormat::{Bmp, Gif, Jpeg, Png, WebP};
    vec![
        ("baseline JPEG", jpeg(0xc0, 3, 1), Jpeg, Some(3)),
        ("gray JPEG", jpeg(0xc1, 1, 1), Jpeg, Some(1)),
        ("progressive CMYK JPEG", jpeg(0xc2, 4, 5), Jpeg, Some(4)),
        ("RGB PNG", png_with(17, 9, 8, 2), Png, Some(3)),
        ("16-bit gray alpha PNG", png_with(17, 9, 16, 4), Png, Some(2)),
        ("palette PNG", png_with(17, 9, 4, 3), Png, None),
        ("RGBA PNG", png_with(17, 9, 8, 6), Png, Some(4)),
        ("gray PNG", png_with(17, 9, 1, 0), Png, Some(1)),
        ("GIF", gif(), Gif, None),
        ("RGB BMP", bmp(24, None, 9), Bmp, Some(3)),
        ("top-down RGBA BMP", bmp(32, None, -9), Bmp, Some(4)),
        ("palette BMP without a declared size", bmp(8, Some(0), 9), Bmp, None),
        ("OS/2 BMP", bmp_core(), Bmp, Some(3)),
        ("lossy WebP", webp(&[(b"VP8 ", VP8)]), WebP, Some(3)),
        ("lossless WebP", webp(&[(b"VP8L", &vp8l(0))]), WebP, Some(3)),
        ("lossless WebP with alpha", webp(&[(b"VP8L", &vp8l(1))]), WebP, Some(4)),
        ("extended WebP", webp(&[(b"VP8X", VP8X), (b"ALPH", &[1]), (b"VP8 ", VP8)]), WebP, Some(4)),
    ]
}

fn check(bytes: &[u8]) -> Result<(), ImageError> {
    check_complete(bytes, &probe(bytes)?)
}

#[test]
fn headers_are_read() {
    for (name, bytes, format, channels) in valid() {
        let info = probe(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((info.format, info.channels), (format, channels), "{name}");
        assert_eq!((info.width, info.height), (17, 9), "{name}");
        check_complete(&bytes, &info).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn bytes_after_the_end_are_allowed() {
    for (name, mut bytes, ..) in valid() {
        bytes.extend(b"\xff\xd8 and a preview");
        check(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn every_cut_is_found() {
    for (name, bytes, ..) in valid() {
        for len in 0..bytes.len() {
            let error = check(&bytes[..len]).expect_err(&format!("{name} cut to {len} bytes"));
            assert_eq!(error.kind(), ImageErrorKind::Truncated, "{name} cut to {len} bytes: {error}");
            assert!(error.offset().is_none_or(|offset| offset <= len), "{name}: {error}");
            assert!(error.hint().unwrap().contains("cut short"));
        }
    }
}

#[test]
fn a_cut_scan_is_counted() {
    let bytes = jpeg(0xc2, 3, 5);
    for missing in 1..=10 {
        let error = check(&bytes[..bytes.len() - missing]).unwrap_err();
        assert!(error.to_string().contains("the data ends within scan 5, which began at byte "), "{error}");
    }
}

#[test]
fn every_changed_bit_of_a_png_is_found() {
    let bytes = png_with(17, 9, 8, 2);
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(check(&damaged).is_err(), "bit {bit}");
    }
}

#[test]
fn a_damaged_header_of_a_png_is_damage_and_no_size() {
    for byte in 16..33 {
        let mut png = png_with(17, 9, 8, 2);
        png[byte] ^= 0x40;
        let error = probe(&png).unwrap_err();
        assert_eq!(error.kind(), ImageErrorKind::Corrupt, "byte {byte}: {error}");
        assert!(error.to_string().starts_with("PNG, byte 8: the IHDR chunk has checksum 0x"), "{error}");
    }
}

#[test]
fn damage_is_described() {
    let jpeg = jpeg(0xc0, 3, 1);
    let size_at = jpeg.windows(4).position(|window| window == [0, 9, 0, 17]).unwrap();
    let flat_jpeg = edit(jpeg, size_at, &[0, 0]);
    let png = png_with(17, 9, 8, 2);
    let no_scan = concat(&[&[0xff, 0xd8], &segment(0xc0, &[8, 0, 9, 0, 17, 1, 1, 0x11, 0]), &[0xff, 0xd9]]);
    let scan_first = concat(&[&[0xff, 0xd8], &segment(0xda, &[1, 1, 0, 0, 63, 0]), &[0xff, 0xd9]]);
    let no_idat = concat(&[&png[..33], &chunk(*b"IEND", &[])]);
    let cases: [(&str, Vec<u8>, ImageErrorKind, &str); 17] = [
        (
            "SOF",
            concat(&[&[0xff, 0xd8], &segment(0xc0, &[8, 0, 9])]),
            ImageErrorKind::Corrupt,
            "JPEG, byte 2: the frame header has 3 bytes, expected at least 6",
        ),
        (
            "SOF channels",
            concat(&[&[0xff, 0xd8], &segment(0xc0, &[8, 0, 9, 0, 9, 3, 1])]),
            ImageErrorKind::Corrupt,
            "3 channels and 1 bytes for them",
        ),
        (
            "segment length",
            vec![0xff, 0xd8, 0xff, 0xe0, 0, 1],
            ImageErrorKind::Corrupt,
            "JPEG, byte 2: the segment of marker ff e0 has length 1",
        ),
        (
            "no SOF",
            vec![0xff, 0xd8, 0xff, 0xd9],
            ImageErrorKind::Corrupt,
            "byte 2: the image ends (EOI), expected a frame header",
        ),
        ("no scan", no_scan, ImageErrorKind::Corrupt, "byte 15: the image ends (EOI), expected a scan"),
        ("SOS first", scan_first, ImageErrorKind::Corrupt, "byte 2: a scan (SOS), expected a frame header"),
        ("JPEG height", flat_jpeg, ImageErrorKind::ZeroDimension, "17 x 0"),
        ("PNG width", png_with(0, 9, 8, 2), ImageErrorKind::ZeroDimension, "PNG, byte 16: the size is 0 x 9"),
        (
            "PNG bomb",
            png_with(1 << 20, 1 << 20, 8, 2),
            ImageErrorKind::TooManyPixels,
            "1048576 x 1048576, 1099511627776 pixels, expected at most 268435456",
        ),
        (
            "PNG colour",
            png_with(17, 9, 3, 2),
            ImageErrorKind::Corrupt,
            "PNG, byte 24: colour type 2 with 3 bits",
        ),
        (
            "PNG IHDR",
            edit(png.clone(), 12, b"IDAT"),
            ImageErrorKind::Corrupt,
            "PNG, byte 8: the first chunk is IDAT of 13 bytes, expected IHDR",
        ),
        (
            "PNG checksum",
            edit(png.clone(), 41, &[9]),
            ImageErrorKind::Corrupt,
            "PNG, byte 33: the IDAT chunk has checksum 0x",
        ),
        (
            "PNG chunk name",
            edit(png, 37, &[0]),
            ImageErrorKind::Corrupt,
            "PNG, byte 33: a chunk called \\x00DAT of 5 bytes",
        ),
        (
            "PNG without pixels",
            no_idat,
            ImageErrorKind::Corrupt,
            "PNG, byte 33: the image ends (IEND), expected pixels",
        ),
        ("GIF block", edit(gif(), 19, b"x"), ImageErrorKind::Corrupt, "GIF, byte 19: a block of kind 78"),
        (
            "BMP bits",
            edit(bmp(24, None, 9), 28, &[7]),
            ImageErrorKind::Corrupt,
            "BMP, byte 28: 7 bits per pixel",
        ),
        (
            "WebP key frame",
            edit(webp(&[(b"VP8 ", VP8)]), 23, &[0]),
            ImageErrorKind::Corrupt,
            "WebP, byte 20: the frame begins 00 01 2a",
        ),
    ];
    assert_described(cases);
}

#[test]
fn damaged_bmp_headers_are_described() {
    assert_described([
        (
            "BMP header",
            edit(bmp(24, None, 9), 14, &[41]),
            ImageErrorKind::Corrupt,
            "BMP, byte 14: the image header has 41 bytes, expected 12, 16, 40, 52, 56, 64, 108 or 124\nhint: ",
        ),
        (
            "BMP pixels",
            edit(bmp(24, None, 9), 10, &[3]),
            ImageErrorKind::Corrupt,
            "BMP, byte 10: the pixels begin at byte 3, which is in the headers or their colours: these end at byte 54\nhint: ",
        ),
        (
            "BMP pixels in the image header",
            edit(bmp(24, None, 9), 10, &[53]),
            ImageErrorKind::Corrupt,
            "BMP, byte 10: the pixels begin at byte 53, which is in the headers",
        ),
        (
            "BMP pixels in the palette",
            edit(bmp(8, None, 9), 46, &[4]),
            ImageErrorKind::Corrupt,
            "BMP, byte 10: the pixels begin at byte 54, which is in the headers or their colours: these end at byte 70",
        ),
        (
            "BMP pixels in the masks",
            edit(bmp(32, None, 9), 30, &[3]),
            ImageErrorKind::Corrupt,
            "BMP, byte 10: the pixels begin at byte 54, which is in the headers or their colours: these end at byte 66",
        ),
        (
            "BMP that is text",
            b"BMW builds cars in Munich".to_vec(),
            ImageErrorKind::UnknownFormat,
            "found 42 4d 57",
        ),
    ]);
}

fn edit(mut bytes: Vec<u8>, at: usize, new: &[u8]) -> Vec<u8> {
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

fn assert_described<const N: usize>(cases: [(&str, Vec<u8>, ImageErrorKind, &str); N]) {
    for (name, bytes, kind, text) in cases {
        let error = check(&bytes).expect_err(name);
        assert_eq!(error.kind(), kind, "{name}: {error}");
        assert!(error.to_string().contains(text), "{name}: {error}");
        assert!(error.hint().is_some() || error.kind() != ImageErrorKind::Corrupt, "{name}: {error}");
    }
}

#[test]
fn the_pixel_limit_is_the_callers() {
    let bytes = gif();
    assert!(probe_with_limit(&bytes, 17 * 9).is_ok());
    assert_eq!(probe_with_limit(&bytes, 17 * 9 - 1).unwrap_err().kind(), ImageErrorKind::TooManyPixels);
}

#[test]
fn another_formats_info_is_an_error_and_no_panic() {
    for (_, bytes, format, _) in valid() {
        for (_, other, other_format, _) in valid() {
            if format != other_format {
                assert!(
                    check_complete(&bytes, &probe(&other).unwrap()).is_err(),
                    "{format} as {other_format}"
                );
            }
        }
    }
}

fn any_valid() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(valid().into_iter().map(|(_, bytes, ..)| bytes).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn damaged_images_never_panic(
        mut bytes in any_valid(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        removed in any::<(prop::sample::Index, u8)>(),
        len in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
        format_of in any_valid(),
    ) {
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let start = removed.0.index(bytes.len());
        let end = bytes.len().min(start + usize::from(removed.1 / 16));
        bytes.drain(start..end);
        if is_cut {
            bytes.truncate(len.index(bytes.len() + 1));
        }
        if let Ok(info) = probe_with_limit(&bytes, 1 << 20) {
            prop_assert!(info.width > 0 && info.height > 0);
            prop_assert!(u64::from(info.width) * u64::from(info.height) <= 1 << 20);
            let _ = check_complete(&bytes, &info);
        }
        let _ = check_complete(&bytes, &probe(&format_of).unwrap());
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = check(&bytes) {
            prop_assert!(error.offset().is_none_or(|offset| offset <= bytes.len()));
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
