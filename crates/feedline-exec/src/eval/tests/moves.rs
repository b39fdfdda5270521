//! What moves or reduces values, against a definition that goes by one index at a time, over rows of any shape.

use feedline_data::block::{Column, Tensor};
use feedline_data::{DType, Shape};
use feedline_plan::expr::{Attribute, Slice};
use feedline_plan::{Symbolic, ops};
use proptest::prelude::*;

use super::{column_of, run, scalars, values};

/// Numbers counted on from `start`, in that shape.
fn counted(shape: &[usize], start: i32) -> Tensor {
    let count = shape.iter().product::<usize>() as i32;
    Tensor::from_vec(shape.to_vec(), (start..start + count).collect())
}

/// The value at `index`.
fn at(tensor: &Tensor, index: &[usize]) -> i32 {
    let place = tensor.shape().iter().zip(index).fold(0, |place, (dim, index)| place * dim + index);
    tensor.as_slice::<i32>()[place]
}

/// A tensor by its definition: a value for each index.
fn defined(shape: &[usize], value: impl Fn(&[usize]) -> i32) -> Tensor {
    let count: usize = shape.iter().product();
    let index = |place: usize| {
        let mut rest = place;
        let mut index: Vec<usize> = shape
            .iter()
            .rev()
            .map(|&dim| {
                let at = rest % dim;
                rest /= dim;
                at
            })
            .collect();
        index.reverse();
        index
    };
    Tensor::from_vec(shape.to_vec(), (0..count).map(|place| value(&index(place))).collect())
}

/// Rows of rank 3, of one shape or of several.
fn rows() -> impl Strategy<Value = Vec<Tensor>> {
    let shape = || prop::collection::vec(0_usize..4, 3);
    let same = (shape(), 1_usize..4).prop_map(|(shape, rows)| vec![shape; rows]);
    let each = prop::collection::vec(shape(), 1..4);
    prop_oneof![same, each].prop_map(|shapes| {
        shapes.iter().enumerate().map(|(row, shape)| counted(shape, 100 * row as i32)).collect()
    })
}

fn column(rows: &[Tensor]) -> Column {
    column_of(&rows.iter().collect::<Vec<_>>())
}

fn found(results: Vec<Result<Tensor, String>>) -> Vec<Tensor> {
    results.into_iter().map(|result| result.expect("no error")).collect()
}

proptest! {
    #[test]
    fn transposes(rows in rows(), perm in Just(vec![0_i64, 1, 2]).prop_shuffle()) {
        let results = found(run(vec![column(&rows)], |x| ops::transpose(x.at(0), perm.clone())));
        for (row, result) in rows.iter().zip(results) {
            let shape: Vec<usize> = perm.iter().map(|&axis| row.shape()[axis as usize]).collect();
            let expected = defined(&shape, |index| {
                let mut source = [0; 3];
                perm.iter().zip(index).for_each(|(&axis, &place)| source[axis as usize] = place);
                at(row, &source)
            });
            prop_assert_eq!(result, expected);
        }
    }

    #[test]
    fn slices(rows in rows(), begin in -4_i64..4, step in prop_oneof![-2_i64..0, 1_i64..3]) {
        let cut = Slice::Range { begin: Some(begin), end: None, step };
        let results = found(run(vec![column(&rows)], |x| x.at(0).slice((.., Slice::NewAxis, cut))));
        for (row, result) in rows.iter().zip(results) {
            let dim = row.shape()[1] as i64;
            // Walk from where Python begins until there is no more.
            let resolved = if begin < 0 { begin + dim } else { begin };
            let mut place = if step > 0 { resolved.max(0) } else { resolved.min(dim - 1) };
            let mut places = Vec::new();
            while (0..dim).contains(&place) {
                places.push(place as usize);
                place += step;
            }
            let shape = [row.shape()[0], 1, places.len(), row.shape()[2]];
            let expected = defined(&shape, |index| at(row, &[index[0], places[index[2]], index[3]]));
            prop_assert_eq!(result, expected);
        }
    }

    #[test]
    fn joins(rows in rows(), axis in 0_usize..3) {
        let doubled: Vec<Tensor> = rows
            .iter()
            .map(|row| {
                let mut shape = row.shape().to_vec();
                shape[axis] *= 2;
                counted(&shape, 1000)
            })
            .collect();
        let columns = vec![column(&rows), column(&doubled)];
        let joined = found(run(columns, |x| ops::concat([x.at(0), x.at(1)], axis as i64)));
        let stacked = found(run(vec![column(&rows)], |x| ops::stack([x.at(0), -x.at(0)], axis as i64)));
        for (index, (row, other)) in rows.iter().zip(&doubled).enumerate() {
            let mut shape = row.shape().to_vec();
            let own = shape[axis];
            shape[axis] = own * 3;
            let expected = defined(&shape, |place| {
                let mut source = place.to_vec();
                if place[axis] < own {
                    return at(row, &source);
                }
                source[axis] -= own;
                at(other, &source)
            });
            prop_assert_eq!(&joined[index], &expected);
            let mut shape = row.shape().to_vec();
            shape.insert(axis, 2);
            let expected = defined(&shape, |place| {
                let mut source = place.to_vec();
                let sign = if source.remove(axis) == 0 { 1 } else { -1 };
                sign * at(row, &source)
            });
            prop_assert_eq!(&stacked[index], &expected);
        }
    }

    #[test]
    fn picks(rows in rows(), axis in 0_usize..3, indices in prop::collection::vec(0_i32..3, 0..4)) {
        let results = run(vec![column(&rows)], |x| {
            let indices = Tensor::from_vec(vec![indices.len()], indices.clone());
            // Of literals the plan refuses those that no row has.
            ops::gather(x.at(0), ops::maximum(indices, 0), axis as i64)
        });
        for (row, result) in rows.iter().zip(results) {
            let size = row.shape()[axis];
            let Some(bad) = indices.iter().position(|&index| index as usize >= size) else {
                let mut shape = row.shape().to_vec();
                shape[axis] = indices.len();
                let expected = defined(&shape, |place| {
                    let mut source = place.to_vec();
                    source[axis] = indices[place[axis]] as usize;
                    at(row, &source)
                });
                prop_assert_eq!(result, Ok(expected));
                continue;
            };
            let message = format!("gather: indices[{bad}] = {} is not in [0, {size})", indices[bad]);
            prop_assert_eq!(result, Err(message));
        }
    }

    #[test]
    fn reduces(rows in rows(), mask in prop::collection::vec(any::<bool>(), 3), keeps in any::<bool>()) {
        let axes: Vec<i64> = (0..3).filter(|&axis| mask[axis as usize]).collect();
        let sums = found(run(vec![column(&rows)], |x| ops::reduce_sum(x.at(0), axes.clone(), keeps)));
        let most = found(run(vec![column(&rows)], |x| ops::reduce_max(x.at(0), axes.clone(), keeps)));
        for (index, row) in rows.iter().enumerate() {
            // Every value into the place its index has without the dimensions that go.
            let kept: Vec<usize> = (0..3).map(|dim| if mask[dim] { 1 } else { row.shape()[dim] }).collect();
            let mut sum = vec![0; kept.iter().product()];
            let mut max = vec![i32::MIN; sum.len()];
            for place in 0..row.num_values() {
                let (mut rest, mut target, mut step) = (place, 0, 1);
                for dim in (0..3).rev() {
                    let at = rest % row.shape()[dim];
                    rest /= row.shape()[dim];
                    target += if mask[dim] { 0 } else { at * step };
                    step *= kept[dim];
                }
                let value = row.as_slice::<i32>()[place];
                sum[target] += value;
                max[target] = max[target].max(value);
            }
            let shape: Vec<usize> = (0..3).filter(|&dim| keeps || !mask[dim]).map(|dim| kept[dim]).collect();
            prop_assert_eq!(&sums[index], &Tensor::from_vec(shape.clone(), sum));
            prop_assert_eq!(&most[index], &Tensor::from_vec(shape, max));
        }
    }

    #[test]
    fn chooses(rows in rows()) {
        let results = found(run(vec![column(&rows)], |x| {
            ops::where_((x.at(0) % 3).eq(0), x.at(0), ops::reduce_sum(x.at(0), vec![2], true))
        }));
        for (row, result) in rows.iter().zip(results) {
            let expected = defined(row.shape(), |place| {
                let value = at(row, place);
                let line = (0..row.shape()[2]).map(|last| at(row, &[place[0], place[1], last]));
                if value % 3 == 0 { value } else { line.sum() }
            });
            prop_assert_eq!(result, expected);
        }
    }

    #[test]
    fn sums_are_what_exact_arithmetic_rounds_to(values in prop::collection::vec(-1e3_f32..1e3, 0..1000)) {
        let column = Column::from_vec(vec![values.len()], 1, values.clone());
        let results = run(vec![column], |x| ops::reduce_sum(x.at(0), Attribute::None, false));
        let exact: f64 = values.iter().copied().map(f64::from).sum();
        let size: f64 = values.iter().map(|value| f64::from(value.abs())).sum();
        let sum = results[0].as_ref().expect("no error").as_slice::<f32>()[0];
        // A pairwise sum's error grows with the logarithm of the count: ten roundings, and those of the lanes.
        prop_assert!((f64::from(sum) - exact).abs() <= size * 32.0 * f64::from(f32::EPSILON), "{sum} for {exact}");
    }
}

#[test]
fn rows_that_fail_leave_the_others_alone() {
    let lists = [counted(&[2], 0), counted(&[0], 0), counted(&[3], 10)];
    let third = run(vec![column(&lists)], |x| x.at(0).index(2) * 2);
    assert_eq!(third[0], Err("strided_slice: index 2 is out of bounds for a dimension of size 2".into()));
    assert!(third[1].is_err());
    assert_eq!(third[2], Ok(Tensor::scalar(24)));
    // What failed goes on through later kernels, with whatever stands in its place.
    let both = run(vec![column(&lists)], |x| {
        let cut = ops::stack([x.at(0).index(0), x.at(0).index(1)], 0);
        ops::reduce_sum(ops::expand_dims(cut, 0), vec![0_i64, 1], false) + 1
    });
    assert_eq!(both, [Ok(Tensor::scalar(2)), both[1].clone(), Ok(Tensor::scalar(22))]);
    assert!(both[1].is_err());
    let misfits =
        run(vec![column(&lists), column(&[counted(&[2], 0), counted(&[1], 0), counted(&[3], 0)])], |x| {
            ops::stack([x.at(0), x.at(1)], 0)
        });
    assert_eq!(misfits[1], Err("stack: value 1 has shape [1], value 0 has [0]".into()));
    assert!(misfits[0].is_ok() && misfits[2].is_ok());
}

#[test]
fn constants_fail_every_row_or_none() {
    let params = Tensor::from_vec(vec![2], vec![5_i32, 6]);
    let row = || vec![scalars(&[0_u8; 2])];
    // A sum, which the plan does not know: literals it refuses.
    let results = run(row(), |_| ops::gather(params.clone(), Symbolic::from(Tensor::scalar(3_i32)) + 4, 0));
    assert_eq!(results[0], Err("gather: indices = 7 is not in [0, 2)".into()));
    assert_eq!(results[0], results[1]);
    let picked = run(row(), |_| ops::gather(params.clone(), 1, 0));
    assert_eq!(values::<i32>(&picked), [6, 6]);
}

#[test]
fn what_moves_nothing_copies_nothing() {
    let images = Column::from_vec(vec![1, 2, 3], 2, (0..12_u8).collect::<Vec<_>>());
    let place = images.buffer().map(|buffer| buffer.as_bytes().as_ptr());
    for (name, function) in [
        ("squeeze", (|x| ops::squeeze(x, Attribute::None)) as fn(Symbolic) -> Symbolic),
        ("expand_dims", |x| ops::expand_dims(x, -1)),
        ("slice", |x| x.slice((.., .., ..))),
        ("transpose", |x| ops::transpose(x, vec![1_i64, 0, 2])),
    ] {
        let results = run(vec![images.clone()], |x| function(x.at(0)));
        let first = results[0].as_ref().expect("no error").as_column();
        assert_eq!(first.buffer().map(|buffer| buffer.as_bytes().as_ptr()), place, "{name}");
    }
}

#[test]
fn numbers_beside_conditions_and_indices_keep_their_type() {
    let column = || vec![scalars(&[1.5_f32, -2.0])];
    assert_eq!(values::<f32>(&run(column(), |x| ops::where_(x.at(0).gt(0), x.at(0), 0))), [1.5, 0.0]);
    let flags = run(column(), |x| ops::where_(x.at(0).gt(0), 1, 0));
    assert_eq!(values::<i32>(&flags), [1, 0]);
    let both = run(column(), |x| x.at(0).gt(-3) & (x.at(0).lt(0) | x.at(0).eq(7)));
    assert_eq!(values::<u8>(&both), [0, 1]);
    let clipped = run(column(), |x| ops::clip_by_value(x.at(0), -1, 1));
    assert_eq!(values::<f32>(&clipped), [1.0, -1.0]);
    assert_eq!(values::<f32>(&run(column(), |x| x.at(0).pow(2))), [2.25, 4.0]);
    let cases: [(Symbolic, &str); 4] = [
        (ops::one_hot(1, 3, 1.5, 0, -1, DType::Int32), "beside a tensor of int32"),
        (ops::where_(1, 1, 0), "the condition is made of bools, not of int32"),
        (ops::reshape(ops::where_(true, 1, 0), Shape::fixed(&[2])), "cannot have shape [2]"),
        (
            ops::stack([Symbolic::from(1), Symbolic::from("a")], 0),
            "stack: the number 1 beside a tensor of string",
        ),
    ];
    for (value, expected) in cases {
        let message = value.to_structure().expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    }
}

/// Values of `tf.gather` (2.21).
#[test]
fn picks_in_batches() {
    let params = Tensor::from_vec(vec![2, 3, 4], (0..24_i32).collect());
    let indices = Tensor::from_vec(vec![2, 2], vec![0_i32, 2, 1, 1]);
    let picked = |axis: Option<i64>, batch_dims: i64| {
        let (params, indices) = (params.clone(), indices.clone());
        let row = Column::from_vec(vec![], 1, vec![0_i64]);
        let mut results = run(vec![row], move |_| {
            ops::batch_gather(Symbolic::from(params), Symbolic::from(indices), axis, batch_dims)
        });
        results.remove(0).map(|tensor| (tensor.shape().to_vec(), tensor.as_slice::<i32>().to_vec()))
    };
    let rows = vec![0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 16, 17, 18, 19];
    assert_eq!(picked(None, 1), Ok((vec![2, 2, 4], rows)));
    let columns = vec![0, 2, 4, 6, 8, 10, 13, 13, 17, 17, 21, 21];
    assert_eq!(picked(Some(2), 1), Ok((vec![2, 3, 2], columns)));
}
