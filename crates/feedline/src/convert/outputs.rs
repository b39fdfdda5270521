//! The files a conversion writes: their names, and what stands under those names already.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use feedline_formats::Compression;
use feedline_io::{Error as IoError, ErrorKind as IoErrorKind, ShardName};

use super::options::usage;
use crate::error::Result;
use crate::records::index_path;

/// Every ending of a shard. feedline goes by the content, TensorFlow must be told how a file is compressed: the ending is
/// for the person who tells it.
const EXTENSIONS: [&str; 3] = ["tfrecord", "tfrecord.gz", "tfrecord.zlib"];

/// Where a conversion writes.
pub(super) struct Outputs {
    /// As given, for messages.
    prefix: PathBuf,
    /// Empty for the current one, so that paths stay as short as the prefix was.
    folder: PathBuf,
    /// What file names begin with.
    name: String,
    extension: &'static str,
}

impl Outputs {
    /// Checks that `prefix` can be one, and is not something else by mistake.
    pub(super) fn new(prefix: &Path, compression: Option<Compression>) -> Result<Outputs> {
        let example = "give what the names of the files shall begin with: `out/train` for `out/train-00000-of-00008.tfrecord`";
        let refused = |what: &str, hint: &str| {
            Err(usage(
                format!("{}: the output {what}, expected a prefix of file names", prefix.display()),
                hint,
            ))
        };
        let bytes = prefix.as_os_str().as_encoded_bytes();
        if bytes.is_empty() || bytes.ends_with(b"/") || prefix.is_dir() {
            return refused("is a folder", example);
        }
        if prefix.to_str().is_some_and(|prefix| prefix.contains("://")) {
            let hint = "write to a local folder, and copy the files from there";
            return refused("is a remote path, which is not supported by this build", hint);
        }
        if bytes.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[')) {
            return refused("is a pattern", example);
        }
        if prefix.is_file() {
            let hint = format!("the last argument is where to write; {example}");
            return refused("is a file that exists", &hint);
        }
        let endings = ["tfrecord", "tfrecords", "gz", "csv", "jsonl"];
        if let Some(ending) =
            prefix.extension().and_then(|ending| ending.to_str()).filter(|ending| endings.contains(ending))
        {
            let plain = prefix.with_extension("");
            let plain = plain.display();
            let hint = format!("write `{plain}` for `{plain}-00000-of-00001.tfrecord`");
            return refused(&format!("ends in `.{ending}`"), &hint);
        }
        let name = prefix.file_name().and_then(|name| name.to_str());
        let Some(name) = name.filter(|name| !name.starts_with('.')) else {
            let message = format!("{}: the output has no name that files can begin with", prefix.display());
            let hint = format!("{example}; the name is UTF-8 and does not begin with a dot");
            return Err(usage(message, hint));
        };
        let extension = match compression {
            None => EXTENSIONS[0],
            Some(Compression::Gzip) => EXTENSIONS[1],
            Some(Compression::Zlib) => EXTENSIONS[2],
        };
        let folder = prefix.parent().unwrap_or(Path::new("")).to_owned();
        let outputs = Outputs { prefix: prefix.to_owned(), folder, name: name.to_owned(), extension };
        // Told now, not when the first file is to be written.
        outputs.shard(0, 1)?;
        Ok(outputs)
    }

    pub(super) fn prefix(&self) -> &Path {
        &self.prefix
    }

    pub(super) fn folder(&self) -> &Path {
        if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder }
    }

    /// What the names of all files begin with that are written through temporary ones.
    pub(super) fn names(&self) -> [String; 3] {
        ["-", ".labels.", ".skipped."].map(|behind| format!("{}{behind}", self.name))
    }

    pub(super) fn create_folder(&self) -> Result<()> {
        let folder = self.folder();
        fs::create_dir_all(folder).map_err(|error| {
            // Down to what is there: that is what stands in the way, or where nothing can be made.
            let existing = folder.ancestors().find(|path| fs::symlink_metadata(path).is_ok());
            let existing = existing.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let shown = existing.display();
            let hint = if existing.is_dir() {
                format!("no folder can be made in `{shown}`; give a prefix in a folder that you may write to")
            } else {
                format!(
                    "`{shown}` is no folder; give a prefix in one that is, or in one that does not exist yet"
                )
            };
            IoError::io(folder, "create the output folder", error).with_hint(hint).into()
        })
    }

    /// File `shard` of `count`.
    pub(super) fn shard(&self, shard: u32, count: u32) -> Result<PathBuf> {
        ShardName::new(&self.name, u64::from(shard), u64::from(count), self.extension)
            .map(|name| self.folder.join(name.to_string()))
            .ok_or_else(|| {
                let prefix = self.prefix.display();
                let message = format!("{prefix}: names of a set of files cannot begin like this");
                usage(message, "choose a plain name, without the numbers of another set")
            })
    }

    /// A pattern of all files of the set.
    pub(super) fn pattern(&self, count: u32) -> String {
        format!("{}-*-of-{count:05}.{}", self.prefix.display(), self.extension)
    }

    /// The names of the classes, one a line. With a dot, so that `train-*`, which people write for the set, is the set.
    pub(super) fn labels(&self) -> PathBuf {
        self.folder.join(format!("{}.labels.txt", self.name))
    }

    /// The rows that were skipped.
    pub(super) fn report(&self) -> PathBuf {
        self.folder.join(format!("{}.skipped.jsonl", self.name))
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.folder.join(format!(".{}.feedline-convert", self.name))
    }

    /// The files of any set of this prefix that exist, with their names taken apart, in order.
    pub(super) fn existing(&self) -> Result<Vec<(PathBuf, ShardName)>> {
        let failed = |error| IoError::io(self.folder(), "list", error);
        let mut found = Vec::new();
        let entries = match fs::read_dir(self.folder()) {
            // Where there is no folder there are no files; what stands in its place is told when it is to be made.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(found);
            }
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let Some(shard) = entry.file_name().to_str().and_then(ShardName::parse) else { continue };
            if shard.prefix() == self.name && EXTENSIONS.contains(&shard.extension()) {
                found.push((self.folder.join(entry.file_name()), shard));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// Whether nothing stands under any name of this prefix: no shard of any set, no labels, no report.
    pub(super) fn are_free(&self) -> Result<bool> {
        Ok(self.existing()?.is_empty() && ![self.labels(), self.report()].iter().any(|path| path.exists()))
    }

    /// Whether a file found by [`Outputs::existing`] belongs to the set of `count` shards this conversion writes.
    pub(super) fn is_of_set(&self, shard: &ShardName, count: u32) -> bool {
        shard.count() == u64::from(count) && shard.extension() == self.extension
    }

    /// The files that exist under names of this conversion: those of the shards for which `is_meant`, and `beside` them
    /// labels and report.
    pub(super) fn identities(
        &self,
        is_meant: impl Fn(&ShardName) -> bool,
        beside: bool,
    ) -> Result<Identities> {
        let shards = self.existing()?.into_iter().filter(|(_, shard)| is_meant(shard)).map(|(path, _)| path);
        let others = [self.labels(), self.report()].into_iter().filter(|_| beside);
        let paths = shards.chain(others).filter_map(|path| fs::canonicalize(path).ok());
        Ok(Identities { paths: paths.collect() })
    }

    /// Removes what earlier conversions to this prefix wrote: the shards for which `is_meant`, labels and report.
    pub(super) fn remove_existing(&self, is_meant: impl Fn(&ShardName) -> bool) -> Result<()> {
        let others = [self.labels(), self.report()];
        let shards = self.existing()?.into_iter().filter(|(_, shard)| is_meant(shard)).map(|(path, _)| path);
        for path in shards.chain(others) {
            remove_file(&index_path(&path))?;
            remove_file(&path)?;
        }
        Ok(())
    }
}

/// Files by what they are, because an input may come by another path than an output.
pub(super) struct Identities {
    paths: Vec<PathBuf>,
}

impl Identities {
    pub(super) fn contains(&self, path: &Path) -> bool {
        !self.paths.is_empty() && fs::canonicalize(path).is_ok_and(|path| self.paths.contains(&path))
    }
}

/// Removes a file that may not be there.
pub(super) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path).map_err(|error| IoError::io(path, "remove", error)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == IoErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.or_hint("move it away yourself, or choose another prefix").into()),
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
            ("s3://bucket/train".into(), "is a remote path, which is not supported by this build"),
            ("..".into(), "is a folder"),
        ] {
            let error = Outputs::new(prefix.as_ref(), None).err().unwrap().to_string();
            assert!(error.contains(reason) && error.contains("\nhint: "), "{prefix}: {error}");
        }
        let outputs = Outputs::new(path("train").as_ref(), Some(Compression::Gzip)).unwrap();
        assert!(outputs.shard(3, 8).unwrap().ends_with("train-00003-of-00008.tfrecord.gz"));
        let here = Outputs::new("train".as_ref(), None).unwrap();
        assert_eq!((here.folder(), here.labels().as_path()), (Path::new("."), Path::new("train.labels.txt")));
    }
}
