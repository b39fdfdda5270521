//! The same conversion given again: what was written is noticed, kept, restored, and never taken for input.
#![allow(clippy::unwrap_used, clippy::format_collect, reason = "test code")]

mod cli_support;

use std::fs::File;
use std::time::{Duration, SystemTime};

use cli_support::{Folder, bitmap};

fn rows(number: u32) -> String {
    let rows: String = (0..number).map(|id| format!("{id}\n")).collect();
    format!("id\n{rows}")
}

fn convert(folder: &Folder, arguments: &[&str]) -> serde_json::Value {
    let run = folder.run(&[&["convert", "--json"], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    run.json()
}

#[test]
fn labels_and_report_that_are_gone_come_back() {
    let folder = Folder::new();
    for (class, id) in [("cat", 0), ("dog", 1)] {
        folder.write(&format!("photos/{class}/{id}.bmp"), &bitmap(10 + id, 2));
    }
    folder.write("photos/dog/2.bmp", b"no image");
    let arguments = ["photos", "out/train", "--on-error", "skip"];
    convert(&folder, &arguments);
    let files = folder.files("out");
    for name in ["train.labels.txt", "train.skipped.jsonl"] {
        std::fs::remove_file(folder.path(&format!("out/{name}"))).unwrap();
    }
    assert_eq!(convert(&folder, &arguments)["shards_finished_before"], 1);
    assert_eq!(folder.files("out"), files);
}

#[test]
fn a_new_class_is_a_change_of_the_input_even_without_images() {
    let folder = Folder::new();
    folder.write("photos/cat/1.bmp", &bitmap(1, 1));
    convert(&folder, &["photos", "out/train"]);
    // It would come first, and `cat` would be 1.
    std::fs::create_dir(folder.path("photos/ant")).unwrap();
    let run = folder.run(&["convert", "photos", "out/train"]);
    assert!(run.code == 1 && run.stderr.contains("--overwrite"), "{}", run.stderr);
}

#[test]
fn a_finished_shard_that_changed_is_made_again_and_one_that_was_copied_is_not() {
    let folder = Folder::new();
    folder.write("in.csv", rows(100).as_bytes());
    let arguments = ["in.csv", "out/train", "--shards", "4"];
    convert(&folder, &arguments);
    let files = folder.files("out");
    let shard = |index: u32| format!("out/train-0000{index}-of-00004.tfrecord");
    let later = SystemTime::now() + Duration::from_secs(100);
    let touch = |name: &str| {
        File::options().write(true).open(folder.path(name)).unwrap().set_modified(later).unwrap();
    };
    folder.damage(&shard(1), 40);
    touch(&shard(1));
    touch(&shard(2));
    let summary = convert(&folder, &arguments);
    assert_eq!(summary["shards_finished_before"], 3, "{summary}");
    let mut now = folder.files("out");
    now.insert(".train.feedline-convert".into(), files[".train.feedline-convert"].clone());
    assert_eq!(now, files);
    let modified = |name: &str| std::fs::metadata(folder.path(name)).unwrap().modified().unwrap();
    assert_eq!(modified(&shard(2)), later);
}

#[test]
fn a_run_that_wrote_nothing_does_not_stand_in_the_way_of_its_own_remedy() {
    let folder = Folder::new();
    folder.write("in.csv", format!("{}oops\n", rows(2000)).as_bytes());
    let run = folder.run(&["convert", "in.csv", "out/train"]);
    assert!(run.code == 1 && run.stderr.contains("`--types id=string`"), "{}", run.stderr);
    assert_eq!(convert(&folder, &["in.csv", "out/train", "--types", "id=string"])["rows"], 2001);

    // The other remedy: the value is corrected.
    let run = folder.run(&["convert", "in.csv", "out/other"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    folder.write("in.csv", rows(2001).as_bytes());
    assert_eq!(convert(&folder, &["in.csv", "out/other"])["rows"], 2001);

    // Files that were written do stand in the way, and what differs is told in words.
    let run = folder.run(&["convert", "in.csv", "out/other", "--types", "id=string"]);
    let told = "files of another conversion are there (--types: not given then, id=string now)\nhint: repeat that command";
    assert!(run.code == 1 && run.stderr.contains(told), "{}", run.stderr);
    folder.write("in.csv", rows(2002).as_bytes());
    let run = folder.run(&["convert", "in.csv", "out/other"]);
    let told = "in.csv has changed since)\nhint: choose another prefix, or pass `--overwrite`";
    assert!(run.code == 1 && run.stderr.contains(told), "{}", run.stderr);
}

#[test]
fn output_beside_the_input_is_not_taken_for_input() {
    let folder = Folder::new();
    folder.examples("a.tfrecord", 30, None);
    folder.examples("b.tfrecord", 30, None);
    let arguments = ["*.tfrecord", "all", "--shards", "3"];
    assert_eq!(convert(&folder, &arguments)["rows"], 60);
    let files = folder.files("");
    assert_eq!(convert(&folder, &arguments)["shards_finished_before"], 3);
    std::fs::remove_file(folder.path("all-00001-of-00003.tfrecord")).unwrap();
    let summary = convert(&folder, &arguments);
    assert_eq!((&summary["rows"], &summary["shards_finished_before"]), (&60.into(), &2.into()));
    assert_eq!(folder.shards(""), files.into_iter().filter(|(name, _)| name.contains("-of-")).collect());
    assert_eq!(convert(&folder, &["*.tfrecord", "all", "--shards", "3", "--overwrite"])["rows"], 60);

    // Not what another conversion wrote, though its names would be replaced: somebody may mean just that.
    folder.write("c.csv", rows(10).as_bytes());
    convert(&folder, &["c.csv", "other"]);
    for overwrite in [&[][..], &["--overwrite"]] {
        let run = folder.run(&[&["convert", "?*.tfrecord", "other"], overwrite].concat());
        assert_eq!(run.code, 1, "{}", run.stderr);
        let expected =
            "other-00000-of-00001.tfrecord: the input has the name of an output of `other`\nhint: ";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        assert!(folder.path("other-00000-of-00001.tfrecord").exists());
    }
    // Nor what came later under such a name.
    folder.examples("all-00007-of-00009.tfrecord", 3, None);
    for overwrite in [&[][..], &["--overwrite"]] {
        let run = folder.run(&[&["convert"], &arguments[..], overwrite].concat());
        assert!(
            run.code == 1 && run.stderr.contains("all-00007-of-00009.tfrecord: the input"),
            "{}",
            run.stderr
        );
        assert!(folder.path("all-00007-of-00009.tfrecord").exists());
    }
}

#[test]
fn the_report_of_skipped_rows_is_not_taken_for_input() {
    let folder = Folder::new();
    folder.write("a.jsonl", b"{\"a\": 1}\noops\n{\"a\": 2}\n");
    let arguments = ["*.jsonl", "all", "--on-error", "skip"];
    assert_eq!(convert(&folder, &arguments)["rows"], 2);
    assert_eq!(convert(&folder, &arguments)["rows"], 2);
    assert!(folder.path("all.skipped.jsonl").exists());
}

#[test]
fn files_of_others_that_would_be_replaced_are_not() {
    let folder = Folder::new();
    folder.write("in.csv", rows(3).as_bytes());
    for name in ["train.labels.txt", "train.skipped.jsonl"] {
        folder.write(name, b"theirs");
        let run = folder.run(&["convert", "in.csv", "train"]);
        assert!(
            run.code == 1 && run.stderr.contains(name) && run.stderr.contains("--overwrite"),
            "{}",
            run.stderr
        );
        assert_eq!(folder.read(name), b"theirs");
        std::fs::remove_file(folder.path(name)).unwrap();
    }
}
