//! Saved datasets: folders of record files that are read back as the same dataset.
//!
//! A saved dataset is a folder of record files, one element a record, and `dataset.json`, written last, which says what the elements are and which
//! files make up each shard. Records are Examples, so that other programs read them too: for each tensor of an element its bytes, and
//! its shape where that is not the same for all.
//!
//! Files are written a chunk at a time, one for each shard, and `save.json` behind each chunk says how far it is: so a save that was killed goes
//! on behind the last chunk when it is called again, in the order it began with.
//!
//! - `description`: `dataset.json`; `journal`: `save.json`;
//! - `encode`: an element as a record; `write`: chunks of files;
//! - `load`: files as a dataset.

mod description;
mod encode;
mod journal;
mod load;
mod write;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use feedline_data::{DType, ElementSpec, Structure};
use feedline_formats::Compression;
use feedline_io::{AtomicFile, Error as IoError, ErrorKind as IoErrorKind};
use feedline_plan::{PlanError, Symbolic, ops};

pub use description::KeyOrder;
pub use load::SavedDataset;

use crate::{Dataset, Error, Result};
use description::{DESCRIPTION, Description, SavedSpec};
use encode::Encoder;
use journal::{Arguments, Journal};
use write::{Progress, Told, Turns, Writing};

/// A chunk ends behind the element with which it has so many bytes: a kill loses no more, and files are large enough to be read in long runs.
const CHUNK_BYTES: u64 = 64 << 20;

/// How often is looked for a dataset that is waited for.
const WAIT: Duration = Duration::from_millis(50);

/// How a dataset is saved.
///
/// ```
/// use feedline::formats::Compression;
/// use feedline::{Dataset, Saving};
///
/// # fn main() -> feedline::Result<()> {
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("squares");
/// let squares = Dataset::range(1000).map(|x| x.clone() * x);
/// squares.save_with(&path, Saving::new().shards(4).compression(Compression::Gzip))?;
/// assert_eq!(Dataset::load(&path)?.iterator()?.count(), 1000);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Saving<'a> {
    shards: Shards<'a>,
    compression: Option<Compression>,
    chunk_bytes: u64,
    key_order: KeyOrder,
    progress: Option<Progress<'a>>,
}

/// Which shard an element is of.
enum Shards<'a> {
    InTurn(u64),
    By(Box<dyn FnOnce(Symbolic) -> Symbolic + 'a>),
    /// Elements are pairs already.
    Numbered,
}

impl Default for Saving<'_> {
    fn default() -> Self {
        Saving::new()
    }
}

impl<'a> Saving<'a> {
    /// To one shard, not compressed.
    pub fn new() -> Saving<'a> {
        Saving {
            shards: Shards::InTurn(1),
            compression: None,
            chunk_bytes: CHUNK_BYTES,
            key_order: KeyOrder::Leaf,
            progress: None,
        }
    }

    /// To so many shards, which take turns.
    pub fn shards(self, shards: u64) -> Saving<'a> {
        Saving { shards: Shards::InTurn(shards), ..self }
    }

    /// To the shards that `function`, which is traced, gives for elements, an integer each. They take turns when they are read.
    ///
    /// ```
    /// use feedline::{Dataset, Saving};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("numbers");
    /// Dataset::range(6).save_with(&path, Saving::new().shard_func(|x| x % 2))?;
    /// let one_by_one = Dataset::load_by(&path, |shards, elements_of| shards.flat_map(elements_of))?;
    /// let numbers: Vec<i64> = one_by_one.iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
    /// assert_eq!(numbers, [0, 2, 4, 1, 3, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shard_func<R: Into<Symbolic>>(self, function: impl FnOnce(Symbolic) -> R + 'a) -> Saving<'a> {
        Saving { shards: Shards::By(Box::new(|element| function(element).into())), ..self }
    }

    /// Elements are pairs of the number of their shard and what is saved: as [`Saving::shard_func`], for front ends that trace the function
    /// themselves.
    pub fn numbered(self) -> Saving<'a> {
        Saving { shards: Shards::Numbered, ..self }
    }

    /// With files that are compressed.
    pub fn compression(self, compression: impl Into<Option<Compression>>) -> Saving<'a> {
        Saving { compression: compression.into(), ..self }
    }

    /// With chunks of so many bytes of records: what a kill may lose, and about the size of the files. 64 MiB unless said otherwise.
    pub fn chunk_bytes(self, chunk_bytes: u64) -> Saving<'a> {
        Saving { chunk_bytes, ..self }
    }

    /// With the keys of dicts in this order, which [`SavedDataset::key_order`] gives back: for languages whose dicts have one.
    pub fn key_order(self, key_order: KeyOrder) -> Saving<'a> {
        Saving { key_order, ..self }
    }

    /// Calls `progress` with the number of elements that are written, ten times a second at most, also while the next one is waited for, and at the
    /// end. It says whether to go on; a save that was stopped goes on when it is called again.
    pub fn progress(self, progress: impl FnMut(u64) -> ControlFlow<()> + 'a) -> Saving<'a> {
        Saving { progress: Some(Box::new(progress)), ..self }
    }
}

impl Dataset {
    /// Writes its elements, whatever tensors they are of, to the folder `path`; [`Dataset::load`] reads them back, in the same order. A save that was
    /// stopped or killed goes on when it is called again with the same dataset.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("numbers");
    /// Dataset::range(3).save(&path)?;
    /// let numbers: Vec<i64> = Dataset::load(&path)?.iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
    /// assert_eq!(numbers, [0, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a dataset is there already, or part of another one; if it has no end, or datasets among its elements; the first error among them.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, Saving::new())
    }

    /// As [`Dataset::save`], as `saving` says.
    #[track_caller]
    pub fn save_with(&self, path: impl AsRef<Path>, saving: Saving<'_>) -> Result<()> {
        let folder = path.as_ref();
        let Saving { shards, compression, chunk_bytes, key_order, progress } = saving;
        let (written, turns) = match shards {
            Shards::InTurn(0) => {
                return Err(argument("save: shards must be greater than zero", "1 is one file a chunk"));
            }
            Shards::InTurn(shards) => (self.clone(), Turns::Of(shards)),
            Shards::By(function) => {
                let pairs = self.map(|element| Symbolic::tuple([function(element.clone()), element]));
                (with_numbers(&pairs)?, Turns::Given)
            }
            Shards::Numbered => (with_numbers(self)?, Turns::Given),
        };
        let (element, first_column) = saved_part(written.element_spec()?, turns);
        let Some(spec) = SavedSpec::of(element, &key_order) else {
            let message = format!("save: there is a dataset in the elements, {element}, which is no tensor");
            return Err(argument(message, "flat_map makes elements of datasets"));
        };
        if written.cardinality()? == -1 {
            return Err(argument("save: the dataset is infinite", "take(n) gives the first n elements"));
        }
        if SavedDataset::is_in(folder) {
            let error = IoError::new(IoErrorKind::AlreadyExists, folder, "save", "it has a dataset already");
            return Err(error.with_hint("remove the folder, or save to another one").into());
        }
        let arguments = Arguments {
            shards: if let Turns::Of(shards) = turns { shards } else { 1 },
            compression: compression.map_or_else(String::new, |known| known.name().to_uppercase()),
            fingerprint: written.fingerprint()?,
        };
        let mut journal = Journal::open(folder, arguments)?;
        let mut elements = match journal.state()? {
            Some(state) => written.resume(&state)?,
            None => written.iterator_of(0)?,
        };
        let encoder = Encoder::new(&spec.parts(), first_column);
        let progress = Told::new(progress);
        let mut writing = Writing { folder, turns, compression, chunk_bytes, encoder, progress };
        writing.run(&mut elements, &mut journal)?;
        let shards = journal.files().cloned().collect();
        let description = Description { elements: journal.num_elements(), shards, element_spec: spec };
        let mut file = AtomicFile::create(folder.join(DESCRIPTION))?;
        file.write_all(description.to_text().as_bytes())?;
        file.commit()?;
        journal.close()
    }

    /// The dataset that [`Dataset::save`] wrote to the folder `path`. [`SavedDataset`] tells more about it.
    ///
    /// # Errors
    /// If none was saved there, or not to the end.
    #[track_caller]
    pub fn load(path: impl AsRef<Path>) -> Result<Dataset> {
        Ok(SavedDataset::open(path)?.elements())
    }

    /// As [`Dataset::load`], in another order: `reader` gets a dataset of shards, and a function that makes a dataset of elements of a shard.
    ///
    /// ```
    /// use feedline::{Dataset, Saving};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("numbers");
    /// Dataset::range(6).save_with(&path, Saving::new().shards(3))?;
    /// let shuffled = Dataset::load_by(&path, |shards, elements_of| {
    ///     shards.shuffle(3).seed(1).interleave(elements_of)
    /// })?;
    /// assert_eq!(shuffled.iterator()?.count(), 6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Dataset::load`].
    pub fn load_by(
        path: impl AsRef<Path>,
        reader: impl FnOnce(Dataset, &dyn Fn(Symbolic) -> Dataset) -> Dataset,
    ) -> Result<Dataset> {
        let saved = SavedDataset::open(path)?;
        Ok(reader(saved.shards(), &|shard| saved.elements_of(shard)))
    }

    /// As [`Dataset::load`], of a dataset that another process may not have saved to the end: waits until it is there, or until
    /// `is_interrupted`, which is asked twenty times a second, says so.
    ///
    /// # Errors
    /// As [`Dataset::load`]; the wait was interrupted.
    #[track_caller]
    pub fn load_when_saved(path: impl AsRef<Path>, is_interrupted: impl FnMut() -> bool) -> Result<Dataset> {
        Ok(SavedDataset::open_when_saved(path, is_interrupted)?.elements())
    }
}

impl SavedDataset {
    /// As [`SavedDataset::open`], of a dataset that is waited for; as [`Dataset::load_when_saved`].
    ///
    /// # Errors
    /// As there.
    pub fn open_when_saved(
        path: impl AsRef<Path>,
        mut is_interrupted: impl FnMut() -> bool,
    ) -> Result<SavedDataset> {
        let path = path.as_ref();
        while !SavedDataset::is_in(path) && !is_interrupted() {
            std::thread::sleep(WAIT);
        }
        SavedDataset::open(path)
    }
}

/// What is saved of the elements, and its first column.
fn saved_part(spec: &ElementSpec, turns: Turns) -> (&ElementSpec, usize) {
    match (spec, turns) {
        (Structure::Tuple(pair), Turns::Given) => (&pair[1], 1),
        _ => (spec, 0),
    }
}

/// Pairs of a number and an element, the number as int64.
#[track_caller]
fn with_numbers(pairs: &Dataset) -> Result<Dataset> {
    let spec = pairs.element_spec()?;
    let number = match spec {
        Structure::Tuple(pair) if pair.len() == 2 => &pair[0],
        _ => return Err(not_numbered(spec)),
    };
    match number {
        Structure::Leaf(spec) if spec.dtype.is_integer() && spec.shape.rank() == Some(0) => {
            if spec.dtype == DType::Int64 {
                return Ok(pairs.clone());
            }
            Ok(pairs.map(|pair| Symbolic::tuple([ops::cast(pair.at(0), DType::Int64), pair.at(1)])))
        }
        other => Err(not_numbered(other)),
    }
}

fn not_numbered(found: &ElementSpec) -> Error {
    PlanError::spec(format!("save: shard_func gives one integer, not {found}"))
        .with_hint("the number of the shard that the element is of: element % 10")
        .into()
}

fn argument(message: impl Into<String>, hint: &str) -> Error {
    Error::Argument { message: message.into(), hint: hint.into() }
}
