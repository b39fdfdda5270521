//! Where feedline's bytes come from and where they go: listing, ranged reads, writes that appear all at once.
//!
//! Three nouns:
//!
//! * a [`Store`] is a place that holds files and can be listed: [`LocalStore`] today, object stores later;
//! * a [`Blob`] is one file opened for reading, by position, from any number of threads at once;
//! * a [`PendingBlob`] is one file being written, which nobody can see before it is complete
//!   ([`AtomicFile`] is the local one).
//!
//! The traits are shaped for object stores, where a read takes milliseconds and dozens should be in flight.
//! A local read must not pay for that: it is one `pread` into the caller's buffer on the caller's thread, with
//! no allocation, no hand-over and no retry layer. A blob says which of the two it is in [`Blob::access`], and
//! [`read_ranges`] acts on it.
//!
//! | module | what is in it |
//! | --- | --- |
//! | `store`, `blob`, `watch` | the two traits, [`list_files`], and how another thread sees and stops it |
//! | `local` | files of this machine: patterns, `pread`, atomic writes |
//! | `ranges` | many ranges of one blob, joined and overlapped; [`IoThreads`] |
//! | `retry` | [`Retrying`]: another attempt after a passing failure |
//! | `shard_name` | `train-00000-of-00008.tfrecord` |
//! | `error` | one [`Error`], always with the location |
//!
//! ```
//! use feedline_io::{AtomicFile, LocalStore, ShardName, Store, list_files};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let prefix = folder.path().join("train").display().to_string();
//! for name in ShardName::set(&prefix, 3, "txt") {
//!     let mut file = AtomicFile::create(name.to_string())?;
//!     file.write_all(format!("shard {}", name.index()).as_bytes())?;
//!     file.commit()?; // before this line, nothing is to be seen under the final name
//! }
//!
//! let shards = list_files(&[format!("{prefix}-*.txt")])?;
//! assert_eq!(shards.len(), 3);
//! let blob = LocalStore.open(&shards[1].location)?;
//! let mut text = vec![0; blob.size() as usize];
//! blob.read_exact_at(&mut text, 0)?;
//! assert_eq!(text, b"shard 1");
//! # Ok(())
//! # }
//! ```

// Positional reads, folder syncs and file identity differ too much elsewhere to pretend; a port starts in `local/`.
#[cfg(not(unix))]
compile_error!(
    "feedline-io supports Unix only so far: `local/` needs positional reads and folder syncs for this system"
);

mod blob;
mod error;
mod local;
mod ranges;
mod retry;
mod shard_name;
mod shown;
mod store;
mod sync;
mod watch;

pub use blob::{Access, Blob};
pub use error::{Error, ErrorKind, Result};
pub use local::{
    AtomicFile, LocalBlob, LocalStore, modified_ns, remote_path, remove_stale_temporaries, survey_folder,
};
pub use ranges::{ByteRange, ByteView, IoThreads, read_ranges};
pub use retry::{Clock, RetryPolicy, Retrying, SystemClock};
pub use shard_name::ShardName;
pub use shown::{shown, without_controls};
pub use store::{FileEntry, Listing, PendingBlob, Store, list_files, list_files_watched, survey_files};
pub use watch::ListingWatch;
