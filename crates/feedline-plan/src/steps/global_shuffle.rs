//! All elements in random order, without a buffer.

use crate::{FileFormat, NodeKind, Plan, PlanError, Result, SeedPair};

impl Plan {
    /// All elements of a source in random order, each read where it lies.
    pub fn global_shuffle(&self, seeds: SeedPair, reshuffle_each_iteration: bool) -> Result<Plan> {
        let can_be_read_anywhere = matches!(
            self.node().kind,
            NodeKind::Range { .. }
                | NodeKind::TensorSlices { .. }
                | NodeKind::Files { format: FileFormat::TfRecord, .. }
        );
        if let NodeKind::FilesOf { .. } | NodeKind::RangeOf { .. } = self.node().kind {
            return Err(PlanError::argument(
                "global_shuffle: what is shuffled must be known before it runs, and here it depends on an element",
            )
            .with_hint("use it on a list of all files, outside flat_map and interleave; inside, shuffle with a buffer"));
        }
        if !can_be_read_anywhere {
            return Err(PlanError::argument(format!(
                "global_shuffle: comes right after range, from_tensor_slices or tf_record, not after {}",
                self.node().kind.name()
            ))
            .with_hint("put it before the other steps, or use shuffle with a buffer"));
        }
        let kind = NodeKind::GlobalShuffle { seeds, reshuffle_each_iteration };
        Ok(self.same_elements(kind, self.cardinality()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_read_anywhere_is_shuffled_without_a_buffer() {
        let seeds = SeedPair { seed: 1, seed2: 2, is_given: true };
        let ten = Plan::range(0, 10, 1).expect("valid");
        let plan = ten.global_shuffle(seeds, true).expect("valid");
        assert_eq!(plan.lines()[1], "global_shuffle(seeds=(1, 2))");
        assert_eq!(plan.cardinality(), ten.cardinality());
        let error = ten.take(Some(3)).global_shuffle(seeds, true).expect_err("no source").to_string();
        assert!(error.contains("not after take") && error.contains("hint"), "{error}");
        let of_element = Plan::files_of(&"a".into(), FileFormat::TfRecord).expect("valid");
        let error = of_element.global_shuffle(seeds, true).expect_err("not known").to_string();
        assert!(error.contains("depends on an element") && error.contains("list of all files"), "{error}");
        let fixed =
            plan.with_reshuffle(false).and_then(|plan| plan.with_seeds(SeedPair { seed: 3, ..seeds }));
        let text = "global_shuffle(seeds=(3, 2), reshuffle_each_iteration=false)";
        assert_eq!(fixed.expect("valid").lines()[1], text);
    }
}
