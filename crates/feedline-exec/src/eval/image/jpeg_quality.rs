//! `adjust_jpeg_quality`, and `random_jpeg_quality`.

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_image::{JpegChannels, JpegDecoder, JpegOptions, encode_jpeg};
use feedline_plan::expr::image::jpeg_quality;

use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::convert_image_dtype::converted;
use super::given::GivenInts;
use super::{Dims, Failure, random};

pub(in super::super) fn adjust_jpeg_quality(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let qualities = GivenInts::of(arguments, "jpeg_quality");
    encoded_again(arguments, |row| qualities.checked(row, jpeg_quality))
}

pub(in super::super) fn random_jpeg_quality(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let (least, most) = (call.int("min_jpeg_quality"), call.int("max_jpeg_quality"));
    encoded_again(arguments, |row| {
        let word = random::words(call, ids.get(row), 0)[0];
        Ok((least as usize + random::below(word, (most - least).max(1) as usize)) as u8)
    })
}

/// The images of each row encoded as JPEG, at the quality `quality` says, and decoded again.
fn encoded_again(
    arguments: &mut Arguments<'_>,
    quality: impl Fn(usize) -> Result<u8, Failure>,
) -> Vec<Value> {
    let mut decoder = arguments.scratch.take(JpegDecoder::new);
    let rows = arguments.inputs[0].to_rows(arguments.rows);
    let source = converted(&rows, DType::UInt8, true);
    let pixels = RowsOf::of_column(&source);
    let mut again = |row: usize, bytes: &mut Vec<u8>| {
        let image = Dims::of(pixels.shape(row))?;
        for one in source.as_slice::<u8>()[pixels.range(row)].chunks_exact(image.len().max(1)) {
            let encoded = encode_jpeg(
                one,
                image.height,
                image.width,
                image.channels,
                &JpegOptions::of_quality(quality(row)?),
            )?;
            let wanted = JpegChannels::from_number(image.channels as u64).unwrap_or(JpegChannels::AsStored);
            bytes.extend(decoder.decode(&encoded, wanted)?.data);
        }
        Ok(pixels.shape(row).to_vec())
    };
    let column: Column = super::each_row(arguments, &mut again);
    arguments.scratch.put(decoder);
    vec![Value::Rows(converted(&column, rows.dtype(), true))]
}
