//! The primitives that threads meet at, under many schedules: nothing is lost, nobody waits for ever, nothing is left behind.
//!
//! The files themselves are compiled here a second time, over the locks and atomics of a model checker (shuttle) that runs
//! one thread at a time and chooses at each step who goes on; a state in which nobody can is a failure that names the schedule.
//! `FEEDLINE_MODEL_SCHEDULES` says how many schedules of each test are tried (`make model`).

/// What `crate::sync` is in the library, here of the model checker.
mod sync {
    pub(crate) use shuttle::sync::{Arc, Mutex, MutexGuard, PoisonError, atomic};
    pub(crate) use shuttle::thread;

    pub(crate) use crate::condvar::Condvar;
}

/// What files of `feedline-io` call their errors.
mod error {
    pub(crate) use feedline_io::{Error, Result};
}

#[allow(dead_code, unreachable_pub, reason = "a file of the library; each test uses a part of it")]
#[path = "../../src/budget.rs"]
mod budget;
#[allow(dead_code, reason = "as above")]
#[path = "../../src/hand_over.rs"]
mod hand_over;
#[allow(dead_code, unreachable_pub, reason = "as above")]
#[path = "../../../feedline-io/src/ranges/threads.rs"]
mod io_threads;
#[allow(dead_code, reason = "as above")]
#[path = "../../src/operators/map/lane.rs"]
mod lane;
#[allow(dead_code, reason = "as above")]
#[path = "../../src/workers/ready_list.rs"]
mod ready_list;
#[allow(dead_code, reason = "as above")]
#[path = "../../src/turn.rs"]
mod turn;

mod budgets;
mod condvar;
mod hand_overs;
mod io_jobs;
mod lanes;
mod ready_lists;
mod turns;

/// Runs `test` under many schedules: random ones, and ones with few switches between threads, which find other mistakes.
fn explore(test: impl Fn() + Send + Sync + 'static) {
    let schedules =
        std::env::var("FEEDLINE_MODEL_SCHEDULES").ok().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let test = std::sync::Arc::new(test);
    let again = std::sync::Arc::clone(&test);
    shuttle::check_random(move || test(), schedules);
    shuttle::check_pct(move || again(), schedules, 3);
}
