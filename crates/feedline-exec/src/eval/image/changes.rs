//! What is done to every value of an image along with decoding, behind the scaling: normalized, rounded, kept within limits, in another type. Each is what
//! its operation does to a value, to the bit.

use feedline_data::DType;
use feedline_image::Finish;
use feedline_plan::expr::Call;

use super::super::Value;
use super::super::arithmetic::Number;
use super::normalized::finish_of;
use super::pixels::Other;

/// One thing that is done to a value.
#[derive(Debug)]
enum Change {
    Finish(Finish),
    Round,
    Clip {
        low: f32,
        high: f32,
    },
    /// To a byte, without the fraction.
    Cut,
    /// From a byte to a part of 1.
    ToUnit,
    /// From a part of 1 to a byte, but for the fraction.
    OfUnit,
}

/// What is done to values, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// What the pass that scales does itself, before the others.
    finish: Option<Finish>,
    others: Vec<Change>,
    /// Whether bytes are still to be cut off to whole numbers: handing them on does it.
    is_uncut: bool,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.finish.is_none() && self.others.is_empty() && !self.is_uncut
    }

    /// What the pass that scales does itself.
    pub(super) fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// Whether they are for images of that many channels.
    pub(super) fn take(&self, channels: usize) -> bool {
        let others = self.others.iter().filter_map(|change| match change {
            Change::Finish(finish) => Some(finish),
            _ => None,
        });
        self.finish.iter().chain(others).all(|finish| [1, channels].contains(&finish.num_channels()))
    }

    /// Adds what a call does to values that came as `dtype`, and says what they come as now; whether it can be computed along.
    pub(super) fn join(&mut self, call: &Call, given: &[Other], dtype: &mut DType) -> bool {
        match (call.operation.name, *dtype) {
            ("image.normalize", DType::UInt8 | DType::Float32) => {
                self.cut();
                let finish = finish_of(call);
                if self.finish.is_none() && self.others.is_empty() {
                    self.finish = Some(finish);
                } else {
                    self.others.push(Change::Finish(finish));
                }
                *dtype = DType::Float32;
            }
            ("cast", from) if from == call.dtype("dtype") => {}
            ("cast", DType::UInt8 | DType::Float32) => match call.dtype("dtype") {
                // Bytes are the same numbers in any of these.
                to @ (DType::Float16 | DType::BFloat16 | DType::Float32) => {
                    self.cut();
                    *dtype = to;
                }
                DType::UInt8 => self.end_as_bytes(dtype),
                _ => return false,
            },
            ("round", DType::Float32) => self.others.push(Change::Round),
            ("clip_by_value", DType::Float32) => {
                let [low, high] = given else { return false };
                let Some((low, high)) = number(low).zip(number(high)) else { return false };
                self.others.push(Change::Clip { low, high });
            }
            ("image.convert_image_dtype", from) => match (from, call.dtype("dtype")) {
                (DType::Float32, DType::Float32) | (DType::UInt8, DType::UInt8) => {}
                (DType::UInt8, DType::Float32) => {
                    self.cut();
                    self.others.push(Change::ToUnit);
                    *dtype = DType::Float32;
                }
                // Where it is not asked for that nothing overflows, bytes stop at their limits all the same.
                (DType::Float32, DType::UInt8) => {
                    self.others.push(Change::OfUnit);
                    self.end_as_bytes(dtype);
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    fn end_as_bytes(&mut self, dtype: &mut DType) {
        self.is_uncut = true;
        *dtype = DType::UInt8;
    }

    /// What follows computes with whole numbers.
    fn cut(&mut self) {
        if std::mem::take(&mut self.is_uncut) {
            self.others.push(Change::Cut);
        }
    }

    /// Does to pixels what the pass that scales did not; `memory` is for what comes out.
    pub(super) fn apply<'a>(&self, row: &'a [f32], channels: usize, memory: &'a mut Vec<f32>) -> &'a [f32] {
        if self.others.is_empty() {
            return row;
        }
        memory.clear();
        memory.extend_from_slice(row);
        for change in &self.others {
            match change {
                Change::Finish(finish) => finish.apply(memory, channels),
                Change::Round => each(memory, f32::round_ties_even),
                Change::Clip { low, high } => each(memory, |value| value.smaller(*high).larger(*low)),
                Change::Cut => each(memory, |value| f32::from(value as u8)),
                Change::ToUnit => each(memory, |value| value * (1.0 / 255.0_f64) as f32),
                Change::OfUnit => each(memory, |value| value * 255.5),
            }
        }
        memory
    }
}

fn each(values: &mut [f32], change: impl Fn(f32) -> f32) {
    values.iter_mut().for_each(|value| *value = change(*value));
}

/// The number that is the same for all images.
fn number(other: &Other) -> Option<f32> {
    match other {
        Other::Fixed(Value::Constant(tensor)) if tensor.shape().is_empty() => {
            tensor.as_slice::<f32>().first().copied()
        }
        _ => None,
    }
}
