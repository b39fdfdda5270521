//! Blocks that are kept for a while, in a queue or until a batch is full: what they are charged as, and that they hold no more than that.
//!
//! Rows may be views: ten bytes of a file keep the whole file in memory. So what is charged is the memory a block keeps, not what its
//! rows would need, unless the two are about the same. Where it is much more, and a good part of the budget, they are copied into memory
//! of their own and the rest is let go of. Blocks one behind the other often lie in the same memory, which then counts with the first of them.

use feedline_data::block::{Block, Column, ErrorRow, MemoryShare};

use crate::budget::Budget;
use crate::error::ExecError;
use crate::sync::Arc;

/// Keeps blocks, one behind the other.
#[derive(Debug)]
pub(crate) struct Keeper {
    budget: Arc<Budget>,
    /// The memory of the last block, by its places.
    last: Vec<usize>,
}

/// Rows are as good as all of their memory if that is larger by no more than this part of them.
const MOSTLY_USED_PART: u64 = 4;
/// What is this small a part of the budget, and of what is left of it, is not worth a copy,
const SMALL_PART_OF_BUDGET: u64 = 64;
const SMALL_PART_OF_ROOM: u64 = 4;
/// as long as it is not so many times what the rows need. (A block is about an eighth of a read buffer.)
const MANY_TIMES: u64 = 16;

impl Keeper {
    /// For blocks that are charged to `budget`.
    pub(crate) fn new(budget: &Arc<Budget>) -> Keeper {
        Keeper { budget: Arc::clone(budget), last: Vec::new() }
    }

    /// Blocks that keep no more than this are left as they are, unless it is many times what they need.
    fn small_bytes(&self) -> u64 {
        let (limit_bytes, room_bytes) = (self.budget.limit_bytes(), self.budget.room_bytes());
        (limit_bytes / SMALL_PART_OF_BUDGET).min(room_bytes / SMALL_PART_OF_ROOM)
    }

    /// The block as it is to be kept, and the bytes it is to be charged as.
    pub(crate) fn keep(&mut self, block: Block) -> (Block, u64) {
        let own_bytes = held_bytes(&block);
        let mut shares: Vec<MemoryShare> = Vec::new();
        block.visit_memory(|share| shares.push(share));
        shares.sort_unstable_by_key(|share| share.place);
        shares.dedup_by_key(|share| share.place);
        let is_new = |share: &&MemoryShare| self.last.binary_search(&share.place).is_err();
        let new_bytes: u64 = shares.iter().filter(is_new).map(|share| share.num_bytes as u64).sum();
        let is_mostly_used = new_bytes <= own_bytes.saturating_add(own_bytes / MOSTLY_USED_PART);
        let is_small = new_bytes <= self.small_bytes() && new_bytes <= own_bytes.saturating_mul(MANY_TIMES);
        if is_mostly_used || is_small {
            self.last.clear();
            self.last.extend(shares.iter().map(|share| share.place));
            return (block, if is_mostly_used { own_bytes } else { new_bytes });
        }
        self.last.clear();
        (block.to_owned_rows(), own_bytes)
    }
}

/// Bytes of the rows of a block, as far as nobody else has their memory anyway.
pub(crate) fn counted_bytes(block: &Block) -> u64 {
    block.columns().iter().map(|column| counted_bytes_of(column) as u64).sum()
}

/// As [`counted_bytes`], of one column.
pub(crate) fn counted_bytes_of(column: &Column) -> usize {
    let mut is_counted = false;
    column.visit_memory(&mut |_| is_counted = true);
    if is_counted { column.byte_size() } else { 0 }
}

/// Bytes of the rows of a block, of those that failed their errors and the elements they failed for.
pub(crate) fn held_bytes(block: &Block) -> u64 {
    let errors = block.errors().iter().map(error_bytes);
    (block.byte_size() + errors.sum::<usize>()) as u64
}

/// Bytes that an error's row keeps.
pub(crate) fn error_bytes(row: &ErrorRow) -> usize {
    let known = row.error.downcast_ref::<ExecError>();
    size_of::<ErrorRow>() + known.map_or(size_of::<ExecError>(), ExecError::held_bytes)
}

#[cfg(test)]
mod tests {
    use feedline_data::block::{Buffer, Ids, Places, Position, Strings, Tensor, Token};

    use super::*;

    const BUDGET_BYTES: u64 = SMALL_PART_OF_BUDGET * 1000;

    fn keeper() -> Keeper {
        Keeper::new(&Budget::new(BUDGET_BYTES))
    }

    fn block(column: Column) -> Block {
        let ids = Ids::run(0, column.rows());
        Block::new(vec![column], ids, Position::at(Token::new(|_| ())))
    }

    /// A string of ten bytes of `buffer`, from `start` on.
    fn view(buffer: &Buffer, start: usize) -> Block {
        let mut places = Places::with_capacity(1);
        places.push(start..start + 10);
        block(Column::from_strings(vec![], 1, Strings::of_places(buffer, &Arc::new(places))))
    }

    #[test]
    fn a_view_is_charged_for_what_it_keeps_or_copied() {
        let mut keeper = keeper();
        // Small: kept as it is, and its neighbour for nothing more.
        let buffer = Buffer::from_lender(vec![1_u8; 300]);
        let (kept, bytes) = keeper.keep(view(&buffer, 0));
        assert_eq!((bytes, memory_of(&kept)), (300, 300));
        let (kept, bytes) = keeper.keep(view(&buffer, 10));
        assert_eq!((bytes, memory_of(&kept)), (22, 300));
        // Large, or many times what is needed: only the row stays.
        for num_bytes in [900, 100_000] {
            let buffer = Buffer::from_lender(vec![1_u8; num_bytes]);
            let (kept, bytes) = keeper.keep(view(&buffer, 20));
            assert!(bytes == 22 && memory_of(&kept) < 100, "{num_bytes}: {} stay", memory_of(&kept));
            assert_eq!(kept.columns(), view(&buffer, 20).columns());
        }
        // What is mostly used stays where it is.
        let numbers = Column::from_vec(vec![], 20_000, vec![1_i64; 20_000]);
        let (kept, bytes) = keeper.keep(block(numbers.slice(0..18_000)));
        assert_eq!((bytes, memory_of(&kept)), (144_000, 160_000));
        // What others have anyway is charged as its rows, and not copied.
        let theirs = Column::from_vec(vec![], 20_000, vec![1_i64; 20_000]).counted_elsewhere();
        let (kept, bytes) = keeper.keep(block(theirs.slice(0..10)));
        assert_eq!((bytes, memory_of(&kept)), (80, 0));
    }

    #[test]
    fn an_error_is_charged_as_the_element_it_keeps() {
        let element = vec![Tensor::from_vec(vec![1000], vec![1_u8; 1000])];
        let error = ExecError::data("bad").with_element(element, &Arc::default());
        let failed =
            |error: ExecError| Block::of_error(0, error.into_row_error(), Position::at(Token::new(|_| ())));
        let bytes = |error: ExecError| keeper().keep(failed(error)).1;
        assert_eq!(bytes(error) - bytes(ExecError::data("bad")), 1000 + size_of::<Tensor>() as u64);
    }

    #[test]
    fn an_error_is_charged_as_its_text_and_what_it_is_made_of() {
        let bytes = |error: ExecError| {
            keeper().keep(Block::of_error(0, error.into_row_error(), Position::at(Token::new(|_| ())))).1
        };
        let short = bytes(ExecError::data("bad"));
        assert!(short > 100, "{short}");
        let long = "x".repeat(1003);
        assert_eq!(bytes(ExecError::data(long.clone())), short + 1000);
        assert!(bytes(ExecError::data("bad").with_hint(long.clone())) >= short + 1000);
        let cause = ExecError::data(long).into_row_error();
        assert!(bytes(ExecError::data("bad").with_source(cause)) >= short + 1000);
    }

    fn memory_of(block: &Block) -> usize {
        let mut num_bytes = 0;
        block.visit_memory(|share| num_bytes += share.num_bytes);
        num_bytes
    }
}
