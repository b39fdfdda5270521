//! Blocks: runs of consecutive elements held as columns, the unit that moves through the engine.

mod buffer;
mod column;
mod derived;
mod element_ref;
mod ids;
mod landing;
mod saved;
mod strings;
mod tensor;
mod token;

use std::error::Error;
use std::ops::Range;
use std::sync::Arc;

pub use buffer::{Buffer, MemoryShare};
pub use column::{Column, ColumnValues, EachShape, RowShapes};
pub use derived::Parts;
pub use element_ref::{ElementRef, TensorRef};
pub use ids::{Ids, mix, unmix};
pub use landing::{Landing, Memory, Room};
pub use strings::{Places, Strings, StringsBuilder};
pub use tensor::Tensor;
pub use token::{Position, Token};

/// Why a row has no value. Shared, since a row may be looked at more than once.
pub type RowError = Arc<dyn Error + Send + Sync>;

/// A row that has an error in place of a value.
#[derive(Clone, Debug)]
pub struct ErrorRow {
    /// Its place among all rows of the block.
    pub row: usize,
    /// Its provenance id.
    pub id: u64,
    /// What is wrong.
    pub error: RowError,
}

/// A run of consecutive elements, as columns.
///
/// A *row* of a block is an element or an error in its place. Columns and ids hold the elements alone, one behind the
/// other, so that what computes on them never meets a hole; the errors are kept beside them with their places.
#[derive(Clone, Debug)]
pub struct Block {
    columns: Vec<Column>,
    ids: Ids,
    errors: Vec<ErrorRow>,
    position: Position,
}

impl Block {
    /// A block of elements. There is a column for each leaf of the element's structure (none if it has no leaf).
    ///
    /// # Panics
    /// If a column has another number of rows than there are ids.
    pub fn new(columns: Vec<Column>, ids: Ids, position: Position) -> Block {
        assert!(columns.iter().all(|column| column.rows() == ids.len()), "a column has a row for each id");
        Block { columns, ids, errors: Vec::new(), position }
    }

    /// A block of elements with errors among them, in order of their rows.
    ///
    /// # Panics
    /// As [`Block::new`], and if the errors' rows are not in order or leave no room for the elements.
    pub fn with_errors(columns: Vec<Column>, ids: Ids, errors: Vec<ErrorRow>, position: Position) -> Block {
        assert!(errors.is_sorted_by(|one, two| one.row < two.row), "errors in order");
        let rows = ids.len() + errors.len();
        assert!(errors.last().is_none_or(|last| last.row < rows), "an error has a place among the rows");
        Block { errors, ..Block::new(columns, ids, position) }
    }

    /// A block of one error.
    pub fn of_error(id: u64, error: RowError, position: Position) -> Block {
        let errors = vec![ErrorRow { row: 0, id, error }];
        Block { columns: Vec::new(), ids: Ids::run(0, 0), errors, position }
    }

    /// Number of rows: elements and errors.
    pub fn rows(&self) -> usize {
        self.ids.len() + self.errors.len()
    }

    /// Number of elements.
    pub fn num_elements(&self) -> usize {
        self.ids.len()
    }

    /// The columns, leaf after leaf. A block without elements may have none.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The ids of the elements.
    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    /// The rows that are errors, in order.
    pub fn errors(&self) -> &[ErrorRow] {
        &self.errors
    }

    /// The place in the stream before its first row.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The same block at another position: for operators that have a state of their own.
    #[must_use]
    pub fn at(self, position: Position) -> Block {
        Block { position, ..self }
    }

    /// The same rows with other columns for their elements.
    ///
    /// # Panics
    /// If a column has another number of rows than there are elements.
    #[must_use]
    pub fn with_columns(self, columns: Vec<Column>) -> Block {
        assert!(columns.iter().all(|column| column.rows() == self.ids.len()), "a row for each element");
        Block { columns, ..self }
    }

    /// The same rows with each column changed. The columns are handed over: nobody else has them on account of this block.
    ///
    /// # Panics
    /// As [`Block::with_columns`].
    #[must_use]
    pub fn with_each_column(mut self, change: impl FnMut(Column) -> Column) -> Block {
        let columns = std::mem::take(&mut self.columns).into_iter().map(change).collect();
        self.with_columns(columns)
    }

    /// The same rows with other ids for their elements.
    ///
    /// # Panics
    /// If there is not one for each element.
    #[must_use]
    pub fn with_ids(self, ids: Ids) -> Block {
        assert_eq!(ids.len(), self.ids.len(), "an id for each element");
        Block { ids, ..self }
    }

    /// What row `row` is.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> Row<'_> {
        assert!(row < self.rows(), "row {row} of {}", self.rows());
        if self.errors.is_empty() {
            return Row::Element(row);
        }
        let before = self.errors.partition_point(|error| error.row < row);
        match self.errors.get(before) {
            Some(error) if error.row == row => Row::Error(error),
            _ => Row::Element(row - before),
        }
    }

    /// The row of the element at place `element` of the columns; one behind the last for an element that would come behind them.
    pub fn row_of_element(&self, element: usize) -> usize {
        if element >= self.num_elements() {
            return self.rows();
        }
        self.errors.iter().fold(element, |row, error| row + usize::from(error.row <= row))
    }

    /// A run of rows, sharing the memory.
    ///
    /// # Panics
    /// If `rows` are not within the block.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Block {
        if rows == (0..self.rows()) {
            return self.clone();
        }
        let (first_error, end_error) = (self.errors_before(rows.start), self.errors_before(rows.end));
        let elements = rows.start - first_error..rows.end - end_error;
        Block {
            columns: self.columns.iter().map(|column| column.slice(elements.clone())).collect(),
            ids: self.ids.slice(elements),
            errors: self.errors[first_error..end_error]
                .iter()
                .map(|error| ErrorRow { row: error.row - rows.start, ..error.clone() })
                .collect(),
            position: self.position.plus(rows.start as u64),
        }
    }

    /// Only the rows at `rows`, which are in order. Positions stay true: behind each row is the place behind it here.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn select(&self, rows: Vec<usize>) -> Block {
        if rows.len() == self.rows() {
            return self.clone();
        }
        let mut elements = Vec::with_capacity(rows.len());
        let mut errors = Vec::new();
        for (new_row, &row) in rows.iter().enumerate() {
            match self.row(row) {
                Row::Element(element) => elements.push(element),
                Row::Error(error) => errors.push(ErrorRow { row: new_row, ..error.clone() }),
            }
        }
        let start = self.position.clone();
        let position = Position::at(Token::of_input(move |passed| {
            start.plus((passed as usize).checked_sub(1).map_or(0, |last| rows[last] as u64 + 1))
        }));
        Block {
            columns: self.columns.iter().map(|column| column.gather(&elements)).collect(),
            ids: self.ids.gather(&elements),
            errors,
            position,
        }
    }

    /// Turns elements into errors: `failed` lists them by their place among the elements, in order.
    #[must_use]
    pub fn fail(self, failed: &[(usize, RowError)]) -> Block {
        if failed.is_empty() {
            return self;
        }
        let mut errors = Vec::with_capacity(self.errors.len() + failed.len());
        let mut old = self.errors.iter().peekable();
        for (element, error) in failed {
            // The row of an element is its place plus the errors before it.
            let mut row = element + errors_up_to(&errors, failed, *element);
            while let Some(next) = old.next_if(|next| next.row <= row) {
                errors.push(next.clone());
                row = element + errors_up_to(&errors, failed, *element);
            }
            errors.push(ErrorRow { row, id: self.ids.get(*element), error: Arc::clone(error) });
        }
        errors.extend(old.cloned());
        let mut next_failed = failed.iter().map(|(element, _)| *element).peekable();
        let kept: Vec<usize> =
            (0..self.ids.len()).filter(|element| next_failed.next_if_eq(element).is_none()).collect();
        Block {
            columns: self.columns.iter().map(|column| column.gather(&kept)).collect(),
            ids: self.ids.gather(&kept),
            errors,
            position: self.position,
        }
    }

    /// The same rows, with errors that say something else.
    #[must_use]
    pub fn map_errors(self, mut told: impl FnMut(&ErrorRow) -> RowError) -> Block {
        let errors =
            self.errors.iter().map(|error| ErrorRow { error: told(error), ..error.clone() }).collect();
        Block { errors, ..self }
    }

    /// Bytes its elements take: what a copy of them would need.
    pub fn byte_size(&self) -> usize {
        self.columns.iter().map(Column::byte_size).sum()
    }

    /// Visits the memory its elements lie in, some of it perhaps more than once.
    pub fn visit_memory(&self, mut visit: impl FnMut(MemoryShare)) {
        self.columns.iter().for_each(|column| column.visit_memory(&mut visit));
    }

    /// The same rows in memory of their own.
    #[must_use]
    pub fn to_owned_rows(&self) -> Block {
        let columns = self.columns.iter().map(Column::to_owned_rows).collect();
        Block { columns, ..self.clone() }
    }

    fn errors_before(&self, row: usize) -> usize {
        self.errors.partition_point(|error| error.row < row)
    }
}

/// Old errors taken so far that stood before `element`: new ones are elements themselves and do not move it.
fn errors_up_to(errors: &[ErrorRow], failed: &[(usize, RowError)], element: usize) -> usize {
    let new_ones = failed.iter().take_while(|(other, _)| *other < element).count();
    errors.len() - new_ones
}

/// What a row is.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// The element at this place of the columns.
    Element(usize),
    /// An error.
    Error(&'a ErrorRow),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(values: Vec<i64>) -> Block {
        let ids = Ids::run(100, values.len());
        Block::new(
            vec![Column::from_vec(vec![], values.len(), values)],
            ids,
            Position::at(Token::new(|rows| rows)),
        )
    }

    fn bad(what: &str) -> RowError {
        Arc::from(Box::<dyn Error + Send + Sync>::from(what))
    }

    /// Rows as text: values, and errors in their places.
    fn show(block: &Block) -> Vec<String> {
        (0..block.rows())
            .map(|row| match block.row(row) {
                Row::Element(element) => block.columns()[0].as_slice::<i64>()[element].to_string(),
                Row::Error(error) => format!("{}@{}", error.error, error.id),
            })
            .collect()
    }

    #[test]
    fn errors_keep_their_places() {
        let once = block(vec![0, 1, 2, 3, 4, 5]).fail(&[(0, bad("a")), (3, bad("b"))]);
        assert_eq!(show(&once), ["a@100", "1", "2", "b@103", "4", "5"]);
        let twice = once.fail(&[(1, bad("c")), (2, bad("d")), (3, bad("e"))]);
        assert_eq!(show(&twice), ["a@100", "1", "c@102", "b@103", "d@104", "e@105"]);
        assert_eq!(twice.num_elements(), 1);
    }

    #[test]
    fn slices_keep_errors_and_places() {
        let block = block(vec![0, 1, 2, 3, 4]).fail(&[(1, bad("x")), (2, bad("y"))]);
        let all = show(&block);
        for start in 0..=5 {
            for end in start..=5 {
                let slice = block.slice(start..end);
                assert_eq!(show(&slice), all[start..end]);
                assert_eq!(slice.position().load(), Ok(start as u64));
            }
        }
    }

    #[test]
    fn a_block_can_be_one_error() {
        let block = Block::of_error(7, bad("gone"), Position::at(Token::new(|_| 1)));
        assert_eq!((block.rows(), block.num_elements()), (1, 0));
        assert_eq!(show(&block), ["gone@7"]);
    }
}
