//! The files a conversion writes: their names, and what stands under those names already.

use std::fs;
use std::path::{Path, PathBuf};

use feedline_formats::Compression;
use feedline_io::{Error as IoError, ErrorKind as IoErrorKind, ShardName};

use super::options::argument;
use crate::error::Result;
use crate::records::index_path;

/// Every ending of a shard. feedline goes by the content, TensorFlow must be told how a file is compressed: the ending is
/// for the person who tells it.
const EXTENSIONS: [&str; 3] = ["tfrecord", "tfrecord.gz", "tfrecord.zlib"];

/// Where a conversion writes.
pub(super) struct Outputs {
    prefix: String,
    folder: PathBuf,
    /// What file names begin with.
    name: String,
    extension: &'static str,
}

impl Outputs {
    /// Checks that `prefix` can be one, and is not something else by mistake.
    pub(super) fn new(prefix: &str, compression: Option<Compression>) -> Result<Outputs> {
        let path = Path::new(prefix);
        let example = "give what the names of the files shall begin with: `out/train` for `out/train-00000-of-00008.tfrecord`";
        if prefix.is_empty() || prefix.ends_with('/') || path.is_dir() {
            return Err(argument(
                format!("{prefix}: the output is a folder, expected a prefix of file names"),
                example,
            ));
        }
        if prefix.contains(['*', '?', '[']) {
            return Err(argument(
                format!("{prefix}: the output is a pattern, expected a prefix of file names"),
                example,
            ));
        }
        if path.is_file() {
            let message =
                format!("{prefix}: the output is a file that exists, expected a prefix of file names");
            return Err(argument(message, format!("the last argument is where to write; {example}")));
        }
        let endings = ["tfrecord", "tfrecords", "gz", "csv", "jsonl"];
        if let Some(ending) =
            path.extension().and_then(|ending| ending.to_str()).filter(|ending| endings.contains(ending))
        {
            let plain = prefix.strip_suffix(&format!(".{ending}")).unwrap_or(prefix);
            let message =
                format!("{prefix}: the output ends in `.{ending}`, expected a prefix of file names");
            return Err(argument(message, format!("write `{plain}` for `{plain}-00000-of-00001.tfrecord`")));
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.filter(|name| !name.starts_with('.')) else {
            return Err(argument(
                format!("{prefix}: the output has no name that files can begin with"),
                example,
            ));
        };
        let extension = match compression {
            None => EXTENSIONS[0],
            Some(Compression::Gzip) => EXTENSIONS[1],
            Some(Compression::Zlib) => EXTENSIONS[2],
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Outputs { prefix: prefix.to_owned(), folder: folder.to_owned(), name: name.to_owned(), extension })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the names of all files begin with that are written through temporary ones.
    pub(super) fn names(&self) -> [String; 3] {
        ["-", ".labels.", ".skipped."].map(|behind| format!("{}{behind}", self.name))
    }

    pub(super) fn create_folder(&self) -> Result<()> {
        fs::create_dir_all(&self.folder)
            .map_err(|error| IoError::io(&self.folder, "create the output folder", error).into())
    }

    /// File `shard` of `count`.
    pub(super) fn shard(&self, shard: u32, count: u32) -> Result<PathBuf> {
        ShardName::new(&self.prefix, u64::from(shard), u64::from(count), self.extension)
            .map(|name| PathBuf::from(name.to_string()))
            .ok_or_else(|| {
                let message = format!("{}: names of a set of files cannot begin like this", self.prefix);
                argument(message, "choose a plain name, without the numbers of another set")
            })
    }

    /// A pattern of all files of the set.
    pub(super) fn pattern(&self, count: u32) -> String {
        format!("{}-*-of-{count:05}.{}", self.prefix, self.extension)
    }

    /// The names of the classes, one a line. With a dot, so that `train-*`, which people write for the set, is the set.
    pub(super) fn labels(&self) -> PathBuf {
        PathBuf::from(format!("{}.labels.txt", self.prefix))
    }

    /// The rows that were skipped.
    pub(super) fn report(&self) -> PathBuf {
        PathBuf::from(format!("{}.skipped.jsonl", self.prefix))
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.folder.join(format!(".{}.feedline-convert", self.name))
    }

    /// The files of any set of this prefix that exist, with their names taken apart, in order.
    pub(super) fn existing(&self) -> Result<Vec<(PathBuf, ShardName)>> {
        let failed = |error| IoError::io(&self.folder, "list", error);
        let mut found = Vec::new();
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let Some(shard) = entry.file_name().to_str().and_then(ShardName::parse) else { continue };
            if shard.prefix() == self.name && EXTENSIONS.contains(&shard.extension()) {
                found.push((entry.path(), shard));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// Whether a file found by [`Outputs::existing`] belongs to the set of `count` shards this conversion writes.
    pub(super) fn is_of_set(&self, shard: &ShardName, count: u32) -> bool {
        shard.count() == u64::from(count) && shard.extension() == self.extension
    }

    /// Refuses an input that the output would replace.
    pub(super) fn check_inputs<'a>(&self, inputs: impl Iterator<Item = &'a Path>) -> Result<()> {
        let existing: Vec<PathBuf> =
            self.existing()?.into_iter().filter_map(|(path, _)| fs::canonicalize(path).ok()).collect();
        if existing.is_empty() {
            return Ok(());
        }
        for input in inputs {
            if fs::canonicalize(input).is_ok_and(|input| existing.contains(&input)) {
                let message =
                    format!("{}: the input has the name of an output of `{}`", input.display(), self.prefix);
                return Err(argument(message, "choose another output prefix, or move the input away first"));
            }
        }
        Ok(())
    }

    /// Removes everything an earlier conversion to this prefix wrote.
    pub(super) fn remove_existing(&self) -> Result<()> {
        let others = [self.labels(), self.report()];
        for path in self.existing()?.into_iter().map(|(path, _)| path).chain(others) {
            remove_file(&index_path(&path))?;
            remove_file(&path)?;
        }
        Ok(())
    }
}

/// Removes a file that may not be there.
pub(super) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path).map_err(|error| IoError::io(path, "remove", error)) {
        Err(error) if error.kind() != IoErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_prefix_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("there");
        fs::write(&file, "x").unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for (prefix, reason) in [
            (path(""), "is a folder"),
            ("out/".into(), "is a folder"),
            (String::new(), "is a folder"),
            ("b*.csv".into(), "is a pattern"),
            (path("there"), "is a file that exists"),
            ("out/train.tfrecord".into(), "ends in `.tfrecord`"),
            ("more.csv".into(), "ends in `.csv`"),
            ("out/.hidden".into(), "no name"),
            ("..".into(), "is a folder"),
        ] {
            let error = Outputs::new(&prefix, None).err().unwrap().to_string();
            assert!(error.contains(reason) && error.contains("\nhint: "), "{prefix}: {error}");
        }
        let outputs = Outputs::new(&path("train"), Some(Compression::Gzip)).unwrap();
        assert!(outputs.shard(3, 8).unwrap().ends_with("train-00003-of-00008.tfrecord.gz"));
        assert_eq!(Outputs::new("train", None).unwrap().folder(), Path::new("."));
    }
}
