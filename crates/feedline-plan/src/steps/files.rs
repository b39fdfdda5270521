//! Rows of files.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use feedline_data::block::{Strings, Tensor};
use feedline_data::{DType, ElementSpec, Structure, TensorSpec};

use crate::plan::misplaced;
use crate::{
    Cardinality, CsvFormat, FileCompression, FileFormat, FixedLength, NodeKind, Plan, PlanError, Result,
    Turns,
};

impl Plan {
    /// The rows of `paths`, file after file, as strings; of no files none.
    pub fn files(paths: Vec<PathBuf>, format: FileFormat) -> Result<Plan> {
        format.check()?;
        let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::String));
        let kind = NodeKind::Files { paths: Arc::new(paths), format, is_stream: false };
        Ok(Plan::source(kind, spec, Cardinality::Unknown))
    }

    /// The files this plan reads, several at a time taking turns of one row: as many as `reads`, or as interleave does.
    pub fn with_parallel_reads(&self, reads: Option<usize>) -> Result<Plan> {
        let NodeKind::Files { paths, format, .. } = &self.node().kind else {
            return Err(misplaced(
                "num_parallel_reads",
                "tf_record, text_line, fixed_length_record or csv_record",
                &self.node().kind,
            ));
        };
        if reads == Some(0) {
            return Err(PlanError::argument("num_parallel_reads must be greater than zero"));
        }
        let paths: Strings = paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
        let paths = Structure::Leaf(Tensor::from_strings(vec![paths.len()], paths));
        let rows = Plan::from_tensor_slices(&paths)?.interleave(|path| Plan::files_of(&path, *format))?;
        let turns = rows.turns("num_parallel_reads")?;
        rows.with_turns(
            "num_parallel_reads",
            Turns { cycle_length: reads.unwrap_or(turns.cycle_length), ..turns },
        )
    }
}

impl FileFormat {
    /// Refuses arguments no file can be read with.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            FileFormat::FixedLength(FixedLength { record_bytes: 0, .. }) => {
                Err(PlanError::argument("fixed_length_record: record_bytes must be greater than zero"))
            }
            FileFormat::FixedLength(format) => {
                let sum = format.record_bytes.checked_add(format.header_bytes);
                match sum.and_then(|sum| sum.checked_add(format.footer_bytes)) {
                    Some(bytes) if i64::try_from(bytes).is_ok() => Ok(()),
                    _ => Err(PlanError::argument(
                        "fixed_length_record: no file has room for record_bytes, header_bytes and footer_bytes together",
                    )),
                }
            }
            FileFormat::Csv(CsvFormat {
                field_delim: delimiter @ (b'"' | b'\n' | b'\r' | 0x80..), ..
            }) => {
                let shown = delimiter.escape_ascii();
                Err(PlanError::argument(format!("csv_record: field_delim cannot be '{shown}'"))
                    .with_hint("one character of ASCII, neither a quote nor a line's end: ',', ';', a tab"))
            }
            FileFormat::TfRecord | FileFormat::TextLine | FileFormat::Csv(_) => Ok(()),
        }
    }
}

impl FixedLength {
    /// Records of `record_bytes` each from the first byte to the last, not compressed.
    pub fn new(record_bytes: u64) -> FixedLength {
        FixedLength { record_bytes, header_bytes: 0, footer_bytes: 0, compression: FileCompression::None }
    }
}

impl FileCompression {
    /// As TensorFlow calls it.
    pub fn name(self) -> &'static str {
        match self {
            FileCompression::None => "",
            FileCompression::Gzip => "GZIP",
            FileCompression::Zlib => "ZLIB",
        }
    }

    /// The one that TensorFlow calls `name`.
    pub fn of_name(name: &str) -> Option<FileCompression> {
        let all = [FileCompression::None, FileCompression::Gzip, FileCompression::Zlib];
        all.into_iter().find(|compression| compression.name() == name)
    }
}

/// What stands behind the paths in a step's text.
impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileFormat::TfRecord | FileFormat::TextLine => Ok(()),
            FileFormat::FixedLength(FixedLength {
                record_bytes,
                header_bytes,
                footer_bytes,
                compression,
            }) => {
                write!(f, ", {record_bytes}")?;
                if (*header_bytes, *footer_bytes) != (0, 0) {
                    write!(f, ", header_bytes={header_bytes}, footer_bytes={footer_bytes}")?;
                }
                if *compression != FileCompression::None {
                    write!(f, ", {}", compression.name())?;
                }
                Ok(())
            }
            FileFormat::Csv(CsvFormat { field_delim, use_quote_delim, header }) => {
                if *field_delim != b',' {
                    write!(f, ", field_delim='{}'", field_delim.escape_ascii())?;
                }
                if !use_quote_delim {
                    f.write_str(", use_quote_delim=false")?;
                }
                f.write_str(if *header { ", header" } else { "" })
            }
        }
    }
}
