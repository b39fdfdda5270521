//! Records of TFRecord files: passed on as they are, or with some of their features.

use std::collections::BTreeMap;

use feedline_formats::Error as FormatError;
use feedline_formats::example::{SchemaBuilder, select_features};
use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES, ReadOptions, frame_bytes};

use super::bad_row::BadRow;
use super::columns::SAMPLE_ROWS;
use super::options::{ColumnType, Options, argument, meant};
use super::parallel::try_map;
use super::row_files::{LineCounts, Row, RowFile, RowFiles};
use super::source::{Sink, Source};
use super::stage::ReadableFile;
use crate::error::Result;
use crate::records::{OnDamage, RecordReader};

/// TFRecord files.
pub(super) struct RecordSource {
    rows: RowFiles,
    columns: Option<Vec<String>>,
}

impl RecordSource {
    pub(super) fn open(
        files: Vec<ReadableFile>,
        options: &Options,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<RecordSource> {
        if let Some((name, _)) = options.types.first() {
            let message = format!("`--types` names `{name}`, but features of records have their types");
            return Err(argument(message, "drop `--types`; `--columns` chooses the features to keep"));
        }
        let places = try_map(options.num_threads, &files, |file| {
            let places = match hop(file)? {
                Some(starts) => (starts, BTreeMap::new()),
                None => walk(file)?,
            };
            progress(file.size);
            Ok(places)
        })?;
        let files = files.into_iter().zip(places).map(|(file, (starts, damaged))| RowFile {
            file,
            starts,
            lines: LineCounts::default(),
            damaged,
        });
        let source = RecordSource { rows: RowFiles::new(files.collect()), columns: options.columns.clone() };
        source.check_columns()?;
        Ok(source)
    }

    /// A name that no record has would leave nothing of any of them.
    fn check_columns(&self) -> Result<()> {
        let Some(columns) = &self.columns else { return Ok(()) };
        let mut schema = SchemaBuilder::default();
        let sample: Vec<u64> = (0..self.rows.num_rows().min(SAMPLE_ROWS)).collect();
        self.rows.visit(&sample, |row| {
            if let Ok(Some(data)) = FrameReader::default().next(row.bytes)
                && feedline_formats::example::is_valid_example(data).is_ok()
            {
                schema.observe(data);
            }
            Ok(())
        })?;
        let known: Vec<String> = schema.finish().features.into_iter().map(|feature| feature.name).collect();
        match columns.iter().find(|name| !known.contains(name)) {
            // No Example among them: each record will say so, with its place.
            Some(_) if known.is_empty() => Ok(()),
            Some(name) => {
                let message =
                    format!("`--columns` names `{name}`, a feature that none of the first records has");
                Err(argument(
                    message,
                    format!("the features are {}{}", known.join(", "), meant(name, &known)),
                ))
            }
            None => Ok(()),
        }
    }

    fn encode_record(&self, row: &Row<'_>, sink: &mut Sink) -> Result<()> {
        let encoded = match row.file.damaged.get(&row.index) {
            Some(damage) => Err(damage.clone()),
            None => self.read(row, sink),
        };
        encoded.or_else(|error| {
            let mut bad = BadRow::new(row.position, &row.file.file.path, error.reason());
            bad.record = Some(row.index);
            bad.byte = Some(row.offset);
            bad.hint = error.hint();
            sink.bad(bad)
        })
    }

    fn read(&self, row: &Row<'_>, sink: &mut Sink) -> Result<(), FormatError> {
        let mut frame = FrameReader::default().at(row.offset, row.index);
        let Some(data) = frame.next(row.bytes)? else { return frame.finish(row.bytes) };
        match &self.columns {
            // The checksums were just found to match: the frame is good as it is.
            None => sink.frame(row.bytes),
            Some(columns) => {
                let mut selected = Vec::new();
                select_features(data, columns, &mut selected)?;
                sink.record(|out| out.extend_from_slice(&selected));
            }
        }
        Ok(())
    }
}

/// Finds the records of a file by stepping from length to length; `None` if that does not lead exactly to its end.
///
/// Data is passed over, and checked when it is converted: of a file of large records this reads a few percent.
fn hop(file: &ReadableFile) -> Result<Option<Vec<u64>>> {
    let blob = file.blob()?;
    let frames = FrameReader::new(ReadOptions::default());
    let mut window = vec![0; blob.access().chunk_bytes];
    let (mut starts, mut at) = (Vec::new(), 0);
    let (mut window_start, mut filled) = (0, 0);
    while at < file.size {
        let inside = (at - window_start) as usize;
        if inside + HEADER_BYTES > filled {
            window_start = at;
            // Large records: a header is all that is wanted of each. Small ones: many are in one read.
            let wanted = match starts.len() as u64 {
                0 => window.len(),
                count if at / count > window.len() as u64 => HEADER_BYTES,
                _ => window.len(),
            };
            filled = blob.read_at(&mut window[..wanted], at)?;
            if filled < HEADER_BYTES {
                return Ok(None);
            }
            continue;
        }
        let frame = frames.bytes_wanted(&window[inside..filled]);
        if frame < frame_bytes(0) {
            return Ok(None);
        }
        starts.push(at);
        at += frame;
    }
    starts.push(at);
    Ok((at == file.size).then_some(starts))
}

/// Finds the records of a damaged file by reading all of it; what is damaged counts as one row each.
fn walk(file: &ReadableFile) -> Result<(Vec<u64>, BTreeMap<u64, FormatError>)> {
    let mut reader = RecordReader::new(file.blob()?, None, ReadOptions::default()).on_damage(OnDamage::Skip);
    let (mut starts, mut damaged) = (Vec::new(), BTreeMap::new());
    loop {
        let chunk = reader.next_chunk()?.map(|chunk| {
            let mut offset = chunk.first_offset;
            let offsets = chunk.records.iter().map(|record| {
                let start = offset;
                offset += frame_bytes(record.len() as u64);
                start
            });
            offsets.collect::<Vec<u64>>()
        });
        for error in reader.take_errors() {
            // Damage comes before the records of the chunk that was found behind it.
            damaged.insert(starts.len() as u64, error.clone());
            starts.push(error.byte_offset().unwrap_or(0));
        }
        match chunk {
            Some(offsets) => starts.extend(offsets),
            None => break,
        }
    }
    starts.push(file.size);
    Ok((starts, damaged))
}

impl Source for RecordSource {
    fn num_rows(&self) -> u64 {
        self.rows.num_rows()
    }

    fn num_bytes(&self) -> u64 {
        self.rows.num_bytes()
    }

    fn row_bytes(&self, row: u64) -> u64 {
        self.rows.row_bytes(row)
    }

    fn encode(&self, rows: &[u64], sink: &mut Sink) -> Result<()> {
        self.rows.visit(rows, |row| self.encode_record(&row, sink))
    }

    fn columns(&self) -> Vec<(String, ColumnType)> {
        Vec::new()
    }
}
