//! Each step from JSON, by the method of [`Plan`] that user code calls.

use feedline_data::{Structure, TensorSpec};
use serde_json::Value;

use super::fields::{Fields, flag, list, shown, text, whole};
use super::files::read_files;
use super::read::{Built, Place, Reader, Step};
use super::read_arguments::{
    blank, read_count, read_counter, read_expected, read_initial_state, read_padded_batch, read_path,
    read_policy, read_random, read_random_choice, read_range, read_rows, read_seed_pair, read_tensors,
};
use super::read_exprs::Scope;
use super::size::Size;
use super::specs::{read_spec, read_structure};
use crate::expr::Expr;
use crate::expr::capture::Inputs;
use crate::{
    CacheCell, CacheCompression, CountedStep, EVERYTHING, Fit, Nested, Packing, Plan, PlanError, Result,
    Symbolic, Turns, Windows,
};

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
    "padded_batch",
    "rebatch",
    "unbatch",
    "repeat",
    "take",
    "skip",
    "shard",
    "window",
    "collect",
    "group",
    "take_while",
    "scan",
    "reduce",
    "unique",
    "single",
    "assert_cardinality",
    "exact_choice",
    "enumerate",
    "pack",
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
            "counter" => Some(read_counter(fields)),
            "random" => Some(read_random(fields)),
            "random_choice" if fields.get("weights").is_some() => Some(read_random_choice(fields, None)),
            "rows" => Some(read_rows(fields, place.outer)),
            "from_tensors" => Some(read_tensors(fields, place.outer, false)),
            "from_tensor_slices" => Some(read_tensors(fields, place.outer, true)),
            _ => read_files(name, fields, place.outer),
        };
        if let Some(plan) = source {
            place.none()?;
            return Ok(Built { plan: plan?, inputs: vec![], nested: None });
        }
        match name {
            "zip" => read_zip(fields, place),
            "random_choice" => {
                let input = place.one()?;
                let plan = read_random_choice(fields, Some(place.plan(input)))?;
                Ok(Built { plan, inputs: vec![input], nested: None })
            }
            "choose_from_datasets" => {
                let inputs = place.all();
                let Some((&choices, datasets)) = inputs.split_first() else {
                    return Err(PlanError::format("needs inputs: choices, and the datasets"));
                };
                let datasets: Vec<Plan> = datasets.iter().map(|&input| place.plan(input).clone()).collect();
                let stops = fields.read("stop_on_empty_dataset", flag)?;
                let plan = Plan::choose_from(&datasets, place.plan(choices), stops)?;
                Ok(Built { plan, inputs, nested: None })
            }
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
                "steps are range, counter, random, random_choice, from_tensors, from_tensor_slices, tf_record, text_line, \
                 fixed_length_record, csv_record, zip, \
                 concatenate, choose_from_datasets, {}; \
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
                    deterministic: fields.read_if("deterministic", flag)?,
                };
                input.interleave_nested(nested).with_turns("cycle_length and block_length", turns)
            }
            "map" => self.read_map(fields, input, outer),
            "deterministic" => {
                let is_deterministic = fields.read("is_deterministic", flag)?;
                input.with_deterministic(is_deterministic)
            }
            "filter" => read_predicate(fields, outer, |read| input.filter(read)),
            "take_while" => read_predicate(fields, outer, |read| input.take_while(read)),
            "scan" => read_fold(fields, outer, |initial, read| input.scan(initial, read)),
            "reduce" => read_fold(fields, outer, |initial, read| input.reduce(initial, read)),
            "unique" => input.unique(),
            "single" => Ok(input.single()),
            "assert_cardinality" => Ok(input.assert_cardinality(read_expected(fields)?)),
            "exact_choice" => input.exact_choice(fields.read("num_datasets", whole)?),
            "shuffle" => {
                let (seeds, buffer_size) =
                    (read_seed_pair(fields)?, fields.read("buffer_size", read_buffer_size)?);
                input.shuffle(buffer_size, seeds, fields.read("reshuffle_each_iteration", flag)?)
            }
            "global_shuffle" => {
                let seeds = read_seed_pair(fields)?;
                input.global_shuffle(seeds, fields.read("reshuffle_each_iteration", flag)?)
            }
            "batch" => input.batch(fields.read("batch_size", whole)?, fields.read("drop_remainder", flag)?),
            "padded_batch" => read_padded_batch(fields, input, outer),
            "window" => input.window(Windows {
                size: fields.read("size", whole)?,
                shift: fields.read("shift", whole)?,
                stride: fields.read("stride", whole)?,
                drop_remainder: fields.read("drop_remainder", flag)?,
            }),
            "collect" => input.collect(),
            "group" => read_group(fields, input, outer),
            "rebatch" => {
                let sizes = fields.read("batch_sizes", |value| list(value)?.iter().map(whole).collect())?;
                input.rebatch(sizes, fields.read("drop_remainder", flag)?)
            }
            "repeat" => read_count(fields, input, outer, CountedStep::Repeat, Plan::repeat),
            "take" => read_count(fields, input, outer, CountedStep::Take, Plan::take),
            "skip" => read_count(fields, input, outer, CountedStep::Skip, Plan::skip),
            "shard" => input.shard(fields.read("num_shards", whole)?, fields.read("index", whole)?),
            "enumerate" => Ok(input.enumerate(fields.read("start", whole)?)),
            "pack" => input.pack(Packing {
                lengths: fields.read("length", |length| match length {
                    Value::Array(lengths) => lengths.iter().map(whole).collect(),
                    length => Ok(vec![whole(length)?]),
                })?,
                num_open: fields.read("num_open", whole)?,
                fit: Fit::of_name(fields.read("fit", text)?)?,
                padding: fields.read("padding", whole)?,
                truncates: fields.read("truncate", flag)?,
            }),
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
        let path = fields.read_if("path", read_path)?;
        if path.is_some() && step.size.uses_outer {
            return Err(PlanError::format(
                "what comes before it depends on the element this dataset is made of",
            ));
        }
        let Some(number) = fields.read_if("memory", whole::<u64>)? else {
            let path = path.ok_or_else(|| PlanError::format("needs either memory or path"))?;
            let compression = fields.read_if("compression", |name| {
                let name = text(name)?;
                let found = CacheCompression::ALL.into_iter().find(|compression| compression.name() == name);
                found.ok_or_else(|| PlanError::format(format!("no compression is called '{name}'")))
            })?;
            return input.cache_to(path)?.with_compression(compression.unwrap_or_default());
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

fn read_predicate(
    fields: &mut Fields<'_>,
    outer: &[TensorSpec],
    build: impl FnOnce(&mut dyn FnMut(Symbolic) -> Symbolic) -> Result<Plan>,
) -> Result<Plan> {
    let mut function = fields.read("predicate", Fields::of)?;
    let mut result = Err(PlanError::internal("a predicate is called"));
    let plan = build(&mut |element| {
        result = read_traced(&mut function, &element, outer, "give");
        result.clone().map_or(element, Symbolic::from)
    });
    result?;
    function.finish()?;
    plan
}

fn read_group(fields: &mut Fields<'_>, input: &Plan, outer: &[TensorSpec]) -> Result<Plan> {
    let mut function = fields.read("key_and_size", Fields::of)?;
    let mut pair = Err(PlanError::internal("a function is called"));
    let drop_remainder = fields.read("drop_remainder", flag)?;
    let plan = input.group(
        |element| {
            pair = read_traced(&mut function, &element, outer, "give");
            let both = pair.clone().map_or(element, Symbolic::from);
            (both.at(0), both.at(1))
        },
        drop_remainder,
    );
    pair?;
    function.finish()?;
    plan
}

fn read_fold(
    fields: &mut Fields<'_>,
    outer: &[TensorSpec],
    build: impl FnOnce(&Symbolic, &mut dyn FnMut(Symbolic, Symbolic) -> Symbolic) -> Result<Plan>,
) -> Result<Plan> {
    let initial = read_initial_state(fields, outer)?;
    let mut function = fields.read("function", Fields::of)?;
    let mut result = Err(PlanError::internal("a function is called"));
    let plan = build(&initial, &mut |state, element| {
        result = read_traced(&mut function, &Symbolic::tuple([state.clone(), element]), outer, "give");
        result.clone().map_or(state, Symbolic::from)
    });
    result?;
    function.finish()?;
    plan
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

/// How many elements a shuffle holds; −2: everything.
fn read_buffer_size(value: &Value) -> Result<usize> {
    if value.as_i64() == Some(-2) { Ok(EVERYTHING) } else { whole(value) }
}
