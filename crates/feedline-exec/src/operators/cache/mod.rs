//! Elements kept as they come for the first time, and given again from there: in memory ([`memory`]) or in a folder
//! ([`mod@file`]).
//!
//! Out comes the input's stream, in order, whether it comes from the input or from what was kept. That it never shows which
//! of the two it was rests on three rules:
//!
//! - **What is upstream of a cache always runs as iteration 0.** So what a cache holds is a function of the plan: a second
//!   epoch, an iterator beside this one or another process compute the same rows that were kept, or would have been.
//!   Shuffles and random values before a cache are frozen thereby; in tf.data a pass that follows an unfinished one
//!   would be shuffled anew.
//! - **Ids are the kept ones plus a number of the iteration**, as a source's are. So random values and shuffles behind a
//!   cache differ from epoch to epoch, as they do in tf.data, and are the same as without the cache for most sources.
//! - **What is saved is the number of rows passed**, wherever they came from. Restored where nothing is kept, the input skips
//!   so many rows, which computes none where the steps upstream can do without.
//!
//! A cache is complete when the input has ended, or has given as many rows as it is certain to have, and no row was an error:
//! errors are raised in their place and never kept, so a pass with errors is computed again the next time (tf.data
//! keeps what is left, without the error). A complete cache does not touch the input, not even to start it.
//!
//! What goes wrong with a cache itself (it outgrows the budget, its files are damaged) is told beside the rows, in a notice: an
//! error among them would be one more row to steps that count.
//!
//! Skipping in what is kept is a seek. While a cache fills, skipped rows are looked at all the same, so that it becomes
//! complete, as in tf.data; a pass restored in its middle skips in the input and keeps nothing.

mod check;
pub(crate) mod chunk;
mod collector;
mod file;
mod folder;
mod folder_lock;
pub(crate) mod job;
mod memory;
mod origins;
mod packing;
mod row_bytes;
pub(crate) mod rows;
mod sources;
mod waiting;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};

use feedline_data::block::{Block, ErrorRow, Ids, Position, Token};
use feedline_plan::{CacheCell, Plan};
use serde::{Deserialize, Serialize};

use crate::certain_rows::certain_rows;
use crate::error::ExecError;
use crate::origin::{KnownStarts, Salts};
use crate::template::{Scope, Template, load_state};

pub(crate) use self::check::{check_caches, with_seeds_of_caches};
use self::file::FileCacheTemplate;
use self::folder::Folder;
pub(crate) use self::memory::CachesOfInstance;
use self::memory::{Kept, MemoryCacheTemplate};

/// The template of the cache that `plan` ends in, in memory: kept in `cell`.
pub(crate) fn cache_in_memory(
    input: Arc<dyn Template>,
    cell: &CacheCell,
    plan: &Plan,
) -> Result<Arc<dyn Template>, ExecError> {
    let cache = cell.get_or_init().ok_or_else(|| ExecError::internal("a cache holds something else"))?;
    let num_rows = plan.node().inputs.first().and_then(certain_rows);
    Ok(Arc::new(MemoryCacheTemplate {
        input,
        kept: Kept::of(cache),
        uses_outer: plan.uses_outer(),
        num_rows,
        is_outgrown: Arc::default(),
        salts: Salts::default(),
        learned_starts: Arc::new(Once::new()),
    }))
}

/// The template of the cache in a folder that `plan` ends in.
pub(crate) fn cache_in_folder(input: Arc<dyn Template>, plan: &Plan) -> Arc<dyn Template> {
    let num_rows = plan.node().inputs.first().and_then(certain_rows);
    let folder = Folder::of(plan, KnownStarts::of(&*input));
    let is_complete = Arc::new(AtomicBool::new(folder.is_complete()));
    Arc::new(FileCacheTemplate {
        input,
        folder: Arc::new(folder),
        num_rows,
        is_complete,
        has_told: Arc::default(),
        salts: Salts::default(),
    })
}

/// What is saved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CacheState {
    passed: u64,
}

/// How many rows had passed at `at`.
fn passed_at(at: Option<&Position>) -> Result<u64, ExecError> {
    at.map_or(Ok(0), |at| Ok(load_state::<CacheState>(at, "cache")?.passed))
}

/// The place before row number `passed`.
fn position_at(passed: u64) -> Position {
    Position::at(Token::new(move |rows| CacheState { passed: passed + rows }))
}

/// How many rows from number `passed` on are needed, if all before `asked_until` are asked for; `u64::MAX`: nobody knows.
fn needed_from(passed: u64, asked_until: u64) -> u64 {
    if asked_until == u64::MAX { u64::MAX } else { asked_until.saturating_sub(passed) }
}

/// The scope of what is upstream: always the same iteration.
fn scope_upstream(scope: &Scope) -> Scope {
    // Nor does what is kept for all depend on an element around it.
    Scope { iteration: 0, outer: None, ..scope.clone() }
}

/// `ids` as they are in the iteration whose number is `salt`: of the first one as they are.
fn salted(ids: Ids, salt: u64) -> Ids {
    if salt == 0 { ids } else { ids.salted(salt) }
}

/// `block` of the input, whose first row is number `passed`, as it is in the iteration whose number is `salt`.
fn hand_on(block: Block, passed: u64, salt: u64) -> Block {
    let ids = salted(block.ids().clone(), salt);
    if block.errors().is_empty() {
        return block.with_ids(ids).at(position_at(passed));
    }
    let error = |error: &ErrorRow| ErrorRow { id: error.id.wrapping_add(salt), ..error.clone() };
    let errors = block.errors().iter().map(error).collect();
    Block::with_errors(block.columns().to_vec(), ids, errors, position_at(passed))
}

/// The error that the input cannot be started, before row number `passed`: no row comes behind it.
fn error_before(passed: u64, error: ExecError) -> Block {
    let error = error.that_ends_stream().into_row_error();
    Block::of_error(0, error, Position::at(Token::new(move |_| CacheState { passed })))
}
