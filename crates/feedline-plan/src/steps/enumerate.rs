//! Elements with their numbers.

use feedline_data::{DType, ElementSpec, TensorSpec};

use crate::{NodeKind, Plan};

impl Plan {
    /// Each element as `(number, element)`, counted from `start`.
    #[must_use]
    pub fn enumerate(&self, start: i64) -> Plan {
        let number = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
        let spec = ElementSpec::Tuple(vec![number, self.spec().clone()]);
        self.step(NodeKind::Enumerate { start }, spec, self.cardinality())
    }
}
