//! Going on with what another run began, and refusing to mix two of them.
#![allow(clippy::unwrap_used, clippy::format_push_string, clippy::format_collect, reason = "test code")]

mod convert_support;

use std::fs;
use std::os::unix::fs::MetadataExt;

use convert_support::{Place, failure, record_file, run};
use feedline::convert::{OnError, Options};
use feedline::formats::Compression;

fn rows(place: &Place, num_rows: u32) {
    let rows: String = (0..num_rows).map(|row| format!("{row}\n")).collect();
    place.write("in.csv", format!("id\n{rows}"));
}

fn four(place: &Place) -> Options {
    Options { num_shards: Some(4), ..place.options("in.csv", "out/train") }
}

/// Tells a file that was written again from one that was left alone.
fn identity(path: &str) -> (u64, i64, i64) {
    let metadata = fs::metadata(path).unwrap();
    (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
}

#[test]
fn a_finished_conversion_is_left_alone() {
    let place = Place::new();
    rows(&place, 100);
    let first = run(&four(&place));
    let files = place.files("out");
    let before: Vec<_> = (0..4)
        .map(|shard| identity(&place.path(&format!("out/train-0000{shard}-of-00004.tfrecord"))))
        .collect();
    let again = run(&Options { num_threads: 1, on_error: OnError::Skip, ..four(&place) });
    assert_eq!((again.rows, again.num_shards_before, again.output_bytes), (100, 4, first.output_bytes));
    assert_eq!(again.columns, first.columns);
    assert_eq!(place.files("out"), files);
    let after: Vec<_> = (0..4)
        .map(|shard| identity(&place.path(&format!("out/train-0000{shard}-of-00004.tfrecord"))))
        .collect();
    assert_eq!(before, after);
}

#[test]
fn missing_and_cut_shards_are_made_again_and_no_others() {
    let place = Place::new();
    rows(&place, 100);
    run(&four(&place));
    let files = place.files("out");
    let shard = |index: u32| place.path(&format!("out/train-0000{index}-of-00004.tfrecord"));
    let before = [identity(&shard(0)), identity(&shard(3))];
    fs::remove_file(shard(1)).unwrap();
    fs::write(shard(2), "cut").unwrap();
    let summary = run(&four(&place));
    assert_eq!(summary.num_shards_before, 2);
    assert_eq!(place.shards("out").len(), 4);
    assert!(place.shards("out").iter().all(|(name, bytes)| files[name] == *bytes));
    assert_eq!([identity(&shard(0)), identity(&shard(3))], before);
}

#[test]
fn a_journal_that_ends_anywhere_leads_to_the_same_files() {
    let place = Place::new();
    rows(&place, 100);
    run(&four(&place));
    let files = place.files("out");
    let journal = &files[".train.feedline-convert"];
    let plan_end = journal.windows(8).position(|window| window == b"{\"shard\"").unwrap();
    for cut in (plan_end..journal.len()).step_by(7) {
        place.write("out/.train.feedline-convert", &journal[..cut]);
        // What the journal does not know of was not there when it was cut: a line is written before its file.
        let text = String::from_utf8_lossy(&journal[..cut]).into_owned();
        for shard in 0..4 {
            let begin = format!("{{\"shard\":{{\"shard\":{shard}");
            if !text.split_inclusive('\n').any(|line| line.starts_with(&begin) && line.ends_with('\n')) {
                fs::remove_file(place.path(&format!("out/train-0000{shard}-of-00004.tfrecord"))).unwrap();
            }
        }
        run(&four(&place));
        let mut now = place.files("out");
        // Lines of shards may stand in another order; the files may not differ.
        now.insert(".train.feedline-convert".into(), journal.clone());
        assert_eq!(now, files, "cut at {cut}");
    }
}

#[test]
fn another_job_is_refused_with_what_differs() {
    let place = Place::new();
    rows(&place, 100);
    place.write("more.csv", "id\n1\n");
    run(&four(&place));
    let files = place.files("out");
    let cases: Vec<(Options, &str)> = vec![
        (Options { num_shards: Some(5), ..four(&place) }, "--shards: 4 then, 5 now"),
        (Options { num_shards: None, ..four(&place) }, "--shards: 4 then, not given now"),
        (
            Options { compression: Some(Compression::Gzip), ..four(&place) },
            "--compression: not given then, gzip now",
        ),
        (Options { shuffle_seed: Some(3), ..four(&place) }, "--shuffle with seed: not given then, 3 now"),
        (Options { columns: Some(vec!["id".into()]), ..four(&place) }, "--columns: not given then, [id] now"),
        (
            Options { types: vec![("id".into(), "string".parse().unwrap())], ..four(&place) },
            "--types: not given then, id=string now",
        ),
        (
            Options { inputs: vec![place.path("*.csv").into()], ..four(&place) },
            "more.csv was not among the inputs then",
        ),
    ];
    for (options, difference) in cases {
        let error = failure(&options);
        assert!(
            error.contains(difference) && error.contains("`--overwrite`"),
            "{error}\nexpected: {difference}"
        );
    }
    rows(&place, 101);
    let error = failure(&four(&place));
    assert!(error.contains("in.csv has changed since") && error.contains("`--overwrite`"), "{error}");
    assert_eq!(place.files("out"), files);

    let summary = run(&Options { overwrite: true, num_shards: Some(2), ..four(&place) });
    assert_eq!((summary.rows, summary.num_shards_before), (101, 0));
    let names: Vec<String> = place.files("out").into_keys().collect();
    assert_eq!(
        names,
        [".train.feedline-convert", "train-00000-of-00002.tfrecord", "train-00001-of-00002.tfrecord"]
    );
}

#[test]
fn files_of_another_origin_are_not_mixed_in() {
    let place = Place::new();
    rows(&place, 10);
    for name in
        ["train-00000-of-00009.tfrecord", "train-00003-of-00004.tfrecord", "train-00000-of-00001.tfrecord.gz"]
    {
        let theirs = place.write(&format!("out/{name}"), "theirs");
        let error = failure(&four(&place));
        assert!(
            error.contains(name)
                && error.contains("not of this conversion")
                && error.contains("`--overwrite`"),
            "{error}"
        );
        assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
        fs::remove_file(theirs).unwrap();
    }
    // Other prefixes and other things are no business of ours.
    for name in ["training-00000-of-00009.tfrecord", "train.txt", "train-00000-of-00009.csv"] {
        place.write(&format!("out/{name}"), "theirs");
    }
    run(&four(&place));
    run(&Options { overwrite: true, ..four(&place) });
    assert_eq!(place.files("out").len(), 8);
}

#[test]
fn an_input_is_never_replaced() {
    let place = Place::new();
    place.write("out/train-00000-of-00001.tfrecord", record_file(&[b"x".to_vec()]));
    for overwrite in [false, true] {
        let error = failure(&Options { overwrite, ..place.options("out/train-*.tfrecord", "out/train") });
        assert!(error.contains("the input has the name of an output") && error.contains("hint: "), "{error}");
    }
    assert_eq!(place.files("out").len(), 1);
}

#[test]
fn a_failed_run_goes_on_with_skip_and_equals_one_that_skipped_from_the_start() {
    let place = Place::new();
    let rows: String =
        (0..100).map(|row| if row == 60 { "1,2\n".into() } else { format!("{row}\n") }).collect();
    place.write("in.csv", format!("id\n{rows}"));
    let error = failure(&four(&place));
    assert!(error.contains("line 62"), "{error}");
    // Those before the bad row are finished, whatever the threads; nothing temporary is left.
    let names: Vec<String> = place.files("out").into_keys().collect();
    assert_eq!(
        names,
        [".train.feedline-convert", "train-00000-of-00004.tfrecord", "train-00001-of-00004.tfrecord"]
    );

    let skip = Options { on_error: OnError::Skip, ..four(&place) };
    let summary = run(&skip);
    assert_eq!((summary.rows, summary.skipped.len(), summary.num_shards_before), (99, 1, 2));
    let at_once = run(&Options { out_prefix: place.path("once/train").into(), ..skip.clone() });
    assert_eq!(at_once.num_shards_before, 0);
    assert_eq!(place.shards("out"), place.shards("once"));
    assert_eq!(place.files("out")["train.skipped.jsonl"], place.files("once")["train.skipped.jsonl"]);

    // And back: a run that may not skip does not take a file with a hole for its own.
    assert!(failure(&four(&place)).contains("line 62"));
}
