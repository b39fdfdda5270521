//! `feedline verify`, as people and scripts see it.

mod cli_support;

use cli_support::{Folder, RECORD_BYTES};
use feedline::formats::Compression;

#[test]
fn intact_files() {
    let folder = Folder::new();
    folder.examples("a.tfrecord", 10, None);
    folder.examples("b.tfrecord.gz", 10, Some(Compression::Gzip));
    folder.write("empty.tfrecord", b"");
    let run = folder.run(&["verify", "*.tfrecord*"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(
        run.stdout.contains("note: empty.tfrecord: empty (0 bytes), which is a valid file"),
        "{}",
        run.stdout
    );
    let last = run.stdout.lines().last().unwrap();
    assert!(last.starts_with("OK: 3 files, 20 records, ") && last.ends_with("iB/s)"), "{last}");

    let quiet = folder.run(&["verify", "-q", "*"]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
}

#[test]
fn each_bad_record_has_its_place_and_all_have_a_remedy() {
    let folder = Folder::new();
    folder.examples("good.tfrecord", 10, None);
    folder.examples("bad.tfrecord", 10, None);
    assert_eq!(folder.read("bad.tfrecord").len(), 10 * RECORD_BYTES);
    folder.damage("bad.tfrecord", 3 * RECORD_BYTES + 20);
    folder.damage("bad.tfrecord", 5 * RECORD_BYTES + 2);
    let mut cut = folder.read("good.tfrecord");
    cut.truncate(9 * RECORD_BYTES + 30);
    folder.write("cut.tfrecord", &cut);

    let run = folder.run(&["verify", "*.tfrecord"]);
    assert_eq!(run.code, 1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", run.stdout);
    assert!(lines[0].starts_with("bad.tfrecord: record 3 (byte 159): data checksum is 0x"), "{}", lines[0]);
    assert!(lines[1].starts_with("bad.tfrecord: record 5 (byte 265): length checksum is 0x"), "{}", lines[1]);
    let reason = "the data ends inside a record: it needs 53 bytes, 30 are left";
    assert_eq!(lines[2], format!("cut.tfrecord: record 9 (byte 477): {reason}"));
    assert!(lines[3].starts_with("BAD: 3 problems in 2 of 3 files; 27 records intact, "), "{}", lines[3]);
    let hints: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(hints.len(), 2, "each remedy once: {}", run.stderr);
    assert!(hints.iter().all(|hint| hint.starts_with("hint: ")), "{}", run.stderr);

    let quiet = folder.run(&["verify", "--quiet", "*.tfrecord"]);
    assert_eq!((quiet.code, quiet.stdout.lines().count()), (1, 3));
    let limited = folder.run(&["verify", "--limit", "1", "*.tfrecord"]);
    assert!(limited.stdout.contains("… and 2 more (--limit N prints N of them)"), "{}", limited.stdout);
    assert_eq!(limited.stdout.lines().count(), 3);
}

#[test]
fn json_is_one_object_with_every_problem() {
    let folder = Folder::new();
    folder.examples("a", 200, None);
    for record in 0..150 {
        folder.damage("a", record * RECORD_BYTES + 20);
    }
    folder.examples("b", 5, None);
    let run = folder.run(&["verify", "--json", "a", "b"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let json = run.json();
    assert_eq!((json["ok"].as_bool(), json["records"].as_u64()), (Some(false), Some(55)));
    assert_eq!((json["num_problems"].as_u64(), json["num_files"].as_u64()), (Some(150), Some(2)));
    assert_eq!(json["bytes"].as_u64(), Some(205 * RECORD_BYTES as u64));
    let problems = json["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 150, "no limit");
    assert_eq!((problems[7]["file"].as_str(), problems[7]["record"].as_u64()), (Some("a"), Some(7)));
    assert_eq!(problems[7]["byte"].as_u64(), Some(7 * RECORD_BYTES as u64));
    assert!(problems[7]["reason"].as_str().unwrap().starts_with("data checksum is"));
    assert!(problems[7]["hint"].is_string());
    assert_eq!(
        (json["files"][1]["kind"].as_str(), json["files"][1]["num_problems"].as_u64()),
        (Some("Example"), Some(0))
    );

    let well = folder.run(&["verify", "--json", "b"]);
    assert_eq!((well.code, well.json()["ok"].as_bool()), (0, Some(true)));
}

#[test]
fn records_are_held_to_what_they_should_be() {
    let folder = Folder::new();
    folder.records("text", ["\u{ff}one", "\u{ff}two"], None);
    // What is no Example is bad, also where nothing in the file is one.
    let run = folder.run(&["verify", "text"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("text: record 0 (byte 0): not a valid Example: "), "{}", run.stdout);
    assert!(run.stdout.contains("BAD: 2 problems in 1 of 1 file; 0 records intact"), "{}", run.stdout);
    assert!(run.stderr.contains("`--records bytes` for checksums alone"), "{}", run.stderr);
    let run = folder.run(&["verify", "--records", "example", "text"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("text: record 0 (byte 0): not a valid Example: "), "{}", run.stdout);
    assert!(run.stderr.contains("hint: the record passed its checksum"), "{}", run.stderr);
    let run = folder.run(&["verify", "--records", "bytes", "text"]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 1), "{}", run.stdout);
    assert_eq!(folder.run(&["verify", "--records", "nonsense", "text"]).code, 2);
}

#[test]
fn a_stale_index_is_a_problem() {
    let folder = Folder::new();
    folder.examples("a", 5, None);
    assert_eq!(folder.run(&["index", "a"]).code, 0);
    assert_eq!(folder.run(&["verify", "a"]).code, 0);
    folder.examples("a", 6, None);
    let run = folder.run(&["verify", "*"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.starts_with("a.feedline-index: the index is of another file or an older state of it: ")
    );
    assert!(run.stderr.contains("hint: make it again with `feedline index`"), "{}", run.stderr);
}

#[test]
fn more_files_than_a_process_may_open() {
    let folder = Folder::new();
    for number in 0..100 {
        folder.examples(&format!("data-{number:03}"), 3, None);
    }
    let run = folder.shell("ulimit -n 40 && $FEEDLINE verify --threads 4 'data-*' && $FEEDLINE index -q 'data-*' && $FEEDLINE inspect 'data-*'");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("OK: 100 files, 300 records, "), "{}", run.stdout);
}
