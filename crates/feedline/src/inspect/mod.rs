//! What is in record files, found by reading no more of them than needed.
//!
//! - `inspection` puts an answer together for a set of files; `windows` chooses what to read of them, `sample` collects what
//!   the records hold, `count` finds or estimates how many there are.
//! - `look` says what a byte string is: text, an image, something else.
//! - `record` reads a single record and takes it apart.

mod count;
mod inspection;
mod look;
mod record;
mod sample;
mod windows;

pub use count::Count;
pub use inspection::{FileInspection, IndexState, InspectOptions, Inspection, inspect};
pub use look::Look;
pub use record::{Decoded, DecodedFeature, DecodedList, FoundRecord, decode, read_record};
pub use sample::RecordSample;
