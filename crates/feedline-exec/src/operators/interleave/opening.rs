//! Which streams may be opened before their turn.

use crate::reserved::Reserved;

/// Which streams are opened before their turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Opening {
    /// None: the memory they reserve may be what another needs.
    InTurn,
    /// Those that a place of the cycle is free for.
    InCycle,
    /// More of them.
    Ahead,
}

impl Opening {
    pub(super) fn within(limit_bytes: u64, reserved: Reserved) -> Opening {
        if reserved.with_ahead <= limit_bytes {
            Opening::Ahead
        } else if reserved.in_cycles <= limit_bytes {
            Opening::InCycle
        } else {
            Opening::InTurn
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_are_opened_than_surely_fit() {
        let reserved = Reserved { in_cycles: 100, with_ahead: 1000 };
        assert_eq!(Opening::within(1000, reserved), Opening::Ahead);
        assert_eq!(Opening::within(999, reserved), Opening::InCycle);
        assert_eq!(Opening::within(99, reserved), Opening::InTurn);
        assert_eq!(Opening::within(0, Reserved::default()), Opening::Ahead);
    }
}
