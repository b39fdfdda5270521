//! Rows of files.

use std::path::PathBuf;
use std::sync::Arc;

use feedline_data::block::{Strings, Tensor};
use feedline_data::{DType, ElementSpec, Structure, TensorSpec};

use crate::plan::misplaced;
use crate::{Cardinality, FileFormat, NodeKind, Plan, PlanError, Result, Turns};

impl Plan {
    /// The rows of `paths`, file after file, as strings.
    pub fn files(paths: Vec<PathBuf>, format: FileFormat) -> Result<Plan> {
        if paths.is_empty() {
            return Err(
                PlanError::argument("no files to read").with_hint("list_files finds files by a pattern")
            );
        }
        let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::String));
        let kind = NodeKind::Files { paths: Arc::new(paths), format, is_stream: false };
        Ok(Plan::source(kind, spec, Cardinality::Unknown))
    }

    /// The files this plan reads, several at a time taking turns of one row: as many as `reads`, or as interleave does.
    pub fn with_parallel_reads(&self, reads: Option<usize>) -> Result<Plan> {
        let NodeKind::Files { paths, format, .. } = &self.node().kind else {
            return Err(misplaced("num_parallel_reads", "tf_record or text_line", &self.node().kind));
        };
        if reads == Some(0) {
            return Err(PlanError::argument("num_parallel_reads must be greater than zero"));
        }
        let paths: Strings = paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
        let paths = Structure::Leaf(Tensor::from_strings(vec![paths.len()], paths));
        let rows = Plan::from_tensor_slices(&paths)?.interleave(|path| Plan::files_of(&path, *format))?;
        let turns = rows.turns("num_parallel_reads")?;
        rows.with_turns(
            "num_parallel_reads",
            Turns { cycle_length: reads.unwrap_or(turns.cycle_length), ..turns },
        )
    }
}
