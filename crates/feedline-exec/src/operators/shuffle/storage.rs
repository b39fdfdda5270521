//! The memory of a shuffle: its rows, and what the budget is charged for them.
//!
//! Where a spill folder is given, a buffer that does not fit is no error: rows that come when the shuffle's share of the
//! budget is taken go to files there ([`Spilling`]), and are read back when they are picked.

use std::sync::Arc;
use std::task::{Context, Poll};

use feedline_data::block::{Block, Column, Ids};
use feedline_plan::EVERYTHING;

use super::ShuffleTemplate;
use super::slots::{STORED_OVERHEAD_BYTES, Slots, stored_bytes};
use super::spilling::{Fetch, SPILLED_ROW_BYTES, Spilling};
use crate::budget::{Charge, Reservation};
use crate::error::ExecError;
use crate::metrics::QueuePart;
use crate::runtime::Runtime;
use crate::template::Scope;

/// Rows by slot, charged to the budget. Two epochs may share one: together they hold no more than a full buffer.
pub(super) struct Storage {
    rows: Kept,
    /// For everything in the slots: what they can hold, where that was known, else what they do hold.
    reserved: Option<Reservation>,
    charge: Charge,
    buffer_size: usize,
    /// Rows held.
    num_rows: usize,
    depth: QueuePart,
    runtime: Arc<Runtime>,
}

/// Where the rows are.
enum Kept {
    InMemory(Slots),
    Spilling(Box<Spilling>),
}

/// Rows that were picked.
pub(super) enum Picked {
    Ready(Vec<Column>, Ids),
    Fetching(Fetch),
}

/// Of the budget, what a shuffle that spills may take of it: the other half is for everybody else.
const SPILLING_SHARE: u64 = 2;
/// And of that, what may be on its way to files.
const WRITING_SHARE: u64 = 8;
/// Bytes of a file of spilled rows: large enough that there are few, small enough that space is given back soon.
const MIN_SEGMENT_BYTES: u64 = 64 << 10;
const MAX_SEGMENT_BYTES: u64 = 64 << 20;

impl Storage {
    /// An empty one. A full buffer is charged where its size can be told before anything runs, so that nothing that runs
    /// ahead takes the memory away; otherwise elements are charged as they come.
    pub(super) fn new(template: &ShuffleTemplate, scope: &Scope) -> Result<Storage, ExecError> {
        let runtime = &scope.runtime;
        // Nobody knows how much everything is.
        let is_open = template.buffer_size == EVERYTHING && template.num_elements.is_none();
        let reserved = match template.row_bytes.filter(|_| !is_open) {
            Some(row_bytes) => reserve(template, row_bytes, runtime)?,
            None => None,
        };
        let rows = match &runtime.spill {
            Some(folder) if reserved.is_none() => {
                let segment_bytes = runtime.budget.limit_bytes().clamp(MIN_SEGMENT_BYTES, MAX_SEGMENT_BYTES);
                Kept::Spilling(Box::new(Spilling::new(folder.clone(), segment_bytes, &scope.probe())))
            }
            _ => Kept::InMemory(Slots::default()),
        };
        Ok(Storage {
            rows,
            reserved,
            charge: runtime.budget.charge(0),
            buffer_size: template.buffer_size,
            num_rows: 0,
            depth: scope.probe().hold("elements", 0),
            runtime: Arc::clone(runtime),
        })
    }

    /// Bytes of a row on average, where the spec did not tell and some are held.
    pub(super) fn row_bytes(&self) -> Option<usize> {
        if self.reserved.is_some() || self.num_rows == 0 {
            return None;
        }
        Some(match &self.rows {
            Kept::InMemory(slots) => slots.held_bytes() / self.num_rows,
            Kept::Spilling(rows) => (rows.num_bytes() / self.num_rows as u64) as usize,
        })
    }

    /// Whether rows are handed out as views, which cost next to nothing to make.
    pub(super) fn are_views(&self) -> bool {
        match &self.rows {
            Kept::InMemory(slots) => slots.are_views(),
            Kept::Spilling(_) => false,
        }
    }

    /// Whether the budget allows the rows of `block`, to be [`put`](Storage::put) next.
    pub(super) fn admit(&mut self, block: &Block) -> Result<(), ExecError> {
        if self.reserved.is_some() {
            return Ok(());
        }
        // Compared with the whole budget, not with what is free: what runs ahead stops when the budget is reached, and
        // drains. An error is due only if this buffer alone is too large.
        let (bytes, limit) = (stored_bytes(block), self.charge.limit_bytes());
        let num_rows = (self.num_rows + block.rows()).max(1) as u64;
        let (wanted, row_bytes) = match &mut self.rows {
            Kept::InMemory(slots) => {
                if slots.held_bytes() as u64 + bytes > limit {
                    slots.make_room();
                }
                let wanted = slots.held_bytes() as u64 + bytes;
                (wanted, wanted / num_rows)
            }
            // Where each row is must be known in any case.
            Kept::Spilling(_) => {
                let row_bytes = SPILLED_ROW_BYTES as u64;
                (num_rows * row_bytes, row_bytes)
            }
        };
        if wanted > limit {
            let wanted = (self.buffer_size as u64).saturating_mul(row_bytes);
            return Err(too_large((self.buffer_size, wanted), row_bytes, limit, 0));
        }
        Ok(())
    }

    /// Charges what is held now.
    fn update_charge(&mut self) {
        if self.reserved.is_none() {
            let held = match &self.rows {
                Kept::InMemory(slots) => slots.held_bytes(),
                Kept::Spilling(rows) => rows.held_bytes(),
            };
            self.charge.resize(held as u64);
        }
    }

    /// A slot for one more row.
    pub(super) fn allocate(&mut self) -> u32 {
        match &mut self.rows {
            Kept::InMemory(slots) => slots.allocate(),
            Kept::Spilling(rows) => rows.allocate(),
        }
    }

    /// Waits until rows can be [`put`](Storage::put): the spill folder may have to catch up.
    ///
    /// # Errors
    /// Those of the spill folder. What was put is there all the same.
    pub(super) fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ExecError>> {
        let max_bytes = self.spilling_share() / WRITING_SHARE;
        let Kept::Spilling(rows) = &mut self.rows else { return Poll::Ready(Ok(())) };
        let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
        let answer = rows.poll_room(cx, max_bytes, self.runtime.io());
        self.update_charge();
        answer
    }

    /// Lets go of memory that is not needed any more because its rows are in files.
    pub(super) fn settle(&mut self) {
        if let Kept::Spilling(rows) = &mut self.rows {
            rows.settle();
            self.update_charge();
        }
    }

    /// What a shuffle that spills may take.
    fn spilling_share(&self) -> u64 {
        self.charge.limit_bytes() / SPILLING_SHARE
    }

    /// Stores the rows of `block` in `slots`, one each. There must be [room](Storage::poll_room).
    pub(super) fn put(&mut self, block: &Block, slots: &[u32]) {
        let share = self.spilling_share();
        match &mut self.rows {
            Kept::InMemory(own) => {
                own.put(block, slots, usize::try_from(self.charge.limit_bytes()).unwrap_or(usize::MAX));
            }
            Kept::Spilling(rows) => {
                let (share, bytes) = (share - share / WRITING_SHARE, stored_bytes(block));
                let fits = rows.row_bytes() as u64 + bytes <= share && self.charge.try_grow(bytes);
                let limit = fits.then(|| usize::try_from(share).unwrap_or(usize::MAX));
                rows.put(block, slots, limit, self.runtime.io());
            }
        }
        self.num_rows += block.rows();
        self.depth.set(self.num_rows as u64);
        self.update_charge();
    }

    /// The rows in `slots`, or how to come by them. They must not be released before.
    pub(super) fn get(&mut self, slots: &[u32]) -> Result<Picked, ExecError> {
        match &mut self.rows {
            Kept::InMemory(own) => {
                let (columns, ids) = own.get(slots);
                Ok(Picked::Ready(columns, ids))
            }
            Kept::Spilling(rows) => rows.get(slots, self.runtime.io()).map(Picked::Fetching),
        }
    }

    /// Gives slots back, and what their rows were charged.
    pub(super) fn release(&mut self, slots: &[u32]) {
        self.num_rows -= slots.len();
        self.depth.set(self.num_rows as u64);
        match &mut self.rows {
            Kept::InMemory(own) => own.release(slots),
            Kept::Spilling(rows) => rows.release(slots),
        }
        self.update_charge();
    }

    /// Drops everything. What was reserved goes too.
    pub(super) fn clear(&mut self) {
        self.rows = Kept::InMemory(Slots::default());
        self.num_rows = 0;
        self.depth.set(0);
        self.reserved = None;
        self.charge.resize(0);
    }
}

/// Bytes that a shuffle of `num_elements`, if that is known, of `row_bytes` each reserves.
pub(crate) fn buffer_bytes(buffer_size: usize, num_elements: Option<u64>, row_bytes: usize) -> u64 {
    most_held(buffer_size, num_elements).saturating_mul(reserved_row_bytes(row_bytes))
}

fn most_held(buffer_size: usize, num_elements: Option<u64>) -> u64 {
    num_elements.unwrap_or(u64::MAX).min(buffer_size as u64)
}

fn reserved_row_bytes(row_bytes: usize) -> u64 {
    row_bytes.saturating_add(STORED_OVERHEAD_BYTES) as u64
}

/// Memory for a full buffer of elements of `row_bytes`; `None` if there is not enough and they can be spilled.
fn reserve(
    template: &ShuffleTemplate,
    row_bytes: usize,
    runtime: &Runtime,
) -> Result<Option<Reservation>, ExecError> {
    let wanted = buffer_bytes(template.buffer_size, template.num_elements, row_bytes);
    let reserved_by_others = match runtime.budget.try_reserve(wanted) {
        Ok(reservation) => return Ok(Some(reservation)),
        Err(bytes) => bytes,
    };
    // Known before anything runs, also where it is the places of rows in files that do not fit.
    let (row_bytes, limit) = (reserved_row_bytes(row_bytes), runtime.budget.limit_bytes());
    let held = most_held(template.buffer_size, template.num_elements);
    let spilled_bytes = held.saturating_mul(SPILLED_ROW_BYTES as u64);
    if runtime.spill.is_some() && spilled_bytes < wanted && spilled_bytes <= limit {
        return Ok(None);
    }
    Err(too_large((template.buffer_size, wanted), row_bytes, limit, reserved_by_others))
}

/// A buffer of so many elements, and bytes, is refused.
fn too_large((buffer_size, wanted): (usize, u64), row_bytes: u64, limit: u64, others: u64) -> ExecError {
    let left = limit.saturating_sub(others);
    let fits = left / row_bytes.max(1);
    let (has, fits) = if others == 0 {
        (format!("the memory budget has {limit}"), format!("about {fits} elements fit"))
    } else {
        (
            format!("of the memory budget of {limit} bytes other shuffles hold {others}"),
            format!("about {fits} elements fit into the {left} that are left"),
        )
    };
    let what = if buffer_size == EVERYTHING {
        "a buffer of everything needs more bytes than there are".to_owned()
    } else {
        format!("a buffer of {buffer_size} elements needs {wanted} bytes")
    };
    ExecError::resource(format!("shuffle: {what}, {has}"))
        .with_hint(format!(
            "{fits}; shuffle before decoding, use global_shuffle, raise the memory budget, or let it spill to a folder \
             (`Options::spill_dir`, FEEDLINE_SPILL_DIR)"
        ))
}
