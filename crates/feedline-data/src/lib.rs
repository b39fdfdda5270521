//! The words every feedline crate speaks: what type a value has ([`DType`]) and how the values of many rows
//! lie in memory ([`Column`]).
//!
//! A column holds one feature of a run of rows. Its values are contiguous; what makes rows differ in length is
//! kept apart, as *splits*: level `k` says where each group of level `k + 1` begins. No splits means that every
//! row has the same number of values, one level is a ragged column, two levels are rows of lists of lists.
//!
//! ```
//! use feedline_data::{Column, Values};
//!
//! // Three rows: [1, 2], [], [3]
//! let column = Column { inner_shape: vec![], splits: vec![vec![0, 2, 2, 3]], values: Values::Int64(vec![1, 2, 3]) };
//! assert_eq!(column.rows(), 3);
//!
//! let padded = column.to_padded(&Values::Int64(vec![-1]));
//! assert_eq!(padded.inner_shape, [2]);
//! assert_eq!(padded.values, Values::Int64(vec![1, 2, -1, -1, 3, -1]));
//! ```
//!
//! What moves through the engine are blocks ([`block`]): runs of elements, each leaf of their [`Structure`] a column of
//! shared memory. What is known about elements before there are any is their [`ElementSpec`].
//!
//! This crate depends on no other of feedline's and does no I/O.

pub mod block;
mod bytes_values;
mod column;
mod composite;
mod dtype;
pub mod rows;
mod spec;
mod stack;
mod structure;

pub use bytes_values::{ByteView, BytesValues};
pub use column::{Column, SparseIndices, Values};
pub use composite::{Composite, check_splits};
pub use dtype::{DType, Native};
pub use spec::{ElementSpec, Shape, TensorSpec};
pub use stack::on_roomy_stack;
pub use structure::Structure;
