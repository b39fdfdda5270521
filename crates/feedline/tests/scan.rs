//! Scanning in pieces on many threads finds exactly what reading from front to back finds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use feedline::formats::example::{ExampleWriter, RecordKind};
use feedline::formats::tfrecord::{Damage, write_frame};
use feedline::formats::{CompressedStream, Compression, deflate_piece};
use feedline::scan::{FileScan, ScanFile, ScanOptions, scan};
use proptest::prelude::*;

fn scan_one(path: &std::path::Path, kind: RecordKind, piece_bytes: u64, num_threads: usize) -> FileScan {
    let options = ScanOptions { num_threads, keep_lengths: true, piece_bytes };
    let (scanned, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let progress = |bytes| _ = scanned.fetch_add(bytes, Ordering::Relaxed);
    let files = [ScanFile { path: path.to_owned(), kind }];
    let found = scan(&files, &options, &progress, &stop).remove(0);
    assert_eq!(scanned.load(Ordering::Relaxed), found.file_bytes, "progress adds up to the size of the file");
    found
}

/// All that must be equal.
fn summary(scan: &FileScan) -> (u64, u64, Vec<u32>, Vec<String>, Damage) {
    let errors = scan.errors.iter().map(ToString::to_string).collect();
    (scan.num_records, scan.data_bytes, scan.lengths.clone(), errors, scan.damage)
}

#[derive(Clone, Debug)]
enum Record {
    Example(i64),
    Noise(Vec<u8>),
    /// A record whose data is itself a record file.
    Nested(Vec<Vec<u8>>),
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..60);
    let record = prop_oneof![
        any::<i64>().prop_map(Record::Example),
        bytes().prop_map(Record::Noise),
        prop::collection::vec(bytes(), 0..6).prop_map(Record::Nested),
    ];
    prop::collection::vec(record, 0..30)
}

fn file_of(records: &[Record]) -> Vec<u8> {
    let mut file = Vec::new();
    for record in records {
        match record {
            Record::Example(label) => {
                write_frame(&mut file, &ExampleWriter::new().int64("label", &[*label]).to_bytes())
                    .expect("small");
            }
            Record::Noise(bytes) => write_frame(&mut file, bytes).expect("small"),
            Record::Nested(inner) => {
                let mut data = Vec::new();
                for bytes in inner {
                    write_frame(&mut data, bytes).expect("small");
                }
                write_frame(&mut file, &data).expect("small");
            }
        }
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pieces_equal_one_pass(
        records in records(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..=255), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        piece_bytes in 1u64..400,
    ) {
        let mut file = file_of(&records);
        for (at, flip) in flips {
            if !file.is_empty() {
                let at = at.index(file.len());
                file[at] ^= flip;
            }
        }
        if let Some(cut) = cut && !file.is_empty() {
            file.truncate(cut.index(file.len()));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.tfrecord");
        std::fs::write(&path, &file).unwrap();
        for kind in [RecordKind::Bytes, RecordKind::Example] {
            let whole = scan_one(&path, kind, u64::MAX, 1);
            prop_assert!(whole.failure.is_none() || whole.compression.is_some(), "{:?}", whole.failure);
            let pieces = scan_one(&path, kind, piece_bytes, 3);
            prop_assert_eq!(summary(&whole), summary(&pieces));
        }
    }
}

#[test]
fn an_undamaged_file_has_all_its_records() {
    let records: Vec<Record> = (0..1000).map(Record::Example).collect();
    let folder = tempfile::tempdir().unwrap();
    let plain = file_of(&records);
    for compression in [None, Some(Compression::Gzip), Some(Compression::Zlib)] {
        let path = folder.path().join("data.tfrecord");
        let bytes = match compression {
            None => plain.clone(),
            Some(compression) => {
                let mut stream = CompressedStream::new(compression);
                let mut out = stream.header().to_vec();
                stream.add(&plain);
                deflate_piece(&plain, 6, &mut out);
                [out, stream.trailer()].concat()
            }
        };
        std::fs::write(&path, bytes).unwrap();
        let found = scan_one(&path, RecordKind::Example, 1000, 4);
        assert_eq!((found.num_records, found.num_errors, found.compression), (1000, 0, compression));
        assert_eq!(found.lengths.len(), 1000);
    }
}

#[test]
fn a_record_larger_than_many_pieces() {
    let mut file = file_of(&[Record::Example(1)]);
    // Its data is a record file, so that every piece within it finds records that are none.
    let inner = file_of(&(0..2000).map(Record::Example).collect::<Vec<_>>());
    write_frame(&mut file, &inner).unwrap();
    write_frame(&mut file, &vec![0; 100_000]).unwrap();
    file.extend(file_of(&[Record::Example(2), Record::Example(3)]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.tfrecord");
    std::fs::write(&path, &file).unwrap();
    for (piece_bytes, num_threads) in [(u64::MAX, 1), (10_000, 1), (1000, 3), (64, 2)] {
        let found = scan_one(&path, RecordKind::Bytes, piece_bytes, num_threads);
        assert_eq!((found.num_records, found.num_errors, found.failure.is_none()), (5, 0, true));
        assert_eq!(found.lengths[1..3], [inner.len() as u32, 100_000]);
    }
}

#[test]
fn what_was_found_before_a_failure_counts() {
    let plain = file_of(&(0..1000).map(Record::Example).collect::<Vec<_>>());
    let mut stream = CompressedStream::new(Compression::Gzip);
    let mut bytes = stream.header().to_vec();
    stream.add(&plain);
    deflate_piece(&plain, 6, &mut bytes);
    bytes.truncate(bytes.len() / 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.tfrecord.gz");
    std::fs::write(&path, bytes).unwrap();
    let found = scan_one(&path, RecordKind::Example, 1000, 2);
    assert!((1..1000).contains(&found.num_records), "{} records", found.num_records);
    let failure = found.failure.unwrap().to_string();
    assert!(failure.contains(&format!("record {} (byte ", found.num_records)), "{failure}");
}

#[test]
fn a_missing_file_is_a_failure_of_that_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there");
    std::fs::write(&there, file_of(&[Record::Example(1)])).unwrap();
    let files = [folder.path().join("missing"), there].map(|path| ScanFile { path, kind: RecordKind::Bytes });
    let scans = scan(&files, &ScanOptions::default(), &|_| {}, &AtomicBool::new(false));
    assert!(scans[0].failure.as_ref().unwrap().to_string().contains("missing"));
    assert_eq!((scans[1].num_records, scans[1].failure.is_none()), (1, true));
}
