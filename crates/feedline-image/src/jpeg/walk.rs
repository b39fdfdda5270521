//! The way through the MCUs of a scan: one after the other, or by the restart markers.

use super::entropy::{BitReader, Damaged};
use super::region::Job;
use super::segments::Segments;

/// The way through the MCUs of the scan.
pub(super) struct Walk {
    pub(super) mcu: usize,
    pub(super) mcu_row: usize,
    pub(super) mcu_column: usize,
    /// MCUs from 0 to here began with a restart that was taken.
    pub(super) restarted_at: usize,
    pub(super) finished_row: Option<usize>,
}

impl Walk {
    /// At the beginning, or behind the last restart before the region.
    pub(super) fn new(job: &Job<'_>, segments: &mut Segments) -> Result<Self, Damaged> {
        let first = job.mcu_rows.start * job.mcus_per_row + job.mcu_columns.start;
        let num_intervals = first.checked_div(job.frame.restart_interval).unwrap_or(0);
        segments.skip_intervals(job.bytes, num_intervals).ok_or(Damaged)?;
        let mut walk = Self { mcu: 0, mcu_row: 0, mcu_column: 0, restarted_at: 0, finished_row: None };
        walk.move_to(job, num_intervals * job.frame.restart_interval);
        Ok(walk)
    }

    /// To the beginning of an interval, the restart before it being taken.
    pub(super) fn move_to(&mut self, job: &Job<'_>, mcu: usize) {
        (self.mcu, self.restarted_at) = (mcu, mcu);
        (self.mcu_row, self.mcu_column) = (mcu / job.mcus_per_row, mcu % job.mcus_per_row);
    }

    #[inline(always)]
    pub(super) fn advance(&mut self, job: &Job<'_>) {
        self.mcu += 1;
        self.mcu_column += 1;
        // The last column of a row is left in the main loop only after the row is finished.
        if self.mcu_column == job.mcus_per_row && job.mcu_columns.end < job.mcus_per_row {
            self.next_row();
        }
    }

    pub(super) fn next_row(&mut self) {
        self.mcu_row += 1;
        self.mcu_column = 0;
    }

    /// From an MCU that is not needed to the next one that is, as far as restarts allow it. Whether there was one.
    pub(super) fn jump(
        &mut self,
        job: &Job<'_>,
        segments: &mut Segments,
        reader: &mut BitReader,
    ) -> Result<bool, Damaged> {
        if self.mcu_column == job.mcus_per_row {
            self.next_row();
        }
        let interval = job.frame.restart_interval;
        if interval == 0 {
            return Ok(false);
        }
        let row = (self.mcu / job.mcus_per_row + usize::from(self.mcu_column >= job.mcu_columns.end))
            .max(job.mcu_rows.start);
        let needed = (row * job.mcus_per_row + job.mcu_columns.start) / interval;
        if needed <= self.mcu / interval {
            return Ok(false);
        }
        if !self.is_within_interval(job, segments, reader) {
            return Err(Damaged);
        }
        *reader = Self::behind_restart(job, segments, needed)?;
        self.move_to(job, needed * interval);
        Ok(true)
    }

    /// Takes the restart before this MCU, if there is one. Whether there was.
    #[inline(always)]
    pub(super) fn restart(
        &mut self,
        job: &Job<'_>,
        segments: &mut Segments,
        reader: &mut BitReader,
    ) -> Result<bool, Damaged> {
        let interval = job.frame.restart_interval;
        if interval == 0 || self.mcu != self.restarted_at + interval {
            return Ok(false);
        }
        let next = Self::behind_restart(job, segments, self.mcu / interval)?;
        if reader.bytes_used() > next.byte_position() {
            return Err(Damaged);
        }
        *reader = next;
        self.restarted_at = self.mcu;
        Ok(true)
    }

    /// Whether what was read since the last restart ends before the next one.
    pub(super) fn is_within_interval(
        &self,
        job: &Job<'_>,
        segments: &mut Segments,
        reader: &BitReader,
    ) -> bool {
        let Some(interval) = self.restarted_at.checked_div(job.frame.restart_interval) else { return true };
        segments.restart(job.bytes, interval).is_none_or(|position| reader.bytes_used() <= position)
    }

    /// Where the bytes of this interval end; all of the scan has been read.
    pub(super) fn end_of_interval(&self, job: &Job<'_>, segments: &mut Segments) -> usize {
        let interval = self.restarted_at.checked_div(job.frame.restart_interval);
        interval.and_then(|interval| segments.restart(job.bytes, interval)).unwrap_or_else(|| segments.len())
    }

    pub(super) fn behind_restart(
        job: &Job<'_>,
        segments: &mut Segments,
        interval: usize,
    ) -> Result<BitReader, Damaged> {
        segments.restart(job.bytes, interval - 1).map(BitReader::at).ok_or(Damaged)
    }
}
