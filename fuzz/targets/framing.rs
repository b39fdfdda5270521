//! Framing: any bytes, and well-formed files with damage in them, read in any pieces. Checks that nothing panics, that
//! every byte is either in a record or counted as lost, and that the pieces do not change what is found.
#![no_main]

use feedline_formats::masked_crc32c;
use feedline_formats::tfrecord::{frame_bytes, write_frame};
use feedline_fuzz::read_records;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [mode, step, rest @ ..] = input else { return };
    let file = match mode % 3 {
        0 => rest.to_vec(),
        1 => damaged_file(rest),
        _ => file_of_parts(rest),
    };
    let whole = read_records(&file, file.len().max(1));
    let pieces = read_records(&file, usize::from(*step) + 1);
    assert_eq!(whole, pieces);
    let (records, damage) = whole;
    let read: u64 = records.iter().map(|record| frame_bytes(record.len() as u64)).sum();
    assert_eq!(read + damage.bytes, file.len() as u64);
    assert!(damage.unknown_regions <= damage.regions);
});

/// Valid records with a few bytes changed: random bytes alone would never get past a checksum.
fn damaged_file(input: &[u8]) -> Vec<u8> {
    let (patches, data) = input.split_at(input.len().min(8));
    let mut file = Vec::new();
    let mut rest = data;
    while let Some((&length, tail)) = rest.split_first() {
        let (record, tail) = tail.split_at(tail.len().min(usize::from(length % 64)));
        write_frame(&mut file, record).expect("short");
        rest = tail;
    }
    for patch in patches.chunks_exact(2) {
        if patch[1] != 0 && !file.is_empty() {
            let at = usize::from(patch[0]) * 7 % file.len();
            file[at] ^= patch[1];
        }
    }
    file
}

/// Records, valid lengths with anything behind them, and noise: lengths that contradict each other.
fn file_of_parts(input: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut rest = input;
    while let [kind, size, tail @ ..] = rest {
        if kind % 3 == 0 {
            let length = (u64::from(*size) * u64::from(kind / 3)).to_le_bytes();
            file.extend_from_slice(&length);
            file.extend_from_slice(&masked_crc32c(&length).to_le_bytes());
            rest = tail;
            continue;
        }
        let (bytes, behind) = tail.split_at(tail.len().min(usize::from(size % 64)));
        match kind % 3 {
            1 => write_frame(&mut file, bytes).expect("short"),
            _ => file.extend_from_slice(bytes),
        }
        rest = behind;
    }
    file
}
