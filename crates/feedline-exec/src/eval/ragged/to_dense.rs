//! Sparse tensors as plain ones.

use feedline_data::Native;

use super::super::moves::{Move, move_values};
use super::super::rows::{Plans, RowsOf, once_for_constants};
use super::super::{Arguments, Value};

/// More values than this a tensor made of a few does not have: an index says it in eight bytes, memory would have to hold it.
const MAX_VALUES: usize = 1 << 31;

/// The shape of a row of the result, and the place of each value in it.
struct Dense {
    shape: Vec<usize>,
    places: Vec<usize>,
}

pub(super) fn to_dense(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let is_strict = arguments.call.flag("validate_indices");
    once_for_constants(arguments, |arguments| {
        let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
        let [indices, values, sizes, default] = inputs[..] else { unreachable!("it has four tensors") };
        let width = values.column().dtype().width().unwrap_or(size_of::<u64>());
        let mut num_bytes = 0_usize;
        let plans: Vec<Option<Dense>> = (0..arguments.rows)
            .map(|row| {
                let shapes = [indices.shape(row), values.shape(row), sizes.shape(row), default.shape(row)];
                let own_indices = &indices.column().as_slice::<i64>()[indices.range(row)];
                let own_sizes = &sizes.column().as_slice::<i64>()[sizes.range(row)];
                let dense = dense(shapes, own_indices, own_sizes, is_strict);
                let dense = dense.map_err(|reason| arguments.fail(row, &reason)).ok()?;
                num_bytes += dense.shape.iter().product::<usize>() * width;
                // Nothing is made of what there is no memory for.
                let is_made = arguments.admits(row, num_bytes) && !arguments.failures.contains_key(&row);
                is_made.then_some(dense)
            })
            .collect();
        let scatter = Scatter { plans: &plans, values, default };
        let moved = move_values(&[values.column(), default.column()], &scatter);
        vec![Plans::Each(plans).shaped(moved, arguments.rows, |dense| &dense.shape)]
    })
}

fn dense(shapes: [&[usize]; 4], indices: &[i64], sizes: &[i64], is_strict: bool) -> Result<Dense, String> {
    let rank = sizes.len();
    let fits = match shapes {
        [&[count, width], &[num_values], &[_], &[]] => count == num_values && width == rank,
        _ => false,
    };
    if !fits {
        return Err(format!(
            "indices, values, dense_shape and default_value of the shapes {:?}, {:?}, {:?} and {:?} do not fit together",
            shapes[0], shapes[1], shapes[2], shapes[3]
        ));
    }
    let shape: Option<Vec<usize>> = sizes.iter().map(|&size| usize::try_from(size).ok()).collect();
    let count = |shape: &Vec<usize>| shape.iter().try_fold(1_usize, |count, &dim| count.checked_mul(dim));
    let Some(shape) = shape.filter(|shape| count(shape).is_some_and(|count| count <= MAX_VALUES)) else {
        return Err(format!(
            "dense_shape {sizes:?} is no shape, or larger than any tensor made of a few values"
        ));
    };
    let mut places = Vec::with_capacity(shapes[0][0]);
    // Also of no dimensions, where an index is nothing and a tensor one value.
    for number in 0..shapes[0][0] {
        let index = &indices[number * rank..(number + 1) * rank];
        let mut place = 0;
        for (&at, &size) in index.iter().zip(&shape) {
            match usize::try_from(at) {
                Ok(at) if at < size => place = place * size + at,
                _ => return Err(format!("index {index:?} is outside of the shape {shape:?}")),
            }
        }
        if let Some(&last) = places.last().filter(|_| is_strict)
            && place <= last
        {
            let what = if place == last { "comes twice" } else { "is not in order" };
            return Err(format!("index {index:?} {what}"));
        }
        places.push(place);
    }
    Ok(Dense { shape, places })
}

struct Scatter<'a> {
    plans: &'a [Option<Dense>],
    values: RowsOf<'a>,
    default: RowsOf<'a>,
}

impl Move for Scatter<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let mut moved = Vec::new();
        for (row, plan) in self.plans.iter().enumerate() {
            let Some(plan) = plan else { continue };
            let first = moved.len();
            moved.resize(
                first + plan.shape.iter().product::<usize>(),
                inputs[1][self.default.range(row).start],
            );
            let values = &inputs[0][self.values.range(row)];
            plan.places.iter().zip(values).for_each(|(&place, &value)| moved[first + place] = value);
        }
        moved
    }
}
