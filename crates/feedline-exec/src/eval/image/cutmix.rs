//! Images with a part of those before them.

use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::Call;

use super::super::elementwise::dispatch;
use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::mix::{batch_of, before, has_channels_first, mixed_labels, own_share};
use super::random::{Draws, below};
use super::{Dims, each_row};

/// Where in the words of an element the middle of a box is: behind any that `λ` may take.
const BOX: u32 = 1 << 20;

pub(in super::super) fn cutmix(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let images = RowsOf::new(arguments.inputs[0]);
    let (call, ids) = (arguments.call, arguments.ids);
    let cut = |row: usize, image: &Dims| Cut::drawn(call, ids.get(row), image);
    let dtype = images.column().dtype();
    // Pixels are taken as they are, of whatever type.
    let mixed = dispatch!(widths dtype, Word => {
        let values = images.column().buffer().expect("numbers lie in a buffer").as_slice::<Word>();
        cut_each(arguments, &images, values, cut).with_dtype(dtype)
    });
    let labels = mixed_labels(arguments, &images, |row, image| cut(row, image).own_share(image));
    vec![Value::Rows(mixed), Value::Rows(labels)]
}

/// The box that images take from their neighbours.
struct Cut {
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

impl Cut {
    fn drawn(call: &Call, id: u64, image: &Dims) -> Cut {
        let half = 0.5 * (1.0 - own_share(call, id)).sqrt();
        let [x, y, ..] = Draws::new(call, id).words(BOX);
        let part = |word: u32, size: usize| {
            let (middle, reach) = (below(word, size), (half * size as f64) as usize);
            middle.saturating_sub(reach)..(middle + reach).min(size)
        };
        Cut { rows: part(y, image.height), columns: part(x, image.width) }
    }

    /// How much of an image stays its own.
    fn own_share(&self, image: &Dims) -> f64 {
        let (taken, all) = (self.rows.len() * self.columns.len(), image.height * image.width);
        1.0 - taken as f64 / all.max(1) as f64
    }
}

fn cut_each<T: Native>(
    arguments: &mut Arguments<'_>,
    images: &RowsOf<'_>,
    values: &[T],
    cut: impl Fn(usize, &Dims) -> Cut,
) -> Column {
    let call = arguments.call;
    each_row(arguments, |row, out| {
        let image = batch_of(call, images, row)?;
        // Planes of an image, and values of a pixel in each.
        let (planes, depth) =
            if has_channels_first(call) { (image.channels, 1) } else { (1, image.channels) };
        let (batch, begin) = (&values[images.range(row)], out.len());
        out.extend_from_slice(batch);
        let Cut { rows, columns } = cut(row, &image);
        for index in 0..image.count {
            let from = before(index, image.count) * image.len();
            for y in (0..planes).flat_map(|plane| rows.clone().map(move |y| plane * image.height + y)) {
                let line = |x: usize| (y * image.width + x) * depth;
                let (first, last) = (line(columns.start), line(columns.end));
                out[begin + index * image.len()..][first..last].copy_from_slice(&batch[from..][first..last]);
            }
        }
        Ok(images.shape(row).to_vec())
    })
}
