//! Pictures of PNG.

use feedline_data::DType;

use super::super::{Arguments, Value};
use super::decode::{decode_whole, still};

pub(in super::super) fn decode_png(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let dtype = arguments.call.dtype("dtype");
    decode_whole(arguments, dtype, 2, |whole| Ok((still(whole, dtype == DType::UInt16)?, false)))
}
