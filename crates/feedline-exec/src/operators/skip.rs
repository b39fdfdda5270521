//! All but the first elements.
//!
//! Out comes the input without its first `count` rows, which are not computed where they need not be. Holds nothing and saves
//! nothing: once past them, a position after it is one before it.

use std::sync::Arc;

use feedline_data::block::Position;

use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::Passing;
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct SkipTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) count: u64,
}

impl Template for SkipTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let mut input = self.input.start(scope, at)?;
        if at.is_none() {
            input.skip(self.count);
        }
        Ok(input)
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.input.never_fails(scope)
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }
}
