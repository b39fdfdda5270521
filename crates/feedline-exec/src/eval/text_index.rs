//! Where strings stand in a list, found by their bytes.

use std::hash::{BuildHasher as _, Hasher as _};

use feedline_data::block::Strings;
use foldhash::fast::FixedState;

use super::strings::shown;
use super::tables::twice;

/// The places of different strings, by hash. Short strings are in their slot, as two numbers, so that a lookup touches nothing else; longer ones stay where
/// they are, one behind the other as a rule: a map that owns its keys has each of them somewhere else.
pub(super) struct TextIndex {
    keys: Strings,
    /// A power of two of them, half of them free at least; the first for a key is that of the low bits of its hash.
    slots: Vec<Slot>,
    pub(super) num_keys: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    /// Those of the key's print.
    words: [u64; 2],
    len: u32,
    /// The place of the key, or [`FREE`].
    place: u32,
}

/// The place of no key: there are fewer.
const FREE: u32 = u32::MAX;

/// What is compared of a string first: all there is to a short one.
#[derive(Clone, Copy)]
struct Print {
    words: [u64; 2],
    /// Of a string of 4 GiB or more, something else: it is long.
    len: u32,
}

/// Strings so long are all in their print.
const SHORT_BYTES: usize = 16;

impl Print {
    /// Of a short string its first bytes and its last, which meet or overlap; of a long one its hash.
    #[inline]
    fn of(string: &[u8]) -> Print {
        let len = string.len();
        let words = if len > SHORT_BYTES {
            let mut hasher = FixedState::default().build_hasher();
            hasher.write(string);
            [hasher.finish(), 0]
        } else if let (Some(first), Some(last)) = (string.first_chunk::<8>(), string.last_chunk::<8>()) {
            [u64::from_le_bytes(*first), u64::from_le_bytes(*last)]
        } else if let (Some(first), Some(last)) = (string.first_chunk::<4>(), string.last_chunk::<4>()) {
            [u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()]
        } else if let [first, .., last] = *string {
            [u64::from(first) << 8 | u64::from(string[len / 2]), last.into()]
        } else {
            [string.first().copied().unwrap_or(0).into(), 0]
        };
        Print { words, len: (len.min(u32::MAX as usize)) as u32 }
    }

    /// Mixes all bits: both halves of a product.
    #[inline]
    fn hash(self) -> u64 {
        // The digits of π: no numbers that texts look like.
        const ODDS: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345];
        let [one, two] = self.words;
        let product =
            u128::from(one ^ ODDS[0]) * u128::from(two.rotate_left(32) ^ u64::from(self.len) ^ ODDS[1]);
        (product >> 64) as u64 ^ product as u64
    }
}

impl TextIndex {
    /// The index of `keys`, fewer than 2³² − 1. One that is there twice has the first place, if `is_same` says of the two places that
    /// either will do.
    ///
    /// # Errors
    /// If it says no.
    pub(super) fn new(keys: &Strings, is_same: impl Fn(u32, usize) -> bool) -> Result<TextIndex, String> {
        let num_slots = (2 * keys.len()).next_power_of_two();
        let free = Slot { words: [0; 2], len: 0, place: FREE };
        let mut index = TextIndex { keys: keys.clone(), slots: vec![free; num_slots], num_keys: 0 };
        for (place, key) in keys.iter().enumerate() {
            let print = Print::of(key);
            let slot = index.slot_of(print, key);
            match index.slots[slot].place {
                FREE => {
                    let Print { words, len } = print;
                    index.slots[slot] = Slot { words, len, place: place as u32 };
                    index.num_keys += 1;
                }
                known if is_same(known, place) => {}
                _ => return Err(twice(&shown(key))),
            }
        }
        Ok(index)
    }

    /// The place of each key, [`NOWHERE`](TextIndex::NOWHERE) of those that are not there.
    pub(super) fn find_all(&self, keys: &Strings) -> Vec<u32> {
        keys.iter().map(|key| self.slots[self.slot_of(Print::of(key), key)].place).collect()
    }

    /// The place of a key that is not there.
    pub(super) const NOWHERE: u32 = FREE;

    /// The slot that `key` has, or would have.
    #[inline]
    fn slot_of(&self, print: Print, key: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = print.hash() as usize & mask;
        loop {
            let Slot { words, len, place } = self.slots[slot];
            // That it is one of the two can mostly be foretold, which of them cannot.
            let differs =
                (words[0] ^ print.words[0]) | (words[1] ^ print.words[1]) | u64::from(len ^ print.len);
            #[allow(clippy::needless_bitwise_bool, reason = "as told above: one jump, not two")]
            let is_it = (place == FREE) | (differs == 0);
            if is_it && (key.len() <= SHORT_BYTES || place == FREE || self.keys.get(place as usize) == key) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    impl TextIndex {
        fn find(&self, key: &[u8]) -> Option<u32> {
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
        let index = TextIndex::new(&half, |_, _| false).expect("all differ");
        for (place, key) in (0..).zip(&keys) {
            let expected = ((place as usize) < half.len()).then_some(place);
            assert_eq!(index.find(key), expected, "{}", key.escape_ascii());
        }
    }

    #[test]
    fn a_key_that_is_there_twice_has_one_place_or_is_an_error() {
        let keys = ["a", "b", "a"].iter().collect::<Strings>();
        let index = TextIndex::new(&keys, |_, _| true).expect("the same");
        assert_eq!(
            (index.find(b"a"), index.find(b"b"), index.find(b""), index.num_keys),
            (Some(0), Some(1), None, 2)
        );
        let error = TextIndex::new(&keys, |_, _| false).err().expect("not the same");
        assert!(error.contains("'a' twice"), "{error}");
        let none = TextIndex::new(&Strings::default(), |_, _| true).expect("none");
        assert_eq!((none.find(b""), none.num_keys), (None, 0));
    }

    proptest! {
        #[test]
        fn finds_what_a_map_finds(keys in proptest::collection::hash_set("[ab]{0,20}", 0..60), asked in "[ab]{0,20}") {
            let keys: Vec<String> = keys.into_iter().collect();
            let strings = keys.iter().collect::<Strings>();
            let index = TextIndex::new(&strings, |_, _| false).expect("all differ");
            let map: HashMap<&str, u32> = keys.iter().map(String::as_str).zip(0..).collect();
            for key in keys.iter().chain([&asked]) {
                prop_assert_eq!(index.find(key.as_bytes()), map.get(key.as_str()).copied());
            }
        }
    }
}
