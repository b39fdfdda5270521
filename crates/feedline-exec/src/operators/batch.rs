//! Several elements as one.
//!
//! Out comes, for every `batch_size` elements, one with a dimension more; the last may be smaller or is dropped. Order is
//! kept, also that of errors: an error comes out at once, and the elements already collected stay and are joined by those
//! that follow. Elements that lie side by side already become a batch without a copy. Holds views of the blocks it
//! collects from, charged to the budget; a batch of more than all of that is an error, and the end. Saves the input's positions before and behind the batch, and how many errors have come out in between.
//! Skipping has to look at rows: which of them are errors is not known before.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::ElementSpec;
use feedline_data::block::{Block, Column, Ids, Position, Token};
use serde::{Deserialize, Serialize};

use crate::budget::Charge;
use crate::error::ExecError;
use crate::fits::too_large;
use crate::operator::{Operator, SkipDebt};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct BatchTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) batch_size: usize,
    pub(crate) drop_remainder: bool,
    /// Of the elements that go in, to name what does not fit together.
    pub(crate) spec: ElementSpec,
    /// Whether elements are views of the user's own memory, which is not in the budget.
    pub(crate) is_in_memory: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchState {
    /// The first row of the batch.
    input: Position,
    /// Errors that came out while the batch was being collected.
    errors_passed: u64,
}

impl Template for BatchTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let (input, errors_to_pass) = match at {
            None => (self.input.start(scope, None)?, 0),
            Some(at) => {
                let state: BatchState = load_state(at, "batch")?;
                (self.input.start(scope, Some(&state.input))?, state.errors_passed)
            }
        };
        Ok(Box::new(Batch {
            input,
            batch_size: self.batch_size,
            drop_remainder: self.drop_remainder,
            spec: self.spec.clone(),
            staged: None,
            collected: Vec::new(),
            num_collected: 0,
            held: (!self.is_in_memory).then(|| scope.runtime.budget.charge(0)),
            has_ended: false,
            errors_passed: 0,
            errors_to_pass,
            debt: SkipDebt::default(),
            first_row: None,
            behind: None,
        }))
    }
}

#[allow(clippy::struct_field_names, reason = "batch_size is the user's word")]
struct Batch {
    input: Box<dyn Operator>,
    batch_size: usize,
    drop_remainder: bool,
    spec: ElementSpec,
    /// Rows pulled and not yet looked at.
    staged: Option<Block>,
    /// Pieces of the batch being made: elements only.
    collected: Vec<Block>,
    num_collected: usize,
    /// What they are charged as.
    held: Option<Charge>,
    /// Whether a batch was too large.
    has_ended: bool,
    /// Where the batch being made began: its first element, or an error before it.
    first_row: Option<Position>,
    /// Where the rows used so far end.
    behind: Option<Position>,
    errors_passed: u64,
    /// Errors that came out before the state was saved: not to come out again.
    errors_to_pass: u64,
    debt: SkipDebt,
}

/// Strings are counted from so many pieces on: they come as they were read, a block at a time, so fewer are not large, and looking
/// at the length of each took 3 % of the time that reading and batching records of 200 bytes takes.
const COUNTED_STRINGS: usize = 16;

impl Batch {
    /// The next row or rows out of what is staged; `None` if more has to be pulled.
    fn advance(&mut self, limit: usize) -> Option<Block> {
        loop {
            let block = self.staged.take()?;
            let rows = block.rows();
            let clear = block.errors().first().map_or(rows, |error| error.row);
            if self.first_row.is_none() {
                self.first_row = Some(block.position().clone());
            }
            if clear == 0 {
                self.stage(&block, 1);
                if self.errors_to_pass > 0 {
                    self.errors_to_pass -= 1;
                    self.errors_passed += 1;
                    continue;
                }
                let position = self.position_of_error();
                self.errors_passed += 1;
                return Some(block.slice(0..1).at(position));
            }
            if self.num_collected == 0 && clear >= self.batch_size {
                if let Some(error) = self.check_whole(&block) {
                    return Some(self.give_up(block.ids().get(0), error));
                }
                let batches = (clear / self.batch_size).min(limit);
                let used = batches * self.batch_size;
                self.stage(&block, used);
                let after = block.position().plus(self.batch_size as u64);
                return Some(self.emit(&block.slice(0..used), batches, self.batch_size, after));
            }
            let used = clear.min(self.batch_size - self.num_collected);
            self.stage(&block, used);
            self.num_collected += used;
            self.collected.push(block.slice(0..used));
            if let Some(error) = self.charge_collected() {
                return Some(self.give_up(block.ids().get(0), error));
            }
            if self.num_collected == self.batch_size {
                return Some(self.emit_collected());
            }
        }
    }

    /// Keeps what is behind the first `used` rows of `block`.
    fn stage(&mut self, block: &Block, used: usize) {
        let rows = block.rows();
        self.behind = Some(block.position().plus(used as u64));
        self.staged = (used < rows).then(|| block.slice(used..rows));
    }

    /// The place before an error, which leaves what is collected as it is.
    fn position_of_error(&self) -> Position {
        let (input, errors) = (self.first_row.clone().expect("a row was seen"), self.errors_passed);
        Position::at(Token::new(move |rows| BatchState {
            input: input.clone(),
            errors_passed: errors + rows,
        }))
    }

    /// The place before batches, the first of which ends at `after`. Several in one block lie side by side in one block
    /// of the input.
    fn position_of_batches(&self, after: Position) -> Position {
        let (input, errors) = (self.first_row.clone().expect("a row was seen"), self.errors_passed);
        let size = self.batch_size as u64;
        Position::at(Token::new(move |rows| match rows {
            0 => BatchState { input: input.clone(), errors_passed: errors },
            rows => BatchState { input: after.plus((rows - 1) * size), errors_passed: 0 },
        }))
    }

    /// Charges the piece collected last, and those before it if they are not; an error if that is more than there is memory.
    fn charge_collected(&mut self) -> Option<ExecError> {
        let held = self.held.as_mut()?;
        let has_strings = self.collected[0].columns().iter().any(|column| column.strings().is_some());
        let first_counted = if has_strings { COUNTED_STRINGS } else { 1 };
        let uncounted = match self.collected.len() {
            few if few < first_counted => return None,
            count if count == first_counted => &self.collected[..],
            more => &self.collected[more - 1..],
        };
        held.grow(uncounted.iter().map(|piece| piece.byte_size() as u64).sum());
        (held.bytes() > held.limit_bytes()).then(|| too_large("batch", held.bytes(), held.limit_bytes()))
    }

    /// The same for a batch that came in one piece, where its size is seen at once.
    fn check_whole(&self, block: &Block) -> Option<ExecError> {
        let held = self.held.as_ref()?;
        let numbers = block.columns().iter().filter(|column| column.strings().is_none());
        let row_bytes = numbers.map(Column::byte_size).sum::<usize>() / block.num_elements().max(1);
        let bytes = row_bytes as u64 * self.batch_size as u64;
        (bytes > held.limit_bytes()).then(|| too_large("batch", bytes, held.limit_bytes()))
    }

    /// Ends with `error`, in the place of a batch.
    fn give_up(&mut self, id: u64, error: ExecError) -> Block {
        self.has_ended = true;
        self.collected.clear();
        self.staged = None;
        Block::of_error(id, error.into_row_error(), self.position_of_error())
    }

    fn emit_collected(&mut self) -> Block {
        let pieces = std::mem::take(&mut self.collected);
        // The batch itself is charged by whoever keeps it.
        if let Some(held) = &mut self.held {
            held.resize(0);
        }
        let size = std::mem::take(&mut self.num_collected);
        let num_columns = pieces[0].columns().len();
        let columns = (0..num_columns).map(|leaf| {
            let parts: Vec<Column> = pieces.iter().map(|piece| piece.columns()[leaf].clone()).collect();
            Column::concat(&parts)
        });
        let ids: Vec<Ids> = pieces.iter().map(|piece| piece.ids().clone()).collect();
        let whole = Block::new(columns.collect(), Ids::concat(&ids), pieces[0].position().clone());
        // Behind the last row used, which may be an error that came after the last element.
        let behind = self.behind.clone().expect("something was collected");
        self.emit(&whole, 1, size, behind)
    }

    /// `batches` batches of `size` of the elements of `block`; `after` is the place behind the first. Where elements do not
    /// fit together the batch is an error.
    fn emit(&mut self, block: &Block, batches: usize, size: usize, after: Position) -> Block {
        let position = self.position_of_batches(after);
        self.first_row = None;
        self.errors_passed = 0;
        let ids = Ids::gather(block.ids(), &(0..batches).map(|batch| batch * size).collect::<Vec<_>>());
        let stacked: Option<Vec<Column>> =
            block.columns().iter().map(|column| stack(column, batches, size)).collect();
        if let Some(columns) = stacked {
            return Block::new(columns, ids, position);
        }
        // Batch by batch, to fail only those that do not fit.
        let pieces: Vec<Block> = (0..batches)
            .map(|batch| {
                let piece = block.slice(batch * size..(batch + 1) * size);
                let stacked: Option<Vec<Column>> =
                    piece.columns().iter().map(|column| stack(column, 1, size)).collect();
                if let Some(columns) = stacked {
                    return Block::new(columns, ids.slice(batch..batch + 1), position.clone());
                }
                let error = self.misfit(&piece).into_row_error();
                Block::of_error(ids.get(batch), error, position.clone())
            })
            .collect();
        join(&pieces, position)
    }

    /// Says which two elements do not fit together, and how.
    fn misfit(&self, piece: &Block) -> ExecError {
        for (column, name) in piece.columns().iter().zip(self.spec.leaf_names()) {
            let first = column.shape(0);
            if let Some(other) = (1..column.rows()).find(|&row| column.shape(row) != first) {
                let leaf = if name.is_empty() { String::new() } else { format!(" of {name}") };
                return ExecError::data(format!(
                    "batch: elements that do not stack: shape{leaf} is {first:?} in the element with id {} and {:?} in \
                     the one with id {}",
                    piece.ids().get(0),
                    column.shape(other),
                    piece.ids().get(other)
                ))
                .with_hint("pad or resize before batch, or use padded_batch or ragged_batch");
            }
        }
        ExecError::internal("batch: elements that stack were said not to")
    }
}

/// `batches` rows of `size` rows each, sharing the memory; `None` if the rows differ in shape.
fn stack(column: &Column, batches: usize, size: usize) -> Option<Column> {
    let shape = column.common_shape()?;
    let shape = std::iter::once(size).chain(shape.iter().copied()).collect();
    Some(column.clone().with_rows_of(batches, shape))
}

/// Blocks of one row each, as one block.
fn join(pieces: &[Block], position: Position) -> Block {
    let good: Vec<&Block> = pieces.iter().filter(|piece| piece.num_elements() > 0).collect();
    let ids: Vec<Ids> = pieces
        .iter()
        .map(|piece| match piece.errors().first() {
            Some(error) => Ids::run(error.id, 1),
            None => piece.ids().clone(),
        })
        .collect();
    let failed: Vec<_> = pieces
        .iter()
        .enumerate()
        .filter_map(|(row, piece)| piece.errors().first().map(|error| (row, Arc::clone(&error.error))))
        .collect();
    // Failed rows get the values of a good one for as long as it takes to fail them.
    let Some(filler) = good.first() else {
        let whole = Block::new(Vec::new(), Ids::concat(&ids), position);
        return whole.fail(&failed);
    };
    let columns = (0..filler.columns().len()).map(|leaf| {
        let parts: Vec<Column> = pieces
            .iter()
            .map(|piece| if piece.num_elements() > 0 { piece } else { filler }.columns()[leaf].clone())
            .collect();
        Column::concat(&parts)
    });
    Block::new(columns.collect(), Ids::concat(&ids), position).fail(&failed)
}

impl Operator for Batch {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if self.has_ended {
                return Poll::Ready(None);
            }
            while let Some(block) = self.advance(limit) {
                if let Some(block) = self.debt.pay(block) {
                    return Poll::Ready(Some(block));
                }
            }
            let wanted = limit.saturating_mul(self.batch_size).saturating_sub(self.num_collected);
            match ready!(self.input.poll_block(cx, wanted.max(1))) {
                Some(block) => self.staged = Some(block),
                None if self.num_collected > 0 && !self.drop_remainder => {
                    let last = self.emit_collected();
                    if let Some(block) = self.debt.pay(last) {
                        return Poll::Ready(Some(block));
                    }
                }
                None => return Poll::Ready(None),
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        let rows = rows.saturating_add(self.debt.rows());
        self.input.bound(rows.saturating_mul(self.batch_size as u64).saturating_add(self.errors_to_pass));
    }
}
