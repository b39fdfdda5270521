//! Framing: what is written is read, whatever the pieces it comes in; what is damaged is said, skipped and counted.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use feedline_formats::tfrecord::{
    Damage, FrameReader, LostRecords, ReadOptions, Resync, frame_bytes, write_frame,
};
use feedline_formats::{ErrorKind, masked_crc32c};
use proptest::prelude::*;

fn file_of(records: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    records.iter().for_each(|record| write_frame(&mut file, record).unwrap());
    file
}

/// Reads `file` giving the reader `step` more bytes at a time, skipping damage: the records and the errors.
fn read_in_steps(file: &[u8], step: usize) -> (Vec<Vec<u8>>, Vec<String>, FrameReader) {
    let mut reader = FrameReader::default();
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    let (mut start, mut end) = (0, step.min(file.len()));
    loop {
        let mut views = Vec::new();
        let before = reader.offset();
        let result = reader.read(&file[start..end], &mut views);
        records.extend(views.iter().map(|view| view.to_vec()));
        start += (reader.offset() - before) as usize;
        let failed = match result {
            Ok(_) if end == file.len() => reader.finish(&file[start..]),
            result => result.map(drop),
        };
        if let Err(error) = failed {
            errors.push(error.to_string());
            let mut found = reader.resync(&file[start..end], end == file.len());
            while let Resync::NeedMore { skipped, .. } = found {
                start += skipped;
                end = file.len().min(end + step);
                found = reader.resync_more(&file[start..end], end == file.len());
            }
            if let Resync::Found { skipped } | Resync::End { skipped } = found {
                start += skipped;
            }
        } else if end == file.len() {
            return (records, errors, reader);
        } else {
            end = file.len().min(end + step);
        }
        assert_eq!(reader.offset(), start as u64);
    }
}

fn records() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..12)
}

/// What damaged files are made of.
#[derive(Clone, Debug)]
enum Part {
    Record(Vec<u8>),
    /// A valid length of this many bytes, whatever follows it.
    Header(u16),
    Noise(Vec<u8>),
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let bytes = |most| prop::collection::vec(any::<u8>(), 0..most);
    let part = prop_oneof![
        bytes(80).prop_map(Part::Record),
        // Of a few blocks of checksums, and of a few parts.
        (0u16..3000).prop_map(Part::Header),
        (0u16..100).prop_map(Part::Header),
        bytes(20).prop_map(Part::Noise),
        bytes(1500).prop_map(Part::Noise),
    ];
    prop::collection::vec(part, 0..40)
}

fn file_of_parts(parts: &[Part]) -> Vec<u8> {
    let mut file = Vec::new();
    for part in parts {
        match part {
            Part::Record(data) => write_frame(&mut file, data).unwrap(),
            Part::Noise(bytes) => file.extend_from_slice(bytes),
            Part::Header(length) => {
                let length = u64::from(*length).to_le_bytes();
                file.extend_from_slice(&length);
                file.extend_from_slice(&masked_crc32c(&length).to_le_bytes());
            }
        }
    }
    file
}

fn naive_checksum(file: &[u8], at: usize) -> Option<u32> {
    file.get(at..at + 4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
}

/// The length at `at`, if it is valid.
fn naive_length(file: &[u8], at: usize) -> Option<u64> {
    let length = file.get(at..at + 8)?;
    (naive_checksum(file, at + 8)? == masked_crc32c(length))
        .then(|| u64::from_le_bytes(length.try_into().unwrap()))
}

/// Where the record at `at` ends by its length, if that is valid and within the limit; and whether it is whole and its
/// data valid, too.
fn naive_end(file: &[u8], at: usize) -> Option<(usize, bool)> {
    let length =
        naive_length(file, at).filter(|&length| length <= ReadOptions::default().max_record_bytes)?;
    let data_end = at + 12 + length as usize;
    let stored = naive_checksum(file, data_end);
    Some((data_end + 4, stored.is_some_and(|stored| stored == masked_crc32c(&file[at + 12..data_end]))))
}

/// What reading must find, by looking at every byte of the whole file and summing every span anew.
fn naive_read(file: &[u8]) -> (Vec<Vec<u8>>, Damage) {
    let (mut records, mut damage, mut at) = (Vec::new(), Damage::default(), 0);
    while at < file.len() {
        let by_length = naive_end(file, at);
        if let Some((end, true)) = by_length {
            records.push(file[at + 12..end - 4].to_vec());
            at = end;
            continue;
        }
        let end = by_length.map(|(end, _)| end);
        let is_followed = |end: usize| end == file.len() || naive_length(file, end).is_some();
        let (next, is_known) = match end {
            Some(end) if end <= file.len() && is_followed(end) => (end, true),
            _ => {
                match (at + 1..file.len()).find(|&start| matches!(naive_end(file, start), Some((_, true)))) {
                    Some(start) => (start, false),
                    None => (file.len(), end.is_some_and(|end| end > file.len()) || file.len() - at < 12),
                }
            }
        };
        damage.regions += 1;
        damage.unknown_regions += u64::from(!is_known);
        damage.bytes += (next - at) as u64;
        at = next;
    }
    (records, damage)
}

proptest! {
    #[test]
    fn lengths_that_contradict_each_other_are_read_as_by_naive_search(
        parts in parts(),
        step in prop_oneof![1usize..200, 200usize..5000],
    ) {
        let file = file_of_parts(&parts);
        let (records, errors, reader) = read_in_steps(&file, step);
        let expected = naive_read(&file);
        prop_assert_eq!(errors.len() as u64, expected.1.regions);
        prop_assert_eq!((records, reader.damage()), expected);
    }

    #[test]
    fn round_trip_in_any_pieces(records in records(), step in 1usize..200) {
        let (read, errors, reader) = read_in_steps(&file_of(&records), step);
        prop_assert_eq!(read, records.clone());
        prop_assert!(errors.is_empty());
        prop_assert_eq!(reader.record_index(), records.len() as u64);
        prop_assert_eq!(reader.damage().bytes, 0);
    }

    #[test]
    fn pieces_do_not_change_what_is_found_in_damaged_files(
        records in records(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..=255), 1..5),
        step in 1usize..200,
    ) {
        let mut file = file_of(&records);
        // An empty one has nothing to damage.
        for (at, flip) in flips.into_iter().filter(|_| !records.is_empty()) {
            let at = at.index(file.len());
            file[at] ^= flip;
        }
        let whole = read_in_steps(&file, file.len().max(1));
        let pieces = read_in_steps(&file, step);
        prop_assert_eq!(&whole.0, &pieces.0);
        prop_assert_eq!(&whole.1, &pieces.1);
        prop_assert_eq!(whole.2.damage(), pieces.2.damage());
        // Nothing is lost without a word: bytes read and bytes skipped are all there are.
        let read: u64 = whole.0.iter().map(|record| frame_bytes(record.len() as u64)).sum();
        prop_assert_eq!(read + whole.2.damage().bytes, file.len() as u64);
        prop_assert_eq!(whole.1.len() as u64, whole.2.damage().regions);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), step in 1usize..64) {
        let (records, errors, reader) = read_in_steps(&bytes, step);
        prop_assert!(records.is_empty() && (bytes.is_empty() || !errors.is_empty()));
        prop_assert_eq!(reader.damage().bytes, bytes.len() as u64);
    }
}

fn three() -> (Vec<Vec<u8>>, Vec<u8>) {
    let records = vec![b"the first".to_vec(), vec![7; 40], b"the third".to_vec()];
    let file = file_of(&records);
    (records, file)
}

#[test]
fn every_flipped_byte_costs_its_record_alone() {
    let (records, file) = three();
    let mut owner = Vec::new();
    for (index, record) in records.iter().enumerate() {
        owner.resize(owner.len() + frame_bytes(record.len() as u64) as usize, index);
    }
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            let (read, errors, reader) = read_in_steps(&damaged, file.len());
            let mut expected = records.clone();
            expected.remove(owner[at]);
            assert_eq!(read, expected, "byte {at} bit {bit}");
            assert_eq!(errors.len(), 1, "byte {at} bit {bit}: {errors:?}");
            assert!(errors[0].starts_with(&format!("record {} (byte ", owner[at])), "{}", errors[0]);
            assert_eq!(reader.damage().regions, 1);
            assert_eq!(reader.record_index(), 3, "a damaged record keeps its number");
        }
    }
}

#[test]
fn every_truncation_is_noticed() {
    let (records, file) = three();
    let mut ends = vec![0];
    for record in &records {
        ends.push(ends[ends.len() - 1] + frame_bytes(record.len() as u64) as usize);
    }
    for end in 0..file.len() {
        let whole = ends.iter().filter(|&&boundary| boundary > 0 && boundary <= end).count();
        let (read, errors, _) = read_in_steps(&file[..end], 7);
        assert_eq!(read, records[..whole], "cut at {end}");
        if ends.contains(&end) {
            assert!(errors.is_empty(), "cut at {end}");
        } else {
            let expected = format!("record {whole} (byte {}): the data ends inside a record", ends[whole]);
            assert!(errors.len() == 1 && errors[0].starts_with(&expected), "cut at {end}: {errors:?}");
            assert!(errors[0].contains("\nhint: "), "{}", errors[0]);
        }
    }
}

#[test]
fn damaged_data_that_contains_records_costs_itself_alone() {
    let inner = file_of(&[b"inner one".to_vec(), b"inner two".to_vec()]);
    let mut file = file_of(&[b"before".to_vec(), inner, b"after".to_vec()]);
    let at = frame_bytes(6) as usize + 12; // the first byte of the inner file
    file[at] ^= 1;
    let (read, errors, _) = read_in_steps(&file, file.len());
    assert_eq!(read, [b"before".to_vec(), b"after".to_vec()]);
    assert_eq!(errors.len(), 1);
}

#[test]
fn how_many_records_are_lost_is_said_to_be_known_only_where_it_is() {
    use LostRecords::{AtLeast, Exactly};
    let (_, file) = three();
    let second = frame_bytes(9) as usize;
    let third = second + frame_bytes(40) as usize;
    let flipped = |places: &[usize]| {
        let mut file = file.clone();
        places.iter().for_each(|&at| file[at] ^= 1);
        file
    };
    let table: [(&str, Vec<u8>, LostRecords, usize); 9] = [
        ("nothing", file.clone(), Exactly(0), 0),
        ("data", flipped(&[second + 20]), Exactly(1), third - second),
        ("data of two neighbours", flipped(&[second + 20, third + 13]), Exactly(2), file.len() - second),
        ("a length", flipped(&[second]), AtLeast(1), third - second),
        ("the last length", flipped(&[third]), AtLeast(1), file.len() - third),
        ("data and the length behind it", flipped(&[second + 20, third]), AtLeast(1), file.len() - second),
        ("a length, and data elsewhere", flipped(&[0, third + 13]), AtLeast(2), file.len() - third + second),
        ("cut in the data", file[..second + 30].to_vec(), Exactly(1), 30),
        ("cut in a header", file[..second + 5].to_vec(), Exactly(1), 5),
    ];
    for (name, file, lost, bytes) in table {
        for step in [3, file.len()] {
            let damage = read_in_steps(&file, step).2.damage();
            assert_eq!(
                (damage.lost_records(), damage.bytes),
                (lost, bytes as u64),
                "{name}, steps of {step}"
            );
        }
    }
}

#[test]
fn errors_say_where_what_and_what_to_do() {
    let (_, file) = three();
    let check = |bytes: &[u8], options: ReadOptions, parts: &[&str]| {
        let mut reader = FrameReader::new(options);
        let mut views = Vec::new();
        let error = match reader.read(bytes, &mut views) {
            Ok(taken) => reader.finish(&bytes[taken..]).unwrap_err(),
            Err(error) => error,
        };
        for part in parts {
            assert!(error.to_string().contains(part), "{error} lacks {part:?}");
        }
        error
    };
    let mut data = file.clone();
    data[30] ^= 1;
    let error = check(
        &data,
        ReadOptions::default(),
        &["record 1 (byte 25)", "length checksum is 0x", "the file says 0x"],
    );
    assert!(matches!(error.kind(), ErrorKind::LengthChecksum { .. }));
    let mut data = file.clone();
    data[40] ^= 1;
    check(
        &data,
        ReadOptions::default(),
        &["record 1 (byte 25): data checksum", "hint: the file is damaged", "feedline verify"],
    );
    check(b"#!/bin/sh\nexit 0\n", ReadOptions::default(), &["record 0 (byte 0)", "is this a TFRecord file?"]);
    check(
        &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3],
        ReadOptions::default(),
        &["gzip-compressed", "hint: inflate it first"],
    );
    // `hello, hello` as Python's zlib writes it; and a damaged length that begins like that.
    check(
        b"x\x9c\xcbH\xcd\xc9\xc9\xd7Q\xc8\x00Q\x00\x1c\xda\x04u",
        ReadOptions::default(),
        &["zlib-compressed", "hint: inflate it first"],
    );
    check(
        &[0x78, 0x9c, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3],
        ReadOptions::default(),
        &["record 0 (byte 0): length checksum", "is this a TFRecord file?"],
    );
    let mut long = (1_u64 << 31).to_le_bytes().to_vec();
    long.extend(masked_crc32c(&long).to_le_bytes());
    check(
        &long,
        ReadOptions::default(),
        &["2147483648 bytes, more than the limit", "write the data as several records"],
    );
    let short = ReadOptions { max_record_bytes: 20, ..ReadOptions::default() };
    check(&file, short, &["record 1 (byte 25)", "40 bytes, more than the limit of 20", "max_record_bytes"]);
    check(&file[..30], ReadOptions::default(), &["record 1 (byte 25)", "5 bytes are left", "hint:"]);
}

#[test]
fn data_checksums_can_be_left_unverified() {
    let (records, mut file) = three();
    file[40] ^= 1;
    let mut reader = FrameReader::new(ReadOptions { verify_data: false, ..ReadOptions::default() });
    let mut views = Vec::new();
    assert_eq!(reader.read(&file, &mut views).unwrap(), file.len());
    assert_eq!((views[0], views[2]), (&records[0][..], &records[2][..]));
    assert_ne!(views[1], records[1]);
}
