//! Files as sources: records and lines, intact and damaged, in every mode, resumed everywhere.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::fs;
use std::path::{Path, PathBuf};

use engine_support::{check, states_cross};
use feedline::data::block::{Strings, Tensor};
use feedline::formats::{CompressedStream, Compression, deflate_piece};
use feedline::plan::{FileCompression, FixedLength};
use feedline::records::RecordWriter;
use feedline::{Csv, Dataset, Options, State};

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
fn no_files_have_no_rows() {
    let none: [&str; 0] = [];
    for dataset in [Dataset::tf_record(&none).unwrap(), Dataset::text_line(&none).unwrap()] {
        assert_eq!(check(&dataset), [""; 0]);
        assert_eq!(check(&dataset.num_parallel_reads(Some(3)).batch(2).repeat(2)), [""; 0]);
    }
    assert_eq!(check(&Dataset::tf_record(&none).unwrap().global_shuffle().seed(1)), [""; 0]);
}

#[test]
fn files_are_read_as_a_stream_unless_the_rule_is_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a", 30, None);
    write(folder.path(), "b", 20, Some(Compression::Gzip));
    let dataset = Dataset::tf_record(&[folder.path().join("*.tfrecord")]).unwrap().batch(3);
    let without = || Options::new().without_rule("read_files_as_stream").unwrap();
    let running =
        |dataset: &Dataset, options| dataset.with_options(options).explain().unwrap().running().lines();
    assert!(running(&dataset, Options::new())[0].ends_with(", read as a stream)"));
    assert!(!running(&dataset, without())[0].contains("as a stream"));
    let report = Dataset::tf_record(&[&path]).unwrap().explain().unwrap().to_string();
    let shown = path.display();
    let expected = format!(
        "read_files_as_stream, step 1\n    - tf_record({shown})\n    + tf_record({shown}, read as a stream)\n"
    );
    assert!(report.contains(&expected), "{report}");
    let nested = Dataset::list_files_sorted(&[folder.path().join("*.tfrecord")])
        .unwrap()
        .interleave(Dataset::tf_record_file)
        .cycle_length(2);
    assert!(running(&nested, Options::new()).iter().any(|line| line.contains("read as a stream")));
    check(&nested);
    // A state of one is one of the other.
    for dataset in [&dataset, &nested] {
        states_cross(dataset, &[Options::new().threads(3), without().threads(3), without().threads(0)], 12);
    }
    // What is read by an index is no stream.
    let shuffled = Dataset::tf_record(&[&path]).unwrap().global_shuffle().seed(1);
    assert!(!running(&shuffled, Options::new()).iter().any(|line| line.contains("as a stream")));
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

/// Where the data of record `record` of a file that [`write`] wrote begins.
fn data_of(name: &str, record: usize) -> usize {
    (0..record).map(|before| text(name, before).len() + 16).sum::<usize>() + 12
}

#[test]
fn a_damaged_record_costs_itself_and_a_damaged_length_the_rest_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a", 12, None);
    write(folder.path(), "b", 2, None);
    let whole = fs::read(&path).unwrap();
    // The first, two neighbours, the last.
    let damaged = [0, 4, 5, 11];
    let mut bytes = whole.clone();
    for record in damaged {
        bytes[data_of("a", record)] ^= 1;
    }
    let mut expected = texts(&[("a", 12), ("b", 2)]);
    let dataset = Dataset::tf_record(&[folder.path().join("*.tfrecord")]).unwrap();
    fs::write(&path, &bytes).unwrap();
    let items = check(&dataset);
    for record in damaged {
        let place =
            format!("a.tfrecord: record {record} (byte {}): data checksum is", data_of("a", record) - 12);
        assert!(items[record].contains(&place), "{}", items[record]);
        expected[record].clone_from(&items[record]);
    }
    assert_eq!(items, expected);
    // Compressed: what is inside is the same.
    fs::write(&path, gzip_of(&bytes)).unwrap();
    assert_eq!(check(&dataset), expected);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(check(&dataset.ignore_errors()).len(), 10);
    assert_eq!(check(&dataset.shuffle(5).seed(1).batch(3)).len(), 4 + damaged.len());
    assert_eq!(check(&dataset.skip(4).take(3)), expected[4..7]);
    // By an index, or by lengths that are looked up: the same errors.
    let shuffled = check(&dataset.global_shuffle().seed(1));
    let num_errors = shuffled.iter().filter(|item| item.starts_with("error")).count();
    assert_eq!((shuffled.len(), num_errors), (expected.len(), damaged.len()));
    // A length that is damaged, too.
    bytes[data_of("a", 7) - 12] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let items = check(&dataset);
    assert_eq!(items[..7], expected[..7]);
    assert_eq!(items[8..], expected[12..]);
    let told = dataset.iterator().unwrap().nth(7).unwrap().unwrap_err().to_string();
    let hint = "\nhint: `feedline convert ";
    for part in ["record 7 (byte ", "the rest of the file is left out", hint, "--on-error skip"] {
        assert!(told.contains(part), "{told}");
    }
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
fn what_lies_before_damage_in_a_compressed_file_comes_from_every_state_too() {
    let folder = tempfile::tempdir().unwrap();
    for compression in [Compression::Gzip, Compression::Zlib] {
        let path = write(folder.path(), "a", 12, Some(compression));
        let whole = fs::read(&path).unwrap();
        let cut = whole[..whole.len() - 4].to_vec();
        let followed = [&whole[..], b"something else"].concat();
        let mut flipped = whole.clone();
        flipped[whole.len() * 9 / 10] ^= 16;
        for (how, bytes) in [("cut", cut), ("followed", followed), ("flipped", flipped)] {
            fs::write(&path, &bytes).unwrap();
            let dataset = Dataset::tf_record(&[&path]).unwrap();
            let items = check(&dataset);
            let num_errors = items.iter().filter(|item| item.starts_with("error")).count();
            assert!(num_errors > 0 && items.len() > 8, "{how}: {items:?}");
            assert_eq!(check(&dataset.ignore_errors()).len(), items.len() - num_errors, "{how}");
            // As lines, whatever they are: each is there from each state.
            assert!(check(&Dataset::text_line(&[&path]).unwrap()).len() > 1, "{how}");
        }
    }
}

#[test]
fn a_compressed_file_cut_anywhere_gives_the_same_whatever_the_size_of_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    let mut state = 7_u64;
    let letters: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b'a' + ((state >> 33) % 26) as u8
    })
    .take(1000)
    .collect();
    for compression in [Compression::Gzip, Compression::Zlib] {
        let mut writer = RecordWriter::create(&path, Some(compression)).unwrap();
        for record in 0..40 {
            writer.write(&letters[record * 20..][..record]).unwrap();
        }
        writer.finish().unwrap();
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let counts = [1, 100, 64 << 10].map(|block_bytes| {
                let options = Options::new().threads(0).block_size(block_bytes);
                let records = Dataset::tf_record(&[&path]).unwrap().with_options(options);
                records.iterator().unwrap().map(|item| usize::from(item.is_ok())).sum::<usize>()
            });
            assert!(counts.iter().all(|&count| count == counts[0]), "{length} bytes: {counts:?}");
        }
    }
}

/// A record file as bytes.
fn record_file(folder: &Path, records: &[Vec<u8>]) -> Vec<u8> {
    let path = folder.join("made.part");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    bytes
}

#[test]
fn records_that_contain_record_files_come_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let inner = record_file(folder.path(), &[b"in".to_vec(), vec![], b"side".to_vec()]);
    let middle = record_file(folder.path(), &[inner.clone(), inner[..20].to_vec(), inner.clone()]);
    let outer =
        record_file(folder.path(), &[b"first".to_vec(), middle.clone(), inner, middle, b"last".to_vec()]);
    fs::write(folder.path().join("0.tfrecord"), &outer).unwrap();
    fs::write(folder.path().join("1.tfrecord"), &outer[..outer.len() - 1]).unwrap();
    let items = check(&Dataset::tf_record(&[folder.path().join("*.tfrecord")]).unwrap());
    assert_eq!(items.len(), 10);
    assert_eq!(
        (items[0].as_str(), items[4].as_str(), items[5].as_str()),
        ("\"first\"", "\"last\"", "\"first\"")
    );
    assert!(items[9].starts_with("error: "), "{}", items[9]);
}

#[test]
fn a_file_of_many_pieces_comes_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.tfrecord");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    let length = |record: usize| if record.is_multiple_of(500) { 90_000 } else { record % 300 };
    for record in 0..60_000 {
        let mut data = vec![0; length(record)];
        data.extend_from_slice(&(record as u64).to_le_bytes());
        writer.write(&data).unwrap();
    }
    writer.finish().unwrap();
    let copy = folder.path().join("many-more.tfrecord");
    fs::copy(&path, &copy).unwrap();
    let dataset = Dataset::tf_record(&[copy, path]).unwrap();
    // The last but one has room for hardly more than one of the large ones.
    for (threads, budget) in [(0, 1 << 30), (1, 1 << 30), (4, 1 << 30), (4, 100_000), (2, 2 << 20)] {
        let options = feedline::Options::new().threads(threads).memory_budget(budget);
        let elements = dataset.with_options(options).iterator().unwrap();
        let mut count = 0;
        for (item, expected) in elements.zip((0..60_000).chain(0..60_000)) {
            let element = item.unwrap();
            let bytes = element.leaves()[0].strings().unwrap().get(0);
            let (data, number) = bytes.split_at(bytes.len() - 8);
            assert_eq!(number, (expected as u64).to_le_bytes(), "{threads} threads, {budget} bytes");
            assert_eq!(data.len(), length(expected));
            count += 1;
        }
        assert_eq!(count, 120_000);
    }
    // From the middle, and dropped in the middle.
    let mut elements = dataset.with_options(feedline::Options::new().threads(4)).iterator().unwrap();
    elements.nth(70_000).unwrap().unwrap();
    let state = feedline::State::from_bytes(&elements.state().to_bytes()).unwrap();
    drop(elements);
    assert_eq!(dataset.resume(&state).unwrap().map(Result::unwrap).count(), 120_000 - 70_001);
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
    for (mode, options) in engine_support::roomy_modes() {
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

/// Each file of a plan may be replaced between saving and restoring; the state says which one was.
#[test]
fn a_state_is_not_restored_over_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        ["a", "b", "c"].iter().map(|name| write(folder.path(), name, 40, None)).collect();
    let listed = Dataset::list_files_sorted(&[folder.path().join("*.tfrecord")]).unwrap();
    let datasets = [
        Dataset::tf_record(&[folder.path().join("*.tfrecord")]).unwrap().batch(50),
        listed.interleave(Dataset::tf_record_file).cycle_length(2).batch(50),
    ];
    for dataset in datasets {
        let mut elements = dataset.iterator().unwrap();
        let before = elements.state();
        elements.next().unwrap().unwrap();
        let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
        assert!(state.to_bytes().len() < 4000, "{}", state.to_json());
        assert_eq!(dataset.resume(&state).unwrap().count(), 2);
        let original = fs::read(&paths[1]).unwrap();
        let error = || dataset.resume(&state).unwrap_err().to_string();
        let mut changed = original.clone();
        changed[100] ^= 1;
        fs::write(&paths[1], &changed).unwrap();
        assert!(
            error().contains("b.tfrecord: this is not the file the state was saved with: its contents"),
            "{}",
            error()
        );
        fs::write(&paths[1], &original[..original.len() - 1]).unwrap();
        assert!(error().contains(&format!(
            "it had {} bytes and has {} now",
            original.len(),
            original.len() - 1
        )));
        fs::remove_file(&paths[1]).unwrap();
        assert!(error().contains("b.tfrecord: the state was saved after reading this file"), "{}", error());
        // Nothing was read of it yet: whatever is there then will be.
        assert!(dataset.resume(&before).is_ok());
        fs::write(&paths[1], &original).unwrap();
        // What was read before the state was saved counts also after it was restored.
        let mut elements = dataset.resume(&state).unwrap();
        elements.next().unwrap().unwrap();
        let later = elements.state();
        fs::write(&paths[0], b"other").unwrap();
        let error = dataset.resume(&later).unwrap_err().to_string();
        assert!(error.contains("a.tfrecord") && error.contains("hint: restore with the files"), "{error}");
        write(folder.path(), "a", 40, None);
    }
}

#[test]
fn records_of_one_size() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("a", 5), ("b", 0), ("c", 3)];
    for (name, count) in files {
        let body: Vec<String> = (0..count).map(|record| format!("{name}{record}..")).collect();
        fs::write(folder.path().join(name), format!("head{}end", body.concat())).unwrap();
    }
    let format = FixedLength { header_bytes: 4, footer_bytes: 3, ..FixedLength::new(4) };
    let dataset = Dataset::fixed_length_record(&[folder.path().join("*")], format).unwrap();
    let expected: Vec<String> = files
        .iter()
        .flat_map(|(name, count)| (0..*count).map(move |record| format!("{:?}", format!("{name}{record}.."))))
        .collect();
    assert_eq!(check(&dataset), expected);
    assert_eq!(check(&dataset.skip(4).take(2)), expected[4..6]);
    let in_turn = check(&dataset.num_parallel_reads(3));
    assert_eq!(in_turn[..3], ["\"a0..\"", "\"c0..\"", "\"a1..\""]);
    let nested = Dataset::list_files_sorted(&[folder.path().join("*")])
        .unwrap()
        .flat_map(|path| Dataset::fixed_length_record_file(path, format));
    assert_eq!(check(&nested), expected);
    states_cross(&dataset, &[Options::new().threads(3), Options::new().threads(0)], 8);
}

#[test]
fn a_file_whose_size_does_not_fit_is_one_error() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a", "0123"), ("b", "01234"), ("c", "4567")] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let format = FixedLength::new(2);
    let dataset = Dataset::fixed_length_record(&[folder.path().join("*")], format).unwrap();
    let found = check(&dataset);
    assert_eq!([&found[..2], &found[3..]].concat(), ["\"01\"", "\"23\"", "\"45\"", "\"67\""]);
    let expected = "without the header (0 bytes) and the footer (0 bytes) there are 5 bytes, no multiple of a record (2 bytes)";
    assert!(found[2].contains(expected), "{}", found[2]);
    // Compressed files tell only when they are through, and only if somebody says that they are.
    let packed = folder.path().join("d");
    let mut out = gzip_of(b"01234");
    fs::write(&packed, &out).unwrap();
    let gzip = FixedLength { compression: FileCompression::Gzip, ..format };
    let found = check(&Dataset::fixed_length_record(&[&packed], gzip).unwrap());
    assert_eq!(found[..2], ["\"01\"", "\"23\""]);
    assert!(found[2].contains("there are 5 bytes"), "{}", found[2]);
    out.push(0);
    let plain = FixedLength::new(out.len() as u64);
    fs::write(&packed, out).unwrap();
    assert_eq!(check(&Dataset::fixed_length_record(&[&packed], plain).unwrap()).len(), 1);
    let refused = Dataset::fixed_length_record(&[&packed], FixedLength::new(0)).unwrap();
    assert!(refused.check().unwrap_err().to_string().contains("record_bytes must be greater than zero"));
}

fn gzip_of(bytes: &[u8]) -> Vec<u8> {
    let mut stream = CompressedStream::new(Compression::Gzip);
    let mut out = stream.header().to_vec();
    deflate_piece(bytes, 6, &mut out);
    stream.add(bytes);
    out.extend(stream.trailer());
    out
}

#[test]
fn csv_files_compressed_or_not_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<String> = (0..25).map(|row| format!("{row},\"line {row}\nof {row}\"\r\n")).collect();
    let text = rows.concat();
    fs::write(folder.path().join("a.csv"), format!("id,text\n{text}")).unwrap();
    fs::write(folder.path().join("b.csv"), gzip_of(b"id,text\n70,last\n")).unwrap();
    let words = Tensor::from_strings(vec![0], Strings::default());
    let csv = Csv::new([Tensor::from_vec(vec![1], vec![-1_i64]), words]).header(true);
    let dataset = Dataset::csv(&[folder.path().join("*.csv")], &csv).unwrap();
    let mut expected: Vec<String> =
        (0..25).map(|row| format!("({row}, {:?})", format!("line {row}\nof {row}"))).collect();
    expected.push("(70, \"last\")".into());
    assert_eq!(check(&dataset), expected);
    let nested = Dataset::list_files_sorted(&[folder.path().join("*.csv")])
        .unwrap()
        .interleave(|path| Dataset::csv_file(path, &csv))
        .cycle_length(2);
    assert_eq!(check(&nested)[..2], [expected[0].clone(), expected[25].clone()]);
}
