//! The types that pixels are handed on as, behind a pass that computes with floats.

use feedline_data::Native;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// A type that pixels are handed on as.
pub(super) trait Put: Native {
    /// Values as such; `memory` is for those that are no floats.
    fn of_floats<'a>(floats: &'a [f32], memory: &'a mut Vec<u16>) -> &'a [Self];
}

impl Put for f32 {
    fn of_floats<'a>(floats: &'a [f32], _: &'a mut Vec<u16>) -> &'a [f32] {
        floats
    }
}

impl Put for u8 {
    /// Without the fraction, as a cast does it; what is picked and not mixed has none.
    fn of_floats<'a>(floats: &'a [f32], memory: &'a mut Vec<u16>) -> &'a [u8] {
        memory.resize(floats.len().div_ceil(2), 0);
        let bytes = &mut bytemuck::cast_slice_mut(memory)[..floats.len()];
        bytes.iter_mut().zip(floats).for_each(|(byte, float)| *byte = *float as u8);
        bytes
    }
}

impl Put for f16 {
    fn of_floats<'a>(floats: &'a [f32], memory: &'a mut Vec<u16>) -> &'a [f16] {
        in_halves(floats, memory)
    }
}

impl Put for bf16 {
    fn of_floats<'a>(floats: &'a [f32], memory: &'a mut Vec<u16>) -> &'a [bf16] {
        in_halves(floats, memory)
    }
}

/// All at once, which the processor has instructions for.
fn in_halves<'a, T: Native>(floats: &[f32], memory: &'a mut Vec<u16>) -> &'a [T]
where
    [T]: HalfFloatSliceExt,
{
    memory.resize(floats.len(), 0);
    let halves: &mut [T] = bytemuck::cast_slice_mut(memory);
    halves.convert_from_f32_slice(floats);
    halves
}
