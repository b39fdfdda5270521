//! The bits of integers: `ops::bitwise` in Rust, `fl.bitwise` in Python.

use super::Operation;

catalogue! {
    "bitwise.";
    /// The bits of integers. Names and results are those of `tf.bitwise`.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, TensorSpec};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let x = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::Int32)));
    /// let low = ops::bitwise::bitwise_and(x, 0xff);
    /// assert_eq!(low.to_structure()?.to_string(), "bitwise.bitwise_and(x0, 255)");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {}

    /// The bits both have, of integers, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([12, 10]).map(lambda x: fl.bitwise.bitwise_and(x, 6)).get_single_element()
    /// array([4, 2], dtype=int32)
    /// ```
    bitwise_and(x: Tensor, y: Tensor) "tf.bitwise.bitwise_and", infer::integer_pair, Light, by_value;
    /// The bits either has, of integers, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([12, 10]).map(lambda x: fl.bitwise.bitwise_or(x, 6)).get_single_element()
    /// array([14, 14], dtype=int32)
    /// ```
    bitwise_or(x: Tensor, y: Tensor) "tf.bitwise.bitwise_or", infer::integer_pair, Light, by_value;
    /// The bits one has and the other has not, of integers, with broadcasting.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([12, 10]).map(lambda x: fl.bitwise.bitwise_xor(x, 6)).get_single_element()
    /// array([10, 12], dtype=int32)
    /// ```
    bitwise_xor(x: Tensor, y: Tensor) "tf.bitwise.bitwise_xor", infer::integer_pair, Light, by_value;
    /// The bits an integer has not.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([0, 5]).map(lambda x: fl.bitwise.invert(x)).get_single_element()
    /// array([-1, -6], dtype=int32)
    /// ```
    invert(x: Tensor) "tf.bitwise.invert", infer::integer, Light, by_value;
    /// The bits `y` places further up, with broadcasting. A negative `y` moves none, one beyond the type's width as many as it has less
    /// one.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 3]).map(lambda x: fl.bitwise.left_shift(x, 4)).get_single_element()
    /// array([16, 48], dtype=int32)
    /// ```
    left_shift(x: Tensor, y: Tensor) "tf.bitwise.left_shift", infer::integer_pair, Light, by_value;
    /// The bits `y` places further down, with broadcasting; what is negative stays so. `y` is limited as in
    /// `left_shift`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([32, -32]).map(lambda x: fl.bitwise.right_shift(x, 4)).get_single_element()
    /// array([ 2, -2], dtype=int32)
    /// ```
    right_shift(x: Tensor, y: Tensor) "tf.bitwise.right_shift", infer::integer_pair, Light, by_value;
}
