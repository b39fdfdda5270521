"""Functions that are traced, and what is said of those that cannot be."""

from __future__ import annotations

import base64
import copy
import datetime
import functools
import gzip
import io
import json
import math
import math as other_math
import os
import pathlib
import pickle
import random
import re
import secrets
import sys
import time
import types
import warnings
import zlib
from math import sqrt

import numpy as np
import pytest

import feedline as fl
from feedline import _remedies


def one(function, *tensors):
    """What a traced function gives for an element of these tensors."""
    (result,) = fl.Dataset.from_tensors(tensors).map(function)
    return result


OPERATORS = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: x // y,
    lambda x, y: x % y,
    lambda x, y: x**y,
    lambda x, y: x**2 % 3 if isinstance(x, np.ndarray) else pow(x, 2, 3),  # numpy has no pow of three arguments
    lambda x, y: -x,
    lambda x, y: abs(-x),
    lambda x, y: x < y,
    lambda x, y: x <= y,
    lambda x, y: x > y,
    lambda x, y: x >= y,
    lambda x, y: x == y,
    lambda x, y: x != y,
    lambda x, y: (x > 1) & ~(y > 1) | (x == y),
    lambda x, y: 2 + x,
    lambda x, y: 2 - x,
    lambda x, y: 2 * x,
    lambda x, y: 2 / x,
    lambda x, y: 7 // x,
    lambda x, y: 7 % x,
    lambda x, y: 2**x,
    lambda x, y: 3 > x,
    lambda x, y: x[0],
    lambda x, y: x[-1],
    lambda x, y: x[1:],
    lambda x, y: x[::-1],
    lambda x, y: x[..., None],
    lambda x, y: x[None, :2],
    lambda x, y: np.array([1, 2, 3]) + x,
    lambda x, y: x * np.array([1, 2, 3]),
    lambda x, y: np.int64(2) * x,
    lambda x, y: np.add(x, y),
    lambda x, y: np.maximum(x, y),
    lambda x, y: np.isfinite(x / y),
]


@pytest.mark.parametrize("number", range(len(OPERATORS)))
def test_operators_are_numpys(number):
    x, y = np.array([1, 2, 3]), np.array([3, 2, 1])
    expected = OPERATORS[number](x, y)
    result = one(OPERATORS[number], x, y)
    assert np.array_equal(result, expected) and result.dtype == expected.dtype


def test_functions():
    x = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)
    cases = [
        (lambda x: fl.cast(x, fl.int32), x.astype(np.int32)),
        (lambda x: fl.cast(fl.cast(x, int), float), x),
        (lambda x: fl.cast(x, "uint8"), np.array([[1, 0], [3, 4]], np.uint8)),
        (lambda x: fl.reshape(x, [-1]), x.reshape(-1)),
        (lambda x: fl.where(x > 0, x, 0), np.where(x > 0, x, 0)),
        (lambda x: fl.stack([x, x], axis=1), np.stack([x, x], 1)),
        (lambda x: fl.concat([x, x], 0), np.concatenate([x, x])),
        (lambda x: fl.transpose(x), x.T),
        (lambda x: fl.reduce_sum(x, axis=1), x.sum(1)),
        (lambda x: fl.reduce_mean(x), x.mean()),
        (lambda x: fl.reduce_max(x, axis=[0, 1], keepdims=True), np.array([[4.0]], np.float32)),
        (lambda x: fl.clip_by_value(x, 0.0, 2.0), x.clip(0, 2)),
        (lambda x: fl.shape(x), np.array([2, 2], np.int32)),
        (lambda x: fl.math.is_nan(x), np.isnan(x)),
        (lambda x: fl.one_hot([0, 2], 3), np.eye(3, dtype=np.float32)[[0, 2]]),
        (lambda x: fl.one_hot(1, 3, dtype=fl.int64, axis=None), np.array([0, 1, 0])),
        (lambda x: fl.gather(x, [1, 0]), x[[1, 0]]),
        (lambda x: fl.expand_dims(x, -1), x[..., None]),
        (lambda x: fl.squeeze(fl.expand_dims(x, 0)), x),
        (lambda x: fl.stack([x, x]), np.stack([x, x])),
    ]
    for function, expected in cases:
        result = one(function, x)
        assert np.array_equal(result, expected) and result.dtype == np.asarray(expected).dtype


def test_structures_of_results_and_arguments():
    pairs = fl.Dataset.from_tensor_slices(([1, 2], [3, 4]))
    assert list(pairs.map(lambda a, b: {"sum": a + b, "both": (a, b)}))[0] == {"sum": 4, "both": (1, 3)}
    dicts = pairs.map(lambda a, b: {"a": a, "b": b})
    assert [int(x) for x in dicts.map(lambda d: d["a"] * d["b"])] == [3, 8]
    assert [int(x) for x in dicts.filter(lambda d: d["a"] > 1).map(lambda d: d["b"])] == [4]
    nested = fl.Dataset.zip((pairs, dicts)).map(lambda pair, both: pair[0] + both["b"])
    assert [int(x) for x in nested] == [4, 6]
    assert list(pairs.map(lambda *both: len(both))) == [2, 2]


def test_constants_keep_their_types_and_are_copied():
    table = np.array([10.0, 20.0, 30.0])
    dataset = fl.Dataset.range(3).map(lambda i: fl.gather(table, i))
    table[:] = 0
    assert [float(x) for x in dataset] == [10.0, 20.0, 30.0]
    assert dataset.element_spec.dtype == fl.float64
    assert fl.Dataset.range(1).map(lambda x: (1, 1.5, True, "a", [1, 2])).element_spec == (
        fl.TensorSpec([], fl.int32),
        fl.TensorSpec([], fl.float32),
        fl.TensorSpec([], fl.bool),
        fl.TensorSpec([], fl.string),
        fl.TensorSpec([2], fl.int32),
    )


def test_a_function_is_called_once():
    calls = []
    dataset = fl.Dataset.range(100).map(lambda x: calls.append(1) or x + 1)
    assert len(list(dataset)) == 100 and len(calls) == 1


def test_nested_datasets():
    triangle = fl.Dataset.range(4).flat_map(lambda x: fl.Dataset.range(x).map(lambda y: y * 10 + x))
    assert [int(x) for x in triangle] == [1, 2, 12, 3, 13, 23]
    turns = fl.Dataset.from_tensor_slices([4, 5, 6]).interleave(
        lambda x: fl.Dataset.from_tensors(x).repeat(x), cycle_length=2, block_length=1, num_parallel_calls=2
    )
    assert [int(x) for x in turns] == [4, 5, 4, 5, 4, 5, 4, 5, 5, 6, 6, 6, 6, 6, 6]
    batches = fl.Dataset.from_tensor_slices(np.arange(6).reshape(2, 3)).flat_map(fl.Dataset.from_tensor_slices)
    assert [int(x) for x in batches] == list(range(6))
    with pytest.raises(TypeError, match="not a dataset"):
        fl.Dataset.range(3).flat_map(lambda x: x)


def test_random_values_follow_the_seed():
    def noise(seed):
        return [float(x) for x in fl.Dataset.range(20).map(lambda x: fl.random.uniform([], seed=seed))]

    assert noise(1) == noise(1) != noise(2)
    assert noise(None) != noise(None)


def loop(x):
    for y in fl.expand_dims(x, 0):
        x += y
    return x


def loop_over_lines(x):
    for y in (
        fl.expand_dims(x, 0)
    ):
        x += y
    return x


REFUSED = [
    ("bool", lambda x: 1 if x > 0 else 2, "fl.where"),
    ("and", lambda x: x > 0 and x < 3, "`&`"),
    ("iter", lambda x: [y for y in fl.expand_dims(x, 0)], "one operation"),
    ("for", loop, "one operation"),
    ("for over several lines", loop_over_lines, "one operation"),
    ("len", lambda x: len(x), "fl.shape(x)[0]"),
    ("int", lambda x: int(x), "fl.cast(x, fl.int64)"),
    ("float", lambda x: float(x), "fl.cast(x, fl.float32)"),
    ("index", lambda x: [1, 2, 3][x], "fl.gather"),
    ("array", lambda x: np.array(x), "fl"),
    ("numpy function", lambda x: np.sum(x), "fl.reduce_sum"),
    ("numpy function of another module", lambda x: np.std(x), "fl.math.reduce_std"),
    ("numpy flip", lambda x: np.flip(x), "fl.reverse"),
    ("numpy ufunc", lambda x: np.hypot(x, 1), "no fl function"),
    ("max of two", lambda x: max(x, x + 1), "fl.maximum(x, y)"),
    ("min of one", lambda x: min(fl.expand_dims(x, 0)), "fl.reduce_min(x)"),
    ("sum", lambda x: sum(fl.expand_dims(x, 0)), "fl.reduce_sum(x)"),
    ("sorted", lambda x: sorted(fl.expand_dims(x, 0)), "fl.sort(x)"),
    ("range", lambda x: [y for y in range(x)], "fl.map_fn"),
    ("zip", lambda x: [y for y in zip(fl.expand_dims(x, 0))], "fl.map_fn"),
    ("math", lambda x: math.sqrt(x), "fl.sqrt does it"),
    ("math by its name alone", lambda x: sqrt(x), "fl.sqrt does it"),
    ("math under another name", lambda x: other_math.floor(x), "fl.floor does it"),
    ("math of another name", lambda x: math.isnan(x), "fl.math.is_nan does it"),
    ("math that fl has not", lambda x: math.gamma(x), "no fl function"),
    ("in a tensor", lambda x: 1 in fl.expand_dims(x, 0), "fl.reduce_any(tensor == value)"),
    ("in a list", lambda x: x in [1, 2], "fl.reduce_any(tensor == value)"),
    ("in a set", lambda x: x in {1, 2}, "fl.reduce_any(tensor == value)"),
    ("dict.get", lambda x: {0: 5}.get(x, 7), "fl.lookup.StaticHashTable"),
    ("key of a dict", lambda x: {0: 5}[x], "fl.lookup.StaticHashTable"),
    ("hash", lambda x: hash(x), "fl.where"),
    ("open", lambda x: open(x), "fl.io.read_file"),
    ("path", lambda x: os.path.join(x, "name"), "fl.strings.join"),
    ("str", lambda x: "n" + str(x), "fl.strings.as_string"),
    ("f-string", lambda x: f"n{x}", "fl.strings.format"),
    ("f-string with digits", lambda x: f"n{x:03}", "fl.strings.format"),
    ("format", lambda x: "n{}".format(x), "fl.strings.format"),
    ("percent", lambda x: "n%s" % x, "fl.strings.format"),
    ("x.sum", lambda x: x.sum(), "write fl.reduce_sum(x, axis)"),
    ("x.mean", lambda x: x.mean(axis=0), "write fl.reduce_mean(x, axis)"),
    ("x.astype", lambda x: x.astype("float32"), "write fl.cast(x, dtype)"),
    ("x.reshape", lambda x: x.reshape(1, 1), "write fl.reshape(x, shape)"),
    ("x.T", lambda x: x.T, "write fl.transpose(x)"),
    ("x.numpy", lambda x: x.numpy(), "it has no value yet"),
    ("x.lower", lambda x: x.lower(), "write fl.strings.lower(x)"),
]


@pytest.mark.parametrize("name, function, remedy", REFUSED, ids=[case[0] for case in REFUSED])
def test_what_cannot_be_traced_says_where_and_what_to_write(name, function, remedy):
    with pytest.raises(fl.TraceError) as caught:
        fl.Dataset.range(3).map(function)
    message = str(caught.value)
    assert remedy in message and "python=True" in message, message
    line = function.__code__.co_firstlineno + (1 if function.__name__.startswith("loop") else 0)
    if name == "for over several lines" and sys.version_info >= (3, 14):
        line += 1  # that of what is iterated over
    assert f"test_tracing.py:{line}: `" in message, message


def assigns(x):
    x[0] = 1
    return x


def deletes(x):
    del x[0]
    return x


def sets_its_shape(x):
    x.shape = (1,)
    return x


def adds_a_text(x):
    x += "a"
    return x


def unpacks(x):
    a, b = x
    return a


# Of numbers, of an array of four floats, of a string.
NUMBERS = fl.Dataset.range(3)
ARRAYS = fl.Dataset.from_tensors(np.arange(4, dtype=np.float32))
TEXTS = fl.Dataset.from_tensors(b"abc")
WINDOWS = fl.Dataset.range(6).window(3)
FAILS = [
    ("loop over a window", WINDOWS, lambda w: [v for v in w], "w.batch(n), in the function of a flat_map"),
    ("list of a window", WINDOWS, lambda w: list(w), "w.map(function)"),
    ("sum of a window", WINDOWS, lambda w: sum(w), "w.reduce(state, function)"),
    ("iterator of a window", WINDOWS, lambda w: next(w.as_numpy_iterator()), "w.batch(n)"),
    ("loop over a dataset", NUMBERS, lambda x: [v for v in fl.Dataset.range(x)], "w.batch(n)"),
    ("len of a window", WINDOWS, lambda w: len(w), "w.cardinality()"),
    ("len of a dataset", NUMBERS, lambda x: len(fl.Dataset.range(x).filter(lambda y: y > x)), "w.cardinality()"),
    ("part of a window", WINDOWS, lambda w: w[0], "w.skip(n)"),
    ("in a window", WINDOWS, lambda w: 3 in w, "w.reduce(False"),
    ("== None", NUMBERS, lambda x: x == None, "`x is None`"),  # noqa: E711
    ("!= None", ARRAYS, lambda x: x != None, "fl.math.is_nan"),  # noqa: E711
    ("None <", NUMBERS, lambda x: None < x, "`x is None`"),
    ("+ None", NUMBERS, lambda x: x + None, "None (NoneType) is no tensor"),
    ("index behind the end", ARRAYS, lambda x: x[10], "x[-1] is the last entry"),
    ("index before the beginning", ARRAYS, lambda x: x[-10], "x.shape tells how many"),
    ("index of a single value", NUMBERS, lambda x: x[0], "fl.expand_dims(x, 0)"),
    ("part of a string", TEXTS, lambda x: x[:2], "fl.strings.substr"),
    ("two indices of one dimension", ARRAYS, lambda x: x[0, 0], "x.shape tells its dimensions"),
    ("index that is none", ARRAYS, lambda x: x[1.5], "are indices"),
    ("list of indices", ARRAYS, lambda x: x[[0, 1]], "fl.gather(x, [0, 1])"),
    ("key", ARRAYS, lambda x: x["a"], "takes a part of a dict"),
    ("round of digits of a string", TEXTS, lambda x: round(x, 2), "fl.cast"),
    ("round of tens of an integer", NUMBERS, lambda x: round(x, -1), "fl.cast"),
    ("number beside a string", TEXTS, lambda x: x + 1, "strings.to_number"),
    ("string beside a number", NUMBERS, lambda x: x + "a", "cast"),
    ("+=", NUMBERS, adds_a_text, "cast"),
    ("float beside integers", NUMBERS, lambda x: x * 0.5, "cast the tensor to a float"),
    ("types of numpy", ARRAYS, lambda x: x + np.arange(4.0), "cast"),
    ("shapes", ARRAYS, lambda x: x + np.arange(3, dtype=np.float32), "do not fit"),
    ("order of strings", TEXTS, lambda x: x < b"b", "fl.strings.to_number"),
    ("minus of a string", TEXTS, lambda x: -x, "fl.strings.to_number"),
    ("not of floats", ARRAYS, lambda x: ~x, "compare first"),
    ("bits of floats", ARRAYS, lambda x: x & 1, "fl.cast(x, fl.int32)"),
    ("tuple beside a tensor", ARRAYS, lambda x: x + (1, 2), "fl.concat"),
    ("dict beside a tensor", ARRAYS, lambda x: x + {}, "fl.concat"),
    ("object beside a tensor", ARRAYS, lambda x: x + object(), "numbers, strings"),
    ("matmul of vectors", ARRAYS, lambda x: x @ x, "expand_dims"),
    ("divmod", ARRAYS, lambda x: divmod(x, None), "None (NoneType) is no tensor"),
    ("assignment", ARRAYS, assigns, "fl.tensor_scatter_nd_update"),
    ("deletion", ARRAYS, deletes, "fl.concat"),
    ("shape that is set", ARRAYS, sets_its_shape, "fl.reshape"),
    ("unpacking", ARRAYS, unpacks, "fl.map_fn"),
    ("%d", NUMBERS, lambda x: "%d" % x, "fl.strings.as_string"),
    ("bytes of a text", TEXTS, lambda x: b"%s" % x, "fl.strings.format"),
    ("bytes()", TEXTS, lambda x: bytes(x), "fl.io.decode_raw"),
    ("ord", TEXTS, lambda x: ord(x), "fl.strings.unicode_decode"),
    ("next", ARRAYS, lambda x: next(x), "fl.map_fn"),
    ("reduce", ARRAYS, lambda x: functools.reduce(max, x), "fl.foldl"),
    ("reversed", ARRAYS, lambda x: reversed(x), "fl.reverse"),
    ("np.zeros", NUMBERS, lambda x: np.zeros(x), "fl.zeros"),
    ("deepcopy", ARRAYS, lambda x: copy.deepcopy(x), "its copy"),
    ("call", ARRAYS, lambda x: x(), "no function"),
    ("mapping", ARRAYS, lambda x: {**x}, "no dict"),
    ("attribute that nobody knows", ARRAYS, lambda x: x.nothing, "no attribute 'nothing'"),
]


@pytest.mark.parametrize("name, dataset, function, told", FAILS, ids=[case[0] for case in FAILS])
def test_what_fails_while_a_function_is_traced_shows_the_line_and_what_to_write(name, dataset, function, told):
    with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
        dataset.map(function)
    message = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert told in message and message.endswith("run the function as Python: .map(fn, python=True)"), message
    lines = range(function.__code__.co_firstlineno, function.__code__.co_firstlineno + 3)
    assert any(f"test_tracing.py:{line}: `" in message for line in lines), message
    assert message.count("test_tracing.py") == 1, message


def test_a_loop_over_a_window_names_the_step_that_runs_before():
    with pytest.raises(fl.TraceError, match=r"test_tracing\.py:\d+: `(.|\n)*w\.batch(.|\n)*a step before this one: \.map\(fn, python=True\)") as caught:
        WINDOWS.flat_map(lambda w: fl.Dataset.from_tensor_slices([v for v in w]))
    assert "build the dataset inside" not in str(caught.value)
    # Others are what they are.
    assert [int(x) for x in NUMBERS.map(lambda x: x + len(NUMBERS) + sum(NUMBERS))] == [6, 7, 8]
    assert [int(n) for n in WINDOWS.map(lambda w: w.cardinality())] == [3, 3]
    assert [int(x) for x in WINDOWS.map(lambda w: sum(int(v) for v in w), python=True)] == [3, 12]


def test_a_function_of_feedlines_that_refuses_shows_the_line():
    # As Python it would not be there either.
    with pytest.raises(fl.SchemaError, match=r"test_tracing\.py:\d+: `.*fl\.reshape.*`: reshape") as caught:
        ARRAYS.map(lambda x: fl.reshape(x, [3]))
    assert "python=True" not in str(caught.value)
    # Inside others once, with the line of the innermost.
    with pytest.raises(fl.SchemaError) as caught:
        NUMBERS.flat_map(lambda x: fl.Dataset.range(3).map(lambda y: fl.reshape(y, [2, 7])))
    assert str(caught.value).count("test_tracing.py") == 1


def test_what_a_function_returns_that_is_no_tensor_names_the_function():
    def forgets(x):
        x + 1

    with pytest.raises(fl.SchemaError, match=r"what the function of map \(.*forgets, .*test_tracing\.py:\d+\) returned: None \(NoneType\) is no tensor\n.*return"):
        NUMBERS.map(forgets)
    with pytest.raises(fl.SchemaError, match=r"what the function of map \(.*<lambda>, .*test_tracing\.py:\d+\) returned: \{1\} \(set\) is no tensor"):
        NUMBERS.map(lambda x: {1})


def test_numbers_are_rounded_as_numpy_rounds_them():
    values = np.array([1.2345, -2.5, 1234.5678], np.float32)
    for digits in (None, 0, 2, 3, -1, -2):
        assert np.allclose(one(lambda x, digits=digits: round(x, digits), values), np.round(values, digits or 0)), digits
    assert one(lambda x: round(x, 2), np.array([7, 8])).tolist() == [7, 8]


def test_remedies_name_what_there_is():
    texts = [text for pair in _remedies.REFUSALS.values() for text in pair]
    texts += [*_remedies._CALLS.values(), *_remedies._ATTRIBUTES.values(), *_remedies._SAID.values(), *_remedies._OPERATIONS.values()]
    named = {name for text in texts for name in re.findall(r"\bfl\.([A-Za-z_0-9.]*[A-Za-z_0-9])", text)}
    assert len(named) > 40
    for name in named:
        assert callable(functools.reduce(getattr, name.split("."), fl)) or name in ("int32", "int64", "float32"), name
    for name in [*_remedies.FUNCTIONS.values(), *_remedies.UFUNCS.values(), *_remedies._OF_TORCH.values()]:
        assert _remedies.public_name(name) is not None, name


STEPS = {
    "map": (lambda ds, function: ds.map(function), ".map(fn, python=True)"),
    "filter": (lambda ds, function: ds.filter(function), ".filter(fn, python=True)"),
    "take_while": (lambda ds, function: ds.take_while(function), "a step before this one: .map(fn, python=True)"),
    "flat_map": (lambda ds, function: ds.flat_map(function), "a step before this one"),
    "scan": (lambda ds, function: ds.scan(0, lambda state, x: function(x)), "a step before this one"),
    "reduce": (lambda ds, function: ds.reduce(0, lambda state, x: function(x)), "a step before this one"),
    "group_by_window": (lambda ds, function: ds.group_by_window(function, lambda key, w: w, 2), "a step before this one"),
}


@pytest.mark.parametrize("step", STEPS)
def test_the_edit_that_runs_python_is_that_of_the_step(step):
    build, edit = STEPS[step]
    with pytest.raises(fl.TraceError) as caught:
        build(fl.Dataset.range(3), lambda x: int(x))
    assert str(caught.value).endswith(edit) or edit in str(caught.value).splitlines()[-1], str(caught.value)
    # What other libraries raise of a symbolic tensor passes, with a note.
    with pytest.raises(TypeError, match="JSON") as caught:
        build(fl.Dataset.range(3), lambda x: json.loads(x))
    (note,) = caught.value.__notes__
    assert edit.split(": ")[-1] in note and f"while {step} traced" in note, note


def test_a_python_filter():
    def wanted(x, pair):
        assert isinstance(x, np.integer) and pair["b"][1] == b"s"
        return "1" in str(x) and pair["a"] >= 0

    ds = fl.Dataset.range(20).map(lambda x: (x, {"b": (x, "s"), "a": x - 12}))
    assert [int(x) for x, _ in ds.filter(wanted, python=True)] == [12, 13, 14, 15, 16, 17, 18, 19]
    ragged = fl.Dataset.range(4).map(lambda x: fl.RaggedTensor.from_row_splits(fl.range(x), [0, 0, x]))
    assert len(list(ragged.filter(lambda r: r.row_lengths()[1] > 1, python=True))) == 2
    assert "python" in fl.Dataset.range(3).filter(lambda x: True, python=True).explain()
    with pytest.raises(ZeroDivisionError):
        list(fl.Dataset.range(3).filter(lambda x: 1 / 0, python=True))
    with pytest.raises(TypeError, match="batch it first"):
        fl.Dataset.range(3).window(2).filter(lambda w: True, python=True)
    kept = fl.Dataset.range(3).filter(lambda x: fl.numpy_function(lambda y: y > 0, [x], fl.bool))
    assert [int(x) for x in kept] == [1, 2]


def test_printing_while_tracing_shows_what_is_known(capsys):
    fl.Dataset.range(3).map(lambda x: print(x, x + 1) or x)
    assert capsys.readouterr().out == "<Tensor int64[]: x0> <Tensor int64[]: add(x0, 1)>\n"
    assert not hasattr(one_symbolic(), "sum") and not hasattr(one_symbolic(), "anything")


def one_symbolic():
    kept = []
    fl.Dataset.range(3).map(lambda x: kept.append(x) or x)
    return kept[0]


def test_shapes_have_tensorflows_names():
    def look(x):
        assert x.shape == (None, 2) and x.shape.as_list() == [None, 2] and x.shape.rank == x.shape.ndims == 2
        assert x.get_shape() == x.shape and not x.shape.is_fully_defined()
        assert fl.TensorSpec.from_tensor(x) == fl.TensorSpec([None, 2], fl.int32)
        return x

    (spec,) = {fl.Dataset.from_tensor_slices([[1, 2]] * 3).batch(2).map(look).element_spec}
    assert repr(spec.shape) == "(None, 2)" and type(pickle.loads(pickle.dumps(spec.shape))) is type(spec.shape)
    for other, expected in [
        (fl.TensorSpec([3, 2], fl.int32), True),
        (fl.TensorSpec(None, fl.int32), True),
        (np.zeros((5, 2), np.int32), True),
        (fl.TensorSpec([3, 3], fl.int32), False),
        (fl.TensorSpec([3], fl.int32), False),
        (fl.TensorSpec([3, 2], fl.int64), False),
    ]:
        assert spec.is_compatible_with(other) is expected, other


def test_shapes_can_be_said():
    def shaped(x):
        batch = x[: fl.cast(x[0], fl.int32) + 2]
        batch.set_shape([2])
        assert batch.shape == (2,)
        with pytest.raises((TypeError, ValueError), match="ensure_shape"):
            batch.set_shape([3])
        return batch

    ds = fl.Dataset.range(4).batch(4)
    assert ds.map(shaped).element_spec == fl.TensorSpec([2], fl.int64)
    assert [x.tolist() for x in ds.map(shaped)] == [[0, 1]]
    with pytest.raises(fl.InvalidValueError, match="shape"):
        list(fl.Dataset.range(1, 5).batch(4).map(shaped))


def test_a_value_of_one_function_is_no_value_of_another():
    leaked = one_symbolic()
    uses = [
        ("map", lambda ds: ds.map(lambda x: x + leaked)),
        ("map", lambda ds: ds.map(lambda x: fl.numpy_function(np.negative, [leaked], fl.int64))),
        ("map", lambda ds: ds.map(lambda x: fl.map_fn(lambda y: y + leaked, fl.stack([x, x])))),
        ("map", lambda ds: ds.map(lambda x: fl.Dataset.range(3).reduce(leaked, lambda s, y: s + y))),
        ("filter", lambda ds: ds.filter(lambda x: x < leaked)),
        ("scan", lambda ds: ds.scan(leaked, lambda state, x: (state, x))),
        ("flat_map", lambda ds: ds.flat_map(lambda x: fl.Dataset.range(leaked))),
        ("map", lambda ds: ds.flat_map(lambda x: fl.Dataset.range(3).map(lambda y: y + leaked))),
        ("group_by_window", lambda ds: ds.group_by_window(lambda x: x + leaked, lambda key, w: w, 2)),
        ("take", lambda ds: ds.take(leaked)),
        ("range", lambda ds: fl.Dataset.range(leaked)),
    ]
    for step, use in uses:
        with pytest.raises(fl.SchemaError) as caught:
            use(fl.Dataset.range(3))
        message = str(caught.value)
        assert "the function of map (" in message and "test_tracing.py" in message and "flat_map" in message, (step, message)
    with pytest.raises(fl.SchemaError, match=r"the function of map \(second, .*uses a value of the element that the function of filter \(first, "):
        kept = []

        def first(x):
            kept.append(x)
            return x > 1

        def second(x):
            return x + kept[0]

        fl.Dataset.range(3).filter(first).map(second)


def test_mistakes_raise_at_their_line():
    cases = [
        (lambda x: x + "a", "int64"),
        (lambda x: x + np.int32(1), "fl.cast|cast"),
        (lambda x: x + 0.5, "float"),
        (lambda x: x["a"], "no dict"),
        (lambda x: fl.reshape(x, [2, 3]), "reshape"),
        (lambda x: fl.one_hot(x, "ten"), "depth"),
        (lambda x: fl.cast(x, "int128"), "int128"),
        (lambda x: x[1.5], "no index"),
        (lambda x: object(), "object"),
        (lambda x: {1: x, "1": x}, "key"),
    ]
    for function, told in cases:
        with pytest.raises((TypeError, ValueError), match=told) as caught:
            fl.Dataset.range(3).map(function)
        assert "src/" not in str(caught.value), "no line of the bindings"


def test_exceptions_of_functions_pass_unchanged():
    class Own(Exception):
        pass

    def function(x):
        raise Own("mine")

    for method in ("map", "filter", "flat_map", "interleave"):
        with pytest.raises(Own, match="mine"):
            getattr(fl.Dataset.range(3), method)(function)


GLOBAL = np.random.default_rng(1)


class Noise:
    def __init__(self):
        self.generator = random.Random(1)

    def __call__(self, x):
        return x + self.generator.randrange(10)

    def method(self, x):
        return x + self.generator.randrange(10)


def noisy(generator, x):
    return x + int(generator.integers(10))


def made_in_a_helper():
    return int(np.random.default_rng().integers(10))


def drawn_for_each(x):
    return x + made_in_a_helper()


def imports_numpy(x):
    import numpy.random as chance

    return x + int(chance.default_rng().integers(9))


def imports_a_name(x):
    from random import SystemRandom

    return x + SystemRandom().randrange(9)


def imports_secrets(x):
    import secrets as chance

    return x + chance.randbelow(9)


def test_frozen_chance_is_told():
    local, legacy, own = np.random.default_rng(1), np.random.RandomState(1), random.Random(1)
    bits = np.random.PCG64(1)
    helper = lambda: int(local.integers(10))  # noqa: E731
    functions = [
        lambda x: x + int(random.random() * 10),
        lambda x: x + int(np.random.rand() * 10),
        lambda x: x + int(local.integers(10)),
        lambda x: x + int(GLOBAL.integers(10)),
        lambda x: x + int(legacy.randint(10)),
        lambda x: x + own.randrange(10),
        lambda x: x + helper(),
        lambda x, generator=own: x + generator.randrange(10),
        lambda x: x + int(np.random.default_rng().integers(10)),
        lambda x: x + random.Random().randrange(10),
        lambda x: x + made_in_a_helper(),
        lambda x: x + secrets.randbelow(10),
        lambda x: x + int(np.random.Generator(np.random.PCG64()).integers(9)),
        lambda x: x + int(np.random.Generator(bits).integers(9)),
        lambda x: x + __import__("random").Random().randrange(10),
        imports_numpy,
        imports_a_name,
        imports_secrets,
        lambda x: x + os.urandom(1)[0],
        functools.partial(noisy, local),
        Noise(),
        Noise().method,
    ]
    for number, function in enumerate(functions):
        with pytest.warns(UserWarning, match="fl.random.uniform") as told:
            fl.Dataset.range(3).map(function)
        assert told[0].filename == __file__, number
    with pytest.warns(UserWarning, match="scan: .*a step before this one"):
        fl.Dataset.range(3).scan(0, lambda state, x: (state, x + own.randrange(9)))
    quiet = [
        lambda x: x + 1,
        lambda x: x if local is None else x + 1,
        lambda x: x if isinstance(x, np.random.Generator) else x + fl.random.uniform([], 0, 9, fl.int64),
        lambda x: fl.numpy_function(lambda y: y + int(np.random.default_rng().integers(9)), [x], fl.int64),
        lambda x: fl.numpy_function(lambda y: y + int(local.integers(9)), [x], fl.int64),
        lambda x: fl.numpy_function(drawn_for_each, [x], fl.int64),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for function in quiet:
            fl.Dataset.range(3).map(function)


def test_examples(tmp_path):
    path = tmp_path / "a.tfrecord"
    with fl.io.TFRecordWriter(path) as writer:
        for n in range(4):
            features = {"n": n, "box": [n + 0.5] * 4, "tokens": list(range(n)), "name": f"n{n}", "raw": np.bytes_(b"\1\2")}
            writer.write(fl.io.example(features))
    features = {
        "n": fl.io.FixedLenFeature([], fl.int64),
        "box": fl.io.FixedLenFeature([2, 2], "float32"),
        "tokens": fl.io.VarLenFeature(np.int64),
        "name": fl.io.FixedLenFeature([], fl.string),
        "absent": fl.io.FixedLenFeature([2], fl.int64, default_value=7),
        "raw": fl.io.FixedLenFeature([], fl.string),
    }
    records = fl.TFRecordDataset(path)
    for n, element in enumerate(records.map(lambda r: fl.io.parse_single_example(r, features))):
        assert element["n"] == n and element["box"].tolist() == [[n + 0.5] * 2] * 2
        assert isinstance(element["tokens"], fl.SparseTensor) and element["tokens"].dense_shape.tolist() == [n]
        assert element["tokens"].values.tolist() == list(range(n)) and element["name"] == f"n{n}".encode()
        assert element["absent"].tolist() == [7, 7]
    decoded = records.map(lambda r: fl.io.decode_raw(fl.io.parse_single_example(r, features)["raw"], fl.uint8))
    assert next(iter(decoded)).tolist() == [1, 2]
    fixed = {"n": features["n"], "box": features["box"]}
    (batch,) = records.batch(4).map(lambda r: fl.io.parse_example(r, fixed))
    assert batch["n"].tolist() == [0, 1, 2, 3] and batch["box"].shape == (4, 2, 2)
    with pytest.raises(ValueError, match="allow_missing"):
        records.map(lambda r: fl.io.parse_single_example(r, {"n": fl.io.FixedLenSequenceFeature([], fl.int64)}))
    with pytest.raises(TypeError, match="int64"):
        records.map(lambda r: fl.io.parse_single_example(r, {"n": fl.io.FixedLenFeature([], fl.int32)}))
    wrong = records.map(lambda r: fl.io.parse_single_example(r, {"m": features["n"]}))
    with pytest.raises(fl.CorruptDataError, match="'m'|m"):
        next(iter(wrong))


def test_arrays_as_indices_are_refused_with_what_takes_them():
    numbers = fl.Dataset.from_tensors(np.arange(6))
    for index in (np.array([0, 2]), [0, 2], slice(np.array([0, 2]), None)):
        with pytest.raises(fl.ArgumentError, match=r"no index(.|\n)*fl\.gather"):
            numbers.map(lambda x, index=index: x[index])
    assert one(lambda x: x[np.array(1)], np.arange(6)) == 1


def test_divmod_is_quotient_and_remainder():
    values = np.array([7, -7], np.int32)
    quotient, remainder = one(lambda x: divmod(x, 2), values)
    assert quotient.tolist() == [3, -4] and remainder.tolist() == [1, 1]
    quotient, remainder = one(lambda x: divmod(20, x), values)
    assert quotient.tolist() == [2, -3] and remainder.tolist() == [6, -1]


_PATTERN = re.compile(b"a")
_NUMBERS = np.arange(6)
# From Python 3.14 on they do not ask a tensor for its number any more, and say themselves that it is none.
NO_FUNCTION = "there is no fl function" if sys.version_info < (3, 14) else "run the function as Python"


@pytest.mark.parametrize(
    ("function", "element", "remedy"),
    [
        (lambda x: np.frombuffer(x, np.uint8), b"a", "fl.io.decode_raw"),
        (lambda x: re.sub(b"a", b"b", x), b"a", "fl.strings.regex_replace"),
        (lambda x: _PATTERN.sub(b"b", x), b"a", "fl.strings.regex_replace"),
        (lambda x: base64.b64decode(x), b"a", "fl.io.decode_base64"),
        (lambda x: zlib.decompress(x), b"a", "fl.io.decode_compressed"),
        (lambda x: gzip.decompress(x), b"a", "fl.io.decode_compressed"),
        (lambda x: os.path.join(b"a", x), b"a", "fl.strings.join"),
        (lambda x: os.path.join(x, b"a"), b"a", "fl.strings.join"),
        (lambda x: io.BytesIO(x), b"a", "fl.io.decode_image"),
        (lambda x: pathlib.Path(x), b"a", "fl.io.read_file"),
        (lambda x: np.arange(6)[x], 1, "fl.gather"),
        (lambda x: _NUMBERS[x], 1, "fl.gather"),
        (lambda x: {1: 2}[x], 1, "fl.lookup.StaticHashTable"),
        (lambda x: time.sleep(x), 1, NO_FUNCTION),
        (lambda x: datetime.datetime.fromtimestamp(x), 1, NO_FUNCTION),
    ],
)
def test_calls_that_need_values_are_told_what_does_it(function, element, remedy):
    with pytest.raises(Exception) as caught:
        fl.Dataset.from_tensors(element).map(function)
    told = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert remedy in told and "python=True" in told
    assert remedy == "fl.gather" or "fl.gather" not in told


def test_the_line_that_is_told_is_the_users(tmp_path):
    """Not that of a library, unless the function is of one."""
    path = tmp_path / "site-packages" / "library.py"
    path.parent.mkdir()
    path.write_text("def size(x):\n    return int(x)\n")
    library = types.ModuleType("library")
    exec(compile(path.read_text(), path, "exec"), vars(library))
    with pytest.raises(fl.TraceError, match=r"test_tracing\.py:\d+: .*library\.size"):
        fl.Dataset.from_tensors([1, 2]).map(lambda x: library.size(x))
    with pytest.raises(fl.TraceError, match=r"library\.py:2: `return int"):
        fl.Dataset.from_tensors([1, 2]).map(library.size)


class _DrawsFromItsClass:
    rng = np.random.default_rng(0)

    def __call__(self, x):
        return x + self.rng.integers(5)


def test_chance_of_a_class_is_told():
    with pytest.warns(UserWarning, match="drew random numbers"):
        fl.Dataset.range(3).map(_DrawsFromItsClass())
