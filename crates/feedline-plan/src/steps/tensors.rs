//! Tensors in memory.

use feedline_data::block::{Column, Tensor};
use feedline_data::{Shape, Structure, TensorSpec};

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// The slices of `tensors` along their first dimension. With ragged or sparse tensors among them it is the step `unbatch` that makes them.
    pub fn from_tensor_slices(tensors: &Structure<Tensor>) -> Result<Plan> {
        if tensors.has_composite() {
            let whole = Plan::from_tensors(tensors)?;
            return whole.unbatch().map_err(|error| error.in_step("from_tensor_slices"));
        }
        let names = tensors.leaf_names();
        let mut columns = Vec::new();
        for (tensor, name) in tensors.leaves().into_iter().zip(&names) {
            let column = tensor.slices().ok_or_else(|| {
                PlanError::spec(format!(
                    "from_tensor_slices: the tensor{name} is a scalar, which has no slices"
                ))
                .with_hint("from_tensors makes one element of it")
            })?;
            // The plan has them whatever runs of it: what is in flight is counted, not what it is a view of here.
            columns.push(column.counted_elsewhere());
        }
        let Some(first) = columns.first().map(Column::rows) else {
            return Err(PlanError::argument("from_tensor_slices: no tensors"));
        };
        if let Some(other) = columns.iter().position(|column| column.rows() != first) {
            return Err(PlanError::spec(format!(
                "from_tensor_slices: the tensor{} has {first} slices, the tensor{} {}",
                names[0],
                names[other],
                columns[other].rows()
            )));
        }
        let spec = tensors.map(|tensor| TensorSpec::new(tensor.dtype(), Shape::fixed(&tensor.shape()[1..])));
        Ok(Plan::source(NodeKind::TensorSlices { columns }, spec, Cardinality::Known(first as u64)))
    }

    /// `tensors` as the one element there is.
    pub fn from_tensors(tensors: &Structure<Tensor>) -> Result<Plan> {
        let columns: Vec<Column> = tensors
            .leaves()
            .into_iter()
            .map(|tensor| tensor.as_column().clone().counted_elsewhere())
            .collect();
        if columns.is_empty() {
            return Err(PlanError::argument("from_tensors: no tensors"));
        }
        let spec = tensors.map(|tensor| TensorSpec::new(tensor.dtype(), Shape::fixed(tensor.shape())));
        Ok(Plan::source(NodeKind::Tensors { columns }, spec, Cardinality::Known(1)))
    }
}
