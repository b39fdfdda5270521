//! Whether elements keep their order: what a map or an interleave says itself, else what the options say.

use std::collections::HashMap;

use crate::plan::misplaced;
use crate::{Node, NodeKind, Plan, Result, Turns};

impl Plan {
    /// The map or interleave this plan ends in, with its elements in the order of the input, or as they are ready.
    pub fn with_deterministic(&self, is_deterministic: bool) -> Result<Plan> {
        let kind = NodeKind::Deterministic { is_deterministic };
        match &self.node().kind {
            NodeKind::Map { .. } => Ok(self.same_elements(kind, self.cardinality())),
            NodeKind::Deterministic { .. } => Ok(self.with_kind(kind, self.node().inputs.clone())),
            NodeKind::Interleave { turns, .. } => {
                self.with_turns("deterministic", Turns { deterministic: Some(is_deterministic), ..*turns })
            }
            other => Err(misplaced("deterministic", "map or interleave", other)),
        }
    }

    /// The same plan where all maps and interleaves that do not say themselves whether they keep the order give it up, also
    /// those of datasets inside datasets.
    #[must_use]
    pub fn with_order_given_up(&self) -> Plan {
        given_up(self, false, &mut HashMap::new())
    }
}

/// `plan` with order given up where nothing is said; `is_said`: the step behind it says it. `known` is what became of the steps
/// that were met: one that is used twice stays one.
fn given_up(plan: &Plan, is_said: bool, known: &mut HashMap<(*const Node, bool), Plan>) -> Plan {
    let node = plan.node();
    let place = (std::ptr::from_ref(node), is_said);
    if let Some(plan) = known.get(&place) {
        return plan.clone();
    }
    let says = matches!(node.kind, NodeKind::Deterministic { .. });
    let inputs = node.inputs.iter().map(|input| given_up(input, says, known)).collect();
    let mut kind = match node.kind.nested() {
        Some(nested) => node.kind.with_nested_plan(given_up(&nested.plan, false, known)),
        None => node.kind.clone(),
    };
    if let NodeKind::Interleave { turns, .. } = &mut kind {
        turns.deterministic = turns.deterministic.or(Some(false));
    }
    let mut new = plan.with_kind(kind, inputs);
    if matches!(node.kind, NodeKind::Map { .. }) && !is_said {
        let kind = NodeKind::Deterministic { is_deterministic: false };
        new = new.same_elements(kind, new.cardinality());
    }
    known.insert(place, new.clone());
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Function;

    fn ten() -> Plan {
        Plan::range(0, 10, 1).expect("valid")
    }

    fn mapped(plan: &Plan) -> Plan {
        plan.map(|x| x + 1, None).expect("valid")
    }

    #[test]
    fn what_says_nothing_gives_order_up_and_what_says_something_is_left_alone() {
        let said = |kept| mapped(&ten()).with_deterministic(kept).expect("valid");
        assert_eq!(mapped(&ten()).with_order_given_up().lines(), said(false).lines());
        assert_eq!(said(false).with_order_given_up().lines(), said(false).lines());
        // Said to be kept it is no line at all: it is what happens anyway.
        assert_eq!(said(true).lines(), mapped(&ten()).lines());
        assert_eq!(said(true).with_order_given_up().lines(), said(true).lines());
        // The last word counts.
        let changed = said(false).with_deterministic(true).expect("valid");
        assert_eq!(changed.with_order_given_up().fingerprint(), mapped(&ten()).fingerprint());
    }

    #[test]
    fn interleaves_and_datasets_inside_datasets_are_reached() {
        let plan = ten().interleave(|x| ten().map(|y| y + x, None)).expect("valid");
        let lines = plan.with_order_given_up().lines();
        assert_eq!(lines[3], "  deterministic(false)");
        assert!(lines[4].ends_with("block_length=1, deterministic=false)"), "{lines:?}");
        let kept = plan.with_deterministic(true).expect("valid").with_order_given_up();
        assert_eq!(kept.turns("turns").expect("an interleave").deterministic, Some(true));
    }

    #[test]
    fn a_step_that_is_used_twice_stays_one() {
        let shared = mapped(&ten());
        let both = shared.concatenate(&shared).expect("valid").with_order_given_up();
        let [one, two] = &both.node().inputs[..] else { panic!("a concatenate has two inputs") };
        assert!(std::ptr::eq(one.node(), two.node()));
        assert!(matches!(
            &one.node().inputs[0].node().kind,
            NodeKind::Map { function: Function::Traced(_), .. }
        ));
    }
}
