//! A number of elements that is known, though not to the plan.

use crate::{Cardinality, NodeKind, Plan};

impl Plan {
    /// The elements, of which there are `expected`; `None`: without end. If there are not, that is an error.
    #[must_use]
    pub fn assert_cardinality(&self, expected: Option<u64>) -> Plan {
        let cardinality = expected.map_or(Cardinality::Infinite, Cardinality::Known);
        self.same_elements(NodeKind::AssertCardinality { expected }, cardinality)
    }
}
