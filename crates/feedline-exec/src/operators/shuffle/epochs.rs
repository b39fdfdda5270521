//! A shuffle that is repeated: while one epoch drains, the next fills what it leaves of the buffer.
//!
//! What comes out is what a [`Repeat`](crate::operators::repeat) of a [`Shuffle`](super) gives, epoch by epoch, and so is
//! what is saved: no element of the next epoch comes before the last of this one, and a state says nothing about the rows
//! received ahead, which are received again after a restore. Only the stall is gone: an epoch begins with
//! its buffer full, or as full as the input could make it meanwhile. The two epochs together hold no more than one buffer.

use std::sync::Arc;
use std::task::{Context, Poll};

use feedline_data::block::{Block, Position};

use super::storage::Storage;
use super::{Epoch, ShuffleTemplate};
use crate::error::ExecError;
use crate::operators::repeat::Epochs;
use crate::sparing::RowsAsked;
use crate::template::Scope;

/// The epochs of a repeated shuffle.
pub(crate) struct ShuffledEpochs {
    template: Arc<ShuffleTemplate>,
    /// `None` before the first epoch, and when something broke.
    storage: Option<Storage>,
    current: Option<Epoch>,
    /// The epoch being filled ahead, and which iteration it is.
    next: Option<(u64, Epoch)>,
    asked: RowsAsked,
}

impl ShuffledEpochs {
    pub(crate) fn new(template: Arc<ShuffleTemplate>) -> ShuffledEpochs {
        ShuffledEpochs { template, storage: None, current: None, next: None, asked: RowsAsked::default() }
    }
}

impl Epochs for ShuffledEpochs {
    fn begin(&mut self, scope: &Scope, at: Option<&Position>) -> Result<(), ExecError> {
        // An epoch that was skipped is not the one that comes next.
        let next = self.next.take_if(|(iteration, _)| *iteration == scope.iteration && at.is_none());
        if next.is_none() && self.next.take().is_some() {
            self.storage = None;
        }
        if self.storage.is_none() {
            self.storage = Some(Storage::new(&self.template, scope)?);
        }
        let storage = self.storage.as_mut().expect("made above");
        self.current = Some(match next {
            Some((_, epoch)) => epoch,
            None => self.template.start_epoch(scope, at, storage)?,
        });
        Ok(())
    }

    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let (Some(current), Some(storage)) = (&mut self.current, &mut self.storage) else {
            return Poll::Ready(None);
        };
        let polled = current.poll_block(cx, storage, limit);
        if let Poll::Ready(Some(block)) = &polled {
            self.asked.pass(block.rows());
        }
        polled
    }

    fn skip(&mut self, rows: u64) {
        if let Some(current) = &mut self.current {
            current.skip(rows);
            self.asked.pass(usize::try_from(rows).unwrap_or(usize::MAX));
        }
    }

    fn bound(&mut self, rows: u64) {
        self.asked.set(rows);
        if let Some(current) = &mut self.current {
            current.bound(rows);
        }
    }

    fn prepare_next(&mut self, cx: &mut Context<'_>, scope: &Scope) {
        let (Some(current), Some(storage)) = (&self.current, &mut self.storage) else { return };
        // Until its input has ended an epoch needs the whole buffer. One that broke is no measure of what is held.
        if !current.has_input_ended || current.is_broken {
            return;
        }
        // Nor is there anything to do for one of which nothing is wanted.
        let asked = match self.asked.rows() {
            u64::MAX => u64::MAX,
            rows => rows.saturating_sub(current.rows_left()),
        };
        if asked == 0 {
            return;
        }
        if self.next.is_none() {
            // One that cannot be started is started again in its turn, where the error has a place.
            let Ok(mut epoch) = self.template.start_epoch(scope, None, storage) else { return };
            epoch.bound(asked);
            self.next = Some((scope.iteration, epoch));
        }
        if let Some((_, next)) = &mut self.next {
            // No more than a full buffer together, and a pass fills no more of it than the last did.
            let full = (self.template.buffer_size as u64).min(current.received) as usize;
            next.fill_ahead(cx, storage, full - current.ring.len());
        }
    }

    fn end(&mut self) {
        let is_drained = self.current.take().is_none_or(|epoch| epoch.is_drained());
        // What is left of an epoch that was cut short cannot be told apart from what is held for the next.
        if !is_drained {
            self.storage = None;
            self.next = None;
        }
    }

    fn close(&mut self) {
        self.storage = None;
        self.current = None;
        self.next = None;
    }
}
