//! Records handed out one by one, written by hand: what sharing a small record costs, however it is read.

use std::fs::File;
use std::hint::black_box;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use feedline::formats::tfrecord::{FrameReader, ReadOptions};

/// What a thread reads at a time: as the readers do.
const PIECE_BYTES: usize = 256 << 10;
/// Pieces that wait for the consumer.
const PIECES_AHEAD: usize = 16;

/// A part of a file and where its records are.
struct Piece {
    bytes: Vec<u8>,
    places: Vec<Range<u32>>,
}

/// A record that its holder may keep: the least that can be handed out without copying it.
struct Record {
    piece: Arc<Piece>,
    place: Range<u32>,
}

/// Reads `files` on `num_threads` threads, in no order, and takes each record by itself on this one; returns the sum of their lengths.
pub(crate) fn sum_of_lengths(files: &[PathBuf], num_threads: usize) -> u64 {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::sync_channel(PIECES_AHEAD);
    std::thread::scope(|scope| {
        for _ in 0..num_threads {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    read_pieces(file, |piece| send.send(piece).expect("the consumer waits for all"));
                }
            });
        }
        drop(send);
        let mut sum = 0;
        for piece in receive {
            for place in &piece.places {
                let record = black_box(Record { piece: Arc::clone(&piece), place: place.clone() });
                sum +=
                    record.piece.bytes[record.place.start as usize..record.place.end as usize].len() as u64;
            }
        }
        sum
    })
}

fn read_pieces(file: &PathBuf, mut hand_over: impl FnMut(Arc<Piece>)) {
    let file = File::open(file).expect("read before");
    let mut frames = FrameReader::new(ReadOptions::default());
    loop {
        let mut bytes = vec![0; PIECE_BYTES];
        let read = file.read_at(&mut bytes, frames.offset()).expect("read before");
        bytes.truncate(read);
        let mut places = Vec::with_capacity(PIECE_BYTES / 128);
        let visit = |place: Range<usize>| places.push(place.start as u32..place.end as u32);
        frames.read_places(&bytes, usize::MAX, visit).expect("read before");
        if places.is_empty() {
            return;
        }
        hand_over(Arc::new(Piece { bytes, places }));
    }
}
