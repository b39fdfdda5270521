//! Parts that are drawn, of a size that is drawn.

use super::super::{Arguments, Value};
use super::erase::erased;
use super::random::{below, uniform, unit};

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
