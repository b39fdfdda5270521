//! Framing: any bytes, and well-formed files with damage in them, read in any pieces. Checks that nothing panics, that
//! every byte is either in a record or counted as lost, and that the pieces do not change what is found.
#![no_main]

use feedline_formats::tfrecord::{Damage, FrameReader, Resync, frame_bytes, write_frame};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [mode, step, rest @ ..] = input else { return };
    let file = if mode % 2 == 0 { rest.to_vec() } else { damaged_file(rest) };
    let whole = read(&file, file.len().max(1));
    let pieces = read(&file, usize::from(*step) + 1);
    assert_eq!(whole, pieces);
    let read: u64 = whole.0.iter().map(|record| frame_bytes(record.len() as u64)).sum();
    assert_eq!(read + whole.1.bytes, file.len() as u64);
});

/// Valid records with a few bytes changed: random bytes alone would never get past a checksum.
fn damaged_file(input: &[u8]) -> Vec<u8> {
    let (patches, data) = input.split_at(input.len().min(8));
    let mut file = Vec::new();
    let mut rest = data;
    while let Some((&length, tail)) = rest.split_first() {
        let (record, tail) = tail.split_at(tail.len().min(usize::from(length % 64)));
        write_frame(&mut file, record);
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

fn read(file: &[u8], step: usize) -> (Vec<Vec<u8>>, Damage) {
    let mut reader = FrameReader::default();
    let mut records = Vec::new();
    let (mut start, mut end) = (0, step.min(file.len()));
    loop {
        let mut views = Vec::new();
        let before = reader.offset();
        let result = reader.read(&file[start..end], &mut views);
        records.extend(views.iter().map(|view| view.to_vec()));
        start += (reader.offset() - before) as usize;
        let at_end = end == file.len();
        let failed = match result {
            Ok(_) if at_end => reader.finish(&file[start..]).is_err(),
            result => result.is_err(),
        };
        if failed {
            let mut found = reader.resync(&file[start..end], at_end);
            while let Resync::NeedMore { skipped, .. } = found {
                start += skipped;
                end = file.len().min(end + step);
                found = reader.resync_more(&file[start..end], end == file.len());
            }
            if let Resync::Found { skipped } | Resync::End { skipped } = found {
                start += skipped;
            }
        } else if at_end {
            return (records, reader.damage());
        } else {
            end = file.len().min(end + step);
        }
    }
}
