"""Chains drawn at random, against lists."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import feedline as fl

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("take"), st.integers(-1, 12)),
        st.tuples(st.just("skip"), st.integers(0, 12)),
        st.tuples(st.just("repeat"), st.integers(0, 3)),
        st.tuples(st.just("map"), st.integers(-5, 5)),
        st.tuples(st.just("python"), st.integers(-5, 5)),
        st.tuples(st.just("filter"), st.integers(1, 4)),
        st.tuples(st.just("shard"), st.integers(1, 4)),
        st.tuples(st.just("rebatch"), st.integers(1, 5)),
        st.tuples(st.just("flat_map"), st.integers(0, 3)),
        st.tuples(st.just("cache"), st.just(0)),
        st.tuples(st.just("prefetch"), st.integers(0, 3)),
        st.tuples(st.just("concatenate"), st.integers(0, 3)),
    ),
    max_size=6,
)

SCALAR = fl.TensorSpec([], fl.int64)


def applied(dataset: fl.Dataset, step: str, n: int) -> fl.Dataset:
    match step:
        case "map":
            return dataset.map(lambda x: x * 2 + n)
        case "python":
            return dataset.map(lambda x: int(x) - n, python=True, output_spec=SCALAR)
        case "filter":
            return dataset.filter(lambda x: x % n == 0)
        case "shard":
            return dataset.shard(n, n - 1)
        case "rebatch":
            return dataset.batch(n).unbatch()
        case "flat_map":
            return dataset.flat_map(lambda x: fl.Dataset.from_tensors(x).repeat(n))
        case "cache":
            return dataset.cache()
        case "concatenate":
            return dataset.concatenate(fl.Dataset.range(n))
        case _:
            return getattr(dataset, step)(n)


def modelled(numbers: list[int], step: str, n: int) -> list[int]:
    match step:
        case "take":
            return numbers if n < 0 else numbers[:n]
        case "skip":
            return numbers[n:]
        case "repeat":
            return numbers * n
        case "map":
            return [x * 2 + n for x in numbers]
        case "python":
            return [x - n for x in numbers]
        case "filter":
            return [x for x in numbers if x % n == 0]
        case "shard":
            return numbers[n - 1 :: n]
        case "flat_map":
            return list(itertools.chain.from_iterable([x] * n for x in numbers))
        case "concatenate":
            return numbers + list(range(n))
        case _:
            return numbers


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 20), STEPS, st.integers(0, 8))
def test_chains_are_lists(size, steps, taken):
    dataset, numbers = fl.Dataset.range(size), list(range(size))
    for step, n in steps:
        dataset, numbers = applied(dataset, step, n), modelled(numbers, step, n)
    assert [int(x) for x in dataset] == numbers
    if dataset.cardinality() >= 0:
        assert len(dataset) == len(numbers)
    it = dataset.iterator()
    first = [int(x) for x in itertools.islice(it, taken)]
    assert first + [int(x) for x in dataset.iterator(state=it.state())] == numbers


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64]),
    st.lists(st.integers(0, 3), min_size=1, max_size=3),
    st.integers(1, 3),
)
def test_arrays_come_back(dtype, shape, batch_size):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    batches = list(fl.Dataset.from_tensor_slices(array).batch(batch_size))
    assert all(batch.dtype == dtype for batch in batches)
    joined = np.concatenate(batches) if batches else np.zeros((0, *shape[1:]), dtype)
    assert joined.shape == array.shape and np.array_equal(joined, array)
