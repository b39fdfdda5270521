//! A table of numbers as TFRecord files, and how fast it is read.

use std::path::{Path, PathBuf};
use std::time::Instant;

use feedline::Result;
use feedline::data::{Column, DType, Values};
use feedline::formats::example::{ExampleParser, ExampleWriter, FeatureSpec, FeatureValues};
use feedline::records::{RecordReader, RecordWriter};

use super::threads::on_threads;

pub(super) const NUM_FEATURES: usize = 40;
/// As many floats as the rest are integers.
const NUM_FLOATS: usize = NUM_FEATURES / 2;
const NUM_FILES: u64 = 8;

pub(super) struct Table {
    paths: Vec<PathBuf>,
    pub(super) num_bytes: u64,
    num_rows: u64,
    num_threads: usize,
}

/// One way of reading, and how long it took.
pub(super) struct Measured {
    pub(super) key: &'static str,
    pub(super) what: &'static str,
    pub(super) seconds: f64,
}

impl Table {
    pub(super) fn make(folder: &Path, num_rows: u64, num_threads: usize) -> Result<Table> {
        let paths: Vec<PathBuf> =
            (0..NUM_FILES).map(|file| folder.join(format!("table-{file}.tfrecord"))).collect();
        let num_bytes = on_threads(&paths, num_threads, |file, path| {
            let mut writer = RecordWriter::create(path, None)?;
            let names = names();
            let rows = file * num_rows / NUM_FILES..(file + 1) * num_rows / NUM_FILES;
            for row in rows {
                writer.write_with(|out| write_row(&names, row, out))?;
            }
            writer.finish()
        })?;
        Ok(Table { paths, num_bytes, num_rows, num_threads })
    }

    /// Reads the table in each way, checking what came out.
    pub(super) fn measure(&self) -> Result<Vec<Measured>> {
        let names = names();
        let labels_expected: i64 = (0..self.num_rows).map(label).sum();
        let columns = |chosen: Vec<String>| {
            move |path: &Path| -> Result<u64> {
                let dtype = |name: &String| if name.starts_with('f') { DType::Float32 } else { DType::Int64 };
                let specs = chosen.iter().map(|name| FeatureSpec::fixed(name, dtype(name), &[])).collect();
                let mut parser = ExampleParser::new(specs).map_err(|error| bad_data(path, error))?;
                let (mut columns, mut sum) = (Vec::new(), 0);
                let mut reader = RecordReader::open(path)?;
                while let Some(chunk) = reader.next_chunk()? {
                    parser.parse(&chunk.records, &mut columns).map_err(|error| bad_data(path, error))?;
                    sum += columns.last().map_or(0, sum_of);
                }
                Ok(sum as u64)
            }
        };
        let records = |path: &Path| -> Result<u64> {
            let (mut reader, mut count) = (RecordReader::open(path)?, 0);
            while let Some(chunk) = reader.next_chunk()? {
                count += chunk.records.len() as u64;
            }
            Ok(count)
        };
        let three = [&names[0], &names[NUM_FLOATS], &names[NUM_FEATURES - 1]].map(Clone::clone).to_vec();
        Ok(vec![
            self.time("records", "records, every checksum verified", self.num_rows, records)?,
            self.time("all_columns", "all 40 features into columns", labels_expected as u64, columns(names))?,
            self.time(
                "three_columns",
                "3 of 40 features into columns",
                labels_expected as u64,
                columns(three),
            )?,
        ])
    }

    /// Times `read` over all files: the second time, with the files in memory. Its results must add up to `expected`.
    fn time(
        &self,
        key: &'static str,
        what: &'static str,
        expected: u64,
        read: impl Fn(&Path) -> Result<u64> + Sync,
    ) -> Result<Measured> {
        let mut seconds = 0.0;
        for _ in 0..2 {
            let start = Instant::now();
            let found = on_threads(&self.paths, self.num_threads, |_, path| read(path))?;
            seconds = start.elapsed().as_secs_f64();
            if found != expected {
                return Err(super::unexpected(format!(
                    "{what}: the sum is {found}, it should be {expected}"
                )));
            }
        }
        Ok(Measured { key, what, seconds })
    }
}

fn names() -> Vec<String> {
    let floats = (0..NUM_FLOATS).map(|k| format!("f{k:02}"));
    let integers = (0..NUM_FEATURES - NUM_FLOATS - 1).map(|k| format!("i{k:02}"));
    floats.chain(integers).chain(["label".to_owned()]).collect()
}

fn write_row(names: &[String], row: u64, out: &mut Vec<u8>) {
    let floats: [f32; NUM_FLOATS] = std::array::from_fn(|k| ((row * 31 + k as u64 * 17) % 1000) as f32 / 8.0);
    let integers: [i64; NUM_FEATURES - NUM_FLOATS] = std::array::from_fn(|k| {
        (row.wrapping_mul(2_654_435_761).wrapping_add(k as u64 * 40_503) % 10u64.pow(1 + k as u32 % 7)) as i64
    });
    let label = label(row);
    let mut example = ExampleWriter::new();
    let (float_names, rest) = names.split_at(NUM_FLOATS);
    for (name, value) in float_names.iter().zip(&floats) {
        example.push(name, FeatureValues::Float(std::slice::from_ref(value)));
    }
    for (name, value) in rest.iter().zip(&integers) {
        let value = if name == "label" { &label } else { value };
        example.push(name, FeatureValues::Int64(std::slice::from_ref(value)));
    }
    example.write(out);
}

fn label(row: u64) -> i64 {
    (row % 10) as i64
}

fn sum_of(column: &Column) -> i64 {
    match &column.values {
        Values::Int64(values) => values.iter().sum(),
        Values::Float32(_) | Values::Bytes(_) => 0,
    }
}

fn bad_data(path: &Path, error: feedline::formats::Error) -> feedline::Error {
    feedline::Error::Data { path: path.to_owned(), error }
}
