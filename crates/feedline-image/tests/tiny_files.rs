//! Some hundred bytes that announce hundreds of millions of pixels: refused before memory is taken for them.
#![allow(clippy::unwrap_used, reason = "test code")]
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use feedline_image::{
    ImageErrorKind, JpegChannels, JpegDecoder, Region, check_length, decode_bmp, decode_gif, decode_png,
    decode_webp, encode_png, num_frames, probe,
};

/// Notes the largest piece of memory that this thread asked for.
struct Noting;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(bytes: usize) {
    // While a thread ends there is nothing to note it in.
    _ = LARGEST.try_with(|largest| largest.set(largest.get().max(bytes)));
}

// SAFETY: every call goes to the system's allocator as it came; noting a number allocates nothing, and cannot panic.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(new_size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Noting = Noting;

const SIDE: u16 = 16_000;

/// A PNG whose header says that size.
fn png(side: u32) -> Vec<u8> {
    let mut bytes = encode_png(&[7; 8 * 8 * 3], false, 8, 8, 3, None).unwrap();
    let side = side.to_be_bytes();
    bytes[16..20].copy_from_slice(&side);
    bytes[20..24].copy_from_slice(&side);
    let sum = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32IsoHdlc, &bytes[12..29]) as u32;
    bytes[29..33].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// A GIF of that size, with `frames` frames of one pixel.
fn gif(side: u16, frames: usize) -> Vec<u8> {
    let [low, high] = side.to_le_bytes();
    let head = [b'G', b'I', b'F', b'8', b'9', b'a', low, high, low, high, 0x80, 0, 0, 1, 2, 3, 4, 5, 6];
    let frame = *b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0";
    [&head[..], &frame.repeat(frames), b";"].concat()
}

/// A lossy `WebP` that says that size, and has no pixels.
fn webp(side: u16) -> Vec<u8> {
    let [low, high] = side.to_le_bytes();
    let frame = [0x10, 0, 0, 0x9d, 0x01, 0x2a, low, high, low, high, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let len = (frame.len() as u32).to_le_bytes();
    let all = (frame.len() as u32 + 12).to_le_bytes();
    [&b"RIFF"[..], &all, b"WEBPVP8 ", &len, &frame].concat()
}

fn bmp(side: u32) -> Vec<u8> {
    let mut bytes = b"BM".to_vec();
    for number in [62, 0, 54, 40, side, side, 0x0018_0001, 0, 8, 0, 0, 0, 0, 0, 0] {
        bytes.extend(u32::to_le_bytes(number));
    }
    bytes
}

/// A JPEG of the tests whose frame header says that size.
fn jpeg(name: &str, side: u16) -> Vec<u8> {
    let mut bytes = std::fs::read(format!("{}/tests/jpegs/{name}.jpg", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let frame = bytes.windows(2).position(|pair| matches!(pair, [0xff, 0xc0..=0xc2])).unwrap();
    let [high, low] = side.to_be_bytes();
    bytes[frame + 5..frame + 9].copy_from_slice(&[high, low, high, low]);
    bytes
}

#[test]
fn what_no_file_of_that_length_can_hold_takes_no_memory() {
    type Decode = fn(&[u8]) -> Result<(), feedline_image::ImageError>;
    let decode_jpeg: Decode = |bytes| JpegDecoder::new().decode(bytes, JpegChannels::Rgb).map(|_| ());
    let scaled: Decode =
        |bytes| JpegDecoder::new().decode_scaled(bytes, 2, JpegChannels::AsStored).map(|_| ());
    let cases: [(&str, Vec<u8>, Decode); 9] = [
        ("PNG", png(SIDE.into()), |bytes| decode_png(bytes, 0, false).map(|_| ())),
        ("PNG of 16 bits", png(SIDE.into()), |bytes| decode_png(bytes, 4, true).map(|_| ())),
        ("GIF", gif(SIDE, 1), |bytes| decode_gif(bytes, usize::MAX).map(|_| ())),
        ("WebP", webp(SIDE), |bytes| decode_webp(bytes, 0, usize::MAX).map(|_| ())),
        ("BMP", bmp(SIDE.into()), |bytes| decode_bmp(bytes, 0).map(|_| ())),
        ("JPEG", jpeg("420-67x45", SIDE), decode_jpeg),
        ("JPEG, half the size", jpeg("420-67x45", SIDE), scaled),
        ("progressive JPEG", jpeg("420-progressive", SIDE), decode_jpeg),
        ("CMYK", jpeg("cmyk", SIDE), decode_jpeg),
    ];
    for (name, bytes, decode) in cases {
        assert!(probe(&bytes).is_ok(), "{name}: the header is fine");
        LARGEST.set(0);
        let error = decode(&bytes).unwrap_err();
        let largest = LARGEST.get();
        assert_eq!(error.kind(), ImageErrorKind::Truncated, "{name}: {error}");
        assert!(error.hint().is_some(), "{name}: {error}");
        assert!(largest < 1 << 20, "{name}: {largest} bytes of {}: {error}", bytes.len());
    }
}

#[test]
fn what_compresses_well_is_decoded() {
    // All of one colour: as few bytes as the encoders here make of it.
    let (height, width) = (2100, 2100);
    let white = vec![255; height * width];
    let bytes = encode_png(&white, false, height, width, 1, Some(9)).unwrap();
    assert!(bytes.len() < height * width / 400, "{}", bytes.len());
    assert_eq!(decode_png(&bytes, 0, false).unwrap().height, height);
    // Small ones are, however few bytes they have.
    let image = decode_gif(&gif(2_000, 3), usize::MAX).unwrap();
    assert_eq!((image.frames, image.height, image.width), (3, 2_000, 2_000));
    let bytes = jpeg("420-67x45", 2_000);
    assert_eq!(JpegDecoder::new().decode(&bytes, JpegChannels::Gray).unwrap().height, 2_000);
}

#[test]
fn rows_above_the_end_of_a_jpeg_are_asked_for_whatever_its_header_says() {
    let bytes = jpeg("420-67x45", SIDE);
    let decoder = JpegDecoder::new();
    let info = decoder.info(&bytes).unwrap();
    let top = |height| Region { x: 0, y: 0, width: SIDE.into(), height };
    assert!(decoder.check_length(&bytes, &info, 1, top(200)).is_ok());
    let error = decoder.check_length(&bytes, &info, 1, top(8_000)).unwrap_err();
    assert!(error.to_string().contains("16000 x 16000 take "), "{error}");
    // Half the rows at half the size are all.
    assert!(decoder.check_length(&bytes, &info, 8, Region { height: 900, ..top(900) }).is_err());
}

#[test]
fn frames_are_counted_without_a_pixel() {
    let counted = |bytes: &[u8]| num_frames(bytes, &probe(bytes).unwrap());
    assert_eq!(counted(&gif(9, 5)), 5);
    assert_eq!(counted(&gif(9, 5)[..60]), 3);
    assert_eq!(counted(include_bytes!("webps/moving.webp")), {
        decode_webp(include_bytes!("webps/moving.webp"), 0, usize::MAX).unwrap().frames
    });
    assert_eq!(counted(&bmp(2)), 1);
    assert!(check_length(&bmp(2), &probe(&bmp(2)).unwrap()).is_ok());
}
