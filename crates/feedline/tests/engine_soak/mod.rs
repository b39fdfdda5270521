//! Many small pipelines, started and dropped at random places: no thread, no open file and no memory stays behind.
//!
//! Steps are those of the random plans; sources are all there are, some of which fail or panic. A thousand in the usual
//! tests; `make soak` runs a million (`FEEDLINE_SOAK_PIPELINES`), with a line of progress now and then.

mod process;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, TensorSpec};
use feedline::formats::Compression;
use feedline::index::{IndexOptions, index};
use feedline::records::RecordWriter;
use feedline::{Dataset, Options, State};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use self::process::Usage;
use super::engine_support::{folder_for_caches, remove_cache};
use super::random_plans::{Step, apply, step};

/// A pipeline and what becomes of it.
#[derive(Clone, Debug)]
struct Pipeline {
    source: usize,
    steps: Vec<Step>,
    options: Run,
    /// Elements taken before it is dropped.
    taken: usize,
    /// Whether it is then resumed, once, for as many again.
    is_resumed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    /// `None`: the pool of everybody.
    threads: Option<usize>,
    block_bytes: usize,
    has_small_budget: bool,
    is_optimized: bool,
}

fn pipelines() -> impl Strategy<Value = Pipeline> {
    let threads = prop_oneof![12 => Just(None), 2 => Just(Some(0)), 1 => (1..4_usize).prop_map(Some)];
    let run = (threads, prop_oneof![Just(1_usize), Just(100), Just(64 << 10)], any::<[bool; 2]>());
    let run = run.prop_map(|(threads, block_bytes, [has_small_budget, is_optimized])| Run {
        threads,
        block_bytes,
        has_small_budget,
        is_optimized,
    });
    let taken = prop_oneof![1 => Just(0_usize), 4 => 1..8_usize, 1 => Just(200)];
    let steps = prop::collection::vec(step(), 0..4);
    (0..SOURCES, steps, run, taken, prop::bool::weighted(0.1)).prop_map(
        |(source, steps, options, taken, is_resumed)| Pipeline { source, steps, options, taken, is_resumed },
    )
}

const SOURCES: usize = 10;

/// Files that sources read.
struct Files {
    records: PathBuf,
    compressed: PathBuf,
    lines: PathBuf,
}

fn make_files(folder: &Path) -> Files {
    let files = Files {
        records: folder.join("plain.tfrecord"),
        compressed: folder.join("compressed.tfrecord.gz"),
        lines: folder.join("lines.txt"),
    };
    for (path, compression) in [(&files.records, None), (&files.compressed, Some(Compression::Gzip))] {
        let mut writer = RecordWriter::create(path, compression).unwrap();
        (0..30).for_each(|record| writer.write(format!("{record}").as_bytes()).unwrap());
        writer.finish().unwrap();
    }
    std::fs::write(&files.lines, "a line\n".repeat(30)).unwrap();
    let options = IndexOptions { num_threads: 1, force: false, check: false };
    let reports = index(std::slice::from_ref(&files.records), &options, &|_| (), &AtomicBool::new(false));
    assert!(reports.iter().all(|report| report.outcome.is_ok()));
    files
}

/// Source number `source`: elements are numbers, or errors.
fn source(source: usize, files: &Files) -> Dataset {
    let number = || ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    // Whatever it is becomes its number.
    let numbered = |dataset: Dataset| dataset.enumerate(0).map(|pair| pair.at(0));
    let both = [&files.records, &files.compressed];
    match source {
        0 => Dataset::range(30),
        1 => Dataset::from_tensor_slices(Tensor::from_vec(vec![20], (0..20_i64).collect())),
        2 => numbered(Dataset::tf_record(&both).unwrap()),
        3 => numbered(Dataset::text_line(&[&files.lines]).unwrap()),
        4 => numbered(Dataset::list_files(&both).unwrap().seed(1).interleave(Dataset::tf_record_file)),
        5 => numbered(Dataset::tf_record(&[&files.records]).unwrap().global_shuffle().seed(2)),
        6 => Dataset::from_iter("numbers", number(), || {
            (0..40_i64).map(|n| if n % 9 == 7 { Err("a seven".into()) } else { Ok(Tensor::scalar(n).into()) })
        }),
        // Without the panic's message on standard error: a million of them would hide everything else.
        7 => Dataset::from_iter("panics", number(), || {
            (0..40_i64).map(|n| {
                if n == 13 {
                    std::panic::resume_unwind(Box::new("on purpose"));
                }
                Ok(Tensor::scalar(n).into())
            })
        }),
        8 => Dataset::range(30).map_native("fails", number(), |element| {
            let n = element.leaves()[0].as_slice::<i64>()[0];
            if n % 5 == 3 { Err("a three".into()) } else { Ok(element) }
        }),
        _ => Dataset::range(30).map_native("panics", number(), |element| {
            if element.leaves()[0].as_slice::<i64>()[0] == 11 {
                std::panic::resume_unwind(Box::new("on purpose"));
            }
            Ok(element)
        }),
    }
}

/// Runs it as far as it says; how many elements and errors came.
fn run(pipeline: &Pipeline, files: &Files, folder: &Path) -> usize {
    let folders: Vec<PathBuf> = (0..pipeline.steps.len()).map(|step| folder.join(step.to_string())).collect();
    let steps = pipeline.steps.iter().zip(&folders);
    let dataset =
        steps.fold(source(pipeline.source, files), |dataset, (step, folder)| apply(&dataset, step, folder));
    let Run { threads, block_bytes, has_small_budget, is_optimized } = pipeline.options;
    let mut options = Options::new().block_size(block_bytes).optimizer(is_optimized);
    if let Some(threads) = threads {
        options = options.threads(threads);
    }
    if has_small_budget {
        options = options.memory_budget(64 << 10);
    }
    let dataset = dataset.with_options(options);
    let mut count = 0;
    // A cache in memory that does not fit the small budget is refused before anything runs.
    if let Ok(mut elements) = dataset.iterator() {
        let held: Vec<_> = elements.by_ref().take(pipeline.taken).collect();
        let state = elements.state().to_bytes();
        // Elements outlive their iterator.
        drop(elements);
        count = held.len();
        drop(held);
        if pipeline.is_resumed {
            let mut rest = dataset.resume(&State::from_bytes(&state).unwrap()).unwrap();
            count += rest.by_ref().take(pipeline.taken).count();
        }
    }
    folders.iter().filter(|folder| folder.exists()).for_each(|folder| remove_cache(folder));
    count
}

#[test]
fn pipelines_dropped_anywhere_leave_nothing_behind() {
    let asked: Option<usize> =
        std::env::var("FEEDLINE_SOAK_PIPELINES").ok().and_then(|text| text.parse().ok());
    let count = asked.unwrap_or(1000);
    let folder = folder_for_caches();
    let files = make_files(folder.path());
    let caches = folder.path().join("caches");
    let mut runner = TestRunner::deterministic();
    let strategy = pipelines();
    // Threads, arenas of the allocator and the like have come by then.
    let warm_up = count / 5 + 100;
    let (start, mut base, mut items) = (Instant::now(), Usage::now(), 0);
    for number in 0..count {
        let pipeline = strategy.new_tree(&mut runner).unwrap().current();
        items += run(&pipeline, &files, &caches);
        if number == warm_up {
            base = Usage::settled(asked.is_some());
        }
        if asked.is_some() && number % (count / 50).max(1) == 0 {
            let seconds = start.elapsed().as_secs_f64();
            let line = format!("{number} pipelines, {items} elements, {seconds:.0} s: {}", Usage::now());
            writeln!(std::io::stderr(), "{line}").unwrap();
        }
    }
    let end = Usage::settled(asked.is_some());
    let text = format!("after {warm_up} pipelines: {base}\nafter {count}: {end}\nin {:?}", start.elapsed());
    if asked.is_some() {
        writeln!(std::io::stderr(), "{text}").unwrap();
    }
    assert!(items > count, "{items} elements of {count} pipelines");
    assert_eq!((end.workers, end.files), (base.workers, base.files), "{text}");
    assert_eq!(end.workers, std::thread::available_parallelism().map_or(1, usize::from), "{text}");
    // Next to nothing a pipeline: what is kept is kept by the process, such as buffers of threads that are still there.
    let allowed = base.live_bytes + (256 << 10) + count as u64 / 10;
    assert!(end.live_bytes < allowed, "{text}");
    // The allocator keeps what it was given back, in pieces.
    assert!(end.resident_bytes < base.resident_bytes + (48 << 20), "{text}");
    assert!(!caches.exists() || std::fs::read_dir(&caches).unwrap().count() == 0, "caches are left");
}

/// How long threads and files may take to go: an I/O thread ends ten seconds after its last job.
const SETTLE: Duration = Duration::from_secs(30);
