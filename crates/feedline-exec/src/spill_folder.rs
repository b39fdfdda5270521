//! The folder for what memory has no room for.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::ExecError;

/// Where a shuffle puts rows when the budget is reached. Its files have no names: they go with the process, also when it is
/// killed, and nobody finds half of one.
#[derive(Clone, Debug)]
pub(crate) struct SpillFolder {
    path: PathBuf,
    /// Makes a file in a folder; tests have one that is full.
    create: fn(&Path) -> io::Result<File>,
}

impl SpillFolder {
    /// The folder at `path`, which must be there.
    pub(crate) fn new(path: PathBuf) -> Result<SpillFolder, ExecError> {
        let folder = SpillFolder { path, create: |path| tempfile::tempfile_in(path) };
        // A folder that nothing can be written to should not be found out an hour later.
        folder.create_file().map(|_| folder)
    }

    /// One whose files are what `create` gives.
    #[cfg(test)]
    pub(crate) fn with_files(path: &str, create: fn(&Path) -> io::Result<File>) -> SpillFolder {
        SpillFolder { path: path.into(), create }
    }

    /// A new, empty file for reading and writing, without a name.
    pub(crate) fn create_file(&self) -> Result<File, ExecError> {
        (self.create)(&self.path).map_err(|error| self.error("a file cannot be made in", &error))
    }

    /// What went wrong here, and what to do about it.
    pub(crate) fn error(&self, what: &str, error: &io::Error) -> ExecError {
        let hint = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free space there, spill to another folder (`Options::spill_dir`, FEEDLINE_SPILL_DIR), or raise the \
                 memory budget"
            }
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                "make the folder, or spill to another (`Options::spill_dir`, FEEDLINE_SPILL_DIR)"
            }
            io::ErrorKind::FileTooLarge => {
                "`ulimit -f` shows how large files may be; raise it, spill to a folder on another file system \
                 (`Options::spill_dir`, FEEDLINE_SPILL_DIR), or raise the memory budget"
            }
            _ => "spill to a folder that can be written to (`Options::spill_dir`, FEEDLINE_SPILL_DIR)",
        };
        ExecError::resource(format!("{what} the spill folder {}: {error}", self.path.display()))
            .with_hint(hint)
    }

    /// What was read here is not what was written.
    pub(crate) fn damaged(&self, reason: &str) -> ExecError {
        ExecError::resource(format!(
            "a row read back from the spill folder {} is damaged: {reason}",
            self.path.display()
        ))
        .with_hint(
            "its storage is faulty; spill to another folder (`Options::spill_dir`, FEEDLINE_SPILL_DIR)",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_used_is_an_error_with_its_name() {
        for path in ["/nowhere/at all", "/dev/null"] {
            let error = SpillFolder::new(path.into()).expect_err("no folder").to_string();
            assert!(
                error.contains(&format!("a file cannot be made in the spill folder {path}: ")),
                "{error}"
            );
            assert!(error.contains("hint: make the folder, or spill to another"), "{error}");
        }
    }

    #[test]
    fn what_went_wrong_decides_what_to_do() {
        use io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let folder = SpillFolder::with_files("/mnt/spill", |_| Err(PermissionDenied.into()));
        let error = folder.create_file().expect_err("no permission").to_string();
        assert!(
            error.contains("a file cannot be made in the spill folder /mnt/spill: permission denied"),
            "{error}"
        );
        let hints = [
            (StorageFull, "free space there"),
            (QuotaExceeded, "free space there"),
            (FileTooLarge, "`ulimit -f`"),
            (PermissionDenied, "spill to a folder that can be written to"),
            (ReadOnlyFilesystem, "spill to a folder that can be written to"),
        ];
        for (kind, hint) in hints {
            let error = folder.error("elements cannot be written to", &kind.into()).to_string();
            assert!(error.contains("elements cannot be written to the spill folder /mnt/spill: "), "{error}");
            assert!(error.contains(&format!("hint: {hint}")), "{error}");
            assert!(error.contains("FEEDLINE_SPILL_DIR"), "{error}");
        }
    }
}
