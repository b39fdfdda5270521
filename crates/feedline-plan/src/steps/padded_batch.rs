//! Several elements of different sizes as one.

use std::sync::Arc;

use feedline_data::block::{Buffer, Strings, Tensor};
use feedline_data::{DType, Shape, Structure, TensorSpec};

use super::of_outer::integer;
use crate::{Cardinality, NodeKind, Padding, Plan, PlanError, Result, Symbolic};

impl Plan {
    /// Every `batch_size` elements as one, each filled up to `shapes`; a dimension that is unknown there becomes that of the largest
    /// element in its batch. `None` is what is known about the elements. What fills is 0, an empty string or false unless `values` says
    /// otherwise: a scalar for each leaf, or one for all; `None` among them is the usual.
    pub fn padded_batch(
        &self,
        batch_size: usize,
        shapes: Option<&Structure<Shape>>,
        values: Option<&Structure<Option<Tensor>>>,
        drop_remainder: bool,
    ) -> Result<Plan> {
        if batch_size == 0 {
            return Err(PlanError::argument("padded_batch: batch_size must be greater than zero"));
        }
        self.check_tensors("padded_batch")?;
        if self.spec().has_composite() {
            return Err(PlanError::spec("padded_batch: ragged and sparse tensors are not filled up").with_hint(
                "make them plain ones first, with to_tensor or sparse.to_dense; batch puts them together as they are",
            ));
        }
        let shapes = self.padded_shapes(shapes)?;
        let values = self.padding_values(values)?;
        let size = batch_size as u64;
        let cardinality =
            self.cardinality().map(|count| if drop_remainder { count / size } else { count.div_ceil(size) });
        let is_full = drop_remainder || self.cardinality() == Cardinality::Infinite;
        let dim = is_full.then_some(batch_size);
        let specs = self.spec().leaves().into_iter().zip(&shapes);
        let specs = specs.map(|(spec, shape)| TensorSpec::new(spec.dtype, shape.with_outer(dim)));
        let spec = self.spec().with_leaves(specs.collect::<Vec<_>>());
        let padding = Arc::new(Padding { shapes, values });
        let kind = NodeKind::PaddedBatch { batch_size, drop_remainder, padding, fill_to: None };
        Ok(self.step(kind, spec, cardinality))
    }

    /// The padded batch this plan ends in, with dimensions that are unknown filled up to `size`, which comes with the element around.
    pub(crate) fn filled_to(&self, size: &Symbolic) -> Result<Plan> {
        let mut kind = self.node().kind.clone();
        if let NodeKind::PaddedBatch { fill_to, .. } = &mut kind {
            *fill_to = Some(integer(size, "padded_batch: the size to fill up to")?);
        }
        Ok(self.with_kind(kind, self.node().inputs.clone()))
    }

    /// The padded batch this plan ends in, filled up with other values.
    pub fn with_padding_values(&self, values: &Structure<Option<Tensor>>) -> Result<Plan> {
        self.changed("padding_values", "padded_batch", |input, kind| match kind {
            NodeKind::PaddedBatch { batch_size, drop_remainder, padding, fill_to: None } => {
                let shapes = input.spec().with_leaves(padding.shapes.clone());
                Some(input.padded_batch(*batch_size, Some(&shapes), Some(values), *drop_remainder))
            }
            _ => None,
        })
    }

    fn padded_shapes(&self, shapes: Option<&Structure<Shape>>) -> Result<Vec<Shape>> {
        let names = self.spec().leaf_names();
        let specs = self.spec().leaves().into_iter().zip(&names);
        let Some(shapes) = shapes else {
            let known = specs.map(|(spec, name)| match spec.shape.rank() {
                Some(_) => Ok(spec.shape.clone()),
                None => Err(PlanError::spec(format!(
                    "padded_batch: nothing is known about the shape of the tensor{name}"
                ))
                .with_hint("say how many dimensions it has: padded_shapes, with None for those that differ")),
            });
            return known.collect();
        };
        if let Some(difference) = self.spec().first_difference(shapes) {
            return Err(PlanError::argument(format!(
                "padded_batch: padded_shapes is no shape for each tensor: {difference}"
            )));
        }
        let mut checked = Vec::new();
        for ((spec, name), shape) in specs.zip(shapes.leaves()) {
            let fits = |(own, padded): (&Option<usize>, &Option<usize>)| {
                own.is_none_or(|own| padded.is_none_or(|padded| own <= padded))
            };
            let is_padded = match (spec.shape.dims(), shape.dims()) {
                (_, None) => {
                    return Err(PlanError::argument(format!(
                        "padded_batch: padded_shapes{name} must say how many dimensions there are"
                    )));
                }
                (None, Some(_)) => true,
                (Some(own), Some(padded)) => own.len() == padded.len() && own.iter().zip(padded).all(fits),
            };
            if !is_padded {
                return Err(PlanError::argument(format!(
                    "padded_batch: padded_shapes: the tensor{name} of shape {} cannot be filled up to {shape}",
                    spec.shape
                )));
            }
            checked.push(shape.clone());
        }
        Ok(checked)
    }

    fn padding_values(&self, values: Option<&Structure<Option<Tensor>>>) -> Result<Vec<Tensor>> {
        let (specs, names) = (self.spec().leaves(), self.spec().leaf_names());
        let given: Vec<Option<&Tensor>> = match values {
            None => vec![None; specs.len()],
            // One for all of them.
            Some(Structure::Leaf(value)) => vec![value.as_ref(); specs.len()],
            Some(values) => match self.spec().first_difference(values) {
                None => values.leaves().into_iter().map(Option::as_ref).collect(),
                Some(difference) => {
                    return Err(PlanError::argument(format!(
                        "padded_batch: padding_values is no value for each tensor: {difference}"
                    )));
                }
            },
        };
        let mut checked = Vec::new();
        for ((spec, name), value) in specs.into_iter().zip(&names).zip(given) {
            let Some(value) = value else {
                checked.push(usual_padding(spec.dtype));
                continue;
            };
            if value.dtype() != spec.dtype || !value.shape().is_empty() {
                return Err(PlanError::argument(format!(
                    "padded_batch: padding_values{name} must be one {}, not {}{:?}",
                    spec.dtype,
                    value.dtype(),
                    value.shape()
                )));
            }
            checked.push(value.clone());
        }
        Ok(checked)
    }
}

/// Nothing, in the words of a type.
fn usual_padding(dtype: DType) -> Tensor {
    match dtype {
        DType::String => Tensor::from_strings(vec![], [""].iter().collect::<Strings>()),
        other => {
            let width = other.width().expect("strings are above");
            // The widest number there is, for memory that is aligned for all of them.
            Tensor::from_buffer(other, vec![], Buffer::from_vec(vec![0_u64]).slice(0..width))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    /// Lists of bytes.
    fn lists() -> Plan {
        let strings = Tensor::from_strings(vec![2], ["a", "bcd"].iter().collect());
        let strings = Plan::from_tensor_slices(&strings.into()).expect("valid");
        strings.map(|text| ops::decode_raw(text, DType::UInt8, true), None).expect("valid")
    }

    #[test]
    fn shapes_are_those_of_the_largest_or_as_given() {
        let of = |plan: Result<Plan>| plan.expect("valid").spec().to_string();
        assert_eq!(of(lists().padded_batch(2, None, None, false)), "uint8[?, ?]");
        assert_eq!(of(lists().padded_batch(2, None, None, true)), "uint8[2, ?]");
        let five = Structure::Leaf(Shape::fixed(&[5]));
        assert_eq!(of(lists().padded_batch(2, Some(&five), None, false)), "uint8[?, 5]");
        let one = Structure::Leaf(Some(Tensor::scalar(1_u8)));
        let changed =
            lists().padded_batch(2, Some(&five), None, false).and_then(|plan| plan.with_padding_values(&one));
        assert_eq!(of(changed), "uint8[?, 5]");
        assert!(matches!(usual_padding(DType::Float64).as_slice::<f64>(), [0.0]));
    }

    #[test]
    fn mistakes_are_named() {
        let ten = Plan::range(0, 10, 1).expect("valid");
        let one = Structure::Leaf(Shape::fixed(&[1]));
        let value = |value: Tensor| Structure::Leaf(Some(value));
        let cases = [
            (ten.padded_batch(0, None, None, false), "batch_size must be greater than zero"),
            (ten.padded_batch(5, Some(&one), None, false), "of shape [] cannot be filled up to [1]"),
            (
                lists().padded_batch(5, Some(&Structure::Leaf(Shape::UNKNOWN)), None, false),
                "how many dimensions",
            ),
            (
                lists().padded_batch(5, Some(&Structure::Tuple(vec![])), None, false),
                "no shape for each tensor",
            ),
            (
                ten.padded_batch(5, None, Some(&value(Tensor::scalar(1_i32))), false),
                "must be one int64, not int32[]",
            ),
            (
                ten.padded_batch(5, None, Some(&value(Tensor::from_vec(vec![1], vec![1_i64]))), false),
                "must be one int64, not int64[1]",
            ),
            (ten.padded_batch(5, None, Some(&Structure::Tuple(vec![])), false), "no value for each tensor"),
        ];
        for (plan, expected) in cases {
            let error = plan.expect_err(expected).to_string();
            assert!(error.starts_with("padded_batch: ") && error.contains(expected), "{error}");
        }
    }
}
