//! A plan as JSON, step by step.

use std::collections::HashMap;
use std::path::Path;
use std::ptr;

use feedline_data::block::{Column, Tensor};
use feedline_data::{Structure, TensorSpec};
use serde_json::{Map, Value};

use super::files::write_files;
use super::size::Size;
use super::specs::{write_spec, write_structure};
use super::tensors::{write_string, write_tensor};
use super::write_exprs::{write_argument, write_function};
use crate::expr::Expr;
use crate::plan::Node;
use crate::{
    CacheCell, CacheCompression, CachePlace, CountedStep, EVERYTHING, Fold, Function, Nested, NodeKind, Plan,
    PlanError, Result, SeedPair, Windows,
};

/// Writes plans; nested ones belong to the same text.
#[derive(Default)]
pub(super) struct Writer {
    /// The caches in memory met so far; their place is their number.
    cells: Vec<CacheCell>,
}

/// The steps of one plan so far, and the number each has.
#[derive(Default)]
struct Steps {
    values: Vec<Value>,
    sizes: Vec<Size>,
    numbers: HashMap<*const Node, usize>,
}

impl Writer {
    /// The steps of `plan`, sources first, and how large it is.
    pub(super) fn steps(&mut self, plan: &Plan) -> Result<(Value, Size)> {
        let mut steps = Steps::default();
        let last = self.add(plan, &mut steps)?;
        Ok((steps.values.into(), steps.sizes[last]))
    }

    /// Adds `plan` and all before it; the number it has.
    fn add(&mut self, plan: &Plan, steps: &mut Steps) -> Result<usize> {
        let key = ptr::from_ref(plan.node());
        if let Some(&number) = steps.numbers.get(&key) {
            return Ok(number);
        }
        let inputs = &plan.node().inputs;
        let inputs = inputs.iter().map(|input| self.add(input, steps)).collect::<Result<Vec<_>>>()?;
        let name = plan.node().kind.name();
        let (arguments, nested) = self.arguments(plan).map_err(|error| error.in_step(name))?;
        let sizes: Vec<Size> = inputs.iter().map(|&input| steps.sizes[input]).collect();
        steps.sizes.push(Size::of(plan, &sizes, nested).map_err(|error| error.in_step(name))?);
        let mut step = Map::from_iter([(name.to_owned(), arguments.into())]);
        let number = steps.values.len();
        let is_plain = inputs.is_empty() || (inputs.len() == 1 && inputs[0] + 1 == number);
        if !is_plain {
            step.insert("inputs".into(), inputs.into());
        }
        step.insert("spec".into(), write_spec(plan.spec()));
        steps.values.push(step.into());
        steps.numbers.insert(key, number);
        Ok(number)
    }

    /// The arguments of the last step of `plan`, by tf.data's names, and the size of a plan inside it.
    #[allow(
        clippy::too_many_lines,
        reason = "an arm for each step, and no `_`: a new step does not compile without one"
    )]
    fn arguments(&mut self, plan: &Plan) -> Result<(Map<String, Value>, Option<Size>)> {
        let mut size = None;
        let arguments = match &plan.node().kind {
            NodeKind::Range { start, stop, step } => {
                object([("start", (*start).into()), ("stop", (*stop).into()), ("step", (*step).into())])
            }
            NodeKind::Counter { start, step } => {
                object([("start", (*start).into()), ("step", (*step).into())])
            }
            NodeKind::Random { seeds, rerandomize_each_iteration } => object([
                written_seeds(*seeds),
                ("rerandomize_each_iteration", (*rerandomize_each_iteration).into()),
            ]),
            NodeKind::RandomChoice { weights, num_datasets, seeds, rerandomize_each_iteration } => {
                let mut arguments = object([
                    written_seeds(*seeds),
                    ("rerandomize_each_iteration", (*rerandomize_each_iteration).into()),
                ]);
                let count = weights.len();
                match plan.node().inputs[..] {
                    [] => {
                        let weights = Tensor::from_vec(vec![count], weights.clone());
                        arguments.insert("weights".into(), write_tensor(&weights));
                    }
                    _ => {
                        arguments.insert("num_datasets".into(), (*num_datasets).into());
                    }
                }
                arguments
            }
            NodeKind::ExactChoice { num_datasets } => object([("num_datasets", (*num_datasets).into())]),
            NodeKind::RangeOf { bounds: [start, stop, step] } => object([
                ("start", write_argument(start)?),
                ("stop", write_argument(stop)?),
                ("step", write_argument(step)?),
            ]),
            NodeKind::TensorSlices { columns } => {
                let tensor = |column: &Column| {
                    let shape = column.common_shape()?;
                    let shape = [&[column.rows()], shape].concat();
                    Some(write_tensor(&Tensor::of_row(&column.clone().with_rows_of(1, shape), 0)))
                };
                let tensors = columns.iter().map(tensor).collect::<Option<Vec<Value>>>();
                tensors_and_structure(
                    tensors.ok_or_else(|| PlanError::internal("slices of different shapes"))?,
                    plan,
                )
            }
            NodeKind::Tensors { columns } => {
                let tensors = columns.iter().map(|column| write_tensor(&Tensor::of_row(column, 0)));
                tensors_and_structure(tensors.collect(), plan)
            }
            NodeKind::TensorsOf { tensors, is_sliced: _ } => {
                tensors_and_structure(tensors.iter().map(write_argument).collect::<Result<_>>()?, plan)
            }
            NodeKind::Files { paths, format, is_stream: false } => {
                write_files(paths.iter().map(|path| write_path(path)).collect(), *format)
            }
            NodeKind::FilesOf { paths, format, is_stream: false } => {
                write_files(write_argument(paths)?, *format)
            }
            NodeKind::CountedBy {
                step: CountedStep::Repeat | CountedStep::Take | CountedStep::Skip,
                count,
            } => object([("count", write_argument(count)?)]),
            NodeKind::FlatMap { nested } => object([("function", self.nested(nested, &mut size)?)]),
            NodeKind::Interleave { nested, turns } => {
                let mut arguments = object([
                    ("function", self.nested(nested, &mut size)?),
                    ("cycle_length", turns.cycle_length.into()),
                    ("block_length", turns.block_length.into()),
                ]);
                insert_if(&mut arguments, "num_parallel_calls", turns.num_parallel_calls);
                arguments.extend(turns.deterministic.map(|kept| ("deterministic".to_owned(), kept.into())));
                arguments
            }
            NodeKind::Map { function, num_parallel_calls } => {
                let mut arguments = match function {
                    Function::Traced(result) => {
                        object([("function", write_function(result, "give")?.into())])
                    }
                    Function::Native(native) => object([(
                        "native",
                        object([
                            ("name", native.name.as_str().into()),
                            ("output", write_spec(&native.output)),
                        ])
                        .into(),
                    )]),
                };
                insert_if(&mut arguments, "num_parallel_calls", *num_parallel_calls);
                arguments
            }
            NodeKind::Filter { predicate } | NodeKind::TakeWhile { predicate } => {
                object([("predicate", write_function(&Structure::Leaf(predicate.clone()), "give")?.into())])
            }
            NodeKind::Scan { fold } | NodeKind::Reduce { fold } => write_fold(fold)?,
            NodeKind::AssertCardinality { expected } => {
                object([("expected_cardinality", expected.map_or_else(|| (-1).into(), Value::from))])
            }
            NodeKind::Choose { stop_on_empty_dataset } => {
                object([("stop_on_empty_dataset", (*stop_on_empty_dataset).into())])
            }
            NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration } => object([
                ("buffer_size", if *buffer_size == EVERYTHING { (-2).into() } else { (*buffer_size).into() }),
                written_seeds(*seeds),
                ("reshuffle_each_iteration", (*reshuffle_each_iteration).into()),
            ]),
            NodeKind::GlobalShuffle { seeds, reshuffle_each_iteration } => object([
                written_seeds(*seeds),
                ("reshuffle_each_iteration", (*reshuffle_each_iteration).into()),
            ]),
            NodeKind::PaddedBatch { batch_size, drop_remainder, padding, fill_to } => {
                let mut arguments = object([
                    ("batch_size", (*batch_size).into()),
                    ("padded_shapes", padding.shapes.iter().map(ToString::to_string).collect()),
                    ("padding_values", padding.values.iter().map(write_tensor).collect()),
                    ("drop_remainder", (*drop_remainder).into()),
                ]);
                if let Some(size) = fill_to {
                    arguments.insert("fill_to".into(), write_argument(size)?);
                }
                arguments
            }
            NodeKind::RowsOf { element, parts } => object([
                ("element", write_spec(element)),
                ("parts", parts.iter().map(write_argument).collect::<Result<_>>()?),
            ]),
            NodeKind::Window { windows: Windows { size, shift, stride, drop_remainder } } => object([
                ("size", (*size).into()),
                ("shift", (*shift).into()),
                ("stride", (*stride).into()),
                ("drop_remainder", (*drop_remainder).into()),
            ]),
            NodeKind::Group { key, window_size, drop_remainder } => {
                let pair = Structure::Tuple(vec![key.clone().into(), window_size.clone().into()]);
                object([
                    ("key_and_size", write_function(&pair, "give")?.into()),
                    ("drop_remainder", (*drop_remainder).into()),
                ])
            }
            NodeKind::Rebatch { batch_sizes, drop_remainder } => object([
                ("batch_sizes", batch_sizes.iter().copied().collect()),
                ("drop_remainder", (*drop_remainder).into()),
            ]),
            NodeKind::Batch { batch_size, drop_remainder } => {
                object([("batch_size", (*batch_size).into()), ("drop_remainder", (*drop_remainder).into())])
            }
            NodeKind::Repeat { count } | NodeKind::Take { count } | NodeKind::Skip { count } => {
                // As tf.data has it.
                object([("count", count.map_or_else(|| (-1).into(), Value::from))])
            }
            NodeKind::Shard { num_shards, index } => {
                object([("num_shards", (*num_shards).into()), ("index", (*index).into())])
            }
            NodeKind::Enumerate { start } => object([("start", (*start).into())]),
            NodeKind::Pack { packing } => object([
                (
                    "length",
                    match packing.lengths[..] {
                        [length] => length.into(),
                        _ => packing.lengths.clone().into(),
                    },
                ),
                ("num_open", packing.num_open.into()),
                ("fit", packing.fit.name().into()),
                ("padding", packing.padding.into()),
                ("truncate", packing.truncates.into()),
            ]),
            NodeKind::Zip { structure } => {
                object([("structure", write_structure(structure, &mut |()| "_".into()))])
            }
            NodeKind::Cache { place } => self.cache(place, &plan.node().inputs[0])?,
            NodeKind::Prefetch { buffer_size } => {
                let mut arguments = Map::new();
                insert_if(&mut arguments, "buffer_size", *buffer_size);
                arguments
            }
            NodeKind::OnError { policy } => {
                let mut arguments = Map::new();
                if let Some(element) = &policy.replacement {
                    let tensors = element.leaves().into_iter().map(write_tensor).collect();
                    arguments.insert("replacement".into(), tensors);
                }
                arguments.extend(policy.limit.map(|limit| ("limit".to_owned(), limit.into())));
                arguments.extend(
                    policy.quarantine.as_ref().map(|path| ("quarantine".to_owned(), write_path(path))),
                );
                arguments.extend(policy.tells.then(|| ("tells".to_owned(), true.into())));
                arguments
            }
            NodeKind::Deterministic { is_deterministic } => {
                object([("is_deterministic", (*is_deterministic).into())])
            }
            NodeKind::Collect
            | NodeKind::Unbatch
            | NodeKind::Unique
            | NodeKind::Single
            | NodeKind::IgnoreErrors
            | NodeKind::Concatenate => Map::new(),
            NodeKind::FromIter { source } => {
                return Err(PlanError::argument(format!(
                    "from_iter: {} is code of this program, and has no text",
                    source.name
                ))
                .with_hint("write its elements to files first, and read those"));
            }
            NodeKind::ShuffleAndRepeat { .. }
            | NodeKind::MapAndBatch { .. }
            | NodeKind::Files { is_stream: true, .. }
            | NodeKind::FilesOf { is_stream: true, .. } => {
                return Err(PlanError::argument("a step that the optimizer made has no text")
                    .with_hint("write the plan as it was before it was optimized"));
            }
        };
        Ok((arguments, size))
    }

    fn nested(&mut self, nested: &Nested, size: &mut Option<Size>) -> Result<Value> {
        let mut function = write_function(&captures_of(nested), "captures")?;
        let (steps, inner) = self.steps(&nested.plan)?;
        *size = Some(inner);
        function.insert("steps".into(), steps);
        Ok(function.into())
    }

    fn cache(&mut self, place: &CachePlace, input: &Plan) -> Result<Map<String, Value>> {
        match place {
            CachePlace::Memory(cell) => {
                let known = self.cells.iter().position(|other| other.is_same(cell));
                let number = known.unwrap_or_else(|| {
                    self.cells.push(cell.clone());
                    self.cells.len() - 1
                });
                Ok(object([("memory", number.into())]))
            }
            CachePlace::Folder { path, upstream, compression } => {
                // A folder is known by the steps it was made with, and these are found again from those before it.
                let again = input.cache_to(path.clone())?;
                let is_same = matches!(&again.node().kind,
                    NodeKind::Cache { place: CachePlace::Folder { upstream: found, .. } } if found == upstream);
                if !is_same {
                    return Err(PlanError::argument("the steps before it were rewritten by the optimizer")
                        .with_hint("write the plan as it was before it was optimized"));
                }
                let mut arguments = object([("path", write_path(path))]);
                if *compression != CacheCompression::None {
                    arguments.insert("compression".into(), compression.name().into());
                }
                Ok(arguments)
            }
        }
    }
}

/// What a nested plan is started with, as what a function gives.
fn captures_of(nested: &Nested) -> Structure<Expr> {
    Structure::Tuple(nested.captures.iter().cloned().map(Structure::Leaf).collect())
}

/// Leaves in order, and how they hang together where they do not stand alone.
fn tensors_and_structure(tensors: Vec<Value>, plan: &Plan) -> Map<String, Value> {
    let mut arguments = object([("tensors", tensors.into())]);
    if !matches!(plan.spec(), Structure::Leaf(_)) {
        let structure = write_structure(plan.spec(), &mut |_: &TensorSpec| "_".into());
        arguments.insert("structure".into(), structure);
    }
    arguments
}

fn written_seeds(seeds: SeedPair) -> (&'static str, Value) {
    let word = if seeds.is_given { "seeds" } else { "drawn_seeds" };
    (word, [seeds.seed, seeds.seed2].as_slice().into())
}

fn write_fold(fold: &Fold) -> Result<Map<String, Value>> {
    let leaves = fold.initial.leaves().into_iter().map(write_argument).collect::<Result<Vec<Value>>>()?;
    let mut arguments = object([("initial_state", leaves.into())]);
    if !matches!(fold.initial, Structure::Leaf(_)) {
        arguments.insert("structure".into(), write_structure(&fold.initial, &mut |_: &Expr| "_".into()));
    }
    arguments.insert("function".into(), write_function(&fold.result, "give")?.into());
    Ok(arguments)
}

fn write_path(path: &Path) -> Value {
    write_string(path.as_os_str().as_encoded_bytes())
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn insert_if(arguments: &mut Map<String, Value>, name: &str, number: Option<usize>) {
    if let Some(number) = number {
        arguments.insert(name.to_owned(), number.into());
    }
}
