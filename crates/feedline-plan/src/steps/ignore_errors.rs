//! Elements without the errors among them.

use crate::{Cardinality, NodeKind, Plan};

impl Plan {
    /// The elements; their errors are dropped (and counted). One behind which other elements are missing comes through.
    #[must_use]
    pub fn ignore_errors(&self) -> Plan {
        // An infinite stream may be one of errors only.
        self.same_elements(NodeKind::IgnoreErrors, Cardinality::Unknown)
    }
}
