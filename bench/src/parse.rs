//! How fast do batches of 1024 Examples with 40 numeric features parse: from files and from memory, all features, three of
//! them, and three with the others checked? The floor of projection is a bare walk: step from field to field by the lengths, looking at nothing.

use std::path::PathBuf;

use feedline::data::{Column, DType, Values};
use feedline::formats::example::{ExampleParser, FeatureSpec};
use feedline::records::RecordReader;

use crate::data::{names, values};
use crate::measure::{Options, Pass, measure, measure_in_turns, on_threads};

const BATCH: usize = 1024;

pub(crate) fn run(paths: &[PathBuf], options: &Options) -> feedline::Result<()> {
    let mut files: Vec<Vec<Vec<u8>>> = Vec::new();
    for path in paths {
        let mut reader = RecordReader::open(path)?;
        let mut records = Vec::new();
        while let Some(chunk) = reader.next_chunk()? {
            records.extend(chunk.records.iter().map(|record| record.to_vec()));
        }
        files.push(records);
    }
    let records: Vec<&[u8]> = files.iter().flatten().map(Vec::as_slice).collect();
    let num_records = records.len() as u64;
    let num_bytes = records.iter().map(|record| record.len() as u64).sum();
    let batches: Vec<&[&[u8]]> = records.chunks(BATCH).collect();

    let all = (0..num_records).map(row_checksum).fold(0, u64::wrapping_add);
    measure("parse 40 from files", options, num_records, num_bytes, all, || {
        on_threads(
            options,
            paths.len(),
            || (parser(&names()), Vec::new()),
            |(parser, columns), file| parse_file(&paths[file], parser, columns),
        )
    });
    measure("parse 40 from memory", options, num_records, num_bytes, all, || {
        on_threads(
            options,
            batches.len(),
            || (parser(&names()), Vec::new()),
            |(parser, columns), batch| {
                parser.parse(batches[batch], columns).expect("valid records");
                checksum(columns)
            },
        )
    });

    let three: Vec<String> = ["f00", "i07", "label"].map(str::to_owned).to_vec();
    let some = (0..num_records)
        .map(|row| {
            let (floats, ints, label) = values(row);
            u64::from(floats[0].to_bits()).wrapping_add(ints[7] as u64).wrapping_add(label as u64)
        })
        .fold(0, u64::wrapping_add);
    let parse_some = |new_parser: &(dyn Fn() -> ExampleParser + Sync)| -> Pass {
        on_threads(
            options,
            batches.len(),
            || (new_parser(), Vec::new()),
            |(parser, columns), batch| {
                parser.parse(batches[batch], columns).expect("valid records");
                checksum(columns)
            },
        )
        .into()
    };
    let ways: [(&str, &dyn Fn() -> Pass); 2] = [
        ("parse 3 of 40 from memory", &|| parse_some(&|| parser(&three))),
        ("parse 3 of 40 from memory, check the others", &|| {
            parse_some(&|| checking_parser(&names(), &three))
        }),
    ];
    measure_in_turns(&ways, options, num_records, num_bytes, some);

    measure("floor: bare walk over 40 fields", options, num_records, num_bytes, 40 * num_records, || {
        on_threads(
            options,
            batches.len(),
            || (),
            |(), batch| batches[batch].iter().map(|record| walk(record)).sum(),
        )
    });
    Ok(())
}

pub(crate) fn parser(names: &[String]) -> ExampleParser {
    checking_parser(names, names)
}

/// A parser of all `names` that gives columns for `read` alone.
fn checking_parser(names: &[String], read: &[String]) -> ExampleParser {
    let dtype = |name: &str| if name.starts_with('f') { DType::Float32 } else { DType::Int64 };
    let specs = names.iter().map(|name| FeatureSpec::fixed(name, dtype(name), &[])).collect();
    ExampleParser::with_checks(specs, |spec| !read.contains(&spec.name)).expect("names differ")
}

/// Batches of 1024 from one file.
fn parse_file(path: &std::path::Path, parser: &mut ExampleParser, columns: &mut Vec<Column>) -> u64 {
    let mut reader = RecordReader::open(path).expect("opened before");
    let mut sum = 0u64;
    while let Some(batch) = reader.next_batch(BATCH).expect("read before") {
        parser.parse(&batch.records, columns).expect("valid records");
        sum = sum.wrapping_add(checksum(columns));
    }
    sum
}

fn row_checksum(row: u64) -> u64 {
    let (floats, ints, label) = values(row);
    let floats = floats.iter().map(|value| u64::from(value.to_bits()));
    let ints = ints.iter().map(|&value| value as u64);
    floats.chain(ints).fold(label as u64, u64::wrapping_add)
}

pub(crate) fn checksum(columns: &[Column]) -> u64 {
    let sum = |column: &Column| match &column.values {
        Values::Float32(values) => {
            values.iter().map(|value| u64::from(value.to_bits())).fold(0, u64::wrapping_add)
        }
        Values::Int64(values) => values.iter().map(|&value| value as u64).fold(0, u64::wrapping_add),
        Values::Bytes(_) => 0,
    };
    columns.iter().map(sum).fold(0, u64::wrapping_add)
}

/// Counts the fields of an Example's one map, reading tags and lengths alone.
fn walk(record: &[u8]) -> u64 {
    let field = |at: usize| -> Option<(usize, usize)> {
        if *record.get(at)? != 0x0a {
            return None;
        }
        let (mut at, mut length, mut shift) = (at + 1, 0, 0);
        loop {
            let byte = usize::from(*record.get(at)?);
            at += 1;
            length |= (byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 28 {
                return Some((at, at + length));
            }
        }
    };
    let Some((mut at, _)) = field(0) else { return 0 };
    let mut count = 0;
    while let Some((_, end)) = field(at) {
        at = end;
        count += 1;
    }
    count
}
