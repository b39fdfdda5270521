//! Where the rows of one file are, and which of these places hold nothing that can be read.

use std::collections::BTreeMap;
use std::ops::Range;

use super::loss::Loss;

/// The places of a file's rows, in order.
#[derive(Default)]
pub(super) struct Places {
    /// Where each row begins, and at last where the last one ends: 8 bytes a row.
    starts: Vec<u64>,
    /// Places that are lost, by number.
    lost: BTreeMap<u64, Loss>,
}

impl Places {
    /// Rows that begin at `starts` and end at `end`.
    pub(super) fn new(mut starts: Vec<u64>, end: u64) -> Places {
        starts.push(end);
        Places { starts, lost: BTreeMap::new() }
    }

    /// Nothing but one lost place.
    pub(super) fn all_lost(loss: Loss) -> Places {
        Places { starts: vec![0, 0], lost: BTreeMap::from([(0, loss)]) }
    }

    pub(super) fn len(&self) -> u64 {
        (self.starts.len() as u64).saturating_sub(1)
    }

    pub(super) fn num_lost(&self) -> u64 {
        self.lost.len() as u64
    }

    pub(super) fn range(&self, index: u64) -> Range<u64> {
        self.starts[index as usize]..self.starts[index as usize + 1]
    }

    pub(super) fn loss(&self, index: u64) -> Option<&Loss> {
        self.lost.get(&index)
    }

    /// The first lost place among these.
    pub(super) fn first_lost(&self, indexes: Range<u64>) -> Option<u64> {
        self.lost.range(indexes).next().map(|(&index, _)| index)
    }

    /// Place `index` is lost.
    pub(super) fn lose(&mut self, index: u64, loss: Loss) {
        self.lost.insert(index, loss);
    }

    /// Everything from the end of the last row that can be read is lost, for one reason: also damage that was found at the end
    /// before, which is then a part of it.
    pub(super) fn lose_rest(&mut self, loss: Loss) {
        match self.len().checked_sub(1) {
            Some(last) if self.lost.contains_key(&last) => self.lose(last, loss),
            _ => self.lose_behind(loss),
        }
    }

    /// The last place is lost.
    pub(super) fn lose_last(&mut self, loss: Loss) {
        self.lost.insert(self.len() - 1, loss);
    }

    /// What follows the last place is lost.
    pub(super) fn lose_behind(&mut self, loss: Loss) {
        let end = self.starts.last().copied().unwrap_or(0);
        self.starts.push(end);
        self.lose_last(loss);
    }

    /// Takes the first place, which is not lost, out of the rows: it is a header.
    pub(super) fn take_first(&mut self) {
        self.starts.remove(0);
        self.lost =
            std::mem::take(&mut self.lost).into_iter().map(|(index, loss)| (index - 1, loss)).collect();
    }

    #[cfg(test)]
    pub(super) fn starts(&self) -> &[u64] {
        &self.starts
    }
}
