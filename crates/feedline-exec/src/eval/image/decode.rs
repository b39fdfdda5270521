//! Pixels from the bytes of images.

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_image::{
    DecodedImage, ImageFormat, JpegChannels, JpegDecoder, Region, Samples, decode_bmp as bmp,
    decode_gif as gif, decode_png as png, decode_webp as webp, probe,
};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::{Failure, bytes_of, each_row};

/// The argument `channels` of a call.
pub(in super::super) fn jpeg_channels(channels: i64) -> JpegChannels {
    JpegChannels::from_number(channels as u64).expect("the plan checked the number of channels")
}

pub(in super::super) fn decode_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = jpeg_channels(arguments.call.int("channels"));
    let ratio = arguments.call.int("ratio") as u32;
    decode(arguments, |decoder, _, bytes, values| {
        if ratio == 1 {
            let info = decoder.info(bytes)?;
            return decode_region(decoder, bytes, Region::whole(&info), channels, values);
        }
        let pixels = decoder.decode_scaled(bytes, ratio, channels)?;
        values.extend_from_slice(&pixels.data);
        Ok(vec![pixels.height as usize, pixels.width as usize, pixels.channels.into()])
    })
}

pub(in super::super) fn decode_and_crop_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = jpeg_channels(arguments.call.int("channels"));
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
        decode_region(decoder, bytes, region, channels, values)
    })
}

fn decode_region(
    decoder: &mut JpegDecoder,
    bytes: &[u8],
    region: Region,
    channels: JpegChannels,
    values: &mut Vec<u8>,
) -> Result<Vec<usize>, Failure> {
    let info = decoder.info(bytes)?;
    let shape = vec![region.height as usize, region.width as usize, channels.count(&info)];
    // The window is held against the image before memory is taken for it.
    decoder.check_region(&info, region)?;
    let begin = values.len();
    values.resize(begin + shape.iter().product::<usize>(), 0);
    decoder.decode_region_into(bytes, &info, region, channels, &mut values[begin..])?;
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
    decode_whole(arguments, dtype, |bytes| {
        expect(bytes, ImageFormat::Png)?;
        Ok((png(bytes, channels, dtype == DType::UInt16)?, false))
    })
}

pub(in super::super) fn decode_gif(arguments: &mut Arguments<'_>) -> Vec<Value> {
    decode_whole(arguments, DType::UInt8, |bytes| {
        expect(bytes, ImageFormat::Gif)?;
        Ok((gif(bytes, usize::MAX)?, true))
    })
}

pub(in super::super) fn decode_bmp(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels") as usize;
    decode_whole(arguments, DType::UInt8, |bytes| {
        expect(bytes, ImageFormat::Bmp)?;
        Ok((bmp(bytes, channels)?, false))
    })
}

pub(in super::super) fn decode_webp(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels") as usize;
    decode_whole(arguments, DType::UInt8, |bytes| {
        expect(bytes, ImageFormat::WebP)?;
        Ok((webp(bytes, channels, usize::MAX)?, true))
    })
}

pub(in super::super) fn decode_image(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels") as usize;
    let dtype = arguments.call.dtype("dtype");
    let expands = arguments.call.flag("expand_animations");
    let is_wide = dtype != DType::UInt8;
    let max_frames = if expands { usize::MAX } else { 1 };
    decode_whole(arguments, dtype, |bytes| {
        let unable = |channels: usize, format| Failure::from(format!("{format} has no {channels} channels"));
        Ok(match probe(bytes)?.format {
            ImageFormat::Jpeg => {
                let wanted =
                    JpegChannels::from_number(channels as u64).ok_or_else(|| unable(channels, "JPEG"))?;
                let pixels = JpegDecoder::new().decode(bytes, wanted)?;
                let image = DecodedImage {
                    frames: 1,
                    height: pixels.height as usize,
                    width: pixels.width as usize,
                    channels: pixels.channels.into(),
                    samples: Samples::Bytes(pixels.data),
                };
                (image, false)
            }
            ImageFormat::Png => (png(bytes, channels, is_wide)?, false),
            ImageFormat::Bmp => (bmp(bytes, channels)?, false),
            ImageFormat::WebP if channels == 1 => return Err(unable(1, "WebP")),
            ImageFormat::WebP => (webp(bytes, channels, max_frames)?, expands),
            _ if !matches!(channels, 0 | 3) => return Err(unable(channels, "GIF")),
            _ => (gif(bytes, max_frames)?, expands),
        })
    })
}

fn expect(bytes: &[u8], format: ImageFormat) -> Result<(), Failure> {
    let found = probe(bytes)?.format;
    if found == format {
        return Ok(());
    }
    Err(Failure {
        message: format!("found {found}, expected {format}"),
        hint: Some("decode_image takes any format".to_owned()),
    })
}

/// What `image` decodes of each row, and whether its frames are a dimension.
fn decode_whole(
    arguments: &mut Arguments<'_>,
    dtype: DType,
    image: impl Fn(&[u8]) -> Result<(DecodedImage, bool), Failure>,
) -> Vec<Value> {
    let shape_of = |image: &DecodedImage, has_frames: bool| {
        let shape = [image.frames, image.height, image.width, image.channels];
        shape[usize::from(!has_frames)..].to_vec()
    };
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let decoded = |row: usize| image(bytes_of(&source, row)?);
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
    let is_long = arguments.call.dtype("output_type") == DType::Int64;
    let shape_of = |bytes: &[u8]| {
        let info = JpegDecoder::new().info(bytes)?;
        Ok::<_, Failure>([info.height as usize, info.width as usize, info.channels.unwrap_or(3).into()])
    };
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
        let rows = (0..arguments.rows).map(|row| {
            // A row that failed before has no bytes, and no use for an answer.
            bytes_of(&source, row).is_ok_and(|bytes| bytes.starts_with(&[0xff, 0xd8, 0xff])).into()
        });
        vec![Column::from_bools(vec![], arguments.rows, rows.collect())]
    })
}
