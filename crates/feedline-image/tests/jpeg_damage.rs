//! Damaged JPEGs: what comes of them is what libjpeg-turbo makes of them, or an error, and does not depend on the part that is asked for.
#![allow(clippy::unwrap_used, reason = "test code")]

use crc_fast::{CrcAlgorithm, checksum};
use feedline_image::{ImageErrorKind, JpegChannels, JpegDecoder, Pixels, Region};
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/jpegs");

fn jpeg(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(FOLDER).join(format!("{name}.jpg"))).unwrap()
}

struct Damaged {
    line: String,
    bytes: Vec<u8>,
    /// The CRC-32 of libjpeg-turbo's pixels; `None` where it gives none.
    crc: Option<u64>,
}

/// The lines of `damaged.txt`, which `make_damaged.py` wrote.
fn damaged() -> Vec<Damaged> {
    let text = std::fs::read_to_string(Path::new(FOLDER).join("damaged.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let mut bytes = jpeg(words[0]);
            let (place, len): (usize, usize) = (words[1].parse().unwrap(), words[2].parse().unwrap());
            let hex = words[3].trim_start_matches('-');
            let instead =
                (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap());
            let end = bytes.len().min(place + len);
            bytes.splice(place..end, instead);
            Damaged { line: line.to_owned(), bytes, crc: u64::from_str_radix(words[4], 16).ok() }
        })
        .collect()
}

/// The places of `region` in an image.
fn cropped(whole: &Pixels, region: Region) -> Vec<u8> {
    let depth = usize::from(whole.channels);
    let row_len = whole.width as usize * depth;
    let rows = whole.data.chunks_exact(row_len).skip(region.y as usize).take(region.height as usize);
    rows.flat_map(|row| &row[region.x as usize * depth..][..region.width as usize * depth]).copied().collect()
}

fn regions(width: u32, height: u32) -> Vec<Region> {
    let spans = |len: u32| [(0, 2), (len / 2, 3), (len - 1, 1)];
    let of = |(y, height)| spans(width).map(|(x, width)| Region { x, y, width, height });
    spans(height).into_iter().flat_map(of).collect()
}

#[test]
fn damage_gives_the_pixels_of_libjpeg_turbo_or_an_error_and_the_same_in_every_region() {
    let mut decoder = JpegDecoder::new();
    let (mut num_equal, mut num_refused) = (0, 0);
    let mut wrong = Vec::new();
    for Damaged { line, bytes, crc } in damaged() {
        let info = decoder.info(&bytes).unwrap();
        let whole = decoder.decode(&bytes, JpegChannels::AsStored);
        match (&whole, crc) {
            (Ok(pixels), Some(crc)) => {
                if checksum(CrcAlgorithm::Crc32IsoHdlc, &pixels.data) == crc {
                    num_equal += 1;
                } else {
                    wrong.push(line.clone());
                }
            }
            (Err(_), Some(_)) => num_refused += 1,
            _ => {}
        }
        for region in regions(info.width, info.height) {
            let part = decoder.decode_region(&bytes, region, JpegChannels::AsStored);
            match (&part, &whole) {
                (Ok(part), Ok(whole)) if part.data == cropped(whole, region) => {}
                (_, Ok(_)) => wrong.push(format!("{line} {region:?} {}", part.is_ok())),
                // Damage below the region.
                (_, Err(_)) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(num_equal > 350, "{num_equal} of them, {num_refused} refused");
}

#[test]
fn a_restart_out_of_order_is_an_error_from_there_on() {
    let mut decoder = JpegDecoder::new();
    for name in ["422-restart-3", "420-restart-row", "gray-restart"] {
        let sound = jpeg(name);
        let pixels = decoder.decode(&sound, JpegChannels::AsStored).unwrap();
        let scan = sound.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap() + 8;
        let mut num_taken = 0;
        for place in scan..sound.len() - 2 {
            if sound[place] != 0xff || !(0xd0..=0xd7).contains(&sound[place + 1]) {
                continue;
            }
            let mut bytes = sound.clone();
            bytes[place + 1] = 0xd0 + (bytes[place + 1] + 2) % 8;
            let error = decoder.decode(&bytes, JpegChannels::AsStored).unwrap_err();
            assert_eq!(error.kind(), ImageErrorKind::Corrupt, "{name} {place}");
            assert!(error.to_string().contains("which is not the next one"), "{name} {place}: {error}");
            assert_eq!(error.offset(), Some(place), "{name}");
            for region in regions(pixels.width, pixels.height) {
                if let Ok(part) = decoder.decode_region(&bytes, region, JpegChannels::AsStored) {
                    assert!(part.data == cropped(&pixels, region), "{name} {place} {region:?}");
                    num_taken += 1;
                }
            }
        }
        assert!(num_taken > 3, "{name}: damage below a region is no error");
    }
}

#[test]
fn a_progressive_image_without_its_last_scans_is_cut_short() {
    let mut decoder = JpegDecoder::new();
    for name in ["420-progressive", "gray-progressive"] {
        let bytes = jpeg(name);
        let scans = bytes.windows(2).enumerate().filter(|(_, pair)| *pair == [0xff, 0xda]).map(|(at, _)| at);
        for scan in scans.skip(1) {
            let cut = [&bytes[..scan], &[0xff, 0xd9]].concat();
            let error = decoder.decode(&cut, JpegChannels::AsStored).unwrap_err();
            assert_eq!(error.kind(), ImageErrorKind::Truncated, "{name} {scan}");
        }
    }
}

/// Found by the fuzz target `jpeg_decode`: damage makes coefficients that no encoder writes, and bits that are no code further down.
#[test]
fn a_part_at_a_part_of_the_size_is_that_of_the_whole_whatever_the_coefficients() {
    let bytes = include_bytes!("damaged/422-wide-coefficients.jpg");
    let mut decoder = JpegDecoder::new();
    let info = decoder.info(bytes).unwrap();
    for ratio in [1, 2, 4, 8] {
        let whole = decoder.decode_scaled(bytes, ratio, JpegChannels::Rgb).unwrap();
        for region in regions(whole.width, whole.height) {
            let mut part = vec![0; region.width as usize * region.height as usize * 3];
            decoder
                .decode_scaled_region_into(bytes, &info, ratio, region, JpegChannels::Rgb, &mut part)
                .unwrap();
            assert!(part == cropped(&whole, region), "1/{ratio}, {region:?}");
        }
    }
}

/// Some hundred bytes that announce 260 million pixels: known to be too few, before memory is taken for those.
#[test]
fn files_too_short_for_their_header_are_refused_by_it() {
    for name in ["420-progressive", "444-progressive", "gray-progressive", "cmyk", "ycck-420", "420-scans"] {
        let whole = jpeg(name);
        let mut decoder = JpegDecoder::new();
        let info = decoder.info(&whole).unwrap();
        decoder
            .check_length(&whole, &info, 1, Region::whole(&info))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let frame = whole.windows(2).position(|pair| matches!(pair, [0xff, 0xc0..=0xc2])).unwrap();
        let mut large = whole.clone();
        large[frame + 5..frame + 9].copy_from_slice(&[0x4e, 0x20, 0x32, 0xc8]);
        let info = decoder.info(&large).unwrap();
        assert_eq!((info.height, info.width), (20_000, 13_000), "{name}");
        let error = decoder.check_length(&large, &info, 1, Region::whole(&info)).unwrap_err();
        assert_eq!(error.kind(), ImageErrorKind::Truncated, "{name}: {error}");
        // So no part of it is decoded, however small.
        let region = Region { x: 6_000, y: 9_000, width: 8, height: 8 };
        assert_eq!(
            decoder.decode_region(&large, region, JpegChannels::AsStored).unwrap_err(),
            error,
            "{name}"
        );
    }
}
