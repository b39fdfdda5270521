//! JPEG: a sequence of markers `FF xx`, most of them with a length; entropy-coded data follows each start of scan.

use super::progress::Progress;
use crate::error::ImageError;
use crate::info::{Header, ImageFormat};
use crate::reader::Reader;
use memchr::memchr;

pub(super) const SOI: u8 = 0xd8;
pub(super) const EOI: u8 = 0xd9;
pub(super) const SOS: u8 = 0xda;
pub(super) const DRI: u8 = 0xdd;
pub(super) const PROGRESSIVE: u8 = 0xc2;
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

/// Whether the image is sequential with all its components in the first scan.
pub(super) fn is_in_one_scan(bytes: &[u8]) -> bool {
    let mut markers = Markers::new(bytes);
    let mut num_components = None;
    while let Ok(Marker { code, body, .. }) = markers.next("a scan") {
        match code {
            0xc0 | 0xc1 => num_components = body.get(5),
            SOS => return num_components.is_some() && num_components == body.first(),
            _ if is_frame(code) => return false,
            _ => {}
        }
    }
    false
}

/// The fewest bytes that an image of this header takes, as far as that is known: with Huffman codes every block takes a bit at least, in
/// whatever scan it comes first. Some hundred bytes can announce more pixels than memory holds.
pub(super) fn least_bytes(bytes: &[u8]) -> u64 {
    let mut markers = Markers::new(bytes);
    while let Ok(Marker { code, body, .. }) = markers.next("a scan") {
        match code {
            0xc0..=PROGRESSIVE => return num_blocks(body).div_ceil(8),
            _ if is_frame(code) || code == SOS => return 0,
            _ => {}
        }
    }
    0
}

/// The blocks of all components of a frame.
fn num_blocks(frame_header: &[u8]) -> u64 {
    let components = frame_header.get(6..).unwrap_or_default().as_chunks::<3>().0;
    let blocks_of = |component: &[u8; 3]| {
        let (across, down) = mcus_of(frame_header, &[1, component[0]]);
        across as u64 * down as u64
    };
    components.iter().map(blocks_of).sum()
}

/// Whether the image is a sequential JPEG with a restart in every row of MCUs, or more of them, as [`with_restarts`](crate::with_restarts) makes
/// it: what is not needed of it is jumped over. Read from the header alone.
pub fn is_crop_ready(bytes: &[u8]) -> bool {
    let mut markers = Markers::new(bytes);
    let (mut frame_header, mut interval) = (&[][..], 0);
    while let Ok(Marker { code, body, .. }) = markers.next("a scan") {
        match code {
            0xc0 | 0xc1 => frame_header = body,
            DRI => interval = restart_interval(body),
            SOS => return (1..=mcus_of(frame_header, body).0).contains(&interval),
            _ if is_frame(code) => return false,
            _ => {}
        }
    }
    false
}

/// What the marker of restarts says: how many MCUs lie between two of them.
pub(super) fn restart_interval(body: &[u8]) -> usize {
    body.first_chunk().map_or(0, |&pair| usize::from(u16::from_be_bytes(pair)))
}

/// What the markers say of the bits between them.
pub(super) struct Soundness {
    /// Whether all of the image is there, up to its end mark.
    pub(super) is_complete: bool,
    /// Whether the scans up to the end bring all that a progressive image has. Others are complete with any.
    pub(super) has_all_scans: bool,
    /// Whether every scan has the restarts that the header announces, in their order, and no others. If not, bytes are missing or too many,
    /// and decoders differ in what they make of them.
    pub(super) restarts: Result<(), ImageError>,
}

impl Soundness {
    /// Reads all markers, at memory speed.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut markers = Markers::new(bytes);
        let (mut frame_header, mut interval, mut num_scans) = (&[][..], 0, 0);
        let mut progress = Progress::default();
        let mut sound = Self { is_complete: false, has_all_scans: false, restarts: Ok(()) };
        while let Ok(Marker { code, offset, body }) = markers.next("the end of the image (EOI)") {
            match code {
                _ if is_frame(code) => {
                    frame_header = body;
                    progress = if code == PROGRESSIVE { Progress::new(body) } else { Progress::default() };
                }
                DRI => interval = restart_interval(body),
                SOS => {
                    num_scans += 1;
                    progress.scan(body);
                    let is_ended = markers.skip_entropy_coded(num_scans).is_ok();
                    let (across, down) = mcus_of(frame_header, body);
                    let num_mcus = across * down;
                    let announced = num_mcus.div_ceil(interval.max(1)).saturating_sub(1);
                    let restarts = markers.restarts.check(if interval == 0 { 0 } else { announced }, offset);
                    sound.restarts = sound.restarts.and(restarts);
                    if !is_ended {
                        break;
                    }
                }
                EOI => {
                    sound.is_complete = num_scans > 0;
                    break;
                }
                _ => {}
            }
        }
        sound.has_all_scans = progress.is_complete();
        sound
    }

    /// Whether no decoder stumbles before the first damaged bit, and what it makes of the rows before does not depend on those behind.
    pub(super) fn is_sound(&self) -> bool {
        self.is_complete && self.has_all_scans && self.restarts.is_ok()
    }
}

/// The restart markers of a scan.
#[derive(Default)]
struct Restarts {
    count: usize,
    /// The first that is not the next one, and where it is.
    strange: Option<(u8, usize)>,
}

impl Restarts {
    fn count(&mut self, code: u8, offset: usize) {
        if self.strange.is_none() && usize::from(code) != 0xd0 + self.count % 8 {
            self.strange = Some((code, offset));
        }
        self.count += 1;
    }

    /// Whether there are as many as `announced`, in their order; `offset` is that of the scan.
    fn check(&self, announced: usize, offset: usize) -> Result<(), ImageError> {
        let (message, offset) = match self.strange {
            _ if announced == 0 && self.count > 0 => {
                ("a restart marker among the pixels, and the header announces none".to_owned(), offset)
            }
            Some((code, offset)) => {
                (format!("restart marker ff {code:02x}, which is not the next one"), offset)
            }
            None if self.count != announced => {
                (format!("the scan has {} restart markers, expected {announced}", self.count), offset)
            }
            None => return Ok(()),
        };
        Err(ImageError::corrupt(FORMAT, offset, message))
    }
}

/// The MCUs of a scan.
fn mcus_of(frame_header: &[u8], scan_header: &[u8]) -> (usize, usize) {
    let &[_, h1, h0, w1, w0, _, ref components @ ..] = frame_header else { return (0, 0) };
    let (height, width) =
        (usize::from(u16::from_be_bytes([h1, h0])), usize::from(u16::from_be_bytes([w1, w0])));
    let components = components.as_chunks::<3>().0;
    let factors = |component: &[u8; 3]| (usize::from(component[1] >> 4), usize::from(component[1] & 15));
    let most_across = components.iter().map(|one| factors(one).0).max().unwrap_or(1).max(1);
    let most_down = components.iter().map(|one| factors(one).1).max().unwrap_or(1).max(1);
    let blocks = |size: usize, part: usize, most: usize| (size * part).div_ceil(most).div_ceil(8);
    match scan_header {
        // The only component of a scan is not interleaved with anything: its MCUs are its blocks.
        [1, id, ..] => {
            let (across, down) = components.iter().find(|one| one[0] == *id).map_or((1, 1), factors);
            (blocks(width, across, most_across), blocks(height, down, most_down))
        }
        _ => (blocks(width, 1, most_across), blocks(height, 1, most_down)),
    }
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
    /// Of the last scan that was stepped over.
    restarts: Restarts,
}

impl<'a> Markers<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0, restarts: Restarts::default() }
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

    /// Moves to the marker that ends a scan, and notes its restarts. Within one, `FF 00` is a data byte and `FF D0` to `FF D7` are
    /// restarts.
    pub(super) fn skip_entropy_coded(&mut self, scan: usize) -> Result<(), ImageError> {
        let start = self.position;
        self.restarts = Restarts::default();
        loop {
            let rest = self.bytes.get(self.position..).unwrap_or_default();
            let found = memchr(0xff, rest).map(|at| self.position + at);
            match found.and_then(|offset| Some((*self.bytes.get(offset + 1)?, offset))) {
                Some((0x00, offset)) => self.position = offset + 2,
                Some((code @ 0xd0..=0xd7, offset)) => {
                    self.restarts.count(code, offset);
                    self.position = offset + 2;
                }
                Some((0xff, offset)) => self.position = offset + 1,
                Some((_, offset)) => {
                    self.position = offset;
                    return Ok(());
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
