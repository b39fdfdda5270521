//! Lets a plan that does not end in a prefetch run ahead of its consumer, so that the next batch is made while this one is
//! used.

use super::{Reach, Rule};
use crate::{NodeKind, Plan, Result};

/// Ends a plan in a prefetch.
#[derive(Debug)]
pub struct InsertPrefetch;

impl Rule for InsertPrefetch {
    fn name(&self) -> &'static str {
        "insert_prefetch"
    }

    fn reach(&self) -> Reach {
        Reach::WholePlan
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let mut end = plan;
        // What does nothing is not what the plan ends in; it is dropped later, and then nothing may have changed here.
        while end.is_pass() && !is_prefetch(end) {
            end = &end.node().inputs[0];
        }
        // Any size is the user's decision, also none. And a source alone computes nothing that could be made ahead.
        if is_prefetch(end) || end.node().inputs.is_empty() {
            return Ok(None);
        }
        Ok(Some(plan.prefetch(None)))
    }
}

fn is_prefetch(plan: &Plan) -> bool {
    matches!(plan.node().kind, NodeKind::Prefetch { .. })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{declines, fires, ten};
    use super::*;

    #[test]
    fn a_plan_without_one_gets_one_at_its_end() {
        let plan = ten().batch(2, false).expect("valid");
        assert_eq!(fires(&InsertPrefetch, &plan), ["range(0, 10, 1)", "batch(2)", "prefetch()"]);
        let inside = ten().prefetch(None).batch(2, false).expect("valid");
        assert_eq!(
            fires(&InsertPrefetch, &inside),
            ["range(0, 10, 1)", "prefetch()", "batch(2)", "prefetch()"]
        );
    }

    #[test]
    fn what_the_user_said_stands() {
        let plan = ten().batch(2, false).expect("valid");
        for size in [None, Some(0), Some(3)] {
            declines(&InsertPrefetch, &plan.prefetch(size));
            declines(&InsertPrefetch, &plan.prefetch(size).repeat(Some(1)).take(None));
        }
        declines(&InsertPrefetch, &ten());
        declines(&InsertPrefetch, &ten().repeat(Some(1)));
    }
}
