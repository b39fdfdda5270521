//! Batches beyond `batch`: of elements of different sizes, and of other sizes than they have.

use feedline_data::block::Tensor;
use feedline_data::{Shape, Structure};

use super::Dataset;

impl Dataset {
    /// Every `batch_size` elements as one, each filled up to the size of the largest of them; the last batch may be smaller. With 0, false or
    /// empty strings, unless [`Dataset::padding_values`] says otherwise. [`Dataset::padded_batch_to`] says to which size.
    ///
    /// ```
    /// use feedline::data::DType;
    /// use feedline::data::block::Tensor;
    /// use feedline::{Dataset, ops};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let words = Tensor::from_strings(vec![3], ["a", "bcd", "ef"].iter().collect());
    /// let letters = Dataset::from_tensor_slices(words).map(|word| ops::decode_raw(word, DType::UInt8, true));
    /// let batch = letters.padded_batch(3).iterator()?.next().unwrap()?;
    /// assert_eq!(batch.leaves()[0].shape(), [3, 3]);
    /// assert_eq!(batch.leaves()[0].as_slice::<u8>(), b"a\0\0bcdef\0");
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn padded_batch(&self, batch_size: usize) -> Dataset {
        self.step(|plan| plan.padded_batch(batch_size, None, None, false))
    }

    /// As [`Dataset::padded_batch`], with elements filled up to `shapes`, one for each tensor; a dimension that is unknown there becomes that of
    /// the largest element in the batch. An element that is larger makes its batch an error.
    #[track_caller]
    #[must_use]
    pub fn padded_batch_to(&self, batch_size: usize, shapes: impl Into<Structure<Shape>>) -> Dataset {
        let shapes = shapes.into();
        self.step(|plan| plan.padded_batch(batch_size, Some(&shapes), None, false))
    }

    /// What the `padded_batch` or `padded_batch_to` just before it fills elements up with: a scalar for each tensor, or one for all.
    #[track_caller]
    #[must_use]
    pub fn padding_values(&self, values: impl Into<Structure<Tensor>>) -> Dataset {
        let values = values.into().map(|value| Some(value.clone()));
        self.step(|plan| plan.with_padding_values(&values))
    }

    /// As [`Dataset::padding_values`]; what is `None` is filled up with 0, false or empty strings.
    #[track_caller]
    #[must_use]
    pub fn padding_values_or_usual(&self, values: &Structure<Option<Tensor>>) -> Dataset {
        self.step(|plan| plan.with_padding_values(values))
    }

    /// Every `batch_size` elements as one: tensors of a fixed shape side by side, those whose first dimension differs as ragged tensors. Its older name in
    /// TensorFlow is `dense_to_ragged_batch`.
    ///
    /// ```
    /// use feedline::data::DType;
    /// use feedline::data::block::Tensor;
    /// use feedline::{Dataset, ops};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let words = Tensor::from_strings(vec![2], ["a", "bcd"].iter().collect());
    /// let letters = Dataset::from_tensor_slices(words).map(|word| ops::decode_raw(word, DType::UInt8, true));
    /// let batch = letters.ragged_batch(2).iterator()?.next().unwrap()?;
    /// assert_eq!(batch.leaves()[0].as_slice::<u8>(), b"abcd");
    /// assert_eq!(batch.leaves()[1].as_slice::<i64>(), [0, 1, 4]); // where rows begin
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[doc(alias = "dense_to_ragged_batch")]
    #[must_use]
    pub fn ragged_batch(&self, batch_size: usize) -> Dataset {
        self.step(|plan| plan.ragged_batch(batch_size, false))
    }

    /// As [`Dataset::ragged_batch`], without what does not fill the last batch.
    #[track_caller]
    #[must_use]
    pub fn full_ragged_batch(&self, batch_size: usize) -> Dataset {
        self.step(|plan| plan.ragged_batch(batch_size, true))
    }

    /// The elements of batches in batches of another size, or of several in turn: of these some may be 0, which is a batch
    /// without elements. [`Dataset::drop_remainder`] drops what does not fill the last.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let batches = Dataset::range(6).batch(3).rebatch([1, 3]);
    /// let sizes: Vec<usize> = batches.iterator()?.map(|batch| batch.unwrap().leaves()[0].num_values()).collect();
    /// assert_eq!(sizes, [1, 3, 1, 1]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn rebatch(&self, batch_sizes: impl Into<Vec<usize>>) -> Dataset {
        let sizes = batch_sizes.into();
        self.step(|plan| plan.rebatch(sizes, false))
    }
}
