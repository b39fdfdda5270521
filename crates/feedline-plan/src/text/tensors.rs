//! Tensors as JSON: an object with the type as its key, `{"int64": 7}`, `{"float32": [0.5, 2.0]}`,
//! `{"uint8": {"base64": "…"}, "shape": [28, 28]}`.

use feedline_data::DType;
use feedline_data::block::{Strings, Tensor};
use half::{bf16, f16};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::base64;
use super::fields::{flag, list, needs, shown, text, whole};
use super::numbers::Number;
use super::specs::read_dtype;
use crate::{PlanError, Result};

/// Up to so many numbers are written one by one; more are no longer read by anybody.
const MAX_LISTED: usize = 64;

/// More values than any memory has; what is below does not overflow when multiplied by a width.
const MAX_VALUES: usize = 1 << 48;

/// Calls `$do` with the Rust type of the numbers of `$dtype`.
macro_rules! with_number {
    ($dtype:expr, $do:ident $arguments:tt) => {
        match $dtype {
            DType::Int8 => $do::<i8> $arguments,
            DType::Int16 => $do::<i16> $arguments,
            DType::Int32 => $do::<i32> $arguments,
            DType::Int64 => $do::<i64> $arguments,
            DType::UInt8 => $do::<u8> $arguments,
            DType::UInt16 => $do::<u16> $arguments,
            DType::UInt32 => $do::<u32> $arguments,
            DType::UInt64 => $do::<u64> $arguments,
            DType::Float16 => $do::<f16> $arguments,
            DType::BFloat16 => $do::<bf16> $arguments,
            DType::Float32 => $do::<f32> $arguments,
            DType::Float64 => $do::<f64> $arguments,
            other => unreachable!("{other} has no numbers"),
        }
    };
}

/// A tensor that is saved as JSON, to the bit: in states.
#[derive(Clone, Debug)]
pub struct TensorText(pub Tensor);

impl Serialize for TensorText {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        write_tensor(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TensorText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<TensorText, D::Error> {
        read_tensor(&Value::deserialize(deserializer)?).map(TensorText).map_err(D::Error::custom)
    }
}

/// The tensor as JSON.
pub(super) fn write_tensor(tensor: &Tensor) -> Value {
    let mut object = Map::new();
    let is_long = tensor.num_values() > MAX_LISTED && tensor.dtype() != DType::String;
    let values = if is_long {
        let bytes = match tensor.dtype() {
            DType::Bool => tensor.as_slice::<u8>().to_vec(),
            dtype => with_number!(dtype, bytes_of(tensor)),
        };
        bytes_to_json(&bytes)
    } else {
        let mut values = write_values(tensor);
        if tensor.shape().is_empty() { values.remove(0) } else { Value::Array(values) }
    };
    object.insert(tensor.dtype().name().into(), values);
    if tensor.shape().len() > 1 || is_long {
        object.insert("shape".into(), tensor.shape().into());
    }
    Value::Object(object)
}

/// Its values one by one.
pub(super) fn write_values(tensor: &Tensor) -> Vec<Value> {
    match tensor.dtype() {
        DType::Bool => tensor.as_slice::<u8>().iter().map(|&byte| (byte != 0).into()).collect(),
        DType::String => {
            tensor.strings().map(|strings| strings.iter().map(write_string).collect()).unwrap_or_default()
        }
        dtype => with_number!(dtype, values_of(tensor)),
    }
}

/// A tensor from JSON.
pub(super) fn read_tensor(value: &Value) -> Result<Tensor> {
    let object = value.as_object().ok_or_else(|| needs("a tensor, such as {\"int64\": 1}", value))?;
    let mut types = object.keys().filter(|key| *key != "shape");
    let (Some(name), None) = (types.next(), types.next()) else {
        return Err(needs("a tensor, such as {\"int64\": 1}", value));
    };
    let dtype = read_dtype(name)?;
    let shape = object.get("shape").map(read_dims).transpose().map_err(|error| error.in_step("shape"))?;
    let values = &object[name.as_str()];
    let base64 = values.get("base64").filter(|_| dtype != DType::String);
    if let Some(bytes) = base64 {
        return tensor_of_bytes(dtype, shape, bytes);
    }
    match (values, shape) {
        (Value::Array(values), shape) => {
            read_values(dtype, shape.unwrap_or_else(|| vec![values.len()]), values)
        }
        (_, None) => read_values(dtype, vec![], std::slice::from_ref(values)),
        (value, Some(_)) => Err(needs("a list of values", value)),
    }
}

/// A tensor of values one by one.
pub(super) fn read_values(dtype: DType, shape: Vec<usize>, values: &[Value]) -> Result<Tensor> {
    check_size(&shape, values.len())?;
    match dtype {
        DType::Bool => {
            Ok(Tensor::from_bools(shape, &values.iter().map(flag).collect::<Result<Vec<bool>>>()?))
        }
        DType::String => {
            let strings = values.iter().map(read_string).collect::<Result<Vec<Vec<u8>>>>()?;
            Ok(Tensor::from_strings(shape, strings.iter().collect::<Strings>()))
        }
        dtype => with_number!(dtype, tensor_of_values(shape, values)),
    }
}

/// A byte string: as text where it is.
pub(super) fn write_string(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| bytes_to_json(bytes), Value::from)
}

/// What [`write_string`] wrote.
pub(super) fn read_string(value: &Value) -> Result<Vec<u8>> {
    match (value, value.get("base64")) {
        (Value::String(text), _) => Ok(text.as_bytes().to_vec()),
        (_, Some(bytes)) => read_bytes(bytes),
        _ => Err(needs("a string", value)),
    }
}

/// Dimensions, all of them known.
pub(super) fn read_dims(value: &Value) -> Result<Vec<usize>> {
    list(value)?.iter().map(whole).collect()
}

fn bytes_to_json(bytes: &[u8]) -> Value {
    Value::Object(Map::from_iter([("base64".to_owned(), base64::encode(bytes).into())]))
}

fn read_bytes(value: &Value) -> Result<Vec<u8>> {
    base64::decode(text(value)?).ok_or_else(|| needs("base64", value))
}

fn tensor_of_bytes(dtype: DType, shape: Option<Vec<usize>>, value: &Value) -> Result<Tensor> {
    let bytes = read_bytes(value)?;
    let width = dtype.width().expect("strings are read one by one");
    if !bytes.len().is_multiple_of(width) {
        return Err(PlanError::format(format!("{} bytes are no values of {dtype}", bytes.len())));
    }
    let shape = shape.unwrap_or_else(|| vec![bytes.len() / width]);
    check_size(&shape, bytes.len() / width)?;
    match dtype {
        DType::Bool => match bytes.iter().find(|&&byte| byte > 1) {
            Some(byte) => Err(PlanError::format(format!("a bool is 0 or 1, not {byte}"))),
            None => Ok(Tensor::from_bools(shape, &bytes.iter().map(|&byte| byte == 1).collect::<Vec<_>>())),
        },
        dtype => Ok(with_number!(dtype, numbers_of_bytes(shape, &bytes))),
    }
}

fn check_size(shape: &[usize], num_values: usize) -> Result<()> {
    // A dimension of 0 must not hide others that no computation can be done with.
    let size = shape.iter().try_fold(1_usize, |size, &dim| size.checked_mul(dim.max(1)));
    if size.is_none_or(|size| size > MAX_VALUES) {
        return Err(PlanError::format(format!("the shape {shape:?} is larger than any memory")));
    }
    let wanted: usize = shape.iter().product();
    if wanted != num_values {
        return Err(PlanError::format(format!("{num_values} values cannot have shape {shape:?}")));
    }
    Ok(())
}

fn values_of<T: Number>(tensor: &Tensor) -> Vec<Value> {
    tensor.as_slice::<T>().iter().map(|value| value.to_json()).collect()
}

fn bytes_of<T: Number>(tensor: &Tensor) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(tensor.num_values() * size_of::<T>());
    tensor.as_slice::<T>().iter().for_each(|value| value.push_le(&mut bytes));
    bytes
}

fn tensor_of_values<T: Number>(shape: Vec<usize>, values: &[Value]) -> Result<Tensor> {
    let number = |value: &Value| {
        T::from_json(value).ok_or_else(|| PlanError::format(format!("{} is no {}", shown(value), T::DTYPE)))
    };
    Ok(Tensor::from_vec(shape, values.iter().map(number).collect::<Result<Vec<T>>>()?))
}

fn numbers_of_bytes<T: Number>(shape: Vec<usize>, bytes: &[u8]) -> Tensor {
    Tensor::from_vec(shape, bytes.chunks_exact(size_of::<T>()).map(T::from_le).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(tensor: &Tensor) -> String {
        let text = write_tensor(tensor).to_string();
        let again = read_tensor(&serde_json::from_str(&text).expect("JSON")).expect("a tensor");
        assert_eq!((again.dtype(), again.shape()), (tensor.dtype(), tensor.shape()), "{text}");
        // By bits: not-a-number is not equal to itself.
        let bytes = |tensor: &Tensor| tensor.as_column().buffer().map(|buffer| buffer.as_bytes().to_vec());
        assert_eq!(bytes(&again), bytes(tensor), "{text}");
        assert!(again.strings() == tensor.strings(), "{text}");
        text
    }

    fn numbers<T: Number>(count: usize) {
        // Bits of any kind, the same in each type.
        let bytes: Vec<u8> = (0..count * size_of::<T>()).map(|i| (i * 151 + i / 7) as u8).collect();
        let values: Vec<T> = bytes.chunks_exact(size_of::<T>()).map(T::from_le).collect();
        round_trip(&Tensor::from_vec(vec![count], values.clone()));
        round_trip(&Tensor::from_vec(vec![1, count, 1], values));
    }

    #[test]
    fn all_types_read_back_to_the_bit() {
        for count in [0, 1, 5, MAX_LISTED, MAX_LISTED + 1, 200] {
            for dtype in DType::ALL {
                match dtype {
                    DType::Bool => {
                        let values: Vec<bool> = (0..count).map(|i| i % 3 == 0).collect();
                        round_trip(&Tensor::from_bools(vec![count], &values));
                    }
                    DType::String => {
                        let strings: Strings = (0..count).map(|i| vec![i as u8; i % 5]).collect();
                        round_trip(&Tensor::from_strings(vec![count], strings));
                    }
                    dtype => with_number!(dtype, numbers(count)),
                }
            }
        }
        assert_eq!(round_trip(&Tensor::scalar(7_i64)), r#"{"int64":7}"#);
        assert_eq!(
            round_trip(&Tensor::from_vec(vec![2, 1], vec![0.5_f32, -0.0])),
            r#"{"float32":[0.5,-0.0],"shape":[2,1]}"#
        );
        assert_eq!(round_trip(&Tensor::from_bools(vec![], &[true])), r#"{"bool":true}"#);
        let strings: Strings = [&b"a\"\n"[..], &[0xff]].iter().collect();
        assert_eq!(
            round_trip(&Tensor::from_strings(vec![2], strings)),
            r#"{"string":["a\"\n",{"base64":"/w=="}]}"#
        );
        assert_eq!(round_trip(&Tensor::from_vec::<u8>(vec![3, 0], vec![])), r#"{"uint8":[],"shape":[3,0]}"#);
    }

    #[test]
    fn what_is_no_tensor_is_refused() {
        let cases = [
            ("7", "needs a tensor"),
            ("{}", "needs a tensor"),
            (r#"{"int64": 1, "int32": 1}"#, "needs a tensor"),
            (r#"{"int": 1}"#, "there is no type \"int\""),
            (r#"{"int64": 1.5}"#, "1.5 is no int64"),
            (r#"{"uint8": [256]}"#, "256 is no uint8"),
            (r#"{"bool": [1]}"#, "needs true or false, not 1"),
            (r#"{"int64": [1, 2], "shape": [3]}"#, "2 values cannot have shape [3]"),
            (r#"{"int64": [], "shape": [0, 9223372036854775807, 4]}"#, "larger than any memory"),
            (r#"{"int64": [], "shape": [-1]}"#, "shape: needs a whole number, not -1"),
            (r#"{"int32": {"base64": "AAAA"}}"#, "3 bytes are no values of int32"),
            (r#"{"int32": {"base64": "?"}}"#, "needs base64"),
            (r#"{"bool": {"base64": "Ag=="}}"#, "a bool is 0 or 1, not 2"),
            (r#"{"string": [[]]}"#, "needs a string"),
            (r#"{"int64": 1, "shape": []}"#, "needs a list of values"),
        ];
        for (text, expected) in cases {
            let error = read_tensor(&serde_json::from_str(text).expect("JSON")).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
