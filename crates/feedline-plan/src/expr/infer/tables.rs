//! Operations of tables.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use feedline_data::block::Tensor;
use feedline_data::{DType, Shape, TensorSpec};

use super::literals::constant;
use super::types_differ;
use crate::expr::{Call, Expr, ExprKind};
use crate::{PlanError, Result};

pub(in crate::expr) fn find(call: &Call) -> Result<Vec<TensorSpec>> {
    let values = table(call)?;
    let default = call.inputs[3].spec();
    if default.dtype != values {
        return Err(types_differ(values, default.dtype));
    }
    if default.shape != Shape::scalar() {
        return Err(PlanError::spec(format!("default_value is one value, not of shape {}", default.shape))
            .with_hint("where it is one, and the plan does not know it: ensure_shape(…, [])"));
    }
    Ok(vec![TensorSpec { dtype: values, ..call.inputs[0].spec().clone() }])
}

pub(in crate::expr) fn find_or_hash(call: &Call) -> Result<Vec<TensorSpec>> {
    let values = table(call)?;
    if values != DType::Int64 {
        return Err(PlanError::spec(format!(
            "table_values are the numbers of the keys, int64, not {values}"
        )));
    }
    let buckets = call.int("num_oov_buckets");
    if buckets < 1 {
        return Err(PlanError::argument(format!("num_oov_buckets is at least 1, not {buckets}"))
            .with_hint("find gives one number for all keys that are not in the table"));
    }
    Ok(vec![TensorSpec { dtype: values, ..call.inputs[0].spec().clone() }])
}

/// The type of the values of a table that the keys can be looked up in.
fn table(call: &Call) -> Result<DType> {
    let [keys, table_keys, table_values, ..] = &call.inputs[..] else { unreachable!("it has three tensors") };
    if !matches!(keys.spec().dtype, DType::String | DType::Int32 | DType::Int64) {
        return Err(PlanError::spec(format!("keys are strings, int32 or int64, not {}", keys.spec().dtype)));
    }
    if keys.spec().dtype != table_keys.spec().dtype {
        return Err(types_differ(table_keys.spec().dtype, keys.spec().dtype));
    }
    for (name, part) in [("table_keys", table_keys), ("table_values", table_values)] {
        if !matches!(part.node().kind, ExprKind::Constant(_)) {
            return Err(PlanError::spec(format!("{name} have to be known when the plan is built")));
        }
    }
    let (one, two) = (&table_keys.spec().shape, &table_values.spec().shape);
    if one.rank() != Some(1) || one != two {
        return Err(PlanError::spec(format!(
            "table_keys and table_values are lists of one length, not {one} and {two}"
        )));
    }
    if one.dims().is_some_and(|dims| dims[0].is_some_and(|num_keys| num_keys >= u32::MAX as usize)) {
        return Err(PlanError::argument(format!("table_keys of shape {one} are too many")));
    }
    check_keys(table_keys, table_values)?;
    Ok(table_values.spec().dtype)
}

/// Refuses a key that is in the table twice, with different values.
fn check_keys(keys: &Expr, values: &Expr) -> Result<()> {
    let (Some(keys), Some(values)) = (constant(keys), constant(values)) else { return Ok(()) };
    let twice = match keys.dtype() {
        DType::Int32 => twice(keys.as_slice::<i32>().iter().copied(), values).map(|key| key.to_string()),
        DType::Int64 => twice(keys.as_slice::<i64>().iter().copied(), values).map(|key| key.to_string()),
        _ => keys
            .strings()
            .and_then(|keys| twice(keys.iter(), values))
            .map(|key| format!("'{}'", key.escape_ascii())),
    };
    twice.map_or(Ok(()), |key| {
        Err(PlanError::argument(format!("table_keys has {key} twice, with different values")))
    })
}

/// The first of `keys` that comes again with another of `values`.
fn twice<K: Copy + Eq + Hash>(keys: impl ExactSizeIterator<Item = K>, values: &Tensor) -> Option<K> {
    let values = values.slices()?;
    let value = |place: usize| values.slice(place..place + 1);
    let mut known: HashMap<K, usize> = HashMap::with_capacity(keys.len());
    for (place, key) in keys.enumerate() {
        match known.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(place);
            }
            Entry::Occupied(entry) if value(*entry.get()) == value(place) => {}
            Entry::Occupied(_) => return Some(key),
        }
    }
    None
}
