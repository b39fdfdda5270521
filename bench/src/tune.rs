//! Does AUTOTUNE reach what the best hand-set numbers reach, how soon, and within the budget?
//!
//! Pipelines of eight shapes run without end, each with AUTOTUNE and with a sweep of hand-set `num_parallel_calls` and
//! `prefetch`. The best of the sweep and AUTOTUNE are then measured again in turns, several times, so that neither luck in the
//! sweep nor what else the machine does counts. Every element is checked as it comes.

use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant};

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Structure, TensorSpec};
use feedline::{AUTOTUNE, Dataset, Result};
use serde_json::json;

use crate::measure::Options;

/// How long a setting of the sweep is measured, and what comes before.
const SWEEP: Span = Span { warm_up: Duration::from_millis(700), measured: Duration::from_millis(1300) };
/// The same for AUTOTUNE and the best of the sweep: the warm-up is "a few seconds".
const FINAL: Span = Span { warm_up: Duration::from_secs(3), measured: Duration::from_secs(3) };
/// What has been reached is told for each of these.
const SLOT: Duration = Duration::from_millis(250);
/// What counts as reached.
const WANTED: f64 = 0.95;
const BUDGET_BYTES: u64 = 512 << 20;

#[derive(Clone, Copy)]
struct Span {
    warm_up: Duration,
    measured: Duration,
}

/// `num_parallel_calls` and `prefetch`.
#[derive(Clone, Copy)]
struct Setting {
    calls: Option<usize>,
    buffer: Option<usize>,
}

struct Shape {
    name: &'static str,
    /// The pipeline: an endless one whose rows begin with 1, 2, 3, ….
    make: fn(Setting) -> Dataset,
    /// Rows of an element.
    rows: usize,
    /// What the consumer does after the element of this number.
    consume: fn(u64),
    calls: &'static [usize],
    buffers: &'static [usize],
}

const TINY_BATCH: usize = 256;
const HUGE_VALUES: usize = 1 << 20;
const BURST: u64 = 64;

const SHAPES: [Shape; 8] = [
    Shape {
        name: "1 ms of latency",
        make: |setting| waiting(setting, |_| Duration::from_millis(1)),
        rows: 1,
        consume: |_| {},
        calls: &[2, 8, 32, 64, 128, 256],
        buffers: &[2, 64],
    },
    Shape {
        name: "30 ms of latency",
        make: |setting| waiting(setting, |_| Duration::from_millis(30)),
        rows: 1,
        consume: |_| {},
        calls: &[2, 16, 64, 128, 256],
        buffers: &[2, 64],
    },
    Shape {
        name: "jittery latency",
        make: |setting| waiting(setting, jittery),
        rows: 1,
        consume: |_| {},
        calls: &[2, 16, 64, 128, 256],
        buffers: &[2, 64],
    },
    Shape {
        name: "CPU-bound map",
        make: |setting| numbers(setting, |_| work(Duration::from_micros(200))),
        rows: 1,
        consume: |_| {},
        calls: &[1, 2, 4, 8, 16, 32],
        buffers: &[2, 64],
    },
    Shape {
        name: "tiny elements",
        make: |setting| {
            let mapped = Dataset::range(i64::MAX).map(|x| x + 1).num_parallel_calls(setting.calls);
            mapped.batch(TINY_BATCH).prefetch(setting.buffer)
        },
        rows: TINY_BATCH,
        consume: |_| {},
        calls: &[1, 2, 4, 16],
        buffers: &[1, 4, 16, 64, 256],
    },
    Shape {
        name: "huge elements",
        make: huge,
        rows: HUGE_VALUES,
        consume: |_| {},
        calls: &[1, 2, 4, 8],
        buffers: &[1, 4, 16],
    },
    Shape {
        name: "slow consumer",
        make: |setting| waiting(setting, |_| Duration::from_millis(30)),
        rows: 1,
        consume: |_| sleep(Duration::from_millis(2)),
        calls: &[2, 16, 64, 256],
        buffers: &[2, 64],
    },
    Shape {
        name: "bursty consumer",
        make: |setting| numbers(setting, |_| work(Duration::from_millis(1))),
        rows: 1,
        consume: |number| {
            if number.is_multiple_of(BURST) {
                sleep(Duration::from_millis(100));
            }
        },
        calls: &[2, 4, 16],
        buffers: &[2, 16, 64, 256],
    },
];

/// A number and what a native function does before it gives the next one.
fn numbers(setting: Setting, before: fn(i64)) -> Dataset {
    let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let add_one = move |element: Structure<Tensor>| {
        let number = element.leaves()[0].as_slice::<i64>()[0];
        before(number);
        Ok(Structure::Leaf(Tensor::scalar(number + 1)))
    };
    let mapped = Dataset::range(i64::MAX).map_native("add_one", spec, add_one);
    mapped.num_parallel_calls(setting.calls).prefetch(setting.buffer)
}

/// What a storage that answers late gives: the time is a function of the element.
fn waiting(setting: Setting, latency: fn(i64) -> Duration) -> Dataset {
    let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let fetch = move |element: Structure<Tensor>| {
        let number = element.leaves()[0].as_slice::<i64>()[0];
        sleep(latency(number));
        Ok(Structure::Leaf(Tensor::scalar(number + 1)))
    };
    let mapped = Dataset::range(i64::MAX).map_native("fetch", spec, fetch);
    mapped.num_parallel_calls(setting.calls).prefetch(setting.buffer)
}

/// Mostly 5 ms, one in twenty ten times as long.
fn jittery(number: i64) -> Duration {
    let mixed = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    Duration::from_millis(if mixed.is_multiple_of(20) { 50 } else { 3 + mixed % 5 })
}

/// Keeps a core busy for about so long.
fn work(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        for number in 0..100_u64 {
            black_box(number);
        }
    }
}

/// Tensors of 8 MiB.
fn huge(setting: Setting) -> Dataset {
    let spec =
        ElementSpec::Leaf(TensorSpec::new(DType::Int64, feedline::data::Shape::new(vec![Some(HUGE_VALUES)])));
    let fill = |element: Structure<Tensor>| {
        let first = element.leaves()[0].as_slice::<i64>()[0] * HUGE_VALUES as i64 + 1;
        let values: Vec<i64> = (first..first + HUGE_VALUES as i64).collect();
        Ok(Structure::Leaf(Tensor::from_vec(vec![HUGE_VALUES], values)))
    };
    let mapped = Dataset::range(i64::MAX).map_native("fill", spec, fill);
    mapped.num_parallel_calls(setting.calls).prefetch(setting.buffer)
}

/// What a run gave.
struct Run {
    per_second: f64,
    /// Elements in each slot of the warm-up.
    slots: Vec<f64>,
    peak_bytes: u64,
}

/// Runs a shape with a setting.
///
/// # Panics
/// If an element is not the one that comes next: a wrong result has no speed.
fn measure(shape: &Shape, setting: Setting, span: Span, options: &Options) -> Result<Run> {
    let as_options = feedline::Options::new().threads(options.num_threads).memory_budget(BUDGET_BYTES);
    let mut elements = (shape.make)(setting).with_options(as_options).iterator()?;
    let start = Instant::now();
    let (mut number, mut measured_from) = (0_u64, None);
    let mut slots = vec![0.0; (span.warm_up.as_secs_f64() / SLOT.as_secs_f64()) as usize];
    loop {
        let element = elements.next().expect("without end").expect("no errors");
        let first = element.leaves()[0].as_slice::<i64>()[0];
        assert_eq!(first, number as i64 * shape.rows as i64 + 1, "{}: wrong element", shape.name);
        drop(element);
        number += 1;
        (shape.consume)(number);
        let elapsed = start.elapsed();
        if elapsed < span.warm_up {
            if let Some(slot) = slots.get_mut((elapsed.as_secs_f64() / SLOT.as_secs_f64()) as usize) {
                *slot += 1.0 / SLOT.as_secs_f64();
            }
            continue;
        }
        let &mut (from, first_number) = measured_from.get_or_insert((elapsed, number));
        let measured = elapsed.saturating_sub(from);
        if measured >= span.measured {
            let per_second = (number - first_number) as f64 / measured.as_secs_f64();
            return Ok(Run { per_second, slots, peak_bytes: elements.budget().peak_bytes() });
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures the shapes, one line of JSON each.
#[allow(clippy::print_stderr, reason = "the sweep takes minutes: who waits wants to see it move")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let is_wanted =
        |shape: &&Shape| options.only.as_ref().is_none_or(|only| shape.name.contains(only.as_str()));
    for shape in SHAPES.iter().filter(is_wanted) {
        let mut best: Option<(f64, Setting)> = None;
        for &calls in shape.calls {
            for &buffer in shape.buffers {
                let setting = Setting { calls: Some(calls), buffer: Some(buffer) };
                let found = measure(shape, setting, SWEEP, options)?.per_second;
                eprintln!("{}: {calls} calls, prefetch {buffer}: {found:.1}/s", shape.name);
                if best.is_none_or(|(best, _)| found > best) {
                    best = Some((found, setting));
                }
            }
        }
        let (_, by_hand) = best.expect("every shape has settings");
        let tuned = Setting { calls: AUTOTUNE, buffer: AUTOTUNE };
        let (mut hand_rates, mut tuned_runs) = (Vec::new(), Vec::new());
        for _ in 0..options.repeat {
            hand_rates.push(measure(shape, by_hand, FINAL, options)?.per_second);
            tuned_runs.push(measure(shape, tuned, FINAL, options)?);
        }
        let hand_rate = median(hand_rates.clone());
        let tuned_rates: Vec<f64> = tuned_runs.iter().map(|run| run.per_second).collect();
        let ratio = median(tuned_rates.clone()) / hand_rate;
        // When what was wanted was first reached, in each run.
        let reached = |run: &Run| {
            let slot = run.slots.iter().position(|&rate| rate >= hand_rate * WANTED);
            slot.map_or(f64::INFINITY, |slot| slot as f64 * SLOT.as_secs_f64())
        };
        let reached_after_s = median(tuned_runs.iter().map(reached).collect());
        let peak_bytes = tuned_runs.iter().map(|run| run.peak_bytes).max();
        let line = json!({
            "peer": "feedline", "group": format!("tune {}", shape.name), "setting": format!("{} threads", options.num_threads),
            "ratio": (ratio * 1000.0).round() / 1000.0, "tuned_per_s": tuned_rates, "by_hand_per_s": hand_rates,
            "by_hand": {"num_parallel_calls": by_hand.calls, "prefetch": by_hand.buffer},
            "reached_after_s": reached_after_s.is_finite().then_some(reached_after_s),
            "first_seconds_per_s": tuned_runs[0].slots, "peak_bytes": peak_bytes, "budget_bytes": BUDGET_BYTES,
        });
        println!("{line}");
    }
    Ok(())
}
