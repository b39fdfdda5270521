//! Guessing the next key: records of a file nearly always hold the same keys in the same order.
//!
//! Looking a key up in a hash table costs more than decoding a typical value. So every key remembers which key came
//! after it last time, and the parser compares the bytes at hand with that guess: one comparison of 16 bytes for keys of
//! up to 11 bytes, two for keys of up to 27. On 40 numeric features this takes a quarter of the time of a hash map
//! (`bench/`). Guessing never changes a result: a wrong guess only costs the lookup.

use std::collections::HashMap;

use crate::wire::delimited_tag;

/// A key as it stands in a record: the map entry from its first byte up to the value's length.
pub(super) struct Key {
    /// The first 32 bytes of a short entry with this key, and a mask of the bits that are the same in all of them. Where
    /// the key is too long for that, such that no bytes match.
    head: [u128; 2],
    mask: [u128; 2],
    /// Where the value begins, counted from the entry's first byte, if its lengths take one byte each.
    value_offset: u32,
    /// Which feature it is, or [`UNWANTED`].
    slot: u32,
    /// The key that came after it last time.
    next: u32,
    /// The key's tag, length and name, and the tag of the value.
    encoded: Box<[u8]>,
}

/// The slot of features that nobody asked for.
pub(super) const UNWANTED: u32 = u32::MAX;

/// The longest name whose entry can be recognized by its first 32 bytes: five of them are tags and lengths.
const MAX_GUESSED_BYTES: usize = 27;

/// The largest `value_offset` of a key whose entry is recognized by its first 16 bytes: those and the value's length.
const FIRST_HALF: u32 = 17;

/// A map entry taken apart: which feature it is, and where its value lies in the record.
pub(super) struct Entry {
    /// Where to go on. Handed from call to call by value, so that it lives in registers: behind a reference it went
    /// through memory, and the next guess had to wait for it.
    pub(super) cursor: Cursor,
    pub(super) slot: u32,
    pub(super) value: usize,
    /// Where the entry ends: for the caller to check against the end of the record.
    pub(super) end: usize,
}

/// Where the parser stands in the order of keys.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    current: u32,
    /// What is expected to come next.
    next: u32,
}

/// The keys met so far and the order they come in.
pub(super) struct KeyOrder {
    /// The first is no key but the place before the first one of a record.
    keys: Vec<Key>,
    indices: HashMap<Box<[u8]>, u32, foldhash::fast::RandomState>,
}

/// Keys that nobody asked for are learned up to this number, so that a file whose every record has new keys costs
/// lookups instead of memory.
const MAX_KEYS: usize = 4096;

/// Guesses tried before the lookup: features that are often missing leave gaps in the order.
const GUESSES: usize = 3;

/// The longest key whose length takes one byte.
const MAX_KEY_BYTES: usize = 127;

impl KeyOrder {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> KeyOrder {
        let start = Key {
            head: [0; 2],
            mask: [u128::MAX; 2],
            value_offset: 0,
            slot: UNWANTED,
            next: 1,
            encoded: Box::default(),
        };
        let mut order = KeyOrder { keys: vec![start], indices: HashMap::default() };
        for (slot, name) in (0..).zip(names) {
            order.add(name.as_bytes(), slot);
        }
        order
    }

    #[inline]
    pub(super) fn start(&self) -> Cursor {
        Cursor { current: 0, next: self.keys[0].next }
    }

    /// Takes apart the map entry at `at`, in the field whose tag is there; `None` if it is not in the form that every
    /// writer uses. Whether the entry ends within the record is left to the caller.
    #[inline]
    pub(super) fn next(&mut self, cursor: Cursor, record: &[u8], at: usize) -> Option<Entry> {
        match self.guess(cursor, record, at) {
            Some(entry) => Some(entry),
            None => self.search(cursor, record, at),
        }
    }

    /// The entry if it is shorter than 128 bytes and has the key that came here last time: the case that must be fast.
    #[inline]
    fn guess(&self, cursor: Cursor, record: &[u8], at: usize) -> Option<Entry> {
        let key = self.keys.get(cursor.next as usize)?;
        let head = load_u128(record, at);
        if (head ^ key.head[0]) & key.mask[0] != 0
            || (key.value_offset > FIRST_HALF
                && (load_u128(record, at + 16) ^ key.head[1]) & key.mask[1] != 0)
        {
            return None;
        }
        // The value fills what the key leaves of the entry.
        let value = at + key.value_offset as usize;
        let end = at + 2 + usize::from((head >> 8) as u8);
        if value + usize::from(*record.get(value - 1)?) != end {
            return None;
        }
        let cursor = Cursor { current: cursor.next, next: key.next };
        Some(Entry { cursor, slot: key.slot, value, end })
    }

    /// The entry whatever its length and key.
    #[inline(never)]
    fn search(&mut self, mut cursor: Cursor, record: &[u8], at: usize) -> Option<Entry> {
        let (start, end) = short_field(record, at, delimited_tag(1))?;
        let (slot, key_bytes) = self.key(&mut cursor, &record[start..end])?;
        let (value, value_end) = short_field(&record[..end], start + key_bytes, delimited_tag(2))?;
        (value_end == end).then_some(Entry { cursor, slot, value, end })
    }

    /// The slot of the key that `entry` begins with, and the bytes that its tag, length and name take.
    fn key(&mut self, cursor: &mut Cursor, entry: &[u8]) -> Option<(u32, usize)> {
        let mut guess = cursor.next;
        for _ in 0..GUESSES {
            let Some(key) = self.keys.get(guess as usize) else { break };
            if !key.encoded.is_empty() && entry.starts_with(&key.encoded) {
                *cursor = Cursor { current: guess, next: key.next };
                return Some((key.slot, key.encoded.len() - 1));
            }
            guess = key.next;
        }
        self.look_up(cursor, entry)
    }

    fn look_up(&mut self, cursor: &mut Cursor, entry: &[u8]) -> Option<(u32, usize)> {
        let [tag, length, rest @ ..] = entry else { return None };
        let length = usize::from(*length);
        if *tag != delimited_tag(1) || length > MAX_KEY_BYTES || length > rest.len() {
            return None;
        }
        let name = &rest[..length];
        let known = self.indices.get(name).copied();
        let index = match known {
            Some(index) => index,
            None if self.keys.len() < MAX_KEYS => self.add(name, UNWANTED),
            // A stranger beyond the limit has no place in the order.
            None => return Some((UNWANTED, length + 2)),
        };
        self.keys[cursor.current as usize].next = index;
        let key = &self.keys[index as usize];
        *cursor = Cursor { current: index, next: key.next };
        Some((key.slot, length + 2))
    }

    fn add(&mut self, name: &[u8], slot: u32) -> u32 {
        let index = self.keys.len() as u32;
        let mut encoded = Vec::new();
        // A longer key would need a longer length; left empty, it is found by lookup alone.
        if name.len() <= MAX_KEY_BYTES {
            encoded.extend_from_slice(&[delimited_tag(1), name.len() as u8]);
            encoded.extend_from_slice(name);
            encoded.push(delimited_tag(2));
        }
        let (mut head, mut mask) = ([0; 2], [u128::MAX; 2]);
        if name.len() <= MAX_GUESSED_BYTES {
            // The entry's tag, its length (of which one bit counts: that it takes one byte), and the key.
            let mut bytes = vec![delimited_tag(1), 0];
            bytes.extend_from_slice(&encoded);
            let mut counting = vec![0xff; bytes.len()];
            counting[1] = 0x80;
            head = [load_u128(&bytes, 0), load_u128(&bytes, 16)];
            mask = [load_u128(&counting, 0), load_u128(&counting, 16)];
        }
        // Behind the entry's tag and length, the key and the value's length.
        let value_offset = encoded.len() as u32 + 3;
        self.keys.push(Key { head, mask, value_offset, slot, next: index + 1, encoded: encoded.into() });
        self.indices.insert(name.into(), index);
        index
    }

    /// The feature called `name`, if it was asked for.
    pub(super) fn slot(&self, name: &[u8]) -> Option<u32> {
        Some(self.keys[*self.indices.get(name)? as usize].slot).filter(|&slot| slot != UNWANTED)
    }
}

/// The 16 bytes from `at` on, the first one lowest; zeros behind the end.
#[inline]
pub(super) fn load_u128(bytes: &[u8], at: usize) -> u128 {
    if let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        return u128::from_le_bytes(*chunk);
    }
    match bytes.last_chunk() {
        // The last 16 bytes, shifted so that those before `at` fall out: no loop over bytes at the end of each record.
        Some(chunk) => {
            u128::from_le_bytes(*chunk).checked_shr(8 * (at + 16 - bytes.len()) as u32).unwrap_or(0)
        }
        None => bytes.iter().skip(at).rev().fold(0, |sum, &byte| sum << 8 | u128::from(byte)),
    }
}

/// The 8 bytes from `at` on, the first one lowest; zeros behind the end.
#[inline]
pub(super) fn load_u64(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => load_u128(bytes, at) as u64,
    }
}

/// Start and end of the content of the length-delimited field at `at`, if its tag is `tag` and its length takes at
/// most three bytes (2 MiB: long enough for the images people store).
#[inline]
fn short_field(bytes: &[u8], at: usize, tag: u8) -> Option<(usize, usize)> {
    let [found, first, ..] = *bytes.get(at..)? else { return None };
    if found != tag {
        return None;
    }
    let (start, length) = match usize::from(first) {
        length @ ..0x80 => (at + 2, length),
        first => long_length(bytes, at + 2, first)?,
    };
    let end = start + length;
    (end <= bytes.len()).then_some((start, end))
}

fn long_length(bytes: &[u8], at: usize, first: usize) -> Option<(usize, usize)> {
    let second = usize::from(*bytes.get(at)?);
    let length = first & 0x7f | (second & 0x7f) << 7;
    if second < 0x80 {
        return Some((at + 1, length));
    }
    let third = usize::from(*bytes.get(at + 1)?);
    (third < 0x80).then_some((at + 2, length | third << 14))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::write_varint;

    /// A map entry with its own tag and length, and a value of `value_bytes` bytes.
    fn entry(name: &str, value_bytes: usize) -> Vec<u8> {
        let mut body = vec![0x0a];
        write_varint(&mut body, name.len() as u64);
        body.extend_from_slice(name.as_bytes());
        body.push(0x12);
        write_varint(&mut body, value_bytes as u64);
        body.resize(body.len() + value_bytes, 0x77);
        let mut bytes = vec![0x0a];
        write_varint(&mut bytes, body.len() as u64);
        bytes.extend(body);
        bytes
    }

    fn walk(order: &mut KeyOrder, names: &[&str], value_bytes: usize, tail: usize) -> Vec<u32> {
        let mut cursor = order.start();
        let step = |name: &&str| {
            let mut bytes = entry(name, value_bytes);
            let end = bytes.len();
            bytes.resize(end + tail, 0x55);
            let entry = order.next(cursor, &bytes, 0).unwrap();
            cursor = entry.cursor;
            assert_eq!((entry.value, entry.end), (end - value_bytes, end));
            entry.slot
        };
        names.iter().map(step).collect()
    }

    #[test]
    fn any_order_gives_the_right_slots() {
        let long = "a_name_of_more_than_twenty_seven_bytes";
        let known = ["a", "bb", long, "eleven_byte", "twelve_bytes", "a_name_of_twenty_seven_bytes"];
        let mut order = KeyOrder::new(known.into_iter());
        for (value_bytes, tail) in [(0, 0), (5, 0), (5, 40), (100, 3), (300, 0), (70_000, 9)] {
            for names in [
                ["a", "bb", long],
                [long, "a", "bb"],
                ["bb", "x", "a"],
                ["a", "y", long],
                ["", "a", "a"],
                ["eleven_byte", "twelve_bytes", "eleven_bytf"],
                ["twelve_bytes", "a_name_of_twenty_seven_bytes", "twelve_bytez"],
                ["a_name_of_twenty_seven_bytes", "a_name_of_twenty_seven_bytez", "bb"],
            ] {
                let expected: Vec<u32> = names
                    .iter()
                    .map(|name| {
                        known.iter().position(|known| known == name).map_or(UNWANTED, |slot| slot as u32)
                    })
                    .collect();
                for _ in 0..3 {
                    assert_eq!(walk(&mut order, &names, value_bytes, tail), expected, "{names:?}");
                }
            }
        }
    }

    #[test]
    fn loads_end_with_zeros() {
        let bytes: Vec<u8> = (1..=40).collect();
        for len in 0..=40 {
            for at in 0..=45 {
                let mut expected = [0; 16];
                let tail = bytes[..len].get(at..).unwrap_or_default();
                let count = tail.len().min(16);
                expected[..count].copy_from_slice(&tail[..count]);
                assert_eq!(load_u128(&bytes[..len], at), u128::from_le_bytes(expected), "{at} of {len}");
                assert_eq!(
                    load_u64(&bytes[..len], at),
                    u128::from_le_bytes(expected) as u64,
                    "{at} of {len}"
                );
            }
        }
    }

    #[test]
    fn strangers_do_not_fill_memory() {
        let mut order = KeyOrder::new(["wanted"].into_iter());
        for index in 0..2 * MAX_KEYS {
            assert_eq!(walk(&mut order, &[&format!("stranger{index}"), "wanted"], 4, 3), [UNWANTED, 0]);
        }
        assert!(order.keys.len() <= MAX_KEYS);
    }

    #[test]
    fn what_is_no_plain_entry_is_left_to_the_careful_path() {
        let long = "k".repeat(MAX_KEY_BYTES + 1);
        let mut order = KeyOrder::new(["a", &long].into_iter());
        let whole = entry("a", 5);
        let cut = (0..whole.len()).map(|end| whole[..end].to_vec());
        let padded = |bytes: &[u8]| [bytes, &[0; 40]].concat();
        let odd = [
            padded(&[0x12, 7, 0x0a, 1, b'a', 0x12, 2]),
            padded(&[0x0a, 6, 0x0a, 1, b'a', 0x12, 2]),
            padded(&[0x0a, 7, 0x0a, 0x81, 0, b'a', 0x12, 2]),
            padded(&[0x0a, 7, 0x0a, 1, b'a', 0x1a, 2]),
            entry(&long, 5),
        ];
        for bytes in cut.chain(odd) {
            let entry = order.next(order.start(), &bytes, 0);
            assert!(entry.is_none_or(|entry| entry.end > bytes.len()), "{bytes:?}");
        }
    }
}
