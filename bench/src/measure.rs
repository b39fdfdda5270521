//! Timing with repeats, one line of JSON a measurement.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use feedline::Elements;
use feedline::data::Structure;
use feedline::data::block::{ElementRef, Tensor};
use serde_json::json;

pub(crate) struct Options {
    pub(crate) repeat: usize,
    pub(crate) num_threads: usize,
    /// Measures only what has this in its name.
    pub(crate) only: Option<String>,
}

/// What doing the work once gave.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    checksum: u64,
    /// The most bytes the engine held at a time, and its budget, where it was the engine.
    memory: Option<(u64, u64)>,
}

impl From<u64> for Pass {
    fn from(checksum: u64) -> Pass {
        Pass { checksum, memory: None }
    }
}

impl Pass {
    /// Goes through all elements, and adds up what `of_element` makes of each.
    pub(crate) fn over(mut elements: Elements, of_element: impl Fn(Structure<Tensor>) -> u64) -> Pass {
        let checksums = elements.by_ref().map(|element| of_element(element.expect("no errors")));
        let checksum = checksums.fold(0, u64::wrapping_add);
        Pass::of(&elements, checksum)
    }

    /// As [`over`](Self::over), of elements looked at where they lie.
    pub(crate) fn looking(mut elements: Elements, of_element: impl Fn(ElementRef<'_>) -> u64) -> Pass {
        let mut checksum = 0_u64;
        while let Some(element) = elements.next_ref() {
            checksum = checksum.wrapping_add(of_element(element.expect("no errors")));
        }
        Pass::of(&elements, checksum)
    }

    fn of(elements: &Elements, checksum: u64) -> Pass {
        let budget = elements.budget();
        Pass { checksum, memory: Some((budget.peak_bytes(), budget.limit_bytes())) }
    }
}

/// Times `run`, which does the whole work once and returns a checksum of it, and prints the line.
///
/// # Panics
/// If a run returns another checksum than `expected`: a wrong result has no speed.
pub(crate) fn measure<P: Into<Pass>>(
    what: &str,
    options: &Options,
    num_records: u64,
    num_bytes: u64,
    expected: u64,
    run: impl Fn() -> P,
) {
    measure_in_turns(&[(what, &|| run().into())], options, num_records, num_bytes, expected);
}

/// [`measure`] for several ways to do the same work, in turns: what else the machine does then meets all of them alike, and
/// their ratios mean something.
///
/// # Panics
/// As [`measure`].
pub(crate) fn measure_in_turns(
    ways: &[(&str, &dyn Fn() -> Pass)],
    options: &Options,
    num_records: u64,
    num_bytes: u64,
    expected: u64,
) {
    let is_wanted = |what: &str| options.only.as_ref().is_none_or(|only| what.contains(only.as_str()));
    let ways: Vec<(&str, &dyn Fn() -> Pass)> =
        ways.iter().copied().filter(|(what, _)| is_wanted(what)).collect();
    let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
    let mut cpu_seconds = vec![0.0; ways.len()];
    let mut peaks: Vec<Option<(u64, u64)>> = Vec::new();
    for (what, run) in &ways {
        let pass = run();
        assert_eq!(pass.checksum, expected, "{what}: wrong result in the warm-up");
        peaks.push(pass.memory);
    }
    for _ in 0..options.repeat {
        for (way, (what, run)) in ways.iter().enumerate() {
            let (start, cpu_start) = (Instant::now(), cpu_time());
            let pass = run();
            seconds[way].push(start.elapsed().as_secs_f64());
            cpu_seconds[way] += cpu_time() - cpu_start;
            assert_eq!(pass.checksum, expected, "{what}: wrong result");
            peaks[way] = peaks[way].max(pass.memory);
        }
    }
    for ((((what, _), seconds), cpu_seconds), peak) in ways.iter().zip(seconds).zip(cpu_seconds).zip(peaks) {
        let mut sorted = seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        let mut line = json!({
            "peer": "feedline", "version": env!("CARGO_PKG_VERSION"), "group": what,
            "setting": format!("{} threads", options.num_threads), "records": num_records, "bytes": num_bytes,
            "seconds": seconds, "median_seconds": median, "min_seconds": sorted[0],
            "cpu_seconds": cpu_seconds / options.repeat as f64,
            "records_per_s": (num_records as f64 / median).round(),
            "mb_per_s": (num_bytes as f64 / median / 1e5).round() / 10.0, "checksum": expected,
        });
        if let Some((peak_bytes, budget_bytes)) = peak {
            line["peak_bytes"] = json!(peak_bytes);
            line["budget_bytes"] = json!(budget_bytes);
        }
        println!("{line}");
    }
}

/// Seconds that all threads of this process have worked so far; 0 where the system does not say. It hardly depends on what
/// else the machine does, and divided by the wall time it is the number of cores used.
fn cpu_time() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in brackets, may have blanks; user and system time are the 12th and 13th field behind it.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / TICKS_A_SECOND
}

/// Runs `work` on every index below `count`, on all threads, and adds up what it returns. `start` makes what a thread
/// keeps from one index to the next.
pub(crate) fn on_threads<S>(
    options: &Options,
    count: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> u64 + Sync,
) -> u64 {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = start();
        let mut sum = 0u64;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return sum;
            }
            sum = sum.wrapping_add(work(&mut state, index));
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..options.num_threads).map(|_| scope.spawn(run)).collect();
        let mine = run();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).fold(mine, u64::wrapping_add)
    })
}
