//! How long does it take to inflate a short string, and how long does the fastest library take for it?
//!
//! The strings of `strings.py`, eight words each, as gzip: `decode_compressed`'s own inflater, and libdeflate's for whole strings, which is the ceiling it
//! is measured against. One thread, no engine.

use feedline::formats::{Compression, StringInflater};
use feedline::{Error, Result};
use libdeflater::{CompressionLvl, Compressor, Decompressor};

use crate::measure::{Options, measure_in_turns};

const NUM_STRINGS: usize = 100_000;
const NUM_WORDS: u32 = 5000;

pub(crate) fn run(options: &Options) -> Result<()> {
    let texts: Vec<String> = (0..NUM_STRINGS as u32).map(text).collect();
    let mut compressor = Compressor::new(CompressionLvl::default());
    let mut strings = Vec::with_capacity(NUM_STRINGS);
    for text in &texts {
        let mut string = vec![0; compressor.gzip_compress_bound(text.len())];
        let size =
            compressor.gzip_compress(text.as_bytes(), &mut string).map_err(|error| Error::Argument {
                message: format!("'{text}' is not compressed: {error}"),
                hint: "this is a bug of the benchmark".into(),
            })?;
        string.truncate(size);
        strings.push(string);
    }
    let num_bytes: usize = texts.iter().map(String::len).sum();
    let expected = texts.iter().flat_map(|text| text.bytes()).fold(0, checksum);
    let ours = || {
        let mut inflater = StringInflater::new(Compression::Gzip);
        let mut out = Vec::with_capacity(num_bytes);
        for string in &strings {
            assert!(inflater.inflate(string, &mut out), "a string is not taken");
        }
        out
    };
    let libdeflate = || {
        let mut inflater = Decompressor::new();
        let mut out = vec![0; num_bytes];
        let mut at = 0;
        for (string, text) in strings.iter().zip(&texts) {
            let room = &mut out[at..at + text.len()];
            at += inflater.gzip_decompress(string, room).expect("it was compressed");
        }
        out
    };
    // Before anything is measured: what a sum over the bytes would cost is no part of it.
    for inflated in [ours(), libdeflate()] {
        assert_eq!(inflated.into_iter().fold(0, checksum), expected, "other bytes than were compressed");
    }
    measure_in_turns(
        &[
            ("inflate: feedline", &|| (ours().len() as u64).into()),
            ("inflate: libdeflate (ceiling)", &|| (libdeflate().len() as u64).into()),
        ],
        options,
        NUM_STRINGS as u64,
        num_bytes as u64,
        num_bytes as u64,
    );
    Ok(())
}

fn text(number: u32) -> String {
    let word = |place: u32| (number * 8 + place).wrapping_mul(2_654_435_761) % NUM_WORDS;
    let words: Vec<String> = (0..8).map(|place| format!("word{}", word(place))).collect();
    words.join(" ")
}

fn checksum(sum: u64, byte: u8) -> u64 {
    sum.wrapping_mul(31).wrapping_add(byte.into())
}
