//! Sparse tensors, made plain and made of plain ones.

use feedline_data::block::Column;
use feedline_data::{DType, Native};
use half::{bf16, f16};

use super::super::elementwise::dispatch;
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

pub(super) fn from_dense(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let column = RowsOf::new(arguments.inputs[0]).column();
        let kept = kept(column);
        let (mut indices, mut sizes, mut picked) = (Vec::new(), Vec::new(), Vec::new());
        let (mut index_shapes, mut value_shapes, mut size_shapes) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..column.rows() {
            let (shape, range) = (column.shape(row), column.value_range(row..row + 1));
            let first = picked.len();
            for (place, value) in range.enumerate().filter(|(_, value)| kept[*value]) {
                let start = indices.len();
                indices.resize(start + shape.len(), 0_i64);
                let mut rest = place;
                for (dim, &size) in shape.iter().enumerate().rev() {
                    indices[start + dim] = (rest % size) as i64;
                    rest /= size;
                }
                picked.push(value);
            }
            let count = picked.len() - first;
            index_shapes.push(vec![count, shape.len()]);
            value_shapes.push(vec![count]);
            sizes.extend(shape.iter().map(|&size| size as i64));
            size_shapes.push(vec![shape.len()]);
        }
        vec![
            Column::from_vec(vec![], indices.len(), indices).with_shapes(index_shapes),
            column.clone().flat().gather(&picked).with_shapes(value_shapes),
            Column::from_vec(vec![], sizes.len(), sizes).with_shapes(size_shapes),
        ]
    })
}

/// Which values are neither 0 nor empty.
fn kept(column: &Column) -> Vec<bool> {
    match column.dtype() {
        DType::String => column.strings().expect("strings").iter().map(|string| !string.is_empty()).collect(),
        DType::Bool => {
            column.buffer().expect("bools lie in a buffer").as_bytes().iter().map(|&byte| byte != 0).collect()
        }
        DType::Float16 => column.as_slice::<f16>().iter().map(|value| value.to_f32() != 0.0).collect(),
        DType::BFloat16 => column.as_slice::<bf16>().iter().map(|value| value.to_f32() != 0.0).collect(),
        DType::Float32 => column.as_slice::<f32>().iter().map(|&value| value != 0.0).collect(),
        DType::Float64 => column.as_slice::<f64>().iter().map(|&value| value != 0.0).collect(),
        other => {
            dispatch!(integers other, T => column.as_slice::<T>().iter().map(|&value| value != 0).collect())
        }
    }
}
