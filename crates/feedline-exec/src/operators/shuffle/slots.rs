//! Where a shuffle keeps its rows: in memory of its own, so that nothing upstream stays alive because of them; strings where
//! they are, within limits ([`Texts`]); and so are large rows that have their memory to themselves, or that somebody has anyway: an image that
//! was decoded a moment ago, or is in a cache, is copied once, into its batch. (4,000 images of 48 KiB as floats, in a cache, shuffled, in batches of 64, from Python, 2 cores:
//! 85,000 images a second with a copy into the buffer and another out of it.)

use feedline_data::DType;
use feedline_data::block::{Block, Buffer, Column, Ids};

use super::texts::Texts;

/// Rows by slot number.
#[derive(Debug, Default)]
pub(super) struct Slots {
    columns: Vec<SlotColumn>,
    ids: Vec<u64>,
    free: Vec<u32>,
}

/// One leaf of the stored rows.
#[derive(Debug)]
enum SlotColumn {
    /// Numbers, all rows of one shape, side by side.
    Fixed { dtype: DType, shape: Vec<usize>, words: Words },
    /// One string a row.
    Text(Texts),
    /// Anything else, and large rows: a column of one row for each, and the bytes of all.
    Cells { cells: Vec<Option<Column>>, num_bytes: usize },
}

/// Moving needs only the width of values.
#[derive(Debug)]
enum Words {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
    Eight(Vec<u64>),
}

macro_rules! each_width {
    ($words:expr, $vec:ident => $body:expr) => {
        match $words {
            Words::One($vec) => $body,
            Words::Two($vec) => $body,
            Words::Four($vec) => $body,
            Words::Eight($vec) => $body,
        }
    };
}

impl Slots {
    /// A slot for one more row; its content is undefined until [`Slots::put`].
    pub(super) fn allocate(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.ids.push(0);
            (self.ids.len() - 1) as u32
        })
    }

    /// Gives slots back.
    pub(super) fn release(&mut self, slots: &[u32]) {
        for column in &mut self.columns {
            match column {
                // Fixed memory is written over; the others hold something that should go now.
                SlotColumn::Fixed { .. } => {}
                SlotColumn::Text(texts) => texts.release(slots),
                SlotColumn::Cells { cells, num_bytes } => {
                    let gone = slots.iter().filter_map(|&slot| cells[slot as usize].take());
                    *num_bytes -= gone.map(|cell| cell.byte_size()).sum::<usize>();
                }
            }
        }
        self.free.extend_from_slice(slots);
    }

    /// Stores the rows of `block`, which has no errors, in `slots`, one each. `limit_bytes` is all the memory there is.
    pub(super) fn put(&mut self, block: &Block, slots: &[u32], limit_bytes: usize) {
        debug_assert_eq!(block.rows(), slots.len(), "a slot for each row");
        if slots.is_empty() {
            return;
        }
        if self.columns.is_empty() {
            self.columns = block.columns().iter().map(SlotColumn::like).collect();
        }
        for (own, column) in self.columns.iter_mut().zip(block.columns()) {
            own.put(column, slots, self.ids.len(), limit_bytes);
        }
        // A loop of its own for each kind of ids: the look at the kind would cost more than the copy.
        match block.ids() {
            &Ids::Run { first, .. } => {
                for (&slot, number) in slots.iter().zip(0..) {
                    self.ids[slot as usize] = first.wrapping_add(number);
                }
            }
            Ids::List { ids, range } => {
                for (&slot, &id) in slots.iter().zip(&ids[range.clone()]) {
                    self.ids[slot as usize] = id;
                }
            }
        }
    }

    /// The rows in `slots`, in that order.
    pub(super) fn get(&mut self, slots: &[u32]) -> (Vec<Column>, Ids) {
        let columns = self.columns.iter_mut().map(|column| column.get(slots)).collect();
        (columns, Ids::list(slots.iter().map(|&slot| self.ids[slot as usize]).collect()))
    }

    /// Bytes held for everything in the slots.
    pub(super) fn held_bytes(&self) -> usize {
        let of_column = |column: &SlotColumn| match column {
            SlotColumn::Fixed { words, .. } => each_width!(words, own => size_of_val(own.as_slice())),
            SlotColumn::Text(texts) => texts.held_bytes(),
            SlotColumn::Cells { num_bytes, .. } => *num_bytes,
        };
        self.columns.iter().map(of_column).sum::<usize>() + self.ids.len() * STORED_OVERHEAD_BYTES
    }

    /// Holds nothing that is not needed, whatever that costs.
    pub(super) fn make_room(&mut self) {
        for column in &mut self.columns {
            if let SlotColumn::Text(texts) = column {
                texts.make_room(0, 100);
            }
        }
    }

    /// Whether rows are handed out as views.
    pub(super) fn are_views(&self) -> bool {
        !self.columns.is_empty() && self.columns.iter().all(|column| matches!(column, SlotColumn::Text(_)))
    }
}

/// Bytes the rows of `block` take when stored: their values, ids, and places in the order.
pub(super) fn stored_bytes(block: &Block) -> u64 {
    (block.byte_size() + block.num_elements() * STORED_OVERHEAD_BYTES) as u64
}

/// Rows of which a block holds one or two are better kept where they are than put side by side.
const LARGE_ROW_BYTES: usize = 24 << 10;
/// A row has its memory to itself if that is larger by no more than this part of it.
const OWN_MEMORY_PART: usize = 8;

/// The one row of `column`, in memory that is there for its sake, or whoever else's.
fn own_row(column: Column) -> Column {
    let mut kept_bytes = 0;
    column.visit_memory(&mut |share| kept_bytes += share.num_bytes);
    let own_bytes = column.byte_size();
    if kept_bytes <= own_bytes + own_bytes / OWN_MEMORY_PART { column } else { column.to_owned_rows() }
}

/// An id, and a slot number in the order.
pub(super) const STORED_OVERHEAD_BYTES: usize = size_of::<u64>() + size_of::<u32>();

impl SlotColumn {
    /// An empty one for rows like those of `column`.
    fn like(column: &Column) -> SlotColumn {
        match (column.common_shape(), column.dtype().width()) {
            (Some(shape), Some(width)) if shape.iter().product::<usize>() * width < LARGE_ROW_BYTES => {
                SlotColumn::Fixed {
                    dtype: column.dtype(),
                    shape: shape.to_vec(),
                    words: match width {
                        1 => Words::One(Vec::new()),
                        2 => Words::Two(Vec::new()),
                        4 => Words::Four(Vec::new()),
                        _ => Words::Eight(Vec::new()),
                    },
                }
            }
            (Some([]), None) => SlotColumn::Text(Texts::default()),
            _ => SlotColumn::Cells { cells: Vec::new(), num_bytes: 0 },
        }
    }

    /// Stores rows; `num_slots` is how many slots there are now.
    fn put(&mut self, column: &Column, slots: &[u32], num_slots: usize, limit_bytes: usize) {
        let still_fits = match self {
            SlotColumn::Fixed { shape, .. } => column.common_shape() == Some(shape),
            SlotColumn::Text(_) => column.common_shape() == Some(&[]),
            SlotColumn::Cells { .. } => true,
        };
        if !still_fits {
            self.make_cells(num_slots);
        }
        match self {
            SlotColumn::Fixed { shape, words, .. } => {
                let stride: usize = shape.iter().product();
                each_width!(words, own => {
                    own.resize(num_slots * stride, 0);
                    scatter(own, column.buffer().expect("numbers lie in a buffer"), stride, slots);
                });
            }
            SlotColumn::Text(texts) => {
                let strings = column.strings().expect("strings stay strings");
                texts.put(strings, slots, num_slots, limit_bytes);
            }
            SlotColumn::Cells { cells, num_bytes } => {
                cells.resize(num_slots, None);
                for (row, &slot) in slots.iter().enumerate() {
                    let cell = own_row(column.slice(row..row + 1));
                    *num_bytes += cell.byte_size();
                    cells[slot as usize] = Some(cell);
                }
            }
        }
    }

    fn get(&mut self, slots: &[u32]) -> Column {
        match self {
            SlotColumn::Fixed { dtype, shape, words } => {
                let stride: usize = shape.iter().product();
                let buffer = each_width!(words, own => gather(own, stride, slots));
                Column::from_buffer(*dtype, shape.clone(), slots.len(), buffer)
            }
            SlotColumn::Text(texts) => Column::from_strings(vec![], slots.len(), texts.get(slots)),
            SlotColumn::Cells { cells, .. } => {
                let rows: Vec<Column> = slots
                    .iter()
                    .map(|&slot| cells[slot as usize].clone().expect("a slot that is taken has a row"))
                    .collect();
                Column::concat(&rows)
            }
        }
    }

    /// Keeps each row on its own from now on: one came that has another shape. `num_slots` is how many slots there are now.
    fn make_cells(&mut self, num_slots: usize) {
        let num_stored = match self {
            // Rows without values leave nothing to count; what an empty slot gets is never looked at.
            SlotColumn::Fixed { shape, words, .. } => {
                let stride: usize = shape.iter().product();
                each_width!(words, own => own.len().checked_div(stride).unwrap_or(num_slots))
            }
            SlotColumn::Text(texts) => texts.num_slots(),
            SlotColumn::Cells { .. } => return,
        };
        let cells: Vec<Option<Column>> =
            (0..num_stored as u32).map(|slot| Some(self.get(&[slot]).to_owned_rows())).collect();
        let num_bytes = cells.iter().flatten().map(Column::byte_size).sum();
        *self = SlotColumn::Cells { cells, num_bytes };
    }
}

/// Copies row after row of `source` to its slot.
fn scatter<T: bytemuck::Pod>(own: &mut [T], source: &Buffer, stride: usize, slots: &[u32]) {
    let source = source.as_slice::<T>();
    if stride == 1 {
        for (&slot, &value) in slots.iter().zip(source) {
            own[slot as usize] = value;
        }
        return;
    }
    for (row, &slot) in slots.iter().enumerate() {
        own[slot as usize * stride..][..stride].copy_from_slice(&source[row * stride..][..stride]);
    }
}

/// Copies the rows in `slots`.
fn gather<T: bytemuck::Pod + Send>(own: &[T], stride: usize, slots: &[u32]) -> Buffer {
    if stride == 1 {
        return Buffer::from_vec(slots.iter().map(|&slot| own[slot as usize]).collect::<Vec<T>>());
    }
    let mut rows = Vec::with_capacity(slots.len() * stride);
    for &slot in slots {
        rows.extend_from_slice(&own[slot as usize * stride..][..stride]);
    }
    Buffer::from_vec(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::block::{Position, Tensor, Token};

    fn block(column: Column, first_id: u64) -> Block {
        let ids = Ids::run(first_id, column.rows());
        Block::new(vec![column], ids, Position::at(Token::new(|_| 0)))
    }

    #[test]
    fn rows_come_back_whatever_their_kind() {
        let columns = [
            Column::from_vec(vec![], 3, vec![1_u8, 2, 3]),
            Column::from_vec(vec![2], 3, vec![1_f64, 2., 3., 4., 5., 6.]),
            Column::from_vec(vec![0], 3, Vec::<i16>::new()),
            Column::from_strings(vec![], 3, ["a", "", "ccc"].iter().collect()),
            Column::from_strings(vec![2], 3, ["a", "", "ccc", "d", "e", "f"].iter().collect()),
            Column::from_vec(vec![], 4, vec![1_i32, 2, 3, 4]).with_shapes(vec![vec![1], vec![3], vec![0]]),
            Column::from_vec(
                vec![LARGE_ROW_BYTES],
                3,
                (0..3 * LARGE_ROW_BYTES).map(|i| i as u8).collect::<Vec<_>>(),
            ),
        ];
        for column in columns {
            let mut slots = Slots::default();
            let taken: Vec<u32> = (0..3).map(|_| slots.allocate()).collect();
            slots.put(&block(column.clone(), 7), &taken, usize::MAX);
            let (got, ids) = slots.get(&[2, 0, 1]);
            assert_eq!(got[0], column.gather(&[2, 0, 1]));
            assert_eq!(ids, Ids::list(vec![9, 7, 8]));
            slots.release(&[0]);
            let again = slots.allocate();
            assert_eq!(again, 0);
            slots.put(&block(column.slice(1..2), 50), &[again], usize::MAX);
            assert_eq!(slots.get(&[0, 2]).0[0], column.gather(&[1, 2]));
        }
    }

    #[test]
    fn large_rows_stay_where_they_are_if_that_keeps_nothing_else() {
        let rows = |count: usize| {
            Column::from_vec(vec![LARGE_ROW_BYTES], count, vec![1_u8; LARGE_ROW_BYTES * count])
        };
        let is_kept_there = |column: Column| {
            let place = column.buffer().expect("bytes").as_bytes().as_ptr();
            let mut slots = Slots::default();
            let slot = [slots.allocate()];
            slots.put(&block(column.slice(0..1), 0), &slot, usize::MAX);
            assert_eq!(slots.held_bytes(), LARGE_ROW_BYTES + STORED_OVERHEAD_BYTES);
            slots.get(&slot).0[0].buffer().expect("bytes").as_bytes().as_ptr() == place
        };
        assert!(is_kept_there(rows(1)));
        // Its neighbour would stay, too; one of a cache stays anyway.
        assert!(!is_kept_there(rows(2)));
        assert!(is_kept_there(rows(2).counted_elsewhere()));
    }

    #[test]
    fn a_row_of_another_shape_is_taken_in() {
        let mut slots = Slots::default();
        let first: Vec<u32> = (0..2).map(|_| slots.allocate()).collect();
        slots.put(&block(Column::from_vec(vec![2], 2, vec![1_i64, 2, 3, 4]), 0), &first, usize::MAX);
        let third = slots.allocate();
        slots.put(&block(Column::from_vec(vec![1], 1, vec![5_i64]), 2), &[third], usize::MAX);
        let (columns, _) = slots.get(&[2, 1]);
        assert_eq!(Tensor::of_row(&columns[0], 0).as_slice::<i64>(), [5]);
        assert_eq!(Tensor::of_row(&columns[0], 1).as_slice::<i64>(), [3, 4]);
        // Also where those before it had no values.
        let mut slots = Slots::default();
        let first: Vec<u32> = (0..2).map(|_| slots.allocate()).collect();
        slots.put(&block(Column::from_vec(vec![0], 2, Vec::<i64>::new()), 0), &first, usize::MAX);
        let third = slots.allocate();
        slots.put(&block(Column::from_vec(vec![1], 1, vec![5_i64]), 2), &[third], usize::MAX);
        let (columns, _) = slots.get(&[2, 1, 0]);
        assert_eq!((columns[0].shape(0), columns[0].shape(2)), (&[1][..], &[0][..]));
    }

    #[test]
    fn strings_of_all_lengths_take_turns_in_a_slot() {
        let mut slots = Slots::default();
        let mut taken = vec![slots.allocate()];
        for length in [0, 5, 700, 690, 30, 5000, 4000, 0, 1] {
            let text = "x".repeat(length);
            let strings = Column::from_strings(vec![], 1, [&text].into_iter().collect());
            slots.put(&block(strings, 0), &taken, usize::MAX);
            assert_eq!(slots.get(&taken).0[0].strings().map(|texts| texts.get(0).len()), Some(length));
            slots.release(&taken);
            taken = vec![slots.allocate()];
        }
    }
}
