//! Tables: `ops::lookup` in Rust, `fl.lookup` in Python.
//!
//! A table is two constants, so it is a part of the plan, of its text and of its fingerprint, and needs no file where it runs.

use super::Operation;

catalogue! {
    "lookup.";
    /// Values found by keys, in tables that are known when the plan is built.
    ///
    /// ```
    /// use feedline_data::block::{Strings, Tensor};
    /// use feedline_data::{DType, ElementSpec, TensorSpec};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let word = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::String)));
    /// let words = Tensor::from_strings(vec![2], ["cat", "dog"].iter().collect::<Strings>());
    /// let numbers = Tensor::from_vec(vec![2], vec![0_i64, 1]);
    /// let number = ops::lookup::find(word, words, numbers, Tensor::scalar(-1_i64));
    /// assert_eq!(number.to_structure()?.map(|expr| expr.spec().to_string()).to_string(), "int64[]");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {}

    /// The value of each key, or `default_value`, from a table of constants: `table_values[i]` belongs to `table_keys[i]`. Keys are strings,
    /// int32 or int64. A key that is in the table twice, with different values, is refused.
    ///
    /// ```python
    /// >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
    /// >>> table = fl.lookup.StaticHashTable(words, default_value=-1)
    /// >>> fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x)).get_single_element()
    /// array([20, -1], dtype=int32)
    /// ```
    find(keys: Tensor, table_keys: Tensor, table_values: Tensor, default_value: Tensor)
        "tf.lookup.StaticHashTable", infer::tables::find, Light;
    /// The number of each key in a table of constants, or for others one of `num_oov_buckets` numbers behind those of the table, by the hash of
    /// `strings.to_hash_bucket_fast`. Keys are strings, int32 or int64 (which are hashed as they are written), numbers int64.
    ///
    /// ```python
    /// >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [0, 1], value_dtype=fl.int64)
    /// >>> table = fl.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
    /// >>> fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x)).get_single_element()
    /// array([1, 2])
    /// ```
    find_or_hash(keys: Tensor, table_keys: Tensor, table_values: Tensor, num_oov_buckets: Int)
        "tf.lookup.StaticVocabularyTable", infer::tables::find_or_hash, Light;
}
