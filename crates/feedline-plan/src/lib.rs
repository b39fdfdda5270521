//! What feedline computes: expressions ([`expr`]), and the logical plan made of them ([`Plan`]).
//!
//! A plan is a tree of nodes, each with the spec of its elements and how many there are, checked as it is built. It does
//! nothing: no I/O, no threads, no clock, no randomness. It can be printed, saved, compared and rewritten.

mod depth;
mod error;
mod explain;
pub mod expr;
mod kind;
mod kind_exprs;
mod native;
mod numbering;
pub mod optimize;
mod outline;
mod parts;
mod plan;
mod step_text;
mod steps;
mod text;

pub use depth::MAX_DEPTH;
pub use error::{PlanError, PlanErrorKind, Result};
pub use explain::Explanation;
pub use expr::capture::Escaped;
pub use expr::catalogue::functions as ops;
pub use expr::{Expr, Symbolic};
pub use kind::{Function, NodeKind};
pub use native::{NativeCall, NativeElements, NativeFunction, NativeIterate, NativeSource};
pub use optimize::{Optimized, Optimizer};
pub use parts::{
    CacheCell, CacheCompression, CachePlace, CountedStep, CsvFormat, FileCompression, FileFormat,
    FixedLength, Fold, Nested, Padding, SeedPair, Turns, Windows,
};
pub use plan::{Cardinality, Node, Plan};
pub use steps::{Buckets, EVERYTHING, ErrorPolicy, Fit, Packing};
pub use text::{Functions, TensorText, base64};
