//! Who waits for whom, in words.

use std::fmt;
use std::time::Duration;

use super::{Snapshot, StepSnapshot};

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in (1..).zip(&self.steps) {
            writeln!(f, "  {number}. {}", shortened(&step.name))?;
            writeln!(f, "     {}", doing(step))?;
            write!(f, "     so far {} elements, {}", step.elements, bytes(step.bytes))?;
            if step.errors > 0 {
                write!(f, ", {} errors", step.errors)?;
            }
            if step.handled_errors > 0 {
                write!(f, ", {} errors left out or replaced", step.handled_errors)?;
            }
            if let Some(idle_ns) = step.idle_ns {
                write!(f, ", the last {} ago", time(idle_ns))?;
            }
            if let Some(queue) = &step.queue {
                write!(f, "; holds {} {} (at most {} so far)", queue.depth, queue.unit, queue.max_depth)?;
            }
            if step.spilled_bytes > 0 {
                write!(f, "; {} spilled", bytes(step.spilled_bytes))?;
            }
            writeln!(f)?;
        }
        writeln!(
            f,
            "  memory: {} of {} used, {} at most so far; the caller holds {}",
            bytes(self.budget_used_bytes),
            bytes(self.budget_limit_bytes),
            bytes(self.budget_peak_bytes),
            bytes(self.held_by_caller_bytes)
        )?;
        if self.process_budget_used_bytes > self.budget_used_bytes {
            writeln!(
                f,
                "  with other iterators: {} of {} used, {} at most so far",
                bytes(self.process_budget_used_bytes),
                bytes(self.process_budget_limit_bytes),
                bytes(self.process_budget_peak_bytes)
            )?;
        }
        write!(f, "  threads: {} workers, for which {} tasks wait", self.workers, self.tasks_ready)?;
        write!(f, "; {} for reading", self.io_threads)
    }
}

/// What a step is doing or waiting for.
fn doing(step: &StepSnapshot) -> String {
    let mut parts = Vec::new();
    if let Some(since_ns) = step.waits_since_ns {
        let has_tasks = step.queue.is_some_and(|queue| queue.unit == "tasks" && queue.depth > 0);
        let what = match step.waits_for {
            _ if !step.under_way.is_empty() => "what is done for it".to_owned(),
            _ if has_tasks => "a free worker".to_owned(),
            Some(other) => format!("step {}", other + 1),
            // A prefetch: its input is asked by a task of its own.
            None if step.queue.is_some_and(|queue| queue.unit == "blocks") => {
                "its input, which runs ahead on the workers".to_owned()
            }
            None => "an answer from another thread".to_owned(),
        };
        parts.push(format!("waits for {what}, {}", time(since_ns)));
    } else {
        parts.push("waits for nobody: it is asked again when the steps behind it need more".to_owned());
    }
    parts.extend(step.under_way.iter().map(|work| format!("{}, for {}", work.what, time(work.elapsed_ns))));
    parts.extend(step.held_back.map(|why| format!("does not run ahead: {why}")));
    parts.join("; ")
}

/// Names of steps contain whole functions.
fn shortened(name: &str) -> String {
    const MAX_CHARS: usize = 100;
    if name.chars().count() <= MAX_CHARS {
        return name.to_owned();
    }
    name.chars().take(MAX_CHARS - 1).chain(['…']).collect()
}

fn time(ns: u64) -> String {
    let time = Duration::from_nanos(ns);
    if time >= Duration::from_secs(1) {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{:.1} ms", time.as_secs_f64() * 1e3)
    }
}

fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (bytes as f64, "bytes");
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "bytes" { format!("{bytes} bytes") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_read_them() {
        assert_eq!((time(1_500_000), time(30_200_000_000)), ("1.5 ms".into(), "30.2 s".into()));
        assert_eq!((bytes(1000), bytes(3 << 29)), ("1000 bytes".into(), "1.5 GiB".into()));
    }
}
