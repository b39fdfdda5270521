//! Views of rows: parts of them, in another order, and dimensions of size 1 that come and go.

use feedline_data::Native;
use feedline_data::block::Column;

use super::moves::{Move, View, move_values};
use super::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use super::{Arguments, Value};

/// The part of each row that `view` says.
pub(super) fn views(
    arguments: &mut Arguments<'_>,
    view: impl Fn(&[usize]) -> Result<View, String>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| view(shapes[0]));
        let values = copy_views(RowsOf::new(arguments.inputs[0]), &plans, arguments.rows, |view| view);
        vec![plans.shaped(values, arguments.rows, |view| &view.shape)]
    })
}

/// The values of the views of all rows; the column's own memory where that is all of them as they are.
pub(super) fn copy_views<P>(
    source: RowsOf<'_>,
    plans: &Plans<P>,
    rows: usize,
    view: impl Fn(&P) -> &View,
) -> Column {
    let is_whole =
        |row: usize| plans.get(row).is_some_and(|plan| view(plan).is_whole(source.range(row).len()));
    let num_plans = if matches!(plans, Plans::Same(_)) { 1 } else { rows };
    // A constant among rows is met once, and wanted in each.
    let is_each_row = source.column().rows() == rows;
    if is_each_row && (0..num_plans).all(is_whole) {
        return source.column().clone();
    }
    let whole = match plans {
        Plans::Same(plan) => Some(view(plan).of_rows(rows, source.step())),
        Plans::Each(_) => None,
    };
    let each = |row: usize| plans.get(row).map(|plan| (source.range(row).start, view(plan)));
    move_values(&[source.column()], &CopyViews { whole, each, rows })
}

struct CopyViews<E> {
    /// One view for all rows.
    whole: Option<View>,
    /// Else the view of each and where its row begins.
    each: E,
    rows: usize,
}

impl<'a, E: Fn(usize) -> Option<(usize, &'a View)>> Move for CopyViews<E> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let mut values = Vec::new();
        if let Some(whole) = &self.whole {
            whole.copy_into(inputs[0], &mut values);
            return values;
        }
        for (start, view) in (0..self.rows).filter_map(&self.each) {
            view.copy_into(&inputs[0][start..], &mut values);
        }
        values
    }
}
