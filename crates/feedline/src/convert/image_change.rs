//! JPEGs changed on their way: made ready for crops, smaller, or at another quality.

use std::collections::BTreeMap;

use feedline_image::{
    Filter, ImageError, ImageErrorKind, ImageFormat, JpegChannels, JpegDecoder, JpegOptions, Raster,
    Resampler, Target, encode_jpeg, exif_orientation, probe, with_exif_orientation, with_restarts,
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

/// What became of the images, where they are changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageCounts {
    /// Images that were written anew, or again with restart markers.
    pub rewritten: u64,
    /// Images that passed as they are, by the reason: of another format, damaged, small enough.
    pub left: BTreeMap<String, u64>,
}

impl ImageCounts {
    /// Whether there was no image.
    pub(super) fn is_empty(&self) -> bool {
        *self == ImageCounts::default()
    }

    pub(super) fn add(&mut self, other: &ImageCounts) {
        self.rewritten += other.rewritten;
        for (reason, count) in &other.left {
            *self.left.entry(reason.clone()).or_default() += count;
        }
    }

    fn leave(&mut self, reason: String) {
        *self.left.entry(reason).or_default() += 1;
    }
}

/// Why a JPEG cannot be written again, in words that many have in common.
fn reason_of(error: &ImageError) -> &'static str {
    match error.kind() {
        ImageErrorKind::Truncated => "cut short",
        ImageErrorKind::Unsupported => "of a kind that is not written again",
        ImageErrorKind::TooManyPixels => "too large",
        _ => "damaged",
    }
}

/// What FFCV's users write at, too.
const DEFAULT_QUALITY: u8 = 90;

impl ImageChange {
    /// Whether anything is done at all.
    pub(super) fn is_none(&self) -> bool {
        *self == ImageChange::default()
    }

    /// The image as it is to be written; `None`: as it is. What is no image is not counted.
    pub(super) fn apply(
        &self,
        bytes: &[u8],
        counts: &mut ImageCounts,
    ) -> Result<Option<Vec<u8>>, ImageError> {
        if self.is_none() {
            return Ok(None);
        }
        if !bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            if let Ok(info) = probe(bytes) {
                counts.leave(format!("of another format ({})", info.format));
            }
            return Ok(None);
        }
        let mut changed = self.write_anew(bytes)?;
        let mut reason = "small enough";
        if self.restarts {
            match with_restarts(changed.as_deref().unwrap_or(bytes)) {
                Ok(ready) => changed = Some(ready),
                Err(error) => reason = reason_of(&error),
            }
        }
        match changed {
            Some(_) => counts.rewritten += 1,
            None => counts.leave(reason.to_owned()),
        }
        Ok(changed)
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

    fn changed(change: ImageChange, bytes: &[u8]) -> Result<Option<Vec<u8>>, ImageError> {
        change.apply(bytes, &mut ImageCounts::default())
    }

    #[test]
    fn what_is_left_is_counted_by_its_reason() {
        let mut counts = ImageCounts::default();
        let restarts = ImageChange { restarts: true, ..ImageChange::default() };
        let image = photo(64, 80);
        let png = feedline_image::encode_png(&[7; 3], false, 1, 1, 3, None).expect("an image");
        // Another kind of frame: lossless coding, which nobody writes again.
        let mut lossless = image.clone();
        let frame = lossless.windows(2).position(|pair| pair == [0xff, 0xc0]).expect("a frame");
        lossless[frame + 1] = 0xc3;
        for bytes in [&image[..], &image, &image[..image.len() / 2], &png, &lossless, b"no image"] {
            restarts.apply(bytes, &mut counts).expect("it passes");
        }
        ImageChange { max_side: Some(100), ..ImageChange::default() }
            .apply(&image, &mut counts)
            .expect("it passes");
        let left = [
            ("cut short", 1),
            ("of a kind that is not written again", 1),
            ("of another format (PNG)", 1),
            ("small enough", 1),
        ];
        let left = left.map(|(reason, count)| (reason.to_owned(), count)).into();
        assert_eq!(counts, ImageCounts { rewritten: 2, left });
        let mut twice = counts.clone();
        twice.add(&counts);
        assert!(twice.rewritten == 4 && twice.left.values().all(|&count| count == 2));
    }

    #[test]
    fn larger_images_become_smaller_and_others_stay() {
        let change = ImageChange { max_side: Some(100), ..ImageChange::default() };
        let small = changed(change, &photo(200, 300)).expect("changed").expect("too large");
        assert_eq!(size_of(&small), (67, 100));
        assert_eq!(changed(change, &photo(100, 60)).expect("nothing to do"), None);
        assert_eq!(
            size_of(&changed(change, &photo(3, 1000)).expect("changed").expect("too large")),
            (1, 100)
        );
        assert_eq!(changed(change, b"\x89PNG\r\n\x1a\n").expect("no JPEG"), None);
        assert!(changed(change, &photo(200, 300)[..4000]).is_err());
    }

    #[test]
    fn how_the_camera_was_held_stays() {
        let turned = with_exif_orientation(&photo(200, 300), 6);
        assert_eq!(exif_orientation(&turned), 6);
        for change in [
            ImageChange { max_side: Some(100), restarts: true, ..ImageChange::default() },
            ImageChange { quality: Some(50), ..ImageChange::default() },
        ] {
            let written = changed(change, &turned).expect("changed").expect("anew");
            assert_eq!(exif_orientation(&written), 6);
            assert!(JpegDecoder::new().decode(&written, JpegChannels::Rgb).is_ok());
        }
    }

    #[test]
    fn a_quality_alone_writes_all_anew_and_restarts_lose_nothing() {
        let image = photo(64, 80);
        let coarse = ImageChange { quality: Some(20), ..ImageChange::default() };
        assert!(changed(coarse, &image).expect("changed").expect("anew").len() < image.len());
        let restarts = ImageChange { restarts: true, ..ImageChange::default() };
        let ready = changed(restarts, &image).expect("changed").expect("with restarts");
        let pixels = |bytes: &[u8]| JpegDecoder::new().decode(bytes, JpegChannels::Rgb).expect("an image");
        assert!(ready != image && pixels(&ready) == pixels(&image));
        let both = ImageChange { max_side: Some(40), quality: Some(80), restarts: true };
        let both = changed(both, &image).expect("changed").expect("too large");
        assert!(size_of(&both) == (32, 40) && both.windows(2).any(|pair| pair == [0xff, 0xd0]));
    }
}
