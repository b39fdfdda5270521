//! Byte strings without a copy: each value says where its bytes are.

/// Where one byte string lies: in the row's source record, or in the bytes the column owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteView {
    /// Which source: the index of a record of the batch, or [`ByteView::OWNED`].
    pub source: u32,
    /// First byte within the source.
    pub start: u32,
    /// Number of bytes.
    pub len: u32,
}

impl ByteView {
    /// The `source` of values whose bytes the column holds itself (defaults, or after [`BytesValues::gather`]).
    pub const OWNED: u32 = u32::MAX;
}

/// Byte strings as views: 12 bytes a value, whatever its length.
///
/// A view points into the records the column was parsed from, so that a 100 KB image costs 12 bytes until
/// somebody wants it elsewhere. Records are therefore needed to read the values: [`BytesValues::get`] takes
/// them, and [`BytesValues::gather`] makes the column independent of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BytesValues {
    /// One view a value.
    pub views: Vec<ByteView>,
    /// The bytes behind views whose source is [`ByteView::OWNED`].
    pub owned: Vec<u8>,
}

impl BytesValues {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The bytes of value `index`, given the records the column was parsed from (ignored for owned values).
    ///
    /// # Panics
    /// If `index` is out of range or `records` are not the ones the column was parsed from.
    pub fn get<'a>(&'a self, index: usize, records: &[&'a [u8]]) -> &'a [u8] {
        let view = self.views[index];
        let source = if view.source == ByteView::OWNED { &self.owned } else { records[view.source as usize] };
        &source[view.start as usize..][..view.len as usize]
    }

    /// Adds a value whose bytes the column keeps.
    ///
    /// # Panics
    /// If the owned bytes would pass 4 GiB.
    pub fn push_owned(&mut self, bytes: &[u8]) {
        let view = self.own(bytes);
        self.views.push(view);
    }

    /// Keeps `bytes` and returns the view of them, for values that repeat (a default, padding).
    ///
    /// # Panics
    /// If the owned bytes would pass 4 GiB.
    pub fn own(&mut self, bytes: &[u8]) -> ByteView {
        let start = u32::try_from(self.owned.len()).expect("a column owns less than 4 GiB");
        assert!(bytes.len() <= (u32::MAX - start) as usize, "a column owns less than 4 GiB");
        self.owned.extend_from_slice(bytes);
        ByteView { source: ByteView::OWNED, start, len: bytes.len() as u32 }
    }

    /// Copies every value into the column, one behind the other, so that the records may go.
    ///
    /// # Panics
    /// As [`BytesValues::get`], and if the bytes together pass 4 GiB.
    pub fn gather(&mut self, records: &[&[u8]]) {
        let total = self.views.iter().map(|view| view.len as usize).sum();
        let mut gathered =
            BytesValues { views: Vec::with_capacity(self.len()), owned: Vec::with_capacity(total) };
        for index in 0..self.len() {
            gathered.push_owned(self.get(index, records));
        }
        *self = gathered;
    }

    /// Makes it empty, keeping the memory.
    pub fn clear(&mut self) {
        self.views.clear();
        self.owned.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gather_makes_values_independent_of_records() {
        let records: [&[u8]; 2] = [b"xxabc", b"de"];
        let mut values = BytesValues::default();
        values.views.push(ByteView { source: 1, start: 0, len: 2 });
        values.push_owned(b"default");
        values.views.push(ByteView { source: 0, start: 2, len: 3 });
        let read = |values: &BytesValues, records: &[&[u8]]| -> Vec<Vec<u8>> {
            (0..values.len()).map(|i| values.get(i, records).to_vec()).collect()
        };
        let before = read(&values, &records);
        assert_eq!(before, [b"de".to_vec(), b"default".to_vec(), b"abc".to_vec()]);
        values.gather(&records);
        assert_eq!(read(&values, &[]), before);
        assert_eq!(values.owned, b"dedefaultabc");
    }
}
