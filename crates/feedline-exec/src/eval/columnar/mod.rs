//! A traced function made ready: kernels in the order of computation, and where each finds what it computes with.

mod build;
mod growth;
mod steps;

use std::borrow::Cow;
use std::sync::Arc;

use feedline_data::block::{Block, Column, Ids, Landing, RowError, Tensor};
use feedline_data::{ElementSpec, Structure};
use feedline_plan::expr::{Cost, Expr};

use super::chain::make_chains;
use super::image::pixels::Around;
use super::image::stages::join_decoding;
use super::scratch::Scratch;
use super::{Allowance, Arguments, Failures, Part, Value};
use crate::error::ExecError;
use build::Builder;
use growth::{Admission, Growth, failed_outputs};
pub(super) use growth::{is_too_large, least_asked_bytes};
pub(super) use steps::{Place, Step, StepKind};
use steps::{ends, find_last_uses, weigh};

/// Kernels, in the order of computation.
#[derive(Debug)]
pub(crate) struct Columnar {
    steps: Arc<Vec<Step>>,
    constants: Vec<Value>,
    /// Which constants are values the plan is started with: the place among the constants, and the value's number.
    outer: Vec<(usize, usize)>,
    /// Where each leaf of the result is.
    outputs: Vec<Place>,
    /// Of each step that is a chain, or makes pixels, whose results are a leaf of the result, and nothing else: the leaf.
    ends: Vec<Option<usize>>,
    /// Whether a row can fail.
    can_fail: bool,
    /// Whether a few rows may become any number of bytes.
    makes_any_size: bool,
    /// What the incoming columns are called in an element.
    names: Arc<[String]>,
    /// The lists that [`Values`] are, for the next block.
    kept: Scratch,
}

/// What there is while a block is computed.
#[derive(Default)]
struct Values {
    /// The incoming columns.
    inputs: Vec<Option<Value>>,
    /// What each step computed.
    computed: Vec<Vec<Value>>,
}

impl Values {
    /// Begins with the columns of `block`, for so many steps.
    fn begin(&mut self, block: &Block, num_steps: usize) {
        self.inputs.extend(block.columns().iter().cloned().map(|column| Some(Value::Rows(column))));
        self.computed.resize(num_steps, Vec::new());
    }

    /// Lets go of all there is.
    fn clear(&mut self) {
        self.inputs.clear();
        self.computed.clear();
    }

    /// Lets go of what `step` is the last to use: the next result then gets memory that is still in the cache, and the
    /// allocator does not see a heap of results end with every block, which it would give back to the system page by page.
    fn let_go_behind(&mut self, step: &Step) {
        step.last_used_inputs.iter().for_each(|&leaf| self.inputs[leaf] = None);
        step.last_used_steps.iter().for_each(|&used| self.computed[used] = Vec::new());
    }
}

/// What a step gets.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    program: &'a Columnar,
    places: &'a [Place],
    values: &'a Values,
}

impl<'a> Inputs<'a> {
    pub(super) fn get(&self, index: usize) -> &'a Value {
        self.program.find(self.places[index], self.values)
    }
}

impl Columnar {
    /// Of elements of spec `input`.
    pub(super) fn new(result: &Structure<Expr>, input: &ElementSpec) -> Result<Columnar, ExecError> {
        Ok(Columnar { names: input.leaf_paths().into(), ..Columnar::of_results(result.leaves())? })
    }

    fn of_results<'a>(results: impl IntoIterator<Item = &'a Expr>) -> Result<Columnar, ExecError> {
        let mut builder = Builder::default();
        let results = results.into_iter();
        let mut outputs = results.map(|expr| builder.place_of(expr)).collect::<Result<Vec<_>, _>>()?;
        let Builder { steps, constants, outer, .. } = builder;
        let is_fixed = |constant: usize| outer.iter().all(|&(bound, _)| bound != constant);
        let steps = join_decoding(steps, &mut outputs, &constants, is_fixed);
        let mut steps = make_chains(steps, &mut outputs, &constants, is_fixed);
        find_last_uses(&mut steps, &outputs);
        let can_fail =
            |step: &Step| step.call().operation.can_fail || matches!(step.kind, StepKind::Pixels(_));
        let can_fail = steps.iter().any(can_fail);
        let ends = ends(&steps, &outputs);
        steps.iter_mut().for_each(|step| step.growth = Growth::of(step));
        let makes_any_size = |step: &Step| {
            step.call().makes_any_size() || matches!(step.kind, StepKind::Pixels(_)) || step.growth.may_ask()
        };
        let makes_any_size = steps.iter().any(makes_any_size);
        weigh(&mut steps);
        let names = Arc::default();
        Ok(Columnar {
            steps: Arc::new(steps),
            constants,
            outer,
            outputs,
            ends,
            can_fail,
            makes_any_size,
            names,
            kept: Scratch::default(),
        })
    }

    /// Whether something it computes, also in a function inside it, waits for storage.
    pub(super) fn waits(&self) -> bool {
        self.steps
            .iter()
            .any(|step| step.call().operation.cost == Cost::Io || step.bodies.iter().any(Columnar::waits))
    }

    #[cfg(test)]
    pub(super) fn num_steps(&self) -> usize {
        self.steps.len()
    }

    #[cfg(test)]
    pub(super) fn num_chains(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.kind, StepKind::Chain(_))).count()
    }

    /// Whether images are decoded and computed with on the way to a result.
    pub(super) fn makes_pixels(&self) -> bool {
        let is_end =
            |(step, end): (&Step, &Option<usize>)| end.is_some() && matches!(step.kind, StepKind::Pixels(_));
        self.steps.iter().zip(&self.ends).any(is_end)
    }

    /// Whether something it computes makes any number of bytes of a few.
    pub(super) fn makes_any_size(&self) -> bool {
        self.makes_any_size
    }

    /// Whether a row can fail.
    pub(super) fn can_fail(&self) -> bool {
        self.can_fail
    }

    /// Whether it needs values to be [started with](Columnar::bind).
    pub(super) fn is_open(&self) -> bool {
        !self.outer.is_empty()
    }

    /// The same steps, with these values where the plan refers to what it is started with.
    pub(super) fn bind(&self, values: &[Tensor]) -> Columnar {
        let mut constants = self.constants.clone();
        for &(constant, value) in &self.outer {
            constants[constant] = Value::Constant(values[value].clone());
        }
        Columnar {
            steps: Arc::clone(&self.steps),
            constants,
            outer: Vec::new(),
            outputs: self.outputs.clone(),
            ends: self.ends.clone(),
            can_fail: self.can_fail,
            makes_any_size: self.makes_any_size,
            names: Arc::clone(&self.names),
            kept: Scratch::default(),
        }
    }

    /// What the function makes of the first rows, as many as their results may take memory.
    pub(super) fn run_within(&self, block: Block, allowance: &mut Allowance) -> Part {
        if !self.makes_any_size {
            // Nothing asks, and nothing of the block is kept longer than it is used.
            return Part::whole(self.run(block, allowance).expect("nothing was refused"));
        }
        if !allowance.is_open(0) {
            return Part { done: None, rest: Some(block) };
        }
        let mut end = block.rows();
        loop {
            let head = block.slice(0..end);
            let done = if head.num_elements() == 0 {
                // Errors before the first element, if that.
                Ok(head.with_columns(Vec::new()))
            } else {
                self.run(head, allowance)
            };
            match done {
                Ok(done) => {
                    let rest = (end < block.rows()).then(|| block.slice(end..block.rows()));
                    return Part { done: (end > 0).then_some(done), rest };
                }
                // Computed again, without the one that was too many and those behind it: rare, and no kernel has to know how to go on.
                Err(element) => end = block.row_of_element(element),
            }
        }
    }

    /// What the function makes of each row.
    ///
    /// # Errors
    /// The element of which the result was one too many.
    fn run(&self, block: Block, allowance: &mut Allowance) -> Result<Block, usize> {
        let rows = block.num_elements();
        let mut failures = Failures::new();
        // What failed is told with the element it failed for; where nothing can fail, nothing is kept longer than it is used.
        let elements = if self.can_fail { block.columns().to_vec() } else { Vec::new() };
        let mut values = self.kept.take(Values::default);
        values.begin(&block, self.steps.len());
        let block = block.with_columns(Vec::new());
        for step in 0..self.steps.len() {
            self.run_step(step, &mut values, rows, block.ids(), &mut failures, allowance)?;
        }
        let columns = self.outputs.iter().map(|place| self.find(*place, &values).to_rows(rows)).collect();
        values.clear();
        self.kept.put(values);
        let failed: Vec<(usize, RowError)> = failures
            .into_iter()
            .map(|(row, error)| (row, self.with_element(error, &elements, row)))
            .collect();
        Ok(block.with_columns(columns).fail(&failed))
    }

    /// What a function that is part of another gives for rows of these values, of which there is one at least. Rows that fail get their
    /// errors, and anything in their place.
    pub(super) fn run_values(
        &self,
        inputs: Vec<Value>,
        rows: usize,
        ids: &Ids,
        failures: &mut Failures,
        limit_bytes: Option<u64>,
    ) -> Vec<Value> {
        let mut values = Values {
            inputs: inputs.into_iter().map(Some).collect(),
            computed: vec![Vec::new(); self.steps.len()],
        };
        // What is made in a function is asked for where its results are (`control`), which goes one by one where that is much.
        let mut allowance = Allowance::uncharged(limit_bytes);
        for step in 0..self.steps.len() {
            let done = self.run_step(step, &mut values, rows, ids, failures, &mut allowance);
            debug_assert!(done.is_ok(), "nothing is refused");
        }
        self.outputs.iter().map(|place| self.find(*place, &values).clone()).collect()
    }

    /// Puts the results of `block`, which has no errors, behind what is in `landings`, one for each leaf; whether they fit, and no
    /// row fails. Chains and pixels that end in a result go straight there.
    pub(super) fn run_into(
        &self,
        block: Cow<'_, Block>,
        landings: &mut [Option<Landing>],
        allowance: &mut Allowance,
    ) -> bool {
        debug_assert!(block.errors().is_empty(), "every row has a result");
        let (rows, ids) = (block.num_elements(), block.ids().clone());
        let mut values = self.kept.take(Values::default);
        values.begin(&block, self.steps.len());
        // Nothing is kept longer than it is used, if it is ours.
        drop(block);
        let mut failures = Failures::new();
        for (index, step) in self.steps.iter().enumerate() {
            let Some(leaf) = self.ends[index] else {
                if self.run_step(index, &mut values, rows, &ids, &mut failures, allowance).is_err() {
                    return false;
                }
                continue;
            };
            let Some(landing) = &mut landings[leaf] else { return false };
            let input = self.find(step.inputs[0], &values);
            let fits = match &step.kind {
                StepKind::Chain(chain) => chain.append_to(landing, input, rows),
                StepKind::Pixels(pixels) => {
                    let mut around = Around {
                        ids: &ids,
                        scratch: &step.scratch,
                        failures: &mut failures,
                        limit_bytes: allowance.limit_bytes(),
                    };
                    pixels.append_to(landing, self.inputs_of(step, &values), rows, &mut around)
                }
                StepKind::Kernel(_) => unreachable!("kernels are no ends"),
            };
            if !fits {
                return false;
            }
            values.let_go_behind(step);
        }
        let is_left =
            |place: &Place| !matches!(place, Place::Step { step, .. } if self.ends[*step].is_some());
        let fits = failures.is_empty()
            && self.outputs.iter().zip(landings).filter(|(place, _)| is_left(place)).all(
                |(place, landing)| {
                    let column = self.find(*place, &values).to_rows(rows);
                    landing.as_mut().is_some_and(|landing| landing.append(&column))
                },
            );
        values.clear();
        self.kept.put(values);
        fits
    }

    /// Runs step `index` and lets go of what it is the last to use.
    ///
    /// # Errors
    /// The element of which the result was one too many.
    fn run_step(
        &self,
        index: usize,
        values: &mut Values,
        rows: usize,
        ids: &Ids,
        failures: &mut Failures,
        allowance: &mut Allowance,
    ) -> Result<(), usize> {
        let num_failed = failures.len();
        let run = self.run_unnamed_step(index, values, rows, ids, failures, allowance);
        if failures.len() > num_failed {
            // Most say it themselves; not those of memory, nor those of functions inside the call.
            let step = self.steps[index].call().step;
            for error in failures.values_mut() {
                let known = error.downcast_ref::<ExecError>();
                if let Some(known) = known.filter(|known| step != 0 && known.unnamed_step() == Some(0)) {
                    *error = known.clone().of_step(step).into_row_error();
                }
            }
        }
        run
    }

    /// As [`Columnar::run_step`]; errors may not say yet which step of the plan they are of.
    fn run_unnamed_step(
        &self,
        index: usize,
        values: &mut Values,
        rows: usize,
        ids: &Ids,
        failures: &mut Failures,
        allowance: &mut Allowance,
    ) -> Result<(), usize> {
        let step = &self.steps[index];
        // Only what says so: a run that nobody may stop (`makes_any_size`) must not be refused.
        if step.growth.may_ask() {
            let inputs: Vec<&Value> = step.inputs.iter().map(|place| self.find(*place, values)).collect();
            let admission = step.growth.ask(step.call(), &inputs, rows, step.weight, failures, allowance);
            if let Some(element) = allowance.take_refused() {
                return Err(element);
            }
            if admission == Admission::Failed {
                values.computed[index] = failed_outputs(&step.node.outputs, rows);
                values.let_go_behind(step);
                return Ok(());
            }
        }
        let outputs = match &step.kind {
            StepKind::Chain(chain) => vec![chain.run(self.find(step.inputs[0], values), rows)],
            StepKind::Pixels(pixels) => {
                let limit_bytes = allowance.limit_bytes();
                let mut around = Around { ids, scratch: &step.scratch, failures, limit_bytes };
                vec![pixels.run(self.inputs_of(step, values), rows, &mut around, allowance)]
            }
            StepKind::Kernel(kernel) => kernel(&mut Arguments {
                call: step.call(),
                inputs: step.inputs.iter().map(|place| self.find(*place, values)).collect(),
                rows,
                ids,
                scratch: &step.scratch,
                bodies: &step.bodies,
                failures,
                allowance,
                weight: step.weight,
            }),
        };
        if let Some(element) = allowance.take_refused() {
            return Err(element);
        }
        debug_assert_eq!(outputs.len(), step.node.outputs.len(), "{:?}", step.node.kind);
        values.computed[index] = outputs;
        values.let_go_behind(step);
        Ok(())
    }

    fn inputs_of<'a>(&'a self, step: &'a Step, values: &'a Values) -> Inputs<'a> {
        Inputs { program: self, places: &step.inputs, values }
    }

    fn find<'a>(&'a self, place: Place, values: &'a Values) -> &'a Value {
        match place {
            Place::Input(leaf) => values.inputs[leaf].as_ref().expect("kept until its last use"),
            Place::Step { step, output } => &values.computed[step][output],
            Place::Constant(index) => &self.constants[index],
        }
    }

    /// An error of row `row`, told with the element there.
    fn with_element(&self, error: RowError, columns: &[Column], row: usize) -> RowError {
        match error.downcast_ref::<ExecError>() {
            Some(known) => {
                let element = columns.iter().map(|column| Tensor::of_row(column, row)).collect();
                known.clone().with_element(element, &self.names).into_row_error()
            }
            None => error,
        }
    }
}
