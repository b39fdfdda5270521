//! Everything again.

use crate::{Cardinality, NodeKind, Plan};

impl Plan {
    /// Everything `count` times, or without end.
    #[must_use]
    pub fn repeat(&self, count: Option<u64>) -> Plan {
        let cardinality = match (self.cardinality(), count) {
            (Cardinality::Known(0), _) | (_, Some(0)) => Cardinality::Known(0),
            (Cardinality::Known(own), Some(count)) => Cardinality::Known(own.saturating_mul(count)),
            // As in tf.data, also where there may be nothing to repeat, which only the data can say.
            (_, None) | (Cardinality::Infinite, _) => Cardinality::Infinite,
            (Cardinality::Unknown, _) => Cardinality::Unknown,
        };
        self.same_elements(NodeKind::Repeat { count }, cardinality)
    }
}
