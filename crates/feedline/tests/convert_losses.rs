//! What cannot be told row by row: lost in one piece, one position and one entry of the report, the rest converted.
#![allow(clippy::unwrap_used, reason = "test code")]

mod convert_support;

use convert_support::{Place, bitmap, failure, record_file, records_by_shard, run};
use feedline::convert::{BadRow, OnError, Options};

/// What `--on-error skip` makes of `in/*`: the records, and the report of what is lost, for any number of threads.
fn skipped(place: &Place) -> (Vec<Vec<Vec<u8>>>, Vec<BadRow>) {
    let with_threads = |num_threads| {
        let out = format!("out-{num_threads}/train");
        let options = Options {
            on_error: OnError::Skip,
            overwrite: true,
            num_threads,
            num_shards: Some(2),
            ..place.options("in/*", &out)
        };
        let summary = run(&options);
        (records_by_shard(&place.path(&format!("{out}-*"))), summary.skipped)
    };
    let one = with_threads(1);
    assert!(
        [2, 7].into_iter().all(|num_threads| with_threads(num_threads) == one),
        "threads change the result"
    );
    one
}

#[test]
fn a_quote_that_is_never_closed_is_one_loss_of_unknown_size() {
    let place = Place::new();
    place.write("in/a.csv", "a,b\n1,x\n2,\"y\n3,z\n4,z\n");
    place.write("in/b.csv", "a,b\n5,x\n6,x\n");
    let error = failure(&place.options("in/*", "out/train"));
    for part in [
        "a.csv: line 3, byte 10: a quote is opened here and never closed, so that all that follows is part of it",
        "hint: close the quote",
        "--on-error skip",
    ] {
        assert!(error.contains(part), "{error} lacks {part:?}");
    }

    let (shards, skipped) = skipped(&place);
    assert_eq!(shards.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2], "1 before it, 2 of the other file");
    let [lost] = &skipped[..] else { panic!("{skipped:?}") };
    assert_eq!((lost.position, lost.at_least, lost.line, lost.byte), (1, Some(1), Some(3), Some(10)));
    assert!(lost.reason.ends_with("is part of it; at least 1 row is lost"), "{}", lost.reason);

    // Also where it is not the first fault of its row; and where it is in the header, which costs the file.
    place.write("in/a.csv", "a,b\n1,x\n\"2\"2,\"y\n3,z\n");
    place.write("in/c.csv", "a,\"b\n5,x\n");
    let (shards, skipped) = self::skipped(&place);
    assert_eq!(shards.concat().len(), 3);
    let at_least: Vec<_> = skipped.iter().map(|lost| (lost.position, lost.at_least)).collect();
    assert_eq!(at_least, [(1, Some(1)), (4, Some(1))]);
}

#[test]
fn a_quote_that_is_closed_lines_later_hides_how_many_rows_are_lost() {
    let place = Place::new();
    place.write("in/a.csv", "a,b\n1,x\n2,\"y\n3,z\n4,\"w\"\n5,x\n6,x,\"\n\"\n7\n8,x\n");
    let (shards, skipped) = skipped(&place);
    assert_eq!(shards.concat().len(), 3);
    let entries: Vec<(u64, Option<u64>, Option<u64>)> =
        skipped.iter().map(|lost| (lost.position, lost.line, lost.at_least)).collect();
    assert_eq!(entries, [(1, Some(3), Some(1)), (3, Some(7), Some(1)), (4, Some(9), None)]);
    let reason = "text follows the closing quote; the row goes on to line 5, at least 1 row is lost";
    assert!(skipped[0].reason.ends_with(reason), "{}", skipped[0].reason);
}

#[test]
fn a_file_of_another_header_and_an_image_without_a_class_are_skipped() {
    let place = Place::new();
    place.write("in/a.csv", "a,b\n1,x\n2,y\n");
    place.write("in/b.csv", "a,c\n3,x\n4,y\n");
    place.write("in/c.csv", b"a,\xff\n5,x\n");
    place.write("in/d.csv", "a,b\n6,x\n");
    let error = failure(&place.options("in/*", "out/train"));
    assert!(error.contains("b.csv: line 1: the header is not that of "), "{error}");
    let (shards, skipped) = self::skipped(&place);
    assert_eq!(shards.concat().len(), 3);
    let entries: Vec<String> = skipped.iter().map(|lost| lost.finding().to_string()).collect();
    assert!(
        entries[0].contains("b.csv: line 1: the header is not that of ") && entries.len() == 2,
        "{entries:?}"
    );
    assert!(
        entries[0].ends_with("column 2 is `b` there and `c` here; at least 1 row is lost"),
        "{entries:?}"
    );
    assert!(entries[1].contains("c.csv: line 1: the name of column 2 is not UTF-8"), "{entries:?}");
    assert!(skipped.iter().all(|lost| lost.at_least == Some(1) && lost.hint.is_some()));

    let place = Place::new();
    for name in ["in/photos/cat/1.bmp", "in/photos/z.bmp", "in/photos/a.bmp", "in/photos/dog/1.bmp"] {
        place.write(name, bitmap(2, 2));
    }
    let error = failure(&place.options("in/photos", "out/train"));
    assert!(
        error.contains("a.bmp: the image is in no class folder\nhint: put it into a folder named as"),
        "{error}"
    );
    assert!(error.contains("--on-error skip"), "{error}");
    let options = Options { on_error: OnError::Skip, ..place.options("in/photos", "out/train") };
    let summary = run(&options);
    assert_eq!((summary.rows, summary.num_classes), (2, 2));
    let lost: Vec<(u64, bool, Option<u64>)> = summary
        .skipped
        .iter()
        .map(|lost| (lost.position, lost.file.ends_with("z.bmp"), lost.at_least))
        .collect();
    assert_eq!(lost, [(0, false, None), (1, true, None)]);
}

#[test]
fn a_record_file_damaged_at_its_first_byte_is_a_damaged_one() {
    let place = Place::new();
    let records: Vec<Vec<u8>> = (0..10).map(|number| vec![number; 30]).collect();
    let mut bytes = record_file(&records);
    bytes[0] ^= 1;
    place.write("in/a.tfrecord", &bytes);
    let error = failure(&place.options("in/*", "out/train"));
    assert!(error.contains("a.tfrecord: record 0, byte 0: length checksum is "), "{error}");
    assert!(error.contains("\nhint: the file is damaged; `feedline verify` lists"), "{error}");
    let (shards, skipped) = skipped(&place);
    assert_eq!((shards.concat().len(), skipped.len()), (9, 1));
}
