"""tf.data's behaviour, case by case, through Python: the cases of TensorFlow's own tests that the Rust tests restate
(crates/feedline/tests/engine_semantics, whose ids these are), in the words a user of tf.data types."""

from __future__ import annotations

import collections
import json
import subprocess
import sys

import numpy as np
import pytest

import feedline as fl

Dataset = fl.Dataset


def plain(element):
    """An element as lists and numbers."""
    if isinstance(element, tuple):
        return [plain(part) for part in element]
    return element.decode() if isinstance(element, bytes) else np.asarray(element).tolist()


def interleaved(values, cycle_length, block_length):
    slices = Dataset.from_tensor_slices(values).repeat(2)
    return slices.interleave(lambda x: Dataset.from_tensors(x).repeat(x), cycle_length, block_length)


def tens():
    return Dataset.from_tensor_slices(np.arange(10))


def checked(values):
    return Dataset.from_tensor_slices(np.array(values)).map(lambda x: fl.debugging.check_numerics(x, "bad"))


VALUES = {
    "interleave_v456_c1_b1": (lambda: interleaved([4, 5, 6], 1, 1), ([4] * 4 + [5] * 5 + [6] * 6) * 2),
    "interleave_v456_c2_b1": (
        lambda: interleaved([4, 5, 6], 2, 1),
        [4, 5, 4, 5, 4, 5, 4, 5, 5, 6, 6, 4, 6, 4, 6, 4, 6, 4, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 6],
    ),
    "interleave_v406_c2_b3": (
        lambda: interleaved([4, 0, 6], 2, 3),
        [4, 4, 4, 4, 6, 6, 6, 4, 4, 4, 6, 6, 6, 4, 6, 6, 6, 6, 6, 6],
    ),
    "shuffle_py_fixed_seed0": (
        lambda: Dataset.range(10).shuffle(10, seed=0, reshuffle_each_iteration=False),
        [1, 2, 8, 4, 9, 6, 3, 0, 5, 7],
    ),
    "shuffle_py_fixed_seed42": (
        lambda: Dataset.range(10).shuffle(10, 42, False),
        [2, 0, 7, 8, 9, 3, 6, 4, 1, 5],
    ),
    "shuffle_repeat_batch": (
        lambda: Dataset.range(10).repeat(3).shuffle(3, seed=42).batch(7),
        [[0, 3, 4, 2, 1, 5, 8], [6, 9, 7, 2, 3, 1, 4], [6, 0, 7, 9, 0, 1, 2], [8, 4, 5, 5, 3, 8, 9], [7, 6]],
    ),
    "batch_basic": (
        lambda: Dataset.from_tensor_slices(np.arange(7)).map(fl.square).repeat(28).batch(14),
        [[0, 1, 4, 9, 16, 25, 36] * 2] * 14,
    ),
    "batch_zero_input": (lambda: Dataset.from_tensor_slices(np.arange(7)).repeat(0).batch(14), []),
    "repeat_counts": (lambda: Dataset.from_tensors(5).repeat(-1).take(4), [5] * 4),
    "repeat_of_empty": (lambda: Dataset.range(0).repeat(-1), []),
    "take_-1": (lambda: tens().take(-1), list(range(10))),
    "take_25": (lambda: tens().take(25), list(range(10))),
    "skip_0": (lambda: tens().skip(0), list(range(10))),
    "skip_10": (lambda: tens().skip(10), []),
    "skip_25": (lambda: tens().skip(25), []),
    "shard_5_2": (lambda: Dataset.range(10).shard(5, 2), [2, 7]),
    "shard_5_0": (lambda: Dataset.range(10).shard(num_shards=5, index=0), [0, 5]),
    "shard_5_4": (lambda: Dataset.range(10).shard(5, 4), [4, 9]),
    "shard_20_5": (lambda: Dataset.range(10).shard(20, 5), [5]),
    "shard_zip": (
        lambda: Dataset.zip((Dataset.range(10), Dataset.range(10, 0, -1))).shard(5, 2),
        [[2, 8], [7, 3]],
    ),
    "range_stop_lt_start": (lambda: Dataset.range(10, 2), []),
    "range_neg_step": (lambda: Dataset.range(10, 2, -1), [10, 9, 8, 7, 6, 5, 4, 3]),
    "range_wrong_sign": (lambda: Dataset.range(2, 10, -1), []),
    "zip_unequal": (
        lambda: Dataset.zip(*(Dataset.from_tensor_slices(v) for v in ([1, 2, 3, 4], [1, 2, 3, 4, 5], [1.0, 2.0]))),
        [[1, 1, 1.0], [2, 2, 2.0]],
    ),
    "zip_namedtuple": (
        lambda: Dataset.zip(collections.namedtuple("Foo", "x y")(Dataset.range(3), Dataset.range(3, 6))),
        [[0, 3], [1, 4], [2, 5]],
    ),
    "flat_map": (
        lambda: Dataset.from_tensor_slices([1, 2, 3, 4, 5, 0, 1]).flat_map(lambda x: Dataset.from_tensors([x]).repeat(x)),
        [[x] for x in [1, 2, 3, 4, 5, 0, 1] for _ in range(x)],
    ),
    "prefetch_-1": (lambda: Dataset.range(10).prefetch(-1), list(range(10))),
    "prefetch_None": (lambda: Dataset.range(10).prefetch(None), list(range(10))),
    "prefetch_0": (lambda: Dataset.range(10).prefetch(0), list(range(10))),
    "ignore_errors_map": (
        lambda: checked([1.0, 2.0, 3.0, np.nan, 5.0]).prefetch(2).ignore_errors(),
        [1.0, 2.0, 3.0, 5.0],
    ),
    "ignore_errors_zip": (
        lambda: Dataset.zip(
            Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0]).map(lambda x: fl.debugging.check_numerics(1 / x, "bad")),
            Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0]),
        ).ignore_errors(),
        [[1.0, 1.0], [0.5, 2.0], [0.25, 4.0]],
    ),
    "from_generator_strings": (
        lambda: Dataset.from_generator(lambda: iter(["foo", b"bar", "baz"]), output_types=fl.string, output_shapes=[]),
        ["foo", "bar", "baz"],
    ),
}


@pytest.mark.parametrize("case", VALUES)
def test_values(case):
    make, expected = VALUES[case]
    for options in (fl.Options(), fl.Options(threads=0), fl.Options(threads=4, optimizer=False)):
        dataset = make().with_options(options)
        assert [plain(element) for element in dataset] == expected
        it = make().with_options(options).iterator(epoch=0)
        for _ in expected[: len(expected) // 2]:
            next(it)
        rest = [plain(element) for element in make().with_options(options).iterator(state=it.state())]
        assert rest == expected[len(expected) // 2 :]


CARDINALITIES = {
    "cardinality_00": (lambda: Dataset.range(5).map(lambda x: x, num_parallel_calls=2), 5),
    "cardinality_07": (lambda: Dataset.range(5).concatenate(Dataset.range(5)), 10),
    "cardinality_08": (lambda: Dataset.range(5).filter(lambda x: x > 1).concatenate(Dataset.range(5)), -2),
    "cardinality_09": (lambda: Dataset.range(5).repeat().concatenate(Dataset.range(5)), -1),
    "cardinality_12": (lambda: Dataset.range(5).interleave(Dataset.from_tensors, cycle_length=1), -2),
    "cardinality_13": (lambda: Dataset.range(5).repeat().interleave(Dataset.from_tensors, cycle_length=1), -1),
    "cardinality_17": (lambda: Dataset.range(10, 5, -2), 3),
    "cardinality_18": (lambda: Dataset.range(0).repeat(), 0),
    "cardinality_20": (lambda: Dataset.range(1).repeat(), -1),
    "cardinality_21": (lambda: Dataset.range(5).shuffle(1), 5),
    "cardinality_22": (lambda: Dataset.range(5).shard(2, 0), 3),
    "cardinality_24": (lambda: Dataset.range(5).repeat().shard(2, 0), -1),
    "cardinality_25": (lambda: Dataset.range(5).skip(8), 0),
    "cardinality_27": (lambda: Dataset.range(5).take(8), 5),
    "cardinality_29": (lambda: Dataset.range(5).repeat().take(2), 2),
    "cardinality_34": (lambda: Dataset.zip(Dataset.range(5).repeat(), Dataset.range(3).repeat()), -1),
    "cardinality_36": (lambda: Dataset.range(10).ignore_errors(), -2),
}


@pytest.mark.parametrize("case", CARDINALITIES)
def test_cardinalities(case):
    make, expected = CARDINALITIES[case]
    assert make().cardinality() == expected


ERRORS = {
    "shuffle_buffer_invalid": (lambda: Dataset.range(0).shuffle(0), ValueError, "buffer_size must be greater than zero"),
    "batch_size_zero": (lambda: Dataset.range(10).batch(0), ValueError, "batch_size"),
    "shard_err_0_1": (lambda: Dataset.range(10).shard(0, 1), ValueError, "num_shards"),
    "range_step0": (lambda: Dataset.range(2, 10, 0), ValueError, "step"),
    "prefetch_-2": (lambda: Dataset.range(10).prefetch(-2), ValueError, "buffer_size"),
    "prefetch_-42": (lambda: Dataset.range(10).prefetch(-42), ValueError, "buffer_size"),
    "len_infinite": (lambda: len(Dataset.range(10).repeat()), TypeError, "infinite"),
    "list_files_none": (lambda: Dataset.list_files("empty-folder/*"), FileNotFoundError, "empty-folder"),
    "unbatch_mismatch": (
        lambda: Dataset.from_tensors((np.arange(7), np.arange(8), np.arange(9))).unbatch(),
        ValueError,
        "7",
    ),
    "concat_type_mismatch": (
        lambda: Dataset.range(3).concatenate(Dataset.from_tensors("a")),
        TypeError,
        "int64",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case):
    make, error, message = ERRORS[case]
    with pytest.raises(error, match=message):
        make()


def test_interleave_error_continue():
    it = iter(checked([1.0, np.nan, 2.0, np.nan, 3.0]).interleave(Dataset.from_tensors, cycle_length=2))
    seen = []
    while True:
        try:
            seen.append(float(next(it)))
        except fl.InvalidValueError:
            seen.append("error")
        except StopIteration:
            break
    assert seen == [1.0, "error", 2.0, "error", 3.0]


def test_concat_shape_relax():
    one = Dataset.from_tensor_slices((np.zeros((4, 20)), np.zeros((4, 4))))
    two = Dataset.from_tensor_slices((np.zeros((5, 20)), np.zeros((5, 15))))
    both = one.concatenate(two)
    assert [spec.shape for spec in both.element_spec] == [(20,), (None,)] and len(both) == 9


def test_cache(tmp_path):
    calls = []
    counted = Dataset.range(10).map(lambda x: calls.append(1) or int(x), python=True, output_spec=fl.TensorSpec([], fl.int64))
    assert len(list(counted.cache().repeat(2))) == 20 and len(calls) == 10  # cache_runs_source_once
    frozen = Dataset.range(10).shuffle(10, reshuffle_each_iteration=True).cache()
    assert list(frozen) == list(frozen)  # cache_freezes_shuffle
    in_files = Dataset.range(10).cache(str(tmp_path / "cache")).map(lambda x: x).batch(4).repeat(2)
    assert [plain(b) for b in in_files] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] * 2  # cache_file_batch_repeat


def test_program_seeds():
    """In processes of their own: a program's seed cannot be taken back."""

    def run(seed, *datasets):
        program = f"""
import json, feedline as fl
fl.set_seed({seed})
for dataset in [{", ".join(datasets)}]:
    print(json.dumps([[x.tolist() for x in dataset] for _ in range(2)]))
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)
        return [json.loads(line) for line in done.stdout.splitlines()]

    (epochs,) = run(1, "fl.Dataset.range(10).shuffle(3, seed=2, reshuffle_each_iteration=False)")
    assert epochs == [[2, 3, 0, 5, 6, 4, 7, 8, 9, 1]] * 2  # shuffle_kernel_fixed
    (epochs,) = run(1, "fl.Dataset.range(10).shuffle(2, seed=2)")
    assert epochs == [[0, 2, 1, 3, 5, 6, 4, 7, 8, 9], [1, 0, 2, 3, 4, 5, 6, 7, 9, 8]]  # shuffle_kernel_reshuffle_b2
    (epochs,) = run(2, "fl.Dataset.range(10).shuffle(10, seed=2)")
    assert epochs == [[3, 0, 8, 1, 5, 4, 7, 2, 6, 9], [4, 6, 9, 0, 1, 8, 2, 7, 3, 5]]  # shuffle_kernel_seed22
    (epochs,) = run(42, "fl.Dataset.range(10).repeat(2).shuffle(4, seed=42).batch(7)")
    assert epochs[0] == [[3, 0, 1, 6, 2, 5, 7], [8, 4, 1, 9, 4, 2, 3], [7, 5, 0, 8, 9, 6]]
    unseeded = "fl.Dataset.range(10).shuffle(10)", "fl.Dataset.range(5).map(lambda x: fl.random.uniform([]))"
    assert run(7, *unseeded) == run(7, *unseeded)


@pytest.mark.parametrize("own", [None, True, False])
@pytest.mark.parametrize("of_options", [None, True, False])
def test_batch_determinism_precedence(own, of_options):
    def dataset(map_own, interleave_own):
        ds = Dataset.range(10).map(lambda x: x + 1, num_parallel_calls=2, deterministic=map_own)
        return ds.interleave(Dataset.from_tensors, deterministic=interleave_own)

    said = dataset(own, own).with_options(fl.Options(deterministic=of_options))
    is_kept = of_options is not False if own is None else own
    assert said.fingerprint() == dataset(is_kept, is_kept).fingerprint()
    assert (said.fingerprint() == dataset(None, None).fingerprint()) == is_kept
    assert ("deterministic(false)" in said.explain()) != is_kept
    assert sorted(int(x) for x in said) == list(range(1, 11))
