//! `convert` as a user and a script meet it: help, output, exit codes.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use feedline::image::{JpegOptions, encode_jpeg, encode_png};

fn feedline(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_feedline")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn help_teaches_with_examples() {
    let folder = tempfile::tempdir().unwrap();
    for (flag, expected) in [
        ("-h", vec!["Examples:", "feedline convert photos/ out/train --shards 8", "--on-error"]),
        (
            "--help",
            vec!["Examples:", "What becomes of the input:", "RFC 4180", "OUT.skipped.jsonl", "Bad rows:"],
        ),
    ] {
        let output = feedline(folder.path(), &["convert", flag]);
        assert!(output.status.success());
        for words in expected {
            assert!(text(&output.stdout).contains(words), "{flag} lacks {words}");
        }
    }
}

#[test]
fn every_example_of_the_help_parses() {
    let folder = tempfile::tempdir().unwrap();
    let help = text(&feedline(folder.path(), &["convert", "-h"]).stdout);
    let (_, examples) = help.split_once("Examples:").unwrap();
    let mut num_examples = 0;
    for line in examples.lines().filter_map(|line| line.trim().strip_prefix("feedline ")) {
        // The command ends where the explanation, two spaces on, or a pipe begins.
        let command = line.split("  ").next().unwrap().split(" | ").next().unwrap();
        let arguments: Vec<&str> = command.split(' ').map(|argument| argument.trim_matches('\'')).collect();
        let output = feedline(folder.path(), &arguments);
        // The input is not there; that is another exit code than that of a mistyped command.
        assert_eq!(output.status.code(), Some(1), "{command}: {}", text(&output.stderr));
        num_examples += 1;
    }
    assert!(num_examples >= 6);
}

#[test]
fn people_get_a_summary_and_scripts_get_json() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.csv"), "id,name\n1,x\nbad\n2,y\n").unwrap();
    let skip = ["convert", "in.csv", "out/train", "--on-error", "skip", "--shards", "2"];
    let output = feedline(folder.path(), &skip);
    assert!(output.status.success());
    let (out, problems) = (text(&output.stdout), text(&output.stderr));
    assert!(
        out.contains("wrote 2 rows in 2 files") && out.contains("out/train-*-of-00002.tfrecord"),
        "{out}"
    );
    assert!(out.contains("columns: id int64, name string"), "{out}");
    assert!(
        problems.contains("skipped: in.csv: line 3: the row has 1 field, the header has 2"),
        "{problems}"
    );
    assert!(problems.contains("1 row skipped; each is listed in out/train.skipped.jsonl"), "{problems}");

    let output = feedline(folder.path(), &skip);
    assert!(text(&output.stdout).contains("complete already: 2 rows"), "{}", text(&output.stdout));

    let json = ["convert", "in.csv", "out/other", "--on-error", "skip", "--shards", "2", "--json"];
    let output = feedline(folder.path(), &json);
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&summary["rows"], &summary["shards"], &summary["num_skipped"]),
        (&2.into(), &2.into(), &1.into())
    );
    assert_eq!(summary["skipped"][0]["line"], 3);
    assert_eq!(summary["files"], "out/other-*-of-00002.tfrecord");

    let quiet = ["convert", "in.csv", "out/third", "--columns", "id", "--on-error", "skip", "-q"];
    assert!(feedline(folder.path(), &quiet).stdout.is_empty());
}

#[test]
fn long_lists_of_skipped_rows_are_cut_for_people() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.csv"), format!("id,name\n1,x\n{}", "bad\n".repeat(50))).unwrap();
    let output = feedline(folder.path(), &["convert", "in.csv", "out/train", "--on-error", "skip"]);
    let problems = text(&output.stderr);
    assert_eq!(problems.lines().filter(|line| line.starts_with("skipped: ")).count(), 20);
    assert!(
        problems.contains("… and 30 more\n50 rows skipped; each is listed in out/train.skipped.jsonl"),
        "{problems}"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("out/train.skipped.jsonl")).unwrap().lines().count(),
        50
    );
}

#[test]
fn mistakes_are_told_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "b.csv"] {
        fs::write(folder.path().join(name), "id\n1\n").unwrap();
    }
    for (arguments, code, expected) in [
        (vec!["a.csv"], 2, "<OUT>"),
        (vec![], 2, "<INPUT>"),
        // The shell's expansion of *.csv, without an output.
        (vec!["a.csv", "b.csv"], 2, "hint: the last argument is where to write"),
        (vec!["a.csv", "out.tfrecord"], 2, "hint: write `out` for `out-00000-of-00001.tfrecord`"),
        (vec!["a.csv", "out/"], 2, "hint: give what the names of the files shall begin with"),
        (vec!["a.csv", "out", "--seed", "1"], 2, "--shuffle"),
        (vec!["a.csv", "out", "--shards", "0"], 2, "--shards"),
        (vec!["a.csv", "out", "--types", "id"], 2, "expected NAME=TYPE"),
        (vec!["a.csv", "out", "--types", "id=int32"], 2, "the types are int64, float32 and string"),
        (vec!["a.csv", "out", "--delimiter", "ab"], 2, "one ASCII character"),
        (vec!["a.csv", "out", "--delimiter", "\""], 2, "hint: use a character such as"),
        (vec!["a.csv", "out", "--delimiter", "\n"], 2, "hint: use a character such as"),
        (vec!["a.csv", "out", "--columns", "id,id"], 2, "hint: name each column once"),
        (vec!["a.csv", "out", "--columns", "id,"], 2, "hint: separate the names by commas"),
        (vec!["a.csv", "out", "--columns", ""], 2, "hint: separate the names by commas"),
        (vec!["a.csv", "out", "--types", "id=int64,id=string"], 2, "hint: give each column one type"),
        (vec!["a.csv", "out", "--types", "id=int64", "--types", "id=int64"], 2, "names `id` twice"),
        (vec!["a.csv", "out", "--types", "di=int64", "--columns", "id"], 2, "did you mean `id`?"),
        (vec!["a.csv", "out", "--types", "=int64"], 2, "hint: "),
        (vec!["a.csv", "out", "--from", "tfrecord", "--types", "id=int64"], 2, "hint: drop `--types`"),
        (vec!["a.csv", "out", "--from", "images", "--columns", "imag"], 2, "did you mean `image`?"),
        (vec![".", "out", "--types", "id=int64"], 2, "hint: drop `--types`"),
        (vec![".", "out", "--delimiter", ";"], 2, "hint: drop `--delimiter`"),
        (vec!["a.csv", "out", "--from", "jsonl", "--delimiter", ";"], 2, "hint: drop `--delimiter`"),
        (vec!["a.csv", "s3://bucket/out"], 2, "hint: write to a local folder"),
        (vec!["s3://bucket/a.csv", "out/a"], 2, "hint: copy the files to a local folder"),
        (vec!["s3://bucket/*.csv", "out/a"], 2, "remote paths are not supported by this build"),
        (vec!["--from", "images", "s3://photos", "out/a"], 2, "remote paths are not supported by this build"),
        (vec!["a.csv", "out-*"], 2, "hint: give what the names"),
        (vec!["a.csv", ".out"], 2, "hint: "),
        (vec!["a.csv", ""], 2, "<OUT>"),
        (vec!["", "out"], 2, "hint: "),
        (vec!["[", "out"], 2, "hint: to match `[` itself"),
        (vec!["a**.csv", "out"], 2, "hint: `**` must stand alone"),
        (vec!["a.csv", "out", "--columns", "ID"], 1, "did you mean `id`?"),
        (vec!["missing.csv", "out"], 1, "hint: "),
    ] {
        let all: Vec<&str> = ["convert"].into_iter().chain(arguments.clone()).collect();
        let output = feedline(folder.path(), &all);
        let problems = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {problems}");
        assert!(problems.contains(expected), "{arguments:?}: {problems}");
        let usage = problems.contains("\nUsage: feedline convert [OPTIONS]") || problems.contains("--help");
        assert_eq!(usage, code == 2, "{arguments:?}: {problems}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing was written");
}

#[test]
fn a_run_that_skips_everything_has_failed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("photos/cat")).unwrap();
    fs::write(folder.path().join("photos/cat/1.png"), "no image").unwrap();
    for json in [&[][..], &["--json"]] {
        let output =
            feedline(folder.path(), &[&["convert", "photos", "out", "--on-error", "skip"], json].concat());
        assert_eq!(output.status.code(), Some(1));
        let problems = text(&output.stderr);
        assert!(problems.contains("error: not one of the images could be converted\nhint: "), "{problems}");
    }
    let report = fs::read_to_string(folder.path().join("out.skipped.jsonl")).unwrap();
    assert!(report.contains("looks like text"), "{report}");
}

#[test]
fn images_that_stay_as_they_are_are_counted_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let photos = folder.path().join("photos/a");
    fs::create_dir_all(&photos).unwrap();
    let photo = encode_jpeg(&[90; 48 * 64 * 3], 48, 64, 3, &JpegOptions::of_quality(90)).unwrap();
    let png = encode_png(&[7; 3], false, 1, 1, 3, None).unwrap();
    for (name, bytes) in [("1.jpg", &photo), ("2.jpg", &photo), ("3.png", &png)] {
        fs::write(photos.join(name), bytes).unwrap();
    }
    let output = feedline(folder.path(), &["convert", "photos", "out/ready", "--jpeg-restarts"]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(told.contains("images: 2 rewritten; left as they are: 1 of another format (PNG)"), "{told}");
    let json = ["convert", "photos", "out/small", "--max-size", "64", "--json"];
    let output = feedline(folder.path(), &json);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected =
        serde_json::json!({"rewritten": 0, "left": {"of another format (PNG)": 1, "small enough": 2}});
    assert_eq!(found["images"], expected);
    // Where nothing is done to images nothing is said of them.
    let output = feedline(folder.path(), &["convert", "photos", "out/plain"]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success() && !told.contains("rewritten"), "{told}");
}
