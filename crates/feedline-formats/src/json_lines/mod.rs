//! JSON lines: one object a line ([`JsonRows`]), taken apart into named values ([`JsonRow`]), or read where values are wanted ([`JsonPaths`]).

mod paths;
mod read;
mod row;
mod spelling;
mod split;

pub use paths::{AtPath, JsonPaths};
pub use row::{JsonColumn, JsonRow, JsonValue};
pub use split::JsonRows;
