//! The front door: datasets. Where their elements come from is in [`sources`], what is done to them here.

mod batches;
mod choices;
mod files;
mod folds;
mod image_folder;
mod packing;
mod resample;
mod sources;
mod windows;

pub use choices::Sampling;
pub use files::Csv;
pub use image_folder::ImageFolder;

use std::panic::Location;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use feedline_data::block::Tensor;
use feedline_data::{ElementSpec, Structure};
use feedline_exec::{Elements, Options, State};
use feedline_plan::{
    CacheCompression, CountedStep, ErrorPolicy, Explanation, Functions, NativeFunction, Plan, PlanError,
    Symbolic, Turns,
};

use crate::{Count, Error, Result, seeds};

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
    /// What `function` makes of each element. It is called once, now, with a symbolic element; what it does is recorded and
    /// later computed for many elements at a time, on all cores.
    #[track_caller]
    #[must_use]
    pub fn map<R: Into<Symbolic>>(&self, function: impl FnOnce(Symbolic) -> R) -> Dataset {
        self.step(|plan| plan.map(|element| function(element).into(), None))
    }

    /// What Rust code makes of each element, on all cores, the results in order. `name` is how errors and checkpoints call
    /// it, `output` is what it returns. Code that is found to wait, for a server or a disk, is called for many more elements
    /// at a time than there are cores, as long as that helps; [`Dataset::num_parallel_calls`] says how many at most.
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
        let call = Arc::new(function);
        self.map_function(NativeFunction { name: name.to_owned(), output, call, runtime: None })
    }

    /// As [`Dataset::map_native`], for code that comes with more to say about it.
    #[track_caller]
    #[must_use]
    pub fn map_function(&self, function: NativeFunction) -> Dataset {
        self.step(|plan| plan.map_native(function, None))
    }

    /// The elements of the dataset `function` makes of each element, one dataset after the other. The function is called
    /// once, now, with a symbolic element, which sources, counts and functions of the dataset may use.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let triangle = Dataset::range(4).flat_map(|x| Dataset::range(x.clone()).map(|y| y * 10 + x));
    /// let numbers: Vec<i64> = triangle.iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
    /// assert_eq!(numbers, [1, 2, 12, 3, 13, 23]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn flat_map(&self, function: impl FnOnce(Symbolic) -> Dataset) -> Dataset {
        self.step(|plan| plan.flat_map(|element| function(element).plan))
    }

    /// The elements of the datasets `function` makes of elements, several datasets at a time in turn: 16, one element a
    /// turn, unless [`Dataset::cycle_length`] and [`Dataset::block_length`] say otherwise. Otherwise as
    /// [`Dataset::flat_map`].
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let turns = Dataset::range(3).interleave(|x| Dataset::from_tensors(x).repeat(3)).cycle_length(2);
    /// let numbers: Vec<i64> = turns.iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
    /// assert_eq!(numbers, [0, 1, 0, 1, 0, 1, 2, 2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn interleave(&self, function: impl FnOnce(Symbolic) -> Dataset) -> Dataset {
        self.step(|plan| plan.interleave(|element| function(element).plan))
    }

    /// How many datasets of the `interleave` just before it take turns.
    #[track_caller]
    #[must_use]
    pub fn cycle_length(&self, cycle_length: usize) -> Dataset {
        self.with_turns("cycle_length", |turns| Turns { cycle_length, ..turns })
    }

    /// How many elements a turn of the `interleave` just before it has.
    #[track_caller]
    #[must_use]
    pub fn block_length(&self, block_length: u64) -> Dataset {
        self.with_turns("block_length", |turns| Turns { block_length, ..turns })
    }

    /// Whether the `map` or `interleave` just before it keeps the order, whatever [`Options::deterministic`] says; where nobody says
    /// anything it does: a map then waits
    /// for an element that takes long although others are ready, an interleave for a dataset that has nothing ready.
    /// If it does not, every element still comes exactly once, also after a resume; their order differs from run to run. Before a
    /// `shuffle`, `cache`, `flat_map`, `interleave` or `unbatch` it has no effect: resumed, those read elements again, which
    /// must be the same ones.
    #[track_caller]
    #[must_use]
    pub fn deterministic(&self, is_deterministic: bool) -> Dataset {
        self.step(|plan| plan.with_deterministic(is_deterministic))
    }

    #[track_caller]
    fn with_turns(&self, word: &str, change: impl FnOnce(Turns) -> Turns) -> Dataset {
        self.step(|plan| plan.with_turns(word, change(plan.turns(word)?)))
    }

    /// Elements drawn at random from a buffer of `buffer_size`, or of [`EVERYTHING`](crate::EVERYTHING). [`Dataset::seed`] makes the order
    /// repeatable.
    #[track_caller]
    #[must_use]
    pub fn shuffle(&self, buffer_size: usize) -> Dataset {
        self.step(|plan| plan.shuffle(buffer_size, seeds::drawn(), true))
    }

    /// All elements in random order, each iteration another one, without a buffer: right after `range`,
    /// `from_tensor_slices` or `tf_record`, whose elements can be read in any order, or after the records of each of `list_files`. Every order is as likely as with a
    /// buffer as large as the data, and there is none to fill: the first element comes at once. [`Dataset::seed`] makes it
    /// repeatable.
    ///
    /// Records are read by the index beside each file (`feedline index` makes it); where there is none, the lengths of all
    /// records are looked up first.
    #[track_caller]
    #[must_use]
    pub fn global_shuffle(&self) -> Dataset {
        self.step(|plan| plan.global_shuffle(seeds::drawn(), true))
    }

    /// Gives the `shuffle` or `random` just before it a seed: the order, or the numbers, are then tf.data's for `seed=seed`.
    #[track_caller]
    #[must_use]
    pub fn seed(&self, seed: i64) -> Dataset {
        self.step(|plan| plan.with_seeds(seeds::given(seed, plan.node().kind.seeds())))
    }

    /// The same with seeds for the shuffles that were given none which follow from the plan, and so are the same in every process: those who
    /// each read a part of one order ([`Dataset::shard`]) must agree on it. Each iteration still has an order of its own.
    ///
    /// # Errors
    /// If the dataset cannot be iterated.
    pub fn with_agreed_seeds(&self) -> Result<Dataset> {
        let plan = feedline_exec::with_agreed_seeds(self.plan()?)?;
        Ok(Dataset::of(Ok(plan), self.options.clone()))
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

    /// Lets the `map` just before it compute at most so many elements at a time, or the `interleave` ask so many datasets;
    /// unless told otherwise, as many as serve.
    #[track_caller]
    #[must_use]
    pub fn num_parallel_calls(&self, calls: impl Into<Option<usize>>) -> Dataset {
        let calls = calls.into();
        self.step(|plan| plan.with_parallel_calls(calls))
    }

    /// Everything `count` times; `None` without end.
    #[track_caller]
    #[must_use]
    pub fn repeat(&self, count: impl Into<Count>) -> Dataset {
        self.step(|plan| match count.into() {
            Count::Number(count) => Ok(plan.repeat(Some(count))),
            Count::All => Ok(plan.repeat(None)),
            Count::Of(count) => plan.counted_by(CountedStep::Repeat, &count),
        })
    }

    /// The first `count` elements; `None`: all. An error counts as the element whose place it takes.
    #[track_caller]
    #[must_use]
    pub fn take(&self, count: impl Into<Count>) -> Dataset {
        self.step(|plan| match count.into() {
            Count::Number(count) => Ok(plan.take(Some(count))),
            Count::All => Ok(plan.take(None)),
            Count::Of(count) => plan.counted_by(CountedStep::Take, &count),
        })
    }

    /// All but the first `count` elements; `None`: nothing. What is skipped is not computed where it need not be.
    #[track_caller]
    #[must_use]
    pub fn skip(&self, count: impl Into<Count>) -> Dataset {
        self.step(|plan| match count.into() {
            Count::Number(count) => Ok(plan.skip(Some(count))),
            Count::All => Ok(plan.skip(None)),
            Count::Of(count) => plan.counted_by(CountedStep::Skip, &count),
        })
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
    ///
    /// Left out is the element that failed, also one that is larger than the memory budget. An error behind which other elements are missing, as
    /// that of a shuffle which finds no memory, is told all the same.
    #[track_caller]
    #[must_use]
    pub fn ignore_errors(&self) -> Dataset {
        self.step(|plan| Ok(plan.ignore_errors()))
    }

    /// Keeps the elements in memory the first time they have all been iterated, and gives them from there ever after:
    /// later epochs, and later iterators of this dataset and of those made from it, do not touch what comes before.
    ///
    /// Random values and shuffles before it are thereby the same in every epoch, those behind it are not. Elements that have
    /// not all come, or errors among them, keep nothing; the next pass begins anew. What is kept counts to
    /// the memory budget. Where the plan tells that it does not fit, that is an error before anything runs; found out on the
    /// way, it is told once ([`Options::on_notice`]) and every pass computes the elements, which are the same.
    #[track_caller]
    #[must_use]
    pub fn cache(&self) -> Dataset {
        self.step(|plan| Ok(plan.cache()))
    }

    /// As [`Dataset::cache`], in files: `path` is a folder, made if it is not there (tf.data's `cache(filename)`). What is
    /// in it outlives the process. Half a cache, of a run that was killed, is used as far as it goes and completed by the
    /// next run.
    ///
    /// A folder made by another pipeline is refused. If a source before it reads files, and one of those changes (its size, or its contents at
    /// the beginning, the middle or the end; of more than 1,024 files, of a choice of these), that is told ([`Options::on_notice`]) and all is
    /// computed anew; what functions read (`read_file`) is not looked at. One iterator at a time writes; others read what is there and compute the rest.
    /// Files that are damaged, or cannot be written, are told once and cost no element: what they lack is computed, and damaged ones are
    /// written anew.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("squares");
    /// let squares = Dataset::range(1000).map(|x| x.clone() * x).cache_to(&path);
    /// assert_eq!(squares.iterator()?.count(), 1000); // computed, and written
    /// assert_eq!(squares.iterator()?.count(), 1000); // read
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn cache_to(&self, path: impl Into<PathBuf>) -> Dataset {
        let path = path.into();
        self.step(|plan| plan.cache_to(path))
    }

    /// As [`Dataset::cache_to`], in a folder of its own inside `path` for each pipeline: a dataset whose steps, functions, tensors and files differ
    /// does not find another's elements, and both can be there. What a complete one holds is read without touching what comes before it. Files
    /// that become a good deal smaller by it are compressed ([`Dataset::compression`]).
    #[track_caller]
    #[must_use]
    pub fn snapshot(&self, path: impl Into<PathBuf>) -> Dataset {
        let path = path.into();
        if path.as_os_str().is_empty() {
            let error = PlanError::argument("snapshot: the path is empty").with_hint("name a folder");
            return self.step(|_| Err(error));
        }
        self.step(|plan| {
            let folder = path.join(format!("{:016x}", plan.fingerprint()));
            plan.cache_to(folder)?.with_compression(CacheCompression::Auto)
        })
    }

    /// Whether the files of the `cache_to` or `snapshot` just before it are compressed. Those of a cache are not, those of a snapshot are where they
    /// become a good deal smaller. Files that are there are read either way.
    ///
    /// ```
    /// use feedline::Dataset;
    /// use feedline::plan::CacheCompression;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("zeros");
    /// let zeros = Dataset::range(100_000).map(|x| x * 0);
    /// assert_eq!(zeros.cache_to(&path).compression(CacheCompression::Always).iterator()?.count(), 100_000);
    /// let sizes = std::fs::read_dir(&path).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
    /// assert!(sizes.sum::<u64>() < 100_000);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn compression(&self, compression: CacheCompression) -> Dataset {
        self.step(|plan| plan.with_compression(compression))
    }

    /// The elements, with the errors among them left out or replaced: counted, up to a limit, and kept in a file if wanted. As with
    /// [`Dataset::ignore_errors`], these are the errors of elements; one behind which other elements are missing is told.
    ///
    /// ```
    /// use feedline::data::block::Tensor;
    /// use feedline::{Dataset, ErrorPolicy, ops};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// // 6 / 0 is an error; -1 comes in its place, but not more than ten times.
    /// let quotients = Dataset::range(4).map(|x| ops::floordiv(6, x));
    /// let policy = ErrorPolicy::replace(Tensor::scalar(-1_i64)).limit(10);
    /// let numbers: Vec<i64> =
    ///     quotients.on_error(policy).iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
    /// assert_eq!(numbers, [-1, 6, 3, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn on_error(&self, policy: ErrorPolicy) -> Dataset {
        self.step(|plan| plan.on_error(policy))
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

    /// Runs with these options. They change how fast, never what; [`Options::deterministic`] gives up the order.
    #[must_use]
    pub fn with_options(&self, options: Options) -> Dataset {
        Dataset { options, ..self.clone() }
    }

    /// The same, whose iterators tell what is no error (a cache without room, what [`ErrorPolicy::telling`] says) to `tell`: for front ends in other
    /// languages. It is called on any thread.
    #[must_use]
    pub fn on_notice(&self, tell: impl Fn(&str) + Send + Sync + 'static) -> Dataset {
        Dataset { options: self.options.clone().on_notice(tell), ..self.clone() }
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

    fn plan_to_run(&self) -> Result<&Plan> {
        let plan = self.plan()?;
        plan.check_closed()?;
        Ok(plan)
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
        Ok(Explanation::new(&self.options.decided(self.plan()?), self.options.as_optimizer())?)
    }

    /// A number that differs for datasets that differ, and is the same in another process: of steps, functions, values and names of files,
    /// and of options whether order is given up.
    ///
    /// ```
    /// use feedline::{Dataset, Options};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let numbers = Dataset::range(10).map(|x| x * 2);
    /// assert_eq!(numbers.fingerprint()?, Dataset::range(10).map(|x| x * 2).fingerprint()?);
    /// assert_ne!(numbers.fingerprint()?, numbers.with_options(Options::new().deterministic(false)).fingerprint()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fingerprint(&self) -> Result<u64> {
        Ok(self.options.decided(self.plan()?).fingerprint())
    }

    /// It as text that a person can read: all steps and functions, values, seeds, names of files; no code, and of options only whether
    /// order is given up, which is then said of each step.
    /// [`Dataset::from_text`] reads it back, also in another process; a state saved with one goes on with the other.
    ///
    /// ```
    /// use feedline::{Dataset, Functions};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let dataset = Dataset::range(10).map(|x| x * 2).shuffle(4).batch(3);
    /// let again = Dataset::from_text(&dataset.to_text()?, &Functions::new())?;
    /// assert_eq!(again.element_spec()?, dataset.element_spec()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_text(&self) -> Result<String> {
        Ok(self.options.decided(self.plan_to_run()?).to_text()?)
    }

    /// The dataset whose text this is. Reading runs no code: functions of [`Dataset::map_native`] are known by name, and
    /// `functions` has them.
    ///
    /// # Errors
    /// If it is no such text, of another version, or a step in it cannot be; with the step, and what is wrong.
    #[track_caller]
    pub fn from_text(text: &str, functions: &Functions) -> Result<Dataset> {
        Ok(Dataset::of(Ok(Plan::from_text(text, functions)?), Options::new()))
    }

    /// Its elements. Each iterator is an iteration of its own: shuffles that reshuffle give each another order.
    ///
    /// An element of the iterator may be kept, and sent elsewhere. Where each is looked at once, [`Elements::next_ref`] makes nothing for it; of records of
    /// 200 bytes that is twice as fast.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use feedline::Dataset;
    /// use feedline::data::block::Tensor;
    ///
    /// let records = Tensor::from_strings(vec![3], ["one", "two", "three"].iter().collect());
    /// let mut records = Dataset::from_tensor_slices(records).iterator()?;
    /// let mut num_bytes = 0;
    /// while let Some(record) = records.next_ref() {
    ///     num_bytes += record?.leaf(0).bytes().len();
    /// }
    /// assert_eq!(num_bytes, 11);
    /// # Ok(())
    /// # }
    /// ```
    pub fn iterator(&self) -> Result<Elements> {
        let plan = self.plan_to_run()?;
        Ok(Elements::start(plan, &self.options, self.iterations.fetch_add(1, Ordering::Relaxed))?)
    }

    /// Its elements as iteration number `iteration` gives them, whatever was iterated before.
    pub fn iterator_of(&self, iteration: u64) -> Result<Elements> {
        Ok(Elements::start(self.plan_to_run()?, &self.options, iteration)?)
    }

    /// The rest of its elements, from where `state` was saved.
    pub fn resume(&self, state: &State) -> Result<Elements> {
        let elements = Elements::resume(self.plan_to_run()?, &self.options, state)?;
        // What is iterated next is the epoch behind the one that goes on here.
        self.iterations.store(state.iteration().saturating_add(1), Ordering::Relaxed);
        Ok(elements)
    }

    /// The dataset of a plan, or of a mistake in one, which the step that is being built reports: for front ends in other
    /// languages, whose functions may fail while they are traced.
    #[track_caller]
    pub fn of_plan(plan: std::result::Result<Plan, PlanError>) -> Dataset {
        Dataset::of(plan, Options::new())
    }

    #[track_caller]
    fn of(plan: std::result::Result<Plan, PlanError>, options: Options) -> Dataset {
        let location = Location::caller();
        let plan = plan.and_then(Plan::within_depth).map_err(|error| error.at(location));
        Dataset { plan, options, iterations: Arc::default() }
    }

    #[track_caller]
    fn step(&self, step: impl FnOnce(&Plan) -> std::result::Result<Plan, PlanError>) -> Dataset {
        Dataset::of(self.plan.as_ref().map_err(Clone::clone).and_then(step), self.options.clone())
    }
}

/// For `prefetch` and `num_parallel_calls`: as much as serves. It is what they do where nothing is said.
pub const AUTOTUNE: Option<usize> = None;
