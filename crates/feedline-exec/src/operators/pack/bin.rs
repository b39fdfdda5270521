//! A packed row that is being filled.

use feedline_data::DType;
use feedline_data::block::{Buffer, Column, Tensor};
use feedline_plan::Packing;

/// A row of which some tokens are there.
pub(super) struct Bin {
    /// The id of its first sequence.
    pub(super) id: u64,
    /// The rows of the input its sequences were, in order.
    pub(super) rows: Vec<u64>,
    leaves: Vec<Leaf>,
}

struct Leaf {
    dtype: DType,
    /// Words, for their alignment: it is any type's.
    values: Vec<u64>,
    segments: Vec<i32>,
    positions: Vec<i32>,
    used: usize,
}

impl Leaf {
    /// Tokens there are, and there is room for.
    fn length(&self) -> usize {
        self.segments.len()
    }
}

impl Bin {
    /// One without tokens, for leaves with that padding.
    pub(super) fn new(id: u64, packing: &Packing, padding: &[Tensor]) -> Bin {
        let leaf = |(number, padding): (usize, &Tensor)| {
            let length = packing.length_of(number);
            let dtype = padding.dtype();
            let one = padding.as_column().buffer().expect("the plan lets no strings be packed").as_bytes();
            let mut values = vec![0_u64; (length * one.len()).div_ceil(size_of::<u64>())];
            if one.iter().any(|&byte| byte != 0) {
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
                bytes[..length * one.len()]
                    .chunks_exact_mut(one.len())
                    .for_each(|to| to.copy_from_slice(one));
            }
            Leaf { dtype, values, segments: vec![0; length], positions: vec![0; length], used: 0 }
        };
        Bin { id, rows: Vec::new(), leaves: padding.iter().enumerate().map(leaf).collect() }
    }

    /// Bytes that one takes.
    pub(super) fn num_bytes(packing: &Packing, padding: &[Tensor]) -> u64 {
        let of_leaf = |(number, padding): (usize, &Tensor)| {
            let token = padding.dtype().width().unwrap_or(0) + 2 * size_of::<i32>();
            token as u64 * packing.length_of(number) as u64
        };
        padding.iter().enumerate().map(of_leaf).sum()
    }

    /// Whether sequences of these lengths, one for each leaf, have room.
    pub(super) fn fits(&self, lengths: &[usize]) -> bool {
        self.leaves.iter().zip(lengths).all(|(leaf, len)| leaf.used + len <= leaf.length())
    }

    /// Tokens there is room for, all leaves together.
    pub(super) fn room(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.length() - leaf.used).sum()
    }

    /// Puts the sequences of `element` of `columns` behind those that are there, as far as there is room: row `row` of the input.
    pub(super) fn put(&mut self, row: u64, columns: &[Column], element: usize) {
        self.rows.push(row);
        let segment = self.rows.len() as i32;
        for (leaf, column) in self.leaves.iter_mut().zip(columns) {
            let width = leaf.dtype.width().expect("a number");
            let range = column.value_range(element..element + 1);
            let len = range.len().min(leaf.length() - leaf.used);
            let to = leaf.used..leaf.used + len;
            let values = column.buffer().expect("a number").as_bytes();
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut leaf.values);
            bytes[to.start * width..to.end * width]
                .copy_from_slice(&values[range.start * width..(range.start + len) * width]);
            leaf.segments[to.clone()].fill(segment);
            leaf.positions[to.clone()].iter_mut().zip(0..).for_each(|(to, position)| *to = position);
            leaf.used = to.end;
        }
    }

    /// The columns of the row: all values, then all segments, then all positions.
    pub(super) fn into_columns(self) -> Vec<Column> {
        let (mut values, mut segments, mut positions) = (Vec::new(), Vec::new(), Vec::new());
        for leaf in self.leaves {
            let length = leaf.length();
            let num_bytes = length * leaf.dtype.width().expect("a number");
            let buffer = Buffer::from_vec(leaf.values).slice(0..num_bytes);
            values.push(Column::from_buffer(leaf.dtype, vec![length], 1, buffer));
            segments.push(Column::from_vec(vec![length], 1, leaf.segments));
            positions.push(Column::from_vec(vec![length], 1, leaf.positions));
        }
        values.into_iter().chain(segments).chain(positions).collect()
    }
}
