//! Decoding and what comes right behind it in one pass: of a JPEG only the part that is needed is decoded, and a row of
//! pixels is scaled, mirrored, normalized and put in its place while it is in the nearest cache.
//!
//! Rows for which that cannot be done (another format, damage, a crop that needs zeros around it) go through the operations one by
//! one, as all rows do without the rule `crop_and_scale_in_decode`; so results and errors are the same, to the bit and to the letter.
//!
//! Damage below the last row that is needed is no error, with the rule or without it: an image that cannot be decoded as a whole is
//! decoded down to that row.

use std::ops::Range;
use std::sync::Arc;

use feedline_data::DType;
use feedline_data::block::{Column, Ids, Landing};
use feedline_image::{Filter, ImageInfo, JpegChannels, JpegDecoder, Raster, Region, Resampler, Target};
use feedline_plan::expr::ExprNode;
use half::{bf16, f16};

use super::super::columnar::{Inputs, is_too_large};
use super::super::rows::RowsOf;
use super::super::scratch::Scratch;
use super::super::{Allowance, Arguments, Failures, Kernel, Value};
use super::bytes_of;
use super::changes::Changes;
use super::decode::each_integer;
use super::put::Put;
use super::room::Room;
use super::stages::Stage;

/// An operation as it is computed alone.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) node: Arc<ExprNode>,
    pub(super) kernel: Kernel,
    /// What it gets besides the image.
    pub(super) others: Vec<Other>,
}

/// What an operation gets besides the image.
#[derive(Clone, Debug)]
pub(super) enum Other {
    /// The same for all images.
    Fixed(Value),
    /// Another one for each: that input of the step.
    Input(usize),
}

/// What an image comes with.
pub(super) struct Element<'a> {
    pub(super) id: u64,
    row: usize,
    inputs: Inputs<'a>,
}

impl Element<'_> {
    /// The integers that are given for it; `None` if they are not as many.
    pub(super) fn integers<const N: usize>(&self, other: &Other) -> Option<[i64; N]> {
        let mut each = match other {
            Other::Fixed(value) => each_integer(&RowsOf::new(value), 0),
            Other::Input(index) => each_integer(&RowsOf::new(self.inputs.get(*index)), self.row),
        };
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = each.next()?;
        }
        each.next().is_none().then_some(numbers)
    }
}

/// Decoding and what is computed along with it.
#[derive(Debug)]
pub(in super::super) struct Pixels {
    pub(super) channels: JpegChannels,
    pub(super) stages: Vec<Stage>,
    pub(super) plain: Vec<Plain>,
    /// Whether images are decoded as far as they are needed, and computed with in one pass; else all goes one by one.
    pub(super) is_as_needed: bool,
    /// How many stages were done where a function ended that was put into this one; what they give was asked for as a whole.
    pub(super) num_stages_of_result: Option<usize>,
    pub(super) changes: Changes,
    /// What values come as: uint8, float32, float16 or bfloat16.
    pub(super) dtype: DType,
    /// Whether channels come before rows and columns.
    pub(super) channels_first: bool,
}

/// What one thread computes with.
#[derive(Default)]
struct Tools {
    decoder: JpegDecoder,
    resampler: Resampler,
    /// The decoded part.
    part: Vec<u8>,
    floats: Vec<f32>,
    /// A row, changed.
    changed: Vec<f32>,
    /// A row, or all, in the type it is handed on as.
    converted: Vec<u16>,
    /// What the kernels left for themselves, one by one.
    kept: Vec<Scratch>,
}

/// What becomes of one image.
struct Pass<'a> {
    /// The part of the image that counts.
    crop: Region,
    target: Target<'a>,
    /// The image is decoded at 1 / this of its size.
    ratio: u32,
}

/// What is computed with besides the image.
pub(in super::super) struct Around<'a> {
    pub(in super::super) ids: &'a Ids,
    pub(in super::super) scratch: &'a Scratch,
    pub(in super::super) failures: &'a mut Failures,
    /// All the memory there is, where it is known.
    pub(in super::super) limit_bytes: Option<u64>,
}

/// Values that memory is taken for before they are there: those of some images. What is not used is not touched.
const MAX_RESERVED_VALUES: usize = 4 << 20;

/// Decoded parts of more bytes are not kept for the next image: a thread would hold one for good.
const MAX_KEPT_BYTES: usize = 32 << 20;

impl Pixels {
    /// All results.
    pub(in super::super) fn run(
        &self,
        inputs: Inputs<'_>,
        rows: usize,
        around: &mut Around<'_>,
        allowance: &mut Allowance,
    ) -> Value {
        Value::Rows(match self.dtype {
            DType::UInt8 => self.run_rows::<u8>(inputs, rows, around, allowance),
            DType::Float16 => self.run_rows::<f16>(inputs, rows, around, allowance),
            DType::BFloat16 => self.run_rows::<bf16>(inputs, rows, around, allowance),
            _ => self.run_rows::<f32>(inputs, rows, around, allowance),
        })
    }

    fn run_rows<T: Put>(
        &self,
        inputs: Inputs<'_>,
        rows: usize,
        around: &mut Around<'_>,
        allowance: &mut Allowance,
    ) -> Column {
        let (mut values, mut shapes) = (Vec::new(), Shapes::default());
        self.each_row(inputs, rows, around, |shape, part: &[T]| {
            if let Some(shape) = shape {
                // Asked when the row begins, by its shape: its pieces are many.
                let own: usize = shape.iter().product();
                if !allowance.admits(shapes.num_rows(), (values.len() + own) * size_of::<T>(), 1) {
                    return false;
                }
                // Rows are of one size, as a rule: memory for all is taken once.
                if shapes.num_rows() == 0 {
                    values.reserve(own.saturating_mul(rows).min(MAX_RESERVED_VALUES));
                }
                shapes.push(shape);
            }
            values.extend_from_slice(part);
            true
        });
        shapes.give_to(Column::from_vec(vec![], values.len(), values))
    }

    /// Puts all results behind what is in `landing`; whether every row has one and they fit there.
    pub(in super::super) fn append_to(
        &self,
        landing: &mut Landing,
        inputs: Inputs<'_>,
        rows: usize,
        around: &mut Around<'_>,
    ) -> bool {
        let fitted = match self.dtype {
            DType::UInt8 => self.append_rows::<u8>(landing, inputs, rows, around),
            DType::Float16 => self.append_rows::<f16>(landing, inputs, rows, around),
            DType::BFloat16 => self.append_rows::<bf16>(landing, inputs, rows, around),
            _ => self.append_rows::<f32>(landing, inputs, rows, around),
        };
        fitted && around.failures.is_empty()
    }

    fn append_rows<T: Put>(
        &self,
        landing: &mut Landing,
        inputs: Inputs<'_>,
        rows: usize,
        around: &mut Around<'_>,
    ) -> bool {
        self.each_row(inputs, rows, around, |shape, part: &[T]| {
            shape.is_none_or(|shape| shape == landing.row_shape()) && landing.extend(part)
        })
    }

    /// Calls `put` with the results of each row, piece by piece, the first with the row's shape, until it says no; whether it
    /// never did.
    fn each_row<T: Put>(
        &self,
        inputs: Inputs<'_>,
        rows: usize,
        around: &mut Around<'_>,
        mut put: impl FnMut(Option<&[usize]>, &[T]) -> bool,
    ) -> bool {
        let source = RowsOf::new(inputs.get(0));
        let mut tools = around.scratch.take(Tools::default);
        let done = (0..rows).all(|row| {
            let element = Element { id: around.ids.get(row), row, inputs };
            let bytes = bytes_of(&source, row).ok().filter(|_| self.is_as_needed);
            let passed =
                bytes.and_then(|bytes| self.pass(&mut tools, bytes, &element, around.limit_bytes, &mut put));
            if tools.part.capacity() > MAX_KEPT_BYTES {
                tools.part = Vec::new();
            }
            passed.unwrap_or_else(|| self.run_plain(&mut tools, &source, &element, around, &mut put))
        });
        around.scratch.put(tools);
        done
    }

    /// The pass over one image: what `put` said, or `None` if it is none for this way, and nothing was put.
    fn pass<T: Put>(
        &self,
        tools: &mut Tools,
        bytes: &[u8],
        element: &Element<'_>,
        limit_bytes: Option<u64>,
        put: &mut impl FnMut(Option<&[usize]>, &[T]) -> bool,
    ) -> Option<bool> {
        let info = tools.decoder.info(bytes).ok()?;
        let channels = self.channels.count(&info);
        if !self.changes.take(channels) {
            return None;
        }
        let Pass { crop, target, ratio } = self.plan(&self.stages, &info, channels, element)?;
        // What is too large for this way is so for the other, which says it.
        let made = [target.columns.len(), channels, size_of::<T>()]
            .iter()
            .fold(target.rows.len(), |bytes, &more| bytes.saturating_mul(more));
        if limit_bytes.is_some_and(|limit_bytes| made as u64 > limit_bytes) {
            return None;
        }
        let crop = reduced(crop, ratio);
        let (rows, columns) = tools.resampler.plan(crop.height as usize, crop.width as usize, &target);
        let region = Region {
            x: crop.x + columns.start as u32,
            y: crop.y + rows.start as u32,
            width: columns.len() as u32,
            height: rows.len() as u32,
        };
        let needed = tools.decoder.bytes_to_decode(bytes, &info, region, self.channels);
        if limit_bytes.is_some_and(|limit_bytes| needed > limit_bytes) {
            return None;
        }
        tools.decoder.check_length(bytes, &info, ratio, region).ok()?;
        let part_len = rows.len() * columns.len() * channels;
        let _room = Room::of_decoding().take(needed - part_len as u64, limit_bytes);
        tools.part.resize(part_len, 0);
        tools
            .decoder
            .decode_scaled_region_into(bytes, &info, ratio, region, self.channels, &mut tools.part)
            .ok()?;
        // Of a damaged image the other way may make other pixels, and it has the last word.
        let is_all_read = region.y + region.height == info.height.div_ceil(ratio)
            && region.x + region.width == info.width.div_ceil(ratio);
        if !is_all_read && !tools.decoder.is_sound(bytes) {
            return None;
        }
        let (height, width) = (target.rows.len(), target.columns.len());
        let shape = if self.channels_first { [channels, height, width] } else { [height, width, channels] };
        let source = Raster::new(&tools.part[..], rows.len(), columns.len(), channels);
        let (converted, changed) = (&mut tools.converted, &mut tools.changed);
        if !self.channels_first {
            let (mut goes_on, mut shape) = (true, Some(&shape[..]));
            tools.resampler.run_planned(&source, &target, |row| {
                let row = self.changes.apply(row, channels, changed);
                goes_on = goes_on && put(shape.take(), T::of_floats(row, converted));
            });
            return Some(goes_on);
        }
        let floats = &mut tools.floats;
        floats.resize(height * width * channels, 0.0);
        let mut at = 0;
        tools.resampler.run_planned(&source, &target, |row| {
            let row = self.changes.apply(row, channels, changed);
            for (channel, plane) in floats.chunks_exact_mut(height * width).enumerate() {
                let to = plane[at..at + width].iter_mut();
                to.zip(row.iter().skip(channel).step_by(channels)).for_each(|(to, from)| *to = *from);
            }
            at += width;
        });
        Some(put(Some(&shape), T::of_floats(floats, converted)))
    }

    /// Which part of the image becomes what, after these stages.
    fn plan(
        &self,
        stages: &[Stage],
        info: &ImageInfo,
        channels: usize,
        element: &Element<'_>,
    ) -> Option<Pass<'_>> {
        let mut crop = Region::whole(info);
        let mut target = Target::new(crop.height as usize, crop.width as usize, Filter::None);
        target.finish = self.changes.finish();
        let mut ratio = 1;
        for stage in stages {
            let (height, width) = (target.rows.len(), target.columns.len());
            match stage {
                Stage::Scale { part, size, filter, is_fast } => {
                    if let Some(part) = part {
                        narrow(&mut crop, part.within(height, width, channels, element)?);
                    }
                    let (height, width) = size.of(crop.height as usize, crop.width as usize);
                    if *is_fast {
                        ratio = ratio_for(&crop, height, width);
                    }
                    target = Target { filter: *filter, ..Target::new(height, width, *filter) };
                    target.finish = self.changes.finish();
                }
                Stage::Crop(part) => {
                    let part = part.within(height, width, channels, element)?;
                    if target.filter == Filter::None {
                        narrow(&mut crop, part);
                        target = Target::new(crop.height as usize, crop.width as usize, Filter::None);
                        target.finish = self.changes.finish();
                    } else {
                        target.rows = inner(&target.rows, part.y, part.height);
                        target.columns = inner(&target.columns, part.x, part.width);
                    }
                }
                Stage::Flip(flip) => {
                    let is_flipped = flip.is_flipped(element.id);
                    target.flip_left_right ^= is_flipped && flip.left_right;
                    target.flip_up_down ^= is_flipped && !flip.left_right;
                }
            }
        }
        Some(Pass { crop, target, ratio })
    }

    /// The image of an element that cannot be decoded as a whole, down to the last row that is needed; black below. `None` if that
    /// cannot be decoded either.
    fn decode_upper(
        &self,
        tools: &mut Tools,
        bytes: &[u8],
        element: &Element<'_>,
        limit_bytes: Option<u64>,
    ) -> Option<Column> {
        let info = tools.decoder.info(bytes).ok()?;
        let channels = self.channels.count(&info);
        let stages = &self.stages[..self.num_stages_of_result.unwrap_or(self.stages.len())];
        let Pass { crop, target, .. } = self.plan(stages, &info, channels, element)?;
        let (rows, _) = tools.resampler.plan(crop.height as usize, crop.width as usize, &target);
        let end = crop.y + rows.end as u32;
        if end == info.height {
            return None;
        }
        let shape = vec![info.height as usize, info.width as usize, channels];
        let needed = tools.decoder.bytes_to_decode(bytes, &info, Region::whole(&info), self.channels);
        if limit_bytes.is_some_and(|limit_bytes| needed > limit_bytes) {
            return None;
        }
        let upper = Region { height: end, ..Region::whole(&info) };
        tools.decoder.check_length(bytes, &info, 1, upper).ok()?;
        let _room = Room::of_decoding().take(needed, limit_bytes);
        let mut pixels = vec![0; shape.iter().product()];
        let len = end as usize * info.width as usize * channels;
        tools.decoder.decode_region_into(bytes, &info, upper, self.channels, &mut pixels[..len]).ok()?;
        Some(Column::from_vec(shape, 1, pixels))
    }

    /// One row through the operations one by one.
    fn run_plain<T: Put>(
        &self,
        tools: &mut Tools,
        source: &RowsOf<'_>,
        element: &Element<'_>,
        around: &mut Around<'_>,
        put: &mut impl FnMut(Option<&[usize]>, &[T]) -> bool,
    ) -> bool {
        let row = element.row;
        let ids = around.ids.slice(row..row + 1);
        let mut value = Value::Rows(source.one_row(row));
        let mut failures = Failures::new();
        tools.kept.resize_with(self.plain.len(), Scratch::default);
        for (index, Plain { node, kernel, others }) in self.plain.iter().enumerate() {
            let feedline_plan::expr::ExprKind::Call(call) = &node.kind else {
                unreachable!("steps are calls")
            };
            let others: Vec<Value> = others
                .iter()
                .map(|other| match other {
                    Other::Fixed(value) => value.clone(),
                    Other::Input(index) => Value::Rows(RowsOf::new(element.inputs.get(*index)).one_row(row)),
                })
                .collect();
            let inputs: Vec<&Value> = std::iter::once(&value).chain(&others).collect();
            // It is asked for below, where its shape is known; but what is larger than all the memory there is, is not made.
            let mut allowance = Allowance::uncharged(around.limit_bytes);
            if is_too_large(call, &inputs, &mut failures, &mut allowance) {
                break;
            }
            let mut outputs = kernel(&mut Arguments {
                call,
                inputs,
                rows: 1,
                ids: &ids,
                scratch: &tools.kept[index],
                bodies: &[],
                failures: &mut failures,
                allowance: &mut allowance,
                weight: 1,
            });
            value = outputs.swap_remove(0);
            if index == 0
                && !failures.is_empty()
                && let Ok(bytes) = bytes_of(source, row)
                && let Some(upper) = self.decode_upper(tools, bytes, element, around.limit_bytes)
            {
                failures.clear();
                value = Value::Rows(upper);
            }
        }
        if let Some(error) = failures.remove(&0) {
            around.failures.entry(row).or_insert(error);
            return put(Some(&[0]), &[]);
        }
        let column = value.to_rows(1);
        put(Some(column.shape(0)), column.as_slice::<T>())
    }
}

/// The shapes of rows: one, as a rule, which is written down once.
#[derive(Default)]
struct Shapes {
    first: Vec<usize>,
    num_first: usize,
    /// From the first row on that has another one.
    others: Vec<Vec<usize>>,
}

impl Shapes {
    fn num_rows(&self) -> usize {
        self.num_first + self.others.len()
    }

    fn push(&mut self, shape: &[usize]) {
        if self.num_rows() == 0 {
            self.first.extend_from_slice(shape);
        }
        if self.others.is_empty() && self.first == shape {
            self.num_first += 1;
        } else {
            self.others.push(shape.to_vec());
        }
    }

    /// The values of `column` in rows of these shapes.
    fn give_to(self, column: Column) -> Column {
        let Shapes { first, num_first, others } = self;
        if num_first > 0 && others.is_empty() {
            return column.with_rows_of(num_first, first);
        }
        column.with_shapes(std::iter::repeat_n(first, num_first).chain(others).collect())
    }
}

/// The smallest part of its size at which what is decoded of the crop is still no smaller than the result.
fn ratio_for(crop: &Region, height: usize, width: usize) -> u32 {
    let is_enough =
        |ratio: &u32| (crop.height / ratio) as usize >= height && (crop.width / ratio) as usize >= width;
    [8, 4, 2].into_iter().find(is_enough).unwrap_or(1)
}

/// The crop of an image at a part of its size: every pixel that shows some of it.
fn reduced(crop: Region, ratio: u32) -> Region {
    let (x, y) = (crop.x / ratio, crop.y / ratio);
    Region {
        x,
        y,
        width: (crop.x + crop.width).div_ceil(ratio) - x,
        height: (crop.y + crop.height).div_ceil(ratio) - y,
    }
}

/// A part of a part.
fn narrow(crop: &mut Region, part: Region) {
    *crop = Region { x: crop.x + part.x, y: crop.y + part.y, ..part };
}

fn inner(range: &Range<usize>, start: u32, len: u32) -> Range<usize> {
    range.start + start as usize..range.start + start as usize + len as usize
}
