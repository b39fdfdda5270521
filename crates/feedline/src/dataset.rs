//! The front door: datasets.

use std::ffi::OsStr;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use feedline_data::block::{Tensor, mix};
use feedline_data::{ElementSpec, Structure};
use feedline_exec::{Elements, Options, State};
use feedline_plan::{Explanation, FileFormat, NativeFunction, Plan, PlanError, SeedPair, Symbolic};

use crate::{Error, Result};

/// A data set: a plan of where elements come from and what is done to them. Making one does no work; iterating does.
///
/// Methods are tf.data's. Each returns a new dataset. A mistake (a wrong type, a batch of 0) makes the dataset one that
/// cannot be iterated, and [`Dataset::check`] or the first iteration says what is wrong and on which line.
///
/// ```
/// use feedline::Dataset;
///
/// # fn main() -> feedline::Result<()> {
/// let dataset = Dataset::range(10).map(|x| x * 2).shuffle(10).seed(42).batch(4);
/// for batch in dataset.iterator()? {
///     let batch = batch?;
///     println!("{:?}", batch.leaves()[0].as_slice::<i64>());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Dataset {
    plan: std::result::Result<Plan, PlanError>,
    options: Options,
    /// Iterators made so far; clones are the same dataset and count together.
    iterations: Arc<AtomicU64>,
}

impl Dataset {
    /// The numbers from 0 to before `stop`, as int64.
    #[track_caller]
    pub fn range(stop: i64) -> Dataset {
        Dataset::range_step(0, stop, 1)
    }

    /// The numbers from `start` to before `stop` by `step`, as int64.
    #[track_caller]
    pub fn range_step(start: i64, stop: i64, step: i64) -> Dataset {
        Dataset::of(Plan::range(start, stop, step), Options::new())
    }

    /// The slices of `tensors` along their first dimension.
    #[track_caller]
    pub fn from_tensor_slices(tensors: impl Into<Structure<Tensor>>) -> Dataset {
        Dataset::of(Plan::from_tensor_slices(&tensors.into()), Options::new())
    }

    /// `tensors` as the one element there is.
    #[track_caller]
    pub fn from_tensors(tensors: impl Into<Structure<Tensor>>) -> Dataset {
        Dataset::of(Ok(Plan::from_tensors(&tensors.into())), Options::new())
    }

    /// The records of TFRecord files, file after file, as strings. Checksums are verified; compression is told from the
    /// files.
    ///
    /// `patterns` are paths or patterns (`train-*.tfrecord`).
    ///
    /// # Errors
    /// If a pattern matches no file.
    #[track_caller]
    pub fn tf_record<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Dataset> {
        Dataset::files(patterns, FileFormat::TfRecord)
    }

    /// The lines of text files, file after file, as strings without line ends.
    ///
    /// # Errors
    /// If a pattern matches no file.
    #[track_caller]
    pub fn text_line<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Dataset> {
        Dataset::files(patterns, FileFormat::TextLine)
    }

    #[track_caller]
    fn files<P: AsRef<OsStr>>(patterns: &[P], format: FileFormat) -> Result<Dataset> {
        let files = feedline_io::list_files(patterns)?;
        let paths = files.into_iter().map(|file| file.location).collect();
        Ok(Dataset::of(Plan::files(paths, format), Options::new()))
    }

    /// Elements made of one of each dataset, until the first of them ends. Runs with the options of the first.
    #[track_caller]
    pub fn zip(datasets: &Structure<Dataset>) -> Dataset {
        let options = datasets.leaves().first().map_or_else(Options::new, |first| first.options.clone());
        let wrong = datasets.leaves().into_iter().find_map(|dataset| dataset.plan.clone().err());
        let plan = match wrong {
            Some(error) => Err(error),
            None => Plan::zip(&datasets.map(|dataset| dataset.plan.clone().expect("none is wrong"))),
        };
        Dataset::of(plan, options)
    }

    /// What `function` makes of each element. It is called once, now, with a symbolic element; what it does is recorded and
    /// later computed for many elements at a time, on all cores.
    #[track_caller]
    #[must_use]
    pub fn map<R: Into<Symbolic>>(&self, function: impl FnOnce(Symbolic) -> R) -> Dataset {
        self.step(|plan| plan.map(|element| function(element).into(), None))
    }

    /// What Rust code makes of each element, on all cores, the results in order. `name` is how errors and checkpoints call
    /// it, `output` is what it returns.
    #[track_caller]
    #[must_use]
    pub fn map_native<F>(&self, name: &str, output: ElementSpec, function: F) -> Dataset
    where
        F: Fn(
                Structure<Tensor>,
            )
                -> std::result::Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>
            + Send
            + Sync
            + 'static,
    {
        let function = NativeFunction { name: name.to_owned(), output, call: Arc::new(function) };
        self.step(|plan| plan.map_native(function, None))
    }

    /// Elements drawn at random from a buffer of `buffer_size`. [`Dataset::seed`] makes the order repeatable.
    #[track_caller]
    #[must_use]
    pub fn shuffle(&self, buffer_size: usize) -> Dataset {
        self.step(|plan| plan.shuffle(buffer_size, drawn_seeds(), true))
    }

    /// Gives the `shuffle` just before it a seed: the order is then tf.data's for `shuffle(…, seed=seed)`.
    #[track_caller]
    #[must_use]
    pub fn seed(&self, seed: i64) -> Dataset {
        // TensorFlow's: the seed of the whole program, where none was set.
        let pair = SeedPair { seed: DEFAULT_GRAPH_SEED, seed2: seed, is_given: true };
        self.step(|plan| plan.with_seeds(pair))
    }

    /// Whether each iteration of the `shuffle` just before it has an order of its own; it has, unless told otherwise.
    #[track_caller]
    #[must_use]
    pub fn reshuffle_each_iteration(&self, reshuffle: bool) -> Dataset {
        self.step(|plan| plan.with_reshuffle(reshuffle))
    }

    /// Every `batch_size` elements as one; the last may be smaller.
    #[track_caller]
    #[must_use]
    pub fn batch(&self, batch_size: usize) -> Dataset {
        self.step(|plan| plan.batch(batch_size, false))
    }

    /// Makes the `batch` just before it drop what does not fill a batch.
    #[track_caller]
    #[must_use]
    pub fn drop_remainder(&self) -> Dataset {
        self.step(Plan::with_drop_remainder)
    }

    /// Lets the `map` just before it compute at most so many elements at a time; unless told otherwise, as many as serve.
    #[track_caller]
    #[must_use]
    pub fn num_parallel_calls(&self, calls: impl Into<Option<usize>>) -> Dataset {
        let calls = calls.into();
        self.step(|plan| plan.with_parallel_calls(calls))
    }

    /// Everything `count` times; `None` without end.
    #[track_caller]
    #[must_use]
    pub fn repeat(&self, count: impl Into<Option<u64>>) -> Dataset {
        let count = count.into();
        self.step(|plan| Ok(plan.repeat(count)))
    }

    /// The first `count` elements; `None`: all. An error counts as the element whose place it takes.
    #[track_caller]
    #[must_use]
    pub fn take(&self, count: impl Into<Option<u64>>) -> Dataset {
        let count = count.into();
        self.step(|plan| Ok(plan.take(count)))
    }

    /// All but the first `count` elements; `None`: nothing. What is skipped is not computed where it need not be.
    #[track_caller]
    #[must_use]
    pub fn skip(&self, count: impl Into<Option<u64>>) -> Dataset {
        let count = count.into();
        self.step(|plan| Ok(plan.skip(count)))
    }

    /// Of every `num_shards` elements the one at `index`: what one of several machines reads.
    #[track_caller]
    #[must_use]
    pub fn shard(&self, num_shards: u64, index: u64) -> Dataset {
        self.step(|plan| plan.shard(num_shards, index))
    }

    /// The elements of which `predicate` is true. It is traced, as the function of [`Dataset::map`] is.
    #[track_caller]
    #[must_use]
    pub fn filter<R: Into<Symbolic>>(&self, predicate: impl FnOnce(Symbolic) -> R) -> Dataset {
        self.step(|plan| plan.filter(|element| predicate(element).into()))
    }

    /// Each element as `(number, element)`, counted from `start`.
    #[track_caller]
    #[must_use]
    pub fn enumerate(&self, start: i64) -> Dataset {
        self.step(|plan| Ok(plan.enumerate(start)))
    }

    /// The slices of each element along its first dimension, as elements.
    #[track_caller]
    #[must_use]
    pub fn unbatch(&self) -> Dataset {
        self.step(Plan::unbatch)
    }

    /// All elements of this, then all of `other`.
    #[track_caller]
    #[must_use]
    pub fn concatenate(&self, other: &Dataset) -> Dataset {
        self.step(|plan| plan.concatenate(other.plan.as_ref().map_err(Clone::clone)?))
    }

    /// The elements without the errors among them.
    #[track_caller]
    #[must_use]
    pub fn ignore_errors(&self) -> Dataset {
        self.step(|plan| Ok(plan.ignore_errors()))
    }

    /// What `transformation` makes of this dataset: for steps that come as one function.
    #[must_use]
    pub fn apply(&self, transformation: impl FnOnce(&Dataset) -> Dataset) -> Dataset {
        transformation(self)
    }

    /// Lets what comes before it run ahead of what comes after, by at most `buffer_size` elements; [`AUTOTUNE`]: as far as
    /// serves.
    #[track_caller]
    #[must_use]
    pub fn prefetch(&self, buffer_size: impl Into<Option<usize>>) -> Dataset {
        let buffer_size = buffer_size.into();
        self.step(|plan| Ok(plan.prefetch(buffer_size)))
    }

    /// Runs with these options. They change how fast, never what.
    #[must_use]
    pub fn with_options(&self, options: Options) -> Dataset {
        Dataset { options, ..self.clone() }
    }

    /// The dataset, if it can be iterated.
    ///
    /// # Errors
    /// What is wrong, and the line it was written on.
    pub fn check(self) -> Result<Dataset> {
        self.plan()?;
        Ok(self)
    }

    /// Its plan.
    pub fn plan(&self) -> Result<&Plan> {
        self.plan.as_ref().map_err(|error| Error::from(error.clone()))
    }

    /// What is known about every element.
    pub fn element_spec(&self) -> Result<&ElementSpec> {
        Ok(self.plan()?.spec())
    }

    /// How many elements there are: −1 without end, −2 unknown before iterating.
    pub fn cardinality(&self) -> Result<i64> {
        Ok(self.plan()?.cardinality().as_tf())
    }

    /// What runs when it is iterated: the plan as written, what the optimizer makes of it, and which rule changed what.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let explanation = Dataset::range(10).map(|x| x + 1).map(|x| x * 2).batch(4).explain()?;
    /// assert!(explanation.to_string().contains("map(multiply(add(x0, 1), 2))"));
    /// println!("{explanation}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn explain(&self) -> Result<Explanation> {
        Ok(Explanation::new(self.plan()?, self.options.as_optimizer())?)
    }

    /// Its elements. Each iterator is an iteration of its own: shuffles that reshuffle give each another order.
    pub fn iterator(&self) -> Result<Elements> {
        let plan = self.plan()?;
        Ok(Elements::start(plan, &self.options, self.iterations.fetch_add(1, Ordering::Relaxed))?)
    }

    /// Its elements as iteration number `iteration` gives them, whatever was iterated before.
    pub fn iterator_of(&self, iteration: u64) -> Result<Elements> {
        Ok(Elements::start(self.plan()?, &self.options, iteration)?)
    }

    /// The rest of its elements, from where `state` was saved.
    pub fn resume(&self, state: &State) -> Result<Elements> {
        Ok(Elements::resume(self.plan()?, &self.options, state)?)
    }

    #[track_caller]
    fn of(plan: std::result::Result<Plan, PlanError>, options: Options) -> Dataset {
        let location = Location::caller();
        Dataset { plan: plan.map_err(|error| error.at(location)), options, iterations: Arc::default() }
    }

    #[track_caller]
    fn step(&self, step: impl FnOnce(&Plan) -> std::result::Result<Plan, PlanError>) -> Dataset {
        Dataset::of(self.plan.as_ref().map_err(Clone::clone).and_then(step), self.options.clone())
    }
}

/// For `prefetch` and `num_parallel_calls`: as much as serves. It is what they do where nothing is said.
pub const AUTOTUNE: Option<usize> = None;

/// What TensorFlow uses for the program's seed when only an operation's is given.
const DEFAULT_GRAPH_SEED: i64 = 87_654_321;

/// Seeds for a shuffle that was given none: different in every process and for every shuffle.
fn drawn_seeds() -> SeedPair {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let bits = mix(mix(now, u64::from(std::process::id())), count);
    // Positive, so that they read well; 62 random bits in all.
    SeedPair { seed: (bits >> 33) as i64, seed2: (bits & 0x7fff_ffff) as i64, is_given: false }
}
