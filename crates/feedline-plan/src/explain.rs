//! What a plan is and what the optimizer makes of it, for people: as text, and as a graph.

use std::collections::HashMap;
use std::fmt;

use crate::optimize::{Change, Optimizer};
use crate::step_text::with_short_strings;
use crate::{Plan, Result};

/// A plan as written, as it runs, and what was changed in between.
///
/// ```
/// use feedline_plan::{Explanation, Optimizer, Plan};
///
/// # fn main() -> feedline_plan::Result<()> {
/// let plan = Plan::range(0, 10, 1)?.map(|x| x + 1, None)?.map(|x| x * 2, None)?.batch(4, false)?;
/// println!("{}", Explanation::new(&plan, &Optimizer::new())?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Explanation {
    written: Plan,
    running: Plan,
    changes: Vec<Change>,
}

impl Explanation {
    /// Says what becomes of `plan`.
    ///
    /// # Errors
    /// As [`Optimizer::optimize`].
    pub fn new(plan: &Plan, optimizer: &Optimizer) -> Result<Explanation> {
        let optimized = optimizer.optimize(plan)?;
        Ok(Explanation { written: plan.clone(), running: optimized.plan, changes: optimized.changes })
    }

    /// The plan as written.
    pub fn written(&self) -> &Plan {
        &self.written
    }

    /// The plan as it runs.
    pub fn running(&self) -> &Plan {
        &self.running
    }

    /// What was changed, in the order it was.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Both plans as a graph in Graphviz's language: `dot -Tsvg` draws it.
    pub fn to_dot(&self) -> String {
        let mut lines =
            vec!["digraph plan {".to_owned(), "  node [shape=box, fontname=monospace];".to_owned()];
        let plans = [("written", "as written", &self.written), ("running", "as it runs", &self.running)];
        // Where nothing was changed one of them says it all.
        let num_plans = if self.changes.is_empty() { 1 } else { plans.len() };
        for (id, title, plan) in &plans[..num_plans] {
            lines.push(format!("  subgraph cluster_{id} {{"));
            lines.push(format!("    label=\"{title}\";"));
            for (number, step) in (1..).zip(steps_of(plan)) {
                let label = quoted(&format!("{}\n{}", step.text, step.elements));
                lines.push(format!("    {id}_{number} [label={label}];"));
                lines.extend(step.inputs.iter().map(|input| format!("    {id}_{input} -> {id}_{number};")));
            }
            lines.push("  }".to_owned());
        }
        lines.push("}\n".to_owned());
        lines.join("\n")
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.changes.is_empty() {
            writeln!(f, "plan, runs as written")?;
            return write_steps(f, &self.written);
        }
        writeln!(f, "plan as written")?;
        write_steps(f, &self.written)?;
        writeln!(f, "\nplan as it runs")?;
        write_steps(f, &self.running)?;
        writeln!(f, "\nwhat was changed")?;
        for change in &self.changes {
            for line in change.to_string().lines() {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

/// A step as it is shown.
struct Shown {
    text: String,
    /// How many of what.
    elements: String,
    /// The numbers of the steps it gets its elements from.
    inputs: Vec<usize>,
}

/// The steps, sources first: number 1 is the first. One that several others get their elements from is there once.
fn steps_of(plan: &Plan) -> Vec<Shown> {
    let mut steps = Vec::new();
    show(plan, 0, &mut steps, &mut HashMap::new());
    steps
}

/// The steps as they are shown, without what they are steps over.
pub(crate) fn listing(plan: &Plan) -> Vec<String> {
    steps_of(plan).into_iter().map(|step| step.text).collect()
}

/// Adds the steps of `plan` that are not there yet; the number of its last. `shown`: the numbers of those that are, by where
/// they lie in memory.
fn show(plan: &Plan, depth: usize, steps: &mut Vec<Shown>, shown: &mut HashMap<usize, usize>) -> usize {
    let node = plan.node();
    let place = std::ptr::from_ref(node).addr();
    if let Some(&number) = shown.get(&place) {
        return number;
    }
    let mut inputs: Vec<usize> = node.inputs.iter().map(|input| show(input, depth, steps, shown)).collect();
    if let Some(nested) = node.kind.nested() {
        inputs.push(show(&nested.plan, depth + 1, steps, shown));
    }
    let elements = format!("{} × {}", node.cardinality, node.spec);
    // Without the hashes of sources, which are of all their data: rules are explained each time a plan is made ready to run.
    let text = with_short_strings(&format!("{:#}", node.kind));
    steps.push(Shown { text: format!("{}{text}", "  ".repeat(depth)), elements, inputs });
    shown.insert(place, steps.len());
    steps.len()
}

/// Columns wider than this are not lined up: one long expression would push everything off the screen.
const MAX_COLUMN: usize = 60;

fn write_steps(f: &mut fmt::Formatter<'_>, plan: &Plan) -> fmt::Result {
    let mut steps = steps_of(plan);
    for (number, step) in (1..).zip(&mut steps) {
        // Said only where it is not the step above.
        if !step.inputs.is_empty() && step.inputs != [number - 1] {
            let inputs: Vec<String> = step.inputs.iter().map(ToString::to_string).collect();
            step.text = format!("{} of {}", step.text, inputs.join(" and "));
        }
    }
    let width_of = |step: &Shown| step.text.chars().count();
    let column = steps.iter().map(width_of).filter(|&width| width <= MAX_COLUMN).max().unwrap_or(0);
    for (number, step) in (1..).zip(&steps) {
        writeln!(f, "  {number:>2}  {:column$}  {}", step.text, step.elements)?;
    }
    Ok(())
}

/// A string of Graphviz's language.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(plan: &Plan) -> Explanation {
        Explanation::new(plan, &Optimizer::new()).expect("rules do not fail")
    }

    #[test]
    fn a_plan_is_shown_before_and_after_with_what_was_changed() {
        let plan = Plan::range(0, 10, 1).expect("valid");
        let plan = plan.map(|x| x + 1, None).expect("valid").map(|x| x * 2, None).expect("valid");
        let plan = plan.repeat(None).batch(4, false).expect("valid");
        assert_eq!(
            explained(&plan).to_string(),
            "\
plan as written
   1  range(0, 10, 1)       10 × int64[]
   2  map(add(x0, 1))       10 × int64[]
   3  map(multiply(x0, 2))  10 × int64[]
   4  repeat()              infinite × int64[]
   5  batch(4)              infinite × int64[4]

plan as it runs
   1  range(0, 10, 1)               10 × int64[]
   2  map(multiply(add(x0, 1), 2))  10 × int64[]
   3  repeat()                      infinite × int64[]
   4  batch(4)                      infinite × int64[4]
   5  prefetch()                    infinite × int64[4]

what was changed
  insert_prefetch, after step 5
    + prefetch()
  fuse_maps, steps 2 to 3
    - map(add(x0, 1))
    - map(multiply(x0, 2))
    + map(multiply(add(x0, 1), 2))
"
        );
    }

    #[test]
    fn a_plan_that_runs_as_written_is_shown_once_and_inputs_are_numbered() {
        let source = |stop| Plan::range(0, stop, 1).expect("valid");
        let plan = source(3).take(Some(2)).concatenate(&source(4)).expect("valid").prefetch(Some(1));
        assert_eq!(
            explained(&plan).to_string(),
            "\
plan, runs as written
   1  range(0, 3, 1)            3 × int64[]
   2  take(2)                   2 × int64[]
   3  range(0, 4, 1)            4 × int64[]
   4  concatenate() of 2 and 3  6 × int64[]
   5  prefetch(1)               6 × int64[]
"
        );
        assert_eq!(
            explained(&plan).to_dot(),
            "\
digraph plan {
  node [shape=box, fontname=monospace];
  subgraph cluster_written {
    label=\"as written\";
    written_1 [label=\"range(0, 3, 1)\\n3 × int64[]\"];
    written_2 [label=\"take(2)\\n2 × int64[]\"];
    written_1 -> written_2;
    written_3 [label=\"range(0, 4, 1)\\n4 × int64[]\"];
    written_4 [label=\"concatenate()\\n6 × int64[]\"];
    written_2 -> written_4;
    written_3 -> written_4;
    written_5 [label=\"prefetch(1)\\n6 × int64[]\"];
    written_4 -> written_5;
  }
}
"
        );
    }

    #[test]
    fn text_in_graphs_is_quoted() {
        let plan = Plan::range(0, 3, 1).expect("valid");
        let plan = plan.map(|_| crate::Symbolic::from("a\"\n"), None).expect("valid").prefetch(None);
        let dot = explained(&plan).to_dot();
        assert!(dot.contains(r#"[label="map(\"a\\\"\\n\")\n3 × string[]"]"#), "{dot}");
    }
}
