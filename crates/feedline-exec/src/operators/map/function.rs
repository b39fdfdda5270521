//! What a map does with the rows of a task.

use std::borrow::Cow;
use std::sync::Arc;

use feedline_data::block::{Block, Column};

use super::gathering::Landings;
use crate::eval::{Allowance, Part, Program};
use crate::operators::gather::fetch_rows;

/// The function of a map.
#[derive(Debug)]
pub(super) struct MapFunction {
    program: Arc<Program>,
    /// Where rows come as numbers: the tensors to fetch them from. On the workers each core fetches what it computes with.
    tensors: Option<Arc<Vec<Column>>>,
    /// Rows computed at a time where results have a place to go.
    tile_rows: usize,
}

impl MapFunction {
    pub(super) fn new(
        program: Arc<Program>,
        tensors: Option<Arc<Vec<Column>>>,
        tile_rows: usize,
    ) -> MapFunction {
        MapFunction { program, tensors, tile_rows }
    }

    pub(super) fn is_user_code(&self) -> bool {
        self.program.is_user_code()
    }

    /// Whether it has to be measured whether it waits.
    pub(super) fn may_wait(&self) -> bool {
        self.program.may_wait()
    }

    /// What it makes of the first rows, as many as their results may take memory.
    pub(super) fn run(&self, block: Block, allowance: &mut Allowance) -> Part {
        if self.tensors.is_none() {
            return self.program.run_within(block, allowance);
        }
        let Part { done, rest } = self.program.run_within(self.fetched(block.clone()), allowance);
        // What is left is left as it came: numbers.
        let num_done = done.as_ref().map_or(0, Block::rows);
        Part { done, rest: rest.map(|_| block.slice(num_done..block.rows())) }
    }

    /// Rows of the tensors, if `block` has their numbers.
    fn fetched(&self, block: Block) -> Block {
        match &self.tensors {
            Some(tensors) => fetch_rows(tensors, block),
            None => block,
        }
    }

    /// As [`MapFunction::run`], with the results in `landings`; if those are all, the block comes without columns. `None` if
    /// they do not fit, or are not those of all rows.
    ///
    /// A few rows at a time: what is computed between the first operation and the last then stays in the nearest caches, in
    /// memory the allocator hands out again and again, and only the results go to memory. With that and with batch
    /// memory used again, images made float32 and scaled went from 302,000 a second to 511,000.
    pub(super) fn run_into(
        &self,
        block: Block,
        mut landings: Landings,
        allowance: &mut Allowance,
    ) -> (Part, Option<Landings>) {
        let rows = block.rows();
        if self.program.makes_pixels() && landings.has_all() && block.errors().is_empty() {
            // A row that fails is rare, and then all are computed again.
            let input = match &self.tensors {
                Some(tensors) => Cow::Owned(fetch_rows(tensors, block.clone())),
                None => Cow::Borrowed(&block),
            };
            let is_done = self.program.run_into(input, landings.columns_mut(), allowance);
            return if is_done {
                (Part::whole(block.with_columns(Vec::new())), Some(landings))
            } else {
                (self.run(block, allowance), None)
            };
        }
        if !landings.is_tiled() || rows <= self.tile_rows || !block.errors().is_empty() {
            return match self.run(block, allowance) {
                Part { done: Some(done), rest: None }
                    if done.errors().is_empty() && landings.append(&done) =>
                {
                    // What came is not needed beside its copy: until the batch is whole it would be as much memory again, and where it is another
                    // process's, a place for each row that the process cannot write the next results to.
                    let done = if landings.has_all() { done.with_columns(Vec::new()) } else { done };
                    (Part::whole(done), Some(landings))
                }
                part => (part, None),
            };
        }
        for begin in (0..rows).step_by(self.tile_rows) {
            let tile = self.fetched(block.slice(begin..rows.min(begin + self.tile_rows)));
            if !self.program.run_into(Cow::Owned(tile), landings.columns_mut(), allowance) {
                return (self.run(block, allowance), None);
            }
        }
        (Part::whole(block.with_columns(Vec::new())), Some(landings))
    }
}
