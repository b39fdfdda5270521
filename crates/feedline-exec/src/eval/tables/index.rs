//! Where keys stand in a table.

use std::collections::HashMap;
use std::sync::Arc;

use feedline_data::DType;
use feedline_data::block::Column;
use foldhash::fast::FixedState;

use crate::eval::Arguments;
use crate::eval::rows::RowsOf;
use crate::eval::text_index::TextIndex;

/// Where each key of a table stands in it.
pub(super) enum Index {
    Texts(TextIndex),
    Numbers(HashMap<i64, u32, FixedState>),
}

impl Index {
    pub(super) fn len(&self) -> usize {
        match self {
            Index::Texts(index) => index.num_keys,
            Index::Numbers(index) => index.len(),
        }
    }
}

/// The index of the table of `arguments`: made once, shared by all workers. A key that is there twice has one value, or the plan would have been refused.
pub(super) fn index_of(arguments: &Arguments<'_>) -> Arc<Index> {
    let keys = RowsOf::new(arguments.inputs[1]).column();
    let kept: Box<Arc<Index>> = arguments.scratch.take(|| Arc::new(make_index(keys)));
    let index = Arc::clone(&kept);
    arguments.scratch.put(kept);
    index
}

fn make_index(keys: &Column) -> Index {
    if let Some(strings) = keys.strings() {
        return Index::Texts(TextIndex::new(strings));
    }
    let mut index: HashMap<i64, u32, FixedState> =
        HashMap::with_capacity_and_hasher(keys.num_values(), FixedState::default());
    for (place, key) in (0..).zip(numbers(keys)) {
        index.entry(key).or_insert(place);
    }
    Index::Numbers(index)
}

pub(super) fn numbers(column: &Column) -> Box<dyn Iterator<Item = i64> + '_> {
    match column.dtype() {
        DType::Int32 => Box::new(column.as_slice::<i32>().iter().map(|&key| key.into())),
        _ => Box::new(column.as_slice::<i64>().iter().copied()),
    }
}

/// The place of a key that is not in its table.
const NOWHERE: u32 = TextIndex::NOWHERE;

/// The place of each key in the table, or [`NOWHERE`].
pub(super) fn places(index: &Index, keys: &Column) -> Vec<u32> {
    match index {
        Index::Texts(index) => {
            index.find_all(keys.strings().expect("the plan lets only keys of one type be"))
        }
        Index::Numbers(index) => {
            numbers(keys).map(|key| index.get(&key).copied().unwrap_or(NOWHERE)).collect()
        }
    }
}
