//! How fast do Examples of 40 numbers come out as shuffled batches of 1,024, all features and three of them, through the
//! whole engine: `tf_record → shuffle(10,000) → map(parse) → batch(1024)`?
//!
//! Beside it the ceiling: the same work by hand, a file a thread, each with a buffer of its own and nothing between them. And the same without the shuffle, with two of the rules
//! that matter here switched off, and with the parser told to read three features and check the others, or not.

use std::path::PathBuf;

use feedline::data::block::Tensor;
use feedline::data::{DType, Structure};
use feedline::plan::expr::{Feature, Features};
use feedline::records::RecordReader;
use feedline::{Dataset, Result, Symbolic, ops};

use crate::data::{names, values};
use crate::measure::{Options, Pass, measure_in_turns, on_threads};
use crate::parse::{checksum, parser};

const BATCH: usize = 1024;
const BUFFER: usize = 10_000;

/// Runs the pipelines over `files`, those with 40 numbers a record.
pub(crate) fn run(files: &[PathBuf], options: &Options) -> Result<()> {
    let options_of_engine = feedline::Options::new().threads(options.num_threads);
    let records = Dataset::tf_record(files)?.with_options(options_of_engine.clone());
    let count =
        records.batch(BATCH).iterator()?.map(|batch| batch.map_or(0, |batch| rows_of(&batch))).sum::<u64>();
    let bytes: u64 = files.iter().map(|file| file.metadata().map_or(0, |metadata| metadata.len())).sum();
    let parse = |record: Symbolic| ops::parse_single_example(record, features());
    let shuffled = records.shuffle(BUFFER).seed(1);

    let in_order = records.map(parse).batch(BATCH).check()?;
    let without = |rule| -> Result<Dataset> {
        Ok(in_order.with_options(options_of_engine.clone().without_rule(rule)?))
    };
    let all: [(&str, Dataset); 4] = [
        ("tabular 40, shuffled", shuffled.map(parse).batch(BATCH).check()?),
        ("tabular 40, in order", in_order.clone()),
        ("tabular 40, in order, without parse_after_batch", without("parse_after_batch")?),
        ("tabular 40, in order, without read_files_as_stream", without("read_files_as_stream")?),
    ];
    let expected = checksum_of_rows(count, |_| true);
    let runs: Vec<_> = all.iter().map(|(_, dataset)| || checksum_of(dataset)).collect();
    let by_hand = || by_hand(files, options).into();
    let mut ways: Vec<(&str, &dyn Fn() -> Pass)> =
        all.iter().zip(&runs).map(|((what, _), run)| (*what, run as &dyn Fn() -> Pass)).collect();
    ways.insert(1, ("tabular 40, shuffled, ceiling: by hand, a file a thread", &by_hand));
    measure_in_turns(&ways, options, count, bytes, expected);

    let three = ["f00", "i07", "label"];
    let used = |example: Symbolic| Symbolic::dict(three.map(|name| (name, example.get(name))));
    let some = shuffled.map(parse).map(used).batch(BATCH).check()?;
    let without = options_of_engine.clone().without_rule("parse_only_used_features")?;
    let some = [
        ("tabular 3 of 40, shuffled", some.clone()),
        ("tabular 3 of 40, shuffled, all read", some.with_options(without)),
    ];
    let expected = checksum_of_rows(count, |name| three.contains(&name));
    measure_all(&some, options, count, bytes, expected);
    Ok(())
}

fn measure_all(ways: &[(&str, Dataset)], options: &Options, count: u64, bytes: u64, expected: u64) {
    let runs: Vec<_> = ways.iter().map(|(_, dataset)| || checksum_of(dataset)).collect();
    let ways: Vec<(&str, &dyn Fn() -> Pass)> =
        ways.iter().zip(&runs).map(|((what, _), run)| (*what, run as &dyn Fn() -> Pass)).collect();
    measure_in_turns(&ways, options, count, bytes, expected);
}

/// Reads, shuffles and parses each file on one thread: records are copied into a buffer, and picked from it at random into batches.
fn by_hand(files: &[PathBuf], options: &Options) -> u64 {
    let new_state = || (parser(&names()), Vec::new());
    on_threads(options, files.len(), new_state, |(parser, columns), file| {
        let mut reader = RecordReader::open(&files[file]).expect("read before");
        let (mut buffer, mut batch, mut free) = (Vec::<Vec<u8>>::new(), Vec::<Vec<u8>>::new(), Vec::new());
        let (mut random, mut sum) = (1_u64, 0_u64);
        let mut pick = |num_held: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % num_held
        };
        let mut parse = |batch: &mut Vec<Vec<u8>>, free: &mut Vec<Vec<u8>>| {
            let records: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
            parser.parse(&records, columns).expect("valid records");
            sum = sum.wrapping_add(checksum(columns));
            free.append(batch);
        };
        while let Some(chunk) = reader.next_chunk().expect("read before") {
            for record in chunk.records {
                let mut own: Vec<u8> = free.pop().unwrap_or_default();
                own.clear();
                own.extend_from_slice(record);
                if buffer.len() < BUFFER {
                    buffer.push(own);
                    continue;
                }
                let place = pick(BUFFER);
                batch.push(std::mem::replace(&mut buffer[place], own));
                if batch.len() == BATCH {
                    parse(&mut batch, &mut free);
                }
            }
        }
        while !buffer.is_empty() {
            let place = pick(buffer.len());
            batch.push(buffer.swap_remove(place));
            if batch.len() == BATCH {
                parse(&mut batch, &mut free);
            }
        }
        parse(&mut batch, &mut free);
        sum
    })
}

fn features() -> Features {
    let dtype = |name: &str| if name.starts_with('f') { DType::Float32 } else { DType::Int64 };
    names()
        .into_iter()
        .map(|name| {
            let feature = Feature::fixed_len(&[], dtype(&name));
            (name, feature)
        })
        .collect()
}

fn rows_of(batch: &Structure<Tensor>) -> u64 {
    batch.leaves()[0].shape()[0] as u64
}

/// The sum of the bits of all values.
fn checksum_of(dataset: &Dataset) -> Pass {
    let of_tensor = |tensor: &Tensor| match tensor.dtype() {
        DType::Float32 => {
            let bits = tensor.as_slice::<f32>().iter().map(|value| u64::from(value.to_bits()));
            bits.fold(0, u64::wrapping_add)
        }
        _ => tensor.as_slice::<i64>().iter().fold(0, |sum: u64, &value| sum.wrapping_add(value as u64)),
    };
    let batches = dataset.iterator().expect("checked when it was made");
    Pass::over(batches, |batch| batch.leaves().into_iter().map(of_tensor).fold(0, u64::wrapping_add))
}

fn checksum_of_rows(count: u64, is_wanted: impl Fn(&str) -> bool) -> u64 {
    let is_wanted: Vec<bool> = names().iter().map(|name| is_wanted(name)).collect();
    let of_row = |row: u64| {
        let (floats, ints, label) = values(row);
        let floats = floats.iter().map(|value| u64::from(value.to_bits()));
        let bits = floats.chain(ints.iter().map(|&value| value as u64)).chain([label as u64]);
        bits.zip(&is_wanted)
            .filter(|(_, is_wanted)| **is_wanted)
            .map(|(bits, _)| bits)
            .fold(0, u64::wrapping_add)
    };
    (0..count).map(of_row).fold(0, u64::wrapping_add)
}
