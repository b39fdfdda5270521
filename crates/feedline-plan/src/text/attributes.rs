//! Arguments of operations that are not tensors, as JSON. The catalogue says what kind each is.

use feedline_data::{DType, Shape};
use serde_json::{Map, Value};

use super::fields::{Fields, flag, list, needs, shown, text, whole};
use super::numbers::Number;
use super::specs::{read_dtype, read_shape, read_tensor_spec};
use super::tensors::{read_string, write_string};
use crate::expr::{ArgumentKind, Attribute, Feature, FeatureValues, Features, Slice};
use crate::{PlanError, Result};

/// The argument as JSON.
pub(super) fn write_attribute(attribute: &Attribute) -> Value {
    match attribute {
        Attribute::Int(value) => (*value).into(),
        Attribute::Float(value) => value.to_json(),
        Attribute::Bool(value) => (*value).into(),
        Attribute::Text(value) => value.as_str().into(),
        Attribute::DType(value) => value.name().into(),
        Attribute::Shape(value) => value.to_string().into(),
        Attribute::Ints(values) => values.as_slice().into(),
        Attribute::Floats(values) => values.iter().map(|value| value.to_json()).collect(),
        Attribute::Slices(slices) => slices.iter().map(|slice| Value::from(slice.to_string())).collect(),
        Attribute::Features(features) => {
            features.iter().map(|(key, feature)| (key.to_owned(), write_feature(feature))).collect()
        }
        Attribute::Functions(_) => unreachable!("functions are written with their calls"),
        Attribute::Dataset(_) => unreachable!("steps are cut in two before such a call"),
        Attribute::Input(index) => Value::Object(Map::from_iter([("input".to_owned(), (*index).into())])),
        Attribute::None => Value::Null,
    }
}

/// An argument of that kind from JSON.
pub(super) fn read_attribute(kind: ArgumentKind, value: &Value) -> Result<Attribute> {
    if kind.may_be_tensor() && value.is_object() {
        let mut fields = Fields::of(value)?;
        let index = fields.read("input", whole)?;
        fields.finish()?;
        return Ok(Attribute::Input(index));
    }
    Ok(match kind.when_fixed() {
        ArgumentKind::Int => Attribute::Int(whole(value)?),
        ArgumentKind::Float => Attribute::Float(read_float(value)?),
        ArgumentKind::Bool => Attribute::Bool(flag(value)?),
        ArgumentKind::Text => Attribute::Text(text(value)?.to_owned()),
        ArgumentKind::DType => Attribute::DType(read_dtype(text(value)?)?),
        ArgumentKind::Shape => Attribute::Shape(read_shape(text(value)?)?),
        ArgumentKind::Axis => match value {
            Value::Null => Attribute::None,
            Value::Array(axes) => Attribute::Ints(axes.iter().map(whole).collect::<Result<_>>()?),
            one => Attribute::Int(whole(one)?),
        },
        ArgumentKind::Number => match value {
            Value::Bool(flag) => Attribute::Bool(*flag),
            Value::Number(number) if !number.is_f64() => Attribute::Int(whole(value)?),
            _ => Attribute::Float(read_float(value)?),
        },
        ArgumentKind::OptionalFloats if value.is_null() => Attribute::None,
        ArgumentKind::Floats | ArgumentKind::OptionalFloats => {
            Attribute::Floats(list(value)?.iter().map(read_float).collect::<Result<_>>()?)
        }
        ArgumentKind::Slices => Attribute::Slices(
            list(value)?.iter().map(|slice| read_slice(text(slice)?)).collect::<Result<_>>()?,
        ),
        ArgumentKind::Features => {
            let object = value.as_object().ok_or_else(|| needs("an object", value))?;
            let features = object.iter().map(|(key, feature)| {
                let feature = read_feature(feature).map_err(|error| error.in_step(&format!("'{key}'")))?;
                Ok((key.clone(), feature))
            });
            Attribute::Features(features.collect::<Result<Features>>()?)
        }
        ArgumentKind::Functions => return Err(PlanError::internal("functions are read with their calls")),
        ArgumentKind::Dataset => return Err(PlanError::internal("no operation takes a dataset")),
        ArgumentKind::IntOrTensor | ArgumentKind::FloatOrTensor | ArgumentKind::AxisOrTensor => {
            unreachable!("fixed above")
        }
        ArgumentKind::Tensor | ArgumentKind::Tensors | ArgumentKind::Condition | ArgumentKind::Indices => {
            return Err(PlanError::internal("a tensor is no attribute"));
        }
    })
}

fn read_float(value: &Value) -> Result<f64> {
    f64::from_json(value).ok_or_else(|| needs("a number", value))
}

/// What a slice prints as: `3`, `1:3`, `::-1`, `...`, `None`.
fn read_slice(text: &str) -> Result<Slice> {
    let wrong = || {
        PlanError::format(format!("{} is no slice", shown(&text.into()))).with_hint(
            "write what stands between Python's brackets: \"3\", \"1:3\", \"::-1\", \"...\" or \"None\"",
        )
    };
    let number = |text: &str| text.parse::<i64>().map_err(|_| wrong());
    let bound = |text: &str| if text.is_empty() { Ok(None) } else { number(text).map(Some) };
    Ok(match text {
        "..." => Slice::Ellipsis,
        "None" => Slice::NewAxis,
        _ => match text.split(':').collect::<Vec<_>>()[..] {
            [index] => Slice::At(number(index)?),
            [begin, end] => Slice::Range { begin: bound(begin)?, end: bound(end)?, step: 1 },
            [begin, end, step] => {
                Slice::Range { begin: bound(begin)?, end: bound(end)?, step: number(step)? }
            }
            _ => return Err(wrong()),
        },
    })
}

/// `{"fixed_len": "float32[4]", "default": [0.0, 0.0, 0.0, 0.0]}`.
fn write_feature(feature: &Feature) -> Value {
    let mut object = Map::new();
    let of_shape = |shape: &[usize], dtype: &DType| format!("{dtype}{}", Shape::fixed(shape)).into();
    let default = match feature {
        Feature::FixedLen { shape, dtype, default } => {
            object.insert("fixed_len".into(), of_shape(shape, dtype));
            default
        }
        Feature::FixedLenSequence { shape, dtype, default } => {
            object.insert("fixed_len_sequence".into(), of_shape(shape, dtype));
            default
        }
        Feature::VarLen { dtype } => {
            object.insert("var_len".into(), dtype.name().into());
            &None
        }
        Feature::Ragged { dtype } => {
            object.insert("ragged".into(), dtype.name().into());
            &None
        }
    };
    if let Some(default) = default {
        object.insert(
            "default".into(),
            match default {
                FeatureValues::Float32(values) => values.iter().map(|value| value.to_json()).collect(),
                FeatureValues::Int64(values) => values.as_slice().into(),
                FeatureValues::Strings(values) => values.iter().map(|value| write_string(value)).collect(),
            },
        );
    }
    Value::Object(object)
}

fn read_feature(value: &Value) -> Result<Feature> {
    let mut fields = Fields::of(value)?;
    let fixed = fields.read_if("fixed_len", read_fixed)?;
    let sequence = fields.read_if("fixed_len_sequence", read_fixed)?;
    let var_len = fields.read_if("var_len", |dtype| read_dtype(text(dtype)?))?;
    let ragged = fields.read_if("ragged", |dtype| read_dtype(text(dtype)?))?;
    let feature = match (fixed, sequence, var_len, ragged) {
        (Some((shape, dtype)), None, None, None) => {
            let default = fields.read_if("default", |values| read_default(dtype, values))?;
            Feature::FixedLen { shape, dtype, default }
        }
        (None, Some((shape, dtype)), None, None) => {
            let default = fields.read_if("default", |values| read_default(dtype, values))?;
            Feature::FixedLenSequence { shape, dtype, default }
        }
        (None, None, Some(dtype), None) => Feature::VarLen { dtype },
        (None, None, None, Some(dtype)) => Feature::Ragged { dtype },
        _ => return Err(needs("one of fixed_len, fixed_len_sequence, var_len and ragged", value)),
    };
    fields.finish()?;
    Ok(feature)
}

fn read_fixed(value: &Value) -> Result<(Vec<usize>, DType)> {
    let spec = read_tensor_spec(text(value)?)?;
    let shape = spec.shape.to_fixed().ok_or_else(|| needs("a shape that is known", value))?;
    Ok((shape, spec.dtype))
}

fn read_default(dtype: DType, value: &Value) -> Result<FeatureValues> {
    let values = list(value)?.iter();
    Ok(match dtype {
        DType::Int64 => FeatureValues::Int64(values.map(whole).collect::<Result<_>>()?),
        DType::String => FeatureValues::Strings(values.map(read_string).collect::<Result<_>>()?),
        DType::Float32 => {
            let float = |value| f32::from_json(value).ok_or_else(|| needs("a float32", value));
            FeatureValues::Float32(values.map(float).collect::<Result<_>>()?)
        }
        other => return Err(PlanError::format(format!("a feature of {other} has no default"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(kind: ArgumentKind, attribute: Attribute) -> String {
        let text = write_attribute(&attribute).to_string();
        assert_eq!(
            read_attribute(kind, &serde_json::from_str(&text).expect("JSON")),
            Ok(attribute),
            "{text}"
        );
        text
    }

    #[test]
    fn arguments_of_every_kind_read_back() {
        round_trip(ArgumentKind::Int, Attribute::Int(i64::MIN));
        round_trip(ArgumentKind::Float, Attribute::Float(0.1));
        round_trip(ArgumentKind::FloatOrTensor, Attribute::Float(0.1));
        assert_eq!(round_trip(ArgumentKind::AxisOrTensor, Attribute::Input(1)), r#"{"input":1}"#);
        round_trip(ArgumentKind::Float, Attribute::Float(f64::INFINITY));
        round_trip(ArgumentKind::Bool, Attribute::Bool(true));
        round_trip(ArgumentKind::Text, Attribute::Text("a 'b'\n".into()));
        round_trip(ArgumentKind::DType, Attribute::DType(DType::BFloat16));
        round_trip(ArgumentKind::Shape, Attribute::Shape(Shape::new(vec![None, Some(3)])));
        for axis in
            [Attribute::None, Attribute::Int(-1), Attribute::Ints(vec![]), Attribute::Ints(vec![0, -1])]
        {
            round_trip(ArgumentKind::Axis, axis);
        }
        for floats in [Attribute::None, Attribute::Floats(vec![]), Attribute::Floats(vec![0.5, -1.0])] {
            round_trip(ArgumentKind::OptionalFloats, floats);
        }
        for number in
            [Attribute::Int(1), Attribute::Float(1.0), Attribute::Float(1e300), Attribute::Bool(false)]
        {
            round_trip(ArgumentKind::Number, number);
        }
        let slices = vec![
            Slice::At(-1),
            Slice::ALL,
            Slice::Range { begin: Some(1), end: Some(-3), step: 1 },
            Slice::Range { begin: None, end: Some(i64::MIN), step: -2 },
            Slice::Ellipsis,
            Slice::NewAxis,
        ];
        assert_eq!(
            round_trip(ArgumentKind::Slices, Attribute::Slices(slices)),
            r#"["-1",":","1:-3",":-9223372036854775808:-2","...","None"]"#
        );
        let features = Features::from([
            ("image", Feature::fixed_len(&[], DType::String).with_default("none")),
            ("box", Feature::fixed_len(&[2], DType::Float32).with_default(vec![0.5, f32::INFINITY])),
            ("tags", Feature::ragged(DType::String)),
            ("tokens", Feature::var_len(DType::Int64)),
            ("steps", Feature::fixed_len_sequence(&[2, 2], DType::Int64).with_default(-1_i64)),
        ]);
        assert_eq!(
            round_trip(ArgumentKind::Features, Attribute::Features(features)),
            concat!(
                r#"{"box":{"fixed_len":"float32[2]","default":[0.5,"inf"]},"#,
                r#""image":{"fixed_len":"string[]","default":["none"]},"#,
                r#""steps":{"fixed_len_sequence":"int64[2, 2]","default":[-1]},"tags":{"ragged":"string"},"tokens":{"var_len":"int64"}}"#
            )
        );
    }
}
