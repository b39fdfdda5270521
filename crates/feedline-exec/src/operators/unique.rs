//! Each element the first time it comes.
//!
//! Out come, in order, the elements that were not there before, and errors. Holds the bytes of every element there was, charged to the
//! budget; where that has no room for more, that is an error, and the end. Saves how many rows of the input have passed: restoring reads
//! them again. Skipping has to look.

use std::collections::HashSet;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Column, Position, Row, Token};
use serde::{Deserialize, Serialize};

use crate::budget::{Growing, Refusal};
use crate::error::ExecError;
use crate::operator::{Operator, SkipDebt};
use crate::origin::Passing;
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct UniqueTemplate {
    pub(crate) input: Arc<dyn Template>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UniqueState {
    /// Rows of the input that have passed.
    rows: u64,
}

impl Template for UniqueTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let to_replay = match at {
            None => 0,
            Some(at) => load_state::<UniqueState>(at, "unique")?.rows,
        };
        Ok(Box::new(Unique {
            input: SparingInput::new(self.input.start(scope, None)?, &*self.input),
            known: HashSet::new(),
            held: scope.growing(),
            passed: 0,
            to_replay,
            has_ended: false,
            no_room: None,
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
        }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }
}

struct Unique {
    input: SparingInput,
    known: HashSet<Box<[u8]>>,
    held: Growing,
    /// Rows of the input seen.
    passed: u64,
    /// Up to so many they were handed out before the state was saved.
    to_replay: u64,
    has_ended: bool,
    /// The error that it ended with, as long as that has not come out.
    no_room: Option<Block>,
    asked: RowsAsked,
    debt: SkipDebt,
}

/// What an entry of the set takes beside its bytes: the pointer and length of the box, the allocator's own, and the set's room for more.
const ENTRY_BYTES: u64 = 48;

/// Appends what tells an element from others of its spec: shapes and values.
fn key_of(columns: &[Column], element: usize, key: &mut Vec<u8>) {
    for column in columns {
        let shape = column.shape(element);
        shape.iter().for_each(|&dim| key.extend_from_slice(&(dim as u64).to_le_bytes()));
        let values = column.value_range(element..element + 1);
        if let Some(buffer) = column.buffer() {
            let width = column.dtype().width().unwrap_or(1);
            key.extend_from_slice(&buffer.as_bytes()[values.start * width..values.end * width]);
        } else if let Some(strings) = column.strings() {
            for string in values.map(|index| strings.get(index)) {
                key.extend_from_slice(&(string.len() as u64).to_le_bytes());
                key.extend_from_slice(string);
            }
        }
    }
}

impl Unique {
    /// The rows of `block` that are new; how many of the block that took, if memory ended, and why.
    fn new_rows(&mut self, block: &Block) -> (Vec<usize>, Option<(usize, Refusal)>) {
        let (mut rows, mut key) = (Vec::new(), Vec::new());
        for row in 0..block.rows() {
            if let Row::Element(element) = block.row(row) {
                key.clear();
                key_of(block.columns(), element, &mut key);
                if self.known.contains(&key[..]) {
                    continue;
                }
                if let Err(refusal) = self.held.try_grow(key.len() as u64 + ENTRY_BYTES) {
                    return (rows, Some((row, refusal)));
                }
                self.known.insert(key[..].into());
            }
            rows.push(row);
        }
        (rows, None)
    }

    fn no_room(&self, id: u64, behind: u64, refusal: Refusal) -> Block {
        let error = ExecError::resource(format!(
            "unique: {} different elements take {} bytes and the next does not fit, {}",
            self.known.len(),
            self.held.bytes(),
            refusal.held_by_others()
        ))
        .with_hint("raise the memory budget, or make elements smaller before: unique of a key, or of a hash");
        let position = Position::at(Token::new(move |_| UniqueState { rows: behind }));
        Block::of_error(id, error.that_ends_stream().into_row_error(), position)
    }
}

impl Operator for Unique {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while !self.has_ended {
            let left = usize::try_from(self.to_replay - self.passed).unwrap_or(usize::MAX);
            let wanted = if left > 0 { left } else { limit };
            let needed = self.asked.rows().saturating_add(left as u64);
            let Some(block) = ready!(self.input.poll_block(cx, wanted, needed)) else {
                return Poll::Ready(None);
            };
            let is_replayed = left > 0;
            let passed = self.passed;
            self.passed += block.rows() as u64;
            let (rows, full_at) = self.new_rows(&block);
            if let Some((row, refusal)) = full_at {
                self.has_ended = true;
                let id = match block.row(row) {
                    Row::Element(element) => block.ids().get(element),
                    Row::Error(error) => error.id,
                };
                // Where there is memory, what is restored from here goes on with that row.
                let behind = self.to_replay.max(passed + row as u64);
                self.no_room = Some(self.no_room(id, behind, refusal));
            }
            self.to_replay = self.to_replay.max(self.passed);
            if is_replayed || rows.is_empty() {
                continue;
            }
            let kept = rows.clone();
            let state = move |count: u64| {
                let behind = (count as usize).checked_sub(1).map_or(0, |last| kept[last] as u64 + 1);
                UniqueState { rows: passed + behind }
            };
            let block = block.select(rows).at(Position::at(Token::new(state)));
            self.asked.pass(block.rows());
            if let Some(block) = self.debt.pay(block) {
                return Poll::Ready(Some(block));
            }
        }
        // Behind the rows that there was room for, however many of them came in a block.
        Poll::Ready(self.no_room.take())
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.asked.set(rows.saturating_add(self.debt.rows()));
    }
}
