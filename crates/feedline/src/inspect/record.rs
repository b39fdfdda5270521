//! One record, found by its number and taken apart.

use std::ops::Range;
use std::path::Path;

use feedline_data::{Column, DType, Values};
use feedline_formats::Error as FormatError;
use feedline_formats::example::{
    ExampleParser, FeatureSpec, FeatureSummary, RecordKind, SequenceParser, odd_features,
};
use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};
use feedline_io::{Blob, LocalStore, Store};

use super::sample::Collector;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::records::{IndexedFile, RecordReader, detect_compression, index_path, load_index, read_place};

/// A record found by its number.
#[derive(Clone, Debug)]
pub struct FoundRecord {
    /// Its data.
    pub data: Vec<u8>,
    /// The byte of the (uncompressed) file at which it begins.
    pub byte: u64,
    /// Whether an index led to it.
    pub used_index: bool,
    /// Why the index that is there did not.
    pub index_problem: Option<Problem>,
}

/// Reads record `record` of the file at `path`, counted from 0: through its index if it has one, else by the lengths of the
/// records before it. Where these do not lead to it, in compressed and in damaged files, all records before it are read.
pub fn read_record(path: &Path, record: u64) -> Result<FoundRecord> {
    let blob = LocalStore.open(path)?;
    let index_problem = match load_index(&*blob) {
        Ok(None) => None,
        Ok(Some(_)) => return read_indexed(path, record),
        Err(error) => Some(Problem::new(&index_path(path), &error)),
    };
    if detect_compression(&*blob)?.is_none()
        && let Some(place) = place_by_lengths(&*blob, record)?
    {
        let mut buffer = Vec::new();
        let data = read_place(&*blob, record, &place, &mut buffer)?;
        let data = data.map(<[u8]>::to_vec).ok_or_else(|| changed(path, record))?;
        return Ok(FoundRecord { data, byte: place.start, used_index: false, index_problem });
    }
    let mut reader = RecordReader::open(path)?;
    loop {
        let chunk = match reader.next_chunk() {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(Error::Data { error, .. }) => return Err(damaged_before(path, record, error, &mut reader)),
            Err(error) => return Err(error),
        };
        let place = record - chunk.first_record;
        if place >= chunk.records.len() as u64 {
            continue;
        }
        let place = place as usize;
        let before: u64 = chunk.records[..place].iter().map(|record| 16 + record.len() as u64).sum();
        let (data, byte) = (chunk.records[place].to_vec(), chunk.first_offset + before);
        return Ok(FoundRecord { data, byte, used_index: false, index_problem });
    }
    Err(past_the_end(path, record, reader.record_index()))
}

/// How far to look for a record behind damage, which tells a damaged file from one that holds something else.
const SEEK_BYTES: u64 = 4 << 20;

/// The error of a file that is damaged before record `record`, or in it: whether it is a record file at all, and that nobody
/// knows the numbers of the records behind.
fn damaged_before(path: &Path, record: u64, error: FormatError, reader: &mut RecordReader) -> Error {
    let limit = reader.offset().saturating_add(SEEK_BYTES);
    let has_records = reader.record_index() > 0 || reader.skip_damaged(limit).unwrap_or(false);
    if !has_records {
        return Error::data(path, error);
    }
    let problem = Problem::in_data(path, &error, true);
    let consequence = match error.record() {
        Some(damaged) if damaged < record => {
            format!("; behind it nobody can tell which record is number {record}")
        }
        _ => String::new(),
    };
    Error::Argument {
        message: format!("{problem}{consequence}"),
        hint: format!("`feedline verify {}` lists every bad record", feedline_io::shown(path)),
    }
}

/// Bytes read at a time while going from length to length; more than one record's only where records are small.
const LOOK_BYTES: usize = 64 << 10;

/// Where record `record` lies, found by the lengths of those before it; `None` if they do not lead to it. An error if they
/// lead to the end of the file.
fn place_by_lengths(blob: &dyn Blob, record: u64) -> Result<Option<Range<u64>>> {
    let reader = FrameReader::default();
    let mut window = vec![0; LOOK_BYTES];
    let (mut window_start, mut window_end) = (0, 0);
    let (mut offset, mut frame) = (0u64, 0u64);
    for number in 0..=record {
        offset += frame;
        if offset == blob.size() {
            return Err(past_the_end(blob.location(), record, number));
        }
        if offset + HEADER_BYTES as u64 > window_end {
            // Of large records the header alone.
            let wanted = if frame < LOOK_BYTES as u64 { LOOK_BYTES } else { HEADER_BYTES };
            window_start = offset;
            window_end = offset + blob.read_at(&mut window[..wanted], offset)? as u64;
        }
        let header = &window[(offset - window_start) as usize..(window_end - window_start) as usize];
        frame = reader.bytes_wanted(header);
        if frame <= HEADER_BYTES as u64 || frame > blob.size().saturating_sub(offset) {
            return Ok(None); // no header, or of a record that is cut off
        }
    }
    Ok(Some(offset..offset + frame))
}

fn changed(path: &Path, record: u64) -> Error {
    Error::Argument {
        message: format!("{}: record {record} changed while it was read", feedline_io::shown(path)),
        hint: "wait until the file is written, then run the same command again".into(),
    }
}

fn read_indexed(path: &Path, record: u64) -> Result<FoundRecord> {
    let file = IndexedFile::open(path)?;
    let mut data = Vec::new();
    let found = file.read(record, &mut data)?.map(<[u8]>::to_vec);
    match (found, file.offset(record)) {
        (Some(data), Some(byte)) => Ok(FoundRecord { data, byte, used_index: true, index_problem: None }),
        _ => Err(past_the_end(path, record, file.len())),
    }
}

fn past_the_end(path: &Path, record: u64, num_records: u64) -> Error {
    Error::Argument {
        message: format!(
            "{}: there is no record {record}, the file has {num_records} record{}",
            feedline_io::shown(path),
            if num_records == 1 { "" } else { "s" },
        ),
        hint: match num_records {
            0 => "the file is empty".into(),
            _ => format!("records are counted from 0, so the last one is {}", num_records - 1),
        },
    }
}

/// A record taken apart.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// What it is; [`RecordKind::Bytes`] has no parts.
    pub kind: RecordKind,
    /// Features by name (the context, of a `SequenceExample`).
    pub features: Vec<DecodedFeature>,
    /// Feature lists by name.
    pub lists: Vec<DecodedList>,
}

/// A feature with its values.
#[derive(Clone, Debug)]
pub struct DecodedFeature {
    /// Its name.
    pub name: String,
    /// Its values; `None` if the feature holds no list. Byte strings are owned.
    pub values: Option<Values>,
}

/// A feature list with the values of its steps.
#[derive(Clone, Debug)]
pub struct DecodedList {
    /// Its name.
    pub name: String,
    /// Of what type, if a step says so.
    pub dtype: Option<DType>,
    /// The number of values of each step.
    pub step_lens: Vec<usize>,
    /// The values of all steps, one behind the other; `None` if no step holds a list. Byte strings are owned.
    pub values: Option<Values>,
}

/// Takes `record` apart.
pub fn decode(record: &[u8]) -> Result<Decoded> {
    let mut collector = Collector::default();
    collector.observe(record);
    let schema = collector.finish(true).schema;
    let records = [record];
    let in_record =
        |error: feedline_formats::Error| Error::Argument { message: error.reason(), hint: error.hint() };
    let specs = |summaries: &[FeatureSummary]| -> Vec<FeatureSpec> {
        summaries
            .iter()
            .filter(|summary| summary.name_is_utf8)
            .filter_map(|summary| Some(FeatureSpec::var_len(&summary.name, summary.dtype?)))
            .collect()
    };
    let (mut context, mut lists) = (Vec::new(), Vec::new());
    match schema.kind {
        RecordKind::Bytes => {}
        RecordKind::Example => {
            let mut parser = ExampleParser::new(specs(&schema.features)).map_err(in_record)?;
            parser.parse(&records, &mut context).map_err(in_record)?;
        }
        RecordKind::SequenceExample => {
            let mut parser =
                SequenceParser::new(specs(&schema.features), specs(&schema.lists)).map_err(in_record)?;
            parser.parse(&records, &mut context, &mut lists).map_err(in_record)?;
        }
    }
    let (mut odd_features, mut odd_lists) = odd_features(record, schema.kind);
    let (mut context, mut lists) = (context.into_iter(), lists.into_iter());
    let features = schema.features.iter().map(|summary| {
        let values = if summary.name_is_utf8 {
            summary.dtype.and_then(|_| context.next()).map(|column| owned(column, &records).values)
        } else {
            odd_features.remove(&summary.name).and_then(|odd| odd.values)
        };
        DecodedFeature { name: summary.name.clone(), values }
    });
    let features = features.collect();
    let lists = schema.lists.iter().map(|summary| {
        let (name, dtype) = (summary.name.clone(), summary.dtype);
        if !summary.name_is_utf8 {
            let odd = odd_lists.remove(&name).unwrap_or_default();
            return DecodedList { name, dtype, step_lens: odd.step_lens, values: odd.values };
        }
        let column = dtype.and_then(|_| lists.next()).map(|column| owned(column, &records));
        let step_lens = match &column {
            Some(column) => column.splits.last().map_or_else(Vec::new, |steps| {
                steps.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect()
            }),
            None => vec![0; summary.steps.map_or(0, |steps| steps.0)],
        };
        DecodedList { name, dtype, step_lens, values: column.map(|column| column.values) }
    });
    Ok(Decoded { kind: schema.kind, features, lists: lists.collect() })
}

fn owned(mut column: Column, records: &[&[u8]]) -> Column {
    if let Values::Bytes(values) = &mut column.values {
        values.gather(records);
    }
    column
}
