//! Where the tour makes its data: a folder of its own that goes at the end, or after a kill with the next tour.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use feedline::Result;
use feedline::io::Error;

/// What the names of temporary folders begin with.
const NAME: &str = "feedline-demo-";
/// The file in each that its tour holds a lock on; the system lets go of it when the process ends, in whatever way.
const LOCK: &str = ".running";

/// Where the data is made; removed at the end unless it is to be kept.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Of a temporary one.
    lock: Option<File>,
}

impl Folder {
    /// The folder `keep`, or a temporary one.
    pub(super) fn new(keep: Option<&Path>) -> Result<Folder> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| Error::io(path, "create the folder", error)
        };
        if let Some(path) = keep {
            fs::create_dir_all(path).map_err(failed(path))?;
            return Ok(Folder { path: path.to_owned(), lock: None });
        }
        remove_abandoned(&std::env::temp_dir());
        let path = std::env::temp_dir().join(format!("{NAME}{}", std::process::id()));
        fs::create_dir_all(&path).map_err(failed(&path))?;
        let lock = File::create(path.join(LOCK)).map_err(failed(&path))?;
        // Where there are no locks, nobody takes the folder for abandoned either.
        _ = lock.try_lock();
        Ok(Folder { path, lock: Some(lock) })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.lock.is_some() {
            _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Removes the folders of tours that were killed. What cannot be removed is somebody else's.
fn remove_abandoned(temporary: &Path) {
    for entry in fs::read_dir(temporary).into_iter().flatten().flatten() {
        let is_one = entry.file_name().as_encoded_bytes().starts_with(NAME.as_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_one {
            continue;
        }
        let lock = File::options().write(true).open(entry.path().join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "test code")]
mod tests {
    use super::*;

    #[test]
    fn folders_of_killed_tours_go_and_others_stay() {
        let temporary = tempfile::tempdir().unwrap();
        let temporary = temporary.path();
        let folder = |name: &str| {
            let path = temporary.join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let (killed, running, other) =
            (folder("feedline-demo-1"), folder("feedline-demo-2"), folder("feedline-demo-3"));
        fs::write(killed.join(LOCK), "").unwrap();
        fs::write(killed.join("data"), "x").unwrap();
        let lock = File::create(running.join(LOCK)).unwrap();
        lock.try_lock().unwrap();
        remove_abandoned(temporary);
        assert!(!killed.exists() && running.exists() && other.exists());
        drop(lock);
        remove_abandoned(temporary);
        assert!(!running.exists());
    }
}
