//! Several elements of different lengths as one, which is ragged.
//!
//! It is made of steps that are there: each tensor becomes a ragged one of a single row, these become a batch as ragged tensors do, and the
//! dimension of one row goes again.

use feedline_data::{Composite, DType, ElementSpec, Shape, Structure};

use crate::expr::Expr;
use crate::{Plan, PlanError, Result, Symbolic, ops};

impl Plan {
    /// Every `batch_size` elements as one: tensors of a fixed shape side by side, others as ragged tensors, whose dimensions are ragged up to
    /// the last that is not known.
    pub fn ragged_batch(&self, batch_size: usize, drop_remainder: bool) -> Result<Plan> {
        let step = "ragged_batch";
        self.check_tensors(step)?;
        for (spec, name) in self.spec().leaves().into_iter().zip(self.spec().leaf_names()) {
            if spec.shape.rank().is_none() && !self.spec().has_composite() {
                return Err(PlanError::spec(format!(
                    "{step}: the tensor{name}, which is {spec}, has an unknown number of dimensions"
                ))
                .with_hint("say it before: ensure_shape(x, shape), in Python also x.set_shape(shape)"));
            }
        }
        let spec = self.spec();
        let one_row = self.map(|element| changed(&element, |structure| with_one_row(spec, structure)), None);
        let batches = one_row?.batch(batch_size, drop_remainder).map_err(|error| error.in_step(step))?;
        let rows = drop_remainder.then_some(batch_size);
        batches.map(|batch| changed(&batch, |structure| without_one_row(spec, structure, rows)), None)
    }
}

fn changed(value: &Symbolic, change: impl FnOnce(&Structure<Expr>) -> Result<Structure<Expr>>) -> Symbolic {
    value
        .to_structure()
        .and_then(|structure| change(&structure))
        .map_or_else(Symbolic::of_error, Symbolic::from)
}

/// Each tensor whose shape may differ as the only row of a ragged one.
fn with_one_row(spec: &ElementSpec, element: &Structure<Expr>) -> Result<Structure<Expr>> {
    walk(spec, element, &mut |leaf| {
        let leaf = leaf_of(leaf)?;
        let dims = leaf.spec().shape.dims().unwrap_or(&[None]).to_vec();
        let last = last_unknown(&dims);
        let values = Symbolic::from(Structure::Leaf(leaf));
        let sizes = ops::shape(&values, DType::Int64);
        let mut splits = vec![ops::stack([Symbolic::from(0), sizes.index(0)], 0)];
        let mut num_rows = sizes.index(0);
        for dim in 1..=last {
            let size = sizes.index(dim as i64);
            splits.push(ops::range(Symbolic::from(0), &num_rows + 1, 1) * &size);
            num_rows = num_rows * size;
        }
        let values = if last == 0 {
            values
        } else {
            ops::reshape(values, Shape::new([&[None], &dims[last + 1..]].concat()))
        };
        Symbolic::composite(Composite::Ragged, std::iter::once(values).chain(splits)).to_structure()
    })
}

/// The last dimension that is not known; the first where all are.
fn last_unknown(dims: &[Option<usize>]) -> usize {
    dims.iter().rposition(Option::is_none).unwrap_or(0)
}

/// A batch of such, without the dimension of one row; of `rows` elements, where that is known.
fn without_one_row(
    spec: &ElementSpec,
    batch: &Structure<Expr>,
    rows: Option<usize>,
) -> Result<Structure<Expr>> {
    walk(spec, batch, &mut |leaf| {
        let ragged = Symbolic::from(leaf.clone());
        let splits = (2..leaf.num_leaves()).map(|part| match rows {
            Some(rows) if part == 2 => ops::ensure_shape(ragged.component(part), Shape::fixed(&[rows + 1])),
            _ => ragged.component(part),
        });
        Symbolic::composite(Composite::Ragged, std::iter::once(ragged.component(0)).chain(splits))
            .to_structure()
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
        let full = pairs.ragged_batch(2, true).expect("valid");
        assert_eq!(full.spec().to_string(), "(ragged(uint8[?], int64[3]), string[2])");
        assert!(pairs.ragged_batch(0, false).is_err_and(|error| error.to_string().contains("batch_size")));
        let image = |x: Symbolic| ops::image::decode_png(x, 3, DType::UInt8);
        let images = letters.map(image, None).expect("valid").ragged_batch(2, false).expect("valid");
        assert_eq!(images.spec().to_string(), "ragged(uint8[?, 3], int64[?], int64[?])");
        let any =
            letters.map(|x| ops::parse_tensor(x, DType::Int64), None).expect("valid").ragged_batch(2, false);
        assert!(any.is_err_and(|error| error.to_string().contains("has an unknown number of dimensions")));
    }
}
