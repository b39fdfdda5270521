//! Batches taken apart.

use feedline_data::{Composite, ElementSpec, Structure, TensorSpec};

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// The slices of each element along its first dimension, as elements. Those of ragged tensors are ragged with a dimension less, or, with
    /// no other ragged one, plain tensors of any length; those of sparse tensors are sparse.
    pub fn unbatch(&self) -> Result<Plan> {
        self.check_tensors("unbatch")?;
        let names = self.spec().leaf_names();
        let Some(spec) = self.spec().sliced() else {
            let is_scalar = |spec: &&TensorSpec| spec.shape.without_outer().is_none();
            let place = self.spec().leaves().iter().position(is_scalar);
            let name = place.map_or("", |place| names[place].as_str());
            return Err(PlanError::spec(format!(
                "unbatch: the tensor{name} is a scalar, which has no slices"
            )));
        };
        let mut size: Option<(usize, &str)> = None;
        for (own, name) in self.num_slices().into_iter().zip(&names) {
            match (own, size) {
                (Some(own), Some((other, other_name))) if other != own => {
                    return Err(PlanError::spec(format!(
                        "unbatch: the tensor{other_name} has {other} slices, the tensor{name} {own}"
                    )));
                }
                (Some(own), _) => size = Some((own, name)),
                (None, _) => {}
            }
        }
        let cardinality = match (self.cardinality(), size) {
            (Cardinality::Known(own), Some((size, _))) => Cardinality::Known(own.saturating_mul(size as u64)),
            (Cardinality::Infinite, Some((size, _))) if size > 0 => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        };
        Ok(self.step(NodeKind::Unbatch, spec, cardinality))
    }

    /// What each leaf tells about the number of slices of an element.
    fn num_slices(&self) -> Vec<Option<usize>> {
        let mut sizes = Vec::new();
        add_sizes(self.spec(), &mut sizes);
        // The size of a sparse tensor is one of its values, which are known here alone.
        if let NodeKind::Tensors { columns } = &self.node().kind {
            for (size, column) in sizes.iter_mut().zip(columns) {
                if *size == Some(Slices::InValues) {
                    let first = column.as_slice::<i64>().first().and_then(|&size| usize::try_from(size).ok());
                    *size = first.map(Slices::Known);
                }
            }
        }
        let known = |size| if let Some(Slices::Known(size)) = size { Some(size) } else { None };
        sizes.into_iter().map(known).collect()
    }
}

/// Where it stands how many slices a tensor has.
#[derive(Clone, Copy, PartialEq)]
enum Slices {
    Known(usize),
    /// The first value of this leaf is the number.
    InValues,
}

/// What each leaf of `spec` tells; `None`: nothing.
fn add_sizes(spec: &ElementSpec, sizes: &mut Vec<Option<Slices>>) {
    match spec {
        Structure::Leaf(spec) => {
            sizes.push(spec.shape.dims().and_then(|dims| dims[0]).map(Slices::Known));
        }
        Structure::Tuple(parts) => parts.iter().for_each(|part| add_sizes(part, sizes)),
        Structure::Dict(parts) => parts.values().for_each(|part| add_sizes(part, sizes)),
        Structure::Composite(Composite::Ragged, parts) => {
            let of_part = |(part, spec): (usize, &TensorSpec)| {
                let dim = spec.shape.dims().and_then(|dims| dims[0]);
                match (part, parts.len()) {
                    (0, 1) => dim.map(Slices::Known),
                    (1, _) => dim.and_then(|splits| splits.checked_sub(1)).map(Slices::Known),
                    _ => None,
                }
            };
            sizes.extend(parts.iter().enumerate().map(of_part));
        }
        Structure::Composite(Composite::Sparse, _) => sizes.extend([None, None, Some(Slices::InValues)]),
        Structure::Dataset(_, parts) => sizes.extend(parts.iter().map(|_| None)),
    }
}
