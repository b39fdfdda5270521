//! JPEGs changed on their way: made ready for crops, smaller, or at another quality.

use feedline_image::{
    Filter, ImageError, ImageFormat, JpegChannels, JpegDecoder, JpegOptions, Raster, Resampler, Target,
    encode_jpeg, exif_orientation, probe, with_exif_orientation, with_restarts,
};
use serde::{Deserialize, Serialize};

/// What is done to the JPEGs that are converted. Images of other formats stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageChange {
    /// A restart marker in front of every row of blocks, so that what a crop costs goes by its size. Nothing is lost: any decoder gives
    /// the same pixels. What cannot be written again without loss (arithmetic coding, damage) stays as it is.
    pub restarts: bool,
    /// The longer side at most, in pixels; larger images are scaled down and written anew, without their metadata, but for the
    /// orientation.
    pub max_side: Option<u32>,
    /// The quality of images that are written anew, 1 to 100; 90 if not given. Without `max_side` all are.
    pub quality: Option<u8>,
}

/// What FFCV's users write at, too.
const DEFAULT_QUALITY: u8 = 90;

impl ImageChange {
    /// Whether anything is done at all.
    pub(super) fn is_none(&self) -> bool {
        *self == ImageChange::default()
    }

    /// The image as it is to be written; `None`: as it is.
    pub(super) fn apply(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, ImageError> {
        if self.is_none() || !bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            return Ok(None);
        }
        let anew = self.write_anew(bytes)?;
        if !self.restarts {
            return Ok(anew);
        }
        let with_restarts = with_restarts(anew.as_deref().unwrap_or(bytes)).ok();
        Ok(with_restarts.or(anew))
    }

    /// The image at another size or quality, if either is asked for.
    fn write_anew(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, ImageError> {
        let info = probe(bytes)?;
        debug_assert_eq!(info.format, ImageFormat::Jpeg);
        let longer = info.width.max(info.height);
        let is_too_large = self.max_side.is_some_and(|max_side| longer > max_side);
        if !is_too_large && (self.max_side.is_some() || self.quality.is_none()) {
            return Ok(None);
        }
        let image = JpegDecoder::new().decode(bytes, JpegChannels::AsStored)?;
        let channels = usize::from(image.channels);
        let (mut height, mut width) = (image.height as usize, image.width as usize);
        let mut pixels = image.data;
        if let Some(max_side) = self.max_side.filter(|_| is_too_large) {
            let scaled = |side: usize| {
                (side as f64 * f64::from(max_side) / f64::from(longer)).round().max(1.0) as usize
            };
            let target = Target::new(scaled(height), scaled(width), Filter::Area);
            let mut smaller = Vec::with_capacity(target.height * target.width * channels);
            Resampler::default().run(&Raster::new(&pixels, height, width, channels), &target, |row| {
                smaller.extend(row.iter().map(|&value| value.round().clamp(0.0, 255.0) as u8));
            });
            (height, width, pixels) = (target.height, target.width, smaller);
        }
        let quality = self.quality.unwrap_or(DEFAULT_QUALITY);
        let anew = encode_jpeg(&pixels, height, width, channels, &JpegOptions::of_quality(quality))?;
        // Pixels lie as they lay, so how the camera was held is said again.
        Ok(Some(match exif_orientation(bytes) {
            1 => anew,
            orientation => with_exif_orientation(&anew, orientation),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn photo(height: usize, width: usize) -> Vec<u8> {
        let pixels: Vec<u8> = (0..height * width * 3).map(|at| (at * 7 / width % 251) as u8).collect();
        encode_jpeg(&pixels, height, width, 3, &JpegOptions::of_quality(95)).expect("an image")
    }

    fn size_of(bytes: &[u8]) -> (u32, u32) {
        let info = probe(bytes).expect("an image");
        (info.height, info.width)
    }

    #[test]
    fn larger_images_become_smaller_and_others_stay() {
        let change = ImageChange { max_side: Some(100), ..ImageChange::default() };
        let small = change.apply(&photo(200, 300)).expect("changed").expect("too large");
        assert_eq!(size_of(&small), (67, 100));
        assert_eq!(change.apply(&photo(100, 60)).expect("nothing to do"), None);
        assert_eq!(size_of(&change.apply(&photo(3, 1000)).expect("changed").expect("too large")), (1, 100));
        assert_eq!(change.apply(b"\x89PNG\r\n\x1a\n").expect("no JPEG"), None);
        assert!(change.apply(&photo(200, 300)[..4000]).is_err());
    }

    #[test]
    fn how_the_camera_was_held_stays() {
        let turned = with_exif_orientation(&photo(200, 300), 6);
        assert_eq!(exif_orientation(&turned), 6);
        for change in [
            ImageChange { max_side: Some(100), restarts: true, ..ImageChange::default() },
            ImageChange { quality: Some(50), ..ImageChange::default() },
        ] {
            let written = change.apply(&turned).expect("changed").expect("anew");
            assert_eq!(exif_orientation(&written), 6);
            assert!(JpegDecoder::new().decode(&written, JpegChannels::Rgb).is_ok());
        }
    }

    #[test]
    fn a_quality_alone_writes_all_anew_and_restarts_lose_nothing() {
        let image = photo(64, 80);
        let coarse = ImageChange { quality: Some(20), ..ImageChange::default() };
        assert!(coarse.apply(&image).expect("changed").expect("anew").len() < image.len());
        let restarts = ImageChange { restarts: true, ..ImageChange::default() };
        let ready = restarts.apply(&image).expect("changed").expect("with restarts");
        let pixels = |bytes: &[u8]| JpegDecoder::new().decode(bytes, JpegChannels::Rgb).expect("an image");
        assert!(ready != image && pixels(&ready) == pixels(&image));
        let both = ImageChange { max_side: Some(40), quality: Some(80), restarts: true };
        let both = both.apply(&image).expect("changed").expect("too large");
        assert!(size_of(&both) == (32, 40) && both.windows(2).any(|pair| pair == [0xff, 0xd0]));
    }
}
