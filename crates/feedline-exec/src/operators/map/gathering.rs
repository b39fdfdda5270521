//! Parts of a batch, computed by several tasks, put together without a copy of their own.
//!
//! Where rows cost so much that a batch is the work of several tasks, or results go there tile by tile
//! ([`MapFunction::run_into`](super::function::MapFunction::run_into)), memory for the whole batch is there before they
//! start ([`Landing`]), each task writes its rows into its part of it, on its own thread, and when all are done the batch is that
//! memory. What has no fixed size (strings) is joined as views. It is a guess which rows make a batch: an error moves
//! them, and then they are handed on one by one and the batch copies them together.

use std::collections::VecDeque;
use std::sync::Arc;

use feedline_data::block::{Block, Column, Ids, Landing, Memory, Position, Token};
use feedline_data::{DType, ElementSpec};

use crate::budget::Charge;

/// Which rows are to make a batch.
pub(super) struct BatchAim {
    size: usize,
    /// Type and shape of each leaf; `None` where rows differ in size.
    leaves: Vec<Option<(DType, Arc<[usize]>)>>,
    /// Elements of the batch being computed that were handed to tasks, as far as is known.
    begun: usize,
    /// What is left of the memory of the batch being computed; `None`: its parts are not put side by side.
    memory: Option<Vec<Option<Landing>>>,
    /// Number of the batch being computed.
    batch: u64,
    /// Where the memory of batches comes from.
    home: Arc<dyn Memory>,
    /// Whether results go to their places tile by tile: then whole batches have places too.
    is_tiled: bool,
}

/// A task's part of a batch.
pub(super) struct Landings {
    /// For each leaf that has a fixed size.
    columns: Vec<Option<Landing>>,
    batch: u64,
    is_first: bool,
    is_last: bool,
    is_tiled: bool,
}

impl BatchAim {
    /// Batches of `size` elements of `spec`, of at most `max_bytes`: memory for larger ones is not there before they are.
    pub(super) fn new(
        size: usize,
        spec: &ElementSpec,
        home: Arc<dyn Memory>,
        max_bytes: u64,
        is_tiled: bool,
    ) -> BatchAim {
        let leaf_of = |spec: &&feedline_data::TensorSpec| {
            spec.dtype.width()?;
            Some((spec.dtype, Arc::from(spec.shape.to_fixed()?)))
        };
        let row_bytes = |(dtype, shape): &(DType, Arc<[usize]>)| {
            shape.iter().try_fold(dtype.width()?, |bytes, &dim| bytes.checked_mul(dim))
        };
        let fits = |leaf: &Option<(DType, Arc<[usize]>)>| {
            let Some(leaf) = leaf else { return true };
            let bytes = row_bytes(leaf).and_then(|bytes| bytes.checked_mul(size));
            bytes.is_some_and(|bytes| bytes as u64 <= max_bytes)
        };
        let mut leaves: Vec<_> = spec.leaves().iter().map(leaf_of).collect();
        if !leaves.iter().all(fits) {
            leaves.fill(None);
        }
        let is_tiled = is_tiled && leaves.iter().all(Option::is_some);
        BatchAim { size, leaves, begun: 0, memory: None, batch: 0, home, is_tiled }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// How many rows the next task should have, if `rows` would be about right: no more than the batch has left, unless it
    /// is whole batches.
    pub(super) fn rows_of_task(&self, rows: usize) -> usize {
        if self.begun == 0 && rows >= self.size { rows } else { rows.min(self.size - self.begun) }
    }

    /// A task of `rows` rows begins: its part of the batch, if it is only a part, in a list that `gathering` has left over.
    pub(super) fn begin_task(&mut self, rows: usize, gathering: &mut Gathering) -> Option<Landings> {
        let is_first = self.begun == 0;
        if is_first {
            self.batch += 1;
            self.memory = (rows < self.size || self.is_tiled).then(|| {
                let landing = |leaf: &Option<(DType, Arc<[usize]>)>| {
                    let (dtype, shape) = leaf.as_ref()?;
                    Landing::new(*dtype, Arc::clone(shape), rows.max(self.size), &self.home)
                };
                self.leaves.iter().map(landing).collect()
            });
        }
        self.begun += rows;
        let is_last = self.begun >= self.size;
        let has_room = is_first || self.begun <= self.size;
        let landings = self.memory.as_mut().filter(|_| has_room).map(|memory| {
            let mut columns = gathering.lists.pop().unwrap_or_default();
            columns.extend(memory.iter_mut().map(|column| Some(column.as_mut()?.take(rows))));
            Landings { columns, batch: self.batch, is_first, is_last, is_tiled: self.is_tiled }
        });
        if is_last {
            self.begun %= self.size;
            self.memory = None;
        }
        landings
    }

    /// Errors came out in the place of elements: the batch needs as many more.
    pub(super) fn note_errors(&mut self, errors: usize) {
        if errors > 0 {
            self.begun = (self.begun + self.size - errors % self.size) % self.size;
            self.memory = None;
        }
    }
}

impl Landings {
    /// Whether there is a place for every leaf.
    pub(super) fn has_all(&self) -> bool {
        self.columns.iter().all(Option::is_some)
    }

    /// Whether results are to be put here tile by tile.
    pub(super) fn is_tiled(&self) -> bool {
        self.is_tiled && self.has_all()
    }

    /// Bytes of the rows that are here alone, and not in the block as well.
    pub(super) fn moved_bytes(&self) -> usize {
        if self.has_all() { self.columns.iter().flatten().map(Landing::byte_size).sum() } else { 0 }
    }

    /// Puts the rows of `block`, which has no errors, behind those that are there; whether they fit.
    pub(super) fn append(&mut self, block: &Block) -> bool {
        block.columns().len() == self.columns.len()
            && block
                .columns()
                .iter()
                .zip(&mut self.columns)
                .all(|(column, landing)| landing.as_mut().is_none_or(|landing| landing.append(column)))
    }

    /// The places of the leaves.
    pub(super) fn columns_mut(&mut self) -> &mut [Option<Landing>] {
        &mut self.columns
    }

    /// Whether all rows are there.
    fn is_full(&self) -> bool {
        self.columns.iter().flatten().all(Landing::is_full)
    }

    /// `block` with the rows that are here, if it came without.
    pub(super) fn into_block(self, block: Block) -> Block {
        if !block.columns().is_empty() {
            return block;
        }
        block.with_columns(self.columns.into_iter().flatten().map(Landing::into_column).collect())
    }
}

/// Parts of a batch, in order, until all are there.
pub(super) struct Gathering {
    parts: Vec<(Block, Landings, Charge)>,
    /// What parts may come to that have no memory of the batch's: nobody has looked whether that fits. Whoever makes the batch does.
    max_bytes: u64,
    /// To be handed on.
    ready: VecDeque<(Block, Vec<Charge>)>,
    /// Empty lists of parts that were put together, for tasks to come.
    lists: Vec<Vec<Option<Landing>>>,
}

impl Gathering {
    /// No parts yet.
    pub(super) fn new(max_bytes: u64) -> Gathering {
        Gathering { parts: Vec::new(), max_bytes, ready: VecDeque::new(), lists: Vec::new() }
    }

    /// Rows that were computed and not handed on.
    pub(super) fn rows(&self) -> usize {
        let parts = self.parts.iter().map(|(block, ..)| block);
        parts.chain(self.ready.iter().map(|(block, _)| block)).map(Block::rows).sum()
    }

    /// The next of a map's results, in order.
    pub(super) fn push(&mut self, block: Option<Block>, landings: Option<Landings>, charge: Charge) {
        let Some(block) = block else { return };
        let landings = match landings {
            Some(landings) if landings.is_full() => landings,
            other => {
                self.give_up();
                let block = match other {
                    Some(landings) => landings.into_block(block),
                    None => block,
                };
                self.ready.push_back((block, vec![charge]));
                return;
            }
        };
        let goes_on = self.parts.last().is_none_or(|(_, last, _)| last.batch == landings.batch);
        if !goes_on || (self.parts.is_empty() && !landings.is_first) {
            self.give_up();
        }
        let is_last = landings.is_last;
        let is_whole = self.parts.first().map_or(landings.is_first, |(_, first, _)| first.is_first);
        self.parts.push((block, landings, charge));
        if is_last || !is_whole {
            self.finish(is_whole && !self.is_too_large());
        } else if self.is_too_large() {
            self.give_up();
        }
    }

    fn is_too_large(&self) -> bool {
        let is_anywhere = self.parts.last().is_some_and(|(_, landings, _)| !landings.has_all());
        is_anywhere && self.parts.iter().map(|(_, _, charge)| charge.bytes()).sum::<u64>() > self.max_bytes
    }

    /// What is to be handed on next.
    pub(super) fn pop(&mut self) -> Option<(Block, Vec<Charge>)> {
        self.ready.pop_front()
    }

    /// Hands on the parts there are, one by one; whether there are any.
    pub(super) fn give_up(&mut self) -> bool {
        let has_parts = !self.parts.is_empty();
        let blocks =
            self.parts.drain(..).map(|(block, landings, charge)| (landings.into_block(block), vec![charge]));
        self.ready.extend(blocks);
        has_parts
    }

    fn finish(&mut self, is_whole: bool) {
        if !is_whole {
            self.give_up();
            return;
        }
        let num_parts = self.parts.len();
        let (mut blocks, mut charges) = (Vec::with_capacity(num_parts), Vec::with_capacity(num_parts));
        let first_list = self.lists.len();
        for (block, landings, charge) in self.parts.drain(..) {
            blocks.push(block);
            self.lists.push(landings.columns);
            charges.push(charge);
        }
        let landings = &mut self.lists[first_list..];
        self.ready.push_back((joined(&blocks, landings), charges));
        landings.iter_mut().for_each(Vec::clear);
    }
}

/// Blocks without errors as one; `landings` has the memory of columns of a fixed size, block by block.
fn joined(blocks: &[Block], landings: &mut [Vec<Option<Landing>>]) -> Block {
    let num_columns = landings[0].len();
    let column = |leaf: usize| Landing::join(landings.iter_mut().filter_map(|columns| columns[leaf].take()));
    join_blocks(blocks, num_columns, column)
}

/// Blocks without errors as one.
pub(super) fn side_by_side(blocks: &[Block]) -> Block {
    join_blocks(blocks, blocks[0].columns().len(), |_| None)
}

/// Blocks without errors as one; `column` has those columns that lie side by side already.
fn join_blocks(
    blocks: &[Block],
    num_columns: usize,
    mut column: impl FnMut(usize) -> Option<Column>,
) -> Block {
    let columns = (0..num_columns).map(|leaf| {
        column(leaf).unwrap_or_else(|| {
            let columns: Vec<Column> = blocks.iter().map(|block| block.columns()[leaf].clone()).collect();
            Column::concat(&columns)
        })
    });
    let columns = columns.collect();
    if let [block] = blocks {
        return block.clone().with_columns(columns);
    }
    let ids: Vec<Ids> = blocks.iter().map(|block| block.ids().clone()).collect();
    let positions: Vec<(u64, Position)> =
        blocks.iter().map(|block| (block.rows() as u64, block.position().clone())).collect();
    let position_after = move |rows: u64| {
        let mut left = rows;
        for (piece_rows, position) in &positions {
            if left <= *piece_rows {
                return position.plus(left);
            }
            left -= piece_rows;
        }
        unreachable!("a position within the block")
    };
    Block::new(columns, Ids::concat(&ids), Position::at(Token::of_input(position_after)))
}
