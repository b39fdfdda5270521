//! What can be computed along with decoding: which operations join it, and what each of them does to an image.

use std::sync::Arc;

use feedline_data::DType;
use feedline_image::{Filter, Region};
use feedline_plan::expr::image::{ResizeSize, central_part};
use feedline_plan::expr::{Call, ExprKind, ExprNode, taken_of_range};

use super::super::Value;
use super::super::chain::{count_uses, relocate};
use super::super::columnar::{Place, Step, StepKind};
use super::changes::Changes;
use super::decode::jpeg_channels;
use super::pixels::{Element, Other, Pixels, Plain};
use super::random::{is_flipped, random_start, resized_crop};
use super::scaling::{filter_of, size_of};

/// One thing that is done to an image.
#[derive(Debug)]
pub(super) enum Stage {
    /// A part of it, or all, at another size; a fast one may begin with the image decoded at a part of its size.
    Scale { part: Option<Part>, size: ResizeSize, filter: Filter, is_fast: bool },
    /// A part of it.
    Crop(Part),
    /// Mirrored.
    Flip(Flip),
}

#[derive(Debug)]
pub(super) struct Flip {
    pub(super) left_right: bool,
    /// The call that draws whether it is.
    random: Option<Arc<ExprNode>>,
}

impl Flip {
    pub(super) fn is_flipped(&self, id: u64) -> bool {
        self.random.as_ref().is_none_or(|node| is_flipped(call_of(node), id, 0))
    }
}

/// Which part of an image.
#[derive(Debug)]
pub(super) enum Part {
    Central(f64),
    /// At the row and column, of the height and width, that are given for each image.
    Boxed([Other; 4]),
    /// From row, column and channel on, so many of each, as given for each image.
    From {
        begin: Other,
        size: Other,
    },
    /// The rows and columns from a begin to an end, by Python's rules.
    Sliced([(Option<i64>, Option<i64>); 2]),
    /// The middle one of that height and width, of images that are large enough.
    Middle {
        height: usize,
        width: usize,
    },
    /// A part of so many rows, columns and channels, somewhere.
    Random {
        node: Arc<ExprNode>,
        sizes: [usize; 3],
    },
    RandomResized(Arc<ExprNode>),
}

impl Part {
    /// The part of an image of this size; `None` if there is none.
    pub(super) fn within(
        &self,
        height: usize,
        width: usize,
        channels: usize,
        element: &Element<'_>,
    ) -> Option<Region> {
        let id = element.id;
        let region = |y: usize, x: usize, height: usize, width: usize| Region {
            x: x as u32,
            y: y as u32,
            width: width as u32,
            height: height as u32,
        };
        let part = match self {
            Part::Central(fraction) => {
                let ((y, rows), (x, columns)) =
                    (central_part(height, *fraction), central_part(width, *fraction));
                region(y, x, rows, columns)
            }
            Part::Boxed(numbers) => {
                let mut places = [0; 4];
                for (place, number) in places.iter_mut().zip(numbers) {
                    let [number] = element.integers(number)?;
                    *place = u32::try_from(number).ok()?;
                }
                let [y, x, height, width] = places;
                Region { x, y, width, height }
            }
            Part::From { begin, size } => {
                let ([y, x, first], [rows, columns, count]) =
                    (element.integers(begin)?, element.integers(size)?);
                if first != 0 || ![-1, channels as i64].contains(&count) {
                    return None;
                }
                // All that is left.
                let len =
                    |len: i64, from: i64, limit: usize| if len == -1 { limit as i64 - from } else { len };
                let numbers = [y, x, len(rows, y, height), len(columns, x, width)];
                let [y, x, height, width] = numbers.map(|number| u32::try_from(number).ok());
                Region { x: x?, y: y?, width: width?, height: height? }
            }
            Part::Sliced([(top, bottom), (left, right)]) => {
                let rows = taken_of_range(*top, *bottom, 1, height);
                let columns = taken_of_range(*left, *right, 1, width);
                region(rows.start, columns.start, rows.count, columns.count)
            }
            Part::Middle { height: rows, width: columns } => {
                let (y, x) = (height.checked_sub(*rows)? / 2, width.checked_sub(*columns)? / 2);
                region(y, x, *rows, *columns)
            }
            Part::Random { node, sizes: [rows, columns, count] } => {
                if *rows > height || *columns > width || *count != channels {
                    return None;
                }
                let start = |axis, size, limit: usize| random_start(call_of(node), id, axis, limit - size);
                region(start(0, *rows, height), start(1, *columns, width), *rows, *columns)
            }
            Part::RandomResized(node) => resized_crop(call_of(node), id, height, width),
        };
        let fits = |start: u32, len: u32, limit: usize| {
            len > 0 && start.checked_add(len).is_some_and(|end| end as usize <= limit)
        };
        (fits(part.y, part.height, height) && fits(part.x, part.width, width)).then_some(part)
    }
}

fn call_of(node: &ExprNode) -> &Call {
    let ExprKind::Call(call) = &node.kind else { unreachable!("steps are calls") };
    call
}

/// Joins to each step that decodes a JPEG what comes right behind it: to be computed along with it where it decodes as needed,
/// else one by one, but so that it is known which part of a damaged image is needed. `is_fixed` says of a constant whether it is
/// one already; those of a nested plan are not. What is joined and needs values that are computed for each element goes where they are there.
pub(in super::super) fn join_decoding(
    steps: Vec<Step>,
    outputs: &mut [Place],
    constants: &[Value],
    is_fixed: impl Fn(usize) -> bool,
) -> Vec<Step> {
    let num_uses = count_uses(&steps, outputs);
    // Of the steps made: by how many the result is still to be used.
    let mut uses_left: Vec<usize> = Vec::with_capacity(steps.len());
    // `None`: it went behind others.
    let mut made: Vec<Option<Step>> = Vec::with_capacity(steps.len());
    // Of the steps made: whether the result is wanted by one only.
    let mut is_wanted_once_at: Vec<bool> = Vec::with_capacity(steps.len());
    let mut moved: Vec<usize> = Vec::with_capacity(steps.len());
    for (mut step, num_uses) in steps.into_iter().zip(num_uses) {
        step.inputs.iter_mut().for_each(|place| relocate(place, &moved));
        if is_fast_scale(step.call()) {
            let Some(Place::Step { step: decoding, .. }) = step.inputs.first_mut() else {
                unreachable!("the plan checked that it is decoded right before")
            };
            uses_left[*decoding] -= 1;
            if uses_left[*decoding] > 0 {
                // Others have the image as it is; for this one it is decoded apart.
                let again = made[*decoding].as_ref().map(decoding_again);
                made.push(again);
                *decoding = made.len() - 1;
                uses_left.push(0);
                is_wanted_once_at.push(true);
            }
            is_wanted_once_at[*decoding] = true;
        }
        if let Some(Place::Step { step: before, .. }) = step.inputs.first().copied()
            && is_wanted_once_at[before]
            && let Some(Step { kind: StepKind::Pixels(pixels), inputs, node, .. }) = &mut made[before]
            && let others = others_of(&step.inputs[1..], constants, &is_fixed, inputs.len())
            && pixels.join(&step, others)
        {
            *node = Arc::clone(&step.node);
            let given = step.inputs[1..].iter().filter(|place| !is_constant(place, &is_fixed));
            let num_inputs = inputs.len();
            inputs.extend(given);
            let mut place = before;
            if inputs.len() > num_inputs {
                // Nobody else knows it by its place: it is wanted by this one only.
                place = made.len();
                let joined = made[before].take();
                made.push(joined);
                is_wanted_once_at.push(false);
                uses_left.push(0);
            }
            is_wanted_once_at[place] = num_uses == 1;
            uses_left[place] = num_uses;
            moved.push(place);
            continue;
        }
        let is_as_needed = matches!(
            step.call().operation.name,
            "image.decode_jpeg_as_needed" | "image.decode_image_as_needed"
        );
        if (is_as_needed || step.call().decodes_parts())
            && let StepKind::Kernel(kernel) = step.kind
        {
            let node = Arc::clone(&step.node);
            step.kind = StepKind::Pixels(Pixels {
                channels: jpeg_channels(step.call().int("channels")),
                stages: Vec::new(),
                plain: vec![Plain { node, kernel, others: Vec::new() }],
                is_as_needed,
                num_stages_of_result: step.is_result.then_some(0),
                changes: Changes::default(),
                dtype: DType::UInt8,
                channels_first: false,
            });
        }
        moved.push(made.len());
        made.push(Some(step));
        is_wanted_once_at.push(num_uses == 1);
        uses_left.push(num_uses);
    }
    outputs.iter_mut().for_each(|place| relocate(place, &moved));
    let mut kept = Vec::with_capacity(made.len());
    let mut kept_at = Vec::with_capacity(made.len());
    for step in made {
        kept_at.push(kept.len());
        if let Some(mut step) = step {
            step.inputs.iter_mut().for_each(|place| relocate(place, &kept_at));
            leave_alone(&mut step);
            kept.push(step);
        }
    }
    outputs.iter_mut().for_each(|place| relocate(place, &kept_at));
    kept
}

fn is_fast_scale(call: &Call) -> bool {
    matches!(call.operation.name, "image.resize" | "image.random_resized_crop") && call.flag("fast_scale")
}

/// The step that decodes the same image once more; what it gives is no function's result.
fn decoding_again(step: &Step) -> Step {
    let StepKind::Pixels(pixels) = &step.kind else {
        unreachable!("it decodes, and nothing is joined to it")
    };
    let [Plain { node, kernel, .. }] = &pixels.plain[..] else {
        unreachable!("what many use is joined to nothing")
    };
    let pixels = Pixels {
        stages: Vec::new(),
        plain: vec![Plain { node: Arc::clone(node), kernel: *kernel, others: Vec::new() }],
        num_stages_of_result: None,
        changes: Changes::default(),
        ..*pixels
    };
    Step::new(Arc::clone(&step.node), StepKind::Pixels(pixels), step.inputs.clone())
}

/// Where all of an image is asked for, nothing is gained by going through images one by one.
fn leave_alone(step: &mut Step) {
    if let StepKind::Pixels(Pixels { is_as_needed: false, plain, .. }) = &step.kind
        && let [Plain { kernel, .. }] = plain[..]
    {
        step.kind = StepKind::Kernel(kernel);
    }
}

/// Where the values at `places` are found: the constants that are fixed here, the others among the inputs, from number `next` on.
fn others_of(
    places: &[Place],
    constants: &[Value],
    is_fixed: &impl Fn(usize) -> bool,
    mut next: usize,
) -> Vec<Other> {
    let other = |place: &Place| match place {
        Place::Constant(index) if is_fixed(*index) => Other::Fixed(constants[*index].clone()),
        _ => {
            next += 1;
            Other::Input(next - 1)
        }
    };
    places.iter().map(other).collect()
}

fn is_constant(place: &Place, is_fixed: &impl Fn(usize) -> bool) -> bool {
    matches!(place, Place::Constant(index) if is_fixed(*index))
}

impl Pixels {
    /// Adds `step`, if it can be computed along.
    fn join(&mut self, step: &Step, others: Vec<Other>) -> bool {
        let StepKind::Kernel(kernel) = step.kind else { return false };
        let is_joined = !self.channels_first && self.join_call(&step.node, &others);
        if is_joined {
            if step.is_result {
                self.num_stages_of_result.get_or_insert(self.stages.len());
            }
            self.plain.push(Plain { node: Arc::clone(&step.node), kernel, others });
        }
        is_joined
    }

    fn join_call(&mut self, node: &Arc<ExprNode>, others: &[Other]) -> bool {
        let call = call_of(node);
        // Stages are planned before the first element is there, but for which part is taken.
        let is_fixed = others.iter().all(|other| matches!(other, Other::Fixed(_)));
        if call.has_given_tensors() || !is_fixed && !call.takes_given_part() {
            return false;
        }
        let is_mirrored = self.stages.iter().any(|stage| matches!(stage, Stage::Flip(_)));
        let is_scaled = self.stages.iter().any(|stage| matches!(stage, Stage::Scale { .. }));
        // What is drawn for a place, or counted from one, is another in an image that is mirrored. What was done to values is no matter: it is
        // done to each of them alone.
        let can_crop = !is_mirrored;
        match call.operation.name {
            "image.resize" | "image.random_resized_crop"
                if can_crop && !is_scaled && self.changes.is_empty() && self.dtype == DType::UInt8 =>
            {
                let (filter, is_fast) = (filter_of(call), is_fast_scale(call));
                let part = call.operation.is_random.then(|| Part::RandomResized(Arc::clone(node)));
                if filter != Filter::Nearest {
                    self.dtype = DType::Float32;
                }
                // Which pixels come is its meaning here, no matter whether the rule is on.
                self.is_as_needed |= is_fast;
                self.stages.push(Stage::Scale { part, size: size_of(call), filter, is_fast });
            }
            "image.central_crop" if can_crop => {
                self.stages.push(Stage::Crop(Part::Central(call.float("central_fraction"))));
            }
            "image.resize_with_crop_or_pad" if can_crop => {
                let (height, width) = (call.int("target_height") as usize, call.int("target_width") as usize);
                self.stages.push(Stage::Crop(Part::Middle { height, width }));
            }
            "image.crop_to_bounding_box" if can_crop => {
                let [y, x, height, width] = others else { return false };
                let numbers = [y, x, height, width].map(Other::clone);
                self.stages.push(Stage::Crop(Part::Boxed(numbers)));
            }
            "slice" if can_crop => {
                let [begin, size] = others else { return false };
                self.stages.push(Stage::Crop(Part::From { begin: begin.clone(), size: size.clone() }));
            }
            "strided_slice" if can_crop => match call.part_sliced() {
                Some(part) => self.stages.push(Stage::Crop(Part::Sliced(part))),
                None => return false,
            },
            "image.random_crop" if can_crop => {
                let sizes = call.ints("size").unwrap_or_default();
                let sizes: Vec<usize> = sizes.iter().filter_map(|&size| usize::try_from(size).ok()).collect();
                let Ok(sizes) = sizes.try_into() else { return false };
                self.stages.push(Stage::Crop(Part::Random { node: Arc::clone(node), sizes }));
            }
            "image.flip_left_right"
            | "image.flip_up_down"
            | "image.random_flip_left_right"
            | "image.random_flip_up_down" => {
                let left_right = call.operation.name.ends_with("left_right");
                let random = call.operation.is_random.then(|| Arc::clone(node));
                self.stages.push(Stage::Flip(Flip { left_right, random }));
            }
            "transpose" if call.ints("perm").as_deref() == Some(&[2, 0, 1]) => self.channels_first = true,
            _ => return self.changes.join(call, others, &mut self.dtype),
        }
        true
    }
}
