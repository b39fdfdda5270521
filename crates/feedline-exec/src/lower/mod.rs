//! From the logical plan to templates of operators.

mod parts;

use std::sync::Arc;

use feedline_data::{Structure, on_roomy_stack};
use feedline_plan::{CachePlace, Function, NodeKind, Plan, Turns};

use self::parts::{
    add_datasets, computes, global_shuffle_of, is_user_code, map_of, pack_of, row_kind, shuffled,
};
pub(crate) use self::parts::{known, row_bytes, rows_in_memory};

use crate::certain_rows::{certain_rows, certain_stream_rows};
use crate::error::ExecError;
use crate::eval::Program;
use crate::files::Buffers;
use crate::fits::is_in_memory;
use crate::operators::assert_cardinality::AssertCardinalityTemplate;
use crate::operators::batch::BatchTemplate;
use crate::operators::cache::{cache_in_folder, cache_in_memory};
use crate::operators::choose::ChooseTemplate;
use crate::operators::concatenate::ConcatenateTemplate;
use crate::operators::enumerate::EnumerateTemplate;
use crate::operators::exact_choice::ExactChoiceTemplate;
use crate::operators::files::FilesTemplate;
use crate::operators::filter::FilterTemplate;
use crate::operators::fold::{Folding, ReduceTemplate, ScanTemplate};
use crate::operators::from_iter::FromIterTemplate;
use crate::operators::gather::GatherTemplate;
use crate::operators::global_shuffle::Order;
use crate::operators::group::GroupTemplate;
use crate::operators::ignore_errors::IgnoreErrorsTemplate;
use crate::operators::interleave::{InterleaveTemplate, Nesting};
use crate::operators::map::{MapTemplate, UnorderedTemplate};
use crate::operators::of_outer::{
    Argument, CountedByTemplate, FilesOfTemplate, FilledBatchTemplate, RangeOfTemplate, RowsOfTemplate,
    TensorsOfTemplate,
};
use crate::operators::on_error::OnErrorTemplate;
use crate::operators::prefetch::PrefetchTemplate;
use crate::operators::random::{RandomChoiceTemplate, RandomTemplate, Randomness, Weights};
use crate::operators::range::RangeTemplate;
use crate::operators::repeat::{EpochsTemplate, RepeatTemplate};
use crate::operators::shard::ShardTemplate;
use crate::operators::shuffle::ShuffleTemplate;
use crate::operators::single::SingleTemplate;
use crate::operators::skip::SkipTemplate;
use crate::operators::take::TakeTemplate;
use crate::operators::take_while::TakeWhileTemplate;
use crate::operators::tensor_slices::TensorSlicesTemplate;
use crate::operators::unbatch::UnbatchTemplate;
use crate::operators::unique::UniqueTemplate;
use crate::operators::window::WindowTemplate;
use crate::operators::zip::ZipTemplate;
use crate::origin::{FileStarts, NumberedStarts, StreamStarts};
use crate::reserved::Reserved;
use crate::template::{MeasuredTemplate, Template};
use crate::workers::Level;

/// Turns a plan into templates, each measured under the number its step has in [`Plan::step_names`].
pub(crate) fn lower(plan: &Plan) -> Result<Arc<dyn Template>, ExecError> {
    let mut next_step = 0;
    let around = Surroundings { level: 0, needs_order: false, reserved: Reserved::of(plan) };
    lower_node(plan, around, &mut next_step)
}

/// More steps than people write, and than an iterator should start before its first element.
const MAX_STEPS: u64 = 1 << 20;

/// Refuses a plan that has more steps than can run: one that uses parts of itself, and parts of these, again and again.
pub(crate) fn check_size(plan: &Plan) -> Result<(), ExecError> {
    if plan.num_steps() <= MAX_STEPS {
        return Ok(());
    }
    Err(ExecError::resource(format!(
        "the plan uses parts of itself so often that more than {MAX_STEPS} steps would run"
    ))
    .with_hint(
        "each use of a dataset runs on its own; `explain` shows which ones `zip` and `concatenate` use twice",
    ))
}

/// What a step knows about what comes behind it.
#[derive(Clone, Copy)]
struct Surroundings {
    /// Hand-overs between threads on the way to the consumer.
    level: Level,
    /// Whether a step there reads rows again when it is restored, by their numbers: they must come in the same order then, or
    /// some would come twice and others never. `deterministic(false)` before it has no effect.
    needs_order: bool,
    /// What shuffles reserve, of the whole plan.
    reserved: Reserved,
}

/// Whether a step of this kind, restored, reads rows again that it had already taken: those in a shuffle's buffer, the elements
/// whose rows are being handed out, what a cache kept in another process, what an unordered map had not handed out.
fn reads_again(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Shuffle { .. }
            | NodeKind::ShuffleAndRepeat { .. }
            | NodeKind::FlatMap { .. }
            | NodeKind::Interleave { .. }
            | NodeKind::Pack { .. }
            | NodeKind::Unbatch
            | NodeKind::Rebatch { .. }
            | NodeKind::Unique
            | NodeKind::Window { .. }
            | NodeKind::Group { .. }
            | NodeKind::Cache { .. }
            | NodeKind::Deterministic { .. }
    )
}

fn lower_node(
    plan: &Plan,
    around: Surroundings,
    next_step: &mut usize,
) -> Result<Arc<dyn Template>, ExecError> {
    on_roomy_stack(|| lower_step(plan, around, next_step))
}

#[allow(clippy::too_many_lines, reason = "a list of equals: one arm a step")]
fn lower_step(
    plan: &Plan,
    around: Surroundings,
    next_step: &mut usize,
) -> Result<Arc<dyn Template>, ExecError> {
    let node = plan.node();
    let level = around.level;
    let before = Surroundings {
        level: match node.kind {
            NodeKind::Map { .. } | NodeKind::MapAndBatch { .. } | NodeKind::Prefetch { .. } => level + 1,
            _ => level,
        },
        needs_order: around.needs_order || (reads_again(&node.kind) && !plan.is_pass()),
        ..around
    };
    let mut inputs = node
        .inputs
        .iter()
        .map(|input| lower_node(input, before, next_step))
        .collect::<Result<Vec<_>, _>>()?;
    let nested = match node.kind.nested() {
        Some(nested) => Some(Arc::new(Nesting {
            // Where one of its rows is, each nested stream knows itself.
            nested: lower_node(
                &nested.plan,
                Surroundings { needs_order: around.needs_order, ..before },
                next_step,
            )?,
            prelude: Arc::new(Program::new(&nested.prelude(), node.inputs[0].spec())?),
            starts: StreamStarts::default(),
        })),
        None => None,
    };
    let step = *next_step;
    *next_step += 1;
    let runs_user_code = is_user_code(&node.kind)
        || inputs.iter().any(|input| input.runs_user_code())
        || nested.as_ref().is_some_and(|nesting| nesting.nested.runs_user_code());
    let input_plan = node.inputs.first();
    let mut input = || inputs.remove(0);
    let template: Arc<dyn Template> = match &node.kind {
        // Nothing to do and nothing to save, also where the optimizer does not drop it: states are the same either way.
        _ if plan.is_pass() => input(),
        NodeKind::Range { start, step, .. } => Arc::new(RangeTemplate {
            start: *start,
            step: *step,
            count: Some(known(plan).expect("a range knows its length")),
            starts: NumberedStarts::default(),
        }),
        NodeKind::Counter { start, step } => Arc::new(RangeTemplate {
            start: *start,
            step: *step,
            count: None,
            starts: NumberedStarts::default(),
        }),
        NodeKind::Random { seeds, rerandomize_each_iteration } => Arc::new(RandomTemplate {
            randomness: Randomness { seeds: *seeds, rerandomize_each_iteration: *rerandomize_each_iteration },
            weights: None,
        }),
        NodeKind::RandomChoice { weights, num_datasets, seeds, rerandomize_each_iteration } => {
            let randomness =
                Randomness { seeds: *seeds, rerandomize_each_iteration: *rerandomize_each_iteration };
            if input_plan.is_none() {
                Arc::new(RandomTemplate { randomness, weights: Some(Weights::new(weights)) })
            } else {
                let num_datasets = *num_datasets;
                Arc::new(RandomChoiceTemplate { input: input(), randomness, num_datasets })
            }
        }
        NodeKind::ExactChoice { num_datasets } => {
            Arc::new(ExactChoiceTemplate { input: input(), num_datasets: *num_datasets })
        }
        NodeKind::Choose { stop_on_empty_dataset } => Arc::new(ChooseTemplate {
            inputs,
            stop_on_empty_dataset: *stop_on_empty_dataset,
            join: plan.num_joins(),
        }),
        NodeKind::TensorSlices { columns } | NodeKind::Tensors { columns } => {
            Arc::new(TensorSlicesTemplate { columns: columns.clone(), starts: NumberedStarts::default() })
        }
        NodeKind::RangeOf { bounds: [start, stop, step] } => Arc::new(RangeOfTemplate {
            bounds: [Argument::new(start)?, Argument::new(stop)?, Argument::new(step)?],
        }),
        NodeKind::TensorsOf { tensors, is_sliced } => Arc::new(TensorsOfTemplate {
            tensors: tensors.iter().map(Argument::new).collect::<Result<_, _>>()?,
            is_sliced: *is_sliced,
        }),
        NodeKind::FilesOf { paths, format, is_stream } => Arc::new(FilesOfTemplate {
            paths: Argument::new(paths)?,
            kind: row_kind(*format),
            is_stream: *is_stream,
            buffers: Buffers::default(),
            starts: FileStarts::of_elements(),
        }),
        NodeKind::CountedBy { step, count } => {
            Arc::new(CountedByTemplate { input: input(), step: *step, count: Argument::new(count)? })
        }
        NodeKind::FlatMap { nested: plan } => Arc::new(InterleaveTemplate {
            input: input(),
            stream_rows: certain_stream_rows(&plan.plan, u64::MAX),
            nesting: nested.expect("lowered above"),
            reserved: around.reserved.if_any(&plan.plan),
            // One at a time, to its end.
            turns: Turns {
                cycle_length: 1,
                block_length: u64::MAX,
                num_parallel_calls: None,
                deterministic: Some(true),
            },
            learned: Arc::default(),
        }),
        NodeKind::Interleave { turns, nested: plan } => {
            let turns = Turns { deterministic: Some(turns.keeps_order() || around.needs_order), ..*turns };
            Arc::new(InterleaveTemplate {
                input: input(),
                nesting: nested.expect("lowered above"),
                reserved: around.reserved.if_any(&plan.plan),
                turns,
                // Whose turn is skipped nobody knows where any may have it.
                stream_rows: certain_stream_rows(&plan.plan, turns.block_length)
                    .filter(|_| turns.keeps_order()),
                learned: Arc::default(),
            })
        }
        NodeKind::Map { function, num_parallel_calls } => {
            let input_spec = input_plan.expect("a map has an input").spec();
            let place = (level, step, plan.number());
            Arc::new(map_of(function, *num_parallel_calls, (input_spec, &node.spec), input(), place)?)
        }
        NodeKind::MapAndBatch { function, num_parallel_calls, batch_size, drop_remainder } => {
            let input_spec = input_plan.expect("a map has an input").spec();
            let spec = function.output_spec();
            let place = (level, step, plan.joined_number());
            let map = map_of(function, *num_parallel_calls, (input_spec, &spec), input(), place)?;
            let batches = Some((*batch_size, spec.clone()));
            Arc::new(BatchTemplate {
                input: Arc::new(MapTemplate { batches, ..map }),
                batch_sizes: Arc::new([*batch_size]),
                drop_remainder: *drop_remainder,
                padding: None,
                spec,
                is_in_memory: false,
            })
        }
        NodeKind::Deterministic { .. } => {
            Arc::new(UnorderedTemplate { input: input(), is_in_order: around.needs_order })
        }
        NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration } => {
            let (input, row_bytes) = shuffled(input_plan, input(), step);
            Arc::new(ShuffleTemplate {
                input,
                buffer_size: *buffer_size,
                seeds: *seeds,
                reshuffle_each_iteration: *reshuffle_each_iteration,
                row_bytes,
                num_elements: known(plan),
            })
        }
        NodeKind::ShuffleAndRepeat { buffer_size, seeds, reshuffle_each_iteration, count } => {
            let epoch = input_plan.expect("a shuffle has an input");
            let (input, row_bytes) = shuffled(input_plan, input(), step);
            Arc::new(RepeatTemplate {
                epochs: EpochsTemplate::Shuffled(Arc::new(ShuffleTemplate {
                    input,
                    buffer_size: *buffer_size,
                    seeds: *seeds,
                    reshuffle_each_iteration: *reshuffle_each_iteration,
                    row_bytes,
                    num_elements: known(epoch),
                })),
                count: *count,
                epoch_rows: certain_rows(epoch),
            })
        }
        NodeKind::Batch { batch_size, drop_remainder } => Arc::new(BatchTemplate {
            input: input(),
            batch_sizes: Arc::new([*batch_size]),
            drop_remainder: *drop_remainder,
            padding: None,
            spec: input_plan.expect("a batch has an input").spec().clone(),
            is_in_memory: input_plan.is_some_and(is_in_memory),
        }),
        NodeKind::RowsOf { element, parts } => Arc::new(RowsOfTemplate {
            element: element.clone(),
            parts: parts.iter().map(Argument::new).collect::<Result<_, _>>()?,
        }),
        NodeKind::Window { windows } => {
            let mut datasets = Vec::new();
            add_datasets(input_plan.expect("a window has an input").spec(), 0, &mut datasets);
            Arc::new(WindowTemplate { input: input(), windows: Some(*windows), datasets })
        }
        NodeKind::Collect => {
            let spec = input_plan.expect("a collect has an input").spec();
            let datasets = vec![(0..spec.num_leaves(), spec.clone())];
            Arc::new(WindowTemplate { input: input(), windows: None, datasets })
        }
        NodeKind::Group { key, window_size, drop_remainder } => {
            let spec = input_plan.expect("a group has an input").spec();
            let pair = Structure::Tuple(vec![key.clone().into(), window_size.clone().into()]);
            Arc::new(GroupTemplate {
                input: input(),
                program: Arc::new(Program::new(&Function::Traced(pair), spec)?),
                drop_remainder: *drop_remainder,
                spec: spec.clone(),
            })
        }
        NodeKind::PaddedBatch { batch_size, drop_remainder, padding, fill_to: Some(size) } => {
            Arc::new(FilledBatchTemplate {
                input: input(),
                batch_size: *batch_size,
                drop_remainder: *drop_remainder,
                padding: Arc::clone(padding),
                fill_to: Argument::new(size)?,
                spec: input_plan.expect("a batch has an input").spec().clone(),
            })
        }
        NodeKind::PaddedBatch { batch_size, drop_remainder, padding, fill_to: None } => {
            Arc::new(BatchTemplate {
                input: input(),
                batch_sizes: Arc::new([*batch_size]),
                drop_remainder: *drop_remainder,
                padding: Some(Arc::clone(padding)),
                spec: input_plan.expect("a batch has an input").spec().clone(),
                is_in_memory: false,
            })
        }
        NodeKind::Rebatch { batch_sizes, drop_remainder } => {
            let spec = input_plan.expect("a rebatch has an input").spec();
            Arc::new(BatchTemplate {
                input: Arc::new(UnbatchTemplate::new(input(), spec.clone())),
                batch_sizes: batch_sizes.clone().into(),
                drop_remainder: *drop_remainder,
                padding: None,
                spec: spec.sliced().expect("a batch is no scalar"),
                is_in_memory: false,
            })
        }
        NodeKind::Repeat { count } => Arc::new(RepeatTemplate {
            epochs: EpochsTemplate::Plain(input()),
            count: *count,
            epoch_rows: certain_rows(input_plan.expect("a repeat has an input")),
        }),
        NodeKind::Files { paths, format, is_stream } => Arc::new(FilesTemplate {
            paths: Arc::clone(paths),
            kind: row_kind(*format),
            is_stream: *is_stream,
            buffers: Buffers::default(),
            starts: FileStarts::of(paths),
        }),
        NodeKind::Take { count } => {
            Arc::new(TakeTemplate { input: input(), count: count.unwrap_or(u64::MAX) })
        }
        NodeKind::Skip { count } => {
            Arc::new(SkipTemplate { input: input(), count: count.unwrap_or(u64::MAX) })
        }
        NodeKind::Shard { num_shards, index } => Arc::new(ShardTemplate {
            input: input(),
            num_shards: *num_shards,
            index: *index,
            skips_singly: *num_shards > 1 && computes(input_plan.expect("a shard has an input")),
        }),
        NodeKind::Filter { predicate } => Arc::new(FilterTemplate {
            input: input(),
            predicate: Arc::new(Program::new(
                &Function::Traced(Structure::Leaf(predicate.clone())),
                input_plan.expect("a filter has an input").spec(),
            )?),
        }),
        NodeKind::TakeWhile { predicate } => Arc::new(TakeWhileTemplate {
            input: input(),
            predicate: Arc::new(Program::new(
                &Function::Traced(Structure::Leaf(predicate.clone())),
                input_plan.expect("take_while has an input").spec(),
            )?),
        }),
        NodeKind::Scan { fold } => Arc::new(ScanTemplate {
            input: input(),
            folding: Folding::new(fold, input_plan.expect("a scan has an input").spec())?,
        }),
        NodeKind::Reduce { fold } => Arc::new(ReduceTemplate {
            input: input(),
            folding: Folding::new(fold, input_plan.expect("a reduce has an input").spec())?,
        }),
        NodeKind::Unique => Arc::new(UniqueTemplate { input: input() }),
        NodeKind::Pack { packing } => {
            Arc::new(pack_of(packing, input(), input_plan.expect("what is packed has an input").spec())?)
        }
        NodeKind::Single => Arc::new(SingleTemplate { input: input() }),
        NodeKind::AssertCardinality { expected } => {
            Arc::new(AssertCardinalityTemplate { input: input(), expected: *expected })
        }
        NodeKind::Enumerate { start } => Arc::new(EnumerateTemplate { input: input(), start: *start }),
        NodeKind::Unbatch => {
            let spec = input_plan.expect("an unbatch has an input").spec().clone();
            Arc::new(UnbatchTemplate::new(input(), spec))
        }
        NodeKind::OnError { policy } => Arc::new(OnErrorTemplate { input: input(), policy: policy.clone() }),
        NodeKind::GlobalShuffle { seeds, reshuffle_each_iteration } => {
            let order = Order { seeds: *seeds, reshuffle_each_iteration: *reshuffle_each_iteration };
            global_shuffle_of(input_plan.expect("a shuffle has an input"), order)?
        }
        NodeKind::FromIter { source } => Arc::new(FromIterTemplate {
            source: source.clone(),
            starts: NumberedStarts::default(),
            given_bytes: Arc::default(),
        }),
        NodeKind::IgnoreErrors => Arc::new(IgnoreErrorsTemplate { input: input() }),
        NodeKind::Concatenate => Arc::new(ConcatenateTemplate { inputs, join: plan.num_joins() }),
        NodeKind::Zip { .. } => Arc::new(ZipTemplate { inputs }),
        NodeKind::Cache { place: CachePlace::Memory(cell) } => cache_in_memory(input(), cell, plan)?,
        NodeKind::Cache { place: CachePlace::Folder { .. } } => cache_in_folder(input(), plan),
        NodeKind::Prefetch { buffer_size } => {
            let learned = Arc::default();
            Arc::new(PrefetchTemplate { input: input(), buffer_size: *buffer_size, level, learned })
        }
        other => return Err(ExecError::internal(format!("the step {other} has no operator"))),
    };
    let template = match (&node.kind, input_plan.and_then(rows_in_memory)) {
        (NodeKind::Shuffle { .. } | NodeKind::ShuffleAndRepeat { .. }, Some(columns)) if !plan.is_pass() => {
            Arc::new(GatherTemplate { input: template, columns: Arc::new(columns.to_vec()) })
        }
        _ => template,
    };
    Ok(Arc::new(MeasuredTemplate { template, step, runs_user_code }))
}
