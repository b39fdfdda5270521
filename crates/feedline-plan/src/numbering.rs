//! The steps of a plan as the user wrote it, numbered, so that an error can say in which of them it happened, whatever rules made of them.
//!
//! Numbers are those of `explain`: from 1, sources first, a step that is used twice counted once. A step keeps its number where a rule moves it
//! or rewrites its function; the calls in functions that rules join carry the number of the step they were written in ([`Call::step`]).
//!
//! [`Call::step`]: crate::expr::Call::step

use std::collections::HashMap;

use crate::explain::listing;
use crate::expr::Expr;
use crate::{Function, NodeKind, Plan};

/// Longer texts of steps are cut where errors name them: the number says which one it is.
const MAX_TITLE_LETTERS: usize = 100;

impl Plan {
    /// The same plan, with its steps numbered as `explain` numbers them. What is made of it by rules remembers the numbers.
    #[must_use]
    pub fn numbered(&self) -> Plan {
        Numbering::default().numbered(self)
    }

    /// What errors call the steps of the plan, in the order of their numbers: what `explain` prints, without hashes of code and not too long.
    pub fn step_titles(&self) -> Vec<String> {
        listing(self).iter().map(|line| title_of(line.trim_start())).collect()
    }

    /// The numbers that the steps that run have in the plan as written, in the order of [`Plan::step_names`]: that of the step,
    /// 0 for one that a rule put there.
    pub fn step_numbers(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.collect_numbers(&mut numbers);
        numbers
    }

    fn collect_numbers(&self, numbers: &mut Vec<u32>) {
        let node = self.node();
        node.inputs.iter().for_each(|input| input.collect_numbers(numbers));
        if let Some(nested) = node.kind.nested() {
            nested.plan.collect_numbers(numbers);
        }
        numbers.push(match node.kind {
            // A repeat does not fail.
            NodeKind::ShuffleAndRepeat { .. } => self.joined_number(),
            _ => self.number(),
        });
    }
}

#[derive(Default)]
struct Numbering {
    num_steps: u32,
    /// What became of each step that was met, by where it lies in memory.
    known: HashMap<usize, Plan>,
}

impl Numbering {
    fn numbered(&mut self, plan: &Plan) -> Plan {
        let node = plan.node();
        let place = std::ptr::from_ref(node).addr();
        if let Some(known) = self.known.get(&place) {
            return known.clone();
        }
        let inputs = node.inputs.iter().map(|input| self.numbered(input)).collect();
        let mut kind = match node.kind.nested() {
            Some(nested) => node.kind.with_nested_plan(self.numbered(&nested.plan)),
            None => node.kind.clone(),
        };
        self.num_steps = self.num_steps.saturating_add(1);
        let number = self.num_steps;
        match &mut kind {
            NodeKind::Map { function: Function::Traced(result), .. } => {
                *result = result.with_leaves(Expr::of_step(result.leaves(), number));
            }
            NodeKind::Filter { predicate } => {
                *predicate = Expr::of_step([&*predicate], number).remove(0);
            }
            // What other steps compute no rule joins with anything.
            _ => {}
        }
        let new = plan.with_number(kind, inputs, number);
        self.known.insert(place, new.clone());
        new
    }
}

/// A line of `explain` as errors show it.
fn title_of(line: &str) -> String {
    let mut title = String::new();
    let mut rest = line;
    // Of code and data there are digests of 16 letters.
    while let Some(at) = rest.find('#') {
        let (before, digest) = rest.split_at(at);
        let end = 1 + digest[1..].bytes().take_while(u8::is_ascii_hexdigit).count();
        title.push_str(before);
        title.push_str(if end > 8 { "" } else { &digest[..end] });
        rest = &digest[end..];
    }
    title.push_str(rest);
    if let Some((end, _)) = title.char_indices().nth(MAX_TITLE_LETTERS) {
        title.truncate(end);
        title.push('…');
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Call, ExprKind};
    use crate::{Explanation, Optimizer, ops};

    fn ten() -> Plan {
        Plan::range(0, 10, 1).expect("valid")
    }

    /// The steps that the calls of functions say they are of, by the names of their operations.
    fn steps_of_calls(plan: &Plan) -> Vec<(&'static str, u32)> {
        fn visit(expr: &Expr, calls: &mut Vec<(&'static str, u32)>) {
            expr.inputs().iter().for_each(|input| visit(input, calls));
            if let ExprKind::Call(Call { operation, step, .. }) = &expr.node().kind {
                calls.push((operation.name, *step));
            }
        }
        let mut calls: Vec<_> = plan.node().inputs.iter().flat_map(steps_of_calls).collect();
        let functions = plan.node().kind.exprs().functions;
        functions.iter().for_each(|expr| visit(expr, &mut calls));
        calls
    }

    #[test]
    fn numbers_are_those_of_explain_and_stay_with_what_moves() {
        let plan =
            ten().map(|x| ops::floordiv(x, 3), None).expect("valid").map(|x| x * 2, None).expect("valid");
        let plan = plan.shard(2, 0).expect("valid").batch(2, false).expect("valid");
        assert_eq!(
            plan.step_titles(),
            ["range(0, 10, 1)", "map(floordiv(x0, 3))", "map(multiply(x0, 2))", "shard(2, 0)", "batch(2)"]
        );
        let numbered = plan.numbered();
        assert_eq!(numbered.step_numbers(), [1, 2, 3, 4, 5]);
        assert_eq!((numbered.lines(), numbered.fingerprint()), (plan.lines(), plan.fingerprint()));
        let running = Optimizer::new().optimize(&numbered).expect("valid").plan;
        // The shard comes first, both maps are in the batch, and a prefetch ends it.
        assert_eq!(running.step_numbers(), [1, 4, 5, 0]);
        assert_eq!(running.node().inputs[0].joined_number(), 3);
        assert_eq!(steps_of_calls(&running), [("floordiv", 2), ("multiply", 3)]);
    }

    #[test]
    fn a_step_that_is_used_twice_has_one_number_as_in_explain() {
        let shared = ten().take(Some(3));
        let plan = shared.concatenate(&shared).expect("valid");
        assert_eq!(plan.numbered().step_numbers(), [1, 2, 1, 2, 3]);
        let text = Explanation::new(&plan, &Optimizer::new()).expect("valid").to_string();
        assert!(text.contains("  3  concatenate() of 2 and 2"), "{text}");
        assert_eq!(plan.step_titles()[2], "concatenate()");
    }

    #[test]
    fn titles_have_no_digests_and_end_somewhere() {
        assert_eq!(title_of("map(python f#0123456789abcdef -> int64[])"), "map(python f -> int64[])");
        assert_eq!(title_of("from_tensor_slices(int64[]×3)"), "from_tensor_slices(int64[]×3)");
        assert_eq!(title_of("map(join(\"#1\"))"), "map(join(\"#1\"))");
        assert_eq!(title_of(&"é".repeat(200)), format!("{}…", "é".repeat(100)));
    }
}
