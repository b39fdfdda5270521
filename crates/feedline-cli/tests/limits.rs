//! What the system does not let the command write: told with the limit, nothing half done left behind, gone on with after.
#![allow(clippy::unwrap_used, clippy::format_collect, reason = "test code")]

mod cli_support;

use cli_support::Folder;

/// A CSV file whose records take some 250 KB.
fn with_rows() -> Folder {
    let folder = Folder::new();
    let rows: String = (0..4000).map(|id| format!("{id},a word and {id}\n")).collect();
    folder.write("in.csv", format!("id,text\n{rows}").as_bytes());
    folder
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_with_its_name() {
    let folder = with_rows();
    // 64 KiB, in blocks of 512 bytes.
    let run = folder.shell("ulimit -f 128; \"$FEEDLINE\" convert in.csv out/train --shards 2");
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr.starts_with("error: out/train-00000-of-00002.tfrecord: could not write "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("\nhint: ") && run.stderr.contains("`ulimit -f`"), "{}", run.stderr);
    assert_eq!(folder.files("out").into_keys().collect::<Vec<_>>(), [".train.feedline-convert"]);

    // Without the limit the same command goes on, to what it would have written at once.
    for prefix in ["out/train", "out/fresh"] {
        let run = folder.run(&["convert", "in.csv", prefix, "--shards", "2"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    let shards = folder.shards("out");
    for shard in ["00000-of-00002.tfrecord", "00001-of-00002.tfrecord"] {
        assert!(shards[&format!("train-{shard}")] == shards[&format!("fresh-{shard}")], "{shard}");
    }
}

#[test]
fn input_that_cannot_be_inflated_for_the_limit_is_not_skipped() {
    let folder = with_rows();
    assert_eq!(folder.shell("gzip in.csv").code, 0);
    let run = folder.shell("ulimit -f 128; \"$FEEDLINE\" convert in.csv.gz out/train --on-error skip");
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("`ulimit -f`") && !run.stderr.contains("skipped"), "{}", run.stderr);
}

#[test]
fn a_full_disk_behind_standard_output_fails_help_as_well() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::new();
    let run = folder.shell("\"$FEEDLINE\" --help > /dev/full");
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr.starts_with("error: could not write ") && run.stderr.contains("\nhint: "),
        "{}",
        run.stderr
    );
    assert_eq!(folder.shell("\"$FEEDLINE\" --help | true").code, 0);
    // A mistyped line stays one, whoever reads what is wrong with it.
    assert_eq!(folder.shell("\"$FEEDLINE\" --wrong 2> /dev/full").code, 2);
}
