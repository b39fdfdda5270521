//! The samples of one component, as far as the region needs them, and the blocks on their way there.

use super::entropy::Block;
use super::kernels::Kernels;
use super::reduced::inverse_reduced;
use std::ops::Range;

/// The blocks of a component that the region needs, and their samples.
#[derive(Debug, Default)]
pub(super) struct Plane {
    /// In blocks.
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
    /// Blocks of an MCU, across and down.
    pub(super) mcu: (usize, usize),
    /// Samples of a block, across and down: 8, or fewer where the image is decoded smaller than it is.
    pub(super) side: usize,
    pub(super) stride: usize,
    pub(super) samples: Vec<u8>,
}

impl Plane {
    /// Makes room for the given samples. What was there stays: every sample is written before it is read.
    pub(super) fn begin(
        &mut self,
        columns: Range<usize>,
        rows: Range<usize>,
        mcu: (usize, usize),
        side: usize,
    ) {
        let blocks = |range: Range<usize>| range.start / side..range.end.div_ceil(side);
        (self.columns, self.rows, self.mcu, self.side) = (blocks(columns), blocks(rows), mcu, side);
        self.stride = self.columns.len() * side;
        self.samples.resize(self.stride * self.rows.len() * side, 0);
    }

    /// A row of samples, `columns` of it; both counted in the image.
    pub(super) fn row(&self, row: usize, columns: Range<usize>) -> &[u8] {
        let start = (row - self.rows.start * self.side) * self.stride;
        let first = self.columns.start * self.side;
        &self.samples[start..][columns.start - first..columns.end - first]
    }

    /// Where the block's samples go, if they are needed.
    #[inline(always)]
    pub(super) fn offset_of(&self, row: usize, column: usize) -> Option<usize> {
        (self.rows.contains(&row) && self.columns.contains(&column))
            .then(|| ((row - self.rows.start) * self.stride + (column - self.columns.start)) * self.side)
    }
}

/// Blocks that wait for a second one, since two are transformed at a time.
pub(super) struct PendingPair {
    pub(super) blocks: [Block; 2],
    pub(super) offsets: [usize; 2],
    pub(super) num_waiting: usize,
}

impl Default for PendingPair {
    fn default() -> Self {
        Self { blocks: [[0; 64]; 2], offsets: [0; 2], num_waiting: 0 }
    }
}

impl PendingPair {
    /// A block of zeros to read into.
    #[inline(always)]
    pub(super) fn next(&mut self) -> &mut Block {
        let block = &mut self.blocks[self.num_waiting & 1];
        *block = [0; 64];
        block
    }

    /// Takes the block that `next` gave, for `offset`.
    #[inline(always)]
    pub(super) fn push<K: Kernels>(&mut self, kernels: K, plane: &mut Plane, offset: usize) {
        if plane.side != 8 {
            let block = &self.blocks[self.num_waiting & 1];
            inverse_reduced(block, plane.side, &mut plane.samples, offset, plane.stride);
            return;
        }
        self.offsets[self.num_waiting & 1] = offset;
        self.num_waiting += 1;
        if self.num_waiting == 2 {
            kernels.inverse_pair(&self.blocks, &mut plane.samples, self.offsets, plane.stride);
            self.num_waiting = 0;
        }
    }

    pub(super) fn flush<K: Kernels>(&mut self, kernels: K, plane: &mut Plane) {
        if self.num_waiting == 1 {
            // With itself: the same samples, written twice.
            self.blocks[1] = self.blocks[0];
            self.offsets[1] = self.offsets[0];
            kernels.inverse_pair(&self.blocks, &mut plane.samples, self.offsets, plane.stride);
            self.num_waiting = 0;
        }
    }
}
