//! Rows of files.

use std::path::PathBuf;
use std::sync::Arc;

use feedline_data::{DType, ElementSpec, TensorSpec};

use crate::{Cardinality, FileFormat, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// The rows of `paths`, file after file, as strings.
    pub fn files(paths: Vec<PathBuf>, format: FileFormat) -> Result<Plan> {
        if paths.is_empty() {
            return Err(
                PlanError::argument("no files to read").with_hint("list_files finds files by a pattern")
            );
        }
        let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::String));
        let kind = NodeKind::Files { paths: Arc::new(paths), format };
        Ok(Plan::source(kind, spec, Cardinality::Unknown))
    }
}
