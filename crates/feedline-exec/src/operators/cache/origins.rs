//! Which elements and files the rows of a cache came from, kept beside them: who finds the cache full starts nothing that could tell.
//!
//! The file has a line for each time that rows were committed and something had been started since the time before. A line is written
//! before its rows, so rows that are there have theirs, also after a kill; of a line that was cut off by one there are no rows. Lines are
//! added and never changed: what is kept grows with the streams, however many chunks there are, up to as many as are remembered in memory.
//!
//! Rows are as good without: what cannot be read is left out, and errors of steps behind the cache say less.
//!
//! One lock is held while the file is read or written, by threads for I/O. Who holds it waits for nobody but the disk, and for the lock of one source's
//! starts, whose holders wait for nobody.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::origin::{CountedStarts, KnownStarts, SavedBefore, SavedStarts};

/// The file, and what it is about.
#[derive(Debug)]
pub(super) struct Origins {
    path: PathBuf,
    /// Of what is upstream of the cache.
    starts: KnownStarts,
    seen: Mutex<Seen>,
}

/// Length and time of a file.
type Look = (u64, Option<SystemTime>);

#[derive(Debug, Default)]
struct Seen {
    /// What the file looked like: lines of others may come.
    file: Option<Look>,
    in_file: SavedBefore,
    /// Starts that are in the file, or need not be.
    counted: CountedStarts,
}

impl Origins {
    pub(super) fn new(path: PathBuf, starts: KnownStarts) -> Origins {
        Origins { path, starts, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes known what the file says.
    pub(super) fn read(&self) {
        let mut seen = self.seen();
        let found = self.look();
        if found.is_none() || found == seen.file {
            return;
        }
        seen.file = found;
        let Ok(file) = File::open(&self.path) else { return };
        for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
            // Others are empty, or being written, or what a kill left.
            let Ok(mut saved) = serde_json::from_slice::<SavedStarts>(&line) else { continue };
            if self.starts.are_of_steps_of(&saved) {
                seen.in_file.add(&mut saved);
                self.starts.add_saved(saved);
            }
        }
    }

    /// Writes a line if there is anything new. By the one who has the right to add rows, who read what others wrote.
    pub(super) fn write(&self) -> io::Result<()> {
        let mut seen = self.seen();
        let Seen { in_file, counted, .. } = &mut *seen;
        let mut new = self.starts.since(counted);
        in_file.add(&mut new);
        if new.is_empty() {
            return Ok(());
        }
        let appended = self.append(&new);
        match &appended {
            Ok(()) => seen.file = self.look(),
            // What of it is there is seen by reading.
            Err(_) => *seen = Seen::default(),
        }
        appended
    }

    fn append(&self, new: &SavedStarts) -> io::Result<()> {
        let mut file = File::options().create(true).append(true).open(&self.path)?;
        // An end before it, too: of a line that a kill cut off.
        let mut line = vec![b'\n'];
        serde_json::to_writer(&mut line, new)?;
        line.push(b'\n');
        file.write_all(&line)?;
        file.sync_data()
    }

    fn look(&self) -> Option<Look> {
        fs::metadata(&self.path).ok().map(|file| (file.len(), file.modified().ok()))
    }

    /// Removes the file: there are no rows. Those to come may be of anything that was started so far.
    pub(super) fn remove(&self) -> io::Result<()> {
        let mut seen = self.seen();
        *seen = Seen::default();
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::origin::Salts;

    /// What a process knows of a step whose iterations have `salts`.
    fn process(path: &Path, salts: &[u64]) -> (Origins, Salts) {
        let step = Salts::default();
        salts.iter().for_each(|&salt| step.add(salt));
        let mut starts = KnownStarts::default();
        starts.push_salts(&step);
        (Origins::new(path.to_owned(), starts), step)
    }

    /// The salts in each of its lines.
    fn lines(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        text.lines()
            .filter(|line| !line.is_empty())
            .map(|line| line.replace(r#"{"files":[],"ids":"#, ""))
            .collect()
    }

    #[test]
    fn what_was_started_before_there_was_a_right_to_write_is_written_and_nothing_twice() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins.jsonl");
        // An iterator that was left before its rows were committed started the first.
        let (first, step) = process(&path, &[7]);
        first.read();
        first.write().unwrap();
        first.write().unwrap();
        step.add(8);
        first.read();
        first.write().unwrap();
        assert_eq!(lines(&path), ["[[7]]}", "[[8]]}"]);
        for _ in 0..5 {
            let (next, step) = process(&path, &[8]);
            next.read();
            next.write().unwrap();
            step.add(7);
            next.write().unwrap();
            next.read();
            next.write().unwrap();
        }
        assert_eq!(lines(&path), ["[[7]]}", "[[8]]}"]);
        // What a kill left has no line's end.
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, whole + r#"{"files":[],"i"#).unwrap();
        let (next, _) = process(&path, &[9]);
        next.read();
        next.write().unwrap();
        let (reader, _) = process(&path, &[]);
        reader.read();
        assert_eq!(reader.starts.since(&mut CountedStarts::default()).ids(), [[7, 8, 9]]);
    }

    #[test]
    fn rows_that_are_computed_anew_are_told_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins.jsonl");
        let (writer, step) = process(&path, &[7]);
        writer.write().unwrap();
        let (reader, _) = process(&path, &[]);
        reader.read();
        writer.remove().unwrap();
        writer.remove().unwrap();
        reader.read();
        step.add(10);
        writer.write().unwrap();
        assert_eq!(lines(&path), ["[[7,10]]}"]);
        reader.read();
        assert_eq!(reader.starts.since(&mut CountedStarts::default()).ids(), [[7, 10]]);
    }

    #[test]
    fn lines_of_other_steps_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins.jsonl");
        fs::write(&path, "{\"files\":[[]],\"ids\":[[1]]}\n{\"files\":[],\"ids\":[[2]]}\nno JSON\n").unwrap();
        let (reader, _) = process(&path, &[]);
        reader.read();
        assert_eq!(reader.starts.since(&mut CountedStarts::default()).ids(), [[2]]);
    }
}
