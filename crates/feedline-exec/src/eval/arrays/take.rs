//! Taking entries of each dimension by their numbers: what tiling, rolling, padding and cutting are made of.

use feedline_data::Native;
use feedline_data::block::Column;

use super::entries::Entries;
use crate::eval::Arguments;
use crate::eval::moves::{Move, move_values};
use crate::eval::rows::{Plans, RowsOf};

/// What is taken of a row.
pub(in crate::eval) struct Taken {
    /// The shape of it.
    pub(super) shape: Vec<usize>,
    /// The row's dimensions, and which entries of each are taken.
    pub(super) dims: Vec<usize>,
    pub(super) entries: Vec<Entries>,
}

impl Taken {
    /// All of each dimension of `shape`, but `entries` of dimension `axis`.
    pub(in crate::eval) fn along(shape: &[usize], axis: usize, entries: Entries) -> Taken {
        let mut all: Vec<Entries> = shape.iter().map(|&dim| Entries::Range(0..dim)).collect();
        all[axis] = entries;
        Taken::of(shape, all)
    }

    /// `entries` of the dimensions of `shape`.
    pub(super) fn of(shape: &[usize], entries: Vec<Entries>) -> Taken {
        Taken { shape: entries.iter().map(Entries::count).collect(), dims: shape.to_vec(), entries }
    }

    /// Dimensions at the end that are taken whole lie together: how many come before them, and their values.
    fn split(&self) -> (usize, usize) {
        let is_whole = |dim: usize| self.entries[dim].is_whole(self.dims[dim]);
        let first = (0..self.dims.len()).rev().take_while(|&dim| is_whole(dim)).last();
        let first = first.unwrap_or(self.dims.len());
        (first, self.dims[first..].iter().product())
    }
}

/// What is taken of the rows of input 0; what it does not have is the scalar of input `fill`.
pub(in crate::eval) fn take(arguments: &Arguments<'_>, plans: &Plans<Taken>, fill: Option<usize>) -> Column {
    let source = RowsOf::new(arguments.inputs[0]);
    let fill = fill.map(|index| RowsOf::new(arguments.inputs[index]));
    let columns: Vec<&Column> = std::iter::once(source).chain(fill).map(|of| of.column()).collect();
    let values = move_values(&columns, &Take { plans, source, fill, rows: arguments.rows });
    plans.shaped(values, arguments.rows, |taken| &taken.shape)
}

struct Take<'a> {
    plans: &'a Plans<Taken>,
    source: RowsOf<'a>,
    fill: Option<RowsOf<'a>>,
    rows: usize,
}

impl Move for Take<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], fill: W) -> Vec<W> {
        let mut target = Vec::new();
        let mut known = None;
        for row in 0..self.rows {
            let Some(taken) = self.plans.get(row) else { continue };
            // The same plan for all rows is looked through once.
            let (num_leading, inner) = match (self.plans, known) {
                (Plans::Same(_), Some(known)) => known,
                _ => taken.split(),
            };
            known = Some((num_leading, inner));
            let fill = self.fill.map_or(fill, |of| inputs[1][of.range(row).start]);
            let source = &inputs[0][self.source.range(row)];
            let mut copy = Copy { taken, num_leading, inner, source, fill, target: &mut target };
            copy.dimension(0, 0);
        }
        target
    }
}

struct Copy<'a, W> {
    taken: &'a Taken,
    num_leading: usize,
    inner: usize,
    source: &'a [W],
    fill: W,
    target: &'a mut Vec<W>,
}

impl<W: Native> Copy<'_, W> {
    /// Adds what is taken of dimension `dim` and those behind it, of entry `at` of those before.
    fn dimension(&mut self, dim: usize, at: usize) {
        if dim == self.num_leading {
            self.target.extend_from_slice(&self.source[at * self.inner..(at + 1) * self.inner]);
            return;
        }
        let taken = self.taken;
        taken.entries[dim].visit(|entry| {
            if let Some(entry) = entry {
                return self.dimension(dim + 1, at * taken.dims[dim] + entry);
            }
            let inside = taken.entries[dim + 1..].iter().map(Entries::count).product();
            self.target.extend(std::iter::repeat_n(self.fill, inside));
        });
    }
}
