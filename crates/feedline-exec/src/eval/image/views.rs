//! Pixels in another order.

use feedline_data::Native;
use feedline_data::block::Column;

use super::super::moves::{Move, View, move_values};
use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::{Dims, Failure};

/// What `views` takes of each row, one view behind the other; they have one shape, and where there are several, they are what
/// lies behind each other in the first dimensions.
pub(super) fn each_view(
    arguments: &mut Arguments<'_>,
    views: impl Fn(usize, &[usize]) -> Result<Vec<View>, Failure>,
) -> Column {
    let source = RowsOf::new(arguments.inputs[0]);
    let mut taken: Vec<(usize, Vec<View>)> = Vec::with_capacity(arguments.rows);
    let mut shapes = Vec::with_capacity(arguments.rows);
    for row in 0..arguments.rows {
        match views(row, source.shape(row)) {
            Ok(views) => {
                let mut shape = views.first().map_or(vec![0], |view| view.shape.clone());
                if views.len() > 1 {
                    let outer = source.shape(row).len() - shape.len();
                    shape.splice(0..0, source.shape(row)[..outer].iter().copied());
                }
                shapes.push(shape);
                taken.push((source.range(row).start, views));
            }
            Err(failure) => {
                shapes.push(vec![0]);
                failure.tell(arguments, row);
            }
        }
    }
    move_values(&[source.column()], &CopyAll(taken)).with_shapes(shapes)
}

struct CopyAll(Vec<(usize, Vec<View>)>);

impl Move for CopyAll {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let mut values = Vec::new();
        for (start, views) in &self.0 {
            views.iter().for_each(|view| view.copy_into(&inputs[0][*start..], &mut values));
        }
        values
    }
}

/// Turns dimension `axis`, counted from the last, around.
pub(super) fn turned(mut view: View, axis: usize) -> View {
    let axis = view.shape.len() - axis;
    let last = view.shape[axis].saturating_sub(1);
    view.offset = view.offset.wrapping_add_signed(last as isize * view.strides[axis]);
    view.strides[axis] = -view.strides[axis];
    view
}

/// Turned by so many quarters against the clock.
pub(super) fn turned_by(view: View, quarters: i64) -> View {
    // Columns become rows from the last on; two quarters turn both around, three the other one.
    match quarters {
        0 => view,
        1 => turned(swapped(view), ROWS),
        2 => turned(turned(view, ROWS), COLUMNS),
        _ => turned(swapped(view), COLUMNS),
    }
}

/// Exchanges rows and columns.
pub(super) fn swapped(mut view: View) -> View {
    let (rows, columns) = (view.shape.len() - ROWS, view.shape.len() - COLUMNS);
    view.shape.swap(rows, columns);
    view.strides.swap(rows, columns);
    view
}

/// Columns and rows, counted from the last dimension.
pub(super) const COLUMNS: usize = 2;

pub(super) const ROWS: usize = 3;

/// What `change` makes of image number `index` of row `row`, each on its own.
pub(super) fn each_drawn(
    arguments: &mut Arguments<'_>,
    change: impl Fn(usize, usize, View) -> View,
) -> Vec<Value> {
    let column = each_view(arguments, |row, shape| {
        let image = Dims::of(shape)?;
        let of = |shape: &[usize], index: usize| {
            change(row, index, View { offset: index * image.len(), ..View::whole(shape) })
        };
        if image.count == 1 {
            return Ok(vec![of(shape, 0)]);
        }
        let one = &shape[shape.len() - 3..];
        if image.count == 0 {
            return Ok(vec![View::whole(shape)]);
        }
        let views: Vec<View> = (0..image.count).map(|index| of(one, index)).collect();
        if views.iter().any(|view| view.shape != views[0].shape) {
            return Err("images of one batch that are not square cannot be turned by quarters"
                .to_owned()
                .into());
        }
        Ok(views)
    });
    vec![Value::Rows(column)]
}
