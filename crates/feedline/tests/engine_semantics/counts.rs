//! Sources and steps that count elements: `from_iter`, `range`, `take`, `skip`, `shard`, `repeat`, `batch`, `prefetch`.

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, TensorSpec};
use feedline::{AUTOTUNE, Dataset, Symbolic};

use crate::engine_support::{ENOUGH, check, numbers};
use crate::{Case, gives, refused, refused_as_text, run, ten};

pub(crate) const CASES: &[Case] = &[
    ("from_generator_strings", || {
        // Strings are bytes, whatever they were made of.
        let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::String));
        let dataset = Dataset::from_iter("strings", spec, || {
            let texts: [&[u8]; 3] = ["foo".as_bytes(), b"bar", "baz".as_bytes()];
            texts.into_iter().map(|text| Ok(Tensor::from_strings(vec![], [text].iter().collect()).into()))
        });
        gives(&dataset, ["\"foo\"", "\"bar\"", "\"baz\""]);
    }),
    ("range_stop_lt_start", || gives(&Dataset::range_step(10, 2, 1), [0; 0])),
    ("range_neg_step", || gives(&Dataset::range_step(10, 2, -1), [10, 9, 8, 7, 6, 5, 4, 3])),
    ("range_step0", || refused(&Dataset::range_step(2, 10, 0), "step must not be 0")),
    ("range_wrong_sign", || gives(&Dataset::range_step(2, 10, -1), [0; 0])),
    ("take_-1", || {
        gives(&ten().take(None), 0..10);
        // As a value that only the data knows, the number itself.
        gives(&numbers(&[-1]).flat_map(|count| ten().take(count)), 0..10);
    }),
    ("take_25", || gives(&ten().take(25), 0..10)),
    ("skip_0", || gives(&ten().skip(0), 0..10)),
    ("skip_10", || gives(&ten().skip(10), [0; 0])),
    ("skip_25", || gives(&ten().skip(25), [0; 0])),
    ("shard_5_2", || gives(&Dataset::range(10).shard(5, 2), [2, 7])),
    ("shard_5_0", || gives(&Dataset::range(10).shard(5, 0), [0, 5])),
    ("shard_5_4", || gives(&Dataset::range(10).shard(5, 4), [4, 9])),
    ("shard_20_5", || gives(&Dataset::range(10).shard(20, 5), [5])),
    ("shard_err_0_1", || refused(&Dataset::range(10).shard(0, 1), "num_shards must be greater than zero")),
    ("repeat_counts", repeat_counts),
    // It must end, not look for elements forever.
    ("repeat_of_empty", || gives(&Dataset::range(0).repeat(None), [0; 0])),
    ("batch_basic", || {
        gives(&squares().repeat(28).batch(14), ["[0, 1, 4, 9, 16, 25, 36, 0, 1, 4, 9, 16, 25, 36]"; 14]);
    }),
    ("batch_zero_input", || gives(&squares().repeat(0).batch(14), [0; 0])),
    ("batch_size_zero", || refused(&Dataset::range(10).batch(0), "batch_size must be greater than zero")),
    ("batch_none_component", || {
        // A part without tensors, which Python's None is.
        let with_nothing = Dataset::range(10).map(|x| Symbolic::tuple([x, Symbolic::tuple([])]));
        gives(&with_nothing.batch(10).map(|pair| pair.at(0)), ["[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"]);
    }),
    ("prefetch_-1", || gives(&Dataset::range(10).prefetch(AUTOTUNE), 0..10)),
    ("prefetch_None", || gives(&Dataset::range(10).prefetch(None), 0..10)),
    ("prefetch_0", || gives(&Dataset::range(10).prefetch(0), 0..10)),
    ("prefetch_-2", || {
        refused_as_text(r#"{"prefetch": {"buffer_size": -2}}"#, "needs a whole number, not -2");
    }),
    ("prefetch_-42", || {
        refused_as_text(r#"{"prefetch": {"buffer_size": -42}}"#, "needs a whole number, not -42");
    }),
];

#[test]
fn counts() {
    run(CASES);
}

fn squares() -> Dataset {
    numbers(&[0, 1, 2, 3, 4, 5, 6]).map(|x| x.clone() * x)
}

fn repeat_counts() {
    let seven = || Dataset::from_tensors(Tensor::scalar(7_i64));
    for count in [0, 3, 7] {
        gives(&seven().repeat(count as u64), vec![7; count]);
    }
    let by_value =
        numbers(&[-1]).flat_map(|count| Dataset::from_tensors(Tensor::scalar(7_i64)).repeat(count));
    for endless in [seven().repeat(None), by_value] {
        assert_eq!(check(&endless), vec!["7"; ENOUGH]);
    }
    assert_eq!(seven().repeat(None).cardinality().unwrap(), -1);
}
