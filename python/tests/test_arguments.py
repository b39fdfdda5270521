"""Every argument of every method of a dataset, given something it cannot be, is told by its name."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import feedline as fl

Dataset = fl.Dataset


def identity(x):
    return x


def numbers():
    return Dataset.range(6)


# A call of each method that is right. `on` is what it is a method of, where the numbers 0 to 5 will not do.
CALLS = {
    "range": {"args": (3,)},
    "counter": {},
    "random": {},
    "from_tensors": {"tensors": [1, 2]},
    "from_tensor_slices": {"tensors": [1, 2]},
    "from_generator": {"generator": lambda: iter([1]), "output_signature": fl.TensorSpec([], fl.int64)},
    "list_files": {"file_pattern": __file__},
    "image_folder": {"path": "."},
    "zip": {"datasets": (Dataset.range(2), Dataset.range(3))},
    "choose_from_datasets": {"datasets": [Dataset.range(2)], "choice_dataset": Dataset.range(1)},
    "sample_from_datasets": {"datasets": [Dataset.range(2)]},
    "load": {"path": "."},
    "map": {"map_func": identity},
    "filter": {"predicate": lambda x: x > 1},
    "flat_map": {"map_func": Dataset.range},
    "interleave": {"map_func": Dataset.range},
    "shuffle": {"buffer_size": 3},
    "global_shuffle": {},
    "repeat": {},
    "take": {"count": 3},
    "skip": {"count": 3},
    "shard": {"num_shards": 2, "index": 1},
    "concatenate": {"dataset": Dataset.range(2)},
    "enumerate": {},
    "cache": {},
    "snapshot": {"path": "."},
    "prefetch": {"buffer_size": 3},
    "ignore_errors": {},
    "on_error": {},
    "apply": {"transformation_func": identity},
    "with_options": {"options": fl.Options()},
    "explain": {},
    "iterator": {},
    "to_torch": {},
    "to_jax": {},
    "write_tfrecords": {"path": "."},
    "save": {"path": "."},
    "batch": {"batch_size": 2},
    "padded_batch": {"batch_size": 2},
    "ragged_batch": {"batch_size": 2},
    "dense_to_ragged_batch": {"batch_size": 2},
    "sparse_batch": {"batch_size": 2, "row_shape": []},
    "rebatch": {"batch_size": 2, "on": Dataset.range(6).batch(3)},
    "rejection_resample": {"class_func": identity, "target_dist": [1.0]},
    "scan": {"initial_state": np.int64(0), "scan_func": lambda state, x: (state, x)},
    "reduce": {"initial_state": np.int64(0), "reduce_func": lambda state, x: state},
    "reduced": {"initial_state": np.int64(0), "reduce_func": lambda state, x: state},
    "take_while": {"predicate": lambda x: x > 1},
    "assert_cardinality": {"expected_cardinality": 6},
    "window": {"size": 2},
    "group_by_window": {"key_func": identity, "reduce_func": lambda key, w: w, "window_size": 2},
    "pack": {"length": 4, "on": Dataset.range(6).batch(3)},
    "bucket_by_sequence_length": {
        "element_length_func": fl.size,
        "bucket_boundaries": [4],
        "bucket_batch_sizes": [2, 2],
        "on": Dataset.range(6).batch(3),
    },
    "TFRecordDataset": {"filenames": __file__},
    "TextLineDataset": {"filenames": __file__},
    "FixedLengthRecordDataset": {"filenames": __file__, "record_bytes": 2},
    "CsvDataset": {"filenames": __file__, "record_defaults": [1]},
}

# Others have no arguments but a name.
WITHOUT = {"unbatch", "collect", "unique", "get_single_element", "options", "cardinality", "fingerprint", "as_numpy_iterator", "to_tf", "debug"}

# What is not looked at: the engine needs no such thing, or another library says what is wrong with it.
IGNORED = {"name", "synchronous", "use_unbounded_threadpool", "log_warning", "checkpoint_args", "device"}

# What an argument goes with.
BESIDE = {
    ("map", "output_spec"): {"python": True},
    ("on_error", "replacement"): {"policy": "replace"},
    ("from_generator", "output_types"): {"output_signature": None},
    ("from_generator", "output_shapes"): {"output_signature": None, "output_types": fl.int64},
    ("zip", "args"): {"datasets": None},
}


def function_of(method):
    return getattr(fl, method) if method[0].isupper() else getattr(Dataset, method)


def parameters_of(method):
    return [parameter for parameter in inspect.signature(function_of(method)).parameters if parameter not in IGNORED | {"self"}]


def call(method, **changed):
    arguments = {**CALLS[method], **changed}
    on = arguments.pop("on", numbers())
    positional = arguments.pop("args", ()) if method in ("range", "zip") else ()
    if method[0].isupper():
        return function_of(method)(*positional, **arguments)
    return getattr(on, method)(*positional, **arguments)


def test_every_method_is_here():
    methods = {name for name in dir(Dataset) if not name.startswith("_") and callable(getattr(Dataset, name))}
    assert methods == {name for name in CALLS if not name[0].isupper()} | WITHOUT


CASES = [(method, parameter) for method in CALLS for parameter in parameters_of(method)]


@pytest.mark.parametrize("method, parameter", CASES, ids=[f"{method}-{parameter}" for method, parameter in CASES])
def test_what_an_argument_cannot_be_is_told_by_its_name(method, parameter):
    class Wrong:
        def __repr__(self):
            return "something wrong"

    wrong = (Wrong(),) if (method, parameter) in [("range", "args"), ("zip", "args")] else Wrong()
    with pytest.raises((TypeError, ValueError)) as caught:
        call(method, **{parameter: wrong, **BESIDE.get((method, parameter), {})})
    message = str(caught.value)
    assert parameter in message or parameter == "args", message
    # Some of tf.data's there is nothing for, whatever they are.
    assert method in message and ("something wrong" in message or "there are no" in message), message


WRONG = [
    ("shuffle", {"seed": "x"}, "seed is a whole number or None, not 'x'"),
    ("shuffle", {"buffer_size": 2.5}, "buffer_size is a whole number, not 2.5"),
    ("shuffle", {"buffer_size": 0}, "buffer_size must be greater than zero"),
    ("shuffle", {"buffer_size": True}, "buffer_size is a whole number, not True"),
    ("shuffle", {"reshuffle_each_iteration": "no"}, "reshuffle_each_iteration is True or False or None, not 'no'"),
    ("shuffle", {"seed": 2**70}, "seed is 1180591620717411303424, which is no number of 64 bits"),
    ("prefetch", {"buffer_size": 1.5}, "buffer_size is a whole number or None, not 1.5"),
    ("prefetch", {"buffer_size": -2}, "buffer_size must be a number from 0"),
    ("enumerate", {"start": "a"}, "start is a whole number, not 'a'"),
    ("shard", {"index": 0.5}, "index is a whole number, not 0.5"),
    ("shard", {"index": 2}, "index must be from 0 to 1, not 2"),
    ("on_error", {"limit": -1}, "limit is a number from 0 on, not -1"),
    ("iterator", {"epoch": -1}, "epoch is a number from 0 on, not -1"),
    ("iterator", {"state": "text"}, "state is bytes or None, not 'text'"),
    ("range", {"args": (2**70,)}, "stop is 1180591620717411303424, which is no number of 64 bits"),
    ("range", {"args": (0, 1.5)}, "stop is a whole number, not 1.5"),
    ("range", {"args": (0, 5, "a")}, "step is a whole number, not 'a'"),
    ("counter", {"start": None}, "start is a number, not None"),
    ("take", {"count": 1.5}, "count is a whole number, not 1.5"),
    ("repeat", {"count": "twice"}, "count is a whole number, not 'twice'"),
    ("batch", {"batch_size": [2]}, r"batch_size is a whole number, not \[2\]"),
    ("batch", {"drop_remainder": 1}, "drop_remainder is True or False, not 1"),
    ("map", {"map_func": 3}, "map_func is a function, not 3"),
    ("map", {"num_parallel_calls": "all"}, "num_parallel_calls is a whole number or None, not 'all'"),
    ("map", {"num_parallel_calls": 0}, "num_parallel_calls must be greater than zero"),
    ("map", {"workers": "thread"}, None),
    ("map", {"workers": "gpu", "python": True}, "workers is 'thread' or 'process', not 'gpu'"),
    ("interleave", {"cycle_length": 1.0}, "cycle_length is a whole number or None, not 1.0"),
    ("concatenate", {"dataset": [1, 2]}, r"dataset is a dataset, not \[1, 2\]"),
    ("sample_from_datasets", {"weights": ["a"]}, r"weights is a list of numbers, a dataset, a function or None, not \['a'\]"),
    ("choose_from_datasets", {"datasets": Dataset.range(3)}, "datasets is a list of datasets, not <Dataset"),
    ("list_files", {"file_pattern": [1]}, r"file_pattern is a path or a list of paths, not \[1\]"),
    ("cache", {"filename": 3}, "filename is a path, not 3"),
    ("window", {"shift": 1.5}, "shift is a whole number or None, not 1.5"),
    ("with_options", {"options": {"threads": 2}}, "options is fl.Options, not {'threads': 2}"),
    ("from_generator", {"args": 3}, "args is a list or None, not 3"),
    ("rebatch", {"batch_size": "2"}, "batch_size is a whole number or a list of whole numbers, not '2'"),
    ("CsvDataset", {"select_cols": ["a"]}, r"select_cols is a list of whole numbers or None, not \['a'\]"),
    ("TFRecordDataset", {"num_parallel_reads": 0}, "num_parallel_reads must be greater than zero"),
]


@pytest.mark.parametrize("method, wrong, told", WRONG, ids=[f"{method}-{wrong}"[:60] for method, wrong, _ in WRONG])
def test_wrong_arguments(method, wrong, told):
    if told is None:
        call(method, **wrong)
        return
    with pytest.raises(fl.ArgumentError, match=f"^{method}: {told}"):
        call(method, **wrong)


def test_numbers_of_numpy_are_numbers():
    ds = Dataset.range(np.int64(10)).shuffle(np.int32(3), seed=np.int64(1)).batch(np.uint8(2), drop_remainder=np.bool_(True))
    assert len(ds.take(np.array(3)).repeat(np.int64(2))) == 6
    with pytest.raises(fl.ArgumentError) as caught:
        Dataset.range(3).batch("2")
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)


def test_options_of_tensorflows_say_what_to_use():
    options = fl.Options()
    with pytest.raises(AttributeError, match="(?s)no 'threading'.*threads=n"):
        options.threading.private_threadpool_size = 2
    with pytest.raises(AttributeError, match="(?s)no 'mistyped'.*memory_budget"):
        options.mistyped  # noqa: B018
    assert copy.deepcopy(options) == pickle.loads(pickle.dumps(options)) == options
