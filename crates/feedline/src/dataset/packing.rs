//! Sequences of tokens in rows of one length.

use feedline_plan::Packing;

use super::Dataset;

impl Dataset {
    /// Sequences side by side in rows of one length, so that next to nothing of a batch is padding: `(values, segments, positions)`, each as
    /// the elements are, with tensors of that length. Segments tell which sequence a token is of, counted from 1 in each row (0: padding),
    /// positions its place in that sequence; one without tokens takes no place and no number. Some rows are filled at a time; [`Packing`] says how many, which of them a sequence goes to, and what
    /// becomes of one that is too long. Which row a sequence is in follows from the sequences alone, so it is the same in every
    /// run, and after a resume.
    ///
    /// ```
    /// use feedline::data::block::Tensor;
    /// use feedline::{Dataset, Options, ops};
    ///
    /// // Sequences of 3, 1, 4, 1 and 5 tokens.
    /// let lengths = Tensor::from_vec(vec![5], vec![3_i64, 1, 4, 1, 5]);
    /// let tokens = Dataset::from_tensor_slices(lengths)
    ///     .flat_map(|length| Dataset::range(9).take(length).batch(9))
    ///     .map(|tokens| tokens + 10);
    /// let rows = tokens.pack(6).iterator()?.collect::<Result<Vec<_>, _>>()?;
    /// let row = rows[0].leaves();
    /// assert_eq!(row[0].as_slice::<i64>(), [10, 11, 12, 10, 10, 0]);
    /// assert_eq!(row[1].as_slice::<i32>(), [1, 1, 1, 2, 3, 0]);
    /// assert_eq!(row[2].as_slice::<i32>(), [0, 1, 2, 0, 0, 0]);
    /// assert_eq!(rows.len(), 3);
    /// # Ok::<(), feedline::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn pack(&self, packing: impl Into<Packing>) -> Dataset {
        let packing = packing.into();
        self.step(|plan| plan.pack(packing))
    }
}
