//! Guessing the next key: records of a file nearly always hold the same keys in the same order.
//!
//! Looking a key up in a hash table costs more than decoding a typical value. So every key remembers which key came
//! after it last time, and the parser compares the bytes at hand with that guess. It compares all bytes up to the value
//! at once: tags and name are known, and the lengths around a value of `n` bytes are `n` plus something known. On 40
//! numeric features this takes 0.26 µs a record; a prototype with a hash map took 0.98. Guessing never changes a result: a wrong
//! guess only costs the lookup.

use std::collections::HashMap;

use super::feature::{FLOAT_LIST, INT64_LIST};
use crate::wire::delimited_tag;

/// What is known of the value behind a key, and so of the bytes between the two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    /// A `Feature`, whatever it holds.
    Feature,
    /// One packed int64 of at most 8 bytes.
    PackedInt64,
    /// One packed float.
    PackedFloat,
}

/// A map entry as it stands in a record: the bytes up to its value.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    /// Those bytes for a value of no bytes, and which of them grow by one with each byte of the value: its lengths.
    head: [u64; 4],
    step: [u64; 4],
    /// Which bytes count.
    mask: [u64; 4],
    /// Where the value begins, counted from the entry's first byte; the byte before it is the value's length.
    value_offset: u32,
    /// Values of 1 to this many bytes are recognized.
    max_bytes: u8,
    pub(super) form: ValueForm,
    /// Which feature it is, or [`UNWANTED`].
    pub(super) slot: u32,
}

/// A key and what is known of the entries that have it.
struct Key {
    pattern: Pattern,
    /// The key that came after it last time.
    next: u32,
    /// The key's tag, length and name, and the tag of the value.
    encoded: Box<[u8]>,
}

/// The `value_offset` of keys that [`Pattern::recognize`] must not recognize.
const UNRECOGNIZABLE: u32 = 1 << 9;

/// The slot of features that nobody asked for.
pub(super) const UNWANTED: u32 = u32::MAX;

/// A map entry taken apart: which feature it is, and where its value lies in the record.
pub(super) struct Entry {
    /// Where to go on. Handed from call to call by value, so that it lives in registers: behind a reference it went
    /// through memory, and the next guess had to wait for it.
    pub(super) cursor: Cursor,
    pub(super) slot: u32,
    /// What lies at `value`: the `Feature`, or the packed number in it.
    pub(super) form: ValueForm,
    pub(super) value: usize,
    /// Where the entry ends: for the caller to check against the end of the record.
    pub(super) end: usize,
}

/// Bytes before a value that are recognized at once.
const MAX_HEAD_BYTES: usize = 32;

/// A map entry as [`KeyOrder::guess`] finds it.
pub(super) struct Guess {
    pub(super) entry: Entry,
    /// The first eight bytes of the value, and what lies behind it.
    pub(super) value: u64,
}

/// A value as [`Pattern::recognize`] finds it.
pub(super) struct Recognized {
    /// Where it begins and ends: for the caller to check against the end of the record.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its first eight bytes, and what lies behind it.
    pub(super) value: u64,
}

impl Pattern {
    /// The value of the entry at `at` if this is what the bytes before it look like.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "called, it took twice as long: its result is larger than two registers"
    )]
    pub(super) fn recognize(&self, record: &[u8], at: usize) -> Option<Recognized> {
        match self.slot {
            UNWANTED => self.recognize_unwanted(record, at),
            _ => self.recognize_wanted(record, at),
        }
    }

    /// [`Self::recognize`] of a feature that was asked for.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as `recognize`")]
    pub(super) fn recognize_wanted(&self, record: &[u8], at: usize) -> Option<Recognized> {
        let (value_bytes, value) = self.value(record, at)?;
        let is_so = self.begins_as(record, at, value_bytes) && value_bytes.wrapping_sub(1) < self.max_bytes;
        let start = at + self.value_offset as usize;
        is_so.then(|| Recognized { start, end: start + usize::from(value_bytes), value })
    }

    /// [`Self::recognize`] of one that was not, and is only to be stepped over: the lengths are left out of the mask and
    /// compared with each other, which is quicker than knowing them from the value's (183 against 209 ns for 3 of 40 features).
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as `recognize`")]
    pub(super) fn recognize_unwanted(&self, record: &[u8], at: usize) -> Option<Recognized> {
        let (value_bytes, value) = self.value(record, at)?;
        let entry_bytes = u32::from(*record.get(at + 1)?);
        let is_so =
            self.begins_as(record, at, 0) && entry_bytes + 2 == self.value_offset + u32::from(value_bytes);
        let start = at + self.value_offset as usize;
        is_so.then(|| Recognized { start, end: start + usize::from(value_bytes), value })
    }

    /// The single number of a [`ValueForm::PackedFloat`] that was asked for, and where the entry ends: the length is known, so
    /// that there is no need to wait for it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as `recognize`")]
    pub(super) fn recognize_float(&self, record: &[u8], at: usize) -> Option<(f32, usize)> {
        let start = at + self.value_offset as usize;
        let number = record.get(start..)?.first_chunk()?;
        self.begins_as(record, at, 4).then(|| (f32::from_le_bytes(*number), start + 4))
    }

    /// The length of the value, and its first eight bytes.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as `recognize`")]
    fn value(&self, record: &[u8], at: usize) -> Option<(u8, u64)> {
        let before = at + self.value_offset as usize - 1;
        if let Some(around) = record.get(before..)?.first_chunk::<9>() {
            return Some((around[0], number(around, 1)));
        }
        Some((*record.get(before)?, load(record, before + 1) as u64))
    }

    /// Whether the entry at `at` begins as one with a value of so many bytes does.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as `recognize`")]
    fn begins_as(&self, record: &[u8], at: usize, value_bytes: u8) -> bool {
        let differs = |part: usize, found: u64| {
            let expected = self.head[part].wrapping_add(self.step[part].wrapping_mul(u64::from(value_bytes)));
            (found ^ expected) & self.mask[part]
        };
        let both_differ = |part: usize| {
            let found = load(record, at + 8 * part);
            differs(part, found as u64) | differs(part + 1, (found >> 64) as u64)
        };
        both_differ(0) == 0 && (self.value_offset <= 16 || both_differ(2) == 0)
    }
}

/// The eight bytes from `at` on, the first one lowest.
#[inline(always)]
#[expect(clippy::inline_always, reason = "one load, in the innermost loop")]
fn number<const N: usize>(bytes: &[u8; N], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("asked for with constants"))
}

/// The 16 bytes from `at` on, the first one lowest; zeros behind the end.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a few loads, in the innermost loop")]
fn load(bytes: &[u8], at: usize) -> u128 {
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(chunk) => u128::from_le_bytes(*chunk),
        None => load_at_end(bytes, at),
    }
}

#[cold]
#[inline(never)]
fn load_at_end(bytes: &[u8], at: usize) -> u128 {
    match bytes.last_chunk() {
        // The last 16 bytes, shifted so that those before `at` fall out: no loop over bytes at the end of each record.
        Some(chunk) => {
            u128::from_le_bytes(*chunk).checked_shr(8 * (at + 16 - bytes.len()) as u32).unwrap_or(0)
        }
        None => bytes.iter().skip(at).rev().fold(0, |sum, &byte| sum << 8 | u128::from(byte)),
    }
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
    /// The keys of the features asked for, each with the form that its values usually have.
    pub(super) fn new<'a>(names: impl Iterator<Item = (&'a str, ValueForm)>) -> KeyOrder {
        let mut order = KeyOrder {
            keys: vec![Key::new(None, ValueForm::Feature, UNWANTED, 1)],
            indices: HashMap::default(),
        };
        for (slot, (name, form)) in (0..).zip(names) {
            order.add(name.as_bytes(), form, slot);
        }
        order
    }

    #[inline]
    pub(super) fn start(&self) -> Cursor {
        Cursor { current: 0, next: self.keys[0].next }
    }

    /// Takes apart the map entry at `at`, in the field whose tag is there; `None` if it is not in the form that every
    /// writer uses. Whether the entry ends within the record is left to the caller.
    pub(super) fn next(&mut self, cursor: Cursor, record: &[u8], at: usize) -> Option<Entry> {
        match self.guess(cursor, record, at) {
            Some(guess) => Some(guess.entry),
            None => self.search(cursor, record, at),
        }
    }

    /// The entry at `at` if it is short and has the key that came here last time: the case that must be fast.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "called, it took twice as long: its result is larger than two registers"
    )]
    pub(super) fn guess(&self, cursor: Cursor, record: &[u8], at: usize) -> Option<Guess> {
        let Key { pattern, next, .. } = self.keys.get(cursor.next as usize)?;
        let Recognized { start, end, value } = pattern.recognize(record, at)?;
        let cursor = Cursor { current: cursor.next, next: *next };
        let (slot, form) = (pattern.slot, pattern.form);
        Some(Guess { entry: Entry { cursor, slot, form, value: start, end }, value })
    }

    /// What the entry that is expected next looks like.
    pub(super) fn expected(&self, cursor: Cursor) -> Option<&Pattern> {
        self.keys.get(cursor.next as usize).map(|key| &key.pattern)
    }

    /// The entry whatever its length and key.
    #[inline(never)]
    fn search(&mut self, mut cursor: Cursor, record: &[u8], at: usize) -> Option<Entry> {
        let (start, end) = short_field(record, at, delimited_tag(1))?;
        let (slot, key_bytes) = self.key(&mut cursor, &record[start..end])?;
        let (value, value_end) = short_field(&record[..end], start + key_bytes, delimited_tag(2))?;
        (value_end == end).then_some(Entry { cursor, slot, form: ValueForm::Feature, value, end })
    }

    /// The slot of the key that `entry` begins with, and the bytes that its tag, length and name take.
    fn key(&mut self, cursor: &mut Cursor, entry: &[u8]) -> Option<(u32, usize)> {
        let mut guess = cursor.next;
        for _ in 0..GUESSES {
            let Some(key) = self.keys.get(guess as usize) else { break };
            if !key.encoded.is_empty() && entry.starts_with(&key.encoded) {
                *cursor = Cursor { current: guess, next: key.next };
                return Some((key.pattern.slot, key.encoded.len() - 1));
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
            None if self.keys.len() < MAX_KEYS => self.add(name, ValueForm::Feature, UNWANTED),
            // A stranger beyond the limit has no place in the order.
            None => return Some((UNWANTED, length + 2)),
        };
        self.keys[cursor.current as usize].next = index;
        let key = &self.keys[index as usize];
        *cursor = Cursor { current: index, next: key.next };
        Some((key.pattern.slot, length + 2))
    }

    fn add(&mut self, name: &[u8], form: ValueForm, slot: u32) -> u32 {
        let index = self.keys.len() as u32;
        self.keys.push(Key::new(Some(name), form, slot, index + 1));
        self.indices.insert(name.into(), index);
        index
    }

    /// The feature called `name`, if it was asked for.
    pub(super) fn slot(&self, name: &[u8]) -> Option<u32> {
        Some(self.keys[*self.indices.get(name)? as usize].pattern.slot).filter(|&slot| slot != UNWANTED)
    }
}

impl Key {
    /// The key `name`, or the place before the first key of a record.
    fn new(name: Option<&[u8]>, form: ValueForm, slot: u32, next: u32) -> Key {
        let mut encoded = Vec::new();
        // A longer key would need a longer length; left empty, it is found by lookup alone.
        if let Some(name) = name.filter(|name| name.len() <= MAX_KEY_BYTES) {
            encoded.extend_from_slice(&[delimited_tag(1), name.len() as u8]);
            encoded.extend_from_slice(name);
            encoded.push(delimited_tag(2));
        }
        // The entry's tag and length, the key, the length of the feature; for a packed number also the list's tag and
        // length, the run's tag and length. Where a length stands, the bytes behind it that are not the value's.
        let mut bytes = vec![delimited_tag(1), 0];
        bytes.extend_from_slice(&encoded);
        let mut lengths = vec![1, bytes.len()];
        bytes.push(0);
        let list_tag = match form {
            ValueForm::Feature => None,
            ValueForm::PackedInt64 => Some(INT64_LIST),
            ValueForm::PackedFloat => Some(FLOAT_LIST),
        };
        if let Some(tag) = list_tag {
            lengths.extend([bytes.len() + 1, bytes.len() + 3]);
            bytes.extend_from_slice(&[tag, 0, delimited_tag(1), 0]);
        }
        let value_offset = bytes.len();
        let mut pattern = Pattern {
            head: [0; 4],
            step: [0; 4],
            mask: [u64::MAX; 4],
            value_offset: value_offset as u32,
            max_bytes: 0,
            form,
            slot,
        };
        if encoded.is_empty() || value_offset > MAX_HEAD_BYTES {
            // Never recognized: no value has 1 to 0 bytes, and no entry shorter than 128 has its value out there.
            pattern.value_offset = UNRECOGNIZABLE;
            return Key { pattern, next, encoded: encoded.into() };
        }
        pattern.max_bytes = match form {
            // The entry's own length must take one byte.
            ValueForm::Feature => (0x7f - (value_offset - 2)) as u8,
            ValueForm::PackedInt64 => 8,
            ValueForm::PackedFloat => 4,
        };
        let (mut step, mut mask) = ([0; MAX_HEAD_BYTES], [0; MAX_HEAD_BYTES]);
        for &at in &lengths {
            bytes[at] = (value_offset - at - 1) as u8;
            step[at] = 1;
        }
        mask[..value_offset].fill(0xff);
        if slot == UNWANTED {
            // The entry's length must take one byte; what it is, and the value's, is for `recognize` to compare.
            for &at in &lengths {
                (bytes[at], step[at], mask[at]) = (0, 0, 0);
            }
            mask[1] = 0x80;
        }
        if form == ValueForm::PackedFloat {
            // Its length is always the same.
            for &at in &lengths {
                (bytes[at], step[at]) = (bytes[at] + 4, 0);
            }
        }
        bytes.resize(MAX_HEAD_BYTES, 0);
        pattern.head = numbers(&bytes);
        pattern.step = numbers(&step);
        pattern.mask = numbers(&mask);
        Key { pattern, next, encoded: encoded.into() }
    }
}

/// 32 bytes as four numbers, the first byte lowest.
fn numbers(bytes: &[u8]) -> [u64; 4] {
    std::array::from_fn(|part| u64::from_le_bytes(*bytes[8 * part..].first_chunk().expect("32 bytes")))
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
mod tests;
