//! `inspect` says what is in files, exactly where it can and about where it cannot.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod records_support;

use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use feedline::data::Values;
use feedline::formats::Compression;
use feedline::formats::example::{ExampleWriter, FeatureValues, RecordKind, SequenceWriter};
use feedline::index::{IndexOptions, index};
use feedline::inspect::{Count, IndexState, InspectOptions, Inspection, decode, inspect, read_record};
use records_support::*;

const DEFAULT: InspectOptions = InspectOptions { num_threads: 2, sample: None, exact: false };

fn look(paths: &[PathBuf], options: &InspectOptions) -> Inspection {
    inspect(paths, options, &|_| {}, &AtomicBool::new(false))
}

fn make_index(path: &PathBuf) {
    let options = IndexOptions { num_threads: 1, force: true, check: false };
    let reports = index(std::slice::from_ref(path), &options, &|_| {}, &AtomicBool::new(false));
    assert!(reports[0].outcome.is_ok(), "{:?}", reports[0].outcome);
}

#[test]
fn small_files_are_counted_and_looked_at_whole() {
    let folder = Folder::new();
    let records = examples(100);
    let paths = COMPRESSIONS.map(|compression| {
        let name = compression.map_or("none", Compression::name);
        folder.write(name, &compressed(&file_of(&records), compression))
    });
    let found = look(&[&paths[..], &[folder.write("empty", b"")]].concat(), &DEFAULT);
    for (file, compression) in found.files.iter().zip(COMPRESSIONS) {
        assert_eq!((file.count, file.compression, file.num_problems), (Count::Exact(100), compression, 0));
    }
    assert_eq!(found.files[3].count, Count::Exact(0));
    let sample = found.sample;
    assert_eq!((sample.num_records, sample.is_whole, sample.num_unparsed), (300, true, 0));
    assert_eq!(sample.schema.kind, RecordKind::Example);
    let names: Vec<&str> = sample.schema.features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(names, ["label", "text"]);
    let counts = &sample.schema.features[0].histogram.as_ref().unwrap().counts;
    assert_eq!((counts.len(), counts[99]), (100, (99, 3)));
}

#[test]
fn a_few_records_are_enough_if_asked_for() {
    let folder = Folder::new();
    let path = folder.write("data", &file_of(&examples(1000)));
    let found = look(&[path], &InspectOptions { sample: Some(50), ..DEFAULT });
    assert_eq!(found.files[0].count, Count::Exact(1000));
    assert!((40..=60).contains(&found.sample.num_records), "{}", found.sample.num_records);
    assert!(!found.sample.is_whole);
    // Spread over the file, not the first fifty.
    assert!(found.sample.schema.features[0].range.unwrap().1 > 900.0);
}

#[test]
fn bad_records_do_not_hide_what_the_others_are() {
    let folder = Folder::new();
    let mut records = examples(20);
    records[3] = b"\xffrubbish".to_vec();
    let mut file = file_of(&records);
    let offsets = offsets_of(&records);
    file[offsets[10] as usize + 13] ^= 1;
    let found = look(&[folder.write("data", &file)], &DEFAULT);
    assert_eq!((found.files[0].count, found.files[0].num_problems), (Count::Exact(19), 1));
    let problem = found.files[0].problem.as_ref().unwrap();
    assert_eq!((problem.record, problem.byte), (Some(10), Some(offsets[10])));
    assert_eq!((found.sample.schema.kind, found.sample.num_unparsed), (RecordKind::Example, 1));
    assert_eq!(found.sample.schema.features.len(), 2);
}

#[test]
fn sequences_bytes_and_nothing_at_all() {
    let folder = Folder::new();
    let steps = [FeatureValues::Int64(&[1, 2]), FeatureValues::Int64(&[3])];
    let sequence =
        SequenceWriter::new().context("id", FeatureValues::Int64(&[7])).list("words", &steps).to_bytes();
    let found = look(&[folder.write("sequence", &file_of(&[sequence]))], &DEFAULT);
    assert_eq!(found.sample.schema.kind, RecordKind::SequenceExample);
    assert_eq!(found.sample.schema.lists[0].steps, Some((2, 2)));

    let found = look(&[folder.write("text", &file_of(&[&b"one \xff"[..], b"two  \xff"]))], &DEFAULT);
    assert_eq!((found.sample.schema.kind, found.sample.heads.len()), (RecordKind::Bytes, 2));
    assert_eq!(found.sample.record_bytes, Some((5, 6)));

    let found = look(&[folder.path("missing"), folder.write("noise", &noise(10_000, 5))], &DEFAULT);
    assert_eq!((found.files[0].count, found.files[0].num_problems), (Count::Unknown, 1));
    assert_eq!((found.files[1].count, found.files[1].num_problems), (Count::Exact(0), 1));
    assert_eq!((found.sample.num_records, found.sample.is_whole), (0, false));
}

#[test]
fn the_records_of_a_large_compressed_file_are_estimated_from_its_beginning() {
    let folder = Folder::new();
    // Half noise, half nothing: 36 MiB that become 18. Above 16 MiB, a compressed file is not read whole.
    let records: Vec<Vec<u8>> = (0..18_000)
        .map(|number: usize| {
            let mut record = noise(1024, number as u32);
            record.resize(2048, b'x');
            record
        })
        .collect();
    for compression in [Compression::Gzip, Compression::Zlib] {
        let path = folder.write("data", &compressed(&file_of(&records), Some(compression)));
        let found = look(std::slice::from_ref(&path), &DEFAULT);
        let Count::Estimated(number) = found.files[0].count else { panic!("{:?}", found.files[0].count) };
        assert!((17_500..18_500).contains(&number), "{compression}: {number}");
    }
}

#[test]
fn of_large_files_a_few_windows_are_read_and_the_count_is_estimated() {
    let folder = Folder::new();
    // 68 MiB: more than is read whole. Lengths from 5,000 to 15,000.
    let records: Vec<Vec<u8>> = (0..7200)
        .map(|label: i64| {
            let text = vec![b'x'; 5000 + (label as usize * 7919) % 10_000];
            ExampleWriter::new().int64("label", &[label % 10]).bytes("text", &[&text]).to_bytes()
        })
        .collect();
    let path = folder.write("data", &file_of(&records));
    let found = look(std::slice::from_ref(&path), &DEFAULT);
    let Count::Estimated(number) = found.files[0].count else { panic!("{:?}", found.files[0].count) };
    assert!((6500..8000).contains(&number), "{number}");
    let sample = &found.sample;
    assert!((300..2000).contains(&sample.num_records) && !sample.is_whole, "{}", sample.num_records);
    assert_eq!(sample.schema.features[0].histogram.as_ref().unwrap().counts.len(), 10);

    let asked = look(std::slice::from_ref(&path), &InspectOptions { sample: Some(100), ..DEFAULT });
    assert!((90..=120).contains(&asked.sample.num_records), "{}", asked.sample.num_records);
    let exact = look(std::slice::from_ref(&path), &InspectOptions { exact: true, ..DEFAULT });
    assert_eq!(exact.files[0].count, Count::Exact(7200));

    // A small file beside it is counted all the same, and an index gives the number of the large one.
    make_index(&path);
    let small = folder.write("small", &file_of(&examples(10)));
    let both = look(&[path, small], &DEFAULT);
    assert_eq!(both.files[0].index, IndexState::Valid);
    assert_eq!(
        both.files.iter().map(|file| file.count).collect::<Vec<_>>(),
        [Count::Exact(7200), Count::Exact(10)]
    );
}

#[test]
fn where_no_record_begins_is_told_and_not_counted() {
    let folder = Folder::new();
    let records: Vec<Vec<u8>> = (0..2_000).map(|number| noise(1008, number)).collect();
    // 120 MiB of records of 1 KiB; the places looked at are 5 MiB apart.
    let bytes = file_of(&records)[..2 * 1000 * 1024].repeat(60);
    let num_bytes = bytes.len();
    let inspected = |damaged: std::ops::Range<usize>, exact| {
        let mut bytes = bytes.clone();
        // As a crash leaves behind what was allocated and never written.
        bytes[damaged].fill(0);
        let options = InspectOptions { exact, ..DEFAULT };
        look(&[folder.write("data", &bytes)], &options).files.remove(0)
    };
    // At one place: the others tell how many records there are.
    let hole = num_bytes / 24 * 10..num_bytes / 24 * 11;
    let found = inspected(hole.clone(), false);
    let Count::Estimated(number) = found.count else { panic!("{:?}", found.count) };
    assert!((114_000..116_000).contains(&number), "{number}");
    assert_eq!(found.blind_byte, Some(hole.start as u64));
    // From a place on: nothing tells what the rest was to be.
    let found = inspected(num_bytes / 8..num_bytes, false);
    assert_eq!(found.count, Count::Unknown);
    assert!(found.blind_byte >= Some(num_bytes as u64 / 8), "{found:?}");
    // Who reads all of it finds what is wrong, and has nothing left to guess.
    let found = inspected(num_bytes / 8..num_bytes, true);
    assert_eq!((found.count, found.num_problems, found.blind_byte), (Count::Exact(15_000), 1, None));
}

#[test]
fn few_large_records_are_counted_by_their_headers() {
    let folder = Folder::new();
    let records: Vec<Vec<u8>> = (0..9).map(|number| vec![number; 8 << 20]).collect();
    let path = folder.write("data", &file_of(&records));
    let found = look(std::slice::from_ref(&path), &DEFAULT);
    assert_eq!((found.files[0].count, found.files[0].num_problems), (Count::Exact(9), 0));
    assert_eq!(found.files[0].blind_byte, None);
    assert!(found.sample.num_records < 9, "looked at {}", found.sample.num_records);
}

#[test]
fn a_stale_index_is_said_to_be_and_not_believed() {
    let folder = Folder::new();
    let path = folder.write("data", &file_of(&examples(5)));
    make_index(&path);
    folder.write("data", &file_of(&examples(6)));
    let found = look(std::slice::from_ref(&path), &DEFAULT);
    assert_eq!((found.files[0].count, found.files[0].num_problems), (Count::Exact(6), 0));
    assert!(matches!(&found.files[0].index, IndexState::Unusable(problem) if problem.hint.is_some()));
    let record = read_record(&path, 5).unwrap();
    assert_eq!((record.data == examples(6)[5], record.used_index), (true, false));
    assert!(record.index_problem.is_some());
}

#[test]
fn one_record_with_and_without_an_index() {
    let folder = Folder::new();
    let records = examples(30_000);
    let offsets = offsets_of(&records);
    for compression in COMPRESSIONS {
        let path = folder.write("data", &compressed(&file_of(&records), compression));
        for with_index in [false, true] {
            if with_index && compression.is_some() {
                continue;
            }
            if with_index {
                make_index(&path);
            }
            for number in [0, 1, 12_345, 29_999] {
                let found = read_record(&path, number).unwrap();
                assert!(found.data == records[number as usize]);
                assert_eq!((found.byte, found.used_index), (offsets[number as usize], with_index));
            }
            for number in [30_000, u64::MAX] {
                let error = read_record(&path, number).unwrap_err().to_string();
                assert!(
                    error.contains(&format!("data: there is no record {number}, the file has 30000")),
                    "{error}"
                );
                assert!(
                    error.contains("hint: records are counted from 0, so the last one is 29999"),
                    "{error}"
                );
            }
            _ = std::fs::remove_file(folder.path("data.feedline-index"));
        }
    }
}

#[test]
fn a_record_before_which_the_file_is_damaged() {
    let folder = Folder::new();
    let records = examples(10);
    let byte_of_fourth = offsets_of(&records)[4] as usize;
    let damaged = |byte: usize| {
        let mut file = file_of(&records);
        file[byte] ^= 1;
        folder.write("data", &file)
    };
    // Its data: the length still leads to those behind it.
    let path = damaged(byte_of_fourth + 13);
    assert!(read_record(&path, 7).unwrap().data == records[7]);
    let error = read_record(&path, 4).unwrap_err().to_string();
    assert!(error.contains("data: record 4 (byte ") && error.contains("data checksum"), "{error}");
    // Its length.
    let path = damaged(byte_of_fourth + 1);
    assert!(read_record(&path, 3).is_ok());
    let error = read_record(&path, 7).unwrap_err().to_string();
    assert!(error.contains("data: record 4 (byte ") && error.contains("hint:"), "{error}");
}

/// Read from front to back it would take minutes.
#[test]
fn a_record_far_into_a_large_file_is_found_by_the_lengths_before_it() {
    let folder = Folder::new();
    let path = folder.path("data");
    let (mut header, length) = (Vec::new(), 1u64 << 30);
    header.extend_from_slice(&length.to_le_bytes());
    header.extend_from_slice(&feedline::formats::masked_crc32c(&length.to_le_bytes()).to_le_bytes());
    let last = file_of(&examples(1));
    let file = std::fs::File::create(&path).unwrap();
    let starts: Vec<u64> = (0..101).map(|number| number * (length + 16)).collect();
    for &start in &starts[..100] {
        file.write_all_at(&header, start).unwrap(); // data that is a hole, with a checksum that is wrong
    }
    file.write_all_at(&last, starts[100]).unwrap();
    let found = read_record(path.as_ref(), 100).unwrap();
    assert_eq!((found.data == examples(1)[0], found.byte), (true, starts[100]));
    let error = read_record(path.as_ref(), 101).unwrap_err().to_string();
    assert!(error.contains("there is no record 101, the file has 101 records"), "{error}");
}

#[test]
fn records_taken_apart() {
    let example =
        ExampleWriter::new().int64("a", &[1, 2]).bytes("b", &[b"x", b""]).float("c", &[]).to_bytes();
    let decoded = decode(&example).unwrap();
    assert_eq!(decoded.kind, RecordKind::Example);
    let names: Vec<&str> = decoded.features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(decoded.features[0].values, Some(Values::Int64(vec![1, 2])));
    let Some(Values::Bytes(bytes)) = &decoded.features[1].values else { panic!("{:?}", decoded.features[1]) };
    assert_eq!((bytes.get(0, &[]), bytes.get(1, &[])), (&b"x"[..], &b""[..]));

    let steps = [FeatureValues::Float(&[0.5, 1.5]), FeatureValues::Float(&[]), FeatureValues::Float(&[2.5])];
    let sequence = SequenceWriter::new().list("steps", &steps).list("none", &[]).to_bytes();
    let decoded = decode(&sequence).unwrap();
    assert_eq!(decoded.kind, RecordKind::SequenceExample);
    assert_eq!((decoded.lists[0].name.as_str(), decoded.lists[0].step_lens.len()), ("none", 0));
    assert_eq!(decoded.lists[1].step_lens, [2, 0, 1]);
    assert_eq!(decoded.lists[1].values, Some(Values::Float32(vec![0.5, 1.5, 2.5])));

    // A name that is no UTF-8 is shown escaped, and its values are not lost.
    let mut odd = ExampleWriter::new().int64("count", &[1, 2, 3]).float("x", &[0.5]).to_bytes();
    let at = odd.windows(5).position(|bytes| bytes == b"count").unwrap();
    odd[at] = 0xe9;
    let features = decode(&odd).unwrap().features;
    let names: Vec<&str> = features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(names, ["x", "\\xe9ount"]);
    assert_eq!(features[1].values, Some(Values::Int64(vec![1, 2, 3])));

    assert_eq!(decode(b"\xffrubbish").unwrap().kind, RecordKind::Bytes);
    assert_eq!(decode(b"").unwrap().features.len(), 0);
}

/// Two records made into one that takes the same place, between the windows that tell a stale index.
#[test]
fn exact_counts_whatever_an_index_says() {
    let folder = Folder::new();
    for (name, num_records, record_bytes) in [("small", 400, 1000), ("large", 700, 100_000)] {
        let mut records: Vec<Vec<u8>> = (0..num_records).map(|number| noise(record_bytes, number)).collect();
        let path = folder.write(name, &file_of(&records));
        make_index(&path);
        let second = records.remove(11);
        records[10] = [&records[10][..], &[0; 16], &second].concat();
        folder.write(name, &file_of(&records));
        let exact = look(std::slice::from_ref(&path), &InspectOptions { exact: true, ..DEFAULT });
        assert_eq!(exact.files[0].count, Count::Exact(u64::from(num_records) - 1), "{name}");
        let IndexState::Unusable(problem) = &exact.files[0].index else {
            panic!("{name}: {:?}", exact.files[0].index)
        };
        let reason = format!("the index has {num_records} records, the file {}", num_records - 1);
        assert_eq!(problem.reason, reason);
        assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("feedline index --force")));
    }
}
