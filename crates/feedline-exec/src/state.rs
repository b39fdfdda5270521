//! What is saved of an iterator.

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;

use feedline_data::block::Position;
use feedline_formats::{CompressedStream, Compression, Decompressor, deflate_piece};
use feedline_plan::{CacheCell, CachePlace, MAX_DEPTH, NodeKind, Plan, SeedPair};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ExecError;
use crate::files::{FileCheck, TouchedFiles};
use crate::lower::check_size;

/// The state of an iterator: where it is in its plan, no data. A few hundred bytes, a few kilobytes where many streams are read
/// at a time ([`State::to_bytes`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    version: u32,
    /// The plan's steps, to say what differs if they do.
    plan: Vec<String>,
    iteration: u64,
    /// Seeds that were drawn because the user gave none, in the order of the plan.
    drawn_seeds: Vec<SeedPair>,
    /// `None`: nothing was read yet.
    position: Option<Position>,
    /// What the files that were read looked like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileCheck>,
}

/// Of the text form and of what its positions count in: with 3 came other orders of `global_shuffle` and of exact mixtures. Older ones are read or refused by
/// name, never guessed at.
const VERSION: u32 = 3;

impl State {
    pub(crate) fn new(
        plan: &Plan,
        iteration: u64,
        position: Option<Position>,
        files: Vec<FileCheck>,
    ) -> State {
        let mut drawn_seeds = Vec::new();
        collect_drawn_seeds(plan, &mut drawn_seeds);
        State { version: VERSION, plan: plan.lines(), iteration, drawn_seeds, position, files }
    }

    /// It as bytes, to be kept: text ([`State::to_json`]) that is compressed, because streams side by side are in much the same state
    /// (500 shuffles in an interleave take 3 KB instead of 93), and has a checksum, so that what is damaged is not gone on from.
    pub fn to_bytes(&self) -> Vec<u8> {
        deflated(self.to_json().as_bytes())
    }

    /// A state from its bytes.
    ///
    /// # Errors
    /// If it is no state, or damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<State, ExecError> {
        let text = inflated(bytes)?;
        let Versioned { version } = parse(&text).map_err(broken)?;
        if version != VERSION {
            return Err(ExecError::state(format!(
                "the state is of version {version}, this feedline reads version {VERSION}"
            ))
            .with_hint("restore it with the feedline that saved it"));
        }
        parse(&text).map_err(broken)
    }

    /// It as text, to be looked at.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a state is made of numbers and strings")
    }

    /// Which iteration it is.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Where to go on.
    ///
    /// # Errors
    /// If it has a number that no stream comes to: sums of such ones would not be numbers of rows.
    pub(crate) fn position(&self) -> Result<Option<&Position>, ExecError> {
        let Some(position) = &self.position else { return Ok(None) };
        match position.states().iter().find_map(|state| too_large(state, "position")) {
            None => Ok(Some(position)),
            Some((name, number)) => Err(ExecError::state(format!(
                "the saved state cannot be used: `{name}` is {number}, more rows than any stream has"
            ))
            .with_hint(EDITED)),
        }
    }

    /// The files it was saved with, which must be as they were.
    pub(crate) fn checked_files(&self) -> Result<TouchedFiles, ExecError> {
        self.files.iter().try_for_each(FileCheck::verify)?;
        Ok(TouchedFiles::of_state(&self.files))
    }

    /// `plan` with the seeds that were drawn when the state was saved.
    pub(crate) fn apply_to(&self, plan: &Plan) -> Result<Plan, ExecError> {
        check_size(plan)?;
        let lines = plan.lines();
        if let Some(step) = (0..lines.len().max(self.plan.len())).find(|&i| lines.get(i) != self.plan.get(i))
        {
            let shown =
                |line: Option<&String>| line.map_or_else(|| "nothing".into(), |line| format!("`{line}`"));
            return Err(ExecError::state(format!(
                "the state belongs to another plan: step {} was {} when it was saved and is {} now",
                step + 1,
                shown(self.plan.get(step)),
                shown(lines.get(step))
            ))
            .with_hint("restore with the pipeline and data it was saved with"));
        }
        let plan = with_drawn_seeds(plan, &self.drawn_seeds);
        plan.ok_or_else(|| ExecError::state("the state has fewer seeds than the plan has unseeded shuffles"))
    }
}

/// What to do about a state whose numbers do not go together.
pub(crate) const EDITED: &str = "it was edited, or damaged on its way; go on from an older one";

/// A count in `state`, of which `name` is the name, that is larger than any.
fn too_large(state: &Value, name: &str) -> Option<(String, u64)> {
    match state {
        Value::Number(number) => {
            let number = number.as_u64().filter(|&number| i64::try_from(number).is_err())?;
            // What is left of a `take` without a limit is, and so may be what a `shard` of as many has to skip.
            (!["left", "to_skip"].contains(&name)).then(|| (name.to_owned(), number))
        }
        Value::Array(parts) => parts.iter().find_map(|part| too_large(part, name)),
        // What a `scan` keeps are values of the user's.
        Value::Object(parts) => {
            let counts = parts.iter().filter(|(name, _)| name.as_str() != "state");
            counts.into_iter().find_map(|(name, part)| too_large(part, name))
        }
        _ => None,
    }
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

fn broken(reason: impl Display) -> ExecError {
    ExecError::state(format!("this is no saved state of feedline: {reason}"))
        .with_hint("save the bytes of a state whole and unchanged; if that was done, go on from an older one")
}

/// The bytes of a state's text.
fn deflated(text: &[u8]) -> Vec<u8> {
    let mut stream = CompressedStream::new(COMPRESSION);
    let mut bytes = stream.header().to_vec();
    stream.add(text);
    deflate_piece(text, COMPRESSION_LEVEL, &mut bytes);
    bytes.extend(stream.trailer());
    bytes
}

/// The text of a state's bytes.
fn inflated(bytes: &[u8]) -> Result<Vec<u8>, ExecError> {
    let mut inflater = Decompressor::new(COMPRESSION);
    let (mut text, mut taken) = (Vec::new(), 0);
    loop {
        let before = text.len();
        taken += inflater.push(&bytes[taken..], &mut text, INFLATED_AT_ONCE).map_err(broken)?;
        if text.len() - before < INFLATED_AT_ONCE {
            inflater.finish().map_err(broken)?;
            return Ok(text);
        }
        if text.len() > MAX_TEXT_BYTES {
            return Err(broken(format!("it is longer than {MAX_TEXT_BYTES} bytes")));
        }
    }
}

const COMPRESSION: Compression = Compression::Zlib;
const COMPRESSION_LEVEL: u32 = 6;
const INFLATED_AT_ONCE: usize = 16 << 10;
/// More text than the largest plan has states: what asks for more is no state.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// Levels of objects and lists in the state of a plan: a step has at most so many.
const MAX_LEVELS_A_STEP: usize = 4;

/// The JSON reader stops at 128 levels, and a state has one for each step at least.
fn parse<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, serde_json::Error> {
    let (mut levels, mut deepest) = (0_usize, 0);
    // Brackets within strings count, too: they are few there, and what is no state may well be refused.
    for &byte in text {
        match byte {
            b'{' | b'[' => {
                levels += 1;
                deepest = deepest.max(levels);
            }
            b'}' | b']' => levels = levels.saturating_sub(1),
            _ => {}
        }
    }
    let mut reader = serde_json::Deserializer::from_slice(text);
    if deepest <= MAX_LEVELS_A_STEP * MAX_DEPTH {
        reader.disable_recursion_limit();
    }
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Adds the seeds that were drawn because the user gave none: those of inputs first, then of what is nested.
pub(crate) fn collect_drawn_seeds(plan: &Plan, drawn: &mut Vec<SeedPair>) {
    let node = plan.node();
    node.inputs.iter().for_each(|input| collect_drawn_seeds(input, drawn));
    if let Some(nested) = node.kind.nested() {
        collect_drawn_seeds(&nested.plan, drawn);
    }
    drawn.extend(node.kind.seeds().filter(|seeds| !seeds.is_given));
}

/// `plan` with `seeds` in place of those that were drawn, in the order of [`collect_drawn_seeds`]; `None` if there are fewer.
pub(crate) fn with_drawn_seeds(plan: &Plan, seeds: &[SeedPair]) -> Option<Plan> {
    Reseeding { seeds, num_used: 0, known: HashMap::new() }.reseeded(plan)
}

/// Puts seeds into a plan. A step that is used several times has its seeds in the list for each use, and stays one step.
struct Reseeding<'a> {
    seeds: &'a [SeedPair],
    num_used: usize,
    /// What became of each step that was met, by where it lies in memory, and which seeds that took.
    known: HashMap<usize, (Plan, Range<usize>)>,
}

impl Reseeding<'_> {
    fn reseeded(&mut self, plan: &Plan) -> Option<Plan> {
        let node = plan.node();
        let place = std::ptr::from_ref(node).addr();
        if let Some((known, used)) = self.known.get(&place) {
            let again = self.num_used..self.num_used + used.len();
            if self.seeds.get(again.clone()) == self.seeds.get(used.clone()) {
                self.num_used = again.end;
                return Some(known.clone());
            }
        }
        let first = self.num_used;
        let new = self.with_seeds(plan)?;
        self.known.insert(place, (new.clone(), first..self.num_used));
        Some(new)
    }

    fn with_seeds(&mut self, plan: &Plan) -> Option<Plan> {
        let node = plan.node();
        let inputs = node.inputs.iter().map(|input| self.reseeded(input)).collect::<Option<Vec<_>>>()?;
        if let Some(nested) = node.kind.nested() {
            let inner = self.reseeded(&nested.plan)?;
            return Some(plan.with_kind(node.kind.with_nested_plan(inner), inputs));
        }
        match &node.kind {
            kind if kind.seeds().is_some_and(|seeds| !seeds.is_given) => {
                let seeds = *self.seeds.get(self.num_used)?;
                self.num_used += 1;
                Some(plan.with_kind(kind.with_seeds(seeds), inputs))
            }
            // What is kept is in the order of the seeds it was made with.
            NodeKind::Cache { place: CachePlace::Memory(_) }
                if drawn_seeds(&node.inputs) != drawn_seeds(&inputs) =>
            {
                let place = CachePlace::Memory(CacheCell::default());
                Some(plan.with_kind(NodeKind::Cache { place }, inputs))
            }
            _ => Some(plan.with_inputs(inputs)),
        }
    }
}

/// `plan` with other seeds in place of those that were drawn because the user gave none: numbers, the same in every process that builds this plan.
/// Steps that shared their seeds still do.
///
/// # Errors
/// If the plan has more steps than can run.
pub fn with_agreed_seeds(plan: &Plan) -> Result<Plan, ExecError> {
    check_size(plan)?;
    let drawn = drawn_seeds(std::slice::from_ref(plan));
    let number = |seeds: &SeedPair| drawn.iter().position(|other| other == seeds).unwrap_or_default() as i64;
    let agreed: Vec<SeedPair> =
        drawn.iter().map(|seeds| SeedPair { seed: AGREED_SEED, seed2: number(seeds), ..*seeds }).collect();
    Ok(with_drawn_seeds(plan, &agreed).expect("one for each that was drawn"))
}

/// What TensorFlow takes for the program's seed where there is none.
const AGREED_SEED: i64 = 87_654_321;

fn drawn_seeds(plans: &[Plan]) -> Vec<SeedPair> {
    let mut drawn = Vec::new();
    plans.iter().for_each(|plan| collect_drawn_seeds(plan, &mut drawn));
    drawn
}

#[cfg(test)]
mod tests {
    use feedline_data::block::Token;

    use super::*;

    fn state() -> State {
        let plan = Plan::range(0, 10, 1).expect("valid");
        State::new(&plan, 3, Some(Position::at(Token::new(|rows| rows))), Vec::new())
    }

    fn refused(bytes: &[u8]) -> String {
        State::from_bytes(bytes).expect_err("no state").to_string()
    }

    #[test]
    fn agreed_seeds_follow_from_the_plan_alone() {
        let drawn = |seed| SeedPair { seed, seed2: seed + 1, is_given: false };
        let given = SeedPair { seed: 1, seed2: 2, is_given: true };
        let plan = |first, second| {
            let shuffled = |plan: &Plan, seeds| plan.shuffle(3, seeds, true).expect("valid");
            let ten = shuffled(&Plan::range(0, 10, 1).expect("valid"), drawn(first));
            let both = ten.concatenate(&ten).expect("valid");
            shuffled(&shuffled(&both, drawn(second)), given)
        };
        let agreed = |plan: &Plan| drawn_seeds(&[with_agreed_seeds(plan).expect("small")]);
        let numbered = |seed2| SeedPair { seed: AGREED_SEED, seed2, is_given: false };
        // What is there twice has one order; the one that was given is not among them.
        assert_eq!(agreed(&plan(5, 7)), [numbered(0), numbered(0), numbered(2)]);
        assert_eq!(agreed(&plan(5, 7)), agreed(&plan(9, 3)));
    }

    #[test]
    fn what_is_damaged_or_cut_is_refused_whatever_byte_it_is() {
        let (whole, text) = (state().to_bytes(), state().to_json());
        assert_eq!(State::from_bytes(&whole).expect("a state").to_json(), text);
        let mut num_ignored = 0;
        for place in 0..whole.len() {
            let error = refused(&whole[..place]);
            assert!(error.contains("no saved state") && error.contains("older one"), "{place}: {error}");
            let mut damaged = whole.clone();
            damaged[place] ^= 4;
            // Some bits only fill a byte up: what they are changes nothing.
            if let Ok(state) = State::from_bytes(&damaged) {
                assert_eq!(state.to_json(), text, "byte {place}");
                num_ignored += 1;
            }
        }
        assert!(num_ignored <= 2, "{num_ignored} of {} bytes", whole.len());
        assert!(refused(text.as_bytes()).contains("no saved state"), "its text is not it");
    }

    #[test]
    fn another_version_is_refused_by_name() {
        let text = state().to_json().replace("\"version\":3", "\"version\":9");
        assert!(refused(&deflated(text.as_bytes())).contains("version 9"));
    }

    #[test]
    fn what_inflates_without_end_or_nests_too_deep_is_refused() {
        assert!(refused(&deflated(&vec![b'['; MAX_TEXT_BYTES + INFLATED_AT_ONCE])).contains("longer than"));
        let text = format!("{{\"version\": 3, \"position\": {}", "[".repeat(1_000_000));
        assert!(refused(&deflated(text.as_bytes())).contains("no saved state"));
    }
}
