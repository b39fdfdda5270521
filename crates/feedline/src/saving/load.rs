//! A saved dataset, read back.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use feedline_data::block::{Buffer, Strings, Tensor};
use feedline_data::{Composite, DType, ElementSpec, Structure, TensorSpec};
use feedline_exec::ExecError;
use feedline_io::{Error as IoError, ErrorKind as IoErrorKind, shown};
use feedline_plan::expr::{Feature, Features};
use feedline_plan::{Expr, FileFormat, Plan, Symbolic, ops};

use super::description::{DESCRIPTION, Description, KeyOrder, Part};
use super::encode::{has_free_shape, is_text, shape_name, values_name};
use super::journal::Journal;
use crate::{Dataset, Result};

/// A folder that [`Dataset::save`] wrote.
#[derive(Clone, Debug)]
pub struct SavedDataset {
    folder: PathBuf,
    description: Arc<Description>,
}

impl SavedDataset {
    /// The dataset in the folder `path`. Reads its description, and none of the elements.
    ///
    /// # Errors
    /// If none was saved there, or not to the end, or its description is damaged or of a later version.
    pub fn open(path: impl AsRef<Path>) -> Result<SavedDataset> {
        let folder = path.as_ref().to_owned();
        let path = folder.join(DESCRIPTION);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(nothing_saved(&folder).into()),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(damaged(&path, "is no text").into());
            }
            Err(error) => return Err(IoError::io(path, "read", error).into()),
        };
        let description = Description::of_text(&text).map_err(|reason| damaged(&path, &reason))?;
        Ok(SavedDataset { folder, description: Arc::new(description) })
    }

    /// Whether a dataset was saved to the folder `path`, to the end.
    pub fn is_in(path: impl AsRef<Path>) -> bool {
        path.as_ref().join(DESCRIPTION).exists()
    }

    /// How many elements it has.
    pub fn num_elements(&self) -> u64 {
        self.description.elements
    }

    /// What is known about every element.
    pub fn element_spec(&self) -> ElementSpec {
        self.description.element_spec.parts().map(|part| part.spec.clone())
    }

    /// The order that the keys of its elements had where it was saved.
    pub fn key_order(&self) -> KeyOrder {
        self.description.element_spec.key_order()
    }

    /// Its elements, in the order they were saved in; those of shards that a function gave, one of each in turn.
    #[track_caller]
    #[must_use]
    pub fn elements(&self) -> Dataset {
        let num_shards = self.description.shards.len().max(1);
        // Records take turns, not what is made of them: so all of them are parsed together.
        let records = self.shards().interleave(|shard| records_of(&shard)).cycle_length(num_shards);
        self.restored(&records.assert_cardinality(self.num_elements()))
    }

    /// Its shards, each as something that [`elements_of`](SavedDataset::elements_of) makes a dataset of in the functions of
    /// [`Dataset::flat_map`] and [`Dataset::interleave`].
    #[track_caller]
    #[must_use]
    pub fn shards(&self) -> Dataset {
        let shards = &self.description.shards;
        let paths =
            shards.iter().flatten().map(|file| self.folder.join(file).into_os_string().into_encoded_bytes());
        let paths: Strings = paths.collect();
        let ends = shards.iter().scan(0, |end, files| {
            *end += files.len() as i64;
            Some(*end)
        });
        let ends: Vec<i64> = std::iter::once(0).chain(ends).collect();
        let parts =
            vec![Tensor::from_strings(vec![paths.len()], paths), Tensor::from_vec(vec![ends.len()], ends)];
        Dataset::from_tensor_slices(Structure::Composite(Composite::Ragged, parts))
    }

    /// The elements of one of its [`shards`](SavedDataset::shards).
    #[track_caller]
    #[must_use]
    pub fn elements_of(&self, shard: impl Into<Symbolic>) -> Dataset {
        self.restored(&records_of(&shard.into()))
    }

    /// The elements that these records are.
    #[track_caller]
    fn restored(&self, records: &Dataset) -> Dataset {
        let parts = self.description.element_spec.parts();
        let leaves: Vec<Part> = parts.leaves().into_iter().cloned().collect();
        let features = features_of(&leaves);
        if !leaves.iter().any(|part| has_free_shape(&part.spec)) {
            return records.map(|record| {
                let parsed = ops::parse_single_example(record, features);
                put_together(&parts, leaves.iter().map(|part| value_of(&parsed, part)))
            });
        }
        // No operation has a shape as a value: Rust code gives the tensors theirs.
        let specs = || leaves.iter().map(|part| Structure::Leaf(part.spec.clone()));
        let output = Structure::Tuple(specs().collect());
        let flat: Vec<TensorSpec> = leaves.iter().map(|part| part.spec.clone()).collect();
        records
            .map(|record| {
                let parsed = ops::parse_single_example(record, features);
                Symbolic::tuple(leaves.iter().map(|part| {
                    if has_free_shape(&part.spec) {
                        let shape = parsed.get(&shape_name(part.number));
                        Symbolic::tuple([parsed.get(&values_name(part.number)), shape])
                    } else {
                        value_of(&parsed, part)
                    }
                }))
            })
            .map_native("give saved tensors their shapes", output, move |element| {
                let mut tensors = element.leaves().into_iter();
                let mut next = || tensors.next().cloned().ok_or("a tensor is missing");
                let shaped = flat.iter().map(|spec| {
                    let values = next()?;
                    Ok(Structure::Leaf(if has_free_shape(spec) {
                        shaped(&values, &next()?, spec)?
                    } else {
                        values
                    }))
                });
                shaped.collect::<std::result::Result<_, Box<_>>>().map(Structure::Tuple)
            })
            .map(|element| put_together(&parts, (0..leaves.len()).map(|place| element.at(place))))
    }
}

#[track_caller]
fn records_of(files: &Symbolic) -> Dataset {
    Dataset::of_plan(Plan::files_of(files, FileFormat::TfRecord))
}

fn features_of(parts: &[Part]) -> Features {
    let mut features = Vec::new();
    for part in parts {
        let values = if is_text(part.spec.dtype) {
            Feature::ragged(DType::String)
        } else {
            Feature::fixed_len(&[], DType::String)
        };
        features.push((values_name(part.number), values));
        if has_free_shape(&part.spec) {
            features.push((shape_name(part.number), Feature::ragged(DType::Int64)));
        }
    }
    features.into_iter().collect()
}

/// A tensor whose shape is known but for one dimension.
fn value_of(parsed: &Symbolic, part: &Part) -> Symbolic {
    let TensorSpec { dtype, shape } = &part.spec;
    let values = parsed.get(&values_name(part.number));
    let values = match dtype {
        dtype if is_text(*dtype) => values,
        DType::Bool => ops::decode_raw(values, DType::UInt8, true).ne(0),
        dtype => ops::decode_raw(values, *dtype, true),
    };
    ops::reshape(values, shape.clone())
}

/// The element of these tensors, leaf after leaf.
fn put_together(parts: &Structure<Part>, leaves: impl Iterator<Item = Symbolic>) -> Symbolic {
    let exprs = leaves.map(|leaf| match leaf.to_structure()? {
        Structure::Leaf(expr) => Ok(expr),
        other => Err(feedline_plan::PlanError::internal(format!("a part of an element is {other}"))),
    });
    match exprs.collect::<feedline_plan::Result<Vec<Expr>>>() {
        Ok(exprs) => Symbolic::from(parts.with_leaves(exprs)),
        Err(error) => Symbolic::of_error(error),
    }
}

/// A tensor of the values that a record has, and of the shape it says.
fn shaped(values: &Tensor, shape: &Tensor, spec: &TensorSpec) -> std::result::Result<Tensor, String> {
    let found: &[i64] = shape.as_slice();
    let dims: Option<Vec<usize>> = found.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let dims = dims.filter(|dims| spec.shape.admits(dims));
    let dims = dims.ok_or_else(|| format!("a saved tensor says that its shape is {found:?}, of {spec}"))?;
    let wanted = dims.iter().try_fold(1_usize, |size, &dim| size.checked_mul(dim));
    let strings = values.strings().ok_or("a saved tensor has no values")?;
    let Some(width) = spec.dtype.width() else {
        if wanted != Some(strings.len()) {
            return Err(format!(
                "a saved tensor has {} strings, and says that its shape is {dims:?}",
                strings.len()
            ));
        }
        return Ok(Tensor::from_strings(dims, strings.clone()));
    };
    let bytes = strings.get(0);
    if wanted.and_then(|wanted| wanted.checked_mul(width)) != Some(bytes.len()) {
        return Err(format!("a saved tensor has {} bytes, and says that its shape is {dims:?}", bytes.len()));
    }
    if spec.dtype == DType::Bool {
        let bools: Vec<bool> = bytes.iter().map(|&byte| byte != 0).collect();
        return Ok(Tensor::from_bools(dims, &bools));
    }
    // Aligned as any value wants it.
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    };
    let buffer = Buffer::from_vec(bytes.chunks(8).map(word).collect()).slice(0..bytes.len());
    Ok(Tensor::from_buffer(spec.dtype, dims, buffer))
}

fn nothing_saved(folder: &Path) -> IoError {
    let missing = |found: String| IoError::new(IoErrorKind::NotFound, folder, "load", found);
    if let Some(how_far) = Journal::how_far(folder) {
        return missing(how_far).with_hint("call save again with the same dataset, and it goes on");
    }
    missing(format!("it has no {DESCRIPTION}: no dataset was saved there"))
        .with_hint("check the spelling; `save` makes such a folder")
}

fn damaged(path: &Path, reason: &str) -> ExecError {
    let error = ExecError::data(format!("load: {} {reason}", shown(path)));
    error.with_hint("save the dataset again to another folder, or fetch this file again")
}
