//! Many values become one: sums, means, extremes, products, any and all.
//!
//! The order in which floats are added follows from the number of values alone, never from blocks or threads: in lanes
//! of eight, lanes in pairs, and runs of 128 in pairs again. That is also what keeps long float32 sums accurate.

use std::ops::Add;

use feedline_data::block::Column;
use feedline_data::{DType, Native};
use feedline_plan::expr::axes_mask;
use half::{bf16, f16};

use super::arithmetic::Number;
use super::elementwise::dispatch;
use super::moves::View;
use super::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use super::view::copy_views;
use super::{Arguments, Value};

/// What is reduced in a row.
struct Reduction {
    shape: Vec<usize>,
    /// The row with the dimensions that go behind those that stay.
    view: View,
    /// Results, and the values each is made of.
    num_results: usize,
    num_values: usize,
}

/// What every number type can be reduced by.
trait Reducible: Number {
    const LOWEST: Self;
    const HIGHEST: Self;
    fn sum(values: &[Self]) -> Self;
    fn mean(values: &[Self]) -> Self;
    fn product(values: &[Self]) -> Self;
}

macro_rules! integers {
    ($($rust:ty: $wide:ty),*) => {$(
        impl Reducible for $rust {
            const LOWEST: $rust = <$rust>::MIN;
            const HIGHEST: $rust = <$rust>::MAX;
            fn sum(values: &[$rust]) -> $rust {
                values.iter().fold(0, |sum, &value| sum.wrapping_add(value))
            }
            // The sum has 64 bits, whatever the type; the quotient is cut towards zero.
            fn mean(values: &[$rust]) -> $rust {
                let sum = values.iter().fold(0, |sum: $wide, &value| sum.wrapping_add(<$wide>::from(value)));
                sum.checked_div(values.len() as $wide).unwrap_or(0) as $rust
            }
            fn product(values: &[$rust]) -> $rust {
                values.iter().fold(1, |product, &value| product.wrapping_mul(value))
            }
        }
    )*};
}

integers!(i8: i64, i16: i64, i32: i64, i64: i64, u8: u64, u16: u64, u32: u64, u64: u64);

macro_rules! floats {
    ($($rust:ty: $wide:ty, $widen:expr, $narrow:expr);* $(;)?) => {$(
        impl Reducible for $rust {
            const LOWEST: $rust = <$rust>::NEG_INFINITY;
            const HIGHEST: $rust = <$rust>::INFINITY;
            fn sum(values: &[$rust]) -> $rust {
                $narrow(pairwise(values, $widen))
            }
            fn mean(values: &[$rust]) -> $rust {
                $narrow(pairwise(values, $widen) / values.len() as $wide)
            }
            fn product(values: &[$rust]) -> $rust {
                $narrow(values.iter().fold(1.0, |product: $wide, &value| product * $widen(value)))
            }
        }
    )*};
}

floats! {
    f16: f32, f16::to_f32, f16::from_f32;
    bf16: f32, bf16::to_f32, bf16::from_f32;
    f32: f32, std::convert::identity::<f32>, std::convert::identity::<f32>;
    f64: f64, std::convert::identity::<f64>, std::convert::identity::<f64>;
}

/// Values added up in lanes at a time: a vector register's worth, several times over.
const RUN: usize = 128;
const LANES: usize = 8;

fn pairwise<T: Copy, A: Copy + Default + Add<Output = A>>(values: &[T], widen: impl Fn(T) -> A + Copy) -> A {
    if values.len() > RUN {
        let middle = values.len().div_ceil(RUN) / 2 * RUN;
        let (left, right) = values.split_at(middle);
        return pairwise(left, widen) + pairwise(right, widen);
    }
    let mut lanes = [A::default(); LANES];
    let (whole, rest) = values.as_chunks::<LANES>();
    for chunk in whole {
        lanes = std::array::from_fn(|lane| lanes[lane] + widen(chunk[lane]));
    }
    let pairs: [A; 4] = std::array::from_fn(|pair| lanes[2 * pair] + lanes[2 * pair + 1]);
    let sum = (pairs[0] + pairs[1]) + (pairs[2] + pairs[3]);
    rest.iter().fold(sum, |sum, &value| sum + widen(value))
}

macro_rules! reductions {
    ($($name:ident: $function:expr),*) => {$(
        pub(super) fn $name(arguments: &mut Arguments<'_>) -> Vec<Value> {
            reduce(arguments, |column, groups| {
                dispatch!(numbers column.dtype(), T => by_group::<T, T>(column, groups, $function))
            })
        }
    )*};
}

reductions! {
    sum: Reducible::sum,
    mean: Reducible::mean,
    prod: Reducible::product,
    max: |values| values.iter().fold(Reducible::LOWEST, |most, &value| most.larger(value)),
    min: |values| values.iter().fold(Reducible::HIGHEST, |least, &value| least.smaller(value))
}

pub(super) fn any(arguments: &mut Arguments<'_>) -> Vec<Value> {
    bools(arguments, |values| u8::from(values.contains(&1)))
}

pub(super) fn all(arguments: &mut Arguments<'_>) -> Vec<Value> {
    bools(arguments, |values| u8::from(!values.contains(&0)))
}

fn bools(arguments: &mut Arguments<'_>, function: fn(&[u8]) -> u8) -> Vec<Value> {
    reduce(arguments, |column, groups| by_group::<u8, u8>(column, groups, function).with_dtype(DType::Bool))
}

/// `function` of each group of values that lie together; `groups` says for each row how many there are and of how many.
pub(super) fn by_group<T: Native, U: Native>(
    column: &Column,
    groups: &[(usize, usize)],
    function: impl Fn(&[T]) -> U,
) -> Column {
    let values = column.as_slice::<T>();
    let mut results = Vec::with_capacity(groups.iter().map(|(count, _)| count).sum());
    let mut at = 0;
    for &(num_results, num_values) in groups {
        for _ in 0..num_results {
            results.push(function(&values[at..at + num_values]));
            at += num_values;
        }
    }
    Column::from_vec(vec![], results.len(), results)
}

/// `function` of the values of some dimensions, those the call says.
pub(super) fn reduce(
    arguments: &mut Arguments<'_>,
    function: impl FnOnce(&Column, &[(usize, usize)]) -> Column,
) -> Vec<Value> {
    let axes = arguments.call.ints("axis");
    let keeps = arguments.call.flag("keepdims");
    reduce_over(arguments, axes.as_deref(), keeps, function)
}

/// As [`reduce`], of these dimensions; all of them where there are none given.
pub(super) fn reduce_over(
    arguments: &mut Arguments<'_>,
    axes: Option<&[i64]>,
    keeps: bool,
    function: impl FnOnce(&Column, &[(usize, usize)]) -> Column,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| plan(shapes[0], axes, keeps));
        let rows = arguments.rows;
        let gathered = copy_views(RowsOf::new(arguments.inputs[0]), &plans, rows, |plan| &plan.view);
        let groups: Vec<(usize, usize)> = match &plans {
            Plans::Same(plan) => vec![(plan.num_results * rows, plan.num_values)],
            Plans::Each(plans) => {
                plans.iter().flatten().map(|plan| (plan.num_results, plan.num_values)).collect()
            }
        };
        let results = function(&gathered.flat(), &groups);
        vec![plans.shaped(results, rows, |plan| &plan.shape)]
    })
}

fn plan(shape: &[usize], axes: Option<&[i64]>, keeps: bool) -> Result<Reduction, String> {
    let reduced = axes_mask(axes, shape.len())?;
    let whole = View::whole(shape);
    let (goes, stays): (Vec<usize>, Vec<usize>) = (0..shape.len()).partition(|&dim| reduced[dim]);
    let order = || stays.iter().chain(&goes).copied();
    let count = |dims: &[usize]| dims.iter().map(|&dim| shape[dim]).product();
    Ok(Reduction {
        shape: (0..shape.len())
            .filter(|&dim| keeps || !reduced[dim])
            .map(|dim| if reduced[dim] { 1 } else { shape[dim] })
            .collect(),
        view: View {
            offset: 0,
            shape: order().map(|dim| shape[dim]).collect(),
            strides: order().map(|dim| whole.strides[dim]).collect(),
        },
        num_results: count(&stays),
        num_values: count(&goes),
    })
}
