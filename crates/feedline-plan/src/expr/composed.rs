//! Functions made of operations of the catalogue, which need no kernel of their own. The reference page lists them, too.

use std::panic::Location;

use feedline_data::{DType, Shape, Structure};

use super::catalogue::functions as ops;
use super::composing::{self, Composing};
use super::control::{Branch, cond};
use super::{Attribute, Symbolic, number_tensor};
use crate::{PlanError, Result};

/// A function as the reference page lists it.
#[derive(Debug)]
pub struct Composed {
    /// What it is called in Python, behind `fl.`.
    pub name: &'static str,
    /// What it is called in [`ops`]; empty where Rust needs none.
    pub rust: &'static str,
    /// What it is called in TensorFlow; empty where that has none.
    pub tensorflow: &'static str,
    /// What it gives.
    pub about: &'static str,
    /// Whether it calls functions of the user's, whose operations it is not made of.
    pub calls_functions: bool,
}

impl Composed {
    const fn calling_functions(self) -> Composed {
        Composed { calls_functions: true, ..self }
    }
}

/// All of them, and what Python has under other names.
pub const COMPOSED: &[Composed] = &[
    entry(
        "vectorized_map",
        "map_fn",
        "tf.vectorized_map",
        "as `map_fn`, which computes all entries at once, too",
    )
    .calling_functions(),
    entry("divide", "truediv", "tf.divide", "`x / y`"),
    entry(
        "norm",
        "",
        "tf.norm",
        "how long vectors are; in Rust, of `abs`, `square`, `reduce_sum`, `reduce_max` and `sqrt`",
    ),
    entry("nn.relu", "", "tf.nn.relu", "`x`, or 0 where it is below; in Rust, `maximum(x, 0)`"),
    entry(
        "ragged.map_flat_values",
        "",
        "tf.ragged.map_flat_values",
        "what a function gives for the values of ragged tensors",
    )
    .calling_functions(),
    entry(
        "debugging.assert_all_finite",
        "check_numerics",
        "tf.debugging.assert_all_finite",
        "no value that is infinite or not a number",
    ),
    entry("case", "case", "tf.case", "what the function of the first condition that holds gives")
        .calling_functions(),
    entry("sequence_mask", "sequence_mask", "tf.sequence_mask", "rows of true and then false, by lengths"),
    entry("truncatediv", "", "tf.truncatediv", "`x / y`, rounded towards 0; in Rust, of `floordiv`"),
    entry("truncatemod", "", "tf.truncatemod", "what is left of it, with the sign of `x`"),
    entry(
        "random.choice",
        "random_choice",
        "",
        "entries of the first dimension, each as likely as the others",
    ),
    entry("random.int", "random_integers", "", "whole numbers between two"),
    entry(
        "random.uniform",
        "random_uniform",
        "tf.random.uniform",
        "numbers between two, each as likely as the others",
    ),
    entry(
        "debugging.assert_positive",
        "assert_positive",
        "tf.debugging.assert_positive",
        "`x > 0` everywhere",
    ),
    entry(
        "debugging.assert_negative",
        "assert_negative",
        "tf.debugging.assert_negative",
        "`x < 0` everywhere",
    ),
    entry(
        "debugging.assert_non_negative",
        "assert_non_negative",
        "tf.debugging.assert_non_negative",
        "`x >= 0` everywhere",
    ),
    entry(
        "debugging.assert_non_positive",
        "assert_non_positive",
        "tf.debugging.assert_non_positive",
        "`x <= 0` everywhere",
    ),
    entry(
        "debugging.assert_near",
        "assert_near",
        "tf.debugging.assert_near",
        "`x` and `y` no further apart than `atol` and `rtol` times `y`",
    ),
    entry("debugging.assert_integer", "assert_integer", "tf.debugging.assert_integer", "a type of integers"),
    entry("debugging.assert_type", "assert_type", "tf.debugging.assert_type", "this type"),
    entry("debugging.assert_scalar", "assert_scalar", "tf.debugging.assert_scalar", "no dimensions"),
    entry(
        "debugging.assert_rank_in",
        "assert_rank_in",
        "tf.debugging.assert_rank_in",
        "one of these numbers of dimensions",
    ),
    entry(
        "debugging.assert_shapes",
        "assert_shapes",
        "tf.debugging.assert_shapes",
        "these shapes, with names for sizes that are the same",
    ),
    entry(
        "lookup.index_table_from_file",
        "",
        "tf.lookup.index_table_from_file",
        "the number of each line of a file; in Rust, `feedline::Vocabulary`",
    ),
];

const fn entry(
    name: &'static str,
    rust: &'static str,
    tensorflow: &'static str,
    about: &'static str,
) -> Composed {
    Composed { name, rust, tensorflow, about, calls_functions: false }
}

/// What the function of the first condition that holds gives; where none does, `default`. As of [`cond`], the others are not computed.
///
/// ```
/// use feedline_data::{DType, ElementSpec, TensorSpec};
/// use feedline_plan::{Symbolic, ops};
///
/// let x = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)));
/// let size = ops::case(
///     vec![(x.lt(2), Box::new(|| "small".into())), (x.lt(4), Box::new(|| "middle".into()))],
///     Box::new(|| "large".into()),
/// );
/// assert_eq!(size.to_structure()?.map(|expr| expr.spec().to_string()).to_string(), "string[]");
/// # Ok::<(), feedline_plan::PlanError>(())
/// ```
#[must_use]
pub fn case<'a>(pairs: Vec<(Symbolic, Branch<'a>)>, default: Branch<'a>) -> Symbolic {
    let otherwise = pairs.into_iter().rev().fold(default, |otherwise, (holds, function)| {
        Box::new(move || cond(holds, function, otherwise)) as Branch<'a>
    });
    otherwise()
}

/// Rows of true and then false, or of ones and zeros of `dtype`: as many true as each of `lengths` says. They are `maxlen` long, or as long as
/// the longest.
#[must_use]
#[track_caller]
pub fn sequence_mask(lengths: impl Into<Symbolic>, maxlen: Option<Symbolic>, dtype: DType) -> Symbolic {
    let _function = Composing::of("sequence_mask");
    let lengths = lengths.into();
    // Lengths are what maxlen is: beside a whole number what is behind the point of 1.5 does not count.
    let kind = maxlen.as_ref().map_or_else(|| dtype_of(&lengths), dtype_of);
    placed(kind.and_then(|kind| {
        let number = |value| {
            number_tensor(&Attribute::Int(value), kind)
                .map_err(|error| error.in_function(composing::current()))
        };
        let (zero, one) = (number(0)?, number(1)?);
        let lengths = if dtype_of(&lengths) == Ok(kind) { lengths } else { ops::cast(lengths, kind) };
        // Of no lengths the largest is less than nothing.
        let longest = || ops::maximum(ops::reduce_max(&lengths, None::<i64>, false), zero.clone());
        let longest = maxlen.unwrap_or_else(longest);
        let mask = ops::less(ops::range(zero, longest, one), ops::expand_dims(&lengths, -1));
        Ok(if dtype == DType::Bool { mask } else { ops::cast(mask, dtype) })
    }))
}

/// Entries of the first dimension of `a`, each as likely as the others; the same may come again.
#[must_use]
#[track_caller]
pub fn random_choice(a: impl Into<Symbolic>, shape: Shape, seed: i64) -> Symbolic {
    let _function = Composing::of("random_choice");
    let a = a.into();
    let count = ops::gather(ops::shape(&a, DType::Int64), 0, 0);
    ops::gather(a, ops::random_integers(ops::zeros_like(&count), count, shape, seed), 0)
}

/// `x`, if it is above 0 everywhere; else an error of its element.
#[must_use]
#[track_caller]
pub fn assert_positive(x: impl Into<Symbolic>, message: &str) -> Symbolic {
    let _function = Composing::of("assert_positive");
    ops::assert_greater(x, 0, message)
}

/// `x`, if it is below 0 everywhere; else an error of its element.
#[must_use]
#[track_caller]
pub fn assert_negative(x: impl Into<Symbolic>, message: &str) -> Symbolic {
    let _function = Composing::of("assert_negative");
    ops::assert_less(x, 0, message)
}

/// `x`, if it is 0 or above everywhere; else an error of its element.
#[must_use]
#[track_caller]
pub fn assert_non_negative(x: impl Into<Symbolic>, message: &str) -> Symbolic {
    let _function = Composing::of("assert_non_negative");
    ops::assert_greater_equal(x, 0, message)
}

/// `x`, if it is 0 or below everywhere; else an error of its element.
#[must_use]
#[track_caller]
pub fn assert_non_positive(x: impl Into<Symbolic>, message: &str) -> Symbolic {
    let _function = Composing::of("assert_non_positive");
    ops::assert_less_equal(x, 0, message)
}

/// `x`, which are floats, if `|x - y| <= atol + rtol * |y|` everywhere; else an error of its element. TensorFlow's own `rtol` and `atol` are ten
/// times the distance from 1 to the next number of the type.
#[must_use]
#[track_caller]
pub fn assert_near(
    x: impl Into<Symbolic>,
    y: impl Into<Symbolic>,
    rtol: f64,
    atol: f64,
    message: &str,
) -> Symbolic {
    let _function = Composing::of("assert_near");
    let (x, y) = (x.into(), y.into());
    placed(dtype_of(&x).and_then(|dtype| {
        if !dtype.is_float() {
            return Err(PlanError::spec(format!("assert_near: x is {dtype}, and must be floats"))
                .with_hint("assert_equal is for integers"));
        }
        let distance = ops::abs(&x - &y);
        let allowed = ops::abs(ops::cast(y, dtype)) * rtol + atol;
        let message = if message.is_empty() { "x and y are not near" } else { message };
        Ok(x.after([ops::assert_less_equal(distance, allowed, message)]))
    }))
}

/// `x`, if it is of a type of integers; else an error, at once.
#[must_use]
#[track_caller]
pub fn assert_integer(x: impl Into<Symbolic>, message: &str) -> Symbolic {
    typed(x.into(), message, "assert_integer", "integers", DType::is_integer)
}

/// `x`, if it is of type `dtype`; else an error, at once.
#[must_use]
#[track_caller]
pub fn assert_type(x: impl Into<Symbolic>, dtype: DType, message: &str) -> Symbolic {
    typed(x.into(), message, "assert_type", &dtype.to_string(), |found| found == dtype)
}

/// `x`, if it has no dimensions; else an error, at once where that is known.
#[must_use]
#[track_caller]
pub fn assert_scalar(x: impl Into<Symbolic>, message: &str) -> Symbolic {
    let _function = Composing::of("assert_scalar");
    ops::assert_rank(x, 0, message)
}

/// `x`, if the number of its dimensions is among `ranks`; else an error, at once where it is known.
#[must_use]
#[track_caller]
pub fn assert_rank_in(x: impl Into<Symbolic>, ranks: &[i64], message: &str) -> Symbolic {
    let _function = Composing::of("assert_rank_in");
    let x = x.into();
    placed(rank_in(&x, ranks, message))
}

fn rank_in(x: &Symbolic, ranks: &[i64], message: &str) -> Result<Symbolic> {
    let structure = x.to_structure()?;
    let Structure::Leaf(tensor) = &structure else {
        return Err(PlanError::spec(format!("assert_rank_in takes a tensor, not {structure}")));
    };
    let told = if message.is_empty() { String::new() } else { format!("{message}: ") };
    let expected = format!("{told}x has another number of dimensions than {ranks:?}");
    match tensor.spec().shape.rank() {
        Some(rank) if ranks.contains(&(rank as i64)) => Ok(x.clone()),
        Some(_) => Err(PlanError::spec(format!("assert_rank_in: {expected}: it is {}", tensor.spec()))),
        None => {
            let rank = ops::cast(ops::rank(x), DType::Int64);
            let any = ranks.iter().map(|&wanted| ops::equal(&rank, wanted)).reduce(ops::logical_or);
            let any = any.unwrap_or_else(|| false.into());
            Ok(x.after([ops::assert_equal(any, true, &expected)]))
        }
    }
}

#[track_caller]
fn typed(
    x: Symbolic,
    message: &str,
    name: &str,
    wanted: &str,
    is_wanted: impl Fn(DType) -> bool,
) -> Symbolic {
    let told = if message.is_empty() { String::new() } else { format!("{message}: ") };
    placed(dtype_of(&x).and_then(|found| {
        let error = || PlanError::spec(format!("{told}{name}: x is {found}, and must be {wanted}"));
        if is_wanted(found) { Ok(x) } else { Err(error().with_hint("cast(x, dtype) converts")) }
    }))
}

fn dtype_of(x: &Symbolic) -> Result<DType> {
    match x.to_structure()? {
        Structure::Leaf(expr) => Ok(expr.spec().dtype),
        other => {
            let error = PlanError::spec(format!("takes a tensor, not {other}"));
            Err(error.in_function(composing::current()))
        }
    }
}

/// A mistake is the caller's line's.
#[track_caller]
fn placed(result: Result<Symbolic>) -> Symbolic {
    let location = Location::caller();
    result.unwrap_or_else(|error| Symbolic::of_error(error.at(location)))
}

#[cfg(test)]
mod tests {
    use feedline_data::{ElementSpec, TensorSpec};

    use super::*;

    fn tensor(dtype: DType, shape: Shape) -> Symbolic {
        Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::new(dtype, shape)))
    }

    fn shown(x: &Symbolic) -> String {
        match x.to_structure() {
            Ok(structure) => structure.map(|expr| expr.spec().to_string()).to_string(),
            Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn what_they_give_and_refuse_is_known_before_anything_runs() {
        let number = || tensor(DType::Int64, Shape::scalar());
        let floats = || tensor(DType::Float32, Shape::new(vec![Some(3)]));
        let any = || tensor(DType::Float32, Shape::UNKNOWN);
        let cases = [
            (
                sequence_mask(tensor(DType::Int32, Shape::fixed(&[2])), Some(4.into()), DType::Bool),
                "bool[2, 4]",
            ),
            (sequence_mask(number(), None, DType::Int32), "int32[?]"),
            (random_choice(floats(), Shape::fixed(&[2]), 1), "float32[2]"),
            (assert_positive(number(), ""), "int64[]"),
            (assert_near(floats(), 1.0, 1e-6, 1e-6, ""), "float32[3]"),
            (assert_near(number(), 1, 0.0, 0.0, ""), "assert_near: x is int64, and must be floats"),
            (assert_integer(number(), ""), "int64[]"),
            (
                assert_integer(floats(), "labels"),
                "labels: assert_integer: x is float32, and must be integers",
            ),
            (assert_type(floats(), DType::Float32, ""), "float32[3]"),
            (assert_type(floats(), DType::Int32, ""), "assert_type: x is float32, and must be int32"),
            (assert_rank_in(floats(), &[0, 1], ""), "float32[3]"),
            (
                assert_rank_in(floats(), &[2, 3], ""),
                "assert_rank_in: x has another number of dimensions than [2, 3]: it is float32[3]",
            ),
            (assert_rank_in(any(), &[2, 3], ""), "float32[...]"),
        ];
        for (found, expected) in cases {
            // Errors say the line first.
            let found = shown(&found);
            assert!(found == expected || found.ends_with(&format!(": {expected}")), "{found}");
        }
        assert!(shown(&assert_scalar(floats(), "")).contains("has 1 dimensions, not 0"));
    }

    #[test]
    fn errors_name_the_function_that_was_written() {
        let text = || tensor(DType::String, Shape::fixed(&[2]));
        let rows = || tensor(DType::Float32, Shape::fixed(&[2, 3]));
        let several = || Symbolic::tuple([rows(), rows()]);
        for (found, expected) in [
            (assert_positive(text(), ""), ": assert_positive: "),
            (assert_negative(text(), ""), ": assert_negative: "),
            (assert_non_negative(text(), ""), ": assert_non_negative: "),
            (assert_non_positive(text(), ""), ": assert_non_positive: "),
            (assert_positive(several(), ""), ": assert_positive: assert_greater takes tensors"),
            (assert_scalar(rows(), ""), ": assert_scalar: assert_rank(x: float32[2, 3]"),
            (assert_near(rows(), text(), 0.0, 0.0, ""), ": assert_near: "),
            (sequence_mask(text(), None, DType::Bool), ": sequence_mask: "),
            (sequence_mask(several(), None, DType::Bool), ": sequence_mask: takes a tensor"),
            (random_choice(tensor(DType::Int32, Shape::scalar()), Shape::scalar(), 1), ": random_choice: "),
        ] {
            let found = shown(&found);
            assert!(found.contains(expected), "{found}");
        }
        // What was wrong before is not theirs, nor is what comes behind them.
        assert!(!shown(&assert_positive(text() - 1, "")).contains("assert_positive"));
        assert!(!shown(&ops::sqrt(text())).contains("assert_"));
        let is_named = |call: &crate::expr::Call| call.function == Some("assert_positive");
        let checked = assert_positive(rows(), "").to_structure().expect("fits");
        assert!(checked.leaves()[0].any_call(&mut |call| is_named(call)));
    }
}
