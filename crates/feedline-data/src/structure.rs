//! Nested structures: tuples and dictionaries of anything.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Composite, ElementSpec};

/// A leaf, or a tuple or dictionary of structures: how the tensors of an element hang together.
///
/// Leaves have an order, TensorFlow's: tuples from left to right, dictionaries by key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structure<T> {
    /// One thing.
    Leaf(T),
    /// Several, by place.
    Tuple(Vec<Structure<T>>),
    /// Several, by name.
    Dict(BTreeMap<String, Structure<T>>),
    /// A dataset: what its elements are, and the tensors that hold all of them ([`crate::rows`]).
    Dataset(Box<ElementSpec>, Vec<T>),
    /// A tensor that is kept as several.
    Composite(Composite, Vec<T>),
}

impl<T> Structure<T> {
    /// A dictionary of these.
    pub fn dict<K: Into<String>>(entries: impl IntoIterator<Item = (K, Structure<T>)>) -> Structure<T> {
        Structure::Dict(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// The leaves in order.
    pub fn leaves(&self) -> Vec<&T> {
        let mut leaves = Vec::new();
        self.collect_leaves(&mut leaves);
        leaves
    }

    /// The leaves in order, to be changed.
    pub fn leaves_mut(&mut self) -> Vec<&mut T> {
        match self {
            Structure::Leaf(leaf) => vec![leaf],
            Structure::Tuple(parts) => parts.iter_mut().flat_map(Structure::leaves_mut).collect(),
            Structure::Dict(parts) => parts.values_mut().flat_map(Structure::leaves_mut).collect(),
            Structure::Dataset(_, parts) | Structure::Composite(_, parts) => parts.iter_mut().collect(),
        }
    }

    /// Number of leaves.
    pub fn num_leaves(&self) -> usize {
        match self {
            Structure::Leaf(_) => 1,
            Structure::Tuple(parts) => parts.iter().map(Structure::num_leaves).sum(),
            Structure::Dict(parts) => parts.values().map(Structure::num_leaves).sum(),
            Structure::Dataset(_, parts) | Structure::Composite(_, parts) => parts.len(),
        }
    }

    /// Whether a tensor in it is kept as several.
    pub fn has_composite(&self) -> bool {
        match self {
            Structure::Leaf(_) | Structure::Dataset(..) => false,
            Structure::Tuple(parts) => parts.iter().any(Structure::has_composite),
            Structure::Dict(parts) => parts.values().any(Structure::has_composite),
            Structure::Composite(..) => true,
        }
    }

    /// Whether there is a dataset in it.
    pub fn has_dataset(&self) -> bool {
        match self {
            Structure::Leaf(_) | Structure::Composite(..) => false,
            Structure::Tuple(parts) => parts.iter().any(Structure::has_dataset),
            Structure::Dict(parts) => parts.values().any(Structure::has_dataset),
            Structure::Dataset(..) => true,
        }
    }

    /// The same structure with each leaf replaced by the structure `replace` makes of it. Parts of what is kept as several stay one.
    pub fn graft<U>(&self, replace: &mut impl FnMut(&T) -> Structure<U>) -> Structure<U>
    where
        U: Clone,
    {
        let mut all = |parts: &[T]| {
            let leaves = parts.iter().flat_map(|part| {
                let part = replace(part);
                part.leaves().into_iter().cloned().collect::<Vec<U>>()
            });
            leaves.collect()
        };
        match self {
            Structure::Dataset(spec, parts) => Structure::Dataset(spec.clone(), all(parts)),
            Structure::Composite(kind, parts) => Structure::Composite(*kind, all(parts)),
            Structure::Leaf(leaf) => replace(leaf),
            Structure::Tuple(parts) => {
                Structure::Tuple(parts.iter().map(|part| part.graft(replace)).collect())
            }
            Structure::Dict(parts) => {
                Structure::Dict(parts.iter().map(|(key, part)| (key.clone(), part.graft(replace))).collect())
            }
        }
    }

    /// The same structure with each leaf replaced by what `replace` makes of it.
    pub fn map<U>(&self, mut replace: impl FnMut(&T) -> U) -> Structure<U> {
        self.map_with(&mut replace)
    }

    /// The same structure with these leaves, in order.
    ///
    /// # Panics
    /// If there are fewer than the structure has.
    pub fn with_leaves<U>(&self, leaves: impl IntoIterator<Item = U>) -> Structure<U> {
        let mut leaves = leaves.into_iter();
        self.map(|_| leaves.next().expect("a leaf for each place"))
    }

    /// How errors call each leaf, in order: `['image']`, `[0]['label']`; empty for a lone leaf.
    pub fn leaf_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.collect_names("", &mut names);
        names
    }

    /// The name of each leaf as a path, `images/left` or `0/label`: what files of named values call them. Empty for a single tensor.
    pub fn leaf_paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect_paths("", &mut paths);
        paths
    }

    fn collect_paths(&self, prefix: &str, paths: &mut Vec<String>) {
        let join = |name: &dyn fmt::Display| {
            if prefix.is_empty() { name.to_string() } else { format!("{prefix}/{name}") }
        };
        match self {
            Structure::Leaf(_) => paths.push(prefix.to_owned()),
            Structure::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    part.collect_paths(&join(&index), paths);
                }
            }
            Structure::Dict(parts) => {
                for (key, part) in parts {
                    part.collect_paths(&join(key), paths);
                }
            }
            Structure::Dataset(_, parts) => {
                paths.extend((0..parts.len()).map(|part| join(&format_args!("rows/{part}"))));
            }
            Structure::Composite(kind, parts) => {
                paths.extend((0..parts.len()).map(|part| join(&kind.part_name(part))));
            }
        }
    }

    /// Where one structure first differs from another, told in words; `None` if they agree (leaves aside).
    pub fn first_difference<U>(&self, other: &Structure<U>) -> Option<String> {
        fn kind<T>(structure: &Structure<T>) -> String {
            match structure {
                Structure::Leaf(_) => "a tensor".into(),
                Structure::Tuple(parts) => format!("a tuple of {}", parts.len()),
                Structure::Dict(parts) => {
                    format!(
                        "a dict of {}",
                        parts.keys().map(|key| format!("'{key}'")).collect::<Vec<_>>().join(", ")
                    )
                }
                Structure::Dataset(spec, _) => format!("a dataset of {spec}"),
                Structure::Composite(kind, parts) => format!("a {kind} tensor of {} parts", parts.len()),
            }
        }
        fn walk<T, U>(at: &str, one: &Structure<T>, two: &Structure<U>) -> Option<String> {
            match (one, two) {
                (Structure::Leaf(_), Structure::Leaf(_)) => None,
                (Structure::Tuple(one), Structure::Tuple(two)) if one.len() == two.len() => one
                    .iter()
                    .zip(two)
                    .enumerate()
                    .find_map(|(i, (one, two))| walk(&format!("{at}[{i}]"), one, two)),
                (Structure::Dict(one), Structure::Dict(two)) if one.keys().eq(two.keys()) => one
                    .iter()
                    .zip(two.values())
                    .find_map(|((k, one), two)| walk(&format!("{at}['{k}']"), one, two)),
                (Structure::Dataset(one, _), Structure::Dataset(two, _)) if one == two => None,
                (Structure::Composite(one, parts), Structure::Composite(two, others))
                    if one == two && parts.len() == others.len() =>
                {
                    None
                }
                _ => {
                    let place = if at.is_empty() { String::new() } else { format!("{at} is ") };
                    Some(format!("{place}{} here and {} there", kind(one), kind(two)))
                }
            }
        }
        walk("", self, other)
    }

    fn collect_leaves<'a>(&'a self, leaves: &mut Vec<&'a T>) {
        match self {
            Structure::Leaf(leaf) => leaves.push(leaf),
            Structure::Tuple(parts) => parts.iter().for_each(|part| part.collect_leaves(leaves)),
            Structure::Dict(parts) => parts.values().for_each(|part| part.collect_leaves(leaves)),
            Structure::Dataset(_, parts) | Structure::Composite(_, parts) => leaves.extend(parts),
        }
    }

    fn map_with<U>(&self, replace: &mut impl FnMut(&T) -> U) -> Structure<U> {
        match self {
            Structure::Leaf(leaf) => Structure::Leaf(replace(leaf)),
            Structure::Tuple(parts) => {
                Structure::Tuple(parts.iter().map(|part| part.map_with(replace)).collect())
            }
            Structure::Dict(parts) => Structure::Dict(
                parts.iter().map(|(key, part)| (key.clone(), part.map_with(replace))).collect(),
            ),
            Structure::Dataset(spec, parts) => {
                Structure::Dataset(spec.clone(), parts.iter().map(replace).collect())
            }
            Structure::Composite(kind, parts) => {
                Structure::Composite(*kind, parts.iter().map(replace).collect())
            }
        }
    }

    fn collect_names(&self, prefix: &str, names: &mut Vec<String>) {
        match self {
            Structure::Leaf(_) => names.push(prefix.to_owned()),
            Structure::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    part.collect_names(&format!("{prefix}[{index}]"), names);
                }
            }
            Structure::Dict(parts) => {
                for (key, part) in parts {
                    part.collect_names(&format!("{prefix}['{key}']"), names);
                }
            }
            Structure::Dataset(_, parts) => {
                names.extend((0..parts.len()).map(|part| format!("{prefix}.rows[{part}]")));
            }
            Structure::Composite(kind, parts) => {
                names.extend((0..parts.len()).map(|part| format!("{prefix}.{}", kind.part_name(part))));
            }
        }
    }
}

impl<T> From<T> for Structure<T> {
    fn from(leaf: T) -> Structure<T> {
        Structure::Leaf(leaf)
    }
}

impl<T: fmt::Display> fmt::Display for Structure<T> {
    /// As Python writes it: `{'image': uint8[?, ?, 3], 'label': int64[]}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Structure::Leaf(leaf) => write!(f, "{leaf}"),
            Structure::Tuple(parts) => {
                let comma = if parts.len() == 1 { "," } else { "" };
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "({}{comma})", parts.join(", "))
            }
            Structure::Dict(parts) => {
                let parts: Vec<String> = parts.iter().map(|(key, part)| format!("'{key}': {part}")).collect();
                write!(f, "{{{}}}", parts.join(", "))
            }
            Structure::Dataset(spec, parts) => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "dataset of {spec} in ({})", parts.join(", "))
            }
            Structure::Composite(kind, parts) => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "{kind}({})", parts.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested() -> Structure<i32> {
        Structure::Tuple(vec![
            Structure::dict([("b", Structure::Leaf(1)), ("a", Structure::Leaf(2))]),
            Structure::Leaf(3),
        ])
    }

    #[test]
    fn leaves_come_in_tensorflows_order() {
        assert_eq!(nested().leaves(), [&2, &1, &3]);
        assert_eq!(nested().leaf_names(), ["[0]['a']", "[0]['b']", "[1]"]);
        assert_eq!(nested().to_string(), "({'a': 2, 'b': 1}, 3)");
        assert_eq!(nested().with_leaves(["x", "y", "z"]).leaves(), [&"x", &"y", &"z"]);
        let mut doubled = nested();
        doubled.leaves_mut().into_iter().for_each(|leaf| *leaf *= 2);
        assert_eq!(doubled.leaves(), [&4, &2, &6]);
    }

    #[test]
    fn tensors_of_several_parts_are_one_node() {
        let ragged = Structure::dict([("x", Structure::Composite(Composite::Ragged, vec![1, 2]))]);
        assert_eq!(ragged.leaves(), [&1, &2]);
        assert_eq!(ragged.leaf_names(), ["['x'].flat_values", "['x'].nested_row_splits[0]"]);
        assert_eq!(ragged.to_string(), "{'x': ragged(1, 2)}");
        assert!(ragged.has_composite() && !nested().has_composite());
        let pair = Structure::dict([("x", Structure::Tuple(vec![Structure::Leaf(1), Structure::Leaf(2)]))]);
        assert_eq!(
            ragged.first_difference(&pair).as_deref(),
            Some("['x'] is a ragged tensor of 2 parts here and a tuple of 2 there")
        );
        assert_eq!(ragged.first_difference(&ragged.map(ToString::to_string)), None);
    }

    #[test]
    fn differences_are_told() {
        assert_eq!(nested().first_difference(&nested().map(|_| ())), None);
        let other = Structure::Tuple(vec![Structure::dict([("a", Structure::Leaf(0))]), Structure::Leaf(0)]);
        assert_eq!(
            nested().first_difference(&other).as_deref(),
            Some("[0] is a dict of 'a', 'b' here and a dict of 'a' there")
        );
        assert_eq!(
            Structure::Leaf(1).first_difference(&nested()).as_deref(),
            Some("a tensor here and a tuple of 2 there")
        );
    }
}
