//! Ragged and sparse tensors while a function is traced: put together of plain ones, and taken apart.

use std::panic::Location;

use feedline_data::{Composite, DType, Structure};

use super::symbolic::Form;
use super::{Expr, Symbolic};
use crate::{PlanError, Result};

impl Symbolic {
    /// The ragged or sparse tensor of these parts, which [`Composite`] describes. Nothing is computed, so what the parts say is not
    /// checked here: see `ops::ragged` for what checks.
    ///
    /// ```
    /// use feedline_data::{Composite, DType, ElementSpec, Shape, TensorSpec};
    /// use feedline_plan::Symbolic;
    ///
    /// let leaf = |dtype| ElementSpec::Leaf(TensorSpec::new(dtype, Shape::new(vec![None])));
    /// let x = Symbolic::of_spec(&ElementSpec::Tuple(vec![leaf(DType::String), leaf(DType::Int64)]));
    /// let words = Symbolic::composite(Composite::Ragged, [x.at(0), x.at(1)]);
    /// assert_eq!(words.to_structure()?.to_string(), "ragged(x0, x1)");
    /// assert_eq!(words.component(1).to_structure()?.to_string(), "x1");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn composite(kind: Composite, parts: impl IntoIterator<Item = Symbolic>) -> Symbolic {
        let location = Location::caller();
        let parts = parts.into_iter().map(|part| match part.to_structure()? {
            Structure::Leaf(expr) => Ok(expr),
            other => Err(PlanError::spec(format!("a part of a {kind} tensor is one tensor, not {other}"))),
        });
        let checked = parts.collect::<Result<Vec<Expr>>>().and_then(|parts| {
            check(kind, &parts)?;
            Ok(Form::Traced(Structure::Composite(kind, parts)))
        });
        Symbolic(checked.map_err(|error| error.at(location)))
    }

    /// Part `index` of a ragged tensor (its flat values, then its row splits from the outermost) or a sparse one (its indices,
    /// values, and dense shape).
    #[must_use]
    #[track_caller]
    pub fn component(&self, index: usize) -> Symbolic {
        let location = Location::caller();
        let part = self.to_structure().and_then(|structure| match structure {
            Structure::Composite(kind, parts) => parts.get(index).cloned().ok_or_else(|| {
                PlanError::spec(format!("part {index} of a {kind} tensor of {} parts", parts.len()))
            }),
            other => {
                Err(PlanError::spec(format!("part {index} of {other}, which is neither ragged nor sparse")))
            }
        });
        Symbolic(part.map(|expr| Form::Traced(Structure::Leaf(expr))).map_err(|error| error.at(location)))
    }
}

/// Whether these can be the parts, by number, types and dimensions.
fn check(kind: Composite, parts: &[Expr]) -> Result<()> {
    if !kind.has_parts(parts.len()) {
        return Err(PlanError::spec(format!("a {kind} tensor does not have {} parts", parts.len())));
    }
    for (index, part) in parts.iter().enumerate() {
        let (spec, name) = (part.spec(), kind.part_name(index));
        let is_values = index == kind.values_part();
        if !is_values && spec.dtype != DType::Int64 {
            return Err(PlanError::spec(format!("{name} are int64, not {}", spec.dtype)));
        }
        let fits = match (kind, index, spec.shape.rank()) {
            (_, _, None) => true,
            (Composite::Ragged, 0, Some(rank)) => rank >= 1,
            (Composite::Sparse, 0, Some(rank)) => rank == 2,
            (_, _, Some(rank)) => rank == 1,
        };
        if !fits {
            return Err(PlanError::spec(format!("{name} cannot have the shape {}", spec.shape)));
        }
    }
    Ok(())
}
