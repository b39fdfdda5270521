//! Pixels from the bytes of images.

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_image::{
    DecodedImage, ImageFormat, ImageInfo, JpegChannels, JpegDecoder, Region, Samples, decode_bmp as bmp,
    decode_gif as gif, decode_png as png, decode_webp as webp, probe,
};

use super::super::elementwise::like;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::room::Room;
use super::{Failure, bytes_of, each_row};

/// The argument `channels` of a call.
pub(in super::super) fn jpeg_channels(channels: i64) -> JpegChannels {
    JpegChannels::from_number(channels as u64).expect("the plan checked the number of channels")
}

pub(in super::super) fn decode_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels");
    let ratio = arguments.call.int("ratio") as u32;
    let limit_bytes = arguments.allowance.limit_bytes();
    decode(arguments, |decoder, _, bytes, values| {
        let info = probe(bytes)?;
        if info.format != ImageFormat::Jpeg {
            let image = still_in_bytes(bytes, &info, channels, limit_bytes)?;
            let Samples::Bytes(pixels) = image.samples else { unreachable!("bytes were asked for") };
            values.extend_from_slice(&pixels);
            return Ok(vec![image.height, image.width, image.channels]);
        }
        let (width, height) = (info.width.div_ceil(ratio), info.height.div_ceil(ratio));
        let region = Region { x: 0, y: 0, width, height };
        decode_region(decoder, bytes, ratio, region, jpeg_channels(channels), limit_bytes, values)
    })
}

pub(in super::super) fn decode_and_crop_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = jpeg_channels(arguments.call.int("channels"));
    let ratio = arguments.call.int("ratio") as u32;
    let limit_bytes = arguments.allowance.limit_bytes();
    let windows = RowsOf::new(arguments.inputs[1]);
    decode(arguments, |decoder, row, bytes, values| {
        let window = integers(&windows, row);
        let [y, x, height, width] = window[..] else {
            return Err(format!("crop_window has {} numbers, expected 4", window.len()).into());
        };
        let number = |value: i64| {
            u32::try_from(value).map_err(|_| {
                Failure::from(format!("crop_window is {window:?}, which is no part of an image"))
            })
        };
        let region = Region { x: number(x)?, y: number(y)?, width: number(width)?, height: number(height)? };
        decode_region(decoder, bytes, ratio, region, channels, limit_bytes, values)
    })
}

/// Decodes a part of the image at 1 / `ratio` of its size.
fn decode_region(
    decoder: &mut JpegDecoder,
    bytes: &[u8],
    ratio: u32,
    region: Region,
    channels: JpegChannels,
    limit_bytes: Option<u64>,
    values: &mut Vec<u8>,
) -> Result<Vec<usize>, Failure> {
    let info = decoder.info(bytes)?;
    let shape = vec![region.height as usize, region.width as usize, channels.count(&info)];
    // The window is held against the image, and its size against the budget, before memory is taken for it.
    decoder.check_region(&info, ratio, region)?;
    let needed = decoder.bytes_to_decode(bytes, &info, region, channels);
    Failure::if_too_large(needed, limit_bytes)?;
    decoder.check_length(bytes, &info)?;
    let own: usize = shape.iter().product();
    let _room = Room::of_decoding().take(needed - own as u64, limit_bytes);
    let begin = values.len();
    values.resize(begin + own, 0);
    decoder.decode_scaled_region_into(bytes, &info, ratio, region, channels, &mut values[begin..])?;
    Ok(shape)
}

/// What `row` decodes of each row, with a decoder that is kept.
fn decode(
    arguments: &mut Arguments<'_>,
    row: impl Fn(&mut JpegDecoder, usize, &[u8], &mut Vec<u8>) -> Result<Vec<usize>, Failure>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let mut decoder = arguments.scratch.take(JpegDecoder::new);
        let column =
            each_row(arguments, |index, values| row(&mut decoder, index, bytes_of(&source, index)?, values));
        arguments.scratch.put(decoder);
        vec![column]
    })
}

/// The integers of row `row`.
pub(super) fn integers(source: &RowsOf<'_>, row: usize) -> Vec<i64> {
    let range = source.range(row);
    match source.column().dtype() {
        DType::Int32 => {
            source.column().as_slice::<i32>()[range].iter().map(|&number| number.into()).collect()
        }
        _ => source.column().as_slice::<i64>()[range].to_vec(),
    }
}

pub(in super::super) fn decode_png(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels") as usize;
    let dtype = arguments.call.dtype("dtype");
    decode_whole(arguments, dtype, |bytes, info, limit_bytes| {
        Ok((still(bytes, info, channels, dtype == DType::UInt16, limit_bytes)?, false))
    })
}

pub(in super::super) fn decode_gif(arguments: &mut Arguments<'_>) -> Vec<Value> {
    decode_whole(arguments, DType::UInt8, |bytes, info, limit_bytes| {
        Ok((
            match info.format {
                ImageFormat::Gif => gif(bytes, usize::MAX)?,
                ImageFormat::WebP => webp(bytes, 3, usize::MAX)?,
                _ => still(bytes, info, 3, false, limit_bytes)?,
            },
            true,
        ))
    })
}

pub(in super::super) fn decode_bmp(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels") as usize;
    decode_whole(arguments, DType::UInt8, |bytes, info, _| {
        expect(info, ImageFormat::Bmp)?;
        Ok((bmp(bytes, channels)?, false))
    })
}

pub(in super::super) fn decode_webp(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels") as usize;
    decode_whole(arguments, DType::UInt8, |bytes, info, _| {
        expect(info, ImageFormat::WebP)?;
        Ok((webp(bytes, channels, usize::MAX)?, true))
    })
}

pub(in super::super) fn decode_image(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels") as usize;
    let dtype = arguments.call.dtype("dtype");
    let expands = arguments.call.flag("expand_animations");
    let is_wide = dtype != DType::UInt8;
    let max_frames = if expands { usize::MAX } else { 1 };
    decode_whole(arguments, dtype, |bytes, info, limit_bytes| {
        Ok(match info.format {
            ImageFormat::Bmp => (bmp(bytes, channels)?, false),
            ImageFormat::WebP if channels == 1 => return Err(unable(1, info)),
            ImageFormat::WebP => (webp(bytes, channels, max_frames)?, expands),
            ImageFormat::Gif if matches!(channels, 0 | 3) => (gif(bytes, max_frames)?, expands),
            _ => (still(bytes, info, channels, is_wide, limit_bytes)?, false),
        })
    })
}

fn unable(channels: usize, info: &ImageInfo) -> Failure {
    format!("{} has no {channels} channels", info.format).into()
}

/// The picture of a JPEG, a PNG, or a GIF that does not move: what TensorFlow's operations for any of the three take.
fn still(
    bytes: &[u8],
    info: &ImageInfo,
    channels: usize,
    is_wide: bool,
    limit_bytes: Option<u64>,
) -> Result<DecodedImage, Failure> {
    match info.format {
        ImageFormat::Jpeg => {
            let wanted = JpegChannels::from_number(channels as u64).ok_or_else(|| unable(channels, info))?;
            let mut decoder = JpegDecoder::new();
            let needed = decoder.bytes_to_decode(bytes, info, Region::whole(info), wanted);
            let own = u64::from(info.width) * u64::from(info.height) * wanted.count(info) as u64;
            Failure::if_too_large(needed, limit_bytes)?;
            decoder.check_length(bytes, info)?;
            let _room = Room::of_decoding().take(needed - own, limit_bytes);
            let pixels = decoder.decode(bytes, wanted)?;
            Ok(DecodedImage {
                frames: 1,
                height: pixels.height as usize,
                width: pixels.width as usize,
                channels: pixels.channels.into(),
                samples: Samples::Bytes(pixels.data),
            })
        }
        ImageFormat::Png => {
            let depth = if channels == 0 { info.channels.map_or(3, usize::from) } else { channels };
            let needed =
                u64::from(info.width) * u64::from(info.height) * (depth << usize::from(is_wide)) as u64;
            Failure::if_too_large(needed, limit_bytes)?;
            Ok(png(bytes, channels, is_wide)?)
        }
        ImageFormat::Gif if !matches!(channels, 0 | 3) => Err(unable(channels, info)),
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

/// As [`still`], of samples of a byte, unless they are more than there is memory for.
fn still_in_bytes(
    bytes: &[u8],
    info: &ImageInfo,
    channels: i64,
    limit_bytes: Option<u64>,
) -> Result<DecodedImage, Failure> {
    Failure::if_too_large(bytes_of_frame(info, channels, DType::UInt8), limit_bytes)?;
    still(bytes, info, channels as usize, false, limit_bytes)
}

/// The argument `channels` of a call, 0 where there is none.
fn asked_channels(arguments: &Arguments<'_>) -> i64 {
    let has_it = arguments.call.operation.attributes().any(|argument| argument.name == "channels");
    if has_it { arguments.call.int("channels") } else { 0 }
}

/// Bytes of one picture, as far as its header says.
fn bytes_of_frame(info: &ImageInfo, channels: i64, dtype: DType) -> u64 {
    let depth = if channels == 0 { info.channels.map_or(3, u64::from) } else { channels as u64 };
    u64::from(info.width) * u64::from(info.height) * depth * dtype.width().unwrap_or(1) as u64
}

fn expect(info: &ImageInfo, format: ImageFormat) -> Result<(), Failure> {
    if info.format == format {
        return Ok(());
    }
    Err(Failure::Data {
        message: format!("found {}, expected {format}", info.format),
        hint: Some("decode_image takes any format".to_owned()),
    })
}

/// What `image` decodes of each row, and whether its frames are a dimension.
fn decode_whole(
    arguments: &mut Arguments<'_>,
    dtype: DType,
    image: impl Fn(&[u8], &ImageInfo, Option<u64>) -> Result<(DecodedImage, bool), Failure>,
) -> Vec<Value> {
    let shape_of = |image: &DecodedImage, has_frames: bool| {
        let shape = [image.frames, image.height, image.width, image.channels];
        shape[usize::from(!has_frames)..].to_vec()
    };
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let (channels, limit_bytes) = (asked_channels(arguments), arguments.allowance.limit_bytes());
        let decoded = |row: usize| {
            let bytes = bytes_of(&source, row)?;
            let info = probe(bytes)?;
            Failure::if_too_large(bytes_of_frame(&info, channels, dtype), limit_bytes)?;
            image(bytes, &info, limit_bytes)
        };
        let column: Column = match dtype {
            DType::UInt8 => each_row(arguments, |row, values| {
                let (image, has_frames) = decoded(row)?;
                let shape = shape_of(&image, has_frames);
                match image.samples {
                    Samples::Bytes(bytes) => values.extend_from_slice(&bytes),
                    Samples::Words(words) => values.extend(words.iter().map(|word| (word >> 8) as u8)),
                }
                Ok(shape)
            }),
            DType::UInt16 => each_row(arguments, |row, values| {
                let (image, has_frames) = decoded(row)?;
                let shape = shape_of(&image, has_frames);
                match image.samples {
                    // Not 257 times: TensorFlow's, of all formats but PNG, whose decoder gives words itself.
                    Samples::Bytes(bytes) => values.extend(bytes.iter().map(|&byte| u16::from(byte) << 8)),
                    Samples::Words(words) => values.extend_from_slice(&words),
                }
                Ok(shape)
            }),
            _ => each_row(arguments, |row, values| {
                let (image, has_frames) = decoded(row)?;
                let shape = shape_of(&image, has_frames);
                match image.samples {
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

pub(in super::super) fn extract_jpeg_shape(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let dtype = arguments.call.dtype("output_type");
    each_shape(arguments, dtype, |bytes| {
        // Any size: nothing is decoded, and a filter by it is how images that are too large are dropped.
        let info = JpegDecoder::new().with_max_pixels(u64::MAX).info(bytes)?;
        Ok([info.height as usize, info.width as usize, info.channels.unwrap_or(3).into()])
    })
}

/// The shape of what `decode_jpeg` would give.
pub(in super::super) fn decoded_jpeg_shape(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (channels, ratio) = (arguments.call.int("channels"), arguments.call.int("ratio") as u32);
    let (dtype, limit_bytes) = (arguments.call.dtype("out_type"), arguments.allowance.limit_bytes());
    each_shape(arguments, dtype, |bytes| {
        let info = probe(bytes)?;
        if info.format == ImageFormat::Jpeg {
            let side = |side: u32| side.div_ceil(ratio) as usize;
            return Ok([side(info.height), side(info.width), jpeg_channels(channels).count(&info)]);
        }
        let image = still_in_bytes(bytes, &info, channels, limit_bytes)?;
        Ok([image.height, image.width, image.channels])
    })
}

/// What `shape_of` says of the bytes of each row, as integers of that type.
fn each_shape(
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

pub(in super::super) fn is_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let strings = source.column().strings().expect("the plan lets only strings come here");
        let is_jpeg = |index: usize| strings.get(index).starts_with(&[0xff, 0xd8, 0xff]).into();
        let answers: Vec<u8> = (0..strings.len()).map(is_jpeg).collect();
        vec![like(source.column(), Column::from_bools(vec![], answers.len(), answers))]
    })
}
