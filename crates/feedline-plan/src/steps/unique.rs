//! Each element once.

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// Each element the first time it comes.
    pub fn unique(&self) -> Result<Plan> {
        for (spec, name) in self.spec().leaves().into_iter().zip(self.spec().leaf_names()) {
            if spec.dtype.is_float() {
                return Err(PlanError::spec(format!("unique: the tensor{name} is {}", spec.dtype)).with_hint(
                    "it is for integers, bools and strings: whether two floats are the same is a question of rounding",
                ));
            }
        }
        Ok(self.same_elements(NodeKind::Unique, Cardinality::Unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;
    use feedline_data::DType;

    #[test]
    fn floats_are_refused() {
        let ten = Plan::range(0, 10, 1).expect("valid");
        assert_eq!(ten.unique().map(|plan| plan.cardinality().as_tf()), Ok(-2));
        let floats = ten.map(|x| ops::cast(x, DType::Float32), None).expect("valid");
        assert!(
            floats
                .unique()
                .is_err_and(|error| error.to_string().starts_with("unique: the tensor is float32"))
        );
    }
}
