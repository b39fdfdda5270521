//! How an entry is written, and what is made of it.

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
            use crate::expr::{Attribute, Features, Given, IntoSlices, Symbolic};
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
    (@default IntOrTensor $value:expr) => { Some(Attribute::Int($value)) };
    (@default FloatOrTensor $value:expr) => { Some(Attribute::Float($value)) };
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
    (@type IntOrTensor) => { impl Into<Given> };
    (@type FloatOrTensor) => { impl Into<Given> };
    (@type AxisOrTensor) => { impl Into<Given> };
    (@push Condition $value:ident $tensors:ident $attributes:ident) => { $tensors.push($value.into()) };
    (@push Indices $value:ident $tensors:ident $attributes:ident) => { $tensors.push($value.into()) };
    (@push IntOrTensor $value:ident $tensors:ident $attributes:ident) => {
        $attributes.push($value.into().put(&mut $tensors))
    };
    (@push FloatOrTensor $value:ident $tensors:ident $attributes:ident) => {
        $attributes.push($value.into().as_float().put(&mut $tensors))
    };
    (@push AxisOrTensor $value:ident $tensors:ident $attributes:ident) => {
        $attributes.push($value.into().put(&mut $tensors))
    };
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
pub(super) const fn plain_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [.., b'_'] => name.split_at(name.len() - 1).0,
        _ => name,
    }
}
