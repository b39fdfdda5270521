//! A list for each string: a tensor of one dimension where the row is a single string, else the parts of a ragged tensor.

use feedline_data::block::Column;

use super::super::Arguments;

/// The outputs of an operation that made `counts[i]` of `values`, each a row, of string number `i` of `source`: the values, and
/// where the rows of each dimension begin.
pub(super) fn lists(
    arguments: &Arguments<'_>,
    source: &Column,
    counts: &[usize],
    values: Column,
) -> Vec<Column> {
    let num_levels =
        arguments.call.input_specs()[0].shape.rank().expect("the plan knows the number of dimensions");
    let rows = source.rows();
    let ranges = (0..rows).map(|row| source.value_range(row..row + 1));
    let lengths: Vec<Vec<usize>> = ranges.map(|range| vec![counts[range].iter().sum()]).collect();
    let mut columns = vec![values.with_shapes(lengths)];
    for level in 0..num_levels {
        let (mut splits, mut shapes) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let first = splits.len();
            splits.push(0);
            let dims = source.shape(row);
            let mut end = 0;
            if level + 1 < num_levels {
                // All but the last dimension of the input are uniform.
                let num_rows: usize = dims[..=level].iter().product();
                splits.extend((1..=num_rows).map(|number| (number * dims[level + 1]) as i64));
            } else {
                splits.extend(counts[source.value_range(row..row + 1)].iter().map(|&count| {
                    end += count as i64;
                    end
                }));
            }
            shapes.push(vec![splits.len() - first]);
        }
        columns.push(Column::from_vec(vec![], splits.len(), splits).with_shapes(shapes));
    }
    columns
}
