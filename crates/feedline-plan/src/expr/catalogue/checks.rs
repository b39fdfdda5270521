//! Checks: each gives its first tensor, and an error where it is not as said. `fl.debugging` in Python.

use super::Operation;

catalogue! {
    "";
    /// Checks. All of them are in [`ops`](crate::ops), too.
    functions {}

    /// `x`, if it equals `y` everywhere, with broadcasting; else an error of its element with `message` and the values.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_equal(x, 2))
    /// >>> [int(x) for x in ds.ignore_errors()]
    /// [2]
    /// ```
    assert_equal(x: Tensor, y: Tensor, message: Text) "tf.debugging.assert_equal", infer::checked_equal, Light, can_fail;
    /// `x`, if it equals `y` nowhere, with broadcasting; else an error of its element.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_none_equal(x, 2))
    /// >>> [int(x) for x in ds.ignore_errors()]
    /// [1, 3]
    /// ```
    assert_none_equal(x: Tensor, y: Tensor, message: Text)
        "tf.debugging.assert_none_equal", infer::checked_equal, Light, can_fail;
    /// `x`, if it is below `y` everywhere, with broadcasting; else an error of its element.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_less(x, 2))
    /// >>> [int(x) for x in ds.ignore_errors()]
    /// [1]
    /// ```
    assert_less(x: Tensor, y: Tensor, message: Text) "tf.debugging.assert_less", infer::checked_pair, Light, can_fail;
    /// `x`, if it is below `y` or equals it everywhere, with broadcasting; else an error of its element.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_less_equal(x, 2))
    /// >>> [int(x) for x in ds.ignore_errors()]
    /// [1, 2]
    /// ```
    assert_less_equal(x: Tensor, y: Tensor, message: Text)
        "tf.debugging.assert_less_equal", infer::checked_pair, Light, can_fail;
    /// `x`, if it is above `y` everywhere, with broadcasting; else an error of its element.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_greater(x, 2))
    /// >>> [int(x) for x in ds.ignore_errors()]
    /// [3]
    /// ```
    assert_greater(x: Tensor, y: Tensor, message: Text) "tf.debugging.assert_greater", infer::checked_pair, Light, can_fail;
    /// `x`, if it is above `y` or equals it everywhere, with broadcasting; else an error of its element.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_greater_equal(x, 2))
    /// >>> [int(x) for x in ds.ignore_errors()]
    /// [2, 3]
    /// ```
    assert_greater_equal(x: Tensor, y: Tensor, message: Text)
        "tf.debugging.assert_greater_equal", infer::checked_pair, Light, can_fail;
    /// `x`, if it has so many dimensions; else an error: of the plan where the number is known, else of the element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.debugging.assert_rank(x, 1)).element_spec
    /// TensorSpec(shape=(2,), dtype=fl.int32)
    /// ```
    assert_rank(x: Tensor, rank: Int, message: Text) "tf.debugging.assert_rank", infer::checked_rank, Free, can_fail;
    /// `x`, if it has so many dimensions or more; else an error, as of `assert_rank`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.debugging.assert_rank_at_least(x, 1)).element_spec
    /// TensorSpec(shape=(2,), dtype=fl.int32)
    /// ```
    assert_rank_at_least(x: Tensor, rank: Int, message: Text)
        "tf.debugging.assert_rank_at_least", infer::checked_rank_at_least, Free, can_fail;
}
