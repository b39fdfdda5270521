//! Same input and options, same bytes: whatever the threads, and whichever way the input is spelled.
#![allow(clippy::unwrap_used, clippy::format_push_string, clippy::format_collect, reason = "test code")]

mod convert_support;

use convert_support::{Place, bitmap, compressed, record_file, records_by_shard, run};
use feedline::convert::Options;
use feedline::formats::Compression;
use feedline::formats::example::ExampleWriter;

/// Inputs of every kind, large enough for several groups in a shard.
fn inputs(place: &Place) -> Vec<(&'static str, String)> {
    let mut csv = "id,text\n".to_owned();
    let mut json = String::new();
    let mut records = Vec::new();
    for row in 0..6000 {
        let text = "x".repeat(300 + row % 400);
        csv += &format!("{row},\"{text}\n{row}\"\n");
        json += &format!("{{\"id\": {row}, \"text\": \"{text}\"}}\n");
        records.push(
            ExampleWriter::new().int64("id", &[row as i64]).bytes("text", &[text.as_bytes()]).to_bytes(),
        );
    }
    place.write("in.csv", csv);
    place.write("in.jsonl", json);
    place.write("in.tfrecord", record_file(&records));
    for image in 0..40 {
        place.write(&format!("images/class{}/{image}.bmp", image % 3), bitmap(100 + image, 200));
    }
    ["in.csv", "in.jsonl", "in.tfrecord", "images"].map(|name| (name, place.path(name))).to_vec()
}

#[test]
fn threads_do_not_change_a_byte() {
    let place = Place::new();
    for (name, input) in inputs(&place) {
        for compression in [None, Some(Compression::Gzip), Some(Compression::Zlib)] {
            for shuffle_seed in [None, Some(7)] {
                let out =
                    |num_threads: usize| format!("{name}-out/{compression:?}-{shuffle_seed:?}-{num_threads}");
                let mut outputs = [1, 2, 4].map(|num_threads| {
                    let folder = out(num_threads);
                    run(&Options {
                        num_shards: Some(3),
                        compression,
                        shuffle_seed,
                        num_threads,
                        ..Options::new([&input], place.path(&format!("{folder}/out")))
                    });
                    place.shards(&folder)
                });
                assert_eq!(outputs[0].len(), 3);
                let first = std::mem::take(&mut outputs[0]);
                assert!(
                    outputs[1..].iter().all(|output| *output == first),
                    "{name} {compression:?} {shuffle_seed:?}"
                );
            }
        }
    }
}

#[test]
fn any_number_of_shards_holds_all_rows_in_order() {
    let place = Place::new();
    place.write("in.csv", "id\n0\n1\n2\n3\n4\n5\n6\n");
    let expected: Vec<Vec<u8>> =
        (0..7).map(|id| ExampleWriter::new().int64("id", &[id]).to_bytes()).collect();
    for (num_shards, sizes) in
        [(1, vec![7]), (2, vec![3, 4]), (7, vec![1; 7]), (9, vec![0, 1, 1, 1, 0, 1, 1, 1, 1])]
    {
        let out = format!("out{num_shards}/train");
        let summary = run(&Options { num_shards: Some(num_shards), ..place.options("in.csv", &out) });
        let shards = records_by_shard(&summary.pattern);
        let found: Vec<usize> = shards.iter().map(Vec::len).collect();
        assert_eq!(found, sizes);
        assert_eq!(shards.concat(), expected);
        assert_eq!((summary.rows, summary.num_shards), (7, num_shards));
    }
    assert_eq!(run(&place.options("in.csv", "default/train")).num_shards, 1);
}

#[test]
fn shuffling_keeps_every_row_and_follows_the_seed() {
    let place = Place::new();
    let rows: String = (0..500).map(|id| format!("{id}\n")).collect();
    place.write("in.csv", format!("id\n{rows}"));
    let shuffled = |seed| {
        let out = format!("out/seed{seed:?}");
        let options = Options { shuffle_seed: seed, num_shards: Some(2), ..place.options("in.csv", &out) };
        records_by_shard(&run(&options).pattern).concat()
    };
    let (plain, seven, eight) = (shuffled(None), shuffled(Some(7)), shuffled(Some(8)));
    assert!(plain != seven && seven != eight);
    for order in [seven, eight] {
        let (mut order, mut plain) = (order, plain.clone());
        order.sort();
        plain.sort();
        assert_eq!(order, plain);
    }
}

#[test]
fn compressed_input_gives_what_plain_input_gives() {
    let place = Place::new();
    inputs(&place);
    for (name, compressions) in [
        ("in.csv", vec![Compression::Gzip]),
        ("in.jsonl", vec![Compression::Gzip]),
        ("in.tfrecord", vec![Compression::Gzip, Compression::Zlib]),
    ] {
        let plain = place.files("")[name].clone();
        let reference =
            run(&Options { num_shards: Some(2), ..place.options(name, &format!("{name}-plain/out")) });
        for compression in compressions {
            let packed = format!("packed-{compression}/{name}.gz");
            place.write(&packed, compressed(compression, &plain));
            let folder = format!("{name}-{compression}");
            let options = Options { num_shards: Some(2), ..place.options(&packed, &format!("{folder}/out")) };
            assert_eq!(run(&options).rows, reference.rows);
            assert_eq!(place.shards(&folder), place.shards(&format!("{name}-plain")), "{name} {compression}");
            // Nothing of the inflated copy is left.
            assert_eq!(place.files(&folder).len(), 3, "{:?}", place.files(&folder).keys());
        }
    }
}

#[test]
fn many_files_are_one_input() {
    let place = Place::new();
    place.write("parts/a.csv", "id\n0\n1\n");
    place.write("parts/b.csv", "id\n2");
    place.write("parts/c.csv", "id\r\n\r\n3\r\n");
    place.write("whole.csv", "id\n0\n1\n2\n3\n");
    let whole = run(&place.options("whole.csv", "out/whole"));
    let parts = run(&place.options("parts/*.csv", "out/parts"));
    assert_eq!((parts.rows, parts.input_files), (4, 3));
    assert_eq!(records_by_shard(&parts.pattern), records_by_shard(&whole.pattern));
}
