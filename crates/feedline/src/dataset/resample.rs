//! Elements in other shares than they come in.

use feedline_data::block::Tensor;
use feedline_data::{DType, Shape, Structure, TensorSpec};
use feedline_plan::{PlanError, Symbolic, ops};

use super::Dataset;
use crate::{Sampling, drawn_seed};

/// As many elements of each class are taken to have been there before any were: the estimate of rare classes then moves slowly.
const SMOOTHING: f32 = 10.0;

impl Dataset {
    /// Pairs of a class, which `class` gives as a number from 0, and an element of it, with classes as often as `target` says: by leaving out
    /// some elements at random. `initial` is how often they come; without it that is estimated on the way.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let even = Dataset::range(10_000).map(|x| x % 10).rejection_resample(
    ///     |x| ops_min(x),
    ///     &[0.5, 0.5],
    ///     Some(&[0.9, 0.1]),
    ///     Some(1),
    /// );
    /// # use feedline::{Symbolic, ops};
    /// # fn ops_min(x: Symbolic) -> Symbolic { ops::cast(x.eq(9), feedline::data::DType::Int64) }
    /// let classes: Vec<i64> = even.iterator()?.map(|pair| pair.unwrap().leaves()[0].as_slice()[0]).collect();
    /// let share = classes.iter().sum::<i64>() as f64 / classes.len() as f64;
    /// assert!((share - 0.5).abs() < 0.05, "{share}");
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn rejection_resample<R: Into<Symbolic>>(
        &self,
        class: impl FnOnce(Symbolic) -> R,
        target: &[f32],
        initial: Option<&[f32]>,
        seed: Option<i64>,
    ) -> Dataset {
        if let Err(error) = check(target, initial) {
            return self.step(|_| Err(error));
        }
        let count = target.len();
        let vector = |values: &[f32]| Symbolic::from(Tensor::from_vec(vec![count], values.to_vec()));
        let seed = seed.unwrap_or_else(drawn_seed);
        let classed = self.map(|x| Symbolic::tuple([checked_class(class(x.clone()).into()), x]));
        let place = |pair: &Symbolic| ops::cast(pair.at(0), DType::Int64);
        // With each element: how likely one of its class is kept, and how often no class need be left out at all.
        let judged = match initial {
            Some(initial) => {
                let (keep, whole) = shares(&vector(target), &vector(initial));
                classed.map(|pair| Symbolic::tuple([ops::gather(keep, place(&pair), 0), whole, pair]))
            }
            None => classed.scan(vector(&vec![SMOOTHING; count]), |seen, pair| {
                let own = ops::one_hot(place(&pair), count as i64, 1.0, 0.0, -1, DType::Float32);
                let seen = seen + own;
                let initial = &seen / ops::reduce_sum(&seen, None::<i64>, false);
                let (keep, whole) = shares(&vector(target), &initial);
                (seen, Symbolic::tuple([ops::gather(keep, place(&pair), 0), whole, pair]))
            }),
        };
        let kept = judged.filter(|x| ops::random_uniform(Shape::scalar(), seed).lt(x.at(0))).map(|x| x.at(2));
        let weights = judged.map(|x| ops::stack([x.at(1), -x.at(1) + 1.0], 0));
        let sampling = Sampling::by_dataset(&weights).seed(seed).stop_on_empty_dataset(true);
        Dataset::sample_from_datasets(&[classed, kept], sampling)
    }
}

/// The class of an element, which is one integer.
fn checked_class(class: Symbolic) -> Symbolic {
    let Ok(found) = class.to_structure() else { return class };
    let found = found.map(|expr| expr.spec().clone());
    let is_class =
        |spec: &TensorSpec| spec.dtype.is_integer() && spec.shape.rank().is_none_or(|rank| rank == 0);
    if matches!(&found, Structure::Leaf(spec) if is_class(spec)) {
        return class;
    }
    let error =
        PlanError::spec(format!("rejection_resample: class_func gives one integer, the class, not {found}"));
    Symbolic::of_error(error.with_hint("cast(x, int64) makes one of a number"))
}

/// How likely an element of each class is kept, and which part of all can be taken as they come: TensorFlow's rule.
fn shares(target: &Symbolic, initial: &Symbolic) -> (Symbolic, Symbolic) {
    let ratios = target / (initial + f64::from(f32::MIN_POSITIVE));
    let least = ops::clip_by_value(ops::reduce_min(&ratios, None::<i64>, false), 0.0, 1.0);
    let most = ops::reduce_max(&ratios, None::<i64>, false);
    ((ratios - least.clone()) / (most - least.clone()), least)
}

fn check(target: &[f32], initial: Option<&[f32]>) -> std::result::Result<(), PlanError> {
    let is_wrong = |shares: &[f32]| {
        shares.iter().any(|share| !(share.is_finite() && *share >= 0.0)) || shares.iter().sum::<f32>() <= 0.0
    };
    for (name, shares) in [("target_dist", Some(target)), ("initial_dist", initial)] {
        if let Some(shares) = shares.filter(|shares| is_wrong(shares)) {
            return Err(PlanError::argument(format!(
                "rejection_resample: {name} must be numbers from 0, not all 0, not {shares:?}"
            )));
        }
    }
    match initial {
        Some(initial) if initial.len() != target.len() => Err(PlanError::argument(format!(
            "rejection_resample: initial_dist has {} classes, target_dist {}",
            initial.len(),
            target.len()
        ))),
        _ => Ok(()),
    }
}
