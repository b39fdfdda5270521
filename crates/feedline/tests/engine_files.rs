//! Files as sources: records and lines, intact and damaged, in every mode, resumed everywhere.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::fs;
use std::path::{Path, PathBuf};

use engine_support::check;
use feedline::Dataset;
use feedline::formats::Compression;
use feedline::records::RecordWriter;

/// A file of records `NAME-0`, `NAME-1` … of growing length.
fn write(folder: &Path, name: &str, records: usize, compression: Option<Compression>) -> PathBuf {
    let path = folder.join(format!("{name}.tfrecord"));
    let mut writer = RecordWriter::create(&path, compression).unwrap();
    for record in 0..records {
        writer.write(text(name, record).as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    path
}

fn text(name: &str, record: usize) -> String {
    format!("{name}-{record}{}", "x".repeat(record * record % 170))
}

fn texts(files: &[(&str, usize)]) -> Vec<String> {
    let rows =
        files.iter().flat_map(|(name, count)| (0..*count).map(|record| format!("{:?}", text(name, record))));
    rows.collect()
}

#[test]
fn records_come_in_the_order_of_files() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a", 20, None);
    write(folder.path(), "b", 0, None);
    write(folder.path(), "c", 15, Some(Compression::Gzip));
    write(folder.path(), "d", 3, Some(Compression::Zlib));
    let dataset = Dataset::tf_record(&[folder.path().join("*.tfrecord")]).unwrap();
    assert_eq!(check(&dataset), texts(&[("a", 20), ("c", 15), ("d", 3)]));
    assert_eq!(check(&dataset.skip(18).take(5)), texts(&[("a", 20), ("c", 15)])[18..23]);
    assert_eq!(check(&dataset.skip(30).repeat(3)).len(), 24);
    assert_eq!(check(&dataset.shuffle(7).seed(1).batch(4)).len(), 10);
    assert_eq!(dataset.cardinality().unwrap(), -2);
}

#[test]
fn damage_is_one_error_and_the_next_file_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = write(folder.path(), "a", 6, None);
    write(folder.path(), "b", 2, None);
    let mut bytes = fs::read(&damaged).unwrap();
    let place = bytes.len() - 6;
    bytes[place] ^= 1;
    fs::write(&damaged, &bytes).unwrap();
    let dataset = Dataset::tf_record(&[folder.path().join("*.tfrecord")]).unwrap();
    let items = check(&dataset);
    assert_eq!(items[..5], texts(&[("a", 5)]));
    assert!(items[5].contains("a.tfrecord: record 5 (byte "), "{}", items[5]);
    assert_eq!(items[6..], texts(&[("b", 2)]));
    assert_eq!(check(&dataset.ignore_errors()).len(), 7);
    // What is no record behind the last one ends the file the same way.
    fs::write(&damaged, [&bytes[..0], b"corrupted data"].concat()).unwrap();
    let items = check(&dataset);
    assert!(items[0].starts_with("error: "), "{}", items[0]);
    assert_eq!(items[1..], texts(&[("b", 2)]));
    // A file that went away after it was listed.
    fs::remove_file(&damaged).unwrap();
    let items = check(&dataset);
    assert!(items[0].contains("a.tfrecord"), "{}", items[0]);
    assert_eq!(items[1..], texts(&[("b", 2)]));
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_records_and_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a", 4, None);
    let bytes = fs::read(&path).unwrap();
    let dataset =
        Dataset::tf_record(&[&path]).unwrap().with_options(feedline::Options::new().threads(2).block_size(1));
    let mut ends = vec![0];
    for record in 0..4 {
        ends.push(ends[record] + text("a", record).len() + 16);
    }
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let items: Vec<_> = dataset.iterator().unwrap().collect();
        let whole = ends.iter().filter(|&&end| end <= length).count() - 1;
        let is_clean = ends.contains(&length);
        assert_eq!(items.len(), whole + usize::from(!is_clean), "{length} bytes");
        assert_eq!(
            items.iter().filter(|item| item.is_err()).count(),
            usize::from(!is_clean),
            "{length} bytes"
        );
    }
}

#[test]
fn large_records_come_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.tfrecord");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    let sizes = [0, 10, 300 << 10, 1, 3 << 20, 255 << 10];
    for (record, size) in sizes.into_iter().enumerate() {
        writer.write(&vec![record as u8; size]).unwrap();
    }
    writer.finish().unwrap();
    let dataset = Dataset::tf_record(&[&path]).unwrap();
    for (mode, options) in engine_support::modes() {
        let found: Vec<(usize, bool)> = dataset
            .with_options(options)
            .iterator()
            .unwrap()
            .zip(0_u8..)
            .map(|(item, record)| {
                let element = item.unwrap();
                let bytes = element.leaves()[0].strings().unwrap().get(0);
                (bytes.len(), bytes.iter().all(|&byte| byte == record))
            })
            .collect();
        assert_eq!(found, sizes.map(|size| (size, true)), "{mode}");
    }
}

#[test]
fn lines_without_their_ends() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("1.txt"), "one\ntwo\r\n\nfour").unwrap();
    fs::write(folder.path().join("2.txt"), "").unwrap();
    fs::write(folder.path().join("3.txt"), format!("five\r\n{}\n", "y".repeat(500))).unwrap();
    let dataset = Dataset::text_line(&[folder.path().join("*.txt")]).unwrap();
    let long = format!("{:?}", "y".repeat(500));
    assert_eq!(check(&dataset), ["\"one\"", "\"two\"", "\"\"", "\"four\"", "\"five\"", long.as_str()]);
    assert_eq!(check(&dataset.skip(3).take(2)), ["\"four\"", "\"five\""]);
}

#[test]
fn a_pattern_without_files_is_an_error_with_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let message = Dataset::tf_record(&[folder.path().join("empty-*")]).unwrap_err().to_string();
    assert!(message.contains("empty-*"), "{message}");
}
