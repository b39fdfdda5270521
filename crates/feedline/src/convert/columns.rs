//! Columns: which to keep, of which type, and the features of one row on their way into an Example.

use std::ops::Range;

use feedline_formats::example::{ExampleWriter, FeatureValues};

use super::options::ColumnType;
use super::row_files::Row;
use crate::error::{Error, Result};
use crate::memory;

/// Values and names of a row, collected and then written; reused from row to row.
#[derive(Default)]
pub(super) struct RowBuffer {
    ints: Vec<i64>,
    floats: Vec<f32>,
    /// The byte strings, one behind the other, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    features: Vec<Feature>,
}

struct Feature {
    column: usize,
    column_type: ColumnType,
    /// In the values of its type.
    values: Range<usize>,
}

impl RowBuffer {
    /// Makes room for the bytes of a row, so that a huge one that does not fit is an error and not the end of the process.
    pub(super) fn reserve(&mut self, row: &Row<'_>) -> Result<()> {
        let num_bytes = row.bytes.len();
        memory::reserve(&mut self.bytes, num_bytes).map_err(|_| {
            let operation = format!("take the row at byte {} apart", row.offset);
            Error::memory(&row.file.file.path, &operation, num_bytes as u64)
        })
    }

    pub(super) fn clear(&mut self) {
        self.ints.clear();
        self.floats.clear();
        self.bytes.clear();
        self.ends.clear();
        self.features.clear();
    }

    pub(super) fn push_int(&mut self, value: i64) {
        self.ints.push(value);
    }

    pub(super) fn push_float(&mut self, value: f32) {
        self.floats.push(value);
    }

    pub(super) fn push_bytes(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
    }

    fn num_values(&self, column_type: ColumnType) -> usize {
        match column_type {
            ColumnType::Int64 => self.ints.len(),
            ColumnType::Float32 => self.floats.len(),
            ColumnType::String => self.ends.len(),
        }
    }

    /// Makes the values of this type that `fill` pushes the feature of column `column`.
    pub(super) fn feature<E>(
        &mut self,
        column: usize,
        column_type: ColumnType,
        fill: impl FnOnce(&mut RowBuffer) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.num_values(column_type);
        fill(self)?;
        let values = start..self.num_values(column_type);
        self.features.push(Feature { column, column_type, values });
        Ok(())
    }

    /// Whether column `column` has its feature already.
    pub(super) fn has(&self, column: usize) -> bool {
        self.features.iter().any(|feature| feature.column == column)
    }

    /// Appends the Example; `names` are those of the columns.
    pub(super) fn write(&self, names: &[String], out: &mut Vec<u8>) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let views: Vec<&[u8]> = starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end]).collect();
        let mut writer = ExampleWriter::new();
        for Feature { column, column_type, values } in &self.features {
            let values = values.clone();
            writer.push(
                &names[*column],
                match column_type {
                    ColumnType::Int64 => FeatureValues::Int64(&self.ints[values]),
                    ColumnType::Float32 => FeatureValues::Float(&self.floats[values]),
                    ColumnType::String => FeatureValues::Bytes(&views[values]),
                },
            );
        }
        writer.write(out);
    }
}

/// A number of a float32 column: rounded to the nearest, refused where only infinity is near.
pub(super) fn to_float32(value: f64) -> Option<f32> {
    #[allow(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
    let rounded = value as f32;
    (rounded.is_finite() || !value.is_finite()).then_some(rounded)
}

/// Rows that the types of columns are inferred from.
pub(super) const SAMPLE_ROWS: u64 = 1000;
