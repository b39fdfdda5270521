//! What steps that are lowered alike share, and what is known about plans.

use std::ops::Range;
use std::sync::Arc;

use feedline_data::block::Column;
use feedline_data::{ElementSpec, Structure, TensorSpec};
use feedline_formats::Compression;
use feedline_formats::csv::file::CsvRecords;
use feedline_formats::csv::strict::Dialect;
use feedline_formats::fixed_length::FixedLength;
use feedline_plan::expr::{Attribute, number_tensor};
use feedline_plan::{Cardinality, FileCompression, FileFormat, Function, NodeKind, Packing, Plan};

use crate::error::ExecError;
use crate::eval::Program;
use crate::files::{Buffers, RowKind};
use crate::operators::gather::GatherTemplate;
use crate::operators::global_shuffle::{GlobalFilesTemplate, NumbersTemplate, Order};
use crate::operators::map::{Grain, MapTemplate, SharedLane};
use crate::operators::pack::PackTemplate;
use crate::operators::range::RangeTemplate;
use crate::origin::{FileStarts, NumberedStarts};
use crate::reserved::shuffled_row_bytes;
use crate::template::{MeasuredTemplate, Template};
use crate::workers::Level;

/// What a shuffle gets, and the bytes of one of it: of tensors in memory the row numbers, which [`GatherTemplate`] makes rows
/// of behind it; otherwise the elements themselves. Both sources save the number of the next row, so states are the same.
pub(super) fn shuffled(
    plan: Option<&Plan>,
    template: Arc<dyn Template>,
    shuffle_step: usize,
) -> (Arc<dyn Template>, Option<usize>) {
    let plan = plan.expect("a shuffle has an input");
    let row_bytes = shuffled_row_bytes(plan);
    let Some(columns) = rows_in_memory(plan) else { return (template, row_bytes) };
    let starts = NumberedStarts::default();
    let numbers = RangeTemplate { start: 0, step: 1, count: Some(columns[0].rows() as u64), starts };
    let numbers =
        MeasuredTemplate { template: Arc::new(numbers), step: shuffle_step - 1, runs_user_code: false };
    (Arc::new(numbers), row_bytes)
}

/// Whether code of the user's makes its rows.
pub(super) fn is_user_code(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Map { function, .. } | NodeKind::MapAndBatch { function, .. } => {
            matches!(function, Function::Native(_))
        }
        NodeKind::FromIter { .. } => true,
        _ => false,
    }
}

/// The tensors of which `plan` gives the slices, if that is all it does.
pub(crate) fn rows_in_memory(plan: &Plan) -> Option<&[Column]> {
    match &plan.node().kind {
        NodeKind::TensorSlices { columns } => Some(columns),
        _ => None,
    }
}

/// Whether elements of `plan` cost more than a copy.
pub(super) fn computes(plan: &Plan) -> bool {
    let node = plan.node();
    match node.kind {
        NodeKind::Map { .. }
        | NodeKind::MapAndBatch { .. }
        | NodeKind::Filter { .. }
        | NodeKind::TakeWhile { .. }
        | NodeKind::Group { .. }
        | NodeKind::Scan { .. }
        | NodeKind::Reduce { .. } => true,
        // Kept, they are there; while they are not, each is computed whether it is skipped or not.
        NodeKind::Cache { .. } => false,
        _ => node.inputs.iter().any(computes),
    }
}

/// A map from elements of the first spec to ones of the second; `place` is its level, the number of its step, and the number that has in the
/// plan as written.
pub(super) fn map_of(
    function: &Function,
    num_parallel_calls: Option<usize>,
    (input_spec, spec): (&ElementSpec, &ElementSpec),
    input: Arc<dyn Template>,
    place: (Level, usize, u32),
) -> Result<MapTemplate, ExecError> {
    let (input, tensors) = match input.as_gather() {
        Some((numbers, tensors)) => (numbers, Some(tensors)),
        None => (input, None),
    };
    Ok(MapTemplate {
        input,
        tensors,
        program: Arc::new(Program::of_step(function, input_spec, place.2)?),
        row_bytes: row_bytes(input_spec)
            .zip(row_bytes(spec))
            .map(|(incoming, outgoing)| incoming.max(outgoing)),
        num_parallel_calls,
        batches: None,
        level: place.0,
        step: place.1,
        grain: Arc::new(Grain::default()),
        learned: Arc::default(),
        shared_lane: SharedLane::default(),
    })
}

/// What packs elements of `spec`.
pub(super) fn pack_of(
    packing: &Packing,
    input: Arc<dyn Template>,
    spec: &ElementSpec,
) -> Result<PackTemplate, ExecError> {
    let padding = |leaf: &TensorSpec| {
        number_tensor(&Attribute::Int(packing.padding), leaf.dtype)
            .map_err(|error| ExecError::internal(error.to_string()))
    };
    let padding = spec.leaves().into_iter().map(padding).collect::<Result<_, _>>()?;
    Ok(PackTemplate { input, packing: packing.clone(), padding, spec: spec.clone() })
}

/// A source in random order.
pub(super) fn global_shuffle_of(source: &Plan, order: Order) -> Result<Arc<dyn Template>, ExecError> {
    let numbers = |start, step, count| {
        Arc::new(NumbersTemplate { start, step, count, order, starts: NumberedStarts::default() })
    };
    Ok(match &source.node().kind {
        NodeKind::Range { start, step, .. } => {
            numbers(*start, *step, known(source).expect("a range knows its length"))
        }
        NodeKind::TensorSlices { columns } => Arc::new(GatherTemplate {
            input: numbers(0, 1, columns[0].rows() as u64),
            columns: Arc::new(columns.clone()),
        }),
        NodeKind::Files { paths, .. } => Arc::new(GlobalFilesTemplate {
            paths: Arc::clone(paths),
            order,
            buffers: Buffers::default(),
            opened: Arc::default(),
            learned: Arc::default(),
            starts: FileStarts::of(paths),
        }),
        other => return Err(ExecError::internal(format!("a global shuffle of {other}"))),
    })
}

pub(super) fn row_kind(format: FileFormat) -> RowKind {
    match format {
        FileFormat::TfRecord => RowKind::Record,
        FileFormat::TextLine => RowKind::Line,
        FileFormat::FixedLength(format) => RowKind::Fixed(FixedLength {
            record_bytes: format.record_bytes,
            header_bytes: format.header_bytes,
            footer_bytes: format.footer_bytes,
            compression: match format.compression {
                FileCompression::None => None,
                FileCompression::Gzip => Some(Compression::Gzip),
                FileCompression::Zlib => Some(Compression::Zlib),
            },
        }),
        FileFormat::Csv(format) => RowKind::Csv(CsvRecords {
            dialect: Dialect { delimiter: format.field_delim, has_quotes: format.use_quote_delim },
            has_header: format.header,
        }),
    }
}

/// Number of elements, where the plan knows.
pub(crate) fn known(plan: &Plan) -> Option<u64> {
    match plan.cardinality() {
        Cardinality::Known(count) => Some(count),
        Cardinality::Infinite | Cardinality::Unknown => None,
    }
}

/// Bytes of an element, if all its tensors have fixed shapes and no strings.
pub(crate) fn row_bytes(spec: &ElementSpec) -> Option<usize> {
    spec.leaves().iter().map(|spec| spec.byte_size()).sum()
}

/// What each dataset of a window has of an element of `spec`, whose first leaf is number `first`.
pub(super) fn add_datasets(
    spec: &ElementSpec,
    first: usize,
    datasets: &mut Vec<(Range<usize>, ElementSpec)>,
) {
    match spec {
        Structure::Tuple(parts) => add_each(parts.iter(), first, datasets),
        Structure::Dict(parts) => add_each(parts.values(), first, datasets),
        one => datasets.push((first..first + one.num_leaves(), one.clone())),
    }
}

fn add_each<'a>(
    parts: impl Iterator<Item = &'a ElementSpec>,
    mut first: usize,
    datasets: &mut Vec<(Range<usize>, ElementSpec)>,
) {
    for part in parts {
        add_datasets(part, first, datasets);
        first += part.num_leaves();
    }
}
