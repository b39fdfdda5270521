//! What a map does with the rows of a task.

use std::sync::Arc;

use feedline_data::block::{Block, Column};

use super::gathering::Landings;
use crate::eval::Program;
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

    /// What it makes of each row.
    pub(super) fn run(&self, block: Block) -> Block {
        self.program.run(self.fetched(block))
    }

    /// Rows of the tensors, if `block` has their numbers.
    fn fetched(&self, block: Block) -> Block {
        match &self.tensors {
            Some(tensors) => fetch_rows(tensors, block),
            None => block,
        }
    }

    /// As [`MapFunction::run`], with the results in `landings`; if those are all, the block comes without columns. `None` if
    /// they do not fit.
    ///
    /// A few rows at a time: what is computed between the first operation and the last then stays in the nearest caches, in
    /// memory the allocator hands out again and again, and only the results go to memory. With that and with batch
    /// memory used again, images made float32 and scaled went from 302,000 a second to 511,000.
    pub(super) fn run_into(&self, block: Block, mut landings: Landings) -> (Block, Option<Landings>) {
        let rows = block.rows();
        if self.program.makes_pixels() && landings.has_all() && block.errors().is_empty() {
            // A row that fails is rare, and then all are computed again.
            return if self.program.run_into(self.fetched(block.clone()), landings.columns_mut()) {
                (block.with_columns(Vec::new()), Some(landings))
            } else {
                (self.run(block), None)
            };
        }
        if !landings.is_tiled() || rows <= self.tile_rows || !block.errors().is_empty() {
            let block = self.run(block);
            let fits = block.errors().is_empty() && landings.append(&block);
            return (block, fits.then_some(landings));
        }
        for begin in (0..rows).step_by(self.tile_rows) {
            let tile = self.fetched(block.slice(begin..rows.min(begin + self.tile_rows)));
            if !self.program.run_into(tile, landings.columns_mut()) {
                return (self.run(block), None);
            }
        }
        (block.with_columns(Vec::new()), Some(landings))
    }
}
