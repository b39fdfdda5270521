//! Rows of files as a source: what CSV, JSON lines and records have in common.

use super::bad_row::BadRow;
use super::options::ColumnType;
use super::row_files::{Row, RowFiles};
use super::source::{Sink, Source};
use crate::error::Result;

/// How one row of a kind of file becomes a record.
pub(super) trait RowEncoder: Sync {
    /// What is used again from row to row.
    type Scratch: Default;

    /// Encodes a row, or leaves it out with what is wrong.
    fn encode(&self, row: &Row<'_>, scratch: &mut Self::Scratch, sink: &mut Sink) -> Result<()>;

    /// Notes in `bad` where in its file a row is, as people count in such a file.
    fn place(&self, row: &Row<'_>, bad: &mut BadRow);

    /// See [`Source::columns`].
    fn columns(&self) -> Vec<(String, ColumnType)>;
}

/// Rows of files, and what makes records of them.
pub(super) struct RowSource<E> {
    pub(super) rows: RowFiles,
    pub(super) encoder: E,
}

impl<E: RowEncoder> Source for RowSource<E> {
    fn num_rows(&self) -> u64 {
        self.rows.num_rows()
    }

    fn num_lost(&self) -> u64 {
        self.rows.num_lost()
    }

    fn num_bytes(&self) -> u64 {
        self.rows.num_bytes()
    }

    fn row_bytes(&self, row: u64) -> u64 {
        self.rows.row_bytes(row)
    }

    fn encode(&self, rows: &[u64], sink: &mut Sink) -> Result<()> {
        let mut scratch = E::Scratch::default();
        self.rows.visit(rows, |row| match row.loss {
            None => {
                sink.reserve(&row.file.file.path, row.bytes.len())?;
                self.encoder.encode(&row, &mut scratch, sink)
            }
            Some(loss) => {
                let mut bad = loss.bad_row(row.position, &row.file.file.path);
                // A file of which nothing was read has no places.
                if row.file.file.size > 0 {
                    self.encoder.place(&row, &mut bad);
                }
                sink.bad(bad)
            }
        })
    }

    fn columns(&self) -> Vec<(String, ColumnType)> {
        self.encoder.columns()
    }
}
