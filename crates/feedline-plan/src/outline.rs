//! A plan as lines, one a step.
//!
//! A plan may use a part of itself more than once, and a part of that again: written out, a plan of 64 steps could have more
//! lines than there is time for. So what was written before, and is more than a line, is one line the next time. What is the
//! same is told by what is written, not by where it lies in memory: plans that were built apart have the same lines.

use std::collections::HashMap;

use crate::Plan;

/// Parts of a plan, numbered: those that would be written alike have the same number.
#[derive(Default)]
struct Parts {
    all: Vec<Part>,
    numbers: HashMap<Part, usize>,
    /// The numbers of the nodes that were met, by where they are.
    of_nodes: HashMap<usize, usize>,
}

/// A step, and what it is a step over.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Part {
    /// Its own lines.
    lines: Vec<String>,
    inputs: Vec<usize>,
    nested: Option<usize>,
}

/// The lines of `plan`, inputs first, then a nested plan, indented by `indent`, then what `lines_of` says of a step itself, which
/// may be nothing.
pub(crate) fn outline(plan: &Plan, indent: &str, lines_of: &dyn Fn(&Plan) -> Vec<String>) -> Vec<String> {
    let mut parts = Parts::default();
    let last = parts.add(plan, lines_of);
    let mut writer = Writer { parts: &parts.all, indent, written: HashMap::new(), lines: Vec::new() };
    writer.write(last, 0);
    writer.lines
}

impl Parts {
    fn add(&mut self, plan: &Plan, lines_of: &dyn Fn(&Plan) -> Vec<String>) -> usize {
        let node = plan.node();
        let place = std::ptr::from_ref(node).addr();
        if let Some(&number) = self.of_nodes.get(&place) {
            return number;
        }
        let part = Part {
            inputs: node.inputs.iter().map(|input| self.add(input, lines_of)).collect(),
            nested: node.kind.nested().map(|nested| self.add(&nested.plan, lines_of)),
            lines: lines_of(plan),
        };
        // A step that is not written is what it is a step over.
        let number = match (&part.inputs[..], part.nested) {
            ([input], None) if part.lines.is_empty() => *input,
            _ => *self.numbers.entry(part).or_insert_with_key(|part| {
                self.all.push(part.clone());
                self.all.len() - 1
            }),
        };
        self.of_nodes.insert(place, number);
        number
    }
}

struct Writer<'a> {
    parts: &'a [Part],
    indent: &'a str,
    /// The first line and the number of lines of each part that was written.
    written: HashMap<usize, (usize, usize)>,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn write(&mut self, number: usize, depth: usize) {
        let indent = self.indent.repeat(depth);
        if let Some(&(first, count)) = self.written.get(&number)
            && count > 1
        {
            self.lines.push(format!("{indent}steps {} to {} again", first + 1, first + count));
            return;
        }
        let (part, first) = (&self.parts[number], self.lines.len());
        part.inputs.iter().for_each(|&input| self.write(input, depth));
        part.nested.iter().for_each(|&nested| self.write(nested, depth + 1));
        self.lines.extend(part.lines.iter().map(|line| format!("{indent}{line}")));
        self.written.insert(number, (first, self.lines.len() - first));
    }
}

#[cfg(test)]
mod tests {
    use feedline_data::Structure;

    use super::*;
    use crate::{Explanation, Optimizer};

    fn ten() -> Plan {
        Plan::range(0, 10, 1).expect("valid")
    }

    fn sum_with_itself(plan: &Plan) -> Plan {
        let pair = Structure::Tuple(vec![plan.clone().into(), plan.clone().into()]);
        Plan::zip(&pair).and_then(|pairs| pairs.map(|pair| pair.at(0) + pair.at(1), None)).expect("valid")
    }

    #[test]
    fn what_comes_again_is_one_line_however_it_was_built() {
        let twice = |one: &Plan, two: &Plan| one.concatenate(two).expect("valid").lines();
        assert_eq!(twice(&ten(), &ten()), ["range(0, 10, 1)", "range(0, 10, 1)", "concatenate()"]);
        let shared = ten().take(Some(3));
        let lines = ["range(0, 10, 1)", "take(3)", "steps 1 to 2 again", "concatenate()"];
        assert_eq!(twice(&shared, &shared), lines);
        assert_eq!(twice(&ten().take(Some(3)), &ten().take(Some(3))), lines);
        let other = ten().take(Some(4));
        assert_eq!(
            twice(&shared, &other),
            ["range(0, 10, 1)", "take(3)", "range(0, 10, 1)", "take(4)", "concatenate()"]
        );
    }

    #[test]
    fn plans_that_use_themselves_again_and_again_are_told_apart_and_explained() {
        let deep = |levels| (0..levels).fold(ten(), |plan, _| sum_with_itself(&plan));
        let plan = deep(64);
        // A map over a zip, and what comes again, a level; nothing comes again on the first.
        assert_eq!(plan.lines().len(), 1 + 3 * 64);
        assert_ne!(plan.fingerprint(), deep(63).fingerprint());
        assert_eq!(plan.fingerprint(), deep(64).fingerprint());
        assert_eq!(plan.num_steps(), u64::MAX);
        assert_eq!(deep(3).num_steps(), 8 + 2 * (4 + 2 + 1));
        let explained = Explanation::new(&plan, &Optimizer::new()).expect("rules do not fail");
        let text = explained.to_string();
        assert!(text.contains("zip") && text.lines().count() < 1000, "{text}");
        assert!(explained.to_dot().lines().count() < 1000);
    }
}
