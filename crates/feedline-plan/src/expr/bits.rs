//! `&`, `|`, `^`, `!`, `<<` and `>>`: of bools what logic has, of integers what their bits have.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use feedline_data::{DType, Structure};

use super::Symbolic;
use super::catalogue::{Operation, bitwise, numbers, operations};

/// The operation for these operands: of bits where the first tensor among them has integers, else the logical one, which says what it takes.
fn of_bits(
    logical: &'static Operation,
    bitwise: &'static Operation,
    operands: &[Symbolic],
) -> &'static Operation {
    let is_integer = |operand: &Symbolic| match operand.to_structure() {
        Ok(Structure::Leaf(expr)) => expr.spec().dtype.is_integer(),
        _ => false,
    };
    let is_bool = |operand: &Symbolic| match operand.to_structure() {
        Ok(Structure::Leaf(expr)) => expr.spec().dtype == DType::Bool,
        _ => false,
    };
    if operands.iter().any(is_integer) && !operands.iter().any(is_bool) { bitwise } else { logical }
}

macro_rules! bits {
    ($($trait:ident $method:ident $logical:expr, $bitwise:expr;)*) => {
        $(impl<R: Into<Symbolic>> $trait<R> for Symbolic {
            type Output = Symbolic;

            #[track_caller]
            fn $method(self, right: R) -> Symbolic {
                let operands = [self, right.into()];
                Symbolic::call(of_bits(&$logical, &$bitwise, &operands), &operands, vec![])
            }
        }

        impl<R: Into<Symbolic>> $trait<R> for &Symbolic {
            type Output = Symbolic;

            #[track_caller]
            fn $method(self, right: R) -> Symbolic {
                let operands = [self.clone(), right.into()];
                Symbolic::call(of_bits(&$logical, &$bitwise, &operands), &operands, vec![])
            }
        })*
    };
}

bits! {
    BitAnd bitand operations::logical_and, bitwise::operations::bitwise_and;
    BitOr bitor operations::logical_or, bitwise::operations::bitwise_or;
    BitXor bitxor numbers::operations::logical_xor, bitwise::operations::bitwise_xor;
    Shl shl bitwise::operations::left_shift, bitwise::operations::left_shift;
    Shr shr bitwise::operations::right_shift, bitwise::operations::right_shift;
}

impl Not for Symbolic {
    type Output = Symbolic;

    #[track_caller]
    fn not(self) -> Symbolic {
        let operands = [self];
        let operation = of_bits(&operations::logical_not, &bitwise::operations::invert, &operands);
        Symbolic::call(operation, &operands, vec![])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::{ElementSpec, TensorSpec};

    #[test]
    fn operators_follow_the_type() {
        let of = |dtype| Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(dtype)));
        let shown = |value: Symbolic| value.to_structure().map_or_else(|e| e.to_string(), |s| s.to_string());
        let (bools, ints) = (of(DType::Bool), of(DType::Int32));
        assert_eq!(shown(&bools & true), "logical_and(x0, 1)");
        assert_eq!(shown(&ints & 7), "bitwise.bitwise_and(x0, 7)");
        assert_eq!(shown(&bools ^ &bools), "logical_xor(x0, x0)");
        assert_eq!(shown(Symbolic::from(1) << &ints), "bitwise.left_shift(1, x0)");
        assert_eq!(shown(!ints.clone()), "bitwise.invert(x0)");
        assert_eq!(shown(!bools.clone()), "logical_not(x0)");
        assert!(shown(of(DType::Float32) & 1.0).contains("takes bools, not float32"));
    }
}
