//! Running ahead.

use crate::{NodeKind, Plan};

impl Plan {
    /// Runs ahead of the consumer by at most `buffer_size` elements.
    #[must_use]
    pub fn prefetch(&self, buffer_size: Option<usize>) -> Plan {
        self.same_elements(NodeKind::Prefetch { buffer_size }, self.cardinality())
    }
}
