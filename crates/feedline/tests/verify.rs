//! `verify` finds exactly what is wrong, wherever it is.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod records_support;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use feedline::formats::Compression;
use feedline::formats::example::RecordKind;
use feedline::records::{IndexedFile, index_path};
use feedline::verify::{FileVerification, VerifyOptions, verify};
use records_support::*;

fn verify_one(path: &Path) -> FileVerification {
    verify_as(path, None)
}

fn verify_as(path: &Path, kind: Option<RecordKind>) -> FileVerification {
    let options = VerifyOptions { num_threads: 2, kind };
    verify(&[path.to_owned()], &options, &|_| {}, &AtomicBool::new(false)).remove(0)
}

#[test]
fn a_file_cut_at_every_byte() {
    let folder = Folder::new();
    let records = examples(6);
    let (file, offsets) = (file_of(&records), offsets_of(&records));
    for cut in 0..=file.len() {
        let path = folder.write("data", &file[..cut]);
        let found = verify_one(&path);
        let intact = offsets[1..].iter().filter(|&&end| end <= cut as u64).count();
        assert_eq!(found.num_records, intact as u64, "cut at {cut}");
        if offsets.contains(&(cut as u64)) {
            assert_eq!((found.num_problems, &found.problems[..]), (0, &[][..]), "cut at {cut}");
            continue;
        }
        assert_eq!((found.num_problems, found.problems.len()), (1, 1), "cut at {cut}");
        let problem = &found.problems[0];
        assert_eq!(
            (problem.record, problem.byte),
            (Some(intact as u64), Some(offsets[intact])),
            "cut at {cut}"
        );
        assert!(
            problem.reason.contains("ends inside a record") && problem.hint.is_some(),
            "cut at {cut}: {problem}"
        );
    }
}

#[test]
fn what_is_no_example_among_examples_is_bad() {
    let folder = Folder::new();
    let garbage: Vec<Vec<u8>> =
        (0..100).map(|index| format!("\u{ff}\u{ff} garbage {index}").into_bytes()).collect();
    let good = folder.write("good", &file_of(&examples(100)));
    let bad = folder.write("bad", &file_of(&garbage));
    let options = VerifyOptions { num_threads: 2, kind: None };
    let found = verify(&[good, bad.clone()], &options, &|_| {}, &AtomicBool::new(false));
    assert_eq!((found[0].num_problems, found[1].num_problems), (0, 100));
    // Alone, too; a file of something else must be called one.
    assert_eq!(verify_one(&bad).num_problems, 100);
    assert_eq!(verify_as(&bad, Some(RecordKind::Bytes)).num_problems, 0);

    // At the beginning of one file.
    let mixed: Vec<Vec<u8>> = garbage[..40].iter().cloned().chain(examples(1000)).collect();
    let found = verify_one(&folder.write("mixed", &file_of(&mixed)));
    assert_eq!((found.num_problems, found.num_records), (40, 1000));
}

#[test]
fn every_bit_flipped() {
    let folder = Folder::new();
    let records = examples(3);
    let (file, offsets) = (file_of(&records), offsets_of(&records));
    for byte in 0..file.len() {
        let damaged = offsets.iter().rposition(|&start| start <= byte as u64).unwrap();
        for flip in (0..8).map(|bit| 1 << bit).chain([0xff]) {
            let mut bytes = file.clone();
            bytes[byte] ^= flip;
            let found = verify_one(&folder.write("data", &bytes));
            let context = format!("byte {byte} ^ {flip:#x}: {:?}", found.problems);
            assert_eq!((found.num_records, found.num_problems), (2, 1), "{context}");
            let problem = &found.problems[0];
            assert_eq!(
                (problem.record, problem.byte),
                (Some(damaged as u64), Some(offsets[damaged])),
                "{context}"
            );
            assert!(problem.reason.contains("checksum") && problem.hint.is_some(), "{context}");
        }
    }
}

#[test]
fn every_value_of_the_first_bytes() {
    let folder = Folder::new();
    let records = examples(3);
    let file = file_of(&records);
    for byte in 0..2 {
        for value in (0..=255).filter(|&value| value != file[byte]) {
            let mut bytes = file.clone();
            bytes[byte] = value;
            let found = verify_one(&folder.write("data", &bytes));
            assert_eq!(
                (found.num_records, found.num_problems),
                (2, 1),
                "byte {byte} = {value}: {:?}",
                found.problems
            );
            // Two bytes that zlib could begin with, and nothing behind them that it could go on with.
            assert!(
                found.problems[0].reason.contains("length checksum"),
                "byte {byte} = {value}: {:?}",
                found.problems
            );
        }
    }
}

#[test]
fn compressed_files_cut_off_or_damaged() {
    let folder = Folder::new();
    let records = examples(40);
    for compression in [Compression::Gzip, Compression::Zlib] {
        let bytes = compressed(&file_of(&records), Some(compression));
        let found = verify_one(&folder.write("data", &bytes));
        assert_eq!((found.num_records, found.num_problems, found.compression), (40, 0, Some(compression)));
        for cut in 3..bytes.len() {
            let found = verify_one(&folder.write("data", &bytes[..cut]));
            assert_eq!(found.num_problems, 1, "{compression} cut at {cut}: {:?}", found.problems);
            let problem = &found.problems[0];
            assert_eq!(
                (problem.record, problem.byte.is_some()),
                (Some(found.num_records), true),
                "cut at {cut}"
            );
            assert!(
                problem.reason.contains(compression.name()) && problem.hint.is_some(),
                "cut at {cut}: {problem}"
            );
        }
        for byte in 3..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[byte] ^= 0x10;
            let found = verify_one(&folder.write("data", &damaged));
            // Some bytes of a gzip header mean nothing, and so do the bits that fill up the last byte of a stream.
            assert!(found.num_problems > 0 || found.num_records == 40, "{compression} {byte}");
        }
    }
}

#[test]
fn records_that_do_not_parse() {
    let folder = Folder::new();
    let mut records = examples(10);
    records[4] = b"\xffno Example".to_vec();
    let path = folder.write("data", &file_of(&records));
    let found = verify_one(&path);
    assert_eq!((found.kind, found.num_records, found.num_problems), (RecordKind::Example, 9, 1));
    let problem = found.problems[0].to_string();
    let place = format!("data: record 4 (byte {}): not a valid Example: ", offsets_of(&records)[4]);
    assert!(problem.contains(&place), "{problem}");

    assert_eq!(verify_as(&path, Some(RecordKind::Bytes)).num_problems, 0);
    let path = folder.write("raw", &file_of(&[b"\xffone", b"\xfftwo"]));
    assert_eq!(verify_as(&path, Some(RecordKind::Bytes)).num_problems, 0);
    for kind in [None, Some(RecordKind::Example), Some(RecordKind::SequenceExample)] {
        assert_eq!(verify_as(&path, kind).num_problems, 2, "{kind:?}");
    }
}

#[test]
fn what_is_no_record_file_at_all() {
    let folder = Folder::new();
    assert_eq!(verify_one(&folder.write("empty", b"")).num_problems, 0);
    let found = verify_one(&folder.write("text", &b"once upon a time ".repeat(1000)));
    assert_eq!((found.num_records, found.num_problems), (0, 1));
    assert!(found.problems[0].hint.as_ref().unwrap().contains("is this a TFRecord file?"));
    let found = verify_one(&folder.path("missing"));
    assert_eq!(found.num_problems, 1);
    let problem = &found.problems[0];
    assert!(
        problem.to_string().starts_with(&format!("{}: could not open: ", folder.path("missing").display()))
    );
}

#[test]
fn an_index_that_does_not_fit_is_a_problem_of_its_own() {
    let folder = Folder::new();
    let path = folder.write("data", &file_of(&examples(5)));
    let options = feedline::index::IndexOptions { num_threads: 1, force: false, check: false };
    let indexed =
        feedline::index::index(std::slice::from_ref(&path), &options, &|_| {}, &AtomicBool::new(false));
    assert!(indexed[0].outcome.is_ok());
    let found = verify_one(&path);
    assert_eq!((found.has_index, found.num_problems), (true, 0));
    folder.write("data", &file_of(&examples(6)));
    let found = verify_one(&path);
    assert_eq!((found.has_index, found.num_problems, found.num_records), (false, 1, 6));
    assert_eq!(found.problems[0].path, index_path(&path));
    assert!(found.problems[0].hint.as_ref().unwrap().contains("feedline index"));
}

/// A folder that was copied has times in whatever order its files were copied.
#[test]
fn an_index_that_fits_may_be_older_than_its_file() {
    let folder = Folder::new();
    let path = folder.write("data", &file_of(&examples(5)));
    let options = feedline::index::IndexOptions { num_threads: 1, force: false, check: false };
    feedline::index::index(std::slice::from_ref(&path), &options, &|_| {}, &AtomicBool::new(false));
    let written = std::fs::metadata(&path).unwrap().modified().unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(written + std::time::Duration::from_mins(1)).unwrap();
    let found = verify_one(&path);
    assert_eq!((found.has_index, found.num_problems), (true, 0), "{:?}", found.problems);
}

/// Its name is all that a sparse file of a terabyte has of an index.
#[test]
fn an_index_larger_than_its_file_is_not_read() {
    let folder = Folder::new();
    let path = folder.write("data", &file_of(&examples(5)));
    std::fs::File::create(index_path(&path)).unwrap().set_len(1 << 40).unwrap();
    let found = verify_one(&path);
    assert_eq!((found.has_index, found.num_problems, found.num_records), (false, 1, 5));
    assert!(
        found.problems[0].reason.contains("it has 1099511627776 bytes, too many"),
        "{}",
        found.problems[0]
    );
    assert!(found.problems[0].hint.as_ref().unwrap().contains("feedline index"));
}

/// Two neighbours changed places between the windows that tie an index to its file: same size, same number of records.
#[test]
fn an_index_with_records_in_other_places_is_stale() {
    let folder = Folder::new();
    let mut records: Vec<Vec<u8>> = (0..2000).map(|number| noise(100 + number % 7, number as u32)).collect();
    (records[1002], records[1003]) = (noise(5000, 2), noise(5100, 3));
    let path = folder.write("data", &file_of(&records));
    let options = feedline::index::IndexOptions { num_threads: 1, force: false, check: false };
    let indexed =
        feedline::index::index(std::slice::from_ref(&path), &options, &|_| {}, &AtomicBool::new(false));
    assert!(indexed[0].outcome.as_ref().unwrap().is_new);
    let before = offsets_of(&records);
    records.swap(1002, 1003);
    folder.write("data", &file_of(&records));
    assert!(IndexedFile::open(&path).is_ok(), "the change must lie between the windows");

    let found = verify_as(&path, Some(RecordKind::Bytes));
    assert_eq!((found.has_index, found.num_problems, found.num_records), (false, 1, 2000));
    let problem = &found.problems[0];
    assert_eq!((&problem.path, problem.record), (&index_path(&path), Some(1003)));
    let after = offsets_of(&records);
    let places =
        format!("the index has the record at byte {}, the file at byte {}", before[1003], after[1003]);
    assert_eq!(problem.reason, places);
    assert!(problem.hint.as_ref().unwrap().contains("feedline index --force"));
}

#[test]
fn what_a_damaged_length_costs_is_a_lower_bound() {
    let folder = Folder::new();
    let (file, offsets) = (file_of(&examples(5)), offsets_of(&examples(5)));
    for (byte, lost, said) in [(14, "1", false), (1, "at least 1", true)] {
        let mut damaged = file.clone();
        damaged[offsets[2] as usize + byte] ^= 1;
        let found = verify_one(&folder.write("data", &damaged));
        assert_eq!((found.num_problems, found.damage.lost_records().to_string()), (1, lost.into()));
        assert_eq!(found.damage.bytes, offsets[3] - offsets[2]);
        let loss = format!("; {} bytes are lost, at least 1 record", found.damage.bytes);
        assert_eq!(found.problems[0].reason.ends_with(&loss), said, "{}", found.problems[0]);
    }
}

#[test]
fn many_files_report_in_order_and_progress_adds_up() {
    let folder = Folder::new();
    let paths: Vec<PathBuf> = (0..50)
        .map(|number| {
            let mut bytes = compressed(&file_of(&examples(number)), COMPRESSIONS[number as usize % 3]);
            if number == 30 {
                let last = bytes.len() - 1;
                bytes[last] ^= 1;
            }
            folder.write(&format!("data-{number:02}"), &bytes)
        })
        .collect();
    let size: u64 = paths.iter().map(|path| std::fs::metadata(path).unwrap().len()).sum();
    for num_threads in [1, 4] {
        let progress = AtomicU64::new(0);
        let options = VerifyOptions { num_threads, kind: None };
        let report = |bytes| _ = progress.fetch_add(bytes, Ordering::Relaxed);
        let found = verify(&paths, &options, &report, &AtomicBool::new(false));
        let bad: Vec<usize> = (0..50).filter(|&number| found[number].num_problems > 0).collect();
        assert_eq!(bad, [30]);
        assert!(found.iter().zip(&paths).all(|(found, path)| &found.path == path));
        assert_eq!(found.iter().map(|file| file.num_records).sum::<u64>(), 49 * 50 / 2 - 1);
        assert_eq!(progress.load(Ordering::Relaxed), size);
    }
}
