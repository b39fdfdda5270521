//! Choices and loops, as calls that carry functions. Users write them with the functions of [`crate::expr::control`].

use super::Operation;

catalogue! {
    "";
    /// Calls that carry functions, each with the values its functions use besides their own arguments. The functions of
    /// [`ops`](crate::ops) make them of code.
    functions {}

    /// What the first function gives where the condition holds, and the second elsewhere. What the other would have computed is not
    /// computed, so its errors do not occur. Written `cond(pred, true_fn, false_fn)`; values the functions use are computed before.
    ///
    /// ```python
    /// >>> halves = fl.Dataset.range(4).map(lambda x: fl.cond(x > 0, lambda: 6 // x, lambda: x))
    /// >>> [int(x) for x in halves]
    /// [0, 6, 3, 2]
    /// ```
    cond(pred: Condition, captures: Tensors, functions: Functions) "tf.cond", infer::cond, Heavy, can_fail, any_size;
    /// What function number `branch_index` gives; the last where there is none of that number.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.range(3).map(lambda x: fl.switch_case(x, [lambda: x + 10, lambda: x + 20, lambda: x * 0]))
    /// >>> [int(x) for x in ds]
    /// [10, 21, 0]
    /// ```
    switch_case(branch_index: Indices, captures: Tensors, functions: Functions)
        "tf.switch_case", infer::switch_case, Heavy, can_fail, any_size;
    /// The first `num_vars` values after the second function was applied to them as long as the first one says so, `maximum_iterations` times
    /// at most. Random values differ from time to time. Shapes may change.
    ///
    /// ```python
    /// >>> def digits(x):
    /// ...     count, _ = fl.while_loop(lambda n, x: x > 0, lambda n, x: (n + 1, x // 10), (0, x), maximum_iterations=20)
    /// ...     return count
    /// >>> [int(x) for x in fl.Dataset.from_tensor_slices([0, 7, 12345]).map(digits)]
    /// [0, 1, 5]
    /// ```
    while_loop(values: Tensors, num_vars: Int, maximum_iterations: Int, functions: Functions)
        "tf.while_loop", infer::while_loop, Heavy, can_fail, any_size;
    /// What the function gives for each entry of the first dimension of the first `num_elems` values, stacked. Results of different
    /// shapes are an error of the element. Random values differ from entry to entry.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.map_fn(fl.reduce_sum, x))
    /// >>> print(next(iter(ds)))
    /// [3 7]
    /// ```
    map_fn(values: Tensors, num_elems: Int, functions: Functions) "tf.map_fn", infer::map_fn, Heavy, can_fail, any_size;
    /// The states, the first `num_states` values, after the function was applied to them and to the entries of the next `num_elems`,
    /// one after the other.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.foldl(lambda total, entry: total * 10 + entry, x)).get_single_element()
    /// np.int32(123)
    /// ```
    foldl(values: Tensors, num_states: Int, num_elems: Int, functions: Functions) "tf.foldl", infer::foldl, Heavy, can_fail, any_size;
    /// As `foldl`, all states on the way, stacked.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: (fl.scan(lambda a, b: a + b, x), fl.scan(lambda a, b: a + b, x, reverse=True)))
    /// >>> next(iter(ds))
    /// (array([1, 3, 6], dtype=int32), array([6, 5, 3], dtype=int32))
    /// ```
    scan(values: Tensors, num_states: Int, num_elems: Int, functions: Functions) "tf.scan", infer::scan, Heavy, can_fail, any_size;
}
