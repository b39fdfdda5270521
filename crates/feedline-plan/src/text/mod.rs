//! Plans as text: JSON that a person can read, and that is read back as the same plan. `docs/plan-text.md` describes it.
//!
//! - **Nothing is trusted.** Reading builds every step and call by the functions user code calls, and compares what it infers
//!   with what the text says. It runs no code: native functions are known by name, and whoever reads the text gives
//!   the code ([`Functions`]). Any text gives a plan or an error that names the step.
//! - **Nothing is lost.** Values are exact to the bit, random operations keep their places, and seeds that were drawn stay
//!   what they are: a state saved with the plan goes on with the plan read back.
//! - What a cache in memory holds is no part of the plan: one that is read back begins empty.

mod attributes;
pub mod base64;
mod fields;
mod files;
mod functions;
mod layout;
mod numbers;
mod read;
mod read_arguments;
mod read_exprs;
mod read_steps;
mod size;
mod specs;
mod tensors;
#[cfg(test)]
mod tests;
mod write;
mod write_exprs;

use serde_json::{Map, Value};

pub use functions::Functions;
pub use tensors::TensorText;

use crate::{Plan, PlanError, Result};

/// Of the text form. Older ones are read or refused by name, never guessed at.
const VERSION: u64 = 1;

/// Levels of lists and objects: the JSON reader takes 128.
const MAX_LEVELS: usize = 120;

/// A random operation's place in its plan is at most this.
const MAX_PLACE: u64 = 1 << 32;

impl Plan {
    /// The plan as text, which [`Plan::from_text`] reads.
    ///
    /// ```
    /// use feedline_plan::{Functions, Plan};
    ///
    /// let plan = Plan::range(0, 10, 1)?.map(|x| x * 2 + 1, None)?.batch(4, false)?;
    /// let again = Plan::from_text(&plan.to_text()?, &Functions::new())?;
    /// assert_eq!(again.lines(), plan.lines());
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// If a step has no text: one that the optimizer made, or that uses a value of an element outside of the function that
    /// got the element; or if the plan is larger than can be read back.
    pub fn to_text(&self) -> Result<String> {
        let (steps, _) = write::Writer::default().steps(self)?;
        if num_levels(&steps) > MAX_LEVELS {
            return Err(PlanError::argument("the plan is nested too deep to be written as text")
                .with_hint("elements and datasets inside datasets may have some thirty levels"));
        }
        let fingerprint = format!("{:016x}", self.fingerprint());
        let text = Map::from_iter([
            ("feedline_plan".to_owned(), VERSION.into()),
            ("fingerprint".to_owned(), fingerprint.into()),
            ("steps".to_owned(), steps),
        ]);
        Ok(layout::lay_out(&text.into()))
    }

    /// The plan whose text this is. `functions` has the native functions it calls.
    ///
    /// # Errors
    /// If it is no text of a plan, of another version, or has a step that cannot be; with the step. If a
    /// function is missing, with the names of all that are needed.
    pub fn from_text(text: &str, functions: &Functions) -> Result<Plan> {
        let whole: Value = serde_json::from_str(text).map_err(|error| no_plan(&error.to_string()))?;
        match whole.get("feedline_plan").map(Value::as_u64) {
            Some(Some(VERSION)) => {}
            Some(Some(version)) => {
                return Err(PlanError::format(format!(
                    "the plan is of version {version}, this feedline reads version {VERSION}"
                ))
                .with_hint("read it with the feedline that wrote it, or a newer one"));
            }
            _ => return Err(no_plan("'feedline_plan' with its version is missing")),
        }
        let mut fields = fields::Fields::of(&whole)?;
        fields.need("feedline_plan")?;
        let mut needed = Vec::new();
        collect_native(&whole, &mut needed);
        let steps = fields.need("steps")?;
        let (plan, _) = read::Reader::new(functions, needed).steps(steps, &[])?;
        let fingerprint = fields.read_if("fingerprint", fields::text)?;
        fields.finish()?;
        plan.check_closed()?;
        if fingerprint.is_some_and(|written| written != format!("{:016x}", plan.fingerprint())) {
            return Err(PlanError::format("the plan is not the one whose fingerprint the text has").with_hint(
                "the text was changed after it was written; if that was meant to be, take `fingerprint` out of it",
            ));
        }
        Ok(plan)
    }
}

fn no_plan(reason: &str) -> PlanError {
    PlanError::format(format!("this is no plan of feedline: {reason}"))
        .with_hint("read what `to_text()` returned, whole")
}

/// The names of native functions anywhere in a text, each once.
fn collect_native(value: &Value, names: &mut Vec<String>) {
    let name = value.get("native").and_then(|native| native.get("name")).and_then(Value::as_str);
    if let Some(name) = name.filter(|&name| !names.iter().any(|known| known == name)) {
        names.push(name.to_owned());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_native(item, names)),
        Value::Object(fields) => fields.values().for_each(|field| collect_native(field, names)),
        _ => {}
    }
}

fn num_levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(num_levels).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(num_levels).max().unwrap_or(0),
        _ => 0,
    }
}
