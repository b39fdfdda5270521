//! Elements put together to batches: plain tensors side by side, ragged and sparse ones by their parts.

use feedline_data::block::Column;
use feedline_data::{Composite, ElementSpec, Structure};

/// What a column is of its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    /// A tensor.
    Plain,
    /// A part of one, which may have any number of entries.
    Part,
}

/// What each leaf is.
pub(crate) fn leaf_kinds(spec: &ElementSpec) -> Vec<LeafKind> {
    match spec {
        Structure::Leaf(_) => vec![LeafKind::Plain],
        Structure::Tuple(parts) => parts.iter().flat_map(leaf_kinds).collect(),
        Structure::Dict(parts) => parts.values().flat_map(leaf_kinds).collect(),
        Structure::Composite(_, parts) | Structure::Dataset(_, parts) => vec![LeafKind::Part; parts.len()],
    }
}

/// Whether two rows of such a leaf can be in one batch.
pub(crate) fn fits(kind: LeafKind, one: &[usize], other: &[usize]) -> bool {
    match kind {
        LeafKind::Plain => one == other,
        LeafKind::Part => one.len() == other.len() && one.get(1..) == other.get(1..),
    }
}

/// The columns of `batches` batches of `size` elements each, of elements of spec `spec`; `None` if some do not fit together.
pub(crate) fn stack(
    spec: &ElementSpec,
    columns: &[Column],
    batches: usize,
    size: usize,
) -> Option<Vec<Column>> {
    let mut stacked = Vec::with_capacity(columns.len());
    let mut rest = columns;
    add(spec, &mut rest, batches, size, &mut stacked)?;
    Some(stacked)
}

fn add(
    spec: &ElementSpec,
    rest: &mut &[Column],
    batches: usize,
    size: usize,
    stacked: &mut Vec<Column>,
) -> Option<()> {
    match spec {
        Structure::Leaf(_) => {
            let (column, others) = rest.split_first()?;
            *rest = others;
            stacked.push(plain(column, batches, size)?);
        }
        Structure::Tuple(parts) => {
            parts.iter().try_for_each(|part| add(part, rest, batches, size, stacked))?;
        }
        Structure::Dict(parts) => {
            parts.values().try_for_each(|part| add(part, rest, batches, size, stacked))?;
        }
        // Plans refuse to make batches of datasets.
        Structure::Dataset(..) => return None,
        Structure::Composite(kind, parts) => {
            let (own, others) = rest.split_at_checked(parts.len())?;
            *rest = others;
            stacked.extend(match kind {
                Composite::Ragged => ragged(own, batches, size)?,
                Composite::Sparse => sparse(own, batches, size)?,
            });
        }
    }
    Some(())
}

/// `batches` rows of `size` rows each, sharing the memory; `None` if the rows differ in shape.
fn plain(column: &Column, batches: usize, size: usize) -> Option<Column> {
    let shape = column.common_shape()?;
    let shape = std::iter::once(size).chain(shape.iter().copied()).collect();
    Some(column.clone().with_rows_of(batches, shape))
}

/// The shape of the first row, or of those there would be.
fn first_shape(column: &Column) -> Option<&[usize]> {
    if column.rows() == 0 { column.common_shape() } else { Some(column.shape(0)) }
}

/// The entries of all elements of each batch as one list, sharing the memory; `None` if entries differ in shape.
fn joined(column: &Column, batches: usize, size: usize) -> Option<Column> {
    let inner = first_shape(column)?.get(1..)?;
    if !(0..column.rows()).all(|row| column.shape(row).get(1..) == Some(inner)) {
        return None;
    }
    let shape = |batch: usize| {
        let rows = batch * size..(batch + 1) * size;
        let count = rows.map(|row| column.shape(row)[0]).sum();
        std::iter::once(count).chain(inner.iter().copied()).collect()
    };
    Some(column.clone().flat().with_shapes((0..batches).map(shape).collect()))
}

/// The values one behind the other; where the elements begin, in a part of its own; and the splits of each, moved on by what
/// is before them.
fn ragged(parts: &[Column], batches: usize, size: usize) -> Option<Vec<Column>> {
    let mut stacked = vec![joined(&parts[0], batches, size)?];
    let (mut outer, mut shapes) = (Vec::with_capacity(batches * (size + 1)), Vec::with_capacity(batches));
    for batch in 0..batches {
        let mut end = 0_i64;
        outer.push(0);
        for row in batch * size..(batch + 1) * size {
            // Of rows that are plain tensors the values are what is counted, else what the splits are of.
            end += match parts.get(1) {
                Some(splits) => *splits.shape(row).first()? as i64 - 1,
                None => *parts[0].shape(row).first()? as i64,
            };
            outer.push(end);
        }
        shapes.push(vec![size + 1]);
    }
    stacked.push(Column::from_vec(vec![], outer.len(), outer).with_shapes(shapes));
    for level in &parts[1..] {
        let splits = level.as_slice::<i64>();
        let (mut all, mut shapes) = (Vec::with_capacity(splits.len()), Vec::with_capacity(batches));
        for batch in 0..batches {
            let first = all.len();
            all.push(0_i64);
            for row in batch * size..(batch + 1) * size {
                let own = &splits[level.value_range(row..row + 1)];
                let before = all[all.len() - 1];
                all.extend(own.iter().skip(1).map(|split| before.wrapping_add(*split)));
            }
            shapes.push(vec![all.len() - first]);
        }
        stacked.push(Column::from_vec(vec![], all.len(), all).with_shapes(shapes));
    }
    Some(stacked)
}

/// The values one behind the other, each index with the number of its element in front, and the largest shape.
fn sparse(parts: &[Column], batches: usize, size: usize) -> Option<Vec<Column>> {
    let rank = *first_shape(&parts[2])?.first()?;
    let fits = |row: usize| parts[2].shape(row) == [rank] && parts[0].shape(row).get(1..) == Some(&[rank]);
    if !(0..parts[2].rows()).all(fits) {
        return None;
    }
    let (indices, sizes) = (parts[0].as_slice::<i64>(), parts[2].as_slice::<i64>());
    let (mut all, mut shapes, mut dense) = (Vec::new(), Vec::with_capacity(batches), Vec::new());
    for batch in 0..batches {
        let (first, first_size) = (all.len(), dense.len());
        dense.push(size as i64);
        dense.resize(first_size + 1 + rank, 0);
        for row in 0..size {
            let own = batch * size + row;
            for index in 0..parts[0].shape(own)[0] {
                let start = parts[0].value_range(own..own + 1).start + index * rank;
                all.push(row as i64);
                all.extend_from_slice(&indices[start..start + rank]);
            }
            for (largest, &size) in
                dense[first_size + 1..].iter_mut().zip(&sizes[own * rank..(own + 1) * rank])
            {
                *largest = size.max(*largest);
            }
        }
        shapes.push(vec![(all.len() - first) / (rank + 1), rank + 1]);
    }
    Some(vec![
        Column::from_vec(vec![], all.len(), all).with_shapes(shapes),
        joined(&parts[1], batches, size)?,
        Column::from_vec(vec![rank + 1], batches, dense),
    ])
}
