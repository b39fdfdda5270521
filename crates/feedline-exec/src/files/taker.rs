//! Whether the one who takes what was read reads as well.
//!
//! He does when nothing is ready, as long as that needs no waiting: it saves waking him, and his core is free. (Reading records of
//! 110 KB through the engine on two cores went from 0.52 of the bare reader's speed to 0.85, with what came in the same change.)

/// What is known of the one who asks.
#[derive(Debug, Default)]
pub(super) struct Taker {
    /// Pieces in a row that were ready when he asked.
    num_ready: usize,
    /// Times he asks before he tries again to read, since something was not to be had at once.
    num_to_pass: usize,
}

impl Taker {
    /// So many pieces in a row that were ready show that he has something else to do.
    const READY_WITHOUT_HIM: usize = 8;
    /// A file that is not in the page cache will be on the next pass over it at the earliest.
    const TO_PASS: usize = 64;

    /// He asked, and something was ready or was not.
    pub(super) fn asked(&mut self, was_ready: bool) {
        self.num_ready = if was_ready { self.num_ready + 1 } else { 0 };
        self.num_to_pass = self.num_to_pass.saturating_sub(1);
    }

    /// He tried to read, and could not without waiting.
    pub(super) fn would_have_waited(&mut self) {
        self.num_to_pass = Taker::TO_PASS;
    }

    /// Whether he reads when nothing is ready.
    pub(super) fn reads(&self) -> bool {
        self.num_ready < Taker::READY_WITHOUT_HIM && self.num_to_pass == 0
    }
}
