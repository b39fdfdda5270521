//! A plan from JSON: the list of steps, which takes which, and whether each is what the text says it is.

use std::collections::HashMap;

use feedline_data::TensorSpec;
use serde_json::{Map, Value};

use super::fields::{Fields, list, needs, shown, whole};
use super::functions::Functions;
use super::size::Size;
use super::specs::read_spec;
use crate::{CacheCell, Plan, PlanError, Result};

/// Reads plans; nested ones belong to the same text.
pub(super) struct Reader<'a> {
    pub(super) functions: &'a Functions,
    /// The names of all functions the text needs, for the one that is missing.
    pub(super) needed: Vec<String>,
    /// The caches in memory by number, each with the plan whose elements it holds.
    pub(super) cells: HashMap<u64, (CacheCell, Plan)>,
}

/// A step that was read.
pub(super) struct Step {
    pub(super) plan: Plan,
    pub(super) size: Size,
}

/// Where a step is read: what it can refer to.
pub(super) struct Place<'a> {
    /// The steps before it.
    pub(super) before: &'a [Step],
    /// Those it names as its inputs.
    inputs: Option<Vec<usize>>,
    /// What the plan is started with, if it is nested.
    pub(super) outer: &'a [TensorSpec],
}

/// A step that was just built.
pub(super) struct Built {
    pub(super) plan: Plan,
    /// The numbers of the steps it takes.
    pub(super) inputs: Vec<usize>,
    /// The size of the plan inside it.
    pub(super) nested: Option<Size>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(functions: &'a Functions, needed: Vec<String>) -> Reader<'a> {
        Reader { functions, needed, cells: HashMap::new() }
    }

    /// The plan that ends in the last of `steps`.
    pub(super) fn steps(&mut self, steps: &Value, outer: &[TensorSpec]) -> Result<(Plan, Size)> {
        let mut read: Vec<Step> = Vec::new();
        let mut is_used = Vec::new();
        for (number, step) in list(steps)?.iter().enumerate() {
            let named = step.as_object().ok_or_else(|| needs("an object", step)).and_then(name_of);
            let (name, arguments) = named.map_err(|error| error.in_step(&format!("step {number}")))?;
            let place = format!("step {number} ({name})");
            let (step, inputs) =
                self.step(name, arguments, step, &read, outer).map_err(|error| error.in_step(&place))?;
            inputs.into_iter().for_each(|input| is_used[input] = true);
            read.push(step);
            is_used.push(false);
        }
        let last = read.pop().ok_or_else(|| PlanError::format("there is no step"))?;
        if let Some(number) = is_used[..read.len()].iter().position(|is_used| !is_used) {
            return Err(PlanError::format(format!("step {number} is the input of no other step"))
                .with_hint("a step takes the one before it unless `inputs` says otherwise"));
        }
        Ok((last.plan, last.size))
    }

    /// Reads one step; also which steps it takes.
    fn step(
        &mut self,
        name: &str,
        arguments: &Value,
        step: &Value,
        before: &[Step],
        outer: &[TensorSpec],
    ) -> Result<(Step, Vec<usize>)> {
        let inputs = match step.get("inputs") {
            None => None,
            Some(numbers) => {
                Some(read_inputs(numbers, before.len()).map_err(|error| error.in_step("inputs"))?)
            }
        };
        let place = Place { before, inputs, outer };
        let mut fields = Fields::of(arguments)?;
        let Built { plan, inputs, nested } = self.build(name, &mut fields, &place)?;
        fields.finish()?;
        let plan = plan.within_depth()?;
        if let Some(spec) = step.get("spec") {
            let written = read_spec(spec).map_err(|error| error.in_step("spec"))?;
            if written != *plan.spec() {
                return Err(PlanError::format(format!(
                    "its elements are {}, the text says {written}",
                    plan.spec()
                ))
                .with_hint("the text was changed, or written by a feedline with other rules"));
            }
        }
        let sizes: Vec<Size> = inputs.iter().map(|&input| before[input].size).collect();
        let size = Size::of(&plan, &sizes, nested)?;
        // Random operations keep the places they have in the text; those of later steps count on from them.
        let num_places = plan.num_places().max(size.last_place);
        let plan = if num_places == plan.num_places() { plan } else { plan.with_places(num_places) };
        Ok((Step { plan, size }, inputs))
    }
}

impl Place<'_> {
    pub(super) fn plan(&self, number: usize) -> &Plan {
        &self.before[number].plan
    }

    pub(super) fn none(&self) -> Result<()> {
        match self.inputs.as_deref() {
            None | Some([]) => Ok(()),
            Some(_) => Err(PlanError::format("inputs: it takes none")),
        }
    }

    /// Those it names, or the step before it.
    pub(super) fn all(&self) -> Vec<usize> {
        self.inputs.clone().unwrap_or_else(|| self.before.len().checked_sub(1).into_iter().collect())
    }

    pub(super) fn one(&self) -> Result<usize> {
        match self.all()[..] {
            [one] => Ok(one),
            [] if self.inputs.is_none() => Err(PlanError::format("it needs a step before it")),
            ref others => Err(PlanError::format(format!("inputs: it takes one, not {}", others.len()))),
        }
    }
}

/// A step's name and arguments: the one field beside `inputs` and `spec`.
fn name_of(step: &Map<String, Value>) -> Result<(&str, &Value)> {
    let mut others = step.iter().filter(|(key, _)| !matches!(key.as_str(), "inputs" | "spec"));
    match (others.next(), others.next()) {
        (Some((name, arguments)), None) => Ok((name, arguments)),
        (None, _) => {
            Err(PlanError::format("needs the step's name with its arguments, e.g. {\"unbatch\": {}}"))
        }
        (Some((one, _)), Some((two, _))) => Err(PlanError::format(format!(
            "has two names, {} and {}",
            shown(&one.as_str().into()),
            shown(&two.as_str().into())
        ))),
    }
}

fn read_inputs(value: &Value, num_before: usize) -> Result<Vec<usize>> {
    let number = |value| match whole::<usize>(value)? {
        number if number < num_before => Ok(number),
        number => Err(PlanError::format(format!("{number} does not come before it"))
            .with_hint("steps are numbered from 0 and take those further up")),
    };
    list(value)?.iter().map(number).collect()
}
