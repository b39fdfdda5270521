//! Patterns as tables of states, for strings that are so short that choosing between engines, as `regex` does at each search, takes
//! most of the time. Not every pattern has a table that is small enough; what is found is what `regex` finds.

use std::ops::Range;

use feedline_data::block::Strings;
use regex_automata::dfa::{Automaton, StartKind, dense, onepass};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::{NonMaxUsize, StateID};
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, Input, MatchKind};

/// Tables are made once for each worker and step, and have to stay in the nearer caches.
const MAX_TABLE_BYTES: usize = 256 << 10;

/// Says whether all of a string matches.
#[derive(Debug)]
pub(super) struct WholeMatcher {
    table: dense::DFA<Vec<u32>>,
    start: StateID,
    /// Whether strings are read from their end.
    is_reverse: bool,
}

impl WholeMatcher {
    /// For a pattern of `regex` that begins in `\A` and ends in `\z`; `None` if its table is too large.
    ///
    /// Strings are read from the end where more bytes at the end than at the beginning say that there is no match: a pattern such as
    /// `.*\.txt` is read to the end by those it does not match, too, unless that is where it is begun.
    pub(super) fn new(pattern: &str) -> Option<WholeMatcher> {
        let forward = WholeMatcher::of(pattern, false);
        let reverse = WholeMatcher::of(pattern, true);
        match (forward, reverse) {
            (Some(forward), Some(reverse)) => {
                let is_better = reverse.num_refused() > forward.num_refused();
                Some(if is_better { reverse } else { forward })
            }
            (forward, reverse) => forward.or(reverse),
        }
    }

    fn of(pattern: &str, is_reverse: bool) -> Option<WholeMatcher> {
        let (states, _) = states(pattern, WhichCaptures::None, is_reverse)?;
        let table = table_of(&states)?;
        let start = table.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()?;
        Some(WholeMatcher { table, start, is_reverse })
    }

    /// How many bytes no match begins with, on the side where strings are begun.
    fn num_refused(&self) -> usize {
        (0..=255).filter(|&byte| self.table.is_dead_state(self.table.next_state(self.start, byte))).count()
    }

    /// Of each string, whether it matches.
    pub(super) fn matches(&self, strings: &Strings) -> Vec<u8> {
        if self.is_reverse { self.matches_by::<true>(strings) } else { self.matches_by::<false>(strings) }
    }

    /// [`LANES`] strings at a time: a state is known some five cycles behind the one before it, and the tables of others can be
    /// looked up meanwhile.
    fn matches_by<const REVERSE: bool>(&self, strings: &Strings) -> Vec<u8> {
        let mut matches = Vec::with_capacity(strings.len());
        let num_grouped = strings.len() - strings.len() % LANES;
        for first in (0..num_grouped).step_by(LANES) {
            let group: [&[u8]; LANES] = std::array::from_fn(|lane| strings.get(first + lane));
            matches.extend(self.are_matches::<REVERSE>(group).map(u8::from));
        }
        matches.extend(
            (num_grouped..strings.len())
                .map(|index| u8::from(self.ends_in_match::<REVERSE>(self.start, strings.get(index)))),
        );
        matches
    }

    #[allow(clippy::needless_range_loop, reason = "a place in each of several strings")]
    fn are_matches<const REVERSE: bool>(&self, strings: [&[u8]; LANES]) -> [bool; LANES] {
        let common = strings.iter().map(|string| string.len()).min().unwrap_or(0);
        let mut states = [self.start; LANES];
        let mut at = 0;
        while at < common {
            let end = common.min(at + STRIDE);
            let pieces = strings.map(|string| {
                let len = string.len();
                if REVERSE { &string[len - end..len - at] } else { &string[at..end] }
            });
            for place in 0..end - at {
                let place = if REVERSE { end - at - 1 - place } else { place };
                for lane in 0..LANES {
                    states[lane] = self.table.next_state(states[lane], pieces[lane][place]);
                }
            }
            at = end;
            if states.iter().all(|&state| self.table.is_dead_state(state)) {
                return [false; LANES];
            }
        }
        std::array::from_fn(|lane| {
            let string = strings[lane];
            let rest = if REVERSE { &string[..string.len() - common] } else { &string[common..] };
            self.ends_in_match::<REVERSE>(states[lane], rest)
        })
    }

    /// Whether the rest of a string leads from a state to a match.
    fn ends_in_match<const REVERSE: bool>(&self, mut state: StateID, rest: &[u8]) -> bool {
        for at in 0..rest.len() {
            let byte = if REVERSE { rest[rest.len() - 1 - at] } else { rest[at] };
            state = self.table.next_state(state, byte);
            if self.table.is_dead_state(state) {
                return false;
            }
        }
        self.table.is_match_state(self.table.next_eoi_state(state))
    }
}

/// Strings that are looked at side by side.
const LANES: usize = 4;
/// Bytes of each between two looks at whether all have failed.
const STRIDE: usize = 16;

/// Where the groups of a match are, of patterns of which each byte tells how to go on.
pub(super) struct Groups {
    table: onepass::DFA,
    cache: onepass::Cache,
    places: Vec<Option<NonMaxUsize>>,
}

impl Groups {
    /// `None` if the pattern is none of those, or its table too large.
    pub(super) fn new(pattern: &str) -> Option<Groups> {
        let (states, _) = states(pattern, WhichCaptures::All, false)?;
        let config =
            onepass::Config::new().match_kind(MatchKind::LeftmostFirst).size_limit(Some(MAX_TABLE_BYTES));
        let table = onepass::Builder::new().configure(config).build_from_nfa(states).ok()?;
        let (cache, num_places) = (table.create_cache(), table.get_nfa().group_info().slot_len());
        Some(Groups { table, cache, places: vec![None; num_places] })
    }

    /// Looks for the groups of the match that begins at `start`.
    pub(super) fn read(&mut self, string: &[u8], start: usize) {
        let input = Input::new(string).range(start..).anchored(Anchored::Yes);
        let found = self.table.try_search_slots(&mut self.cache, &input, &mut self.places);
        debug_assert!(matches!(found, Ok(Some(_))), "a match begins there");
    }

    /// Where group number `group` was found.
    pub(super) fn get(&self, group: usize) -> Option<(usize, usize)> {
        let place = |slot: usize| self.places.get(slot).copied().flatten().map(NonMaxUsize::get);
        Some((place(2 * group)?, place(2 * group + 1)?))
    }
}

/// Finds one match after the other, of patterns that match no empty string and do not look at what stands before.
#[derive(Debug)]
pub(super) struct Finder {
    table: dense::DFA<Vec<u32>>,
    start: StateID,
    /// Of each byte, whether a match may begin with it.
    begins: [bool; 256],
}

/// How many more bytes of a string may be looked at twice. Trying each place where a match may begin takes the square of the length
/// where many fail late; `regex` takes no longer than the string, and has the rest.
#[derive(Debug)]
pub(super) struct Patience(usize);

impl Patience {
    pub(super) fn for_string(string: &[u8]) -> Patience {
        Patience(64 + 4 * string.len())
    }
}

/// The patience ended before a match was found.
#[derive(Debug)]
pub(super) struct GaveUp;

impl Finder {
    /// `None` if the pattern is none of those, or its table too large.
    pub(super) fn new(pattern: &str) -> Option<Finder> {
        let (states, can_be_empty) = states(pattern, WhichCaptures::None, false)?;
        let table = table_of(&states)?;
        let start = table.universal_start_state(Anchored::Yes).filter(|_| !can_be_empty)?;
        let mut begins = [false; 256];
        for byte in 0..=255 {
            begins[usize::from(byte)] = !table.is_dead_state(table.next_state(start, byte));
        }
        Some(Finder { table, start, begins })
    }

    /// The first match that begins at `at` or behind it.
    pub(super) fn find_at(
        &self,
        string: &[u8],
        mut at: usize,
        patience: &mut Patience,
    ) -> Result<Option<Range<usize>>, GaveUp> {
        while let Some(skipped) = string[at..].iter().position(|&byte| self.begins[usize::from(byte)]) {
            let start = at + skipped;
            let (end, seen) = self.match_at(string, start);
            patience.0 = patience.0.checked_sub(seen - end.unwrap_or(start)).ok_or(GaveUp)?;
            if let Some(end) = end {
                return Ok(Some(start..end));
            }
            at = start + 1;
        }
        Ok(None)
    }

    /// Where the match that begins at `start` ends, if there is one, and how far was looked.
    fn match_at(&self, string: &[u8], start: usize) -> (Option<usize>, usize) {
        let (mut state, mut end) = (self.start, None);
        for (at, &byte) in string.iter().enumerate().skip(start) {
            state = self.table.next_state(state, byte);
            if self.table.is_special_state(state) {
                // A state tells of a match that ended before the byte it was entered with.
                if self.table.is_match_state(state) {
                    end = Some(at);
                } else if self.table.is_dead_state(state) {
                    return (end, at);
                }
            }
        }
        if self.table.is_match_state(self.table.next_eoi_state(state)) {
            end = Some(string.len());
        }
        (end, string.len())
    }
}

/// The states of a pattern, of strings as they are or from their end, and whether it may match an empty string.
fn states(pattern: &str, which: WhichCaptures, is_reverse: bool) -> Option<(thompson::NFA, bool)> {
    // As `regex::bytes` has it: bytes that are no UTF-8 may match.
    let parsed = syntax::parse_with(pattern, &syntax::Config::new().utf8(false)).ok()?;
    let can_be_empty = parsed.properties().minimum_len() == Some(0);
    let config = thompson::Config::new()
        .utf8(false)
        .reverse(is_reverse)
        .which_captures(which)
        .nfa_size_limit(Some(4 * MAX_TABLE_BYTES));
    let states = thompson::Compiler::new().configure(config).build_from_hir(&parsed).ok()?;
    Some((states, can_be_empty))
}

fn table_of(states: &thompson::NFA) -> Option<dense::DFA<Vec<u32>>> {
    let config = dense::Config::new()
        .start_kind(StartKind::Anchored)
        .match_kind(MatchKind::LeftmostFirst)
        .accelerate(false)
        .dfa_size_limit(Some(MAX_TABLE_BYTES))
        .determinize_size_limit(Some(4 * MAX_TABLE_BYTES));
    dense::Builder::new().configure(config).build_from_nfa(states).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_plan::expr::pattern::regular_expression;
    use proptest::prelude::*;

    const PATTERNS: [&str; 33] = [
        r".*a",
        r"[^b]*(a|bc)",
        r"(?s).*\ba1?",
        r"(a)(b)?",
        r"(a|b)([^a]+)",
        r"((a)|(b))c*",
        r"(a+)(b*)\b",
        r"\d+",
        r"a",
        r"ab|a",
        r"a|ab",
        r"a+?",
        r"[^a]",
        r"[^a]+",
        r"(a|b)*c",
        r"a[^b]*b|a",
        r"a|a[^b]*b",
        r"é",
        r"[é-ü]+",
        r".",
        r"(?s).",
        r"\C",
        r"(?i)aé",
        r"a$",
        r"(?m)a$",
        r"a\b",
        r"^a",
        r"\ba",
        r"a*",
        r"",
        r"a{2,3}",
        r"\pL+",
        r"[[:punct:]]",
    ];

    fn all(pattern: &str, string: &[u8], patience: &mut Patience) -> Option<Vec<Range<usize>>> {
        let finder = Finder::new(regular_expression(pattern, false).expect("right").as_str())?;
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(range) = finder.find_at(string, at, patience).ok()? {
            at = range.end;
            found.push(range);
        }
        Some(found)
    }

    #[test]
    fn patterns_that_have_no_table_are_left_to_the_engines() {
        for (pattern, is_taken) in [
            (r"\d+", true),
            (r"a\b", true),
            (r"a*", false),
            (r"^a", false),
            (r"\ba", false),
            (r"(?m)^a", false),
            (r"[ab]*a[ab]{14}", false),
        ] {
            let pattern = regular_expression(pattern, false).expect("right");
            assert_eq!(Finder::new(pattern.as_str()).is_some(), is_taken, "{pattern}");
        }
        let whole = |pattern| {
            let regex = regular_expression(pattern, true).expect("right");
            WholeMatcher::new(regex.as_str()).expect("a small table")
        };
        assert!(!whole(r"word1\d*").is_reverse && whole(r".*9 ").is_reverse);
        assert!(!whole(r"\w+@\w+").is_reverse);
    }

    #[test]
    fn many_late_failures_end_the_patience() {
        let string = b"a".repeat(10_000);
        assert!(all("a[^b]*b", &string, &mut Patience::for_string(&string)).is_none());
        assert!(all("a[^b]*b|a", &string, &mut Patience::for_string(&string)).is_none());
        assert_eq!(
            all("a", &string, &mut Patience::for_string(&string)).map(|found| found.len()),
            Some(10_000)
        );
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_regex_finds(
            pattern in proptest::sample::select(&PATTERNS[..]),
            string in proptest::collection::vec(prop_oneof![
                proptest::sample::select(&b"aabcA1 .\n"[..]), proptest::sample::select("éü".as_bytes()), any::<u8>()
            ], 0..20),
        ) {
            let regex = regular_expression(pattern, false).expect("right");
            if let Some(found) = all(pattern, &string, &mut Patience(usize::MAX)) {
                let expected: Vec<_> = regex.find_iter(&string).map(|found| found.range()).collect();
                prop_assert_eq!(found, expected, "{}", pattern);
            }
            let whole = regular_expression(pattern, true).expect("right");
            if let Some(matcher) = WholeMatcher::new(whole.as_str()) {
                // Of several lengths side by side, and the rest of a group.
                let parts: Vec<&[u8]> = (0..=string.len()).chain([0, string.len()]).map(|end| &string[..end]).collect();
                let expected: Vec<u8> = parts.iter().map(|part| u8::from(whole.is_match(part))).collect();
                prop_assert_eq!(matcher.matches(&parts.into_iter().collect()), expected, "{}", pattern);
            }
            if let Some(mut groups) = Groups::new(regex.as_str()) {
                let mut places = regex.capture_locations();
                for found in regex.find_iter(&string) {
                    regex.captures_read_at(&mut places, &string, found.start());
                    groups.read(&string, found.start());
                    for group in 0..regex.captures_len() {
                        prop_assert_eq!(groups.get(group), places.get(group), "{} group {}", pattern, group);
                    }
                }
            }
        }
    }
}
