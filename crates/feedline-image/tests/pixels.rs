//! Pixels of the formats that are decoded whole, and JPEGs of pixels with everything that can be asked of them.
#![allow(clippy::unwrap_used, reason = "test code")]

use feedline_image::{
    ImageError, ImageErrorKind, JpegChannels, JpegDecoder, JpegDensity, JpegOptions, Samples, decode_bmp,
    decode_gif, decode_png, decode_webp, encode_jpeg, encode_png,
};

/// Of `webps/make.py`.
#[test]
fn all_frames_of_a_webp_that_moves_or_as_many_as_wanted() {
    let bytes = include_bytes!("webps/moving.webp");
    let golden = include_str!("webps/golden.txt").lines().last().unwrap();
    let image = decode_webp(bytes, 3, usize::MAX).unwrap();
    let Samples::Bytes(data) = &image.samples else { panic!("bytes") };
    let shape = [image.frames, image.height, image.width, image.channels].map(|side| side.to_string());
    let (expected_shape, expected) = golden.rsplit_once(' ').unwrap();
    assert_eq!(shape.join(" "), expected_shape);
    let expected: Vec<u8> =
        (0..data.len()).map(|at| u8::from_str_radix(&expected[2 * at..2 * at + 2], 16).unwrap()).collect();
    let frame = data.len() / image.frames;
    assert_eq!(data[..frame], expected[..frame]);
    // The library that lays frames over each other is a level off.
    assert!(data.iter().zip(&expected).all(|(found, expected)| found.abs_diff(*expected) <= 1));
    let first = decode_webp(bytes, 3, 1).unwrap();
    assert_eq!(first.frames, 1);
    assert!(matches!(&first.samples, Samples::Bytes(bytes) if data.starts_with(bytes)));
}

/// Of `pngs/make.py`: TensorFlow's answers.
#[test]
fn gray_of_a_png_is_by_the_gamma_that_it_says() {
    let from_hex = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
    };
    let mut wrong = Vec::new();
    for line in include_str!("pngs/gray.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let (name, bits) = (fields[0], fields[2]);
        let samples = match decode_png(&from_hex(fields[1]), 1, bits == "16").unwrap().samples {
            Samples::Bytes(bytes) => bytes,
            Samples::Words(words) => words.iter().flat_map(|word| word.to_be_bytes()).collect(),
        };
        if samples != from_hex(fields[3]) {
            wrong.push(format!("{name} as {bits} bits"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A GIF of one pixel.
fn gif() -> Vec<u8> {
    let head = *b"GIF89a\x01\0\x01\0\x80\0\0\x01\x02\x03\x04\x05\x06";
    let frame = *b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    [&head[..], &frame[..]].concat()
}

type Decode = fn(&[u8]) -> Result<(), ImageError>;

/// The files are `pngs/make.py`'s; which of them are images is what libpng says.
#[test]
fn a_palette_has_three_bytes_a_colour_and_256_colours_at_most() {
    let two: &[u8] = include_bytes!("pngs/palette-of-2-colours.png");
    let all: &[u8] = include_bytes!("pngs/palette-of-256-colours.png");
    for bytes in [two, all] {
        let Samples::Bytes(data) = decode_png(bytes, 0, false).unwrap().samples else { panic!("bytes") };
        assert_eq!(data, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
    }
    let part: &[u8] = include_bytes!("pngs/palette-of-a-third-colour.png");
    let many: &[u8] = include_bytes!("pngs/palette-of-257-colours.png");
    for (bytes, found) in [(part, "a palette of 4 bytes"), (many, "a palette of 771 bytes")] {
        for (channels, is_wide) in [(0, false), (1, false), (3, true), (4, true)] {
            let error = decode_png(bytes, channels, is_wide).unwrap_err();
            assert_eq!(error.kind(), ImageErrorKind::Corrupt);
            // The library finds some of them itself, by the length of the chunk.
            let message = error.to_string();
            assert!(message.contains(found) || message.contains("PLTE"), "{message}");
        }
    }
}

#[test]
fn errors_of_libraries_have_a_place_that_is_true_or_none() {
    let jpeg =
        |name: &str| std::fs::read(format!("{}/tests/jpegs/{name}.jpg", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let png = encode_png(&[9; 40 * 40 * 3], false, 40, 40, 3, None).unwrap();
    let webp = include_bytes!("webps/moving.webp").to_vec();
    let decode_jpeg: Decode = |bytes| JpegDecoder::new().decode(bytes, JpegChannels::AsStored).map(|_| ());
    let formats: [(&str, Vec<u8>, Decode); 6] = [
        ("PNG", png, |bytes| decode_png(bytes, 0, false).map(|_| ())),
        ("GIF", gif(), |bytes| decode_gif(bytes, usize::MAX).map(|_| ())),
        ("BMP", bmp(24), |bytes| decode_bmp(bytes, 0).map(|_| ())),
        ("WebP", webp, |bytes| decode_webp(bytes, 0, usize::MAX).map(|_| ())),
        ("progressive JPEG", jpeg("420-progressive"), decode_jpeg),
        ("CMYK", jpeg("cmyk"), decode_jpeg),
    ];
    for (name, bytes, decode) in formats {
        decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut num_errors = 0;
        // Behind the first bytes, which say the format: what is wrong is not there.
        for at in (20..bytes.len()).step_by(bytes.len().div_ceil(40)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x5a;
            for wrong in [&damaged[..], &bytes[..at]] {
                if let Err(error) = decode(wrong) {
                    num_errors += 1;
                    let is_true = error.offset().is_none_or(|offset| offset > 0 && offset <= wrong.len());
                    assert!(is_true, "{name} at {at} of {}: {error}", bytes.len());
                    assert!(!error.to_string().contains("byte 0"), "{name} at {at}: {error}");
                }
            }
        }
        assert!(num_errors > 3, "{name}: {num_errors}");
    }
}

/// A BMP of two pixels in a row, of 8, 24 or 32 bits.
fn bmp(bits: u8) -> Vec<u8> {
    let rows: &[u8] = match bits {
        8 => &[10, 200, 0, 0],
        24 => &[3, 2, 1, 6, 5, 4, 0, 0],
        _ => &[3, 2, 1, 77, 6, 5, 4, 88],
    };
    let mut bytes = b"BM".to_vec();
    let numbers: [u32; 6] = [54 + rows.len() as u32, 0, 54, 40, 2, 1];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend([1, 0, bits, 0]);
    bytes.extend([0; 24]);
    bytes.extend(rows);
    bytes
}

#[test]
fn channels_of_a_bmp_are_added_and_left_out() {
    let decoded = |bits, channels| match decode_bmp(&bmp(bits), channels).unwrap().samples {
        Samples::Bytes(bytes) => bytes,
        Samples::Words(_) => panic!("bytes"),
    };
    assert_eq!(decoded(8, 0), [10, 200]);
    assert_eq!(decoded(8, 1), [10, 200]);
    assert_eq!(decoded(8, 3), [10, 10, 10, 200, 200, 200]);
    assert_eq!(decoded(8, 4), [10, 10, 10, 255, 200, 200, 200, 255]);
    assert_eq!(decoded(24, 0), [1, 2, 3, 4, 5, 6]);
    assert_eq!(decoded(24, 4), [1, 2, 3, 255, 4, 5, 6, 255]);
    assert_eq!(decoded(32, 0), [1, 2, 3, 77, 4, 5, 6, 88]);
    assert_eq!(decoded(32, 3), [1, 2, 3, 4, 5, 6]);
    for bits in [24, 32] {
        let error = decode_bmp(&bmp(bits), 1).expect_err("it is in colours");
        assert!(
            error.to_string().contains("1 was asked for\nhint: decode it with 0, 3 or 4 channels"),
            "{error}"
        );
    }
}

#[test]
fn numbers_of_colours_are_no_gray() {
    let with_palette = |colour: fn(u8) -> [u8; 4]| {
        let (mut bytes, palette) = (bmp(8), (0..=255).flat_map(colour));
        bytes.splice(54..54, palette);
        bytes[10..14].copy_from_slice(&(54_u32 + 1024).to_le_bytes());
        bytes
    };
    let (gray, coloured) =
        (with_palette(|level| [level, level, level, 0]), with_palette(|level| [level, 255 - level, 9, 0]));
    let samples = |bytes: &[u8], channels| decode_bmp(bytes, channels).map(|image| image.samples);
    assert_eq!(samples(&gray, 1).unwrap(), Samples::Bytes(vec![10, 200]));
    // TensorFlow's answers.
    assert_eq!(samples(&coloured, 0).unwrap(), Samples::Bytes(vec![10, 200]));
    assert_eq!(samples(&coloured, 3).unwrap(), Samples::Bytes(vec![10, 10, 10, 200, 200, 200]));
    let error = samples(&coloured, 1).unwrap_err();
    assert_eq!(error.kind(), ImageErrorKind::Argument);
    assert!(error.to_string().contains("numbers of colours in a palette"), "{error}");
}

#[test]
fn however_a_jpeg_is_written_its_pixels_are_the_same() {
    let pixels: Vec<u8> = (0..24 * 24 * 3).map(|place| (place * 7 % 251) as u8).collect();
    let plain = JpegOptions::of_quality(90);
    let written = |options: JpegOptions<'_>| encode_jpeg(&pixels, 24, 24, 3, &options).unwrap();
    let decoded = |bytes: &[u8]| JpegDecoder::new().decode(bytes, JpegChannels::Rgb).unwrap().data;
    let usual = written(plain);
    let progressive = written(JpegOptions { is_progressive: true, ..plain });
    let optimized = written(JpegOptions { optimizes_size: true, ..plain });
    assert!(optimized.len() < usual.len());
    assert!(progressive.windows(2).any(|pair| pair == [0xff, 0xc2]));
    let density = JpegDensity { is_metric: true, x: 72, y: 65535 };
    let with_density = written(JpegOptions { density, ..plain });
    assert_eq!(with_density[6..18], *b"JFIF\0\x01\x01\x02\0\x48\xff\xff");
    let named = written(JpegOptions { xmp: b"<x:xmpmeta/>", ..plain });
    assert!(named.windows(12).any(|window| window == b"<x:xmpmeta/>"));
    for bytes in [progressive, optimized, with_density, named] {
        assert_eq!(decoded(&bytes), decoded(&usual));
    }
    // More than a segment holds.
    let too_much = vec![b'x'; 65_505];
    let error = encode_jpeg(&pixels, 24, 24, 3, &JpegOptions { xmp: &too_much, ..plain });
    assert!(error.unwrap_err().to_string().contains("cannot be written"));
}
