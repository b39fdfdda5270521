//! Numbers: functions of one and two, what is computed along a dimension, products of matrices.

use super::Operation;

catalogue! {
    "";
    /// Functions of numbers. All of them are in [`ops`](crate::ops), too.
    functions {}

    /// The sine of a float, an angle in radians.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.sin(x)).get_single_element().round(4)
    /// array([0.    , 0.8415], dtype=float32)
    /// ```
    sin(x: Tensor) "tf.sin", infer::float, Light, by_value;
    /// The cosine of a float, an angle in radians.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.cos(x)).get_single_element().round(4)
    /// array([1.    , 0.5403], dtype=float32)
    /// ```
    cos(x: Tensor) "tf.cos", infer::float, Light, by_value;
    /// The tangent of a float, an angle in radians.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.tan(x)).get_single_element().round(4)
    /// array([0.    , 1.5574], dtype=float32)
    /// ```
    tan(x: Tensor) "tf.tan", infer::float, Light, by_value;
    /// The angle whose sine a float is; not a number beyond −1 and 1.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.asin(x)).get_single_element().round(4)
    /// array([0.    , 1.5708], dtype=float32)
    /// ```
    asin(x: Tensor) "tf.asin", infer::float, Light, by_value;
    /// The angle whose cosine a float is; not a number beyond −1 and 1.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.acos(x)).get_single_element().round(4)
    /// array([1.5708, 0.    ], dtype=float32)
    /// ```
    acos(x: Tensor) "tf.acos", infer::float, Light, by_value;
    /// The angle whose tangent a float is.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.atan(x)).get_single_element().round(4)
    /// array([0.    , 0.7854], dtype=float32)
    /// ```
    atan(x: Tensor) "tf.atan", infer::float, Light, by_value;
    /// The angle of the point with the coordinates `x` and `y`, from −π to π, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.0, -1.0]).map(lambda x: fl.math.atan2(x, 1.0)).get_single_element().round(4)
    /// array([ 0.7854, -0.7854], dtype=float32)
    /// ```
    atan2(y: Tensor, x: Tensor) "tf.math.atan2", infer::float_pair, Light, by_value;
    /// The hyperbolic sine of a float.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.sinh(x)).get_single_element().round(4)
    /// array([0.    , 1.1752], dtype=float32)
    /// ```
    sinh(x: Tensor) "tf.sinh", infer::float, Light, by_value;
    /// The hyperbolic cosine of a float.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.cosh(x)).get_single_element().round(4)
    /// array([1.    , 1.5431], dtype=float32)
    /// ```
    cosh(x: Tensor) "tf.cosh", infer::float, Light, by_value;
    /// The hyperbolic tangent of a float.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.tanh(x)).get_single_element().round(4)
    /// array([0.    , 0.7616], dtype=float32)
    /// ```
    tanh(x: Tensor) "tf.tanh", infer::float, Light, by_value;
    /// The float whose hyperbolic sine this is.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.asinh(x)).get_single_element().round(4)
    /// array([0.    , 0.8814], dtype=float32)
    /// ```
    asinh(x: Tensor) "tf.asinh", infer::float, Light, by_value;
    /// The float whose hyperbolic cosine this is; not a number below 1.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.0, 2.0]).map(lambda x: fl.acosh(x)).get_single_element().round(4)
    /// array([0.   , 1.317], dtype=float32)
    /// ```
    acosh(x: Tensor) "tf.acosh", infer::float, Light, by_value;
    /// The float whose hyperbolic tangent this is; not a number beyond −1 and 1.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 0.5]).map(lambda x: fl.atanh(x)).get_single_element().round(4)
    /// array([0.    , 0.5493], dtype=float32)
    /// ```
    atanh(x: Tensor) "tf.atanh", infer::float, Light, by_value;
    /// `1 / (1 + exp(-x))`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 2.0]).map(lambda x: fl.sigmoid(x)).get_single_element().round(4)
    /// array([0.5   , 0.8808], dtype=float32)
    /// ```
    sigmoid(x: Tensor) "tf.sigmoid", infer::float, Light, by_value;
    /// `log(1 + exp(x))`, also where `exp(x)` is larger than any float.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 100.0]).map(lambda x: fl.math.softplus(x)).get_single_element().round(4)
    /// array([  0.6931, 100.    ], dtype=float32)
    /// ```
    softplus(features: Tensor) "tf.math.softplus", infer::float, Light, by_value;
    /// `exp(x) - 1`, exact also where `x` is small.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.math.expm1(x)).get_single_element().round(4)
    /// array([0.    , 1.7183], dtype=float32)
    /// ```
    expm1(x: Tensor) "tf.math.expm1", infer::float, Light, by_value;
    /// `1 / x`, of floats.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([2.0, 4.0]).map(lambda x: fl.math.reciprocal(x)).get_single_element()
    /// array([0.5 , 0.25], dtype=float32)
    /// ```
    reciprocal(x: Tensor) "tf.math.reciprocal", infer::float, Light, by_value;
    /// `(x - y) * (x - y)`, with broadcasting. Integers wrap around.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 5]).map(lambda x: fl.math.squared_difference(x, 3)).get_single_element()
    /// array([4, 4], dtype=int32)
    /// ```
    squared_difference(x: Tensor, y: Tensor) "tf.math.squared_difference", infer::arithmetic, Light, by_value;
    /// `x / y` of floats, with broadcasting, and 0 where `y` is 0.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([2.0, 0.0]).map(lambda x: fl.math.divide_no_nan(1.0, x)).get_single_element()
    /// array([0.5, 0. ], dtype=float32)
    /// ```
    divide_no_nan(x: Tensor, y: Tensor) "tf.math.divide_no_nan", infer::float_pair, Light, by_value;
    /// Either, but not both, of bools, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([True, False]).map(lambda x: fl.math.logical_xor(x, True)).get_single_element()
    /// array([False,  True])
    /// ```
    logical_xor(x: Tensor, y: Tensor) "tf.math.logical_xor", infer::logic, Light, by_value;

    /// The mean of the squared distances from the mean, of floats, over some dimensions, or all. It is computed in double precision
    /// and rounded once. That of nothing is not a number.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1.0, 3.0], [2.0, 2.0]]).map(lambda x: fl.math.reduce_variance(x, axis=1)).get_single_element()
    /// array([1., 0.], dtype=float32)
    /// ```
    reduce_variance(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.math.reduce_variance", infer::reduce_floats, Light;
    /// The root of `reduce_variance`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1.0, 3.0], [2.0, 2.0]]).map(lambda x: fl.math.reduce_std(x, axis=1)).get_single_element()
    /// array([1., 0.], dtype=float32)
    /// ```
    reduce_std(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.math.reduce_std", infer::reduce_floats, Light;
    /// `log(sum(exp(x)))` of floats over some dimensions, or all, also where `exp(x)` is larger than any float. Computed in double
    /// precision.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[0.0, 0.0], [100.0, 100.0]]).map(lambda x: fl.reduce_logsumexp(x, axis=1)).get_single_element().round(4)
    /// array([  0.6931, 100.6931], dtype=float32)
    /// ```
    reduce_logsumexp(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.math.reduce_logsumexp", infer::reduce_floats, Light;
    /// The root of the sum of squares over some dimensions, or all. Of floats computed in double precision; of integers squares and their sum wrap around, as
    /// TensorFlow's do, and the root is rounded down.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[3.0, 4.0], [6.0, 8.0]]).map(lambda x: fl.math.reduce_euclidean_norm(x, axis=1)).get_single_element()
    /// array([ 5., 10.], dtype=float32)
    /// ```
    reduce_euclidean_norm(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.math.reduce_euclidean_norm", infer::reduce_numbers, Light;
    /// Where the largest value along a dimension is, the first of equal ones; the dimension goes. Not a number is never the largest. A
    /// dimension without values is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.argmax(x)).get_single_element()
    /// np.int64(1)
    /// ```
    argmax(input: Tensor, axis: Int = 0, output_type: DType = DType::Int64) "tf.argmax", infer::argmax, Light, can_fail;
    /// Where the smallest value along a dimension is, the first of equal ones; the dimension goes.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.argmin(x)).get_single_element()
    /// np.int64(0)
    /// ```
    argmin(input: Tensor, axis: Int = 0, output_type: DType = DType::Int64) "tf.argmin", infer::argmax, Light, can_fail;

    /// `exp(x)` divided by its sum along a dimension: positive floats that add up to 1.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.0, 1.0, 3.0]).map(lambda x: fl.nn.softmax(x)).get_single_element().round(4)
    /// array([0.1065, 0.1065, 0.787 ], dtype=float32)
    /// ```
    softmax(logits: Tensor, axis: Int = -1) "tf.nn.softmax", infer::floats_along, Light;
    /// The logarithm of `softmax`, also where that is 0.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.0, 1.0, 3.0]).map(lambda x: fl.nn.log_softmax(x)).get_single_element().round(4)
    /// array([-2.2395, -2.2395, -0.2395], dtype=float32)
    /// ```
    log_softmax(logits: Tensor, axis: Int = -1) "tf.nn.log_softmax", infer::floats_along, Light;
    /// The tensor divided by the root of its sum of squares over some dimensions, or all. That sum is `epsilon` at least.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([3.0, 4.0]).map(lambda x: fl.math.l2_normalize(x)).get_single_element()
    /// array([0.6, 0.8], dtype=float32)
    /// ```
    l2_normalize(x: Tensor, axis: Axis = Attribute::None, epsilon: Float = 1e-12)
        "tf.math.l2_normalize", infer::l2_normalize, Light;
    /// The sums of what comes first along a dimension: `cumsum([a, b, c])` is `[a, a + b, a + b + c]`, and `[0, a, a + b]` if it is
    /// `exclusive`; with `reverse` from the end. Integers wrap around; float16 and bfloat16 are added up as float32.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.cumsum(x)).get_single_element()
    /// array([1, 3, 6], dtype=int32)
    /// ```
    cumsum(x: Tensor, axis: Int = 0, exclusive: Bool = false, reverse: Bool = false) "tf.cumsum", infer::numbers_along, Light;
    /// The products of what comes first along a dimension, as `cumsum` has the sums.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.math.cumprod(x)).get_single_element()
    /// array([1, 2, 6], dtype=int32)
    /// ```
    cumprod(x: Tensor, axis: Int = 0, exclusive: Bool = false, reverse: Bool = false)
        "tf.math.cumprod", infer::numbers_along, Light;
    /// The numbers along a dimension in order; `direction` is `ASCENDING` or `DESCENDING`. Not a number comes last.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.sort(x, direction="DESCENDING")).get_single_element()
    /// array([9, 5, 3], dtype=int32)
    /// ```
    sort(values: Tensor, axis: Int = -1, direction: Text) "tf.sort", infer::sorted, Light;
    /// Where the numbers along a dimension are that `sort` gives, as int32; of equal ones the first comes first.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.argsort(x)).get_single_element()
    /// array([0, 2, 1], dtype=int32)
    /// ```
    argsort(values: Tensor, axis: Int = -1, direction: Text) "tf.argsort", infer::argsorted, Light;
    /// The `k` largest values of the last dimension and where they are (int32), the largest first; of equal ones the first comes first.
    /// They are in order whatever `sorted` says.
    ///
    /// ```python
    /// >>> values, indices = fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.math.top_k(x, k=2)).get_single_element()
    /// >>> print(values, indices)
    /// [9 5] [1 2]
    /// ```
    top_k(input: Tensor, k: Int = 1, sorted: Bool = true) "tf.math.top_k", infer::top_k, Light, can_fail;
    /// Where each value would have to be put into a sequence in order: as many places as there are smaller values (`side` is
    /// `left`), or not larger ones (`right`). There is a row of the sequence for each row of values.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0, 4, 9]).map(lambda x: fl.searchsorted([1, 4, 6], x)).get_single_element()
    /// array([0, 1, 3], dtype=int32)
    /// ```
    searchsorted(sorted_sequence: Tensor, values: Tensor, side: Text, out_type: DType = DType::Int32)
        "tf.searchsorted", infer::searchsorted, Light, can_fail;
    /// How many of the `boundaries`, which are in order, are not above each number, as int32.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0, 15, 90]).map(lambda x: fl.math.bucketize(x, boundaries=[10, 50])).get_single_element()
    /// array([0, 1, 2], dtype=int32)
    /// ```
    bucketize(input: Tensor, boundaries: Floats) "tf.raw_ops.Bucketize", infer::bucketize, Light, by_value;

    /// The product of two matrices, or of two stacks of matrices, whose other dimensions are broadcast. With `transpose_a` the first is
    /// turned first, with `transpose_b` the second. Integers wrap around; float16 and bfloat16 are added up as float32.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.matmul(x, x, transpose_b=True)).get_single_element()
    /// array([[ 5, 11],
    ///        [11, 25]], dtype=int32)
    /// ```
    matmul(a: Tensor, b: Tensor, transpose_a: Bool = false, transpose_b: Bool = false)
        "tf.matmul", infer::matmul, Heavy, can_fail;
    /// Products summed over the letters the result does not have: `einsum([a, b], "ij,jk->ik")` is the product of two matrices. An
    /// ellipsis stands for dimensions without letters, which are broadcast: `...ij,...jk->...ik`. `->` may be left out: then the result has
    /// those of an ellipsis, and the letters that occur once, in the order of the alphabet.
    ///
    /// ```python
    /// >>> a = fl.Dataset.from_tensors([[1, 2], [3, 4]])
    /// >>> print(next(iter(a.map(lambda x: fl.einsum("ij,kj->ik", x, x)))))
    /// [[ 5 11]
    ///  [11 25]]
    /// ```
    einsum(inputs: Tensors, equation: Text) "tf.einsum", infer::einsum, Heavy, can_fail;
}
