//! Values found by keys.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
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

type Shared = Result<Arc<Index>, String>;

/// The index of the table of `arguments`: made once, shared by all workers. An error if it has a key twice with different values.
fn index_of(arguments: &Arguments<'_>) -> Shared {
    let (keys, values) =
        (RowsOf::new(arguments.inputs[1]).column(), RowsOf::new(arguments.inputs[2]).column());
    let kept: Box<Shared> = arguments.scratch.take(|| make_index(keys, values).map(Arc::new));
    let index = Shared::clone(&kept);
    arguments.scratch.put(kept);
    index
}

fn make_index(keys: &Column, values: &Column) -> Result<Index, String> {
    let num_keys = keys.num_values();
    if num_keys >= NOWHERE as usize {
        return Err(format!("a table of {num_keys} keys is too large"));
    }
    let is_same = |one: u32, two: usize| {
        let flat = values.clone().flat();
        flat.slice(one as usize..one as usize + 1) == flat.slice(two..two + 1)
    };
    if let Some(strings) = keys.strings() {
        return TextIndex::new(strings, is_same).map(Index::Texts);
    }
    let mut index: HashMap<i64, u32, FixedState> =
        HashMap::with_capacity_and_hasher(num_keys, FixedState::default());
    for (place, key) in numbers(keys).enumerate() {
        match index.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(place as u32);
            }
            Entry::Occupied(entry) if is_same(*entry.get(), place) => {}
            Entry::Occupied(_) => return Err(twice(&key.to_string())),
        }
    }
    Ok(Index::Numbers(index))
}

pub(super) fn twice(key: &str) -> String {
    format!("the table has the key {key} twice, with different values")
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
        let found = match index_of(arguments) {
            Ok(index) => places(&index, &keys),
            Err(reason) => {
                (0..arguments.rows).for_each(|row| arguments.fail(row, &reason));
                vec![NOWHERE; keys.num_values()]
            }
        };
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
    fn run<W: Native>(&self, inputs: &[&[W]], fill: W) -> Vec<W> {
        let mut picked = Vec::with_capacity(self.found.len());
        for row in 0..self.keys.rows() {
            let default = self.default.range(row).next().map_or(fill, |at| inputs[1][at]);
            let own = &self.found[self.keys.value_range(row..row + 1)];
            picked.extend(own.iter().map(|&place| inputs[0].get(place as usize).copied().unwrap_or(default)));
        }
        picked
    }
}

fn find_or_hash(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let num_buckets = arguments.call.int("num_oov_buckets").unsigned_abs();
    once_for_constants(arguments, |arguments| {
        let keys = arguments.inputs[0].to_rows(arguments.rows);
        let values = RowsOf::new(arguments.inputs[2]).column().as_slice::<i64>();
        let (found, num_keys) = match index_of(arguments) {
            Ok(index) => (places(&index, &keys), index.len()),
            Err(reason) => {
                (0..arguments.rows).for_each(|row| arguments.fail(row, &reason));
                (vec![NOWHERE; keys.num_values()], 0)
            }
        };
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
                None => num_keys as i64 + (hash(place) % num_buckets) as i64,
            })
            .collect();
        vec![like(&keys, Column::from_vec(vec![], numbers.len(), numbers))]
    })
}
