//! Elements of about the same length in batches together.

use feedline_data::block::Tensor;
use feedline_data::{DType, Shape, Structure};

use super::of_outer::integer;
use crate::{Plan, PlanError, Result, Symbolic, ops};

/// How `bucket_by_sequence_length` makes batches.
#[derive(Clone, Debug)]
pub struct Buckets {
    /// Where buckets end: a bucket has elements shorter than its boundary, and not than the one before.
    pub boundaries: Vec<i64>,
    /// Elements a batch of each bucket has; one more than there are boundaries.
    pub batch_sizes: Vec<usize>,
    /// What elements are filled up to; `None`: what is known about them.
    pub padded_shapes: Option<Structure<Shape>>,
    /// What they are filled up with.
    pub padding_values: Option<Structure<Option<Tensor>>>,
    /// Whether dimensions that are unknown are filled up to the last length of the bucket; else to the longest in the batch.
    pub pad_to_bucket_boundary: bool,
    /// Whether nothing is filled up: elements of a batch have the same shape.
    pub no_padding: bool,
    /// Whether what does not fill a batch at the end is left out.
    pub drop_remainder: bool,
}

impl Buckets {
    /// Buckets that end at `boundaries`, with batches of these sizes.
    pub fn new(boundaries: impl Into<Vec<i64>>, batch_sizes: impl Into<Vec<usize>>) -> Buckets {
        Buckets {
            boundaries: boundaries.into(),
            batch_sizes: batch_sizes.into(),
            padded_shapes: None,
            padding_values: None,
            pad_to_bucket_boundary: false,
            no_padding: false,
            drop_remainder: false,
        }
    }

    fn check(&self) -> Result<()> {
        let (boundaries, sizes) = (&self.boundaries, &self.batch_sizes);
        let wrong = |what: String| Err(PlanError::argument(format!("bucket_by_sequence_length: {what}")));
        if sizes.len() != boundaries.len() + 1 {
            return wrong(format!(
                "bucket_batch_sizes must be one more than bucket_boundaries, not {} for {}",
                sizes.len(),
                boundaries.len()
            ));
        }
        if !boundaries.is_sorted_by(|one, two| one < two) {
            return wrong(format!("bucket_boundaries must be in ascending order, not {boundaries:?}"));
        }
        if sizes.contains(&0) {
            return wrong("bucket_batch_sizes must be greater than zero".to_owned());
        }
        if self.no_padding && self.pad_to_bucket_boundary {
            return wrong("no_padding and pad_to_bucket_boundary say opposite things".to_owned());
        }
        Ok(())
    }
}

/// What is wrong with an element where buckets are filled up to their ends.
const TOO_LONG: &str = "bucket_by_sequence_length: pad_to_bucket_boundary needs elements shorter than the last of \
                        bucket_boundaries; add one, or filter longer elements";

impl Plan {
    /// Batches of elements whose lengths, which `length` gives, are in the same bucket.
    pub fn bucket_by_sequence_length(
        &self,
        length: impl FnOnce(Symbolic) -> Symbolic,
        buckets: &Buckets,
    ) -> Result<Plan> {
        let step = "bucket_by_sequence_length";
        buckets.check()?;
        let table = |values: Vec<i64>| Symbolic::from(Tensor::from_vec(vec![values.len()], values));
        let bounds = table(buckets.boundaries.clone());
        let sizes = table(buckets.batch_sizes.iter().map(|&size| size as i64).collect());
        let longest = buckets.boundaries.last().copied().unwrap_or(0);
        let pair = |element: Symbolic| {
            let mut length = match integer(&length(element), "element_length_func") {
                Ok(length) => Symbolic::from(Structure::Leaf(length)),
                Err(error) => Symbolic::of_error(error),
            };
            if buckets.pad_to_bucket_boundary {
                // The last bucket has no end to fill up to. Said of each element that is too long, at its place: a bucket that is dropped at the end would not
                // say it, and one that is not would take the others in it along.
                length = ops::assert_less(length, longest, TOO_LONG);
            }
            let is_behind = ops::cast(length.ge(bounds), DType::Int64);
            let bucket = ops::reduce_sum(is_behind, None::<i64>, false);
            (bucket.clone(), ops::gather(sizes, bucket, 0))
        };
        let largest = buckets.batch_sizes.iter().copied().max().unwrap_or(1);
        let ends: Vec<i64> = buckets.boundaries.iter().map(|bound| (bound - 1).max(0)).collect();
        let grouped = self.group(pair, buckets.drop_remainder).map_err(|error| error.in_step(step))?;
        let batches = grouped.flat_map(|pair| {
            // A window has no more elements than a batch: all of it is one.
            let rows = Plan::rows_of(&pair.at(1))?;
            if buckets.no_padding {
                return rows.batch(largest, false);
            }
            let padded = rows.padded_batch(
                largest,
                buckets.padded_shapes.as_ref(),
                buckets.padding_values.as_ref(),
                false,
            )?;
            if !buckets.pad_to_bucket_boundary {
                return Ok(padded);
            }
            padded.filled_to(&ops::gather(table(ends), pair.at(0), 0))
        });
        batches.map_err(|error| error.in_step(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        let ten = Plan::range(0, 10, 1).expect("valid");
        let of = |buckets: &Buckets| ten.bucket_by_sequence_length(|x| x, buckets);
        let good = Buckets::new([3, 5], [1, 2, 3]);
        assert_eq!(of(&good).map(|plan| plan.spec().to_string()), Ok("int64[?]".to_owned()));
        let cases = [
            (
                Buckets::new([3, 5], [1, 2]),
                "bucket_batch_sizes must be one more than bucket_boundaries, not 2 for 2",
            ),
            (Buckets::new([5, 3], [1, 2, 3]), "bucket_boundaries must be in ascending order, not [5, 3]"),
            (Buckets::new([3], [1, 0]), "bucket_batch_sizes must be greater than zero"),
            (Buckets { no_padding: true, pad_to_bucket_boundary: true, ..good }, "say opposite things"),
        ];
        for (buckets, expected) in cases {
            let error = of(&buckets).expect_err(expected).to_string();
            assert!(error.contains("bucket_by_sequence_length: ") && error.contains(expected), "{error}");
        }
    }
}
