//! Strings by slot number, left where they lie as long as that does not hold much more memory than they need.
//!
//! A string that comes from a file lies in a read buffer with a thousand others. Copying it into the shuffle and out again
//! cost more than all else a shuffle did, so it stays there and a slot is a view. But a buffer lives as long as one of its
//! strings does, and the last of a thousand stays seven times as long as most: left alone, a shuffle would hold eight times
//! what it was asked to. So where more is held than [`max_held`] says, the oldest buffer's strings, by then few, are copied
//! together and the buffer goes. With twice what is needed that is about one string in five: what is
//! left of a buffer after 1.6 times the shuffle's length, e to the −1.6.

use std::collections::{HashMap, VecDeque};

use feedline_data::block::{Buffer, Strings};

/// Strings by slot number.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Where the string of each slot lies.
    places: Vec<Option<Place>>,
    /// Memory with strings in it, oldest first; `None`: gone.
    pieces: VecDeque<Option<Piece>>,
    /// Number of the first of `pieces`.
    first_piece: u64,
    /// Which piece begins at an address.
    by_address: HashMap<usize, u64>,
    held_bytes: usize,
    live_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    /// Number of the piece.
    piece: u64,
    start: u32,
    len: u32,
}

#[derive(Debug)]
struct Piece {
    memory: Buffer,
    /// Slots whose strings were put here; a slot may have another string since.
    slots: Vec<u32>,
    /// Strings here, and their bytes.
    num_live: usize,
    live_bytes: usize,
    /// Its number among the sources of the strings being handed out.
    source: Option<u32>,
}

/// Held beyond what is needed without a look: a read buffer or two.
const SLACK_BYTES: usize = 512 << 10;
/// Strings that bring memory of their own, each or a few together, are copied: a piece costs as much as a small copy.
const MIN_STRINGS_A_SOURCE: usize = 8;

/// What may be held for so many bytes of strings: twice as much, less where that is much of the budget.
fn max_held(live_bytes: usize, limit_bytes: usize) -> usize {
    (live_bytes * 2 + SLACK_BYTES).min((live_bytes + live_bytes / 4).max(limit_bytes / 4))
}

impl Texts {
    /// Bytes of all memory held.
    pub(super) fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// Puts `strings` into `slots`, which are empty, one each; `num_slots` is how many there are now. The memory held is kept
    /// small, smaller where it is much of `limit_bytes`.
    pub(super) fn put(&mut self, strings: &Strings, slots: &[u32], num_slots: usize, limit_bytes: usize) {
        self.places.resize(num_slots, None);
        if strings.num_sources() * MIN_STRINGS_A_SOURCE > strings.len() {
            self.put_copies(strings, slots);
        } else {
            let strings_a_source = strings.len() / strings.num_sources().max(1);
            let pieces: Vec<u64> =
                strings.sources().map(|source| self.piece_of(source, strings_a_source)).collect();
            for (&slot, (source, range)) in slots.iter().zip(strings.places()) {
                self.put_place(slot, pieces[source], range.start as u32, range.len() as u32);
            }
            // A source may have none of these strings.
            pieces.iter().for_each(|&piece| self.drop_if_unused(piece));
        }
        let max_used = if self.held_bytes > limit_bytes / 4 { 80 } else { 50 };
        self.make_room(max_held(self.live_bytes, limit_bytes), max_used);
    }

    /// Copies the strings of old pieces together until no more than `max_bytes` are held or only such pieces are left of
    /// which more than `max_used` of a hundred bytes are needed.
    pub(super) fn make_room(&mut self, max_bytes: usize, max_used: usize) {
        let newest = self.first_piece + self.pieces.len() as u64;
        for number in self.first_piece..newest {
            if self.held_bytes <= max_bytes.max(self.live_bytes) {
                return;
            }
            let Some(piece) = self.piece_mut(number) else { continue };
            if piece.live_bytes * 100 <= piece.memory.len() * max_used {
                self.copy_together(number);
                self.drop_if_unused(number);
            } else if number == self.first_piece && max_used < 100 {
                // Those behind it are needed even more, or have only begun to arrive.
                return;
            }
        }
    }

    /// Moves the strings of piece `from` to memory of their own; nothing is left there.
    fn copy_together(&mut self, from: u64) {
        let Some(piece) = self.piece_mut(from) else { return };
        let (source, slots) = (piece.memory.clone(), std::mem::take(&mut piece.slots));
        let mut moved = Vec::with_capacity(piece.num_live);
        let mut memory = Vec::with_capacity(piece.live_bytes);
        for slot in slots {
            // Another string since, or one that was moved: a slot this piece used twice is listed twice.
            let Some(place) = self.places[slot as usize].take_if(|place| place.piece == from) else {
                continue;
            };
            moved.push((slot, memory.len() as u32, place.len));
            memory.extend_from_slice(&source.as_bytes()[place.start as usize..][..place.len as usize]);
            self.live_bytes -= place.len as usize;
        }
        if let Some(piece) = self.piece_mut(from) {
            piece.num_live = 0;
        }
        let piece = self.add_piece(Buffer::from_vec(memory), moved.len());
        moved.into_iter().for_each(|(slot, start, len)| self.put_place(slot, piece, start, len));
        self.drop_if_unused(piece);
    }

    fn put_copies(&mut self, strings: &Strings, slots: &[u32]) {
        // Places in a piece have 32 bits.
        let num_bytes = strings.num_bytes();
        if num_bytes > u32::MAX as usize && slots.len() > 1 {
            let (middle, end) = (slots.len() / 2, slots.len());
            self.put_copies(&strings.slice(0..middle), &slots[..middle]);
            self.put_copies(&strings.slice(middle..end), &slots[middle..]);
            return;
        }
        let mut memory = Vec::with_capacity(num_bytes);
        strings.iter().for_each(|string| memory.extend_from_slice(string));
        let piece = self.add_piece(Buffer::from_vec(memory), slots.len());
        let mut start = 0;
        for (&slot, string) in slots.iter().zip(strings.iter()) {
            let len = string.len() as u32;
            self.put_place(slot, piece, start, len);
            start += len;
        }
    }

    fn put_place(&mut self, slot: u32, piece: u64, start: u32, len: u32) {
        debug_assert!(self.places[slot as usize].is_none(), "a slot that is put to is empty");
        self.places[slot as usize] = Some(Place { piece, start, len });
        self.live_bytes += len as usize;
        let piece = self.piece_mut(piece).expect("added before its strings");
        piece.slots.push(slot);
        piece.num_live += 1;
        piece.live_bytes += len as usize;
    }

    fn piece_mut(&mut self, piece: u64) -> Option<&mut Piece> {
        let index = piece.checked_sub(self.first_piece)?;
        self.pieces.get_mut(index as usize)?.as_mut()
    }

    /// The piece that is this memory: blocks that lie in one read buffer come one by one.
    fn piece_of(&mut self, memory: Buffer, num_strings: usize) -> u64 {
        if let Some(&known) = self.by_address.get(&memory.as_bytes().as_ptr().addr())
            && self.piece_mut(known).is_some_and(|piece| piece.memory.len() == memory.len())
        {
            return known;
        }
        self.add_piece(memory, num_strings)
    }

    /// A piece into which so many strings will be put, as far as is known.
    fn add_piece(&mut self, memory: Buffer, num_strings: usize) -> u64 {
        let number = self.first_piece + self.pieces.len() as u64;
        self.by_address.insert(memory.as_bytes().as_ptr().addr(), number);
        self.held_bytes += memory.len();
        self.pieces.push_back(Some(Piece {
            memory,
            slots: Vec::with_capacity(num_strings),
            num_live: 0,
            live_bytes: 0,
            source: None,
        }));
        number
    }

    fn drop_if_unused(&mut self, number: u64) {
        let Some(index) = number.checked_sub(self.first_piece) else { return };
        let piece = self.pieces.get_mut(index as usize);
        let Some(gone) = piece.and_then(|piece| piece.take_if(|piece| piece.num_live == 0)) else { return };
        self.held_bytes -= gone.memory.len();
        let address = gone.memory.as_bytes().as_ptr().addr();
        if self.by_address.get(&address) == Some(&number) {
            self.by_address.remove(&address);
        }
        while self.pieces.front().is_some_and(Option::is_none) {
            self.pieces.pop_front();
            self.first_piece += 1;
        }
    }

    /// Empties slots.
    pub(super) fn release(&mut self, slots: &[u32]) {
        for &slot in slots {
            let Some(place) = self.places[slot as usize].take() else { continue };
            self.live_bytes -= place.len as usize;
            if let Some(piece) = self.piece_mut(place.piece) {
                piece.num_live -= 1;
                piece.live_bytes -= place.len as usize;
                if piece.num_live == 0 {
                    self.drop_if_unused(place.piece);
                }
            }
        }
    }

    /// The strings in `slots`, in that order, sharing their memory; the string of an empty slot is empty.
    pub(super) fn get(&mut self, slots: &[u32]) -> Strings {
        let num_sources = self.pieces.len().min(slots.len());
        let mut sources = Vec::with_capacity(num_sources);
        let mut used = Vec::with_capacity(num_sources);
        let mut places = Vec::with_capacity(slots.len());
        for &slot in slots {
            let Some(place) = self.places.get(slot as usize).copied().flatten() else {
                places.push((0, 0, 0));
                continue;
            };
            let piece = self.piece_mut(place.piece).expect("it has this string");
            let source = *piece.source.get_or_insert_with(|| {
                sources.push(piece.memory.clone());
                used.push(place.piece);
                (sources.len() - 1) as u32
            });
            places.push((source, place.start, place.len));
        }
        for number in used {
            self.piece_mut(number).expect("found above").source = None;
        }
        Strings::of_sources(sources, places)
    }

    /// Number of slots.
    pub(super) fn num_slots(&self) -> usize {
        self.places.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::PhiloxWords;

    /// Strings of a buffer with `count` of them, each its number written `len` wide.
    fn of_one_buffer(first: usize, count: usize, len: usize) -> Strings {
        (first..first + count).map(|number| format!("{number:0len$}")).collect()
    }

    #[test]
    fn strings_are_views_of_what_came_and_memory_goes_with_the_last() {
        let mut texts = Texts::default();
        let strings = of_one_buffer(0, 20, 5);
        let slots: Vec<u32> = (0..20).collect();
        texts.put(&strings.slice(0..10), &slots[..10], 20, usize::MAX);
        texts.put(&strings.slice(10..20), &slots[10..], 20, usize::MAX);
        assert_eq!((texts.held_bytes(), texts.pieces.len()), (100, 1));
        let got = texts.get(&[19, 0]);
        assert_eq!(got.iter().collect::<Vec<_>>(), [b"00019", b"00000"]);
        assert_eq!(got.get(1).as_ptr(), strings.get(0).as_ptr());
        texts.release(&slots);
        assert_eq!((texts.held_bytes(), texts.pieces.len(), texts.by_address.len()), (0, 0, 0));
        // Handed out, they live on.
        assert_eq!(got.get(0), b"00019");
    }

    #[test]
    fn strings_with_memory_of_their_own_are_copied_together() {
        let mut texts = Texts::default();
        let mut builder = feedline_data::block::StringsBuilder::default();
        for number in 0..10 {
            builder.extend_shared(&of_one_buffer(number, 1, 3));
        }
        texts.put(&builder.finish(), &(0..10).collect::<Vec<u32>>(), 10, usize::MAX);
        assert_eq!((texts.pieces.len(), texts.held_bytes()), (1, 30));
        assert_eq!(texts.get(&[7]).get(0), b"007");
    }

    #[test]
    fn a_long_shuffle_holds_about_twice_what_it_needs() {
        let (buffer_size, piece_strings, len) = (10_000, 1_000, 600);
        let mut texts = Texts::default();
        let mut words = PhiloxWords::new(1, 2);
        let mut numbers = vec![usize::MAX; buffer_size];
        for round in 0..60 {
            let strings = of_one_buffer(round * piece_strings, piece_strings, len);
            let slots: Vec<u32> = if round * piece_strings < buffer_size {
                (round * piece_strings..(round + 1) * piece_strings).map(|slot| slot as u32).collect()
            } else {
                let mut slots: Vec<u32> = Vec::new();
                while slots.len() < piece_strings {
                    let slot = words.next_word() % buffer_size as u32;
                    if !slots.contains(&slot) {
                        slots.push(slot);
                    }
                }
                slots
            };
            for &slot in slots.iter().filter(|&&slot| numbers[slot as usize] != usize::MAX) {
                assert_eq!(texts.get(&[slot]).get(0), format!("{:0len$}", numbers[slot as usize]).as_bytes());
            }
            if round * piece_strings >= buffer_size {
                texts.release(&slots);
            }
            texts.put(&strings, &slots, buffer_size, usize::MAX);
            for (&slot, number) in slots.iter().zip(round * piece_strings..) {
                numbers[slot as usize] = number;
            }
            assert!(texts.held_bytes() <= 2 * texts.live_bytes + SLACK_BYTES, "{texts:?}");
        }
        // Where memory is scarce, less is held for the same.
        texts.make_room(0, 100);
        assert_eq!(texts.held_bytes(), texts.live_bytes);
        let all: Vec<u32> = (0..buffer_size as u32).collect();
        for (string, number) in texts.get(&all).iter().zip(&numbers) {
            assert_eq!(string, format!("{number:0len$}").as_bytes());
        }
    }
}
