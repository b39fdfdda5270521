//! All but the first elements.

use crate::{Cardinality, NodeKind, Plan};

impl Plan {
    /// All but the first `count` elements; `None`: nothing.
    #[must_use]
    pub fn skip(&self, count: Option<u64>) -> Plan {
        let cardinality = match (self.cardinality(), count) {
            (Cardinality::Known(_), None) => Cardinality::Known(0),
            (Cardinality::Known(own), Some(count)) => Cardinality::Known(own.saturating_sub(count)),
            (other, _) => other,
        };
        self.same_elements(NodeKind::Skip { count }, cardinality)
    }
}
