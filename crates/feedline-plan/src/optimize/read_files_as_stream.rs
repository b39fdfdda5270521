//! Reads files as a stream of pieces, several at a time, instead of one after the other, a request at a time.
//!
//! As written, a source of files is one reader that goes through them front to back. Marked, several pieces of a file, and
//! of the files behind it, are read and checksummed at the same time, and put in order before anybody sees them; so rows,
//! errors, ids and states are the same. A `global_shuffle` reads single records by their index, whatever its source says.
//! (`tf_record → shuffle → map(parse) → batch`, `interleave(tf_record)`: the reading is what is left to do in parallel once
//! parsing is; `feedline-bench tabular` measures it.)

use super::Rule;
use crate::{NodeKind, Plan, Result};

/// Reads files in pieces, several at a time.
#[derive(Debug)]
pub struct ReadFilesAsStream;

impl Rule for ReadFilesAsStream {
    fn name(&self) -> &'static str {
        "read_files_as_stream"
    }

    fn enters(&self, kind: &NodeKind) -> bool {
        !matches!(kind, NodeKind::GlobalShuffle { .. })
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let kind = &plan.node().kind;
        let (NodeKind::Files { is_stream, .. } | NodeKind::FilesOf { is_stream, .. }) = kind else {
            return Ok(None);
        };
        Ok((!is_stream).then(|| plan.with_kind(kind.with_stream(true), Vec::new())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{declines, fires, seeds, ten};
    use super::super::{Optimizer, saved_steps};
    use super::*;
    use crate::FileFormat;

    fn files(names: &[&str]) -> Plan {
        Plan::files(names.iter().map(Into::into).collect(), FileFormat::TfRecord).expect("valid")
    }

    #[test]
    fn files_are_read_as_a_stream() {
        let plan = files(&["a"]).batch(2, false).expect("valid");
        assert_eq!(fires(&ReadFilesAsStream, &plan), ["tf_record(a, read as a stream)", "batch(2)"]);
        let two = fires(&ReadFilesAsStream, &files(&["a", "b"]));
        assert!(two[0].ends_with(", read as a stream)"), "{two:?}");
        let lines = Plan::files(vec!["a".into()], FileFormat::TextLine).expect("valid");
        assert_eq!(fires(&ReadFilesAsStream, &lines), ["text_line(a, read as a stream)"]);
    }

    #[test]
    fn files_of_nested_datasets_and_of_every_input_are_reached() {
        let interleaved = files(&["a", "b"]).with_parallel_reads(None).expect("valid");
        let lines = fires(&ReadFilesAsStream, &interleaved);
        assert!(
            lines.iter().any(|line| line.contains("tf_record(") && line.contains("as a stream")),
            "{lines:?}"
        );
        let both = files(&["a"]).concatenate(&files(&["b"])).expect("valid");
        let optimized =
            Optimizer::with_rules(&[&ReadFilesAsStream]).optimize(&both).expect("rules do not fail");
        assert_eq!(optimized.changes.len(), 2);
    }

    #[test]
    fn what_is_saved_and_written_is_the_plan_without_the_mark() {
        let plan = files(&["a"]);
        let optimized =
            Optimizer::with_rules(&[&ReadFilesAsStream]).optimize(&plan).expect("rules do not fail");
        assert_eq!(saved_steps(&optimized.plan), saved_steps(&plan));
        assert_eq!(saved_steps(&plan), ["tf_record(a)"]);
        let error = optimized.plan.to_text().expect_err("made by the optimizer").to_string();
        assert!(error.contains("a step that the optimizer made has no text"), "{error}");
    }

    #[test]
    fn other_sources_and_files_read_by_their_index_stay() {
        declines(&ReadFilesAsStream, &ten());
        let shuffled = files(&["a"]).global_shuffle(seeds(1), true).expect("valid");
        declines(&ReadFilesAsStream, &shuffled);
        declines(&ReadFilesAsStream, &shuffled.batch(2, false).expect("valid"));
    }
}
