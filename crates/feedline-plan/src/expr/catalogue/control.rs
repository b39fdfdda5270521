//! Choices and loops, as calls that carry functions. Users write them with the functions of [`crate::expr::control`].

use super::Operation;

catalogue! {
    "";
    /// Calls that carry functions, each with the values its functions use besides their own arguments. The functions of
    /// [`ops`](crate::ops) make them of code.
    functions {}

    /// What the first function gives where the condition holds, and the second elsewhere. What the other would have computed is not
    /// computed, so its errors do not occur. Written `cond(pred, true_fn, false_fn)`; values the functions use are computed before.
    cond(pred: Condition, captures: Tensors, functions: Functions) "tf.cond", infer::cond, Heavy, can_fail, any_size;
    /// What function number `branch_index` gives; the last where there is none of that number.
    switch_case(branch_index: Indices, captures: Tensors, functions: Functions)
        "tf.switch_case", infer::switch_case, Heavy, can_fail, any_size;
    /// The first `num_vars` values after the second function was applied to them as long as the first one says so, `maximum_iterations` times
    /// at most. Random values differ from time to time. Shapes may change.
    while_loop(values: Tensors, num_vars: Int, maximum_iterations: Int, functions: Functions)
        "tf.while_loop", infer::while_loop, Heavy, can_fail, any_size;
    /// What the function gives for each entry of the first dimension of the first `num_elems` values, stacked. Results of different
    /// shapes are an error of the element. Random values differ from entry to entry.
    map_fn(values: Tensors, num_elems: Int, functions: Functions) "tf.map_fn", infer::map_fn, Heavy, can_fail, any_size;
    /// The states, the first `num_states` values, after the function was applied to them and to the entries of the next `num_elems`,
    /// one after the other.
    foldl(values: Tensors, num_states: Int, num_elems: Int, functions: Functions) "tf.foldl", infer::foldl, Heavy, can_fail, any_size;
    /// As `foldl`, all states on the way, stacked.
    scan(values: Tensors, num_states: Int, num_elems: Int, functions: Functions) "tf.scan", infer::scan, Heavy, can_fail, any_size;
}
