//! The operations of sparse tensors: `ops::sparse` in Rust, `fl.sparse` in Python.

use super::Operation;

catalogue! {
    "sparse.";
    /// Sparse tensors, made of plain ones and made plain again. [`Composite`](feedline_data::Composite) says what they are.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let grid = TensorSpec::new(DType::Float32, Shape::fixed(&[9, 9]));
    /// let few = ops::sparse::from_dense(Symbolic::of_spec(&ElementSpec::Leaf(grid)));
    /// assert_eq!(
    ///     few.to_structure()?.map(|expr| expr.spec().to_string()).to_string(),
    ///     "sparse(int64[?, 2], float32[?], int64[2])"
    /// );
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {}

    /// The plain tensor of a sparse one, given by its parts, with `default_value` where no value is kept. Places outside of the shape are an error of the
    /// element; with `validate_indices` so are places that are not in order or come twice.
    ///
    /// ```python
    /// >>> fl.sparse.to_dense(fl.SparseTensor([[0, 1], [1, 0]], [3, 4], [2, 2]), default_value=-1)
    /// array([[-1,  3],
    ///        [ 4, -1]], dtype=int32)
    /// ```
    to_dense(indices: Indices, values: Tensor, dense_shape: Indices, default_value: Tensor, validate_indices: Bool = true)
        "tf.sparse.to_dense", infer::sparse::to_dense, Light, can_fail, any_size;
    /// The sparse tensor of the values that are not 0, not false, or not an empty string.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([[0, 7], [0, 0]]).map(lambda x: fl.sparse.from_dense(x)).get_single_element()
    /// SparseTensor(indices=[[0, 1]], values=[7], dense_shape=[2, 2])
    /// ```
    from_dense(tensor: Tensor) "tf.sparse.from_dense", infer::sparse::from_dense, Light, gives_sparse;
}
