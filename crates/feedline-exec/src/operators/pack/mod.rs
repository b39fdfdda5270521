//! Sequences side by side in rows of one length.
//!
//! Out come rows of some length, which may be another for each tensor, each token with the number of its sequence in the row, from 1 on (0: padding), and with its place in that
//! sequence. Some rows are filled at a time. A sequence goes to the first of them that has room, or to the one it leaves the
//! least room in; where none has, the row that was begun first comes out and a new one is begun. One without tokens takes no room and no
//! number: nothing of it comes out. A row that is full comes out at once. At the end the others come, in the order they were begun. So which row a sequence is in follows from the sequences before it and
//! nothing else. Errors come out at once, and so do sequences that are too long, as errors. Holds the rows being filled; memory for as many as there may be is reserved before anything runs.
//!
//! Saves which rows of the input are in the rows being filled, counted from the oldest: restored, those are read again, and the
//! others in between skipped. No row stays open for long, as the one begun first is the one that goes: what is read again is about what is
//! held. Skipping has to look: how many sequences make a row is not known before.

mod bin;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::ElementSpec;
use feedline_data::block::{Block, Column, Ids, Position, Row, Tensor, Token};
use feedline_plan::{Fit, Packing};
use serde::{Deserialize, Serialize};

use self::bin::Bin;
use crate::budget::Growing;
use crate::error::ExecError;
use crate::operator::{Operator, SkipDebt};
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct PackTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) packing: Packing,
    /// What stands where there is no token, for each leaf.
    pub(crate) padding: Vec<Tensor>,
    /// Of the elements that go in, to name what is too long.
    pub(crate) spec: ElementSpec,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackState {
    /// The oldest row that is held, or the next where none is.
    input: Position,
    /// The next row, counted from there.
    next: u64,
    /// For each row being filled the rows it is made of: each counted from the one before it, the first from `input`.
    bins: Vec<Vec<u64>>,
}

impl Template for PackTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let num_open = self.packing.num_open;
        let bin_bytes = Bin::num_bytes(&self.packing, &self.padding);
        let wanted = bin_bytes.saturating_mul(num_open as u64);
        let mut held = scope.growing();
        held.try_grow(wanted).map_err(|refusal| {
            let fits = refusal.left_bytes() / bin_bytes.max(1);
            let lengths: Vec<String> = self.packing.lengths.iter().map(ToString::to_string).collect();
            ExecError::resource(format!(
                "pack: {num_open} rows of {} tokens need {wanted} bytes, {}",
                lengths.join(" and "),
                refusal.held_by_others()
            ))
            .with_hint(format!(
                "fill fewer rows at a time (about {fits} fit), or set a larger memory budget (the option `memory_budget`, or the \
                 variable FEEDLINE_MEMORY_BUDGET)"
            ))
            .that_ends_stream()
        })?;
        let state: Option<PackState> = at.map(|at| load_state(at, "pack")).transpose()?;
        let input_at = state.as_ref().map(|state| &state.input);
        let mut pack = Pack {
            input: SparingInput::new(self.input.start(scope, input_at)?, &*self.input),
            packing: self.packing.clone(),
            padding: self.padding.clone(),
            spec: self.spec.clone(),
            bins: VecDeque::new(),
            staged: None,
            pulled: VecDeque::new(),
            next_row: 0,
            to_read_again: VecDeque::new(),
            read_until: 0,
            has_ended: false,
            _held: held,
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
        };
        if let Some(state) = &state {
            pack.restore(state)?;
        }
        Ok(Box::new(pack))
    }
}

struct Pack {
    input: SparingInput,
    packing: Packing,
    padding: Vec<Tensor>,
    spec: ElementSpec,
    /// Rows being filled, in the order they were begun.
    bins: VecDeque<Bin>,
    /// Rows of the input that were pulled and not yet looked at.
    staged: Option<Block>,
    /// Blocks of the input that have rows which are held, or not yet looked at.
    pulled: VecDeque<Pulled>,
    /// The number of the next row to be looked at.
    next_row: u64,
    /// Rows to be read again, in order, each with the row being filled it belongs to.
    to_read_again: VecDeque<(u64, usize)>,
    /// Rows before this one have been looked at before the state was saved.
    read_until: u64,
    has_ended: bool,
    /// For as many rows as are ever filled at a time.
    _held: Growing,
    asked: RowsAsked,
    debt: SkipDebt,
}

/// Where a block of the input was.
struct Pulled {
    /// The number of its first row.
    first: u64,
    rows: u64,
    position: Position,
}

/// Rows pulled at a time: a row is made of some of them, and of code before it no more is run than that.
const ROWS_AT_A_TIME: usize = 64;

impl Pack {
    /// Gets ready to read what was held again.
    fn restore(&mut self, state: &PackState) -> Result<(), ExecError> {
        let mut rows = Vec::new();
        for (bin, deltas) in state.bins.iter().enumerate() {
            let mut row = 0_u64;
            for delta in deltas {
                row = row.saturating_add(*delta);
                rows.push((row, bin));
            }
        }
        rows.sort_unstable();
        let is_sound = rows.windows(2).all(|pair| pair[0].0 < pair[1].0)
            && rows.last().is_none_or(|(row, _)| *row < state.next)
            && state.bins.iter().all(|bin| !bin.is_empty())
            && state.bins.len() <= self.packing.num_open;
        if !is_sound {
            return Err(ExecError::state("the saved state of pack has rows that cannot be")
                .with_hint("the state was saved by another release of feedline, or edited"));
        }
        for _ in &state.bins {
            self.open_bin(0);
        }
        (self.to_read_again, self.read_until) = (rows.into(), state.next);
        Ok(())
    }

    fn open_bin(&mut self, id: u64) {
        self.bins.push_back(Bin::new(id, &self.packing, &self.padding));
    }

    /// Reads what was held when the state was saved.
    fn poll_again(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ExecError>> {
        while let Some(&(row, bin)) = self.to_read_again.front() {
            self.skip_to(row);
            let needed = (self.read_until - row).saturating_add(self.needed());
            let block = ready!(self.input.poll_block(cx, 1, needed));
            let block = block.filter(|block| {
                let lengths = self.lengths(block);
                block.num_elements() == 1 && lengths.is_some_and(|lengths| self.bins[bin].fits(&lengths))
            });
            let Some(block) = block else {
                let changed = "pack: a sequence that was read before is another one now, or is gone";
                return Poll::Ready(Err(ExecError::state(changed)
                    .with_hint("the data is not what it was when the state was saved")));
            };
            self.to_read_again.pop_front();
            self.pulled.push_back(Pulled { first: row, rows: 1, position: block.position().clone() });
            if self.bins[bin].rows.is_empty() {
                self.bins[bin].id = block.ids().get(0);
            }
            self.bins[bin].put(row, block.columns(), 0);
            self.next_row = row + 1;
        }
        self.skip_to(self.read_until);
        Poll::Ready(Ok(()))
    }

    fn skip_to(&mut self, row: u64) {
        if row > self.next_row {
            self.input.skip(row - self.next_row);
            self.next_row = row;
        }
    }

    /// Rows of the input that are needed at least: one that fits nowhere ends a row, and may fill another.
    fn needed(&self) -> u64 {
        self.asked.made_of(2)
    }

    /// The lengths of the first element's sequences, cut to that of a row where they may be; `None` if one is too long.
    fn lengths(&self, block: &Block) -> Option<Vec<usize>> {
        let length = |(leaf, column): (usize, &Column)| {
            let (found, most) = (column.shape(0).first().copied().unwrap_or(0), self.packing.length_of(leaf));
            if found <= most { Some(found) } else { self.packing.truncates.then_some(most) }
        };
        (block.num_elements() > 0).then(|| block.columns().iter().enumerate().map(length).collect())?
    }

    /// What is saved if the rows in `bins` are held.
    fn state<'a>(&self, bins: impl Iterator<Item = &'a Bin> + Clone) -> PackState {
        let oldest = bins.clone().filter_map(|bin| bin.rows.first().copied()).min().unwrap_or(self.next_row);
        let behind = self.pulled.partition_point(|block| block.first <= oldest);
        let block = &self.pulled[behind - 1];
        // Places are within blocks: where nothing is held and nothing more has come, rows from the last place that is known are counted.
        let offset = (oldest - block.first).min(block.rows);
        let base = block.first + offset;
        let deltas = |bin: &Bin| {
            let before = std::iter::once(base).chain(bin.rows.iter().copied());
            bin.rows.iter().zip(before).map(|(row, before)| row - before).collect()
        };
        let input = block.position.plus(offset);
        PackState { input, next: self.next_row - base, bins: bins.map(deltas).collect() }
    }

    /// The row of place `index` among those being filled.
    fn emit(&mut self, index: usize) -> Block {
        let before = self.state(self.bins.iter());
        let bin = self.bins.remove(index).expect("it is being filled");
        let after = self.state(self.bins.iter());
        self.forget();
        let position =
            Position::at(Token::new(move |rows| if rows == 0 { before.clone() } else { after.clone() }));
        let ids = Ids::run(bin.id, 1);
        Block::new(bin.into_columns(), ids, position)
    }

    /// An error in the place of the next row of the input, which is used up.
    fn emit_error(&mut self, error: &Block) -> Block {
        let before = self.state(self.bins.iter());
        self.use_row();
        let after = PackState { next: before.next + 1, ..before.clone() };
        let position =
            Position::at(Token::new(move |rows| if rows == 0 { before.clone() } else { after.clone() }));
        error.clone().at(position)
    }

    /// The first row of what is staged has been used.
    fn use_row(&mut self) {
        let block = self.staged.take().expect("it was looked at");
        self.next_row += 1;
        self.staged = (block.rows() > 1).then(|| block.slice(1..block.rows()));
        self.forget();
    }

    /// Forgets where blocks began of which nothing is held any more.
    fn forget(&mut self) {
        let oldest = self.bins.iter().filter_map(|bin| bin.rows.first().copied()).min();
        let oldest = oldest.unwrap_or(self.next_row);
        while self.pulled.get(1).is_some_and(|block| block.first <= oldest) {
            self.pulled.pop_front();
        }
    }

    /// What comes of the rows that are staged; `None` if more have to be pulled.
    fn advance(&mut self) -> Option<Block> {
        loop {
            if let Some(full) = self.bins.iter().position(|bin| bin.room() == 0) {
                return Some(self.emit(full));
            }
            let block = self.staged.as_ref()?;
            if let Row::Error(_) = block.row(0) {
                let error = block.slice(0..1);
                return Some(self.emit_error(&error));
            }
            let Some(lengths) = self.lengths(block) else {
                let error = self.too_long(block).into_row_error();
                let error = block.slice(0..1).fail(&[(0, error)]);
                return Some(self.emit_error(&error));
            };
            if lengths.iter().all(|&length| length == 0) {
                self.use_row();
                continue;
            }
            let mut with_room = (0..self.bins.len()).filter(|&bin| self.bins[bin].fits(&lengths));
            let bin = match self.packing.fit {
                Fit::First => with_room.next(),
                Fit::Best => with_room.min_by_key(|&bin| self.bins[bin].room()),
            };
            let bin = match bin {
                Some(bin) => bin,
                None if self.bins.len() == self.packing.num_open => return Some(self.emit(0)),
                None => {
                    let id = block.ids().get(0);
                    self.open_bin(id);
                    self.bins.len() - 1
                }
            };
            let block = self.staged.as_ref().expect("looked at above");
            self.bins[bin].put(self.next_row, block.columns(), 0);
            self.use_row();
        }
    }

    fn too_long(&self, block: &Block) -> ExecError {
        let columns = block.columns().iter().zip(self.spec.leaf_names()).enumerate();
        let lengths = columns.map(|(leaf, (column, name))| {
            (column.shape(0).first().copied().unwrap_or(0), self.packing.length_of(leaf), name)
        });
        // The one that is too long by most.
        let found = lengths.max_by_key(|(found, most, _)| found.saturating_sub(*most));
        let (found, most, name) = found.unwrap_or_default();
        let of = if name.is_empty() { String::new() } else { format!(" of {name}") };
        ExecError::value(
            format!("pack: a sequence{of} has {found} tokens, a row has {most}"),
            "make rows longer, cut sequences before, or let pack cut them (`truncate`)",
        )
    }
}

impl Operator for Pack {
    fn poll_block(&mut self, cx: &mut Context<'_>, _: usize) -> Poll<Option<Block>> {
        let has_to_read_again = !self.to_read_again.is_empty() || self.next_row < self.read_until;
        if has_to_read_again && let Err(error) = ready!(self.poll_again(cx)) {
            self.to_read_again.clear();
            self.bins.clear();
            (self.read_until, self.has_ended) = (0, true);
            let position = Position::at(Token::lost());
            return Poll::Ready(Some(Block::of_error(
                0,
                error.that_ends_stream().into_row_error(),
                position,
            )));
        }
        loop {
            while let Some(block) = self.advance() {
                self.asked.pass(block.rows());
                if let Some(block) = self.debt.pay(block) {
                    return Poll::Ready(Some(block));
                }
            }
            if !self.has_ended {
                match ready!(self.input.poll_block(cx, ROWS_AT_A_TIME, self.needed())) {
                    Some(block) => {
                        let (first, rows) = (self.next_row, block.rows() as u64);
                        self.pulled.push_back(Pulled { first, rows, position: block.position().clone() });
                        self.staged = Some(block);
                        continue;
                    }
                    None => self.has_ended = true,
                }
            }
            if self.bins.is_empty() {
                return Poll::Ready(None);
            }
            let block = self.emit(0);
            self.asked.pass(block.rows());
            if let Some(block) = self.debt.pay(block) {
                return Poll::Ready(Some(block));
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.asked.set(rows.saturating_add(self.debt.rows()));
    }
}
