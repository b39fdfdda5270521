//! Tensors of ones and zeros.

use feedline_data::DType;
use feedline_data::block::{Column, Strings, Tensor};
use feedline_plan::expr::Attribute;

use crate::eval::elementwise::dispatch;

/// So many ones and zeros.
pub(super) fn marked(dtype: DType, count: usize, is_one: impl Fn(usize) -> bool) -> Column {
    if dtype == DType::String {
        return Column::from_strings(vec![], count, std::iter::repeat_n("", count).collect::<Strings>());
    }
    let one = match dtype {
        DType::Bool => Tensor::scalar(1_u8),
        number => {
            feedline_plan::expr::number_tensor(&Attribute::Int(1), number).expect("every number has a one")
        }
    };
    dispatch!(widths dtype, Word => {
        let one = one.as_column().buffer().expect("numbers lie in a buffer").as_slice::<Word>()[0];
        let values: Vec<Word> = (0..count).map(|at| if is_one(at) { one } else { 0 }).collect();
        Column::from_vec(vec![], count, values).with_dtype(dtype)
    })
}
