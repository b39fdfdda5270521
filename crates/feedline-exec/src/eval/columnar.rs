//! A traced function made ready: kernels in the order of computation, and where each finds what it computes with.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use feedline_data::Structure;
use feedline_data::block::{Block, Column, Landing, RowError, Tensor};
use feedline_plan::expr::{Call, Expr, ExprKind, ExprNode};

use super::chain::{Chain, make_chains};
use super::image::pixels::{Around, Pixels};
use super::image::stages::join_decoding;
use super::scratch::Scratch;
use super::{Arguments, Failures, Kernel, Value, kernel_of};
use crate::error::ExecError;

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
}

/// What there is while a block is computed.
struct Values {
    /// The incoming columns.
    inputs: Vec<Option<Value>>,
    /// What each step computed.
    computed: Vec<Vec<Value>>,
}

impl Values {
    fn of(block: &Block, num_steps: usize) -> Values {
        let inputs = block.columns().iter().cloned().map(|column| Some(Value::Rows(column))).collect();
        Values { inputs, computed: vec![Vec::new(); num_steps] }
    }

    /// Lets go of what `step` is the last to use: the next result then gets memory that is still in the cache, and the
    /// allocator does not see a heap of results end with every block, which it would give back to the system page by page.
    fn let_go_behind(&mut self, step: &Step) {
        step.last_used_inputs.iter().for_each(|&leaf| self.inputs[leaf] = None);
        step.last_used_steps.iter().for_each(|&used| self.computed[used] = Vec::new());
    }
}

/// The steps of a program being made.
#[derive(Default)]
struct Builder {
    steps: Vec<Step>,
    constants: Vec<Value>,
    outer: Vec<(usize, usize)>,
    /// The step of each node, so that one used twice runs once.
    done: HashMap<*const ExprNode, usize>,
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) node: Arc<ExprNode>,
    pub(super) kind: StepKind,
    pub(super) inputs: Vec<Place>,
    /// Whether a function that was put into another ended here, so that all of the result was asked for.
    pub(super) is_result: bool,
    scratch: Scratch,
    /// Incoming columns that this step is the last to use.
    last_used_inputs: Vec<usize>,
    /// Steps whose results it is the last to use.
    last_used_steps: Vec<usize>,
}

/// How a step computes.
#[derive(Debug)]
pub(super) enum StepKind {
    Kernel(Kernel),
    /// Several steps in one.
    Chain(Chain),
    /// Decoding and what is computed along with it.
    Pixels(Pixels),
}

/// Where a value is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A column of the incoming block.
    Input(usize),
    /// What an earlier step computed.
    Step { step: usize, output: usize },
    /// A constant.
    Constant(usize),
}

impl Step {
    /// What it computes; of a chain the last.
    pub(super) fn call(&self) -> &Call {
        let ExprKind::Call(call) = &self.node.kind else { unreachable!("steps are calls") };
        call
    }
}

impl Columnar {
    pub(super) fn new(result: &Structure<Expr>) -> Result<Columnar, ExecError> {
        let mut builder = Builder::default();
        let leaves = result.leaves().into_iter();
        let mut outputs = leaves.map(|expr| builder.place_of(expr)).collect::<Result<Vec<_>, _>>()?;
        let Builder { steps, constants, outer, .. } = builder;
        let is_fixed = |constant: usize| outer.iter().all(|&(bound, _)| bound != constant);
        let steps = join_decoding(steps, &mut outputs, &constants, is_fixed);
        let mut steps = make_chains(steps, &mut outputs, &constants, is_fixed);
        find_last_uses(&mut steps, &outputs);
        let can_fail =
            |step: &Step| step.call().operation.can_fail || matches!(step.kind, StepKind::Pixels(_));
        let can_fail = steps.iter().any(can_fail);
        let ends = ends(&steps, &outputs);
        Ok(Columnar { steps: Arc::new(steps), constants, outer, outputs, ends, can_fail })
    }

    /// What its steps compute.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.steps.iter().map(Step::call)
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
        }
    }

    pub(super) fn run(&self, block: Block) -> Block {
        let rows = block.num_elements();
        let mut failures = Failures::new();
        // What failed is told with the element it failed for; where nothing can fail, nothing is kept longer than it is used.
        let elements = if self.can_fail { block.columns().to_vec() } else { Vec::new() };
        let mut values = Values::of(&block, self.steps.len());
        let block = block.with_columns(Vec::new());
        for step in 0..self.steps.len() {
            self.run_step(step, &mut values, &block, &mut failures);
        }
        let columns = self.outputs.iter().map(|place| self.find(*place, &values).to_rows(rows)).collect();
        let failed: Vec<(usize, RowError)> =
            failures.into_iter().map(|(row, error)| (row, with_element(error, &elements, row))).collect();
        block.with_columns(columns).fail(&failed)
    }

    /// Puts the results of `block`, which has no errors, behind what is in `landings`, one for each leaf; whether they fit, and no
    /// row fails. Chains and pixels that end in a result go straight there.
    pub(super) fn run_into(&self, block: Block, landings: &mut [Option<Landing>]) -> bool {
        debug_assert!(block.errors().is_empty(), "every row has a result");
        let rows = block.num_elements();
        let mut values = Values::of(&block, self.steps.len());
        let block = block.with_columns(Vec::new());
        let mut failures = Failures::new();
        for (index, step) in self.steps.iter().enumerate() {
            let Some(leaf) = self.ends[index] else {
                self.run_step(index, &mut values, &block, &mut failures);
                continue;
            };
            let Some(landing) = &mut landings[leaf] else { return false };
            let input = self.find(step.inputs[0], &values);
            let fits = match &step.kind {
                StepKind::Chain(chain) => chain.append_to(landing, input, rows),
                StepKind::Pixels(pixels) => {
                    let mut around =
                        Around { ids: block.ids(), scratch: &step.scratch, failures: &mut failures };
                    pixels.append_to(landing, input, rows, &mut around)
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
        failures.is_empty()
            && self.outputs.iter().zip(landings).filter(|(place, _)| is_left(place)).all(
                |(place, landing)| {
                    let column = self.find(*place, &values).to_rows(rows);
                    landing.as_mut().is_some_and(|landing| landing.append(&column))
                },
            )
    }

    /// Runs step `index` and lets go of what it is the last to use.
    fn run_step(&self, index: usize, values: &mut Values, block: &Block, failures: &mut Failures) {
        let step = &self.steps[index];
        let rows = block.num_elements();
        let outputs = match &step.kind {
            StepKind::Chain(chain) => vec![chain.run(self.find(step.inputs[0], values), rows)],
            StepKind::Pixels(pixels) => {
                let mut around = Around { ids: block.ids(), scratch: &step.scratch, failures };
                vec![pixels.run(self.find(step.inputs[0], values), rows, &mut around)]
            }
            StepKind::Kernel(kernel) => kernel(&mut Arguments {
                call: step.call(),
                inputs: step.inputs.iter().map(|place| self.find(*place, values)).collect(),
                rows,
                ids: block.ids(),
                scratch: &step.scratch,
                failures,
            }),
        };
        debug_assert_eq!(outputs.len(), step.node.outputs.len(), "{:?}", step.node.kind);
        values.computed[index] = outputs;
        values.let_go_behind(step);
    }

    fn find<'a>(&'a self, place: Place, values: &'a Values) -> &'a Value {
        match place {
            Place::Input(leaf) => values.inputs[leaf].as_ref().expect("kept until its last use"),
            Place::Step { step, output } => &values.computed[step][output],
            Place::Constant(index) => &self.constants[index],
        }
    }
}

/// Of each step that is a chain, or makes pixels, whose results are a leaf of the result, and nothing else: the leaf.
fn ends(steps: &[Step], outputs: &[Place]) -> Vec<Option<usize>> {
    let is_of = |place: &Place, index: usize| matches!(place, Place::Step { step, .. } if *step == index);
    let end = |(index, step): (usize, &Step)| {
        let mut leaves = (0..outputs.len()).filter(|&leaf| is_of(&outputs[leaf], index));
        let leaf = leaves.next().filter(|_| !matches!(step.kind, StepKind::Kernel(_)))?;
        let is_used = steps.iter().flat_map(|step| &step.inputs).any(|place| is_of(place, index));
        (leaves.next().is_none() && !is_used).then_some(leaf)
    };
    steps.iter().enumerate().map(end).collect()
}

/// An error of row `row`, told with the element there.
fn with_element(error: RowError, columns: &[Column], row: usize) -> RowError {
    match error.downcast_ref::<ExecError>() {
        Some(known) => {
            let element = columns.iter().map(|column| Tensor::of_row(column, row)).collect();
            known.clone().with_element(element).into_row_error()
        }
        None => error,
    }
}

/// Notes at each step what nothing uses from there on.
fn find_last_uses(steps: &mut [Step], outputs: &[Place]) {
    let mut input_uses = BTreeMap::new();
    let mut step_uses: Vec<usize> = (0..steps.len()).collect();
    let mut note = |place: Place, user: usize| match place {
        Place::Input(leaf) => {
            input_uses.insert(leaf, user);
        }
        Place::Step { step, .. } => step_uses[step] = user,
        Place::Constant(_) => {}
    };
    for (user, step) in steps.iter().enumerate() {
        step.inputs.iter().for_each(|place| note(*place, user));
    }
    outputs.iter().for_each(|place| note(*place, usize::MAX));
    for (leaf, user) in input_uses {
        if let Some(user) = steps.get_mut(user) {
            user.last_used_inputs.push(leaf);
        }
    }
    for (step, user) in step_uses.into_iter().enumerate() {
        if let Some(user) = steps.get_mut(user) {
            user.last_used_steps.push(step);
        }
    }
}

impl Builder {
    fn constant(&mut self, tensor: Tensor) -> Place {
        self.constants.push(Value::Constant(tensor));
        Place::Constant(self.constants.len() - 1)
    }

    /// Where `expr` is found, adding the steps it needs.
    fn place_of(&mut self, expr: &Expr) -> Result<Place, ExecError> {
        match &expr.node().kind {
            ExprKind::Input { leaf } => Ok(Place::Input(*leaf)),
            ExprKind::Constant(tensor) => Ok(self.constant(tensor.clone())),
            ExprKind::Outer { index } => {
                self.outer.push((self.constants.len(), *index));
                // Nothing computes with it before `bind` has put the value there.
                Ok(self.constant(Tensor::scalar(0_i64)))
            }
            ExprKind::Captured { .. } => Err(ExecError::internal("a captured value in a plan that runs")),
            ExprKind::Call(call) => {
                let key = Arc::as_ptr(expr.node());
                if let Some(&step) = self.done.get(&key) {
                    return Ok(Place::Step { step, output: expr.output() });
                }
                let inputs = self.places_of(&call.inputs)?;
                let name = call.operation.name;
                let Some(kernel) = kernel_of(name) else {
                    return Err(ExecError::internal(format!("the operation {name} has no kernel")));
                };
                self.steps.push(Step {
                    node: Arc::clone(expr.node()),
                    kind: StepKind::Kernel(kernel),
                    inputs,
                    is_result: false,
                    scratch: Scratch::default(),
                    last_used_inputs: Vec::new(),
                    last_used_steps: Vec::new(),
                });
                let step = self.steps.len() - 1;
                self.done.insert(key, step);
                Ok(Place::Step { step, output: expr.output() })
            }
            // Kernels run in the order they are placed in, so the first of a row's errors is that of the first here.
            ExprKind::After { inputs } => {
                let value = self.places_of(inputs)?.pop().expect("the value is the last");
                if let (1, Place::Step { step, .. }) = (inputs.len(), value) {
                    self.steps[step].is_result = true;
                }
                Ok(value)
            }
        }
    }

    fn places_of(&mut self, exprs: &[Expr]) -> Result<Vec<Place>, ExecError> {
        exprs.iter().map(|expr| self.place_of(expr)).collect()
    }
}
