//! Numbers: functions of one and two, what is computed along a dimension, products of matrices.

use super::Operation;

catalogue! {
    "";
    /// Functions of numbers. All of them are in [`ops`](crate::ops), too.
    functions {}

    /// The sine of a float, an angle in radians.
    sin(x: Tensor) "tf.sin", infer::float, Light;
    /// The cosine of a float, an angle in radians.
    cos(x: Tensor) "tf.cos", infer::float, Light;
    /// The tangent of a float, an angle in radians.
    tan(x: Tensor) "tf.tan", infer::float, Light;
    /// The angle whose sine a float is; not a number beyond −1 and 1.
    asin(x: Tensor) "tf.asin", infer::float, Light;
    /// The angle whose cosine a float is; not a number beyond −1 and 1.
    acos(x: Tensor) "tf.acos", infer::float, Light;
    /// The angle whose tangent a float is.
    atan(x: Tensor) "tf.atan", infer::float, Light;
    /// The angle of the point with the coordinates `x` and `y`, from −π to π, with broadcasting.
    atan2(y: Tensor, x: Tensor) "tf.math.atan2", infer::float_pair, Light;
    /// The hyperbolic sine of a float.
    sinh(x: Tensor) "tf.sinh", infer::float, Light;
    /// The hyperbolic cosine of a float.
    cosh(x: Tensor) "tf.cosh", infer::float, Light;
    /// The hyperbolic tangent of a float.
    tanh(x: Tensor) "tf.tanh", infer::float, Light;
    /// The float whose hyperbolic sine this is.
    asinh(x: Tensor) "tf.asinh", infer::float, Light;
    /// The float whose hyperbolic cosine this is; not a number below 1.
    acosh(x: Tensor) "tf.acosh", infer::float, Light;
    /// The float whose hyperbolic tangent this is; not a number beyond −1 and 1.
    atanh(x: Tensor) "tf.atanh", infer::float, Light;
    /// `1 / (1 + exp(-x))`.
    sigmoid(x: Tensor) "tf.sigmoid", infer::float, Light;
    /// `log(1 + exp(x))`, also where `exp(x)` is larger than any float.
    softplus(features: Tensor) "tf.math.softplus", infer::float, Light;
    /// `exp(x) - 1`, exact also where `x` is small.
    expm1(x: Tensor) "tf.math.expm1", infer::float, Light;
    /// `1 / x`, of floats.
    reciprocal(x: Tensor) "tf.math.reciprocal", infer::float, Light;
    /// `(x - y) * (x - y)`, with broadcasting. Integers wrap around.
    squared_difference(x: Tensor, y: Tensor) "tf.math.squared_difference", infer::arithmetic, Light;
    /// `x / y` of floats, with broadcasting, and 0 where `y` is 0.
    divide_no_nan(x: Tensor, y: Tensor) "tf.math.divide_no_nan", infer::float_pair, Light;
    /// Either, but not both, of bools, with broadcasting.
    logical_xor(x: Tensor, y: Tensor) "tf.math.logical_xor", infer::logic, Light;

    /// The mean of the squared distances from the mean, of floats, over some dimensions, or all. It is computed in double precision
    /// and rounded once. That of nothing is not a number.
    reduce_variance(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.math.reduce_variance", infer::reduce_floats, Light;
    /// The root of `reduce_variance`.
    reduce_std(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.math.reduce_std", infer::reduce_floats, Light;
    /// `log(sum(exp(x)))` of floats over some dimensions, or all, also where `exp(x)` is larger than any float. Computed in double
    /// precision.
    reduce_logsumexp(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.math.reduce_logsumexp", infer::reduce_floats, Light;
    /// The root of the sum of squares, of floats, over some dimensions, or all. Computed in double precision.
    reduce_euclidean_norm(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.math.reduce_euclidean_norm", infer::reduce_floats, Light;
    /// Where the largest value along a dimension is, the first of equal ones; the dimension goes. Not a number is never the largest. A
    /// dimension without values is an error of its element.
    argmax(input: Tensor, axis: Int = 0, output_type: DType = DType::Int64) "tf.argmax", infer::argmax, Light, can_fail;
    /// Where the smallest value along a dimension is, the first of equal ones; the dimension goes.
    argmin(input: Tensor, axis: Int = 0, output_type: DType = DType::Int64) "tf.argmin", infer::argmax, Light, can_fail;

    /// `exp(x)` divided by its sum along a dimension: positive floats that add up to 1.
    softmax(logits: Tensor, axis: Int = -1) "tf.nn.softmax", infer::floats_along, Light;
    /// The logarithm of `softmax`, also where that is 0.
    log_softmax(logits: Tensor, axis: Int = -1) "tf.nn.log_softmax", infer::floats_along, Light;
    /// The tensor divided by the root of its sum of squares over some dimensions, or all. That sum is `epsilon` at least.
    l2_normalize(x: Tensor, axis: Axis = Attribute::None, epsilon: Float = 1e-12)
        "tf.math.l2_normalize", infer::l2_normalize, Light;
    /// The sums of what comes first along a dimension: `cumsum([a, b, c])` is `[a, a + b, a + b + c]`, and `[0, a, a + b]` if it is
    /// `exclusive`; with `reverse` from the end. Integers wrap around; float16 and bfloat16 are added up as float32.
    cumsum(x: Tensor, axis: Int = 0, exclusive: Bool = false, reverse: Bool = false) "tf.cumsum", infer::numbers_along, Light;
    /// The products of what comes first along a dimension, as `cumsum` has the sums.
    cumprod(x: Tensor, axis: Int = 0, exclusive: Bool = false, reverse: Bool = false)
        "tf.math.cumprod", infer::numbers_along, Light;
    /// The numbers along a dimension in order; `direction` is `ASCENDING` or `DESCENDING`. Not a number comes last.
    sort(values: Tensor, axis: Int = -1, direction: Text) "tf.sort", infer::sorted, Light;
    /// Where the numbers along a dimension are that `sort` gives, as int32; of equal ones the first comes first.
    argsort(values: Tensor, axis: Int = -1, direction: Text) "tf.argsort", infer::argsorted, Light;
    /// The `k` largest values of the last dimension and where they are (int32), the largest first; of equal ones the first comes first.
    /// They are in order whatever `sorted` says.
    top_k(input: Tensor, k: Int = 1, sorted: Bool = true) "tf.math.top_k", infer::top_k, Light, can_fail;
    /// Where each value would have to be put into a sequence in order: as many places as there are smaller values (`side` is
    /// `left`), or not larger ones (`right`). Both have the same dimensions before the last.
    searchsorted(sorted_sequence: Tensor, values: Tensor, side: Text, out_type: DType = DType::Int32)
        "tf.searchsorted", infer::searchsorted, Light, can_fail;
    /// How many of the `boundaries`, which are in order, are not above each number, as int32.
    bucketize(input: Tensor, boundaries: Floats) "tf.raw_ops.Bucketize", infer::bucketize, Light;

    /// The product of two matrices, or of two stacks of matrices, whose other dimensions are broadcast. With `transpose_a` the first is
    /// turned first, with `transpose_b` the second. Integers wrap around; float16 and bfloat16 are added up as float32.
    matmul(a: Tensor, b: Tensor, transpose_a: Bool = false, transpose_b: Bool = false)
        "tf.matmul", infer::matmul, Heavy, can_fail;
    /// Products summed over the letters the result does not have: `einsum([a, b], "ij,jk->ik")` is the product of two matrices. An
    /// ellipsis stands for dimensions without letters, which are broadcast: `...ij,...jk->...ik`. `->` may be left out: then the result has
    /// those of an ellipsis, and the letters that occur once, in the order of the alphabet.
    einsum(inputs: Tensors, equation: Text) "tf.einsum", infer::einsum, Heavy, can_fail;
}
