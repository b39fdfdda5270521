//! `dataset.json`: what the elements of a saved dataset are, and which files make up each shard.
//!
//! Tensors are numbered in the order that the text has them in: the keys of a dict stand as whoever saved it had them, and Python's have an
//! order of their own. So objects are read with their order here.

use std::collections::BTreeMap;
use std::fmt;

use feedline_data::{Composite, DType, ElementSpec, Shape, Structure, TensorSpec};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of the file.
pub(super) const DESCRIPTION: &str = "dataset.json";

/// Version 1 had one file a shard.
const VERSION: u64 = 2;

/// A saved dataset, as its folder tells it.
#[derive(Debug)]
pub(super) struct Description {
    pub(super) elements: u64,
    /// The names of the files of each shard, in order.
    pub(super) shards: Vec<Vec<String>>,
    pub(super) element_spec: SavedSpec,
}

/// The text, in all versions.
#[derive(Serialize, Deserialize)]
struct Text {
    feedline_dataset: u64,
    #[serde(default)]
    elements: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    files: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shards: Option<Vec<Vec<String>>>,
    element_spec: SavedSpec,
}

impl Description {
    pub(super) fn to_text(&self) -> String {
        let text = Text {
            feedline_dataset: VERSION,
            elements: self.elements,
            files: None,
            shards: Some(self.shards.clone()),
            element_spec: self.element_spec.clone(),
        };
        serde_json::to_string_pretty(&text).expect("keys are strings") + "\n"
    }

    /// Reads a text; an error says what is wrong with it.
    pub(super) fn of_text(text: &str) -> Result<Description, String> {
        #[derive(Deserialize)]
        struct Versioned {
            feedline_dataset: u64,
        }
        let damaged = |error: serde_json::Error| format!("is damaged: {error}");
        // Looked at first: what else a later version has, nobody knows here.
        let Versioned { feedline_dataset: version } = serde_json::from_str(text).map_err(damaged)?;
        if !(1..=VERSION).contains(&version) {
            return Err(format!("is of format {version}; this feedline reads 1 and {VERSION}"));
        }
        let text: Text = serde_json::from_str(text).map_err(damaged)?;
        let shards = match (version, text.files, text.shards) {
            (1, Some(files), _) => files.into_iter().map(|file| vec![file]).collect(),
            (VERSION, _, Some(shards)) => shards,
            _ => return Err("is damaged: it names no files".into()),
        };
        text.element_spec.check().map_err(|reason| format!("is damaged: {reason}"))?;
        Ok(Description { elements: text.elements, shards, element_spec: text.element_spec })
    }
}

/// A dict's keys, in the order that whoever saved it had them in; leaves are anything else. Structures of ours are sorted by key: this is for
/// languages whose dicts have an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrder {
    /// A tensor.
    Leaf,
    /// Several, by place.
    Tuple(Vec<KeyOrder>),
    /// Several, by name.
    Dict(Vec<(String, KeyOrder)>),
}

/// A spec as the text has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SavedSpec {
    Tuple(Vec<SavedSpec>),
    Dict(Vec<(String, SavedSpec)>),
    Tensor(SavedTensor),
}

/// A tensor, plain, ragged or sparse, by its own type and shape, not by those of its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedTensor {
    dtype: DType,
    shape: Shape,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ragged_rank: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sparse: Option<bool>,
}

/// A plain tensor of an element, and the number it is saved under.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) number: usize,
    pub(super) spec: TensorSpec,
}

impl SavedSpec {
    /// That of elements of spec `spec`, with keys in the order of `order` as far as it is one of these; `None` if there is a dataset in them.
    pub(super) fn of(spec: &ElementSpec, order: &KeyOrder) -> Option<SavedSpec> {
        Some(match spec {
            Structure::Leaf(TensorSpec { dtype, shape }) => {
                SavedSpec::Tensor(SavedTensor::plain(*dtype, shape.clone()))
            }
            Structure::Composite(Composite::Ragged, parts) => SavedSpec::Tensor(SavedTensor::ragged(parts)),
            Structure::Composite(Composite::Sparse, parts) => SavedSpec::Tensor(SavedTensor::sparse(parts)),
            Structure::Dataset(..) => return None,
            Structure::Tuple(parts) => {
                let order_of = |place| match order {
                    KeyOrder::Tuple(orders) => orders.get(place).unwrap_or(&KeyOrder::Leaf),
                    _ => &KeyOrder::Leaf,
                };
                let parts =
                    parts.iter().enumerate().map(|(place, part)| SavedSpec::of(part, order_of(place)));
                SavedSpec::Tuple(parts.collect::<Option<_>>()?)
            }
            Structure::Dict(parts) => {
                let orders: &[(String, KeyOrder)] = match order {
                    KeyOrder::Dict(orders) => orders,
                    _ => &[],
                };
                let mut saved = parts
                    .iter()
                    .map(|(key, part)| {
                        let place = orders.iter().position(|(name, _)| name == key);
                        let order = place.map_or(&KeyOrder::Leaf, |place| &orders[place].1);
                        Some((place, key.clone(), SavedSpec::of(part, order)?))
                    })
                    .collect::<Option<Vec<_>>>()?;
                // Stable, so that keys nobody named stay sorted.
                saved.sort_by_key(|(place, ..)| place.unwrap_or(usize::MAX));
                SavedSpec::Dict(saved.into_iter().map(|(_, key, spec)| (key, spec)).collect())
            }
        })
    }

    /// The order of the keys in it.
    pub(super) fn key_order(&self) -> KeyOrder {
        match self {
            SavedSpec::Tensor(_) => KeyOrder::Leaf,
            SavedSpec::Tuple(parts) => KeyOrder::Tuple(parts.iter().map(SavedSpec::key_order).collect()),
            SavedSpec::Dict(parts) => {
                KeyOrder::Dict(parts.iter().map(|(key, part)| (key.clone(), part.key_order())).collect())
            }
        }
    }

    /// The plain tensors, in the structure that the elements have.
    pub(super) fn parts(&self) -> Structure<Part> {
        self.parts_from(&mut 0)
    }

    fn parts_from(&self, next: &mut usize) -> Structure<Part> {
        match self {
            SavedSpec::Tuple(parts) => {
                Structure::Tuple(parts.iter().map(|part| part.parts_from(next)).collect())
            }
            SavedSpec::Dict(parts) => {
                // Numbered in the order of the text, whatever that of the map is.
                let parts = parts.iter().map(|(key, part)| (key.clone(), part.parts_from(next)));
                Structure::Dict(parts.collect::<BTreeMap<_, _>>())
            }
            SavedSpec::Tensor(tensor) => {
                let mut numbered = |spec| {
                    *next += 1;
                    Part { number: *next - 1, spec }
                };
                match tensor.kind() {
                    None => Structure::Leaf(numbered(TensorSpec::new(tensor.dtype, tensor.shape.clone()))),
                    Some(kind) => {
                        let specs = match kind {
                            Composite::Ragged => tensor.ragged_parts(),
                            Composite::Sparse => tensor.sparse_parts(),
                        };
                        Structure::Composite(kind, specs.into_iter().map(numbered).collect())
                    }
                }
            }
        }
    }

    /// What cannot be, in words.
    fn check(&self) -> Result<(), String> {
        match self {
            SavedSpec::Tuple(parts) => parts.iter().try_for_each(SavedSpec::check),
            SavedSpec::Dict(parts) => {
                let mut keys: Vec<&str> = parts.iter().map(|(key, _)| key.as_str()).collect();
                keys.sort_unstable();
                if let Some([key, ..]) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(format!("the key {key:?} is there twice"));
                }
                parts.iter().try_for_each(|(_, part)| part.check())
            }
            SavedSpec::Tensor(tensor) => match (tensor.ragged_rank, tensor.shape.rank()) {
                (Some(rank), Some(dims)) if rank < dims => Ok(()),
                (Some(rank), _) => {
                    Err(format!("a tensor of shape {} has no {rank} ragged dimensions", tensor.shape))
                }
                (None, _) => Ok(()),
            },
        }
    }
}

impl SavedTensor {
    fn plain(dtype: DType, shape: Shape) -> SavedTensor {
        SavedTensor { dtype, shape, ragged_rank: None, sparse: None }
    }

    /// That of these parts: values, and where rows begin, from the outermost dimension.
    fn ragged(parts: &[TensorSpec]) -> SavedTensor {
        let (values, splits) = (&parts[0], &parts[1..]);
        let dims = |spec: &TensorSpec| spec.shape.dims().unwrap_or_default().to_vec();
        let shape = match splits.first() {
            None if dims(values).is_empty() => vec![None],
            None => dims(values),
            Some(outermost) => {
                let rows = dims(outermost).first().copied().flatten().and_then(|ends| ends.checked_sub(1));
                let inner = dims(values).into_iter().skip(1);
                std::iter::once(rows).chain(splits.iter().map(|_| None)).chain(inner).collect()
            }
        };
        let shape = Shape::new(shape);
        SavedTensor { ragged_rank: Some(splits.len()), ..SavedTensor::plain(values.dtype, shape) }
    }

    fn sparse(parts: &[TensorSpec]) -> SavedTensor {
        let rank = parts[2].shape.dims().and_then(|dims| dims.first().copied().flatten());
        let shape = rank.map_or(Shape::UNKNOWN, |rank| Shape::new(vec![None; rank]));
        SavedTensor { sparse: Some(true), ..SavedTensor::plain(parts[1].dtype, shape) }
    }

    fn kind(&self) -> Option<Composite> {
        match (self.ragged_rank, self.sparse) {
            (Some(_), _) => Some(Composite::Ragged),
            (None, Some(true)) => Some(Composite::Sparse),
            (None, _) => None,
        }
    }

    fn ragged_parts(&self) -> Vec<TensorSpec> {
        let (rank, dims) = (self.ragged_rank.unwrap_or(0), self.shape.dims().unwrap_or_default());
        let inner = dims.iter().skip(rank + 1).copied();
        let values = TensorSpec::new(self.dtype, Shape::new(std::iter::once(None).chain(inner).collect()));
        let mut rows = Some(1_usize);
        let splits = dims.iter().take(rank).map(|dim| {
            rows = rows.zip(*dim).and_then(|(rows, dim)| rows.checked_mul(dim));
            TensorSpec::new(DType::Int64, Shape::new(vec![rows.and_then(|rows| rows.checked_add(1))]))
        });
        std::iter::once(values).chain(splits).collect()
    }

    fn sparse_parts(&self) -> Vec<TensorSpec> {
        let rank = self.shape.rank();
        vec![
            TensorSpec::new(DType::Int64, Shape::new(vec![None, rank])),
            TensorSpec::new(self.dtype, Shape::new(vec![None])),
            TensorSpec::new(DType::Int64, Shape::new(vec![rank])),
        ]
    }
}

impl Serialize for SavedSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = match self {
            SavedSpec::Tensor(tensor) => return tensor.serialize(serializer),
            _ => serializer.serialize_map(Some(1))?,
        };
        match self {
            SavedSpec::Tuple(parts) => map.serialize_entry("tuple", parts)?,
            SavedSpec::Dict(parts) => map.serialize_entry("dict", &Ordered(parts.clone()))?,
            SavedSpec::Tensor(_) => {}
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for SavedSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SavedSpec, D::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "snake_case")]
        enum Key {
            Tuple,
            Dict,
            Dtype,
            Shape,
            RaggedRank,
            Sparse,
        }
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = SavedSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("what a tensor is, or a tuple or a dict of them")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SavedSpec, A::Error> {
                let (mut dtype, mut shape, mut ragged_rank, mut sparse) = (None, None, None, None);
                while let Some(key) = map.next_key()? {
                    match key {
                        Key::Tuple => {
                            return map.next_value().map(SavedSpec::Tuple).and_then(|spec| alone(map, spec));
                        }
                        Key::Dict => {
                            let Ordered(parts) = map.next_value()?;
                            return alone(map, SavedSpec::Dict(parts));
                        }
                        Key::Dtype => dtype = Some(map.next_value()?),
                        Key::Shape => shape = Some(map.next_value()?),
                        Key::RaggedRank => ragged_rank = Some(map.next_value()?),
                        Key::Sparse => sparse = Some(map.next_value()?),
                    }
                }
                let dtype = dtype.ok_or_else(|| A::Error::missing_field("dtype"))?;
                let shape = shape.ok_or_else(|| A::Error::missing_field("shape"))?;
                Ok(SavedSpec::Tensor(SavedTensor { dtype, shape, ragged_rank, sparse }))
            }
        }
        /// What came, if nothing else is beside it.
        fn alone<'de, A: MapAccess<'de>>(mut map: A, spec: SavedSpec) -> Result<SavedSpec, A::Error> {
            match map.next_key::<String>()? {
                None => Ok(spec),
                Some(key) => Err(A::Error::custom(format!("{key:?} beside a structure"))),
            }
        }
        deserializer.deserialize_map(Read)
    }
}

/// An object with its order.
struct Ordered(Vec<(String, SavedSpec)>);

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, part)| (key, part)))
    }
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Ordered;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a dict")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = map.next_entry()? {
                    parts.push(part);
                }
                Ok(Ordered(parts))
            }
        }
        deserializer.deserialize_map(Read)
    }
}
