//! The logical plan: what a dataset is, step by step.

use std::fmt;
use std::sync::Arc;

use feedline_data::block::{Column, Tensor, mix};
use feedline_data::{DType, ElementSpec, Structure, TensorSpec};
use serde::{Deserialize, Serialize};

use crate::expr::{Expr, Symbolic};
use crate::{PlanError, Result};

/// A logical plan: a node and, through it, everything upstream. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Plan(Arc<Node>);

/// One step of a plan, with what is known about its elements.
#[derive(Debug)]
pub struct Node {
    /// What it does.
    pub kind: NodeKind,
    /// What it does it with.
    pub inputs: Vec<Plan>,
    /// What is known about each of its elements.
    pub spec: ElementSpec,
    /// How many elements there are.
    pub cardinality: Cardinality,
    /// Random operations in it and upstream of it: those of the next step count on from here.
    num_places: u64,
}

/// What a step does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NodeKind {
    /// Counts from `start` to before `stop` by `step`.
    Range {
        /// First number.
        start: i64,
        /// The number not reached.
        stop: i64,
        /// From one to the next.
        step: i64,
    },
    /// The slices of tensors along their first dimension, a column for each leaf.
    TensorSlices {
        /// All of it, in memory.
        columns: Vec<Column>,
    },
    /// A function of each element.
    Map {
        /// The function.
        function: Function,
        /// At most so many elements at a time; `None`: as many as serve.
        num_parallel_calls: Option<usize>,
    },
    /// A buffer from which elements are drawn at random: tf.data's order for these seeds.
    Shuffle {
        /// Elements held.
        buffer_size: usize,
        /// What the order follows from.
        seeds: SeedPair,
        /// Whether each iteration has an order of its own.
        reshuffle_each_iteration: bool,
    },
    /// Several elements become one, with one more dimension in front.
    Batch {
        /// How many.
        batch_size: usize,
        /// Whether a last batch that is not full is left out.
        drop_remainder: bool,
    },
    /// Everything again and again.
    Repeat {
        /// How often; `None`: without end.
        count: Option<u64>,
    },
    /// A place where work runs ahead of the consumer.
    Prefetch {
        /// At most so many elements; `None`: as many as serve.
        buffer_size: Option<usize>,
    },
}

/// The two seeds of a shuffle, as TensorFlow's kernels take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedPair {
    /// First seed.
    pub seed: i64,
    /// Second seed.
    pub seed2: i64,
    /// Whether the user gave them; seeds drawn for the user are no part of what the plan is.
    pub is_given: bool,
}

/// How many elements there are, as far as a plan says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// Exactly so many.
    Known(u64),
    /// No end.
    Infinite,
    /// It depends on the data.
    Unknown,
}

impl Cardinality {
    /// tf.data's number for it: −1 is infinite, −2 unknown.
    pub fn as_tf(self) -> i64 {
        match self {
            Cardinality::Known(count) => i64::try_from(count).unwrap_or(i64::MAX),
            Cardinality::Infinite => -1,
            Cardinality::Unknown => -2,
        }
    }

    fn map(self, change: impl FnOnce(u64) -> u64) -> Cardinality {
        match self {
            Cardinality::Known(count) => Cardinality::Known(change(count)),
            other => other,
        }
    }
}

/// A function of an element.
#[derive(Clone, Debug)]
pub enum Function {
    /// Traced: what comes out, as expressions over the leaves that go in.
    Traced(Structure<Expr>),
    /// Rust code that cannot be looked into.
    Native(NativeFunction),
}

/// Rust code as a step of a plan: known by name.
#[derive(Clone)]
pub struct NativeFunction {
    /// How errors, `explain` and checkpoints call it.
    pub name: String,
    /// The spec of what it returns.
    pub output: ElementSpec,
    /// The code; an error is one of its element.
    pub call: Arc<NativeCall>,
}

/// The code of a [`NativeFunction`].
pub type NativeCall = dyn Fn(Structure<Tensor>) -> std::result::Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>
    + Send
    + Sync;

impl fmt::Debug for NativeFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NativeFunction({})", self.name)
    }
}

impl Plan {
    /// The numbers from `start` to before `stop` by `step`, as int64.
    pub fn range(start: i64, stop: i64, step: i64) -> Result<Plan> {
        if step == 0 {
            return Err(PlanError::argument("range: step must not be 0"));
        }
        // i128: the distance of two i64 can be twice i64's range.
        let (distance, stride) = if step > 0 {
            (i128::from(stop) - i128::from(start), i128::from(step))
        } else {
            (i128::from(start) - i128::from(stop), -i128::from(step))
        };
        let count = if distance <= 0 { 0 } else { (distance + stride - 1) / stride };
        let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
        let kind = NodeKind::Range { start, stop, step };
        Ok(Plan::source(kind, spec, Cardinality::Known(count as u64)))
    }

    /// The slices of `tensors` along their first dimension.
    pub fn from_tensor_slices(tensors: &Structure<Tensor>) -> Result<Plan> {
        let names = tensors.leaf_names();
        let mut columns = Vec::new();
        for (tensor, name) in tensors.leaves().into_iter().zip(&names) {
            let column = tensor.slices().ok_or_else(|| {
                PlanError::spec(format!(
                    "from_tensor_slices: the tensor{name} is a scalar, which has no slices"
                ))
                .with_hint("from_tensors makes one element of it")
            })?;
            columns.push(column);
        }
        let Some(first) = columns.first().map(Column::rows) else {
            return Err(PlanError::argument("from_tensor_slices: no tensors"));
        };
        if let Some(other) = columns.iter().position(|column| column.rows() != first) {
            return Err(PlanError::spec(format!(
                "from_tensor_slices: the tensor{} has {first} slices, the tensor{} {}",
                names[0],
                names[other],
                columns[other].rows()
            )));
        }
        let spec = tensors
            .map(|tensor| TensorSpec::new(tensor.dtype(), feedline_data::Shape::fixed(&tensor.shape()[1..])));
        Ok(Plan::source(NodeKind::TensorSlices { columns }, spec, Cardinality::Known(first as u64)))
    }

    /// What `function` makes of each element.
    pub fn map(
        &self,
        function: impl FnOnce(Symbolic) -> Symbolic,
        num_parallel_calls: Option<usize>,
    ) -> Result<Plan> {
        check_parallel_calls("map", num_parallel_calls)?;
        let result =
            function(Symbolic::of_spec(self.spec())).to_structure().map_err(|error| error.in_step("map"))?;
        let mut next = self.0.num_places + 1;
        let result = result.map(|expr| expr.placed(&mut next));
        let spec = result.map(|expr| expr.spec().clone());
        let kind = NodeKind::Map { function: Function::Traced(result), num_parallel_calls };
        let mut node = self.step(kind, spec, self.cardinality());
        node.num_places = next - 1;
        Ok(Plan(Arc::new(node)))
    }

    /// What the Rust code makes of each element.
    pub fn map_native(&self, function: NativeFunction, num_parallel_calls: Option<usize>) -> Result<Plan> {
        check_parallel_calls("map", num_parallel_calls)?;
        let spec = function.output.clone();
        let kind = NodeKind::Map { function: Function::Native(function), num_parallel_calls };
        Ok(Plan(Arc::new(self.step(kind, spec, self.cardinality()))))
    }

    /// Elements drawn from a buffer of `buffer_size`.
    pub fn shuffle(
        &self,
        buffer_size: usize,
        seeds: SeedPair,
        reshuffle_each_iteration: bool,
    ) -> Result<Plan> {
        if buffer_size == 0 {
            return Err(PlanError::argument("shuffle: buffer_size must be greater than zero"));
        }
        // The kernel's rule: two zeros mean "no seed" to it.
        let seeds = if seeds.seed == 0 && seeds.seed2 == 0 {
            SeedPair { seed2: i64::from(i32::MAX), ..seeds }
        } else {
            seeds
        };
        let kind = NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration };
        Ok(self.same_elements(kind, self.cardinality()))
    }

    /// The shuffle this plan ends in, with other seeds.
    pub fn with_seeds(&self, new: SeedPair) -> Result<Plan> {
        self.changed("seed", "shuffle", |input, kind| match kind {
            NodeKind::Shuffle { buffer_size, reshuffle_each_iteration, .. } => {
                Some(input.shuffle(*buffer_size, new, *reshuffle_each_iteration))
            }
            _ => None,
        })
    }

    /// The shuffle this plan ends in, with or without an order of its own for each iteration.
    pub fn with_reshuffle(&self, reshuffle: bool) -> Result<Plan> {
        self.changed("reshuffle_each_iteration", "shuffle", |input, kind| match kind {
            NodeKind::Shuffle { buffer_size, seeds, .. } => {
                Some(input.shuffle(*buffer_size, *seeds, reshuffle))
            }
            _ => None,
        })
    }

    /// The batch this plan ends in, without a last one that is not full.
    pub fn with_drop_remainder(&self) -> Result<Plan> {
        self.changed("drop_remainder", "batch", |input, kind| match kind {
            NodeKind::Batch { batch_size, .. } => Some(input.batch(*batch_size, true)),
            _ => None,
        })
    }

    /// The map this plan ends in, computing at most `calls` elements at a time.
    pub fn with_parallel_calls(&self, calls: Option<usize>) -> Result<Plan> {
        check_parallel_calls("map", calls)?;
        match &self.0.kind {
            NodeKind::Map { function, .. } => {
                let kind = NodeKind::Map { function: function.clone(), num_parallel_calls: calls };
                Ok(self.with_kind(kind, self.0.inputs.clone()))
            }
            other => Err(misplaced("num_parallel_calls", "map", other)),
        }
    }

    /// The last step made again, with a change; `word` is what the user called, `step` what it belongs to.
    fn changed(
        &self,
        word: &str,
        step: &str,
        change: impl FnOnce(&Plan, &NodeKind) -> Option<Result<Plan>>,
    ) -> Result<Plan> {
        let input = self.0.inputs.first();
        input
            .and_then(|input| change(input, &self.0.kind))
            .unwrap_or_else(|| Err(misplaced(word, step, &self.0.kind)))
    }

    /// Every `batch_size` elements as one.
    pub fn batch(&self, batch_size: usize, drop_remainder: bool) -> Result<Plan> {
        if batch_size == 0 {
            return Err(PlanError::argument("batch: batch_size must be greater than zero"));
        }
        let size = batch_size as u64;
        let cardinality =
            self.cardinality().map(|count| if drop_remainder { count / size } else { count.div_ceil(size) });
        // Every batch is full only if what is not is dropped, or nothing can be left over.
        let is_full = drop_remainder || self.cardinality() == Cardinality::Infinite;
        let dim = is_full.then_some(batch_size);
        let spec = self.spec().map(|spec| TensorSpec::new(spec.dtype, spec.shape.with_outer(dim)));
        Ok(Plan(Arc::new(self.step(NodeKind::Batch { batch_size, drop_remainder }, spec, cardinality))))
    }

    /// Everything `count` times, or without end.
    #[must_use]
    pub fn repeat(&self, count: Option<u64>) -> Plan {
        let cardinality = match (self.cardinality(), count) {
            (Cardinality::Known(0), _) | (_, Some(0)) => Cardinality::Known(0),
            (Cardinality::Known(own), Some(count)) => Cardinality::Known(own.saturating_mul(count)),
            // Without end unless there is nothing to repeat, which only the data can say.
            (Cardinality::Unknown, _) => Cardinality::Unknown,
            (Cardinality::Known(_), None) | (Cardinality::Infinite, _) => Cardinality::Infinite,
        };
        self.same_elements(NodeKind::Repeat { count }, cardinality)
    }

    /// Runs ahead of the consumer by at most `buffer_size` elements.
    #[must_use]
    pub fn prefetch(&self, buffer_size: Option<usize>) -> Plan {
        self.same_elements(NodeKind::Prefetch { buffer_size }, self.cardinality())
    }

    /// The last step.
    pub fn node(&self) -> &Node {
        &self.0
    }

    /// What is known about each element.
    pub fn spec(&self) -> &ElementSpec {
        &self.0.spec
    }

    /// How many elements there are.
    pub fn cardinality(&self) -> Cardinality {
        self.0.cardinality
    }

    /// The same step over other inputs. The inputs must have the specs of the old ones.
    #[must_use]
    pub fn with_inputs(&self, inputs: Vec<Plan>) -> Plan {
        self.with_kind(self.0.kind.clone(), inputs)
    }

    /// Another step in its place over these inputs. Specs and cardinality must stay what they are.
    #[must_use]
    pub fn with_kind(&self, kind: NodeKind, inputs: Vec<Plan>) -> Plan {
        let node = &self.0;
        Plan(Arc::new(Node {
            kind,
            inputs,
            spec: node.spec.clone(),
            cardinality: node.cardinality,
            num_places: node.num_places,
        }))
    }

    /// One line a step, sources first: what a checkpoint compares and `explain` prints.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.collect_lines(&mut lines);
        lines
    }

    /// A number that differs for plans that differ.
    pub fn fingerprint(&self) -> u64 {
        hash_of(self.lines().join("\n").as_bytes())
    }

    fn collect_lines(&self, lines: &mut Vec<String>) {
        for input in &self.0.inputs {
            input.collect_lines(lines);
        }
        lines.push(self.0.kind.to_string());
    }

    fn source(kind: NodeKind, spec: ElementSpec, cardinality: Cardinality) -> Plan {
        Plan(Arc::new(Node { kind, inputs: Vec::new(), spec, cardinality, num_places: 0 }))
    }

    fn same_elements(&self, kind: NodeKind, cardinality: Cardinality) -> Plan {
        Plan(Arc::new(self.step(kind, self.spec().clone(), cardinality)))
    }

    fn step(&self, kind: NodeKind, spec: ElementSpec, cardinality: Cardinality) -> Node {
        Node { kind, inputs: vec![self.clone()], spec, cardinality, num_places: self.0.num_places }
    }
}

fn misplaced(word: &str, step: &str, found: &NodeKind) -> PlanError {
    PlanError::argument(format!("{word}: comes right after {step}, not after {}", found.name()))
}

fn check_parallel_calls(step: &str, num_parallel_calls: Option<usize>) -> Result<()> {
    if num_parallel_calls == Some(0) {
        return Err(PlanError::argument(format!("{step}: num_parallel_calls must be greater than zero"))
            .with_hint("leave it out to have it chosen while running"));
    }
    Ok(())
}

impl NodeKind {
    /// The step's name, as users type it.
    pub fn name(&self) -> &'static str {
        match self {
            NodeKind::Range { .. } => "range",
            NodeKind::TensorSlices { .. } => "from_tensor_slices",
            NodeKind::Map { .. } => "map",
            NodeKind::Shuffle { .. } => "shuffle",
            NodeKind::Batch { .. } => "batch",
            NodeKind::Repeat { .. } => "repeat",
            NodeKind::Prefetch { .. } => "prefetch",
        }
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            NodeKind::Range { start, stop, step } => write!(f, "({start}, {stop}, {step})"),
            NodeKind::TensorSlices { columns } => {
                let columns: Vec<String> = columns.iter().map(text_of_column).collect();
                write!(f, "({})", columns.join(", "))
            }
            NodeKind::Map { function, num_parallel_calls } => {
                match function {
                    Function::Traced(result) => write!(f, "({result}")?,
                    Function::Native(native) => write!(f, "(native {} -> {}", native.name, native.output)?,
                }
                match num_parallel_calls {
                    Some(calls) => write!(f, ", num_parallel_calls={calls})"),
                    None => f.write_str(")"),
                }
            }
            NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration } => {
                write!(f, "({buffer_size}")?;
                if seeds.is_given {
                    write!(f, ", seeds=({}, {})", seeds.seed, seeds.seed2)?;
                }
                if !reshuffle_each_iteration {
                    f.write_str(", reshuffle_each_iteration=false")?;
                }
                f.write_str(")")
            }
            NodeKind::Batch { batch_size, drop_remainder } => {
                write!(f, "({batch_size}{})", if *drop_remainder { ", drop_remainder=true" } else { "" })
            }
            NodeKind::Repeat { count: Some(count) } => write!(f, "({count})"),
            NodeKind::Prefetch { buffer_size: Some(size) } => write!(f, "({size})"),
            NodeKind::Repeat { count: None } | NodeKind::Prefetch { buffer_size: None } => f.write_str("()"),
        }
    }
}

/// A constant as a reader wants it: its value if it is one, else what it is and a hash of the values.
pub(crate) fn text_of_tensor(tensor: &Tensor) -> String {
    macro_rules! number {
        ($($dtype:ident $rust:ty),*) => {
            match tensor.dtype() {
                $(DType::$dtype if tensor.num_values() == 1 => return tensor.as_slice::<$rust>()[0].to_string(),)*
                _ => {}
            }
        };
    }
    if tensor.shape().is_empty() {
        number!(Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Float32 f32, Float64 f64, Bool u8);
        if let Some(text) = tensor.strings().and_then(|strings| std::str::from_utf8(strings.get(0)).ok()) {
            return format!("{text:?}");
        }
    }
    text_of_column(tensor.as_column())
}

/// What a column is and a hash of its values: the first and last 64 KiB, and the length.
fn text_of_column(column: &Column) -> String {
    let shape = column.common_shape().map_or_else(|| "varying".to_owned(), |shape| format!("{shape:?}"));
    let mut hash = column.rows() as u64;
    if let Some(buffer) = column.buffer() {
        let bytes = buffer.as_bytes();
        let head = &bytes[..bytes.len().min(SAMPLE_BYTES)];
        let tail = &bytes[bytes.len().saturating_sub(SAMPLE_BYTES)..];
        hash = mix(mix(hash, hash_of(head)), hash_of(tail));
    }
    if let Some(strings) = column.strings() {
        let head = strings.iter().take(SAMPLE_STRINGS);
        let tail = strings.slice(strings.len().saturating_sub(SAMPLE_STRINGS)..strings.len());
        for string in head.chain(tail.iter()) {
            hash = mix(hash, hash_of(string));
        }
    }
    format!("{}{shape}×{}#{hash:016x}", column.dtype(), column.rows())
}

/// Enough to notice other data, little enough to be free.
const SAMPLE_BYTES: usize = 64 << 10;
const SAMPLE_STRINGS: usize = 1000;

/// A hash that is the same in every process and every release: it is saved in checkpoints.
fn hash_of(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    rest.iter().fold(hash, |hash, &byte| mix(hash, u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(seed2: i64) -> SeedPair {
        SeedPair { seed: 0, seed2, is_given: true }
    }

    #[test]
    fn cardinalities_are_tf_datas() {
        let of = |start, stop, step| Plan::range(start, stop, step).map(|plan| plan.cardinality().as_tf());
        assert_eq!(of(0, 10, 1), Ok(10));
        assert_eq!(of(10, 2, -3), Ok(3));
        assert_eq!(of(2, 10, -1), Ok(0));
        assert_eq!(of(i64::MIN, i64::MAX, 1), Ok(i64::MAX));
        assert!(of(0, 1, 0).is_err());
        let ten = Plan::range(0, 10, 1).expect("valid");
        let cases = [
            (ten.batch(3, false).expect("valid"), 4),
            (ten.batch(3, true).expect("valid"), 3),
            (ten.repeat(Some(3)), 30),
            (ten.repeat(None), -1),
            (ten.repeat(Some(0)), 0),
            (Plan::range(0, 0, 1).expect("valid").repeat(None), 0),
            (ten.repeat(None).batch(3, true).expect("valid"), -1),
        ];
        for (plan, expected) in cases {
            assert_eq!(plan.cardinality().as_tf(), expected, "{:?}", plan.lines());
        }
    }

    #[test]
    fn specs_follow_and_mistakes_are_named() {
        let ten = Plan::range(0, 10, 1).expect("valid");
        assert_eq!(ten.batch(4, false).expect("valid").spec().to_string(), "int64[?]");
        assert_eq!(ten.repeat(None).batch(4, false).expect("valid").spec().to_string(), "int64[4]");
        let mapped = ten.map(|x| Symbolic::from((x.clone() + 1, x / 2)), None).expect("valid");
        assert_eq!(mapped.spec().to_string(), "(int64[], float64[])");
        let error = ten.map(|x| x.get("label"), None).expect_err("no dict").to_string();
        assert!(error.contains("map: 'label' of x0, which is no dict"), "{error}");
        assert!(ten.batch(0, false).is_err() && ten.shuffle(0, seeds(1), true).is_err());
        let uneven = Structure::Tuple(vec![
            Structure::Leaf(Tensor::from_vec(vec![2], vec![1, 2])),
            Structure::Leaf(Tensor::from_vec(vec![3], vec![1, 2, 3])),
        ]);
        let error = Plan::from_tensor_slices(&uneven).expect_err("uneven").to_string();
        assert_eq!(error, "from_tensor_slices: the tensor[0] has 2 slices, the tensor[1] 3");
    }

    #[test]
    fn fingerprints_tell_plans_and_data_apart_but_not_drawn_seeds() {
        let slices = |values: Vec<i32>| {
            Plan::from_tensor_slices(&Structure::Leaf(Tensor::from_vec(vec![values.len()], values)))
                .expect("valid")
        };
        assert_eq!(slices(vec![1, 2]).fingerprint(), slices(vec![1, 2]).fingerprint());
        assert_ne!(slices(vec![1, 2]).fingerprint(), slices(vec![2, 1]).fingerprint());
        let drawn = |seed2| SeedPair { is_given: false, ..seeds(seed2) };
        let shuffled = |seeds| slices(vec![1, 2]).shuffle(2, seeds, true).expect("valid").fingerprint();
        assert_eq!(shuffled(drawn(1)), shuffled(drawn(2)));
        assert_ne!(shuffled(seeds(1)), shuffled(seeds(2)));
    }
}
