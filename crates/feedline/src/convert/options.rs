//! What to convert, and how.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use feedline_formats::Compression;
use feedline_formats::example::nearest;
use serde::{Deserialize, Serialize};

use super::image_change::ImageChange;
use super::image_folder::COLUMNS as IMAGE_COLUMNS;
use crate::error::{Error, Result};

/// A conversion: what goes in, where it goes, and how.
///
/// All but `num_threads`, `on_error` and `overwrite` decide the bytes that come out; those three never do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Patterns of the files to read, or the folders of images. Paths may hold any bytes.
    pub inputs: Vec<OsString>,
    /// What the names of the written files begin with: `out/train` gives `out/train-00000-of-00008.tfrecord`. The folder's
    /// path may hold any bytes, the last name must be UTF-8.
    pub out_prefix: PathBuf,
    /// What the input is; told from names and first bytes if not given.
    pub format: Option<Format>,
    /// How many files to write; about 128 MiB of input each if not given.
    pub num_shards: Option<u32>,
    /// How to compress them.
    pub compression: Option<Compression>,
    /// Shuffles all rows, in an order that follows from this number and the number of rows alone.
    pub shuffle_seed: Option<u64>,
    /// The columns to keep; all if not given.
    pub columns: Option<Vec<String>>,
    /// Types of columns, where the inferred ones will not do.
    pub types: Vec<(String, ColumnType)>,
    /// What separates the fields of a CSV row; a tab if all files are `.tsv`, else a comma, if not given.
    pub delimiter: Option<u8>,
    /// What is done to images, of folders and in records.
    pub images: ImageChange,
    /// What to do about rows that cannot be converted.
    pub on_error: OnError,
    /// Whether files of an earlier conversion to the same prefix are replaced. Called again with it after a kill, the
    /// conversion goes on all the same.
    pub overwrite: bool,
    /// Threads to use.
    pub num_threads: usize,
}

impl Options {
    /// A conversion of `inputs` to `out_prefix` with every choice left open.
    pub fn new<I: Into<OsString>>(
        inputs: impl IntoIterator<Item = I>,
        out_prefix: impl Into<PathBuf>,
    ) -> Options {
        Options {
            inputs: inputs.into_iter().map(Into::into).collect(),
            out_prefix: out_prefix.into(),
            format: None,
            num_shards: None,
            compression: None,
            shuffle_seed: None,
            columns: None,
            types: Vec::new(),
            delimiter: None,
            images: ImageChange::default(),
            on_error: OnError::Fail,
            overwrite: false,
            num_threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Checks what can be checked without looking at a file.
    pub(super) fn check(&self) -> Result<()> {
        let twice = |names: &[&str]| {
            let second = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
            second.map(|(_, name)| (*name).to_owned())
        };
        if self.inputs.is_empty() {
            return Err(usage("there is no input", "give the files or the folder to convert"));
        }
        if self.num_shards == Some(0) {
            return Err(usage("0 shards were asked for", "write at least one: `--shards 1`"));
        }
        if let Some(columns) = &self.columns {
            if columns.is_empty() || columns.iter().any(String::is_empty) {
                return Err(usage(
                    "`--columns` holds an empty name",
                    "separate the names by commas: `--columns a,b`",
                ));
            }
            if let Some(name) = twice(&columns.iter().map(String::as_str).collect::<Vec<_>>()) {
                return Err(usage(format!("`--columns` names `{name}` twice"), "name each column once"));
            }
            if let Some((name, _)) = self.types.iter().find(|(name, _)| !columns.contains(name)) {
                let message = format!("`--types` names `{name}`, which is not among `--columns`");
                return Err(usage(
                    message,
                    format!("add it to `--columns`, or drop it from `--types`{}", meant(name, columns)),
                ));
            }
        }
        if self.types.iter().any(|(name, _)| name.is_empty()) {
            return Err(usage(
                "`--types` holds an empty name",
                "name the column before its type: `--types a=int64`",
            ));
        }
        if let Some(name) = twice(&self.types.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>()) {
            return Err(usage(format!("`--types` names `{name}` twice"), "give each column one type"));
        }
        if matches!(self.delimiter, Some(b'"' | b'\n' | b'\r')) {
            let hint = "use a character such as `,`, `;` or a tab";
            return Err(usage("quotes and line ends cannot separate fields", hint));
        }
        if self.images.max_side == Some(0) {
            return Err(usage(
                "`--max-size 0` leaves no image",
                "say how long the longer side may be: `--max-size 400`",
            ));
        }
        if self.images.quality.is_some_and(|quality| !(1..=100).contains(&quality)) {
            return Err(usage("`--quality` is from 1 to 100", "90 is hardly seen, 75 is small"));
        }
        self.format.map_or(Ok(()), |format| self.check_for(format))
    }

    /// Checks that the options are ones for input of this format.
    pub(super) fn check_for(&self, format: Format) -> Result<()> {
        if self.delimiter.is_some() && format != Format::Csv {
            let message = format!("`--delimiter` is given, but the input is {format}, which has none");
            return Err(usage(message, "drop `--delimiter`, or say that the input is CSV: `--from csv`"));
        }
        if !self.images.is_none() && !matches!(format, Format::Images | Format::TfRecord) {
            let message = format!(
                "`--jpeg-restarts`, `--max-size` and `--quality` are for images, and the input is {format}"
            );
            return Err(usage(message, "drop them, or give a folder of images or records that hold some"));
        }
        if let Some((name, _)) = self.types.first() {
            match format {
                Format::Csv | Format::JsonL => {}
                Format::TfRecord => {
                    let message =
                        format!("`--types` names `{name}`, but features of records have their types");
                    return Err(usage(message, "drop `--types`; `--columns` chooses the features to keep"));
                }
                Format::Images => {
                    let message =
                        format!("`--types` names `{name}`, but the columns of images have their types");
                    return Err(usage(message, "drop `--types`; `--columns` chooses what is written"));
                }
            }
        }
        let columns = self.columns.as_deref().unwrap_or_default();
        let names = IMAGE_COLUMNS.map(|(name, _)| name);
        if format == Format::Images
            && let Some(name) = columns.iter().find(|name| !names.contains(&name.as_str()))
        {
            let message = format!("`--columns` names `{name}`, which is no column of an image");
            let hint = format!("the columns are {}{}", names.join(", "), meant(name, &names));
            return Err(usage(message, hint));
        }
        Ok(())
    }

    /// The type the user gave a column.
    pub(super) fn type_of(&self, column: &str) -> Option<ColumnType> {
        self.types.iter().find(|(name, _)| name == column).map(|&(_, column_type)| column_type)
    }
}

/// "; did you mean `x`?", where one of `names` is near.
pub(super) fn meant<N: AsRef<str>>(name: &str, names: &[N]) -> String {
    nearest(name, names.iter().map(AsRef::as_ref))
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

pub(super) fn argument(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::Argument { message: message.into(), hint: hint.into() }
}

pub(super) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::Usage { message: message.into(), hint: hint.into() }
}

/// What the input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A folder with one folder of images per class.
    Images,
    /// Rows of fields, the first row naming them.
    Csv,
    /// One JSON object a line.
    JsonL,
    /// Records, usually `tf.train.Example`s.
    TfRecord,
}

impl Format {
    /// The name users type.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Images => "images",
            Format::Csv => "csv",
            Format::JsonL => "jsonl",
            Format::TfRecord => "tfrecord",
        }
    }

    /// What a person calls one row of it, and several.
    pub const fn noun(self) -> (&'static str, &'static str) {
        match self {
            Format::Images => ("image", "images"),
            Format::Csv | Format::JsonL => ("row", "rows"),
            Format::TfRecord => ("record", "records"),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What to do about a row that cannot be converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Stop with the error.
    #[default]
    Fail,
    /// Leave the row out and report it. No other row moves to another file for it. What is lost in one piece, so that
    /// nobody can tell how many rows it was (a damaged length, a file that cannot be read, the rest of one that was cut
    /// off), counts as one row: rows behind it stand as if it had been one.
    Skip,
}

/// The type of a column: one of the three a `tf.train.Example` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Whole numbers; one that does not fit 64 bits is an error.
    Int64,
    /// Numbers, rounded to the nearest float32; one beyond its range is an error.
    Float32,
    /// Bytes as they stand.
    String,
}

impl ColumnType {
    /// The name users type.
    pub const fn name(self) -> &'static str {
        match self {
            ColumnType::Int64 => "int64",
            ColumnType::Float32 => "float32",
            ColumnType::String => "string",
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ColumnType {
    type Err = String;

    fn from_str(text: &str) -> Result<ColumnType, String> {
        match text {
            "int64" | "int" => Ok(ColumnType::Int64),
            "float32" | "float" => Ok(ColumnType::Float32),
            "string" | "bytes" => Ok(ColumnType::String),
            _ => Err(format!("`{text}` is no type of a column; the types are int64, float32 and string")),
        }
    }
}
