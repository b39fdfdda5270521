//! Any operation of the catalogue as a step over numbers: its tensors follow from the element, and what it makes of them is added to it.

use std::sync::LazyLock;

use feedline::data::block::{Strings, Tensor};
use feedline::data::{DType, Structure, TensorSpec};
use feedline::plan::expr::Cost;
use feedline::{Symbolic, ops};

use crate::catalogue_support::{Given, Tried, varied};

/// Calls of each operation, with other arguments and other types, but for those that read and write files.
static CALLS: LazyLock<Vec<Tried>> =
    LazyLock::new(|| varied().into_iter().filter(|call| call.operation.cost != Cost::Io).collect());

pub(crate) fn num_calls() -> usize {
    CALLS.len()
}

/// The leaves of a value, each on its own.
pub(crate) fn leaves(value: &Symbolic) -> Vec<Symbolic> {
    let structure = value.to_structure().unwrap_or_else(|error| panic!("{error}"));
    structure.leaves().into_iter().map(|expr| Symbolic::from(Structure::Leaf(expr.clone()))).collect()
}

/// `x` and what call number `index` makes of it.
pub(crate) fn apply(index: usize, x: &Symbolic) -> Symbolic {
    let call = &CALLS[index % CALLS.len()];
    let sum = ops::reduce_sum(x, None::<i64>, false);
    let tensors = call.tensors.iter().enumerate().map(|(place, given)| match given {
        Given::Input(spec) => tensor(&(sum.clone() + place as i64), spec),
        Given::Constant(tensor) => Symbolic::from(tensor.clone()),
    });
    let made = Symbolic::call(call.operation, &tensors.collect::<Vec<_>>(), call.attributes.clone());
    leaves(&made).iter().fold(x.clone(), |x, leaf| x + as_number(leaf) % 1000)
}

/// A tensor of that type and shape whose values follow from `number`. They are small, so that many are places and sizes, too.
fn tensor(number: &Symbolic, spec: &TensorSpec) -> Symbolic {
    let shape = spec.shape.to_fixed().expect("what is tried has a shape");
    let count = shape.iter().product::<usize>() as i64;
    let places = Symbolic::from(Tensor::from_vec(shape, (0..count).collect::<Vec<i64>>()));
    let numbers = (places + number.clone()) % 3;
    match spec.dtype {
        DType::Bool => numbers.eq(1),
        DType::String => {
            let texts = ["a b,1", "", "12"].iter().collect::<Strings>();
            ops::gather(Symbolic::from(Tensor::from_strings(vec![3], texts)), numbers, 0)
        }
        dtype => ops::cast(numbers, dtype),
    }
}

/// One number that shows most of what is in a tensor.
fn as_number(leaf: &Symbolic) -> Symbolic {
    let structure = leaf.to_structure().unwrap_or_else(|error| panic!("{error}"));
    let dtype = structure.leaves()[0].spec().dtype;
    let floats = match dtype {
        DType::String => ops::cast(ops::strings::to_hash_bucket_fast(leaf, 1000), DType::Float64),
        _ => ops::cast(leaf, DType::Float64) * 8.0,
    };
    ops::cast(ops::reduce_sum(floats, None::<i64>, false), DType::Int64)
}
