//! From planes to rows of pixels: chroma to full size, colours to RGB.

use super::colour::gray_to_rgb;
use super::decode::Region;
use super::frame::Sampling;
use super::kernels::Kernels;
use super::plane::Plane;
use super::region::{Job, Wanted};
use super::upsample::{double_both, double_columns, repeat_columns};
use std::ops::Range;

/// Rows of chroma on their way to full size.
#[derive(Debug, Default)]
pub(super) struct ChromaRows {
    near: Vec<u8>,
    far: Vec<u8>,
    sums: Vec<u16>,
    full: [Vec<u8>; 2],
}

/// Writes the rows that are complete with an MCU row; gives how many there are by now.
#[inline(always)]
pub(super) fn emit<K: Kernels>(
    kernels: K,
    job: &Job<'_>,
    planes: &[Plane; 3],
    scratch: &mut ChromaRows,
    mcu_row: usize,
    num_rows_out: usize,
    out: &mut [u8],
) -> usize {
    let Wanted { region: Region { x, y, width, height }, num_channels, .. } = job.wanted;
    let (x, y, width, height) = (x as usize, y as usize, width as usize, height as usize);
    let sampling = job.sampling;
    let mut complete = (mcu_row + 1) * planes[0].side * planes[0].mcu.1;
    if sampling == Sampling::HalfBoth && mcu_row + 1 < job.mcu_rows.end {
        complete -= 1; // the last row is smoothed with the first of the next MCU row
    }
    let end = complete.saturating_sub(y).min(height);
    for row in num_rows_out..end {
        let out = &mut out[row * width * num_channels..][..width * num_channels];
        let luma = planes[0].row(y + row, x..x + width);
        if num_channels == 1 {
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
    let (x, width) = (job.wanted.region.x as usize, job.wanted.region.width as usize);
    let (num_columns, num_rows) = (job.width.div_ceil(2), job.height.div_ceil(2));
    let columns = x / 2..(x + width - 1) / 2 + 1;
    let full = &mut full[component];
    full.resize(2 * columns.len(), 0);
    let is_half_rows = job.sampling == Sampling::HalfBoth;
    let row = if is_half_rows { y / 2 } else { y };
    // libjpeg's rules: its filter needs three columns, and is not worth it at an eighth of the size.
    if num_columns <= 2 || job.wanted.ratio == 8 {
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
