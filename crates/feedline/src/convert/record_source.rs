//! Records of TFRecord files: passed on as they are, or with some of their features.

use feedline_formats::Error as FormatError;
use feedline_formats::example::{RecordKind, SchemaBuilder, change_strings, select_features};
use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES, ReadOptions, frame_bytes};
use feedline_image::ImageError;

use super::bad_row::BadRow;
use super::image_change::{ImageChange, ImageCounts};
use super::loss::{Loss, skippable};
use super::options::{ColumnType, OnError, Options, argument, meant};
use super::parallel::try_map;
use super::places::Places;
use super::row_files::{LineCounts, Row, RowFile, RowFiles};
use super::row_source::{RowEncoder, RowSource};
use super::source::Sink;
use super::stage::ReadableFile;
use crate::error::Result;
use crate::records::KindVotes;
use crate::records::{Chunk, OnDamage, RecordReader};

/// Opens TFRecord files.
pub(super) fn open(
    files: Vec<ReadableFile>,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<RowSource<RecordEncoder>> {
    let places = try_map(options.num_threads, &files, |file| {
        let places = find_records(file, options.on_error)?;
        progress(file.size);
        Ok(places)
    })?;
    let row_file = |(file, places)| RowFile { file, places, lines: LineCounts::default() };
    let files = files.into_iter().zip(places).map(row_file).collect();
    let rows = RowFiles::new(files, options.on_error);
    let encoder = RecordEncoder { columns: options.columns.clone(), change: options.images };
    encoder.check_columns(&rows)?;
    Ok(RowSource { rows, encoder })
}

/// Passes records on.
pub(super) struct RecordEncoder {
    columns: Option<Vec<String>>,
    change: ImageChange,
}

impl RecordEncoder {
    /// A name that no record has would leave nothing of any of them.
    fn check_columns(&self, rows: &RowFiles) -> Result<()> {
        let Some(columns) = &self.columns else { return Ok(()) };
        let mut schema = SchemaBuilder::default();
        let mut votes = KindVotes::default();
        rows.sample(|row| {
            if let Ok(Some(data)) = FrameReader::default().next(row.bytes) {
                votes.add(data);
                if feedline_formats::example::is_valid_example(data).is_ok() {
                    schema.observe(data);
                }
            }
        })?;
        // As Examples they would parse too, and lose every list.
        if votes.winner() == RecordKind::SequenceExample {
            return Err(argument(
                "`--columns` chooses the features of Examples, and these records are SequenceExamples",
                "leave out `--columns`; the records are then passed on whole",
            ));
        }
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

    fn read(&self, row: &Row<'_>, sink: &mut Sink) -> Result<(), Refusal> {
        let mut frame = FrameReader::default().at(row.offset, row.index);
        let Some(data) = frame.next(row.bytes)? else { return Ok(frame.finish(row.bytes)?) };
        let mut selected = Vec::new();
        if let Some(columns) = &self.columns {
            select_features(data, columns, &mut selected)?;
        }
        let data = if self.columns.is_some() { &selected[..] } else { data };
        let mut changed = Vec::new();
        let mut counts = ImageCounts::default();
        let is_changed = self.change_images(data, &mut changed, &mut counts)?;
        match (is_changed, &self.columns) {
            // The checksums were just found to match: the frame is good as it is.
            (false, None) => sink.frame(row.bytes),
            (false, Some(_)) => sink.record(|out| out.extend_from_slice(data))?,
            (true, _) => sink.record(|out| out.extend_from_slice(&changed))?,
        }
        sink.images.add(&counts);
        Ok(())
    }

    /// Appends the record with its images changed; whether there are any.
    fn change_images(
        &self,
        data: &[u8],
        out: &mut Vec<u8>,
        counts: &mut ImageCounts,
    ) -> Result<bool, Refusal> {
        if self.change.is_none() {
            return Ok(false);
        }
        let mut failed = None;
        let change = |string: &[u8]| match self.change.apply(string, counts) {
            Ok(image) => image,
            Err(error) => {
                failed.get_or_insert(error);
                None
            }
        };
        let is_changed = change_strings(data, change, out)?;
        failed.map_or(Ok(is_changed), |error| Err(error.into()))
    }
}

/// Why a record cannot be converted, and what to do about it.
struct Refusal {
    reason: String,
    hint: String,
}

impl From<FormatError> for Refusal {
    fn from(error: FormatError) -> Refusal {
        Refusal { reason: error.reason(), hint: error.hint() }
    }
}

impl From<ImageError> for Refusal {
    fn from(error: ImageError) -> Refusal {
        let text = error.to_string();
        let reason = format!("its image: {}", text.lines().next().unwrap_or_default());
        let hint = error.hint().unwrap_or("`--on-error skip` leaves such records out");
        Refusal { reason, hint: hint.to_owned() }
    }
}

/// Finds the records of a file: as fast as it can be, if the file is whole.
fn find_records(file: &ReadableFile, on_error: OnError) -> Result<Places> {
    if file.loss.is_none()
        && let Ok(Some(starts)) = skippable(hop(file), on_error)?
    {
        return Ok(Places::new(starts, file.size));
    }
    match &file.loss {
        Some(loss) if file.size == 0 => Ok(Places::all_lost(loss.clone())),
        _ => walk(file, on_error),
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
    Ok((at == file.size).then_some(starts))
}

/// Finds the records of a damaged file by reading all of it; each damaged region is one place.
fn walk(file: &ReadableFile, on_error: OnError) -> Result<Places> {
    let mut reader = RecordReader::new(file.blob()?, None, ReadOptions::default()).on_damage(OnDamage::Skip);
    let (mut starts, mut lost) = (Vec::new(), Vec::new());
    let broken = loop {
        let chunk = reader.next_chunk().map(|chunk| chunk.map(|chunk| offsets(&chunk)));
        for error in reader.take_errors() {
            // Damage comes before the records of the chunk that was found behind it.
            let start = error.byte_offset().unwrap_or(0);
            lost.push((starts.len() as u64, error));
            starts.push(start);
        }
        match skippable(chunk, on_error)? {
            Ok(Some(offsets)) => starts.extend(offsets),
            Ok(None) => break None,
            Err(loss) => break Some(loss),
        }
    };
    let end = if broken.is_some() { reader.offset() } else { file.size };
    let has_records = starts.len() > lost.len();
    let mut places = Places::new(starts, end);
    for (index, error) in lost {
        places.lose(index, Loss::of_records(&error, has_records));
    }
    if let Some(loss) = broken.or_else(|| file.loss.clone()) {
        places.lose_rest(loss);
    }
    Ok(places)
}

/// Where the records of a chunk begin.
fn offsets(chunk: &Chunk<'_>) -> Vec<u64> {
    let ends = chunk.records.iter().scan(chunk.first_offset, |end, record| {
        let start = *end;
        *end += frame_bytes(record.len() as u64);
        Some(start)
    });
    ends.collect()
}

impl RowEncoder for RecordEncoder {
    type Scratch = ();

    fn encode(&self, row: &Row<'_>, (): &mut (), sink: &mut Sink) -> Result<()> {
        self.read(row, sink).or_else(|error| {
            let mut bad = BadRow::new(row.position, &row.file.file.path, error.reason);
            self.place(row, &mut bad);
            bad.hint = Some(error.hint);
            sink.bad(bad)
        })
    }

    fn place(&self, row: &Row<'_>, bad: &mut BadRow) {
        bad.record = Some(row.index);
        bad.byte = Some(row.offset);
    }

    fn columns(&self) -> Vec<(String, ColumnType)> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use feedline_formats::tfrecord::write_frame;

    use super::*;
    use crate::convert::failing_blob::FailingBlob;

    #[test]
    fn behind_a_place_that_cannot_be_read_everything_is_lost_in_one_piece() {
        let mut file = Vec::new();
        (0..20).for_each(|_| write_frame(&mut file, &[7; 24]).unwrap());
        // In the header of the eleventh record of 40 bytes, where stepping from header to header meets it.
        for broken in [400..401, 405..406] {
            let open = || FailingBlob::file(file.clone(), broken.clone());
            assert!(find_records(&open(), OnError::Fail).is_err());
            let places = find_records(&open(), OnError::Skip).unwrap();
            let num_whole = places.len() - 1;
            // Reads are of 64 bytes: the records of the one that fails are lost with it.
            assert!((8..=10).contains(&num_whole), "{num_whole}");
            assert_eq!(places.range(num_whole - 1), 40 * (num_whole - 1)..40 * num_whole);
            assert!(places.num_lost() == 1 && places.loss(num_whole).is_some());
        }
    }

    #[test]
    fn damage_at_the_end_of_a_cut_file_is_part_of_what_is_cut() {
        let mut bytes = Vec::new();
        (0..5).for_each(|_| write_frame(&mut bytes, &[7; 24]).unwrap());
        let loss = Loss::new("cut", "");
        for (keep, num_places) in [(200, 6), (199, 5), (165, 5), (0, 1)] {
            let mut file = FailingBlob::file(&bytes[..keep], 0..0);
            file.loss = Some(loss.clone());
            let places = find_records(&file, OnError::Skip).unwrap();
            assert_eq!((places.len(), places.num_lost()), (num_places, 1), "{keep} bytes");
            assert_eq!(places.loss(num_places - 1), Some(&loss), "{keep} bytes");
        }
    }
}
