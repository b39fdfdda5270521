//! The same training input prepared in five ways, for an accelerator that is simulated.
//!
//! What is simulated is the accelerator alone: it takes a fixed time for a batch, in which this thread sleeps. The files are
//! real and compressed, the work on each picture is real. Every way must give the same batches, bit for bit.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use feedline::data::block::Tensor;
use feedline::data::{DType, Structure};
use feedline::formats::example::ExampleWriter;
use feedline::formats::{Compression, crc32c};
use feedline::plan::expr::Feature;
use feedline::records::RecordWriter;
use feedline::{AUTOTUNE, Dataset, Options, Result, Symbolic, ops};
use indicatif::ProgressBar;

use super::images::photo;
use super::threads::on_threads;
use super::unexpected;

pub(super) const BATCH_SIZE: usize = 32;
pub(super) const NUM_FILES: usize = 8;
const NUM_PICTURES: u64 = 512;
/// Side of what is learned from.
const CROP: i64 = 128;
/// Below it, sleeping is not exact enough to be called a fixed time.
const SHORTEST_STEP: Duration = Duration::from_millis(1);

/// A way to prepare the batches; each has what the one before it has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    Sequential,
    ParallelReads,
    ParallelMap,
    Prefetch,
    Fused,
}

impl Way {
    pub(super) const ALL: [Way; 5] =
        [Way::Sequential, Way::ParallelReads, Way::ParallelMap, Way::Prefetch, Way::Fused];

    /// Its name for scripts, and what people read.
    pub(super) fn names(self) -> (&'static str, &'static str) {
        match self {
            Way::Sequential => ("sequential", "sequential"),
            Way::ParallelReads => ("parallel_reads", "+ parallel reads"),
            Way::ParallelMap => ("parallel_map", "+ parallel map"),
            Way::Prefetch => ("prefetch", "+ prefetch"),
            Way::Fused => ("fused", "+ fused"),
        }
    }
}

/// What a training run was like.
pub(super) struct Run {
    pub(super) step: Duration,
    /// The part of the time in which the accelerator had something to do.
    pub(super) utilization: f64,
    /// Over the bytes of all batches, in order.
    pub(super) checksum: u32,
}

pub(super) struct Training {
    paths: Vec<PathBuf>,
    num_threads: usize,
    num_steps: u64,
    /// What the accelerator takes for a batch.
    pub(super) accelerator_step: Duration,
}

impl Training {
    /// Makes the files, and finds how long the accelerator shall take: as long as a batch would, if all cores shared the
    /// work of preparing it evenly. So the best there is, is an accelerator that never waits, on any machine.
    pub(super) fn new(folder: &Path, num_threads: usize, num_steps: u64) -> Result<Training> {
        let paths: Vec<PathBuf> =
            (0..NUM_FILES).map(|file| folder.join(format!("pictures-{file}.tfrecord.gz"))).collect();
        on_threads(&paths, num_threads, write_pictures)?;
        let mut training = Training { paths, num_threads, num_steps, accelerator_step: Duration::ZERO };
        let num_measured = num_steps.div_ceil(4) as usize;
        let start = Instant::now();
        for batch in training.dataset(Way::Sequential)?.iterator()?.take(num_measured) {
            batch?;
        }
        let one_core = start.elapsed() / num_measured as u32;
        training.accelerator_step = (one_core / num_threads as u32).max(SHORTEST_STEP);
        Ok(training)
    }

    /// The pipeline, the same in every way: shuffled pictures without end, decoded, cropped, mirrored and normalized, in batches.
    pub(super) fn dataset(&self, way: Way) -> Result<Dataset> {
        let calls = if way < Way::ParallelMap { Some(1) } else { AUTOTUNE };
        let threads = if way == Way::Sequential { 0 } else { self.num_threads };
        // In turn from every file: that is the order of the records, however many are read at a time.
        let batches = Dataset::tf_record(&self.paths)?
            .num_parallel_reads(NUM_FILES)
            .with_options(Options::new().threads(threads).optimizer(way == Way::Fused))
            .shuffle(256)
            .seed(1)
            .repeat(None)
            .map(parsed)
            .num_parallel_calls(calls)
            .map(|example| prepared(&example))
            .num_parallel_calls(calls)
            .batch(BATCH_SIZE);
        if way < Way::Prefetch { batches } else { batches.prefetch(AUTOTUNE) }.check()
    }

    /// Trains: takes batches, and sleeps for each as long as the accelerator would work.
    pub(super) fn run(&self, way: Way, progress: &ProgressBar) -> Result<Run> {
        let mut batches = self.dataset(way)?.iterator()?;
        let mut checksum = 0;
        let start = Instant::now();
        for _ in 0..self.num_steps {
            let batch = batches.next().ok_or_else(|| unexpected("a dataset without end has ended"))??;
            let received = Instant::now();
            // Part of the accelerator's time: nobody else waits for it.
            checksum = checksum_behind(checksum, &batch)?;
            std::thread::sleep(self.accelerator_step.saturating_sub(received.elapsed()));
            progress.inc(1);
        }
        let step = start.elapsed() / self.num_steps as u32;
        // Of the time it takes, not of the time slept: who wakes late has let it wait.
        let utilization = (self.accelerator_step.as_secs_f64() / step.as_secs_f64()).min(1.0);
        Ok(Run { step, utilization, checksum })
    }
}

fn write_pictures(file: u64, path: &Path) -> Result<u64> {
    let mut writer = RecordWriter::create(path, Some(Compression::Gzip))?;
    let per_file = NUM_PICTURES / NUM_FILES as u64;
    for number in file * per_file..(file + 1) * per_file {
        let (jpeg, label) = photo(number as u32)?;
        let example = ExampleWriter::new()
            .bytes("class", &[label.to_string().as_bytes()])
            .bytes("image", &[&jpeg])
            .int64("label", &[label])
            .int64("number", &[number as i64])
            .to_bytes();
        writer.write(&example)?;
    }
    writer.finish()
}

/// All that a record has, as people write it first.
fn parsed(record: Symbolic) -> Symbolic {
    let text = || Feature::fixed_len(&[], DType::String);
    let number = || Feature::fixed_len(&[], DType::Int64);
    let features = [("class", text()), ("image", text()), ("label", number()), ("number", number())];
    ops::parse_single_example(record, features)
}

/// What training needs of it: a part of the picture at one size, mirrored or not, and the label. The parts are the same in every run:
/// which one it is follows from the seed and the record.
fn prepared(example: &Symbolic) -> Symbolic {
    let image = ops::image::decode_jpeg(example.get("image"), 3, 1, "");
    let (scale, ratio) = ([0.08, 1.0], [0.75, 4.0 / 3.0]);
    let image =
        ops::image::random_resized_crop(image, [CROP, CROP], scale, ratio, "bilinear", false, false, 1);
    let image = ops::image::random_flip_left_right(image, 2);
    let image = ops::image::normalize(image, [110.0], [64.0]);
    Symbolic::from((image, example.get("label")))
}

/// The checksum of everything up to and with `batch`, where `before` is that of everything before it.
fn checksum_behind(before: u32, batch: &Structure<Tensor>) -> Result<u32> {
    batch.leaves().into_iter().try_fold(before, |before, tensor| {
        let values = tensor.as_column().buffer().ok_or_else(|| unexpected("a batch has strings"))?;
        let sums = [before, crc32c(values.as_bytes())];
        Ok(crc32c(&sums.map(u32::to_le_bytes).concat()))
    })
}
