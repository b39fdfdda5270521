//! The catalogue: every operation there is, each with its arguments, types, documentation and cost.
//!
//! One entry here and a kernel in `feedline-exec/src/eval/`, in a file of its name or of its family's, make an operation. The functions of
//! [`crate::ops`], the Python functions, `explain` and the reference page all come from these entries. Those of images are in
//! [`image`] and [`augment`], and each of the other lists beside this one has a subject, too.

use feedline_data::DType;

use super::{Attribute, infer};

mod argument;
#[macro_use]
mod entry;
mod operation;

pub use argument::{Argument, ArgumentKind};
use entry::plain_name;
pub use operation::{Cost, Operation};

// Below the macro, which they use.
pub mod arrays;
pub mod augment;
pub mod bitwise;
pub mod checks;
pub mod control;
pub mod image;
pub mod numbers;
pub mod parsing;
pub mod ragged;
pub mod random;
pub mod sparse;
pub mod strings;
pub mod tables;

/// The lists of operations, in the order of the reference page.
const LISTS: &[&[&Operation]] = &[
    ENTRIES,
    numbers::ENTRIES,
    bitwise::ENTRIES,
    arrays::ENTRIES,
    checks::ENTRIES,
    random::ENTRIES,
    control::ENTRIES,
    image::ENTRIES,
    augment::ENTRIES,
    strings::ENTRIES,
    parsing::ENTRIES,
    ragged::ENTRIES,
    sparse::ENTRIES,
    tables::ENTRIES,
];

/// Every operation, in the order of the reference page.
pub static CATALOGUE: &[&Operation] = &joined::<{ num_in(LISTS) }>(LISTS);

const fn num_in(lists: &[&[&Operation]]) -> usize {
    let (mut list, mut count) = (0, 0);
    while list < lists.len() {
        count += lists[list].len();
        list += 1;
    }
    count
}

const fn joined<const N: usize>(lists: &[&[&'static Operation]]) -> [&'static Operation; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut before, mut index) = (0, 0, 0);
    while index < N {
        while index - before == lists[list].len() {
            before = index;
            list += 1;
        }
        all[index] = lists[list][index - before];
        index += 1;
    }
    all
}

catalogue! {
    "";
    /// The operations as functions of symbolic values, under TensorFlow's names.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, TensorSpec};
    /// use feedline_plan::expr::{Attribute, Feature};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let record = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::String)));
    /// let example = ops::parse_single_example(record, [
    ///     ("label", Feature::fixed_len(&[], DType::Int64)),
    ///     ("pixels", Feature::fixed_len(&[28, 28], DType::Float32)),
    /// ]);
    /// let pixels = example.get("pixels");
    /// let centred = &pixels - ops::reduce_mean(&pixels, Attribute::None, false);
    /// let element = Symbolic::dict([
    ///     ("image", ops::expand_dims(ops::where_(centred.gt(0), centred, 0), -1)),
    ///     ("label", ops::one_hot(example.get("label"), 10, 1, 0, -1, DType::Float32)),
    /// ]);
    /// let spec = element.to_structure()?.map(|expr| expr.spec().to_string());
    /// assert_eq!(spec.to_string(), "{'image': float32[28, 28, 1], 'label': float32[10]}");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {
        pub use crate::expr::assert_shapes::assert_shapes;
        pub use crate::expr::catalogue::arrays::functions::*;
        pub use crate::expr::catalogue::bitwise::functions as bitwise;
        pub use crate::expr::catalogue::checks::functions::*;
        pub use crate::expr::composed::{
            assert_integer, assert_near, assert_negative, assert_non_negative, assert_non_positive, assert_positive, assert_rank_in,
            assert_scalar, assert_type, case, random_choice, sequence_mask,
        };
        pub use crate::expr::catalogue::image::functions as image;
        pub use crate::expr::catalogue::numbers::functions::*;
        pub use crate::expr::catalogue::random::functions::*;
        pub use crate::expr::control::{cond, foldl, map_fn, scan, switch_case, while_loop};
        pub use crate::expr::catalogue::parsing::functions::*;
        pub use crate::expr::catalogue::ragged::functions as ragged;
        pub use crate::expr::catalogue::sparse::functions as sparse;
        pub use crate::expr::catalogue::strings::functions as strings;
        pub use crate::expr::catalogue::tables::functions as lookup;
    }
    /// `x + y`, element by element, with broadcasting. Integers wrap around.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.add(x, [10, 20])).get_single_element()
    /// array([11, 22], dtype=int32)
    /// ```
    add(x: Tensor, y: Tensor) "tf.add", infer::arithmetic, Light, by_value;
    /// `x - y`, element by element, with broadcasting. Integers wrap around.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([5, 7]).map(lambda x: fl.subtract(x, 2)).get_single_element()
    /// array([3, 5], dtype=int32)
    /// ```
    subtract(x: Tensor, y: Tensor) "tf.subtract", infer::arithmetic, Light, by_value;
    /// `x * y`, element by element, with broadcasting. Integers wrap around.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([2, 3]).map(lambda x: fl.multiply(x, x)).get_single_element()
    /// array([4, 9], dtype=int32)
    /// ```
    multiply(x: Tensor, y: Tensor) "tf.multiply", infer::arithmetic, Light, by_value;
    /// `x / y`, element by element, with broadcasting, as Python divides: integers of up to 16 bits become float32, wider
    /// ones float64.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.truediv(x, 4)).get_single_element()
    /// array([0.25, 0.5 ])
    /// ```
    truediv(x: Tensor, y: Tensor) "tf.truediv", infer::true_division, Light, by_value;
    /// `x // y`: the quotient rounded down. An integer division by zero is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([7, -7]).map(lambda x: fl.math.floordiv(x, 2)).get_single_element()
    /// array([ 3, -4], dtype=int32)
    /// ```
    floordiv(x: Tensor, y: Tensor) "tf.math.floordiv", infer::whole_division, Light, can_fail, by_value;
    /// `x % y` with the sign of `y`, as Python has it. An integer division by zero is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([7, -7]).map(lambda x: fl.math.floormod(x, 3)).get_single_element()
    /// array([1, 2], dtype=int32)
    /// ```
    floormod(x: Tensor, y: Tensor) "tf.math.floormod", infer::whole_division, Light, can_fail, by_value;
    /// The smaller of the two, element by element, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 5]).map(lambda x: fl.minimum(x, 3)).get_single_element()
    /// array([1, 3], dtype=int32)
    /// ```
    minimum(x: Tensor, y: Tensor) "tf.minimum", infer::arithmetic, Light, by_value;
    /// The larger of the two, element by element, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 5]).map(lambda x: fl.maximum(x, 3)).get_single_element()
    /// array([3, 5], dtype=int32)
    /// ```
    maximum(x: Tensor, y: Tensor) "tf.maximum", infer::arithmetic, Light, by_value;
    /// `-x`. The smallest integer stays itself.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, -2]).map(lambda x: fl.negative(x)).get_single_element()
    /// array([-1,  2], dtype=int32)
    /// ```
    negative(x: Tensor) "tf.negative", infer::signed, Light, by_value;
    /// `x` to the power of `y`, element by element, with broadcasting. Integers wrap around; a negative power of an integer
    /// is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([2, 3]).map(lambda x: fl.pow(x, [10, 2])).get_single_element()
    /// array([1024,    9], dtype=int32)
    /// ```
    pow(x: Tensor, y: Tensor) "tf.pow", infer::power, Light, can_fail, by_value;
    /// The distance from 0. The smallest integer stays itself.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([-1.5, 2.0]).map(lambda x: fl.abs(x)).get_single_element()
    /// array([1.5, 2. ], dtype=float32)
    /// ```
    abs(x: Tensor) "tf.abs", infer::signed, Light, by_value;
    /// −1, 0 or 1: the sign of a number. Not a number stays not a number.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([-1.5, 0.0, 2.0]).map(lambda x: fl.sign(x)).get_single_element()
    /// array([-1.,  0.,  1.], dtype=float32)
    /// ```
    sign(x: Tensor) "tf.sign", infer::signed, Light, by_value;
    /// `x * x`. Integers wrap around.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([-2, 3]).map(lambda x: fl.square(x)).get_single_element()
    /// array([4, 9], dtype=int32)
    /// ```
    square(x: Tensor) "tf.square", infer::number, Light, by_value;
    /// The square root of a float; not a number below 0.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([4.0, 9.0]).map(lambda x: fl.sqrt(x)).get_single_element()
    /// array([2., 3.], dtype=float32)
    /// ```
    sqrt(x: Tensor) "tf.sqrt", infer::float, Light, by_value;
    /// 1 divided by the square root of a float.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([4.0, 16.0]).map(lambda x: fl.math.rsqrt(x)).get_single_element()
    /// array([0.5 , 0.25], dtype=float32)
    /// ```
    rsqrt(x: Tensor) "tf.math.rsqrt", infer::float, Light, by_value;
    /// e to the power of a float.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.exp(x)).get_single_element().round(4)
    /// array([1.    , 2.7183], dtype=float32)
    /// ```
    exp(x: Tensor) "tf.exp", infer::float, Light, by_value;
    /// The natural logarithm of a float.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.0, 10.0]).map(lambda x: fl.math.log(x)).get_single_element().round(4)
    /// array([0.    , 2.3026], dtype=float32)
    /// ```
    log(x: Tensor) "tf.math.log", infer::float, Light, by_value;
    /// The natural logarithm of `1 + x`, exact also where `x` is small.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.math.log1p(x)).get_single_element().round(4)
    /// array([0.    , 0.6931], dtype=float32)
    /// ```
    log1p(x: Tensor) "tf.math.log1p", infer::float, Light, by_value;
    /// The next whole float below.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.7, -1.2]).map(lambda x: fl.floor(x)).get_single_element()
    /// array([ 1., -2.], dtype=float32)
    /// ```
    floor(x: Tensor) "tf.floor", infer::float, Light, by_value;
    /// The next whole float above.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.2, -1.7]).map(lambda x: fl.math.ceil(x)).get_single_element()
    /// array([ 2., -1.], dtype=float32)
    /// ```
    ceil(x: Tensor) "tf.math.ceil", infer::float, Light, by_value;
    /// The nearest whole number; a half goes to the even one: `round([0.5, 1.5, 2.5])` is `[0, 2, 2]`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.5, 1.5, 2.6]).map(lambda x: fl.round(x)).get_single_element()
    /// array([0., 2., 3.], dtype=float32)
    /// ```
    round(x: Tensor) "tf.round", infer::number, Light, by_value;
    /// Whether a float is not a number.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.0, float("nan")]).map(lambda x: fl.math.is_nan(x)).get_single_element()
    /// array([False,  True])
    /// ```
    is_nan(x: Tensor) "tf.math.is_nan", infer::float_check, Light, by_value;
    /// Whether a float is neither infinite nor not a number.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.0, float("inf")]).map(lambda x: fl.math.is_finite(x)).get_single_element()
    /// array([ True, False])
    /// ```
    is_finite(x: Tensor) "tf.math.is_finite", infer::float_check, Light, by_value;
    /// Whether a float is infinite, with either sign.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.0, float("-inf")]).map(lambda x: fl.math.is_inf(x)).get_single_element()
    /// array([False,  True])
    /// ```
    is_inf(x: Tensor) "tf.math.is_inf", infer::float_check, Light, by_value;
    /// `x == y`, element by element, with broadcasting; also for strings.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(["cat", "dog"]).map(lambda x: fl.equal(x, "cat")).get_single_element()
    /// array([ True, False])
    /// ```
    equal(x: Tensor, y: Tensor) "tf.equal", infer::equality, Light, by_value;
    /// `x != y`, element by element, with broadcasting; also for strings.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.not_equal(x, 2)).get_single_element()
    /// array([ True, False])
    /// ```
    not_equal(x: Tensor, y: Tensor) "tf.not_equal", infer::equality, Light, by_value;
    /// `x < y`, element by element, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.less(x, 2)).get_single_element()
    /// array([ True, False, False])
    /// ```
    less(x: Tensor, y: Tensor) "tf.less", infer::comparison, Light, by_value;
    /// `x <= y`, element by element, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.less_equal(x, 2)).get_single_element()
    /// array([ True,  True, False])
    /// ```
    less_equal(x: Tensor, y: Tensor) "tf.less_equal", infer::comparison, Light, by_value;
    /// `x > y`, element by element, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.greater(x, 2)).get_single_element()
    /// array([False, False,  True])
    /// ```
    greater(x: Tensor, y: Tensor) "tf.greater", infer::comparison, Light, by_value;
    /// `x >= y`, element by element, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.greater_equal(x, 2)).get_single_element()
    /// array([False,  True,  True])
    /// ```
    greater_equal(x: Tensor, y: Tensor) "tf.greater_equal", infer::comparison, Light, by_value;
    /// Both, of bools, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.logical_and(x > 1, x < 3)).get_single_element()
    /// array([False,  True, False])
    /// ```
    logical_and(x: Tensor, y: Tensor) "tf.logical_and", infer::logic, Light, by_value;
    /// Either, of bools, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.logical_or(x < 2, x > 2)).get_single_element()
    /// array([ True, False,  True])
    /// ```
    logical_or(x: Tensor, y: Tensor) "tf.logical_or", infer::logic, Light, by_value;
    /// The other, of bools.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([True, False]).map(lambda x: fl.logical_not(x)).get_single_element()
    /// array([False,  True])
    /// ```
    logical_not(x: Tensor) "tf.logical_not", infer::negation, Light, by_value;
    /// `x` where the condition holds, `y` elsewhere, all three broadcast to one shape. Both are computed for every element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([-1.0, 4.0]).map(lambda x: fl.where(x > 0, x, 0.0)).get_single_element()
    /// array([0., 4.], dtype=float32)
    /// ```
    where_(condition: Condition, x: Tensor, y: Tensor) "tf.where", infer::where_, Light, by_value;
    /// Values below the minimum become it, values above the maximum become that. The limits are broadcast to the tensor's
    /// shape. Where the minimum is above the maximum, the minimum wins.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([-5, 3, 12]).map(lambda x: fl.clip_by_value(x, 0, 10)).get_single_element()
    /// array([ 0,  3, 10], dtype=int32)
    /// ```
    clip_by_value(t: Tensor, clip_value_min: Tensor, clip_value_max: Tensor) "tf.clip_by_value", infer::clip_by_value, Light, by_value;
    /// A new dimension of size `depth` with `on_value` at the index and `off_value` elsewhere; an index outside gives
    /// `off_value` throughout. `one_hot([0, 2], 3)` is `[[1, 0, 0], [0, 0, 1]]`.
    ///
    /// ```python
    /// >>> next(iter(fl.Dataset.from_tensors([0, 2]).map(lambda x: fl.one_hot(x, 3, on_value="yes", off_value=""))))
    /// array([[b'yes', b'', b''],
    ///        [b'', b'', b'yes']], dtype=object)
    /// ```
    one_hot(
        indices: Indices, depth: Int, on_value: Number = 1, off_value: Number = 0, axis: Int = -1,
        dtype: DType = DType::Float32
    ) "tf.one_hot", infer::one_hot, Light;
    /// The same numbers in another type. Integers wrap around; floats to integers lose the fraction and stop at the
    /// type's limits (not-a-number becomes 0); anything but 0 is true.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.7, -2.2]).map(lambda x: fl.cast(x, fl.int32)).get_single_element()
    /// array([ 1, -2], dtype=int32)
    /// ```
    cast(x: Tensor, dtype: DType) "tf.cast", infer::cast, Light, by_value;
    /// The same values in another shape. One dimension may be unknown: it is what the values leave.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3, 4]).map(lambda x: fl.reshape(x, [2, -1])).get_single_element()
    /// array([[1, 2],
    ///        [3, 4]], dtype=int32)
    /// ```
    reshape(tensor: Tensor, shape: Shape) "tf.reshape", infer::reshape, Free, can_fail;
    /// Parts of a tensor by Python's rules: `x[1:3, ..., 0, None, ::-1]`. Ranges are cut to what there is; an index outside is
    /// an error of its element, or of the plan where the size is known.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0, 1, 2, 3, 4]).map(lambda x: x[1::2]).get_single_element()
    /// array([1, 3], dtype=int32)
    /// ```
    strided_slice(input_: Tensor, slices: Slices) "tf.strided_slice", infer::strided_slice, Light, can_fail, joins_decoding;
    /// The entries of `params` at `indices` along an axis, in the shape of `indices`. An index outside (also a negative
    /// one) is an error of its element.
    ///
    /// ```python
    /// >>> rows = fl.Dataset.from_tensors([[10, 11, 12], [20, 21, 22]])
    /// >>> print(next(iter(rows.map(lambda x: fl.gather(x, [[2, 0], [1, 1]], batch_dims=1)))))
    /// [[12 10]
    ///  [21 21]]
    /// ```
    gather(params: Tensor, indices: Indices, axis: Int = 0) "tf.gather", infer::gather, Light, can_fail;
    /// As `gather`, where the first `batch_dims` dimensions of both belong together: each entry there is gathered from on its own. The axis is
    /// the next one where none is given.
    ///
    /// ```python
    /// >>> rows = fl.Dataset.from_tensors([[10, 11, 12], [20, 21, 22]])
    /// >>> print(next(iter(rows.map(lambda x: fl.gather(x, [[2, 0], [1, 1]], batch_dims=1)))))
    /// [[12 10]
    ///  [21 21]]
    /// ```
    batch_gather(params: Tensor, indices: Indices, axis: Axis = Attribute::None, batch_dims: Int = 0)
        "tf.gather", infer::batch_gather, Light, can_fail;
    /// Tensors of one shape side by side in a new dimension: `stack([x, y])` has a first dimension of size 2.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.stack([x, x + 10])).get_single_element()
    /// array([[ 1,  2],
    ///        [11, 12]], dtype=int32)
    /// ```
    stack(values: Tensors, axis: Int = 0) "tf.stack", infer::stack, Light, can_fail;
    /// Tensors one behind the other along a dimension they have; the others must agree.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.concat([x, x + 10], 0)).get_single_element()
    /// array([ 1,  2, 11, 12], dtype=int32)
    /// ```
    concat(values: Tensors, axis: Int) "tf.concat", infer::concat, Light, can_fail;
    /// One more dimension, of size 1, before dimension `axis`; −1 adds it at the end.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.expand_dims(x, -1)).get_single_element()
    /// array([[1],
    ///        [2]], dtype=int32)
    /// ```
    expand_dims(input: Tensor, axis: Int) "tf.expand_dims", infer::expand_dims, Free;
    /// Without its dimensions of size 1, or without the ones `axis` names, which must have size 1.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2]]).map(lambda x: fl.squeeze(x)).get_single_element()
    /// array([1, 2], dtype=int32)
    /// ```
    squeeze(input: Tensor, axis: Axis = Attribute::None) "tf.squeeze", infer::squeeze, Free, can_fail;
    /// The dimensions in the order `perm`, or reversed.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.transpose(x)).get_single_element()
    /// array([[1, 3],
    ///        [2, 4]], dtype=int32)
    /// ```
    transpose(a: Tensor, perm: Axis = Attribute::None) "tf.transpose", infer::transpose, Light;
    /// The size of each dimension.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2, 3]]).map(lambda x: fl.shape(x)).get_single_element()
    /// array([1, 3], dtype=int32)
    /// ```
    shape(input: Tensor, out_type: DType = DType::Int32) "tf.shape", infer::shape, Free;
    /// The number of values.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2, 3]]).map(lambda x: fl.size(x)).get_single_element()
    /// np.int32(3)
    /// ```
    size(input: Tensor, out_type: DType = DType::Int32) "tf.size", infer::size, Free;
    /// The number of dimensions.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2, 3]]).map(lambda x: fl.rank(x)).get_single_element()
    /// np.int32(2)
    /// ```
    rank(input: Tensor) "tf.rank", infer::rank, Free;
    /// The sum over some dimensions, or all. Integers wrap around; float16 and bfloat16 are added up as float32 and rounded
    /// once. The order of addition depends on the shape alone.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.reduce_sum(x, axis=0)).get_single_element()
    /// array([4, 6], dtype=int32)
    /// ```
    reduce_sum(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_sum", infer::reduce_numbers, Light;
    /// The mean over some dimensions, or all. That of integers is cut to an integer; that of nothing is not a number, of
    /// integers 0.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1.0, 2.0], [3.0, 5.0]]).map(lambda x: fl.reduce_mean(x, axis=1)).get_single_element()
    /// array([1.5, 4. ], dtype=float32)
    /// ```
    reduce_mean(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_mean", infer::reduce_numbers, Light;
    /// The largest value over some dimensions, or all; not a number if there is one. That of nothing is the type's smallest.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.reduce_max(x, axis=1)).get_single_element()
    /// array([2, 4], dtype=int32)
    /// ```
    reduce_max(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_max", infer::reduce_numbers, Light;
    /// The smallest value over some dimensions, or all; not a number if there is one. That of nothing is the type's largest.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.reduce_min(x, axis=1)).get_single_element()
    /// array([1, 3], dtype=int32)
    /// ```
    reduce_min(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_min", infer::reduce_numbers, Light;
    /// The product over some dimensions, or all. Integers wrap around; float16 and bfloat16 are multiplied as float32 and
    /// rounded once.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.reduce_prod(x, axis=1)).get_single_element()
    /// array([ 2, 12], dtype=int32)
    /// ```
    reduce_prod(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_prod", infer::reduce_numbers, Light;
    /// Whether any of the bools is true, over some dimensions, or all.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[True, False], [False, False]]).map(lambda x: fl.reduce_any(x, axis=1)).get_single_element()
    /// array([ True, False])
    /// ```
    reduce_any(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_any", infer::reduce_bools, Light;
    /// Whether all of the bools are true, over some dimensions, or all.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[True, False], [True, True]]).map(lambda x: fl.reduce_all(x, axis=1)).get_single_element()
    /// array([False,  True])
    /// ```
    reduce_all(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_all", infer::reduce_bools, Light;
    /// Numbers that lie in strings byte by byte: a new last dimension. All strings of an element must have one length, a
    /// multiple of the type's; anything else is an error of the element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors("abc").map(lambda x: fl.io.decode_raw(x, fl.uint8)).get_single_element()
    /// array([97, 98, 99], dtype=uint8)
    /// ```
    decode_raw(input_bytes: Tensor, out_type: DType, little_endian: Bool = true) "tf.io.decode_raw", infer::decode_raw, Light, can_fail;
    /// The contents of the file of that name. A file that cannot be read is an error of its element. It waits for storage, so
    /// many are read at a time.
    ///
    /// ```python
    /// >>> import feedline as fl, pathlib, tempfile
    /// >>> path = pathlib.Path(tempfile.mkdtemp(), "label.txt")
    /// >>> _ = path.write_text("cat")
    /// >>> fl.Dataset.from_tensors(str(path)).map(lambda x: fl.io.read_file(x)).get_single_element()
    /// b'cat'
    /// ```
    read_file(filename: Tensor) "tf.io.read_file", infer::file_contents, Io, can_fail, any_size;
    /// A dictionary of tensors from one `tf.train.Example`. Bytes stay views on the record. `VarLen` features come as
    /// sparse tensors, `Ragged` ones as plain tensors of one dimension. A record that lacks a feature without default, or
    /// has another type or number of values, is an error of its element.
    ///
    /// ```python
    /// >>> record = fl.io.example({"label": 3, "name": "cat"})
    /// >>> features = {"label": fl.io.FixedLenFeature([], fl.int64), "name": fl.io.FixedLenFeature([], fl.string)}
    /// >>> fl.Dataset.from_tensors(record).map(lambda x: fl.io.parse_single_example(x, features)).get_single_element()
    /// {'label': np.int64(3), 'name': b'cat'}
    /// ```
    parse_single_example(serialized: Tensor, features: Features)
        "tf.io.parse_single_example", infer::parse_single_example, Heavy, can_fail;
    /// As `parse_single_example`, for a batch of records: each tensor has the batch as its first dimension, and sequences
    /// are filled up to the longest of the batch. `VarLen` features come as sparse tensors, `Ragged` ones as ragged ones.
    ///
    /// ```python
    /// >>> records = [fl.io.example({"label": 3}), fl.io.example({"label": 5})]
    /// >>> features = {"label": fl.io.FixedLenFeature([], fl.int64)}
    /// >>> fl.Dataset.from_tensors(records).map(lambda x: fl.io.parse_example(x, features)).get_single_element()
    /// {'label': array([3, 5])}
    /// ```
    parse_example(serialized: Tensor, features: Features) "tf.io.parse_example", infer::parse_example, Heavy, can_fail;
    /// An error of its element if it holds a value that is infinite or not a number; the tensor otherwise.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices([1.0, 0.0]).map(lambda x: fl.debugging.check_numerics(1 / x, "1 / x"))
    /// >>> [float(x) for x in ds.ignore_errors()]
    /// [1.0]
    /// ```
    check_numerics(tensor: Tensor, message: Text) "tf.debugging.check_numerics", infer::float, Light, can_fail, by_value;
    /// Random numbers of one shape, uniform in [0, 1), a function of the seed and the element alone: the same whatever
    /// the number of threads, also after a resume.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.range(1000).map(lambda x: fl.random.uniform([], -1.0, 1.0, seed=3))
    /// >>> all(-1 <= x < 1 for x in ds)
    /// True
    /// ```
    random_uniform(shape: Shape, seed: Int) "tf.random.uniform (other values)", infer::random_uniform, Light, is_random;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn entries_are_complete_and_unique() {
        let names: BTreeSet<&str> = CATALOGUE.iter().map(|operation| operation.name).collect();
        assert_eq!(names.len(), CATALOGUE.len());
        for operation in CATALOGUE {
            assert!(!operation.doc.trim().is_empty(), "{}", operation.name);
            // The Python function and the reference page have it; Python's tests run it.
            assert!(operation.doc.contains("```python\n >>> "), "{} has no example", operation.name);
            assert!(Operation::find(operation.name).is_some());
        }
        let without_counterpart = CATALOGUE
            .iter()
            .filter(|operation| operation.tensorflow.is_empty())
            .map(|operation| operation.name);
        assert_eq!(without_counterpart.collect::<Vec<_>>(), ["decode_csv_record", "decode_json"]);
        assert!(Operation::find("floordiv").is_some_and(|o| o.can_fail && !o.is_random));
    }
}
