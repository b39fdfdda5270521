//! Steps that hand a state on or put elements together otherwise: `scan`, `reduce`, `take_while`, `unique`, `rebatch`, `padded_batch`.

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{Dataset, Symbolic};

use crate::engine_support::{ENOUGH, check, numbers, show};
use crate::{Case, gives, refused, run};

pub(crate) const CASES: &[Case] = &[
    ("scan_fib", || {
        let ones = Dataset::from_tensors(Tensor::scalar(1_i64)).repeat(None);
        let first = Symbolic::from((Tensor::scalar(0_i64), Tensor::scalar(1_i64)));
        let numbers = ones.scan(first, |pair, _| ((pair.at(1), pair.at(0) + pair.at(1)), pair.at(1)));
        gives(&numbers.take(6), [1, 1, 2, 3, 5, 8]);
    }),
    ("scan_count", || {
        let zeros = Dataset::from_tensors(Tensor::scalar(0_i64)).repeat(None);
        let down = zeros.scan(Tensor::scalar(10_i64), |state, _| (state.clone() - 2, state));
        gives(&down.take(10), [10, 8, 6, 4, 2, 0, -2, -4, -6, -8]);
    }),
    ("take_while_repeat", || {
        gives(&Dataset::range(10).take_while(|x| x.lt(2)).repeat(5), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    }),
    ("take_while_shortcircuit", || {
        let bools = Tensor::from_bools(vec![5], &[true, true, true, false, true]);
        gives(&Dataset::from_tensor_slices(bools).take_while(|x| x), [1, 1, 1]);
    }),
    ("unique_0", || gives(&numbers(&[1, 2, 4, 3, 2, 1, 2, 3, 4]).unique(), [1, 2, 4, 3])),
    ("unique_1", || {
        let pairs = Tensor::from_vec(vec![5, 2], vec![1, 1, 1, 1, 2, 2, 3, 3, 1, 1_i64]);
        gives(&Dataset::from_tensor_slices(pairs).unique(), ["[1, 1]", "[2, 2]", "[3, 3]"]);
        // Of floats it is an error, also here.
        let floats = Dataset::from_tensor_slices(Tensor::from_vec(vec![2], vec![1.0_f32, 2.0]));
        refused(&floats.unique(), "unique: the tensor is float32");
    }),
    ("reduce_sum_count", || {
        let zeros = || Symbolic::from((Tensor::scalar(0_i64), Tensor::scalar(0_i64)));
        let add = |state: Symbolic, x: Symbolic| (state.at(0) + x, state.at(1) + 1);
        let one_to_nine = Dataset::range_step(1, 10, 1);
        gives(&one_to_nine.reduced(zeros(), add), ["(45, 9)"]);
        assert_eq!(show(&Ok(one_to_nine.reduce(zeros(), add).unwrap())), "(45, 9)");
    }),
    ("rebatch_cycle", || {
        gives(&batches(8).rebatch([2, 2]), ["[0, 1]", "[2, 3]", "[4, 5]", "[6, 7]"]);
    }),
    ("rebatch_partial", || gives(&batches(5).rebatch([2, 2]), ["[0, 1]", "[2, 3]", "[4]"])),
    ("rebatch_partial_drop", || {
        gives(&batches(5).rebatch([2, 2]).drop_remainder(), ["[0, 1]", "[2, 3]"]);
    }),
    ("rebatch_zero_last", || {
        let expected = ["[0]", "[1]", "[2]", "[3]", "[]", "[4]", "[5]", "[6]", "[7]", "[]"];
        gives(&batches(8).rebatch([1, 1, 1, 1, 0]), expected);
        // Recorded from TensorFlow 2.21: an empty batch behind the last full one, none behind one that is not.
        gives(&batches(4).rebatch([0, 2]), ["[]", "[0, 1]", "[]", "[2, 3]", "[]"]);
        gives(&batches(5).rebatch([0, 2]), ["[]", "[0, 1]", "[]", "[2, 3]", "[]", "[4]"]);
        gives(&batches(0).rebatch([0, 2]), ["[]"]);
    }),
    ("padded_too_long", || {
        let items = check(&lists(&[6, 5, 5, 5, 5]).padded_batch_to(4, Shape::fixed(&[5])));
        assert!(items[0].contains("a dimension of the tensor is 6, which is more than the 5"), "{items:?}");
        assert_eq!(items[1], "[1, 5][5, 5, 5, 5, 5]");
    }),
    ("padded_static_mismatch", || {
        let three = Dataset::from_tensors(Tensor::from_vec(vec![3], vec![1_i64, 2, 3]));
        let padded = three.padded_batch_to(5, Shape::fixed(&[1]));
        refused(&padded, "padded_batch: padded_shapes: the tensor of shape [3] cannot be filled up to [1]");
    }),
    ("padded_wrong_rank", || {
        let padded = Dataset::range(10).padded_batch_to(5, Shape::fixed(&[1]));
        refused(&padded, "padded_batch: padded_shapes: the tensor of shape [] cannot be filled up to [1]");
    }),
    ("padded_default_values", || {
        let two = Structure::Tuple(vec![Shape::fixed(&[2]).into(), Shape::fixed(&[2]).into()]);
        let strings = Tensor::from_strings(vec![1], ["a"].iter().collect());
        let pair = Symbolic::from((strings, Tensor::from_bools(vec![1], &[true])));
        let padded = Dataset::from_tensors(pair).padded_batch_to(1, two);
        gives(&padded, ["([1, 2][\"a\", \"\"], [1, 2][1, 0])"]);
        gives(&lists(&[1, 2]).padded_batch(2), ["[2, 2][1, 0, 2, 2]"]);
    }),
];

#[test]
fn folds() {
    run(CASES);
}

fn batches(count: i64) -> Dataset {
    Dataset::range(count).batch(4)
}

/// Of each number a list of so many of it.
pub(crate) fn lists(values: &[i64]) -> Dataset {
    let spec = ElementSpec::Leaf(TensorSpec::new(DType::Int64, Shape::new(vec![None])));
    numbers(values).map_native("list", spec, |element| {
        let count = element.leaves()[0].as_slice::<i64>()[0];
        Ok(Tensor::from_vec(vec![count as usize], vec![count; count as usize]).into())
    })
}

/// What `counter` and `random` give, which have no end.
#[test]
fn numbers_without_end() {
    assert_eq!(check(&Dataset::counter(3, -2))[..4], ["3", "1", "-1", "-3"]);
    let mut found = check(&Dataset::random().seed(1));
    assert_eq!(found.len(), ENOUGH);
    // Recorded from TensorFlow 2.21: `Dataset.random(seed=1)`, and its iterations with `rerandomize_each_iteration=True`.
    found.truncate(6);
    assert_eq!(found, ["2870909127", "3455438759", "4052121393", "1279227022", "15397477", "3296944994"]);
    let anew = Dataset::random().seed(1).rerandomize_each_iteration(true).take(3).repeat(3);
    gives(
        &anew,
        [
            1_080_790_120_u64,
            1_034_073_719,
            2_231_145_331,
            1_220_657_578,
            1_588_676_012,
            916_930_237,
            869_407_815,
            3_257_648_564,
            1_810_018_309,
        ],
    );
    gives(
        &Dataset::random().seed(1).take(2).repeat(2),
        [2_870_909_127_u64, 3_455_438_759, 2_870_909_127, 3_455_438_759],
    );
}
