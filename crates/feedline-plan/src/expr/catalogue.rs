//! The catalogue: every operation there is, each with its arguments, types, documentation and cost.
//!
//! One entry here and one file with the kernel in `feedline-exec/src/eval/` make an operation. The functions of
//! [`crate::ops`], the Python functions, `explain` and the reference page all come from these entries. Those of images are in
//! [`image`] and [`augment`], and each of the other files beside this one has a subject, too.

use feedline_data::{Composite, DType, TensorSpec};

use super::infer;
use super::{Attribute, Call};
use crate::{PlanError, Result};

/// An operation: what `map` and `filter` can compute.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that some rule or kernel asks for"
)]
pub struct Operation {
    /// Its name, TensorFlow's without the module.
    pub name: &'static str,
    /// The function of TensorFlow's that gives the same; empty where it has none.
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
    /// Whether it can be computed along with the decoding of the image it gets.
    pub joins_decoding: bool,
    /// Whether each value of the result comes of one value of the only tensor, so that it can be computed of the values of a
    /// ragged or sparse one alone.
    pub is_by_value: bool,
    /// What several outputs are the parts of, if they are.
    pub gives: Option<Composite>,
    /// Whether it may make any number of bytes of a few: what a file holds, the pixels of an image. Its kernel asks, row by row, whether there
    /// is memory for them.
    pub any_size: bool,
    /// Whether it makes pixels of the bytes of an image.
    pub decodes_image: bool,
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
    /// What it is where it is left out (Python; Rust names every argument).
    pub default: Option<Attribute>,
}

/// What an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentKind {
    /// A tensor computed for every element.
    Tensor,
    /// Any number of tensors.
    Tensors,
    /// A tensor of bools: numbers beside it do not take its type.
    Condition,
    /// A tensor of integers that count places: numbers beside it do not take its type.
    Indices,
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
    /// A number of any kind.
    Number,
    /// Several floats.
    Floats,
    /// Several floats, or none.
    OptionalFloats,
    /// Parts of dimensions.
    Slices,
    /// What to read of a record.
    Features,
    /// Functions that the call computes with.
    Functions,
    /// A dataset whose one element the call is.
    Dataset,
}

impl ArgumentKind {
    /// Whether it is computed for every element, not fixed in the plan.
    pub fn is_tensor(self) -> bool {
        matches!(
            self,
            ArgumentKind::Tensor | ArgumentKind::Tensors | ArgumentKind::Condition | ArgumentKind::Indices
        )
    }

    /// Whether `value` may be given for it: never where it is a tensor, which is no value of the plan.
    pub fn accepts(self, value: &Attribute) -> bool {
        match self {
            ArgumentKind::Int => matches!(value, Attribute::Int(_)),
            ArgumentKind::Float => matches!(value, Attribute::Float(_)),
            ArgumentKind::Bool => matches!(value, Attribute::Bool(_)),
            ArgumentKind::Text => matches!(value, Attribute::Text(_)),
            ArgumentKind::DType => matches!(value, Attribute::DType(_)),
            ArgumentKind::Shape => matches!(value, Attribute::Shape(_)),
            ArgumentKind::Axis => matches!(value, Attribute::Int(_) | Attribute::Ints(_) | Attribute::None),
            ArgumentKind::Number => {
                matches!(value, Attribute::Int(_) | Attribute::Float(_) | Attribute::Bool(_))
            }
            ArgumentKind::Floats => matches!(value, Attribute::Floats(_)),
            ArgumentKind::OptionalFloats => matches!(value, Attribute::Floats(_) | Attribute::None),
            ArgumentKind::Slices => matches!(value, Attribute::Slices(_)),
            ArgumentKind::Features => matches!(value, Attribute::Features(_)),
            ArgumentKind::Functions => matches!(value, Attribute::Functions(_)),
            ArgumentKind::Dataset => matches!(value, Attribute::Dataset(_)),
            ArgumentKind::Tensor
            | ArgumentKind::Tensors
            | ArgumentKind::Condition
            | ArgumentKind::Indices => false,
        }
    }
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

    /// What the user called it: errors do not tell what the optimizer made of it.
    pub fn name_as_written(&self) -> &'static str {
        if self.name == image::DECODE_JPEG_AS_NEEDED.name {
            image::operations::decode_jpeg.name
        } else {
            self.name
        }
    }

    /// The arguments that are not tensors.
    pub fn attributes(&self) -> impl Iterator<Item = &'static Argument> + Clone {
        self.arguments.iter().filter(|argument| !argument.kind.is_tensor())
    }

    /// What tensor number `index` of a call is.
    pub(super) fn tensor_kind(&self, index: usize) -> ArgumentKind {
        let mut tensors = self.arguments.iter().map(|argument| argument.kind).filter(|kind| kind.is_tensor());
        // Those beyond the named ones belong to the last, which takes many.
        tensors.nth(index).unwrap_or(ArgumentKind::Tensors)
    }

    /// Whether these are the arguments it takes, by number and kind.
    pub(super) fn check_arguments(&self, num_tensors: usize, attributes: &[Attribute]) -> Result<()> {
        let tensors: Vec<&Argument> =
            self.arguments.iter().filter(|argument| argument.kind.is_tensor()).collect();
        // Of those that take many there may be none beside others.
        let takes_many = tensors.iter().any(|argument| argument.kind == ArgumentKind::Tensors);
        let least = if takes_many { (tensors.len() - 1).max(1) } else { tensors.len() };
        if num_tensors < least || (!takes_many && num_tensors > least) {
            let at_least = if takes_many { "at least " } else { "" };
            return Err(PlanError::argument(format!(
                "{} takes {at_least}{}, not {num_tensors}",
                self.name,
                counted(least, "tensor", &tensors),
            )));
        }
        let wanted: Vec<&Argument> = self.attributes().collect();
        if wanted.len() != attributes.len() {
            return Err(PlanError::argument(format!(
                "{} takes {} besides tensors, not {}",
                self.name,
                counted(wanted.len(), "argument", &wanted),
                attributes.len()
            )));
        }
        for (argument, value) in wanted.iter().zip(attributes) {
            if !argument.kind.accepts(value) {
                return Err(PlanError::argument(format!(
                    "{}: {} cannot be {value}",
                    self.name, argument.name
                )));
            }
        }
        Ok(())
    }
}

/// `2 tensors (x, y)`.
fn counted(count: usize, what: &str, arguments: &[&Argument]) -> String {
    let names: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
    let several = if count == 1 { "" } else { "s" };
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    format!("{count} {what}{several}{names}")
}

/// Makes a list of operations whose names begin with a prefix, and for each a function of its name for Rust.
macro_rules! catalogue {
    ($prefix:literal; $(#[$about:meta])* functions { $($modules:item)* } $(
        $(#[doc = $doc:literal])+
        $name:ident($($argument:ident: $kind:ident $(= $default:expr)?),*) $tensorflow:literal, $infer:path, $cost:ident $(, $flag:ident)*;
    )*) => {
        /// The operations here, in the order of the reference page.
        pub(super) const ENTRIES: &[&Operation] = &[$(&operations::$name),*];

        /// The entries themselves.
        #[allow(non_upper_case_globals, reason = "an entry is called what its operation is called")]
        pub mod operations {
            #[allow(unused_imports, reason = "not every list has defaults of every kind")]
            use crate::expr::catalogue::{Argument, ArgumentKind, Attribute, Cost, DType, Operation, infer, plain_name};
            $(
                $(#[doc = $doc])+
                pub static $name: Operation = Operation {
                    name: plain_name(concat!($prefix, stringify!($name))),
                    tensorflow: $tensorflow,
                    arguments: &[$(Argument {
                        name: stringify!($argument),
                        kind: ArgumentKind::$kind,
                        default: catalogue!(@default $kind $($default)?),
                    }),*],
                    infer: $infer,
                    cost: Cost::$cost,
                    can_fail: catalogue!(@has can_fail $($flag)*),
                    is_random: catalogue!(@has is_random $($flag)*),
                    joins_decoding: catalogue!(@has joins_decoding $($flag)*),
                    is_by_value: catalogue!(@has by_value $($flag)*),
                    gives: if catalogue!(@has gives_ragged $($flag)*) {
                        Some(feedline_data::Composite::Ragged)
                    } else if catalogue!(@has gives_sparse $($flag)*) {
                        Some(feedline_data::Composite::Sparse)
                    } else {
                        None
                    },
                    any_size: catalogue!(@has any_size $($flag)*),
                    decodes_image: catalogue!(@has decodes_image $($flag)*),
                    doc: concat!($($doc, "\n"),+),
                };
            )*
        }

        $(#[$about])*
        #[allow(unused_mut, clippy::vec_init_then_push, reason = "an operation pushes each argument it has where it belongs")]
        #[allow(clippy::too_many_arguments, reason = "as many as the function has elsewhere that gives the same")]
        pub mod functions {
            use super::operations;
            #[allow(unused_imports, reason = "not every list has arguments of every kind")]
            use crate::expr::{Attribute, Features, IntoSlices, Symbolic};
            $($modules)*
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
    (@has joins_decoding joins_decoding $($rest:ident)*) => { true };
    (@has by_value by_value $($rest:ident)*) => { true };
    (@has gives_ragged gives_ragged $($rest:ident)*) => { true };
    (@has gives_sparse gives_sparse $($rest:ident)*) => { true };
    (@has any_size any_size $($rest:ident)*) => { true };
    (@has decodes_image decodes_image $($rest:ident)*) => { true };
    (@has $wanted:ident $other:ident $($rest:ident)*) => { catalogue!(@has $wanted $($rest)*) };
    (@default $kind:ident) => { None };
    (@default Axis $value:expr) => { Some($value) };
    (@default OptionalFloats $value:expr) => { Some($value) };
    (@default Number $value:expr) => { Some(Attribute::Int($value)) };
    (@default $kind:ident $value:expr) => { Some(Attribute::$kind($value)) };
    (@type Tensor) => { impl Into<Symbolic> };
    (@type Condition) => { impl Into<Symbolic> };
    (@type Indices) => { impl Into<Symbolic> };
    (@type Tensors) => { impl IntoIterator<Item = Symbolic> };
    (@type Int) => { i64 };
    (@type Float) => { f64 };
    (@type Bool) => { bool };
    (@type Text) => { &str };
    (@type DType) => { feedline_data::DType };
    (@type Shape) => { feedline_data::Shape };
    (@type Axis) => { impl Into<Attribute> };
    (@type Number) => { impl Into<Attribute> };
    (@type Floats) => { impl Into<Attribute> };
    (@type OptionalFloats) => { impl Into<Attribute> };
    (@type Slices) => { impl IntoSlices };
    (@type Features) => { impl Into<Features> };
    (@type Functions) => { Vec<crate::expr::Body> };
    (@push Condition $value:ident $tensors:ident $attributes:ident) => { $tensors.push($value.into()) };
    (@push Indices $value:ident $tensors:ident $attributes:ident) => { $tensors.push($value.into()) };
    (@push Slices $value:ident $tensors:ident $attributes:ident) => {
        $attributes.push(Attribute::Slices($value.into_slices()))
    };
    (@push Features $value:ident $tensors:ident $attributes:ident) => {
        $attributes.push(Attribute::Features($value.into()))
    };
    (@push Tensor $value:ident $tensors:ident $attributes:ident) => { $tensors.push($value.into()) };
    (@push Tensors $value:ident $tensors:ident $attributes:ident) => { $tensors.extend($value) };
    (@push $kind:ident $value:ident $tensors:ident $attributes:ident) => { $attributes.push($value.into()) };
}

/// A name without what Rust needs added to it: `where` is a word of the language, so its entry is `where_`.
const fn plain_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [.., b'_'] => name.split_at(name.len() - 1).0,
        _ => name,
    }
}

// Below the macro, which they use.
pub mod arrays;
pub mod augment;
pub mod bitwise;
pub mod checks;
pub mod control;
pub mod image;
pub mod numbers;
pub mod parsing;
pub mod ragged;
pub mod random;
pub mod sparse;
pub mod strings;
pub mod tables;

/// The lists of operations, in the order of the reference page.
const LISTS: &[&[&Operation]] = &[
    ENTRIES,
    numbers::ENTRIES,
    bitwise::ENTRIES,
    arrays::ENTRIES,
    checks::ENTRIES,
    random::ENTRIES,
    control::ENTRIES,
    image::ENTRIES,
    augment::ENTRIES,
    strings::ENTRIES,
    parsing::ENTRIES,
    ragged::ENTRIES,
    sparse::ENTRIES,
    tables::ENTRIES,
];

/// Every operation, in the order of the reference page.
pub static CATALOGUE: &[&Operation] = &joined::<{ num_in(LISTS) }>(LISTS);

const fn num_in(lists: &[&[&Operation]]) -> usize {
    let (mut list, mut count) = (0, 0);
    while list < lists.len() {
        count += lists[list].len();
        list += 1;
    }
    count
}

const fn joined<const N: usize>(lists: &[&[&'static Operation]]) -> [&'static Operation; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut before, mut index) = (0, 0, 0);
    while index < N {
        while index - before == lists[list].len() {
            before = index;
            list += 1;
        }
        all[index] = lists[list][index - before];
        index += 1;
    }
    all
}

catalogue! {
    "";
    /// The operations as functions of symbolic values, under TensorFlow's names.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, TensorSpec};
    /// use feedline_plan::expr::{Attribute, Feature};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let record = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::String)));
    /// let example = ops::parse_single_example(record, [
    ///     ("label", Feature::fixed_len(&[], DType::Int64)),
    ///     ("pixels", Feature::fixed_len(&[28, 28], DType::Float32)),
    /// ]);
    /// let pixels = example.get("pixels");
    /// let centred = &pixels - ops::reduce_mean(&pixels, Attribute::None, false);
    /// let element = Symbolic::dict([
    ///     ("image", ops::expand_dims(ops::where_(centred.gt(0), centred, 0), -1)),
    ///     ("label", ops::one_hot(example.get("label"), 10, 1, 0, -1, DType::Float32)),
    /// ]);
    /// let spec = element.to_structure()?.map(|expr| expr.spec().to_string());
    /// assert_eq!(spec.to_string(), "{'image': float32[28, 28, 1], 'label': float32[10]}");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {
        pub use crate::expr::catalogue::arrays::functions::*;
        pub use crate::expr::catalogue::bitwise::functions as bitwise;
        pub use crate::expr::catalogue::checks::functions::*;
        pub use crate::expr::catalogue::image::functions as image;
        pub use crate::expr::catalogue::numbers::functions::*;
        pub use crate::expr::catalogue::random::functions::*;
        pub use crate::expr::control::{cond, foldl, map_fn, scan, switch_case, while_loop};
        pub use crate::expr::catalogue::parsing::functions::*;
        pub use crate::expr::catalogue::ragged::functions as ragged;
        pub use crate::expr::catalogue::sparse::functions as sparse;
        pub use crate::expr::catalogue::strings::functions as strings;
        pub use crate::expr::catalogue::tables::functions as lookup;
    }
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
    negative(x: Tensor) "tf.negative", infer::signed, Light, by_value;
    /// `x` to the power of `y`, element by element, with broadcasting. Integers wrap around; a negative power of an integer
    /// is an error of its element.
    pow(x: Tensor, y: Tensor) "tf.pow", infer::signed_pair, Light, can_fail;
    /// The distance from 0. The smallest integer stays itself.
    abs(x: Tensor) "tf.abs", infer::signed, Light, by_value;
    /// −1, 0 or 1: the sign of a number. Not a number stays not a number.
    sign(x: Tensor) "tf.sign", infer::signed, Light, by_value;
    /// `x * x`. Integers wrap around.
    square(x: Tensor) "tf.square", infer::number, Light, by_value;
    /// The square root of a float; not a number below 0.
    sqrt(x: Tensor) "tf.sqrt", infer::float, Light, by_value;
    /// 1 divided by the square root of a float.
    rsqrt(x: Tensor) "tf.math.rsqrt", infer::float, Light, by_value;
    /// e to the power of a float.
    exp(x: Tensor) "tf.exp", infer::float, Light, by_value;
    /// The natural logarithm of a float.
    log(x: Tensor) "tf.math.log", infer::float, Light, by_value;
    /// The natural logarithm of `1 + x`, exact also where `x` is small.
    log1p(x: Tensor) "tf.math.log1p", infer::float, Light, by_value;
    /// The next whole float below.
    floor(x: Tensor) "tf.floor", infer::float, Light, by_value;
    /// The next whole float above.
    ceil(x: Tensor) "tf.math.ceil", infer::float, Light, by_value;
    /// The nearest whole number; a half goes to the even one: `round([0.5, 1.5, 2.5])` is `[0, 2, 2]`.
    round(x: Tensor) "tf.round", infer::number, Light, by_value;
    /// Whether a float is not a number.
    is_nan(x: Tensor) "tf.math.is_nan", infer::float_check, Light, by_value;
    /// Whether a float is neither infinite nor not a number.
    is_finite(x: Tensor) "tf.math.is_finite", infer::float_check, Light, by_value;
    /// Whether a float is infinite, with either sign.
    is_inf(x: Tensor) "tf.math.is_inf", infer::float_check, Light, by_value;
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
    logical_not(x: Tensor) "tf.logical_not", infer::negation, Light, by_value;
    /// `x` where the condition holds, `y` elsewhere, all three broadcast to one shape. Both are computed for every element.
    where_(condition: Condition, x: Tensor, y: Tensor) "tf.where", infer::where_, Light;
    /// Values below the minimum become it, values above the maximum become that. The limits are broadcast to the tensor's
    /// shape. Where the minimum is above the maximum, the minimum wins.
    clip_by_value(t: Tensor, clip_value_min: Tensor, clip_value_max: Tensor) "tf.clip_by_value", infer::clip_by_value, Light;
    /// A new dimension of size `depth` with `on_value` at the index and `off_value` elsewhere; an index outside gives
    /// `off_value` throughout. `one_hot([0, 2], 3)` is `[[1, 0, 0], [0, 0, 1]]`.
    one_hot(
        indices: Indices, depth: Int, on_value: Number = 1, off_value: Number = 0, axis: Int = -1,
        dtype: DType = DType::Float32
    ) "tf.one_hot", infer::one_hot, Light;
    /// The same numbers in another type. Integers wrap around; floats to integers lose the fraction and stop at the
    /// type's limits (not-a-number becomes 0); anything but 0 is true.
    cast(x: Tensor, dtype: DType) "tf.cast", infer::cast, Light, by_value;
    /// The same values in another shape. One dimension may be unknown: it is what the values leave.
    reshape(tensor: Tensor, shape: Shape) "tf.reshape", infer::reshape, Free, can_fail;
    /// Parts of a tensor by Python's rules: `x[1:3, ..., 0, None, ::-1]`. Ranges are cut to what there is; an index outside is
    /// an error of its element, or of the plan where the size is known.
    strided_slice(input_: Tensor, slices: Slices) "tf.strided_slice", infer::strided_slice, Light, can_fail;
    /// The entries of `params` at `indices` along an axis, in the shape of `indices`. An index outside (also a negative
    /// one) is an error of its element.
    gather(params: Tensor, indices: Indices, axis: Int = 0) "tf.gather", infer::gather, Light, can_fail;
    /// As `gather`, where the first `batch_dims` dimensions of both belong together: each entry there is gathered from on its own. The axis is
    /// the next one where none is given.
    batch_gather(params: Tensor, indices: Indices, axis: Axis = Attribute::None, batch_dims: Int = 0)
        "tf.gather", infer::batch_gather, Light, can_fail;
    /// Tensors of one shape side by side in a new dimension: `stack([x, y])` has a first dimension of size 2.
    stack(values: Tensors, axis: Int = 0) "tf.stack", infer::stack, Light, can_fail;
    /// Tensors one behind the other along a dimension they have; the others must agree.
    concat(values: Tensors, axis: Int) "tf.concat", infer::concat, Light, can_fail;
    /// One more dimension, of size 1, before dimension `axis`; −1 adds it at the end.
    expand_dims(input: Tensor, axis: Int) "tf.expand_dims", infer::expand_dims, Free;
    /// Without its dimensions of size 1, or without the ones `axis` names, which must have size 1.
    squeeze(input: Tensor, axis: Axis = Attribute::None) "tf.squeeze", infer::squeeze, Free, can_fail;
    /// The dimensions in the order `perm`, or reversed.
    transpose(a: Tensor, perm: Axis = Attribute::None) "tf.transpose", infer::transpose, Light;
    /// The size of each dimension.
    shape(input: Tensor, out_type: DType = DType::Int32) "tf.shape", infer::shape, Free;
    /// The number of values.
    size(input: Tensor, out_type: DType = DType::Int32) "tf.size", infer::size, Free;
    /// The number of dimensions.
    rank(input: Tensor) "tf.rank", infer::rank, Free;
    /// The sum over some dimensions, or all. Integers wrap around; float16 and bfloat16 are added up as float32 and rounded
    /// once. The order of addition depends on the shape alone.
    reduce_sum(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_sum", infer::reduce_numbers, Light;
    /// The mean over some dimensions, or all. That of integers is cut to an integer; that of nothing is not a number, of
    /// integers 0.
    reduce_mean(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_mean", infer::reduce_numbers, Light;
    /// The largest value over some dimensions, or all; not a number if there is one. That of nothing is the type's smallest.
    reduce_max(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_max", infer::reduce_numbers, Light;
    /// The smallest value over some dimensions, or all; not a number if there is one. That of nothing is the type's largest.
    reduce_min(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_min", infer::reduce_numbers, Light;
    /// The product over some dimensions, or all. Integers wrap around; float16 and bfloat16 are multiplied as float32 and
    /// rounded once.
    reduce_prod(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_prod", infer::reduce_numbers, Light;
    /// Whether any of the bools is true, over some dimensions, or all.
    reduce_any(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_any", infer::reduce_bools, Light;
    /// Whether all of the bools are true, over some dimensions, or all.
    reduce_all(input_tensor: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false)
        "tf.reduce_all", infer::reduce_bools, Light;
    /// Numbers that lie in strings byte by byte: a new last dimension. All strings of an element must have one length, a
    /// multiple of the type's; anything else is an error of the element.
    decode_raw(input_bytes: Tensor, out_type: DType, little_endian: Bool = true) "tf.io.decode_raw", infer::decode_raw, Light, can_fail;
    /// The contents of the file of that name. A file that cannot be read is an error of its element. It waits for storage, so
    /// many are read at a time.
    read_file(filename: Tensor) "tf.io.read_file", infer::file_contents, Io, can_fail, any_size;
    /// A dictionary of tensors from one `tf.train.Example`. Bytes stay views on the record. `VarLen` features come as
    /// sparse tensors, `Ragged` ones as plain tensors of one dimension. A record that lacks a feature without default, or
    /// has another type or number of values, is an error of its element.
    parse_single_example(serialized: Tensor, features: Features)
        "tf.io.parse_single_example", infer::parse_single_example, Heavy, can_fail;
    /// As `parse_single_example`, for a batch of records: each tensor has the batch as its first dimension, and sequences
    /// are filled up to the longest of the batch. `VarLen` features come as sparse tensors, `Ragged` ones as ragged ones.
    parse_example(serialized: Tensor, features: Features) "tf.io.parse_example", infer::parse_example, Heavy, can_fail;
    /// An error of its element if it holds a value that is infinite or not a number; the tensor otherwise.
    check_numerics(tensor: Tensor, message: Text) "tf.debugging.check_numerics", infer::float, Light, can_fail;
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
            assert!(!operation.doc.trim().is_empty(), "{}", operation.name);
            assert!(Operation::find(operation.name).is_some());
        }
        let without_counterpart = CATALOGUE
            .iter()
            .filter(|operation| operation.tensorflow.is_empty())
            .map(|operation| operation.name);
        assert_eq!(without_counterpart.collect::<Vec<_>>(), ["decode_csv_record", "decode_json"]);
        assert!(Operation::find("floordiv").is_some_and(|o| o.can_fail && !o.is_random));
    }
}
