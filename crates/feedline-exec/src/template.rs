//! The physical plan: templates from which operators are started, once for each iteration or element.

use std::fmt::Debug;
use std::sync::Arc;

use feedline_data::block::{Column, Position, Tensor, mix};
use feedline_data::on_roomy_stack;
use serde::de::DeserializeOwned;

use crate::budget::{Charge, Growing};
use crate::error::ExecError;
use crate::files::TouchedFiles;
use crate::metrics::{Measured, Probe};
use crate::operator::Operator;
use crate::operators::cache::CachesOfInstance;
use crate::operators::map::MapTemplate;
use crate::origin::{KnownStarts, Locator, Origin, Passing, Sought};
use crate::runtime::Runtime;
use crate::turn::Turn;

/// What an operator is started from. Templates are made once, by [`crate::lower`]; `repeat` starts a new operator from the
/// same template for each epoch, and a dataset inside a dataset one for each element.
pub(crate) trait Template: Debug + Send + Sync {
    /// The operator at the beginning of its stream, or at `at`.
    ///
    /// # Errors
    /// If `at` is no state of this operator, or the operator cannot run with the memory there is.
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError>;

    /// Where the row came from, if it or the steps before it know. Asked when a step behind it failed for the row.
    fn origin(&self, sought: Sought) -> Option<Origin> {
        let (input, passing) = self.passes_on()?;
        input.origin(sought.before(passing))
    }

    /// Where it may fail for an element: what tells where that came from.
    fn locator(&self) -> Option<Locator> {
        None
    }

    /// Where its rows have the ids of its input's: the input, and how they come through.
    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        None
    }

    /// Whether it is certain that none of its rows is an error: then whoever makes one row of several knows how many of them to leave out, and
    /// need not look at them.
    fn never_fails(&self, _: &Scope) -> bool {
        false
    }

    /// Adds what its streams, and those of steps before it, were opened with, where rows are told by that.
    fn add_starts(&self, starts: &mut KnownStarts) {
        if let Some((input, _)) = self.passes_on() {
            input.add_starts(starts);
        }
    }

    /// Whether it, or a step before it, calls code of the user's for its rows: which should not be called for rows that nobody wants.
    fn runs_user_code(&self) -> bool {
        false
    }

    /// It, if it is a map: whose results may then be taken in another order.
    fn as_map(&self) -> Option<&MapTemplate> {
        None
    }

    /// Where all it does is to fetch rows of tensors by their numbers: the template of the numbers, and the tensors. Who comes
    /// behind it may do that himself.
    fn as_gather(&self) -> Option<RowsByNumber> {
        None
    }
}

/// Where row numbers come from, and the tensors whose rows are meant.
pub(crate) type RowsByNumber = (Arc<dyn Template>, Arc<Vec<Column>>);

/// What an operator needs to know about where it runs.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) runtime: Arc<Runtime>,
    /// The iteration its sources number their rows by, and shuffles draw their seeds by.
    pub(crate) iteration: u64,
    /// What a nested plan is started with; `None` in a plan that is not nested.
    pub(crate) outer: Option<Arc<Outer>>,
    /// The number of the step that is being started, among the plan's lines.
    pub(crate) step: usize,
    /// How many streams like this one run at a time: each has a part of the memory.
    pub(crate) num_streams: usize,
    /// Whether this stream is the one that everybody waits for.
    pub(crate) turn: Arc<Turn>,
    /// Where the files are noted that are read: the iterator's, or those of a part of it.
    pub(crate) files: Arc<TouchedFiles>,
}

/// What a nested plan knows of the element it was made of.
#[derive(Debug)]
pub(crate) struct Outer {
    /// The values it captured.
    pub(crate) values: Vec<Tensor>,
    /// The element's id.
    pub(crate) id: u64,
    /// What the values are charged for, with those of other elements that came with it.
    pub(crate) _charge: Arc<Charge>,
    /// What caches in the nested plan keep.
    pub(crate) caches: CachesOfInstance,
}

impl Scope {
    /// The first id of a source's rows in this iteration.
    pub(crate) fn first_id(&self) -> u64 {
        match &self.outer {
            Some(outer) => mix(outer.id, self.iteration),
            // Iteration 0 counts from 0, which is what one wants to read in an error.
            None if self.iteration == 0 => 0,
            None => mix(self.iteration, 0),
        }
    }

    /// Where an operator of the step being started notes what it holds and what is done for it.
    pub(crate) fn probe(&self) -> Probe {
        Probe::new(&self.runtime.metrics, self.step)
    }

    /// That of one of `count` inputs, which are asked in turn.
    pub(crate) fn of_input(&self, count: usize) -> Scope {
        let num_streams = self.num_streams.saturating_mul(count.max(1));
        Scope { num_streams, turn: Turn::of_input(&self.turn), ..self.clone() }
    }

    /// Memory for what grows for as long as rows come.
    pub(crate) fn growing(&self) -> Growing {
        Growing::new(&self.runtime.budget, self.turn.is_one_of_many())
    }

    /// The values a nested plan is started with.
    pub(crate) fn outer_values(&self) -> &[Tensor] {
        self.outer.as_ref().map_or(&[], |outer| &outer.values)
    }
}

/// The state saved in `at`.
pub(crate) fn load_state<T: DeserializeOwned>(at: &Position, operator: &str) -> Result<T, ExecError> {
    at.load().map_err(|reason| {
        ExecError::state(format!("the saved state of {operator} cannot be used: {reason}"))
            .with_hint("the state was saved by another release of feedline, or edited")
    })
}

/// A template whose operators count what they do, as step number `step` of the plan.
#[derive(Debug)]
pub(crate) struct MeasuredTemplate {
    pub(crate) template: Arc<dyn Template>,
    pub(crate) step: usize,
    /// Whether this step, or one before it, does.
    pub(crate) runs_user_code: bool,
}

impl Template for MeasuredTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let metrics = &scope.runtime.metrics;
        let operator =
            on_roomy_stack(|| self.template.start(&Scope { step: self.step, ..scope.clone() }, at))
                .map_err(|error| metrics.named_error(error, self.step))?;
        Ok(Box::new(Measured::new(
            operator,
            Arc::clone(metrics),
            self.step,
            scope.runtime.pool.is_some(),
            self.template.locator(),
        )))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        on_roomy_stack(|| self.template.origin(sought))
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        on_roomy_stack(|| self.template.add_starts(starts));
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.template.never_fails(scope)
    }

    fn runs_user_code(&self) -> bool {
        self.runs_user_code
    }

    fn as_map(&self) -> Option<&MapTemplate> {
        self.template.as_map()
    }

    fn as_gather(&self) -> Option<RowsByNumber> {
        let (template, columns) = self.template.as_gather()?;
        let numbers = MeasuredTemplate { template, step: self.step, runs_user_code: self.runs_user_code };
        Some((Arc::new(numbers), columns))
    }
}
