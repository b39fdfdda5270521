//! The answers of TensorFlow, torchvision and Pillow, asked for beforehand: see `tests/golden/README.md`. Every case is run every way there is.

use feedline_data::block::{Column, Strings, Tensor};
use feedline_data::{DType, Native, TensorSpec};
use feedline_plan::Symbolic;
use feedline_plan::expr::{Attribute, Operation};
use half::{bf16, f16};
use serde::Deserialize;
use serde_json::Value as Json;

use super::{Leaves, column_of, scalars, try_run};

#[derive(Deserialize)]
struct Case {
    operation: String,
    inputs: Vec<JsonTensor>,
    attributes: Vec<Attribute>,
    output: Option<JsonTensor>,
    /// The other outputs, of those that have several.
    #[serde(default)]
    more: Vec<JsonTensor>,
    ulps: u64,
    #[serde(default)]
    tolerance: f64,
}

#[derive(Deserialize)]
pub(super) struct JsonTensor {
    dtype: DType,
    shape: Vec<usize>,
    values: Vec<Json>,
}

#[test]
fn every_case_is_as_tensorflow_has_it() {
    check_all(include_str!("../../../tests/golden/operations.json"));
}

#[test]
fn numbers_are_as_tensorflow_has_them() {
    check_all(include_str!("../../../tests/golden/numbers.json"));
}

#[test]
fn arrays_are_as_tensorflow_has_them() {
    check_all(include_str!("../../../tests/golden/arrays.json"));
}

#[test]
fn every_string_is_as_tensorflow_has_it() {
    check_all(include_str!("../../../tests/golden/strings.json"));
}

#[test]
fn every_message_and_code_is_as_tensorflow_has_it() {
    check_all(include_str!("../../../tests/golden/parsing.json"));
}

#[test]
fn every_image_is_as_tensorflow_has_it() {
    check_all(include_str!("../../../tests/golden/images.json"));
}

#[test]
fn every_augmentation_is_as_torchvision_and_pillow_have_it() {
    check_all(include_str!("../../../tests/golden/augmentations.json"));
}

fn check_all(text: &str) {
    let cases: Vec<Case> = serde_json::from_str(text).expect("the file is as its README says");
    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        for (way, check) in WAYS {
            if let Err(reason) = check(case) {
                let attributes: Vec<String> = case.attributes.iter().map(ToString::to_string).collect();
                let inputs: Vec<String> =
                    case.inputs.iter().map(|t| format!("{}{:?}", t.dtype, t.shape)).collect();
                wrong.push(format!(
                    "line {}, {way}: {}({}; {}): {reason}",
                    index + 2,
                    case.operation,
                    inputs.join(", "),
                    attributes.join(", ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

type Way = (&'static str, fn(&Case) -> Result<(), String>);

const WAYS: [Way; 5] = [
    ("rows of one shape", |case| check(case, |tensor, _| Given::Rows([tensor; 3]))),
    ("rows of other shapes", |case| check_among_others(case)),
    ("constants", |case| check(case, |tensor, _| Given::Constant(tensor))),
    ("first constant", |case| {
        check(
            case,
            |tensor, index| if index == 0 { Given::Constant(tensor) } else { Given::Rows([tensor; 3]) },
        )
    }),
    ("first rows", |case| {
        check(
            case,
            |tensor, index| if index == 0 { Given::Rows([tensor; 3]) } else { Given::Constant(tensor) },
        )
    }),
];

/// How an operation gets a tensor.
enum Given<'a> {
    Rows([&'a Tensor; 3]),
    Constant(&'a Tensor),
}

/// The same in three rows, or for all of them.
fn check(case: &Case, given: impl for<'a> Fn(&'a Tensor, usize) -> Given<'a>) -> Result<(), String> {
    let inputs: Vec<Tensor> = case.inputs.iter().map(JsonTensor::to_tensor).collect();
    let given: Vec<Given<'_>> =
        inputs.iter().enumerate().map(|(index, tensor)| given(tensor, index)).collect();
    match call(case, &given) {
        Err(error) if case.output.is_some() => Err(error),
        Err(_) => Ok(()),
        Ok((specs, rows)) => {
            for (spec, output) in specs.iter().zip(case.outputs()) {
                // All shapes were known, so the plan knew the result's; only bytes say how long they are.
                let shape = spec.shape.to_fixed();
                if spec.dtype != output.dtype || shape.is_some_and(|shape| shape != output.shape) {
                    return Err(format!("the plan says {spec}"));
                }
                if !spec.shape.admits(&output.shape)
                    || (spec.shape.to_fixed().is_none() && !depends_on_values(case))
                {
                    return Err(format!("the plan says {spec}"));
                }
            }
            rows.iter().try_for_each(|row| compare_all(case, row))
        }
    }
}

/// Whether the shape of the result follows from values: bytes, sizes that are computed, where a part of an image is, how it is turned.
fn depends_on_values(case: &Case) -> bool {
    let operation = case.operation.as_str();
    let by_sizes = [
        "fill",
        "range",
        "tile",
        "repeat",
        "pad",
        "broadcast_to",
        "reshape_to",
        "slice",
        "scatter_nd",
        "boolean_mask",
        "true_indices",
        "unique",
        "unique_with_counts",
    ];
    case.attributes.iter().any(|attribute| matches!(attribute, Attribute::Input(_)))
        || operation == "decode_raw"
        || by_sizes.contains(&operation)
        || operation.starts_with("image.decode")
        || matches!(operation, "image.crop_to_bounding_box" | "image.apply_orientation" | "image.rotate")
}

/// Between rows that have another shape, and may be an error.
fn check_among_others(case: &Case) -> Result<(), String> {
    let inputs: Vec<Tensor> = case.inputs.iter().map(JsonTensor::to_tensor).collect();
    let others: Vec<Tensor> = inputs.iter().map(twice).collect();
    let given: Vec<Given<'_>> =
        inputs.iter().zip(&others).map(|(tensor, other)| Given::Rows([tensor, other, tensor])).collect();
    match call(case, &given) {
        Err(error) if case.output.is_some() => Err(error),
        Err(_) => Ok(()),
        Ok((_, rows)) => compare_all(case, &rows[0]).and_then(|()| compare_all(case, &rows[2])),
    }
}

/// The tensor twice, in a new first dimension.
fn twice(tensor: &Tensor) -> Tensor {
    let shape = std::iter::once(2).chain(tensor.shape().iter().copied()).collect();
    Tensor::of_row(&column_of(&[tensor, tensor]).with_rows_of(1, shape), 0)
}

/// What was known of each output, and each row's outputs or error.
type Answer = (Vec<TensorSpec>, Vec<Result<Vec<Tensor>, String>>);

fn call(case: &Case, given: &[Given<'_>]) -> Result<Answer, String> {
    let operation = Operation::find(&case.operation).expect("in the catalogue");
    // A column that nothing uses: constants alone make no rows.
    let mut columns: Vec<Column> = vec![scalars(&[0_u8; 3])];
    let mut places = Vec::new();
    for tensor in given {
        if let Given::Rows(rows) = tensor {
            columns.push(column_of(rows));
        }
        places.push(columns.len() - 1);
    }
    let call = |x: Symbolic| {
        let tensors: Vec<Symbolic> = given
            .iter()
            .zip(places)
            .map(|(tensor, place)| match tensor {
                Given::Rows(_) => x.at(place),
                Given::Constant(tensor) => Symbolic::from((*tensor).clone()),
            })
            .collect();
        Symbolic::call(operation, &tensors, case.attributes.clone())
    };
    let (spec, leaves): (_, Leaves) = try_run(columns, call).map_err(|error| error.to_string())?;
    let row = |row: usize| leaves.iter().map(|leaf| leaf[row].clone()).collect();
    Ok((spec.leaves().into_iter().cloned().collect(), (0..leaves[0].len()).map(row).collect()))
}

fn compare_all(case: &Case, row: &Result<Vec<Tensor>, String>) -> Result<(), String> {
    match (&case.output, row) {
        (None, Err(_)) => Ok(()),
        (None, Ok(found)) => Err(format!("TensorFlow refuses, ours is {found:?}")),
        (Some(_), Err(error)) => Err(error.clone()),
        (Some(_), Ok(found)) if found.len() != case.outputs().count() => {
            Err(format!("{} outputs, TensorFlow has {}", found.len(), case.outputs().count()))
        }
        (Some(_), Ok(found)) => found.iter().zip(case.outputs()).try_for_each(|(found, output)| {
            compare_tensors(found, &output.to_tensor(), case.ulps, case.tolerance)
        }),
    }
}

impl Case {
    fn outputs(&self) -> impl Iterator<Item = &JsonTensor> {
        self.output.iter().chain(&self.more)
    }
}

/// Whether two tensors are the same, or as near as that.
pub(super) fn compare_tensors(
    found: &Tensor,
    expected: &Tensor,
    ulps: u64,
    tolerance: f64,
) -> Result<(), String> {
    if found.dtype() != expected.dtype() || found.shape() != expected.shape() {
        return Err(format!(
            "{}{:?}, expected {}{:?}",
            found.dtype(),
            found.shape(),
            expected.dtype(),
            expected.shape()
        ));
    }
    if tolerance > 0.0 {
        return within(found, expected, tolerance);
    }
    match found.dtype() {
        DType::Float16 => near::<f16>(found, expected, ulps, |x| ordered(x.to_bits(), 16)),
        DType::BFloat16 => near::<bf16>(found, expected, ulps, |x| ordered(x.to_bits(), 16)),
        DType::Float32 => near::<f32>(found, expected, ulps, |x| ordered(x.to_bits(), 32)),
        DType::Float64 => near::<f64>(found, expected, ulps, |x| ordered(x.to_bits(), 64)),
        _ if found == expected => Ok(()),
        _ => Err(format!("{:?}, expected {:?}", found.as_column(), expected.as_column())),
    }
}

/// Whether no value lies further away than `tolerance`.
fn within(found: &Tensor, expected: &Tensor, tolerance: f64) -> Result<(), String> {
    fn numbers(tensor: &Tensor) -> Vec<f64> {
        match tensor.dtype() {
            DType::UInt8 => tensor.as_slice::<u8>().iter().map(|&value| value.into()).collect(),
            DType::UInt16 => tensor.as_slice::<u16>().iter().map(|&value| value.into()).collect(),
            DType::Int8 => tensor.as_slice::<i8>().iter().map(|&value| value.into()).collect(),
            DType::Int16 => tensor.as_slice::<i16>().iter().map(|&value| value.into()).collect(),
            DType::Int32 => tensor.as_slice::<i32>().iter().map(|&value| value.into()).collect(),
            DType::Float16 => tensor.as_slice::<f16>().iter().map(|value| value.to_f64()).collect(),
            DType::BFloat16 => tensor.as_slice::<bf16>().iter().map(|value| value.to_f64()).collect(),
            DType::Float32 => tensor.as_slice::<f32>().iter().map(|&value| value.into()).collect(),
            DType::Float64 => tensor.as_slice::<f64>().to_vec(),
            other => unreachable!("images are not made of {other}"),
        }
    }
    let pairs = numbers(found).into_iter().zip(numbers(expected));
    match pairs.enumerate().max_by(|(_, a), (_, b)| (a.0 - a.1).abs().total_cmp(&(b.0 - b.1).abs())) {
        Some((index, (own, theirs))) if (own - theirs).abs() > tolerance => {
            Err(format!("value {index} is {own:?}, expected {theirs:?}"))
        }
        _ => Ok(()),
    }
}

/// A float's bits as a number that grows with it by one from each to the next.
fn ordered(bits: impl Into<u64>, width: u32) -> i128 {
    let (bits, sign) = (i128::from(bits.into()), 1_i128 << (width - 1));
    if bits & sign == 0 { bits } else { -1 - (bits & !sign) }
}

#[allow(clippy::eq_op, reason = "only not-a-number differs from itself")]
fn near<T: Native>(found: &Tensor, expected: &Tensor, ulps: u64, order: fn(T) -> i128) -> Result<(), String> {
    for (index, (&own, &theirs)) in found.as_slice::<T>().iter().zip(expected.as_slice::<T>()).enumerate() {
        let is_nan = (own != own, theirs != theirs);
        let distance = (order(own) - order(theirs)).unsigned_abs();
        // The two zeros lie one apart and are one number where results are only near.
        let allowed = if ulps == 0 { 0 } else { u128::from(ulps) + 1 };
        if is_nan != (true, true) && (is_nan.0 != is_nan.1 || distance > allowed) {
            return Err(format!("value {index} is {own:?}, expected {theirs:?}"));
        }
    }
    Ok(())
}

impl JsonTensor {
    pub(super) fn to_tensor(&self) -> Tensor {
        fn integers<T: Native + TryFrom<i128, Error: std::fmt::Debug>>(tensor: &JsonTensor) -> Tensor {
            let integer = |value: &Json| {
                let wide = value
                    .as_i64()
                    .map_or_else(|| i128::from(value.as_u64().expect("an integer")), i128::from);
                T::try_from(wide).expect("of that type")
            };
            Tensor::from_vec(tensor.shape.clone(), tensor.values.iter().map(integer).collect())
        }
        fn floats<T: Native>(tensor: &JsonTensor, narrow: fn(f64) -> T) -> Tensor {
            let float = |value: &Json| match value {
                Json::String(text) => narrow(text.parse().expect("nan or inf")),
                number => narrow(number.as_f64().expect("a float")),
            };
            Tensor::from_vec(tensor.shape.clone(), tensor.values.iter().map(float).collect())
        }
        let byte = |text: &str| u8::from_str_radix(text, 16).expect("hex");
        match self.dtype {
            DType::Bool => {
                let bools: Vec<bool> =
                    self.values.iter().map(|value| value.as_bool().expect("a bool")).collect();
                Tensor::from_bools(self.shape.clone(), &bools)
            }
            DType::String => {
                let strings: Strings = self
                    .values
                    .iter()
                    .map(|value| {
                        let hex = value.as_str().expect("a string");
                        (0..hex.len()).step_by(2).map(|at| byte(&hex[at..at + 2])).collect::<Vec<u8>>()
                    })
                    .collect();
                Tensor::from_strings(self.shape.clone(), strings)
            }
            DType::Int8 => integers::<i8>(self),
            DType::Int16 => integers::<i16>(self),
            DType::Int32 => integers::<i32>(self),
            DType::Int64 => integers::<i64>(self),
            DType::UInt8 => integers::<u8>(self),
            DType::UInt16 => integers::<u16>(self),
            DType::UInt32 => integers::<u32>(self),
            DType::UInt64 => integers::<u64>(self),
            DType::Float16 => floats(self, f16::from_f64),
            DType::BFloat16 => floats(self, bf16::from_f64),
            DType::Float32 => floats(self, |value| value as f32),
            _ => floats(self, |value| value),
        }
    }
}
