//! Arguments that are values of the plan or tensors computed for every element, as the user likes: sizes, factors.
//!
//! A call has them among its attributes. Where one is a tensor, the attribute says which of the call's tensors it is
//! ([`Attribute::Input`]); where that tensor turns out to be a constant, it becomes a value of the plan, so that there is one way to write
//! the same plan.

use feedline_data::block::Tensor;
use feedline_data::{DType, Shape, TensorSpec};

use super::infer::ints_of;
use super::{ArgumentKind, Attribute, Call, Expr, ExprKind, Operation, Symbolic};
use crate::{PlanError, Result};

/// What is given for an argument that may be a value of the plan or a tensor.
///
/// ```
/// use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
/// use feedline_plan::{Symbolic, ops};
///
/// let image = TensorSpec::new(DType::UInt8, Shape::new(vec![None, None, Some(3)]));
/// let image = Symbolic::of_spec(&ElementSpec::Leaf(image));
/// let half = ops::shape(&image, DType::Int32).slice(..2) / 2;
/// let half = ops::cast(half, DType::Int32);
/// for (small, spec) in [
///     (ops::image::resize(&image, [8, 9], "bilinear", false, false, false), "float32[8, 9, 3]"),
///     (ops::image::resize(&image, half, "bilinear", false, false, false), "float32[?, ?, 3]"),
/// ] {
///     assert_eq!(small.to_structure()?.map(|expr| expr.spec().to_string()).to_string(), spec);
/// }
/// # Ok::<(), feedline_plan::PlanError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Given {
    /// A value of the plan.
    Fixed(Attribute),
    /// One for every element.
    Tensor(Symbolic),
}

impl Given {
    /// An integer as the float it is.
    #[must_use]
    pub fn as_float(self) -> Given {
        match self {
            Given::Fixed(Attribute::Int(value)) => Given::Fixed(Attribute::Float(value as f64)),
            other => other,
        }
    }

    /// The attribute; a tensor is put behind `tensors`.
    pub fn put(self, tensors: &mut Vec<Symbolic>) -> Attribute {
        match self {
            Given::Fixed(attribute) => attribute,
            Given::Tensor(tensor) => {
                tensors.push(tensor);
                Attribute::Input(tensors.len() - 1)
            }
        }
    }
}

macro_rules! fixed {
    ($($rust:ty),*) => {
        $(impl From<$rust> for Given {
            fn from(value: $rust) -> Given {
                Given::Fixed(value.into())
            }
        })*
    };
}

fixed!(i64, i32, u32, f64, f32, Vec<i64>, &[i64]);

impl From<Attribute> for Given {
    fn from(value: Attribute) -> Given {
        Given::Fixed(value)
    }
}

impl<const N: usize> From<[i64; N]> for Given {
    fn from(values: [i64; N]) -> Given {
        Given::Fixed(values.into())
    }
}

impl From<Symbolic> for Given {
    fn from(tensor: Symbolic) -> Given {
        Given::Tensor(tensor)
    }
}

impl From<&Symbolic> for Given {
    fn from(tensor: &Symbolic) -> Given {
        Given::Tensor(tensor.clone())
    }
}

/// The same arguments, with constants as values of the plan where they may be either.
pub(super) fn fix_constants(operation: &Operation, inputs: &mut Vec<Expr>, attributes: &mut [Attribute]) {
    let mut num_fixed = 0;
    for (argument, attribute) in operation.attributes().zip(attributes) {
        let Attribute::Input(index) = attribute else { continue };
        let place = *index - num_fixed;
        *index = place;
        let constant = match inputs.get(place).map(|input| &input.node().kind) {
            Some(ExprKind::Constant(tensor)) => fixed(argument.kind, tensor),
            _ => None,
        };
        if let Some(fixed) = constant {
            *attribute = fixed;
            inputs.remove(place);
            num_fixed += 1;
        }
    }
}

/// The constant as a value of that kind; `None` if it is none, which is told by those who take tensors.
fn fixed(kind: ArgumentKind, tensor: &Tensor) -> Option<Attribute> {
    match (kind, tensor.shape()) {
        (ArgumentKind::IntOrTensor, []) => Some(Attribute::Int(ints_of(tensor)?[0])),
        (ArgumentKind::AxisOrTensor, [_]) => Some(Attribute::Ints(ints_of(tensor)?)),
        (ArgumentKind::FloatOrTensor, []) => match tensor.dtype() {
            DType::Float32 => Some(Attribute::Float(tensor.as_slice::<f32>()[0].into())),
            DType::Float64 => Some(Attribute::Float(tensor.as_slice::<f64>()[0])),
            _ => ints_of(tensor).map(|ints| Attribute::Float(ints[0] as f64)),
        },
        _ => None,
    }
}

impl Call {
    /// The tensor that is given for the argument called `name`, where it is one.
    pub fn tensor_for(&self, name: &str) -> Option<&Expr> {
        match self.attribute(name) {
            Attribute::Input(index) => self.inputs.get(*index),
            _ => None,
        }
    }

    /// Whether an argument that may be a value of the plan is a tensor.
    pub fn has_given_tensors(&self) -> bool {
        self.attributes.iter().any(|attribute| matches!(attribute, Attribute::Input(_)))
    }

    /// Whether it may make any number of bytes of a few: what it is given says how many.
    pub fn makes_any_size(&self) -> bool {
        self.operation.any_size || self.has_given_tensors()
    }

    /// What is known of its results where its tensors are these: `None` if they do not fit. What is a value of the plan stays so.
    pub fn outputs_of(&self, specs: Vec<TensorSpec>) -> Option<Vec<TensorSpec>> {
        let inputs =
            self.inputs.iter().zip(specs).enumerate().map(|(leaf, (input, spec))| match input.node().kind {
                ExprKind::Constant(_) => input.clone(),
                _ => Expr::input(leaf, spec),
            });
        let (operation, attributes) = (self.operation, self.attributes.clone());
        let (place, step, function) = (self.place, self.step, self.function);
        let call = Call { operation, inputs: inputs.collect(), attributes, place, step, function };
        (operation.infer)(&call).ok()
    }

    /// The integer called `name`, where it is a value of the plan; of a tensor it is checked that it has one.
    pub(super) fn known_int(&self, name: &str) -> Result<Option<i64>> {
        let Some(tensor) = self.tensor_for(name) else { return Ok(Some(self.int(name))) };
        let spec = tensor.spec();
        if matches!(spec.dtype, DType::Int32 | DType::Int64)
            && spec.shape.is_compatible_with(&Shape::scalar())
        {
            return Ok(None);
        }
        Err(PlanError::spec(format!("{name} is one number of int32 or int64, not {spec}")))
    }

    /// The float called `name`, where it is a value of the plan; of a tensor it is checked that it has one number.
    pub(super) fn known_float(&self, name: &str) -> Result<Option<f64>> {
        let Some(tensor) = self.tensor_for(name) else { return Ok(Some(self.float(name))) };
        let spec = tensor.spec();
        if spec.dtype.is_numeric() && spec.shape.is_compatible_with(&Shape::scalar()) {
            return Ok(None);
        }
        Err(PlanError::spec(format!("{name} is one number, not {spec}")))
    }
}

#[cfg(test)]
mod tests {
    use feedline_data::ElementSpec;

    use super::*;
    use crate::ops;

    fn image() -> Symbolic {
        let shape = Shape::new(vec![None, None, Some(3)]);
        Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::new(DType::UInt8, shape)))
    }

    fn shown(value: &Symbolic) -> Result<(String, String)> {
        let structure = value.to_structure()?;
        Ok((structure.to_string(), structure.map(|expr| expr.spec().to_string()).to_string()))
    }

    #[test]
    fn constants_become_values_of_the_plan() {
        let fixed = ops::image::resize(image(), [4, 5], "area", false, false, false);
        let constant = Symbolic::from(Tensor::from_vec(vec![2], vec![4_i64, 5]));
        let of_constant = ops::image::resize(image(), constant, "area", false, false, false);
        assert_eq!(shown(&of_constant), shown(&fixed));
        // Those behind one that goes move up.
        let (x, four) = (image(), Symbolic::from(Tensor::scalar(4_i32)));
        let side = ops::size(&x, DType::Int32);
        let padded = ops::image::pad_to_bounding_box(&x, 0, &four, &side, &side);
        let (text, spec) = shown(&padded).expect("valid");
        assert!(text.contains("offset_width=4, target_height=tensor 1, target_width=tensor 2"), "{text}");
        assert_eq!(spec, "uint8[?, ?, 3]");
        let wide = ops::image::adjust_brightness(&x, Symbolic::from(Tensor::scalar(0.5_f64)));
        assert_eq!(shown(&wide), shown(&ops::image::adjust_brightness(&x, 0.5)));
    }

    #[test]
    fn what_is_known_of_a_size_is_known_of_the_image() {
        let x = image();
        let height = ops::shape(&x, DType::Int32).index(0);
        let size = ops::stack([height, Symbolic::from(Tensor::scalar(7_i32))], 0);
        let (_, spec) = shown(&ops::image::resize(&x, size, "area", false, false, false)).expect("valid");
        assert_eq!(spec, "float32[?, 7, 3]");
    }

    #[test]
    fn tensors_that_cannot_be_it_are_refused_by_name() {
        let x = image();
        let dims = ops::shape(&x, DType::Int32);
        let half = ops::cast(&x, DType::Float32);
        for (wrong, message) in [
            (ops::image::resize(&x, &dims, "area", false, false, false), "size is"),
            (ops::image::resize(&x, &half, "area", false, false, false), "size of int32 or int64"),
            (ops::image::resize_with_crop_or_pad(&x, &dims, 3), "target_height is one number"),
            (ops::image::central_crop(&x, &dims), "central_fraction is one number"),
            (ops::image::adjust_jpeg_quality(&x, &half, ""), "jpeg_quality is one number"),
            (ops::image::resize(&x, dims.slice(..2), "area", false, false, true), "fast_scale"),
        ] {
            let error = wrong.to_structure().expect_err("refused").to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
