//! Making indexes: new, stale, up to date, and refused.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod records_support;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use feedline::formats::Compression;
use feedline::index::{IndexOptions, IndexReport, index};
use feedline::records::{IndexedFile, index_path};
use records_support::*;

const MAKE: IndexOptions = IndexOptions { num_threads: 3, force: false, check: false };
const FORCE: IndexOptions = IndexOptions { num_threads: 3, force: true, check: false };
const CHECK: IndexOptions = IndexOptions { num_threads: 3, force: false, check: true };

/// Indexes the files, and checks that the progress adds up.
fn run(paths: &[PathBuf], options: &IndexOptions) -> Vec<IndexReport> {
    let progress = AtomicU64::new(0);
    let reports = index(
        paths,
        options,
        &|bytes| _ = progress.fetch_add(bytes, Ordering::Relaxed),
        &AtomicBool::new(false),
    );
    let size: u64 = paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|meta| meta.len()).sum();
    assert_eq!(progress.load(Ordering::Relaxed), size);
    assert!(reports.iter().zip(paths).all(|(report, path)| &report.path == path));
    reports
}

fn error_of(report: &IndexReport) -> String {
    report.outcome.as_ref().unwrap_err().to_string()
}

/// Records, and whether the index was made now.
fn outcome_of(report: &IndexReport) -> (u64, bool) {
    let outcome = report.outcome.as_ref().unwrap();
    (outcome.num_records, outcome.is_new)
}

#[test]
fn missing_stale_and_current_indexes() {
    let folder = Folder::new();
    let records = examples(400);
    let path = folder.write("data", &file_of(&records));
    let paths = [path.clone()];
    assert!(
        error_of(&run(&paths, &CHECK)[0]).contains("data: there is no index beside it\nhint: make one with")
    );
    assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (400, true));
    assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (400, false));
    assert_eq!(outcome_of(&run(&paths, &CHECK)[0]), (400, false));
    assert_eq!(outcome_of(&run(&paths, &FORCE)[0]), (400, true));
    let file = IndexedFile::open(&path).unwrap();
    assert_eq!(file.read(399, &mut Vec::new()).unwrap(), Some(&records[399][..]));

    folder.write("data", &file_of(&records[..100]));
    assert!(error_of(&run(&paths, &CHECK)[0]).contains("hint: make it again with `feedline index`"));
    assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (100, true));
    folder.write("data.feedline-index", b"rubbish");
    assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (100, true));
    folder.write("data", b"");
    assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (0, true));
}

/// A folder that was copied (`cp -r`, `git checkout`) has new times, in whatever order its files came.
#[test]
fn times_do_not_matter() {
    let folder = Folder::new();
    let records: Vec<Vec<u8>> = (0..40).map(|seed| noise(10_000, seed + 1)).collect();
    let path = folder.write("data", &file_of(&records));
    let paths = [path.clone()];
    assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (40, true));
    let made = std::fs::metadata(index_path(&path)).unwrap().modified().unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    let minute = std::time::Duration::from_mins(1);
    for time in [made - minute, made, made + minute, made + 1_000_000 * minute] {
        file.set_modified(time).unwrap();
        assert_eq!(outcome_of(&run(&paths, &CHECK)[0]), (40, false));
        assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (40, false));
        let indexed = IndexedFile::open(&path).unwrap();
        assert_eq!(indexed.read(39, &mut Vec::new()).unwrap(), Some(&records[39][..]));
    }
    // Other contents of the same size are noticed, whatever the time.
    let mut other = file_of(&records);
    let last = other.len() - 1;
    other[last] ^= 1;
    for time in [made - minute, made + minute] {
        folder.write("data", &other);
        file.set_modified(time).unwrap();
        assert!(error_of(&run(&paths, &CHECK)[0]).contains("the file has the same size but other content"));
        assert!(IndexedFile::open(&path).is_err());
    }
}

#[test]
fn a_file_written_after_its_index_is_compared_as_a_whole() {
    let folder = Folder::new();
    let mut records: Vec<Vec<u8>> = (0..4000).map(|seed| noise(100 + seed % 7, seed as u32 + 1)).collect();
    let path = folder.write("data", &file_of(&records));
    let paths = [path.clone()];
    assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (4000, true));
    let made = std::fs::metadata(index_path(&path)).unwrap().modified().unwrap();
    let minute = std::time::Duration::from_mins(1);
    let set = |path: &PathBuf, time| {
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    // Far from the sixteen windows of the check, two records of different lengths change places.
    records.swap(2000, 2001);
    folder.write("data", &file_of(&records));
    set(&path, made - minute);
    assert_eq!(outcome_of(&run(&paths, &CHECK)[0]), (4000, false), "nothing tells, without reading it all");
    set(&path, made + minute);
    let error = error_of(&run(&paths, &CHECK)[0]);
    assert!(error.contains("data.feedline-index: the file was changed after it was indexed"), "{error}");
    assert!(error.contains("\nhint: make it again with `feedline index "), "{error}");
    assert_eq!(outcome_of(&run(&paths, &MAKE)[0]), (4000, true));
    let indexed = IndexedFile::open(&path).unwrap();
    assert_eq!(indexed.read(2001, &mut Vec::new()).unwrap(), Some(&records[2001][..]));
}

#[test]
fn what_cannot_be_indexed_is_refused_with_place_and_remedy_and_leaves_nothing() {
    let folder = Folder::new();
    let records = examples(30);
    let (file, offsets) = (file_of(&records), offsets_of(&records));
    let mut damaged = file.clone();
    damaged[offsets[7] as usize + 13] ^= 1;
    damaged[offsets[9] as usize + 13] ^= 1;
    let paths = [
        folder.write("zipped", &compressed(&file, Some(Compression::Gzip))),
        folder.write("damaged", &damaged),
        folder.write("cut", &file[..file.len() - 1]),
        folder.path("missing"),
        folder.write("fine", &file),
    ];
    let reports = run(&paths, &MAKE);
    for (report, parts) in reports.iter().zip([
        ["zipped: the file is gzip-compressed", "hint: `feedline convert --compression none`"],
        [&format!("damaged: record 7 (byte {}): data checksum", offsets[7]), "hint: `feedline verify "],
        [&format!("cut: record 29 (byte {}): the data ends", offsets[29]), "hint: `feedline verify "],
        ["missing: could not open", ""],
    ]) {
        let error = error_of(report);
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        assert!(!index_path(&report.path).exists());
    }
    assert!(
        error_of(&reports[1]).contains("(and 1 more bad records)")
            || error_of(&reports[1]).contains("and 1 more")
    );
    assert_eq!(outcome_of(&reports[4]), (30, true));
}

#[test]
fn many_files_at_once() {
    let folder = Folder::new();
    let paths: Vec<PathBuf> = (0..40)
        .map(|number| folder.write(&format!("data-{number:02}"), &file_of(&examples(number))))
        .collect();
    run(&paths[..20], &MAKE);
    let reports = run(&paths, &MAKE);
    for (number, report) in (0..).zip(&reports) {
        assert_eq!(outcome_of(report), (number, number >= 20));
    }
}
