//! The worker pool: threads that run whatever is ready and never wait for anything else.
//!
//! README.md beside this file has the protocol and why it cannot deadlock.

mod pool;

pub(crate) use pool::Level;
pub use pool::Pool;
