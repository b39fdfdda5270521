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
    bitwise_and(x: Tensor, y: Tensor) "tf.bitwise.bitwise_and", infer::integer_pair, Light;
    /// The bits either has, of integers, with broadcasting.
    bitwise_or(x: Tensor, y: Tensor) "tf.bitwise.bitwise_or", infer::integer_pair, Light;
    /// The bits one has and the other has not, of integers, with broadcasting.
    bitwise_xor(x: Tensor, y: Tensor) "tf.bitwise.bitwise_xor", infer::integer_pair, Light;
    /// The bits an integer has not.
    invert(x: Tensor) "tf.bitwise.invert", infer::integer, Light;
    /// The bits `y` places further up, with broadcasting. A negative `y` moves none, one beyond the type's width as many as it has less
    /// one.
    left_shift(x: Tensor, y: Tensor) "tf.bitwise.left_shift", infer::integer_pair, Light;
    /// The bits `y` places further down, with broadcasting; what is negative stays so. `y` is limited as in
    /// `left_shift`.
    right_shift(x: Tensor, y: Tensor) "tf.bitwise.right_shift", infer::integer_pair, Light;
}
