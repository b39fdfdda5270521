//! Structures, specs and shapes as JSON: a tuple is a list, a dictionary an object, a leaf a string, a ragged or sparse tensor a list
//! of `null`, its kind and its parts.

use feedline_data::rows::parts_of;
use feedline_data::{Composite, DType, ElementSpec, Shape, Structure, TensorSpec};
use serde_json::{Map, Value};

use super::fields::{list, needs, shown, text};
use crate::{PlanError, Result};

/// A dataset in a structure is `{"dataset of": …, "in": […]}`: what its elements are, and its leaves.
const DATASET: &str = "dataset of";
const PARTS: &str = "in";

/// A structure, with each leaf as `leaf` writes it.
pub(super) fn write_structure<T>(structure: &Structure<T>, leaf: &mut impl FnMut(&T) -> String) -> Value {
    match structure {
        Structure::Leaf(value) => leaf(value).into(),
        Structure::Tuple(parts) => parts.iter().map(|part| write_structure(part, leaf)).collect(),
        Structure::Dict(parts) => {
            parts.iter().map(|(key, part)| (key.clone(), write_structure(part, leaf))).collect()
        }
        Structure::Dataset(element, parts) => {
            let parts = parts.iter().map(|part| Value::from(leaf(part))).collect();
            Map::from_iter([(DATASET.to_owned(), write_spec(element)), (PARTS.to_owned(), parts)]).into()
        }
        Structure::Composite(kind, parts) => {
            // What begins with null is no tuple: its parts are none.
            let mark = [Value::Null, kind.name().into()];
            mark.into_iter().chain(parts.iter().map(|part| leaf(part).into())).collect()
        }
    }
}

/// A structure, with each leaf as `leaf` reads it.
pub(super) fn read_structure<T>(
    value: &Value,
    leaf: &mut impl FnMut(&str) -> Result<T>,
) -> Result<Structure<T>> {
    Ok(match value {
        Value::String(text) => Structure::Leaf(leaf(text)?),
        Value::Array(parts) if matches!(parts[..], [Value::Null, ..]) => {
            let name = parts.get(1).unwrap_or(&Value::Null);
            let kinds = [Composite::Ragged, Composite::Sparse];
            let kind = kinds.into_iter().find(|kind| name == kind.name());
            let kind = kind.ok_or_else(|| needs("\"ragged\" or \"sparse\" behind null", value))?;
            let parts = parts[2..].iter().map(|part| leaf(text(part)?)).collect::<Result<Vec<_>>>()?;
            if !kind.has_parts(parts.len()) {
                return Err(PlanError::format(format!(
                    "a {kind} tensor does not have {} parts",
                    parts.len()
                )));
            }
            Structure::Composite(kind, parts)
        }
        Value::Array(parts) => {
            Structure::Tuple(parts.iter().map(|part| read_structure(part, leaf)).collect::<Result<_>>()?)
        }
        Value::Object(parts)
            if parts.len() == 2 && parts.contains_key(DATASET) && parts.contains_key(PARTS) =>
        {
            let leaves =
                list(&parts[PARTS])?.iter().map(|part| leaf(text(part)?)).collect::<Result<Vec<_>>>()?;
            let element = read_spec(&parts[DATASET])?;
            if leaves.len() != parts_of(&element).len() {
                return Err(needs("the tensors that hold such elements", &parts[PARTS]));
            }
            Structure::Dataset(Box::new(element), leaves)
        }
        Value::Object(parts) => {
            // By key, which is the order of leaves.
            let mut sorted: Vec<_> = parts.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            let parts = sorted.into_iter().map(|(key, part)| Ok((key.clone(), read_structure(part, leaf)?)));
            Structure::Dict(parts.collect::<Result<_>>()?)
        }
        other => return Err(needs("a string, a list or an object", other)),
    })
}

/// `["int64[]", "float32[?, 3]"]`.
pub(super) fn write_spec(spec: &ElementSpec) -> Value {
    write_structure(spec, &mut |spec| spec.to_string())
}

/// What [`write_spec`] wrote.
pub(super) fn read_spec(value: &Value) -> Result<ElementSpec> {
    read_structure(value, &mut read_tensor_spec)
}

/// `float32[?, 3]`.
pub(super) fn read_tensor_spec(text: &str) -> Result<TensorSpec> {
    let start = text.find('[').unwrap_or(text.len());
    let (dtype, shape) = text.split_at(start);
    Ok(TensorSpec::new(read_dtype(dtype)?, read_shape(shape)?))
}

/// A type by the one name it has here.
pub(super) fn read_dtype(name: &str) -> Result<DType> {
    DType::ALL.into_iter().find(|dtype| dtype.name() == name).ok_or_else(|| {
        let names: Vec<&str> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
        PlanError::format(format!("there is no type {}", shown(&name.into())))
            .with_hint(format!("types are {}", names.join(", ")))
    })
}

/// `[?, 3]`, or `[...]` where nothing is known.
pub(super) fn read_shape(text: &str) -> Result<Shape> {
    let wrong = || {
        PlanError::format(format!("{} is no shape", shown(&text.into())))
            .with_hint("write `[2, ?]`, with a `?` for what is unknown, or `[...]`")
    };
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or_else(wrong)?;
    if inside == "..." {
        return Ok(Shape::UNKNOWN);
    }
    if inside.is_empty() {
        return Ok(Shape::scalar());
    }
    let dim = |text: &str| match text.trim() {
        "?" => Ok(None),
        number => number.parse().map(Some).map_err(|_| wrong()),
    };
    Ok(Shape::new(inside.split(',').map(dim).collect::<Result<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_read_back() {
        let leaf = |text: &str| ElementSpec::Leaf(read_tensor_spec(text).expect("valid"));
        let nested = ElementSpec::Tuple(vec![
            ElementSpec::dict([("b", leaf("uint8[?, ?, 3]")), ("a'[", leaf("bfloat16[...]"))]),
            ElementSpec::Tuple(vec![]),
            leaf("string[]"),
            ElementSpec::Composite(
                Composite::Ragged,
                vec![
                    read_tensor_spec("int32[?]").expect("valid"),
                    read_tensor_spec("int64[4]").expect("valid"),
                ],
            ),
        ]);
        let written = write_spec(&nested);
        assert_eq!(
            written.to_string(),
            r#"[{"a'[":"bfloat16[...]","b":"uint8[?, ?, 3]"},[],"string[]",[null,"ragged","int32[?]","int64[4]"]]"#
        );
        assert_eq!(read_spec(&written), Ok(nested));
        for text in [
            "int64",
            "int64[",
            "int64[2,]",
            "int64[-1]",
            "int[]",
            "[]",
            "int64[2]]",
            "int64[99999999999999999999]",
        ] {
            assert!(read_tensor_spec(text).is_err(), "{text}");
        }
    }
}
