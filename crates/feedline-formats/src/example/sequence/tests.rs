//! Batches of `SequenceExample`s: what is read, what is left out, and what errors say.

use feedline_data::Values;

use super::super::write::FeatureValues::{Bytes, Float, Int64, Unset};
use super::super::write::{FeatureValues, SequenceWriter};
use super::*;

fn record(id: i64, words: &[FeatureValues<'_>]) -> Vec<u8> {
    SequenceWriter::new()
        .context("id", Int64(&[id]))
        .context("tags", Bytes(&[b"t"]))
        .list("words", words)
        .to_bytes()
}

/// A fixed and a ragged context feature, a list of single values and the same list with any number of them.
fn parser() -> SequenceParser {
    let context =
        vec![FeatureSpec::fixed("id", DType::Int64, &[]), FeatureSpec::var_len("tags", DType::String)];
    let lists = vec![required("words", DType::Int64, &[]), FeatureSpec::var_len("more", DType::Float32)];
    SequenceParser::new(context, lists).unwrap()
}

fn required(name: &str, dtype: DType, shape: &[usize]) -> FeatureSpec {
    let length = Length::Sequence { shape: shape.to_vec(), allow_missing: false };
    FeatureSpec { name: name.into(), dtype, length }
}

/// Ids and words of each row; the other columns must have as many rows.
fn rows(context: &[Column], lists: &[Column]) -> Vec<(i64, Vec<i64>)> {
    let (Values::Int64(ids), Values::Int64(words)) = (&context[0].values, &lists[0].values) else {
        panic!("both are int64")
    };
    let splits = &lists[0].splits[0];
    assert_eq!(words.len() as u64, *splits.last().unwrap());
    for column in context.iter().chain(lists) {
        assert_eq!(column.rows(), ids.len());
    }
    let words = splits.windows(2).map(|pair| words[pair[0] as usize..pair[1] as usize].to_vec());
    ids.iter().copied().zip(words).collect()
}

#[test]
fn rows_before_an_error_are_kept_and_skipping_leaves_the_others() {
    let good = [record(1, &[Int64(&[10]), Int64(&[11])]), record(2, &[]), record(3, &[Int64(&[30])])];
    let bad = [
        ("wrong type, late", record(9, &[Int64(&[1]), Int64(&[2]), Float(&[3.0])])),
        ("wrong count, late", record(9, &[Int64(&[1]), Int64(&[2, 3])])),
        ("an unset step", record(9, &[Int64(&[1]), Unset])),
        ("missing list", SequenceWriter::new().context("id", Int64(&[9])).to_bytes()),
        ("missing context", SequenceWriter::new().list("words", &[Int64(&[9])]).to_bytes()),
        (
            "unset context",
            SequenceWriter::new().context("id", Unset).list("words", &[Int64(&[9])]).to_bytes(),
        ),
        ("cut off", good[0][..good[0].len() - 1].to_vec()),
        ("no protocol buffer", b"no protocol buffer".to_vec()),
    ];
    let expected = [(1, vec![10, 11]), (2, vec![]), (3, vec![30])];
    let (mut parser, mut context, mut lists) = (parser(), Vec::new(), Vec::new());
    for (name, bad) in &bad {
        for place in 0..=good.len() {
            let mut records: Vec<&[u8]> = good.iter().map(Vec::as_slice).collect();
            records.insert(place, bad);
            let error = parser.parse(&records, &mut context, &mut lists).unwrap_err();
            assert_eq!(error.record(), Some(place as u64), "{name}");
            assert_eq!(rows(&context, &lists), expected[..place], "{name}");

            let skipped = parser.parse_or_skip(&records, &mut context, &mut lists);
            assert_eq!(skipped, [(place, error)], "{name}");
            assert_eq!(rows(&context, &lists), expected, "{name}");
            // Views count the records given, not the rows kept.
            let Values::Bytes(tags) = &context[1].values else { panic!("tags are bytes") };
            assert!((0..3).all(|row| tags.get(row, &records) == b"t"), "{name}");
        }
    }
}

#[test]
fn columns_are_used_again_for_batches_of_any_size() {
    let records: Vec<Vec<u8>> = (0..20)
        .map(|id| {
            let steps = vec![[id]; id as usize % 4];
            let steps: Vec<FeatureValues<'_>> = steps.iter().map(|step| Int64(step)).collect();
            record(id, &steps)
        })
        .collect();
    let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
    let (mut parser, mut context, mut lists) = (parser(), Vec::new(), Vec::new());
    // Columns that were something else before are made anew.
    let mut other = SequenceParser::new(vec![], vec![FeatureSpec::var_len("words", DType::Int64)]).unwrap();
    for size in [3, 20, 0, 1, 7] {
        parser.parse(&records[..size], &mut context, &mut lists).unwrap();
        let expected: Vec<(i64, Vec<i64>)> =
            (0..size as i64).map(|id| (id, vec![id; id as usize % 4])).collect();
        assert_eq!(rows(&context, &lists), expected);

        other.parse(&records[..size], &mut context, &mut lists).unwrap();
        assert_eq!((context.len(), lists.len(), lists[0].splits.len(), lists[0].rows()), (0, 1, 2, size));
    }
}

#[test]
fn errors_have_a_place_and_a_remedy() {
    let context = |id| SequenceWriter::new().context("id", id);
    let words = |steps| context(Int64(&[1])).list("words", steps).to_bytes();
    let cases = [
        (
            words(&[Int64(&[1]), Float(&[2.0])]),
            "record 0: feature list `words` step 1 is float32 in the record, int64 was asked for\n\
             hint: ask for float32, and cast afterwards",
        ),
        (
            words(&[Int64(&[1]), Int64(&[2]), Int64(&[])]),
            "record 0: feature list `words` step 2 has 0 values, shape [] needs 1\n\
             hint: ask for the shape the data has, or make the feature variable-length",
        ),
        (
            context(Int64(&[1])).list("word", &[]).list("x", &[]).to_bytes(),
            "record 0: feature list `words` missing; the record has 2 feature lists: `word`, `x`\n\
             hint: did you mean `word`? Otherwise allow it to be missing, or make it variable-length",
        ),
        (
            context(Int64(&[1])).context("words", Int64(&[1])).to_bytes(),
            "record 0: feature list `words` is a context feature in the record, a feature list was asked for\n\
             hint: ask for it among the context features",
        ),
        (
            SequenceWriter::new().context("Id", Int64(&[1])).list("words", &[]).to_bytes(),
            "record 0: feature `id` missing, and it has no default; the record has 1 features: `Id`\n\
             hint: did you mean `Id`? Otherwise give the feature a default, or make it variable-length",
        ),
        (
            SequenceWriter::new().list("id", &[Int64(&[1])]).list("words", &[]).to_bytes(),
            "record 0: feature `id` is a feature list in the record, a context feature was asked for\n\
             hint: ask for it among the feature lists",
        ),
        (
            context(Bytes(&[b"1"])).list("words", &[]).to_bytes(),
            "record 0: feature `id` is string in the record, int64 was asked for\n\
             hint: ask for string, and cast afterwards",
        ),
        (
            context(Unset).list("words", &[]).to_bytes(),
            "record 0: feature `id` has 0 values, shape [] needs 1\n\
             hint: ask for the shape the data has, or make the feature variable-length",
        ),
        (
            // `id` is an int64 list of one tag without a number.
            [&[0x0a, 11, 0x0a, 9, 0x0a, 2, b'i', b'd', 0x12, 3, 0x1a, 1, 0x08][..], &[0x12, 0]].concat(),
            "record 0 (byte 13): feature `id` not a valid SequenceExample: a number is cut off\n\
             hint: the record passed its checksum, so it was written like this: is it of another type?",
        ),
    ];
    for (record, expected) in cases {
        let error = parser().parse(&[&record], &mut Vec::new(), &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn wire_errors_in_steps_say_which_byte_and_which_step() {
    // A good step and one with a second list, of which TensorFlow says "Error in sequence feature".
    let steps = [&[0x0a, 5, 0x1a, 3, 0x0a, 1, 7][..], &[0x0a, 7, 0x1a, 3, 0x0a, 1, 7, 0x1a, 0]].concat();
    let mut entry = vec![0x0a, 1, b'l', 0x12, steps.len() as u8];
    entry.extend_from_slice(&steps);
    let map = [&[0x0a, entry.len() as u8][..], &entry].concat();
    let record = [&[0x12, map.len() as u8][..], &map].concat();
    let mut parser = SequenceParser::new(vec![], vec![required("l", DType::Int64, &[])]).unwrap();
    let error = parser.parse(&[&record], &mut Vec::new(), &mut Vec::new()).unwrap_err();
    assert_eq!((error.step(), error.feature()), (Some(1), Some("l")));
    assert_eq!(error.byte_offset(), Some(record.len() as u64 - 2));
    let text = error.to_string();
    assert!(text.contains("feature list `l` step 1 not a valid SequenceExample: something behind"), "{text}");
}

#[test]
fn specs_that_cannot_be_are_refused() {
    let fixed = || FeatureSpec::fixed("x", DType::Int64, &[2]);
    let list = || FeatureSpec::var_len("x", DType::Int64);
    for (context, lists, reason) in [
        (vec![], vec![fixed()], "feature list `x` is asked for with a fixed length"),
        (vec![fixed(), fixed()], vec![], "feature `x` is asked for twice"),
        (vec![], vec![list(), list()], "feature `x` is asked for twice"),
        (vec![], vec![FeatureSpec::sequence("x", DType::Int64, &[0])], "hold no values"),
    ] {
        let error = SequenceParser::new(context, lists).err().unwrap().to_string();
        assert!(error.contains(reason), "{error}");
    }
    // The context and the lists are two name spaces.
    assert!(SequenceParser::new(vec![fixed()], vec![list()]).is_ok());
}

#[test]
fn a_context_feature_may_be_a_sequence() {
    let spec = FeatureSpec::sequence("pairs", DType::Int64, &[2]);
    let mut parser = SequenceParser::new(vec![spec.clone()], vec![]).unwrap();
    let record = |values| SequenceWriter::new().context("pairs", values).to_bytes();
    let records = [record(Int64(&[1, 2, 3, 4])), record(Unset), SequenceWriter::new().to_bytes()];
    let (mut context, mut lists) = (Vec::new(), Vec::new());
    parser.parse(&records.each_ref().map(Vec::as_slice), &mut context, &mut lists).unwrap();
    assert_eq!(context[0].splits, [[0, 2, 2, 2]]);
    assert!(parser.parse(&[&record(Int64(&[1, 2, 3]))], &mut context, &mut lists).is_err());

    let mut strict = SequenceParser::new(vec![required("pairs", DType::Int64, &[2])], vec![]).unwrap();
    assert!(strict.parse(&[&records[1]], &mut context, &mut lists).is_ok());
    assert!(strict.parse(&[&records[2]], &mut context, &mut lists).is_err());
}
