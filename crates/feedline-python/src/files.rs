//! What the rows of files are, as Python says it.

use feedline::plan::{CsvFormat, FileCompression, FileFormat, FixedLength};
use pyo3::prelude::*;

use crate::errors::exception;

/// A format by its name, or by its arguments.
#[derive(FromPyObject)]
pub(crate) enum FormatArgument {
    Name(String),
    /// Bytes of a record, before the first and behind the last, and how files are compressed.
    FixedLength(u64, u64, u64, String),
    /// What stands between fields, whether they may be quoted, whether there is a header.
    Csv(String, bool, bool),
}

impl FormatArgument {
    pub(crate) fn to_format(&self) -> PyResult<FileFormat> {
        let wrong =
            |what: &str, value: &str| exception("ArgumentError", format!("{what} cannot be {value:?}"));
        Ok(match self {
            FormatArgument::Name(name) if name == "tf_record" => FileFormat::TfRecord,
            FormatArgument::Name(name) if name == "text_line" => FileFormat::TextLine,
            FormatArgument::Name(name) => return Err(wrong("a format", name)),
            FormatArgument::FixedLength(record_bytes, header_bytes, footer_bytes, compression) => {
                FileFormat::FixedLength(FixedLength {
                    record_bytes: *record_bytes,
                    header_bytes: *header_bytes,
                    footer_bytes: *footer_bytes,
                    compression: FileCompression::of_name(compression)
                        .ok_or_else(|| wrong("compression_type", compression))?,
                })
            }
            FormatArgument::Csv(delimiter, use_quote_delim, header) => match delimiter.as_bytes() {
                &[field_delim] => FileFormat::Csv(CsvFormat {
                    field_delim,
                    use_quote_delim: *use_quote_delim,
                    header: *header,
                }),
                _ => return Err(wrong("field_delim, one character of ASCII,", delimiter)),
            },
        })
    }
}
