//! Calls of every operation of the catalogue that the plan takes, found by trying: an operation that is new is tested without a word
//! about it here, unless nothing of what is tried fits.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
#![allow(dead_code, reason = "each test file uses a part of it")]

mod known;

use feedline_data::block::{Strings, Tensor};
use feedline_data::{DType, Shape, TensorSpec};
use feedline_plan::expr::catalogue::CATALOGUE;
use feedline_plan::expr::{Argument, ArgumentKind, Attribute, Expr, Feature, Features, Operation, Slice};

/// A call: tensors as they are known when the plan is built, and the other arguments.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    pub(crate) operation: &'static Operation,
    pub(crate) tensors: Vec<Given>,
    pub(crate) attributes: Vec<Attribute>,
}

/// A tensor of a call.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// One that each element has.
    Input(TensorSpec),
    /// One that is in the plan.
    Constant(Tensor),
}

impl Given {
    /// The type of one that each element has.
    fn dtype(&self) -> Option<DType> {
        match self {
            Given::Input(spec) => Some(spec.dtype),
            Given::Constant(_) => None,
        }
    }

    /// The same, of type `to` where it is `from`.
    fn with_dtype(&self, from: DType, to: DType) -> Given {
        match self {
            Given::Input(spec) if spec.dtype == from => {
                Given::Input(TensorSpec { dtype: to, ..spec.clone() })
            }
            other => other.clone(),
        }
    }

    fn to_expr(&self, leaf: usize) -> Expr {
        match self {
            Given::Input(spec) => Expr::input(leaf, spec.clone()),
            Given::Constant(tensor) => Expr::constant(tensor.clone()),
        }
    }
}

impl Tried {
    /// What the plan says to it.
    pub(crate) fn call(&self) -> Result<Vec<Expr>, String> {
        let tensors = self.tensors.iter().enumerate().map(|(leaf, tensor)| tensor.to_expr(leaf)).collect();
        Expr::call(self.operation, tensors, self.attributes.clone()).map_err(|error| error.to_string())
    }
}

/// The operations that compute with functions, which the tests of control flow are about.
pub(crate) fn has_functions(operation: &Operation) -> bool {
    operation.arguments.iter().any(|argument| argument.kind == ArgumentKind::Functions)
}

/// A call of each operation, but for those with functions.
pub(crate) fn calls() -> Vec<Tried> {
    let operations = CATALOGUE.iter().filter(|operation| !has_functions(operation));
    let (found, missing): (Vec<_>, Vec<_>) =
        operations.map(|operation| find(operation).ok_or(operation.name)).partition(Result::is_ok);
    let missing: Vec<&str> = missing.into_iter().filter_map(Result::err).collect();
    assert!(missing.is_empty(), "what are the arguments of {missing:?}?");
    found.into_iter().filter_map(Result::ok).collect()
}

/// A call of each operation, and those that differ from it in one argument, or in the type of its tensors, and that the plan takes as well.
pub(crate) fn varied() -> Vec<Tried> {
    calls().into_iter().flat_map(|call| variants(&call).into_iter().chain([call])).collect()
}

fn variants(base: &Tried) -> Vec<Tried> {
    let mut found = Vec::new();
    for (index, argument) in base.operation.attributes().enumerate() {
        for other in others(argument).into_iter().filter(|other| *other != base.attributes[index]) {
            let mut tried = base.clone();
            tried.attributes[index] = other;
            found.push(tried);
        }
    }
    let mut dtypes: Vec<DType> = base.tensors.iter().filter_map(Given::dtype).collect();
    dtypes.dedup();
    for (from, to) in
        dtypes.iter().flat_map(|from| TYPES.map(|to| (*from, to))).filter(|(from, to)| from != to)
    {
        let tensors = base.tensors.iter().map(|given| given.with_dtype(from, to)).collect();
        found.push(Tried { tensors, ..base.clone() });
    }
    found.retain(|tried| tried.call().is_ok());
    found
}

/// Types that tensors are given in place of others, and results.
const TYPES: [DType; 13] = [
    DType::Bool,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
    DType::Float16,
    DType::BFloat16,
    DType::Float32,
    DType::Float64,
];

/// What an argument that is no tensor may be besides its default.
fn others(argument: &Argument) -> Vec<Attribute> {
    let ints = || [-2, -1, 0, 1, 2].map(Attribute::Int).into();
    match argument.kind.when_fixed() {
        // Which numbers are drawn is no other matter.
        ArgumentKind::Int if argument.name != "seed" => ints(),
        ArgumentKind::Bool => [true, false].map(Attribute::Bool).into(),
        ArgumentKind::DType => TYPES.map(Attribute::DType).into(),
        ArgumentKind::Axis => {
            let lists = [Attribute::None, Attribute::Ints(vec![0, 1]), Attribute::Ints(vec![])];
            lists.into_iter().chain::<Vec<_>>(ints()).collect()
        }
        ArgumentKind::Text => {
            let words =
                ["DESCENDING", "REFLECT", "SYMMETRIC", "UTF8_CHAR", "right", "ignore", "strict", ",", " "];
            words.map(Attribute::from).into()
        }
        _ => Vec::new(),
    }
}

/// Types and shapes that some operation takes each.
pub(crate) fn specs() -> Vec<TensorSpec> {
    use DType::{Bool, Float32, Int32, Int64, String, UInt8};
    let known: [(DType, &[usize]); 20] = [
        (Float32, &[3]),
        (Int64, &[3]),
        (String, &[3]),
        (Bool, &[3]),
        (Int32, &[3]),
        (Float32, &[]),
        (Int64, &[]),
        (String, &[]),
        (Bool, &[]),
        (Int32, &[]),
        (Float32, &[3, 3]),
        (Int64, &[3, 3]),
        (Int32, &[3, 2]),
        (Int64, &[3, 1]),
        (Int32, &[1]),
        (Int64, &[2]),
        (UInt8, &[4, 4, 3]),
        (Float32, &[4, 4, 3]),
        (Float32, &[4, 4, 1]),
        (Float32, &[1, 4]),
    ];
    known.map(|(dtype, shape)| TensorSpec::new(dtype, Shape::fixed(shape))).into()
}

/// Constants, for what has to be known when the plan is built.
fn constants() -> Vec<Given> {
    [
        Tensor::scalar(1_i64),
        Tensor::scalar(1_i32),
        Tensor::from_vec(vec![1], vec![3_i32]),
        Tensor::from_vec(vec![2], vec![4_i32, 4]),
        Tensor::from_vec(vec![3], vec![0_i64, 1, 2]),
        Tensor::from_strings(vec![3], ["a", "b", "c"].iter().collect::<Strings>()),
    ]
    .map(Given::Constant)
    .into()
}

/// What an argument that is no tensor may be: its default, or one of these.
fn attributes(operation: &Operation, argument: &Argument) -> Vec<Attribute> {
    let texts = |words: &[&str]| words.iter().map(|&word| Attribute::from(word)).collect::<Vec<_>>();
    if let Some(default) = &argument.default {
        return vec![default.clone()];
    }
    match argument.kind.when_fixed() {
        ArgumentKind::Int => {
            vec![Attribute::Int(1), Attribute::Int(0), Attribute::Int(2), Attribute::Int(-1)]
        }
        ArgumentKind::Float => vec![Attribute::Float(1.0), Attribute::Float(0.5)],
        ArgumentKind::Bool => vec![Attribute::Bool(false)],
        ArgumentKind::Text => match (operation.name, argument.name) {
            ("strings.format", "template") => texts(&["x", "a x b"]),
            ("strings.format", _) => texts(&["x"]),
            ("einsum", _) => texts(&["i,i->i", "ij->ji"]),
            _ => texts(&["", "x", ",", "ASCENDING", "CONSTANT", "BYTE", "UTF-8", "bilinear", "left"]),
        },
        ArgumentKind::DType => {
            [DType::Float32, DType::Int64, DType::Int32, DType::UInt8].map(Attribute::DType).into()
        }
        ArgumentKind::Shape => {
            [&[3][..], &[], &[3, 3]].map(|dims| Attribute::Shape(Shape::fixed(dims))).into()
        }
        ArgumentKind::Axis => {
            vec![
                Attribute::Int(0),
                Attribute::Int(1),
                Attribute::Int(3),
                Attribute::Ints(vec![2, 2]),
                Attribute::Ints(vec![0, 1]),
                Attribute::None,
            ]
        }
        ArgumentKind::Number => vec![Attribute::Int(1)],
        ArgumentKind::Floats => {
            vec![
                Attribute::Floats(vec![1.0]),
                Attribute::Floats(vec![0.5, 1.0]),
                Attribute::Floats(vec![0.0; 3]),
            ]
        }
        ArgumentKind::OptionalFloats => vec![Attribute::None, Attribute::Floats(vec![1.0])],
        ArgumentKind::Slices => vec![Attribute::Slices(vec![Slice::At(0)])],
        ArgumentKind::Features => {
            let feature = Feature::fixed_len(&[], DType::Int64).with_default(vec![7_i64]);
            vec![Attribute::Features(Features::from([("number", feature)]))]
        }
        _ => Vec::new(),
    }
}

/// So many calls are tried of an operation before it is asked for in words: the first ones fit nearly all.
const MAX_TRIES: usize = 20_000;

/// The first of `num_choices[i]` choices at each place `i` that `try_it` takes. Choices at one place are tried in their order; first those
/// where all places have the same.
fn search<T>(num_choices: &[usize], mut try_it: impl FnMut(&[usize]) -> Option<T>) -> Option<T> {
    if num_choices.contains(&0) {
        return None;
    }
    let most = num_choices.iter().copied().max().unwrap_or(1);
    for same in 0..most {
        let chosen: Vec<usize> = num_choices.iter().map(|&count| same.min(count - 1)).collect();
        if let Some(found) = try_it(&chosen) {
            return Some(found);
        }
    }
    let mut chosen = vec![0; num_choices.len()];
    loop {
        if let Some(found) = try_it(&chosen) {
            return Some(found);
        }
        let next = (0..chosen.len()).rev().find(|&at| chosen[at] + 1 < num_choices[at])?;
        chosen[next] += 1;
        chosen[next + 1..].fill(0);
    }
}

/// A call that the plan takes.
fn find(operation: &'static Operation) -> Option<Tried> {
    if let Some((tensors, attributes)) = known::known(operation.name) {
        let known = Tried { operation, tensors, attributes };
        return known.call().is_ok().then_some(known);
    }
    let tensors: Vec<Given> = specs().into_iter().map(Given::Input).chain(constants()).collect();
    let others: Vec<Vec<Attribute>> =
        operation.attributes().map(|argument| attributes(operation, argument)).collect();
    let named = operation.arguments.iter().filter(|argument| argument.kind.is_tensor()).count();
    let takes_many = operation.arguments.iter().any(|argument| argument.kind == ArgumentKind::Tensors);
    let num_others: Vec<usize> = others.iter().map(Vec::len).collect();
    let mut num_tries = 0;
    for num_tensors in named..=if takes_many { named + 1 } else { named } {
        let found = search(&vec![tensors.len(); num_tensors], |places| {
            if num_tries > MAX_TRIES {
                return None;
            }
            let tensors: Vec<Given> = places.iter().map(|&place| tensors[place].clone()).collect();
            search(&num_others, |chosen| {
                num_tries += 1;
                if num_tries > MAX_TRIES {
                    return None;
                }
                let attributes =
                    chosen.iter().zip(&others).map(|(&index, tried)| tried[index].clone()).collect();
                let tried = Tried { operation, tensors: tensors.clone(), attributes };
                tried.call().is_ok().then_some(tried)
            })
        });
        if found.is_some() {
            return found;
        }
    }
    None
}
