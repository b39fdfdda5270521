//! Datasets as elements: runs of elements, elements of one key, elements of about the same length.

use feedline_plan::{Buckets, Plan, Symbolic, Windows};

use super::Dataset;

impl Dataset {
    /// Runs of `size` elements, one after the other, each as a dataset; the last may be shorter, unless [`Dataset::drop_remainder`] says
    /// otherwise. Of elements of several tensors each is a dataset of its own. [`Dataset::of_window`] is how functions of
    /// [`Dataset::flat_map`] and [`Dataset::interleave`] get at them.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let batches = Dataset::range(7).window(3).flat_map(|window| Dataset::of_window(window).batch(3));
    /// let sizes: Vec<usize> = batches.iterator()?.map(|batch| batch.unwrap().leaves()[0].num_values()).collect();
    /// assert_eq!(sizes, [3, 3, 1]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn window(&self, size: usize) -> Dataset {
        self.window_by(size, size, 1)
    }

    /// As [`Dataset::window`], with windows that begin `shift` elements one behind the other, of elements `stride` apart.
    #[track_caller]
    #[must_use]
    pub fn window_by(&self, size: usize, shift: usize, stride: usize) -> Dataset {
        self.step(|plan| plan.window(Windows { size, shift, stride, drop_remainder: false }))
    }

    /// The dataset that `value`, of an element of [`Dataset::window`], is: inside the functions of [`Dataset::flat_map`] and
    /// [`Dataset::interleave`].
    #[track_caller]
    pub fn of_window(value: impl Into<Symbolic>) -> Dataset {
        Dataset::of_plan(Plan::rows_of(&value.into()))
    }

    /// All elements as one, which is a dataset, also where there are none.
    #[track_caller]
    #[must_use]
    pub fn collect(&self) -> Dataset {
        self.step(Plan::collect)
    }

    /// The elements of the datasets that `reduce` makes of a key and a dataset of elements of that key: of `window_size` of them as soon as there
    /// are so many, and of what is left at the end, in the order of keys. `key`, an int64, is a function of an element; all of them are
    /// traced, as the function of [`Dataset::map`] is.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let batches = Dataset::range(7).group_by_window(|x| x % 2, 2, |_, window| window.batch(2));
    /// let found: Vec<Vec<i64>> =
    ///     batches.iterator()?.map(|batch| batch.unwrap().leaves()[0].as_slice().to_vec()).collect();
    /// assert_eq!(found, [vec![0, 2], vec![1, 3], vec![4, 6], vec![5]]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn group_by_window<K: Into<Symbolic>>(
        &self,
        key: impl FnOnce(Symbolic) -> K,
        window_size: usize,
        reduce: impl FnOnce(Symbolic, Dataset) -> Dataset,
    ) -> Dataset {
        if window_size == 0 {
            let message = "group_by_window: window_size must be greater than zero";
            return self.step(|_| Err(feedline_plan::PlanError::argument(message)));
        }
        let size = i64::try_from(window_size).unwrap_or(i64::MAX);
        self.group_by_window_of(key, |_| size, reduce)
    }

    /// As [`Dataset::group_by_window`], with as many elements together as `window_size`, an int64, gives for their key.
    #[track_caller]
    #[must_use]
    pub fn group_by_window_of<K: Into<Symbolic>, S: Into<Symbolic>>(
        &self,
        key: impl FnOnce(Symbolic) -> K,
        window_size: impl FnOnce(Symbolic) -> S,
        reduce: impl FnOnce(Symbolic, Dataset) -> Dataset,
    ) -> Dataset {
        self.step(|plan| {
            plan.group_by_window(
                |element| key(element).into(),
                |key| window_size(key).into(),
                |key, window| reduce(key, Dataset::of_plan(Ok(window))).plan,
            )
        })
    }

    /// Batches of elements whose lengths, which `length` gives, are in the same bucket, filled up to the longest of the batch unless
    /// `buckets` says otherwise.
    ///
    /// ```
    /// use feedline::data::DType;
    /// use feedline::data::block::Tensor;
    /// use feedline::plan::Buckets;
    /// use feedline::{Dataset, ops};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let words = Tensor::from_strings(vec![5], ["a", "bcdef", "gh", "i", "jklmno"].iter().collect());
    /// let letters = Dataset::from_tensor_slices(words).map(|word| ops::decode_raw(word, DType::UInt8, true));
    /// let batches = letters.bucket_by_sequence_length(|x| ops::size(x, DType::Int64), &Buckets::new([4], [2, 2]));
    /// let shapes: Vec<Vec<usize>> =
    ///     batches.iterator()?.map(|batch| batch.unwrap().leaves()[0].shape().to_vec()).collect();
    /// assert_eq!(shapes, [[2, 2], [2, 6], [1, 1]]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn bucket_by_sequence_length<R: Into<Symbolic>>(
        &self,
        length: impl FnOnce(Symbolic) -> R,
        buckets: &Buckets,
    ) -> Dataset {
        self.step(|plan| plan.bucket_by_sequence_length(|element| length(element).into(), buckets))
    }
}
