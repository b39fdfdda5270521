//! Moving values without looking at them: code for their width, not for their type.

use feedline_data::block::{Column, StringsBuilder};
use feedline_data::{DType, Native};

use super::elementwise::dispatch;
use super::walk::{Walk, with_outer};

/// Something that puts values into other places.
pub(super) trait Move {
    /// The values of all rows, one behind the other, taken from the values of the inputs; `fill` where there is none.
    fn run<W: Native>(&self, inputs: &[&[W]], fill: W) -> Vec<W>;
}

/// The values of `columns`, which have one type, moved; each a row of its own.
pub(super) fn move_values(columns: &[&Column], mover: &impl Move) -> Column {
    let dtype = columns[0].dtype();
    if dtype == DType::String {
        return move_strings(columns, mover);
    }
    dispatch!(widths dtype, Word => {
        let inputs: Vec<&[Word]> = columns
            .iter()
            .map(|column| column.buffer().expect("numbers lie in a buffer").as_slice::<Word>())
            .collect();
        let values = mover.run(&inputs, 0);
        Column::from_vec(vec![], values.len(), values).with_dtype(dtype)
    })
}

/// Strings are moved by number, and then picked.
fn move_strings(columns: &[&Column], mover: &impl Move) -> Column {
    let mut all = StringsBuilder::default();
    all.push(b"");
    let mut numbers: Vec<Vec<u64>> = Vec::with_capacity(columns.len());
    for column in columns {
        let first = all.len() as u64;
        all.extend_shared(column.strings().expect("strings"));
        numbers.push((first..all.len() as u64).collect());
    }
    let inputs: Vec<&[u64]> = numbers.iter().map(Vec::as_slice).collect();
    let picked = mover.run(&inputs, 0);
    let count = picked.len();
    Column::from_strings(vec![], count, all.finish().gather(picked.into_iter().map(|number| number as usize)))
}

/// Part of a tensor, or all of it in another order: where it begins and how far each step of each dimension goes.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) offset: usize,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<isize>,
}

impl View {
    /// All of a tensor.
    pub(super) fn whole(shape: &[usize]) -> View {
        let mut strides = vec![0; shape.len()];
        let mut step = 1;
        for (stride, &dim) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            step *= dim as isize;
        }
        View { offset: 0, shape: shape.to_vec(), strides }
    }

    /// Whether it has the values of a tensor of `num_values` in their order.
    pub(super) fn is_whole(&self, num_values: usize) -> bool {
        let walk = Walk::new(&self.shape, [&self.strides]);
        let count: usize = self.shape.iter().product();
        count == num_values && (count == 0 || (self.offset == 0 && matches!(walk.dims(), [] | [(_, [1])])))
    }

    /// The same of `rows` tensors whose values lie `step` apart.
    pub(super) fn of_rows(&self, rows: usize, step: usize) -> View {
        View {
            offset: self.offset,
            shape: with_outer(rows, &self.shape),
            strides: with_outer(step as isize, &self.strides),
        }
    }

    /// Adds its values to `target`.
    pub(super) fn copy_into<W: Copy>(&self, source: &[W], target: &mut Vec<W>) {
        if self.shape.contains(&0) {
            return;
        }
        target.reserve(self.shape.iter().product());
        copy_dims(Walk::new(&self.shape, [&self.strides]).dims(), self.offset, source, target);
    }
}

/// Copies `count` runs of `N` values, the first at `at`, each `step` values behind the one before it.
fn copy_runs<const N: usize, W: Copy>(
    count: usize,
    step: isize,
    at: usize,
    source: &[W],
    target: &mut Vec<W>,
) {
    let begin = target.len();
    target.resize(begin + count * N, source[at]);
    let (runs, _) = target[begin..].as_chunks_mut::<N>();
    for (index, run) in runs.iter_mut().enumerate() {
        let place = at.wrapping_add_signed(index as isize * step);
        run.copy_from_slice(&source[place..place + N]);
    }
}

fn copy_dims<W: Copy>(dims: &[(usize, [isize; 1])], at: usize, source: &[W], target: &mut Vec<W>) {
    let place = |index: usize, step: isize| at.wrapping_add_signed(index as isize * step);
    match dims {
        [] => target.push(source[at]),
        [(count, [1])] => target.extend_from_slice(&source[at..at + count]),
        [(count, [step])] => target.extend((0..*count).map(|index| source[place(index, *step)])),
        // Pixels: runs so short that a call of the copy takes longer than the copy (a flip of bytes: 160,000 images of 64×64×3 a second by it, on 2 cores).
        [(count, [step]), (2, [1])] => copy_runs::<2, W>(*count, *step, at, source, target),
        [(count, [step]), (3, [1])] => copy_runs::<3, W>(*count, *step, at, source, target),
        [(count, [step]), (4, [1])] => copy_runs::<4, W>(*count, *step, at, source, target),
        [(count, [step]), inner @ ..] => {
            (0..*count).for_each(|index| copy_dims(inner, place(index, *step), source, target));
        }
    }
}
