//! The memory of a shuffle: its rows, and what the budget is charged for them.

use feedline_data::block::{Block, Column, Ids};

use super::ShuffleTemplate;
use super::slots::{STORED_OVERHEAD_BYTES, Slots, stored_bytes};
use crate::budget::Charge;
use crate::error::ExecError;
use crate::metrics::QueuePart;
use crate::template::Scope;

/// Rows by slot, charged to the budget. Two epochs may share one: together they hold no more than a full buffer.
pub(super) struct Storage {
    slots: Slots,
    /// For everything in the slots: what they can hold, where that was known, else what they do hold.
    charge: Charge,
    is_reserved: bool,
    buffer_size: usize,
    /// Rows held.
    num_rows: usize,
    depth: QueuePart,
}

impl Storage {
    /// An empty one. A full buffer is charged where its size can be told before anything runs, so that nothing that runs
    /// ahead takes the memory away; otherwise elements are charged as they come.
    pub(super) fn new(template: &ShuffleTemplate, scope: &Scope) -> Result<Storage, ExecError> {
        let runtime = &scope.runtime;
        let reserved = template.row_bytes.map(|row_bytes| {
            let buffer_size = template.buffer_size as u64;
            let held = template.num_elements.map_or(buffer_size, |count| count.min(buffer_size));
            let row_bytes = (row_bytes + STORED_OVERHEAD_BYTES) as u64;
            let wanted = held.saturating_mul(row_bytes);
            runtime.budget.try_charge(wanted).ok_or_else(|| {
                let left = runtime.budget.limit_bytes().saturating_sub(runtime.budget.used_bytes());
                too_large(template.buffer_size, wanted, left, left / row_bytes)
            })
        });
        let reserved = reserved.transpose()?;
        Ok(Storage {
            slots: Slots::default(),
            is_reserved: reserved.is_some(),
            charge: reserved.unwrap_or_else(|| runtime.budget.charge(0)),
            buffer_size: template.buffer_size,
            num_rows: 0,
            depth: scope.probe().hold("elements", 0),
        })
    }

    /// Bytes of a row on average, where the spec did not tell and some are held.
    pub(super) fn row_bytes(&self) -> Option<usize> {
        (!self.is_reserved && self.num_rows > 0).then(|| self.slots.held_bytes() / self.num_rows)
    }

    /// Whether rows are handed out as views, which cost next to nothing to make.
    pub(super) fn are_views(&self) -> bool {
        self.slots.are_views()
    }

    /// Whether the budget allows the rows of `block`, to be [`put`](Storage::put) next.
    pub(super) fn admit(&mut self, block: &Block) -> Result<(), ExecError> {
        if !self.is_reserved {
            // Compared with the whole budget, not with what is free: what runs ahead stops when the budget is reached, and
            // drains. An error is due only if this buffer alone is too large.
            let (bytes, limit) = (stored_bytes(block), self.charge.limit_bytes());
            if self.slots.held_bytes() as u64 + bytes > limit {
                self.slots.make_room();
            }
            let wanted = self.slots.held_bytes() as u64 + bytes;
            if wanted > limit {
                let row_bytes = wanted / (self.num_rows + block.rows()).max(1) as u64;
                let wanted = (self.buffer_size as u64).saturating_mul(row_bytes);
                return Err(too_large(self.buffer_size, wanted, limit, limit / row_bytes.max(1)));
            }
        }
        self.num_rows += block.rows();
        self.depth.set(self.num_rows as u64);
        Ok(())
    }

    /// Charges what is held now.
    fn update_charge(&mut self) {
        if !self.is_reserved {
            self.charge.resize(self.slots.held_bytes() as u64);
        }
    }

    /// A slot for one more row.
    pub(super) fn allocate(&mut self) -> u32 {
        self.slots.allocate()
    }

    /// Stores the rows of `block` in `slots`, one each.
    pub(super) fn put(&mut self, block: &Block, slots: &[u32]) {
        self.slots.put(block, slots, usize::try_from(self.charge.limit_bytes()).unwrap_or(usize::MAX));
        self.update_charge();
    }

    /// The rows in `slots`.
    pub(super) fn get(&mut self, slots: &[u32]) -> (Vec<Column>, Ids) {
        self.slots.get(slots)
    }

    /// Gives slots back, and what their rows were charged.
    pub(super) fn release(&mut self, slots: &[u32]) {
        self.num_rows -= slots.len();
        self.depth.set(self.num_rows as u64);
        self.slots.release(slots);
        self.update_charge();
    }

    /// Drops everything. What was reserved goes too.
    pub(super) fn clear(&mut self) {
        self.slots = Slots::default();
        self.num_rows = 0;
        self.depth.set(0);
        self.charge.shrink(self.charge.bytes());
    }
}

fn too_large(buffer_size: usize, wanted: u64, limit: u64, fits: u64) -> ExecError {
    ExecError::resource(format!(
        "shuffle: a buffer of {buffer_size} elements needs {wanted} bytes, the memory budget has {limit}"
    ))
    .with_hint(format!(
        "about {fits} elements fit; shuffle before decoding, use global_shuffle, or raise the memory budget"
    ))
}
