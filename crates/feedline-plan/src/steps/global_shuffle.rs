//! All elements in random order, without a buffer.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::expr::ExprKind;
use crate::{FileFormat, NodeKind, Plan, PlanError, Result, SeedPair};

impl Plan {
    /// All elements of a source in random order, each read where it lies.
    pub fn global_shuffle(&self, seeds: SeedPair, reshuffle_each_iteration: bool) -> Result<Plan> {
        if let Some(files) = self.listed_files() {
            return files?.global_shuffle(seeds, reshuffle_each_iteration);
        }
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
                "global_shuffle: comes right after range, from_tensor_slices, tf_record or a list of files whose records are read, \
                 not after {}",
                self.node().kind.name()
            ))
            .with_hint("put it before the other steps, or use shuffle with a buffer"));
        }
        let kind = NodeKind::GlobalShuffle { seeds, reshuffle_each_iteration };
        Ok(self.same_elements(kind, self.cardinality()))
    }

    /// Where this plan is the records of each of a list of files (`list_files(…)`, then `flat_map` or `interleave` of `tf_record`): the records of these
    /// files. In which order the files are, and take turns, is no matter to who puts all records in another order.
    fn listed_files(&self) -> Option<Result<Plan>> {
        let node = self.node();
        let (NodeKind::FlatMap { nested } | NodeKind::Interleave { nested, .. }) = &node.kind else {
            return None;
        };
        let NodeKind::FilesOf { paths, format: FileFormat::TfRecord, .. } = &nested.plan.node().kind else {
            return None;
        };
        let ExprKind::Outer { index } = paths.node().kind else { return None };
        if !matches!(nested.captures[index].node().kind, ExprKind::Input { leaf: 0 }) {
            return None;
        }
        let list = &node.inputs[0];
        let list =
            if matches!(list.node().kind, NodeKind::Shuffle { .. }) { &list.node().inputs[0] } else { list };
        let NodeKind::TensorSlices { columns } = &list.node().kind else { return None };
        let [column] = &columns[..] else { return None };
        let paths = column.strings()?.iter().map(|path| PathBuf::from(OsStr::from_bytes(path))).collect();
        Some(Plan::files(paths, FileFormat::TfRecord))
    }
}

#[cfg(test)]
mod tests {
    use feedline_data::Structure;
    use feedline_data::block::{Strings, Tensor};

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
        // The records of each of a list of files, in whatever order the files are, are those of the list.
        let paths: Strings = ["b", "a"].iter().collect();
        let list = Structure::Leaf(Tensor::from_strings(vec![2], paths));
        let list = Plan::from_tensor_slices(&list).expect("valid");
        let records = |path| Plan::files_of(&path, FileFormat::TfRecord);
        let shuffled = list.shuffle(2, seeds, true).expect("valid");
        for plan in [list.flat_map(records), shuffled.flat_map(records), shuffled.interleave(records)] {
            let plan = plan.expect("valid").global_shuffle(seeds, true).expect("a list of files");
            let files = Plan::files(vec!["b".into(), "a".into()], FileFormat::TfRecord).expect("valid");
            assert_eq!(plan.lines()[..1], files.lines());
        }
        let lines = list.flat_map(|path| Plan::files_of(&path, FileFormat::TextLine)).expect("valid");
        let some = list.take(Some(1)).flat_map(records).expect("valid");
        for other in [lines, some] {
            let error = other.global_shuffle(seeds, true).expect_err("no list of record files").to_string();
            assert!(error.contains("not after flat_map"), "{error}");
        }
        let of_element = Plan::files_of(&"a".into(), FileFormat::TfRecord).expect("valid");
        let error = of_element.global_shuffle(seeds, true).expect_err("not known").to_string();
        assert!(error.contains("depends on an element") && error.contains("list of all files"), "{error}");
        let fixed =
            plan.with_reshuffle(false).and_then(|plan| plan.with_seeds(SeedPair { seed: 3, ..seeds }));
        let text = "global_shuffle(seeds=(3, 2), reshuffle_each_iteration=false)";
        assert_eq!(fixed.expect("valid").lines()[1], text);
    }
}
