//! How far code of the user's may run ahead: no further than rows are certain to be needed.
//!
//! Behind a `take` each step knows how many of its own rows are still asked for ([`RowsAsked`]). Of some steps it is known how many rows of the
//! input that makes, and they pass it on at once. Of others it is not: which rows a filter lets through, how many slices an
//! element has. Such a step can tell at any time how many rows it will need at least, one for each row it is asked for, say. It tells its
//! [`SparingInput`] each time it asks, and the input is told anew as rows come. So what runs ahead is
//! as much as surely will be needed, and gets less towards the end. (Where nobody can be sure of anything, since one element may make all the rows that are asked for, see
//! [`RowsAsked::made_of_such`].)
//!
//! Where no code of the user's runs before it, nothing is told: what else runs ahead costs a moment of a worker, and
//! a filter that lets one row of thousands through would look at them one at a time.

use std::task::{Context, Poll};

use feedline_data::block::Block;

use crate::operator::{Gap, Operator};
use crate::template::Template;

/// How many rows of a step are still asked for, those to be skipped included. At first nobody knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsAsked(u64);

impl Default for RowsAsked {
    fn default() -> RowsAsked {
        RowsAsked(u64::MAX)
    }
}

impl RowsAsked {
    /// So many, from here on. More than half of all numbers is what somebody made of not knowing: of that without the rows that have come, say.
    pub(crate) fn set(&mut self, rows: u64) {
        self.0 = if rows > u64::MAX / 2 { u64::MAX } else { rows };
    }

    /// So many have come, or were skipped.
    pub(crate) fn pass(&mut self, rows: usize) {
        if self.0 < u64::MAX {
            self.0 = self.0.saturating_sub(rows as u64);
        }
    }

    /// `u64::MAX` where nobody knows.
    pub(crate) fn rows(self) -> u64 {
        self.0
    }

    /// Of a step that makes at most `most` rows of one: rows of its input that are needed at least.
    pub(crate) fn made_of(self, most: u64) -> u64 {
        match (self.0, most) {
            (u64::MAX, _) => u64::MAX,
            (rows, 0) => rows.min(1),
            (rows, most) => rows.div_ceil(most),
        }
    }

    /// The same where it made at most `most` rows of each of the `num_seen` so far, and nobody knows what it makes of the next: that may be all that is
    /// needed. So no more are taken to be needed than there were; others soon run on all threads, and no more than as many again in vain.
    pub(crate) fn made_of_such(self, most: u64, num_seen: u64) -> u64 {
        match self.made_of(most) {
            u64::MAX => u64::MAX,
            needed => needed.min(num_seen.max(1)),
        }
    }
}

/// The input of a step that learns on the way how many rows of it are needed.
pub(crate) struct SparingInput {
    input: Box<dyn Operator>,
    runs_user_code: bool,
    /// Rows that it was told of and that have not come; `None` before it was told of any.
    told: Option<u64>,
}

impl SparingInput {
    /// `input`, started from `template`.
    pub(crate) fn new(input: Box<dyn Operator>, template: &dyn Template) -> SparingInput {
        SparingInput { input, runs_user_code: template.runs_user_code(), told: None }
    }

    /// The next rows, at most `limit`, where `needed` of them and of those behind them are certain to be needed; `u64::MAX` where all may be.
    pub(crate) fn poll_block(
        &mut self,
        cx: &mut Context<'_>,
        limit: usize,
        needed: u64,
    ) -> Poll<Option<Block>> {
        if !self.runs_user_code || needed == u64::MAX {
            return self.input.poll_block(cx, limit);
        }
        // Who asks needs one, whatever was said.
        let needed = needed.max(1);
        let told = match self.told {
            // Not for each row: those before it may be many steps.
            Some(told) if told <= needed && told >= needed.div_ceil(2) => told,
            _ => {
                self.input.bound(needed);
                needed
            }
        };
        self.told = Some(told);
        let polled = self.input.poll_block(cx, limit.min(usize::try_from(told).unwrap_or(usize::MAX)));
        if let Poll::Ready(Some(block)) = &polled {
            self.told = Some(told.saturating_sub(block.rows() as u64));
        }
        polled
    }

    /// Whether it calls code of the user's.
    pub(crate) fn runs_user_code(&self) -> bool {
        self.runs_user_code
    }

    /// Tells it that `rows` rows are needed, before it is asked for them by [`Self::poll_as_told`].
    pub(crate) fn tell(&mut self, rows: u64) {
        if self.runs_user_code && rows < u64::MAX {
            self.input.bound(rows);
            self.told = Some(rows);
        }
    }

    /// The next rows, at most `limit`: some of those that it was told of.
    pub(crate) fn poll_as_told(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        self.input.poll_block(cx, limit)
    }

    /// Drops the next `rows` rows.
    pub(crate) fn skip(&mut self, rows: u64) {
        self.told = None;
        self.input.skip(rows);
    }

    /// It without these rows, see [`Operator::leave_out`].
    pub(crate) fn leave_out(&mut self, gaps: &[Gap]) -> bool {
        self.input.leave_out(gaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(rows: u64) -> RowsAsked {
        let mut asked = RowsAsked::default();
        asked.set(rows);
        asked
    }

    #[test]
    fn what_nobody_knows_stays_so() {
        for mut nobody_knows in [RowsAsked::default(), asked(u64::MAX), asked(u64::MAX - 1000)] {
            nobody_knows.pass(7);
            assert_eq!(nobody_knows.rows(), u64::MAX);
            assert_eq!(nobody_knows.made_of(3), u64::MAX);
            assert_eq!(nobody_knows.made_of_such(3, 2), u64::MAX);
        }
    }

    #[test]
    fn no_more_are_needed_than_make_what_is_asked_for() {
        let mut ten = asked(12);
        ten.pass(2);
        assert_eq!([0, 1, 3, 10, 100].map(|most| ten.made_of(most)), [1, 10, 4, 1, 1]);
        // And where the next may make them all, no more than there were.
        assert_eq!([0, 1, 2, 100].map(|seen| ten.made_of_such(1, seen)), [1, 1, 2, 10]);
        ten.pass(100);
        assert_eq!((ten.rows(), ten.made_of(3)), (0, 0));
    }
}
