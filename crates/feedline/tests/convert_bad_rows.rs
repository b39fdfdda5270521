//! Rows that cannot be converted: the error has its place and its remedy, and skipping one moves no other.
#![allow(clippy::unwrap_used, clippy::format_push_string, clippy::format_collect, reason = "test code")]

mod convert_support;

use convert_support::{Place, bitmap, compressed, failure, record_file, records_by_shard, run};
use feedline::convert::{BadRow, ColumnType, OnError, Options};
use feedline::formats::Compression;
use feedline::formats::example::{ExampleWriter, FeatureValues, SequenceWriter};

/// What a case needs beyond its input.
type Change = fn(&mut Options);

const SAME: Change = |_| {};

/// Input, what to change, and what the error must say: its place and finding, its remedy.
type Case = (&'static str, &'static str, Change, &'static str, &'static str);

fn check(cases: Vec<Case>) {
    for (name, text, change, place_of_error, remedy) in cases {
        let place = Place::new();
        place.write(name, text);
        let mut options = place.options(name, "out/train");
        change(&mut options);
        let error = failure(&options);
        let (what, hint) = error.split_once("\nhint: ").unwrap_or_else(|| panic!("no hint: {error}"));
        assert!(what.contains(place_of_error), "{what}\nexpected: {place_of_error}");
        assert!(hint.contains(remedy), "{hint}\nexpected: {remedy}");
        // Nothing is left of it, temporary files included.
        assert!(!std::path::Path::new(&place.path("out")).exists() || place.shards("out").is_empty());
    }
}

#[test]
fn columns_of_sequences_are_refused_rather_than_lost() {
    let place = Place::new();
    let steps = [FeatureValues::Int64(&[1]), FeatureValues::Int64(&[2])];
    let sequence =
        SequenceWriter::new().context("id", FeatureValues::Int64(&[7])).list("steps", &steps).to_bytes();
    place.write("in.tfrecord", record_file(&vec![sequence; 3]));
    let mut options = place.options("in.tfrecord", "out/train");
    options.columns = Some(vec!["id".into()]);
    let error = failure(&options);
    assert!(error.contains("these records are SequenceExamples"), "{error}");
    assert!(error.contains("hint: leave out `--columns`"), "{error}");
}

#[test]
fn an_index_is_no_input_and_goes_with_its_shard() {
    let place = Place::new();
    place.write("in.csv", "a\n1\n2\n");
    let mut options = place.options("in.csv", "out/train");
    run(&options);
    let shard = "out/train-00000-of-00001.tfrecord";
    place.write(&format!("{shard}.feedline-index"), "anything");
    assert_eq!(run(&place.options(&format!("{shard}*"), "again/train")).rows, 2);
    options.overwrite = true;
    run(&options);
    assert!(!std::path::Path::new(&place.path(&format!("{shard}.feedline-index"))).exists());
}

/// Text that lives as long as the table it is in.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

#[test]
fn csv_errors_say_where_what_and_what_to_do() {
    let many = leak(format!("a\n{}x\n", "1\n".repeat(1000)));
    let floats = leak(format!("a\n{}2.5\n", "1\n".repeat(1000)));
    check(vec![
        // CSV: a value that does not fit its column.
        ("in.csv", many, SAME, "in.csv: line 1002, column `a`: `x` is no int64", "`--types a=string`"),
        ("in.csv", floats, SAME, "line 1002, column `a`: `2.5` is no int64", "`--types a=float32`"),
        (
            "in.csv",
            "a,b\n1,x\n99999999999999999999,y\n",
            |options| options.types = vec![("a".into(), "int64".parse().unwrap())],
            "line 3, column `a`: `99999999999999999999` does not fit int64",
            "`--types a=string`",
        ),
        (
            "in.csv",
            "a\n1e50\n",
            |options| options.types = vec![("a".into(), "float32".parse().unwrap())],
            "line 2, column `a`: `1e50` does not fit float32",
            "`--types a=string`",
        ),
        // CSV: rows that are none.
        (
            "in.csv",
            "a,b\n1,2\n3\n",
            SAME,
            "in.csv: line 3: the row has 1 field, the header has 2",
            "quote fields that contain `,`",
        ),
        ("in.csv", "a,b\n\"x\ny\",2\n3,4,5\n", SAME, "line 4: the row has 3 fields", "`--on-error skip`"),
        (
            "in.csv",
            "a,b\n1,\"x\n",
            SAME,
            "line 2, byte 6: a quote is opened here and never closed",
            "close the quote",
        ),
        (
            "in.csv",
            "a,b\n\"x\"y,2\n",
            SAME,
            "line 2, byte 6: field 1: text follows the closing quote",
            "double a quote",
        ),
        // CSV: the header.
        ("in.csv", "", SAME, "in.csv: the file is empty", "the first row must name the columns"),
        (
            "in.csv",
            "a\n",
            SAME,
            "in.csv: there is not a single row behind the header",
            "check that this is the input",
        ),
        (
            "in.csv",
            "a;b\n1;2\n",
            SAME,
            "in.csv: line 1: the header is one column, `a;b`",
            "`--delimiter ';'`",
        ),
        ("in.csv", "a\tb\n1\t2\n", SAME, "line 1: the header is one column, `a\\tb`", "`--delimiter '\\t'`"),
        ("in.tsv", "a,b\n1,2\n", SAME, "line 1: the header is one column, `a,b`", "`--delimiter ','`"),
        ("in.csv", "a,b\n1\n", SAME, "line 2: the row has 1 field, the header has 2", "quote fields"),
        (
            "in.parquet",
            "PAR1",
            SAME,
            "in.parquet: this is Parquet by its name",
            "make images, CSV, JSON lines or TFRecord",
        ),
        ("cat.jpg", "x", SAME, "cat.jpg: an image alone has no class", "one folder of images per class"),
        ("data", "", SAME, "data: the file is empty, and its name", "`--from csv`"),
        (
            "in.csv",
            "a\n1\n",
            |options| options.format = Some(feedline::convert::Format::Images),
            "in.csv: could not list the class folders",
            "one folder of images per class",
        ),
        ("in.csv", ",b\n1,2\n", SAME, "in.csv: line 1: column 1 has no name", "`--columns a,b`"),
        ("in.csv", "a,a\n1,2\n", SAME, "in.csv: line 1: two columns are named `a`", "rename one"),
        ("in.csv", "a\"b\",\"c\n", SAME, "in.csv: byte 5: a quote is opened", "close the quote"),
    ]);
}

#[test]
fn json_and_record_errors_say_where_what_and_what_to_do() {
    let late = leak(format!("{}{{\"b\": 2.5}}", "{\"a\": 1}\n".repeat(1000)));
    let strange = leak(format!("{}{{\"a\": \"x\"}}", "{\"a\": 1}\n".repeat(3)));
    check(vec![
        // JSON lines.
        (
            "in.jsonl",
            "{\"a\": 1}\n\n{\"a\": oops}\n",
            SAME,
            "in.jsonl: line 3, byte 16: not a row of JSON",
            "one object",
        ),
        (
            "in.jsonl",
            "{\"a\": [1, [2]]}\n",
            SAME,
            "line 1, byte 10: not a row of JSON: the list `a` holds another list",
            "lists of these",
        ),
        ("in.jsonl", "[1, 2]\n", SAME, "line 1, byte 0: not a row of JSON", "one object"),
        ("in.jsonl", strange, SAME, "line 4, column `a`: the string `x` is no int64", "`--types a=string`"),
        (
            "in.jsonl",
            "{\"a\": \"x\"}\n{\"a\": 7}\n",
            SAME,
            "line 2, column `a`: the value 7 is no string",
            "`--types a=string`",
        ),
        (
            "in.jsonl",
            "{\"a\": 9223372036854775808}\n",
            SAME,
            "line 1, column `a`: `9223372036854775808`, beyond 9223372036854775807, is no int64",
            "`--types a=string` keeps every digit, `--types a=float32` rounds",
        ),
        // Beyond 64 bits, and among floats: never a float that nobody asked for.
        (
            "in.jsonl",
            "{\"a\": 1}\n{\"a\": -100000000000000000000}\n",
            SAME,
            "line 2, column `a`: `-100000000000000000000`, beyond 9223372036854775807, is no int64",
            "`--types a=string` keeps every digit",
        ),
        (
            "in.jsonl",
            "{\"a\": 0.5}\n{\"a\": 100000000000000000000}\n",
            SAME,
            "line 2, column `a`: `100000000000000000000`, beyond 9223372036854775807, is no float32",
            "`--types a=float32` rounds",
        ),
        (
            "in.jsonl",
            "{\"label\": 1}\n{\"size\": null}\n",
            |options| options.types = vec![("lable".into(), ColumnType::Int64)],
            "`--types` names `lable`, a column that no row has",
            "the columns are label, size; did you mean `label`?",
        ),
        (
            "in.jsonl",
            late,
            SAME,
            "line 1001, column `b`: the column is not in the first 1000 rows",
            "`--types b=float32`",
        ),
        (
            "in.jsonl",
            "{\"a\": 1, \"a\": 2}\n",
            SAME,
            "line 1, column `a`: the row has this column twice",
            "rename",
        ),
        (
            "in.jsonl",
            "{\"a\": 1}\n",
            |options| options.columns = Some(vec!["A".into()]),
            "`--columns` names `A`",
            "did you mean `a`?",
        ),
        (
            "in.jsonl",
            "{\"a\": 1, \"b\": null}\n",
            |options| options.columns = Some(vec!["b".into()]),
            "`--columns` names `b`, of which no row has a value",
            "`--types b=string`",
        ),
        // Records.
        (
            "in.tfrecord",
            "this is no record file, by a long way",
            SAME,
            "in.tfrecord: record 0, byte 0: length checksum",
            "is this a TFRecord file?",
        ),
    ]);
}

#[test]
fn wrong_arguments_are_told_with_the_remedy() {
    let place = Place::new();
    place.write("in.csv", "price,name\n1,x\n");
    place.write("other.csv", "price,title\n1,x\n");
    place.write("in.jsonl", "{\"a\": 1}\n");
    place.write("what.dat", "???");
    place.write("images/cat/1.bmp", bitmap(1, 1));
    place.write("loose/1.jpg", "x");
    place.write("none/cat/notes.txt", "x");
    std::fs::create_dir_all(place.path("bare/cat")).unwrap();
    place.write("in.tfrecord", record_file(&[ExampleWriter::new().int64("label", &[1]).to_bytes()]));
    let columns = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let typed = |name: &str| vec![(name.to_owned(), "int64".parse().unwrap())];
    let from = |input: &str| place.options(input, "out/train");
    let two =
        |a: &str, b: &str| Options { inputs: vec![place.path(a).into(), place.path(b).into()], ..from(a) };
    let cases: Vec<(Options, &str, &str)> = vec![
        (from("missing.csv"), "missing.csv: could not list", "in.csv"),
        (from("*.parquet"), "*.parquet", "hint"),
        (from("what.dat"), "what.dat: neither its name nor its first bytes", "`--from csv`"),
        (two("in.csv", "in.jsonl"), "in.jsonl is jsonl", "two runs"),
        (two("in.csv", "images"), "images: a folder among files", "two runs"),
        (two("in.csv", "other.csv"), "other.csv: line 1: the header is not that of", "separate runs"),
        (
            Options { columns: columns(&["prise"]), ..from("in.csv") },
            "`--columns` names `prise`",
            "did you mean `price`?",
        ),
        (
            Options { types: typed("nmae"), ..from("in.csv") },
            "`--types` names `nmae`",
            "did you mean `name`?",
        ),
        (
            Options { columns: columns(&["name"]), types: typed("price"), ..from("in.csv") },
            "not among `--columns`",
            "add it",
        ),
        (Options { columns: columns(&["name", "name"]), ..from("in.csv") }, "`name` twice", "once"),
        (Options { num_shards: Some(0), ..from("in.csv") }, "0 shards", "`--shards 1`"),
        (
            Options { types: typed("label"), ..from("in.tfrecord") },
            "`--types` names `label`",
            "drop `--types`",
        ),
        (
            Options { columns: columns(&["lable"]), ..from("in.tfrecord") },
            "`--columns` names `lable`",
            "did you mean `label`?",
        ),
        (Options { types: typed("label"), ..from("images") }, "`--types` names `label`", "drop `--types`"),
        (
            Options { columns: columns(&["widht"]), ..from("images") },
            "`--columns` names `widht`",
            "did you mean `width`?",
        ),
        (from("loose"), "1.jpg: the image is in no class folder", "named as its class"),
        (
            from("none"),
            "no file in its class folders has the name of an image (1 in all)",
            "photos/cat/1.jpg",
        ),
        (from("bare"), "bare: its class folders are empty", "photos/cat/1.jpg"),
        (from("bare/cat"), "bare/cat: there is no class folder in it", "photos/cat/1.jpg"),
        (
            Options { out_prefix: place.path("in.csv").into(), ..from("in.csv") },
            "is a file that exists",
            "the last argument",
        ),
        (Options { out_prefix: place.path("").into(), ..from("in.csv") }, "is a folder", "out/train"),
        (
            Options { out_prefix: place.path("in.csv/x").into(), ..from("in.csv") },
            "in.csv: could not create the output folder",
            "in.csv` is no folder; give a prefix in one that is",
        ),
    ];
    for (options, what, remedy) in cases {
        let error = failure(&options);
        assert!(error.contains(what) && error.contains(remedy), "{error}\nexpected: {what} … {remedy}");
    }
    assert!(!std::path::Path::new(&place.path("out")).exists() || place.files("out").is_empty());
}

/// A set of seven rows of which the fourth may be bad, in every text format and as records and images.
fn seven_rows(place: &Place, folder: &str, bad: bool) -> Vec<String> {
    let bad_or = |text: &str, bad_text: &str| if bad { bad_text.to_owned() } else { text.to_owned() };
    let csv = format!("id,x\n0,1\n1,1\n2,1\n{}\n4,1\n5,1\n6,1\n", bad_or("3,1", "3"));
    place.write(&format!("{folder}/in.csv"), csv);
    let lines = (0..7).map(|id| if id == 3 && bad { "oops\n".into() } else { format!("{{\"id\": {id}}}\n") });
    place.write(&format!("{folder}/in.jsonl"), lines.collect::<String>());
    let records: Vec<Vec<u8>> = (0..7).map(|id| ExampleWriter::new().int64("id", &[id]).to_bytes()).collect();
    let mut file = record_file(&records);
    if bad {
        let record_bytes = file.len() / 7;
        file[3 * record_bytes + 14] ^= 1;
    }
    place.write(&format!("{folder}/in.tfrecord"), file);
    for id in 0..7_u32 {
        let image = bitmap(10 + id, 2);
        let image = if id == 3 && bad { &image[..70] } else { &image[..] };
        place.write(&format!("{folder}/images/c/{id}.bmp"), image);
    }
    ["in.csv", "in.jsonl", "in.tfrecord", "images"].map(|name| format!("{folder}/{name}")).to_vec()
}

#[test]
fn skipping_a_row_moves_no_other() {
    let place = Place::new();
    let inputs = [seven_rows(&place, "good", false), seven_rows(&place, "bad", true)];
    for (index, (good, bad)) in inputs[0].iter().zip(&inputs[1]).enumerate() {
        for shuffle_seed in [None, Some(3)] {
            let options = |input: &str, out: String| Options {
                num_shards: Some(3),
                shuffle_seed,
                on_error: OnError::Skip,
                ..place.options(input, &out)
            };
            let whole = run(&options(good, format!("out{index}/good{shuffle_seed:?}")));
            let holed = run(&options(bad, format!("out{index}/bad{shuffle_seed:?}")));
            assert_eq!((whole.rows, whole.skipped.len(), whole.report), (7, 0, None));
            assert_eq!((holed.rows, holed.skipped.len()), (6, 1), "{bad}");
            assert_eq!(holed.skipped[0].position, 3);
            let (whole, holed) = (records_by_shard(&whole.pattern), records_by_shard(&holed.pattern));
            let mut num_gone = 0;
            for (whole, holed) in whole.iter().zip(&holed) {
                let mut expected = whole.clone();
                expected.retain(|record| holed.contains(record));
                assert_eq!(*holed, expected, "{bad}: the rows that are left are where they were");
                num_gone += whole.len() - holed.len();
            }
            assert_eq!(num_gone, 1);
        }
    }
}

#[test]
fn the_report_has_every_skipped_row() {
    let place = Place::new();
    let rows: String =
        (0..100).map(|row| if row % 10 == 9 { "x,y,z\n".into() } else { format!("{row}\n") }).collect();
    place.write("in.csv", format!("a\n{rows}"));
    let options = Options {
        on_error: OnError::Skip,
        num_shards: Some(4),
        shuffle_seed: Some(1),
        ..place.options("in.csv", "out/train")
    };
    let summary = run(&options);
    assert_eq!((summary.rows, summary.skipped.len()), (90, 10));
    let lines: Vec<Option<u64>> = summary.skipped.iter().map(|row| row.line).collect();
    assert_eq!(lines, (0..10).map(|row| Some(row * 10 + 11)).collect::<Vec<_>>());
    let report = std::fs::read_to_string(summary.report.unwrap()).unwrap();
    assert_eq!(report.lines().count(), 10);
    assert!(
        report.starts_with("{\"position\":9,") && report.contains("the row has 3 fields, the header has 1"),
        "{report}"
    );
    assert!(summary.skipped[0].finding().to_string().contains("in.csv: line 11: the row has 3 fields"));
    let _: &BadRow = &summary.skipped[0];
}

#[test]
fn damaged_record_files_lose_only_what_is_damaged() {
    let place = Place::new();
    let records: Vec<Vec<u8>> = (0..200)
        .map(|id| ExampleWriter::new().int64("id", &[id]).bytes("pad", &[&[7; 90]]).to_bytes())
        .collect();
    let mut file = record_file(&records);
    let frame = |id: usize| record_file(&records[..id]).len();
    let (length, data) = (frame(50), frame(120) + 20);
    file[length] ^= 0xff; // the length itself: the next record must be searched for
    file[data] ^= 1;
    file.truncate(file.len() - 5);
    place.write("in.tfrecord", &file);
    let error = failure(&Options { num_shards: Some(2), ..place.options("in.tfrecord", "fail/out") });
    assert!(error.contains(&format!("in.tfrecord: record 50, byte {length}: length checksum")), "{error}");
    assert!(error.contains("hint: ") && error.contains("--on-error skip"), "{error}");

    let summary = run(&Options {
        on_error: OnError::Skip,
        num_shards: Some(2),
        ..place.options("in.tfrecord", "skip/out")
    });
    let numbers: Vec<Option<u64>> = summary.skipped.iter().map(|row| row.record).collect();
    assert_eq!(numbers, [Some(50), Some(120), Some(199)]);
    let mut expected = records;
    for gone in [199, 120, 50] {
        expected.remove(gone);
    }
    assert_eq!(records_by_shard(&summary.pattern).concat(), expected);
}

#[test]
fn a_damaged_compressed_file_is_an_error_with_its_name() {
    let place = Place::new();
    let mut packed = compressed(Compression::Gzip, b"a\n1\n2\n");
    packed.truncate(packed.len() - 6);
    place.write("in.csv.gz", packed);
    let error = failure(&place.options("in.csv.gz", "out/train"));
    assert!(error.contains("in.csv.gz: the gzip stream is damaged") && error.contains("hint: "), "{error}");
    assert!(place.files("out").is_empty());
}

#[test]
fn the_first_error_is_the_first_in_order_and_not_in_time() {
    // Groups are 1 MiB of rows. The first of the second shard is bad at its end, the next one at its very beginning:
    // whoever encodes that is done long before.
    let place = Place::new();
    let text = "x".repeat(1024);
    let rows: String =
        (0..6000)
            .map(|row| {
                if row == 2990 || (3030..3060).contains(&row) { "1,2\n".into() } else { format!("{text}\n") }
            })
            .collect();
    place.write("in.csv", format!("text\n{rows}"));
    for round in 0..10 {
        let folder = format!("out{round}");
        let options = Options {
            num_shards: Some(3),
            num_threads: 1 + round % 4,
            ..place.options("in.csv", &format!("{folder}/train"))
        };
        let error = failure(&options);
        assert!(error.contains("in.csv: line 2992: "), "{error}");
        assert_eq!(
            place.files(&folder).into_keys().collect::<Vec<_>>(),
            [".train.feedline-convert", "train-00000-of-00003.tfrecord"]
        );
    }
}

#[test]
fn bad_images_are_named() {
    let place = Place::new();
    place.write("photos/cat/1.bmp", bitmap(4, 4));
    place.write("photos/cat/2.jpg", "<!DOCTYPE html><title>404</title>");
    place.write("photos/cat/3.bmp", &bitmap(4, 4)[..80]);
    place.write("photos/cat/4.png", "");
    // Not read, but an image all the same: it is not passed over.
    place.write("photos/cat/5.TIFF", "II*\0 and so on");
    let error = failure(&place.options("photos", "out/train"));
    assert!(
        error.contains("photos/cat/2.jpg: ")
            && error.contains("a web page")
            && error.contains("--on-error skip"),
        "{error}"
    );
    let summary = run(&Options { on_error: OnError::Skip, ..place.options("photos", "out/train") });
    assert_eq!((summary.rows, summary.skipped.len(), summary.ignored_files), (1, 4, 0));
    assert!(summary.skipped.iter().all(|row| row.hint.is_some()));
}
