//! Every step with arguments that are wrong: an error when the plan is built that names the step and the argument, never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use feedline::data::block::{Strings, Tensor};
use feedline::data::{DType, Shape, Structure};
use feedline::plan::Buckets;
use feedline::{Dataset, EVERYTHING, ErrorPolicy, Sampling, Symbolic, ops};

fn numbers() -> Dataset {
    Dataset::range(9)
}

fn lists() -> Dataset {
    numbers().batch(3)
}

fn floats() -> Dataset {
    numbers().map(|x| ops::cast(x, DType::Float32))
}

fn texts() -> Dataset {
    Dataset::from_tensor_slices(Tensor::from_strings(vec![2], ["a", "b"].iter().collect::<Strings>()))
}

fn sum(x: Symbolic) -> Symbolic {
    ops::reduce_sum(x, None::<i64>, false)
}

/// The words the error has to have (the step, and the argument), and what is done wrong.
type Mistake = (&'static [&'static str], Box<dyn Fn() -> Dataset>);

#[allow(clippy::too_many_lines, reason = "a list of equals: a line a mistake")]
fn mistakes() -> Vec<Mistake> {
    macro_rules! mistakes {
        ($([$($word:literal),*] $dataset:expr;)*) => {
            vec![$((&[$($word),*] as &[&str], Box::new(|| $dataset) as Box<dyn Fn() -> Dataset>)),*]
        };
    }
    mistakes![
        ["range", "step"] Dataset::range_step(0, 5, 0);
        ["range", "stop"] Dataset::range(Symbolic::from("five"));
        ["from_tensor_slices"] Dataset::from_tensor_slices(Tensor::scalar(1_i64));
        ["from_tensor_slices", "slices"] Dataset::from_tensor_slices(Structure::Tuple(vec![
            Structure::Leaf(Tensor::from_vec(vec![2], vec![1_i64, 2])),
            Structure::Leaf(Tensor::from_vec(vec![3], vec![1_i64, 2, 3])),
        ]));
        ["from_tensor_slices", "tensors"] Dataset::from_tensor_slices(Structure::<Tensor>::Tuple(Vec::new()));
        ["from_tensors", "tensors"] Dataset::from_tensors(Structure::<Tensor>::Tuple(Vec::new()));
        ["batch", "batch_size"] numbers().batch(0);
        ["padded_batch", "batch_size"] lists().padded_batch(0);
        ["padded_batch", "padded_shapes"] lists().padded_batch_to(2, Shape::fixed(&[2, 2]));
        ["padded_batch", "padding_values"] lists().padded_batch(2).padding_values(Tensor::scalar(0.5_f32));
        ["padded_batch", "padding_values"] lists().padded_batch(2).padding_values(Tensor::from_vec(vec![2], vec![0_i64, 1]));
        ["ragged_batch", "batch_size"] lists().ragged_batch(0);
        ["rebatch", "batch_size"] lists().rebatch(Vec::new());
        ["rebatch", "batch_size"] lists().rebatch([0]);
        ["rebatch"] numbers().rebatch([2]);
        ["unbatch"] numbers().unbatch();
        ["shuffle", "buffer_size"] numbers().shuffle(0);
        ["shuffle", "without end", "before repeat"] numbers().repeat(None).shuffle(EVERYTHING);
        ["global_shuffle"] numbers().batch(2).global_shuffle();
        ["shard", "num_shards"] numbers().shard(0, 0);
        ["shard", "index"] numbers().shard(2, 2);
        ["window", "size"] numbers().window(0);
        ["window", "shift"] numbers().window_by(1, 0, 1);
        ["window", "stride"] numbers().window_by(1, 1, 0);
        ["group_by_window", "key"] floats().group_by_window(|x| x, 2, |_, window| window);
        ["group_by_window", "window_size"] numbers().group_by_window(|x| x, 0, |_, window| window);
        ["bucket_by_sequence_length", "bucket_boundaries"]
            lists().bucket_by_sequence_length(|x| ops::size(x, DType::Int64), &Buckets::new([4, 4], [1, 1, 1]));
        ["bucket_by_sequence_length", "bucket_batch_sizes"]
            lists().bucket_by_sequence_length(|x| ops::size(x, DType::Int64), &Buckets::new([4], [1]));
        ["bucket_by_sequence_length", "bucket_batch_sizes"]
            lists().bucket_by_sequence_length(|x| ops::size(x, DType::Int64), &Buckets::new([4], [1, 0]));
        ["bucket_by_sequence_length", "element_length_func"]
            lists().bucket_by_sequence_length(|x| ops::cast(x, DType::Float32), &Buckets::new([4], [1, 1]));
        ["pack", "length"] lists().pack(0);
        ["pack"] numbers().pack(4);
        ["interleave", "cycle_length"] numbers().interleave(Dataset::range).cycle_length(0);
        ["interleave", "block_length"] numbers().interleave(Dataset::range).block_length(0);
        ["map", "num_parallel_calls"] numbers().map(|x| x).num_parallel_calls(0);
        ["filter", "predicate"] numbers().filter(|x| x);
        ["filter", "predicate"] lists().filter(|x| x.gt(1));
        ["take_while", "predicate"] numbers().take_while(|x| x);
        ["scan", "state"] numbers().scan(Tensor::scalar(0_i64), |state, x| (ops::cast(state, DType::Float32), x));
        ["scan", "state"] numbers().scan(Structure::<Tensor>::Tuple(Vec::new()), |state, x| (state, x));
        ["reduce", "state"] numbers().reduced(Tensor::scalar(0_i64), |state, _| ops::cast(state, DType::Float32));
        ["unique"] floats().unique();
        ["zip", "datasets"] Dataset::zip(&Structure::Tuple(Vec::new()));
        ["concatenate"] numbers().concatenate(&texts());
        ["choose_from_datasets", "datasets"] Dataset::choose_from_datasets(&[], &numbers(), true);
        ["choose_from_datasets", "choice_dataset"] Dataset::choose_from_datasets(&[numbers()], &floats(), true);
        ["choose_from_datasets"] Dataset::choose_from_datasets(&[numbers(), texts()], &numbers(), true);
        ["sample_from_datasets", "datasets"] Dataset::sample_from_datasets(&[], Sampling::uniform());
        ["sample_from_datasets", "weights"] Dataset::sample_from_datasets(&[numbers(), numbers()], Sampling::by(&[1.0]));
        ["sample_from_datasets", "weights"] Dataset::sample_from_datasets(&[numbers(), numbers()], Sampling::by(&[1.0, -1.0]));
        ["sample_from_datasets", "weights"] Dataset::sample_from_datasets(&[numbers(), numbers()], Sampling::by(&[1.0, f64::NAN]));
        ["sample_from_datasets", "weights"] Dataset::sample_from_datasets(&[numbers(), numbers()], Sampling::by(&[0.0, 0.0]));
        ["sample_from_datasets", "weights"] Dataset::sample_from_datasets(&[numbers(), numbers()], Sampling::by(&[1.0, 1e-300]));
        ["sample_from_datasets", "weights"] Dataset::sample_from_datasets(&[numbers(), numbers()], Sampling::by(&[1e-20, 1.0]).exact());
        ["sample_from_datasets", "weights"] Dataset::sample_from_datasets(&[numbers(), numbers()], Sampling::by_dataset(&texts()));
        ["rejection_resample", "target_dist"] numbers().rejection_resample(sum, &[], None, Some(1));
        ["rejection_resample", "target_dist"] numbers().rejection_resample(sum, &[0.5, -0.5], None, Some(1));
        ["rejection_resample", "initial_dist"] numbers().rejection_resample(sum, &[0.5, 0.5], Some(&[1.0]), Some(1));
        ["on_error", "replacement"] numbers().on_error(ErrorPolicy::replace(Tensor::scalar(0.5_f32)));
        ["cache_to", "path"] numbers().cache_to("");
        ["snapshot", "path"] numbers().snapshot("");
        ["take", "count"] numbers().take(Symbolic::from("two"));
        ["skip", "count"] numbers().skip(Symbolic::from(Tensor::scalar(1.5_f32)));
        ["repeat", "count"] numbers().repeat(Symbolic::from(Tensor::from_vec(vec![2], vec![1_i64, 2])));
    ]
}

#[test]
fn every_mistake_is_an_error_with_the_step_and_the_argument() {
    let mut faults = Vec::new();
    for (words, mistake) in mistakes() {
        match catch_unwind(AssertUnwindSafe(|| mistake().check().map_err(|error| error.to_string()))) {
            Err(_) => faults.push(format!("{words:?}: panics")),
            Ok(Ok(_)) => faults.push(format!("{words:?}: is taken")),
            Ok(Err(message)) => {
                if !words.iter().all(|word| message.contains(word)) {
                    faults.push(format!("{words:?}: {message}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
