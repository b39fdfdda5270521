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
use crate::budget::{Charge, Growing, Refusal, Reservation};
use crate::error::ExecError;
use crate::metrics::QueuePart;
use crate::runtime::Runtime;
use crate::template::Scope;

/// Rows by slot, charged to the budget. Two epochs may share one: together they hold no more than a full buffer.
pub(super) struct Storage {
    rows: Kept,
    account: Account,
    buffer_size: usize,
    /// Rows held.
    num_rows: usize,
    depth: QueuePart,
    runtime: Arc<Runtime>,
}

/// What the slots are charged as.
enum Account {
    /// What they can hold, which was known.
    Whole(#[allow(dead_code, reason = "given back by drop")] Reservation),
    /// What they do hold.
    Growing(Growing),
    /// What they do hold; the rest goes to files.
    Spilling(Charge),
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
        let (rows, account) = match (reserved, &runtime.spill) {
            (Some(reserved), _) => (Kept::InMemory(Slots::default()), Account::Whole(reserved)),
            (None, Some(folder)) => {
                let segment_bytes = runtime.budget.limit_bytes().clamp(MIN_SEGMENT_BYTES, MAX_SEGMENT_BYTES);
                let rows = Spilling::new(folder.clone(), segment_bytes, &scope.probe());
                (Kept::Spilling(Box::new(rows)), Account::Spilling(runtime.budget.charge(0)))
            }
            (None, None) => (Kept::InMemory(Slots::default()), Account::Growing(scope.growing())),
        };
        Ok(Storage {
            rows,
            account,
            buffer_size: template.buffer_size,
            num_rows: 0,
            depth: scope.probe().hold("elements", 0),
            runtime: Arc::clone(runtime),
        })
    }

    /// Bytes of a row on average, where the spec did not tell and some are held.
    pub(super) fn row_bytes(&self) -> Option<usize> {
        if matches!(self.account, Account::Whole(_)) || self.num_rows == 0 {
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
        // Compared with what others have reserved, not with what is free: what runs ahead stops when the budget is reached, and
        // drains.
        let bytes = stored_bytes(block);
        let num_rows = (self.num_rows + block.rows()).max(1) as u64;
        let (refusal, row_bytes) = match (&mut self.rows, &mut self.account) {
            (_, Account::Whole(_)) => return Ok(()),
            (Kept::InMemory(slots), Account::Growing(held)) => {
                let more = |slots: &Slots, held: &Growing| {
                    (slots.held_bytes() as u64 + bytes).saturating_sub(held.bytes())
                };
                let mut grown = held.try_grow(more(slots, held));
                if grown.is_err() {
                    slots.make_room();
                    grown = held.try_grow(more(slots, held));
                }
                let Err(refusal) = grown else { return Ok(()) };
                (refusal, (slots.held_bytes() as u64 + bytes) / num_rows)
            }
            // Where each row is must be known in any case.
            _ => {
                let (row_bytes, limit_bytes) = (SPILLED_ROW_BYTES as u64, self.runtime.budget.limit_bytes());
                if num_rows * row_bytes <= limit_bytes {
                    return Ok(());
                }
                (Refusal { limit_bytes, needed_bytes: 0, own_bytes: 0, others_bytes: 0 }, row_bytes)
            }
        };
        let wanted = (self.buffer_size as u64).saturating_mul(row_bytes);
        Err(too_large((self.buffer_size, wanted), row_bytes, refusal))
    }

    /// Charges what is held now.
    fn update_charge(&mut self) {
        let held = match &self.rows {
            Kept::InMemory(slots) => slots.held_bytes(),
            Kept::Spilling(rows) => rows.held_bytes(),
        };
        match &mut self.account {
            Account::Whole(_) => {}
            Account::Growing(account) => account.resize(held as u64),
            Account::Spilling(account) => account.resize(held as u64),
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
        self.runtime.budget.limit_bytes() / SPILLING_SHARE
    }

    /// Stores the rows of `block` in `slots`, one each. There must be [room](Storage::poll_room).
    pub(super) fn put(&mut self, block: &Block, slots: &[u32]) {
        let share = self.spilling_share();
        match &mut self.rows {
            Kept::InMemory(own) => {
                let limit_bytes = self.runtime.budget.limit_bytes();
                own.put(block, slots, usize::try_from(limit_bytes).unwrap_or(usize::MAX));
            }
            Kept::Spilling(rows) => {
                let (share, bytes) = (share - share / WRITING_SHARE, stored_bytes(block));
                let fits = rows.row_bytes() as u64 + bytes <= share
                    && match &mut self.account {
                        Account::Spilling(held) => held.try_grow(bytes),
                        _ => false,
                    };
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
            Kept::Spilling(rows) => {
                let fetch = rows.get(slots, self.runtime.io())?;
                Ok(Picked::Fetching(fetch.charged_to(&self.runtime.budget)))
            }
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
        self.account = Account::Spilling(self.runtime.budget.charge(0));
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
    let refusal = match runtime.budget.try_reserve(wanted) {
        Ok(reservation) => return Ok(Some(reservation)),
        Err(refusal) => refusal,
    };
    // Known before anything runs, also where it is the places of rows in files that do not fit.
    let (row_bytes, limit) = (reserved_row_bytes(row_bytes), runtime.budget.limit_bytes());
    let held = most_held(template.buffer_size, template.num_elements);
    let spilled_bytes = held.saturating_mul(SPILLED_ROW_BYTES as u64);
    if runtime.spill.is_some() && spilled_bytes < wanted && spilled_bytes <= limit {
        return Ok(None);
    }
    Err(too_large((template.buffer_size, wanted), row_bytes, refusal))
}

/// A buffer of so many elements, and bytes, is refused.
fn too_large((buffer_size, wanted): (usize, u64), row_bytes: u64, refusal: Refusal) -> ExecError {
    let left = refusal.left_bytes();
    let fits = left / row_bytes.max(1);
    let fits = match (refusal.own_bytes, refusal.others_bytes) {
        (0, 0) => format!("about {fits} elements fit"),
        (_, 0) => format!("about {fits} elements fit into the {left} that are left"),
        (_, _) => format!(
            "about {fits} elements fit into the {left} that are left; end the other iterators before this one begins"
        ),
    };
    let has = refusal.held_by_others();
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
