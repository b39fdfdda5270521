//! The expressions inside steps, for what goes through all of them, whatever the step is.

use crate::expr::Expr;
use crate::{Function, NodeKind};

/// The expressions of a step.
pub(crate) struct Exprs<T> {
    /// Those of its functions, which get elements; and what a dataset that is made of an element is started with.
    pub(crate) functions: Vec<T>,
    /// Its arguments, which are known before it starts: constants, and values of the element around.
    pub(crate) arguments: Vec<T>,
}

impl NodeKind {
    /// All expressions of the step.
    pub(crate) fn exprs(&self) -> Exprs<Expr> {
        let mut copy = self.clone();
        let Exprs { functions, arguments } = copy.exprs_mut();
        Exprs {
            functions: functions.into_iter().map(|expr| expr.clone()).collect(),
            arguments: arguments.into_iter().map(|expr| expr.clone()).collect(),
        }
    }

    /// All expressions of the step, to be changed.
    pub(crate) fn exprs_mut(&mut self) -> Exprs<&mut Expr> {
        let functions = |functions| Exprs { functions, arguments: Vec::new() };
        let arguments = |arguments| Exprs { functions: Vec::new(), arguments };
        match self {
            NodeKind::Map { function: Function::Traced(result), .. }
            | NodeKind::MapAndBatch { function: Function::Traced(result), .. } => {
                functions(result.leaves_mut())
            }
            NodeKind::Filter { predicate } | NodeKind::TakeWhile { predicate } => functions(vec![predicate]),
            NodeKind::FlatMap { nested } | NodeKind::Interleave { nested, .. } => {
                functions(nested.captures.iter_mut().collect())
            }
            NodeKind::Scan { fold } | NodeKind::Reduce { fold } => {
                Exprs { functions: fold.result.leaves_mut(), arguments: fold.initial.leaves_mut() }
            }
            NodeKind::Group { key, window_size, .. } => functions(vec![key, window_size]),
            NodeKind::RowsOf { parts, .. } => arguments(parts.iter_mut().collect()),
            NodeKind::PaddedBatch { fill_to, .. } => arguments(fill_to.iter_mut().collect()),
            NodeKind::RangeOf { bounds } => arguments(bounds.iter_mut().collect()),
            NodeKind::TensorsOf { tensors, .. } => arguments(tensors.iter_mut().collect()),
            NodeKind::FilesOf { paths: expr, .. } | NodeKind::CountedBy { count: expr, .. } => {
                arguments(vec![expr])
            }
            NodeKind::Map { function: Function::Native(_), .. }
            | NodeKind::MapAndBatch { function: Function::Native(_), .. }
            | NodeKind::Deterministic { .. }
            | NodeKind::Range { .. }
            | NodeKind::Counter { .. }
            | NodeKind::Random { .. }
            | NodeKind::RandomChoice { .. }
            | NodeKind::ExactChoice { .. }
            | NodeKind::FromIter { .. }
            | NodeKind::TensorSlices { .. }
            | NodeKind::Tensors { .. }
            | NodeKind::Files { .. }
            | NodeKind::Shuffle { .. }
            | NodeKind::GlobalShuffle { .. }
            | NodeKind::Batch { .. }
            | NodeKind::Window { .. }
            | NodeKind::Collect
            | NodeKind::Pack { .. }
            | NodeKind::Rebatch { .. }
            | NodeKind::Repeat { .. }
            | NodeKind::ShuffleAndRepeat { .. }
            | NodeKind::Take { .. }
            | NodeKind::Skip { .. }
            | NodeKind::Shard { .. }
            | NodeKind::Enumerate { .. }
            | NodeKind::Unique
            | NodeKind::Single
            | NodeKind::AssertCardinality { .. }
            | NodeKind::Choose { .. }
            | NodeKind::Unbatch
            | NodeKind::IgnoreErrors
            | NodeKind::OnError { .. }
            | NodeKind::Concatenate
            | NodeKind::Zip { .. }
            | NodeKind::Cache { .. }
            | NodeKind::Prefetch { .. } => functions(Vec::new()),
        }
    }
}
