//! Elements that are errors, left out or replaced.
//!
//! Out come the input's elements in order, errors left out or replaced, until one error more than the limit allows came: that
//! is told, and is the end. Errors behind which rows are missing ([`ends_stream`]) come out as they are, and are none of these. Each error is written to the quarantine file, if there is one and it is not there already from before
//! the state was saved, and told, if the policy says so. Holds nothing but what is being
//! written, about a block of it: no more is asked for until the file has it. Saves the input's position and the number of errors so far.
//! Skipping has to look: errors count.

mod file;
mod quarantine;
mod written;

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Column, ErrorRow, Ids, Position, Row, Token};
use feedline_plan::ErrorPolicy;
use serde::{Deserialize, Serialize};

pub(crate) use self::file::QuarantineFiles;
use self::quarantine::Quarantine;
use crate::error::{ExecError, ExecErrorKind, ends_stream};
use crate::metrics::Probe;
use crate::notices::Notices;
use crate::operator::{Operator, SkipDebt};
use crate::origin::Passing;
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct OnErrorTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) policy: ErrorPolicy,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnErrorState {
    input: Position,
    /// Errors left out or replaced so far.
    errors: u64,
}

impl Template for OnErrorTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state: Option<OnErrorState> = at.map(|at| load_state(at, "on_error")).transpose()?;
        let quarantine = self.policy.quarantine.as_ref();
        Ok(Box::new(OnError {
            input: SparingInput::new(
                self.input.start(scope, state.as_ref().map(|state| &state.input))?,
                &*self.input,
            ),
            replacement: self.policy.replacement_columns(),
            limit: self.policy.limit.unwrap_or(u64::MAX),
            quarantine: quarantine.map(|path| Quarantine::new(path, &scope.runtime)).transpose()?,
            notices: self.policy.tells.then(|| scope.runtime.notices.clone()),
            errors: state.map_or(0, |state| state.errors),
            has_ended: false,
            probe: scope.probe(),
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
            behind: at.map(|at| (at.clone(), 0)),
        }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }
}

struct OnError {
    input: SparingInput,
    /// A column of one row for each leaf; `None`: errors are left out.
    replacement: Option<Vec<Column>>,
    limit: u64,
    quarantine: Option<Quarantine>,
    /// Where errors are told, if they are.
    notices: Option<Notices>,
    errors: u64,
    has_ended: bool,
    probe: Probe,
    asked: RowsAsked,
    debt: SkipDebt,
    /// The place behind the last block, and the block's rows.
    behind: Option<(Position, u64)>,
}

impl OnError {
    /// `block` as the policy says. Positions count the errors that were met on the way.
    fn treat(&mut self, block: &Block) -> Block {
        let before = self.errors;
        let failed: Vec<ErrorRow> =
            block.errors().iter().filter(|error| !ends_stream(&error.error)).cloned().collect();
        let allowed = usize::try_from(self.limit - before.min(self.limit)).unwrap_or(usize::MAX);
        let is_over = failed.len() > allowed;
        let end = if is_over { failed[allowed].row } else { block.rows() };
        if let Some(quarantine) = &self.quarantine {
            let written = failed.len().min(allowed.saturating_add(1));
            quarantine.write(&failed[..written]);
        }
        let handled = failed.len().min(allowed);
        if let Some(notices) = &self.notices {
            let done = if self.replacement.is_some() { "replaced" } else { "left out" };
            for error in &failed[..handled] {
                notices.tell(&format!("feedline: an element is {done}: {}", error.error));
            }
        }
        let handled = handled as u64;
        self.errors += handled;
        self.probe.add_handled_errors(handled);
        // Rows of the input that become rows here.
        let is_kept = |row: &usize| match block.row(*row) {
            Row::Element(_) => true,
            Row::Error(error) => self.replacement.is_some() || ends_stream(&error.error),
        };
        let kept: Vec<usize> = (0..end).filter(is_kept).collect();
        let treated = self.with_replacements(block, &kept);
        let position = self.position(block, before, kept, is_over.then_some(end), &failed);
        if !is_over {
            return treated.at(position);
        }
        self.has_ended = true;
        let last = &failed[allowed];
        let mut errors = treated.errors().to_vec();
        errors.push(ErrorRow { row: treated.rows(), id: last.id, error: self.too_many(last) });
        Block::with_errors(treated.columns().to_vec(), treated.ids().clone(), errors, position)
    }

    /// The rows `kept` of the first rows of `block`, the errors among them replaced.
    fn with_replacements(&self, block: &Block, kept: &[usize]) -> Block {
        let Some(replacement) = &self.replacement else { return block.select(kept.to_vec()) };
        if block.errors().is_empty() {
            return block.slice(0..kept.len());
        }
        let mut ids = Vec::with_capacity(kept.len());
        // Where each row is found: among the elements, or, behind them, the replacement.
        let mut places = Vec::with_capacity(kept.len());
        let mut errors = Vec::new();
        for (new_row, &row) in kept.iter().enumerate() {
            match block.row(row) {
                Row::Element(element) => {
                    ids.push(block.ids().get(element));
                    places.push(element);
                }
                Row::Error(error) if ends_stream(&error.error) => {
                    errors.push(ErrorRow { row: new_row, ..error.clone() });
                }
                Row::Error(error) => {
                    ids.push(error.id);
                    places.push(block.num_elements());
                }
            }
        }
        let column_of = |(leaf, replacement): (usize, &Column)| match block.columns().get(leaf) {
            Some(column) => Column::concat(&[column.clone(), replacement.clone()]).gather(&places),
            // A block of errors alone has no columns.
            None => replacement.gather(&vec![0; places.len()]),
        };
        let columns = replacement.iter().enumerate().map(column_of).collect();
        Block::with_errors(columns, Ids::list(ids), errors, block.position().clone())
    }

    /// The place before a treated block: after so many rows of it, so many of the input's and of its errors are behind.
    fn position(
        &self,
        block: &Block,
        before: u64,
        kept: Vec<usize>,
        end: Option<usize>,
        failed: &[ErrorRow],
    ) -> Position {
        let start = block.position().clone();
        let errors: Vec<usize> = failed.iter().map(|error| error.row).collect();
        let limit = self.limit;
        Position::at(Token::new(move |rows| {
            // Behind the row that was handed out last, or behind the error that was one too many.
            let passed = match (rows as usize).checked_sub(1) {
                None => 0,
                Some(last) => kept.get(last).copied().or(end).map_or(0, |row| row + 1),
            };
            let met = errors.partition_point(|&error| error < passed) as u64;
            OnErrorState {
                input: start.plus(passed as u64),
                errors: (before + met).min(limit.saturating_add(1)),
            }
        }))
    }

    fn too_many(&self, last: &ErrorRow) -> feedline_data::block::RowError {
        let first_line = last.error.to_string();
        let first_line = first_line.lines().next().unwrap_or_default().to_owned();
        let step = last.error.downcast_ref::<ExecError>().and_then(ExecError::step);
        let step = step.map_or_else(String::new, |step| format!(", in {step}"));
        ExecError::new(
            ExecErrorKind::Data,
            format!("on_error: more than {} elements failed; this one with: {first_line}{step}", self.limit),
        )
        .with_hint("look at the data (a quarantine file keeps what failed), or allow more with limit")
        .with_source(Arc::clone(&last.error))
        .that_ends_stream()
        .into_row_error()
    }
}

impl Operator for OnError {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if let Some(quarantine) = &self.quarantine
                && let Some(error) = quarantine.take_failure()
            {
                self.has_ended = true;
                return Poll::Ready(Some(self.failed_to_write(error)));
            }
            // One error too many was met before the state was saved.
            if self.has_ended || self.errors > self.limit {
                return self.poll_end(cx);
            }
            if let Some(quarantine) = &self.quarantine {
                ready!(quarantine.poll_room(cx));
            }
            let Some(block) = ready!(self.input.poll_block(cx, limit, self.asked.rows())) else {
                self.has_ended = true;
                continue;
            };
            let block = if block.errors().is_empty() {
                let (start, errors) = (block.position().clone(), self.errors);
                let state = move |rows| OnErrorState { input: start.plus(rows), errors };
                block.at(Position::at(Token::new(state)))
            } else {
                self.treat(&block)
            };
            self.behind = Some((block.position().clone(), block.rows() as u64));
            self.asked.pass(block.rows());
            if block.rows() > 0
                && let Some(block) = self.debt.pay(block)
            {
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

impl OnError {
    /// What was to be kept could not be. It stands behind what was handed out, so that a state saved there goes on there.
    fn failed_to_write(&self, error: ExecError) -> Block {
        let behind = self.behind.clone();
        let position = match behind {
            Some((position, rows)) => Position::at(Token::of_input(move |_| position.plus(rows))),
            // The beginning.
            None => Position::at(Token::new(|_| ())),
        };
        Block::of_error(0, error.that_ends_stream().into_row_error(), position)
    }

    /// The end, when all that is to be written is.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Option<Block>> {
        match &self.quarantine {
            Some(quarantine) => {
                ready!(quarantine.poll_written(cx));
                match quarantine.take_failure() {
                    Some(error) => Poll::Ready(Some(self.failed_to_write(error))),
                    None => Poll::Ready(None),
                }
            }
            None => Poll::Ready(None),
        }
    }
}
