//! Values found by keys.

use std::collections::HashMap;
use std::hint::select_unpredictable;
use std::io::Write as _;
use std::sync::Arc;

use feedline_data::block::Column;
use feedline_data::{DType, Native};
use foldhash::fast::FixedState;

use super::elementwise::like;
use super::moves::{Move, move_values};
use super::rows::{RowsOf, once_for_constants};
use super::strings::fingerprint64;
use super::text_index::TextIndex;
use super::{Arguments, Kernel, Value};

/// The kernel of each operation of tables.
pub(super) const KERNELS: &[(&str, Kernel)] = &[("lookup.find", find), ("lookup.find_or_hash", find_or_hash)];

/// Where each key of a table stands in it.
enum Index {
    Texts(TextIndex),
    Numbers(HashMap<i64, u32, FixedState>),
}

impl Index {
    fn len(&self) -> usize {
        match self {
            Index::Texts(index) => index.num_keys,
            Index::Numbers(index) => index.len(),
        }
    }
}

/// The index of the table of `arguments`: made once, shared by all workers. A key that is there twice has one value, or the plan would have been refused.
fn index_of(arguments: &Arguments<'_>) -> Arc<Index> {
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

fn numbers(column: &Column) -> Box<dyn Iterator<Item = i64> + '_> {
    match column.dtype() {
        DType::Int32 => Box::new(column.as_slice::<i32>().iter().map(|&key| key.into())),
        _ => Box::new(column.as_slice::<i64>().iter().copied()),
    }
}

/// The place of a key that is not in its table.
const NOWHERE: u32 = TextIndex::NOWHERE;

/// The place of each key in the table, or [`NOWHERE`].
fn places(index: &Index, keys: &Column) -> Vec<u32> {
    match index {
        Index::Texts(index) => {
            index.find_all(keys.strings().expect("the plan lets only keys of one type be"))
        }
        Index::Numbers(index) => {
            numbers(keys).map(|key| index.get(&key).copied().unwrap_or(NOWHERE)).collect()
        }
    }
}

fn find(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let keys = arguments.inputs[0].to_rows(arguments.rows);
        let (values, default) = (RowsOf::new(arguments.inputs[2]), RowsOf::new(arguments.inputs[3]));
        let found = places(&index_of(arguments), &keys);
        let picked =
            move_values(&[values.column(), default.column()], &Pick { found: &found, keys: &keys, default });
        vec![like(&keys, picked)]
    })
}

struct Pick<'a> {
    found: &'a [u32],
    keys: &'a Column,
    default: RowsOf<'a>,
}

impl Move for Pick<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let &[values, defaults] = inputs else { unreachable!("two are moved") };
        if let &[default] = defaults {
            return self.found.iter().map(|&place| value_or(values, place, default)).collect();
        }
        let mut picked = Vec::with_capacity(self.found.len());
        for row in 0..self.keys.rows() {
            let default = defaults[self.default.range(row).start];
            let own = &self.found[self.keys.value_range(row..row + 1)];
            picked.extend(own.iter().map(|&place| value_or(values, place, default)));
        }
        picked
    }
}

/// The value at `place`, or `default` if there is none. Which of the two cannot be foretold, so both are there before it is known.
#[inline]
fn value_or<W: Copy>(values: &[W], place: u32, default: W) -> W {
    let Some(last) = values.len().checked_sub(1) else { return default };
    let value = values[last.min(place as usize)];
    select_unpredictable(place as usize <= last, value, default)
}

fn find_or_hash(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let num_buckets = arguments.call.int("num_oov_buckets").unsigned_abs();
    once_for_constants(arguments, |arguments| {
        let keys = arguments.inputs[0].to_rows(arguments.rows);
        let values = RowsOf::new(arguments.inputs[2]).column().as_slice::<i64>();
        let index = index_of(arguments);
        let found = places(&index, &keys);
        let mut text = Vec::new();
        let mut hash = |place: usize| {
            if let Some(strings) = keys.strings() {
                return fingerprint64(strings.get(place));
            }
            let key = match keys.dtype() {
                DType::Int32 => i64::from(keys.as_slice::<i32>()[place]),
                _ => keys.as_slice::<i64>()[place],
            };
            text.clear();
            write!(text, "{key}").expect("memory takes all");
            fingerprint64(&text)
        };
        let numbers: Vec<i64> = found
            .iter()
            .enumerate()
            .map(|(place, &found)| match values.get(found as usize) {
                Some(&value) => value,
                None => index.len() as i64 + (hash(place) % num_buckets) as i64,
            })
            .collect();
        vec![like(&keys, Column::from_vec(vec![], numbers.len(), numbers))]
    })
}
