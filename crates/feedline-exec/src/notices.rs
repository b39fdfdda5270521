//! What an iterator has to tell that is no error: beside the elements, so that it takes no place among them.

use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use feedline_io::without_controls;

/// Where notices go.
#[derive(Clone)]
pub(crate) struct Notices(Arc<dyn Fn(&str) + Send + Sync>);

impl Notices {
    pub(crate) fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Notices {
        Notices(Arc::new(tell))
    }

    /// Tells `text`.
    pub(crate) fn tell(&self, text: &str) {
        // Whoever listens is user code; what goes wrong there is no reason to stop.
        let _ = catch_unwind(AssertUnwindSafe(|| (self.0)(text)));
    }
}

impl Default for Notices {
    /// Standard error.
    fn default() -> Notices {
        // If even that cannot be written to, there is nobody left to tell.
        Notices::new(|text| drop(writeln!(std::io::stderr().lock(), "{}", without_controls(text))))
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notices")
    }
}
