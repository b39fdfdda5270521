//! JSON lines: one object a line ([`JsonRows`]), taken apart into named values ([`JsonRow`]).

mod read;
mod row;
mod spelling;
mod split;

pub use row::{JsonColumn, JsonRow, JsonValue};
pub use split::JsonRows;
