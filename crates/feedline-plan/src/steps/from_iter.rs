//! Elements that Rust code gives, one after the other.

use crate::{Cardinality, NativeSource, NodeKind, Plan};

impl Plan {
    /// What the iterators of `source` give.
    pub fn from_native(source: NativeSource) -> Plan {
        let spec = source.spec.clone();
        Plan::source(NodeKind::FromIter { source }, spec, Cardinality::Unknown)
    }
}
