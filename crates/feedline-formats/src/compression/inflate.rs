//! Reading compressed streams.

use flate2::{Decompress, FlushDecompress, Status};

use super::Compression;
use crate::error::{Error, ErrorKind, Result};

/// The base-2 logarithm of deflate's window, the largest there is.
const WINDOW_BITS: u8 = 15;

/// Inflates a stream given in pieces.
///
/// Several streams one behind the other read as one, as `gzip -d` does. Their checksums are verified. Zeros behind the last
/// one are padding, as they are to `gzip -d`; anything else there is damage.
pub struct Decompressor {
    compression: Compression,
    inflate: Decompress,
    /// Compressed bytes taken so far, and bytes made of them.
    taken: u64,
    made: u64,
    /// Whether the current stream has begun and not ended.
    inside: bool,
    /// Whether a zero was met where a second or later stream could begin: from there on there may be only zeros.
    padding: bool,
}

impl Decompressor {
    /// A decompressor at the start of a stream.
    pub fn new(compression: Compression) -> Decompressor {
        Decompressor {
            compression,
            inflate: inflater(compression),
            taken: 0,
            made: 0,
            inside: false,
            padding: false,
        }
    }

    /// Inflates from `input`, appending at most `room` bytes to `out`; returns how many bytes of `input` it took.
    ///
    /// It is done with the input when it took all of it and appended less than `room`.
    pub fn push(&mut self, input: &[u8], out: &mut Vec<u8>, room: usize) -> Result<usize> {
        let start = out.len();
        out.resize(start + room, 0);
        let (mut taken, mut made) = (0, 0);
        let result = loop {
            if made == room || (taken == input.len() && !self.inside) {
                break Ok(());
            }
            if !self.inside {
                let behind_a_stream = self.taken + taken as u64 > 0;
                self.padding |= behind_a_stream && input[taken] == 0;
                if self.padding {
                    taken += input[taken..].iter().take_while(|&&byte| byte == 0).count();
                    if taken < input.len() {
                        break Err("something else follows the zeros behind it".to_owned());
                    }
                    continue;
                }
                // The first stream has the inflater that was made with it.
                if behind_a_stream {
                    self.inflate = inflater(self.compression);
                }
                self.inside = true;
            }
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let status =
                self.inflate.decompress(&input[taken..], &mut out[start + made..], FlushDecompress::None);
            let (step_in, step_out) = (
                (self.inflate.total_in() - before_in) as usize,
                (self.inflate.total_out() - before_out) as usize,
            );
            taken += step_in;
            made += step_out;
            match status {
                Ok(Status::StreamEnd) => self.inside = false,
                Ok(_) if step_in == 0 && step_out == 0 => break Ok(()),
                Ok(_) => {}
                Err(error) => {
                    // What is wrong with the data itself zlib-rs says in one of its loops and not in the other, and which of them met it depends on
                    // the room there was.
                    let is_of_data = |reason: &str| {
                        ["bad state", "distance", "literal/length code"]
                            .iter()
                            .any(|part| reason.contains(part))
                    };
                    let reason = error.message().filter(|reason| !is_of_data(reason));
                    break Err(reason.unwrap_or("its bytes are no deflated data").to_owned());
                }
            }
        };
        out.truncate(start + made);
        self.taken += taken as u64;
        self.made += made as u64;
        result.map_err(|reason| self.error(&reason))?;
        Ok(taken)
    }

    /// Uncompressed bytes made so far.
    pub fn num_made(&self) -> u64 {
        self.made
    }

    /// Call when the input has ended: an error if a stream is incomplete.
    pub fn finish(&self) -> Result<()> {
        if self.inside { Err(self.error("it ends in the middle")) } else { Ok(()) }
    }

    fn error(&self, reason: &str) -> Error {
        Error::new(ErrorKind::Inflate {
            compression: self.compression,
            reason: format!("{reason} (compressed byte {})", self.taken),
        })
    }
}

fn inflater(compression: Compression) -> Decompress {
    match compression {
        Compression::Gzip => Decompress::new_gzip(WINDOW_BITS),
        Compression::Zlib => Decompress::new(true),
    }
}
