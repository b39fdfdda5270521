//! Several elements as one.
//!
//! Out comes, for every so many elements, one with a dimension more; the last may be smaller or is dropped. How many is one number, or
//! several in turn (`rebatch`), of which 0 is a batch without elements; where elements differ in size they are filled up ([`padding`]) or
//! do not fit. Order is
//! kept, also that of errors: an error comes out at once, and the elements already collected stay and are joined by those
//! that follow. Elements that lie side by side already become a batch without a copy. Holds views of the blocks it
//! collects from, charged to the budget; a batch of more than all of that is an error, and the end. Saves the input's positions before and behind the batch, and how many errors have come out in between.
//! Skipping has to look at rows: which of them are errors is not known before. Where it is certain that none is, so many rows of the input
//! are skipped.

mod padding;
mod pieces;

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Column, Ids, Position, Token};
use feedline_data::rows::no_rows;
use feedline_data::{ElementSpec, Shape, TensorSpec};
use feedline_plan::Padding;
use serde::{Deserialize, Serialize};

use self::padding::stack_padded;
use self::pieces::join;
use crate::budget::Charge;
use crate::error::ExecError;
use crate::fits::too_large;
use crate::keeping::Keeper;
use crate::operator::{Operator, SkipDebt};
use crate::operators::stack::{fits, leaf_kinds, stack};
use crate::origin::{Locator, Passing};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct BatchTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// How many elements become one, in turn.
    pub(crate) batch_sizes: Arc<[usize]>,
    pub(crate) drop_remainder: bool,
    /// How elements of different sizes are made one; `None`: they are not.
    pub(crate) padding: Option<Arc<Padding>>,
    /// Of the elements that go in, to name what does not fit together.
    pub(crate) spec: ElementSpec,
    /// Whether elements are views of the user's own memory, which is not in the budget.
    pub(crate) is_in_memory: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchState {
    /// The first row of the batch; `None`: the first of all.
    input: Option<Position>,
    /// Errors that came out while the batch was being collected.
    errors_passed: u64,
    /// Whose turn it is among the sizes.
    #[serde(default, skip_serializing_if = "is_first")]
    turn: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_first(turn: &usize) -> bool {
    *turn == 0
}

impl Template for BatchTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state: BatchState = match at {
            None => BatchState { input: None, errors_passed: 0, turn: 0 },
            Some(at) => load_state(at, "batch")?,
        };
        if state.turn >= self.batch_sizes.len() {
            return Err(ExecError::state(format!(
                "batch: the state is at size {} of {}",
                state.turn,
                self.batch_sizes.len()
            )));
        }
        Ok(Box::new(Batch {
            input: self.input.start(scope, state.input.as_ref())?,
            is_seekable: self.is_seekable(scope),
            sizes: Arc::clone(&self.batch_sizes),
            turn: state.turn,
            drop_remainder: self.drop_remainder,
            padding: self.padding.clone(),
            spec: self.spec.clone(),
            staged: None,
            collected: Vec::new(),
            num_collected: 0,
            collected_bytes: 0,
            held: (!self.is_in_memory).then(|| scope.runtime.budget.charge(0)),
            keeper: Keeper::new(&scope.runtime.budget),
            has_ended: false,
            errors_passed: 0,
            errors_to_pass: state.errors_passed,
            debt: SkipDebt::default(),
            limit_bytes: scope.runtime.budget.limit_bytes(),
            first_row: None,
            behind: state.input,
        }))
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.is_seekable(scope)
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Batches))
    }

    /// Of the map, where it is one step with it.
    fn locator(&self) -> Option<Locator> {
        self.input.as_map()?.locator()
    }
}

impl BatchTemplate {
    /// Whether every batch is one of so many rows of the input: none of these is an error, and no batch too large.
    fn is_seekable(&self, scope: &Scope) -> bool {
        let [size] = self.batch_sizes[..] else { return false };
        let row_bytes: Option<usize> = self.spec.leaves().into_iter().map(TensorSpec::byte_size).sum();
        let limit_bytes = scope.runtime.budget.limit_bytes();
        // Half of it: rows that lie in a block of others may count for more than they are.
        let fits = |row_bytes: usize| (row_bytes as u64).saturating_mul(size as u64) <= limit_bytes / 2;
        size > 0 && row_bytes.is_some_and(fits) && self.input.never_fails(scope)
    }
}

struct Batch {
    input: Box<dyn Operator>,
    /// Whether every batch is one of so many rows of the input.
    is_seekable: bool,
    sizes: Arc<[usize]>,
    /// Whose turn it is among them.
    turn: usize,
    drop_remainder: bool,
    padding: Option<Arc<Padding>>,
    spec: ElementSpec,
    /// Rows pulled and not yet looked at.
    staged: Option<Block>,
    /// Pieces of the batch being made: elements only.
    collected: Vec<Block>,
    num_collected: usize,
    /// Bytes of those that were counted.
    collected_bytes: u64,
    /// What they are charged as.
    held: Option<Charge>,
    keeper: Keeper,
    /// Whether a batch was too large.
    has_ended: bool,
    /// Where the batch being made began: its first element, or an error before it.
    first_row: Option<Position>,
    /// Where the rows used so far end; `None`: at the beginning.
    behind: Option<Position>,
    /// Of the budget: no batch may be larger.
    limit_bytes: u64,
    errors_passed: u64,
    /// Errors that came out before the state was saved: not to come out again.
    errors_to_pass: u64,
    debt: SkipDebt,
}

/// Strings are counted from so many pieces on: they come as they were read, a block at a time, so fewer are not large, and looking
/// at the length of each took 3 % of the time that reading and batching records of 200 bytes takes.
const COUNTED_STRINGS: usize = 16;

/// Rows of an input without end may be more than a number tells: then they are skipped in parts. More parts than this are nobody's
/// wish but that of who skips everything.
const MAX_PARTS_OF_SKIP: u64 = 1000;

impl Batch {
    /// Elements of the batch being made.
    fn size(&self) -> usize {
        self.sizes[self.turn]
    }

    /// The next row or rows out of what is staged; `None` if more has to be pulled.
    fn advance(&mut self, limit: usize) -> Option<Block> {
        loop {
            if self.size() == 0 {
                return Some(self.empty_batch());
            }
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
            let size = self.size();
            if self.num_collected == 0 && clear >= size {
                if let Some(error) = self.check_whole(&block) {
                    return Some(self.give_up(block.ids().get(0), error));
                }
                let most = if self.sizes.len() == 1 { clear / size } else { 1 };
                let batches = most.min(limit);
                let used = batches * size;
                self.stage(&block, used);
                let after = block.position().plus(size as u64);
                return Some(self.emit(&block.slice(0..used), batches, size, after));
            }
            let used = clear.min(size - self.num_collected);
            self.stage(&block, used);
            self.num_collected += used;
            // Of the place of each piece nothing is needed, and it may hold as much as the piece.
            let position = self.first_row.clone().expect("set above");
            self.collected.push(block.slice(0..used).at(position));
            if let Some(error) = self.charge_collected() {
                return Some(self.give_up(block.ids().get(0), error));
            }
            if self.num_collected == size {
                return Some(self.emit_collected());
            }
        }
    }

    /// Drops rows of the input.
    fn skip_rows(&mut self, rows: u64) {
        let Some(block) = self.staged.take() else { return self.input.skip(rows) };
        let dropped = rows.min(block.rows() as u64);
        self.stage(&block, dropped as usize);
        self.input.skip(rows - dropped);
    }

    /// Keeps what is behind the first `used` rows of `block`.
    fn stage(&mut self, block: &Block, used: usize) {
        let rows = block.rows();
        self.behind = Some(block.position().plus(used as u64));
        self.staged = (used < rows).then(|| block.slice(used..rows));
    }

    /// The place before an error, which leaves what is collected as it is.
    fn position_of_error(&self) -> Position {
        let (input, errors, turn) = (self.first_row.clone(), self.errors_passed, self.turn);
        Position::at(Token::new(move |rows| BatchState {
            input: input.clone(),
            errors_passed: errors + rows,
            turn,
        }))
    }

    /// The place before batches, the first of which ends at `after`. Several in one block lie side by side in one block
    /// of the input.
    fn position_of_batches(&self, after: Position, next: usize) -> Position {
        let (input, errors, turn) = (self.first_row.clone(), self.errors_passed, self.turn);
        let size = self.size() as u64;
        Position::at(Token::new(move |rows| match rows {
            0 => BatchState { input: input.clone(), errors_passed: errors, turn },
            rows => BatchState { input: Some(after.plus((rows - 1) * size)), errors_passed: 0, turn: next },
        }))
    }

    /// Charges the piece collected last, and those before it if they are not; an error if that is more than there is memory.
    fn charge_collected(&mut self) -> Option<ExecError> {
        let held = self.held.as_mut()?;
        let has_strings = self.collected[0].columns().iter().any(|column| column.strings().is_some());
        let first_counted = if has_strings { COUNTED_STRINGS } else { 1 };
        let uncounted = match self.collected.len() {
            few if few < first_counted => return None,
            count if count == first_counted => &mut self.collected[..],
            more => &mut self.collected[more - 1..],
        };
        for piece in uncounted {
            self.collected_bytes += piece.byte_size() as u64;
            let (kept, bytes) = self.keeper.keep(piece.clone());
            *piece = kept;
            held.grow(bytes);
        }
        (self.collected_bytes > self.limit_bytes)
            .then(|| too_large("batch", self.collected_bytes, self.limit_bytes))
    }

    /// The same for a batch that came in one piece, where its size is seen at once.
    fn check_whole(&self, block: &Block) -> Option<ExecError> {
        let held = self.held.as_ref()?;
        let numbers = block.columns().iter().filter(|column| column.strings().is_none());
        let row_bytes = numbers.map(Column::byte_size).sum::<usize>() / block.num_elements().max(1);
        let bytes = row_bytes as u64 * self.size() as u64;
        (bytes > held.limit_bytes()).then(|| too_large("batch", bytes, held.limit_bytes()))
    }

    /// Ends with `error`, in the place of a batch. A state saved behind it tries again, as there may be more memory then.
    fn give_up(&mut self, id: u64, error: ExecError) -> Block {
        self.has_ended = true;
        self.collected.clear();
        self.staged = None;
        let before = self.position_of_error();
        let position = Position::at(Token::of_input(move |_| before.clone()));
        Block::of_error(id, error.that_ends_stream().into_row_error(), position)
    }

    fn emit_collected(&mut self) -> Block {
        let pieces = std::mem::take(&mut self.collected);
        self.collected_bytes = 0;
        let size = std::mem::take(&mut self.num_collected);
        let ids: Vec<Ids> = pieces.iter().map(|piece| piece.ids().clone()).collect();
        let position = pieces[0].position().clone();
        let whole = Block::new(self.joined(pieces), Ids::concat(&ids), position);
        // The batch itself is charged by whoever keeps it.
        if let Some(held) = &mut self.held {
            held.resize(0);
        }
        // Behind the last row used, which may be an error that came after the last element.
        let behind = self.behind.clone().expect("something was collected");
        self.emit(&whole, 1, size, behind)
    }

    /// The columns of the batch, which are there twice while they are made: one of them at a time, and its pieces go when it is.
    fn joined(&mut self, pieces: Vec<Block>) -> Vec<Column> {
        let num_columns = pieces[0].columns().len();
        let mut parts: Vec<Vec<Column>> = vec![Vec::with_capacity(pieces.len()); num_columns];
        for piece in pieces {
            parts.iter_mut().zip(piece.columns()).for_each(|(parts, column)| parts.push(column.clone()));
        }
        let join = |parts: Vec<Column>| {
            // Strings stay where they are, and so does what came in one piece.
            let is_copied = parts.len() > 1 && parts[0].strings().is_none();
            let bytes = if is_copied { parts.iter().map(Column::byte_size).sum::<usize>() as u64 } else { 0 };
            if let Some(held) = &mut self.held {
                held.grow(bytes);
            }
            let column = Column::concat(&parts);
            // Now the pieces of this one are gone, and in their place it is held.
            if let Some(held) = &mut self.held {
                drop(parts);
                held.shrink(bytes);
            }
            column
        };
        parts.into_iter().map(join).collect()
    }

    /// `batches` batches of `size` of the elements of `block`; `after` is the place behind the first. Where elements do not
    /// fit together the batch is an error.
    fn emit(&mut self, block: &Block, batches: usize, size: usize, after: Position) -> Block {
        // Behind one that is not full nothing comes, also no batch without elements.
        let next = if size < self.size() { self.turn } else { (self.turn + 1) % self.sizes.len() };
        let position = self.position_of_batches(after, next);
        self.first_row = None;
        self.errors_passed = 0;
        self.turn = next;
        let ids = Ids::gather(block.ids(), &(0..batches).map(|batch| batch * size).collect::<Vec<_>>());
        if let Some(columns) = self.stacked(block.columns(), batches, size) {
            return Block::new(columns, ids, position);
        }
        // Batch by batch, to fail only those that do not fit.
        let pieces: Vec<Block> = (0..batches)
            .map(|batch| {
                let piece = block.slice(batch * size..(batch + 1) * size);
                let stacked = match (self.stacked(piece.columns(), 1, size), &self.padding) {
                    (Some(columns), _) => Ok(columns),
                    (None, Some(padding)) => {
                        stack_padded(piece.columns(), padding, &self.spec, self.limit_bytes)
                    }
                    (None, None) => Err(self.misfit(&piece)),
                };
                match stacked {
                    Ok(columns) => Block::new(columns, ids.slice(batch..batch + 1), position.clone()),
                    Err(error) => Block::of_error(ids.get(batch), error.into_row_error(), position.clone()),
                }
            })
            .collect();
        join(&pieces, position)
    }

    /// `batches` rows of `size` rows each; `None` if rows do not fit together, or are to be filled up.
    fn stacked(&self, columns: &[Column], batches: usize, size: usize) -> Option<Vec<Column>> {
        if let Some(padding) = &self.padding {
            let is_full = |(column, shape): (&Column, &Shape)| {
                column.common_shape().is_some_and(|own| shape.admits(own))
            };
            if !columns.iter().zip(&padding.shapes).all(is_full) {
                return None;
            }
        }
        stack(&self.spec, columns, batches, size)
    }

    /// A batch without elements.
    fn empty_batch(&mut self) -> Block {
        let (input, turn, next) = (self.behind.clone(), self.turn, (self.turn + 1) % self.sizes.len());
        let state = move |rows| BatchState {
            input: input.clone(),
            errors_passed: 0,
            turn: if rows == 0 { turn } else { next },
        };
        self.turn = next;
        let columns = stack(&self.spec, &no_rows(&self.spec), 1, 0).expect("no rows are of one shape");
        Block::new(columns, Ids::run(self.turn as u64, 1), Position::at(Token::new(state)))
    }

    /// Says which two elements do not fit together, and how.
    fn misfit(&self, piece: &Block) -> ExecError {
        let names = self.spec.leaf_names().into_iter().zip(leaf_kinds(&self.spec));
        for (column, (name, kind)) in piece.columns().iter().zip(names) {
            let first = column.shape(0);
            if let Some(other) = (1..column.rows()).find(|&row| !fits(kind, first, column.shape(row))) {
                let leaf = if name.is_empty() { String::new() } else { format!(" of {name}") };
                let message = format!(
                    "batch: elements that do not stack: shape{leaf} is {first:?} in the element with id {} and {:?} in \
                     the one with id {}",
                    piece.ids().get(0),
                    column.shape(other),
                    piece.ids().get(other)
                );
                return ExecError::value(
                    message,
                    "pad or resize before batch, or use padded_batch or ragged_batch",
                );
            }
        }
        ExecError::internal("batch: elements that stack were said not to")
    }
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
            let wanted = limit.saturating_mul(self.size()).saturating_sub(self.num_collected);
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
        let most = u64::MAX / self.size().max(1) as u64;
        // Where a batch is being made, or is owed already, it is the first of those to be dropped.
        let is_owed = self.num_collected > 0 || self.debt.rows() > 0;
        if !self.is_seekable || is_owed || rows / most > MAX_PARTS_OF_SKIP {
            self.debt.add(rows);
            return;
        }
        let size = self.size() as u64;
        let mut left = rows;
        while left > 0 {
            let part = left.min(most);
            self.skip_rows(part * size);
            left -= part;
        }
    }

    fn bound(&mut self, rows: u64) {
        let rows = rows.saturating_add(self.debt.rows());
        let largest = self.sizes.iter().copied().max().unwrap_or(0) as u64;
        let here = (self.num_collected + self.staged.as_ref().map_or(0, Block::num_elements)) as u64;
        let rows = rows.saturating_mul(largest).saturating_sub(here);
        self.input.bound(rows.saturating_add(self.errors_to_pass));
    }
}
