//! What matches a pattern, replaced.

use std::ops::Range;

use feedline_plan::expr::pattern::{Rewrite, RewritePart, regular_expression};
use regex::bytes::{CaptureLocations, Regex};

use super::super::{Arguments, Value};
use super::automaton::{Finder, Groups, Patience};
use super::each_string;

/// What a step of replacing keeps from block to block.
struct Replacing {
    regex: Regex,
    rewrite: Rewrite,
    /// Where the pattern has a table; and one for its groups, if the rewrite needs them.
    finder: Option<Finder>,
    groups: Option<Groups>,
}

impl Replacing {
    fn new(pattern: &str, rewrite: &str) -> Replacing {
        let regex = regular_expression(pattern, false).expect("the plan checked the pattern");
        let rewrite = Rewrite::new(rewrite, regex.captures_len() - 1).expect("the plan checked the rewrite");
        let groups = if rewrite.has_groups() { Groups::new(regex.as_str()) } else { None };
        let has_tables = groups.is_some() || !rewrite.has_groups();
        let finder = if has_tables { Finder::new(regex.as_str()) } else { None };
        Replacing { regex, rewrite, finder, groups }
    }

    /// Adds `string` with what matches rewritten to `bytes`.
    fn write(&mut self, string: &[u8], is_global: bool, places: &mut CaptureLocations, bytes: &mut Vec<u8>) {
        let (mut at, mut written) = (0, 0);
        if let Some(finder) = &self.finder {
            let mut patience = Patience::for_string(string);
            // No match of these is empty, so that the next search begins where the last match ended.
            while let Ok(found) = finder.find_at(string, at, &mut patience) {
                let Some(found) = found else { return bytes.extend_from_slice(&string[written..]) };
                bytes.extend_from_slice(&string[written..found.start]);
                if let Some(groups) = &mut self.groups {
                    groups.read(string, found.start);
                    write_match(&self.rewrite, string, &found, |group| groups.get(group), bytes);
                } else {
                    write_match(&self.rewrite, string, &found, |_| None, bytes);
                }
                (at, written) = (found.end, found.end);
                if !is_global {
                    return bytes.extend_from_slice(&string[written..]);
                }
            }
        }
        // As RE2, no empty match right behind another.
        let mut last_end = None;
        while at <= string.len() {
            let found = if self.rewrite.has_groups() {
                self.regex.captures_read_at(places, string, at)
            } else {
                self.regex.find_at(string, at)
            };
            let Some(found) = found else { break };
            if found.is_empty()
                && (last_end == Some(found.start()) || is_within_character(string, found.start()))
            {
                at = found.start() + 1;
                continue;
            }
            bytes.extend_from_slice(&string[written..found.start()]);
            write_match(&self.rewrite, string, &found.range(), |group| places.get(group), bytes);
            written = found.end();
            last_end = Some(found.end());
            at = found.end() + usize::from(found.is_empty());
            if !is_global {
                break;
            }
        }
        bytes.extend_from_slice(&string[written..]);
    }
}

/// Adds what the match `found` becomes, with its groups where `place` says.
#[inline]
fn write_match(
    rewrite: &Rewrite,
    string: &[u8],
    found: &Range<usize>,
    place: impl Fn(usize) -> Option<(usize, usize)>,
    bytes: &mut Vec<u8>,
) {
    for part in rewrite.parts() {
        match part {
            RewritePart::Text(text) => bytes.extend_from_slice(text),
            RewritePart::Group(0) => bytes.extend_from_slice(&string[found.clone()]),
            RewritePart::Group(group) => {
                if let Some((start, end)) = place(*group) {
                    bytes.extend_from_slice(&string[start..end]);
                }
            }
        }
    }
}

pub(super) fn replace(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let mut replacing = arguments.scratch.take(|| Replacing::new(call.text("pattern"), call.text("rewrite")));
    let is_global = call.flag("replace_global");
    let mut places = replacing.regex.capture_locations();
    let values = each_string(arguments, |string, bytes| {
        replacing.write(string, is_global, &mut places, bytes);
        Ok(())
    });
    arguments.scratch.put(replacing);
    values
}

/// Whether a place is within a character: RE2 goes from one to the next.
fn is_within_character(string: &[u8], at: usize) -> bool {
    let start = (at.saturating_sub(3)..at).rev().find(|&start| string[start] & 0xc0 != 0x80);
    let Some(start) = start.filter(|_| string.get(at).is_some_and(|byte| byte & 0xc0 == 0x80)) else {
        return false;
    };
    let width = match string[start] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return false,
    };
    let character = string.get(start..start + width);
    character.is_some_and(|character| std::str::from_utf8(character).is_ok()) && at < start + width
}
