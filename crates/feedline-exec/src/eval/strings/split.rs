//! Strings cut at separators or white space.

use feedline_data::DType;
use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::super::rows::bytes_of;
use super::super::{Arguments, Value};
use super::cuts::{Cuts, cut_within};
use super::spaces::edges;

pub(super) fn split(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let separator = arguments.call.text("sep").as_bytes();
    // A number below 0 is no limit.
    let max_splits = usize::try_from(arguments.call.int("maxsplit")).unwrap_or(usize::MAX);
    // Parts are counted only where there could be so many of them that they are asked for.
    let asked_from = arguments.asked_from_bytes();
    let at_most = move |string: &[u8], width: usize, count: &dyn Fn() -> usize| {
        let most = (string.len() / width + 1).min(max_splits.saturating_add(1));
        if bytes_of(DType::String, most) <= asked_from { most } else { most.min(count() + 1) }
    };
    match separator {
        _ if max_splits == 0 => cut_within(arguments, |_| 1, |string, parts| parts.push(0, string.len())),
        [] => {
            // A word and what is between it and the next are two bytes at least.
            let count = |string: &[u8]| at_most(string, 2, &|| num_edges(string) / 2 + 1);
            cut_within(arguments, count, |string, parts| words(string, max_splits, parts))
        }
        [byte] => {
            let count = |string: &[u8]| at_most(string, 1, &|| memchr_iter(*byte, string).count());
            cut_within(arguments, count, |string, parts| {
                between(memchr_iter(*byte, string), 1, string, max_splits, parts);
            })
        }
        _ => {
            let finder = Finder::new(separator);
            let width = separator.len();
            let count = |string: &[u8]| at_most(string, width, &|| finder.find_iter(string).count());
            cut_within(arguments, count, |string, parts| {
                between(finder.find_iter(string), width, string, max_splits, parts);
            })
        }
    }
}

/// Where words begin and end.
pub(super) fn num_edges(string: &[u8]) -> usize {
    let mut count = 0;
    edges(string, |_| {
        count += 1;
        true
    });
    count
}

/// The parts between runs of white space. What is left behind the last cut keeps the white space at its end, and is there even if
/// it is empty: TensorFlow has it so.
pub(super) fn words(string: &[u8], max_splits: usize, parts: &mut Cuts<'_, '_>) {
    let (mut start, mut num_words) = (None, 0);
    edges(string, |at| {
        match start.take() {
            None => start = Some(at),
            Some(begun) => {
                parts.push(begun, at);
                num_words += 1;
            }
        }
        // Behind the last cut what is left begins with the next word, wherever that ends.
        num_words < max_splits || start.is_none()
    });
    if let Some(start) = start {
        parts.push(start, string.len());
        if num_words == max_splits {
            return;
        }
        num_words += 1;
    }
    if num_words == max_splits {
        parts.push(string.len(), string.len());
    }
}

/// The parts between separators of `width` bytes, which begin at `places`.
pub(super) fn between(
    places: impl Iterator<Item = usize>,
    width: usize,
    string: &[u8],
    max_splits: usize,
    parts: &mut Cuts<'_, '_>,
) {
    let mut start = 0;
    for place in places.take(max_splits) {
        parts.push(start, place);
        start = place + width;
    }
    parts.push(start, string.len());
}

#[cfg(test)]
mod tests {
    use super::super::spaces::is_space;
    use super::*;
    use feedline_data::block::Strings;
    use proptest::prelude::*;

    /// As a sentence: skip white space, take a word, until there are enough of them.
    fn one_by_one(string: &[u8], max_splits: usize) -> Vec<&[u8]> {
        let skip = |from: usize, wanted: bool| {
            string[from..]
                .iter()
                .position(|&byte| is_space(byte) == wanted)
                .map_or(string.len(), |at| from + at)
        };
        let (mut parts, mut at) = (Vec::new(), skip(0, false));
        while at < string.len() {
            let end = skip(at, true);
            parts.push(&string[at..end]);
            at = skip(end, false);
            if parts.len() == max_splits {
                parts.push(&string[at..]);
                break;
            }
        }
        parts
    }

    proptest! {
        #[test]
        fn words_are_those_found_one_by_one(
            string in "[ab \\t]{0,40}",
            max_splits in prop_oneof![1_usize..6, Just(usize::MAX)],
        ) {
            let strings = [&string].into_iter().collect::<Strings>();
            let mut parts = strings.parts(0);
            words(string.as_bytes(), max_splits, &mut Cuts { parts: &mut parts, index: 0 });
            let parts = parts.finish();
            prop_assert_eq!(parts.iter().collect::<Vec<_>>(), one_by_one(string.as_bytes(), max_splits));
        }
    }
}
