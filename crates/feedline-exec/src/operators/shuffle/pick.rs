//! Picks: the rows that are handed out next, and, where they lie in files, the wait for them.

use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position};

use super::Epoch;
use super::storage::{Picked, Storage};

/// Rows picked at a time at most: their numbers stay in the nearest cache.
const MAX_CHUNK_ROWS: usize = 4096;

/// Views are handed out so many blocks at a time: what they are of need not fit the cache to be handed on.
const VIEW_BLOCKS: usize = 16;
/// Of the budget they are no more: the rows received for them are held beside the buffer.
const VIEWS_PART_OF_BUDGET: u64 = 16;

/// Slots that were picked, and what it changes when their rows are handed out.
pub(super) struct Pick {
    slots: Vec<u32>,
    /// Rows received for it.
    num_received: usize,
    /// Of the first of its rows that are not skipped.
    position: Position,
}

impl Pick {
    pub(super) fn rows(&self) -> usize {
        self.slots.len()
    }
}

impl Epoch {
    /// How many blocks of views are picked at a time.
    fn view_blocks(&self) -> usize {
        let part = self.runtime.budget.limit_bytes() / VIEWS_PART_OF_BUDGET / self.runtime.block_bytes as u64;
        usize::try_from(part).unwrap_or(usize::MAX).clamp(1, VIEW_BLOCKS)
    }

    /// Picks up to `limit` rows, receiving one between two picks as long as some are staged. `None` where there is nothing to
    /// hand out: all of them are skipped, or their rows are being fetched.
    pub(super) fn pick(&mut self, storage: &mut Storage, limit: usize) -> Result<Option<Block>, Block> {
        let position = self.position_of_picks();
        let available = match &self.staged {
            _ if self.has_input_ended => 0,
            Some(block) => block.errors().first().map_or(block.rows(), |error| error.row),
            None => 0,
        };
        // While the input lasts, every pick but the first needs an element received before it.
        let num_picks = if self.has_input_ended { self.ring.len() } else { available + 1 };
        let row_bytes = self.row_bytes.or_else(|| storage.row_bytes()).unwrap_or(1);
        let blocks = if storage.are_views() { self.view_blocks() } else { 1 };
        let num_picks =
            num_picks.min(limit).min(self.runtime.block_rows(row_bytes) * blocks).min(MAX_CHUNK_ROWS);
        let num_received = if self.has_input_ended { 0 } else { num_picks - 1 };

        // Slots of picked rows are given back only below, so what they hold stays until it has been copied out.
        let received: Vec<u32> = (0..num_received).map(|_| storage.allocate()).collect();
        let mut picked = Vec::with_capacity(num_picks);
        let mut words = [0; MAX_CHUNK_ROWS];
        let words = &mut words[..num_picks];
        self.words.fill(words);
        if self.has_input_ended {
            picked.extend(words.iter().map(|&word| self.ring.pick(word)));
        } else {
            self.ring.exchange(words, &received, &mut picked);
        }
        if num_received > 0 {
            let block = self.staged.take().expect("rows were counted above");
            let elements = block.slice(0..num_received);
            if let Err(error) = storage.admit(&elements) {
                return Err(self.broken(error));
            }
            storage.put(&elements, &received);
            let rows = block.rows();
            self.staged = (num_received < rows).then(|| block.slice(num_received..rows));
        }
        let num_skipped = self.to_skip.min(num_picks as u64) as usize;
        self.to_skip -= num_skipped as u64;
        let position = position.plus(num_skipped as u64);
        let pick = Pick { slots: picked, num_received, position };
        if num_skipped == num_picks {
            self.finish(storage, &pick);
            return Ok(None);
        }
        match storage.get(&pick.slots[num_skipped..]) {
            Ok(Picked::Ready(columns, ids)) => {
                self.finish(storage, &pick);
                Ok(Some(Block::new(columns, ids, pick.position)))
            }
            Ok(Picked::Fetching(fetch)) => {
                self.fetching = Some((fetch, pick));
                Ok(None)
            }
            Err(error) => Err(self.broken(error)),
        }
    }

    /// The rows of a pick are there: their slots are free, and states are those behind it.
    fn finish(&mut self, storage: &mut Storage, pick: &Pick) {
        self.received += pick.num_received as u64;
        self.picks += pick.slots.len() as u64;
        storage.release(&pick.slots);
    }

    /// Up to `limit` of the rows that are being fetched, when they are there; `None` if there are none, or all of them are
    /// skipped.
    pub(super) fn poll_fetched(
        &mut self,
        cx: &mut Context<'_>,
        storage: &mut Storage,
        limit: usize,
    ) -> Poll<Option<Block>> {
        let block = match (self.fetched.take(), &mut self.fetching) {
            (Some(rest), _) => rest,
            (None, None) => return Poll::Ready(None),
            (None, Some((fetch, _))) => {
                let rows = ready!(fetch.poll(cx));
                let (_, pick) = self.fetching.take().expect("looked at above");
                match rows {
                    Ok((columns, ids)) => {
                        self.finish(storage, &pick);
                        Block::new(columns, ids, pick.position)
                    }
                    Err(error) => return Poll::Ready(Some(self.broken(error))),
                }
            }
        };
        // Rows may have been skipped since they were picked, and fewer asked for.
        let rows = block.rows();
        let start = self.to_skip.min(rows as u64) as usize;
        self.to_skip -= start as u64;
        let end = rows.min(start.saturating_add(limit));
        self.fetched = (end < rows).then(|| block.slice(end..rows));
        Poll::Ready((start < rows).then(|| block.slice(start..end)))
    }
}
