//! How feedline computes: a plan becomes operators, and operators run on a pool of workers inside a memory budget.
//!
//! - [`Elements`] runs a plan and hands out its elements; [`State`] is where it is, to go on from in another process.
//! - Operators are polled and never wait; only the consumer's own thread does. Each is a small state machine that defines
//!   the semantics of its step, and the same operators on one thread are the reference for every other way to run them.
//! - The [`Budget`] counts every byte an operator holds.
//! - [`Options`] says how many threads and how much memory, and never changes what comes out.

mod budget;
mod certain_rows;
mod error;
mod eval;
pub mod files;
mod fits;
mod hand_over;
mod iterating;
mod iterator;
mod keeping;
mod lower;
mod metrics;
mod notices;
mod operator;
mod operators;
mod options;
mod origin;
mod per_process;
mod reserved;
mod runtime;
mod seed;
mod sparing;
mod spill_folder;
mod stall;
mod state;
mod sync;
mod template;
mod tune;
mod turn;
mod wanted;
mod winding_down;
mod workers;

pub use budget::Budget;
pub use error::{ExecError, ExecErrorKind, PlanStep, RecordPlace};
pub use iterating::{is_iterating, when_none_iterates};
pub use iterator::{Elements, Interrupted};
pub use metrics::{QueueSnapshot, Snapshot, StepSnapshot, WorkSnapshot};
pub use operators::cache::chunk::Chunk as CacheChunk;
pub use options::{Options, available_memory};
pub use state::{State, with_agreed_seeds};
pub use wanted::is_call_wanted;
pub use workers::Pool;
