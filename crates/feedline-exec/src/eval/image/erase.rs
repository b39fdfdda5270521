//! Parts of images erased: a box of random shape, or a square.

use feedline_data::Native;
use feedline_data::block::Ids;
use feedline_image::Raster;
use feedline_image::augment::Level;
use feedline_plan::expr::Call;
use feedline_plan::expr::image::mask_size;
use std::ops::Range;

use super::super::{Arguments, Value};
use super::Failure;
use super::each::{EachImage, each_image, levels_of};
use super::random::{below, normals, uniform, unit, words_of};

/// The rows and columns that are erased of an image of that height and width; `None`: none.
type Place = fn(&Call, usize, usize, &dyn Fn(u32) -> [u32; 4]) -> Option<(Range<usize>, Range<usize>)>;

pub(in super::super) fn random_erasing(arguments: &mut Arguments<'_>) -> Vec<Value> {
    erased(arguments, |call, height, width, draw| {
        if unit(draw(0)[0]) >= call.float("p") {
            return None;
        }
        let (scale, ratio) = (call.floats("scale"), call.floats("ratio"));
        // As torchvision's `RandomErasing.get_params` draws it.
        (1..=10).find_map(|attempt| {
            let drawn = draw(attempt);
            let area = height as f64 * width as f64 * uniform(drawn[0], scale[0], scale[1]);
            let aspect = uniform(drawn[1], ratio[0].ln(), ratio[1].ln()).exp();
            let rows = (area * aspect).sqrt().round_ties_even() as usize;
            let columns = (area / aspect).sqrt().round_ties_even() as usize;
            (rows < height && columns < width).then(|| {
                let (y, x) = (below(drawn[2], height - rows + 1), below(drawn[3], width - columns + 1));
                (y..y + rows, x..x + columns)
            })
        })
    })
}

pub(in super::super) fn random_cutout(arguments: &mut Arguments<'_>) -> Vec<Value> {
    erased(arguments, |call, height, width, draw| {
        let (rows, columns) = mask_size(call).expect("the plan checked the size");
        let drawn = draw(0);
        let part = |word: u32, len: usize, size: usize| {
            let middle = below(word, size);
            middle.saturating_sub(len / 2)..(middle + len.div_ceil(2)).min(size)
        };
        Some((part(drawn[0], rows, height), part(drawn[1], columns, width)))
    })
}

fn erased(arguments: &mut Arguments<'_>, place: Place) -> Vec<Value> {
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
