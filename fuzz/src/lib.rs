//! What the fuzz targets share: reading in pieces, and what must hold of decoded images.

use std::ops::Range;

use feedline_formats::RowSplitter;
use feedline_formats::tfrecord::{Damage, FrameReader, Resync};
use feedline_image::{DecodedImage, ImageError, Samples, probe_with_limit};

/// Reads a record file, `step` more bytes at a time, over all damage: the records, and what was lost.
pub fn read_records(file: &[u8], step: usize) -> (Vec<Vec<u8>>, Damage) {
    let mut reader = FrameReader::default();
    let mut records = Vec::new();
    let mut end = step.min(file.len());
    loop {
        let unread = |reader: &FrameReader, end: usize| &file[reader.offset() as usize..end];
        let mut views = Vec::new();
        let read = reader.read(unread(&reader, end), &mut views);
        records.extend(views.iter().map(|view| view.to_vec()));
        let at_end = end == file.len();
        if read.is_err() || at_end && reader.finish(unread(&reader, end)).is_err() {
            let mut found = reader.resync(unread(&reader, end), at_end);
            while let Resync::NeedMore { .. } = found {
                end = file.len().min(end + step);
                found = reader.resync_more(unread(&reader, end), end == file.len());
            }
        } else if at_end {
            return (records, reader.damage());
        } else {
            end = file.len().min(end + step);
        }
    }
}

/// The rows of `text`, which must begin in the same places whether `splitter` reads it at once or `step` bytes at a time.
pub fn split_rows<'t, S: RowSplitter>(
    splitter: &S,
    text: &'t [u8],
    step: usize,
) -> impl Iterator<Item = &'t [u8]> {
    let starts_of = |step: usize| {
        let mut splitter = splitter.clone();
        let (mut starts, mut base) = (Vec::new(), 0);
        for piece in text.chunks(step) {
            splitter.push(piece, |at| starts.push(base + at));
            base += piece.len();
        }
        starts
    };
    let starts = starts_of(text.len().max(1));
    assert_eq!(starts, starts_of(step));
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| &text[start..end])
}

/// The records of `file`, which must be the same whether `split` gets it at once or `step` more bytes at a time, and any number of records at once
/// or one; `None` if it is refused, which must be so either way. `split` is one of those that visit whole records at the front of bytes
/// and say how many there were, and what they took.
pub fn split_file(
    file: &[u8],
    step: usize,
    split: impl Fn((&[u8], u64), bool, usize, &mut dyn FnMut(Range<usize>)) -> Option<(usize, usize)>,
) -> Option<Vec<Range<usize>>> {
    let records_by = |step: usize, max_rows: usize| {
        let (mut records, mut offset, mut end) = (Vec::new(), 0, step.min(file.len()));
        loop {
            let is_end = end == file.len();
            let before = records.len();
            let (num_rows, taken) = split((&file[offset..end], offset as u64), is_end, max_rows, &mut |row| {
                records.push(offset + row.start..offset + row.end);
            })?;
            assert_eq!(num_rows, records.len() - before);
            assert!(num_rows <= max_rows && taken <= end - offset);
            offset += taken;
            match (num_rows, is_end) {
                (0, true) => {
                    assert_eq!(offset, file.len());
                    return Some(records);
                }
                (0, false) => end = file.len().min(end + step),
                _ => {}
            }
        }
    };
    let whole = records_by(file.len().max(1), usize::MAX);
    assert_eq!(whole, records_by(step, usize::MAX));
    assert_eq!(whole, records_by(step, 1));
    whole
}

/// Whether the image is small enough to be decoded thousands of times a second: a few bytes may ask for gigabytes, within the limit.
pub fn is_small(bytes: &[u8]) -> bool {
    probe_with_limit(bytes, 1 << 16).is_ok()
}

/// What was decoded has as many samples as it says, and what is refused is so at a place within `bytes`, if at any.
pub fn check_pixels(bytes: &[u8], decoded: Result<DecodedImage, ImageError>) {
    match decoded {
        Ok(DecodedImage { frames, height, width, channels, samples }) => {
            let found = match samples {
                Samples::Bytes(bytes) => bytes.len(),
                Samples::Words(words) => words.len(),
            };
            assert_eq!(found, frames * height * width * channels);
        }
        Err(error) => assert!(error.offset().is_none_or(|offset| offset <= bytes.len()), "{error}"),
    }
}
