//! The operations of ragged tensors: `ops::ragged` in Rust, `fl.RaggedTensor` and `fl.ragged` in Python.

use super::Operation;

catalogue! {
    "ragged.";
    /// Ragged tensors, made of plain ones and made plain again. [`Composite`](feedline_data::Composite) says what they are;
    /// [`Symbolic::component`](crate::Symbolic::component) takes them apart.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
    /// use feedline_plan::expr::Attribute;
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let lines = TensorSpec::new(DType::String, Shape::fixed(&[32]));
    /// let words = ops::strings::split(Symbolic::of_spec(&ElementSpec::Leaf(lines)), "", -1);
    /// let ids = ops::strings::to_hash_bucket_fast(&words, 1000);
    /// let table = ops::ragged::to_tensor(ids.component(0), 0, [ids.component(1)], Attribute::None);
    /// assert_eq!(table.to_structure()?.map(|expr| expr.spec().to_string()).to_string(), "int64[32, ?]");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {}

    /// The ragged tensor of these values, and of where the rows of each ragged dimension begin and the last one ends, the outermost first:
    /// row `i` is `values[row_splits[i]:row_splits[i + 1]]`. Splits that do not begin with 0, fall, or do not end with the number of what they are
    /// rows of are an error of the element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.RaggedTensor.from_nested_row_splits(x, [[0, 2, 2, 3]])).get_single_element()
    /// <fl.RaggedTensor [[1, 2], [], [3]]>
    /// ```
    from_nested_row_splits(flat_values: Tensor, nested_row_splits: Tensors)
        "tf.RaggedTensor.from_nested_row_splits", infer::ragged::from_nested_row_splits, Light, can_fail, gives_ragged;
    /// The ragged tensor of these values in rows of these lengths. Lengths that are negative, or are not those of all values together, are an
    /// error of the element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.RaggedTensor.from_row_lengths(x, [2, 0, 1])).get_single_element()
    /// <fl.RaggedTensor [[1, 2], [], [3]]>
    /// ```
    from_row_lengths(values: Tensor, row_lengths: Indices)
        "tf.RaggedTensor.from_row_lengths", infer::ragged::from_row_lengths, Light, can_fail, gives_ragged;
    /// The plain tensor of a ragged one, given by its parts, with `default_value` where rows are shorter than the longest. `shape` is the size of each of the first
    /// dimensions, −1 for as large as needed: what is larger is cut.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.RaggedTensor.from_row_lengths(x, [2, 0, 1]).to_tensor(-1)).get_single_element()
    /// array([[ 1,  2],
    ///        [-1, -1],
    ///        [ 3, -1]], dtype=int32)
    /// ```
    to_tensor(flat_values: Tensor, default_value: Tensor, nested_row_splits: Tensors, shape: Axis = Attribute::None)
        "tf.RaggedTensor.to_tensor", infer::ragged::to_tensor, Light, can_fail, any_size;
    /// Numbers from each of `starts` to before each of `limits`, by `deltas`, a row for each: as `range`, but of numbers that lie the other way there are
    /// none. Each of the three is one number or a list, and lists have one length. A delta of 0, or lists of several lengths, are an error of
    /// the element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([2, 0, 3]).map(lambda x: fl.ragged.range(x)).get_single_element()
    /// <fl.RaggedTensor [[0, 1], [], [0, 1, 2]]>
    /// ```
    range(starts: Tensor, limits: Tensor, deltas: Tensor)
        "tf.ragged.range", infer::ragged::range, Light, can_fail, any_size, gives_ragged;
    /// The sparse tensor of a ragged one, given by its parts, which keeps every value that is in a row, also those that are 0; without splits, of
    /// a plain tensor.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.RaggedTensor.from_row_lengths(x, [2, 0, 1]).to_sparse()).get_single_element()
    /// SparseTensor(indices=[[0, 0], [0, 1], [2, 0]], values=[1, 2, 3], dense_shape=[3, 2])
    /// ```
    to_sparse(flat_values: Tensor, nested_row_splits: Tensors)
        "tf.RaggedTensor.to_sparse", infer::ragged::to_sparse, Light, can_fail, gives_sparse;
}
