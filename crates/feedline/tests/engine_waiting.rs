//! Work that waits for other work does not wait for itself, and asks for no more memory than there is work for.
#![allow(clippy::unwrap_used, reason = "tests")]

use feedline::data::block::Tensor;
use feedline::data::{DType, Structure, TensorSpec};
use feedline::{Dataset, ops};

fn scalar() -> Structure<TensorSpec> {
    Structure::Leaf(TensorSpec::scalar(DType::Int64))
}

#[test]
fn user_code_may_run_a_dataset_of_its_own() {
    let inner_of = |element: Structure<Tensor>| {
        let count = element.leaves()[0].as_slice::<i64>()[0];
        let inner = Dataset::range(count).map_native("inner", scalar(), Ok).map(|x| x + 1).prefetch(2);
        Ok(Structure::Leaf(Tensor::scalar(inner.iterator()?.count() as i64)))
    };
    // With the workers that all datasets share: all of them are in the outer function at a time.
    let outer = Dataset::range(20).map_native("outer", scalar(), inner_of);
    let counts: Vec<i64> =
        outer.iterator().unwrap().map(|element| element.unwrap().leaves()[0].as_slice::<i64>()[0]).collect();
    assert_eq!(counts, (0..20).collect::<Vec<_>>());
}

#[test]
fn a_batch_larger_than_there_is_memory_for_is_what_there_are_elements_for() {
    let rows = Dataset::range(10).map(|x| ops::stack([x.clone(), x], 0));
    let mut batches = rows.batch(1 << 40).iterator().unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert_eq!(batch.leaves()[0].shape(), [10, 2]);
    assert!(batches.next().is_none());
}
