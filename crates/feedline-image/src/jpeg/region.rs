//! Decoding of a region of a baseline JPEG: of the bits only what comes before its last MCU, of the rest only what
//! the region shows.
//!
//! Bits have no places: to know where a block's begin, all blocks before it are read, if only to step over them. That
//! ends with the last MCU of the region, and restart markers are jumped to where the file has them. The
//! inverse transform, upsampling and colours are done for the region alone. Chroma at half size is smoothed with its neighbours, so
//! that the region there is one sample larger on every side.

use super::colour::gray_to_rgb;
use super::decode::Region;
use super::entropy::{BitReader, Block, BlockTables, Damaged};
use super::frame::{Frame, Sampling, parse};
use super::huffman::HuffmanTables;
use super::idct::inverse_dc;
use super::kernels::{Kernels, Scalar};
use super::segments::Segments;
use super::upsample::{double_both, double_columns, repeat_columns};
use std::ops::Range;

/// More than the bytes of any MCU: 6 blocks of 64 coefficients of at most 31 bits.
const MAX_MCU_BYTES: usize = 2048;

/// Why the region was not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// Another kind of JPEG, or its markers are damaged.
    Unusual,
    /// The entropy-coded bytes make no sense from here on.
    Damaged { offset: usize },
}

/// Memory of the decoder, kept from image to image.
#[derive(Debug, Default)]
pub(super) struct RegionDecoder {
    tables: HuffmanTables,
    segments: Segments,
    planes: [Plane; 3],
    rows: ChromaRows,
}

/// The blocks of a component that the region needs, and their samples.
#[derive(Debug, Default)]
struct Plane {
    /// In blocks.
    columns: Range<usize>,
    rows: Range<usize>,
    /// Blocks of an MCU, across and down.
    mcu: (usize, usize),
    stride: usize,
    samples: Vec<u8>,
}

impl Plane {
    /// Makes room for the given samples. What was there stays: every sample is written before it is read.
    fn begin(&mut self, columns: Range<usize>, rows: Range<usize>, mcu: (usize, usize)) {
        let blocks = |range: Range<usize>| range.start / 8..range.end.div_ceil(8);
        (self.columns, self.rows, self.mcu) = (blocks(columns), blocks(rows), mcu);
        self.stride = self.columns.len() * 8;
        self.samples.resize(self.stride * self.rows.len() * 8, 0);
    }

    /// A row of samples, `columns` of it; both counted in the image.
    fn row(&self, row: usize, columns: Range<usize>) -> &[u8] {
        let start = (row - self.rows.start * 8) * self.stride;
        &self.samples[start..][columns.start - self.columns.start * 8..columns.end - self.columns.start * 8]
    }

    /// Where the block's samples go, if they are needed.
    #[inline(always)]
    fn offset_of(&self, row: usize, column: usize) -> Option<usize> {
        (self.rows.contains(&row) && self.columns.contains(&column))
            .then(|| (row - self.rows.start) * 8 * self.stride + (column - self.columns.start) * 8)
    }
}

/// Rows of chroma on their way to full size.
#[derive(Debug, Default)]
struct ChromaRows {
    near: Vec<u8>,
    far: Vec<u8>,
    sums: Vec<u16>,
    full: [Vec<u8>; 2],
}

/// What is decoded, and how it lies in the MCUs.
struct Job<'a> {
    bytes: &'a [u8],
    frame: Frame,
    region: Region,
    num_channels: usize,
    mcus_per_row: usize,
    /// The MCUs that the region needs.
    mcu_columns: Range<usize>,
    mcu_rows: Range<usize>,
}

impl RegionDecoder {
    /// [`decode`](Self::decode) with the best kernels that this processor has.
    pub(super) fn decode_fast(
        &mut self,
        bytes: &[u8],
        region: Region,
        num_channels: usize,
        out: &mut [u8],
    ) -> Result<(), Refused> {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernels) = super::avx2::Avx2::detect() {
            return kernels.decode(self, bytes, region, num_channels, out);
        }
        self.decode(Scalar, bytes, region, num_channels, out)
    }

    /// Decodes into `out`: height × width × `num_channels` bytes of the region, which lies within the image. One channel
    /// is luma, three are RGB.
    #[inline(always)]
    pub(super) fn decode<K: Kernels>(
        &mut self,
        kernels: K,
        bytes: &[u8],
        region: Region,
        num_channels: usize,
        out: &mut [u8],
    ) -> Result<(), Refused> {
        let frame = parse(bytes, &mut self.tables).ok_or(Refused::Unusual)?;
        let job = self.plan(bytes, frame, region, num_channels);
        self.segments.begin(job.frame.scan_offset);
        let mut reader = BitReader::at(0);
        self.decode_mcus(kernels, &job, &mut reader, out).map_err(|Damaged| Refused::Damaged {
            offset: self.segments.offset_in_file(bytes, reader.byte_position()),
        })
    }

    fn plan<'a>(&mut self, bytes: &'a [u8], frame: Frame, region: Region, num_channels: usize) -> Job<'a> {
        let (x, y) = (region.x as usize, region.y as usize);
        let (columns, rows) = (x..x + region.width as usize, y..y + region.height as usize);
        let luma = frame.sampling.luma_blocks();
        self.planes[0].begin(columns.clone(), rows.clone(), luma);
        let chroma_columns = chroma_range(columns, luma.0, frame.width);
        let chroma_rows = chroma_range(rows, luma.1, frame.height);
        let has_chroma = frame.sampling != Sampling::Gray && num_channels == 3;
        for plane in &mut self.planes[1..] {
            if has_chroma {
                plane.begin(chroma_columns.clone(), chroma_rows.clone(), (1, 1));
            } else {
                plane.begin(0..0, 0..0, (1, 1));
            }
        }
        let needed = &self.planes[..if has_chroma { 3 } else { 1 }];
        let start = |of: fn(&Plane) -> usize| needed.iter().map(of).min().unwrap_or(0);
        let end = |of: fn(&Plane) -> usize| needed.iter().map(of).max().unwrap_or(0);
        Job {
            mcus_per_row: frame.width.div_ceil(8 * luma.0),
            mcu_columns: start(|plane| plane.columns.start / plane.mcu.0)..end(|plane| {
                plane.columns.end.div_ceil(plane.mcu.0)
            }),
            mcu_rows: start(|plane| plane.rows.start / plane.mcu.1)..end(|plane| {
                plane.rows.end.div_ceil(plane.mcu.1)
            }),
            bytes,
            frame,
            region,
            num_channels,
        }
    }

    #[inline(always)]
    fn decode_mcus<K: Kernels>(
        &mut self,
        kernels: K,
        job: &Job<'_>,
        reader: &mut BitReader,
        out: &mut [u8],
    ) -> Result<(), Damaged> {
        let Self { tables, segments, planes, rows } = self;
        let num_components = job.frame.sampling.num_components();
        let mut tables_of = Vec::with_capacity(num_components);
        for component in &job.frame.components[..num_components] {
            let mut factors = [0; 128];
            for (to, from) in factors.iter_mut().zip(component.factors) {
                *to = from as i16;
            }
            let dc = tables.dc(component.dc_table).ok_or(Damaged)?;
            let ac = tables.ac(component.ac_table).ok_or(Damaged)?;
            tables_of.push(BlockTables { dc, ac, factors });
        }
        let mut transforms: [PendingPair; 3] = Default::default();
        let mut walk = Walk::new(job, segments)?;
        let mut previous_dc = [0_i32; 3];
        let mut num_rows_out = 0;
        loop {
            if walk.mcu_column >= job.mcu_columns.end || walk.mcu_row < job.mcu_rows.start {
                if walk.mcu_column >= job.mcu_columns.end && job.mcu_rows.contains(&walk.mcu_row) {
                    let is_new = walk.finished_row != Some(walk.mcu_row);
                    if is_new {
                        for (pending, plane) in transforms.iter_mut().zip(planes.iter_mut()) {
                            pending.flush(kernels, plane);
                        }
                        if reader.bytes_used() > segments.len() {
                            return Err(Damaged);
                        }
                        num_rows_out = emit(kernels, job, planes, rows, walk.mcu_row, num_rows_out, out);
                        walk.finished_row = Some(walk.mcu_row);
                    }
                    if walk.mcu_row + 1 == job.mcu_rows.end {
                        return Ok(());
                    }
                }
                if walk.jump(job, segments, reader)? {
                    previous_dc = [0; 3];
                }
            }
            if walk.restart(job, segments, reader)? {
                previous_dc = [0; 3];
            }
            segments.ensure(job.bytes, reader.byte_position(), MAX_MCU_BYTES);
            let plain = segments.plain();
            for (component, tables) in tables_of.iter().enumerate() {
                let plane = &mut planes[component];
                let previous_dc = &mut previous_dc[component];
                let pending = &mut transforms[component];
                let (across, down) = if component == 0 { job.frame.sampling.luma_blocks() } else { (1, 1) };
                for row in walk.mcu_row * down..(walk.mcu_row + 1) * down {
                    for column in walk.mcu_column * across..(walk.mcu_column + 1) * across {
                        let Some(offset) = plane.offset_of(row, column) else {
                            let unused = &mut pending.blocks[1];
                            reader.read_block::<false>(plain, tables, previous_dc, unused)?;
                            continue;
                        };
                        let block = pending.next();
                        let last = reader.read_block::<true>(plain, tables, previous_dc, block)?;
                        if last == 0 {
                            inverse_dc(block[0], &mut plane.samples, offset, plane.stride);
                        } else {
                            pending.push(kernels, plane, offset);
                        }
                    }
                }
            }
            walk.advance(job);
        }
    }
}

/// Of the samples at full size, those at `1 / factor` that they are made of: with a neighbour on each side, if smoothed.
fn chroma_range(full: Range<usize>, factor: usize, full_len: usize) -> Range<usize> {
    if factor == 1 {
        return full;
    }
    let len = full_len.div_ceil(factor);
    (full.start / factor).saturating_sub(1)..((full.end - 1) / factor + 2).min(len)
}

/// Blocks that wait for a second one, since two are transformed at a time.
struct PendingPair {
    blocks: [Block; 2],
    offsets: [usize; 2],
    num_waiting: usize,
}

impl Default for PendingPair {
    fn default() -> Self {
        Self { blocks: [[0; 64]; 2], offsets: [0; 2], num_waiting: 0 }
    }
}

impl PendingPair {
    /// A block of zeros to read into.
    #[inline(always)]
    fn next(&mut self) -> &mut Block {
        let block = &mut self.blocks[self.num_waiting & 1];
        *block = [0; 64];
        block
    }

    /// Takes the block that `next` gave, for `offset`.
    #[inline(always)]
    fn push<K: Kernels>(&mut self, kernels: K, plane: &mut Plane, offset: usize) {
        self.offsets[self.num_waiting & 1] = offset;
        self.num_waiting += 1;
        if self.num_waiting == 2 {
            kernels.inverse_pair(&self.blocks, &mut plane.samples, self.offsets, plane.stride);
            self.num_waiting = 0;
        }
    }

    fn flush<K: Kernels>(&mut self, kernels: K, plane: &mut Plane) {
        if self.num_waiting == 1 {
            // With itself: the same samples, written twice.
            self.blocks[1] = self.blocks[0];
            self.offsets[1] = self.offsets[0];
            kernels.inverse_pair(&self.blocks, &mut plane.samples, self.offsets, plane.stride);
            self.num_waiting = 0;
        }
    }
}

/// The way through the MCUs of the scan.
struct Walk {
    mcu: usize,
    mcu_row: usize,
    mcu_column: usize,
    /// MCUs from 0 to here began with a restart that was taken.
    restarted_at: usize,
    finished_row: Option<usize>,
}

impl Walk {
    /// At the beginning, or behind the last restart before the region.
    fn new(job: &Job<'_>, segments: &mut Segments) -> Result<Self, Damaged> {
        let first = job.mcu_rows.start * job.mcus_per_row + job.mcu_columns.start;
        let num_intervals = first.checked_div(job.frame.restart_interval).unwrap_or(0);
        segments.skip_intervals(job.bytes, num_intervals).ok_or(Damaged)?;
        let mut walk = Self { mcu: 0, mcu_row: 0, mcu_column: 0, restarted_at: 0, finished_row: None };
        walk.move_to(job, num_intervals * job.frame.restart_interval);
        Ok(walk)
    }

    /// To the beginning of an interval, the restart before it being taken.
    fn move_to(&mut self, job: &Job<'_>, mcu: usize) {
        (self.mcu, self.restarted_at) = (mcu, mcu);
        (self.mcu_row, self.mcu_column) = (mcu / job.mcus_per_row, mcu % job.mcus_per_row);
    }

    #[inline(always)]
    fn advance(&mut self, job: &Job<'_>) {
        self.mcu += 1;
        self.mcu_column += 1;
        // The last column of a row is left in the main loop only after the row is finished.
        if self.mcu_column == job.mcus_per_row && job.mcu_columns.end < job.mcus_per_row {
            self.next_row();
        }
    }

    fn next_row(&mut self) {
        self.mcu_row += 1;
        self.mcu_column = 0;
    }

    /// From an MCU that is not needed to the next one that is, as far as restarts allow it. Whether there was one.
    fn jump(
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
        *reader = Self::behind_restart(job, segments, needed)?;
        self.move_to(job, needed * interval);
        Ok(true)
    }

    /// Takes the restart before this MCU, if there is one. Whether there was.
    #[inline(always)]
    fn restart(
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

    fn behind_restart(job: &Job<'_>, segments: &mut Segments, interval: usize) -> Result<BitReader, Damaged> {
        let (position, number) = segments.restart(job.bytes, interval - 1).ok_or(Damaged)?;
        if usize::from(number) == (interval - 1) % 8 { Ok(BitReader::at(position)) } else { Err(Damaged) }
    }
}

/// Writes the rows that are complete with an MCU row; gives how many there are by now.
#[inline(always)]
fn emit<K: Kernels>(
    kernels: K,
    job: &Job<'_>,
    planes: &[Plane; 3],
    scratch: &mut ChromaRows,
    mcu_row: usize,
    num_rows_out: usize,
    out: &mut [u8],
) -> usize {
    let Region { x, y, width, height } = job.region;
    let (x, y, width, height) = (x as usize, y as usize, width as usize, height as usize);
    let sampling = job.frame.sampling;
    let mut complete = (mcu_row + 1) * 8 * sampling.luma_blocks().1;
    if sampling == Sampling::HalfBoth && mcu_row + 1 < job.mcu_rows.end {
        complete -= 1; // the last row is smoothed with the first of the next MCU row
    }
    let end = complete.saturating_sub(y).min(height);
    for row in num_rows_out..end {
        let out = &mut out[row * width * job.num_channels..][..width * job.num_channels];
        let luma = planes[0].row(y + row, x..x + width);
        if job.num_channels == 1 {
            out.copy_from_slice(luma);
        } else if sampling == Sampling::Gray {
            gray_to_rgb(luma, out);
        } else if sampling == Sampling::Full {
            let [blue, red] = [1, 2].map(|plane| planes[plane].row(y + row, x..x + width));
            kernels.to_rgb(luma, blue, red, out);
        } else {
            for component in 0..2 {
                full_size_row(job, &planes[component + 1], y + row, scratch, component);
            }
            let [blue, red] = [0, 1].map(|component| &scratch.full[component][x % 2..][..width]);
            kernels.to_rgb(luma, blue, red, out);
        }
    }
    end.max(num_rows_out)
}

/// The row `y` of a chroma at full size, from the even column at or before the region on.
#[inline(always)]
fn full_size_row(job: &Job<'_>, plane: &Plane, y: usize, scratch: &mut ChromaRows, component: usize) {
    let ChromaRows { near, far, sums, full } = scratch;
    let (x, width) = (job.region.x as usize, job.region.width as usize);
    let (num_columns, num_rows) = (job.frame.width.div_ceil(2), job.frame.height.div_ceil(2));
    let columns = x / 2..(x + width - 1) / 2 + 1;
    let full = &mut full[component];
    full.resize(2 * columns.len(), 0);
    let is_half_rows = job.frame.sampling == Sampling::HalfBoth;
    let row = if is_half_rows { y / 2 } else { y };
    // libjpeg's rule: its filter needs three columns.
    if num_columns <= 2 {
        repeat_columns(plane.row(row, columns), full);
        return;
    }
    with_neighbours(plane, row, &columns, num_columns, near);
    if is_half_rows {
        let next = if y.is_multiple_of(2) { row.saturating_sub(1) } else { (row + 1).min(num_rows - 1) };
        with_neighbours(plane, next, &columns, num_columns, far);
        double_both(near, far, sums, full);
    } else {
        double_columns(near, full);
    }
}

/// `columns` of a row with one more on each side; beyond an edge of the image, its last one again.
#[inline(always)]
fn with_neighbours(plane: &Plane, row: usize, columns: &Range<usize>, num_columns: usize, out: &mut Vec<u8>) {
    out.clear();
    let (start, end) = (columns.start.saturating_sub(1), (columns.end + 1).min(num_columns));
    let samples = plane.row(row, start..end);
    if columns.start == 0 {
        out.extend(samples.first());
    }
    out.extend_from_slice(samples);
    if columns.end == num_columns {
        out.extend(samples.last());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe;

    type Decode = fn(&mut RegionDecoder, &[u8], Region, &mut [u8]) -> Result<(), Refused>;

    fn decode(name: &str, kernel: Decode) -> Result<Vec<u8>, Refused> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/jpegs");
        let bytes = std::fs::read(format!("{folder}/{name}.jpg")).unwrap();
        let region = Region::whole(&probe(&bytes).unwrap());
        let mut out = vec![0; region.width as usize * region.height as usize * 3];
        kernel(&mut RegionDecoder::default(), &bytes, region, &mut out).map(|()| out)
    }

    #[test]
    fn the_usual_files_are_taken_and_all_kernels_agree() {
        for name in [
            "444-67x45",
            "422-restart-3",
            "420-130x70",
            "420-1x1",
            "420-restart-row",
            "gray-restart",
            "ids-other",
        ] {
            let scalar =
                decode(name, |decoder, bytes, region, out| decoder.decode(Scalar, bytes, region, 3, out));
            assert!(scalar.is_ok(), "{name}: {scalar:?}");
            let fast = decode(name, |decoder, bytes, region, out| decoder.decode_fast(bytes, region, 3, out));
            assert!(fast == scalar, "{name}");
        }
    }

    #[test]
    fn the_others_are_left_to_the_library() {
        for name in ["420-progressive", "gray-progressive", "cmyk", "rgb", "ids-rgb"] {
            let refused =
                decode(name, |decoder, bytes, region, out| decoder.decode_fast(bytes, region, 3, out));
            assert_eq!(refused, Err(Refused::Unusual), "{name}");
        }
    }
}
