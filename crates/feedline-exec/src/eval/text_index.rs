//! Where strings stand in a list, found by their bytes.

use std::hash::{BuildHasher as _, Hasher as _};

use feedline_data::block::Strings;
use foldhash::fast::FixedState;

use super::strings::shown;
use super::tables::twice;

/// The places of different strings, by hash. Strings stay where they are, one behind the other as a rule, so that a lookup touches
/// one slot and one string; a map that owns its keys has each of them somewhere else.
pub(super) struct TextIndex {
    keys: Strings,
    /// A power of two of them, half of them free at least; the first for a key is that of the low bits of its hash.
    slots: Vec<Slot>,
    pub(super) num_keys: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The high bits of the hash: strings of another are not looked at.
    tag: u32,
    /// The place of the key, or [`FREE`].
    place: u32,
}

/// The place of no key: there are fewer.
const FREE: u32 = u32::MAX;

impl TextIndex {
    /// The index of `keys`, fewer than 2³² − 1. One that is there twice has the first place, if `is_same` says of the two places that
    /// either will do.
    ///
    /// # Errors
    /// If it says no.
    pub(super) fn new(keys: &Strings, is_same: impl Fn(u32, usize) -> bool) -> Result<TextIndex, String> {
        let num_slots = (2 * keys.len()).next_power_of_two();
        let slots = vec![Slot { tag: 0, place: FREE }; num_slots];
        let mut index = TextIndex { keys: keys.clone(), slots, num_keys: 0 };
        for (place, key) in keys.iter().enumerate() {
            let (slot, tag) = index.slot_of(key);
            match index.slots[slot].place {
                FREE => {
                    index.slots[slot] = Slot { tag, place: place as u32 };
                    index.num_keys += 1;
                }
                known if is_same(known, place) => {}
                _ => return Err(twice(&shown(key))),
            }
        }
        Ok(index)
    }

    /// The place of `key`, if it is there.
    #[inline]
    pub(super) fn find(&self, key: &[u8]) -> Option<u32> {
        let (slot, _) = self.slot_of(key);
        let place = self.slots[slot].place;
        (place != FREE).then_some(place)
    }

    /// The slot that `key` has, or would have, and its tag.
    #[inline]
    fn slot_of(&self, key: &[u8]) -> (usize, u32) {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(key);
        let hash = hasher.finish();
        let (tag, mask) = ((hash >> 32) as u32, self.slots.len() - 1);
        let mut slot = hash as usize & mask;
        loop {
            let Slot { tag: own, place } = self.slots[slot];
            if place == FREE || (own == tag && self.keys.get(place as usize) == key) {
                return (slot, tag);
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
        fn finds_what_a_map_finds(keys in proptest::collection::hash_set("[ab]{0,6}", 0..60), asked in "[ab]{0,6}") {
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
