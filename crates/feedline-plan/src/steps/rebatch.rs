//! Batches of other sizes.

use feedline_data::Shape;

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// The elements of batches in batches of `batch_sizes`, in turn. A size of 0 is a batch without elements.
    pub fn rebatch(&self, batch_sizes: Vec<usize>, drop_remainder: bool) -> Result<Plan> {
        if batch_sizes.iter().all(|&size| size == 0) {
            return Err(PlanError::argument("rebatch: batch_size must be greater than zero")
                .with_hint("of several sizes some may be 0, not all"));
        }
        let rows = self.unbatch().map_err(|error| {
            error
                .in_step("rebatch")
                .with_hint("it is for elements that are batches: put them into batches first")
        })?;
        let dim = self.common_batch_size(&batch_sizes, drop_remainder);
        let spec = rows.spec().batched(dim);
        // How many there are depends on how full the last one is.
        Ok(self.step(NodeKind::Rebatch { batch_sizes, drop_remainder }, spec, Cardinality::Unknown))
    }

    /// The size that every batch has, if it is certain: the same in turn, and nothing can be left over.
    fn common_batch_size(&self, sizes: &[usize], drop_remainder: bool) -> Option<usize> {
        let first = sizes[0];
        let divides = |shape: &Shape| {
            shape
                .dims()
                .and_then(|dims| dims.first())
                .copied()
                .flatten()
                .is_some_and(|dim| dim.is_multiple_of(first))
        };
        let is_common = sizes.iter().all(|&size| size == first)
            && (drop_remainder
                || !self.spec().has_composite()
                    && self.spec().leaves().iter().all(|spec| divides(&spec.shape)));
        is_common.then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_tf_datas() {
        let batches =
            |drop_remainder| Plan::range(0, 8, 1).expect("valid").batch(4, drop_remainder).expect("valid");
        let of = |plan: Plan, sizes: &[usize], dropped| {
            let plan = plan.rebatch(sizes.to_vec(), dropped).expect("valid");
            (plan.spec().to_string(), plan.cardinality().as_tf())
        };
        let cases = [
            (batches(false), &[2][..], false, "int64[?]"),
            (batches(false), &[3], true, "int64[3]"),
            (batches(true), &[2, 2], false, "int64[2]"),
            (batches(true), &[3], false, "int64[?]"),
            (batches(true), &[1, 3], true, "int64[?]"),
        ];
        for (plan, sizes, dropped, expected) in cases {
            assert_eq!(of(plan, sizes, dropped), (expected.to_owned(), -2), "{sizes:?} {dropped}");
        }
        for (plan, sizes) in [
            (batches(true), vec![0]),
            (batches(true), vec![]),
            (Plan::range(0, 8, 1).expect("valid"), vec![1]),
        ] {
            let error = plan.rebatch(sizes, false).expect_err("wrong").to_string();
            assert!(error.starts_with("rebatch: "), "{error}");
        }
    }
}
