//! What the fuzz targets share: reading in pieces.

use feedline_formats::RowSplitter;
use feedline_formats::tfrecord::{Damage, FrameReader, Resync};

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
