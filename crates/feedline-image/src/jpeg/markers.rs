//! JPEG: a sequence of markers `FF xx`, most of them with a length; entropy-coded data follows each start of scan.

use crate::error::ImageError;
use crate::info::{Header, ImageFormat};
use crate::reader::Reader;
use memchr::memchr;

const SOI: u8 = 0xd8;
pub(super) const EOI: u8 = 0xd9;
pub(super) const SOS: u8 = 0xda;
const DRI: u8 = 0xdd;
const TEM: u8 = 0x01;

pub(super) const FORMAT: ImageFormat = ImageFormat::Jpeg;

pub(crate) fn header(bytes: &[u8]) -> Result<Header, ImageError> {
    let mut markers = Markers::new(bytes);
    loop {
        let Marker { code, offset, body } = markers.next("the frame header (SOF)")?;
        match code {
            _ if is_frame(code) => return frame(offset, body),
            SOS => {
                return Err(ImageError::corrupt(
                    FORMAT,
                    offset,
                    "a scan (SOS), expected a frame header (SOF) first",
                ));
            }
            EOI => {
                return Err(ImageError::corrupt(
                    FORMAT,
                    offset,
                    "the image ends (EOI), expected a frame header (SOF)",
                ));
            }
            _ => {}
        }
    }
}

/// SOF0 to SOF15. Three codes of that row mean something else: DHT, JPG and DAC.
pub(super) fn is_frame(code: u8) -> bool {
    matches!(code, 0xc0..=0xcf) && !matches!(code, 0xc4 | 0xc8 | 0xcc)
}

fn frame(offset: usize, body: &[u8]) -> Result<Header, ImageError> {
    let &[_precision, h1, h0, w1, w0, channels, ref components @ ..] = body else {
        let message = format!("the frame header has {} bytes, expected at least 6", body.len());
        return Err(ImageError::corrupt(FORMAT, offset, message));
    };
    if channels == 0 || components.len() != usize::from(channels) * 3 {
        let message = format!(
            "the frame header has {channels} channels and {} bytes for them, expected 3 bytes for each of at least 1",
            components.len()
        );
        return Err(ImageError::corrupt(FORMAT, offset, message));
    }
    Ok(Header {
        format: FORMAT,
        width: u32::from(u16::from_be_bytes([w1, w0])),
        height: u32::from(u16::from_be_bytes([h1, h0])),
        channels: Some(channels),
        size_offset: offset + 5,
    })
}

pub(crate) fn check_complete(bytes: &[u8]) -> Result<(), ImageError> {
    let mut markers = Markers::new(bytes);
    let mut has_frame = false;
    let mut num_scans = 0;
    loop {
        let Marker { code, offset, .. } = markers.next("the end of the image (EOI)")?;
        match code {
            _ if is_frame(code) => has_frame = true,
            SOS if !has_frame => {
                return Err(ImageError::corrupt(
                    FORMAT,
                    offset,
                    "a scan (SOS), expected a frame header (SOF) first",
                ));
            }
            SOS => {
                num_scans += 1;
                markers.skip_entropy_coded(num_scans)?;
            }
            EOI if num_scans == 0 => {
                return Err(ImageError::corrupt(
                    FORMAT,
                    offset,
                    "the image ends (EOI), expected a scan (SOS) before",
                ));
            }
            EOI => return Ok(()),
            _ => {}
        }
    }
}

/// Whether all of the image is there, and has the restarts that its header announces: then no decoder stumbles before the first
/// damaged bit, and what it makes of the rows before does not depend on those behind.
pub(super) fn is_sound(bytes: &[u8]) -> bool {
    let mut markers = Markers::new(bytes);
    let (mut num_mcus, mut interval, mut num_scans) = (0, 0, 0);
    let mut restarts_fit = true;
    while let Ok(Marker { code, body, .. }) = markers.next("the end of the image (EOI)") {
        match code {
            _ if is_frame(code) => num_mcus = num_mcus_of(body),
            DRI => interval = body.first_chunk().map_or(0, |&pair| usize::from(u16::from_be_bytes(pair))),
            SOS => {
                let Ok(num_restarts) = markers.skip_entropy_coded(1) else { return false };
                num_scans += 1;
                let announced = if interval == 0 { 0 } else { num_mcus.div_ceil(interval).saturating_sub(1) };
                restarts_fit &= num_restarts == announced;
            }
            // Scans with a part of the components, or of their bits, have other numbers of MCUs.
            EOI => return num_scans > 1 || (num_scans == 1 && restarts_fit),
            _ => {}
        }
    }
    false
}

/// The MCUs of a scan with all components.
fn num_mcus_of(frame_header: &[u8]) -> usize {
    let &[_, h1, h0, w1, w0, num_components, ref components @ ..] = frame_header else { return 0 };
    let (height, width) =
        (usize::from(u16::from_be_bytes([h1, h0])), usize::from(u16::from_be_bytes([w1, w0])));
    let most = |part: fn(u8) -> u8| {
        components.chunks_exact(3).map(|one| usize::from(part(one[1]))).max().unwrap_or(1)
    };
    // The only component of a scan is not interleaved with anything.
    let (h, v) = if num_components == 1 {
        (1, 1)
    } else {
        (most(|factors| factors >> 4), most(|factors| factors & 15))
    };
    width.div_ceil(8 * h.max(1)) * height.div_ceil(8 * v.max(1))
}

pub(super) struct Marker<'a> {
    pub(super) code: u8,
    /// Of its `FF`.
    pub(super) offset: usize,
    /// What follows the length; empty for a marker without one.
    pub(super) body: &'a [u8],
}

pub(super) struct Markers<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Markers<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Where the bytes behind the last marker begin.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next marker; `expected` is what the caller is on the way to.
    pub(super) fn next(&mut self, expected: &str) -> Result<Marker<'a>, ImageError> {
        let (code, offset) = self.next_code(expected)?;
        // Restart markers belong between entropy-coded bytes; a stray one has no length either.
        if matches!(code, SOI | EOI | TEM | 0xd0..=0xd7) {
            return Ok(Marker { code, offset, body: &[] });
        }
        let mut reader = Reader::new(self.bytes, self.position, FORMAT);
        let len = usize::from(u16::from_be_bytes(reader.array("the length of a marker segment")?));
        if len < 2 {
            let message =
                format!("the segment of marker ff {code:02x} has length {len}, expected at least 2");
            return Err(ImageError::corrupt(FORMAT, offset, message));
        }
        let body = reader.take(len - 2, format_args!("the segment of marker ff {code:02x}"))?;
        self.position = reader.position();
        Ok(Marker { code, offset, body })
    }

    /// The code of the next marker and where its `FF` is. Goes over bytes that belong to nothing, as every
    /// decoder does (with a warning): some writers leave padding between segments.
    fn next_code(&mut self, expected: &str) -> Result<(u8, usize), ImageError> {
        loop {
            let rest = self.bytes.get(self.position..).unwrap_or_default();
            let found = memchr(0xff, rest).map(|at| self.position + at);
            let pair = found.and_then(|offset| Some((*self.bytes.get(offset + 1)?, offset)));
            let Some((code, offset)) = pair else {
                let message = format!("the data ends, expected {expected}");
                return Err(ImageError::truncated(FORMAT, self.bytes.len(), message));
            };
            match code {
                0xff => self.position = offset + 1, // fill byte: a marker may begin with any number of FF
                0x00 => self.position = offset + 2,
                _ => {
                    self.position = offset + 2;
                    return Ok((code, offset));
                }
            }
        }
    }

    /// Moves to the marker that ends a scan, and says how many restarts it has. Within one, `FF 00` is a data byte and `FF D0` to
    /// `FF D7` are restarts.
    pub(super) fn skip_entropy_coded(&mut self, scan: usize) -> Result<usize, ImageError> {
        let start = self.position;
        let mut num_restarts = 0;
        loop {
            let rest = self.bytes.get(self.position..).unwrap_or_default();
            let found = memchr(0xff, rest).map(|at| self.position + at);
            match found.and_then(|offset| Some((*self.bytes.get(offset + 1)?, offset))) {
                Some((code @ (0x00 | 0xd0..=0xd7), offset)) => {
                    num_restarts += usize::from(code != 0);
                    self.position = offset + 2;
                }
                Some((0xff, offset)) => self.position = offset + 1,
                Some((_, offset)) => {
                    self.position = offset;
                    return Ok(num_restarts);
                }
                None => {
                    let message = format!(
                        "the data ends within scan {scan}, which began at byte {start}; expected the end of the image (EOI)"
                    );
                    return Err(ImageError::truncated(FORMAT, self.bytes.len(), message));
                }
            }
        }
    }
}
