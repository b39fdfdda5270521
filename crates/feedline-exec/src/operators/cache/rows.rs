//! Rows that are kept, and how they are handed out.

use std::sync::Arc;

use feedline_data::block::{Block, Buffer, Column, Ids, Places, Strings};

use super::{position_at, salted};
use crate::runtime::Runtime;

/// A run of rows, none of them an error.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) columns: Vec<Column>,
    pub(crate) ids: Ids,
}

impl Rows {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Bytes they take: values, ids, and what describes them.
    pub(super) fn byte_size(&self) -> u64 {
        let values: usize = self.columns.iter().map(Column::byte_size).sum();
        let ids = match self.ids {
            Ids::Run { .. } => 0,
            Ids::List { .. } => self.len() * size_of::<u64>(),
        };
        (values + ids + OVERHEAD_BYTES * (1 + self.columns.len())) as u64
    }

    /// The rows of all `parts`, in memory of their own and of just their size: a row that is a view into a large read buffer
    /// must not keep the buffer alive.
    pub(crate) fn compact(parts: &[Rows]) -> Rows {
        let Some(first) = parts.first() else { return Rows { columns: Vec::new(), ids: Ids::run(0, 0) } };
        let column = |index: usize| {
            let pieces: Vec<Column> = parts.iter().map(|part| part.columns[index].clone()).collect();
            let joined = Column::concat(&pieces);
            match joined.strings() {
                Some(strings) => compact_strings(&joined, strings),
                // Numbers of several pieces were copied by joining them.
                None if pieces.len() > 1 => joined,
                None => joined.to_owned_rows(),
            }
        };
        let ids: Vec<Ids> = parts.iter().map(|part| part.ids.clone()).collect();
        Rows { columns: (0..first.columns.len()).map(column).collect(), ids: own_ids(Ids::concat(&ids)) }
    }

    /// The same rows, as those of a cache that is charged for them: views of them are charged to nobody.
    pub(super) fn counted_here(self) -> Rows {
        Rows { columns: self.columns.into_iter().map(Column::counted_elsewhere).collect(), ids: self.ids }
    }

    /// `range` of them.
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> Rows {
        let columns = self.columns.iter().map(|column| column.slice(range.clone())).collect();
        Rows { columns, ids: self.ids.slice(range) }
    }

    /// Those at `rows`, in that order.
    pub(crate) fn gather(&self, rows: &[usize]) -> Rows {
        Rows {
            columns: self.columns.iter().map(|column| column.gather(rows)).collect(),
            ids: Ids::list(self.ids.gather(rows).iter().collect()),
        }
    }

    /// `range` of them as the block whose first row is number `passed`, in the iteration whose number is `salt`.
    pub(super) fn block(&self, range: std::ops::Range<usize>, passed: u64, salt: u64) -> Block {
        let Rows { columns, ids } = self.slice(range);
        Block::new(columns, salted(ids, salt), position_at(passed))
    }
}

/// A column and its buffer, a list of ids: what each costs besides its values.
pub(super) const OVERHEAD_BYTES: usize = 128;

/// A list of ids may be a part of a longer one.
fn own_ids(ids: Ids) -> Ids {
    match ids {
        Ids::List { .. } => Ids::list(ids.iter().collect()),
        run @ Ids::Run { .. } => run,
    }
}

/// The same strings one behind the other in one piece of memory.
fn compact_strings(column: &Column, strings: &Strings) -> Column {
    let num_bytes = strings.num_bytes();
    if num_bytes >= u32::MAX as usize {
        // More than views into one buffer can name.
        return column.to_owned_rows();
    }
    let mut bytes = Vec::with_capacity(num_bytes);
    let mut places = Places::with_capacity(strings.len());
    for string in strings.iter() {
        let start = bytes.len();
        bytes.extend_from_slice(string);
        places.push(start..bytes.len());
    }
    let strings = Strings::of_places(&Buffer::from_vec(bytes), &Arc::new(places));
    let rows = column.rows();
    if let Some(shape) = column.common_shape() {
        return Column::from_strings(shape.to_vec(), rows, strings);
    }
    let shapes = (0..rows).map(|row| column.shape(row).to_vec()).collect();
    Column::from_strings(vec![], strings.len(), strings).with_shapes(shapes)
}

/// Rows that lie one behind the other in a cache.
#[derive(Debug)]
pub(super) struct RowRun {
    first_row: u64,
    blocks: Vec<Rows>,
    /// The number of the row behind each block.
    ends: Vec<u64>,
    num_bytes: u64,
}

impl RowRun {
    /// The rows of `blocks`, the first of which is number `first_row`; together they hold `num_bytes`.
    pub(super) fn new(first_row: u64, blocks: Vec<Rows>, num_bytes: u64) -> RowRun {
        let mut end = first_row;
        let ends = blocks.iter().map(|block| {
            end += block.len() as u64;
            end
        });
        RowRun { first_row, ends: ends.collect(), blocks, num_bytes }
    }

    /// Bytes held.
    pub(super) fn num_bytes(&self) -> u64 {
        self.num_bytes
    }

    /// The number of the row behind the last.
    pub(super) fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or(self.first_row)
    }

    /// Whether row number `row` is among them.
    pub(super) fn contains(&self, row: u64) -> bool {
        (self.first_row..self.end()).contains(&row)
    }

    /// A block's worth of rows, at most `limit`, from number `passed` on; `None` at the end.
    pub(super) fn block_at(&self, passed: u64, limit: usize, salt: u64, runtime: &Runtime) -> Option<Block> {
        let index = self.ends.partition_point(|&end| end <= passed);
        let rows = self.blocks.get(index)?;
        let row_bytes = self.num_bytes / (self.end() - self.first_row).max(1);
        let block_rows = runtime.block_rows(usize::try_from(row_bytes).unwrap_or(usize::MAX));
        let first = (passed + rows.len() as u64 - self.ends[index]) as usize;
        let end = rows.len().min(first.saturating_add(limit.min(block_rows)));
        Some(rows.block(first..end, passed, salt))
    }
}
