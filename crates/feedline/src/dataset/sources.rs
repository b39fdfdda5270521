//! Where elements come from.

use std::ffi::OsStr;
use std::sync::Arc;

use feedline_data::block::{Strings, Tensor};
use feedline_data::{ElementSpec, Structure};
use feedline_exec::Options;
use feedline_io::ListingWatch;
use feedline_plan::{NativeElements, NativeSource, Plan, Symbolic};

use super::Dataset;
use crate::{Result, seeds};

impl Dataset {
    /// The numbers from 0 to before `stop`, as int64.
    #[track_caller]
    pub fn range(stop: impl Into<Symbolic>) -> Dataset {
        Dataset::range_step(0, stop, 1)
    }

    /// The numbers from `start` to before `stop` by `step`, as int64. Inside [`Dataset::flat_map`] they may come of the
    /// element.
    #[track_caller]
    pub fn range_step(
        start: impl Into<Symbolic>,
        stop: impl Into<Symbolic>,
        step: impl Into<Symbolic>,
    ) -> Dataset {
        let (start, stop, step) = (start.into(), stop.into(), step.into());
        let plan = match (start.as_integer(), stop.as_integer(), step.as_integer()) {
            (Some(start), Some(stop), Some(step)) => Plan::range(start, stop, step),
            _ => Plan::range_of(&start, &stop, &step),
        };
        Dataset::of(plan, Options::new())
    }

    /// The numbers from `start` by `step`, as int64, without end.
    #[track_caller]
    pub fn counter(start: i64, step: i64) -> Dataset {
        Dataset::of(Ok(Plan::counter(start, step)), Options::new())
    }

    /// Random numbers from 0 to before 2³², as int64, without end: the same in each iteration, unless
    /// [`Dataset::rerandomize_each_iteration`] says otherwise. [`Dataset::seed`] makes them repeatable.
    #[track_caller]
    pub fn random() -> Dataset {
        Dataset::of(Ok(Plan::random(seeds::drawn(), false)), Options::new())
    }

    /// Whether each iteration of the `random` just before it has numbers of its own.
    #[track_caller]
    #[must_use]
    pub fn rerandomize_each_iteration(&self, anew: bool) -> Dataset {
        self.step(|plan| plan.with_rerandomize(anew))
    }

    /// The slices of `tensors` along their first dimension. Inside [`Dataset::flat_map`] they may come of the element.
    #[track_caller]
    pub fn from_tensor_slices(tensors: impl Into<Symbolic>) -> Dataset {
        let tensors = tensors.into();
        let plan = match tensors.as_constants() {
            Some(constants) => Plan::from_tensor_slices(&constants),
            None => Plan::tensors_of(&tensors, true),
        };
        Dataset::of(plan, Options::new())
    }

    /// `tensors` as the one element there is. Inside [`Dataset::flat_map`] they may come of the element.
    #[track_caller]
    pub fn from_tensors(tensors: impl Into<Symbolic>) -> Dataset {
        let tensors = tensors.into();
        let plan = match tensors.as_constants() {
            Some(constants) => Plan::from_tensors(&constants),
            None => Plan::tensors_of(&tensors, false),
        };
        Dataset::of(plan, Options::new())
    }

    /// The paths of the files that match `patterns`, as strings, in an order drawn at random for each iteration;
    /// [`Dataset::seed`] makes it repeatable, [`Dataset::list_files_sorted`] keeps them sorted.
    ///
    /// # Errors
    /// If a pattern matches no file.
    #[track_caller]
    pub fn list_files<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Dataset> {
        Dataset::list_files_watched(patterns, true, &ListingWatch::default())
    }

    /// The paths of the files that match `patterns`, as strings, sorted.
    ///
    /// # Errors
    /// If a pattern matches no file.
    #[track_caller]
    pub fn list_files_sorted<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Dataset> {
        Dataset::list_files_watched(patterns, false, &ListingWatch::default())
    }

    /// As [`Dataset::list_files`], or, unless `is_shuffled`, [`Dataset::list_files_sorted`]; another thread sees how many files were found by
    /// `watch`, and may stop it.
    ///
    /// # Errors
    /// If a pattern matches no file, or it was stopped.
    #[track_caller]
    pub fn list_files_watched<P: AsRef<OsStr>>(
        patterns: &[P],
        is_shuffled: bool,
        watch: &ListingWatch,
    ) -> Result<Dataset> {
        let files = feedline_io::list_files_watched(patterns, watch)?;
        let paths: Strings = files.iter().map(|file| file.location.as_os_str().as_encoded_bytes()).collect();
        let sorted = Dataset::from_tensor_slices(Tensor::from_strings(vec![paths.len()], paths));
        Ok(if is_shuffled { sorted.shuffle(files.len().max(1)) } else { sorted })
    }

    /// The elements that iterators of `iterate` give, each of spec `spec`; an error takes the place of an element. It is called
    /// anew for each iteration, and must give the same elements each time: to go on where a state was saved, those before are
    /// asked for again. `name` is how errors and checkpoints call it. The code runs on a thread of its own, and may wait.
    /// Code that hangs keeps its thread for as long as the process lives, also when its iterator is dropped: nobody can end it. Where
    /// 1,024 hang, the code of others is not begun any more; reading goes on.
    ///
    /// ```
    /// use feedline::Dataset;
    /// use feedline::data::block::Tensor;
    /// use feedline::data::{DType, ElementSpec, TensorSpec};
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    /// let squares = Dataset::from_iter("squares", spec, || (0..5_i64).map(|n| Ok(Tensor::scalar(n * n).into())));
    /// assert_eq!(squares.batch(5).iterator()?.next().unwrap()?.leaves()[0].as_slice::<i64>(), [0, 1, 4, 9, 16]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn from_iter<F, I>(name: &str, spec: ElementSpec, iterate: F) -> Dataset
    where
        F: Fn() -> I + Send + Sync + 'static,
        I: Iterator<Item = std::result::Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>>
            + Send
            + 'static,
    {
        let iterate = Arc::new(move || Box::new(iterate()) as NativeElements);
        let source = NativeSource { name: name.to_owned(), spec, iterate };
        Dataset::of(Ok(Plan::from_native(source)), Options::new())
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
}
