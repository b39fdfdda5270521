//! Takes out what a map says to keep its order, once it is settled who keeps it: nothing runs otherwise for it.
//!
//! It stands between the map and what comes behind, where other rules look for the map. One of those is always applied
//! ([`FilterBeforeDecode`](super::FilterBeforeDecode)), so this one is, too.

use super::Rule;
use crate::{NodeKind, Plan, Result};

/// Takes out `deterministic(true)`.
#[derive(Debug)]
pub struct DropKeptOrder;

impl Rule for DropKeptOrder {
    fn name(&self) -> &'static str {
        "drop_kept_order"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let is_kept = matches!(plan.node().kind, NodeKind::Deterministic { is_deterministic: true });
        Ok(is_kept.then(|| plan.node().inputs[0].clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Optimizer;
    use super::super::tests::{declines, fires, ten};
    use super::*;

    #[test]
    fn what_is_said_to_be_kept_goes_and_what_is_given_up_stays() {
        let map = ten().map(|x| x + 1, None).expect("valid");
        let said = |kept| map.with_deterministic(kept).expect("valid");
        assert_eq!(fires(&DropKeptOrder, &said(true)), map.lines());
        let nested = ten().flat_map(|_| Ok(said(true))).expect("valid");
        assert_eq!(
            fires(&DropKeptOrder, &nested),
            ten().flat_map(|_| Ok(map.clone())).expect("valid").lines()
        );
        declines(&DropKeptOrder, &said(false));
        declines(&DropKeptOrder, &map);
    }

    #[test]
    fn it_holds_with_the_optimizer_off() {
        let plan = ten().map(|x| x + 1, None).and_then(|map| map.with_deterministic(true)).expect("valid");
        let optimized = Optimizer::new().switched(false).optimize(&plan).expect("rules do not fail");
        assert_eq!(optimized.plan.num_steps(), 2);
    }
}
