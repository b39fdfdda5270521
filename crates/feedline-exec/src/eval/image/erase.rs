//! Parts of images erased: a box of random shape, or a square.

use std::ops::Range;

use feedline_data::Native;
use feedline_data::block::Ids;
use feedline_image::Raster;
use feedline_image::augment::Level;
use feedline_plan::expr::Call;

use super::super::{Arguments, Value};
use super::Failure;
use super::each::{EachImage, each_image, levels_of};
use super::random::{normals, words_of};

/// The rows and columns that are erased of an image of that height and width; `None`: none.
pub(super) type Place =
    fn(&Call, usize, usize, &dyn Fn(u32) -> [u32; 4]) -> Option<(Range<usize>, Range<usize>)>;

pub(super) fn erased(arguments: &mut Arguments<'_>, place: Place) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    // A constant is drawn for anew in each row.
    let column = each_image(arguments, &Erase { call, ids, place });
    vec![Value::Rows(column)]
}

struct Erase<'a> {
    call: &'a Call,
    ids: &'a Ids,
    place: Place,
}

/// Where the words begin that noise is made of: behind those that say which part it is.
const NOISE: u32 = 16;

impl EachImage for Erase<'_> {
    fn run<S: Level + Native>(
        &self,
        row: usize,
        index: usize,
        image: &Raster<'_, S>,
        out: &mut Vec<S>,
    ) -> Result<(usize, usize), Failure> {
        let draw = |number: u32| words_of(self.call, self.ids.get(row), index, number);
        let values = levels_of::<S>(self.call, "value", image.channels)?;
        let begin = out.len();
        out.extend_from_slice(image.samples);
        if let Some((rows, columns)) = (self.place)(self.call, image.height, image.width, &draw) {
            let (stride, channels) = (image.stride, image.channels);
            let mut noise = (NOISE..).flat_map(|number| normals(draw(number)));
            for y in rows {
                let line = &mut out[begin + y * stride..][columns.start * channels..columns.end * channels];
                match values[..] {
                    [] => line.iter_mut().zip(&mut noise).for_each(|(to, noise)| *to = S::of_rounded(noise)),
                    [value] => line.fill(value),
                    _ => line.chunks_exact_mut(channels).for_each(|pixel| pixel.copy_from_slice(&values)),
                }
            }
        }
        Ok((image.height, image.width))
    }
}
