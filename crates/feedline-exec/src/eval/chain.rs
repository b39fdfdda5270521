//! Arithmetic of float32 with constants, one operation behind the other, in one pass.
//!
//! `cast(image, float32) / 255` and `(x - mean) / std` are chains: each operation is one of a value and a constant. Operation
//! by operation each would read and write all values; as a chain they go through a small piece of memory at a time, which
//! stays in the nearest cache, and where results have a place in a batch they go straight there ([`Chain::append_to`]).
//! Every value meets the same operations in the same order, so the results are the same to the bit.

use feedline_data::block::{Column, Landing, Tensor};
use feedline_data::{DType, Native};
use feedline_plan::expr::Attribute;

use super::Value;
use super::columnar::{Place, Step, StepKind};
use super::elementwise::like;

/// A chain of operations on the values of one column, which all have `shape`.
#[derive(Debug)]
pub(super) struct Chain {
    from: DType,
    operations: Vec<Operation>,
    shape: Vec<usize>,
    /// Values computed at a time.
    chunk: usize,
}

#[derive(Debug)]
struct Operation {
    arithmetic: Arithmetic,
    /// The constant, repeated to the length of a chunk.
    constant: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Values computed at a time, about: 4 KiB.
const CHUNK_VALUES: usize = 1024;
/// Constants with more values than this are better read where they are.
const MAX_CONSTANT_VALUES: usize = 4096;

impl Chain {
    /// All results.
    pub(super) fn run(&self, input: &Value, rows: usize) -> Value {
        let column = input.to_rows(rows);
        let mut values = Vec::with_capacity(column.num_values());
        self.each_chunk(&column, |chunk| {
            values.extend_from_slice(chunk);
            true
        });
        // Rows that failed before have another shape than the plan knows.
        Value::Rows(like(&column, Column::from_vec(vec![], values.len(), values)))
    }

    /// Puts all results behind what is in `landing`; whether they fit there.
    pub(super) fn append_to(&self, landing: &mut Landing, input: &Value, rows: usize) -> bool {
        self.each_chunk(&input.to_rows(rows), |chunk| landing.extend(chunk))
    }

    /// Calls `put` with all results in order, until it says no; whether it never did.
    fn each_chunk(&self, column: &Column, put: impl FnMut(&[f32]) -> bool) -> bool {
        match self.from {
            DType::UInt8 => self.each_chunk_of::<u8>(column, f32::from, put),
            DType::Int64 => self.each_chunk_of::<i64>(column, |value| value as f32, put),
            DType::Float64 => self.each_chunk_of::<f64>(column, |value| value as f32, put),
            _ => self.each_chunk_of::<f32>(column, |value| value, put),
        }
    }

    fn each_chunk_of<T: Native>(
        &self,
        column: &Column,
        cast: impl Fn(T) -> f32 + Copy,
        mut put: impl FnMut(&[f32]) -> bool,
    ) -> bool {
        let mut buffer = vec![0_f32; self.chunk];
        #[cfg(target_arch = "x86_64")]
        let has_avx2 = std::arch::is_x86_feature_detected!("avx2");
        // Constants repeat at least as often as rows do, so every chunk begins where they do.
        column.as_slice::<T>().chunks(self.chunk).all(|values| {
            let results = &mut buffer[..values.len()];
            #[cfg(target_arch = "x86_64")]
            if has_avx2 {
                // SAFETY: AVX2 was detected above.
                unsafe { self.compute_with_avx2(values, results, cast) };
                return put(results);
            }
            self.compute(values, results, cast);
            put(results)
        })
    }

    /// As [`Chain::compute`], eight values an instruction: half the time.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn compute_with_avx2<T: Native>(
        &self,
        values: &[T],
        results: &mut [f32],
        cast: impl Fn(T) -> f32 + Copy,
    ) {
        self.compute(values, results, cast);
    }

    /// The results of one chunk. Inlined, so that it is compiled for the processor of whoever calls it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled as part of its callers")]
    fn compute<T: Native>(&self, values: &[T], results: &mut [f32], cast: impl Fn(T) -> f32 + Copy) {
        let Some((first, others)) = self.operations.split_first() else {
            return start(values, results, &[], |value, _| cast(value));
        };
        // The first goes with the cast: a pass less.
        match first.arithmetic {
            Arithmetic::Add => start(values, results, &first.constant, |value, by| cast(value) + by),
            Arithmetic::Subtract => start(values, results, &first.constant, |value, by| cast(value) - by),
            Arithmetic::Multiply => start(values, results, &first.constant, |value, by| cast(value) * by),
            Arithmetic::Divide => start(values, results, &first.constant, |value, by| cast(value) / by),
        }
        for Operation { arithmetic, constant } in others {
            let pairs = results.iter_mut().zip(constant);
            match arithmetic {
                Arithmetic::Add => pairs.for_each(|(result, by)| *result += by),
                Arithmetic::Subtract => pairs.for_each(|(result, by)| *result -= by),
                Arithmetic::Multiply => pairs.for_each(|(result, by)| *result *= by),
                Arithmetic::Divide => pairs.for_each(|(result, by)| *result /= by),
            }
        }
    }
}

/// The first pass: `operation` of each value and its constant; a chain that only casts has none.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled as part of its callers")]
fn start<T: Native>(values: &[T], results: &mut [f32], constants: &[f32], operation: impl Fn(T, f32) -> f32) {
    if constants.is_empty() {
        results.iter_mut().zip(values).for_each(|(result, &value)| *result = operation(value, 0.0));
        return;
    }
    let pairs = values.iter().zip(constants);
    results.iter_mut().zip(pairs).for_each(|(result, (&value, &by))| *result = operation(value, by));
}

/// Makes chains of `steps`. `is_fixed` says of a constant whether it is one already; those of a nested plan are not.
pub(super) fn make_chains(
    steps: Vec<Step>,
    outputs: &mut [Place],
    constants: &[Value],
    is_fixed: impl Fn(usize) -> bool,
) -> Vec<Step> {
    let num_uses = count_uses(&steps, outputs);
    let mut made: Vec<Step> = Vec::with_capacity(steps.len());
    // Of the steps made: whether the result is wanted by one only.
    let mut is_wanted_once_at: Vec<bool> = Vec::with_capacity(steps.len());
    // Where each step went.
    let mut moved: Vec<usize> = Vec::with_capacity(steps.len());
    for (mut step, num_uses) in steps.into_iter().zip(num_uses) {
        let is_wanted_once = num_uses == 1;
        for place in &mut step.inputs {
            relocate(place, &moved);
        }
        // Pixels end with what was joined to them, which is in no chain any more.
        let is_alone = matches!(step.kind, StepKind::Kernel(_));
        let Some(link) = Link::of(&step, constants, &is_fixed).filter(|_| is_alone) else {
            moved.push(made.len());
            made.push(step);
            is_wanted_once_at.push(is_wanted_once);
            continue;
        };
        // The chain it goes on, if what it works on is the end of one and nobody else wants that.
        let before = match step.inputs[0] {
            Place::Step { step: before, .. } if is_wanted_once_at[before] => match &made[before].kind {
                StepKind::Chain(chain) if link.goes_on(chain) => Some(before),
                _ => None,
            },
            _ => None,
        };
        if let Some(before) = before {
            if let StepKind::Chain(chain) = &mut made[before].kind {
                link.add_to(chain);
            }
            made[before].node = step.node;
            is_wanted_once_at[before] = is_wanted_once;
            moved.push(before);
            continue;
        }
        let mut chain = link.start();
        link.add_to(&mut chain);
        step.kind = StepKind::Chain(chain);
        step.inputs.truncate(1);
        moved.push(made.len());
        made.push(step);
        is_wanted_once_at.push(is_wanted_once);
    }
    outputs.iter_mut().for_each(|place| relocate(place, &moved));
    for step in &mut made {
        if let StepKind::Chain(chain) = &mut step.kind {
            chain.finish();
        }
    }
    made
}

/// How often each step is used, by others and for what comes out.
pub(super) fn count_uses(steps: &[Step], outputs: &[Place]) -> Vec<usize> {
    let mut num_uses = vec![0; steps.len()];
    for place in steps.iter().flat_map(|step| &step.inputs).chain(outputs) {
        if let Place::Step { step, .. } = place {
            num_uses[*step] += 1;
        }
    }
    num_uses
}

/// Puts what a place refers to where it went.
pub(super) fn relocate(place: &mut Place, moved: &[usize]) {
    if let Place::Step { step, .. } = place {
        *step = moved[*step];
    }
}

/// A step that can be part of a chain.
struct Link {
    from: DType,
    shape: Vec<usize>,
    /// `None`: it only casts.
    operation: Option<(Arithmetic, Tensor)>,
}

impl Link {
    fn of(step: &Step, constants: &[Value], is_fixed: &impl Fn(usize) -> bool) -> Option<Link> {
        let call = step.call();
        let spec = &step.node.outputs[0];
        let shape = spec.shape.to_fixed().filter(|_| spec.dtype == DType::Float32)?;
        let input = call.inputs.first()?.spec();
        if input.shape.to_fixed().as_ref() != Some(&shape) || matches!(step.inputs[0], Place::Constant(_)) {
            return None;
        }
        let arithmetic = match call.operation.name {
            "cast" => {
                let Attribute::DType(DType::Float32) = call.attribute("dtype") else { return None };
                let is_one = matches!(input.dtype, DType::UInt8 | DType::Int64 | DType::Float64);
                return is_one.then_some(Link { from: input.dtype, shape, operation: None });
            }
            "add" => Arithmetic::Add,
            "subtract" => Arithmetic::Subtract,
            "multiply" => Arithmetic::Multiply,
            "truediv" => Arithmetic::Divide,
            _ => return None,
        };
        let Place::Constant(index) = step.inputs[1] else { return None };
        let Value::Constant(constant) = &constants[index] else { return None };
        let is_number = constant.as_column().num_values() == 1 && constant.shape().len() <= shape.len();
        let repeats = (1..=MAX_CONSTANT_VALUES).contains(&constant.as_column().num_values())
            && (is_number || shape.ends_with(constant.shape()));
        (is_fixed(index) && repeats && input.dtype == DType::Float32 && constant.dtype() == DType::Float32)
            .then(|| Link { from: DType::Float32, shape, operation: Some((arithmetic, constant.clone())) })
    }

    /// Whether it can be the next of `chain`.
    fn goes_on(&self, chain: &Chain) -> bool {
        self.from == DType::Float32 && self.shape == chain.shape
    }

    fn start(&self) -> Chain {
        Chain { from: self.from, operations: Vec::new(), shape: self.shape.clone(), chunk: CHUNK_VALUES }
    }

    fn add_to(&self, chain: &mut Chain) {
        let Some((arithmetic, constant)) = &self.operation else { return };
        let constant = constant.as_slice::<f32>().to_vec();
        chain.operations.push(Operation { arithmetic: *arithmetic, constant });
    }
}

impl Chain {
    /// Repeats the constants to the length of a chunk.
    fn finish(&mut self) {
        // They are the last dimensions of one shape, so each length divides the longer ones.
        let period = self.operations.iter().map(|operation| operation.constant.len()).max().unwrap_or(1);
        self.chunk = period * CHUNK_VALUES.div_ceil(period);
        for operation in &mut self.operations {
            operation.constant = operation.constant.iter().copied().cycle().take(self.chunk).collect();
        }
    }
}
