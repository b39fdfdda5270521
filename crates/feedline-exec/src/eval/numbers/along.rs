//! Computing along a dimension: values are brought together that belong together, and their results back to where they belong.

use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::axes_mask;

use crate::eval::moves::View;
use crate::eval::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use crate::eval::view::copy_views;
use crate::eval::{Arguments, Value};

/// The runs of a row along some of its dimensions.
struct Runs {
    shape: Vec<usize>,
    /// The row with those dimensions behind the others.
    moved: View,
    /// The shape of the results lying that way, and how they get back.
    results: Vec<usize>,
    back: View,
    count: usize,
    length: usize,
}

/// `function` of the runs along `axes` (all dimensions where there are none): it gets all values, and for each row how many runs it has of
/// which length, and gives as many results a run as `num_results` says of its length.
pub(super) fn along(
    arguments: &mut Arguments<'_>,
    axes: Option<&[i64]>,
    num_results: impl Fn(usize) -> Result<usize, String>,
    function: impl FnOnce(&Column, &[(usize, usize)]) -> Vec<Column>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| plan(shapes[0], axes, &num_results));
        let rows = arguments.rows;
        let gathered = copy_views(RowsOf::new(arguments.inputs[0]), &plans, rows, |runs| &runs.moved);
        let counts: Vec<(usize, usize)> = match &plans {
            Plans::Same(runs) => vec![(runs.count * rows, runs.length)],
            Plans::Each(plans) => plans.iter().flatten().map(|runs| (runs.count, runs.length)).collect(),
        };
        let back = |results: Column| {
            let lying = plans.shaped(results, rows, |runs| &runs.results);
            let values = copy_views(RowsOf::of_column(&lying), &plans, rows, |runs| &runs.back);
            plans.shaped(values, rows, |runs| &runs.shape)
        };
        function(&gathered.flat(), &counts).into_iter().map(back).collect()
    })
}

/// What `function` adds for each run of values that lie together.
pub(super) fn by_run<T: Native, U: Native>(
    column: &Column,
    runs: &[(usize, usize)],
    mut function: impl FnMut(&[T], &mut Vec<U>),
) -> Column {
    let values = column.as_slice::<T>();
    let mut results = Vec::with_capacity(values.len());
    let mut at = 0;
    for &(num_runs, length) in runs {
        for _ in 0..num_runs {
            function(&values[at..at + length], &mut results);
            at += length;
        }
    }
    Column::from_vec(vec![], results.len(), results)
}

fn plan(
    shape: &[usize],
    axes: Option<&[i64]>,
    num_results: &impl Fn(usize) -> Result<usize, String>,
) -> Result<Runs, String> {
    let is_along = axes_mask(axes, shape.len())?;
    let (along, others): (Vec<usize>, Vec<usize>) = (0..shape.len()).partition(|&dim| is_along[dim]);
    let order: Vec<usize> = others.iter().chain(&along).copied().collect();
    let count = |dims: &[usize]| dims.iter().map(|&dim| shape[dim]).product();
    let length: usize = count(&along);
    let mut result = shape.to_vec();
    let results = num_results(length)?;
    if results != length {
        let [axis] = along[..] else { unreachable!("only along one dimension its size can change") };
        result[axis] = results;
    }
    let whole = View::whole(shape);
    let lying: Vec<usize> = order.iter().map(|&dim| result[dim]).collect();
    let steps = View::whole(&lying).strides;
    let place = |dim: usize| order.iter().position(|&other| other == dim).expect("all dimensions are there");
    Ok(Runs {
        moved: View {
            offset: 0,
            shape: order.iter().map(|&dim| shape[dim]).collect(),
            strides: order.iter().map(|&dim| whole.strides[dim]).collect(),
        },
        back: View {
            offset: 0,
            shape: result.clone(),
            strides: (0..shape.len()).map(|dim| steps[place(dim)]).collect(),
        },
        results: lying,
        shape: result,
        count: count(&others),
        length,
    })
}
