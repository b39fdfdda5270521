//! Colours as hue, saturation and value, and back: `rgb_to_hsv` and `hsv_to_rgb`.

use feedline_data::block::Column;
use feedline_data::{DType, Native};

use super::super::cast::{as_float32, cast_column};
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::colours::expect_channels;
use super::each_row;

pub(in super::super) fn rgb_to_hsv(arguments: &mut Arguments<'_>) -> Vec<Value> {
    each_colour(arguments, to_hsv, to_hsv_of_doubles)
}

pub(in super::super) fn hsv_to_rgb(arguments: &mut Arguments<'_>) -> Vec<Value> {
    each_colour(arguments, to_rgb, to_rgb_of_doubles)
}

type Colour<T> = fn([T; 3]) -> [T; 3];

/// Half precision is computed in single and rounded once.
fn each_colour(arguments: &mut Arguments<'_>, of_floats: Colour<f32>, of_doubles: Colour<f64>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let dtype = source.column().dtype();
        if dtype == DType::Float64 {
            return vec![each_pixel(arguments, &source, source.column().as_slice::<f64>(), of_doubles)];
        }
        let floats = as_float32(source.column());
        let column = each_pixel(arguments, &source, floats.as_slice::<f32>(), of_floats);
        vec![if dtype == DType::Float32 { column } else { cast_column(&column, dtype) }]
    })
}

fn each_pixel<T: Native>(
    arguments: &mut Arguments<'_>,
    source: &RowsOf<'_>,
    all: &[T],
    colour: Colour<T>,
) -> Column {
    each_row(arguments, |row, values| {
        expect_channels(source.shape(row), 3)?;
        values.extend(all[source.range(row)].as_chunks::<3>().0.iter().flat_map(|&pixel| colour(pixel)));
        Ok(source.shape(row).to_vec())
    })
}

macro_rules! hue_saturation_value {
    ($real:ty, $to_hsv:ident, $to_rgb:ident) => {
        /// Hue, saturation and value, as TensorFlow computes them.
        #[allow(clippy::float_cmp, reason = "the largest is one of the three")]
        pub(super) fn $to_hsv([red, green, blue]: [$real; 3]) -> [$real; 3] {
            let value = red.max(green).max(blue);
            let range = value - red.min(green).min(blue);
            let saturation = if value > 0.0 { range / value } else { 0.0 };
            if range <= 0.0 {
                return [0.0, saturation, value];
            }
            let norm = 1.0 / (6.0 * range);
            let hue = if red == value {
                norm * (green - blue)
            } else if green == value {
                norm * (blue - red) + 2.0 / 6.0
            } else {
                norm * (red - green) + 4.0 / 6.0
            };
            [if hue < 0.0 { hue + 1.0 } else { hue }, saturation, value]
        }

        /// Red, green and blue, as TensorFlow computes them.
        pub(super) fn $to_rgb([hue, saturation, value]: [$real; 3]) -> [$real; 3] {
            let sixth = hue * 6.0;
            let red = ((sixth - 3.0).abs() - 1.0).clamp(0.0, 1.0);
            let green = (2.0 - (sixth - 2.0).abs()).clamp(0.0, 1.0);
            let blue = (2.0 - (sixth - 4.0).abs()).clamp(0.0, 1.0);
            [red, green, blue].map(|part| ((1.0 - saturation) + saturation * part) * value)
        }
    };
}

hue_saturation_value!(f32, to_hsv, to_rgb);

hue_saturation_value!(f64, to_hsv_of_doubles, to_rgb_of_doubles);
