//! Images with black around them.

use feedline_plan::expr::image::{offset, target_side};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::Dims;
use super::crop::padded;
use super::given::GivenInts;

pub(in super::super) fn pad_to_bounding_box(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let [ys, xs, heights, widths] = ["offset_height", "offset_width", "target_height", "target_width"]
            .map(|name| GivenInts::of(arguments, name));
        vec![padded(arguments, &source, |row| {
            let image = Dims::of(source.shape(row))?;
            let (y, x) = (ys.checked(row, offset)?, xs.checked(row, offset)?);
            let (height, width) = (heights.checked(row, target_side)?, widths.checked(row, target_side)?);
            let fits =
                |from: usize, len: usize, limit: usize| from.checked_add(len).is_some_and(|end| end <= limit);
            if !fits(y, image.height, height) || !fits(x, image.width, width) {
                let message = format!(
                    "an image of {} x {} at row {y}, column {x} does not fit into {height} x {width}",
                    image.height, image.width
                );
                return Err(message.into());
            }
            Ok((y, x, height, width))
        })]
    })
}
