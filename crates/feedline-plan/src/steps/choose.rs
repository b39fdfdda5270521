//! Elements of several datasets, each from the one that is chosen: by a dataset of choices, by chance, or by exact shares.

use feedline_data::{DType, Shape, Structure, TensorSpec};

use super::random::numbers;
use crate::{Cardinality, NodeKind, Plan, PlanError, Result, SeedPair};

impl Plan {
    /// For each number of `choices` the next element of the dataset of that number. With `stop_on_empty_dataset` it ends when one that is
    /// chosen has no more; else that choice is passed over, and it ends when none has more.
    pub fn choose_from(datasets: &[Plan], choices: &Plan, stop_on_empty_dataset: bool) -> Result<Plan> {
        let step = "choose_from_datasets";
        let Some((first, others)) = datasets.split_first() else {
            return Err(PlanError::argument(format!("{step}: datasets must not be empty")));
        };
        let is_choice = matches!(choices.spec(), Structure::Leaf(spec)
            if spec.dtype == DType::Int64 && spec.shape.is_compatible_with(&Shape::scalar()));
        if !is_choice {
            return Err(PlanError::spec(format!(
                "{step}: elements of choice_dataset must be one int64, not {}",
                choices.spec()
            )));
        }
        let mut spec = first.spec().clone();
        for (number, other) in others.iter().enumerate() {
            let differ = |how: String| {
                PlanError::spec(format!(
                    "{step}: the elements of datasets 0 and {} differ: {how}",
                    number + 1
                ))
            };
            if let Some(difference) = spec.first_difference(other.spec()) {
                return Err(differ(difference));
            }
            let names = spec.leaf_names();
            let mut joined = Vec::new();
            for ((one, two), name) in spec.leaves().into_iter().zip(other.spec().leaves()).zip(&names) {
                if one.dtype != two.dtype {
                    return Err(differ(format!("the tensor{name} is {} and {}", one.dtype, two.dtype))
                        .with_hint("cast one of them first"));
                }
                joined.push(TensorSpec::new(one.dtype, one.shape.union(&two.shape)));
            }
            spec = spec.with_leaves(joined);
        }
        let is_infinite = |plan: &Plan| plan.cardinality() == Cardinality::Infinite;
        let are_infinite = if stop_on_empty_dataset {
            datasets.iter().all(is_infinite)
        } else {
            datasets.iter().any(is_infinite)
        };
        let cardinality =
            if are_infinite && is_infinite(choices) { Cardinality::Infinite } else { Cardinality::Unknown };
        let inputs: Vec<Plan> = std::iter::once(choices).chain(datasets).cloned().collect();
        Ok(Plan::join(NodeKind::Choose { stop_on_empty_dataset }, &inputs, spec, cardinality))
    }

    /// Numbers from 0 to before the number of `weights`, drawn at random as often as these say, without end.
    pub fn random_choice(
        weights: Vec<f64>,
        seeds: SeedPair,
        rerandomize_each_iteration: bool,
    ) -> Result<Plan> {
        let wrong = weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0));
        if let Some(weight) = wrong {
            return Err(PlanError::argument(format!("weights must be numbers from 0, not {weight}")));
        }
        if weights.iter().sum::<f64>() <= 0.0 {
            return Err(PlanError::argument("weights must not all be 0"));
        }
        let num_datasets = weights.len();
        let kind = NodeKind::RandomChoice { weights, num_datasets, seeds, rerandomize_each_iteration };
        Ok(Plan::source(kind, numbers(), Cardinality::Infinite))
    }

    /// For each element of this dataset, which is weights of `count` datasets, one of their numbers, drawn at random.
    pub fn random_choice_by(
        &self,
        seeds: SeedPair,
        rerandomize_each_iteration: bool,
        count: usize,
    ) -> Result<Plan> {
        self.check_weights(count)?;
        let kind = NodeKind::RandomChoice {
            weights: Vec::new(),
            num_datasets: count,
            seeds,
            rerandomize_each_iteration,
        };
        Ok(self.step(kind, numbers(), self.cardinality()))
    }

    /// For each element of this dataset, which is weights of `count` datasets, one of their numbers, so that at every step each has come as
    /// often as its weights so far say, to within one. The weights of coming steps are read ahead for that, 4096 of them where they are needed.
    pub fn exact_choice(&self, count: usize) -> Result<Plan> {
        self.check_weights(count)?;
        Ok(self.step(NodeKind::ExactChoice { num_datasets: count }, numbers(), self.cardinality()))
    }

    fn check_weights(&self, count: usize) -> Result<()> {
        let expected = Shape::new(vec![Some(count)]);
        match self.spec() {
            Structure::Leaf(spec)
                if matches!(spec.dtype, DType::Float32 | DType::Float64)
                    && spec.shape.is_compatible_with(&expected) =>
            {
                Ok(())
            }
            other => Err(PlanError::spec(format!(
                "weights must be float32 or float64 of shape {expected}, one for each dataset, not {other}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    const SEEDS: SeedPair = SeedPair { seed: 1, seed2: 2, is_given: true };

    fn range(count: i64) -> Plan {
        Plan::range(0, count, 1).expect("valid")
    }

    #[test]
    fn it_is_infinite_only_if_it_must_be() {
        let (ten, endless) = (range(10), range(10).repeat(None));
        let choices = range(2).repeat(None);
        let of = |datasets: &[&Plan], choices: &Plan, stops| {
            let datasets: Vec<Plan> = datasets.iter().map(|&plan| plan.clone()).collect();
            Plan::choose_from(&datasets, choices, stops).expect("valid").cardinality().as_tf()
        };
        assert_eq!(of(&[&endless, &endless], &choices, true), -1);
        assert_eq!(of(&[&endless, &ten], &choices, true), -2);
        assert_eq!(of(&[&endless, &ten], &choices, false), -1);
        assert_eq!(of(&[&endless, &endless], &ten, true), -2);
    }

    #[test]
    fn mistakes_are_named() {
        let ten = range(10);
        let floats = ten.map(|x| ops::cast(x, DType::Float32), None).expect("valid");
        let pairs = ten.enumerate(0);
        let two = |other: &Plan| Plan::choose_from(&[ten.clone(), other.clone()], &ten, true);
        let cases = [
            (Plan::choose_from(&[], &ten, true), "datasets must not be empty"),
            (
                Plan::choose_from(std::slice::from_ref(&ten), &floats, true),
                "choice_dataset must be one int64, not float32[]",
            ),
            (two(&floats), "datasets 0 and 1 differ: the tensor is int64 and float32"),
            (two(&pairs), "datasets 0 and 1 differ: a tensor here and a tuple of 2 there"),
            (Plan::random_choice(vec![0.0, -1.0], SEEDS, false), "weights must be numbers from 0, not -1"),
            (Plan::random_choice(vec![f64::NAN], SEEDS, false), "weights must be numbers from 0, not NaN"),
            (Plan::random_choice(vec![0.0, 0.0], SEEDS, false), "weights must not all be 0"),
            (
                ten.exact_choice(2),
                "weights must be float32 or float64 of shape [2], one for each dataset, not int64[]",
            ),
        ];
        for (plan, expected) in cases {
            let error = plan.expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
