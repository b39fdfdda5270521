//! One file a command: its arguments, its help, and what it prints. What it does is in the `feedline` crate.

pub(crate) mod bench;
mod common;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod index;
pub(crate) mod inspect;
pub(crate) mod preview;
pub(crate) mod verify;
