//! Reading record files: whole, compressed, damaged, cut off, changed under the reader, and one record at a time.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod records_support;

use std::io::Write;
use std::path::Path;

use feedline::formats::Compression;
use feedline::formats::tfrecord::{IndexBuilder, write_frame};
use feedline::io::{LocalStore, Store};
use feedline::records::{
    IndexedFile, OnDamage, RecordReader, RecordWriter, content_check, detect_compression, index_path,
    list_record_files, load_index,
};
use records_support::*;

/// Number, offset and data of a record.
type Read = (u64, u64, Vec<u8>);

/// All records until the end or an error, with the places they were said to be at: in chunks as they come, and in batches
/// of several sizes, which must give the same.
fn read_all(open: impl Fn() -> RecordReader) -> (Vec<Read>, Option<String>) {
    let chunks = read_in(open(), None);
    for num_records in [1, 2, 7, 1000] {
        let batches = read_in(open(), Some(num_records));
        assert!(batches == chunks, "batches of {num_records}: {:?} and {:?}", batches.1, chunks.1);
    }
    chunks
}

/// As [`read_all`], in batches of `num_records` or in chunks.
fn read_in(mut reader: RecordReader, num_records: Option<usize>) -> (Vec<Read>, Option<String>) {
    let mut records = Vec::new();
    loop {
        let next = match num_records {
            Some(num_records) => reader.next_batch(num_records),
            None => reader.next_chunk(),
        };
        match next {
            Ok(Some(chunk)) => {
                assert!((1..=num_records.unwrap_or(usize::MAX)).contains(&chunk.records.len()));
                let mut offset = chunk.first_offset;
                for (number, record) in (chunk.first_record..).zip(&chunk.records) {
                    records.push((number, offset, record.to_vec()));
                    offset += 16 + record.len() as u64;
                }
            }
            Ok(None) => return (records, None),
            Err(error) => {
                let again = reader.next_chunk().unwrap_err().to_string();
                assert_eq!(error.to_string(), again, "the same error again");
                return (records, Some(again));
            }
        }
    }
}

fn assert_all(path: &Path, expected: &[Vec<u8>], context: &str) {
    let (records, error) = read_all(|| RecordReader::open(path).unwrap());
    assert_eq!(error, None, "{context}");
    assert_eq!(records.len(), expected.len(), "{context}");
    let offsets = offsets_of(expected);
    for (index, (number, offset, record)) in records.iter().enumerate() {
        assert_eq!((*number, *offset), (index as u64, offsets[index]), "{context}");
        assert!(record == &expected[index], "{context}: record {index}");
    }
}

#[test]
fn records_of_all_sizes_in_all_compressions() {
    let folder = Folder::new();
    let chunk = 256 << 10;
    // Around the size of a read, several times it, and empty.
    let sizes = [
        0,
        1,
        5,
        chunk - 17,
        chunk - 16,
        chunk - 15,
        chunk,
        3,
        3 * chunk + 1,
        0,
        100_000,
        100_000,
        2 * chunk,
        7,
    ];
    let records: Vec<Vec<u8>> = (1..).zip(sizes).map(|(seed, size)| noise(size, seed)).collect();
    let file = file_of(&records);
    for compression in COMPRESSIONS {
        let path = folder.write("data", &compressed(&file, compression));
        assert_eq!(detect_compression(&*LocalStore.open(&path).unwrap()).unwrap(), compression);
        assert_all(&path, &records, &format!("{compression:?}"));
    }
}

#[test]
fn what_the_writer_writes_is_read_back() {
    let folder = Folder::new();
    for compression in COMPRESSIONS {
        for records in [vec![], vec![vec![]], examples(20_000), vec![noise(3 << 20, 1), vec![], noise(10, 2)]]
        {
            let path = folder.path("data");
            let mut writer = RecordWriter::create(&path, compression).unwrap();
            for (index, record) in records.iter().enumerate() {
                if index % 2 == 0 {
                    writer.write(record).unwrap();
                } else {
                    writer.write_with(|out| out.extend_from_slice(record)).unwrap();
                }
            }
            assert_eq!(writer.num_records(), records.len() as u64);
            let size = writer.finish().unwrap();
            assert_eq!(size, std::fs::metadata(&path).unwrap().len());
            assert_all(&path, &records, &format!("{compression:?}, {} records", records.len()));
        }
    }
}

#[test]
fn what_tensorflow_wrote_is_the_same_in_all_compressions() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../feedline-formats/tests/golden");
    let read = |name: &str| {
        let (records, error) = read_all(|| RecordReader::open(golden.join(name)).unwrap());
        assert_eq!(error, None, "{name}");
        records
    };
    let plain = read("records_none.tfrecord");
    assert_eq!(plain.len(), 20);
    assert_eq!(read("records_gzip.tfrecord"), plain);
    assert_eq!(read("records_zlib.tfrecord"), plain);
}

#[test]
fn records_before_damage_come_first_and_those_behind_it_if_asked_for() {
    let folder = Folder::new();
    let records = examples(50);
    let offsets = offsets_of(&records);
    for damaged in [0, 1, 25, 48, 49] {
        for (part, in_record) in [("length", 0), ("length checksum", 9), ("data", 14), ("data checksum", -2)]
        {
            let mut file = file_of(&records);
            let start = if in_record < 0 { offsets[damaged + 1] } else { offsets[damaged] };
            file[start.wrapping_add_signed(in_record) as usize] ^= 0x40;
            let path = folder.write("data", &file);

            let (before, error) = read_all(|| RecordReader::open(&path).unwrap());
            assert_eq!(before.len(), damaged, "{part} of record {damaged}");
            let error = error.unwrap();
            let place = format!("data: record {damaged} (byte {}): ", offsets[damaged]);
            assert!(error.contains(&place) && error.contains("\nhint: "), "{error}");

            let mut reader = RecordReader::open(&path).unwrap().on_damage(OnDamage::Skip);
            let mut numbers = Vec::new();
            while let Some(chunk) = reader.next_chunk().unwrap() {
                numbers.extend((chunk.first_record..).take(chunk.records.len()));
            }
            let others: Vec<u64> = (0..50).filter(|&number| number != damaged as u64).collect();
            assert_eq!(numbers, others, "{part} of record {damaged}");
            assert_eq!((reader.damage().regions, reader.take_errors().len()), (1, 1));
            assert!(reader.take_errors().is_empty());
        }
    }
}

#[test]
fn damaged_neighbours_and_a_cut_end_are_counted_one_by_one() {
    let folder = Folder::new();
    let records = examples(12);
    let offsets = offsets_of(&records);
    let mut file = file_of(&records);
    for damaged in [3, 4, 5, 10] {
        file[offsets[damaged] as usize + 13] ^= 1;
    }
    // A data checksum and the length behind it: one damaged place, for nothing confirms where the first one ends.
    file[offsets[7] as usize + 13] ^= 1;
    file[offsets[8] as usize + 2] ^= 1;
    file.truncate(file.len() - 3);
    let mut reader = RecordReader::open(folder.write("data", &file)).unwrap().on_damage(OnDamage::Skip);
    let mut numbers = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        numbers.extend((chunk.first_record..).take(chunk.records.len()));
    }
    let errors = reader.take_errors();
    let places: Vec<(u64, u64)> =
        errors.iter().map(|error| (error.record().unwrap(), error.byte_offset().unwrap())).collect();
    assert_eq!(numbers, [0, 1, 2, 6, 8]);
    let expected = [(3, 3), (4, 4), (5, 5), (7, 7), (9, 10), (10, 11)];
    assert_eq!(places, expected.map(|(number, record): (u64, usize)| (number, offsets[record])));
}

/// Whether records inside a damaged record count must not depend on how reads happen to cut the file.
#[test]
fn the_same_is_skipped_wherever_reads_end() {
    let folder = Folder::new();
    let chunk = 256 << 10;
    let nested = file_of(&[b"inner one", b"inner two"]);
    for gap in 0..40 {
        // The damaged record ends `gap` bytes before the first read does.
        let padding = noise(chunk - gap - 16 - (16 + nested.len() + 1), 3);
        let mut file = file_of(&[&padding, &[&nested[..], b"!"].concat()]);
        let last = file.len() - 5;
        file[last] ^= 1;
        write_frame(&mut file, b"behind").unwrap();
        let mut reader = RecordReader::open(folder.write("data", &file)).unwrap().on_damage(OnDamage::Skip);
        let mut found = Vec::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            found.extend(chunk.records.iter().map(|record| record.len()));
        }
        assert_eq!(found, [padding.len(), 6], "gap {gap}");
    }
}

#[test]
fn a_compressed_file_cut_anywhere_gives_what_it_has_and_then_the_error() {
    let folder = Folder::new();
    let records = [examples(300), vec![noise(700_000, 9)], examples(30)].concat();
    let file = file_of(&records);
    for compression in [Compression::Gzip, Compression::Zlib] {
        let bytes = compressed(&file, Some(compression));
        let cuts =
            (3..60).chain((60..bytes.len()).step_by(bytes.len() / 40)).chain(bytes.len() - 12..bytes.len());
        let mut most = 0;
        for cut in cuts {
            let path = folder.write("data", &bytes[..cut]);
            let (found, error) = read_all(|| RecordReader::open(&path).unwrap());
            assert!(found.iter().zip(&records).all(|(found, record)| &found.2 == record), "cut at {cut}");
            most = most.max(found.len());
            let error = error.unwrap_or_else(|| panic!("{compression} cut at {cut}: no error"));
            let offset = offsets_of(&records)[found.len()];
            let place =
                format!("data: record {} (byte {offset}): the {compression} stream is damaged", found.len());
            assert!(error.contains(&place) && error.contains("hint: "), "cut at {cut}: {error}");

            // To skip damage does not help where nothing behind it can be read, and must not hide it.
            let skipping = || RecordReader::open(&path).unwrap().on_damage(OnDamage::Skip);
            let (found_skipping, error) = read_all(skipping);
            assert_eq!((found_skipping.len(), error.is_some()), (found.len(), true));
        }
        assert_eq!(most, records.len(), "all records come before an error in the trailer");
    }
}

#[test]
fn lengths_that_lie_are_errors() {
    let folder = Folder::new();
    for (length, reason) in [
        (i32::MAX as u64, "it needs 2147483663 bytes, 112 are left"),
        (1 << 40, "more than the limit"),
        (u64::MAX, "more than the limit"),
    ] {
        let mut file = file_of(&[b"fine"]);
        let header = length.to_le_bytes();
        file.extend_from_slice(&header);
        file.extend_from_slice(&feedline::formats::masked_crc32c(&header).to_le_bytes());
        file.extend_from_slice(&[0; 100]);
        let (found, error) = read_all(|| RecordReader::open(folder.write("data", &file)).unwrap());
        assert_eq!(found.len(), 1);
        let error = error.unwrap();
        assert!(
            error.contains("record 1 (byte 20): ") && error.contains(reason) && error.contains("hint:"),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_shrinks_is_an_error_and_what_is_appended_is_not_read() {
    let folder = Folder::new();
    let records: Vec<Vec<u8>> = (0..20).map(|seed| noise(100_000, seed + 1)).collect();
    let file = file_of(&records);

    // Cut exactly between two records: nothing but the size tells.
    let path = folder.write("shrinks", &file);
    let mut reader = RecordReader::open(&path).unwrap();
    reader.next_chunk().unwrap();
    let handle = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    handle.set_len(offsets_of(&records)[10]).unwrap();
    let (_, error) = read_in(reader, None);
    let error = error.unwrap();
    assert!(error.contains("shrinks: ") && error.contains("hint: the file was cut or rewritten"), "{error}");

    let path = folder.write("grows", &file);
    let reader = RecordReader::open(&path).unwrap();
    let mut handle = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    handle.write_all(&file_of(&[b"more"])).unwrap();
    let (found, error) = read_in(reader, None);
    assert_eq!((found.len(), error), (20, None));
}

#[test]
fn a_damaged_length_that_looks_like_zlib_is_still_a_damaged_length() {
    let folder = Folder::new();
    // 0x9c78 is both a length and the usual beginning of a zlib stream.
    let mut file = file_of(&[noise(0x9c78, 1), b"second".to_vec()]);
    let path = folder.write("fine", &file);
    assert_eq!(read_all(|| RecordReader::open(&path).unwrap()).0.len(), 2);
    file[8] ^= 1;
    let path = folder.write("damaged", &file);
    assert_eq!(detect_compression(&*LocalStore.open(&path).unwrap()).unwrap(), None);
    let mut reader = RecordReader::open(&path).unwrap().on_damage(OnDamage::Skip);
    assert_eq!(reader.next_chunk().unwrap().unwrap().records, [b"second"]);
}

/// Indexes the file at `path` as it is.
fn write_index(path: &Path, records: &[Vec<u8>]) {
    let mut builder = IndexBuilder::default();
    for record in records {
        builder.push(record.len() as u64);
    }
    let blob = LocalStore.open(path).unwrap();
    let bytes = builder.finish(blob.size(), content_check(&*blob).unwrap()).unwrap();
    std::fs::write(index_path(path), bytes).unwrap();
}

#[test]
fn every_record_can_be_read_alone() {
    let folder = Folder::new();
    let records = examples(300);
    let path = folder.write("data", &file_of(&records));
    let error = IndexedFile::open(&path).err().unwrap().to_string();
    assert!(
        error.contains("data: there is no index") && error.contains("hint: make one with `feedline index"),
        "{error}"
    );
    assert!(load_index(&*LocalStore.open(&path).unwrap()).unwrap().is_none());

    write_index(&path, &records);
    let file = IndexedFile::open(&path).unwrap();
    assert_eq!((file.len(), file.is_empty()), (300, false));
    let mut buffer = Vec::new();
    for number in (0..300).rev().step_by(7) {
        assert_eq!(file.read(number, &mut buffer).unwrap(), Some(&records[number as usize][..]));
        assert_eq!(file.offset(number), Some(offsets_of(&records)[number as usize]));
    }
    assert_eq!(file.read(300, &mut buffer).unwrap(), None);
    assert_eq!(file.read(u64::MAX, &mut buffer).unwrap(), None);
}

#[test]
fn an_index_of_another_state_of_the_file_is_noticed() {
    let folder = Folder::new();
    let records = examples(300);
    let path = folder.write("data", &file_of(&records));
    write_index(&path, &records);
    let opened = IndexedFile::open(&path).unwrap();

    let mut reversed = records.clone();
    reversed.reverse();
    folder.write("data", &file_of(&reversed));
    let error = IndexedFile::open(&path).err().unwrap().to_string();
    assert!(error.contains("data.feedline-index: ") && error.contains("other content"), "{error}");
    assert!(error.contains("hint: make it again with `feedline index`"), "{error}");

    folder.write("data", &file_of(&records[..299]));
    let error = IndexedFile::open(&path).err().unwrap().to_string();
    assert!(error.contains("bytes, it had"), "{error}");
    let error = opened.read(299, &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("data: could not read") && error.contains("hint:"), "{error}");

    folder.write("data.feedline-index", b"something else");
    let error = IndexedFile::open(&path).err().unwrap().to_string();
    assert!(error.contains("not a usable index") && error.contains("hint:"), "{error}");
}

#[test]
fn records_that_changed_between_the_windows_of_the_check_are_noticed_when_read() {
    let folder = Folder::new();
    // Windows of 4 KiB lie some 60 KiB apart; the records from byte 20,000 on are in none of them.
    let mut records: Vec<Vec<u8>> = (0..40).map(|seed| noise(20_000, seed + 1)).collect();
    records[1] = noise(15_000, 77);
    records[2] = noise(10_000, 78);
    let path = folder.write("data", &file_of(&records));
    write_index(&path, &records);
    records.swap(1, 2);
    folder.write("data", &file_of(&records));
    let file = IndexedFile::open(&path).unwrap();
    for number in [1, 2] {
        let error = file.read(number, &mut Vec::new()).unwrap_err().to_string();
        assert!(
            error.contains(&format!("data: record {number} (byte "))
                && error.contains("`feedline index --force"),
            "{error}"
        );
    }
    assert!(file.read(3, &mut Vec::new()).is_ok());
}

#[test]
fn patterns_mean_the_data_and_not_its_indexes() {
    let folder = Folder::new();
    for name in ["a", "a.feedline-index", "b"] {
        folder.write(name, b"");
    }
    let list = |pattern: &str| list_record_files(&[folder.path(pattern).to_str().unwrap()]);
    assert_eq!(list("*").unwrap().len(), 2);
    let error = list("a.feedline-index").unwrap_err().to_string();
    assert!(error.contains("this is an index") && error.contains("hint:"), "{error}");
    assert!(list("c*").is_err());
}
