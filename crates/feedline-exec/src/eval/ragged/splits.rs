//! Where rows begin: looked at before they are believed.

use feedline_data::check_splits;

use super::super::rows::RowsOf;

/// The splits of row `row`, level by level, checked against each other and the number of values.
pub(super) fn nested<'a>(
    levels: &[RowsOf<'a>],
    values: &RowsOf<'_>,
    row: usize,
) -> Result<Vec<&'a [i64]>, String> {
    let splits: Vec<&[i64]> =
        levels.iter().map(|level| &level.column().as_slice::<i64>()[level.range(row)]).collect();
    if let Some(level) = levels.iter().find(|level| level.shape(row).len() != 1) {
        return Err(format!("row_splits have one dimension, not the shape {:?}", level.shape(row)));
    }
    let Some(&count) = values.shape(row).first() else { return Err("a single value is in no rows".into()) };
    for (level, own) in splits.iter().enumerate() {
        let inner = splits.get(level + 1).map_or(count, |inner| inner.len().saturating_sub(1));
        check_splits(own, inner)?;
    }
    Ok(splits)
}
