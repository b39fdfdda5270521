//! The places of what is true.

use feedline_data::block::Column;

use crate::eval::rows::{once_for_constants, plan_rows_by};
use crate::eval::{Arguments, Value};

pub(super) fn true_indices(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows_by(arguments, &[0], |shapes, bools| {
            let (shape, rank) = (shapes[0], shapes[0].len());
            let mut indices = Vec::new();
            for place in (0..bools[0].len()).filter(|&place| bools[0][place] != 0) {
                let start = indices.len();
                indices.resize(start + rank, 0_i64);
                let mut rest = place;
                for (index, &dim) in indices[start..].iter_mut().zip(shape).rev() {
                    *index = (rest % dim) as i64;
                    rest /= dim;
                }
            }
            let count = bools[0].iter().filter(|&&value| value != 0).count();
            Ok((vec![count, rank], indices))
        });
        let rows = 0..arguments.rows;
        let values: Vec<i64> =
            rows.filter_map(|row| plans.get(row)).flat_map(|plan| plan.1.iter().copied()).collect();
        vec![plans.shaped(Column::from_vec(vec![], values.len(), values), arguments.rows, |plan| &plan.0)]
    })
}
