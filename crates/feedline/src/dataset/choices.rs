//! Elements of several datasets, one at a time from the one that is chosen.

use feedline_data::block::Tensor;
use feedline_exec::Options;
use feedline_plan::{Plan, PlanError};

use super::Dataset;
use crate::seeds;

/// How [`Dataset::sample_from_datasets`] chooses.
///
/// ```
/// use feedline::{Dataset, Sampling};
///
/// # fn main() -> feedline::Result<()> {
/// let (easy, hard) = (Dataset::range(100), Dataset::range_step(100, 200, 1));
/// // At random, and exactly three of every four:
/// let drawn = Dataset::sample_from_datasets(&[easy.clone(), hard.clone()], Sampling::by(&[0.75, 0.25]).seed(1));
/// let exact = Dataset::sample_from_datasets(&[easy, hard], Sampling::by(&[0.75, 0.25]).exact());
/// let numbers: Vec<i64> = exact.take(8).iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
/// assert_eq!(numbers, [0, 1, 100, 2, 3, 4, 101, 5]);
/// # assert_eq!(drawn.iterator()?.count(), 200);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Sampling {
    weights: Weights,
    is_exact: bool,
    seed: Option<i64>,
    stop_on_empty_dataset: bool,
    rerandomize_each_iteration: bool,
}

#[derive(Clone, Debug)]
enum Weights {
    Equal,
    Fixed(Vec<f64>),
    Varying(Box<Dataset>),
}

impl Sampling {
    /// All equally often.
    pub fn uniform() -> Sampling {
        Sampling {
            weights: Weights::Equal,
            is_exact: false,
            seed: None,
            stop_on_empty_dataset: false,
            rerandomize_each_iteration: false,
        }
    }

    /// As often as `weights` say, one for each dataset, beside each other. A dataset that weighs 0 is left out.
    pub fn by(weights: &[f64]) -> Sampling {
        Sampling { weights: Weights::Fixed(weights.to_vec()), ..Sampling::uniform() }
    }

    /// As often as the elements of `weights` say, each for one choice: float32 or float64, one for each dataset. They may change with the
    /// step: `Dataset::counter(0, 1).map(|step| …)`. It ends with these.
    pub fn by_dataset(weights: &Dataset) -> Sampling {
        Sampling { weights: Weights::Varying(Box::new(weights.clone())), ..Sampling::uniform() }
    }

    /// Not by chance: always the dataset that is furthest behind. So at any time each has come as often as its weights so far say, to within
    /// one; one whose weight became 0 may come once more, for the part of an element it was behind.
    #[must_use]
    pub fn exact(self) -> Sampling {
        Sampling { is_exact: true, ..self }
    }

    /// What chance follows from: the choices are then tf.data's for `seed=seed`.
    #[must_use]
    pub fn seed(self, seed: i64) -> Sampling {
        Sampling { seed: Some(seed), ..self }
    }

    /// Whether it ends with the first dataset that has no element when it is chosen; else it goes on with the others.
    #[must_use]
    pub fn stop_on_empty_dataset(self, stops: bool) -> Sampling {
        Sampling { stop_on_empty_dataset: stops, ..self }
    }

    /// Whether each iteration has choices of its own; it has not, unless told otherwise.
    #[must_use]
    pub fn rerandomize_each_iteration(self, anew: bool) -> Sampling {
        Sampling { rerandomize_each_iteration: anew, ..self }
    }

    fn plan(self, datasets: &[Plan]) -> std::result::Result<Plan, PlanError> {
        let count = datasets.len();
        let mut datasets = datasets.to_vec();
        let weights = match &self.weights {
            Weights::Varying(weights) => {
                let weights = weights.plan.as_ref().map_err(Clone::clone)?;
                let choices = if self.is_exact {
                    weights.exact_choice(count)?
                } else {
                    weights.random_choice_by(self.seeds(), self.rerandomize_each_iteration, count)?
                };
                return Plan::choose_from(&datasets, &choices, self.stop_on_empty_dataset);
            }
            Weights::Equal => vec![1.0; count],
            Weights::Fixed(weights) if weights.len() != count => {
                return Err(PlanError::argument(format!(
                    "weights must be one for each dataset: {} for {count}",
                    weights.len()
                )));
            }
            Weights::Fixed(weights) => {
                if let Some(weight) = weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
                    return Err(PlanError::argument(format!("weights must be numbers from 0, not {weight}")));
                }
                check_shares(weights)?;
                // What weighs nothing is never chosen, and not waited for.
                let mut kept = weights.iter().map(|&weight| weight > 0.0);
                datasets.retain(|_| kept.next().unwrap_or(true));
                weights.iter().copied().filter(|&weight| weight > 0.0).collect()
            }
        };
        match &datasets[..] {
            [] => Err(PlanError::argument("weights must not all be 0")),
            [only] => Ok(only.clone()),
            _ => {
                let choices = if self.is_exact {
                    let weights = Tensor::from_vec(vec![weights.len()], weights);
                    let weights = Plan::from_tensors(&weights.into())?.repeat(None);
                    weights.exact_choice(datasets.len())?
                } else {
                    Plan::random_choice(weights, self.seeds(), self.rerandomize_each_iteration)?
                };
                Plan::choose_from(&datasets, &choices, self.stop_on_empty_dataset)
            }
        }
    }

    fn seeds(&self) -> feedline_plan::SeedPair {
        self.seed.map_or_else(seeds::drawn, |seed| seeds::given(seed, None))
    }
}

/// The smallest share of all weights that is ever drawn: the distance of two random numbers.
const LEAST_SHARE: f64 = f64::EPSILON;

/// Refuses a weight that is more than nothing, and so little beside the others that its dataset is never chosen: what waits for it, when the others
/// have ended, would wait for ever.
fn check_shares(weights: &[f64]) -> std::result::Result<(), PlanError> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    // Beside the largest: the sum of all may be more than any number.
    let total: f64 = weights.iter().map(|weight| weight / largest).sum();
    let rare = weights.iter().position(|&weight| weight > 0.0 && weight / largest < LEAST_SHARE * total);
    rare.map_or(Ok(()), |index| {
        Err(PlanError::argument(format!(
            "weights[{index}] is {:e}, so little beside {largest:e} that dataset {index} never comes",
            weights[index]
        ))
        .with_hint("0 leaves a dataset out"))
    })
}

impl Dataset {
    /// For each number of `choices`, an int64, the next element of the dataset of that number. It ends when one that is chosen has no more,
    /// or, if `stop_on_empty_dataset` is false, when none has: choices of one that has no more are passed over.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let datasets = [Dataset::range(3), Dataset::range_step(10, 13, 1)];
    /// let turns = Dataset::choose_from_datasets(&datasets, &Dataset::range(2).repeat(None), true);
    /// let numbers: Vec<i64> = turns.iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
    /// assert_eq!(numbers, [0, 10, 1, 11, 2, 12]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn choose_from_datasets(
        datasets: &[Dataset],
        choices: &Dataset,
        stop_on_empty_dataset: bool,
    ) -> Dataset {
        let choices = choices.plan.clone();
        Dataset::chosen(datasets, |plans| Plan::choose_from(plans, &choices?, stop_on_empty_dataset))
    }

    /// Elements of `datasets`, each from one that is chosen at random, or by exact shares: as `sampling` says.
    #[track_caller]
    #[must_use]
    pub fn sample_from_datasets(datasets: &[Dataset], sampling: Sampling) -> Dataset {
        Dataset::chosen(datasets, |plans| {
            if plans.is_empty() {
                return Err(PlanError::argument("sample_from_datasets: datasets must not be empty"));
            }
            sampling.plan(plans).map_err(|error| error.in_step("sample_from_datasets"))
        })
    }

    #[track_caller]
    fn chosen(
        datasets: &[Dataset],
        build: impl FnOnce(&[Plan]) -> std::result::Result<Plan, PlanError>,
    ) -> Dataset {
        let options = datasets.first().map_or_else(Options::new, |first| first.options.clone());
        let plans =
            datasets.iter().map(|dataset| dataset.plan.clone()).collect::<std::result::Result<Vec<_>, _>>();
        Dataset::of(plans.and_then(|plans| build(&plans)), options)
    }
}
