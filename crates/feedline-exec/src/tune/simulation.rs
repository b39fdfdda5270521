//! A simulated machine, and the controller on it: it finds a depth about as good as the best there is, soon, and stays there.
//!
//! Times are numbers, so a run of minutes takes milliseconds, and is the same each time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::depth::{Depth, Limits, Taken};

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

/// What a run came to.
struct Run {
    /// When each element was taken, and the depth then.
    takes: Vec<(u64, usize)>,
}

impl Run {
    /// Time an element takes between `from` and the end, by the takes there.
    fn ns_an_element(&self, from: usize) -> f64 {
        let (last, first) = (self.takes[self.takes.len() - 1].0, self.takes[from].0);
        (last - first) as f64 / (self.takes.len() - 1 - from) as f64
    }

    fn depth(&self) -> usize {
        self.takes[self.takes.len() - 1].1
    }

    fn num_changes(&self, from: usize) -> usize {
        self.takes[from..].windows(2).filter(|pair| pair[0].1 != pair[1].1).count()
    }

    /// How often more was tried.
    fn num_tries(&self, from: usize) -> usize {
        self.takes[from..].windows(2).filter(|pair| pair[0].1 < pair[1].1).count()
    }

    /// The first take after so long.
    fn take_at(&self, ns: u64) -> usize {
        self.takes.partition_point(|&(at, _)| at < ns).min(self.takes.len() - 2)
    }
}

/// A map: tasks in a window, run by `num_servers` at a time (cores, or what a storage answers at once), taken in order by a
/// consumer. `capacity` is what the map believes to be the most that can run at a time.
struct Map<'a> {
    num_servers: usize,
    capacity: usize,
    task_ns: &'a dyn Fn(usize) -> u64,
    consumer_ns: &'a dyn Fn(usize) -> u64,
}

impl Map<'_> {
    fn run(&self, mut depth: Depth, num_takes: usize) -> Run {
        let mut free: BinaryHeap<Reverse<u64>> = (0..self.num_servers).map(|_| Reverse(0)).collect();
        let mut window: VecDeque<u64> = VecDeque::new();
        let (mut now, mut begun) = (0, 0);
        let mut takes = Vec::with_capacity(num_takes);
        for taken in 0..num_takes {
            // Nothing ran any more when the consumer came.
            if window.len() + 1 >= depth.get() && window.back().is_some_and(|&done| done <= now) {
                depth.parked();
            }
            while window.len() < depth.get() {
                let Reverse(server) = free.pop().expect("as many as were pushed");
                let done = server.max(now) + (self.task_ns)(begun);
                free.push(Reverse(done));
                window.push_back(done);
                begun += 1;
            }
            let head = window[0];
            if head > now {
                if window.iter().filter(|&&done| done > now).count() < self.capacity {
                    depth.parked();
                }
                depth.waits(now);
                now = head;
            }
            window.pop_front();
            let is_half_ready = window.get(window.len() / 2).is_some_and(|&done| done <= now);
            depth.taken(Taken { now_ns: now, rows: 1, bytes: 1, is_half_ready });
            takes.push((now, depth.get()));
            now += (self.consumer_ns)(taken);
        }
        Run { takes }
    }

    /// The best there is: time an element takes, whatever the depth.
    fn best(&self, max: usize, num_takes: usize) -> f64 {
        let depths = (1..16).chain((16..64).step_by(8)).chain((64..=max).step_by(32));
        let times = depths.map(|depth| self.run(Depth::fixed(depth), num_takes).ns_an_element(num_takes / 2));
        times.fold(f64::INFINITY, f64::min)
    }
}

/// A prefetch: one side fills a queue, the other takes.
fn run_prefetch(
    mut depth: Depth,
    producer_ns: &dyn Fn(usize) -> u64,
    consumer_ns: &dyn Fn(usize) -> u64,
    bytes: &dyn Fn(usize) -> u64,
    num_takes: usize,
) -> Run {
    let mut queue: VecDeque<u64> = VecDeque::new();
    let (mut now, mut producer_at, mut begun) = (0, 0, 0);
    let mut takes = Vec::with_capacity(num_takes);
    for taken in 0..num_takes {
        while queue.len() < depth.get() && (producer_at <= now || queue.is_empty()) {
            producer_at += producer_ns(begun);
            begun += 1;
            queue.push_back(producer_at);
            if queue.len() == depth.get() && producer_at <= now {
                depth.parked();
            }
        }
        let head = queue.pop_front().expect("filled above");
        if head > now {
            depth.waits(now);
            now = head;
        }
        let num_ready = queue.iter().filter(|&&done| done <= now).count();
        depth.taken(Taken {
            now_ns: now,
            rows: 1,
            bytes: bytes(taken),
            is_half_ready: num_ready >= depth.get() / 2,
        });
        takes.push((now, depth.get()));
        // A full queue is filled on from when there is room.
        if queue.len() + 1 >= depth.get() {
            producer_at = producer_at.max(now);
        }
        now += consumer_ns(taken);
    }
    Run { takes }
}

fn tuned(start: usize, max: usize) -> Depth {
    Depth::tuned(Limits { min: 1, start, max, max_bytes: u64::MAX })
}

/// A number between 0 and 1 for each `index`, the same each time.
fn random(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

const COSTS: [u64; 10] =
    [100 * US, 200 * US, 300 * US, 600 * US, MS, 2 * MS, 5 * MS, 10 * MS, 20 * MS, 30 * MS];

/// Checks one cell of a grid: close to the best, soon, and at rest then.
fn check(name: &str, map: &Map<'_>, starts: &[usize], max: usize) {
    let best = map.best(max, 6000);
    for &start in starts {
        let name = format!("{name}, from {start}");
        check_run(&name, &map.run(tuned(start, max), NUM_TAKES), best);
    }
}

const NUM_TAKES: usize = 60_000;

fn check_run(name: &str, run: &Run, best: f64) {
    // Three seconds, or some rounds of the largest depth for what takes longer than that.
    let soon = run.take_at(3_000 * MS).clamp(15_000, run.takes.len() / 2);
    let (found, depth) = (run.ns_an_element(soon), run.depth());
    assert!(found <= best * 1.05, "{name}: {found:.0} ns at depth {depth}, {best:.0} ns is possible");
    // The pause after each try that brings nothing is twice as long as the one before.
    let tries = run.num_tries(soon);
    assert!(tries <= 5, "{name}: {tries} tries");
}

#[test]
fn thirty_two_cores_and_a_hundred_costs() {
    for task in COSTS {
        for consumer in [0, US, 5 * US, 20 * US, 60 * US, 200 * US, 600 * US, 2 * MS, 6 * MS, 20 * MS] {
            let uneven = |index: usize| (task as f64 * (0.5 + random(index))) as u64;
            let map = Map { num_servers: 32, capacity: 32, task_ns: &uneven, consumer_ns: &|_| consumer };
            check(&format!("cores, task {task}, consumer {consumer}"), &map, &[1, 64, 512], 512);
        }
    }
}

#[test]
fn a_hundred_latencies_of_a_storage() {
    for latency in COSTS {
        for at_once in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] {
            let map =
                Map { num_servers: at_once, capacity: 256, task_ns: &|_| latency, consumer_ns: &|_| 5 * US };
            check(&format!("storage, latency {latency}, {at_once} at once"), &map, &[1, 16, 256], 256);
        }
    }
}

#[test]
fn answers_that_come_when_they_like() {
    // One in twenty takes ten times as long: in order, everybody waits for it.
    let jittery = |index: usize| if random(index) < 0.05 { 30 * MS } else { 3 * MS };
    // Most at once, few very late.
    let heavy_tailed = |index: usize| ((300 * US) as f64 / (1.0 - random(index)).max(1e-3)) as u64;
    let check = |name: &str, map: &Map<'_>, starts: &[usize], max: usize| {
        // The same elements: late ones are rare enough to be more or fewer in others.
        let best = [8, 16, 32, 64, 128, 256, max]
            .map(|depth| map.run(Depth::fixed(depth), NUM_TAKES).ns_an_element(NUM_TAKES / 2))
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        for &start in starts {
            let run = map.run(tuned(start, max), NUM_TAKES);
            let (found, depth) = (run.ns_an_element(NUM_TAKES / 2), run.depth());
            assert!(
                found <= best * 1.05,
                "{name}, from {start}: {found:.0} ns at {depth}, {best:.0} ns is possible"
            );
        }
    };
    for (name, task) in [("jittery", &jittery as &dyn Fn(usize) -> u64), ("heavy-tailed", &heavy_tailed)] {
        for consumer in [0, 20 * US, 300 * US, 3 * MS] {
            let map = Map { num_servers: 512, capacity: 256, task_ns: task, consumer_ns: &|_| consumer };
            check(&format!("{name}, storage, consumer {consumer}"), &map, &[1, 16, 256], 256);
            let map = Map { num_servers: 32, capacity: 32, task_ns: task, consumer_ns: &|_| consumer };
            check(&format!("{name}, cores, consumer {consumer}"), &map, &[64], 512);
        }
    }
}

#[test]
fn a_prefetch_learns_how_far_bursts_go() {
    for burst in [1, 5, 20, 100, 500] {
        for (production, pause) in [(MS, 2 * MS), (MS, MS / 2), (100 * US, 150 * US)] {
            let pause_of = |taken: usize| if taken % burst == burst - 1 { burst as u64 * pause } else { 0 };
            let producer = |index: usize| (production as f64 * (0.8 + 0.4 * random(index))) as u64;
            let run = |depth, bytes| run_prefetch(depth, &producer, &pause_of, &|_| bytes, NUM_TAKES);
            let best = [1, 2, 8, 32, 128, 512, 1024]
                .map(|depth| run(Depth::fixed(depth), 1).ns_an_element(NUM_TAKES / 2))
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            for bytes in [1, 1 << 20] {
                if burst as u64 * bytes > 100 << 20 {
                    continue;
                }
                check_run(
                    &format!("burst {burst}, {production} ns, {pause} ns, {bytes} bytes"),
                    &run(tuned(if burst > 100 { 16 } else { 2 }, 1024), bytes),
                    best,
                );
            }
        }
    }
}

#[test]
fn a_good_setting_is_left_alone() {
    // The consumer is the slowest: nothing to gain, and half of the depth is needed.
    let map = Map { num_servers: 256, capacity: 256, task_ns: &|_| 30 * MS, consumer_ns: &|_| MS };
    let run = map.run(tuned(40, 256), NUM_TAKES);
    assert_eq!((run.num_changes(0), run.depth()), (0, 40));
    // All cores are busy.
    let map = Map { num_servers: 32, capacity: 32, task_ns: &|_| 300 * US, consumer_ns: &|_| US };
    let run = map.run(tuned(64, 512), NUM_TAKES);
    assert_eq!((run.num_changes(0), run.depth()), (0, 64));
}

#[test]
fn luck_does_not_fill_the_memory() {
    // What limits is the producer, who is faster at some times and slower at others; and the consumer is interrupted now and
    // then, so that the queue is full for a moment. More depth makes hardly anything of that better.
    let is_kept_small = |seed: &usize| {
        let producer = |index: usize| {
            let slow = 0.7 + 0.6 * random(seed * 1000 + index / 200);
            (200.0 * slow * US as f64) as u64
        };
        let consumer = |taken: usize| if random(taken + seed) < 0.03 { 300 * US } else { 10 * US };
        let run = run_prefetch(tuned(2, 1024), &producer, &consumer, &|_| 3 << 19, NUM_TAKES);
        let num_deep = run.takes.iter().filter(|&&(_, depth)| depth > 4).count();
        run.depth() <= 4 && num_deep < NUM_TAKES / 4
    };
    // Luck that lasts for seconds cannot be told from merit.
    assert!((0..20).filter(is_kept_small).count() >= 18);
}

#[test]
fn what_is_never_needed_is_given_back() {
    let map = Map { num_servers: 256, capacity: 256, task_ns: &|_| 2 * MS, consumer_ns: &|_| 10 * MS };
    let run = map.run(tuned(256, 256), NUM_TAKES);
    assert!(run.depth() <= 3, "{}", run.depth());
    let run = run_prefetch(tuned(512, 512), &|_| MS, &|_| 10 * MS, &|_| 1, NUM_TAKES);
    assert!(run.depth() <= 3, "{}", run.depth());
}

#[test]
fn steps_in_the_load_are_followed() {
    let (first, second) = (NUM_TAKES, NUM_TAKES * 2);
    let latency = |index: usize| if (first..second).contains(&index) { 30 * MS } else { MS };
    let map = Map { num_servers: 256, capacity: 256, task_ns: &latency, consumer_ns: &|_| 200 * US };
    let run = map.run(tuned(4, 256), NUM_TAKES * 3);
    let best = (200 * US) as f64;
    // Close to the best within 4,000 elements of each step, and again no deeper than needed behind the second.
    for (from, to) in [(4000, first), (first + 4000, second), (second + 4000, NUM_TAKES * 3)] {
        let part = Run { takes: run.takes[from..to].to_vec() };
        assert!(
            part.ns_an_element(0) <= best * 1.05,
            "{from}: {} at {}",
            part.ns_an_element(0),
            part.depth()
        );
    }
    assert!(run.takes[second - 1].1 >= 150 && run.depth() <= 64, "{}", run.depth());
}

#[test]
fn bytes_bound_the_depth() {
    let limits = Limits { min: 1, start: 16, max: 256, max_bytes: 20 };
    let map = Map { num_servers: 256, capacity: 256, task_ns: &|_| 30 * MS, consumer_ns: &|_| US };
    let run = map.run(Depth::tuned(limits), 4000);
    assert_eq!(run.depth(), 20, "an element has a byte here");
    assert!(run.takes.iter().all(|&(_, depth)| depth <= 20));
}

#[test]
fn more_than_fits_is_not_kept_because_it_was_tried() {
    // What limits is the producer, and the consumer is interrupted now and then; entries are larger at some times than at others, so that a depth that fits when it is tried does
    // not when it was measured.
    let producer = |index: usize| (200.0 * (0.7 + 0.6 * random(index)) * US as f64) as u64;
    let consumer = |taken: usize| if random(taken) < 0.03 { 300 * US } else { 10 * US };
    for period in [50, 100, 200, 400] {
        let bytes = |taken: usize| if (taken / period).is_multiple_of(2) { 8 << 20 } else { 10 << 20 };
        let depth = Depth::tuned(Limits { min: 2, start: 2, max: 1024, max_bytes: 128 << 20 });
        let run = run_prefetch(depth, &producer, &consumer, &bytes, NUM_TAKES);
        let num_deep = run.takes.iter().filter(|&&(_, depth)| depth > 4).count();
        assert!(
            run.depth() <= 4 && num_deep < NUM_TAKES / 4,
            "{period}: {num_deep} takes, {} at last",
            run.depth()
        );
    }
}
