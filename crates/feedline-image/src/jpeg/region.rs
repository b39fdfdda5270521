//! Decoding of a region of a baseline JPEG: of the bits only what comes before its last MCU, of the rest only what
//! the region shows.
//!
//! Bits have no places: to know where a block's begin, all blocks before it are read, if only to step over them. That
//! ends with the last MCU of the region, and restart markers are jumped to where the file has them. The
//! inverse transform, upsampling and colours are done for the region alone. Chroma at half size is smoothed with its neighbours, so
//! that the region there is one sample larger on every side.

use super::damage::DamagedBits;
use super::decode::Region;
use super::entropy::{BitReader, BlockTables, Damaged, LAST};
use super::frame::{Component, Frame, Sampling, parse};
use super::huffman::HuffmanTables;
use super::idct::{FIRST_ROW, inverse_dc};
use super::kernels::{Kernels, Scalar};
use super::plane::{PendingPair, Plane};
use super::rows::{ChromaRows, emit};
use super::segments::Segments;
use super::walk::Walk;
use std::ops::Range;

/// More than the bytes of any MCU: 6 blocks of 64 coefficients of at most 31 bits.
const MAX_MCU_BYTES: usize = 2048;

/// Why the region was not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// Another kind of JPEG, or its markers are damaged.
    Unusual,
    /// The entropy-coded bytes make no sense from here on.
    Damaged { offset: usize, has_restarts: bool },
}

/// Memory of the decoder, kept from image to image.
#[derive(Debug, Default)]
pub(super) struct RegionDecoder {
    tables: HuffmanTables,
    segments: Segments,
    planes: [Plane; 3],
    rows: ChromaRows,
}

/// What the caller wants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Of the image at its reduced size.
    pub(super) region: Region,
    /// 1 is luma, 3 are RGB.
    pub(super) num_channels: usize,
    /// 1, 2, 4 or 8: the part of its size that the image is decoded at, sides rounded up.
    pub(super) ratio: usize,
    /// Whether damaged bits are read as libjpeg reads them; else they are refused.
    pub(super) takes_damage: bool,
}

/// What is decoded, and how it lies in the MCUs.
pub(super) struct Job<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) frame: Frame,
    pub(super) wanted: Wanted,
    /// How the samples lie that the transforms make. At a reduced size chroma stored at half of both is transformed to the
    /// size of luma.
    pub(super) sampling: Sampling,
    /// Of the image at its reduced size.
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) mcus_per_row: usize,
    /// The MCUs that the region needs.
    pub(super) mcu_columns: Range<usize>,
    pub(super) mcu_rows: Range<usize>,
}

impl RegionDecoder {
    /// [`decode`](Self::decode) with the best kernels that this processor has.
    pub(super) fn decode_fast(
        &mut self,
        bytes: &[u8],
        wanted: Wanted,
        out: &mut [u8],
    ) -> Result<(), Refused> {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernels) = super::avx2::Avx2::detect() {
            return kernels.decode(self, bytes, wanted, out);
        }
        self.decode(Scalar, bytes, wanted, out)
    }

    /// Decodes into `out`: height × width × `num_channels` bytes of the region, which lies within the image.
    #[inline(always)]
    pub(super) fn decode<K: Kernels>(
        &mut self,
        kernels: K,
        bytes: &[u8],
        wanted: Wanted,
        out: &mut [u8],
    ) -> Result<(), Refused> {
        let frame = parse(bytes, &mut self.tables).ok_or(Refused::Unusual)?;
        let job = self.plan(bytes, frame, wanted);
        self.segments.begin(job.frame.scan_offset, job.frame.restart_interval > 0);
        let mut reader = BitReader::at(0);
        self.decode_mcus(kernels, &job, &mut reader, out).map_err(|Damaged| Refused::Damaged {
            offset: self.segments.offset_in_file(bytes, reader.byte_position()),
            has_restarts: job.frame.restart_interval > 0,
        })
    }

    fn plan<'a>(&mut self, bytes: &'a [u8], frame: Frame, wanted: Wanted) -> Job<'a> {
        let Wanted { region, num_channels, ratio, .. } = wanted;
        let (x, y) = (region.x as usize, region.y as usize);
        let (columns, rows) = (x..x + region.width as usize, y..y + region.height as usize);
        let (width, height) = (frame.width.div_ceil(ratio), frame.height.div_ceil(ratio));
        let luma = frame.sampling.luma_blocks();
        let side = 8 / ratio;
        self.planes[0].begin(columns.clone(), rows.clone(), luma, side);
        // As libjpeg: what is stored at half of both is transformed to twice as many samples, where there are as many.
        let (sampling, chroma_side) = match frame.sampling {
            Sampling::HalfBoth if ratio > 1 => (Sampling::Full, 2 * side),
            other => (other, side),
        };
        let (across, down) = sampling.luma_blocks();
        let chroma_columns = chroma_range(columns, across, width);
        let chroma_rows = chroma_range(rows, down, height);
        let has_chroma = sampling != Sampling::Gray && num_channels == 3;
        for plane in &mut self.planes[1..] {
            if has_chroma {
                plane.begin(chroma_columns.clone(), chroma_rows.clone(), (1, 1), chroma_side);
            } else {
                plane.begin(0..0, 0..0, (1, 1), chroma_side);
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
            wanted,
            sampling,
            width,
            height,
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
        let tables_of = |component: &Component| {
            let mut factors = [0; 128];
            for (to, from) in factors.iter_mut().zip(component.factors) {
                *to = from as i16;
            }
            let dc = tables.dc(component.dc_table).ok_or(Damaged)?;
            let ac = tables.ac(component.ac_table).ok_or(Damaged)?;
            Ok(BlockTables { dc, ac, factors })
        };
        // All three, whatever the image has: the rest repeats the first.
        let [first, second, third] = &job.frame.components;
        let tables_of = [tables_of(first)?, tables_of(second)?, tables_of(third)?];
        let mut transforms: [PendingPair; 3] = Default::default();
        let mut walk = Walk::new(job, segments)?;
        let mut previous_dc = [0_i32; 3];
        let mut num_rows_out = 0;
        // Instead of `reader`, which then stays where the interval begins.
        let mut damaged = job.wanted.takes_damage.then(|| {
            segments.ensure_all(job.bytes);
            DamagedBits::new(0, walk.end_of_interval(job, segments))
        });
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
                        if K::COLOURS {
                            num_rows_out = emit(kernels, job, planes, rows, walk.mcu_row, num_rows_out, out);
                        }
                        walk.finished_row = Some(walk.mcu_row);
                    }
                    if walk.mcu_row + 1 == job.mcu_rows.end {
                        // Bits beyond the restart that ends them are damage, which the whole image would show when it comes there.
                        return if walk.is_within_interval(job, segments, reader) {
                            Ok(())
                        } else {
                            Err(Damaged)
                        };
                    }
                }
                if walk.jump(job, segments, reader)? {
                    previous_dc = [0; 3];
                }
            }
            if walk.restart(job, segments, reader)? {
                previous_dc = [0; 3];
            }
            if let Some(damaged) = &mut damaged {
                if walk.mcu == walk.restarted_at {
                    *damaged = DamagedBits::new(reader.byte_position(), walk.end_of_interval(job, segments));
                }
                damaged.begin_mcu();
            }
            segments.ensure(job.bytes, reader.byte_position(), MAX_MCU_BYTES);
            let plain = segments.plain();
            for (component, tables) in tables_of[..num_components].iter().enumerate() {
                let plane = &mut planes[component];
                let previous_dc = &mut previous_dc[component];
                let pending = &mut transforms[component];
                let (across, down) = if component == 0 { job.frame.sampling.luma_blocks() } else { (1, 1) };
                for row in walk.mcu_row * down..(walk.mcu_row + 1) * down {
                    for column in walk.mcu_column * across..(walk.mcu_column + 1) * across {
                        let Some(offset) = plane.offset_of(row, column) else {
                            if let Some(damaged) = &mut damaged {
                                damaged.read_block(plain, tables, previous_dc, None);
                                continue;
                            }
                            let unused = &mut pending.blocks[1];
                            reader.read_block::<false>(plain, tables, previous_dc, unused)?;
                            continue;
                        };
                        let block = pending.next();
                        let last = if let Some(damaged) = &mut damaged {
                            damaged.read_block(plain, tables, previous_dc, Some(block));
                            LAST
                        } else {
                            reader.read_block::<true>(plain, tables, previous_dc, block)?
                        };
                        if !K::TRANSFORMS {
                            continue;
                        }
                        // Beyond the range, which only damage is, the reduced transforms wrap elsewhere than the shorter way.
                        if last == 0 && (plane.side == 8 || FIRST_ROW.contains(&block[0])) {
                            inverse_dc(block[0], plane.side, &mut plane.samples, offset, plane.stride);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe;

    type Decode = fn(&mut RegionDecoder, &[u8], Wanted, &mut [u8]) -> Result<(), Refused>;

    fn decode(name: &str, kernel: Decode) -> Result<Vec<u8>, Refused> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/jpegs");
        let bytes = std::fs::read(format!("{folder}/{name}.jpg")).unwrap();
        let region = Region::whole(&probe(&bytes).unwrap());
        let mut out = vec![0; region.width as usize * region.height as usize * 3];
        let wanted = Wanted { region, num_channels: 3, ratio: 1, takes_damage: false };
        kernel(&mut RegionDecoder::default(), &bytes, wanted, &mut out).map(|()| out)
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
                decode(name, |decoder, bytes, wanted, out| decoder.decode(Scalar, bytes, wanted, out));
            assert!(scalar.is_ok(), "{name}: {scalar:?}");
            let fast = decode(name, RegionDecoder::decode_fast);
            assert!(fast == scalar, "{name}");
        }
    }

    #[test]
    fn the_others_are_left_to_the_library() {
        for name in ["420-progressive", "gray-progressive", "cmyk", "rgb", "ids-rgb"] {
            let refused = decode(name, RegionDecoder::decode_fast);
            assert_eq!(refused, Err(Refused::Unusual), "{name}");
        }
    }

    #[test]
    fn reduced_sizes_are_the_librarys() {
        use super::super::{decode::JpegChannels, library};
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/jpegs");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "jpg") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let info = probe(&bytes).unwrap();
            for ratio in [2, 4, 8] {
                let region = Region {
                    x: 0,
                    y: 0,
                    width: info.width.div_ceil(ratio),
                    height: info.height.div_ceil(ratio),
                };
                let mut own = vec![0; region.width as usize * region.height as usize * 3];
                let wanted = Wanted { region, num_channels: 3, ratio: ratio as usize, takes_damage: false };
                if RegionDecoder::default().decode_fast(&bytes, wanted, &mut own).is_err() {
                    continue;
                }
                let mut other = vec![0; own.len()];
                library::decode(&bytes, &info, JpegChannels::Rgb, ratio, &mut other).unwrap();
                assert!(own == other, "{} 1/{ratio}", path.display());
            }
        }
    }
}
