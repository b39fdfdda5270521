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
    let Some((place, _)) = TableKeys::of(keys, values).clash else { return Ok(()) };
    let key = match keys.strings() {
        Some(strings) => format!("'{}'", strings.get(place).escape_ascii()),
        None if keys.dtype() == DType::Int32 => keys.as_slice::<i32>()[place].to_string(),
        None => keys.as_slice::<i64>()[place].to_string(),
    };
    Err(PlanError::argument(format!("table_keys has {key} twice, with different values")))
}

/// The keys of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableKeys {
    /// How many different ones there are; as far as the clash, if there is one.
    pub num_keys: usize,
    /// The places of the first key that comes again with another value.
    pub clash: Option<(usize, usize)>,
}

impl TableKeys {
    /// Those of `keys`, of which each has one of `values`: tensors of one dimension and one length.
    pub fn of(keys: &Tensor, values: &Tensor) -> TableKeys {
        let bytes = || keys.as_column().buffer().map_or(&[][..], |buffer| buffer.as_bytes());
        match (keys.strings(), keys.dtype()) {
            (Some(strings), _) => TableKeys::among(strings.iter(), values),
            (None, DType::Int32) => TableKeys::among(keys.as_slice::<i32>().iter().copied(), values),
            (None, DType::Int64) => TableKeys::among(keys.as_slice::<i64>().iter().copied(), values),
            // Nothing is looked up in such tables; that is told where it is tried.
            (None, dtype) => TableKeys::among(bytes().chunks_exact(dtype.width().unwrap_or(1)), values),
        }
    }

    fn among<K: Copy + Eq + Hash>(keys: impl ExactSizeIterator<Item = K>, values: &Tensor) -> TableKeys {
        let values = values.slices();
        let value = |place: usize| values.as_ref().map(|values| values.slice(place..place + 1));
        let mut known: HashMap<K, usize> = HashMap::with_capacity(keys.len());
        for (place, key) in keys.enumerate() {
            match known.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(place);
                }
                Entry::Occupied(entry) if value(*entry.get()) == value(place) => {}
                Entry::Occupied(entry) => {
                    let clash = Some((*entry.get(), place));
                    return TableKeys { num_keys: known.len(), clash };
                }
            }
        }
        TableKeys { num_keys: known.len(), clash: None }
    }
}
