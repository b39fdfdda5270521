//! `feedline inspect`, as people and scripts see it.

mod cli_support;

use cli_support::{Folder, RECORD_BYTES};
use feedline::formats::Compression;
use feedline::formats::example::{ExampleWriter, FeatureValues, SequenceWriter};

/// A PNG of 2 x 3 pixels, as far as its header.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0\x36\x88\x49\xd6";

#[test]
fn one_file_for_people() {
    let folder = Folder::new();
    let example = |number: i64| {
        let mut example = ExampleWriter::new()
            .int64("label", if number < 3 { &[0] } else { &[7] })
            .bytes("image", &[PNG])
            .float("box", &[0.0, 0.25, 0.5, 1.0])
            .int64("tags", &[5, 6, 7][..number as usize % 3]);
        if number == 0 {
            example = example.bytes("note", &[b"\0\x01\x02"]);
        }
        example.to_bytes()
    };
    folder.records("data", (0..8).map(example), None);
    let run = folder.run(&["inspect", "data"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let expected = "\
data: 8 records, 1018 B, not compressed, no index

Records are Example, going by all 8. Each has 107 B to 124 B.
feature  type     shape          present  values
box      float32  [4]              100 %  0 .. 1, e.g. 0, 0.25, 0.5
image    string   scalar           100 %  PNG 2x3, 33 B
label    int64    scalar           100 %  0 .. 7, e.g. 0, 7
note     string   scalar          12.5 %  000102 (3 B)
tags     int64    variable 0..2    100 %  5 .. 6, e.g. 5, 6

`label`: 2 different values in all 8 records:
  0  ████████████████████████                  3  37.5 %
  7  ████████████████████████████████████████  5  62.5 %

`tags`: 2 different values in all 8 records:
  5  ████████████████████████████████████████  5  71.4 %
  6  ████████████████                          2  28.6 %
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn several_files_and_many_labels() {
    let folder = Folder::new();
    folder.examples("a.tfrecord", 10, None);
    folder.examples("b.tfrecord.gz", 5, Some(Compression::Gzip));
    let labels = (0..300).map(|number: i64| ExampleWriter::new().int64("label", &[number % 100]).to_bytes());
    folder.records("c.tfrecord", labels, None);
    assert_eq!(folder.run(&["index", "-q", "c.tfrecord"]).code, 0);
    let run = folder.run(&["inspect", "*"]);
    assert_eq!(run.code, 0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "file           records      size  compression  index");
    assert_eq!(lines[1], "a.tfrecord          10     530 B  none         no");
    assert!(lines[2].starts_with("b.tfrecord.gz        5") && lines[2].contains("  gzip "), "{}", lines[2]);
    assert!(lines[3].starts_with("c.tfrecord         300") && lines[3].ends_with("yes"), "{}", lines[3]);
    assert!(lines[4].starts_with("3 files, 315 records, "), "{}", lines[4]);
    let label = "`label`: 100 different values in all 315 records, 0 .. 99; most often 0 (8 times), least often 4 (3)";
    assert!(run.stdout.contains(label), "{}", run.stdout);
}

#[test]
fn disagreeing_records_are_pointed_out() {
    let folder = Folder::new();
    let int = ExampleWriter::new().int64("id", &[1]).to_bytes();
    let float = ExampleWriter::new().float("id", &[1.0]).to_bytes();
    folder.records("data", [&int, &int, &float, &b"\xffrubbish".to_vec()], None);
    let run = folder.run(&["inspect", "data"]);
    assert!(run.stdout.contains("; 1 of these do not parse as such"), "{}", run.stdout);
    assert!(run.stdout.contains("int64 and float32!"), "{}", run.stdout);
    assert!(run.stdout.contains("! `id` is int64 in some records and float32 in others"), "{}", run.stdout);
}

#[test]
fn json_is_one_object() {
    let folder = Folder::new();
    folder.examples("a", 10, None);
    let run = folder.run(&["inspect", "--json", "a"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let json = run.json();
    let expected = serde_json::json!({
        "total": { "files": 1, "bytes": 530, "records": 10, "records_exact": true, "num_problems": 0 },
        "files": [{
            "file": "a", "bytes": 530, "compression": null, "records": 10, "records_exact": true,
            "index": "missing", "index_problem": null, "num_problems": 0, "first_problem": null, "blind_byte": null,
        }],
        "kind": "Example",
        "sample": json["sample"],
        "features": [
            {
                "name": "label", "dtype": "int64", "conflicting_dtype": null, "present": 10, "present_fraction": 1.0,
                "min_len": 1, "max_len": 1, "is_fixed": true, "min_steps": null, "max_steps": null,
                "min": 0, "max": 3, "examples": [0, 1, 2, 3], "histogram": [[0, 3], [1, 3], [2, 2], [3, 2]],
            },
            {
                "name": "name", "dtype": "string", "conflicting_dtype": null, "present": 10, "present_fraction": 1.0,
                "min_len": 1, "max_len": 1, "is_fixed": true, "min_steps": null, "max_steps": null,
                "min": null, "max": null, "histogram": null,
                "examples": [
                    { "bytes": 5, "text": "n0000" }, { "bytes": 5, "text": "n0001" },
                    { "bytes": 5, "text": "n0002" }, { "bytes": 5, "text": "n0003" },
                ],
            },
        ],
        "lists": [],
    });
    assert_eq!(json, expected);
    assert_eq!(json["sample"]["records"].as_u64(), Some(10));
    assert_eq!((json["sample"]["all"].as_bool(), json["sample"]["unparsed"].as_u64()), (Some(true), Some(0)));
    assert_eq!(json["sample"]["min_record_bytes"].as_u64(), Some(RECORD_BYTES as u64 - 16));
}

#[test]
fn damage_is_reported_and_the_rest_is_shown() {
    let folder = Folder::new();
    folder.examples("a", 10, None);
    folder.damage("a", 4 * RECORD_BYTES + 20);
    let run = folder.run(&["inspect", "a"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("a: 9 records, "), "{}", run.stdout);
    assert!(run.stderr.starts_with("error: a: record 4 (byte 212): data checksum is 0x"), "{}", run.stderr);
    assert!(run.stderr.contains("\nhint: `feedline verify` lists every bad record"), "{}", run.stderr);
    let json = folder.run(&["inspect", "--json", "a"]).json();
    assert_eq!(json["files"][0]["first_problem"]["byte"].as_u64(), Some(212));
}

#[test]
fn a_stale_index_is_a_warning() {
    let folder = Folder::new();
    folder.examples("a", 10, None);
    assert_eq!(folder.run(&["index", "-q", "a"]).code, 0);
    assert!(
        folder.run(&["inspect", "a"]).stdout.starts_with("a: 10 records, 530 B, not compressed, indexed\n")
    );
    folder.examples("a", 9, None);
    let run = folder.run(&["inspect", "a"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("a: 9 records, 477 B, not compressed, stale index\n"), "{}", run.stdout);
    assert!(
        run.stderr.starts_with("warning: a.feedline-index: the index is of another file"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("hint: make it again with `feedline index`"), "{}", run.stderr);
}

#[test]
fn a_large_file_is_estimated_and_says_how_to_count_it() {
    let folder = Folder::new();
    let text = vec![b'x'; 100_000];
    let record = ExampleWriter::new().int64("label", &[1]).bytes("text", &[&text]).to_bytes();
    folder.records("big", std::iter::repeat_n(&record, 800), None);
    let run = folder.run(&["inspect", "big"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("big: ≈ 800 records, 76.3 MiB, "), "{}", run.stdout);
    assert!(
        run.stdout.contains("going by a sample of ") && run.stdout.contains("--exact counts all"),
        "{}",
        run.stdout
    );
    let quiet = folder.run(&["inspect", "-q", "big"]);
    assert!(!quiet.stdout.contains("--exact"), "{}", quiet.stdout);
    let exact = folder.run(&["inspect", "--exact", "big"]);
    assert!(exact.stdout.starts_with("big: 800 records, "), "{}", exact.stdout);
    let json = folder.run(&["inspect", "--json", "big"]).json();
    assert_eq!(
        (json["total"]["records_exact"].as_bool(), json["total"]["records"].as_u64()),
        (Some(false), Some(800))
    );
}

#[test]
fn one_record() {
    let folder = Folder::new();
    let numbers: Vec<i64> = (0..20).collect();
    let example = ExampleWriter::new()
        .int64("many", &numbers)
        .int64("one", &[7])
        .bytes("image", &[PNG])
        .float("none", &[])
        .bytes("words", &[b"a", b"b \"c\""])
        .to_bytes();
    folder.records("data", [&b"\xffraw".to_vec(), &example], None);
    let run = folder.run(&["inspect", "data", "--record", "1"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let expected = "\
data: record 1 (byte 20): Example, 134 B
{
  \"features\": {
    \"image\": \"PNG 2x3, 33 B\",
    \"many\": [0,1,2,3,4,5,6,7,8,9,10,11,\"… 20 values\"],
    \"none\": [],
    \"one\": 7,
    \"words\": [\"a\",\"b \\\"c\\\"\"]
  }
}
";
    assert_eq!(run.stdout, expected);
    let json = folder.run(&["inspect", "data", "--record", "1", "--json"]).json();
    assert_eq!(
        (json["record"].as_u64(), json["byte"].as_u64(), json["kind"].as_str()),
        (Some(1), Some(20), Some("Example"))
    );
    assert_eq!(json["features"]["many"].as_array().unwrap().len(), 20);
    assert_eq!(json["features"]["image"][0]["width"].as_u64(), Some(2));
    let raw = folder.run(&["inspect", "data", "--record", "0", "--json"]).json();
    assert_eq!((raw["kind"].as_str(), raw["data"]["hex"].as_str()), (Some("bytes"), Some("ff726177")));

    assert_eq!(folder.run(&["index", "-q", "data"]).code, 0);
    let run = folder.run(&["inspect", "data", "--record", "1", "-q"]);
    assert!(run.stdout.starts_with("{\n") && run.stdout.ends_with("}\n"), "{}", run.stdout);

    let run = folder.run(&["inspect", "data", "--record", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(
        run.stderr.contains("error: data: there is no record 2, the file has 2 records\nhint: "),
        "{}",
        run.stderr
    );
    folder.examples("other", 1, None);
    let run = folder.run(&["inspect", "data", "other", "--record", "0"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("2 files were given, expected one\nhint: "), "{}", run.stderr);
}

#[test]
fn specs_to_paste() {
    let folder = Folder::new();
    folder.examples("a", 5, None);
    let run = folder.run(&["inspect", "a", "--spec"]);
    let expected = "\
import feedline as fl  # or, with the same names: import tensorflow as fl

features = {
    \"label\": fl.io.FixedLenFeature([], fl.int64),
    \"name\": fl.io.FixedLenFeature([], fl.string),
}
";
    assert_eq!(run.stdout, expected);

    let steps = [FeatureValues::Int64(&[1, 2]), FeatureValues::Int64(&[3, 4])];
    let sequence =
        SequenceWriter::new().context("id", FeatureValues::Float(&[7.0])).list("words", &steps).to_bytes();
    folder.records("b", [sequence], None);
    let run = folder.run(&["inspect", "b", "--spec"]);
    assert!(run.stdout.starts_with("import feedline as fl  # or"), "{}", run.stdout);
    assert_eq!(run.stdout.matches("import feedline").count(), 1);
    assert!(run.stdout.contains("\"id\": fl.io.FixedLenFeature([], fl.float32)"), "{}", run.stdout);
    assert!(run.stdout.contains("\"words\": fl.io.FixedLenSequenceFeature([2], fl.int64)"), "{}", run.stdout);
    let json = folder.run(&["inspect", "b", "--spec", "--json"]).json();
    assert_eq!(
        (json["kind"].as_str(), json["features"]["id"]["length"].as_str()),
        (Some("SequenceExample"), Some("fixed"))
    );
    assert_eq!(
        json["lists"]["words"],
        serde_json::json!({ "dtype": "int64", "length": "sequence", "shape": [2], "allow_missing": false })
    );

    // Where a record lacks the list, TensorFlow wants to be told.
    let without = SequenceWriter::new().context("id", FeatureValues::Float(&[8.0])).to_bytes();
    let with =
        SequenceWriter::new().context("id", FeatureValues::Float(&[7.0])).list("words", &steps).to_bytes();
    folder.records("c", [with, without], None);
    let run = folder.run(&["inspect", "c", "--spec"]);
    let words = "\"words\": fl.io.FixedLenSequenceFeature([2], fl.int64, allow_missing=True)";
    assert!(run.stdout.contains(words), "{}", run.stdout);
    let json = folder.run(&["inspect", "c", "--spec", "--json"]).json();
    assert_eq!(json["lists"]["words"]["allow_missing"], true);
}

#[test]
fn names_that_are_no_utf_8_are_escaped_and_keep_their_values() {
    let folder = Folder::new();
    let mut record = ExampleWriter::new().int64("count", &[1, 2, 3]).float("x", &[0.5]).to_bytes();
    let at = record.windows(5).position(|bytes| bytes == b"count").unwrap();
    record[at] = 0xe9;
    folder.records("a", [record], None);
    let run = folder.run(&["inspect", "a", "--record", "0"]);
    assert!(run.stdout.contains(r#""\\xe9ount": [1,2,3]"#), "{}", run.stdout);
    let json = folder.run(&["inspect", "a", "--record", "0", "--json"]).json();
    assert_eq!(json["features"]["\\xe9ount"], serde_json::json!([1, 2, 3]));
    assert!(folder.run(&["inspect", "a"]).stdout.contains("\n\\xe9ount  int64"), "as a feature");
    let spec = folder.run(&["inspect", "a", "--spec"]).stdout;
    assert!(!spec.contains("xe9"), "no spec can ask for it: {spec}");
}

#[test]
fn a_file_of_another_kind_is_told_what_to_do_with_it() {
    let folder = Folder::new();
    folder.write("a.csv", b"id\n1\n");
    let run = folder.run(&["inspect", "a.csv"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("hint: is this a TFRecord file?") && run.stderr.contains("feedline convert"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("lists every bad record"), "{}", run.stderr);
    folder.examples("one", 1, None);
    let run = folder.run(&["inspect", "one", "--record", "5"]);
    assert!(run.stderr.contains("the file has 1 record\n"), "{}", run.stderr);
}

#[test]
fn a_record_file_damaged_at_its_very_beginning_is_not_taken_for_something_else() {
    let folder = Folder::new();
    folder.examples("data", 10, None);
    folder.damage("data", 0);
    let changed = "the bytes changed after they were written";
    let verify = "`feedline verify";
    for (arguments, found) in [
        (&["inspect", "data"][..], "record 0 (byte 0): length checksum is"),
        (&["inspect", "data", "--record", "0"], "record 0 (byte 0): length checksum is"),
        (&["inspect", "data", "--record", "3"], "behind it nobody can tell which record is number 3"),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 1, "{arguments:?}");
        assert!(run.stderr.contains(found) && run.stderr.contains(verify), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains("is this a TFRecord file?"), "{arguments:?}: {}", run.stderr);
    }
    assert!(folder.run(&["inspect", "data"]).stderr.contains(changed));

    // Where no record follows, that is the question.
    folder.write("noise", &b"no record at all, ".repeat(20));
    for arguments in [&["inspect", "noise"][..], &["inspect", "noise", "--record", "0"]] {
        let run = folder.run(arguments);
        assert!(run.code == 1 && run.stderr.contains("is this a TFRecord file?"), "{}", run.stderr);
        assert!(!run.stderr.contains(verify) && !run.stderr.contains(changed), "{}", run.stderr);
    }
}

#[test]
fn one_record_and_none() {
    let folder = Folder::new();
    folder.records("one", [ExampleWriter::new().int64("pair", &[1, 0]).to_bytes()], None);
    let run = folder.run(&["inspect", "one"]);
    assert!(run.stdout.contains("`pair`: 2 different values in the only record:\n"), "{}", run.stdout);
    folder.write("none", b"");
    let run = folder.run(&["inspect", "none", "--spec"]);
    assert!(run.stdout.starts_with("# There are no records"), "{}", run.stdout);
}

#[test]
fn a_large_file_that_ends_in_nothing_is_warned_of() {
    let folder = Folder::new();
    folder.examples("data", 2000, None);
    let file = std::fs::File::options().write(true).open(folder.path("data")).unwrap();
    file.set_len(100 << 20).unwrap();
    let run = folder.run(&["inspect", "data"]);
    assert!(run.stdout.starts_with("data: an unknown number of records, 100.0 MiB, "), "{}", run.stdout);
    assert!(run.stderr.starts_with("warning: data: byte 4369066: no record begins here"), "{}", run.stderr);
    assert!(run.stderr.contains("\nhint: `feedline verify data` says"), "{}", run.stderr);
}
