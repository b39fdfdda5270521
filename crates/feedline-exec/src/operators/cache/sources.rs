//! What the files look like that the rows of a cache were computed from.
//!
//! They are written beside the rows (`files.json`) before the first rows that came of them, so no rows lie there whose files are not
//! known. Where one of them has changed, the rows are of no use: half of them would be continued with those of other data, and all of
//! them would be given for what the files no longer hold.
//!
//! A file that is gone makes no complete cache wrong: keeping the cache alone is what some make it for.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::{Change, FileCheck};

/// What is written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sources {
    pub(super) files: Vec<FileCheck>,
}

impl Sources {
    /// That one of them has changed, in words, if one has. `is_complete`: whether nothing more will be read of them.
    pub(super) fn change(&self, folder: &Path, is_complete: bool) -> Option<String> {
        self.files.iter().find_map(|file| {
            let change = file.change()?;
            if is_complete && matches!(change, Change::Unreadable(_)) {
                return None;
            }
            Some(format!(
                "cache: {}: its rows were computed from another {}: {}",
                folder.display(),
                file.path().display(),
                file.told(&change)
            ))
        })
    }
}
