//! Runs of rows from several blocks, made one block.

use std::ops::Range;

use feedline_data::block::{Block, Column, ErrorRow, Ids, Position, RowError};

/// Rows taken from blocks, in order.
pub(crate) struct Assembly {
    /// Which one it is: what a [`PartKey`] knows of another means nothing here.
    number: u64,
    parts: Vec<Part>,
    runs: Vec<Run>,
    ids: Vec<u64>,
    errors: Vec<ErrorRow>,
    byte_size: usize,
}

/// A block some of whose elements were taken.
struct Part {
    columns: Vec<Column>,
    /// The elements that runs were taken from.
    span: Range<usize>,
    element_bytes: usize,
}

/// Which part of which assembly the block of a stream is.
#[derive(Clone, Copy, Default)]
pub(crate) struct PartKey {
    assembly: u64,
    part: usize,
}

/// Elements taken one behind the other.
struct Run {
    part: usize,
    elements: Range<usize>,
}

impl Assembly {
    /// Nothing yet; `number` is not 0 and is no other's.
    pub(crate) fn new(number: u64) -> Assembly {
        Assembly {
            number,
            parts: Vec::new(),
            runs: Vec::new(),
            ids: Vec::new(),
            errors: Vec::new(),
            byte_size: 0,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.ids.len() + self.errors.len()
    }

    /// About how many bytes the rows have.
    pub(crate) fn byte_size(&self) -> usize {
        self.byte_size
    }

    /// Elements of `block`, with these ids. `key` belongs to the block.
    pub(crate) fn push_elements(
        &mut self,
        block: &Block,
        key: &mut PartKey,
        elements: Range<usize>,
        ids: impl Iterator<Item = u64>,
    ) {
        self.ids.extend(ids);
        if key.assembly != self.number {
            *key = PartKey { assembly: self.number, part: self.parts.len() };
            self.parts.push(Part {
                columns: block.columns().to_vec(),
                span: 0..0,
                element_bytes: block.byte_size() / block.num_elements().max(1),
            });
        }
        let part = key.part;
        let known = &mut self.parts[part];
        self.byte_size += known.element_bytes * elements.len();
        if known.span.is_empty() {
            known.span = elements.clone();
        } else {
            known.span.end = elements.end;
        }
        match self.runs.last_mut() {
            Some(last) if last.part == part && last.elements.end == elements.start => {
                last.elements.end = elements.end;
            }
            _ => self.runs.push(Run { part, elements }),
        }
    }

    /// An error in the place of a row.
    pub(crate) fn push_error(&mut self, id: u64, error: RowError) {
        self.errors.push(ErrorRow { row: self.rows(), id, error });
    }

    /// All of it as a block at `position`.
    pub(crate) fn finish(self, position: Position) -> Block {
        let num_columns = self.parts.iter().map(|part| part.columns.len()).max().unwrap_or(0);
        let columns = (0..num_columns).map(|column| self.column(column)).collect();
        Block::with_errors(columns, Ids::list(self.ids), self.errors, position)
    }

    fn column(&self, column: usize) -> Column {
        // Many short runs: the parts one behind the other, and the rows of that in order; two passes over the data, but no
        // work for each run. Few long ones: one pass.
        if self.runs.len() <= 2 * self.parts.len() {
            let slices: Vec<Column> = self
                .runs
                .iter()
                .map(|run| self.parts[run.part].columns[column].slice(run.elements.clone()))
                .collect();
            return Column::concat(&slices);
        }
        let mut starts = Vec::with_capacity(self.parts.len());
        let mut rows = 0;
        let mut slices = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            starts.push(rows);
            rows += part.span.len();
            slices.push(part.columns[column].slice(part.span.clone()));
        }
        let mut order = Vec::with_capacity(self.ids.len());
        for run in &self.runs {
            let part = &self.parts[run.part];
            let (start, first) = (starts[run.part], part.span.start);
            order.extend(run.elements.clone().map(|element| start + element - first));
        }
        Column::concat(&slices).gather(&order)
    }
}
