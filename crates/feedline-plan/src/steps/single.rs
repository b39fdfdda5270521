//! The one element there is.

use crate::{Cardinality, NodeKind, Plan};

impl Plan {
    /// The element, if there is one and no more; else an error takes its place.
    #[must_use]
    pub fn single(&self) -> Plan {
        self.same_elements(NodeKind::Single, Cardinality::Known(1))
    }
}
