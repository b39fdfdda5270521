//! Elements taken apart along their first dimension: plain tensors by slices, ragged and sparse ones by their parts. What [`super::stack`] puts
//! together comes apart as it was.

use std::ops::Range;

use feedline_data::block::{Column, Tensor};
use feedline_data::{Composite, ElementSpec, Structure, check_splits};

/// More slices than this one sparse tensor does not have: its shape says it in eight bytes, memory would have to hold them.
const MAX_SPARSE_SLICES: usize = 1 << 24;

/// How many slices an element has in all its tensors, or why it cannot be taken apart. What `slices_of` relies on is looked at here.
pub(crate) fn num_slices(spec: &ElementSpec, columns: &[Column], element: usize) -> Result<usize, String> {
    let mut agreed: Option<usize> = None;
    let mut rest = columns;
    each_tensor(spec, &mut |kind, num_parts| {
        let (own, others) = rest.split_at(num_parts);
        rest = others;
        let own = match kind {
            Some(Composite::Ragged) if num_parts > 1 => num_rows(own, element)?,
            Some(Composite::Sparse) => num_sparse(own, element)?,
            _ => own[0].shape(element).first().copied().ok_or("a scalar has no slices")?,
        };
        match agreed {
            Some(other) if other != own => {
                return Err(format!("the tensors of an element have {other} and {own} slices"));
            }
            _ => agreed = Some(own),
        }
        Ok(())
    })?;
    Ok(agreed.unwrap_or(0))
}

/// The slices of all elements, `total` of them, a column for each leaf of them.
pub(crate) fn slices_of(spec: &ElementSpec, columns: &[Column], total: usize) -> Vec<Column> {
    let mut slices = Vec::new();
    let mut rest = columns;
    let walked = each_tensor(spec, &mut |kind, num_parts| {
        let (own, others) = rest.split_at(num_parts);
        rest = others;
        match kind {
            Some(Composite::Ragged) if num_parts > 1 => slices.extend(rows_of(own)),
            Some(Composite::Sparse) => slices.extend(sparse_rows_of(own)),
            _ => slices.push(plain(&own[0], total)),
        }
        Ok(())
    });
    walked.expect("nothing in it fails");
    slices
}

/// Calls `visit` for each tensor with what it is kept as, and in how many parts.
fn each_tensor(
    spec: &ElementSpec,
    visit: &mut impl FnMut(Option<Composite>, usize) -> Result<(), String>,
) -> Result<(), String> {
    match spec {
        Structure::Leaf(_) => visit(None, 1),
        Structure::Tuple(parts) => parts.iter().try_for_each(|part| each_tensor(part, visit)),
        Structure::Dict(parts) => parts.values().try_for_each(|part| each_tensor(part, visit)),
        Structure::Composite(kind, parts) => visit(Some(*kind), parts.len()),
        Structure::Dataset(..) => Err("a dataset is not taken apart".into()),
    }
}

/// The slices of all rows along the first dimension.
fn plain(column: &Column, total: usize) -> Column {
    if let Some(shape) = column.common_shape() {
        let row_shape = shape[1..].to_vec();
        return column.clone().with_rows_of(total, row_shape);
    }
    let parts: Vec<Column> = (0..column.rows())
        .filter_map(|row| Tensor::of_row(column, row).slices())
        .filter(|part| part.rows() > 0)
        .collect();
    Column::concat(&parts)
}

fn ints(column: &Column, element: usize) -> &[i64] {
    &column.as_slice::<i64>()[column.value_range(element..element + 1)]
}

/// How many rows a ragged tensor has.
fn num_rows(parts: &[Column], element: usize) -> Result<usize, String> {
    let (values, levels) = (&parts[0], &parts[1..]);
    let Some(&count) = values.shape(element).first() else {
        return Err("a single value is in no rows".into());
    };
    if let Some(level) = levels.iter().find(|level| level.shape(element).len() != 1) {
        return Err(format!("row_splits have one dimension, not the shape {:?}", level.shape(element)));
    }
    for (number, level) in levels.iter().enumerate() {
        let inner =
            levels.get(number + 1).map_or(count, |inner| ints(inner, element).len().saturating_sub(1));
        check_splits(ints(level, element), inner)?;
    }
    Ok(ints(&levels[0], element).len() - 1)
}

/// The rows of all ragged tensors: values and splits of each, which begin at 0 again. All values are in a row, so they stay where they are.
fn rows_of(parts: &[Column]) -> Vec<Column> {
    let (values, levels) = (&parts[0], &parts[1..]);
    let mut value_shapes = Vec::new();
    let mut splits: Vec<(Vec<i64>, Vec<Vec<usize>>)> = vec![Default::default(); levels.len() - 1];
    for element in 0..values.rows() {
        for pair in ints(&levels[0], element).windows(2) {
            let mut rows: Range<usize> = pair[0] as usize..pair[1] as usize;
            for (level, (all, shapes)) in levels[1..].iter().zip(&mut splits) {
                let own = &ints(level, element)[rows.start..=rows.end];
                all.extend(own.iter().map(|split| split - own[0]));
                shapes.push(vec![own.len()]);
                rows = own[0] as usize..own[own.len() - 1] as usize;
            }
            let inner = &values.shape(element)[1..];
            value_shapes.push(std::iter::once(rows.len()).chain(inner.iter().copied()).collect());
        }
    }
    let levels =
        splits.into_iter().map(|(all, shapes)| Column::from_vec(vec![], all.len(), all).with_shapes(shapes));
    std::iter::once(values.clone().flat().with_shapes(value_shapes)).chain(levels).collect()
}

/// How many slices a sparse tensor has.
fn num_sparse(parts: &[Column], element: usize) -> Result<usize, String> {
    let shapes = [0, 1, 2].map(|part| parts[part].shape(element));
    let rank = match shapes {
        [&[count, width], &[num_values], &[rank]] if count == num_values && width == rank => rank,
        [indices, values, sizes] => {
            return Err(format!(
                "indices, values and dense_shape of the shapes {indices:?}, {values:?} and {sizes:?} do not fit together"
            ));
        }
    };
    let (indices, sizes) = (ints(&parts[0], element), ints(&parts[2], element));
    let Some(&outer) = sizes.first() else { return Err("a scalar has no slices".into()) };
    let count = usize::try_from(outer).ok().filter(|&count| count <= MAX_SPARSE_SLICES);
    let Some(count) = count else {
        return Err(format!(
            "a sparse tensor of shape {sizes:?} has no slices, or more than {MAX_SPARSE_SLICES}"
        ));
    };
    let mut last: Option<&[i64]> = None;
    for index in indices.chunks_exact(rank) {
        if index.iter().zip(sizes).any(|(at, size)| !(0..*size).contains(at)) {
            return Err(format!("index {index:?} is outside of the shape {sizes:?}"));
        }
        if last.is_some_and(|last| index < last) {
            return Err(format!("index {index:?} is not in order"));
        }
        last = Some(index);
    }
    Ok(count)
}

/// The slices of all sparse tensors. Values are in the order of the first dimension, so they stay where they are.
fn sparse_rows_of(parts: &[Column]) -> Vec<Column> {
    let (mut indices, mut index_shapes, mut value_shapes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sizes, mut size_shapes) = (Vec::new(), Vec::new());
    for element in 0..parts[1].rows() {
        let (own, dense_shape) = (ints(&parts[0], element), ints(&parts[2], element));
        let rank = dense_shape.len();
        let mut left = own.chunks_exact(rank).peekable();
        for slice in 0..dense_shape[0] {
            let mut count = 0;
            while let Some(index) = left.next_if(|index| index[0] == slice) {
                indices.extend_from_slice(&index[1..]);
                count += 1;
            }
            index_shapes.push(vec![count, rank - 1]);
            value_shapes.push(vec![count]);
            sizes.extend_from_slice(&dense_shape[1..]);
            size_shapes.push(vec![rank - 1]);
        }
    }
    vec![
        Column::from_vec(vec![], indices.len(), indices).with_shapes(index_shapes),
        parts[1].clone().flat().with_shapes(value_shapes),
        Column::from_vec(vec![], sizes.len(), sizes).with_shapes(size_shapes),
    ]
}
