//! Files that are read here and there, of which some are open: a system has fewer handles than a data set may have files.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use feedline_io::{Blob, LocalStore, Store};

use crate::error::ExecError;

/// A list of files, the last ones used of which stay open.
pub(super) struct OpenFiles {
    paths: Vec<PathBuf>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// By the number of the file.
    blobs: Vec<Option<Arc<dyn Blob>>>,
    /// Those that are open, in the order they were opened.
    order: VecDeque<usize>,
}

/// A quarter of the handles that a process usually has (1024).
const MAX_OPEN: usize = 256;

impl OpenFiles {
    pub(super) fn new(paths: &[PathBuf]) -> OpenFiles {
        let open = Open { blobs: vec![None; paths.len()], order: VecDeque::new() };
        OpenFiles { paths: paths.to_vec(), open: Mutex::new(open) }
    }

    /// File number `file`. Blocks.
    pub(super) fn get(&self, file: usize) -> Result<Arc<dyn Blob>, ExecError> {
        let lock = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(blob) = &lock().blobs[file] {
            return Ok(Arc::clone(blob));
        }
        // Not under the lock. Two threads may open it then, and one of them for nothing.
        let blob = LocalStore.open(&self.paths[file]).map_err(|error| ExecError::of_io(&error))?;
        let mut open = lock();
        if open.blobs[file].replace(Arc::clone(&blob)).is_none() {
            open.order.push_back(file);
        }
        // Records come from everywhere: the one opened first is as good as any.
        let closed = if open.order.len() > MAX_OPEN { open.order.pop_front() } else { None };
        let closed = closed.and_then(|file| open.blobs[file].take());
        drop(open);
        drop(closed);
        Ok(blob)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_stay_open_and_all_can_be_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<PathBuf> =
            (0..MAX_OPEN + 20).map(|number| folder.path().join(number.to_string())).collect();
        for (number, path) in paths.iter().enumerate() {
            std::fs::write(path, number.to_string()).expect("written");
        }
        let files = OpenFiles::new(&paths);
        for _ in 0..2 {
            for number in 0..paths.len() {
                let blob = files.get(number).expect("there");
                let mut bytes = vec![0; blob.size() as usize];
                blob.read_exact_at(&mut bytes, 0).expect("read");
                assert_eq!(bytes, number.to_string().as_bytes());
                let open = files.open.lock().expect("no panic");
                assert!(open.order.len() <= MAX_OPEN);
                assert_eq!(open.blobs.iter().flatten().count(), open.order.len());
            }
        }
        std::fs::remove_file(&paths[0]).expect("removed");
        let error = files.get(0).err().expect("closed long ago").to_string();
        assert!(error.contains("could not open"), "{error}");
    }
}
