//! `assert_shapes`: tensors whose shapes are said by sizes, and by names for sizes that are the same.

use std::collections::HashMap;
use std::panic::Location;

use feedline_data::{DType, Structure};

use super::catalogue::functions as ops;
use super::composing::Composing;
use super::{Expr, Symbolic};
use crate::{PlanError, Result};

/// The tensors, if they have these shapes; else an error, at once where that is known, and of the element where it is not. A shape is a word for each
/// dimension: a number for its size, a name for one that is the same wherever the name stands, `.` for any; `*` in front stands for any
/// dimensions. As `tf.debugging.assert_shapes`.
///
/// What is computed of any of the tensors that come back is computed behind the checks of all of them.
///
/// ```
/// use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
/// use feedline_plan::{Symbolic, ops};
///
/// let tensor = |shape| Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::new(DType::Float32, shape)));
/// let image = tensor(Shape::new(vec![None, None, Some(3)]));
/// let mask = tensor(Shape::new(vec![None, Some(8)]));
/// let [image, mask] =
///     ops::assert_shapes([(&image, &["height", "width", "3"][..]), (&mask, &["height", "width"])], "");
/// assert!(image.to_structure().is_ok() && mask.to_structure().is_ok());
/// ```
#[must_use]
#[track_caller]
pub fn assert_shapes<S: Into<Symbolic>, const N: usize>(
    tensors: [(S, &[&str]); N],
    message: &str,
) -> [Symbolic; N] {
    let location = Location::caller();
    let _function = Composing::of("assert_shapes");
    let tensors = tensors.map(|(tensor, words)| (tensor.into(), words));
    match checks_of(&tensors, message) {
        Ok(checks) => tensors.map(|(tensor, _)| tensor.after(checks.iter().cloned())),
        Err(error) => {
            let error = error.at(location);
            std::array::from_fn(|_| Symbolic::of_error(error.clone()))
        }
    }
}

/// The size of a dimension: known now, or with its element.
#[derive(Clone)]
enum Size {
    Known(usize),
    Computed(Symbolic),
}

impl Size {
    fn to_symbolic(&self) -> Symbolic {
        match self {
            Size::Known(size) => (*size as i64).into(),
            Size::Computed(size) => size.clone(),
        }
    }
}

/// What is to be computed before the tensors are used; an error where a shape is known to be another.
fn checks_of<'a>(tensors: &[(Symbolic, &[&'a str])], message: &str) -> Result<Vec<Symbolic>> {
    let told = if message.is_empty() { String::new() } else { format!("{message}: ") };
    let what = format!("{told}assert_shapes:");
    let mut named: HashMap<&'a str, Size> = HashMap::new();
    let mut checks = Vec::new();
    for (number, (tensor, words)) in tensors.iter().enumerate() {
        let expr = leaf(tensor, &what)?;
        let shape = &expr.spec().shape;
        let (is_open, words) = match words {
            ["*", words @ ..] => (true, words),
            words => (false, *words),
        };
        let Some(dims) = shape.dims() else {
            let unknown = format!("{what} the number of dimensions of tensor {number} is not known");
            return Err(PlanError::spec(unknown).with_hint("ensure_shape says it"));
        };
        let Some(first) = dims.len().checked_sub(words.len()).filter(|&more| more == 0 || is_open) else {
            let wanted = words.join(", ");
            return Err(PlanError::spec(format!(
                "{what} tensor {number} has the shape {shape}, and must have [{}{wanted}]",
                if is_open { "*, " } else { "" },
            )));
        };
        for (axis, &word) in (first..).zip(words).filter(|(_, word)| **word != ".") {
            let found = dims[axis].map_or_else(|| size_of(tensor, axis), Size::Known);
            let expected = match word.parse() {
                Ok(size) => Size::Known(size),
                Err(_) => named.entry(word).or_insert_with(|| found.clone()).clone(),
            };
            if let (Size::Known(found), Size::Known(expected)) = (&found, &expected) {
                if found != expected {
                    return Err(PlanError::spec(format!(
                        "{what} dimension {axis} of tensor {number}, of shape {shape}, must be {word}, which is {expected}"
                    )));
                }
            } else {
                let text = format!("{what} dimension {axis} of tensor {number} is not {word}");
                checks.push(ops::assert_equal(found.to_symbolic(), expected.to_symbolic(), &text));
            }
        }
    }
    Ok(checks)
}

fn leaf(tensor: &Symbolic, what: &str) -> Result<Expr> {
    match tensor.to_structure()? {
        Structure::Leaf(expr) => Ok(expr),
        other => Err(PlanError::spec(format!("{what} takes tensors, not {other}"))),
    }
}

fn size_of(tensor: &Symbolic, axis: usize) -> Size {
    Size::Computed(ops::gather(ops::shape(tensor, DType::Int64), axis as i64, 0))
}

#[cfg(test)]
mod tests {
    use feedline_data::{ElementSpec, Shape, TensorSpec};

    use super::*;

    #[test]
    fn what_is_known_is_told_at_once() {
        let tensor = |dims: &[Option<usize>]| {
            let spec = TensorSpec::new(DType::Float32, Shape::new(dims.to_vec()));
            Symbolic::of_spec(&ElementSpec::Leaf(spec))
        };
        let unknown = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::new(DType::Float32, Shape::UNKNOWN)));
        let three = || tensor(&[Some(2), Some(3)]);
        let pair = |one: &[&str], other: Symbolic, two: &[&str]| {
            let [first, second] = assert_shapes([(three(), one), (other, two)], "told");
            assert_eq!(first.to_structure().is_ok(), second.to_structure().is_ok());
            second.to_structure().map(|_| ()).map_err(|error| error.to_string())
        };
        for (one, other, two) in [
            (&["2", "3"][..], three(), &["a", "b"][..]),
            (&["a", "b"], tensor(&[Some(3), None]), &["b", "."]),
            (&["*", "b"], tensor(&[Some(7), Some(3)]), &["*", "b"]),
            (&["*"], tensor(&[]), &[]),
        ] {
            assert_eq!(pair(one, other, two), Ok(()), "{one:?} {two:?}");
        }
        for (one, other, two, expected) in [
            (&["2", "4"][..], three(), &["*"][..], "dimension 1 of tensor 0, of shape [2, 3], must be 4"),
            (&["a", "a"], three(), &["*"], "must be a, which is 2"),
            (
                &["a", "b"],
                three(),
                &["b", "a"],
                "dimension 0 of tensor 1, of shape [2, 3], must be b, which is 3",
            ),
            (&["a"], three(), &["*"], "tensor 0 has the shape [2, 3], and must have [a]"),
            (&["*"], tensor(&[]), &["*", "a"], "tensor 1 has the shape [], and must have [*, a]"),
            (&["*"], unknown, &["*"], "the number of dimensions of tensor 1 is not known"),
        ] {
            let error = pair(one, other, two).expect_err(expected);
            assert!(error.contains("told: assert_shapes:") && error.contains(expected), "{error}");
        }
    }
}
