//! Tables of `lookup.py`, looked at before they are part of a plan.

use feedline::plan::expr::TableKeys;
use pyo3::prelude::*;

use crate::tensors;
use crate::waiting::wait_for;

/// How many different keys there are, and the places of the first that comes again with another value.
#[pyfunction]
pub(crate) fn keys_of_table(
    keys: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
) -> PyResult<(usize, Option<(usize, usize)>)> {
    let (py, keys, values) =
        (keys.py(), tensors::from_python(keys, false)?, tensors::from_python(values, false)?);
    let found = wait_for(py, move || TableKeys::of(&keys, &values), |_| Ok(()))?;
    Ok((found.num_keys, found.clash))
}
