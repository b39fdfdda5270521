//! Pixels from the bytes of images.

use std::cell::RefCell;

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_image::{
    DecodedImage, ImageFormat, ImageInfo, JpegChannels, JpegDecoder, Region, Samples, bytes_to_decode,
    check_length, decode_gif as gif, decode_png as png, num_frames, probe,
};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::room::Room;
use super::{Failure, bytes_of, each_row, each_row_asked};

/// The argument `channels` of a call.
pub(in super::super) fn jpeg_channels(channels: i64) -> JpegChannels {
    JpegChannels::from_number(channels as u64).expect("the plan checked the number of channels")
}

/// What is to be decoded of one row.
pub(super) enum Begun<'a> {
    Jpeg(JpegPart<'a>),
    /// What `decode_jpeg` takes besides.
    Other(Whole<'a>),
}

/// A part of a JPEG at 1 / `ratio` of its size.
pub(super) struct JpegPart<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) info: ImageInfo,
    pub(super) ratio: u32,
    pub(super) region: Region,
    pub(super) channels: JpegChannels,
    pub(super) limit_bytes: Option<u64>,
}

impl JpegPart<'_> {
    /// Holds the window against the image, and what it takes against the budget and the length of the file: before memory is taken for it.
    pub(super) fn check(&self, decoder: &JpegDecoder) -> Result<(), Failure> {
        decoder.check_region(&self.info, self.ratio, self.region)?;
        Failure::if_too_large(self.bytes_to_decode(decoder), self.limit_bytes)?;
        Ok(decoder.check_length(self.bytes, &self.info, self.ratio, self.region)?)
    }

    pub(super) fn bytes_to_decode(&self, decoder: &JpegDecoder) -> u64 {
        decoder.bytes_to_decode(self.bytes, &self.info, self.region, self.channels)
    }

    pub(super) fn shape(&self) -> [usize; 3] {
        [self.region.height as usize, self.region.width as usize, self.channels.count(&self.info)]
    }

    pub(super) fn len(&self) -> usize {
        self.shape().iter().product()
    }

    pub(super) fn decode(
        self,
        decoder: &mut JpegDecoder,
        values: &mut Vec<u8>,
    ) -> Result<Vec<usize>, Failure> {
        let beside = self.bytes_to_decode(decoder) - self.len() as u64;
        let _room = Room::of_decoding().take(beside, self.limit_bytes);
        let begin = values.len();
        values.resize(begin + self.len(), 0);
        let shape = self.shape().to_vec();
        let Self { bytes, info, ratio, region, channels, .. } = self;
        decoder.decode_scaled_region_into(bytes, &info, ratio, region, channels, &mut values[begin..])?;
        Ok(shape)
    }
}

/// What `row` finds to decode of each row, with a decoder that is kept.
pub(super) fn decode(
    arguments: &mut Arguments<'_>,
    row: impl for<'a> Fn(&JpegDecoder, usize, &'a [u8]) -> Result<Begun<'a>, Failure>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        // Both halves of a row have it, one behind the other.
        let decoder = RefCell::new(arguments.scratch.take(JpegDecoder::new));
        let begin = |index: usize| {
            let begun = row(&decoder.borrow(), index, bytes_of(&source, index)?)?;
            let num_values = match &begun {
                Begun::Jpeg(part) => part.len(),
                Begun::Other(whole) => whole.num_values(),
            };
            Ok((begun, num_values))
        };
        let column = each_row_asked(arguments, begin, |begun, values| match begun {
            Begun::Jpeg(part) => part.decode(&mut decoder.borrow_mut(), values),
            Begun::Other(whole) => {
                let image = whole.decode(|whole| still(whole, false))?;
                let Samples::Bytes(pixels) = image.samples else { unreachable!("bytes were asked for") };
                values.extend_from_slice(&pixels);
                Ok(vec![image.height, image.width, image.channels])
            }
        });
        arguments.scratch.put(decoder.into_inner());
        vec![column]
    })
}

/// The integers of row `row`.
pub(super) fn integers(source: &RowsOf<'_>, row: usize) -> Vec<i64> {
    each_integer(source, row).collect()
}

/// The integers of row `row`, one by one.
pub(super) fn each_integer<'a>(source: &RowsOf<'a>, row: usize) -> impl Iterator<Item = i64> + 'a {
    let (column, range) = (source.column(), source.range(row));
    let (narrow, wide): (&[i32], &[i64]) = match column.dtype() {
        DType::Int32 => (&column.as_slice()[range], &[]),
        _ => (&[], &column.as_slice()[range]),
    };
    narrow.iter().map(|&number| number.into()).chain(wide.iter().copied())
}

/// An image that is decoded as a whole.
pub(super) struct Whole<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) info: ImageInfo,
    /// As many as are asked for; 0 for as many as it has.
    pub(super) channels: usize,
    /// Pictures of it that are decoded.
    pub(super) frames: usize,
    /// What is held while it is decoded, beside the values that are made of it.
    pub(super) held_bytes: u64,
    pub(super) limit_bytes: Option<u64>,
}

impl<'a> Whole<'a> {
    /// At most `max_frames` pictures of an image, as values of a type: refused if that is more than there is memory for, or than its bytes can
    /// hold.
    pub(super) fn begin(
        bytes: &'a [u8],
        info: ImageInfo,
        channels: i64,
        dtype: DType,
        max_frames: usize,
        limit_bytes: Option<u64>,
    ) -> Result<Whole<'a>, Failure> {
        let frames = num_frames(bytes, &info).min(max_frames);
        let mut whole =
            Whole { bytes, info, channels: channels as usize, frames, held_bytes: 0, limit_bytes };
        whole.held_bytes = whole.bytes_to_decode(dtype != DType::UInt8);
        let own = whole.num_values() as u64 * dtype.width().unwrap_or(1) as u64;
        // What it comes to first: of what is larger than all memory nobody asks whether it is cut short, too.
        Failure::if_too_large(own, limit_bytes)?;
        match JpegChannels::from_number(channels as u64) {
            Some(_) if info.format == ImageFormat::Jpeg => {
                JpegDecoder::new().check_length(bytes, &info, 1, Region::whole(&info))?;
            }
            _ => check_length(bytes, &info)?,
        }
        Failure::if_too_large(own.saturating_add(whole.held_bytes), limit_bytes)?;
        Ok(whole)
    }

    pub(super) fn bytes_to_decode(&self, is_wide: bool) -> u64 {
        let Self { bytes, info, channels, frames, .. } = self;
        match JpegChannels::from_number(*channels as u64) {
            Some(wanted) if info.format == ImageFormat::Jpeg => {
                JpegDecoder::new().bytes_to_decode(bytes, info, Region::whole(info), wanted)
            }
            _ => bytes_to_decode(bytes, info, *channels, is_wide, *frames),
        }
    }

    /// Values of all pictures, as far as the header says.
    pub(super) fn num_values(&self) -> usize {
        let channels = match self.channels {
            0 => self.info.channels.map_or(3, usize::from),
            asked => asked,
        };
        let sides = [self.info.width as usize, self.info.height as usize, channels];
        sides.iter().fold(self.frames, |values, &side| values.saturating_mul(side))
    }

    /// What `image` makes of it, while there is room for what that takes.
    pub(super) fn decode(
        self,
        image: impl FnOnce(&Self) -> Result<DecodedImage, Failure>,
    ) -> Result<DecodedImage, Failure> {
        let _room = Room::of_decoding().take(self.held_bytes, self.limit_bytes);
        image(&self)
    }
}

pub(super) fn unable(channels: usize, info: &ImageInfo) -> Failure {
    format!("{} has no {channels} channels", info.format).into()
}

/// The picture of a JPEG, a PNG, or a GIF that does not move: what TensorFlow's operations for any of the three take.
pub(super) fn still(whole: &Whole<'_>, is_wide: bool) -> Result<DecodedImage, Failure> {
    let Whole { bytes, info, channels, .. } = *whole;
    match info.format {
        ImageFormat::Jpeg => {
            let wanted = JpegChannels::from_number(channels as u64).ok_or_else(|| unable(channels, &info))?;
            let pixels = JpegDecoder::new().decode(bytes, wanted)?;
            Ok(DecodedImage {
                frames: 1,
                height: pixels.height as usize,
                width: pixels.width as usize,
                channels: pixels.channels.into(),
                samples: Samples::Bytes(pixels.data),
            })
        }
        ImageFormat::Png => Ok(png(bytes, channels, is_wide)?),
        ImageFormat::Gif if !matches!(channels, 0 | 3) => Err(unable(channels, &info)),
        ImageFormat::Gif => match gif(bytes, 2)? {
            image if image.frames == 1 => Ok(image),
            _ => Err(Failure::Data {
                message: "found a GIF of several frames, expected one".to_owned(),
                hint: Some("decode_gif and decode_image take all of them".to_owned()),
            }),
        },
        found => Err(Failure::Data {
            message: format!("found {found}, expected JPEG, PNG or GIF"),
            hint: Some("decode_image takes any format".to_owned()),
        }),
    }
}

/// The argument `channels` of a call; of `decode_gif`, which has none, what it always gives.
fn asked_channels(arguments: &Arguments<'_>) -> i64 {
    let has_it = arguments.call.operation.attributes().any(|argument| argument.name == "channels");
    if has_it { arguments.call.int("channels") } else { 3 }
}

pub(super) fn expect(info: &ImageInfo, format: ImageFormat) -> Result<(), Failure> {
    if info.format == format {
        return Ok(());
    }
    Err(Failure::Data {
        message: format!("found {}, expected {format}", info.format),
        hint: Some("decode_image takes any format".to_owned()),
    })
}

/// What `image` decodes of each row, at most `max_frames` pictures, and whether these are a dimension.
pub(super) fn decode_whole(
    arguments: &mut Arguments<'_>,
    dtype: DType,
    max_frames: usize,
    image: impl Fn(&Whole<'_>) -> Result<(DecodedImage, bool), Failure>,
) -> Vec<Value> {
    let decoded = |whole: Whole<'_>| {
        let mut has_frames = false;
        let image = whole.decode(|whole| {
            let (image, is_moving) = image(whole)?;
            has_frames = is_moving;
            Ok(image)
        })?;
        let shape = [image.frames, image.height, image.width, image.channels];
        Ok::<_, Failure>((image.samples, shape[usize::from(!has_frames)..].to_vec()))
    };
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let (channels, limit_bytes) = (asked_channels(arguments), arguments.allowance.limit_bytes());
        let begin = |row: usize| {
            let bytes = bytes_of(&source, row)?;
            let whole = Whole::begin(bytes, probe(bytes)?, channels, dtype, max_frames, limit_bytes)?;
            let num_values = whole.num_values();
            Ok((whole, num_values))
        };
        let column: Column = match dtype {
            DType::UInt8 => each_row_asked(arguments, begin, |whole, values| {
                let (samples, shape) = decoded(whole)?;
                match samples {
                    Samples::Bytes(bytes) => values.extend_from_slice(&bytes),
                    Samples::Words(words) => values.extend(words.iter().map(|word| (word >> 8) as u8)),
                }
                Ok(shape)
            }),
            DType::UInt16 => each_row_asked(arguments, begin, |whole, values| {
                let (samples, shape) = decoded(whole)?;
                match samples {
                    // Not 257 times: TensorFlow's, of all formats but PNG, whose decoder gives words itself.
                    Samples::Bytes(bytes) => values.extend(bytes.iter().map(|&byte| u16::from(byte) << 8)),
                    Samples::Words(words) => values.extend_from_slice(&words),
                }
                Ok(shape)
            }),
            _ => each_row_asked(arguments, begin, |whole, values| {
                let (samples, shape) = decoded(whole)?;
                match samples {
                    Samples::Bytes(bytes) => {
                        values.extend(bytes.iter().map(|&byte| f32::from(byte) * (1.0 / 255.0)));
                    }
                    Samples::Words(words) => {
                        values.extend(words.iter().map(|&word| f32::from(word) * (1.0 / 65535.0)));
                    }
                }
                Ok(shape)
            }),
        };
        vec![column]
    })
}

/// What `shape_of` says of the bytes of each row, as integers of that type.
pub(super) fn each_shape(
    arguments: &mut Arguments<'_>,
    dtype: DType,
    shape_of: impl Fn(&[u8]) -> Result<[usize; 3], Failure>,
) -> Vec<Value> {
    let is_long = dtype == DType::Int64;
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        vec![if is_long {
            each_row(arguments, |row, values| {
                values.extend(shape_of(bytes_of(&source, row)?)?.map(|size| size as i64));
                Ok(vec![3])
            })
        } else {
            each_row(arguments, |row, values| {
                values.extend(shape_of(bytes_of(&source, row)?)?.map(|size| size as i32));
                Ok(vec![3])
            })
        }]
    })
}
