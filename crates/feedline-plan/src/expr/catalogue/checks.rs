//! Checks: each gives its first tensor, and an error where it is not as said. `fl.debugging` in Python.

use super::Operation;

catalogue! {
    "";
    /// Checks. All of them are in [`ops`](crate::ops), too.
    functions {}

    /// `x`, if it equals `y` everywhere, with broadcasting; else an error of its element with `message` and the values.
    assert_equal(x: Tensor, y: Tensor, message: Text) "tf.debugging.assert_equal", infer::checked_equal, Light, can_fail;
    /// `x`, if it equals `y` nowhere, with broadcasting; else an error of its element.
    assert_none_equal(x: Tensor, y: Tensor, message: Text)
        "tf.debugging.assert_none_equal", infer::checked_equal, Light, can_fail;
    /// `x`, if it is below `y` everywhere, with broadcasting; else an error of its element.
    assert_less(x: Tensor, y: Tensor, message: Text) "tf.debugging.assert_less", infer::checked_pair, Light, can_fail;
    /// `x`, if it is below `y` or equals it everywhere, with broadcasting; else an error of its element.
    assert_less_equal(x: Tensor, y: Tensor, message: Text)
        "tf.debugging.assert_less_equal", infer::checked_pair, Light, can_fail;
    /// `x`, if it is above `y` everywhere, with broadcasting; else an error of its element.
    assert_greater(x: Tensor, y: Tensor, message: Text) "tf.debugging.assert_greater", infer::checked_pair, Light, can_fail;
    /// `x`, if it is above `y` or equals it everywhere, with broadcasting; else an error of its element.
    assert_greater_equal(x: Tensor, y: Tensor, message: Text)
        "tf.debugging.assert_greater_equal", infer::checked_pair, Light, can_fail;
    /// `x`, if it has so many dimensions; else an error: of the plan where the number is known, else of the element.
    assert_rank(x: Tensor, rank: Int, message: Text) "tf.debugging.assert_rank", infer::checked_rank, Free, can_fail;
    /// `x`, if it has so many dimensions or more; else an error, as of `assert_rank`.
    assert_rank_at_least(x: Tensor, rank: Int, message: Text)
        "tf.debugging.assert_rank_at_least", infer::checked_rank_at_least, Free, can_fail;
}
