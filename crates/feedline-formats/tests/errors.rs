//! Every kind of error says what it is about and what to do: one case per kind, and for calls one per mistake.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use feedline_data::DType;
use feedline_formats::csv::CsvFields;
use feedline_formats::example::{
    Default, ExampleParser, ExampleWriter, FeatureSpec, FeatureValues, Length, SequenceParser, SequenceWriter,
};
use feedline_formats::json_lines::JsonRow;
use feedline_formats::tfrecord::{
    ContentCheck, FrameReader, IndexBuilder, MAX_RECORD_BYTES, RecordIndex, write_frame,
};
use feedline_formats::{Compression, Decompressor, Error};

/// What the text must say before the hint (the place and the finding), and in the hint.
type Case = (&'static str, Error, &'static str, &'static str);

fn framing(bytes: &[u8]) -> Error {
    let mut reader = FrameReader::default();
    match reader.read(bytes, &mut Vec::new()) {
        Ok(taken) => reader.finish(&bytes[taken..]).unwrap_err(),
        Err(error) => error,
    }
}

fn damaged_at(byte: usize) -> Vec<u8> {
    let mut file = Vec::new();
    write_frame(&mut file, b"first").unwrap();
    write_frame(&mut file, b"second").unwrap();
    file[byte] ^= 1;
    file
}

fn parsing(spec: FeatureSpec, record: &[u8]) -> Error {
    ExampleParser::new(vec![spec]).unwrap().parse(&[record], &mut Vec::new()).unwrap_err()
}

fn index() -> Vec<u8> {
    let mut builder = IndexBuilder::default();
    builder.push(5);
    builder.finish(21, ContentCheck::of(b"")).unwrap()
}

#[test]
fn errors_of_data_have_their_place_and_a_remedy() {
    let record = ExampleWriter::new().int64("label", &[1, 2]).to_bytes();
    let list = SequenceWriter::new().list("label", &[FeatureValues::Int64(&[1])]).to_bytes();
    let wrong_part = SequenceParser::new(vec![FeatureSpec::fixed("label", DType::Int64, &[])], vec![]);
    let wrong_part = wrong_part.unwrap().parse(&[&list], &mut Vec::new(), &mut Vec::new()).unwrap_err();
    let huge = vec![0; MAX_RECORD_BYTES as usize + 1];
    let twice = framing(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]).in_opened_file();
    let mut inflated = Vec::new();
    let inflate = Decompressor::new(Compression::Gzip).push(b"no gzip at all", &mut inflated, 100);
    let cases: Vec<Case> = vec![
        ("length", framing(&damaged_at(22)), "record 1 (byte 21): length checksum", "feedline verify"),
        ("data", framing(&damaged_at(12)), "record 0 (byte 0): data checksum", "feedline verify"),
        ("cut", framing(&damaged_at(12)[..9]), "record 0 (byte 0): the data ends", "fetch or write it again"),
        ("too long", write_frame(&mut Vec::new(), &huge).unwrap_err(), "2147483648 bytes", "several records"),
        ("gzip", framing(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2]), "record 0", "inflate it"),
        ("twice", twice, "record 0 (byte 0): the file is compressed twice", "unpack it once"),
        (
            "zstd",
            framing(b"\x28\xb5\x2f\xfd 012345678"),
            "record 0 (byte 0): the file is Zst",
            "zstd -d FILE",
        ),
        ("inflate", inflate.unwrap_err(), "gzip stream is damaged", "fetch or write it again"),
        (
            "wire",
            parsing(FeatureSpec::var_len("x", DType::Int64), &[0x0a, 9]),
            "record 0 (byte",
            "another type",
        ),
        (
            "missing",
            parsing(FeatureSpec::fixed("lable", DType::Int64, &[]), &record),
            "record 0: feature `lable` missing",
            "did you mean `label`?",
        ),
        ("part", wrong_part, "record 0: feature `label` is a feature list", "among the feature lists"),
        (
            "type",
            parsing(FeatureSpec::var_len("label", DType::Float32), &record),
            "record 0: feature `label` is int64 in the record, float32 was asked for",
            "ask for int64",
        ),
        (
            "count",
            parsing(FeatureSpec::fixed("label", DType::Int64, &[3]), &record),
            "record 0: feature `label` has 2 values, shape [3] needs 3",
            "variable-length",
        ),
        (
            "index",
            RecordIndex::from_bytes(b"no index".to_vec()).unwrap_err(),
            "not a usable",
            "feedline index",
        ),
        (
            "stale",
            RecordIndex::from_bytes(index()).unwrap().check_file(22, 0).unwrap_err(),
            "index is of another",
            "feedline index",
        ),
        ("csv", CsvFields::default().parse(b"\"a\"b", b',').unwrap_err(), "field 1: ", "quote"),
        ("json", JsonRow::default().parse(b"[1]").unwrap_err(), "byte 0: not a row of JSON", "one object"),
    ];
    check(cases);
}

#[test]
fn errors_of_calls_name_what_is_wrong_and_a_remedy() {
    let asked = |specs: Vec<FeatureSpec>| ExampleParser::new(specs).err().unwrap();
    let label = || FeatureSpec::fixed("label", DType::Int64, &[2]);
    let required = FeatureSpec {
        name: "steps".into(),
        dtype: DType::Int64,
        length: Length::Sequence { shape: vec![], allow_missing: false },
    };
    let mut short = IndexBuilder::default();
    short.push(5);
    let cases: Vec<Case> = vec![
        ("twice", asked(vec![label(), label()]), "feature `label` is asked for twice", "ask for it once"),
        (
            "dtype",
            asked(vec![FeatureSpec::var_len("x", DType::Int8)]),
            "feature `x` is asked for as int8",
            "cast",
        ),
        (
            "shape",
            asked(vec![FeatureSpec::fixed("x", DType::Int64, &[1 << 40])]),
            "feature `x`: shape",
            "one record has",
        ),
        (
            "empty",
            asked(vec![FeatureSpec::sequence("x", DType::Int64, &[0])]),
            "feature `x`: entries",
            "without 0",
        ),
        (
            "default's type",
            asked(vec![label().with_default(Default::Float32(vec![0.0; 2]))]),
            "feature `label` is int64, its default is float32",
            "give a default of int64",
        ),
        (
            "default's length",
            asked(vec![label().with_default(Default::Int64(vec![0]))]),
            "feature `label`: shape [2] needs a default of 2 values, 1 were given",
            "a value for each place",
        ),
        ("missing", asked(vec![required]), "feature `steps`", "allow_missing"),
        (
            "fixed list",
            SequenceParser::new(vec![], vec![label()]).err().unwrap(),
            "feature list `label` is asked for with a fixed length",
            "a sequence of steps of shape [2]",
        ),
        ("index", short.finish(22, 0).unwrap_err(), "end at byte 21, the file has 22", "every record"),
    ];
    check(cases);
}

fn check(cases: Vec<Case>) {
    for (name, error, finding, remedy) in cases {
        let text = error.to_string();
        let (found, hint) = text.split_once("\nhint: ").unwrap_or_else(|| panic!("{name}: no hint: {text}"));
        assert!(found.contains(finding), "{name}: {text}\nlacks {finding:?}");
        assert!(hint.contains(remedy), "{name}: {text}\nlacks {remedy:?}");
        assert!(!text.trim_end().contains("\n\n") && hint.lines().count() == 1, "{name}: {text}");
    }
}
