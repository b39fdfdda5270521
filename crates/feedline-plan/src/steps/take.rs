//! The first elements.

use crate::{Cardinality, NodeKind, Plan};

impl Plan {
    /// The first `count` elements; `None`: all.
    #[must_use]
    pub fn take(&self, count: Option<u64>) -> Plan {
        let cardinality = match (self.cardinality(), count) {
            (own, None) => own,
            (Cardinality::Known(own), Some(count)) => Cardinality::Known(own.min(count)),
            (Cardinality::Infinite, Some(count)) => Cardinality::Known(count),
            (Cardinality::Unknown, Some(_)) => Cardinality::Unknown,
        };
        self.same_elements(NodeKind::Take { count }, cardinality)
    }
}
