//! Entries of first dimensions as rows of their own, and rows of results as entries again.

use feedline_data::block::Column;

use crate::eval::Arguments;

/// The entries of the rows of some columns, one after the other.
pub(super) struct Entries {
    /// How many each row has.
    pub(super) counts: Vec<usize>,
    /// Where those of each row begin.
    pub(super) starts: Vec<usize>,
    /// Of each column, a row an entry.
    pub(super) columns: Vec<Column>,
}

impl Entries {
    /// Those of the inputs `from..to`, which have as many in every row. Rows in which they have not fail.
    pub(super) fn of(arguments: &mut Arguments<'_>, inputs: std::ops::Range<usize>) -> Entries {
        let columns: Vec<Column> =
            arguments.inputs[inputs].iter().map(|value| value.to_rows(arguments.rows)).collect();
        let mut counts = Vec::with_capacity(arguments.rows);
        let mut kept = Vec::with_capacity(arguments.rows);
        for row in 0..arguments.rows {
            let firsts: Option<Vec<usize>> =
                columns.iter().map(|column| column.shape(row).first().copied()).collect();
            match firsts.as_deref() {
                Some([first, others @ ..]) if others.iter().all(|other| other == first) => {
                    counts.push(*first);
                    kept.push(row);
                }
                other => {
                    let reason = match other {
                        Some(firsts) => format!("elems have different numbers of entries: {firsts:?}"),
                        None => "elems has a scalar, which has no first dimension".to_owned(),
                    };
                    arguments.fail(row, &reason);
                    counts.push(0);
                }
            }
        }
        let columns = columns.iter().map(|column| flattened(&column.gather(&kept))).collect();
        let starts = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end - count)
        });
        Entries { starts: starts.collect(), counts, columns }
    }

    /// The row each entry belongs to.
    pub(super) fn owners(&self) -> Vec<usize> {
        let rows = self.counts.iter().enumerate();
        rows.flat_map(|(row, &count)| std::iter::repeat_n(row, count)).collect()
    }
}

/// The entries of the first dimension of each row as rows.
fn flattened(column: &Column) -> Column {
    if let Some(shape) = column.common_shape() {
        // Where all rows were scalars none is left, and there is no dimension to take away.
        let (count, inner) =
            shape.split_first().map_or((0, vec![]), |(count, inner)| (*count, inner.to_vec()));
        return column.clone().with_rows_of(column.rows() * count, inner);
    }
    let shapes = (0..column.rows()).flat_map(|row| {
        let shape = column.shape(row);
        std::iter::repeat_n(shape[1..].to_vec(), shape[0])
    });
    let shapes: Vec<Vec<usize>> = shapes.collect();
    column.clone().flat().with_shapes(shapes)
}

/// Rows of `entries`, as many in each row as `counts` says, as the first dimension of these. Where those of a row differ in shape, it fails. A row
/// without any has the dimensions that `empty` gives behind its 0.
pub(super) fn stacked(
    arguments: &mut Arguments<'_>,
    entries: &Column,
    counts: &[usize],
    empty: impl Fn(usize) -> Vec<usize>,
) -> Column {
    let mut shapes = Vec::with_capacity(counts.len());
    let mut at = 0;
    for (row, &count) in counts.iter().enumerate() {
        if count == 0 {
            shapes.push(std::iter::once(0).chain(empty(row)).collect());
            continue;
        }
        let first = entries.shape(at);
        let other = (at..at + count).find(|&other| entries.shape(other) != first);
        shapes.push(match other {
            None => std::iter::once(count).chain(first.iter().copied()).collect(),
            Some(other) => {
                let (index, shape) = (other - at, entries.shape(other));
                arguments.fail(
                    row,
                    &format!(
                        "the result of entry {index} has shape {shape:?}, that of entry 0 has {first:?}"
                    ),
                );
                vec![entries.value_range(at..at + count).len()]
            }
        });
        at += count;
    }
    entries.clone().flat().with_shapes(shapes)
}
