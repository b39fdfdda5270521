//! Boxes of images at one size.

use feedline_plan::expr::image::{BoxMethod, crop_size};

use super::super::cast::as_float32;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::decode::integers;
use super::given::{Bounds, GivenInts};
use super::{Dims, each_row};

pub(in super::super) fn crop_and_resize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let method = BoxMethod::of_call(arguments.call).expect("the plan checked the method");
    let outside = arguments.call.float("extrapolation_value") as f32;
    once_for_constants(arguments, |arguments| {
        let [source, boxes, indices] = [0, 1, 2].map(|index| RowsOf::new(arguments.inputs[index]));
        let floats = as_float32(source.column());
        let values = floats.as_slice::<f32>();
        let (size, bounds) = (GivenInts::of(arguments, "crop_size"), Bounds::of(arguments));
        vec![each_row(arguments, |row, out| {
            let image = Dims::of(source.shape(row))?;
            let (height, width) = crop_size(&size.all(row))?;
            let one = |index: usize| &values[source.range(row)][index * image.len()..][..image.len()];
            let boxes = boxes.column().as_slice::<f32>()[boxes.range(row)].as_chunks::<4>().0;
            let indices = integers(&indices, row);
            if boxes.len() != indices.len() {
                let message = format!("there are {} boxes and {} box_indices", boxes.len(), indices.len());
                return Err(message.into());
            }
            let shape = vec![boxes.len(), height, width, image.channels];
            bounds.check(&shape, size_of::<f32>())?;
            for (&[y1, x1, y2, x2], &index) in boxes.iter().zip(&indices) {
                if [y1, x1, y2, x2].iter().any(|side| !side.is_finite()) {
                    let message = format!("box {:?} has a side that is not a number", [y1, x1, y2, x2]);
                    return Err(message.into());
                }
                let from =
                    usize::try_from(index).ok().filter(|&index| index < image.count).ok_or_else(|| {
                        format!("box_indices has {index}, and there are {} images", image.count)
                    })?;
                let columns: Vec<Option<Between>> =
                    (0..width).map(|x| Between::of(x, width, x1, x2, image.width)).collect();
                for y in 0..height {
                    let row = Between::of(y, height, y1, y2, image.height);
                    for column in &columns {
                        match row.zip(*column) {
                            Some(at) => method_of(method)(one(from), &image, at, out),
                            None => out.extend(std::iter::repeat_n(outside, image.channels)),
                        }
                    }
                }
            }
            Ok(shape)
        })]
    })
}

/// A place between two rows, or two columns.
#[derive(Clone, Copy)]
struct Between {
    place: f32,
    first: usize,
    second: usize,
    /// How far it is from the first.
    part: f32,
}

impl Between {
    /// Where row `index` of `count` lies that go from `from` to `to` of `size`; `None` if outside.
    fn of(index: usize, count: usize, from: f32, to: f32, size: usize) -> Option<Between> {
        // In TensorFlow's order, in single precision.
        let last = size.checked_sub(1)? as f32;
        let place = if count > 1 {
            let step = (to - from) * last / (count - 1) as f32;
            from * last + index as f32 * step
        } else {
            0.5 * (from + to) * last
        };
        (place >= 0.0 && place <= last).then(|| Between {
            place,
            first: place.floor() as usize,
            second: place.ceil() as usize,
            part: place - place.floor(),
        })
    }
}

type Pick = fn(&[f32], &Dims, (Between, Between), &mut Vec<f32>);

fn method_of(method: BoxMethod) -> Pick {
    match method {
        BoxMethod::Bilinear => mixed,
        BoxMethod::Nearest => nearest,
    }
}

fn mixed(image: &[f32], dims: &Dims, (row, column): (Between, Between), out: &mut Vec<f32>) {
    let pixel = |y: usize, x: usize| &image[(y * dims.width + x) * dims.channels..][..dims.channels];
    let corners = [
        pixel(row.first, column.first),
        pixel(row.first, column.second),
        pixel(row.second, column.first),
        pixel(row.second, column.second),
    ];
    out.extend((0..dims.channels).map(|channel| {
        let [a, b, c, d] = corners.map(|pixel| pixel[channel]);
        let (top, bottom) = (a + (b - a) * column.part, c + (d - c) * column.part);
        top + (bottom - top) * row.part
    }));
}

fn nearest(image: &[f32], dims: &Dims, (row, column): (Between, Between), out: &mut Vec<f32>) {
    let (y, x) = (row.place.round() as usize, column.place.round() as usize);
    out.extend_from_slice(&image[(y * dims.width + x) * dims.channels..][..dims.channels]);
}
