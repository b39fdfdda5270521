//! Several elements of different lengths as one, which is ragged.
//!
//! It is made of steps that are there: each tensor becomes a ragged one of a single row, these become a batch as ragged tensors do, and the
//! dimension of one row goes again.

use feedline_data::{Composite, DType, ElementSpec, Structure};

use crate::expr::Expr;
use crate::{Plan, PlanError, Result, Symbolic, ops};

impl Plan {
    /// Every `batch_size` elements as one: tensors of a fixed shape side by side, others as ragged tensors.
    pub fn ragged_batch(&self, batch_size: usize, drop_remainder: bool) -> Result<Plan> {
        let step = "ragged_batch";
        self.check_tensors(step)?;
        for (spec, name) in self.spec().leaves().into_iter().zip(self.spec().leaf_names()) {
            let differs = |dims: &[Option<usize>]| dims.iter().skip(1).any(Option::is_none);
            if spec.shape.dims().is_none_or(differs) && !self.spec().has_composite() {
                return Err(PlanError::spec(format!(
                    "{step}: of the tensor{name}, which is {spec}, only the first dimension may be unknown"
                ))
                .with_hint("pad or resize the others before"));
            }
        }
        let spec = self.spec();
        let one_row = self.map(|element| changed(&element, |structure| with_one_row(spec, structure)), None);
        let batches = one_row?.batch(batch_size, drop_remainder).map_err(|error| error.in_step(step))?;
        batches.map(|batch| changed(&batch, |structure| without_one_row(spec, structure)), None)
    }
}

fn changed(value: &Symbolic, change: impl FnOnce(&Structure<Expr>) -> Result<Structure<Expr>>) -> Symbolic {
    value
        .to_structure()
        .and_then(|structure| change(&structure))
        .map_or_else(Symbolic::of_error, Symbolic::from)
}

/// Each tensor whose length may differ as a ragged one that has it as its only row.
fn with_one_row(spec: &ElementSpec, element: &Structure<Expr>) -> Result<Structure<Expr>> {
    walk(spec, element, &mut |leaf| {
        let values = Symbolic::from(Structure::Leaf(leaf_of(leaf)?));
        let length = ops::shape(&values, DType::Int64).index(0);
        Symbolic::composite(Composite::Ragged, [values, ops::stack([Symbolic::from(0), length], 0)])
            .to_structure()
    })
}

/// A batch of such, without the dimension of one row.
fn without_one_row(spec: &ElementSpec, batch: &Structure<Expr>) -> Result<Structure<Expr>> {
    walk(spec, batch, &mut |leaf| {
        let ragged = Symbolic::from(leaf.clone());
        Symbolic::composite(Composite::Ragged, [ragged.component(0), ragged.component(2)]).to_structure()
    })
}

/// A structure such as `spec`'s, with what `change` makes of those parts of it whose length may differ.
fn walk(
    spec: &ElementSpec,
    found: &Structure<Expr>,
    change: &mut impl FnMut(&Structure<Expr>) -> Result<Structure<Expr>>,
) -> Result<Structure<Expr>> {
    match (spec, found) {
        (Structure::Leaf(spec), found) if spec.shape.to_fixed().is_none() => change(found),
        // A row of a ragged tensor, which functions see as a plain one.
        (Structure::Composite(Composite::Ragged, parts), found) if parts.len() == 1 => change(found),
        (Structure::Tuple(specs), Structure::Tuple(parts)) => {
            let parts = specs.iter().zip(parts).map(|(spec, part)| walk(spec, part, change));
            Ok(Structure::Tuple(parts.collect::<Result<_>>()?))
        }
        (Structure::Dict(specs), Structure::Dict(parts)) => {
            let parts = specs.values().zip(parts);
            let parts = parts.map(|(spec, (key, part))| Ok((key.clone(), walk(spec, part, change)?)));
            Ok(Structure::Dict(parts.collect::<Result<_>>()?))
        }
        (_, found) => Ok(found.clone()),
    }
}

fn leaf_of(structure: &Structure<Expr>) -> Result<Expr> {
    match structure {
        Structure::Leaf(expr) => Ok(expr.clone()),
        other => Err(PlanError::internal(format!("{other} in the place of a tensor"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::block::Tensor;

    #[test]
    fn specs_and_mistakes() {
        let words = Tensor::from_strings(vec![2], ["a", "bcd"].iter().collect());
        let letters = Plan::from_tensor_slices(&words.into()).expect("valid");
        let pairs = letters
            .map(|word| (ops::decode_raw(&word, DType::UInt8, true), word).into(), None)
            .expect("valid");
        let plan = pairs.ragged_batch(2, false).expect("valid");
        assert_eq!(plan.spec().to_string(), "(ragged(uint8[?], int64[?]), string[?])");
        assert!(pairs.ragged_batch(0, false).is_err_and(|error| error.to_string().contains("batch_size")));
        let image = |x: Symbolic| ops::image::decode_png(x, 3, DType::UInt8);
        let images = letters.map(image, None).expect("valid").ragged_batch(2, false);
        assert!(
            images.is_err_and(|error| error.to_string().contains("only the first dimension may be unknown"))
        );
    }
}
