//! What becomes of elements that are errors.

use std::path::PathBuf;

use feedline_data::Structure;
use feedline_data::block::{Column, Tensor};

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

/// What becomes of elements that are errors: they are left out or replaced, counted, and kept in a file for a look at them. An error behind which other
/// elements are missing, as that of a shuffle which finds no memory, is none of these: it comes through.
///
/// ```
/// use feedline_plan::ErrorPolicy;
///
/// let policy = ErrorPolicy::skip().limit(100).quarantine("bad.tfrecord");
/// assert_eq!(policy.to_string(), "skip, limit=100, quarantine=bad.tfrecord");
/// ```
#[derive(Clone, Debug)]
pub struct ErrorPolicy {
    /// What comes in the place of an error; `None`: nothing.
    pub replacement: Option<Structure<Tensor>>,
    /// How many errors are put up with; the next one ends the dataset. `None`: any number.
    pub limit: Option<u64>,
    /// The file that gets a record for each error.
    pub quarantine: Option<PathBuf>,
    /// Whether each error is told beside the elements, where notices go. It changes nothing else, and a state goes on with it and without.
    pub tells: bool,
}

impl ErrorPolicy {
    /// Errors are left out.
    pub fn skip() -> ErrorPolicy {
        ErrorPolicy { replacement: None, limit: None, quarantine: None, tells: false }
    }

    /// `element` comes in the place of each error.
    pub fn replace(element: impl Into<Structure<Tensor>>) -> ErrorPolicy {
        ErrorPolicy { replacement: Some(element.into()), ..ErrorPolicy::skip() }
    }

    /// Puts up with `errors` errors; the next one ends the dataset with an error that says so. Counted is one pass over the
    /// dataset: where `repeat` comes behind, each epoch counts for itself; before it, all epochs together are one pass.
    #[must_use]
    pub fn limit(self, errors: u64) -> ErrorPolicy {
        ErrorPolicy { limit: Some(errors), ..self }
    }

    /// Writes each error, with its step and the element it was made of where that is known, to a TFRecord file of Examples, behind what
    /// is there: `feedline inspect` shows it. Each pass adds its own; one that goes on from a saved state leaves out what the file
    /// has from before. The file is there from the beginning of a pass, so that a place that cannot be written is told at once.
    #[must_use]
    pub fn quarantine(self, path: impl Into<PathBuf>) -> ErrorPolicy {
        ErrorPolicy { quarantine: Some(path.into()), ..self }
    }

    /// Tells each error where notices go (`Options::on_notice`; standard error).
    #[must_use]
    pub fn telling(self) -> ErrorPolicy {
        ErrorPolicy { tells: true, ..self }
    }

    /// The replacement's tensors, a column of one row each.
    pub fn replacement_columns(&self) -> Option<Vec<Column>> {
        let element = self.replacement.as_ref()?;
        Some(element.leaves().into_iter().map(|tensor| tensor.as_column().clone()).collect())
    }
}

impl std::fmt::Display for ErrorPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.replacement {
            None => f.write_str("skip")?,
            Some(element) => write!(f, "replace={}", element.map(crate::step_text::text_of_tensor))?,
        }
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        match &self.quarantine {
            Some(path) => write!(f, ", quarantine={}", path.display()),
            None => Ok(()),
        }
    }
}

impl Plan {
    /// With errors treated as `policy` says.
    pub fn on_error(&self, policy: ErrorPolicy) -> Result<Plan> {
        if let Some(element) = &policy.replacement {
            if let Some(difference) = element.first_difference(self.spec()) {
                return Err(PlanError::spec(format!("on_error: the replacement {difference}")));
            }
            let names = self.spec().leaf_names();
            for ((tensor, spec), name) in element.leaves().iter().zip(self.spec().leaves()).zip(names) {
                if tensor.dtype() != spec.dtype || !spec.shape.admits(tensor.shape()) {
                    return Err(PlanError::spec(format!(
                        "on_error: the replacement{name} is {}{:?}, and elements are {spec}",
                        tensor.dtype(),
                        tensor.shape()
                    )));
                }
            }
        }
        let cardinality = match (&policy.replacement, self.cardinality()) {
            (None, Cardinality::Known(count)) if count > 0 => Cardinality::Unknown,
            (_, cardinality) => cardinality,
        };
        Ok(self.same_elements(NodeKind::OnError { policy }, cardinality))
    }
}
