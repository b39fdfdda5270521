//! Files as sources: `list_files`, `text_line`, `tf_record`.

use std::fs;

use feedline::Dataset;
use feedline::formats::{CompressedStream, Compression, deflate_piece};
use feedline::records::RecordWriter;

use crate::engine_support::check;
use crate::{Case, gives, run};

pub(crate) const CASES: &[Case] = &[
    ("list_files_none", || {
        let folder = tempfile::tempdir().unwrap();
        let pattern = folder.path().join("*");
        for listed in [Dataset::list_files(&[&pattern]), Dataset::list_files_sorted(&[&pattern])] {
            let error = listed.expect_err("there are none").to_string();
            assert!(error.contains("no file") && error.contains(pattern.to_str().unwrap()), "{error}");
        }
    }),
    ("list_files_sorted", || {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b", "c", "a"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let listed = Dataset::list_files_sorted(&[folder.path().join("*")]).unwrap();
        gives(
            &listed,
            ["a", "b", "c"].map(|name| format!("{:?}", folder.path().join(name).to_str().unwrap())),
        );
    }),
    ("text_line", text_line),
    ("tfrecord_parallel", tfrecord_parallel),
];

#[test]
fn files() {
    run(CASES);
}

/// Line ends are no part of the lines, the last may have none; the order of files is kept.
fn text_line() {
    for compression in [None, Some(Compression::Gzip), Some(Compression::Zlib)] {
        for line_end in ["\n", "\r\n"] {
            for is_last_ended in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let mut expected = Vec::new();
                for file in 0..2 {
                    let lines: Vec<String> = (0..5).map(|line| format!("{file}: {line}")).collect();
                    expected.extend(lines.iter().map(|line| format!("{line:?}")));
                    let text = lines.join(line_end) + if is_last_ended { line_end } else { "" };
                    let bytes = compressed(text.as_bytes(), compression);
                    fs::write(folder.path().join(file.to_string()), bytes).unwrap();
                }
                let dataset = Dataset::text_line(&[folder.path().join("*")]).unwrap();
                assert_eq!(check(&dataset), expected, "{compression:?}, {line_end:?}, {is_last_ended}");
            }
        }
    }
}

fn compressed(bytes: &[u8], compression: Option<Compression>) -> Vec<u8> {
    let Some(compression) = compression else { return bytes.to_vec() };
    let mut stream = CompressedStream::new(compression);
    let mut out = stream.header().to_vec();
    deflate_piece(bytes, 6, &mut out);
    stream.add(bytes);
    out.extend(stream.trailer());
    out
}

/// Reading several files at a time gives the same records; one at a time, file after file.
fn tfrecord_parallel() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for file in 0..6 {
        let mut writer = RecordWriter::create(folder.path().join(file.to_string()), None).unwrap();
        for record in 0..7 {
            writer.write(format!("{file}/{record}").as_bytes()).unwrap();
            expected.push(format!("\"{file}/{record}\""));
        }
        writer.finish().unwrap();
    }
    let records = Dataset::tf_record(&[folder.path().join("*")]).unwrap();
    assert_eq!(check(&records), expected);
    let mut in_turn = check(&records.num_parallel_reads(4));
    assert_ne!(in_turn, expected);
    in_turn.sort();
    assert_eq!(in_turn, expected);
}
