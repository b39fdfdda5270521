//! `feedline index`, as people and scripts see it.

mod cli_support;

use cli_support::{Folder, RECORD_BYTES};
use feedline::formats::Compression;

#[test]
fn made_once_and_again_when_stale() {
    let folder = Folder::new();
    folder.examples("a.tfrecord", 10, None);
    folder.examples("b.tfrecord", 20, None);
    let run = folder.run(&["index", "*"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(
        run.stdout.starts_with("a.tfrecord: indexed, 10 records\nb.tfrecord: indexed, 20 records\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("2 files indexed, 0 up to date; 30 records, "), "{}", run.stdout);
    let names = ["a.tfrecord", "a.tfrecord.feedline-index", "b.tfrecord", "b.tfrecord.feedline-index"];
    assert_eq!(folder.names(), names, "nothing else is left behind");

    let again = folder.run(&["index", "*"]);
    assert!(again.stdout.contains("a.tfrecord: up to date, 10 records"), "{}", again.stdout);
    assert_eq!(folder.run(&["index", "--check", "*"]).code, 0);
    folder.examples("a.tfrecord", 11, None);
    let check = folder.run(&["index", "--check", "*"]);
    assert_eq!(check.code, 1);
    assert!(
        check.stderr.contains("error: a.tfrecord.feedline-index: the index is of another file"),
        "{}",
        check.stderr
    );
    assert!(check.stderr.contains("hint: make it again with `feedline index`"), "{}", check.stderr);
    let quiet = folder.run(&["index", "-q", "*"]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
    assert_eq!(folder.run(&["index", "--check", "*"]).code, 0);
    let forced = folder.run(&["index", "--force", "*"]);
    assert!(forced.stdout.contains("2 files indexed, 0 up to date"), "{}", forced.stdout);
    assert_eq!(folder.run(&["index", "--force", "--check", "*"]).code, 2);
}

#[test]
fn what_is_refused_has_place_and_remedy() {
    let folder = Folder::new();
    folder.examples("fine", 3, None);
    folder.examples("zipped.gz", 3, Some(Compression::Gzip));
    folder.examples("damaged", 3, None);
    folder.damage("damaged", RECORD_BYTES + 20);
    let run = folder.run(&["index", "fine", "zipped.gz", "damaged"]);
    assert_eq!(run.code, 1);
    for part in [
        "error: zipped.gz: the file is gzip-compressed",
        "hint: `feedline convert --compression none`",
        "error: damaged: record 1 (byte 53): data checksum is 0x",
        "hint: `feedline verify damaged` lists every bad record",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert!(run.stdout.contains("1 file indexed, 0 up to date, 2 failed"), "{}", run.stdout);
    assert_eq!(folder.names(), ["damaged", "fine", "fine.feedline-index", "zipped.gz"]);

    let run = folder.run(&["index", "--json", "fine", "damaged"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let json = run.json();
    let files = json["files"].as_array().unwrap();
    assert_eq!(json["ok"].as_bool(), Some(false));
    assert_eq!((files[0]["state"].as_str(), files[0]["problem"]["hint"].is_string()), (Some("failed"), true));
    assert_eq!((files[1]["state"].as_str(), files[1]["records"].as_u64()), (Some("up to date"), Some(3)));
    assert_eq!(files[1]["index"].as_str(), Some("fine.feedline-index"));
}

#[test]
fn a_folder_that_cannot_be_written_to() {
    let folder = Folder::new();
    folder.examples("a", 3, None);
    // In place of permissions, which do not stop the super-user: a folder where the index should be.
    std::fs::create_dir(folder.path("a.feedline-index")).unwrap();
    let run = folder.run(&["index", "a"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.starts_with("error: a.feedline-index: could not "), "{}", run.stderr);
    assert_eq!(folder.names(), ["a", "a.feedline-index"]);
}
