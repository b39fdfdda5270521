//! Decoded JPEGs against what libjpeg-turbo makes of them: whole, in part, and damaged.
#![allow(clippy::unwrap_used, reason = "test code")]

use crc_fast::{CrcAlgorithm, checksum};
use feedline_image::{ImageErrorKind, JpegChannels, JpegDecoder, Region, is_crop_ready, with_restarts};
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/jpegs");

fn jpeg(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(FOLDER).join(format!("{name}.jpg"))).unwrap()
}

#[derive(Clone)]
struct Golden {
    name: String,
    channels: JpegChannels,
    shape: [usize; 3],
    crc: u64,
}

/// The lines of `golden.txt`, which `make.py` wrote.
fn golden() -> Vec<Golden> {
    let text = std::fs::read_to_string(Path::new(FOLDER).join("golden.txt")).unwrap();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |index: usize| words[index].parse::<usize>().unwrap();
            Golden {
                name: words[0].to_owned(),
                channels: JpegChannels::from_number(number(1) as u64).unwrap(),
                shape: [number(2), number(3), number(4)],
                crc: u64::from_str_radix(words[5], 16).unwrap(),
            }
        })
        .collect()
}

#[test]
fn whole_images_equal_libjpeg_turbo() {
    let mut decoder = JpegDecoder::new();
    for Golden { name, channels, shape, crc } in golden() {
        let pixels = decoder.decode(&jpeg(&name), channels).unwrap();
        let found = [pixels.height as usize, pixels.width as usize, usize::from(pixels.channels)];
        assert_eq!(found, shape, "{name}");
        assert_eq!(checksum(CrcAlgorithm::Crc32IsoHdlc, &pixels.data), crc, "{name} {channels:?}");
    }
}

/// The lines of `scaled.txt`, which `make_scaled.py` wrote.
#[test]
fn images_at_a_part_of_their_size_equal_libjpeg_turbo() {
    let text = std::fs::read_to_string(Path::new(FOLDER).join("scaled.txt")).unwrap();
    let mut decoder = JpegDecoder::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let ratio = words[1].parse().unwrap();
        let pixels = decoder.decode_scaled(&jpeg(words[0]), ratio, JpegChannels::AsStored).unwrap();
        let crc = checksum(CrcAlgorithm::Crc32IsoHdlc, &pixels.data);
        let found = format!("{} {} {} {crc:08x}", pixels.height, pixels.width, pixels.channels);
        assert_eq!(found, words[2..].join(" "), "{line}");
    }
}

#[test]
fn regions_equal_the_whole_cropped() {
    let mut decoder = JpegDecoder::new();
    let ratios = [1_u32, 2, 4, 8];
    for (Golden { name, channels, shape: [height, width, depth], .. }, ratio) in
        golden().into_iter().flat_map(|golden| ratios.map(|ratio| (golden.clone(), ratio)))
    {
        let bytes = jpeg(&name);
        let whole = decoder.decode_scaled(&bytes, ratio, channels).unwrap();
        let (height, width) = (height.div_ceil(ratio as usize), width.div_ceil(ratio as usize));
        let spans = |len: usize| {
            let mut spans =
                vec![(0, len), (0, 1), (len - 1, 1), (len / 2, len - len / 2), (len / 3, len.div_ceil(3))];
            spans.extend(
                [(7, 2), (8, 8), (15, 17), (16, 1), (31, 3)].iter().filter(|span| span.0 + span.1 <= len),
            );
            spans
        };
        for (y, rows) in spans(height) {
            for (x, columns) in spans(width) {
                let region = Region { x: x as u32, y: y as u32, width: columns as u32, height: rows as u32 };
                let info = decoder.info(&bytes).unwrap();
                let mut part = vec![0; rows * columns * depth];
                decoder.decode_scaled_region_into(&bytes, &info, ratio, region, channels, &mut part).unwrap();
                let cropped: Vec<u8> = (y..y + rows)
                    .flat_map(|row| &whole.data[(row * width + x) * depth..][..columns * depth])
                    .copied()
                    .collect();
                assert!(part == cropped, "{name} {channels:?} 1/{ratio} {region:?}");
                if ratio == 1 {
                    assert!(decoder.decode_region(&bytes, region, channels).unwrap().data == cropped);
                }
            }
        }
    }
}

#[test]
fn wrong_calls_and_images_are_named() {
    let mut decoder = JpegDecoder::new();
    let bytes = jpeg("420-67x45");
    let beyond = Region { x: 60, y: 0, width: 8, height: 1 };
    let error = decoder.decode_region(&bytes, beyond, JpegChannels::Rgb).unwrap_err();
    assert_eq!(error.kind(), ImageErrorKind::Argument);
    assert!(error.to_string().contains("8 x 1 at column 60, row 0, expected one within 67 x 45"), "{error}");

    let error = decoder.decode(&jpeg("cmyk"), JpegChannels::Gray).unwrap_err();
    assert_eq!(error.kind(), ImageErrorKind::Unsupported, "{error}");

    let error = decoder.decode(b"GIF89a\x11\0\x09\0\0\0\0", JpegChannels::Rgb).unwrap_err();
    assert!(error.to_string().contains("found GIF, expected JPEG"), "{error}");

    let mut small = JpegDecoder::new().with_max_pixels(67 * 45 - 1);
    let error = small.decode(&bytes, JpegChannels::Rgb).unwrap_err();
    assert_eq!(error.kind(), ImageErrorKind::TooManyPixels, "{error}");
}

#[test]
fn damage_below_a_region_is_no_error() {
    let mut decoder = JpegDecoder::new();
    let top = Region { x: 5, y: 2, width: 50, height: 9 };
    for name in ["444-67x45", "422-restart-3", "420-67x45", "gray"] {
        let bytes = jpeg(name);
        let expected = decoder.decode_region(&bytes, top, JpegChannels::AsStored).unwrap();
        let cut = &bytes[..bytes.len() - bytes.len() / 10];
        assert_eq!(decoder.decode_region(cut, top, JpegChannels::AsStored).unwrap(), expected, "{name}");
    }
}

#[test]
fn no_damage_panics() {
    let mut decoder = JpegDecoder::new();
    for name in ["444-restart-row", "420-67x45", "422-progressive", "gray", "cmyk"] {
        let bytes = jpeg(name);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            _ = decoder.decode(&damaged, JpegChannels::AsStored);
            _ = decoder.decode(&bytes[..at], JpegChannels::AsStored);
        }
    }
}

#[test]
fn with_restarts_an_image_stays_the_same_and_rows_can_be_jumped_to() {
    let mut num_written = 0;
    for Golden { name, .. } in golden() {
        let bytes = jpeg(&name);
        let mut decoder = JpegDecoder::new();
        let written = match with_restarts(&bytes) {
            Ok(written) => written,
            Err(error) => {
                assert!(["arith", "lossless"].iter().any(|kind| name.contains(kind)), "{name}: {error}");
                continue;
            }
        };
        num_written += 1;
        let info = decoder.info(&written).unwrap();
        assert_eq!(info, decoder.info(&bytes).unwrap(), "{name}");
        assert!(is_crop_ready(&written), "{name}");
        // The markers of restarts, as many as there are rows of MCUs (of 8 or 16 pixels) but one.
        let restarts =
            written.windows(2).filter(|pair| pair[0] == 0xff && (0xd0..=0xd7).contains(&pair[1])).count();
        let rows = [8, 16].map(|height| info.height.div_ceil(height) as usize - 1);
        assert!(rows.contains(&restarts), "{name}: {restarts} restarts, rows {rows:?}");
        let whole = decoder.decode(&bytes, JpegChannels::Rgb);
        assert_eq!(decoder.decode(&written, JpegChannels::Rgb), whole, "{name}");
        // Once more changes nothing.
        assert_eq!(with_restarts(&written).unwrap(), written, "{name}");
    }
    assert!(num_written > 10);
    assert!(
        !is_crop_ready(&jpeg("420-67x45"))
            && !is_crop_ready(&jpeg("420-progressive"))
            && !is_crop_ready(b"x")
    );
}

#[test]
fn what_cannot_be_written_again_is_an_error() {
    let whole = jpeg(&golden()[0].name);
    assert!(with_restarts(&whole[..whole.len() / 2]).is_err());
    assert!(with_restarts(b"no image").is_err());
    // Damaged bits: never a panic, and never other pixels.
    let mut decoder = JpegDecoder::new();
    for place in (whole.len() / 3..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x55;
        if let Ok(written) = with_restarts(&damaged) {
            assert_eq!(
                decoder.decode(&written, JpegChannels::Rgb),
                decoder.decode(&damaged, JpegChannels::Rgb)
            );
        }
    }
}

/// A JPEG with its frame header changed by `change`, which gets the body of the header.
fn with_frame(name: &str, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = jpeg(name);
    let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    let len = usize::from(u16::from_be_bytes([bytes[frame + 2], bytes[frame + 3]]));
    change(&mut bytes[frame + 4..frame + 2 + len]);
    bytes
}

#[test]
fn what_neither_decoder_takes_is_refused_by_name() {
    // A frame header is precision, height, width, number of components; and of each its id, its sampling, its table.
    let cases = [
        ("12 bits", with_frame("444-17x33", |frame| frame[0] = 12), 0, "8-bit"),
        ("gray of CMYK", jpeg("cmyk"), 1, "gray from CMYK cannot be decoded"),
        (
            "damaged CMYK of other sizes",
            {
                let bytes = jpeg("cmyk-420");
                [&bytes[..bytes.len() - 300], &[0xff, 0xd9]].concat()
            },
            0,
            "CMYK with components of different sizes that is damaged",
        ),
        (
            "finer colours",
            with_frame("444-17x33", |frame| frame[10] = 0x22),
            0,
            "a component stored finer than the first",
        ),
    ];
    let mut decoder = JpegDecoder::new();
    for (name, bytes, channels, expected) in cases {
        let channels = JpegChannels::from_number(channels).unwrap();
        let error = decoder.decode(&bytes, channels).expect_err(name);
        assert!(error.to_string().contains(expected), "{name}: {error}");
        assert_eq!(error.kind(), ImageErrorKind::Unsupported, "{name}");
        assert!(error.hint().is_some(), "{name}");
    }
    // Another frame header behind the first, of another size: memory was taken for the first.
    let mut bytes = jpeg("444-17x33");
    let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    let mut second = bytes[frame..frame + 19].to_vec();
    second[5] += 1;
    bytes.splice(frame + 19..frame + 19, second);
    assert!(decoder.decode(&bytes, JpegChannels::AsStored).is_err());
}

#[test]
fn scans_of_a_part_of_the_components_are_cut_and_damaged_without_panic() {
    let mut decoder = JpegDecoder::new();
    for name in [
        "420-scans",
        "420-scans-mixed",
        "444-scans-mixed",
        "cmyk-420",
        "ycck-422",
        "cmyk-422-progressive",
        "cmyk-420-progressive-restart",
    ] {
        let bytes = jpeg(name);
        for len in (0..bytes.len()).step_by(7) {
            decoder.decode(&bytes[..len], JpegChannels::AsStored).expect_err("it is cut short");
        }
        for at in (2..bytes.len()).step_by(5) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            // Anything may come of it but a panic.
            let _ = decoder.decode(&damaged, JpegChannels::AsStored);
        }
    }
}
