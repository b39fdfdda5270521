//! Each step from JSON, by the method of [`Plan`] that user code calls.

use feedline_data::{Structure, TensorSpec};

use super::fields::{Fields, flag, shown, text, whole};
use super::read::{Built, Place, Reader, Step};
use super::read_arguments::{
    blank, read_count, read_files, read_path, read_policy, read_range, read_seed_pair, read_tensors,
};
use super::read_exprs::Scope;
use super::size::Size;
use super::specs::{read_spec, read_structure};
use crate::expr::Expr;
use crate::expr::capture::Inputs;
use crate::{CacheCell, CountedStep, FileFormat, Nested, Plan, PlanError, Result, Symbolic, Turns};

/// The steps that have one input.
const ONE_INPUT: &[&str] = &[
    "flat_map",
    "interleave",
    "map",
    "deterministic",
    "filter",
    "shuffle",
    "global_shuffle",
    "batch",
    "unbatch",
    "repeat",
    "take",
    "skip",
    "shard",
    "enumerate",
    "ignore_errors",
    "on_error",
    "cache",
    "prefetch",
];

impl Reader<'_> {
    /// The step called `name`.
    pub(super) fn build(&mut self, name: &str, fields: &mut Fields<'_>, place: &Place<'_>) -> Result<Built> {
        let source = match name {
            "range" => Some(read_range(fields, place.outer)),
            "from_tensors" => Some(read_tensors(fields, place.outer, false)),
            "from_tensor_slices" => Some(read_tensors(fields, place.outer, true)),
            "tf_record" => Some(read_files(fields, place.outer, FileFormat::TfRecord)),
            "text_line" => Some(read_files(fields, place.outer, FileFormat::TextLine)),
            _ => None,
        };
        if let Some(plan) = source {
            place.none()?;
            return Ok(Built { plan: plan?, inputs: vec![], nested: None });
        }
        match name {
            "zip" => read_zip(fields, place),
            "concatenate" => {
                let [one, two] = place.all()[..] else { return Err(PlanError::format("needs two inputs")) };
                let plan = place.plan(one).concatenate(place.plan(two))?;
                Ok(Built { plan, inputs: vec![one, two], nested: None })
            }
            _ if ONE_INPUT.contains(&name) => {
                let input = place.one()?;
                let mut nested = None;
                let plan = self.build_over(name, fields, &place.before[input], place.outer, &mut nested)?;
                Ok(Built { plan, inputs: vec![input], nested })
            }
            _ => Err(PlanError::format("there is no such step").with_hint(format!(
                "steps are range, from_tensors, from_tensor_slices, tf_record, text_line, zip, concatenate, {}; \
                 a newer feedline may have more",
                ONE_INPUT.join(", ")
            ))),
        }
    }

    /// The step called `name` over one input.
    fn build_over(
        &mut self,
        name: &str,
        fields: &mut Fields<'_>,
        step: &Step,
        outer: &[TensorSpec],
        size: &mut Option<Size>,
    ) -> Result<Plan> {
        let input = &step.plan;
        match name {
            "flat_map" => {
                let (nested, inner) = self.read_nested(fields, input, outer)?;
                *size = Some(inner);
                Ok(input.flat_map_nested(nested))
            }
            "interleave" => {
                let (nested, inner) = self.read_nested(fields, input, outer)?;
                *size = Some(inner);
                let turns = Turns {
                    cycle_length: fields.read("cycle_length", whole)?,
                    block_length: fields.read("block_length", whole)?,
                    num_parallel_calls: fields.read_if("num_parallel_calls", whole)?,
                    is_deterministic: fields.read("deterministic", flag)?,
                };
                input.interleave_nested(nested).with_turns("cycle_length and block_length", turns)
            }
            "map" => self.read_map(fields, input, outer),
            "deterministic" => {
                let is_deterministic = fields.read("is_deterministic", flag)?;
                input.with_deterministic(is_deterministic)
            }
            "filter" => {
                let mut function = fields.read("predicate", Fields::of)?;
                let mut result = Err(PlanError::internal("filter calls its predicate"));
                let plan = input.filter(|element| {
                    result = read_traced(&mut function, &element, outer, "give");
                    result.clone().map_or(element, Symbolic::from)
                });
                result?;
                function.finish()?;
                plan
            }
            "shuffle" => {
                let (seeds, buffer_size) = (read_seed_pair(fields)?, fields.read("buffer_size", whole)?);
                input.shuffle(buffer_size, seeds, fields.read("reshuffle_each_iteration", flag)?)
            }
            "global_shuffle" => {
                let seeds = read_seed_pair(fields)?;
                input.global_shuffle(seeds, fields.read("reshuffle_each_iteration", flag)?)
            }
            "batch" => input.batch(fields.read("batch_size", whole)?, fields.read("drop_remainder", flag)?),
            "repeat" => read_count(fields, input, outer, CountedStep::Repeat, Plan::repeat),
            "take" => read_count(fields, input, outer, CountedStep::Take, Plan::take),
            "skip" => read_count(fields, input, outer, CountedStep::Skip, Plan::skip),
            "shard" => input.shard(fields.read("num_shards", whole)?, fields.read("index", whole)?),
            "enumerate" => Ok(input.enumerate(fields.read("start", whole)?)),
            "unbatch" => input.unbatch(),
            "ignore_errors" => Ok(input.ignore_errors()),
            "on_error" => input.on_error(read_policy(fields, input)?),
            "cache" => self.read_cache(fields, step),
            "prefetch" => Ok(input.prefetch(fields.read_if("buffer_size", whole)?)),
            _ => Err(PlanError::internal(format!("{name} is in the list of steps, but is not read"))),
        }
    }

    fn read_map(&self, fields: &mut Fields<'_>, input: &Plan, outer: &[TensorSpec]) -> Result<Plan> {
        let num_parallel_calls = fields.read_if("num_parallel_calls", whole)?;
        if let Some(native) = fields.get("native") {
            let mut native = Fields::of(native)?;
            let (name, output) = (native.read("name", text)?, native.read("output", read_spec)?);
            native.finish()?;
            let function = self.functions.get(name).ok_or_else(|| {
                PlanError::format(format!("there is no function {} among those given", shown(&name.into())))
                    .with_hint(format!(
                        "the plan needs {}: give them with their code",
                        self.needed.join(", ")
                    ))
            })?;
            if function.output != output {
                return Err(PlanError::format(format!(
                    "the function {} gives {}, the plan was made with one that gave {output}",
                    shown(&name.into()),
                    function.output
                )));
            }
            return input.map_native(function.clone(), num_parallel_calls);
        }
        let mut function = fields.read("function", Fields::of)?;
        let mut result = Err(PlanError::internal("map calls its function"));
        let plan = input.map(
            |element| {
                result = read_traced(&mut function, &element, outer, "give");
                result.clone().map_or(element, Symbolic::from)
            },
            num_parallel_calls,
        );
        result?;
        function.finish()?;
        plan
    }

    fn read_nested(
        &mut self,
        fields: &mut Fields<'_>,
        input: &Plan,
        outer: &[TensorSpec],
    ) -> Result<(Nested, Size)> {
        let mut function = fields.read("function", Fields::of)?;
        let (_, element) = Inputs::new(input.spec());
        let captures = read_traced(&mut function, &element, outer, "captures")?;
        let Structure::Tuple(captures) = captures else {
            return Err(PlanError::format("captures: needs a list of names"));
        };
        let capture = |part| match part {
            Structure::Leaf(expr) => Ok(expr),
            _ => Err(PlanError::format("captures: needs a list of names")),
        };
        let captures = captures.into_iter().map(capture).collect::<Result<Vec<Expr>>>()?;
        let specs: Vec<TensorSpec> = captures.iter().map(|value| value.spec().clone()).collect();
        let (plan, size) = self.steps(function.need("steps")?, &specs)?;
        function.finish()?;
        Ok((Nested { captures, plan }, size))
    }

    fn read_cache(&mut self, fields: &mut Fields<'_>, step: &Step) -> Result<Plan> {
        let input = &step.plan;
        if step.size.uses_outer {
            return Err(PlanError::format(
                "what comes before it depends on the element this dataset is made of",
            ));
        }
        let path = fields.read_if("path", read_path)?;
        let Some(number) = fields.read_if("memory", whole::<u64>)? else {
            return input.cache_to(path.ok_or_else(|| PlanError::format("needs either memory or path"))?);
        };
        if path.is_some() {
            return Err(PlanError::format("needs either memory or path"));
        }
        // What is kept in memory is not in the text: it is made anew, one for all steps that had one together.
        match self.cells.get(&number) {
            None => {
                let cell = CacheCell::default();
                self.cells.insert(number, (cell.clone(), input.clone()));
                Ok(input.cache_in(cell))
            }
            // One that served another plan's elements would be wrong.
            Some((cell, other)) if other.to_text()? == input.to_text()? => Ok(input.cache_in(cell.clone())),
            Some(_) => {
                Err(PlanError::format(format!("memory: {number} is the cache of other steps already")))
            }
        }
    }
}

fn read_zip(fields: &mut Fields<'_>, place: &Place<'_>) -> Result<Built> {
    let inputs = place.all();
    let mut left = inputs.iter();
    let structure = fields.read("structure", |value| {
        read_structure(value, &mut |leaf| {
            blank(leaf)?;
            let input = left.next().ok_or_else(|| PlanError::format("more places than inputs"))?;
            Ok(place.plan(*input).clone())
        })
    })?;
    if left.next().is_some() {
        return Err(PlanError::format("more inputs than places in the structure"));
    }
    Ok(Built { plan: Plan::zip(&structure)?, inputs, nested: None })
}

fn read_traced(
    function: &mut Fields<'_>,
    element: &Symbolic,
    outer: &[TensorSpec],
    give: &'static str,
) -> Result<Structure<Expr>> {
    Scope::of_element(element, outer)?.read_function(function, give)
}
