//! Files as sources, as JSON: their paths, and how they are written.

use feedline_data::TensorSpec;
use serde_json::{Map, Value};

use super::fields::{Fields, flag, needs, text, whole};
use super::read_arguments::{arguments_of, read_path};
use crate::{CsvFormat, FileCompression, FileFormat, FixedLength, Plan, Result};

/// The arguments of a step that reads `paths`.
pub(super) fn write_files(paths: Value, format: FileFormat) -> Map<String, Value> {
    let mut arguments = Map::new();
    arguments.insert("paths".into(), paths);
    match format {
        FileFormat::TfRecord | FileFormat::TextLine => {}
        FileFormat::FixedLength(format) => {
            arguments.insert("record_bytes".into(), format.record_bytes.into());
            arguments.insert("header_bytes".into(), format.header_bytes.into());
            arguments.insert("footer_bytes".into(), format.footer_bytes.into());
            if format.compression != FileCompression::None {
                arguments.insert("compression_type".into(), format.compression.name().into());
            }
        }
        FileFormat::Csv(format) => {
            arguments.insert("field_delim".into(), char::from(format.field_delim).to_string().into());
            arguments.insert("use_quote_delim".into(), format.use_quote_delim.into());
            arguments.insert("header".into(), format.header.into());
        }
    }
    arguments
}

/// The step called `name`, if it is one that reads files.
pub(super) fn read_files(name: &str, fields: &mut Fields<'_>, outer: &[TensorSpec]) -> Option<Result<Plan>> {
    let format = match name {
        "tf_record" => Ok(FileFormat::TfRecord),
        "text_line" => Ok(FileFormat::TextLine),
        "fixed_length_record" => read_fixed_length(fields),
        "csv_record" => read_csv(fields),
        _ => return None,
    };
    Some(format.and_then(|format| {
        fields.read("paths", |paths| match paths {
            Value::Array(paths) => Plan::files(paths.iter().map(read_path).collect::<Result<_>>()?, format),
            argument => Plan::files_of(&arguments_of(outer).read_argument(argument)?, format),
        })
    }))
}

fn read_fixed_length(fields: &mut Fields<'_>) -> Result<FileFormat> {
    let compression = fields.read_if("compression_type", |value| {
        FileCompression::of_name(text(value)?).ok_or_else(|| needs("'GZIP' or 'ZLIB'", value))
    })?;
    Ok(FileFormat::FixedLength(FixedLength {
        record_bytes: fields.read("record_bytes", whole)?,
        header_bytes: fields.read("header_bytes", whole)?,
        footer_bytes: fields.read("footer_bytes", whole)?,
        compression: compression.unwrap_or_default(),
    }))
}

fn read_csv(fields: &mut Fields<'_>) -> Result<FileFormat> {
    let field_delim = fields.read("field_delim", |value| match text(value)?.as_bytes() {
        &[delimiter] => Ok(delimiter),
        _ => Err(needs("one character of ASCII", value)),
    })?;
    Ok(FileFormat::Csv(CsvFormat {
        field_delim,
        use_quote_delim: fields.read("use_quote_delim", flag)?,
        header: fields.read("header", flag)?,
    }))
}
