//! Steps of nested plans whose arguments come with the element around: when they are started they are those steps.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use feedline_data::block::{Position, Tensor};
use feedline_data::rows::split_rows;
use feedline_data::{ElementSpec, Shape};
use feedline_plan::expr::{Expr, ExprKind};
use feedline_plan::{Cardinality, CountedStep, Padding, Plan};

use super::batch::BatchTemplate;
use super::files::FilesTemplate;
use super::range::RangeTemplate;
use super::repeat::{EpochsTemplate, RepeatTemplate};
use super::skip::SkipTemplate;
use super::take::TakeTemplate;
use super::tensor_slices::TensorSlicesTemplate;
use crate::error::ExecError;
use crate::files::{Buffers, RowKind};
use crate::operator::Operator;
use crate::origin::{FileStarts, KnownStarts, NumberedStarts, Origin, Passing, Sought};
use crate::template::{Scope, Template};

/// An argument of a step.
#[derive(Debug)]
pub(crate) enum Argument {
    Constant(Tensor),
    /// The value of this number among those the plan is started with.
    Outer(usize),
}

impl Argument {
    pub(crate) fn new(expr: &Expr) -> Result<Argument, ExecError> {
        match &expr.node().kind {
            ExprKind::Constant(tensor) => Ok(Argument::Constant(tensor.clone())),
            ExprKind::Outer { index } => Ok(Argument::Outer(*index)),
            _ => Err(ExecError::internal(format!("the argument {expr} in a plan that runs"))),
        }
    }

    pub(crate) fn value<'a>(&'a self, scope: &'a Scope) -> &'a Tensor {
        match self {
            Argument::Constant(tensor) => tensor,
            Argument::Outer(index) => &scope.outer_values()[*index],
        }
    }

    fn integer(&self, scope: &Scope, what: &str) -> Result<i64, ExecError> {
        match self.value(scope).as_slice::<i64>() {
            [number] => Ok(*number),
            numbers => Err(ExecError::value(
                format!("{what} must be one number, not {}", numbers.len()),
                "pick one with an index, `x[0]`, or make one with `reduce_max` or `size`",
            )),
        }
    }
}

#[derive(Debug)]
pub(crate) struct RangeOfTemplate {
    pub(crate) bounds: [Argument; 3],
}

impl Template for RangeOfTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let [start, stop, step] = &self.bounds;
        let start = start.integer(scope, "range: start")?;
        let (stop, step) = (stop.integer(scope, "range: stop")?, step.integer(scope, "range: step")?);
        let plan = Plan::range(start, stop, step).map_err(|error| {
            ExecError::value(
                error.to_string(),
                "the step comes with the element around: filter those where it is 0",
            )
        })?;
        let Cardinality::Known(count) = plan.cardinality() else {
            return Err(ExecError::internal("a range knows its length"));
        };
        RangeTemplate { start, step, count: Some(count), starts: NumberedStarts::default() }.start(scope, at)
    }
}

#[derive(Debug)]
pub(crate) struct TensorsOfTemplate {
    pub(crate) tensors: Vec<Argument>,
    pub(crate) is_sliced: bool,
}

impl Template for TensorsOfTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let tensors = self.tensors.iter().map(|tensor| tensor.value(scope));
        let columns = if self.is_sliced {
            let slices = tensors.map(|tensor| {
                let message = "from_tensor_slices: a tensor is a scalar, which has no slices";
                tensor.slices().ok_or_else(|| {
                    ExecError::value(
                        message,
                        "from_tensors takes scalars; expand_dims(x, 0) makes one slice of it",
                    )
                })
            });
            slices.collect::<Result<Vec<_>, _>>()?
        } else {
            tensors.map(|tensor| tensor.as_column().clone()).collect()
        };
        let rows = columns[0].rows();
        if let Some(other) = columns.iter().find(|column| column.rows() != rows) {
            return Err(ExecError::value(
                format!("from_tensor_slices: one tensor has {rows} slices, another {}", other.rows()),
                "all tensors need the same first size: slice or pad them before",
            ));
        }
        TensorSlicesTemplate { columns, starts: NumberedStarts::default() }.start(scope, at)
    }
}

/// The elements of a dataset that is a value of the element around.
#[derive(Debug)]
pub(crate) struct RowsOfTemplate {
    pub(crate) element: ElementSpec,
    pub(crate) parts: Vec<Argument>,
}

impl Template for RowsOfTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let parts: Vec<Tensor> = self.parts.iter().map(|part| part.value(scope).clone()).collect();
        let columns = split_rows(&self.element, &parts)
            .map_err(|reason| ExecError::internal(format!("a dataset that is none: {reason}")))?;
        TensorSlicesTemplate { columns, starts: NumberedStarts::default() }.start(scope, at)
    }
}

/// A padded batch whose elements are filled up to a size that comes with the element around.
#[derive(Debug)]
pub(crate) struct FilledBatchTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) batch_size: usize,
    pub(crate) drop_remainder: bool,
    pub(crate) padding: Arc<Padding>,
    pub(crate) fill_to: Argument,
    pub(crate) spec: ElementSpec,
}

impl Template for FilledBatchTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let size = self.fill_to.integer(scope, "padded_batch: the size to fill up to")?;
        // Of plans that were written before lengths were checked where buckets are chosen.
        let size = usize::try_from(size).map_err(|_| {
            ExecError::value(
                "bucket_by_sequence_length: an element is as long as the last of bucket_boundaries, or longer",
                "pad_to_bucket_boundary needs a boundary behind every length: add one, or filter longer elements",
            )
        })?;
        let shapes = self.padding.shapes.iter().map(|shape| {
            let dims = shape.dims().unwrap_or_default().iter().map(|dim| Some(dim.unwrap_or(size)));
            Shape::new(dims.collect())
        });
        let padding = Padding { shapes: shapes.collect(), values: self.padding.values.clone() };
        BatchTemplate {
            input: Arc::clone(&self.input),
            batch_sizes: Arc::new([self.batch_size]),
            drop_remainder: self.drop_remainder,
            padding: Some(Arc::new(padding)),
            spec: self.spec.clone(),
            is_in_memory: false,
        }
        .start(scope, at)
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Batches))
    }
}

#[derive(Debug)]
pub(crate) struct FilesOfTemplate {
    pub(crate) paths: Argument,
    pub(crate) kind: RowKind,
    pub(crate) is_stream: bool,
    /// Read buffers, shared by the streams of all elements.
    pub(crate) buffers: Buffers,
    pub(crate) starts: FileStarts,
}

impl Template for FilesOfTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let paths = self.paths.value(scope).strings();
        let paths = paths.ok_or_else(|| ExecError::internal("paths are strings"))?;
        let paths = paths.iter().map(|path| PathBuf::from(OsStr::from_bytes(path))).collect();
        FilesTemplate {
            paths: Arc::new(paths),
            kind: self.kind,
            is_stream: self.is_stream,
            buffers: self.buffers.clone(),
            starts: self.starts.clone(),
        }
        .start(scope, at)
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        self.starts.origin(sought, self.kind)
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        starts.push_files(&self.starts);
    }
}

#[derive(Debug)]
pub(crate) struct CountedByTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) step: CountedStep,
    pub(crate) count: Argument,
}

impl Template for CountedByTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let input = Arc::clone(&self.input);
        let count = u64::try_from(self.count.integer(scope, "a count")?).ok();
        match self.step {
            CountedStep::Repeat => {
                let epochs = EpochsTemplate::Plain(input);
                RepeatTemplate { epochs, count, epoch_rows: None }.start(scope, at)
            }
            CountedStep::Take => TakeTemplate { input, count: count.unwrap_or(u64::MAX) }.start(scope, at),
            CountedStep::Skip => SkipTemplate { input, count: count.unwrap_or(u64::MAX) }.start(scope, at),
        }
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }
}
