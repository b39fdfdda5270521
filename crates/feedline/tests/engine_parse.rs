//! Records parsed in a pipeline: what nobody uses is only checked, filters go first where they can, records are parsed many
//! at a time; and neither elements nor errors nor states tell.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::fs;

use engine_support::{check, numbers, states_cross};
use feedline::data::block::Tensor;
use feedline::data::{DType, Shape, Structure};
use feedline::formats::example::ExampleWriter;
use feedline::plan::expr::{Feature, Features};
use feedline::records::RecordWriter;
use feedline::{Dataset, Options, Symbolic, ops};

fn features() -> Features {
    Features::from([
        ("id", Feature::fixed_len(&[], DType::Int64)),
        ("name", Feature::fixed_len(&[], DType::String)),
        ("pair", Feature::fixed_len(&[2], DType::Float32).with_default(vec![1.0, 2.0])),
        ("tags", Feature::ragged(DType::Int64)),
    ])
}

fn parse(record: Symbolic) -> Symbolic {
    ops::parse_single_example(record, features())
}

/// Records of which some lack a feature, some have one of another type or length, and one is no record.
fn record(number: i64) -> Vec<u8> {
    let (tags, name) = (vec![number; number as usize % 4], format!("name {number}"));
    let (names, pair) = ([name.as_bytes()], [0.5, number as f32]);
    let numbers = [number];
    let mut example = ExampleWriter::new().int64("tags", &tags);
    if number % 7 != 3 {
        example = example.int64("id", &numbers);
    }
    example = match number % 11 {
        5 => example.int64("name", &numbers),
        _ => example.bytes("name", &names),
    };
    example = match number % 5 {
        1 => example.float("pair", &pair),
        2 if number % 3 == 0 => example.float("pair", &pair[..1]),
        _ => example,
    };
    match number {
        13 => b"no record".to_vec(),
        _ => example.to_bytes(),
    }
}

fn records(count: i64) -> Dataset {
    let records: Vec<Vec<u8>> = (0..count).map(record).collect();
    Dataset::from_tensor_slices(Tensor::from_strings(vec![records.len()], records.iter().collect()))
}

fn running(dataset: &Dataset) -> Vec<String> {
    dataset.explain().unwrap().running().lines()
}

#[test]
fn features_nobody_uses_are_only_checked_and_fail_all_the_same() {
    let parsed = records(40).map(parse);
    let picks: [fn(Symbolic) -> Symbolic; 4] = [
        |example| example.get("id") * 2,
        |example| Symbolic::from((example.get("tags"), example.get("name"))),
        |example| example.get("pair"),
        // Nothing of it: the record is checked for all that.
        |_| Symbolic::from(7_i64),
    ];
    let whole = check(&parsed);
    let errors = |items: &[String]| -> Vec<(usize, String)> {
        let errors = items.iter().cloned().enumerate();
        errors.filter(|(_, item)| item.starts_with("error")).collect()
    };
    for pick in picks {
        let dataset = parsed.map(pick);
        assert!(
            running(&dataset).iter().any(|line| line.contains("only checked: ")),
            "{:?}",
            running(&dataset)
        );
        assert_eq!(errors(&check(&dataset)), errors(&whole));
        assert!(errors(&whole).len() > 8);
        check(&dataset.shuffle(7).seed(1).batch(1));
    }
    // What counts errors: a batch, a shuffle, what ignores them.
    let ids = parsed.map(|example| example.get("id"));
    check(&ids.batch(3));
    check(&ids.shuffle(5).seed(2).repeat(2).batch(4));
    check(&ids.ignore_errors().batch(3).skip(1));
    check(&records(40).filter(|record| (parse(record).get("id") % 2).eq(0)).map(parse));
    check(&records(12).flat_map(|record| Dataset::range(parse(record).get("id"))));
}

#[test]
fn records_are_parsed_together_unless_the_rule_is_off() {
    let dataset = records(40).map(parse).map(|example| example.get("id"));
    let together = |options: Options| {
        let lines = running(&dataset.with_options(options));
        lines.iter().any(|line| line.contains("parsed together"))
    };
    assert!(together(Options::new()));
    assert!(!together(Options::new().without_rule("parse_after_batch").unwrap()));
    assert!(!together(Options::new().optimizer(false)));
    let report = dataset.explain().unwrap().to_string();
    assert!(report.contains("parse_after_batch, step 2\n    - map(parse_single_example("), "{report}");
    // Errors among them, also where all of a block are, and blocks without a row.
    check(&dataset.batch(7));
    check(&records(40).filter(|_| false).map(parse));
    check(&records(9).map(|_| parse(Symbolic::from("no record"))));
    // A state of one is one of the other.
    let without = Options::new().without_rule("parse_after_batch").unwrap();
    states_cross(&dataset.shuffle(6).seed(1).batch(3), &[Options::new().threads(2), without.threads(2)], 8);
}

#[test]
fn batches_of_records_too() {
    let parse = |batch: Symbolic| {
        let features = features();
        let of_batches = features.iter().filter(|(key, _)| *key != "tags");
        ops::parse_example(
            batch,
            of_batches.map(|(key, feature)| (key, feature.clone())).collect::<Features>(),
        )
    };
    let dataset = records(30).batch(2).map(parse).map(|examples| examples.get("name"));
    assert!(running(&dataset).iter().any(|line| line.contains("only checked: 'id', 'pair'")));
    check(&dataset);
}

#[test]
fn records_of_files_are_parsed_many_at_a_time_also_around_damage() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b", "c"].map(|name| folder.path().join(format!("{name}.tfrecord")));
    for (path, numbers) in paths.iter().zip([0..15, 15..31, 31..50]) {
        let mut writer = RecordWriter::create(path, None).unwrap();
        numbers.for_each(|number| writer.write(&record(number)).unwrap());
        writer.finish().unwrap();
    }
    let mut bytes = fs::read(&paths[1]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&paths[1], &bytes).unwrap();
    let parsed = Dataset::tf_record(&paths).unwrap().map(parse).map(|example| example.get("id"));
    check(&parsed);
    check(&parsed.batch(4));
    check(&parsed.skip(9).batch(8).skip(1));
    check(&Dataset::tf_record(&paths).unwrap().shuffle(9).seed(3).map(parse).batch(1).prefetch(1));
}

/// Labels and images, and what a map makes of them.
fn images() -> Dataset {
    let labels = Tensor::from_vec(vec![30], (0..30_i64).map(|i| i * 7 % 10).collect());
    let images = Tensor::from_vec(vec![30, 4], (0..120_u8).collect());
    Dataset::from_tensor_slices(Structure::Tuple(vec![Structure::Leaf(labels), Structure::Leaf(images)]))
}

fn names(dataset: &Dataset) -> Vec<String> {
    let name = |line: &String| line.trim_start().split('(').next().unwrap_or_default().to_owned();
    running(dataset).iter().map(name).collect()
}

#[test]
fn filters_go_before_maps_and_give_the_same() {
    let normalized = |x: &Symbolic| (ops::cast(x.at(1), DType::Float32) / 255.0 - 0.5) * 2.0 + 0.25;
    let random = || ops::cast(ops::random_uniform(Shape::scalar(), 3) * 10.0, DType::Float32);
    let dataset = images()
        .map(|x| Symbolic::from((x.at(0), normalized(&x) + random())))
        .filter(|x| x.at(0).lt(6))
        .filter(|x| (x.at(0) + ops::cast(random(), DType::Int64)).gt(3));
    assert_eq!(names(&dataset), ["from_tensor_slices", "filter", "filter", "map", "prefetch"]);
    check(&dataset);
    check(&dataset.batch(3));
    check(&dataset.shuffle(4).seed(1).repeat(2).batch(2).skip(1));
    let off = Options::new().without_rule("push_filter_before_map").unwrap();
    assert_eq!(names(&dataset.with_options(off))[1..4], ["map", "filter", "filter"]);

    // What fails in the map is an error, also of elements that are dropped; the predicate fails on others.
    let failing = images()
        .map(|x| Symbolic::from((x.at(0), ops::floordiv(x.at(0), x.at(0) - 4), normalized(&x) * 2.0 + 1.0)))
        .filter(|x| ops::floordiv(x.at(0), x.at(0) - 5).gt(1));
    assert_eq!(names(&failing)[1..3], ["filter", "map"]);
    let items = check(&failing);
    assert_eq!(items.iter().filter(|item| item.starts_with("error")).count(), 6, "{items:?}");
    check(&failing.batch(2));
    check(&failing.shuffle(3).seed(2).batch(2).repeat(2));
    check(&failing.ignore_errors().batch(2));

    // In a dataset made of an element, with what it is made of in the predicate.
    let nested = numbers(&[2, 5, 9]).interleave(|x| {
        images()
            .map(|pair| Symbolic::from((pair.at(0), normalized(&pair))))
            .filter(|pair| pair.at(0).lt(x))
            .take(7)
    });
    assert!(names(&nested).windows(2).any(|pair| pair == ["filter", "map"]), "{:?}", names(&nested));
    check(&nested);
}
