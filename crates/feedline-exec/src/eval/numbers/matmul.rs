//! Products of matrices. Sums are taken in the order of the summed dimension.

use feedline_data::block::Column;
use feedline_plan::expr::broadcast_shapes;

use super::Summed;
use crate::eval::arithmetic::Number;
use crate::eval::elementwise::dispatch;
use crate::eval::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use crate::eval::walk::{Walk, broadcast_strides};
use crate::eval::{Arguments, Value};

/// How the matrices of a row lie.
struct Product {
    shape: Vec<usize>,
    /// The dimensions before the matrices, and how far each input goes in them.
    outer: Walk<2>,
    rows: usize,
    inner: usize,
    columns: usize,
    /// How far a row and a column of each input are apart.
    left: [usize; 2],
    right: [usize; 2],
}

pub(super) fn matmul(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let turned = ["transpose_a", "transpose_b"].map(|name| arguments.call.flag(name));
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| product(shapes[0], shapes[1], turned));
        let dtype = arguments.inputs[0].dtype();
        let values = dispatch!(numbers dtype, T => products::<T>(arguments, &plans));
        vec![plans.shaped(values, arguments.rows, |product| &product.shape)]
    })
}

fn product(a: &[usize], b: &[usize], turned: [bool; 2]) -> Result<Product, String> {
    let ([outer_a @ .., rows_a, columns_a], [outer_b @ .., rows_b, columns_b]) = (a, b) else {
        return Err(format!("matrices have two dimensions or more, not the shapes {a:?} and {b:?}"));
    };
    let (mut left, mut right) = ([*columns_a, 1], [*columns_b, 1]);
    let (mut rows, mut inner) = (*rows_a, *columns_a);
    if turned[0] {
        left.reverse();
        (rows, inner) = (inner, rows);
    }
    let (mut inner_b, mut columns) = (*rows_b, *columns_b);
    if turned[1] {
        right.reverse();
        (inner_b, columns) = (columns, inner_b);
    }
    if inner != inner_b {
        return Err(format!(
            "shapes {a:?} and {b:?}: the first has {inner} columns, the second {inner_b} rows"
        ));
    }
    let outer = broadcast_shapes(outer_a, outer_b)
        .ok_or_else(|| format!("shapes {a:?} and {b:?} do not fit together before the matrices"))?;
    let steps = |dims: &[usize], size: usize| -> Vec<isize> {
        broadcast_strides(dims, outer.len()).into_iter().map(|step| step * size as isize).collect()
    };
    let (steps_a, steps_b) = (steps(outer_a, rows_a * columns_a), steps(outer_b, rows_b * columns_b));
    Ok(Product {
        shape: [&outer[..], &[rows, columns]].concat(),
        outer: Walk::new(&outer, [&steps_a, &steps_b]),
        rows,
        inner,
        columns,
        left,
        right,
    })
}

fn products<T: Summed>(arguments: &Arguments<'_>, plans: &Plans<Product>) -> Column {
    let inputs = [RowsOf::new(arguments.inputs[0]), RowsOf::new(arguments.inputs[1])];
    let (a, b) = (inputs[0].column().as_slice::<T>(), inputs[1].column().as_slice::<T>());
    let mut results: Vec<T> = Vec::new();
    for row in 0..arguments.rows {
        let Some(product) = plans.get(row).filter(|product| !product.shape.contains(&0)) else { continue };
        let mut sums = vec![T::ZERO; product.columns];
        product.outer.for_each(inputs.map(|of| of.range(row).start), &mut |[start_a, start_b]| {
            for i in 0..product.rows {
                sums.fill(T::ZERO);
                for k in 0..product.inner {
                    let left = a[start_a + i * product.left[0] + k * product.left[1]].to_sum();
                    let first = start_b + k * product.right[0];
                    if product.right[1] == 1 {
                        // Side by side: this is the loop that vectorizes.
                        for (sum, value) in sums.iter_mut().zip(&b[first..first + product.columns]) {
                            *sum = sum.plus(left.times(value.to_sum()));
                        }
                    } else {
                        for (j, sum) in sums.iter_mut().enumerate() {
                            *sum = sum.plus(left.times(b[first + j * product.right[1]].to_sum()));
                        }
                    }
                }
                results.extend(sums.iter().map(|&sum| T::of_sum(sum)));
            }
        });
    }
    Column::from_vec(vec![], results.len(), results)
}
