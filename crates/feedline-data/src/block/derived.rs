//! Strings made of others: parts, which share their memory, and copies with other bytes.

use std::ops::Range;
use std::sync::Arc;

use super::Buffer;
use super::strings::{Strings, StringsBuilder, View};

/// Collects parts of strings as views into their memory, and strings beside them that lie in memory of their own.
#[derive(Debug)]
pub struct Parts<'a> {
    of: &'a Strings,
    views: &'a [View],
    picked: Vec<View>,
    others: Vec<u8>,
    has_others: bool,
}

impl Strings {
    /// No part of these strings yet, with room for `capacity`.
    pub fn parts(&self, capacity: usize) -> Parts<'_> {
        self.parts_beside(capacity, Vec::new())
    }

    /// As [`Strings::parts`], with bytes that strings beside the parts lie in.
    pub fn parts_beside(&self, capacity: usize, others: Vec<u8>) -> Parts<'_> {
        let picked = Vec::with_capacity(capacity);
        Parts { of: self, views: self.views(), picked, others, has_others: false }
    }

    /// The same strings with each of their bytes changed by `change`, which goes by nothing but the byte: it gets many strings at a time,
    /// and what lies between them.
    #[must_use]
    pub fn with_bytes_changed(&self, change: impl Fn(&mut [u8])) -> Strings {
        let views = self.views();
        let Some(&View { source, .. }) = views.first() else { return Strings::default() };
        let (mut start, mut end, mut num_bytes, mut is_one) = (u32::MAX, 0, 0, true);
        for view in views {
            is_one &= view.source == source;
            start = start.min(view.start);
            end = end.max(view.start + view.len);
            num_bytes += view.len as usize;
        }
        // One pass over memory that is mostly theirs runs at its speed; string by string costs more than short strings do.
        if is_one && (end - start) as usize <= 2 * num_bytes {
            let mut bytes = self.source(source)[start as usize..end as usize].to_vec();
            change(&mut bytes);
            let moved = views.iter().map(|view| View { source: 0, start: view.start - start, ..*view });
            return Strings::of_views(moved.collect(), Arc::new(vec![Buffer::from_vec(bytes)]));
        }
        let mut builder = StringsBuilder::with_capacity(views.len(), num_bytes);
        for string in self.iter() {
            builder.push_with(|bytes| {
                let start = bytes.len();
                bytes.extend_from_slice(string);
                change(&mut bytes[start..]);
            });
        }
        builder.finish()
    }
}

impl Parts<'_> {
    /// Adds these bytes of string `index`.
    ///
    /// # Panics
    /// If there is no such string, or it is shorter.
    #[inline]
    pub fn push(&mut self, index: usize, bytes: Range<usize>) {
        let whole = self.views[index];
        assert!(bytes.start <= bytes.end && bytes.end <= whole.len as usize, "bytes {bytes:?} of {whole:?}");
        self.picked.push(View {
            source: whole.source,
            start: whole.start + bytes.start as u32,
            len: (bytes.end - bytes.start) as u32,
        });
    }

    /// Adds a copy of `bytes`, which are no part.
    pub fn push_other(&mut self, bytes: &[u8]) {
        let start = self.others.len();
        self.others.extend_from_slice(bytes);
        self.push_of_others(start..self.others.len());
    }

    /// Adds a string that lies here in the bytes beside the parts.
    ///
    /// # Panics
    /// If they are fewer, or not less than 4 GiB.
    pub fn push_of_others(&mut self, bytes: Range<usize>) {
        assert!(
            bytes.start <= bytes.end && bytes.end <= self.others.len(),
            "bytes {bytes:?} beside the parts"
        );
        assert!(u32::try_from(self.others.len()).is_ok(), "less than 4 GiB beside the parts");
        self.has_others = true;
        self.picked.push(View {
            source: self.of.num_sources() as u32,
            start: bytes.start as u32,
            len: bytes.len() as u32,
        });
    }

    /// Number of strings so far.
    pub fn len(&self) -> usize {
        self.picked.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.picked.is_empty()
    }

    /// The strings.
    pub fn finish(self) -> Strings {
        let mut sources = self.of.shared_sources();
        if self.has_others {
            Arc::make_mut(&mut sources).push(Buffer::from_vec(self.others));
        }
        Strings::of_views(self.picked, sources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(strings: &Strings) -> Vec<&[u8]> {
        strings.iter().collect()
    }

    #[test]
    fn parts_share_memory_and_others_lie_beside() {
        let strings = ["a", "", "def", "g"].iter().collect::<Strings>();
        let some = strings.slice(2..4);
        let mut parts = some.parts_beside(2, b"xyz".to_vec());
        parts.push(0, 1..3);
        parts.push_of_others(2..3);
        parts.push(1, 0..1);
        parts.push_other(b"uv");
        assert_eq!(parts.len(), 4);
        let parts = parts.finish();
        assert_eq!(texts(&parts), [&b"ef"[..], b"z", b"g", b"uv"]);
        assert_eq!(parts.get(0).as_ptr(), strings.get(2)[1..].as_ptr());
        assert!(strings.parts(0).is_empty() && strings.parts(0).finish().is_empty());
    }

    #[test]
    #[should_panic(expected = "bytes 1..3")]
    fn no_part_is_longer_than_its_string() {
        ["ab", "cd"].iter().collect::<Strings>().parts(1).push(0, 1..3);
    }

    #[test]
    fn bytes_are_changed_wherever_they_lie() {
        let strings = ["aB", "", "long and not used, long and not used", "Cd"].iter().collect::<Strings>();
        let mut several = StringsBuilder::default();
        several.extend_shared(&strings);
        several.push(b"Ef");
        let several = several.finish();
        for (name, given) in [
            ("one run", strings.clone()),
            ("a slice", strings.slice(1..4)),
            ("out of order", strings.gather([3, 0, 0])),
            ("far apart", strings.gather([0, 3])),
            ("several sources", several),
            ("none", Strings::default()),
        ] {
            let expected: Vec<Vec<u8>> = given.iter().map(<[u8]>::to_ascii_lowercase).collect();
            let before: Vec<Vec<u8>> = given.iter().map(<[u8]>::to_vec).collect();
            let changed = given.with_bytes_changed(<[u8]>::make_ascii_lowercase);
            assert_eq!(texts(&changed), expected, "{name}");
            assert_eq!(texts(&given), before, "{name}: those given stay");
        }
    }
}
