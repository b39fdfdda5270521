//! How fast is the JPEG decoder on one core, against the library it stands beside, and are the pixels the same?
//!
//! `cargo run --release -p feedline-image --example jpeg_speed -- FOLDER [ROUNDS]` reads all `.jpg` of the folder into memory,
//! holds every decoded image against the library's, whole and cropped, and then times whole images and
//! the crops of random-resized-crop (8 % to 100 % of the area, 3:4 to 4:3).
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people")]

use feedline_image::{ImageInfo, JpegChannels, JpegDecoder, Region};
use libjpeg_turbo_rs::{Decoder, PixelFormat};
use std::time::Instant;

struct Picture {
    bytes: Vec<u8>,
    info: ImageInfo,
    crop: Region,
}

/// A crop by torchvision's sampling, from numbers that are the same in every run.
fn random_crop(info: &ImageInfo, seed: &mut u64) -> Region {
    let mut uniform = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f64 / f64::from(1 << 24)
    };
    let (full_width, full_height) = (f64::from(info.width), f64::from(info.height));
    for _ in 0..10 {
        let area = full_width * full_height * (0.08 + 0.92 * uniform());
        let ratio = ((0.75_f64.ln()) + (4.0_f64 / 3.0 / 0.75).ln() * uniform()).exp();
        let (width, height) = ((area * ratio).sqrt().round(), (area / ratio).sqrt().round());
        if width >= 1.0 && height >= 1.0 && width <= full_width && height <= full_height {
            let x = ((full_width - width + 1.0) * uniform()).floor();
            let y = ((full_height - height + 1.0) * uniform()).floor();
            return Region { x: x as u32, y: y as u32, width: width as u32, height: height as u32 };
        }
    }
    Region::whole(info)
}

fn library(bytes: &[u8], out: &mut [u8]) {
    let mut decoder = Decoder::new(bytes).unwrap();
    decoder.set_output_format(PixelFormat::Rgb);
    decoder.decode_image_into(out).unwrap();
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("the first argument is a folder of JPEGs");
    let num_rounds: usize = arguments.next().map_or(3, |rounds| rounds.parse().unwrap());
    let mut decoder = JpegDecoder::new();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jpg"));
    paths.sort();
    let mut seed = 1;
    let pictures: Vec<Picture> = paths
        .iter()
        .map(|path| {
            let bytes = std::fs::read(path).unwrap();
            let info = decoder.info(&bytes).unwrap();
            Picture { bytes, crop: random_crop(&info, &mut seed), info }
        })
        .collect();
    let mut out = Vec::new();
    let mut reference = Vec::new();
    let size = |region: &Region| region.width as usize * region.height as usize * 3;

    for (picture, path) in pictures.iter().zip(&paths) {
        let Picture { bytes, info, crop } = picture;
        let whole = Region::whole(info);
        reference.resize(size(&whole), 0);
        library(bytes, &mut reference);
        for region in [&whole, crop] {
            out.resize(size(region), 1);
            decoder.decode_region_into(bytes, info, *region, JpegChannels::Rgb, &mut out).unwrap();
            let row_len = info.width as usize * 3;
            let rows = reference.chunks(row_len).skip(region.y as usize);
            for (row, expected) in out.chunks(region.width as usize * 3).zip(rows) {
                let expected = &expected[region.x as usize * 3..][..row.len()];
                assert!(row == expected, "{} differs in {region:?}", path.display());
            }
        }
    }
    println!("{} images: whole and cropped, the same pixels as the library's", pictures.len());

    let mut report = |name: &str, decode: &mut dyn FnMut(&Picture, &mut Vec<u8>)| {
        let mut rates: Vec<f64> = (0..num_rounds)
            .map(|_| {
                let start = Instant::now();
                pictures.iter().for_each(|picture| decode(picture, &mut out));
                pictures.len() as f64 / start.elapsed().as_secs_f64()
            })
            .collect();
        rates.sort_by(f64::total_cmp);
        println!(
            "{name:24} {:6.0} img/s (best of {num_rounds}; median {:.0})",
            rates[num_rounds - 1],
            rates[num_rounds / 2]
        );
    };
    report("library, whole", &mut |picture, out| {
        out.resize(size(&Region::whole(&picture.info)), 0);
        library(&picture.bytes, out);
    });
    report("whole", &mut |picture, out| {
        let region = Region::whole(&picture.info);
        out.resize(size(&region), 0);
        decoder.decode_region_into(&picture.bytes, &picture.info, region, JpegChannels::Rgb, out).unwrap();
    });
    report("random resized crop", &mut |picture, out| {
        out.resize(size(&picture.crop), 0);
        decoder
            .decode_region_into(&picture.bytes, &picture.info, picture.crop, JpegChannels::Rgb, out)
            .unwrap();
    });
    report("one pixel, last corner", &mut |picture, out| {
        // Nearly all that is left is entropy decoding.
        let ImageInfo { width, height, .. } = picture.info;
        let region = Region { x: width - 1, y: height - 1, width: 1, height: 1 };
        out.resize(3, 0);
        decoder.decode_region_into(&picture.bytes, &picture.info, region, JpegChannels::Rgb, out).unwrap();
    });
}
