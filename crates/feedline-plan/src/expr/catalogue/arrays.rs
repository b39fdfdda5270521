//! Tensors made, repeated, cut, padded and picked from.
//!
//! Where a size is a tensor, it may be the same for every element, and then the plan knows the result's shape; or it is computed for each.

use super::Operation;

catalogue! {
    "";
    /// Tensors made and taken apart. All of them are in [`ops`](crate::ops), too.
    functions {}

    /// Zeros of one shape, the same for every element.
    ///
    /// ```python
    /// >>> print(next(iter(fl.Dataset.range(2, 3).map(lambda n: fl.zeros([n, 2])))))
    /// [[0. 0.]
    ///  [0. 0.]]
    /// ```
    zeros(shape: Shape, dtype: DType = DType::Float32) "tf.zeros", infer::zeros, Light;
    /// Ones of one shape, the same for every element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([7, 8]).map(lambda x: fl.ones([2], x.dtype)).get_single_element()
    /// array([1, 1], dtype=int32)
    /// ```
    ones(shape: Shape, dtype: DType = DType::Float32) "tf.ones", infer::zeros, Light;
    /// A matrix with ones on its diagonal and zeros elsewhere; as many columns as rows where `num_columns` is left out.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(0).map(lambda x: fl.eye(2, 3, dtype=fl.int32)).get_single_element()
    /// array([[1, 0, 0],
    ///        [0, 1, 0]], dtype=int32)
    /// ```
    eye(num_rows: Int, num_columns: Axis = Attribute::None, dtype: DType = DType::Float32) "tf.eye", infer::eye, Light;
    /// Zeros (false, empty strings) of the shape and type of a tensor.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([7.0, 8.0]).map(lambda x: fl.zeros_like(x)).get_single_element()
    /// array([0., 0.], dtype=float32)
    /// ```
    zeros_like(input: Tensor) "tf.zeros_like", infer::same, Light;
    /// Ones (true) of the shape and type of a tensor.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([7.0, 8.0]).map(lambda x: fl.ones_like(x)).get_single_element()
    /// array([1., 1.], dtype=float32)
    /// ```
    ones_like(input: Tensor) "tf.ones_like", infer::ones_like, Light;
    /// A tensor of the shape `dims` with one value throughout.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(7).map(lambda x: fl.fill([2, 2], x)).get_single_element()
    /// array([[7, 7],
    ///        [7, 7]], dtype=int32)
    /// ```
    fill(dims: Indices, value: Tensor) "tf.fill", infer::fill, Light, can_fail, any_size;
    /// Numbers from `start` to before `limit`, `delta` apart. A `delta` of 0 is an error of its element, and so is one of the wrong
    /// sign.
    ///
    /// ```python
    /// >>> [list(map(int, x)) for x in fl.Dataset.range(1, 4).map(lambda n: fl.range(n))]
    /// [[0], [0, 1], [0, 1, 2]]
    /// ```
    range(start: Tensor, limit: Tensor, delta: Tensor) "tf.range", infer::range, Light, can_fail, any_size;
    /// `num` floats from `start` to `stop`, evenly spaced: numbers, or tensors that are broadcast, between which the new dimension `axis` lies.
    ///
    /// ```python
    /// >>> next(iter(fl.Dataset.from_tensors([0.0, 10.0]).map(lambda x: fl.linspace(x, x + 4.0, 3, axis=-1))))
    /// array([[ 0.,  2.,  4.],
    ///        [10., 12., 14.]], dtype=float32)
    /// ```
    linspace(start: Tensor, stop: Tensor, num: IntOrTensor, axis: Int = 0) "tf.linspace", infer::linspace, Light, can_fail;
    /// The tensor as often as `multiples` says, a number a dimension: `tile([1, 2], [2])` is `[1, 2, 1, 2]`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.tile(x, [2])).get_single_element()
    /// array([1, 2, 1, 2], dtype=int32)
    /// ```
    tile(input: Tensor, multiples: Indices) "tf.tile", infer::tile, Light, can_fail, any_size;
    /// Each entry of a dimension as often as `repeats` says, one number for all or one for each: `repeat([1, 2], 2)` is
    /// `[1, 1, 2, 2]`. Without `axis` all values are taken one by one.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.repeat(x, [3, 1])).get_single_element()
    /// array([1, 1, 1, 2], dtype=int32)
    /// ```
    repeat(input: Tensor, repeats: Indices, axis: Axis = Attribute::None) "tf.repeat", infer::repeat, Light, can_fail, any_size;
    /// Some dimensions from their end to their beginning.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.reverse(x, [0])).get_single_element()
    /// array([3, 2, 1], dtype=int32)
    /// ```
    reverse(tensor: Tensor, axis: Axis) "tf.reverse", infer::reverse, Light;
    /// The entries of some dimensions `shift` places further; those that would lie beyond the end come first. Dimensions may be named
    /// twice.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.roll(x, shift=1, axis=0)).get_single_element()
    /// array([3, 1, 2], dtype=int32)
    /// ```
    roll(input: Tensor, shift: Indices, axis: Axis) "tf.roll", infer::roll, Light, can_fail;
    /// The tensor with more around it: `paddings` has how many entries come before and behind each dimension. `mode` is `CONSTANT`
    /// (of `constant_values`), `REFLECT` (mirrored, without the entry at the edge) or `SYMMETRIC` (with it).
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.pad(x, [[2, 1]], "REFLECT")).get_single_element()
    /// array([3, 2, 1, 2, 3, 2], dtype=int32)
    /// ```
    pad(tensor: Tensor, paddings: Indices, constant_values: Tensor, mode: Text) "tf.pad", infer::pad, Light, can_fail, any_size;
    /// The tensor stretched to a shape it broadcasts to.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.broadcast_to(x, [2, 2])).get_single_element()
    /// array([[1, 2],
    ///        [1, 2]], dtype=int32)
    /// ```
    broadcast_to(input: Tensor, shape: Indices) "tf.broadcast_to", infer::broadcast_to, Light, can_fail, any_size;
    /// The same values in the shape a tensor has as its values; one dimension may be −1. `reshape` where the shape is
    /// known.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3, 4]).map(lambda x: fl.reshape(x, [fl.size(x) // 2, 2])).get_single_element()
    /// array([[1, 2],
    ///        [3, 4]], dtype=int32)
    /// ```
    reshape_to(tensor: Tensor, shape: Indices) "tf.reshape", infer::reshape_to, Free, can_fail;
    /// The tensor, whose shape is known from here on; one that does not fit is an error of its element.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices(["ab", "cd"]).map(lambda x: fl.ensure_shape(fl.io.decode_raw(x, fl.uint8), [2]))
    /// >>> ds.element_spec
    /// TensorSpec(shape=(2,), dtype=fl.uint8)
    /// ```
    ensure_shape(x: Tensor, shape: Shape) "tf.ensure_shape", infer::ensure_shape, Free, can_fail;
    /// The part of a tensor that begins at `begin` and has the size `size`, a number a dimension; a size of −1 is all that is left. A
    /// part that is not within the tensor is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2, 3], [4, 5, 6]]).map(lambda x: fl.slice(x, [0, 1], [2, 2])).get_single_element()
    /// array([[2, 3],
    ///        [5, 6]], dtype=int32)
    /// ```
    slice(input_: Tensor, begin: Indices, size: Indices) "tf.slice", infer::slice, Light, can_fail, joins_decoding;
    /// Several parts of a tensor along a dimension: so many of equal size, or of the sizes given, one of which may be −1.
    ///
    /// ```python
    /// >>> a, b = fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: tuple(fl.split(x, [1, 2]))).get_single_element()
    /// >>> print(a, b)
    /// [1] [2 3]
    /// ```
    split(value: Tensor, num_or_size_splits: Axis, axis: Int = 0) "tf.split", infer::split, Light, can_fail;
    /// The entries of a dimension one by one. How many there are must be known, or said by `num`.
    ///
    /// ```python
    /// >>> a, b = fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: tuple(fl.unstack(x))).get_single_element()
    /// >>> print(a, b)
    /// [1 2] [3 4]
    /// ```
    unstack(value: Tensor, num: Axis = Attribute::None, axis: Int = 0) "tf.unstack", infer::unstack, Light, can_fail;
    /// The entries of `params` at the places the last dimension of `indices` has. A place outside is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.gather_nd(x, [[0, 1], [1, 0]])).get_single_element()
    /// array([2, 3], dtype=int32)
    /// ```
    gather_nd(params: Tensor, indices: Indices) "tf.gather_nd", infer::gather_nd, Light, can_fail;
    /// A tensor of zeros of a shape, with `updates` added at the places the last dimension of `indices` has. A place outside is an error
    /// of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([7, 8]).map(lambda x: fl.scatter_nd([[3], [1]], x, [5])).get_single_element()
    /// array([0, 8, 0, 7, 0], dtype=int32)
    /// ```
    scatter_nd(indices: Indices, updates: Tensor, shape: Indices) "tf.scatter_nd", infer::scatter_nd, Light, can_fail;
    /// The tensor with `updates` instead of what is at the places the last dimension of `indices` has; of two updates of one place the
    /// last stays.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.tensor_scatter_nd_update(x, [[1]], [20])).get_single_element()
    /// array([ 1, 20,  3], dtype=int32)
    /// ```
    tensor_scatter_nd_update(tensor: Tensor, indices: Indices, updates: Tensor)
        "tf.tensor_scatter_nd_update", infer::scatter_update, Light, can_fail;
    /// The entries whose place in `mask` is true; the dimensions of the mask, from dimension `axis` on, become one.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.boolean_mask(x, x != 2)).get_single_element()
    /// array([1, 3], dtype=int32)
    /// ```
    boolean_mask(tensor: Tensor, mask: Condition, axis: Int = 0) "tf.boolean_mask", infer::boolean_mask, Light, can_fail;
    /// The places of all that is true: a row of int64 for each. (`where` of a condition alone.)
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0, 7, 8]).map(lambda x: fl.where(x > 0)).get_single_element()
    /// array([[1],
    ///        [2]])
    /// ```
    true_indices(condition: Condition) "tf.where", infer::true_indices, Light;
    /// The different values of a tensor of one dimension, in the order they come first in, and for each value which of these it is.
    ///
    /// ```python
    /// >>> words, index = fl.Dataset.from_tensors(["b", "a", "b"]).map(lambda x: fl.unique(x)).get_single_element()
    /// >>> print(words, index)
    /// [b'b' b'a'] [0 1 0]
    /// ```
    unique(x: Tensor, out_idx: DType = DType::Int32) "tf.unique", infer::unique, Light, can_fail;
    /// As `unique`, and how often each occurs.
    ///
    /// ```python
    /// >>> words, index, count = fl.Dataset.from_tensors(["b", "a", "b"]).map(lambda x: fl.unique_with_counts(x)).get_single_element()
    /// >>> print(words, count)
    /// [b'b' b'a'] [2 1]
    /// ```
    unique_with_counts(x: Tensor, out_idx: DType = DType::Int32)
        "tf.unique_with_counts", infer::unique_with_counts, Light, can_fail;
}
