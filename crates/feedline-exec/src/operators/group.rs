//! Elements of the same key, so many at a time: `group_by_window` and `bucket_by_sequence_length` are a `flat_map` of this.
//!
//! Out comes, as soon as there are as many elements of a key as belong together, a row of the key and the tensors that hold them
//! ([`feedline_data::rows`]); at the end what is left, in the order of keys, unless that is dropped. An error comes out at once. Holds copies of
//! the elements that wait, charged to the budget; more than all of that is an error, and the end. Saves where the oldest of them is, and
//! which of those behind it wait: restoring reads them again, and computes the keys of these alone. Skipping has to look.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::ElementSpec;
use feedline_data::block::{Block, Column, Ids, Position, Row, Token};
use feedline_data::rows::join_rows;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Growing};
use crate::error::ExecError;
use crate::eval::Program;
use crate::fits::no_room;
use crate::operator::{Operator, SkipDebt};
use crate::origin::{Locator, Passing};
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct GroupTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// Gives the key, and how many elements of it belong together.
    pub(crate) program: Arc<Program>,
    pub(crate) drop_remainder: bool,
    /// Of the elements.
    pub(crate) spec: ElementSpec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupState {
    /// The oldest element that waits, or what is to be read next if none does; `None`: the first of all.
    input: Option<Position>,
    /// Rows from there on that have been looked at.
    rows: u64,
    /// Those of them that wait, each as the distance from the one before it.
    waiting: Vec<u64>,
    /// Whether it ended for want of memory, or of a size that can be.
    has_failed: bool,
}

impl Template for GroupTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state: GroupState = match at {
            None => GroupState::default(),
            Some(at) => load_state(at, "group_by_window")?,
        };
        let waiting = state.waiting.iter().scan(0, |row: &mut u64, &distance| {
            *row = row.checked_add(distance)?;
            Some(*row)
        });
        let waiting: Vec<u64> = waiting.collect();
        if waiting.len() < state.waiting.len() || waiting.last().is_some_and(|&last| last >= state.rows) {
            return Err(ExecError::state("group_by_window: the state has rows wait that were not read"));
        }
        Ok(Box::new(Group {
            input: SparingInput::new(self.input.start(scope, state.input.as_ref())?, &*self.input),
            program: self.program.bind(scope),
            drop_remainder: self.drop_remainder,
            spec: self.spec.clone(),
            staged: None,
            left: None,
            budget: Arc::clone(&scope.runtime.budget),
            groups: BTreeMap::new(),
            held: scope.growing(),
            num_rows: 0,
            rows_again: state.rows,
            waiting_again: waiting,
            has_failed: state.has_failed,
            behind: state.input.clone(),
            last: state,
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
        }))
    }

    fn locator(&self) -> Option<Locator> {
        Some(Locator::new(&self.input, None))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Windows))
    }
}

/// An element that waits for others of its key.
struct Waiting {
    columns: Vec<Column>,
    id: u64,
    /// Its number among the rows looked at.
    row: u64,
    position: Position,
    bytes: u64,
}

/// Rows with their keys.
struct Keyed {
    block: Block,
    /// A row for a row: the keys and sizes, and errors where there are none.
    keys: Block,
    /// Rows used.
    taken: usize,
}

struct Group {
    input: SparingInput,
    program: Arc<Program>,
    drop_remainder: bool,
    spec: ElementSpec,
    staged: Option<Keyed>,
    /// Rows whose keys are still to be computed: there was no memory for what that takes on the way.
    left: Option<Block>,
    budget: Arc<Budget>,
    groups: BTreeMap<i64, Vec<Waiting>>,
    held: Growing,
    /// Rows looked at since the start.
    num_rows: u64,
    /// Up to so many were looked at before the state was saved, and of these only some wait.
    rows_again: u64,
    waiting_again: Vec<u64>,
    has_failed: bool,
    /// Where the rows looked at end.
    behind: Option<Position>,
    /// The state behind the last row that came out.
    last: GroupState,
    asked: RowsAsked,
    debt: SkipDebt,
}

impl Group {
    /// Looks at rows until one comes out; `None` if more has to be pulled.
    fn advance(&mut self) -> Option<Block> {
        loop {
            let keyed = self.staged.as_mut()?;
            if keyed.taken == keyed.block.rows() {
                self.staged = None;
                return None;
            }
            let row = keyed.taken;
            keyed.taken += 1;
            let position = keyed.block.position().plus(row as u64);
            self.behind = Some(position.plus(1));
            let number = self.num_rows;
            self.num_rows += 1;
            if number < self.rows_again && self.waiting_again.binary_search(&number).is_err() {
                continue;
            }
            let element = match (keyed.block.row(row), keyed.keys.row(row)) {
                (Row::Element(element), Row::Element(key)) => Ok((element, key)),
                (Row::Error(error), _) | (_, Row::Error(error)) => Err((error.id, Arc::clone(&error.error))),
            };
            let (element, key) = match element {
                Ok(found) => found,
                Err((id, error)) => return Some(self.at_next(Block::of_error(id, error, position))),
            };
            let (key, size) = {
                let columns = keyed.keys.columns();
                (columns[0].as_slice::<i64>()[key], columns[1].as_slice::<i64>()[key])
            };
            let own = |column: &Column| column.slice(element..element + 1).to_owned_rows();
            let columns: Vec<Column> = keyed.block.columns().iter().map(own).collect();
            let id = keyed.block.ids().get(element);
            let bytes = columns.iter().map(|column| column.byte_size() as u64).sum();
            if let Err(error) = self.check(size, bytes) {
                self.has_failed = true;
                let error = error.that_ends_stream().into_row_error();
                return Some(self.at_next(Block::of_error(id, error, position)));
            }
            let group = self.groups.entry(key).or_default();
            group.push(Waiting { columns, id, row: number, position, bytes });
            if group.len() as u64 >= size as u64 {
                return Some(self.emit(key));
            }
        }
    }

    /// Charges an element.
    fn check(&mut self, size: i64, bytes: u64) -> Result<(), ExecError> {
        if size <= 0 {
            let message = format!("group_by_window: window_size must be greater than zero, not {size}");
            return Err(ExecError::value(
                message,
                "window_size_func must give a number from 1 on for every key",
            ));
        }
        let all = self.held.bytes() + bytes;
        self.held.try_grow(bytes).map_err(|refusal| no_room("group_by_window", all, refusal))
    }

    /// The elements of `key` come out.
    fn emit(&mut self, key: i64) -> Block {
        let group = self.groups.remove(&key).unwrap_or_default();
        self.held.shrink(group.iter().map(|waiting| waiting.bytes).sum());
        let of_leaf = |leaf: usize| {
            let parts: Vec<Column> = group.iter().map(|waiting| waiting.columns[leaf].clone()).collect();
            Column::concat(&parts)
        };
        let rows: Vec<Column> = (0..self.spec.num_leaves()).map(of_leaf).collect();
        let mut columns = vec![Column::from_vec(vec![], 1, vec![key])];
        columns.extend(join_rows(&self.spec, &rows));
        let id = group.first().map_or(0, |first| first.id);
        self.at_next(Block::new(columns, Ids::run(id, 1), Position::at(Token::new(|_| ()))))
    }

    /// A block of one row that comes out now.
    fn at_next(&mut self, block: Block) -> Block {
        let mut waiting: Vec<(u64, &Position)> =
            self.groups.values().flatten().map(|waiting| (waiting.row, &waiting.position)).collect();
        waiting.sort_unstable_by_key(|(row, _)| *row);
        let next = match waiting.first() {
            Some(&(first, position)) => {
                let mut before = first;
                let distances = waiting.iter().map(|&(row, _)| row - std::mem::replace(&mut before, row));
                GroupState {
                    input: Some(position.clone()),
                    rows: self.num_rows - first,
                    waiting: distances.collect(),
                    has_failed: self.has_failed,
                }
            }
            None => GroupState {
                input: self.behind.clone(),
                rows: 0,
                waiting: Vec::new(),
                has_failed: self.has_failed,
            },
        };
        let before = std::mem::replace(&mut self.last, next.clone());
        let state = move |rows: u64| if rows == 0 { before.clone() } else { next.clone() };
        block.at(Position::at(Token::new(state)))
    }

    /// What is left when the input has ended, key by key.
    fn finish(&mut self) -> Option<Block> {
        if self.drop_remainder {
            return None;
        }
        let key = *self.groups.keys().next()?;
        Some(self.emit(key))
    }
}

impl Operator for Group {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while !self.has_failed {
            let mut next = self.advance();
            if next.is_none() {
                if self.left.is_none() {
                    // One of its rows ends one group, at most.
                    let again = self.rows_again.saturating_sub(self.num_rows);
                    let needed = self.asked.rows().saturating_add(again);
                    self.left = ready!(self.input.poll_block(cx, limit.max(MIN_ROWS), needed));
                }
                if let Some(block) = self.left.take() {
                    let (keys, left, _charge) = self.program.run_needed(block.clone(), &self.budget);
                    self.left = left;
                    let block = block.slice(0..keys.rows());
                    self.staged = Some(Keyed { block, keys, taken: 0 });
                    continue;
                }
                next = self.finish();
            }
            let Some(block) = next else { return Poll::Ready(None) };
            self.asked.pass(block.rows());
            if let Some(block) = self.debt.pay(block) {
                return Poll::Ready(Some(block));
            }
        }
        Poll::Ready(None)
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.asked.set(rows.saturating_add(self.debt.rows()));
    }
}

/// Rows asked for at least: a window takes many.
const MIN_ROWS: usize = 64;
