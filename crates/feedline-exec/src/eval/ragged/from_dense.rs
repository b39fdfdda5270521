//! Plain tensors as sparse ones.

use feedline_data::DType;
use feedline_data::block::Column;
use half::{bf16, f16};

use super::super::elementwise::dispatch;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

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
