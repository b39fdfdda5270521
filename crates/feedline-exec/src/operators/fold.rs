//! A state handed from element to element: `scan`, and `reduce`, of which only the last state comes out.
//!
//! `scan`: out comes a row for a row. An error passes, and what the function fails for is one; the next element gets the state there was
//! before. Order is kept, nothing is done ahead: each state follows from the one before it. Holds the state behind each row of the block it
//! hands out, charged to the budget, and ends the block where they come to the size of one. Saves the state, and where the input is. Skipping computes: the states
//! are needed.
//!
//! `reduce`: out comes one row, the last state; or the first error, which ends it. Holds one state. Saves whether it has come.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::Structure;
use feedline_data::block::{Block, Column, ErrorRow, Ids, Position, Row, RowError, Tensor, Token};
use feedline_plan::{Fold, Function, TensorText};
use serde::{Deserialize, Serialize};

use super::of_outer::Argument;
use crate::budget::Budget;
use crate::error::ExecError;
use crate::eval::Program;
use crate::operator::{Operator, SkipDebt, cut};
use crate::origin::{Locator, Passing};
use crate::template::{Scope, Template, load_state};

/// A function of a state and an element, made ready.
#[derive(Debug)]
pub(crate) struct Folding {
    initial: Vec<Argument>,
    /// Gives the leaves of the next state, then those of what comes out.
    program: Arc<Program>,
}

impl Folding {
    pub(crate) fn new(fold: &Fold, element: &feedline_data::ElementSpec) -> Result<Folding, ExecError> {
        let initial = fold.initial.leaves().into_iter().map(Argument::new).collect::<Result<_, _>>()?;
        let spec = Structure::Tuple(vec![fold.state.clone(), element.clone()]);
        let program = Program::new(&Function::Traced(fold.result.clone()), &spec)?;
        Ok(Folding { initial, program: Arc::new(program) })
    }

    fn start(&self, scope: &Scope) -> Running {
        let state = self.initial.iter().map(|tensor| tensor.value(scope).clone()).collect();
        let budget = Arc::clone(&scope.runtime.budget);
        Running { program: self.program.bind(scope), state: Arc::new(state), budget }
    }
}

/// Tensors of a state, leaf after leaf.
type State = Arc<Vec<Tensor>>;

struct Running {
    program: Arc<Program>,
    state: State,
    budget: Arc<Budget>,
}

impl Running {
    /// Goes on to the next state with an element of `block`; what comes out beside it.
    fn step(&mut self, block: &Block, element: usize) -> Result<Vec<Column>, RowError> {
        let state = self.state.iter().map(|tensor| tensor.as_column().clone());
        let own = block.columns().iter().map(|column| column.slice(element..element + 1));
        let id = block.ids().get(element);
        let row = Block::new(state.chain(own).collect(), Ids::run(id, 1), block.position().clone());
        let (result, _, _charge) = self.program.run_needed(row, &self.budget);
        if let Some(error) = result.errors().first() {
            return Err(Arc::clone(&error.error));
        }
        let mut columns = result.columns().to_vec();
        let outputs = columns.split_off(self.state.len());
        // Its own memory: a state that is a view of the element would keep the block it came in.
        let state = columns.iter().map(|column| Tensor::of_row(&column.to_owned_rows(), 0));
        self.state = Arc::new(state.collect());
        Ok(outputs)
    }

    fn state_bytes(&self) -> usize {
        self.state.iter().map(|tensor| tensor.as_column().byte_size()).sum()
    }
}

#[derive(Debug)]
pub(crate) struct ScanTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) folding: Folding,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScanState {
    state: Vec<TensorText>,
    input: Position,
}

impl Template for ScanTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let mut running = self.folding.start(scope);
        let input = match at {
            None => self.input.start(scope, None)?,
            Some(at) => {
                let saved: ScanState = load_state(at, "scan")?;
                let fits = |(own, saved): (&Tensor, &TensorText)| own.dtype() == saved.0.dtype();
                if saved.state.len() != running.state.len()
                    || !running.state.iter().zip(&saved.state).all(fits)
                {
                    return Err(ExecError::state("scan: the saved state is of other types"));
                }
                running.state = Arc::new(saved.state.into_iter().map(|tensor| tensor.0).collect());
                self.input.start(scope, Some(&saved.input))?
            }
        };
        let block_bytes = scope.runtime.block_bytes;
        Ok(Box::new(Scan { input, running, block_bytes, left: None, debt: SkipDebt::default() }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Each))
    }

    fn locator(&self) -> Option<Locator> {
        Some(Locator::new(&self.input, None))
    }
}

struct Scan {
    input: Box<dyn Operator>,
    running: Running,
    block_bytes: usize,
    /// Rows of the input that were not begun, because the states of those before them were large.
    left: Option<Block>,
    debt: SkipDebt,
}

impl Scan {
    /// The first rows of `block`: as many as their states are a block; the others are left.
    fn scan(&mut self, block: &Block) -> Block {
        let mut states_bytes = 0;
        let mut states: Vec<State> = vec![Arc::clone(&self.running.state)];
        let mut outputs: Vec<Vec<Column>> = Vec::new();
        let (mut ids, mut errors) = (Vec::new(), Vec::new());
        for row in 0..block.rows() {
            match block.row(row) {
                Row::Error(error) => errors.push(error.clone()),
                Row::Element(element) => {
                    let id = block.ids().get(element);
                    match self.running.step(block, element) {
                        Err(error) => errors.push(ErrorRow { row, id, error }),
                        Ok(columns) => {
                            ids.push(id);
                            outputs.push(columns);
                        }
                    }
                }
            }
            // One that is the same as before is there once.
            if states.last().is_none_or(|last| !Arc::ptr_eq(last, &self.running.state)) {
                states_bytes += self.running.state_bytes();
            }
            states.push(Arc::clone(&self.running.state));
            if states_bytes >= self.block_bytes && row + 1 < block.rows() {
                self.left = Some(block.slice(row + 1..block.rows()));
                break;
            }
        }
        let charge = self.running.budget.charge(states_bytes as u64);
        let num_columns = outputs.first().map_or(0, Vec::len);
        let columns = (0..num_columns).map(|leaf| {
            let rows: Vec<Column> = outputs.iter().map(|row| row[leaf].clone()).collect();
            Column::concat(&rows)
        });
        let start = block.position().clone();
        let state = move |rows: u64| {
            // Given back when nobody can ask for a state any more.
            let _held = &charge;
            let state = states[rows as usize].iter().cloned().map(TensorText).collect();
            ScanState { state, input: start.plus(rows) }
        };
        Block::with_errors(columns.collect(), Ids::list(ids), errors, Position::at(Token::new(state)))
    }
}

impl Operator for Scan {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if self.left.is_none() {
                // No more than will do where states stay as large as they are.
                let rows = (self.block_bytes / self.running.state_bytes().max(1)).max(1);
                self.left = ready!(self.input.poll_block(cx, limit.min(rows)));
            }
            let Some(block) = self.left.take() else { return Poll::Ready(None) };
            let block = cut(block, limit, &mut self.left);
            let block = self.scan(&block);
            if let Some(block) = self.debt.pay(block) {
                return Poll::Ready(Some(block));
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        let here = self.left.as_ref().map_or(0, Block::rows) as u64;
        self.input.bound(rows.saturating_add(self.debt.rows()).saturating_sub(here));
    }
}

#[derive(Debug)]
pub(crate) struct ReduceTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) folding: Folding,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReduceState {
    has_come: bool,
}

impl Template for ReduceTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let has_come = match at {
            None => false,
            Some(at) => load_state::<ReduceState>(at, "reduce")?.has_come,
        };
        let input = if has_come { None } else { Some(self.input.start(scope, None)?) };
        Ok(Box::new(Reduce { input, running: self.folding.start(scope), id: scope.first_id() }))
    }
}

struct Reduce {
    /// `None` when the result has come.
    input: Option<Box<dyn Operator>>,
    running: Running,
    /// Of the one row there is.
    id: u64,
}

/// Rows asked for at a time.
const ROWS_AT_A_TIME: usize = 1024;

impl Reduce {
    fn position() -> Position {
        Position::at(Token::new(|rows| ReduceState { has_come: rows > 0 }))
    }

    /// The first error, if there is one.
    fn take(&mut self, block: &Block) -> Result<(), RowError> {
        (0..block.rows()).try_for_each(|row| match block.row(row) {
            Row::Error(error) => Err(Arc::clone(&error.error)),
            Row::Element(element) => self.running.step(block, element).map(drop),
        })
    }
}

impl Operator for Reduce {
    fn poll_block(&mut self, cx: &mut Context<'_>, _: usize) -> Poll<Option<Block>> {
        while let Some(input) = &mut self.input {
            let Some(block) = ready!(input.poll_block(cx, ROWS_AT_A_TIME)) else {
                self.input = None;
                let columns = self.running.state.iter().map(|tensor| tensor.as_column().clone());
                let ids = Ids::run(self.id, 1);
                return Poll::Ready(Some(Block::new(columns.collect(), ids, Reduce::position())));
            };
            if let Err(error) = self.take(&block) {
                self.input = None;
                return Poll::Ready(Some(Block::of_error(self.id, error, Reduce::position())));
            }
        }
        Poll::Ready(None)
    }

    fn skip(&mut self, rows: u64) {
        if rows > 0 {
            self.input = None;
        }
    }
}
