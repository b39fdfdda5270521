//! Does work overlap: a CPU-bound map on several cores, a producer and a consumer, one epoch and the next?
//!
//! Ratios in one run; the lines say what was compared. The work of an element is a loop of fixed length, checked by its
//! result.

use std::thread;
use std::time::{Duration, Instant};

use feedline::data::block::Tensor;
use feedline::data::{DType, Structure, TensorSpec};
use feedline::{AUTOTUNE, Dataset, Options as EngineOptions, Result};
use serde_json::json;

use crate::measure::{Options, on_threads};

/// Elements of the parallel map and of the overlap.
const COUNT: i64 = 2000;
/// The parallel map has so many times as many, of a tenth of the work each: a second on one thread, so that the start does not count.
const MANY: i64 = 5;
/// Steps of the loop that is an element's work: about a millisecond.
const STEPS: u64 = 450_000;
/// Elements of an epoch, all of which are in the shuffle's buffer, and steps of each: about 20 microseconds.
const EPOCH: i64 = 5000;
const SHORT_STEPS: u64 = 9_000;
const EPOCHS: u64 = 4;
/// Elements prefetched there: AUTOTUNE would hold an epoch of numbers, and nobody would see the next begin.
const SHORT_QUEUE: usize = 16;

pub(crate) fn run(options: &Options) -> Result<()> {
    for _ in 0..options.repeat {
        parallel_map()?;
        overlap()?;
        epochs()?;
    }
    Ok(())
}

/// What an element costs.
fn work(seed: i64, steps: u64) -> i64 {
    // An xorshift: no compiler knows a short cut.
    let mut state = seed as u64 | 1;
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    state as i64
}

fn worked(count: i64, steps: u64) -> Dataset {
    let spec = Structure::Leaf(TensorSpec::scalar(DType::Int64));
    Dataset::range(count).map_native("work", spec, move |element| {
        let seed = element.leaves()[0].as_slice::<i64>()[0];
        Ok(Structure::Leaf(Tensor::scalar(work(seed, steps))))
    })
}

fn number(element: &Structure<Tensor>) -> i64 {
    element.leaves()[0].as_slice::<i64>()[0]
}

/// The same map on one thread and on two; beside it, in turns, the same work on bare threads: two cores of a virtual machine
/// need not be twice one.
fn parallel_map() -> Result<()> {
    let (count, steps) = (COUNT * MANY, STEPS / 10);
    let dataset = worked(count, steps).batch(10).prefetch(AUTOTUNE);
    let expected: i64 = (0..count).map(|seed| work(seed, steps)).fold(0, i64::wrapping_add);
    let timed = |threads: usize| -> Result<f64> {
        let dataset = dataset.with_options(EngineOptions::new().threads(threads));
        let start = Instant::now();
        let sum = dataset
            .iterator()?
            .flat_map(|batch| batch.expect("no errors").leaves()[0].as_slice::<i64>().to_vec())
            .fold(0, i64::wrapping_add);
        assert_eq!(sum, expected, "the results of the map");
        Ok(start.elapsed().as_secs_f64())
    };
    let bare = |num_threads: usize| {
        let options = Options { repeat: 1, num_threads, only: None };
        let start = Instant::now();
        let sum = on_threads(&options, count as usize, || (), |(), seed| work(seed as i64, steps) as u64);
        assert_eq!(sum as i64, expected, "the results of the loop");
        start.elapsed().as_secs_f64()
    };
    let (one, bare_one, two, bare_two) = (timed(1)?, bare(1), timed(2)?, bare(2));
    println!(
        "{}",
        json!({
            "group": "parallel map, CPU-bound, 2 threads against 1", "seconds": [one, two], "ratio": one / two,
            "ceiling_seconds": [bare_one, bare_two], "ceiling_ratio": bare_one / bare_two,
        })
    );
    Ok(())
}

/// A consumer that sleeps as long as the producer, one thread, works.
fn overlap() -> Result<()> {
    let count = COUNT / 4;
    let start = Instant::now();
    let expected: i64 = (0..count).map(|seed| work(seed, STEPS)).fold(0, i64::wrapping_add);
    let producing = start.elapsed();
    let pause = producing / count as u32;
    let start = Instant::now();
    (0..count).for_each(|_| thread::sleep(pause));
    let consuming = start.elapsed();
    let dataset = worked(count, STEPS).prefetch(AUTOTUNE).with_options(EngineOptions::new().threads(1));
    let start = Instant::now();
    let mut sum = 0_i64;
    for element in dataset.iterator()? {
        sum = sum.wrapping_add(number(&element.expect("no errors")));
        thread::sleep(pause);
    }
    let together = start.elapsed();
    assert_eq!(sum, expected, "the results of the map");
    println!(
        "{}",
        json!({
            "group": "overlap: a consumer that sleeps as long as the producer works",
            "producing_s": producing.as_secs_f64(), "consuming_s": consuming.as_secs_f64(),
            "together_s": together.as_secs_f64(),
            "over_the_larger": together.as_secs_f64() / producing.max(consuming).as_secs_f64(),
        })
    );
    Ok(())
}

/// The longest wait for an element behind the first epoch, with shuffle and repeat fused and not. The consumer takes twice as
/// long as the producer.
fn epochs() -> Result<()> {
    let dataset =
        worked(EPOCH, SHORT_STEPS).shuffle(EPOCH as usize).seed(1).repeat(EPOCHS).prefetch(SHORT_QUEUE);
    let longest = |options: EngineOptions| -> Result<(Duration, Duration)> {
        let dataset = dataset.with_options(options);
        let mut elements = dataset.iterator()?;
        let (mut longest, mut total, mut seen) = (Duration::ZERO, Duration::ZERO, 0);
        loop {
            let start = Instant::now();
            let Some(element) = elements.next() else { break };
            let waited = start.elapsed();
            if seen >= EPOCH {
                longest = longest.max(waited);
                total += waited;
            }
            seen += 1;
            std::hint::black_box(work(number(&element.expect("no errors")), SHORT_STEPS * 2));
        }
        assert_eq!(seen, EPOCH * EPOCHS as i64, "elements of all epochs");
        Ok((longest, total))
    };
    let options = EngineOptions::new().threads(1);
    let fused = longest(options.clone())?;
    let plain = longest(options.without_rule("fuse_shuffle_and_repeat")?)?;
    println!(
        "{}",
        json!({
            "group": "epochs: waiting for elements behind the first of 4 epochs, shuffle and repeat fused or not",
            "longest_ms": [fused.0.as_secs_f64() * 1e3, plain.0.as_secs_f64() * 1e3],
            "total_ms": [fused.1.as_secs_f64() * 1e3, plain.1.as_secs_f64() * 1e3],
        })
    );
    Ok(())
}
