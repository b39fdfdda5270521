//! Records larger than the memory there is: an error with the record, its size and the remedy, never the end of the process.
#![allow(clippy::unwrap_used, reason = "test code")]

mod cli_support;

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;

use cli_support::Folder;
use feedline::formats::tfrecord::write_frame;

/// What the command may use, in KiB; less than the record, and enough for everything else.
const LIMIT_KIB: u64 = 200 << 10;
const RECORD_BYTES: u64 = 300 << 20;

/// A small record and one too large, whose data is a hole in the file; its checksum is never reached.
fn make(folder: &Folder) {
    let mut small = Vec::new();
    write_frame(&mut small, b"small").unwrap();
    let mut header = Vec::new();
    header.extend(RECORD_BYTES.to_le_bytes());
    header.extend(feedline::formats::masked_crc32c(&RECORD_BYTES.to_le_bytes()).to_le_bytes());
    let mut file = File::create(folder.path("big.tfrecord")).unwrap();
    file.write_all(&small).unwrap();
    file.write_all(&header).unwrap();
    file.write_at(&[0; 4], small.len() as u64 + 12 + RECORD_BYTES).unwrap();
}

#[test]
fn a_record_that_does_not_fit_is_an_error_with_its_place_and_size() {
    let folder = Folder::new();
    make(&folder);
    // `verify` for all that scan a whole file.
    for command in [
        "inspect big.tfrecord",
        "inspect big.tfrecord --record 1",
        "verify big.tfrecord",
        "convert big.tfrecord out/big",
        "convert big.tfrecord out/big --on-error skip",
    ] {
        let run = folder.shell(&format!("ulimit -v {LIMIT_KIB}; $FEEDLINE --threads 1 {command}"));
        let all = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, 1, "{command}: {all}");
        assert!(
            all.contains("memory") && all.contains("hint: ") && all.contains("ulimit -v"),
            "{command}: {all}"
        );
        let is_placed = all.contains("record 1 (byte 21)") || all.contains("byte 21");
        assert!(is_placed && all.contains(&(RECORD_BYTES + 16).to_string()), "{command}: {all}");
    }
    // Nor is a number of records made up from the one that could be read.
    let run = folder.shell(&format!("ulimit -v {LIMIT_KIB}; $FEEDLINE --threads 1 inspect big.tfrecord"));
    assert!(run.stdout.starts_with("big.tfrecord: 2 records, 300.0 MiB"), "{}", run.stdout);
}

#[test]
fn a_row_and_an_image_that_do_not_fit_are_errors_too() {
    let folder = Folder::new();
    let rows = File::create(folder.path("big.csv")).unwrap();
    rows.write_at(b"id\n1\n", 0).unwrap();
    rows.write_at(b"\n2\n", RECORD_BYTES).unwrap();
    folder.write("photos/cat/1.bmp", b"BM");
    let image = File::options().write(true).open(folder.path("photos/cat/1.bmp")).unwrap();
    image.set_len(RECORD_BYTES).unwrap();
    for command in ["convert big.csv out/rows", "convert photos out/images"] {
        let run = folder.shell(&format!("ulimit -v {LIMIT_KIB}; $FEEDLINE --threads 1 {command}"));
        assert_eq!(run.code, 1, "{command}: {}", run.stderr);
        let text = &run.stderr;
        assert!(
            text.contains("memory") && text.contains("hint: ") && text.contains("ulimit -v"),
            "{command}: {text}"
        );
    }
}
