//! What becomes of rows: CSV, JSON lines, images and records, one case per line.
#![allow(clippy::unwrap_used, clippy::format_push_string, clippy::format_collect, reason = "test code")]

mod convert_support;

use convert_support::{Place, bitmap, record_file, records_by_shard, run};
use feedline::convert::{ColumnType, ImageChange, ImageCounts, OnError, Options, Summary};
use feedline::formats::example::ExampleWriter;
use feedline::image::{JpegOptions, encode_jpeg, probe, with_restarts};

fn records_of(summary: &Summary) -> Vec<Vec<u8>> {
    records_by_shard(&summary.pattern).concat()
}

/// Converts `text` and compares with the expected rows.
fn check(
    name: &str,
    text: impl AsRef<[u8]>,
    change: impl Fn(&mut Options),
    expected: Vec<ExampleWriter<'_>>,
) -> Summary {
    let place = Place::new();
    place.write(name, &text);
    let mut options = place.options(name, "out/train");
    change(&mut options);
    let summary = run(&options);
    let expected: Vec<Vec<u8>> = expected.into_iter().map(ExampleWriter::to_bytes).collect();
    assert_eq!(records_of(&summary), expected, "{}", String::from_utf8_lossy(text.as_ref()));
    summary
}

fn row<'a>() -> ExampleWriter<'a> {
    ExampleWriter::new()
}

#[test]
fn csv_rows() {
    let same = |_: &mut Options| {};
    let csv = |text: &'static [u8], expected| check("in.csv", text, same, expected);
    csv(
        b"a,b\n1,x\n2,y\n",
        vec![row().int64("a", &[1]).bytes("b", &[b"x"]), row().int64("a", &[2]).bytes("b", &[b"y"])],
    );
    // Whole numbers and others in one column are floats; a number in a column of text is text.
    csv(
        b"a,b\n1,7\n2.5,y\n",
        vec![row().float("a", &[1.0]).bytes("b", &[b"7"]), row().float("a", &[2.5]).bytes("b", &[b"y"])],
    );
    // An empty field is absent; a row of them is an empty record.
    csv(b"a,b\n,x\n3,\n,\n", vec![row().bytes("b", &[b"x"]), row().int64("a", &[3]), row()]);
    csv(b"a,b\n\"\",x\n3,\"\"\n", vec![row().bytes("b", &[b"x"]), row().int64("a", &[3])]);
    // A mark at the start, other line ends, blank lines, no line end at the end of the file.
    csv(b"\xef\xbb\xbfa\r\n1\r\n\r\n2", vec![row().int64("a", &[1]), row().int64("a", &[2])]);
    csv(b"a\r1\r2\r", vec![row().int64("a", &[1]), row().int64("a", &[2])]);
    // Quotes: delimiters, line ends and quotes inside; around numbers too.
    csv(b"a,b\n\"1\",\"x,\n\"\"y\"\"\"\n", vec![row().int64("a", &[1]).bytes("b", &[b"x,\n\"y\""])]);
    csv(b"\"a,1\",b\n1,2\n", vec![row().int64("a,1", &[1]).int64("b", &[2])]);
    // Bytes are bytes.
    csv(b"a\n\xff\xfe\n", vec![row().bytes("a", &[b"\xff\xfe"])]);
    // Spaces around numbers do not matter, in text they do.
    csv(b"a,b\n 1 , x\n", vec![row().int64("a", &[1]).bytes("b", &[b" x"])]);
    // A whole number beyond int64 is kept exactly, as text.
    csv(b"a\n9223372036854775808\n", vec![row().bytes("a", &[b"9223372036854775808"])]);
    csv(
        b"a\n0.1\nnan\n-inf\n1e-60\n16777217.0\n",
        vec![
            row().float("a", &[0.1]),
            row().float("a", &[f32::NAN]),
            row().float("a", &[f32::NEG_INFINITY]),
            row().float("a", &[0.0]),
            row().float("a", &[16_777_216.0]),
        ],
    );
}

#[test]
fn csv_columns_types_and_delimiters() {
    let text = "zip,price,name\n01234,5,x\n99999,6,y\n";
    let summary = check(
        "in.csv",
        text,
        |options| {
            options.columns = Some(vec!["zip".into(), "price".into()]);
            options.types = vec![("zip".into(), ColumnType::String), ("price".into(), ColumnType::Float32)];
        },
        vec![
            row().float("price", &[5.0]).bytes("zip", &[b"01234"]),
            row().float("price", &[6.0]).bytes("zip", &[b"99999"]),
        ],
    );
    let columns = [("price".to_owned(), ColumnType::Float32), ("zip".to_owned(), ColumnType::String)];
    assert_eq!(summary.columns, columns);
    check("in.tsv", "a\tb\n1,5\t2\n", |_| {}, vec![row().bytes("a", &[b"1,5"]).int64("b", &[2])]);
    check(
        "in.csv",
        "a;b\n1;2\n",
        |options| options.delimiter = Some(b';'),
        vec![row().int64("a", &[1]).int64("b", &[2])],
    );
    // A column without a name, or two of one name, do not matter while they are not wanted.
    let only_b = |options: &mut Options| options.columns = Some(vec!["b".into()]);
    check("in.csv", ",b\n0,2\n", only_b, vec![row().int64("b", &[2])]);
    check("in.csv", "a,a,b\n0,1,2\n", only_b, vec![row().int64("b", &[2])]);
}

#[test]
fn types_are_those_of_the_first_thousand_rows() {
    let place = Place::new();
    let mut text = "a,late\n".to_owned();
    (0..1000).for_each(|row| text += &format!("{row},\n"));
    place.write("in.csv", text + "7,8\n");
    let summary = run(&place.options("in.csv", "out/train"));
    // Empty for a thousand rows: as text, everything fits.
    let columns = [("a".to_owned(), ColumnType::Int64), ("late".to_owned(), ColumnType::String)];
    assert_eq!(summary.columns, columns);
    assert_eq!(records_of(&summary)[1000], row().int64("a", &[7]).bytes("late", &[b"8"]).to_bytes());
}

/// `null` and empty lists say nothing of a type; the first rows that say something do, however late.
#[test]
fn json_columns_without_values_in_the_first_rows_get_their_types_from_later_ones() {
    let place = Place::new();
    let mut text = String::new();
    (0..1500).for_each(|_| text += "{\"id\": 1, \"score\": null, \"tags\": [], \"never\": null}\n");
    // In one group of rows whole numbers and others: float32. What comes in a group behind has no say.
    text += "{\"id\": 2, \"score\": 3}\n{\"id\": 2, \"score\": 0.5, \"tags\": [\"a\", \"b\"]}\n";
    (0..4000).for_each(|_| text += "{\"id\": 3, \"score\": 7, \"tags\": [\"c\"]}\n");
    place.write("in.jsonl", text);
    let expected = [
        ("id".to_owned(), ColumnType::Int64),
        ("score".to_owned(), ColumnType::Float32),
        ("tags".to_owned(), ColumnType::String),
    ];
    for num_threads in [1, 4] {
        let options =
            Options { num_threads, ..place.options("in.jsonl", &format!("out/threads-{num_threads}")) };
        let summary = run(&options);
        assert_eq!(summary.columns, expected);
        let records = records_of(&summary);
        assert_eq!(records[0], row().int64("id", &[1]).bytes("tags", &[]).to_bytes());
        assert_eq!(records[1500], row().int64("id", &[2]).float("score", &[3.0]).to_bytes());
        let last = row().int64("id", &[3]).float("score", &[7.0]).bytes("tags", &[b"c"]);
        assert_eq!(records[5501], last.to_bytes());
    }
}

#[test]
fn json_rows() {
    let json = |text: &'static str, expected| check("in.jsonl", text, |_| {}, expected);
    json("{\"a\": 1, \"b\": \"x\"}\n", vec![row().int64("a", &[1]).bytes("b", &[b"x"])]);
    json("\n{\"a\": 1}\n \n{\"a\": 2}", vec![row().int64("a", &[1]), row().int64("a", &[2])]);
    json("{\"a\": 1}\n{\"a\": 2.5}\n", vec![row().float("a", &[1.0]), row().float("a", &[2.5])]);
    json("{\"a\": true}\n{\"a\": 5}\n", vec![row().int64("a", &[1]), row().int64("a", &[5])]);
    json("{\"a\": [1, 2, 3]}\n{\"a\": []}\n", vec![row().int64("a", &[1, 2, 3]), row().int64("a", &[])]);
    json("{\"a\": [\"x\", \"\"]}\n", vec![row().bytes("a", &[b"x", b""])]);
    json("{\"a\": [1, 2.5]}\n", vec![row().float("a", &[1.0, 2.5])]);
    json("{\"a\": null, \"b\": {}}\n", vec![row()]);
    json("{\"a\": []}\n", vec![row()]);
    json(
        "{\"a\": {\"b\": {\"c\": 1}}, \"d\": \"\\u00e9\"}",
        vec![row().int64("a.b.c", &[1]).bytes("d", &[b"\xc3\xa9"])],
    );
    json("{\"b\": 1, \"a\": 2}\n", vec![row().int64("a", &[2]).int64("b", &[1])]);
    json("{}\n", vec![row()]);
}

#[test]
fn json_columns_and_types() {
    let text = "{\"id\": 7, \"x\": 1, \"y\": 2}\n{\"id\": \"seven\", \"x\": 3}\n";
    check(
        "in.jsonl",
        text,
        |options| {
            options.columns = Some(vec!["id".into(), "x".into()]);
            options.types = vec![("id".into(), ColumnType::String), ("x".into(), ColumnType::Float32)];
        },
        vec![
            row().bytes("id", &[b"7"]).float("x", &[1.0]),
            row().bytes("id", &[b"seven"]).float("x", &[3.0]),
        ],
    );
    // As text, numbers are what they are in the file; as floats, those beyond int64 are rounded if that was asked for.
    let text = "{\"id\": 1.10, \"x\": 123456789012345678901}\n{\"id\": [1E5, true, -0], \"x\": null}\n";
    check(
        "in.jsonl",
        text,
        |options| {
            options.types = vec![("id".into(), ColumnType::String), ("x".into(), ColumnType::Float32)];
        },
        vec![
            row().bytes("id", &[b"1.10"]).float("x", &[123_456_789_012_345_678_901.0]),
            row().bytes("id", &[b"1E5", b"true", b"-0"]),
        ],
    );
    // A column that is always null may have a type.
    let declare = |options: &mut Options| options.types = vec![("x".into(), ColumnType::Int64)];
    check("in.jsonl", "{\"x\": null}\n{}\n", declare, vec![row(), row()]);

    // A column that comes after the sample, in one row of many: its type is given.
    let mut late: String = (0..1000).map(|_| "{\"a\": 1}\n").collect();
    late += "{\"late\": 2}\n";
    late += &"{\"a\": 1}\n".repeat(5000);
    let place = Place::new();
    place.write("in.jsonl", late);
    let types = vec![("late".into(), ColumnType::Int64)];
    let summary = run(&Options { types, ..place.options("in.jsonl", "out/train") });
    assert_eq!(records_of(&summary)[1000], row().int64("late", &[2]).to_bytes());
}

#[test]
fn image_folders() {
    let place = Place::new();
    // Sorted by class: `a` before `a-b`, which is not the order of whole paths.
    place.write("photos/a/2.bmp", bitmap(3, 2));
    place.write("photos/a/10.bmp", bitmap(1, 1));
    place.write("photos/a-b/deep/er/x.BMP", bitmap(5, 1));
    place.write("photos/a-b/noending", bitmap(1, 5));
    place.write("photos/a-b/notes.txt", "left alone");
    place.write("photos/a-b/.hidden.bmp", "left alone");
    place.write("photos/.git/x.bmp", "left alone");
    place.write("photos/README.md", "left alone");
    std::fs::create_dir(place.path("photos/empty")).unwrap();
    place.write("photos/z [1]/y.bmp", bitmap(2, 2));

    let summary = run(&place.options("photos", "out/train"));
    let expected = |class: &str, label: i64, name: &str, width: u32, height: u32| {
        row()
            .bytes("image", &[&bitmap(width, height)])
            .bytes("class", &[class.as_bytes()])
            .int64("label", &[label])
            .bytes("filename", &[name.as_bytes()])
            .bytes("format", &[b"bmp"])
            .int64("width", &[i64::from(width)])
            .int64("height", &[i64::from(height)])
            .to_bytes()
    };
    assert_eq!(
        records_of(&summary),
        [
            expected("a", 0, "a/10.bmp", 1, 1),
            expected("a", 0, "a/2.bmp", 3, 2),
            expected("a-b", 1, "a-b/deep/er/x.BMP", 5, 1),
            expected("a-b", 1, "a-b/noending", 1, 5),
            expected("z [1]", 3, "z [1]/y.bmp", 2, 2),
        ]
    );
    // The class without images has its label all the same.
    assert_eq!(std::fs::read_to_string(summary.labels.unwrap()).unwrap(), "a\na-b\nempty\nz [1]\n");
    assert_eq!((summary.num_classes, summary.ignored_files), (4, 1));
    // What people write for the set is the set and nothing else.
    assert_eq!(feedline::io::list_files(&[place.path("out/train-*")]).unwrap().len(), 1);

    let columns = Some(vec!["label".into(), "image".into()]);
    let summary = run(&Options { columns, ..place.options("photos/", "out/two") });
    assert_eq!(
        records_of(&summary)[0],
        row().bytes("image", &[&bitmap(1, 1)]).int64("label", &[0]).to_bytes()
    );
}

#[test]
fn records_pass_untouched_or_with_some_features() {
    let place = Place::new();
    let records = [
        row().int64("label", &[1]).bytes("image", &[b"abc"]).to_bytes(),
        row().bytes("image", &[b"def"]).float("box", &[0.5, 1.5]).to_bytes(),
    ];
    place.write("in.tfrecord", record_file(&[records[0].clone(), b"not an example at all".to_vec()]));
    assert_eq!(records_of(&run(&place.options("in.tfrecord", "out/same")))[1], b"not an example at all");

    place.write("examples-00000-of-00001", record_file(&records));
    let columns = Some(vec!["label".into(), "box".into()]);
    let summary = run(&Options { columns, ..place.options("examples-*", "out/some") });
    let expected = [row().int64("label", &[1]).to_bytes(), row().float("box", &[0.5, 1.5]).to_bytes()];
    assert_eq!(records_of(&summary), expected);
}

fn jpeg(height: usize, width: usize) -> Vec<u8> {
    let pixels: Vec<u8> = (0..height * width * 3).map(|at| (at * 7 / width % 251) as u8).collect();
    encode_jpeg(&pixels, height, width, 3, &JpegOptions::of_quality(90)).unwrap()
}

#[test]
fn images_are_changed_in_folders_and_in_records() {
    let place = Place::new();
    let (photo, bitmap) = (jpeg(60, 90), bitmap(2, 2));
    place.write("photos/a/1.jpg", &photo);
    place.write("photos/a/2.bmp", &bitmap);
    let record = |image: &[u8]| row().int64("label", &[1]).bytes("image", &[image]).to_bytes();
    place.write("in.tfrecord", record_file(&[record(&photo), record(&bitmap), record(b"text")]));

    let images = ImageChange { restarts: true, ..ImageChange::default() };
    let ready = with_restarts(&photo).unwrap();
    let columns = Some(vec!["image".into()]);
    let summary = run(&Options { images, columns: columns.clone(), ..place.options("photos", "out/folder") });
    let image = |bytes: &[u8]| row().bytes("image", &[bytes]).to_bytes();
    assert_eq!(records_of(&summary), [image(&ready), image(&bitmap)]);
    let one = |reason: &str| [(reason.to_owned(), 1)].into();
    let counts = ImageCounts { rewritten: 1, left: one("of another format (BMP)") };
    assert_eq!(summary.images, counts);
    let summary = run(&Options { images, ..place.options("in.tfrecord", "out/records") });
    assert_eq!(records_of(&summary), [record(&ready), record(&bitmap), record(b"text")]);
    assert_eq!(summary.images, counts);
    // What an earlier run did is counted, too.
    let again = run(&Options { images, ..place.options("in.tfrecord", "out/records") });
    assert_eq!((again.num_shards_before, again.images), (1, counts));
    let summary = run(&Options { images, columns, ..place.options("in.tfrecord", "out/chosen") });
    assert_eq!(records_of(&summary), [image(&ready), image(&bitmap), image(b"text")]);

    // Smaller ones have their own height and width.
    let images = ImageChange { max_side: Some(45), quality: Some(80), restarts: false };
    let summary = run(&Options { images, ..place.options("photos", "out/small") });
    let written = records_of(&summary).remove(0);
    let start = written.windows(3).position(|part| part == [0xff, 0xd8, 0xff]).unwrap();
    let info = probe(&written[start..]).unwrap();
    assert_eq!((info.height, info.width), (30, 45));
}

#[test]
fn images_that_cannot_be_changed_are_bad_rows_and_other_input_has_none() {
    let place = Place::new();
    let photo = jpeg(60, 90);
    let record = |image: &[u8]| row().bytes("image", &[image]).to_bytes();
    place.write("in.tfrecord", record_file(&[record(&photo[..600]), record(&photo)]));
    let images = ImageChange { max_side: Some(45), ..ImageChange::default() };
    let options = Options { images, ..place.options("in.tfrecord", "out/small") };
    let error = feedline::convert::convert(&options, &()).unwrap_err().to_string();
    assert!(error.contains("record 0") && error.contains("its image: JPEG"), "{error}");
    let summary = run(&Options { on_error: OnError::Skip, ..options.clone() });
    assert_eq!((summary.rows, summary.skipped.len()), (1, 1));
    // Other changes are another job.
    let images = ImageChange { max_side: Some(40), ..ImageChange::default() };
    let error = feedline::convert::convert(&Options { images, ..options }, &()).unwrap_err().to_string();
    assert!(error.contains("--max-size: 45 then, 40 now"), "{error}");
    place.write("in.csv", "a\n1\n");
    let error = feedline::convert::convert(&Options { images, ..place.options("in.csv", "out/csv") }, &());
    assert!(error.unwrap_err().to_string().contains("are for images, and the input is csv"));
}
