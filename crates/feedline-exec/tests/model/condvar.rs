//! Condition variables of the model checker whose waits can end because their time is over.

use std::sync::LockResult;
use std::time::Duration;

use shuttle::sync::{Arc, MutexGuard};
use shuttle::thread;

/// That of the model checker has no time. Here a wait of no time ends at any moment, and one of any other never does.
#[derive(Debug, Default)]
pub(crate) struct Condvar(Arc<shuttle::sync::Condvar>);

pub(crate) struct Waited {
    is_over: bool,
}

impl Waited {
    pub(crate) fn timed_out(&self) -> bool {
        self.is_over
    }
}

impl Condvar {
    pub(crate) fn new() -> Condvar {
        Condvar::default()
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }

    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        self.0.wait(guard)
    }

    #[expect(clippy::unnecessary_wraps, reason = "as that of the standard library")]
    pub(crate) fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, Waited)> {
        let is_over = time.is_zero();
        if is_over {
            // Whoever else waits for no time is woken, too, which his own time could have done.
            let condvar = Arc::clone(&self.0);
            thread::spawn(move || condvar.notify_all());
        }
        let guard = self.0.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok((guard, Waited { is_over }))
    }
}
