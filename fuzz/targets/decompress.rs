//! Inflating any bytes, in any pieces and with little room: ends, and gives the same as in one piece.
#![no_main]

use feedline_formats::{Compression, Decompressor, Error, StringInflater};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [step, room, stream @ ..] = input else { return };
    for compression in [Compression::Gzip, Compression::Zlib] {
        let whole = inflate(compression, stream, stream.len().max(1), 1 << 16);
        let pieces = inflate(compression, stream, usize::from(*step) + 1, usize::from(*room) + 1);
        assert_eq!(whole.is_ok(), pieces.is_ok());
        // What the short way takes is what this one makes of it.
        let mut short = Vec::new();
        if StringInflater::new(compression).inflate(stream, &mut short) && short.len() <= 1 << 24 {
            assert_eq!(whole.as_ref().ok(), Some(&short));
        }
        if let (Ok(whole), Ok(pieces)) = (whole, pieces) {
            assert_eq!(whole, pieces);
        }
    }
});

fn inflate(compression: Compression, stream: &[u8], step: usize, room: usize) -> Result<Vec<u8>, Error> {
    let mut decompressor = Decompressor::new(compression);
    let mut out = Vec::new();
    for piece in stream.chunks(step) {
        let mut piece = piece;
        loop {
            let before = out.len();
            let taken = decompressor.push(piece, &mut out, room)?;
            piece = &piece[taken..];
            if piece.is_empty() && out.len() - before < room {
                break;
            }
            if out.len() > 1 << 24 {
                return Ok(Vec::new()); // a bomb: large output is right, and slow to make
            }
        }
    }
    decompressor.finish()?;
    Ok(out)
}
