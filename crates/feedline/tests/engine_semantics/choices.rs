//! Elements of several datasets: `choose_from_datasets` and `sample_from_datasets`. The choices are recorded from TensorFlow 2.21.

use feedline::data::DType;
use feedline::data::block::Tensor;
use feedline::{Dataset, Sampling, ops};

use crate::engine_support::{check, show};
use crate::{Case, gives, refused, run};

pub(crate) const CASES: &[Case] = &[
    ("cardinality_37", || {
        let sampled = Dataset::sample_from_datasets(&constants(2), Sampling::uniform());
        assert_eq!(sampled.cardinality().unwrap(), -1);
    }),
    ("sample_zero_weight_skip", || {
        let datasets = [Dataset::range(1).repeat(None), Dataset::range_step(1, 2, 1)];
        gives(&Dataset::sample_from_datasets(&datasets, Sampling::by(&[0.0, 1.0])), [1]);
    }),
    ("sample_empty_first", || {
        let datasets = [Dataset::range(0), Dataset::range(1).repeat(None)];
        let sampling = Sampling::by(&[1.0, 0.0]).stop_on_empty_dataset(true);
        gives(&Dataset::sample_from_datasets(&datasets, sampling), [0; 0]);
    }),
    ("sample_rerandomize", || {
        let of = |anew: bool| {
            let sampling = Sampling::by(&[0.2, 0.3, 0.5]).seed(42).rerandomize_each_iteration(anew);
            Dataset::sample_from_datasets(&constants(3), sampling)
        };
        let fixed = [2, 2, 2, 2, 1, 2, 1, 0, 0, 2];
        gives(&of(false).take(10).repeat(2), fixed.into_iter().chain(fixed));
        let anew = [[0, 0, 2, 0, 2, 0, 1, 2, 1, 1], [2, 2, 1, 0, 2, 2, 2, 1, 2, 1]];
        gives(&of(true).take(10).repeat(2), anew.into_iter().flatten());
        // An iterator is an iteration, as an epoch is.
        let dataset = of(true);
        for expected in anew {
            let items: Vec<String> = dataset.iterator().unwrap().take(10).map(|item| show(&item)).collect();
            assert_eq!(items, expected.map(|number: i64| number.to_string()));
        }
    }),
    ("sample_errors", || {
        let datasets = constants(2);
        let of = |sampling| Dataset::sample_from_datasets(&datasets, sampling);
        refused(&of(Sampling::by(&[1.0])), "weights must be one for each dataset: 1 for 2");
        refused(&of(Sampling::by(&[1.0, f64::NAN])), "weights must be numbers from 0, not NaN");
        refused(&of(Sampling::by(&[0.0, 0.0])), "weights must not all be 0");
        let whole = Dataset::from_tensors(Tensor::from_vec(vec![2], vec![1_i64, 2]));
        refused(&of(Sampling::by_dataset(&whole)), "weights must be float32 or float64 of shape [2]");
        refused(&Dataset::sample_from_datasets(&[], Sampling::uniform()), "datasets must not be empty");
        let other = [Dataset::range(2), Dataset::range(2).map(|x| ops::cast(x, DType::Float32))];
        let error = "the elements of datasets 0 and 1 differ: the tensor is int64 and float32";
        refused(&Dataset::sample_from_datasets(&other, Sampling::uniform()), error);
    }),
    ("rejection_resample", rejection_resample),
];

#[test]
fn choices() {
    run(CASES);
}

/// Datasets without end of their own number each.
fn constants(count: i64) -> Vec<Dataset> {
    (0..count).map(|number| Dataset::from_tensors(Tensor::scalar(number)).repeat(None)).collect()
}

fn ranges() -> [Dataset; 3] {
    [Dataset::range(4), Dataset::range_step(10, 16, 1), Dataset::range_step(20, 22, 1)]
}

#[test]
fn choices_by_seed_are_tf_datas() {
    let first = |sampling: Sampling| {
        let dataset = Dataset::sample_from_datasets(&constants(3), sampling);
        check(&dataset)[..30].concat()
    };
    assert_eq!(first(Sampling::by(&[0.2, 0.3, 0.5]).seed(1)), "210000222020120211121020021220");
    assert_eq!(first(Sampling::uniform().seed(1)), "200000221020110101121010021220");
    assert_eq!(first(Sampling::uniform().seed(42)), "221212000112100222112120112221");
    let sampled = |stops| {
        let sampling = Sampling::by(&[0.2, 0.5, 0.3]).seed(3).stop_on_empty_dataset(stops);
        Dataset::sample_from_datasets(&ranges(), sampling)
    };
    gives(&sampled(true), [10, 11, 20, 12, 13, 14, 15, 21]);
    gives(&sampled(false), [10, 11, 20, 12, 13, 14, 15, 21, 0, 1, 2, 3]);
    let rows = vec![1.0_f32, 0., 0., 0., 1., 0., 0., 0., 1., 0.5, 0.5, 0., 0.3, 0.3, 0.4];
    let weights = Dataset::from_tensor_slices(Tensor::from_vec(vec![5, 3], rows)).repeat(3);
    let varying = Dataset::sample_from_datasets(&constants(3), Sampling::by_dataset(&weights).seed(3));
    gives(&varying, [0, 1, 2, 0, 2, 0, 1, 2, 0, 0, 0, 1, 2, 1, 2]);
}

#[test]
fn choices_of_a_dataset() {
    let turns = |stops| Dataset::choose_from_datasets(&ranges(), &Dataset::range(3).repeat(None), stops);
    gives(&turns(true), [0, 10, 20, 1, 11, 21, 2, 12]);
    gives(&turns(false), [0, 10, 20, 1, 11, 21, 2, 12, 3, 13, 14, 15]);
    let items = check(&Dataset::choose_from_datasets(&ranges(), &Dataset::range(4), true));
    assert_eq!(items[..3], ["0", "10", "20"]);
    assert_eq!(items[3], "error: choose_from_datasets: 3 was chosen, there are datasets 0 to 2");
    // Errors among the choices, and among what is chosen from, come in their places.
    let choices = Dataset::range(4).map(|x| ops::floordiv(x.clone(), x) - 1);
    let failing = [Dataset::range(3).map(|x| ops::floordiv(6, x))];
    let items = check(&Dataset::choose_from_datasets(&failing, &choices, true));
    assert!(items[0].contains("floordiv") && items[1].contains("floordiv"), "{items:?}");
    assert_eq!(items[2..], ["6", "3"]);
}

/// Beyond tf.data: weights as a function of the step, with exact counts.
#[test]
fn exact_shares_are_kept_at_any_time() {
    let weights = [0.5, 0.3, 0.2];
    let dataset = Dataset::sample_from_datasets(&constants(3), Sampling::by(&weights).exact());
    let items = check(&dataset);
    let mut counts = [0.0_f64; 3];
    for (step, item) in items.iter().enumerate() {
        counts[item.parse::<usize>().unwrap()] += 1.0;
        for (count, weight) in counts.iter().zip(weights) {
            assert!((count - weight * (step + 1) as f64).abs() < 1.0, "{counts:?} after {step}");
        }
    }
    // From all of the first to all of the second, in 40 steps.
    let shares = Dataset::counter(0, 1).map(|step| {
        let part = ops::clip_by_value(ops::cast(step, DType::Float64) / 40.0, 0.0, 1.0);
        ops::stack([-part.clone() + 1.0, part], 0)
    });
    let dataset = Dataset::sample_from_datasets(&constants(2), Sampling::by_dataset(&shares).exact());
    let items = check(&dataset);
    assert!(
        items[..5].iter().all(|item| item == "0") && items[42..].iter().all(|item| item == "1"),
        "{items:?}"
    );
    let second = items[..40].iter().filter(|item| *item == "1").count();
    assert!((19..=20).contains(&second), "{second}");
}

#[test]
fn weights_of_another_number_are_an_error_of_their_row() {
    // Rows of one, two and three weights, of which that is not known beforehand.
    let weights = || Dataset::range(4).map(|n| ops::fill(ops::stack([n], 0), 1.0)).skip(1);
    for sampling in [Sampling::by_dataset(&weights()).exact(), Sampling::by_dataset(&weights()).seed(1)] {
        let items = check(&Dataset::sample_from_datasets(&constants(2), sampling));
        assert!(items[0].contains("1 weights for 2 datasets"), "{items:?}");
        assert!(["0", "1"].contains(&items[1].as_str()), "{items:?}");
        assert!(items[2].contains("3 weights for 2 datasets"), "{items:?}");
    }
}

/// As TensorFlow's test has it: classes that come equally often, and a target with zeros.
fn rejection_resample() {
    let target = [0.9, 0.05, 0.05, 0.0, 0.0];
    let source = || Dataset::range(40_000).map(|x| (x * 7919) % 5);
    for initial in [None, Some(&[0.2; 5][..])] {
        let resampled = source().rejection_resample(|x| x, &target, initial, Some(27));
        let mut counts = [0_usize; 5];
        for pair in resampled.iterator().unwrap() {
            let pair = pair.unwrap();
            let class = pair.leaves()[0].as_slice::<i64>()[0];
            assert_eq!(pair.leaves()[1].as_slice::<i64>()[0], class, "the element is beside its class");
            counts[class as usize] += 1;
        }
        let total: usize = counts.iter().sum();
        assert!(total > 2000, "{counts:?}");
        for (count, share) in counts.iter().zip(target) {
            assert!((*count as f32 / total as f32 - share).abs() < 0.02, "{counts:?}");
        }
    }
    // The same in every mode, resumed everywhere.
    for initial in [None, Some(&[0.5, 0.5][..])] {
        let few = Dataset::range(60).map(|x| x % 2).rejection_resample(|x| x, &[0.8, 0.2], initial, Some(3));
        assert!(!check(&few).is_empty());
    }
}
