//! Images of four components that are stored at different sizes, which the library does not take: CMYK, and `YCCK`, which is
//! colours as other JPEGs have them beside black.
//!
//! Each component is put into a gray image of its own and decoded as that; then libjpeg's steps are taken over whole planes. Such images come
//! from print shops, a few in a million: what counts is that there is nothing to keep for them.

use super::colour::to_rgb_scalar;
use super::decode::{JpegChannels, Region};
use super::library::{self, adobe_transform, cmyk_to_rgb};
use super::progressive;
use super::region::{RegionDecoder, Wanted};
use super::scans::{GrayComponent, by_component};
use super::upsample::{double_both, double_columns, double_rows};
use crate::probe;

/// Decodes the whole image into `rgb`, at 1 / `ratio` of its size, which is `width` × `height`; `None` if it is no such image, or damaged.
pub(super) fn decode(
    decoder: &mut RegionDecoder,
    bytes: &[u8],
    (width, height): (usize, usize),
    ratio: usize,
    rgb: &mut [u8],
) -> Option<()> {
    let components = by_component(bytes).or_else(|| progressive::by_component(bytes))?;
    let sampling = |component: &GrayComponent| (component.horizontal, component.vertical);
    let first = components.first().map(sampling)?;
    if components.len() != 4 || components.iter().all(|component| sampling(component) == first) {
        return None;
    }
    let planes: Option<Vec<Vec<u8>>> =
        components.iter().map(|component| full_plane(decoder, component, (width, height), ratio)).collect();
    let planes = planes?;
    let transform = adobe_transform(bytes);
    let mut inks = vec![0; width * height * 4];
    let mut colours = vec![0; width * 3];
    for row in 0..height {
        let rows: [&[u8]; 4] = std::array::from_fn(|plane| &planes[plane][row * width..][..width]);
        let out = inks[row * width * 4..][..width * 4].as_chunks_mut::<4>().0;
        if transform.is_some_and(|transform| transform != 0) {
            to_rgb_scalar(rows[0], rows[1], rows[2], &mut colours);
            for ((out, colour), black) in out.iter_mut().zip(colours.as_chunks::<3>().0).zip(rows[3]) {
                *out = [255 - colour[0], 255 - colour[1], 255 - colour[2], *black];
            }
        } else {
            for (column, out) in out.iter_mut().enumerate() {
                *out = rows.map(|row| row[column]);
            }
        }
    }
    cmyk_to_rgb(&inks, transform.is_some(), rgb);
    Some(())
}

/// The samples of a component at the size of the image.
fn full_plane(
    decoder: &mut RegionDecoder,
    component: &GrayComponent,
    (width, height): (usize, usize),
    ratio: usize,
) -> Option<Vec<u8>> {
    let &GrayComponent { horizontal, vertical, most, .. } = component;
    // As libjpeg: what is stored smaller than others is transformed to more samples, as long as they are not too many.
    let side = 8 / ratio;
    let mut own_side = side;
    while own_side < 8
        && (most.0 * side).is_multiple_of(horizontal * own_side * 2)
        && (most.1 * side).is_multiple_of(vertical * own_side * 2)
    {
        own_side *= 2;
    }
    let own_ratio = 8 / own_side;
    let (columns, rows) = (component.width.div_ceil(own_ratio), component.height.div_ceil(own_ratio));
    let region = Region { x: 0, y: 0, width: columns as u32, height: rows as u32 };
    let mut samples = vec![0; columns * rows];
    if component.is_progressive {
        let info = probe(&component.jpeg).ok()?;
        library::decode(&component.jpeg, &info, JpegChannels::Gray, own_ratio as u32, &mut samples).ok()?;
    } else {
        let wanted = Wanted { region, num_channels: 1, ratio: own_ratio, takes_damage: false };
        decoder.decode_fast(&component.jpeg, wanted, &mut samples).ok()?;
    }
    let times = |most: usize, own: usize| {
        let (all, own) = (most * side, own * own_side);
        all.is_multiple_of(own).then_some(all / own)
    };
    let times = (times(most.0, horizontal)?, times(most.1, vertical)?);
    let plane = Plane { samples: &samples, columns, rows };
    Some(plane.upsampled(times, side > 1, (width, height)))
}

/// The samples of a component.
struct Plane<'a> {
    samples: &'a [u8],
    columns: usize,
    rows: usize,
}

impl Plane<'_> {
    /// At `times` the size, cut to that of the image: smooth, or each sample several times, by libjpeg's rules.
    fn upsampled(
        &self,
        (across, down): (usize, usize),
        is_smooth: bool,
        (width, height): (usize, usize),
    ) -> Vec<u8> {
        let mut full = vec![0; width * height];
        let (mut near, mut far, mut sums, mut line) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (y, out) in full.chunks_exact_mut(width).enumerate() {
            let row = y / down;
            // Of two rows that become four, the outer ones are nearer to those beyond.
            let next = if y % 2 == 0 { row.saturating_sub(1) } else { (row + 1).min(self.rows - 1) };
            line.resize(self.columns * across, 0);
            match (across, down) {
                (2, 1) if is_smooth && self.columns > 2 => {
                    self.with_neighbours(row, &mut near);
                    double_columns(&near, &mut line);
                }
                (2, 2) if is_smooth && self.columns > 2 => {
                    self.with_neighbours(row, &mut near);
                    self.with_neighbours(next, &mut far);
                    double_both(&near, &far, &mut sums, &mut line);
                }
                (1, 2) if is_smooth => double_rows(self.row(row), self.row(next), y % 2, &mut line),
                _ => {
                    for (sample, out) in self.row(row).iter().zip(line.chunks_exact_mut(across)) {
                        out.fill(*sample);
                    }
                }
            }
            out.copy_from_slice(&line[..width]);
        }
        full
    }

    fn row(&self, row: usize) -> &[u8] {
        &self.samples[row * self.columns..][..self.columns]
    }

    /// A row with one more sample on each side, its last one again.
    fn with_neighbours(&self, row: usize, out: &mut Vec<u8>) {
        let row = self.row(row);
        out.clear();
        out.extend(row.first().into_iter().chain(row).chain(row.last()));
    }
}
