//! Decoding as callers see it: what to decode, into what, and who does it.

use super::inks;
use super::library;
use super::markers::{FORMAT, Soundness, is_in_one_scan, least_bytes};
use super::region::{Refused, RegionDecoder, Wanted};
use super::scans::in_one_scan;
use crate::error::{ImageError, ImageErrorKind};
use crate::info::{DEFAULT_MAX_PIXELS, ImageFormat, ImageInfo};
use crate::length::{SMALL_PIXELS, too_short};
use crate::probe_with_limit;

/// How many channels to decode into, as TensorFlow's `channels` argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JpegChannels {
    /// 0: gray stays gray, everything else becomes RGB.
    AsStored,
    /// 1: gray; of a colour image its luma.
    Gray,
    /// 3: RGB; a gray image three times the same.
    Rgb,
}

impl JpegChannels {
    /// From TensorFlow's number: 0, 1 or 3.
    pub fn from_number(channels: u64) -> Option<Self> {
        match channels {
            0 => Some(Self::AsStored),
            1 => Some(Self::Gray),
            3 => Some(Self::Rgb),
            _ => None,
        }
    }

    /// How many channels an image with this header is decoded into.
    pub fn count(self, info: &ImageInfo) -> usize {
        match self {
            Self::AsStored if info.channels == Some(1) => 1,
            Self::Gray => 1,
            Self::AsStored | Self::Rgb => 3,
        }
    }
}

/// A part of an image, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// Columns; at least 1.
    pub width: u32,
    /// Rows; at least 1.
    pub height: u32,
}

impl Region {
    /// All of an image.
    pub fn whole(info: &ImageInfo) -> Self {
        Self { x: 0, y: 0, width: info.width, height: info.height }
    }

    fn is_within(self, width: u32, height: u32) -> bool {
        let fits = |from: u32, len: u32, limit: u32| {
            len > 0 && from.checked_add(len).is_some_and(|end| end <= limit)
        };
        fits(self.x, self.width, width) && fits(self.y, self.height, height)
    }
}

/// Decoded pixels: rows of `width` × `channels` bytes, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// 1 (gray) or 3 (RGB).
    pub channels: u8,
    /// `height` × `width` × `channels` bytes.
    pub data: Vec<u8>,
}

/// Decodes JPEGs, and keeps what it allocates for the next one: hold one for each thread.
///
/// The pixels are those of libjpeg-turbo with its default settings (accurate integer transform, smooth
/// upsampling), byte for byte. As there, damaged bits of a sequential image are odd pixels and no error, and so is an end mark before the
/// last pixel, or another marker, which leaves the rest gray. An image that ends without an end mark and lacks pixels is an error. So is one
/// with restart markers that are not those it announces, and damage that is found in a progressive image or another rare kind: there
/// decoders do not agree.
#[derive(Debug)]
pub struct JpegDecoder {
    max_pixels: u64,
    baseline: RegionDecoder,
    /// The whole image, where only a part of it was asked for and the library decodes.
    whole: Vec<u8>,
}

/// Whole images of more bytes are not kept for the next one: decoding them takes a hundred times as long as getting memory, and each
/// thread would hold one.
const MAX_KEPT_BYTES: usize = 16 << 20;

impl Default for JpegDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl JpegDecoder {
    /// A decoder that refuses images of more than [`DEFAULT_MAX_PIXELS`].
    pub fn new() -> Self {
        Self { max_pixels: DEFAULT_MAX_PIXELS, baseline: RegionDecoder::default(), whole: Vec::new() }
    }

    /// Another limit on width × height, of the whole image.
    #[must_use]
    pub fn with_max_pixels(mut self, max_pixels: u64) -> Self {
        self.max_pixels = max_pixels;
        self
    }

    /// What the header says; no pixel is decoded.
    pub fn info(&self, bytes: &[u8]) -> Result<ImageInfo, ImageError> {
        let info = probe_with_limit(bytes, self.max_pixels)?;
        if info.format != ImageFormat::Jpeg {
            let message = format!("found {}, expected JPEG", info.format);
            return Err(ImageError::new(ImageErrorKind::UnknownFormat, Some(info.format), 0, message)
                .with_hint("decode_image takes any format"));
        }
        Ok(info)
    }

    /// Whether a region lies within an image at 1 / `ratio` of its size; an error that says both if not.
    pub fn check_region(&self, info: &ImageInfo, ratio: u32, region: Region) -> Result<(), ImageError> {
        check_region(region, info.width.div_ceil(ratio), info.height.div_ceil(ratio))
    }

    /// Whether the pixels of a region that was decoded are surely those that the whole image has there, and the whole image is no
    /// error: all of it is there, up to its end mark, with the restarts it announces. Reads the bytes once, at memory speed.
    pub fn is_sound(&self, bytes: &[u8]) -> bool {
        Soundness::of(bytes).is_sound()
    }

    /// Whether the file is long enough for what its header says, down to the last row of a region of the image at 1 / `ratio` of its size:
    /// asked before memory is taken for the pixels. Of an image that is decoded all at once it is about all rows.
    ///
    /// # Errors
    /// If it is not. A sequential image may lack some of its pixels, which are gray then, as libjpeg-turbo has it: it is refused if it lacks
    /// most of more than 4 million.
    pub fn check_length(
        &self,
        bytes: &[u8],
        info: &ImageInfo,
        ratio: u32,
        region: Region,
    ) -> Result<(), ImageError> {
        let mut needed = least_bytes(bytes);
        if is_in_one_scan(bytes) && info.channels != Some(4) {
            let end_row = region.y.saturating_add(region.height).saturating_mul(ratio).min(info.height);
            if u64::from(end_row) * u64::from(info.width) <= SMALL_PIXELS {
                return Ok(());
            }
            needed = needed * u64::from(end_row) / u64::from(info.height.max(1));
        }
        if needed <= bytes.len() as u64 { Ok(()) } else { Err(too_short(bytes, info, needed)) }
    }

    /// Bytes of memory that a region takes to decode, with all that is worked with: known from the header. Of a progressive image, and of
    /// others that our own decoder does not take, all coefficients and pixels are held at once.
    pub fn bytes_to_decode(
        &self,
        bytes: &[u8],
        info: &ImageInfo,
        region: Region,
        channels: JpegChannels,
    ) -> u64 {
        let area = |width: u32, height: u32| u64::from(width) * u64::from(height);
        let part = area(region.width, region.height) * channels.count(info) as u64;
        if is_in_one_scan(bytes) {
            return part;
        }
        // The pixels, which are then cropped; and for each sample two bytes of its coefficient and one on the way to its pixel.
        let stored = u64::from(info.channels.unwrap_or(3));
        part + area(info.width, info.height) * (channels.count(info) as u64 + 3 * stored)
    }

    /// Decodes the whole image.
    pub fn decode(&mut self, bytes: &[u8], channels: JpegChannels) -> Result<Pixels, ImageError> {
        let info = self.info(bytes)?;
        self.decode_to_pixels(bytes, &info, Region::whole(&info), channels)
    }

    /// Decodes a part of the image: the same pixels as the whole decoded and then cropped.
    ///
    /// What lies below the region is not looked at; damage there is no error.
    pub fn decode_region(
        &mut self,
        bytes: &[u8],
        region: Region,
        channels: JpegChannels,
    ) -> Result<Pixels, ImageError> {
        let info = self.info(bytes)?;
        self.decode_to_pixels(bytes, &info, region, channels)
    }

    /// Decodes the whole image at a half, a quarter or an eighth of its size (`ratio` 2, 4 or 8), sides rounded up: the pixels
    /// of libjpeg-turbo's scaled transforms.
    pub fn decode_scaled(
        &mut self,
        bytes: &[u8],
        ratio: u32,
        channels: JpegChannels,
    ) -> Result<Pixels, ImageError> {
        let info = self.info(bytes)?;
        let num_channels = channels.count(&info);
        let whole =
            Region { x: 0, y: 0, width: info.width.div_ceil(ratio), height: info.height.div_ceil(ratio) };
        self.check_length(bytes, &info, ratio, whole)?;
        let mut data = vec![0; whole.width as usize * whole.height as usize * num_channels];
        self.decode_scaled_region_into(bytes, &info, ratio, whole, channels, &mut data)?;
        Ok(Pixels { width: whole.width, height: whole.height, channels: num_channels as u8, data })
    }

    fn decode_to_pixels(
        &mut self,
        bytes: &[u8],
        info: &ImageInfo,
        region: Region,
        channels: JpegChannels,
    ) -> Result<Pixels, ImageError> {
        self.check_region(info, 1, region)?;
        self.check_length(bytes, info, 1, region)?;
        let num_channels = channels.count(info);
        let mut data = vec![0; region.width as usize * region.height as usize * num_channels];
        self.decode_region_into(bytes, info, region, channels, &mut data)?;
        Ok(Pixels { width: region.width, height: region.height, channels: num_channels as u8, data })
    }

    /// As [`decode_region`](Self::decode_region), into the caller's memory: exactly height × width × channels bytes of
    /// the region. `info` must be what [`info`](Self::info) said of the same bytes. Of sequential images it allocates nothing, once the
    /// decoder has seen one of the same size. After an error the content of `out` is void.
    pub fn decode_region_into(
        &mut self,
        bytes: &[u8],
        info: &ImageInfo,
        region: Region,
        channels: JpegChannels,
        out: &mut [u8],
    ) -> Result<(), ImageError> {
        self.decode_scaled_region_into(bytes, info, 1, region, channels, out)
    }

    /// As [`decode_region_into`](Self::decode_region_into), of the image at a part of its size: what
    /// [`decode_scaled`](Self::decode_scaled) gives, cropped.
    pub fn decode_scaled_region_into(
        &mut self,
        bytes: &[u8],
        info: &ImageInfo,
        ratio: u32,
        region: Region,
        channels: JpegChannels,
        out: &mut [u8],
    ) -> Result<(), ImageError> {
        if ![1, 2, 4, 8].contains(&ratio) {
            let message = format!("the ratio is {ratio}, expected 1, 2, 4 or 8");
            return Err(ImageError::new(ImageErrorKind::Argument, Some(FORMAT), None, message));
        }
        let (width, height) = (info.width.div_ceil(ratio), info.height.div_ceil(ratio));
        check_region(region, width, height)?;
        let num_channels = channels.count(info);
        let needed = region.width as usize * region.height as usize * num_channels;
        if out.len() != needed {
            let message = format!("the place for the pixels has {} bytes, expected {needed}", out.len());
            return Err(ImageError::new(ImageErrorKind::Argument, Some(FORMAT), None, message));
        }
        let wanted = Wanted { region, num_channels, ratio: ratio as usize, takes_damage: false };
        match self.baseline.decode_fast(bytes, wanted, out) {
            Ok(()) => return Ok(()),
            Err(Refused::Damaged { offset, has_restarts }) => {
                let Soundness { is_complete, restarts, .. } = Soundness::of(bytes);
                if has_restarts {
                    restarts?;
                }
                if !is_complete {
                    let message = "the data ends before the last row of pixels";
                    return Err(ImageError::truncated(FORMAT, offset, message));
                }
                return self.decode_damaged(bytes, wanted, offset, out);
            }
            Err(Refused::Unusual) => {}
        }
        self.check_length(bytes, info, ratio, region)?;
        let joined = in_one_scan(bytes);
        if joined.as_ref().is_some_and(|bytes| self.baseline.decode_fast(bytes, wanted, out).is_ok()) {
            return Ok(());
        }
        // What is unusual otherwise, too (brightness in a size we do not have), goes to the library in one scan: several components in one of
        // several scans it refuses.
        let bytes = joined.as_deref().unwrap_or(bytes);
        if (region.width, region.height) == (width, height) {
            return self.decode_whole(bytes, info, channels, ratio, out);
        }
        let mut whole = std::mem::take(&mut self.whole);
        whole.resize(width as usize * height as usize * num_channels, 0);
        self.decode_whole(bytes, info, channels, ratio, &mut whole)?;
        self.whole = whole;
        let (row_len, part_len) = (width as usize * num_channels, region.width as usize * num_channels);
        let rows = self.whole.chunks_exact(row_len).skip(region.y as usize);
        for (to, from) in out.chunks_exact_mut(part_len).zip(rows) {
            to.copy_from_slice(&from[region.x as usize * num_channels..][..part_len]);
        }
        if self.whole.capacity() > MAX_KEPT_BYTES {
            self.whole = Vec::new();
        }
        Ok(())
    }

    /// Decodes an image that can only be decoded as a whole.
    fn decode_whole(
        &mut self,
        bytes: &[u8],
        info: &ImageInfo,
        channels: JpegChannels,
        ratio: u32,
        out: &mut [u8],
    ) -> Result<(), ImageError> {
        let size = (info.width.div_ceil(ratio) as usize, info.height.div_ceil(ratio) as usize);
        if info.channels == Some(4)
            && channels != JpegChannels::Gray
            && inks::decode(&mut self.baseline, bytes, size, ratio as usize, out).is_some()
        {
            return Ok(());
        }
        library::decode(bytes, info, channels, ratio, out)
    }

    /// Decodes an image whose bits make no sense from `offset` on, as libjpeg does.
    #[cold]
    fn decode_damaged(
        &mut self,
        bytes: &[u8],
        wanted: Wanted,
        offset: usize,
        out: &mut [u8],
    ) -> Result<(), ImageError> {
        let wanted = Wanted { takes_damage: true, ..wanted };
        let decoded = self.baseline.decode_fast(bytes, wanted, out);
        decoded.map_err(|_| ImageError::corrupt(FORMAT, offset, "the bits of the pixels make no sense"))
    }
}

/// Whether a region lies within an image of that size.
fn check_region(region: Region, image_width: u32, image_height: u32) -> Result<(), ImageError> {
    if region.is_within(image_width, image_height) {
        return Ok(());
    }
    let Region { x, y, width, height } = region;
    let message = format!(
        "the region is {width} x {height} at column {x}, row {y}, expected one within {image_width} x {image_height}"
    );
    Err(ImageError::new(ImageErrorKind::Argument, Some(FORMAT), None, message))
}
