//! The catalogue: every operation there is, each with its arguments, types, documentation and cost.
//!
//! One entry here and one file with the kernel in `feedline-exec/src/eval/` make an operation. The functions of
//! [`crate::ops`], the Python functions, `explain` and the reference page all come from these entries.

use feedline_data::TensorSpec;

use super::infer;
use super::{Attribute, Call};
use crate::{PlanError, Result};

/// An operation: what `map` and `filter` can compute.
#[derive(Debug)]
pub struct Operation {
    /// Its name, TensorFlow's without the module.
    pub name: &'static str,
    /// The function of TensorFlow's that gives the same.
    pub tensorflow: &'static str,
    /// Tensors first, then the rest.
    pub arguments: &'static [Argument],
    /// Types and shapes of what comes out.
    pub infer: fn(&Call) -> Result<Vec<TensorSpec>>,
    /// How much work it is, where nothing has been measured yet.
    pub cost: Cost,
    /// Whether it can fail for an element.
    pub can_fail: bool,
    /// Whether it draws random values.
    pub is_random: bool,
    /// What it does.
    pub doc: &'static str,
}

/// One argument of an operation.
#[derive(Debug)]
pub struct Argument {
    /// Its name, TensorFlow's.
    pub name: &'static str,
    /// What it may be.
    pub kind: ArgumentKind,
}

/// What an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentKind {
    /// A tensor computed for every element.
    Tensor,
    /// Any number of tensors.
    Tensors,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// Yes or no.
    Bool,
    /// A word.
    Text,
    /// A type.
    DType,
    /// A shape.
    Shape,
    /// One integer, several, or none.
    Axis,
}

/// How much work an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// Nothing is touched (a reshape).
    Free,
    /// A pass over the values.
    Light,
    /// Many instructions a value (parsing, decoding).
    Heavy,
    /// Waits for storage.
    Io,
}

impl Operation {
    /// The operation called `name`.
    pub fn find(name: &str) -> Option<&'static Operation> {
        CATALOGUE.iter().copied().find(|operation| operation.name == name)
    }

    /// The arguments that are not tensors.
    pub fn attributes(&self) -> impl Iterator<Item = &'static Argument> + Clone {
        self.arguments
            .iter()
            .filter(|argument| !matches!(argument.kind, ArgumentKind::Tensor | ArgumentKind::Tensors))
    }

    /// Whether these are the arguments it takes, by number and kind.
    pub(super) fn check_arguments(&self, num_tensors: usize, attributes: &[Attribute]) -> Result<()> {
        let takes_many = self.arguments.iter().any(|argument| argument.kind == ArgumentKind::Tensors);
        let num_wanted =
            self.arguments.iter().filter(|argument| argument.kind == ArgumentKind::Tensor).count();
        if (takes_many && num_tensors == 0) || (!takes_many && num_tensors != num_wanted) {
            let wanted = if takes_many { "at least one".to_owned() } else { num_wanted.to_string() };
            return Err(PlanError::argument(format!(
                "{} takes {wanted} tensors, not {num_tensors}",
                self.name
            )));
        }
        let wanted: Vec<&Argument> = self.attributes().collect();
        if wanted.len() != attributes.len() {
            return Err(PlanError::argument(format!(
                "{} takes {} arguments besides tensors, not {}",
                self.name,
                wanted.len(),
                attributes.len()
            )));
        }
        for (argument, value) in wanted.iter().zip(attributes) {
            let fits = match argument.kind {
                ArgumentKind::Int => matches!(value, Attribute::Int(_)),
                ArgumentKind::Float => matches!(value, Attribute::Float(_)),
                ArgumentKind::Bool => matches!(value, Attribute::Bool(_)),
                ArgumentKind::Text => matches!(value, Attribute::Text(_)),
                ArgumentKind::DType => matches!(value, Attribute::DType(_)),
                ArgumentKind::Shape => matches!(value, Attribute::Shape(_)),
                ArgumentKind::Axis => {
                    matches!(value, Attribute::Int(_) | Attribute::Ints(_) | Attribute::None)
                }
                ArgumentKind::Tensor | ArgumentKind::Tensors => false,
            };
            if !fits {
                return Err(PlanError::argument(format!(
                    "{}: {} cannot be {value}",
                    self.name, argument.name
                )));
            }
        }
        Ok(())
    }
}

/// Makes the list of operations, and for each a function of its name for Rust.
macro_rules! catalogue {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident($($argument:ident: $kind:ident),*) $tensorflow:literal, $infer:path, $cost:ident $(, $flag:ident)*;
    )*) => {
        /// Every operation, in the order of the reference page.
        pub static CATALOGUE: &[&Operation] = &[$(&operations::$name),*];

        /// The entries themselves.
        #[allow(non_upper_case_globals, reason = "an entry is called what its operation is called")]
        pub mod operations {
            use super::{Argument, ArgumentKind, Cost, Operation, infer};
            $(
                $(#[doc = $doc])+
                pub static $name: Operation = Operation {
                    name: stringify!($name),
                    tensorflow: $tensorflow,
                    arguments: &[$(Argument { name: stringify!($argument), kind: ArgumentKind::$kind }),*],
                    infer: $infer,
                    cost: Cost::$cost,
                    can_fail: catalogue!(@has can_fail $($flag)*),
                    is_random: catalogue!(@has is_random $($flag)*),
                    doc: concat!($($doc, "\n"),+),
                };
            )*
        }

        /// The operations as functions of symbolic values, under TensorFlow's names.
        #[allow(unused_mut, clippy::vec_init_then_push, reason = "an operation pushes each argument it has where it belongs")]
        pub mod functions {
            use super::operations;
            use crate::expr::{Attribute, Symbolic};
            $(
                $(#[doc = $doc])+
                #[track_caller]
                pub fn $name($($argument: catalogue!(@type $kind)),*) -> Symbolic {
                    let mut tensors: Vec<Symbolic> = Vec::new();
                    let mut attributes: Vec<Attribute> = Vec::new();
                    $(catalogue!(@push $kind $argument tensors attributes);)*
                    Symbolic::call(&operations::$name, &tensors, attributes)
                }
            )*
        }
    };
    (@has $wanted:ident) => { false };
    (@has can_fail can_fail $($rest:ident)*) => { true };
    (@has is_random is_random $($rest:ident)*) => { true };
    (@has $wanted:ident $other:ident $($rest:ident)*) => { catalogue!(@has $wanted $($rest)*) };
    (@type Tensor) => { impl Into<Symbolic> };
    (@type Tensors) => { impl IntoIterator<Item = Symbolic> };
    (@type Int) => { i64 };
    (@type Float) => { f64 };
    (@type Bool) => { bool };
    (@type Text) => { &str };
    (@type DType) => { feedline_data::DType };
    (@type Shape) => { feedline_data::Shape };
    (@type Axis) => { impl Into<Attribute> };
    (@push Tensor $value:ident $tensors:ident $attributes:ident) => { $tensors.push($value.into()) };
    (@push Tensors $value:ident $tensors:ident $attributes:ident) => { $tensors.extend($value) };
    (@push $kind:ident $value:ident $tensors:ident $attributes:ident) => { $attributes.push($value.into()) };
}

catalogue! {
    /// `x + y`, element by element, with broadcasting. Integers wrap around.
    add(x: Tensor, y: Tensor) "tf.add", infer::arithmetic, Light;
    /// `x - y`, element by element, with broadcasting. Integers wrap around.
    subtract(x: Tensor, y: Tensor) "tf.subtract", infer::arithmetic, Light;
    /// `x * y`, element by element, with broadcasting. Integers wrap around.
    multiply(x: Tensor, y: Tensor) "tf.multiply", infer::arithmetic, Light;
    /// `x / y`, element by element, with broadcasting, as Python divides: integers of up to 16 bits become float32, wider
    /// ones float64.
    truediv(x: Tensor, y: Tensor) "tf.truediv", infer::true_division, Light;
    /// `x // y`: the quotient rounded down. An integer division by zero is an error of its element.
    floordiv(x: Tensor, y: Tensor) "tf.math.floordiv", infer::arithmetic, Light, can_fail;
    /// `x % y` with the sign of `y`, as Python has it. An integer division by zero is an error of its element.
    floormod(x: Tensor, y: Tensor) "tf.math.floormod", infer::arithmetic, Light, can_fail;
    /// The smaller of the two, element by element, with broadcasting.
    minimum(x: Tensor, y: Tensor) "tf.minimum", infer::arithmetic, Light;
    /// The larger of the two, element by element, with broadcasting.
    maximum(x: Tensor, y: Tensor) "tf.maximum", infer::arithmetic, Light;
    /// `-x`. The smallest integer stays itself.
    negative(x: Tensor) "tf.negative", infer::signed, Light;
    /// `x == y`, element by element, with broadcasting; also for strings.
    equal(x: Tensor, y: Tensor) "tf.equal", infer::equality, Light;
    /// `x != y`, element by element, with broadcasting; also for strings.
    not_equal(x: Tensor, y: Tensor) "tf.not_equal", infer::equality, Light;
    /// `x < y`, element by element, with broadcasting.
    less(x: Tensor, y: Tensor) "tf.less", infer::comparison, Light;
    /// `x <= y`, element by element, with broadcasting.
    less_equal(x: Tensor, y: Tensor) "tf.less_equal", infer::comparison, Light;
    /// `x > y`, element by element, with broadcasting.
    greater(x: Tensor, y: Tensor) "tf.greater", infer::comparison, Light;
    /// `x >= y`, element by element, with broadcasting.
    greater_equal(x: Tensor, y: Tensor) "tf.greater_equal", infer::comparison, Light;
    /// Both, of bools, with broadcasting.
    logical_and(x: Tensor, y: Tensor) "tf.logical_and", infer::logic, Light;
    /// Either, of bools, with broadcasting.
    logical_or(x: Tensor, y: Tensor) "tf.logical_or", infer::logic, Light;
    /// The other, of bools.
    logical_not(x: Tensor) "tf.logical_not", infer::negation, Light;
    /// The same numbers in another type. Integers wrap around; floats to integers lose the fraction and stop at the
    /// type's limits (not-a-number becomes 0); anything but 0 is true.
    cast(x: Tensor, dtype: DType) "tf.cast", infer::cast, Light;
    /// The same values in another shape. One dimension may be unknown: it is what the values leave.
    reshape(tensor: Tensor, shape: Shape) "tf.reshape", infer::reshape, Free, can_fail;
    /// An error of its element if it holds a value that is infinite or not a number; the tensor otherwise.
    check_numerics(tensor: Tensor, message: Text) "tf.debugging.check_numerics", infer::check_numerics, Light, can_fail;
    /// Random numbers of one shape, uniform in [0, 1), a function of the seed and the element alone: the same whatever
    /// the number of threads, also after a resume.
    random_uniform(shape: Shape, seed: Int) "tf.random.uniform (other values)", infer::random_uniform, Light, is_random;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn entries_are_complete_and_unique() {
        let names: BTreeSet<&str> = CATALOGUE.iter().map(|operation| operation.name).collect();
        assert_eq!(names.len(), CATALOGUE.len());
        for operation in CATALOGUE {
            assert!(
                !operation.doc.trim().is_empty() && !operation.tensorflow.is_empty(),
                "{}",
                operation.name
            );
            assert!(Operation::find(operation.name).is_some());
        }
        assert!(Operation::find("floordiv").is_some_and(|o| o.can_fail && !o.is_random));
    }
}
