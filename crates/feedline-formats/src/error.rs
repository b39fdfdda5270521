//! What can be wrong with bytes, and where.

use std::fmt;

use feedline_data::DType;

use crate::tfrecord::{Damage, MAX_RECORD_BYTES};
use crate::{Compression, Packing};

/// What every fallible function of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Something wrong in the data (or in what was asked of it), with its place.
///
/// Prints the place, what was found and what was expected on one line, and what to do on a second one that
/// begins with `hint:`. The file's name is not known here: whoever read the bytes puts it in front.
#[derive(Clone, Debug, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: ErrorKind,
    record: Option<u64>,
    offset: Option<u64>,
    feature: Option<String>,
    /// Whether `feature` names a feature list of a `SequenceExample`.
    is_list: bool,
    step: Option<u64>,
    damage: Option<Damage>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The checksum over a record's length does not match: the length cannot be trusted.
    LengthChecksum {
        /// Computed from the bytes.
        found: u32,
        /// Stored in the file.
        stored: u32,
    },
    /// The checksum over a record's bytes does not match.
    DataChecksum {
        /// Computed from the bytes.
        found: u32,
        /// Stored in the file.
        stored: u32,
    },
    /// The data ends inside a record.
    Truncated {
        /// Bytes the record needs from its first byte on, or `None` while its length is not known either.
        needed: Option<u64>,
        /// Bytes there are.
        available: u64,
    },
    /// A record longer than the limit of its reader or writer.
    TooLong {
        /// Bytes the record has, or says it has.
        length: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The bytes are compressed and were read as if they were not.
    Compressed(Compression),
    /// The file is compressed twice: inflated, it is a compressed stream again.
    CompressedTwice(Compression),
    /// The file is packed in a way that is not read.
    Packed(Packing),
    /// The compressed stream is damaged.
    Inflate {
        /// How the stream is compressed.
        compression: Compression,
        /// The decoder's reason.
        reason: String,
    },
    /// The record is not the protocol buffer it should be.
    Wire {
        /// Which message: `Example`, `SequenceExample`.
        message: &'static str,
        /// What was found where something else was expected.
        reason: &'static str,
    },
    /// A feature without default is not in the record.
    MissingFeature {
        /// The name nearest to it among those present.
        nearest: Option<String>,
        /// Names present, at most a dozen of them.
        present: Vec<String>,
        /// How many names are present in all.
        num_present: usize,
    },
    /// A context feature was asked for where the `SequenceExample` has a feature list of that name, or the reverse.
    WrongPart,
    /// A feature has another type than the one asked for.
    WrongType {
        /// In the record.
        found: DType,
        /// Asked for.
        expected: DType,
    },
    /// A feature has another number of values than its shape needs.
    WrongCount {
        /// Values in the record.
        found: usize,
        /// The shape asked for.
        shape: Vec<usize>,
        /// Whether any multiple of the shape would do (a sequence of such entries).
        multiple: bool,
    },
    /// The index is not a feedline index, or of another version.
    IndexFormat {
        /// What was found.
        reason: String,
    },
    /// The index belongs to another state of the file.
    IndexStale {
        /// What differs.
        reason: String,
    },
    /// A row of CSV that breaks the rules of quoting.
    Csv {
        /// The field it happens in, counted from 0.
        field: usize,
        /// What was found.
        reason: &'static str,
        /// What to do about it.
        hint: &'static str,
    },
    /// A CSV file that has no first line, which should be its header.
    NoCsvHeader,
    /// A file that does not hold whole records of one size.
    UnevenRecords {
        /// Bytes of the file.
        size: u64,
        /// Bytes of a record.
        record_bytes: u64,
        /// Bytes before the first.
        header_bytes: u64,
        /// Bytes behind the last.
        footer_bytes: u64,
    },
    /// A line that is no JSON object, or holds something that is no column.
    Json {
        /// What was found.
        reason: String,
    },
    /// The call asks for something that cannot be.
    Argument {
        /// What, and why not.
        reason: String,
        /// What to ask for instead.
        hint: String,
    },
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Error {
        Error(Box::new(Inner {
            kind,
            record: None,
            offset: None,
            feature: None,
            is_list: false,
            step: None,
            damage: None,
        }))
    }

    pub(crate) fn argument(reason: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::new(ErrorKind::Argument { reason: reason.into(), hint: hint.into() })
    }

    /// The same error of the contents of a file, which is inflated where it is opened: what is still compressed then was
    /// compressed twice.
    #[must_use]
    pub fn in_opened_file(mut self) -> Error {
        if let ErrorKind::Compressed(compression) = self.0.kind {
            self.0.kind = ErrorKind::CompressedTwice(compression);
        }
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The record it is in, counted from 0. After [`crate::example::ExampleParser::parse`] this counts from the
    /// first record of the call; [`Error::in_record`] sets the number within the file.
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }

    /// The byte it begins at: of the (uncompressed) file for framing, of the record for what is inside one.
    pub fn byte_offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The feature it is about.
    pub fn feature(&self) -> Option<&str> {
        self.0.feature.as_deref()
    }

    /// The step of the feature list it is in, counted from 0.
    pub fn step(&self) -> Option<u64> {
        self.0.step
    }

    /// What was skipped to go on after it, where that was done ([`Error::with_damage`]).
    pub fn damage(&self) -> Option<Damage> {
        self.0.damage
    }

    /// The same error, in record `record`.
    #[must_use]
    pub fn in_record(mut self, record: u64) -> Error {
        self.0.record = Some(record);
        self
    }

    /// The same error, at byte `offset`.
    #[must_use]
    pub fn at_byte(mut self, offset: u64) -> Error {
        self.0.offset = Some(offset);
        self
    }

    /// The same error, `damage` being what [`crate::tfrecord::FrameReader::resync`] then skipped. Where it is not known how many
    /// records that were, [`Error::reason`] says so.
    #[must_use]
    pub fn with_damage(mut self, damage: Damage) -> Error {
        self.0.damage = Some(damage);
        self
    }

    pub(crate) fn in_feature(mut self, name: &[u8]) -> Error {
        self.0.feature = Some(String::from_utf8_lossy(name).into_owned());
        self
    }

    /// The same error, about a feature list: at step `step`, or about all of it.
    pub(crate) fn in_list(mut self, step: Option<usize>) -> Error {
        self.0.is_list = true;
        self.0.step = step.map(|step| step as u64);
        self
    }

    /// What went wrong, without the place and without the hint.
    pub fn reason(&self) -> String {
        let found = self.finding();
        match self.0.damage.filter(|damage| !damage.lost_records().is_exact()) {
            None => found,
            Some(damage) => {
                let lost = damage.lost_records();
                let noun = if lost.count() == 1 { "record" } else { "records" };
                format!("{found}; {} bytes are lost, {lost} {noun}", damage.bytes)
            }
        }
    }

    fn finding(&self) -> String {
        match &self.0.kind {
            ErrorKind::LengthChecksum { found, stored } => {
                format!("length checksum is {found:#010x}, the file says {stored:#010x}")
            }
            ErrorKind::DataChecksum { found, stored } => {
                format!("data checksum is {found:#010x}, the file says {stored:#010x}")
            }
            ErrorKind::Truncated { needed: Some(needed), available } => {
                format!("the data ends inside a record: it needs {needed} bytes, {available} are left")
            }
            ErrorKind::Truncated { needed: None, available } => {
                format!("the data ends inside a record's 12-byte header: {available} bytes are left")
            }
            ErrorKind::TooLong { length, limit } => {
                format!("the record has {length} bytes, more than the limit of {limit}")
            }
            ErrorKind::Compressed(compression) => {
                format!("the data is {compression}-compressed, but was read as uncompressed TFRecord")
            }
            ErrorKind::CompressedTwice(compression) => {
                format!("the file is compressed twice: what it unpacks to is {compression}-compressed again")
            }
            ErrorKind::Packed(packing) => format!("the file is {packing}, which is not read"),
            ErrorKind::Inflate { compression, reason } => {
                format!("the {compression} stream is damaged: {reason}")
            }
            ErrorKind::Wire { message, reason } => format!("not a valid {message}: {reason}"),
            ErrorKind::MissingFeature { present, num_present, .. } => {
                let more = if *num_present > present.len() { ", …" } else { "" };
                let names = quoted(present);
                if self.0.is_list {
                    return format!("missing; the record has {num_present} feature lists: {names}{more}");
                }
                format!(
                    "missing, and it has no default; the record has {num_present} features: {names}{more}"
                )
            }
            ErrorKind::WrongPart if self.0.is_list => {
                "is a context feature in the record, a feature list was asked for".into()
            }
            ErrorKind::WrongPart => "is a feature list in the record, a context feature was asked for".into(),
            ErrorKind::WrongType { found, expected } => {
                format!("is {found} in the record, {expected} was asked for")
            }
            ErrorKind::WrongCount { found, shape, multiple } => {
                let count: usize = shape.iter().product();
                let expected = if *multiple { "a multiple of " } else { "" };
                format!("has {found} values, shape {shape:?} needs {expected}{count}")
            }
            ErrorKind::IndexFormat { reason } => format!("not a usable index: {reason}"),
            ErrorKind::IndexStale { reason } => {
                format!("the index is of another file or an older state of it: {reason}")
            }
            ErrorKind::Csv { field, reason, .. } => format!("field {}: {reason}", field + 1),
            ErrorKind::NoCsvHeader => "the file is empty and has no header to read".into(),
            ErrorKind::UnevenRecords { size, record_bytes, header_bytes, footer_bytes } => {
                let body = i128::from(*size) - i128::from(*header_bytes) - i128::from(*footer_bytes);
                format!(
                    "without the header ({header_bytes} bytes) and the footer ({footer_bytes} bytes) there are {body} bytes, no \
                     multiple of a record ({record_bytes} bytes)"
                )
            }
            ErrorKind::Json { reason } => format!("not a row of JSON: {reason}"),
            ErrorKind::Argument { reason, .. } => reason.clone(),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match &self.0.kind {
            ErrorKind::LengthChecksum { .. } if self.0.offset == Some(0) => {
                "is this a TFRecord file? its very first bytes are not a record".into()
            }
            ErrorKind::LengthChecksum { .. } | ErrorKind::DataChecksum { .. } => {
                "the file is damaged; `feedline verify` lists every bad record".into()
            }
            ErrorKind::Truncated { .. } => {
                "the file was cut off, or is still being written; fetch or write it again".into()
            }
            ErrorKind::TooLong { limit, .. } if *limit == MAX_RECORD_BYTES => {
                "no protocol buffer is longer than 2 GiB, so no Example is; write the data as several records"
                    .into()
            }
            ErrorKind::TooLong { .. } => "`ReadOptions::max_record_bytes` was set to less; raise it".into(),
            ErrorKind::Compressed(_) => {
                "inflate it first (`Decompressor`), or open the file with `RecordReader::open`, which does"
                    .into()
            }
            ErrorKind::CompressedTwice(_) => {
                "unpack it once (`gzip -d FILE.gz`), and use what comes out: a file that is compressed once is read as it is"
                    .into()
            }
            ErrorKind::Packed(packing) => {
                let command = packing.command();
                format!("unpack it (`{command} FILE`), and use what comes out; plain, gzip and zlib files are read as they are")
            }
            ErrorKind::Inflate { .. } => "the file is damaged or cut off; fetch or write it again".into(),
            ErrorKind::Wire { .. } => {
                "the record passed its checksum, so it was written like this: is it of another type?".into()
            }
            ErrorKind::MissingFeature { nearest, .. } => {
                let remedy = if self.0.is_list {
                    "allow it to be missing, or make it variable-length"
                } else {
                    "give the feature a default, or make it variable-length"
                };
                match nearest {
                    Some(nearest) => format!("did you mean `{nearest}`? Otherwise {remedy}"),
                    None => remedy.into(),
                }
            }
            ErrorKind::WrongPart if self.0.is_list => "ask for it among the context features".into(),
            ErrorKind::WrongPart => "ask for it among the feature lists".into(),
            ErrorKind::WrongType { found, .. } => format!("ask for {found}, and cast afterwards"),
            ErrorKind::WrongCount { .. } => {
                "ask for the shape the data has, or make the feature variable-length".into()
            }
            ErrorKind::IndexFormat { .. } | ErrorKind::IndexStale { .. } => {
                "make it again with `feedline index`".into()
            }
            ErrorKind::Csv { hint, .. } => (*hint).into(),
            ErrorKind::NoCsvHeader => "leave the file out, or say that there is no header".into(),
            ErrorKind::UnevenRecords { .. } => {
                "record_bytes, header_bytes and footer_bytes must be those the file was written with; compressed files need \
                 compression_type"
                    .into()
            }
            ErrorKind::Json { .. } => {
                "each line must be one object of numbers, strings, booleans, and lists of these".into()
            }
            ErrorKind::Argument { hint, .. } => hint.clone(),
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.record, self.0.offset) {
            (Some(record), Some(offset)) => write!(f, "record {record} (byte {offset}): ")?,
            (Some(record), None) => write!(f, "record {record}: ")?,
            (None, Some(offset)) => write!(f, "byte {offset}: ")?,
            (None, None) => {}
        }
        if let Some(feature) = &self.0.feature {
            let list = if self.0.is_list { " list" } else { "" };
            write!(f, "feature{list} `{feature}` ")?;
        }
        if let Some(step) = self.0.step {
            write!(f, "step {step} ")?;
        }
        write!(f, "{}\nhint: {}", self.reason(), self.hint())
    }
}

impl std::error::Error for Error {}
