//! Where strings stand in a list, found by their bytes.

use std::hash::{BuildHasher as _, Hasher as _};
use std::hint::select_unpredictable;

use feedline_data::block::Strings;
use foldhash::fast::FixedState;

/// The places of strings, by hash. Short strings are in their bucket, as a number, so that a lookup touches nothing else; longer ones stay where
/// they are, one behind the other as a rule: a map that owns its keys has each of them somewhere else.
///
/// Whether a key is there and how long it is cannot be foretold, and a jump that is guessed wrong takes as long as a lookup does. So short keys are looked for without: their
/// length is a part of a number, and all cells of a bucket are compared.
pub(super) struct TextIndex {
    keys: Strings,
    /// Three for two keys: one in thirty is full then, and what is not in a full one is looked for in the next.
    buckets: Vec<Bucket>,
    /// How many keys there are, those that are there twice once.
    pub(super) num_keys: usize,
}

const CELLS: usize = 3;

/// A line of the processor's cache, filled from the front.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket {
    prints: [u128; CELLS],
    /// Of each print the place of its key, or [`FREE`].
    places: [u32; CELLS],
    /// All ones where no cell is free: keys may be in the next bucket. Else 0.
    is_full: u32,
}

/// The place of no key: there are fewer.
const FREE: u32 = u32::MAX;

/// Strings so long are all in their print.
const SHORT_BYTES: usize = 15;

/// Of a short string its bytes (those of `head`) and, in the last one, its length; of a long one its hash, its length, and a last byte that is no length of a short one.
#[inline]
fn print_of(head: u128, string: &[u8]) -> u128 {
    if string.len() <= SHORT_BYTES { head | (string.len() as u128) << 120 } else { print_of_long(string) }
}

fn print_of_long(string: &[u8]) -> u128 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(string);
    u128::from(hasher.finish()) | (string.len() as u128) << 64 | 0xff << 120
}

impl TextIndex {
    /// The place of a key that is not there.
    pub(super) const NOWHERE: u32 = FREE;

    /// The index of `keys`, fewer than 2³² − 1. One that is there twice has the first place.
    pub(super) fn new(keys: &Strings) -> TextIndex {
        let free = Bucket { prints: [0; CELLS], places: [FREE; CELLS], is_full: 0 };
        let buckets = vec![free; keys.len() * 3 / 2 + 1];
        let mut index = TextIndex { keys: keys.clone(), buckets, num_keys: 0 };
        for (place, (head, key)) in (0..).zip(keys.heads()) {
            let print = print_of(head, key);
            if index.find(print, key) == FREE {
                index.add(print, place);
                index.num_keys += 1;
            }
        }
        index
    }

    fn add(&mut self, print: u128, place: u32) {
        let mut at = self.first_bucket(print);
        loop {
            let Bucket { prints, places, is_full } = &mut self.buckets[at];
            if let Some(cell) = places.iter().position(|&place| place == FREE) {
                (prints[cell], places[cell]) = (print, place);
                *is_full = if cell + 1 == CELLS { u32::MAX } else { 0 };
                return;
            }
            at = self.next_bucket(at);
        }
    }

    /// The place of each key, [`NOWHERE`](TextIndex::NOWHERE) of those that are not there.
    pub(super) fn find_all(&self, keys: &Strings) -> Vec<u32> {
        keys.heads().map(|(head, key)| self.find(print_of(head, key), key)).collect()
    }

    #[inline]
    fn find(&self, print: u128, key: &[u8]) -> u32 {
        if key.len() > SHORT_BYTES {
            return self.find_long(print, key);
        }
        let mut at = self.first_bucket(print);
        loop {
            let Bucket { prints, places, is_full } = &self.buckets[at];
            let mut found = FREE;
            for (known, &place) in prints.iter().zip(places) {
                // The empty string has the print of a free cell, whose place is above all others.
                found = found.min(select_unpredictable(*known == print, place, FREE));
            }
            // Not there, and the bucket full.
            if found & is_full != FREE {
                return found;
            }
            at = self.next_bucket(at);
        }
    }

    /// As `find`, where equal prints are not all.
    fn find_long(&self, print: u128, key: &[u8]) -> u32 {
        let mut at = self.first_bucket(print);
        loop {
            let Bucket { prints, places, .. } = &self.buckets[at];
            for (known, &place) in prints.iter().zip(places) {
                if place == FREE || (*known == print && self.keys.get(place as usize) == key) {
                    return place;
                }
            }
            at = self.next_bucket(at);
        }
    }

    /// Where a key with this print is, or would be if there was room. Mixes all bits: both halves of a product.
    #[inline]
    fn first_bucket(&self, print: u128) -> usize {
        // The digits of π: no numbers that texts look like.
        const ODDS: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345];
        let product = u128::from(print as u64 ^ ODDS[0]) * u128::from((print >> 64) as u64 ^ ODDS[1]);
        let hash = (product >> 64) as u64 ^ product as u64;
        // The hash as a part of all there are.
        ((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize
    }

    #[inline]
    fn next_bucket(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() { 0 } else { at + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    impl TextIndex {
        fn place_of(&self, key: &[u8]) -> Option<u32> {
            let found = self.find_all(&[key].into_iter().collect())[0];
            (found != TextIndex::NOWHERE).then_some(found)
        }
    }

    #[test]
    fn strings_of_all_lengths_are_told_apart() {
        let long = "abcdefghijklmnopqrstuvwxyz".repeat(2);
        // Of each length one, and all that differ from it in a byte: whatever a print leaves out would show.
        let mut keys: Vec<Vec<u8>> = Vec::new();
        for len in 0..long.len() {
            keys.push(long.as_bytes()[..len].to_vec());
            for at in 0..len {
                for byte in [0, b'A'] {
                    let mut other = long.as_bytes()[..len].to_vec();
                    other[at] = byte;
                    keys.push(other);
                }
            }
            keys.push(vec![0; len + 1]);
        }
        keys.sort();
        keys.dedup();
        let strings = keys.iter().collect::<Strings>();
        let half = strings.slice(0..keys.len() / 2);
        let index = TextIndex::new(&half);
        for (place, key) in (0..).zip(&keys) {
            let expected = ((place as usize) < half.len()).then_some(place);
            assert_eq!(index.place_of(key), expected, "{}", key.escape_ascii());
        }
    }

    #[test]
    fn a_key_that_is_there_twice_has_one_place() {
        let keys = ["a", "b", "a"].iter().collect::<Strings>();
        let index = TextIndex::new(&keys);
        assert_eq!(
            (index.place_of(b"a"), index.place_of(b"b"), index.place_of(b""), index.num_keys),
            (Some(0), Some(1), None, 2)
        );
        let none = TextIndex::new(&Strings::default());
        assert_eq!((none.place_of(b""), none.num_keys), (None, 0));
    }

    proptest! {
        #[test]
        fn finds_what_a_map_finds(keys in proptest::collection::hash_set("[ab]{0,20}", 0..60), asked in "[ab]{0,20}") {
            let keys: Vec<String> = keys.into_iter().collect();
            let strings = keys.iter().collect::<Strings>();
            let index = TextIndex::new(&strings);
            let map: HashMap<&str, u32> = keys.iter().map(String::as_str).zip(0..).collect();
            for key in keys.iter().chain([&asked]) {
                prop_assert_eq!(index.place_of(key.as_bytes()), map.get(key.as_str()).copied());
            }
        }
    }
}
