//! Products of tensors by letters. Sums are taken in the order of the summed dimensions.

use feedline_data::block::Column;
use feedline_plan::expr::Equation;

use super::Summed;
use crate::eval::arithmetic::Number;
use crate::eval::elementwise::dispatch;
use crate::eval::moves::View;
use crate::eval::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use crate::eval::walk::Walk;
use crate::eval::{Arguments, Value};

/// How the letters of a row's tensors are gone through.
struct Summation {
    shape: Vec<usize>,
    way: Way,
}

/// The letters of the result, and those that are summed over.
enum Way {
    /// One tensor or two, which is what equations mostly are of.
    Two { kept: Walk<2>, summed: Walk<2> },
    /// Any number.
    Many { kept: Dims, summed: Dims },
}

/// Sizes of dimensions, and how far each tensor goes in each.
struct Dims(Vec<(usize, Vec<isize>)>);

impl Dims {
    /// Calls `visit` with the places of all tensors, beginning at `start`.
    fn for_each(&self, start: &[usize], visit: &mut impl FnMut(&[usize])) {
        fn walk(dims: &[(usize, Vec<isize>)], start: &[usize], visit: &mut impl FnMut(&[usize])) {
            let Some(((count, steps), inner)) = dims.split_first() else { return visit(start) };
            let mut at = start.to_vec();
            for _ in 0..*count {
                walk(inner, &at, visit);
                // Past the last step a place may lie outside; it is not visited.
                at.iter_mut().zip(steps).for_each(|(place, step)| *place = place.wrapping_add_signed(*step));
            }
        }
        walk(&self.0, start, visit);
    }
}

pub(super) fn einsum(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let equation = Equation::parse(arguments.call.text("equation"), arguments.inputs.len());
    let equation = equation.expect("the plan checked the equation");
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| summation(&equation, shapes));
        let dtype = arguments.inputs[0].dtype();
        let values = dispatch!(numbers dtype, T => summations::<T>(arguments, &plans));
        vec![plans.shaped(values, arguments.rows, |summation| &summation.shape)]
    })
}

fn summation(equation: &Equation, shapes: &[&[usize]]) -> Result<Summation, String> {
    let ranks: Vec<usize> = shapes.iter().map(|shape| shape.len()).collect();
    let equation = equation.of_ranks(&ranks)?;
    let known: Vec<Vec<Option<usize>>> =
        shapes.iter().map(|shape| shape.iter().copied().map(Some).collect()).collect();
    let known: Vec<&[Option<usize>]> = known.iter().map(Vec::as_slice).collect();
    let sizes: Vec<usize> =
        equation.sizes(&known)?.into_iter().map(|size| size.expect("the sizes of rows are known")).collect();
    let letters = equation.letters();
    // A letter that stands twice for one tensor is its diagonal: both steps at once. A dimension of one stays where it is, however large it
    // is elsewhere.
    let steps_of = |index: usize| -> Vec<isize> {
        let Some(own) = equation.inputs.get(index) else { return vec![0; letters.len()] };
        let strides = View::whole(shapes[index]).strides;
        let dims = own.iter().zip(&strides).zip(shapes[index]).filter(|(_, size)| **size != 1);
        let step = |letter: &char| {
            dims.clone().filter(|((other, _), _)| *other == letter).map(|((_, step), _)| *step).sum()
        };
        letters.iter().map(step).collect()
    };
    let count = equation.output.len();
    let way = if shapes.len() <= 2 {
        let (a, b) = (steps_of(0), steps_of(1));
        Way::Two {
            kept: Walk::new(&sizes[..count], [&a[..count], &b[..count]]),
            summed: Walk::new(&sizes[count..], [&a[count..], &b[count..]]),
        }
    } else {
        let steps: Vec<Vec<isize>> = (0..shapes.len()).map(steps_of).collect();
        let dim = |letter: usize| (sizes[letter], steps.iter().map(|steps| steps[letter]).collect());
        Way::Many {
            kept: Dims((0..count).map(dim).collect()),
            summed: Dims((count..letters.len()).map(dim).collect()),
        }
    };
    Ok(Summation { shape: sizes[..count].to_vec(), way })
}

fn summations<T: Summed>(arguments: &Arguments<'_>, plans: &Plans<Summation>) -> Column {
    let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
    let values: Vec<&[T]> = inputs.iter().map(|of| of.column().as_slice::<T>()).collect();
    let mut results: Vec<T> = Vec::new();
    for row in 0..arguments.rows {
        let Some(summation) = plans.get(row) else { continue };
        let starts: Vec<usize> = inputs.iter().map(|of| of.range(row).start).collect();
        match &summation.way {
            Way::Two { kept, summed } => {
                let (a, b) = (values[0], values.get(1));
                let start = [starts[0], starts.get(1).copied().unwrap_or(0)];
                kept.for_each(start, &mut |places| {
                    let mut sum = T::ZERO;
                    summed.for_each(places, &mut |[in_a, in_b]| {
                        let value = a[in_a].to_sum();
                        sum = sum.plus(b.map_or(value, |b| value.times(b[in_b].to_sum())));
                    });
                    results.push(T::of_sum(sum));
                });
            }
            Way::Many { kept, summed } => kept.for_each(&starts, &mut |places| {
                let mut sum = T::ZERO;
                summed.for_each(places, &mut |places| {
                    let mut factors =
                        values.iter().zip(places).map(|(values, &place)| values[place].to_sum());
                    let first = factors.next().expect("an equation is about one tensor at least");
                    sum = sum.plus(factors.fold(first, Number::times));
                });
                results.push(T::of_sum(sum));
            }),
        }
    }
    Column::from_vec(vec![], results.len(), results)
}
