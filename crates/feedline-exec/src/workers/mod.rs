//! The worker pool: threads that run whatever is ready and never wait for anything else.
//!
//! README.md beside this file has the protocol and why it cannot deadlock.

mod pool;
mod ready_list;

pub use pool::Pool;
pub(crate) use ready_list::Level;
