//! A run of byte strings, each a view into memory that several of them share.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Buffer, MemoryShare};

/// Byte strings, reference-counted and sliceable. Copying, slicing and reordering them moves 12 bytes a value, never
/// the bytes themselves.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    /// One count for all of it: a string handed out alone costs one increment.
    shared: Arc<Shared>,
    /// The part of the views that is meant.
    range: Range<usize>,
    /// Bytes of all of them, once somebody asked: who measures, who charges and who cuts blocks ask for the same ones, and adding up the lengths of short
    /// strings is a good part of an operation such as `length`.
    num_bytes: OnceLock<usize>,
}

#[derive(Default)]
struct Shared {
    views: Arc<Places>,
    sources: Arc<Vec<Buffer>>,
    /// Dropped with the last share.
    _keeper: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shared { views, sources, .. } = self;
        f.debug_struct("Shared").field("views", views).field("sources", sources).finish_non_exhaustive()
    }
}

/// Where one string lies: `len` bytes from `start` of source `source`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct View {
    pub(super) source: u32,
    pub(super) start: u32,
    pub(super) len: u32,
}

/// Where strings lie in a buffer; known before the buffer can be shared, and kept, if need be, after it is gone.
#[derive(Clone, Debug, Default)]
pub struct Places {
    views: Vec<View>,
    /// The largest end of a place: what a buffer must hold. Kept, since looking for it took 2 % of the time of reading
    /// records of 200 bytes.
    end: usize,
}

impl Places {
    /// None yet, with room for `capacity`.
    pub fn with_capacity(capacity: usize) -> Places {
        Places { views: Vec::with_capacity(capacity), end: 0 }
    }

    /// Adds one.
    ///
    /// # Panics
    /// If it is not a place in 4 GiB.
    #[inline]
    pub fn push(&mut self, place: Range<usize>) {
        assert!(place.start <= place.end, "{place:?} is a place");
        assert!(u32::try_from(place.end).is_ok(), "{place:?} in a buffer of less than 4 GiB");
        self.end = self.end.max(place.end);
        self.views.push(View { source: 0, start: place.start as u32, len: place.len() as u32 });
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Place number `index`.
    ///
    /// # Panics
    /// If there is none.
    pub fn get(&self, index: usize) -> Range<usize> {
        let view = self.views[index];
        view.start as usize..view.start as usize + view.len as usize
    }
}

impl Strings {
    /// The strings at `places` of one buffer, sharing it.
    ///
    /// # Panics
    /// If a place is not within the buffer, or the buffer larger than 4 GiB.
    pub fn of_places(buffer: &Buffer, places: &Arc<Places>) -> Strings {
        assert!(u32::try_from(buffer.len()).is_ok(), "a buffer of strings is smaller than 4 GiB");
        assert!(places.end <= buffer.len(), "places up to {} in a buffer of {}", places.end, buffer.len());
        Strings::of(Arc::clone(places), Arc::new(vec![buffer.clone()]))
    }

    fn of(views: Arc<Places>, sources: Arc<Vec<Buffer>>) -> Strings {
        let range = 0..views.len();
        let shared = Arc::new(Shared { views, sources, _keeper: None });
        Strings { shared, range, num_bytes: OnceLock::new() }
    }

    pub(super) fn of_views(views: Vec<View>, sources: Arc<Vec<Buffer>>) -> Strings {
        // Only who has one buffer for all of them asks where they end.
        Strings::of(Arc::new(Places { views, end: 0 }), sources)
    }

    /// Strings in several buffers: each the number of its buffer, where it begins there, and its length.
    ///
    /// # Panics
    /// If a string is not within its buffer. One of no bytes may be in none.
    pub fn of_sources(sources: Vec<Buffer>, places: Vec<(u32, u32, u32)>) -> Strings {
        let mut sources = sources;
        if sources.is_empty() {
            sources.push(Buffer::default());
        }
        let view = |(source, start, len): (u32, u32, u32)| {
            let end = start as usize + len as usize;
            assert!(end <= sources[source as usize].len(), "{len} bytes from {start} in buffer {source}");
            View { source, start, len }
        };
        let views = places.into_iter().map(view).collect();
        Strings::of_views(views, Arc::new(sources))
    }

    /// The buffers the strings lie in; not every one need have a string.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = Buffer> + '_ {
        self.shared.sources.iter().cloned()
    }

    /// How many buffers the strings lie in.
    pub fn num_sources(&self) -> usize {
        self.shared.sources.len()
    }

    /// Visits the memory that their buffers are shares of.
    pub(super) fn visit_memory(&self, visit: &mut impl FnMut(MemoryShare)) {
        self.shared.sources.iter().filter_map(Buffer::memory).for_each(visit);
    }

    /// The same strings, as somebody has them who counts their memory already.
    pub(super) fn counted_elsewhere(self) -> Strings {
        let sources = self.shared.sources.iter().cloned().map(Buffer::counted_elsewhere).collect();
        let Strings { shared, .. } = Strings::of(Arc::clone(&self.shared.views), Arc::new(sources));
        Strings { shared, ..self }
    }

    /// For each string the number of its buffer and its place there.
    pub fn places(&self) -> impl ExactSizeIterator<Item = (usize, Range<usize>)> + '_ {
        self.views().iter().map(|view| {
            let start = view.start as usize;
            (view.source as usize, start..start + view.len as usize)
        })
    }

    /// The bytes of buffer `index`.
    pub(super) fn source(&self, index: u32) -> &[u8] {
        self.shared.sources[index as usize].as_bytes()
    }

    /// The buffers the strings lie in, for others that lie there too.
    pub(super) fn shared_sources(&self) -> Arc<Vec<Buffer>> {
        Arc::clone(&self.shared.sources)
    }

    pub(super) fn views(&self) -> &[View] {
        &self.shared.views.views[self.range.clone()]
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// The bytes of string `index`.
    ///
    /// # Panics
    /// If there is no such string.
    pub fn get(&self, index: usize) -> &[u8] {
        bytes_at(&self.shared.sources, self.views()[index])
    }

    /// All strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + '_ {
        let sources = self.shared.sources.as_slice();
        self.views().iter().map(|&view| bytes_at(sources, view))
    }

    /// All strings in order, each with its first 16 bytes as a number: the first byte is the lowest, and those behind the end of the string are 0. Where other
    /// bytes follow in memory it takes no jump that depends on a length, which costs more than all else of a short string when lengths differ.
    pub fn heads(&self) -> impl ExactSizeIterator<Item = (u128, &[u8])> + '_ {
        let sources = self.shared.sources.as_slice();
        self.views().iter().map(|&view| {
            let rest = &sources[view.source as usize].as_bytes()[view.start as usize..];
            let string = &rest[..view.len as usize];
            let head =
                rest.first_chunk().map_or_else(|| first_bytes(rest), |head| u128::from_le_bytes(*head));
            (head & FIRST_BYTES[string.len().min(16)], string)
        })
    }

    /// Bytes of all strings together.
    pub fn num_bytes(&self) -> usize {
        *self.num_bytes.get_or_init(|| self.views().iter().map(|view| view.len as usize).sum())
    }

    /// A part of them, sharing the memory.
    ///
    /// # Panics
    /// If `range` is not within them.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Strings {
        assert!(range.end <= self.len(), "strings {range:?} of {}", self.len());
        let start = self.range.start;
        let num_bytes = if range == (0..self.len()) { self.num_bytes.clone() } else { OnceLock::new() };
        let range = start + range.start..start + range.end;
        Strings { shared: Arc::clone(&self.shared), range, num_bytes }
    }

    /// String `index` alone, sharing the memory.
    ///
    /// # Panics
    /// If there is no such string.
    #[inline]
    pub(super) fn one(&self, index: usize) -> Strings {
        assert!(index < self.len(), "string {index} of {}", self.len());
        let start = self.range.start + index;
        Strings { shared: Arc::clone(&self.shared), range: start..start + 1, num_bytes: OnceLock::new() }
    }

    /// The same strings, with something to be dropped when they and all slices of them are. What is made of them otherwise
    /// (gathered, joined) does not keep it.
    #[must_use]
    pub fn keeping(self, keeper: Arc<dyn Any + Send + Sync>) -> Strings {
        let (views, sources) = (Arc::clone(&self.shared.views), Arc::clone(&self.shared.sources));
        let shared = Arc::new(Shared { views, sources, _keeper: Some(keeper) });
        Strings { shared, ..self }
    }

    /// The strings at `indices`, sharing the memory.
    ///
    /// # Panics
    /// If an index is out of range.
    #[must_use]
    pub fn gather(&self, indices: impl IntoIterator<Item = usize>) -> Strings {
        let views = self.views();
        let picked = indices.into_iter().map(|index| views[index]).collect();
        Strings::of_views(picked, Arc::clone(&self.shared.sources))
    }
}

#[inline]
fn bytes_at(sources: &[Buffer], view: View) -> &[u8] {
    &sources[view.source as usize].as_bytes()[view.start as usize..][..view.len as usize]
}

/// The lowest bytes of a number, as many as the place says.
const FIRST_BYTES: [u128; 17] = {
    let mut masks = [u128::MAX; 17];
    let mut count = 0;
    while count < 16 {
        masks[count] = (1 << (8 * count)) - 1;
        count += 1;
    }
    masks
};

/// Up to 16 bytes as a number. At the end of a buffer alone.
#[cold]
fn first_bytes(bytes: &[u8]) -> u128 {
    let mut first = [0; 16];
    let count = bytes.len().min(16);
    first[..count].copy_from_slice(&bytes[..count]);
    u128::from_le_bytes(first)
}

impl<S: AsRef<[u8]>> FromIterator<S> for Strings {
    /// Copies the strings, one behind the other.
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Strings {
        let mut builder = StringsBuilder::default();
        for string in strings {
            builder.push(string.as_ref());
        }
        builder.finish()
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Strings) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// Collects strings: copied ones into memory of its own, shared ones as views.
#[derive(Debug, Default)]
pub struct StringsBuilder {
    views: Vec<View>,
    sources: Vec<Buffer>,
    /// Copied bytes not yet made a source; their views say `sources.len()`.
    copied: Vec<u8>,
    /// The buffers that were shared last, and the number of the first among the sources. Parts of one column come one behind the other, and a table
    /// in a thousand pieces has as many buffers: each is to be there once, not once a part.
    shared_last: Option<(Arc<Vec<Buffer>>, u32)>,
}

/// Copied bytes become a source of their own at this size, so that positions fit 32 bits with room for the last string.
const COPIED_SOURCE_BYTES: usize = 1 << 30;

impl StringsBuilder {
    /// None yet, with room for copies of `count` strings of `num_bytes` bytes together.
    pub fn with_capacity(count: usize, num_bytes: usize) -> StringsBuilder {
        StringsBuilder {
            views: Vec::with_capacity(count),
            sources: Vec::new(),
            copied: Vec::with_capacity(num_bytes.min(COPIED_SOURCE_BYTES)),
            shared_last: None,
        }
    }

    /// Number of strings so far.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Adds a copy of `string`.
    ///
    /// # Panics
    /// If the string is longer than 3 GiB.
    pub fn push(&mut self, string: &[u8]) {
        assert!(string.len() <= 3 << 30, "a string of {} bytes: at most 3 GiB", string.len());
        if self.copied.len() >= COPIED_SOURCE_BYTES {
            self.seal();
        }
        self.views.push(View {
            source: self.sources.len() as u32,
            start: self.copied.len() as u32,
            len: string.len() as u32,
        });
        self.copied.extend_from_slice(string);
    }

    /// Adds a string that `write` makes by adding to the bytes it gets, which are those of other strings and stay.
    ///
    /// # Panics
    /// If the string is longer than 3 GiB, or bytes were taken away.
    pub fn push_with<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        if self.copied.len() >= COPIED_SOURCE_BYTES {
            self.seal();
        }
        let start = self.copied.len();
        let result = write(&mut self.copied);
        let len = self.copied.len().checked_sub(start).expect("bytes are only added");
        assert!(len <= 3 << 30, "a string of {len} bytes: at most 3 GiB");
        self.views.push(View { source: self.sources.len() as u32, start: start as u32, len: len as u32 });
        result
    }

    /// Adds all of `strings`, sharing their memory.
    pub fn extend_shared(&mut self, strings: &Strings) {
        self.seal();
        let sources = &strings.shared.sources;
        let base = match &self.shared_last {
            Some((last, base)) if Arc::ptr_eq(last, sources) => *base,
            _ => {
                let base = self.sources.len() as u32;
                self.sources.extend(sources.iter().cloned());
                self.shared_last = Some((Arc::clone(sources), base));
                base
            }
        };
        self.views.extend(strings.views().iter().map(|view| View { source: base + view.source, ..*view }));
    }

    /// The strings.
    pub fn finish(mut self) -> Strings {
        self.seal();
        Strings::of_views(self.views, Arc::new(self.sources))
    }

    fn seal(&mut self) {
        // An empty source is needed too: views of empty strings may name it.
        if self.views.last().is_some_and(|view| view.source as usize == self.sources.len()) {
            self.sources.push(Buffer::from_vec(std::mem::take(&mut self.copied)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_the_first_bytes_and_nothing_behind_them() {
        // The last ones are nearer to the end of their buffer than 16 bytes.
        let texts: Vec<Vec<u8>> = (0..40).chain((0..40).rev()).map(|len| (1..=len).collect()).collect();
        let strings = texts.iter().collect::<Strings>();
        for range in [0..texts.len(), 3..30, 50..texts.len(), 79..80] {
            let part = strings.slice(range.clone());
            for ((head, string), text) in part.heads().zip(&texts[range]) {
                let mut first = [0; 16];
                let count = text.len().min(16);
                first[..count].copy_from_slice(&text[..count]);
                assert_eq!((head, string), (u128::from_le_bytes(first), text.as_slice()));
            }
        }
    }

    #[test]
    fn copies_shares_slices_and_gathers() {
        let mut builder = StringsBuilder::default();
        builder.push(b"a");
        builder.push(b"");
        builder.extend_shared(&["bc", "def"].iter().collect::<Strings>().slice(1..2));
        builder.push_with(|bytes| bytes.push(b'g'));
        let strings = builder.finish();
        let all: Vec<&[u8]> = strings.iter().collect();
        assert_eq!(all, [&b"a"[..], b"", b"def", b"g"]);
        assert_eq!(
            strings.slice(1..4).gather([2, 1, 1]).iter().collect::<Vec<_>>(),
            [&b"g"[..], b"def", b"def"]
        );
        assert!(Strings::default().is_empty() && StringsBuilder::default().finish().is_empty());
    }

    #[test]
    fn buffers_of_parts_are_there_once() {
        let column = Strings::of_sources(
            vec![Buffer::from_vec(b"abc".to_vec()), Buffer::from_vec(b"de".to_vec())],
            vec![(0, 0, 2), (1, 0, 2), (0, 2, 1)],
        );
        let mut builder = StringsBuilder::default();
        builder.extend_shared(&column.slice(0..1));
        builder.extend_shared(&column.slice(1..3));
        builder.push(b"f");
        builder.extend_shared(&column.slice(2..3));
        let strings = builder.finish();
        assert_eq!(strings.iter().collect::<Vec<_>>(), [&b"ab"[..], b"de", b"c", b"f", b"c"]);
        assert_eq!(strings.num_sources(), 3);
    }

    #[test]
    fn bytes_are_those_of_the_strings_meant() {
        let strings = ["a", "bcd", "", "ef"].iter().collect::<Strings>();
        // Asked before and behind: what is remembered is not that of others.
        assert_eq!((strings.num_bytes(), strings.slice(1..3).num_bytes()), (6, 3));
        assert_eq!((strings.slice(0..4).num_bytes(), strings.gather([3, 3]).num_bytes()), (6, 4));
        let kept = strings.slice(3..4);
        assert_eq!((kept.num_bytes(), kept.clone().keeping(Arc::new(())).num_bytes()), (2, 2));
        assert_eq!(kept.slice(0..0).num_bytes() + kept.counted_elsewhere().num_bytes(), 2);
    }
}
