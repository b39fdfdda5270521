//! Input that cannot be read: with `--on-error skip` it costs itself, is reported, and holds one position, whatever it was.
#![allow(clippy::unwrap_used, clippy::format_collect, reason = "test code")]

mod cli_support;

use std::os::unix::fs::{PermissionsExt, symlink};

use cli_support::{Folder, bitmap, record_counts};
use feedline::formats::example::ExampleWriter;
use feedline::formats::tfrecord::write_frame;
use feedline::formats::{CompressedStream, Compression, deflate_piece};
use serde_json::Value;

/// `number` rows of CSV from `first` on, without a header.
fn csv(first: u32, number: u32) -> String {
    (first..first + number).map(|id| format!("{id},name{id}\n")).collect()
}

fn jsonl(first: u32, number: u32) -> String {
    (first..first + number).map(|id| format!("{{\"id\": {id}}}\n")).collect()
}

fn frames(first: i64, number: i64) -> Vec<u8> {
    let mut file = Vec::new();
    for id in first..first + number {
        write_frame(&mut file, &ExampleWriter::new().int64("id", &[id]).to_bytes()).unwrap();
    }
    file
}

/// A gzip stream of `first` and `second`, and the same stream cut off between the two.
fn gzip(first: &[u8], second: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut stream = CompressedStream::new(Compression::Gzip);
    let mut file = stream.header().to_vec();
    stream.add(first);
    deflate_piece(first, 6, &mut file);
    let cut = file.clone();
    stream.add(second);
    deflate_piece(second, 6, &mut file);
    file.extend(stream.trailer());
    (file, cut)
}

/// What is expected of a conversion that skips.
struct Expected {
    /// The file that is reported, and a part of the reason.
    file: &'static str,
    reason: &'static str,
    position: u64,
    /// Whether nobody can tell how many rows are lost.
    is_open: bool,
    /// Records in each of three shards.
    in_shards: [u64; 3],
}

/// Converts what `make` made to three shards: fails without skipping, skips with it, and comes to the same on any number of
/// threads and when gone on with.
fn check(name: &str, inputs: &[&str], make: impl Fn(&Folder), expected: &Expected) {
    let folder = Folder::new();
    make(&folder);
    let convert = |out: &str, options: &[&str]| {
        folder.run(&[&["convert", "--json", "--shards", "3"], options, inputs, &[out]].concat())
    };

    let failed = convert("fail/out", &[]);
    assert_eq!(failed.code, 1, "{name}: {}", failed.stderr);
    assert!(
        failed.stderr.contains(expected.file) && failed.stderr.contains("\nhint: "),
        "{name}: {}",
        failed.stderr
    );

    for (out, threads) in [("one", "1"), ("many", "7")] {
        let run = convert(&format!("{out}/out"), &["--on-error", "skip", "--threads", threads]);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        let summary = run.json();
        let skipped = summary["skipped"].as_array().unwrap();
        assert_eq!(skipped.len(), 1, "{name}: {summary}");
        let entry = &skipped[0];
        assert!(entry["file"].as_str().unwrap().ends_with(expected.file), "{name}: {entry}");
        assert!(entry["reason"].as_str().unwrap().contains(expected.reason), "{name}: {entry}");
        assert_eq!(entry["position"], expected.position, "{name}: {entry}");
        assert_eq!(entry["at_least"] == 1, expected.is_open, "{name}: {entry}");
        assert_eq!(summary["num_skipped_is_exact"], !expected.is_open, "{name}");
        assert_eq!(record_counts(&folder.path(out)), expected.in_shards, "{name}");
    }
    let one = folder.files("one");
    assert_eq!(folder.shards("many"), folder.shards("one"), "{name}");

    // A shard before, at and behind the place; each is made again as it was.
    for shard in 0..3 {
        std::fs::remove_file(folder.path(&format!("one/out-0000{shard}-of-00003.tfrecord"))).unwrap();
        let again = convert("one/out", &["--on-error", "skip"]);
        assert_eq!(again.code, 0, "{name}: {}", again.stderr);
        assert_eq!(again.json()["shards_finished_before"], 2, "{name}");
        let mut now = folder.files("one");
        now.insert(".out.feedline-convert".into(), one[".out.feedline-convert"].clone());
        assert_eq!(now, one, "{name}: gone on with at shard {shard}");
    }
}

/// Four rows, the file in question, four rows.
fn around(folder: &Folder, ending: &str) {
    let (before, behind): (Vec<u8>, Vec<u8>) = match ending {
        "csv" => (format!("id,name\n{}", csv(0, 4)).into(), format!("id,name\n{}", csv(90, 4)).into()),
        "jsonl" => (jsonl(0, 4).into(), jsonl(90, 4).into()),
        _ => (frames(0, 4), frames(90, 4)),
    };
    folder.write(&format!("a.{ending}"), &before);
    folder.write(&format!("c.{ending}"), &behind);
}

#[test]
fn files_that_cannot_be_opened_hold_one_position() {
    let lost = |reason| Expected { file: "b.csv", reason, position: 4, is_open: true, in_shards: [3, 2, 3] };
    let link = |folder: &Folder| {
        around(folder, "csv");
        symlink("nowhere.csv", folder.path("b.csv")).unwrap();
    };
    let nowhere = "could not follow the link: No such file or directory";
    check("a link that leads nowhere", &["*.csv"], link, &lost(nowhere));
    check("the same, expanded by a shell", &["a.csv", "b.csv", "c.csv"], link, &lost(nowhere));
    let circle = |folder: &Folder| {
        around(folder, "csv");
        symlink("b.csv", folder.path("b.csv")).unwrap();
    };
    check("a link to itself", &["*.csv"], circle, &lost("could not follow the link"));
    let inside = |folder: &Folder| {
        around(folder, "csv");
        std::fs::create_dir(folder.path("b.csv")).unwrap();
    };
    check("a folder", &["a.csv", "b.csv", "c.csv"], inside, &lost("it is a folder, expected a file"));
    let empty = |folder: &Folder| {
        around(folder, "csv");
        folder.write("b.csv", b"");
    };
    check("an empty file", &["*.csv"], empty, &lost("the file is empty, expected a row of column names"));
    for ending in ["jsonl", "tfrecord"] {
        let make = |folder: &Folder| {
            around(folder, ending);
            symlink("nowhere", folder.path(&format!("b.{ending}"))).unwrap();
        };
        let file = if ending == "jsonl" { "b.jsonl" } else { "b.tfrecord" };
        let expected = Expected { file, ..lost(nowhere) };
        check(ending, &[&format!("*.{ending}")], make, &expected);
    }
}

#[test]
fn compressed_files_that_are_cut_off_give_the_rows_before() {
    // Two whole rows and a piece of a third, which is not to be taken for a row: `12` of `1234`.
    let make = |file: &'static str, first: Vec<u8>| {
        move |folder: &Folder| {
            let ending = file.trim_start_matches("b.").trim_end_matches(".gz");
            around(folder, ending);
            folder.write(file, &gzip(&first, &[b'7'; 1000]).1);
        }
    };
    let expected = |file| Expected {
        file,
        reason: "the gzip stream is damaged: it ends in the middle",
        position: 6,
        is_open: true,
        in_shards: [3, 3, 4],
    };
    let text = format!("id,name\n{}12", csv(10, 2));
    check("csv", &["?.csv*"], make("b.csv.gz", text.into()), &expected("b.csv.gz"));
    let quoted = format!("id,name\n{}12,\"a\nb\nc", csv(10, 2));
    check("csv, in quotes", &["?.csv*"], make("b.csv.gz", quoted.into()), &expected("b.csv.gz"));
    let at_row_end = format!("id,name\n{}", csv(10, 2));
    check("csv, between rows", &["?.csv*"], make("b.csv.gz", at_row_end.into()), &expected("b.csv.gz"));
    let text = format!("{}{{\"id\": 12", jsonl(10, 2));
    check("jsonl", &["?.jsonl*"], make("b.jsonl.gz", text.into()), &expected("b.jsonl.gz"));
    for (name, extra) in [("records", 20), ("records, in a header", 5), ("between records", 0)] {
        let mut records = frames(10, 2);
        records.extend(&frames(12, 1)[..extra]);
        check(name, &["?.tfrecord*"], make("b.tfrecord.gz", records), &expected("b.tfrecord.gz"));
    }
    // Nothing of it can be used: a header that is cut, and not even a compressed byte behind the mark.
    for (name, bytes) in [("in the header", gzip(b"id,na", b"me\n1,x\n").1), ("at once", gzip(b"", b"").1)] {
        let make = |folder: &Folder| {
            around(folder, "csv");
            folder.write("b.csv.gz", &bytes);
        };
        let expected = Expected { position: 4, in_shards: [3, 2, 3], ..expected("b.csv.gz") };
        check(name, &["?.csv*"], make, &expected);
    }
}

#[test]
fn compressed_text_that_is_damaged_is_lost_as_a_whole() {
    let make = |folder: &Folder| {
        around(folder, "csv");
        let (mut file, _) = gzip(format!("id,name\n{}", csv(10, 3)).as_bytes(), b"");
        let checksum = file.len() - 8;
        file[checksum] ^= 1;
        folder.write("b.csv.gz", &file);
    };
    let expected = Expected {
        file: "b.csv.gz",
        reason: "the gzip stream is damaged",
        position: 4,
        is_open: true,
        in_shards: [3, 2, 3],
    };
    check("a wrong checksum", &["?.csv*"], make, &expected);
}

#[test]
fn damaged_lengths_hold_one_position_and_say_at_least() {
    let make = |folder: &Folder| {
        let mut file = frames(0, 10);
        let frame = file.len() / 10;
        // Two neighbours: nothing says that they were two.
        file[3 * frame] ^= 0xff;
        file[4 * frame] ^= 0xff;
        folder.write("a.tfrecord", &file);
    };
    let expected = Expected {
        file: "a.tfrecord",
        reason: "at least 1 record",
        position: 3,
        is_open: true,
        in_shards: [3, 2, 3],
    };
    check("lengths", &["a.tfrecord"], make, &expected);

    let folder = Folder::new();
    make(&folder);
    let run = folder.run(&["convert", "a.tfrecord", "out/a", "--on-error", "skip"]);
    assert!(
        run.stderr.contains("at least 1 record skipped; each is listed in out/a.skipped.jsonl"),
        "{}",
        run.stderr
    );
    // Damaged data keeps its length: one record and no more.
    folder.write("b.tfrecord", &frames(0, 10));
    folder.damage("b.tfrecord", 20);
    let run = folder.run(&["convert", "b.tfrecord", "out/b", "--on-error", "skip"]);
    assert!(run.stderr.contains("\n1 record skipped; each"), "{}", run.stderr);
}

#[test]
fn images_that_cannot_be_read_hold_their_position() {
    let images = |folder: &Folder| {
        for id in 0..9_u32 {
            let class = if id < 5 { "cat" } else { "dog" };
            folder.write(&format!("photos/{class}/{id}.bmp"), &bitmap(10 + id, 2));
        }
    };
    let expected =
        |file, reason| Expected { file, reason, position: 4, is_open: false, in_shards: [3, 2, 3] };
    let cut = |folder: &Folder| {
        images(folder);
        folder.write("photos/cat/4.bmp", &bitmap(14, 2)[..70]);
    };
    check("cut off", &["photos"], cut, &expected("cat/4.bmp", "bytes"));
    let link = |folder: &Folder| {
        images(folder);
        std::fs::remove_file(folder.path("photos/cat/4.bmp")).unwrap();
        symlink("nowhere", folder.path("photos/cat/4.bmp")).unwrap();
    };
    check(
        "a link that leads nowhere",
        &["photos"],
        link,
        &expected("cat/4.bmp", "could not follow the link"),
    );
    // A class of which nobody can tell what is in it, between the two: its label is kept.
    let class = |folder: &Folder| {
        images(folder);
        std::fs::remove_file(folder.path("photos/cat/4.bmp")).unwrap();
        symlink("nowhere", folder.path("photos/cow")).unwrap();
    };
    let lost = Expected { is_open: true, ..expected("photos/cow", "could not list the class folder") };
    check("a class", &["photos"], class, &lost);
    let folder = Folder::new();
    class(&folder);
    assert_eq!(folder.run(&["convert", "photos", "out", "--on-error", "skip"]).code, 0);
    assert_eq!(folder.read("out.labels.txt"), b"cat\ncow\ndog\n");
}

#[test]
fn files_that_may_not_be_read_are_skipped() {
    let folder = Folder::new();
    around(&folder, "csv");
    folder.write("b.csv", format!("id,name\n{}", csv(10, 3)).as_bytes());
    for (class, id) in [("cat", 0), ("cat", 1), ("dog", 2)] {
        folder.write(&format!("photos/{class}/{id}.bmp"), &bitmap(10 + id, 2));
    }
    let mode = |name: &str, mode| {
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("", 0o777);
    mode("b.csv", 0);
    mode("photos/cat/1.bmp", 0);
    mode("photos/dog", 0);
    // The administrator may read everything, so the command runs as somebody else.
    let Some(failed) = folder.run_as_nobody(&["convert", "?.csv", "fail"]) else { return };
    assert!(
        failed.code == 1 && failed.stderr.contains("b.csv: could not open: Permission denied"),
        "{}",
        failed.stderr
    );
    for (input, out, files, rows) in
        [("?.csv", "text", vec!["b.csv"], 8), ("photos", "images", vec!["photos/cat/1.bmp", "photos/dog"], 1)]
    {
        let run = folder.run_as_nobody(&["convert", "--json", "--on-error", "skip", input, out]).unwrap();
        assert_eq!(run.code, 0, "{}", run.stderr);
        let summary = run.json();
        let names: Vec<&str> =
            summary["skipped"].as_array().unwrap().iter().map(|row| row["file"].as_str().unwrap()).collect();
        assert_eq!((names, &summary["rows"]), (files, &Value::from(rows)), "{summary}");
    }
    mode("photos/dog", 0o755);
}

#[test]
fn an_input_of_which_nothing_can_be_read_is_an_error_all_the_same() {
    let folder = Folder::new();
    for name in ["a.csv", "a.jsonl", "a.tfrecord", "photos/cat.jpg"] {
        if let Some(parent) = std::path::Path::new(name).parent() {
            std::fs::create_dir_all(folder.path(&parent.display().to_string())).unwrap();
        }
        symlink("nowhere", folder.path(name)).unwrap();
    }
    folder.write("b.jsonl.gz", &gzip(b"{\"id\"", b": 1}").1);
    for input in ["a.csv", "*.csv", "a.jsonl", "b.jsonl.gz", "a.tfrecord", "photos"] {
        let run = folder.run(&["convert", input, "out/train", "--on-error", "skip"]);
        assert_eq!(run.code, 1, "{input}: {}", run.stderr);
        let text = &run.stderr;
        assert!(
            text.contains("nothing else in the input can be read") && text.contains("\nhint: "),
            "{input}: {text}"
        );
        assert!(!folder.path("out/train-00000-of-00001.tfrecord").exists());
    }
}
