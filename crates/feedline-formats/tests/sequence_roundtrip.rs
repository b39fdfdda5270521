//! Random `SequenceExample`s through writer and parser: what comes back is what went in, whichever features are asked for
//! and however the records are grouped.
#![allow(clippy::unwrap_used, reason = "test code")]

mod support;

use feedline_data::{Column, DType, Values};
use feedline_formats::example::{
    FeatureSpec, FeatureValues, SequenceParser, SequenceWriter, is_valid_sequence_example,
};
use proptest::prelude::*;
use proptest::sample::Index;
use support::OwnedFeature;

/// The features records are made of: names short and long, every type, in no order.
const CONTEXT: [(&str, DType); 4] = [
    ("id", DType::Int64),
    ("weights", DType::Float32),
    ("a name of more than sixteen bytes", DType::String),
    ("", DType::Int64),
];

/// Likewise, with the number of values each step has, where it is fixed. One name is a context feature too.
const LISTS: [(&str, DType, Option<usize>); 6] = [
    ("words", DType::Int64, None),
    ("frames", DType::String, Some(1)),
    ("id", DType::Float32, None),
    ("boxes", DType::Float32, Some(4)),
    ("labels", DType::Int64, Some(1)),
    ("captions of the frames, one a step", DType::String, None),
];

/// One record: what each of `CONTEXT` and `LISTS` holds, if it is there.
#[derive(Clone, Debug)]
struct Sequence {
    context: Vec<Option<OwnedFeature>>,
    lists: Vec<Option<Vec<OwnedFeature>>>,
}

fn values(dtype: DType, count: impl Into<proptest::collection::SizeRange>) -> BoxedStrategy<OwnedFeature> {
    let count = count.into();
    match dtype {
        DType::Int64 => {
            let value = prop_oneof![any::<i64>(), 0..300i64];
            prop::collection::vec(value, count).prop_map(OwnedFeature::Int64).boxed()
        }
        DType::Float32 => prop::collection::vec(any::<f32>(), count).prop_map(OwnedFeature::Float).boxed(),
        _ => {
            let value = prop::collection::vec(any::<u8>(), 0..12);
            prop::collection::vec(value, count).prop_map(OwnedFeature::Bytes).boxed()
        }
    }
}

/// A step of the list; without a list now and then where the number of values is free.
fn step(dtype: DType, fixed: Option<usize>) -> BoxedStrategy<OwnedFeature> {
    match fixed {
        Some(count) => values(dtype, count),
        None => {
            prop_oneof![9 => values(dtype, 0..4), 2 => values(dtype, 0..30), 1 => Just(OwnedFeature::Unset)]
                .boxed()
        }
    }
}

fn sequence() -> impl Strategy<Value = Sequence> {
    let context: Vec<_> =
        CONTEXT.iter().map(|&(_, dtype)| prop::option::weighted(0.8, values(dtype, 0..40))).collect();
    let lists: Vec<_> = LISTS
        .iter()
        .map(|&(_, dtype, fixed)| {
            prop::option::weighted(0.8, prop::collection::vec(step(dtype, fixed), 0..6))
        })
        .collect();
    (context, lists).prop_map(|(context, lists)| Sequence { context, lists })
}

fn batch() -> impl Strategy<Value = Vec<Sequence>> {
    prop::collection::vec(sequence(), 0..6)
}

impl Sequence {
    fn to_bytes(&self) -> Vec<u8> {
        let present = |names: &[&str], features: &[Option<OwnedFeature>]| -> Vec<(String, OwnedFeature)> {
            let features = names.iter().zip(features);
            features.filter_map(|(&name, feature)| Some((name.to_owned(), feature.clone()?))).collect()
        };
        let context = present(&CONTEXT.map(|(name, _)| name), &self.context);
        let context_lists = OwnedFeature::byte_lists(&context);
        let named = |step: &OwnedFeature| (String::new(), step.clone());
        let steps: Vec<Vec<(String, OwnedFeature)>> =
            self.lists.iter().map(|list| list.iter().flatten().map(named).collect()).collect();
        let step_lists: Vec<Vec<Vec<&[u8]>>> =
            steps.iter().map(|steps| OwnedFeature::byte_lists(steps)).collect();
        let step_values: Vec<Vec<FeatureValues<'_>>> = steps
            .iter()
            .zip(&step_lists)
            .map(|(steps, lists)| {
                steps.iter().zip(lists).map(|((_, step), list)| step.values(list)).collect()
            })
            .collect();
        let mut writer = SequenceWriter::new();
        for ((name, feature), list) in context.iter().zip(&context_lists) {
            writer = writer.context(name, feature.values(list));
        }
        for (((name, ..), list), values) in LISTS.iter().zip(&self.lists).zip(&step_values) {
            if list.is_some() {
                writer = writer.list(name, values);
            }
        }
        writer.to_bytes()
    }
}

fn context_specs() -> Vec<FeatureSpec> {
    CONTEXT.iter().map(|&(name, dtype)| FeatureSpec::var_len(name, dtype)).collect()
}

fn list_specs() -> Vec<FeatureSpec> {
    let spec = |&(name, dtype, fixed): &(&str, DType, Option<usize>)| match fixed {
        Some(1) => FeatureSpec::sequence(name, dtype, &[]),
        Some(count) => FeatureSpec::sequence(name, dtype, &[count / 2, 2]),
        None => FeatureSpec::var_len(name, dtype),
    };
    LISTS.iter().map(spec).collect()
}

/// A column without views: shape, splits, and values in one notation for all types. Floats are compared as bits.
#[derive(Clone, Debug, PartialEq)]
struct Plain {
    inner_shape: Vec<usize>,
    splits: Vec<Vec<u64>>,
    values: Vec<Vec<u8>>,
}

impl Plain {
    fn from_column(column: &Column, records: &[&[u8]]) -> Plain {
        let values = match &column.values {
            Values::Int64(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
            Values::Float32(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
            Values::Bytes(values) => {
                (0..values.len()).map(|index| values.get(index, records).to_vec()).collect()
            }
        };
        Plain { inner_shape: column.inner_shape.clone(), splits: column.splits.clone(), values }
    }

    fn empty(spec: &FeatureSpec, levels: usize) -> Plain {
        let inner_shape = match &spec.length {
            feedline_formats::example::Length::Sequence { shape, .. } => shape.clone(),
            _ => Vec::new(),
        };
        Plain { inner_shape, splits: vec![vec![0]; levels], values: Vec::new() }
    }

    /// Appends the values of a feature and returns how many they are.
    fn push(&mut self, feature: &OwnedFeature) -> u64 {
        let before = self.values.len();
        match feature {
            OwnedFeature::Int64(values) => {
                self.values.extend(values.iter().map(|value| value.to_le_bytes().to_vec()));
            }
            OwnedFeature::Float(values) => {
                self.values.extend(values.iter().map(|value| value.to_le_bytes().to_vec()));
            }
            OwnedFeature::Bytes(values) => self.values.extend_from_slice(values),
            OwnedFeature::Unset => {}
        }
        (self.values.len() - before) as u64
    }

    /// Closes a group of `length` entries at `level`.
    fn end_group(&mut self, level: usize, length: u64) {
        let before = self.splits[level].last().copied().unwrap();
        self.splits[level].push(before + length);
    }

    /// Appends the rows of `other`.
    fn extend(&mut self, other: &Plain) {
        assert_eq!(self.inner_shape, other.inner_shape);
        for (level, more) in self.splits.iter_mut().zip(&other.splits) {
            let before = level.last().copied().unwrap();
            level.extend(more[1..].iter().map(|split| before + split));
        }
        self.values.extend_from_slice(&other.values);
    }
}

/// What the columns must be, made from the values and not from the bytes.
fn expected(batch: &[Sequence]) -> (Vec<Plain>, Vec<Plain>) {
    let context = (0..CONTEXT.len()).map(|index| {
        let mut column = Plain::empty(&context_specs()[index], 1);
        for sequence in batch {
            let length = sequence.context[index].as_ref().map_or(0, |feature| column.push(feature));
            column.end_group(0, length);
        }
        column
    });
    let lists = LISTS.iter().enumerate().map(|(index, (.., fixed))| {
        let mut column = Plain::empty(&list_specs()[index], if fixed.is_some() { 1 } else { 2 });
        for sequence in batch {
            let steps = sequence.lists[index].as_deref().unwrap_or_default();
            for step in steps {
                let length = column.push(step);
                if fixed.is_none() {
                    column.end_group(1, length);
                }
            }
            column.end_group(0, steps.len() as u64);
        }
        column
    });
    (context.collect(), lists.collect())
}

/// Parses `records` with a new parser.
fn parse(records: &[&[u8]], context: Vec<FeatureSpec>, lists: Vec<FeatureSpec>) -> (Vec<Plain>, Vec<Plain>) {
    let mut parser = SequenceParser::new(context, lists).unwrap();
    let (mut context, mut lists) = (Vec::new(), Vec::new());
    parser.parse(records, &mut context, &mut lists).unwrap();
    plain(&context, &lists, records)
}

fn plain(context: &[Column], lists: &[Column], records: &[&[u8]]) -> (Vec<Plain>, Vec<Plain>) {
    let plain =
        |columns: &[Column]| columns.iter().map(|column| Plain::from_column(column, records)).collect();
    (plain(context), plain(lists))
}

/// Appends the rows of `more` to those of `all`.
fn extend(all: &mut (Vec<Plain>, Vec<Plain>), more: &(Vec<Plain>, Vec<Plain>)) {
    let pairs = all.0.iter_mut().zip(&more.0).chain(all.1.iter_mut().zip(&more.1));
    pairs.for_each(|(all, more)| all.extend(more));
}

/// Those of `all` at `chosen`, in that order.
fn select<T: Clone>(all: &[T], chosen: &[usize]) -> Vec<T> {
    chosen.iter().map(|&index| all[index].clone()).collect()
}

/// Some of the numbers below `count`, in any order.
fn choice(count: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..count).collect::<Vec<_>>())
        .prop_shuffle()
        .prop_flat_map(move |all| (0..=count).prop_map(move |kept| all[..kept].to_vec()))
}

proptest! {
    #[test]
    fn what_was_written_is_parsed(batch in batch()) {
        let records: Vec<Vec<u8>> = batch.iter().map(Sequence::to_bytes).collect();
        for record in &records {
            prop_assert_eq!(is_valid_sequence_example(record), Ok(()));
        }
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        prop_assert_eq!(parse(&records, context_specs(), list_specs()), expected(&batch));
    }

    #[test]
    fn a_projection_is_a_full_parse_and_a_selection(
        batch in batch(), context in choice(CONTEXT.len()), lists in choice(LISTS.len()),
    ) {
        let records: Vec<Vec<u8>> = batch.iter().map(Sequence::to_bytes).collect();
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let all = parse(&records, context_specs(), list_specs());
        let some = parse(&records, select(&context_specs(), &context), select(&list_specs(), &lists));
        prop_assert_eq!(some, (select(&all.0, &context), select(&all.1, &lists)));
    }

    #[test]
    fn a_batch_is_its_records_one_by_one(batch in batch()) {
        let records: Vec<Vec<u8>> = batch.iter().map(Sequence::to_bytes).collect();
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let together = parse(&records, context_specs(), list_specs());
        let mut joined = parse(&[], context_specs(), list_specs());
        // One parser and one set of columns for all of them: nothing of a record may stay for the next.
        let mut parser = SequenceParser::new(context_specs(), list_specs()).unwrap();
        let (mut context, mut lists) = (Vec::new(), Vec::new());
        for &record in &records {
            parser.parse(&[record], &mut context, &mut lists).unwrap();
            extend(&mut joined, &plain(&context, &lists, &[record]));
        }
        prop_assert_eq!(together, joined);
    }

    #[test]
    fn damage_in_one_record_leaves_the_others_alone(
        before in sequence(), damaged in sequence(), after in sequence(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 0..4), cut in prop::option::of(any::<Index>()),
    ) {
        let mut bytes = damaged.to_bytes();
        for (place, byte) in changes {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        let (first, last) = (before.to_bytes(), after.to_bytes());
        let records: [&[u8]; 3] = [&first, &bytes, &last];
        let mut parser = SequenceParser::new(context_specs(), list_specs()).unwrap();
        let (mut context, mut lists) = (Vec::new(), Vec::new());
        let skipped = parser.parse_or_skip(&records, &mut context, &mut lists);
        let found = plain(&context, &lists, &records);
        if let [(index, error)] = skipped.as_slice() {
            prop_assert_eq!(*index, 1);
            prop_assert!(error.to_string().starts_with("record 1"), "{}", error);
            prop_assert_eq!(found, expected(&[before, after]));
        } else {
            // Still a record, though perhaps another one.
            prop_assert!(skipped.is_empty());
            let middle = parse(&[&bytes], context_specs(), list_specs());
            let (mut all, end) = (expected(&[before]), expected(&[after]));
            extend(&mut all, &middle);
            extend(&mut all, &end);
            prop_assert_eq!(found, all);
        }
    }
}
