//! Elements without the errors among them.

use crate::{Cardinality, NodeKind, Plan};

impl Plan {
    /// The elements; errors are dropped (and counted).
    #[must_use]
    pub fn ignore_errors(&self) -> Plan {
        let cardinality = match self.cardinality() {
            Cardinality::Known(0) => Cardinality::Known(0),
            // An infinite stream may be one of errors only.
            _ => Cardinality::Unknown,
        };
        self.same_elements(NodeKind::IgnoreErrors, cardinality)
    }
}
