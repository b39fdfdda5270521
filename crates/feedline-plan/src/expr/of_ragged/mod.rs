//! Operations of ragged tensors, put together of those of plain ones: nothing of it is known to the engine.
//!
//! What a ragged tensor is made of says how. Operations of single values are computed of the values of all rows at once; rows are chosen, joined and
//! cut by computing which values are wanted; what is computed of a whole row is computed of rows that are filled up to one length, by what
//! changes nothing.

mod join;
mod places;
mod reduce;
mod rows;
mod strings;

use feedline_data::block::Tensor;
use feedline_data::{Composite, DType, Structure};

use super::catalogue::Operation;
use super::symbolic::Form;
use super::{Attribute, Expr, Slice, Symbolic};
use crate::ops;
use crate::{PlanError, Result};
pub(super) use rows::{entry_at, numbers_of_rows};

/// A ragged tensor, taken apart.
#[derive(Clone)]
pub(super) struct Ragged {
    /// The values of all rows.
    pub(super) values: Symbolic,
    /// Where the rows of each ragged dimension begin and the last one ends, the outermost first: one at least.
    pub(super) splits: Vec<Symbolic>,
}

impl Ragged {
    /// The parts of a ragged tensor; `None` if it is none.
    pub(super) fn of(value: &Symbolic) -> Option<Ragged> {
        let Symbolic(Ok(Form::Traced(Structure::Composite(Composite::Ragged, parts)))) = value else {
            return None;
        };
        let mut parts = parts.iter().map(|part| Symbolic::from(Structure::Leaf(part.clone())));
        let values = parts.next()?;
        let splits: Vec<Symbolic> = parts.collect();
        (!splits.is_empty()).then_some(Ragged { values, splits })
    }

    fn rank(&self) -> usize {
        self.splits.len()
    }

    /// The dimensions of a value and the ragged ones in front of it; `None` where that is not known.
    fn num_dims(&self) -> Option<usize> {
        Some(self.rank() + rank_of(&self.values)?)
    }

    /// What the rows are rows of.
    fn inner(&self) -> Symbolic {
        if self.rank() == 1 {
            return self.values.clone();
        }
        Ragged { values: self.values.clone(), splits: self.splits[1..].to_vec() }.together()
    }

    /// The ragged tensor whose rows are rows of `inner`, a plain or ragged one.
    fn of_inner(splits: Symbolic, inner: &Symbolic) -> Symbolic {
        let inner = Ragged::of(inner).unwrap_or_else(|| Ragged { values: inner.clone(), splits: vec![] });
        let splits = std::iter::once(splits).chain(inner.splits).collect();
        Ragged { values: inner.values, splits }.together()
    }

    /// The same rows of other values.
    fn with_values(&self, values: Symbolic) -> Symbolic {
        Ragged { values, splits: self.splits.clone() }.together()
    }

    fn together(self) -> Symbolic {
        Symbolic::composite(Composite::Ragged, std::iter::once(self.values).chain(self.splits))
    }

    /// The number of rows.
    fn num_rows(&self) -> Symbolic {
        ops::size(&self.splits[0], DType::Int64) - 1
    }

    /// It, where its rows are those of `other`; else an error of the element.
    fn in_rows_of(&self, other: &Ragged, name: &str) -> Result<Ragged> {
        if self.rank() != other.rank() {
            return Err(PlanError::spec(format!(
                "{name}: tensors with {} and {} ragged dimensions",
                other.rank(),
                self.rank()
            )));
        }
        let message = format!("{name}: the rows of the two ragged tensors differ in length");
        let mut checks = Vec::new();
        for (own, wanted) in self.splits.iter().zip(&other.splits) {
            if !is_same(own, wanted) {
                checks.push(ops::assert_equal(
                    ops::size(own, DType::Int64),
                    ops::size(wanted, DType::Int64),
                    &message,
                ));
                checks.push(ops::assert_equal(own, wanted, &message));
            }
        }
        let values = if checks.is_empty() { self.values.clone() } else { self.values.after(checks) };
        Ok(Ragged { values, splits: other.splits.clone() })
    }
}

/// The operation of these tensors, of which one is ragged; `None` if none is.
pub(super) fn call(
    operation: &'static Operation,
    tensors: &[Symbolic],
    attributes: &[Attribute],
) -> Option<Result<Symbolic>> {
    let first = tensors.iter().find_map(Ragged::of)?;
    Some(called(operation, tensors, attributes, &first))
}

fn called(
    operation: &'static Operation,
    tensors: &[Symbolic],
    attributes: &[Attribute],
    first: &Ragged,
) -> Result<Symbolic> {
    if operation.is_by_value {
        return by_value(operation, tensors, attributes, first);
    }
    let of_values = || Symbolic::call(operation, std::slice::from_ref(&first.values), attributes.to_vec());
    let is_first = Ragged::of(&tensors[0]).is_some();
    match (operation.name, attributes) {
        ("concat", [Attribute::Int(axis)]) => join::concat(tensors, *axis),
        ("stack", [Attribute::Int(0)]) => join::stack(tensors),
        _ if !is_first => Err(refused(operation, tensors)),
        ("zeros_like" | "ones_like", _) => Ok(first.with_values(of_values())),
        ("size", _) => Ok(of_values()),
        ("rank", _) => match first.num_dims() {
            Some(dims) => Ok(Symbolic::from(Tensor::from_vec(vec![], vec![dims as i32]))),
            None => Err(refused(operation, tensors)),
        },
        ("expand_dims", [Attribute::Int(axis)]) => join::expand_dims(first, *axis),
        ("strided_slice", [Attribute::Slices(entries)]) => {
            rows::sliced(&tensors[0], &expanded(first, entries)?)
        }
        ("cumsum", [Attribute::Int(axis), others @ ..]) => places::cumsum(operation, first, *axis, others),
        ("true_indices", _) => Ok(places::true_indices(first)),
        ("gather", [Attribute::Int(0)]) => rows::gather(first, &tensors[1]),
        ("boolean_mask", [Attribute::Int(0)]) => rows::boolean_mask(first, &tensors[1]),
        ("reverse", _) => rows::reverse(first, &attributes[0]),
        ("one_hot", [.., Attribute::Int(-1), _]) | ("lookup.find" | "lookup.find_or_hash", _) => {
            let values = std::iter::once(first.values.clone()).chain(tensors[1..].iter().cloned());
            let of_each = Symbolic::call(operation, &values.collect::<Vec<_>>(), attributes.to_vec());
            Ok(first.with_values(of_each))
        }
        (name, [axis, Attribute::Bool(keepdims)]) if name.starts_with("reduce_") => {
            reduce::reduce(operation, first, axis, *keepdims)
        }
        ("strings.reduce_join", [axis, Attribute::Bool(keepdims), Attribute::Text(separator)]) => {
            strings::reduce_join(first, axis, *keepdims, separator)
        }
        ("strings.unicode_encode", _) => strings::unicode_encode(operation, first, attributes),
        ("strings.split" | "strings.bytes_split" | "strings.unicode_split" | "strings.unicode_decode", _) => {
            strings::split(first, &of_values())
        }
        _ => Err(refused(operation, tensors)),
    }
}

/// Each value of the result comes of the values at its place.
fn by_value(
    operation: &'static Operation,
    tensors: &[Symbolic],
    attributes: &[Attribute],
    first: &Ragged,
) -> Result<Symbolic> {
    let mut values = Vec::with_capacity(tensors.len());
    for tensor in tensors {
        values.push(match Ragged::of(tensor) {
            Some(ragged) => ragged.in_rows_of(first, operation.name)?.values,
            None => beside(tensor, first).ok_or_else(|| refused(operation, tensors))?,
        });
    }
    Ok(first.with_values(Symbolic::call(operation, &values, attributes.to_vec())))
}

/// A plain tensor as it is used beside the values of a ragged one, by the rules of broadcasting: one value, one for each place within a value, or
/// one for each row. `None` if it is none of these, or may be another.
fn beside(tensor: &Symbolic, ragged: &Ragged) -> Option<Symbolic> {
    if matches!(tensor.0, Ok(Form::Integer(_) | Form::Float(_))) || tensor.0.is_err() {
        return Some(tensor.clone());
    }
    let Structure::Leaf(expr) = tensor.to_structure().ok()? else { return None };
    let dims = expr.spec().shape.dims()?.to_vec();
    let of_value = rank_of(&ragged.values)? - 1;
    if dims.len() <= of_value {
        return Some(tensor.clone());
    }
    let (outer, _) = dims.split_at(dims.len() - of_value);
    if outer.iter().all(|&dim| dim == Some(1)) && outer.len() <= ragged.rank() + 1 {
        return Some(ops::squeeze(tensor, (0..outer.len() as i64).collect::<Vec<i64>>()));
    }
    let is_of_rows = outer.len() == 2 && ragged.rank() == 1 && outer[1] == Some(1);
    is_of_rows.then(|| {
        let num_given = ops::shape(tensor, DType::Int64).index(0);
        let message = "a plain tensor has another number of rows than the ragged one beside it";
        let of_rows = tensor.after([ops::assert_equal(num_given, ragged.num_rows(), message)]);
        ops::gather(ops::squeeze(of_rows, 1_i64), rows::row_ids(ragged), 0)
    })
}

/// What there is no such operation for, and what there is instead.
fn refused(operation: &Operation, tensors: &[Symbolic]) -> PlanError {
    let shown = tensors.iter().filter_map(|tensor| tensor.to_structure().ok()).map(|each| match each {
        Structure::Composite(kind, parts) => {
            format!("a {kind} tensor of {}", parts[kind.values_part()].spec())
        }
        plain => plain.map(|expr: &Expr| expr.spec().to_string()).to_string(),
    });
    let shown: Vec<String> = shown.collect();
    PlanError::spec(format!("{} cannot take {}", operation.name, shown.join(", "))).with_hint(
        "to_tensor makes a plain tensor of a ragged one; what is computed of each value on its own can be computed of its flat_values",
    )
}

/// Entries without an ellipsis.
fn expanded(ragged: &Ragged, entries: &[Slice]) -> Result<Vec<Slice>> {
    let Some(place) = entries.iter().position(|entry| *entry == Slice::Ellipsis) else {
        return Ok(entries.to_vec());
    };
    let Some(num_dims) = ragged.num_dims() else {
        return Err(PlanError::spec("`...` of a ragged tensor whose number of dimensions is not known"));
    };
    let taking = entries.iter().filter(|entry| matches!(entry, Slice::At(_) | Slice::Range { .. })).count();
    let whole = vec![Slice::ALL; num_dims.saturating_sub(taking)];
    Ok([&entries[..place], &whole, &entries[place + 1..]].concat())
}

fn rank_of(tensor: &Symbolic) -> Option<usize> {
    match tensor.to_structure().ok()? {
        Structure::Leaf(expr) => expr.spec().shape.rank(),
        _ => None,
    }
}

fn dtype_of(tensor: &Symbolic) -> Result<DType> {
    match tensor.to_structure()? {
        Structure::Leaf(expr) => Ok(expr.spec().dtype),
        other => Err(PlanError::internal(format!("{other} in the place of a tensor"))),
    }
}

/// Whether two are computed by one and the same node.
fn is_same(one: &Symbolic, two: &Symbolic) -> bool {
    match (one.to_structure(), two.to_structure()) {
        (Ok(Structure::Leaf(one)), Ok(Structure::Leaf(two))) => {
            std::ptr::eq(one.node(), two.node()) && one.output() == two.output()
        }
        _ => false,
    }
}

/// One int64.
fn int64(value: i64) -> Symbolic {
    Symbolic::from(Tensor::from_vec(vec![], vec![value]))
}
