"""Functions that are traced, and what is said of those that cannot be."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

import feedline as fl


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
        (lambda x: [x, x], np.stack([x, x])),
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


REFUSED = [
    ("bool", lambda x: 1 if x > 0 else 2, "fl.where"),
    ("and", lambda x: x > 0 and x < 3, "`&`"),
    ("iter", lambda x: [y for y in fl.expand_dims(x, 0)], "one operation"),
    ("len", lambda x: len(x), "fl.shape"),
    ("int", lambda x: int(x), "fl.cast"),
    ("float", lambda x: float(x), "fl.cast"),
    ("index", lambda x: [1, 2, 3][x], "fl.gather"),
    ("array", lambda x: np.array(x), "fl"),
    ("numpy function", lambda x: np.sum(x), "fl.reduce_sum"),
    ("numpy ufunc", lambda x: np.hypot(x, 1), "no fl function"),
]


@pytest.mark.parametrize("name, function, remedy", REFUSED, ids=[case[0] for case in REFUSED])
def test_what_cannot_be_traced_says_where_and_what_to_write(name, function, remedy):
    with pytest.raises(fl.TraceError) as caught:
        fl.Dataset.range(3).map(function)
    message = str(caught.value)
    assert remedy in message and "python=True" in message, message
    assert f"test_tracing.py:{function.__code__.co_firstlineno}: `" in message, message


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
        (lambda x: {1: x}, "key"),
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


def test_frozen_chance_is_told():
    for draw in (random.random, np.random.rand):
        with pytest.warns(UserWarning, match="fl.random.uniform") as told:
            fl.Dataset.range(3).map(lambda x: x + int(draw() * 10))
        assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fl.Dataset.range(3).map(lambda x: x + 1)


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
