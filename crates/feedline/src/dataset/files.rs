//! Files as sources: records, lines, records of one size, CSV.

use std::ffi::OsStr;

use feedline_data::block::Tensor;
use feedline_exec::Options;
use feedline_plan::expr::Attribute;
use feedline_plan::{CsvFormat, FileFormat, FixedLength, Plan, Symbolic, ops};

use super::Dataset;
use crate::Result;

/// How CSV files are read: the type of each column, what stands for a field that is empty, and how the files are written.
///
/// ```
/// use feedline::data::block::{Strings, Tensor};
/// use feedline::{Csv, Dataset};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("animals.csv");
/// std::fs::write(&path, "legs,name\n4,\"a \"\"big\"\" dog\"\n,snake\n")?;
/// // One value is what an empty field stands for; none says that there must be one.
/// let name = Tensor::from_strings(vec![0], Strings::default());
/// let csv = Csv::new([Tensor::from_vec(vec![1], vec![0_i32]), name]).header(true);
/// let animals = Dataset::csv(&[&path], &csv)?;
/// let legs = animals.map(|row| row.at(0)).batch(2);
/// assert_eq!(legs.iterator()?.next().unwrap()?.leaves()[0].as_slice::<i32>(), [4, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Csv {
    record_defaults: Vec<Tensor>,
    format: CsvFormat,
    na_value: String,
    select_cols: Attribute,
    exclude_cols: Attribute,
}

impl Csv {
    /// Files with a column for each default, which has its type and one value, or none where a field must not be empty:
    /// float32, float64, int32, int64 or string. Fields stand between commas and may be quoted; there is no header.
    pub fn new(record_defaults: impl IntoIterator<Item = Tensor>) -> Csv {
        Csv {
            record_defaults: record_defaults.into_iter().collect(),
            format: CsvFormat { field_delim: b',', use_quote_delim: true, header: false },
            na_value: String::new(),
            select_cols: Attribute::None,
            exclude_cols: Attribute::None,
        }
    }

    /// Whether the first record of each file is no data.
    #[must_use]
    pub fn header(mut self, is_there: bool) -> Csv {
        self.format.header = is_there;
        self
    }

    /// What stands between fields: a character of ASCII.
    #[must_use]
    pub fn field_delim(mut self, delimiter: u8) -> Csv {
        self.format.field_delim = delimiter;
        self
    }

    /// Whether fields may be quoted; if not, quotes are ordinary characters.
    #[must_use]
    pub fn use_quote_delim(mut self, is_used: bool) -> Csv {
        self.format.use_quote_delim = is_used;
        self
    }

    /// A text that means the same as an empty field.
    #[must_use]
    pub fn na_value(mut self, text: &str) -> Csv {
        text.clone_into(&mut self.na_value);
        self
    }

    /// The columns that are read, in order; there is a default for each.
    #[must_use]
    pub fn select_cols(mut self, columns: &[usize]) -> Csv {
        self.select_cols = numbers(columns);
        self
    }

    /// The columns that are not read; there is a default for each of the others.
    #[must_use]
    pub fn exclude_cols(mut self, columns: &[usize]) -> Csv {
        self.exclude_cols = numbers(columns);
        self
    }

    fn format(&self) -> FileFormat {
        FileFormat::Csv(self.format)
    }

    /// The columns of a record.
    fn columns(&self, record: Symbolic) -> Symbolic {
        let columns = ops::decode_csv_record(
            record,
            self.record_defaults.iter().cloned().map(Symbolic::from).collect::<Vec<_>>(),
            &char::from(self.format.field_delim).to_string(),
            self.format.use_quote_delim,
            &self.na_value,
            self.select_cols.clone(),
            self.exclude_cols.clone(),
        );
        // Also one column is a tuple, as in tf.data.
        if self.record_defaults.len() == 1 { Symbolic::tuple([columns]) } else { columns }
    }
}

fn numbers(columns: &[usize]) -> Attribute {
    Attribute::Ints(columns.iter().map(|&column| i64::try_from(column).unwrap_or(i64::MAX)).collect())
}

impl Dataset {
    /// The records of the TFRecord file at `path`, or of each of several: inside [`Dataset::flat_map`] or
    /// [`Dataset::interleave`], where paths come of an element. [`Dataset::tf_record`] takes paths and patterns as written.
    #[track_caller]
    pub fn tf_record_file(path: impl Into<Symbolic>) -> Dataset {
        Dataset::of(Plan::files_of(&path.into(), FileFormat::TfRecord), Options::new())
    }

    /// The lines of the text file at `path`, or of each of several: as [`Dataset::tf_record_file`].
    #[track_caller]
    pub fn text_line_file(path: impl Into<Symbolic>) -> Dataset {
        Dataset::of(Plan::files_of(&path.into(), FileFormat::TextLine), Options::new())
    }

    /// The records of the file at `path`, or of each of several: as [`Dataset::tf_record_file`].
    #[track_caller]
    pub fn fixed_length_record_file(path: impl Into<Symbolic>, format: FixedLength) -> Dataset {
        Dataset::of(Plan::files_of(&path.into(), FileFormat::FixedLength(format)), Options::new())
    }

    /// The rows of the CSV file at `path`, or of each of several: as [`Dataset::tf_record_file`].
    #[track_caller]
    pub fn csv_file(path: impl Into<Symbolic>, csv: &Csv) -> Dataset {
        Dataset::of(Plan::files_of(&path.into(), csv.format()), Options::new())
            .map(|record| csv.columns(record))
    }

    /// The records of TFRecord files, file after file, as strings. Checksums are verified; compression is told from the
    /// files.
    ///
    /// `patterns` are paths or patterns (`train-*.tfrecord`).
    ///
    /// # Errors
    /// If a pattern matches no file.
    #[track_caller]
    pub fn tf_record<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Dataset> {
        Dataset::files(patterns, FileFormat::TfRecord)
    }

    /// The lines of text files, file after file, as strings without line ends. Compression is told from the files.
    ///
    /// # Errors
    /// If a pattern matches no file.
    #[track_caller]
    pub fn text_line<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Dataset> {
        Dataset::files(patterns, FileFormat::TextLine)
    }

    /// The records of files whose records all have one size, file after file, as strings; `format` also says how many bytes
    /// before the first and behind the last are none, and how the files are compressed. A file that does not hold whole records gives an error,
    /// and the next one goes on.
    ///
    /// ```
    /// use feedline::Dataset;
    /// use feedline::plan::FixedLength;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("numbers");
    /// std::fs::write(&path, b"head0123456789")?;
    /// let format = FixedLength { header_bytes: 4, ..FixedLength::new(5) };
    /// let records = Dataset::fixed_length_record(&[&path], format)?;
    /// assert_eq!(records.iterator()?.next().unwrap()?.leaves()[0].strings().unwrap().get(0), b"01234");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a pattern matches no file.
    #[track_caller]
    pub fn fixed_length_record<P: AsRef<OsStr>>(patterns: &[P], format: FixedLength) -> Result<Dataset> {
        Dataset::files(patterns, FileFormat::FixedLength(format))
    }

    /// The rows of CSV files, file after file: tuples of a scalar for each column. A quoted field may have line ends in it. Compression
    /// is told from the files. A row with another number of fields, with a quote out of place, or with something that is no number where one should be, is an
    /// error in its place.
    ///
    /// # Errors
    /// If a pattern matches no file.
    #[track_caller]
    pub fn csv<P: AsRef<OsStr>>(patterns: &[P], csv: &Csv) -> Result<Dataset> {
        Ok(Dataset::files(patterns, csv.format())?.map(|record| csv.columns(record)))
    }

    /// Lets the `tf_record`, `text_line` or `fixed_length_record` just before it read several files at a time, a row of each in turn: `reads` of them,
    /// [`AUTOTUNE`](crate::AUTOTUNE): 16. Without it files come one after the other, read ahead all the same.
    #[track_caller]
    #[must_use]
    pub fn num_parallel_reads(&self, reads: impl Into<Option<usize>>) -> Dataset {
        let reads = reads.into();
        self.step(|plan| plan.with_parallel_reads(reads))
    }

    #[track_caller]
    fn files<P: AsRef<OsStr>>(patterns: &[P], format: FileFormat) -> Result<Dataset> {
        let files = if patterns.is_empty() { Vec::new() } else { feedline_io::list_files(patterns)? };
        let paths = files.into_iter().map(|file| file.location).collect();
        Ok(Dataset::of(Plan::files(paths, format), Options::new()))
    }
}
