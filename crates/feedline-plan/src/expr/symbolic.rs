//! What a user's function gets while it is traced: values that record what is done to them.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::panic::Location;

use feedline_data::block::{Strings, Tensor};
use feedline_data::{Composite, DType, ElementSpec, Structure};

use super::catalogue::{ArgumentKind, Operation, operations, parsing, ragged, strings, tables};
use super::given::fix_constants;
use super::number::{tensor_of_float, tensor_of_integer};
use super::{Attribute, Expr, ExprKind, Feature, Features, IntoSlices, Slice, composing, of_ragged};
use crate::depth::within_depth;
use crate::{PlanError, Result};

/// An element, or a part of one, that will be computed: a tensor, or a tuple or dictionary of them.
///
/// Doing something with it records what was done. A mistake (adding a string to a number) makes everything that
/// comes of it a mistake too, and the step that was being built reports the first, with its line.
///
/// ```
/// use feedline_data::{DType, ElementSpec, Structure, TensorSpec};
/// use feedline_plan::{Symbolic, ops};
///
/// let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
/// let x = Symbolic::of_spec(&spec);
/// let y = ops::cast(x.clone() * 2 + 1, DType::Float32) / 3.0;
/// assert_eq!(y.to_structure().unwrap().to_string(), "truediv(cast(add(multiply(x0, 2), 1), dtype=float32), 3)");
/// assert!((x + "one").to_structure().unwrap_err().to_string().contains("int64"));
/// ```
#[derive(Clone, Debug)]
pub struct Symbolic(pub(super) Result<Form>);

#[derive(Clone, Debug)]
pub(super) enum Form {
    Traced(Structure<Expr>),
    /// A number as written in code: it takes the type of the tensor it meets, where that is exact.
    Integer(i64),
    Float(f64),
}

impl Symbolic {
    /// The element of a dataset with that spec.
    pub fn of_spec(spec: &ElementSpec) -> Symbolic {
        let mut leaf = 0;
        Symbolic::from(spec.in_functions().map(|spec| {
            let input = Expr::input(leaf, spec.clone());
            leaf += 1;
            input
        }))
    }

    /// What a function gives that could not be traced: the step that was being built reports `error`.
    pub fn of_error(error: PlanError) -> Symbolic {
        Symbolic(Err(error))
    }

    /// The expressions it stands for; numbers as written become int32 and float32, as TensorFlow's lists do.
    pub fn to_structure(&self) -> Result<Structure<Expr>> {
        Ok(match self.0.clone()? {
            Form::Traced(structure) => structure,
            Form::Integer(value) => {
                // By itself it has the type TensorFlow gives it.
                let dtype = if i32::try_from(value).is_ok() { DType::Int32 } else { DType::Int64 };
                Structure::Leaf(Expr::constant(tensor_of_integer(value, dtype)?))
            }
            Form::Float(value) => Structure::Leaf(Expr::constant(tensor_of_float(value, DType::Float32)?)),
        })
    }

    /// It as a tensor; a number as written takes the type `dtype`.
    pub(crate) fn to_tensor_of(&self, dtype: DType, what: &str) -> Result<Expr> {
        match self.0.clone()? {
            Form::Traced(Structure::Leaf(expr)) => Ok(expr),
            Form::Traced(other) => Err(PlanError::spec(format!("{what} must be one tensor, not {other}"))),
            Form::Integer(value) => Ok(Expr::constant(tensor_of_integer(value, dtype)?)),
            Form::Float(value) => Ok(Expr::constant(tensor_of_float(value, dtype)?)),
        }
    }

    /// The tensors it stands for, if it depends on no element.
    pub fn as_constants(&self) -> Option<Structure<Tensor>> {
        let structure = self.to_structure().ok()?;
        let constant = |expr: &Expr| match &expr.node().kind {
            ExprKind::Constant(tensor) => Some(tensor.clone()),
            _ => None,
        };
        let tensors = structure.leaves().into_iter().map(constant).collect::<Option<Vec<_>>>()?;
        Some(structure.with_leaves(tensors))
    }

    /// The integer it stands for, if it was written as one.
    pub fn as_integer(&self) -> Option<i64> {
        match self.0 {
            Ok(Form::Integer(value)) => Some(value),
            _ => None,
        }
    }

    /// Part `key` of a dictionary.
    #[must_use]
    #[track_caller]
    pub fn get(&self, key: &str) -> Symbolic {
        let location = Location::caller();
        self.part(location, |structure| match structure {
            Structure::Dict(parts) => parts.get(key).cloned().ok_or_else(|| {
                let keys: Vec<&str> = parts.keys().map(String::as_str).collect();
                PlanError::spec(format!("no '{key}' among {}", keys.join(", ")))
            }),
            _ => Err(PlanError::spec(format!("'{key}' of {structure}, which is no dict"))),
        })
    }

    /// Part `index` of a tuple.
    #[must_use]
    #[track_caller]
    pub fn at(&self, index: usize) -> Symbolic {
        let location = Location::caller();
        self.part(location, |structure| match structure {
            Structure::Tuple(parts) => parts
                .get(index)
                .cloned()
                .ok_or_else(|| PlanError::spec(format!("part {index} of a tuple of {}", parts.len()))),
            _ => Err(PlanError::spec(format!("part {index} of {structure}, which is no tuple"))),
        })
    }

    /// A dictionary of parts.
    pub fn dict<K: Into<String>, V: Into<Symbolic>>(parts: impl IntoIterator<Item = (K, V)>) -> Symbolic {
        let parts = parts.into_iter().map(|(key, value)| Ok((key.into(), value.into().to_structure()?)));
        Symbolic(parts.collect::<Result<Vec<_>>>().map(|parts| Form::Traced(Structure::dict(parts))))
    }

    /// A tuple of parts.
    pub fn tuple(parts: impl IntoIterator<Item = Symbolic>) -> Symbolic {
        let parts: Result<Vec<_>> = parts.into_iter().map(|part| part.to_structure()).collect();
        Symbolic(parts.map(|parts| Form::Traced(Structure::Tuple(parts))))
    }

    /// An operation of the catalogue on these tensors. Several outputs come as a tuple, those of features as a dictionary.
    #[must_use]
    #[track_caller]
    pub fn call(operation: &'static Operation, tensors: &[Symbolic], attributes: Vec<Attribute>) -> Symbolic {
        let location = Location::caller();
        let called = Symbolic::called(operation, tensors, attributes, location);
        // A mistake that is in a tensor already is none of this function.
        if called.0.is_err() && tensors.iter().all(|tensor| tensor.0.is_ok()) {
            return Symbolic(called.0.map_err(|error| error.in_function(composing::current())));
        }
        called
    }

    fn called(
        operation: &'static Operation,
        tensors: &[Symbolic],
        attributes: Vec<Attribute>,
        location: &'static Location<'static>,
    ) -> Symbolic {
        if let Some(result) = Symbolic::call_of_sparse(operation, tensors, &attributes) {
            return Symbolic(result.map_err(|error| error.at(location)));
        }
        if let Some(result) = of_ragged::call(operation, tensors, &attributes) {
            // What is called on the way is called from here; the line is the user's.
            let result = result.and_then(|result| result.0);
            return Symbolic(result.map_err(|error| error.without_location().at(location)));
        }
        let features: Vec<Features> = attributes
            .iter()
            .filter_map(|attribute| match attribute {
                Attribute::Features(features) => Some(features.clone()),
                _ => None,
            })
            .collect();
        let is_string = |input: &Expr| input.spec().dtype == DType::String;
        let outputs = Symbolic::tensors_of(operation, tensors)
            .and_then(|mut inputs| {
                let mut attributes = attributes;
                fix_constants(operation, &mut inputs, &mut attributes);
                // `+` of strings puts them one behind the other, as TensorFlow's does.
                if operation.name == operations::add.name && inputs.iter().all(is_string) {
                    return Expr::call(
                        &strings::operations::join,
                        inputs,
                        vec![Attribute::Text(String::new())],
                    );
                }
                Expr::call(operation, inputs, attributes)
            })
            .and_then(within_depth);
        let structure = outputs.and_then(|mut outputs| {
            let num_outputs = outputs.len();
            Ok(match &features[..] {
                [features] => {
                    let num_splits = usize::from(num_outputs > features.len());
                    by_key(features, &mut outputs.into_iter(), num_splits)?
                }
                [context, lists] => {
                    let is_batch = operation.name == parsing::operations::parse_sequence_example.name;
                    sequences(context, lists, &mut outputs.into_iter(), is_batch)?
                }
                _ if outputs.len() == 1 => Structure::Leaf(outputs.remove(0)),
                _ if operation.gives.is_some() => {
                    Structure::Composite(operation.gives.unwrap_or(Composite::Ragged), outputs)
                }
                _ => Structure::Tuple(outputs.into_iter().map(Structure::Leaf).collect()),
            })
        });
        Symbolic(structure.map(Form::Traced).map_err(|error| error.at(location)))
    }

    /// An operation that computes each value on its own, of the values that a sparse tensor keeps; `None` if it is no such
    /// operation, or no such tensor. Of two tensors only what leaves 0 as it is: a product with one number, a quotient by one. What is looked up is
    /// so for the values that are kept: there is none where there is no key.
    fn call_of_sparse(
        operation: &'static Operation,
        tensors: &[Symbolic],
        attributes: &[Attribute],
    ) -> Option<Result<Form>> {
        let (Symbolic(Ok(Form::Traced(Structure::Composite(kind @ Composite::Sparse, parts)))), others) =
            tensors.split_first()?
        else {
            return None;
        };
        let is_factor = |other: &Symbolic| {
            other.to_structure().is_ok_and(|other| match other {
                Structure::Leaf(expr) => expr.spec().shape.rank() == Some(0),
                _ => false,
            })
        };
        let scales = [operations::multiply.name, operations::truediv.name].contains(&operation.name);
        let looks_up =
            [tables::operations::find.name, tables::operations::find_or_hash.name].contains(&operation.name);
        let is_scaled = others.is_empty() || scales && others.iter().all(is_factor);
        if !(looks_up || operation.is_by_value && is_scaled) {
            return None;
        }
        let mut parts = parts.clone();
        let values = Symbolic::from(Structure::Leaf(parts[kind.values_part()].clone()));
        let inputs: Vec<Symbolic> = std::iter::once(values).chain(others.iter().cloned()).collect();
        let computed = Symbolic::call(operation, &inputs, attributes.to_vec());
        Some(computed.to_structure().map(|computed| {
            if let Structure::Leaf(computed) = computed {
                parts[kind.values_part()] = computed;
            }
            Form::Traced(Structure::Composite(*kind, parts))
        }))
    }

    /// The tensors behind these values. Numbers as written take the type of the first tensor among them, else of the
    /// first number; conditions and indices stand apart.
    fn tensors_of(operation: &Operation, values: &[Symbolic]) -> Result<Vec<Expr>> {
        let stands_apart = |index: usize| {
            matches!(operation.tensor_kind(index), ArgumentKind::Condition | ArgumentKind::Indices)
        };
        let (mut of_tensors, mut of_numbers) = (None, None);
        for (index, value) in values.iter().enumerate() {
            match value.0.as_ref().map_err(Clone::clone)? {
                Form::Traced(Structure::Leaf(expr)) if !stands_apart(index) => {
                    of_tensors = of_tensors.or(Some(expr.spec().dtype));
                }
                Form::Traced(Structure::Leaf(_)) => {}
                Form::Traced(structure) => {
                    return Err(PlanError::spec(format!(
                        "{} takes tensors, not {structure}",
                        operation.name
                    )));
                }
                Form::Integer(_) => of_numbers = of_numbers.or(Some(DType::Int32)),
                Form::Float(_) => of_numbers = of_numbers.or(Some(DType::Float32)),
            }
        }
        let shared = of_tensors.or(of_numbers);
        let in_operation =
            |made: Result<Expr>| made.map_err(|error| error.in_step(operation.name_as_written()));
        let tensor = |(index, value): (usize, &Symbolic)| {
            let dtype = if stands_apart(index) { None } else { shared };
            match value.0.as_ref().map_err(Clone::clone)? {
                Form::Traced(Structure::Leaf(expr)) => Ok(expr.clone()),
                Form::Traced(_) => unreachable!("only leaves passed the loop above"),
                Form::Integer(number) => in_operation(
                    tensor_of_integer(*number, dtype.unwrap_or(DType::Int32)).map(Expr::constant),
                ),
                Form::Float(number) => in_operation(
                    tensor_of_float(*number, dtype.unwrap_or(DType::Float32)).map(Expr::constant),
                ),
            }
        };
        values.iter().enumerate().map(tensor).collect()
    }

    /// Place `index` of the first dimension, which goes; negative ones count from the end.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
    /// use feedline_plan::Symbolic;
    ///
    /// let image = TensorSpec::new(DType::UInt8, Shape::fixed(&[28, 28]));
    /// let x = Symbolic::of_spec(&ElementSpec::Leaf(image));
    /// assert_eq!(x.index(-1).to_structure()?.map(|row| row.spec().to_string()).to_string(), "uint8[28]");
    /// assert!(x.index(28).to_structure().is_err());
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn index(&self, index: i64) -> Symbolic {
        self.slice(Slice::At(index))
    }

    /// Parts of it by Python's rules: a number, a range, [`Slice::Ellipsis`] or [`Slice::NewAxis`], or a tuple of these.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
    /// use feedline_plan::Symbolic;
    /// use feedline_plan::expr::Slice;
    ///
    /// let image = TensorSpec::new(DType::UInt8, Shape::new(vec![None, Some(28), Some(3)]));
    /// let x = Symbolic::of_spec(&ElementSpec::Leaf(image));
    /// let cut = x.slice((.., 2..-2, 0)); // x[:, 2:-2, 0]
    /// assert_eq!(cut.to_structure()?.map(|part| part.spec().to_string()).to_string(), "uint8[?, 24]");
    /// let last_backwards = x.slice((Slice::Ellipsis, Slice::ALL.by(-1))); // x[..., ::-1]
    /// assert_eq!(last_backwards.to_structure()?.to_string(), "strided_slice(x0, slices=[..., ::-1])");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn slice(&self, slices: impl IntoSlices) -> Symbolic {
        let slices = Attribute::Slices(slices.into_slices());
        Symbolic::call(&operations::strided_slice, std::slice::from_ref(self), vec![slices])
    }

    /// It, computed after `checks`: where one of them fails for an element, that is the element's error, whether or not anything uses
    /// what the check gives.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, TensorSpec};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let x = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)));
    /// let halved = ops::floordiv(&x, 2).after([ops::assert_greater(&x, 0, "sizes")]);
    /// assert_eq!(
    ///     halved.to_structure()?.to_string(),
    ///     "after([assert_greater(x0, 0, message='sizes')], floordiv(x0, 2))"
    /// );
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn after(&self, checks: impl IntoIterator<Item = Symbolic>) -> Symbolic {
        let location = Location::caller();
        let checked = || {
            let structure = self.to_structure()?;
            let mut leaves: Vec<Expr> = structure.leaves().into_iter().cloned().collect();
            let mut exprs = Vec::new();
            for check in checks {
                exprs.extend(check.to_structure()?.leaves().into_iter().cloned());
            }
            // One of them is enough: where it fails, the element does.
            match leaves.first_mut() {
                Some(first) => *first = first.after(exprs),
                None => return Err(PlanError::spec("nothing comes after the checks")),
            }
            Ok(structure.with_leaves(within_depth(leaves)?))
        };
        Symbolic(checked().map(Form::Traced).map_err(|error: PlanError| error.at(location)))
    }

    fn part(
        &self,
        location: &'static Location<'static>,
        find: impl FnOnce(&Structure<Expr>) -> Result<Structure<Expr>>,
    ) -> Symbolic {
        let found = self.to_structure().and_then(|structure| find(&structure));
        Symbolic(found.map(Form::Traced).map_err(|error| error.at(location)))
    }
}

/// Outputs of an operation that reads records, by the keys of its features. Those of any length have their values and `num_splits` outputs that
/// say in which rows these are. The operation gives them all the same way, so that rules need not know which are to be sparse: that is a
/// call of its own.
fn by_key(
    features: &Features,
    outputs: &mut impl Iterator<Item = Expr>,
    num_splits: usize,
) -> Result<Structure<Expr>> {
    let mut next = || outputs.next().expect("an output for each feature");
    let mut parts = Vec::with_capacity(features.len());
    for (key, feature) in features.iter() {
        let part = match feature {
            Feature::VarLen { .. } => {
                let rows = (0..=num_splits).map(|_| next()).collect();
                let sparse = Expr::call(&ragged::operations::to_sparse, rows, vec![])?;
                Structure::Composite(Composite::Sparse, within_depth(sparse)?)
            }
            Feature::Ragged { .. } if num_splits > 0 => {
                Structure::Composite(Composite::Ragged, (0..=num_splits).map(|_| next()).collect())
            }
            _ => Structure::Leaf(next()),
        };
        parts.push((key, part));
    }
    Ok(Structure::dict(parts))
}

/// What is read of sequences: of contexts, of lists of steps, and in a batch the lengths of those lists that are filled up.
fn sequences(
    context: &Features,
    lists: &Features,
    outputs: &mut impl Iterator<Item = Expr>,
    is_batch: bool,
) -> Result<Structure<Expr>> {
    let of_batch = usize::from(is_batch);
    let mut parts = vec![by_key(context, outputs, of_batch)?, by_key(lists, outputs, 1 + of_batch)?];
    if is_batch {
        let filled = lists.iter().filter(|(_, feature)| !feature.has_any_length());
        parts.push(Structure::dict(
            filled.zip(outputs).map(|((key, _), length)| (key, Structure::Leaf(length))),
        ));
    }
    Ok(Structure::Tuple(parts))
}

impl From<Structure<Expr>> for Symbolic {
    fn from(structure: Structure<Expr>) -> Symbolic {
        Symbolic(Ok(Form::Traced(structure)))
    }
}

impl From<&Symbolic> for Symbolic {
    fn from(value: &Symbolic) -> Symbolic {
        value.clone()
    }
}

impl From<Tensor> for Symbolic {
    fn from(tensor: Tensor) -> Symbolic {
        Symbolic::from(Structure::Leaf(Expr::constant(tensor)))
    }
}

impl From<Structure<Tensor>> for Symbolic {
    fn from(tensors: Structure<Tensor>) -> Symbolic {
        Symbolic::from(tensors.map(|tensor| Expr::constant(tensor.clone())))
    }
}

impl From<i64> for Symbolic {
    fn from(value: i64) -> Symbolic {
        Symbolic(Ok(Form::Integer(value)))
    }
}

impl From<i32> for Symbolic {
    fn from(value: i32) -> Symbolic {
        Symbolic(Ok(Form::Integer(value.into())))
    }
}

impl From<f64> for Symbolic {
    fn from(value: f64) -> Symbolic {
        Symbolic(Ok(Form::Float(value)))
    }
}

impl From<f32> for Symbolic {
    fn from(value: f32) -> Symbolic {
        Symbolic(Ok(Form::Float(value.into())))
    }
}

impl From<bool> for Symbolic {
    fn from(value: bool) -> Symbolic {
        Symbolic::from(Tensor::from_bools(vec![], &[value]))
    }
}

impl From<&str> for Symbolic {
    fn from(text: &str) -> Symbolic {
        Symbolic::from(Tensor::from_strings(vec![], [text].iter().collect::<Strings>()))
    }
}

impl<A: Into<Symbolic>, B: Into<Symbolic>> From<(A, B)> for Symbolic {
    fn from((a, b): (A, B)) -> Symbolic {
        Symbolic::tuple([a.into(), b.into()])
    }
}

impl<A: Into<Symbolic>, B: Into<Symbolic>, C: Into<Symbolic>> From<(A, B, C)> for Symbolic {
    fn from((a, b, c): (A, B, C)) -> Symbolic {
        Symbolic::tuple([a.into(), b.into(), c.into()])
    }
}

/// The operators of the language, as calls of the catalogue.
macro_rules! operator {
    ($($trait:ident $method:ident $operation:ident),* $(,)?) => {
        $(impl<R: Into<Symbolic>> $trait<R> for Symbolic {
            type Output = Symbolic;

            #[track_caller]
            fn $method(self, right: R) -> Symbolic {
                Symbolic::call(&operations::$operation, &[self, right.into()], vec![])
            }
        }

        impl<R: Into<Symbolic>> $trait<R> for &Symbolic {
            type Output = Symbolic;

            #[track_caller]
            fn $method(self, right: R) -> Symbolic {
                Symbolic::call(&operations::$operation, &[self.clone(), right.into()], vec![])
            }
        })*
    };
}

operator! {
    Add add add, Sub sub subtract, Mul mul multiply, Div div truediv, Rem rem floormod,
}

/// Comparisons have methods, since Rust's operators for them return plain bools; powers have no operator.
macro_rules! comparison {
    ($($(#[$doc:meta])* $method:ident $operation:ident),* $(,)?) => {
        impl Symbolic {
            $($(#[$doc])*
            #[must_use]
            #[track_caller]
            pub fn $method(&self, right: impl Into<Symbolic>) -> Symbolic {
                Symbolic::call(&operations::$operation, &[self.clone(), right.into()], vec![])
            })*
        }
    };
}

comparison! {
    /// `self < right`, element by element.
    lt less,
    /// `self <= right`, element by element.
    le less_equal,
    /// `self > right`, element by element.
    gt greater,
    /// `self >= right`, element by element.
    ge greater_equal,
    /// `self == right`, element by element.
    eq equal,
    /// `self != right`, element by element.
    ne not_equal,
    /// `self` to the power of `right`, element by element.
    pow pow,
}

impl Neg for Symbolic {
    type Output = Symbolic;

    #[track_caller]
    fn neg(self) -> Symbolic {
        Symbolic::call(&operations::negative, &[self], vec![])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;
    use feedline_data::{Shape, TensorSpec};

    fn leaf(dtype: DType) -> Symbolic {
        Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(dtype)))
    }

    fn shown(value: &Symbolic) -> String {
        match value.to_structure() {
            Ok(structure) => structure.map(|expr| format!("{expr}: {}", expr.spec())).to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn numbers_take_the_tensors_type_where_exact() {
        let cases = [
            (leaf(DType::UInt8) + 255, "add(x0, 255): uint8[]"),
            (leaf(DType::Float32) * 0.5, "multiply(x0, 0.5): float32[]"),
            (leaf(DType::Int64) / 2, "truediv(x0, 2): float64[]"),
            (leaf(DType::Int32).lt(3), "less(x0, 3): bool[]"),
            (-leaf(DType::Int8), "negative(x0): int8[]"),
        ];
        for (value, expected) in cases {
            assert_eq!(shown(&value), expected);
        }
        let bad = [
            (leaf(DType::UInt8) + 256, "the number 256 is not exact in uint8"),
            (leaf(DType::Int64) + 0.5, "add: the number 0.5 beside a tensor of int64"),
            (leaf(DType::String) + 1, "add: the number 1 beside a tensor of string"),
            (leaf(DType::String) * 1.5, "multiply: the number 1.5 beside a tensor of string"),
            (leaf(DType::String) + 1, "strings.to_number makes a number"),
            (leaf(DType::Bool) + 1, "cast the tensor to a number first"),
            (leaf(DType::Float32) + ((1_i64 << 24) + 1), "is not exact in float32"),
            (leaf(DType::Int64) + leaf(DType::Int32), "the types int64 and int32 differ"),
            (-leaf(DType::UInt8), "takes signed numbers, not uint8"),
            (leaf(DType::String).lt("a"), "takes numbers, not string"),
        ];
        for (value, expected) in bad {
            let message = shown(&value);
            assert!(message.contains(expected), "{message}");
            assert!(message.contains("symbolic.rs:"), "the user's line: {message}");
        }
    }

    #[test]
    fn structures_are_taken_apart_and_put_together() {
        let spec = ElementSpec::dict([
            ("image", ElementSpec::Leaf(TensorSpec::new(DType::UInt8, Shape::fixed(&[2, 2])))),
            ("label", ElementSpec::Leaf(TensorSpec::scalar(DType::Int64))),
        ]);
        let x = Symbolic::of_spec(&spec);
        let pair = Symbolic::from((ops::reshape(x.get("image"), Shape::new(vec![None])), x.get("label") + 1));
        assert_eq!(shown(&pair), "(reshape(x0, shape=[?]): uint8[4], add(x1, 1): int64[])");
        assert_eq!(shown(&pair.at(1)), "add(x1, 1): int64[]");
        assert!(shown(&x.get("lable")).contains("no 'lable' among image, label"));
        assert!(shown(&x.at(0)).contains("no tuple"));
        assert!(shown(&(x + 1)).contains("takes tensors, not {'image'"));
    }
}
