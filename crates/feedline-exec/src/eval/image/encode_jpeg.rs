//! Pixels as JPEG.

use feedline_image::{JpegDensity, JpegOptions, encode_jpeg as jpeg};

use super::super::{Arguments, Value};
use super::encode::encode;

pub(in super::super) fn encode_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let density = |name: &str| call.int(name) as u16;
    let options = JpegOptions {
        quality: call.int("quality") as u8,
        chroma_at_half_size: call.flag("chroma_downsampling"),
        is_progressive: call.flag("progressive"),
        optimizes_size: call.flag("optimize_size"),
        density: JpegDensity {
            is_metric: call.text("density_unit") == "cm",
            x: density("x_density"),
            y: density("y_density"),
        },
        xmp: call.text("xmp_metadata").as_bytes(),
    };
    let format = call.text("format");
    encode(arguments, |image, bytes| {
        let expected = if format == "grayscale" { 1 } else { 3 };
        if !format.is_empty() && image.channels != expected {
            return Err(format!("format is '{format}', and the image has {} channels", image.channels).into());
        }
        Ok(jpeg(bytes, image.height, image.width, image.channels, &options)?)
    })
}
