//! The files of a cache: any bytes behind a right beginning, with a right length and checksum. What is accepted has its rows.
#![no_main]

use feedline_data::block::Buffer;
use feedline_exec::CacheChunk;
use feedline_formats::crc32c;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut bytes = b"FLCACHE\x01".to_vec();
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&(input.len() as u64 + 24).to_le_bytes());
    bytes.extend_from_slice(input);
    let checksum = u64::from(crc32c(&bytes[16..]));
    bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
    for bytes in [input, &bytes] {
        // Aligned, as files are read.
        let mut words = vec![0_u64; bytes.len().div_ceil(8)];
        for (word, piece) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            whole[..piece.len()].copy_from_slice(piece);
            *word = u64::from_ne_bytes(whole);
        }
        if let Ok(chunk) = CacheChunk::decode(&Buffer::from_vec(words).slice(0..bytes.len())) {
            assert!(chunk.num_rows() <= u64::from(u32::MAX) * bytes.len() as u64);
        }
    }
});
